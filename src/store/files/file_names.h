/*
 * The names in a folder, sorted.
 *
 * For src/store, and who reads the folder of a source. The caller owns the list: names_release().
 */
#ifndef KOTA_STORE_FILES_FILE_NAMES_H
#define KOTA_STORE_FILES_FILE_NAMES_H

#include "base/sys.h"

#include <stdbool.h>
#include <stddef.h>

struct names {
	char **list;
	size_t count;
	size_t cap;
};

/*
 * Reads the names that are wanted of an open folder into *out, which is empty before; wanted NULL
 * is all but "." and "..". Returns 0, or the errno of what failed; *out is to be released in either
 * case.
 */
int names_read(const struct sys *sys, int folder, bool (*wanted)(const char *name),
	       struct names *out);

/* Frees the names and the list, leaves an empty one. */
void names_release(struct names *names);

/* Released at the end of the scope: `NAMES_AUTO names = {0};` */
#define NAMES_AUTO __attribute__((cleanup(names_release))) struct names

#endif
