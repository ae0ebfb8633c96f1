/*
 * Text in the forms in which it is compared.
 *
 * This folder knows about Unicode and similarity and nothing about stores or categories; utf8proc
 * is used here only. All functions append to or fill strings that the caller owns, and accept any
 * bytes: invalid UTF-8 counts as a separator. The work is linear in the text: of more than
 * NORMALIZE_MARKS_MAX combining marks in a row the rest is ignored.
 */
#ifndef KOTA_TEXT_NORMALIZE_H
#define KOTA_TEXT_NORMALIZE_H

#include "base/str.h"

/* Longest run of combining marks that is looked at: putting them in order costs its square. */
#define NORMALIZE_MARKS_MAX 30

/*
 * The identity form of a key: NFKC, case folded, default-ignorable characters dropped, every run
 * of characters that are neither letters, numbers, nor marks after one of them becomes one space;
 * "+" and "#" directly after a letter or number stay; trimmed. Empty for a key of emoji or
 * punctuation. *out is cleared first.
 */
void normalize_identity(struct slice text, struct str *out);

/*
 * What two keys of one category are compared by: the identity form, or, where that is empty, the
 * key's own text (so that two emoji are two keys). *out is cleared first.
 */
void normalize_key(struct slice key, struct str *out);

/*
 * The form in which a query meets a key or value: as normalize_identity, and also split where a
 * lower-case letter is followed by an upper-case one (mainEditor -> main editor). *out is cleared
 * first.
 */
void normalize_words(struct slice text, struct str *out);

/*
 * As normalize_words, and also split inside abbreviations and after numbers where a capitalised
 * word begins (sslCAPath -> ssl ca path, SHA1InWant -> sha1 in want). *out is cleared first.
 */
void normalize_parts(struct slice text, struct str *out);

/*
 * A text already normalised, without its diacritics: é becomes e, ł l, æ ae; with umlauts_as_e ä
 * becomes ae and not a. Scripts in which marks are not ornaments (Hangul, kana, Devanagari) stay.
 * Returns how many characters lost something; 0 means that *out (cleared first) is the same text.
 */
size_t normalize_fold(struct slice normal, bool umlauts_as_e, struct str *out);

/*
 * A text with each letter and its marks put together, and without what is no UTF-8, in *out
 * (cleared first). False, and *out as it was, where the text is ASCII or cannot be composed.
 */
bool normalize_compose(struct slice text, struct str *out);

/* The library beneath, as it says itself; static storage. */
const char *normalize_library(void);

#endif
