/*
 * Replacing a file that somebody else may be about to save: what was looked at is what is replaced,
 * or nothing is.
 */
#ifndef KOTA_BASE_FILE_SWAP_H
#define KOTA_BASE_FILE_SWAP_H

#include "base/err.h"
#include "base/str.h"
#include "base/sys.h"

/*
 * Gives dirfd/name the text `after`, durably, if it has the text `before`. An absent text (no
 * pointer) is a file that is not there. ERR_BUSY where it has another one, also where that came in
 * the very instant: then it is put back. Of a process that is killed in between a hidden file
 * .NAME.RANDOM may stay beside it. Messages name the file by `name`; other codes as file_replace().
 */
int file_swap(const struct sys *sys, int dirfd, const char *name, struct slice before,
	      struct slice after, mode_t mode, int flags, struct err *err);

#endif
