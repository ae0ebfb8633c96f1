/*
 * The tip of the branch, when a power cut, a prune or a failing disk has taken it.
 *
 * Without it git reads nothing of the branch, and nothing can be recorded. Most often what it stood
 * upon is still there: the reflog says what the branch was before, and where that is gone too, the
 * objects that are left say which commits there are. The store's lock must be held for tip_mend().
 */
#ifndef KOTA_GIT_TIP_H
#define KOTA_GIT_TIP_H

#include "git/repo.h"

/*
 * Is all of the branch there: the last commit with its files, and the commits before it? Also where
 * the branch has none yet. False, with the reason in *why, when something is missing.
 */
bool tip_is_whole(struct repo *repo, struct err *why);

/*
 * Sets the branch to the last commit that is whole, or to none where there is none, and takes out
 * of the reflogs and puts aside of the index what names missing objects. Nothing where the tip is
 * whole. *mended says whether anything was done.
 */
int tip_mend(struct repo *repo, bool *mended, struct err *err);

#endif
