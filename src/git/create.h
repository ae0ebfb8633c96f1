/*
 * Making a repository beside its place, and putting it there whole, for repo.c.
 *
 * Only one process may do this at a time: the store's lock must be held.
 */
#ifndef KOTA_GIT_CREATE_H
#define KOTA_GIT_CREATE_H

#include "base/err.h"
#include "base/sys.h"

/* Says of a repository that it was made here: a name in its folder. */
#define NURSERY_MARK "info/kota-memory"

/* Makes DIR/.git, durable. There must be none. What a killed process began goes first. */
int nursery_make(const struct sys *sys, const char *dir, struct err *err);

#endif
