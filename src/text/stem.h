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

/*
 * The stem of a normalised word of up to STEM_LEN_MAX characters, into out (which has room for as
 * many); returns its length. A word with other characters than a to z is copied.
 */
size_t stem_word(const uint32_t *word, size_t len, uint32_t *out);

/*
 * The same for a word in Latin letters of a language that is not known and not English. Coarse: for
 * words that were not found otherwise. No longer than STEM_LEN_MAX; diacritics are left out.
 */
size_t stem_foreign_word(const uint32_t *word, size_t len, uint32_t *out);

#endif
