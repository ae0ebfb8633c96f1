/*
 * .pending: changes that are made and not recorded in the history yet.
 *
 * One line of JSON for each file that a change gives a new text, appended right before that text is
 * put in place and not fsynced: it must outlive a killed process, not a power cut. It tells our own
 * changes from a person's by the ids that the texts have as blobs, and it has the operations, so
 * that the text can be made anew when neither the file nor the repository has it any more. A change
 * that is made and could not be recorded gets one line more, which says so: it is recorded later,
 * whatever git has done to the files meanwhile. The first line says which boot of the machine the
 * rest is of: after another one a difference that nothing explains may be ours. A copy of the store
 * may share the file by a hard link, so one with several names is copied before it is written to.
 * The lock must be held. For history.c and recorder.c.
 */
#ifndef KOTA_STORE_HISTORY_PENDING_H
#define KOTA_STORE_HISTORY_PENDING_H

#include "base/arena.h"
#include "git/libgit2.h"
#include "model/operation.h"
#include "store/files/dir.h"

struct pending_line {
	struct slice change; /* id of the change: lines of one change have the same */
	int64_t at_ms;
	struct slice tool;
	struct slice client; /* absent when unknown, likewise below */
	struct slice client_version;
	struct slice session;
	struct slice undoes;
	struct slice *refs; /* entries and records that the change is about */
	size_t ref_count;
	struct slice file;       /* name in the store */
	struct object_id before; /* none: there was no such file, or the line is about lines */
	struct object_id after;  /* none: whatever the file has now, see struct witness */
	const struct op *ops;    /* of the change, as far as they are about the file */
	size_t op_count;
	bool done;  /* the change is made: the line is no mere intention */
	bool held;  /* ... which had a secret in it that nobody has allowed, see secret_guard.h */
	bool stays; /* for pending_clear(); not read from the file */
};

struct pending {
	struct pending_line *lines;
	size_t count;
	bool begun;     /* there is a first line */
	bool this_boot; /* ... of the machine as it runs now */
	bool lost;      /* the file is there without one: a power cut took it */
	bool told;      /* the person was told why there is no history */
	bool recorded;  /* changes were recorded here before */
	struct arena arena;
};

/* Absent, torn and foreign lines are no failure: what cannot be read explains nothing. */
int pending_read(struct pending *out, struct disk *disk, struct err *err);

void pending_release(struct pending *pending);

/* Released at the end of the scope: `PENDING_AUTO pending = {0};` */
#define PENDING_AUTO __attribute__((cleanup(pending_release))) struct pending

/* True if the size says that there is anything behind the first line. */
bool pending_any(struct disk *disk);

/*
 * True if changes were recorded here before. For who finds no .git: *why says that it is gone, and
 * what that means.
 */
bool pending_was_recorded(struct disk *disk, struct err *why);

/* Appends a line; a file without a first line gets one. *length is what the file had before. */
int pending_append(struct disk *disk, const struct pending_line *line, off_t *length,
		   struct err *err);

/* Says of all lines of the change that it is made. */
int pending_done(struct disk *disk, struct slice change, struct err *err);

/* Takes back what pending_append() appended last. */
void pending_cut(struct disk *disk, off_t length);

/* All but the lines that stay is recorded: leaves a first line of this boot, and these. */
int pending_clear(struct disk *disk, const struct pending *pending, struct err *err);

#endif
