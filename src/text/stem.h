/*
 * What the forms of an English word have in common: "restarting" and "restarts" are "restart".
 *
 * Light and blind: it cuts endings by rule, knows no word, and may join two that have nothing to do
 * with each other. So an equal stem is a weaker sign than an equal word. Korean and Cyrillic words
 * lose their endings too; words of other scripts are their own stem.
 */
#ifndef KOTA_TEXT_STEM_H
#define KOTA_TEXT_STEM_H

#include <stddef.h>
#include <stdint.h>

/* Longer words are their own stem. */
#define STEM_LEN_MAX 32

/* Characters that the stem of a word of len characters may have: "db" is "database". */
#define STEM_ROOM(len) ((len) > STEM_LEN_MAX ? (len) : STEM_LEN_MAX)

/*
 * The stem of a normalised word, into out, which has room for STEM_ROOM(len) characters; returns
 * its length. A word with other characters than a to z is copied.
 */
size_t stem_word(const uint32_t *word, size_t len, uint32_t *out);

/*
 * The same for a word in Latin letters of a language that is not known and not English. Coarse: for
 * words that were not found otherwise. No longer than STEM_LEN_MAX; diacritics are left out.
 */
size_t stem_foreign_word(const uint32_t *word, size_t len, uint32_t *out);

#endif
