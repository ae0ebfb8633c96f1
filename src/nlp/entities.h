/*
 * What a text names, by how it is written: capitalised words and runs of them, abbreviations,
 * identifiers of code, products with digits and signs, quoted phrases, @people and #channels,
 * mail addresses, hosts and files.
 *
 * Pure and lexical: it knows no names, so that it finds those of a project as well as those of a
 * city, and misses what is written like any other word.
 */
#ifndef KOTA_NLP_ENTITIES_H
#define KOTA_NLP_ENTITIES_H

#include "base/arena.h"
#include "model/category.h"
#include "text/dictionary.h"

#include <stddef.h>

/* Most names that are found in a text, and longest one in bytes. */
#define NAMES_MAX 10
#define NAMES_BYTES_MAX 80

/* Only so many bytes of a text are looked at. */
#define NAMES_TEXT_MAX 16384

/*
 * Finds names in the order of the text, each once whatever its case, in the form in which entities
 * are stored (model/category.h). Returns their number; they live in the arena.
 */
size_t names_find(struct arena *arena, struct slice text, struct slice names[NAMES_MAX]);

/*
 * What kind of name a word is by its spelling. For src/nlp/entities.c alone.
 */

enum name_kind {
	NAME_NONE,
	NAME_NUMBER, /* a version, which belongs to the name before it */
	NAME_WORD,   /* capitalised: alone or beside others of its kind */
	NAME_SHAPED, /* a name by its shape, may stand beside capitalised words: TypeScript, GPT-4
		      */
	NAME_ALONE   /* a name by itself: blue-7, main.c, some_function */
};

/*
 * True if the word, in letters of either case, is on the list. What follows an apostrophe may be
 * left.
 */
bool name_is_listed(const struct alphabet *alphabet, struct slice word, enum word_list list);

#endif
