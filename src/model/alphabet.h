/*
 * What is a letter, a mark, an upper-case letter: asked of the C library's own tables for UTF-8,
 * whatever the process's locale.
 *
 *	struct alphabet alphabet = alphabet_open();
 *	... alphabet_is_letter(&alphabet, character) ...
 *	alphabet_close(&alphabet);
 */
#ifndef KOTA_MODEL_ALPHABET_H
#define KOTA_MODEL_ALPHABET_H

#include "base/slice.h"
#include "base/str.h"

#include <locale.h>
#include <stdbool.h>
#include <stdint.h>
#include <wctype.h>

/* The apostrophe that word processors write. */
#define TYPOGRAPHIC_APOSTROPHE 0x2019

struct alphabet {
	locale_t locale; /* 0 where the system has no UTF-8 tables: then all beyond ASCII are
			    letters, none of them upper case */
	wctype_t mark;
};

struct alphabet alphabet_open(void);
void alphabet_close(const struct alphabet *alphabet);

/* A letter or a number. Not what utf8_next() makes of an invalid byte. */
bool alphabet_is_letter(const struct alphabet *alphabet, uint32_t c);

/* A combining mark, which belongs to the letter before it. */
bool alphabet_is_mark(const struct alphabet *alphabet, uint32_t c);

bool alphabet_is_upper(const struct alphabet *alphabet, uint32_t c);

/* The character in lower case; itself where it has none. */
uint32_t alphabet_lower(const struct alphabet *alphabet, uint32_t c);

/*
 * The text in lower case, with the typographic apostrophe made a plain one: as phrases are
 * compared. *out is cleared first.
 */
void alphabet_fold(const struct alphabet *alphabet, struct slice text, struct str *out);

#endif
