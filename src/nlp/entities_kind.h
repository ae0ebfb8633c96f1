/*
 * What kind of name a word is by its spelling. For src/nlp/entities.c alone.
 */
#ifndef KOTA_NLP_ENTITIES_KIND_H
#define KOTA_NLP_ENTITIES_KIND_H

#include "model/alphabet.h"
#include "nlp/phrases.h"

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

#endif
