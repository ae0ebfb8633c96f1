/*
 * A file that belongs to another program: read as a whole, written as a whole or not at all.
 *
 * A link is followed and stays; a new text is put beside the old one and takes its name, with its
 * mode. What somebody else changed since it was read is not overwritten.
 */
#ifndef KOTA_CLI_SETUP_CONFIG_FILE_H
#define KOTA_CLI_SETUP_CONFIG_FILE_H

#include "base/file.h"

struct config_file {
	const struct sys *sys;
	struct str path; /* where its links lead */
	struct str text;
	struct file_id id; /* present says whether there is a file */
};

/*
 * Reads a file, or finds that there is none. Codes as file_read(). On success release it with
 * config_file_release(); on failure there is nothing to release.
 */
int config_file_read(struct config_file *file, const struct sys *sys, const char *path,
		     struct err *err);

/*
 * Writes another text, folders that are missing included; mode is that of a new file. BUSY when the
 * file is not what was read any more, CANNOT_WRITE when it belongs to another user, or as err says.
 */
int config_file_write(const struct config_file *file, struct slice text, mode_t mode,
		      struct err *err);

/* Removes the file. Codes as config_file_write(). */
int config_file_remove(const struct config_file *file, struct err *err);

/* Frees what was read. */
void config_file_release(struct config_file *file);

#endif
