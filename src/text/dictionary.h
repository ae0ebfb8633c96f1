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
	DICTIONARY_ALTERNATIVES,
	DICTIONARY_ASKING,
	DICTIONARY_AUXILIARIES,
	DICTIONARY_CALLINGS,
	DICTIONARY_CAUSES,
	DICTIONARY_CHANGES,
	DICTIONARY_CHOICES,
	DICTIONARY_COMMON,
	DICTIONARY_COUNTERPARTS,
	DICTIONARY_DAYS,
	DICTIONARY_DOINGS,
	DICTIONARY_ENDINGS,
	DICTIONARY_FILLERS,
	DICTIONARY_FUNCTION,
	DICTIONARY_HINTS,
	DICTIONARY_INCIDENTS,
	DICTIONARY_JOINING,
	DICTIONARY_LIGHT,
	DICTIONARY_MEANS,
	DICTIONARY_MEASURES,
	DICTIONARY_MONTHS,
	DICTIONARY_NAMES,
	DICTIONARY_NEGATIONS,
	DICTIONARY_NUMBERED,
	DICTIONARY_NUMERALS,
	DICTIONARY_OBJECTS,
	DICTIONARY_OPPOSITES,
	DICTIONARY_PARTINGS,
	DICTIONARY_PEOPLE,
	DICTIONARY_PERSONS,
	DICTIONARY_PLACES,
	DICTIONARY_PREPOSITIONS,
	DICTIONARY_QUALIFIERS,
	DICTIONARY_RECENCY,
	DICTIONARY_REPORTS,
	DICTIONARY_ROLES,
	DICTIONARY_SAME,
	DICTIONARY_SHIFTS,
	DICTIONARY_SINGLE,
	DICTIONARY_STANDING,
	DICTIONARY_STARTERS,
	DICTIONARY_STOP,
	DICTIONARY_TERMS,
	DICTIONARY_UNITS,
	DICTIONARY_VERBS
};

/* One place of a word in a list. */
struct dictionary_row {
	uint16_t word; /* its number in dictionary_words */
	uint8_t list;  /* enum word_list */
	bool things;   /* they tell things apart, or are one of many */
	uint16_t line; /* of the list; opposites of one line and two sides exclude each other */
	uint16_t side;
};

/* Sorted by the bytes of their words. */
extern const struct dictionary_row dictionary_rows[];
extern const size_t dictionary_row_count;

/*
 * The tables hold numbers and no pointers, which the loader would have to fill in with each start:
 * so they are read from the program's file, as far as they are needed.
 */

/* Of a string in the tables, with its terminator: C promises 4,095 characters. */
#define DICTIONARY_TEXT_SIZE 4001

/* The words, each terminated; places in them count from the first one on. */
extern const char dictionary_texts[][DICTIONARY_TEXT_SIZE];

/* A word, in the order of their bytes; the last one is no word and says where the rows end. */
struct dictionary_word {
	uint32_t text; /* place in dictionary_texts */
	uint16_t row;  /* its first row */
	uint16_t next; /* number of the next word in its bucket, counted from 1; 0: there is none */
};
extern const struct dictionary_word dictionary_words[];

#define DICTIONARY_BUCKETS 8192

/* By the hash of a word: the first one of them, counted from 1; 0: there is none. */
extern const uint16_t dictionary_buckets[DICTIONARY_BUCKETS];

/* No word is longer, in bytes. */
#define DICTIONARY_WORD_MAX 48

/* The word of a row, terminated. */
const char *dictionary_spelling(const struct dictionary_row *row);

/* The rows of a word, next to each other; *count is 0 when it is in no list. */
const struct dictionary_row *dictionary_find(struct slice word, size_t *count);

/* True if the word is in this list. */
bool dictionary_has(struct slice word, enum word_list list);

/* How rare a word of English is. */
enum dictionary_rarity { RARITY_COMMON, RARITY_USUAL, RARITY_RARE, RARITY_UNKNOWN };

/*
 * A part of english.txt: words, sorted and a blank between them. The blocks of one rarity are
 * neighbours and sorted, too.
 */
struct dictionary_block {
	char words[DICTIONARY_TEXT_SIZE];
	enum dictionary_rarity rarity;
};
extern const struct dictionary_block dictionary_blocks[];
extern const size_t dictionary_block_count;

/* How rare the word is by english.txt, as it stands there. */
enum dictionary_rarity dictionary_rarity(struct slice word);

/* A form of an English word that no rule for endings makes; sorted by the form. */
#define DICTIONARY_FORM_SIZE 16
struct dictionary_form {
	char form[DICTIONARY_FORM_SIZE];
	char word[DICTIONARY_FORM_SIZE];
};
extern const struct dictionary_form dictionary_forms[];
extern const size_t dictionary_form_count;

/* The word of which this is such a form ("write" of "written"); NULL where it is none. */
const char *dictionary_word_of_form(struct slice form);

/* A word and its rows: looked up once where the word is compared with many. */
struct dictionary_entry {
	struct slice word;
	struct slice
		turned; /* what "un" or the like turns round: "used" of "unused"; mostly empty */
	const struct dictionary_row *rows;
	size_t count;
};

struct dictionary_entry dictionary_look_up(struct slice word);

/* True if two words exclude each other. *things says whether they rather tell things apart. */
bool dictionary_opposed(const struct dictionary_entry *a, const struct dictionary_entry *b,
			bool *things);

/*
 * True if two words name counterparts, of which a name is about one or the other. *same says
 * whether they name one thing instead ("prod", "production").
 */
bool dictionary_counterparts(struct slice a, struct slice b, bool *same);

struct phrase {
	const char *text;
	const char *note; /* what stood behind "=", or NULL */
};

/* Lists of phrases, in the order of the file; the last one has no text. */
extern const struct phrase phrases_decision[];
extern const struct phrase phrases_exclusion[];
extern const struct phrase phrases_general[];
extern const struct phrase phrases_importance[];
extern const struct phrase phrases_passing[];
extern const struct phrase phrases_past[];
extern const struct phrase phrases_possessive[];
extern const struct phrase phrases_question[];
extern const struct phrase phrases_recall[];
extern const struct phrase phrases_recalling[];
extern const struct phrase phrases_save[];
extern const struct phrase phrases_telling[];
extern const struct phrase phrases_uncertainty[];

#endif
