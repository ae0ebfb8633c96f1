/*
 * Tells whether a message is worth keeping, or asks for something that was kept.
 *
 * Pure: signals are looked for by the lists of data/words, each adds its weight, and the
 * confidence is the logistic function of their sum less 2. Phrases are found anywhere in the
 * message, in letters of either case; where it matters, as whole words only:
 *
 *	save    save phrase +5 · importance +2, +3 when it is a strong one (whole words) · exclusion
 *		-5, not beside a save phrase · uncertainty -3 · decision +4
 *	recall  recall phrase +4 · past +2 · begins like a question +1.5 · possessive +2 ·
 *		exclusion -4
 *	both    0.8 for each entity, at most 3.2
 *
 * How entities are found is no business of this file: nlp/entities.h. Nor are the last three
 * signals: nlp/forms.h.
 */
#ifndef KOTA_NLP_INTENT_H
#define KOTA_NLP_INTENT_H

#include "base/str.h"
#include "text/dictionary.h"

#include <stdbool.h>
#include <stddef.h>

enum analyze_intent { ANALYZE_SAVE, ANALYZE_RECALL };

/* id, name, what it means to a person; in the order in which they are told */
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

/* From these confidences on the client acts by itself, or asks first. */
#define ANALYZE_AUTO 0.7
#define ANALYZE_ASK 0.4

enum analyze_decision { ANALYZE_DECIDES_SKIP, ANALYZE_DECIDES_ASK, ANALYZE_DECIDES_AUTO };

struct analysis {
	double weight[ANALYZE_SIGNAL_COUNT]; /* 0: not there */
	/* What of a list was found, or NULL; static storage. */
	const struct phrase *found[ANALYZE_SIGNAL_COUNT];
	bool question; /* ends in a question mark, or begins with a question word */
	double confidence;
	enum analyze_decision decision; /* to keep something, never auto for a question */
	/* To keep: the phrase that tells what kind of memory it is, or NULL. */
	const struct phrase *kind;
};

/* Analyses a message in which so many entities were found. */
void analyze_message(struct slice message, enum analyze_intent intent, size_t entities,
		     struct analysis *out);

/* Sets the confidence and the decision that follow from the sum of all signals. */
void analyze_conclude(struct analysis *analysis, enum analyze_intent intent, double sum);

/* The names of signals, and what they mean to a person; static storage. */
const char *analyze_signal_name(enum analyze_signal signal);
const char *analyze_signal_meaning(enum analyze_signal signal);

/* "skip", "ask", "auto". */
const char *analyze_decision_name(enum analyze_decision decision);

/* 1 / (1 + e^-x), for any x. */
double analyze_logistic(double x);

/*
 * The strength to suggest, 1 to 2: the more, the longer the message (in characters), the more it
 * names, and when it says that it matters.
 */
double analyze_strength(size_t length, size_t entities, bool important, bool question);

/* The same for a text as it is. */
double analyze_text_strength(struct slice text, size_t entities);

/*
 * What a message is about: its words without those that say little (data/words/common.txt).
 */
/*
 * A key for what the message tells: the word of its kind ("preference") and up to four words of
 * it, small and joined by "_". kind is the phrase that tells it (nlp/intent.h) or NULL. *out is
 * cleared first; it is empty when the message is about nothing.
 */
void topic_key(struct slice message, const struct phrase *kind, struct str *out);

/*
 * The words to search for, up to twelve, spelt as in the message and joined by blanks. *out is
 * cleared first; it is empty when the message is about nothing.
 */
void topic_query(struct slice message, struct str *out);

#endif
