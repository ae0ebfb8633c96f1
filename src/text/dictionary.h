/*
 * The lists of data/words, compiled in: the words and phrases by which sentences, questions and
 * messages are judged. What each list is for stands in data/words/README and in the lists.
 *
 * Words are asked for as they are written there: in lower case, several words joined by "_". What
 * is handed out is static; the source is made by src/text/dictionary.awk.
 */
#ifndef KOTA_TEXT_DICTIONARY_H
#define KOTA_TEXT_DICTIONARY_H

#include "base/str.h"

#include <stdint.h>

enum word_list {
	DICTIONARY_ASKING,
	DICTIONARY_CHOICES,
	DICTIONARY_COMMON,
	DICTIONARY_COUNTERPARTS,
	DICTIONARY_DOINGS,
	DICTIONARY_FILLERS,
	DICTIONARY_FUNCTION,
	DICTIONARY_HINTS,
	DICTIONARY_JOINING,
	DICTIONARY_LIGHT,
	DICTIONARY_NAMES,
	DICTIONARY_NEGATIONS,
	DICTIONARY_NUMBERED,
	DICTIONARY_OBJECTS,
	DICTIONARY_OPPOSITES,
	DICTIONARY_PARTINGS,
	DICTIONARY_PEOPLE,
	DICTIONARY_PERSONS,
	DICTIONARY_PLACES,
	DICTIONARY_QUALIFIERS,
	DICTIONARY_ROLES,
	DICTIONARY_SINGLE,
	DICTIONARY_STARTERS,
	DICTIONARY_STOP,
	DICTIONARY_TERMS,
	DICTIONARY_WORDS
};

struct dictionary_row {
	const char *word;
	enum word_list list;
	uint16_t line; /* of the list; opposites of one line and two sides exclude each other */
	uint16_t side;
	bool things; /* they tell things apart, or are one of many */
};

/* All words, sorted by their bytes. */
extern const struct dictionary_row dictionary_rows[];
extern const size_t dictionary_row_count;

/* The rows of a word, next to each other; *count is 0 when it is in no list. */
const struct dictionary_row *dictionary_find(struct slice word, size_t *count);

/* Is the word in this list? */
bool dictionary_has(struct slice word, enum word_list list);

/* Do two words exclude each other? *things says whether they rather tell things apart. */
bool dictionary_opposed(struct slice a, struct slice b, bool *things);

/*
 * Do two words name counterparts, of which a name is about one or the other? *same says whether
 * they name one thing instead ("prod", "production").
 */
bool dictionary_counterparts(struct slice a, struct slice b, bool *same);

struct phrase {
	const char *text;
	const char *note; /* what stood behind "=", or NULL */
};

/* Lists of phrases, in the order of the file; the last one has no text. */
extern const struct phrase phrases_decision[];
extern const struct phrase phrases_exclusion[];
extern const struct phrase phrases_importance[];
extern const struct phrase phrases_past[];
extern const struct phrase phrases_possessive[];
extern const struct phrase phrases_question[];
extern const struct phrase phrases_recall[];
extern const struct phrase phrases_save[];
extern const struct phrase phrases_uncertainty[];

#endif
