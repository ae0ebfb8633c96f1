/*
 * Which words of a question say what is asked for, and how much two words resemble each other.
 */
#ifndef KOTA_TEXT_WORDS_H
#define KOTA_TEXT_WORDS_H

#include "text/dictionary.h"
#include "text/tokens.h"

/* Longest word of the dictionary, in bytes. */
#define WORDS_LISTED_MAX 48

/* The word as the dictionary has it, in the buffer; empty where it is too long for that. */
struct slice words_spelt_at(const struct text *text, uint32_t word, char buffer[WORDS_LISTED_MAX]);

/* How rare the word is in English, in any form, or as a name, as far as the lists know. */
enum dictionary_rarity words_rarity_at(const struct text *text, uint32_t word);

/* True if this word of a text is in a list of the dictionary. */
bool words_is_listed_at(const struct text *text, uint32_t word, enum word_list list);

/* The kind of question that this word asks, its line in the list of hints; 0 for none. */
uint32_t words_kind_at(const struct text *text, uint32_t word);

/*
 * The words of a question that carry no subject, a bit for each of its first WORDS_KINDS_MAX words.
 * Function words of other languages than English count where the question has two of that language.
 */
#define WORDS_KINDS_MAX 64
struct words_kinds {
	uint64_t function; /* articles, pronouns, question words and the like */
	uint64_t light;    /* verbs and nouns that say no more than those */
	uint64_t labels;   /* what a number is the number of: "issue 12" */
	bool foreign;      /* it has two function words of one other language than English */
};
struct words_kinds words_kinds_of(const struct text *text);

/* The words that ask for a measure or a kind of answer: "how long", "what time". */
uint64_t words_measures(const struct text *text);

/* Those of the content of a question that begins with this word of it. */
uint64_t words_measures_from(const struct text *question, uint32_t begin);

/* True for a verb like "use", in a form that may be wrong: "useing", "prefered". */
bool words_is_light_form(const struct text *text, uint32_t word);

/*
 * True if it is an edit away (two, from six letters on) from an English function word or a verb
 * like "use". Slow: compares some hundred words.
 */
bool words_is_nearly_light(const struct text *text, uint32_t word);

/*
 * The words of a query that need not be found, of the first WORDS_KINDS_MAX: those without a
 * subject, unless no other is left; then its function words, unless they are all there is. Verbs
 * like "work" are such words in sentences: where there is a function word, or was one before what
 * the text is of the question. measures is what words_measures_from() says of that question.
 */
uint64_t words_without_subject(const struct text *text, bool of_question, uint64_t measures);

/*
 * A question without the question words and courtesies that it begins and ends with; all of it
 * when nothing would be left. Returns how many words it begins with were left out.
 */
uint32_t words_content(struct arena *arena, const struct text *question, struct text *out);

/* A prefix counts this much, from three characters on. */
#define WORDS_PREFIX 0.9

/* Words less alike than this do not resemble each other. */
#define WORDS_ALIKE_PERCENT 66
#define WORDS_ALIKE (WORDS_ALIKE_PERCENT / 100.0)

struct words_likeness {
	double likeness; /* 1 equal, WORDS_PREFIX for a beginning, else similarity; 0 below the
			    limit */
	bool near; /* so close that it stands for a misspelling: an edit for four characters */
};

/*
 * How much a word of a query resembles another one. Words with digits are not to be asked: they
 * only equal themselves.
 */
struct words_likeness words_compare(const uint32_t *query, uint32_t query_len, const uint32_t *word,
				    uint32_t len);

#endif
