/*
 * Decides whether a message is worth saving, or asks for something that was saved.
 *
 * Pure. Signals are found with the lists of data/words, and each adds its weight. The confidence is
 * the logistic function of their sum less 2. Phrases match anywhere in the message, in either case,
 * some only as whole words:
 *
 *	save    save phrase +5 · importance +2, +3 when it is a strong one (whole words) · exclusion
 *		-5, not beside a save phrase · uncertainty -3 · decision +4
 *	recall  recall phrase +4 · past +2 · begins like a question +1.5 · possessive +2 ·
 *		exclusion -4
 *	both    0.8 for each entity, at most 3.2
 *
 * For entities see nlp/entities.h, for the last three signals nlp/forms.h.
 */
#ifndef KOTA_NLP_INTENT_H
#define KOTA_NLP_INTENT_H

#include "base/str.h"
#include "text/dictionary.h"

#include <stdbool.h>
#include <stddef.h>

enum analyze_intent { ANALYZE_SAVE, ANALYZE_RECALL };

/* id, name, its meaning in words; in the order of output */
#define ANALYZE_SIGNALS(X)                                                                         \
	X(SAVE_PHRASE, "save_phrase", "asks to be remembered")                                     \
	X(RECALL_PHRASE, "recall_phrase", "asks for what was told before")                         \
	X(IMPORTANCE, "importance", "says that it matters")                                        \
	X(PAST, "past", "speaks of what was said")                                                 \
	X(QUESTION, "question", "begins like a question")                                          \
	X(POSSESSIVE, "possessive", "is about somebody's own")                                     \
	X(EXCLUSION, "exclusion", "asks about something general")                                  \
	X(UNCERTAINTY, "uncertainty", "is not certain yet")                                        \
	X(ENTITIES, "entities", "names")                                                           \
	X(DECISION, "decision", "tells a choice")                                                  \
	X(FORM, "form", "is put like that")                                                        \
	X(KNOWN, "known", "speaks of what is stored")                                              \
	X(PASSING, "passing", "is about the moment")

enum analyze_signal {
#define X(id, name, meaning) ANALYZE_##id,
	ANALYZE_SIGNALS(X)
#undef X
		ANALYZE_SIGNAL_COUNT
};

/* From these confidences on, the client acts by itself, or asks first. */
#define ANALYZE_AUTO 0.7
#define ANALYZE_ASK 0.4

enum analyze_decision {
	ANALYZE_DECIDES_SKIP,
	ANALYZE_DECIDES_ASK,
	ANALYZE_DECIDES_AUTO,
	ANALYZE_DECISION_COUNT
};

struct analysis {
	double weight[ANALYZE_SIGNAL_COUNT]; /* 0: absent */
	/* The phrase that was found, or NULL; static storage. */
	const struct phrase *found[ANALYZE_SIGNAL_COUNT];
	bool question; /* ends in a question mark, or begins with a question word */
	double confidence;
	enum analyze_decision decision; /* to save: never auto for a question */
	/* To save: the phrase that says what kind of memory it is, or NULL. */
	const struct phrase *kind;
};

/* Analyses a message; entities is the number of names in it. */
void analyze_message(struct slice message, enum analyze_intent intent, size_t entities,
		     struct analysis *out);

/* Sets the confidence and the decision that follow from the sum of all signals. */
void analyze_conclude(struct analysis *analysis, enum analyze_intent intent, double sum);

/* The names of the signals, and their meanings in words. */
extern const char *const analyze_signal_names[ANALYZE_SIGNAL_COUNT];
extern const char *const analyze_signal_meanings[ANALYZE_SIGNAL_COUNT];

/* "skip", "ask", "auto". */
extern const char *const analyze_decision_names[ANALYZE_DECISION_COUNT];

/* 1 / (1 + e^-x), for any x. */
double analyze_logistic(double x);

/*
 * The strength to suggest, 1 to 2. It grows with the length of the message in characters, with the
 * number of names, and if the message says that it is important.
 */
double analyze_strength(size_t length, size_t entities, bool important, bool question);

/* The same, computed from the text. */
double analyze_text_strength(struct slice text, size_t entities);

/*
 * The topic of a message: its words without the common ones (data/words/common.txt).
 */

/*
 * Writes a key for the message: the word of its kind ("preference") and up to four of its words, in
 * lower case, joined by "_". kind is the phrase that was found (nlp/intent.h) or NULL. *out is
 * cleared first; it stays empty if the message has only common words.
 */
void topic_key(struct slice message, const struct phrase *kind, struct str *out);

/*
 * Writes the words to search for: up to twelve, spelt as in the message, joined by blanks. *out is
 * cleared first; it stays empty if the message has only common words.
 */
void topic_query(struct slice message, struct str *out);

#endif
