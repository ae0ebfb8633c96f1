/*
 * Keeping secrets out of sentences: errors and notices that repeat what somebody wrote.
 *
 * Pure. For whoever hands a sentence to a client, a terminal or a file. What is left out is named
 * by its rule: "[withheld: GitHub token]".
 */
#ifndef KOTA_SECRETS_WITHHOLD_H
#define KOTA_SECRETS_WITHHOLD_H

#include "base/str.h"
#include "secrets/secret_scan.h"

/* Appends what stands in a secret's place. */
void withhold_add_mark(struct str *out, const struct secret *secret);

/*
 * The sentence without the secrets in it: each word, or else each quoted text, that holds one
 * becomes its mark, and all of the sentence where one is still left. Of a long word that was cut
 * ("..." behind it) only the beginning stays: most of a token is as good as all of it, and no rule
 * knows it any more. A sentence in which nothing is to be changed comes back as it is; another is
 * built in *scratch (cleared first) and valid until that changes. Takes time in proportion to the
 * sentence.
 */
struct slice withhold(struct str *scratch, struct slice sentence);

#endif
