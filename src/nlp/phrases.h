/*
 * The lists of data/phrases, compiled in.
 *
 * Each file is an array of its name, which ends with a phrase whose text is NULL; what the lists
 * are for stands in the files themselves. Constant, static storage; the source is made by
 * src/nlp/phrases.awk. Texts are in lower case.
 */
#ifndef KOTA_NLP_PHRASES_H
#define KOTA_NLP_PHRASES_H

struct phrase {
	const char *text;
	const char *note; /* what stood behind "=", or NULL */
};

/* What a message holds: see nlp/intent.h. */
extern const struct phrase phrases_save[];
extern const struct phrase phrases_recall[];
extern const struct phrase phrases_importance[];
extern const struct phrase phrases_exclusion[];
extern const struct phrase phrases_uncertainty[];
extern const struct phrase phrases_decision[];
extern const struct phrase phrases_past[];
extern const struct phrase phrases_question[];
extern const struct phrase phrases_possessive[];

/* Single words: see nlp/entities.h and nlp/topic.h. */
extern const struct phrase phrases_common[];
extern const struct phrase phrases_names[];
extern const struct phrase phrases_objects[];
extern const struct phrase phrases_starters[];

#endif
