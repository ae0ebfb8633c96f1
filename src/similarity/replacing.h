/*
 * Forms of sentences by which something takes the place of something else, where the two are not
 * the same sentence with another answer in it.
 *
 * "Loans are managed by Aleph" and "Koha manages the loans"; "duty one weekend in three" and "duty
 * comes up every five weeks"; "new labels are in Herma, only magazines remain Avery"; "Turin did
 * not want it, going to Locarno instead".
 */
#ifndef KOTA_SIMILARITY_REPLACING_H
#define KOTA_SIMILARITY_REPLACING_H

#include "similarity/phrase.h"

#include <stdbool.h>

/*
 * Does the newer one replace the older by such a form? Both as phrase_share() left them. renewed:
 * the newer one says that it holds from now on, or that something was changed.
 */
bool replacing_finds(const struct words *older, const struct words *newer, bool renewed);

#endif
