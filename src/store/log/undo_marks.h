/*
 * Lines of the cold archive that were taken back.
 *
 * A cold file is only ever appended to. What takes a line back is another line of the same file,
 * {"void":LINE} with the whole line in it; the line itself, appended once more, makes it stand
 * again. So of the two the later one counts, and what was taken back is still there to be read.
 * For cold.c and for who takes a change back. Pure functions over texts.
 */
#ifndef KOTA_STORE_LOG_UNDO_MARKS_H
#define KOTA_STORE_LOG_UNDO_MARKS_H

#include "base/str.h"

#include <stdbool.h>

/* True if the line takes another one back. */
bool undo_mark_is(struct slice line);

/* The line that a mark takes back: a part of the mark. */
struct slice undo_mark_line(struct slice mark);

/* Appends what takes the line back: {"void":LINE}, or the LINE in one. Without a newline. */
void undo_mark_opposite(struct str *out, struct slice line);

/* Which of the two comes last in some lines: 1 for the line, -1 for its opposite, 0 for neither. */
int undo_mark_last(struct slice text, struct slice line);

/* True if any line of the text takes another one back. */
bool undo_mark_any(struct slice text);

#endif
