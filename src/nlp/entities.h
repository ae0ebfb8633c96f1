/*
 * Named entities of a text, found by their spelling: capitalised words and runs of them,
 * abbreviations, identifiers of code, products with digits and signs, quoted phrases, @people and
 * #channels, mail addresses, hosts and files.
 *
 * Pure and lexical. Without a list of names it finds a project as well as a city, and misses names
 * that are spelt like any other word.
 */
#ifndef KOTA_NLP_ENTITIES_H
#define KOTA_NLP_ENTITIES_H

#include "base/arena.h"
#include "model/category.h"
#include "text/dictionary.h"

#include <stddef.h>

/* The most names per text, and the longest name in bytes. */
#define NAMES_MAX 10
#define NAMES_BYTES_MAX 80

/* Text beyond this many bytes is ignored. */
#define NAMES_TEXT_MAX 16384

/*
 * Finds names in the order of the text, each once (case is ignored), in the form in which entities
 * are stored (model/category.h). Returns their number; the names are in the arena.
 */
size_t names_find(struct arena *arena, struct slice text, struct slice names[NAMES_MAX]);

/*
 * What the spelling of a word says about it. For src/nlp/entities.c only.
 */

enum name_kind {
	NAME_NONE,
	NAME_NUMBER, /* a version, which belongs to the name before it */
	NAME_WORD,   /* capitalised: alone or beside others of its kind */
	NAME_SHAPED, /* a name by its shape, alone or in a run: TypeScript, GPT-4 */
	NAME_ALONE   /* a name that joins no run: blue-7, main.c, some_function */
};

/* True if the word is on the list, with or without what follows an apostrophe. Ignores case. */
bool name_is_listed(const struct alphabet *alphabet, struct slice word, enum word_list list);

#endif
