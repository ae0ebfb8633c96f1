/*
 * The five categories, in their order, and refs: `category:key`, the identity of an entry.
 *
 * This folder holds pure functions over values: no files, no clock, no settings of its own.
 */
#ifndef KOTA_MODEL_CATEGORY_H
#define KOTA_MODEL_CATEGORY_H

#include "base/slice.h"
#include "base/str.h"

/* id, name; always in this order. */
#define CATEGORIES(X)                                                                              \
	X(PREFERENCES, "preferences")                                                              \
	X(CONNECTIONS, "connections")                                                              \
	X(PATTERNS, "patterns")                                                                    \
	X(SHORTCUTS, "shortcuts")                                                                  \
	X(STATE, "state")

enum category {
#define X(id, name) CATEGORY_##id,
	CATEGORIES(X)
#undef X
		CATEGORY_COUNT
};

/* No category given. */
#define CATEGORY_ANY (-1)

/* The name; static storage. */
const char *category_name(enum category category);

/* All names in order, ended by NULL. */
extern const char *const category_names[CATEGORY_COUNT + 1];

/* Index of the category of this name, in letters of either case as keys are; or CATEGORY_ANY. */
int category_find(struct slice name);

/*
 * The category of a key when none is given, by the words in it; CATEGORY_STATE when none fits.
 * The key must come in its identity form (text/normalize.h).
 */
enum category category_infer(struct slice identity);

/* A ref taken apart: category is CATEGORY_ANY when the text had no category prefix. */
struct ref {
	int category;
	struct slice key; /* points into the text */
};

/*
 * Splits `category:key`; as in keys, the case of the category does not matter. A prefix that is no
 * category is part of the key; blanks around the key are cut. Never fails; the key may be empty.
 */
struct ref ref_parse(struct slice text);

/* Appends `category:key`. */
void ref_add(struct str *out, enum category category, struct slice key);

#endif
