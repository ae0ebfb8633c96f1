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
#include "nlp/phrases.h"

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
 * The kind of a word of letters, marks, digits and . # + - _ ' & between them. In a text that
 * shouts, capitals alone make no name.
 */
enum name_kind name_kind_of(const struct alphabet *alphabet, struct slice word, bool shouting);

/* Is the word, in letters of either case, on the list? What follows an apostrophe may be left. */
bool name_is_listed(const struct alphabet *alphabet, struct slice word, const struct phrase *list);

/* Is it one of the common words that begin sentences? */
bool name_is_common(const struct alphabet *alphabet, struct slice word);

/* Are all letters of the text, and there are two at least, capitals? */
bool name_is_capitals(const struct alphabet *alphabet, struct slice word);

/*
 * Words taken apart: what belongs to a name and what to the sentence around it. For
 * src/nlp/entities.c alone. What is returned is a part of what came in.
 */

/* Without marks at the end, signs at the beginning, and an 's; perhaps empty. */
struct slice name_trim(struct slice word);

/* The text from the beginning of one part to the end of a later one. */
struct slice name_between(struct slice first, struct slice last);

/* A letter of ASCII. */
bool name_is_plain_letter(char c);

/* The host of an address with "://" in it, without who and which door. */
struct slice name_host(struct slice address);

/* The name of the file at the end of a path, without lines of it; the path where there is none. */
struct slice name_file(const struct alphabet *alphabet, struct slice path);

/* Does a colon belong to the word? In `std::vector` and `localhost:8080` only. */
bool name_keeps_colon(struct slice word);

/* Where a word is to be cut: at its first slash or colon; NULL when it has none. */
const char *name_find_cut(struct slice word);

/* Something on both sides of an "@", and a dot behind it. */
bool name_is_mail_address(struct slice word);

#endif
