/*
 * Sentence forms: does a message tell something that is meant to last, or lean on what was told
 * before, by the way it is put?
 *
 * Pure. The forms stand in data/words, telling.txt for one. A form is a row of words, each of which
 * fits the words of the message in order, anywhere in it:
 *
 *	word     the word itself, in letters of either case
 *	a|b      one of them
 *	a|b?     the same, or nothing
 *	*        up to four words
 *	+        one to five
 *	, :      the mark
 *	^ $      the beginning of the message, behind "please" and the like; its end
 *	<name>   a word that begins with a capital, no day and no month; 's behind it counts apart
 *	<day>    a day of the week; <days>: the plural; <month>: a month
 *	<num>    what holds a digit, or a number in words
 *	<verb>   what ends like the third person; <ing>: like a gerund
 *	<tongue> a language; <calling>: data/words/callings.txt; <quote>: a quotation mark
 */
#ifndef KOTA_NLP_FORMS_H
#define KOTA_NLP_FORMS_H

#include "nlp/intent.h"

/* Weights of what is found here, beside those of nlp/intent.h. */
#define FORMS_WEIGHT 2.5
#define FORMS_PASSING_WEIGHT (-3.0)

struct forms_finding {
	const struct phrase *form; /* NULL: none */
	int category;              /* of what is told; CATEGORY_ANY where the form does not say */
	bool passing;              /* it is about what is being looked at or done */
	bool general;              /* it asks about the world or the craft */
	bool question;             /* it ends like one, or begins as one does */
	bool own;                  /* it speaks of what is mine or ours */
};

/* Finds the first form that a message has, of those that tell something or of those that ask. */
void forms_find(struct slice message, enum analyze_intent intent, struct forms_finding *out);

/*
 * Adds what was found to what analyze_message() said: the signals FORM, KNOWN and PASSING, with the
 * confidence and the decision that follow. known says that the message names, or asks for, what the
 * store has. Never more than "ask", and nothing is taken back from a message that asks in so many
 * words to be kept or looked up.
 */
void forms_add(const struct forms_finding *finding, bool known, enum analyze_intent intent,
	       struct analysis *analysis);

#endif
