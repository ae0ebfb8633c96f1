/*
 * Values as they are compared for saying the same. For src/tools/doubles*.c only.
 */
#ifndef KOTA_OPS_MAINTAIN_DUPLICATES_INTERNAL_H
#define KOTA_OPS_MAINTAIN_DUPLICATES_INTERNAL_H

#include "base/arena.h"
#include "base/str.h"
#include "store/open/store.h"

struct doubles_text {
	struct slice words;    /* for the likeness of words */
	struct slice text;     /* decoded; absent when the value is no string */
	struct slice identity; /* equal where values are the same but for their looks */
	struct slice symbols;  /* what normal forms drop and makes a difference */
	size_t characters;     /* without what is mere looks */
	size_t word_count;
};

/* What is made lives in the arena. */
void doubles_text_read(struct doubles_text *out, const struct item *item, struct arena *arena);

/* May one stand for the other, nothing that is said being different? */
bool doubles_same(const struct doubles_text *a, const struct doubles_text *b);

/* Do they contradict each other? Then *why (appended) says what differs. */
bool doubles_conflict(const struct doubles_text *a, const struct doubles_text *b, struct str *why);

#endif
