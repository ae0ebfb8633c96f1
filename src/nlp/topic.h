/*
 * What a message is about: its words without those that say little (data/phrases/common.txt).
 */
#ifndef KOTA_NLP_TOPIC_H
#define KOTA_NLP_TOPIC_H

#include "base/str.h"
#include "nlp/phrases.h"

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
