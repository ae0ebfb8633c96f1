/*
 * The text of the note that is made of an entry: what promotion writes, and what undo and revert
 * compare a note with.
 */
#ifndef KOTA_OPS_NOTE_TEXT_H
#define KOTA_OPS_NOTE_TEXT_H

#include "model/entry.h"
#include "model/note.h"
#include "ops/common.h"

/* Appends the note; `known` gives the facts that the entry itself does not hold: times, score,
 * uses. */
void note_text_add(struct str *out, const struct entry *entry, const struct note_facts *known);

/*
 * If a note was made of the entry, updates it within the change: it gets the text that it has to
 * have once the entry is `text` (compact JSON) under `ref`. A note that a person changed is left,
 * and warning, which may be NULL, says so where it is empty.
 */
int note_text_follow(struct change *change, const struct item *item, struct slice ref,
		     struct slice text, struct str *warning, struct err *err);

#endif
