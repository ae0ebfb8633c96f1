/*
 * A promoted entry as a Markdown note: what its file is called, and what stands in it.
 *
 * Pure. The folder and the writing are the store's business.
 */
#ifndef KOTA_MODEL_NOTE_H
#define KOTA_MODEL_NOTE_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

/* Bytes of the longest name, before what makes it one of a kind. */
#define NOTE_STEM_MAX 125

struct note_facts {
	struct slice ref;   /* category:key */
	struct slice key;   /* the title */
	struct slice value; /* JSON text; likewise below, absent when not given */
	struct slice tags;
	struct slice entities;
	int64_t created_ms; /* TIME_NONE is left out; likewise below */
	int64_t updated_ms;
	int64_t promoted_ms;
	double score;
	int64_t uses;
};

/*
 * Appends the file name of a note about this key, without "-2" and ".md": the key in its own
 * script, without what a file system, a shell or a link in a note gives a meaning to; "note" where
 * nothing is left.
 */
void note_stem(struct str *out, struct slice key);

/*
 * Appends the note: front matter (YAML that is JSON where it has quotes), the title, and the value:
 * a text as it is, what has parts as a block of JSON.
 */
void note_compose(struct str *out, const struct note_facts *facts);

/*
 * The note for a changed entry: `text` with what note_compose() made of the old facts replaced by
 * what it makes of the new ones, appended. Returns false and appends nothing if a person has
 * changed the title or the value. What a person has changed in the front matter stays.
 */
bool note_rewrite(struct slice text, const struct note_facts *old, const struct note_facts *now,
		  struct str *out);

/*
 * The ref that the front matter of a note names, in *out (cleared first); false where it names
 * none.
 */
bool note_ref(struct slice text, struct str *out);

/* When, by its front matter, the note was made; TIME_NONE where that says nothing. */
int64_t note_promoted(struct slice text);

/* True if the text is a note that note_compose() made of the entry of this ref. */
bool note_is_of(struct slice text, struct slice ref);

#endif
