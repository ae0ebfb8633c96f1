/*
 * The text of the note that is made of an entry: what promotion writes, and what undo and revert
 * compare a note with.
 */
#ifndef KOTA_OPS_NOTE_TEXT_H
#define KOTA_OPS_NOTE_TEXT_H

#include "model/entry.h"
#include "model/note.h"

/* Appends the note; `known` gives the facts that the entry itself does not hold: times, score,
 * uses. */
void note_text_add(struct str *out, const struct entry *entry, const struct note_facts *known);

#endif
