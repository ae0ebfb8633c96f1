/*
 * Lock files as git has them, NAME.lock beside NAME, that can be told from those of others.
 *
 * For src/git only, while the store's lock is held: then no living process of ours holds one, and
 * one that says it is ours was left by a killed process and is taken over. It is a link that leads
 * nowhere, because a link appears with its text at once, whenever the process dies or the power
 * goes; git knows no lock but by its name. Where the file system has no links it is a small file.
 */
#ifndef KOTA_GIT_LOCK_H
#define KOTA_GIT_LOCK_H

#include "base/err.h"
#include "base/sys.h"

/* path ends in ".lock". ERR_BUSY when somebody else holds it, ERR_NO_HISTORY when it cannot be. */
int lock_take(const struct sys *sys, const char *path, struct err *err);

void lock_drop(const struct sys *sys, const char *path);

#endif
