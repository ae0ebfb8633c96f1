/*
 * Sentence forms: does the wording of a message state a lasting fact, or refer to one that was
 * stated before?
 *
 * Pure. The forms are in data/words, for example telling.txt. A form is a sequence of words that
 * match consecutive words of the message, anywhere in it:
 *
 *	word     the word itself, in either case
 *	a|b      one of them
 *	a|b?     the same, or nothing
 *	*        up to four words
 *	+        one to five words
 *	, :      the mark
 *	^ $      the beginning of the message, after "please" and the like; its end
 *	<name>   a capitalised word except days and months; a following 's is a word of its own
 *	<day>    a day of the week; <days>: the plural; <month>: a month
 *	<num>    a word with a digit, or a number in words
 *	<verb>   a word that ends like the third person; <ing>: like a gerund
 *	<tongue> a language; <calling>: data/words/callings.txt; <quote>: a quotation mark
 */
#ifndef KOTA_NLP_FORMS_H
#define KOTA_NLP_FORMS_H

#include "nlp/intent.h"

/* Weights of these signals, in addition to those of nlp/intent.h. */
#define FORMS_WEIGHT 2.5
#define FORMS_PASSING_WEIGHT (-3.0)

struct forms_finding {
	const struct phrase *form; /* NULL: none */
	int category;              /* of the fact; CATEGORY_ANY if the form implies none */
	bool passing;              /* about the task at hand */
	bool general;              /* a question about the world or the trade */
	bool question;             /* begins or ends like a question */
	bool own;                  /* about something that is mine or ours */
};

/* Finds the first form that matches: a statement to save, or a question to recall. */
void forms_find(struct slice message, enum analyze_intent intent, struct forms_finding *out);

/*
 * Adds the finding to the result of analyze_message(): the signals FORM, KNOWN and PASSING, and the
 * confidence and decision that follow. known: the message names or asks for something in the store.
 * These signals alone decide no more than "ask". They lower nothing if the message literally asks
 * to be remembered or looked up.
 */
void forms_add(const struct forms_finding *finding, bool known, enum analyze_intent intent,
	       struct analysis *analysis);

#endif
