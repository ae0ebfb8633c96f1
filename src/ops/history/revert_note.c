/* Putting back without a history what an entry was promoted to. */
#include "ops/history/revert_common.h"
#include "ops/note_text.h"

#include "store/txn/undo.h"

#include <stdlib.h>

#define FOLDER "notes/"

/* A number in the front matter of a note, in a line of its own; 0 where there is none. */
static double number_in(const struct str *text, const char *line)
{
	const char *at = strstr(text->ptr, line);

	return at ? strtod(at + strlen(line), NULL) : 0;
}

/* What was written of the entry then; how often it was used by then only the note still knows. */
static void compose(struct str *out, const struct record *record, const struct str *now)
{
	note_text_add(out, &record->entry,
		      &(struct note_facts){
			      .created_ms = record->entry.created_ms,
			      .updated_ms = record->entry.updated_ms,
			      .promoted_ms = record->archived_ms,
			      .score = number_in(now, "\nscore: "),
			      .uses = (int64_t)number_in(now, "\nuses: "),
		      });
}

int putback_note_kept(struct putback *put, const struct record *record, struct slice after,
		      struct err *err)
{
	struct slice path = putback_promoted_to(after, put->call->arena);
	struct slice file = {0};
	STR_AUTO made = STR_INIT;
	STR_AUTO now = STR_INIT;
	bool stays = true;

	if (path.len > sizeof FOLDER - 1 && memcmp(path.ptr, FOLDER, sizeof FOLDER - 1) == 0)
		file = slice_make(path.ptr + sizeof FOLDER - 1, path.len - (sizeof FOLDER - 1));
	if (file.len > 0 && !memchr(file.ptr, '/', file.len) &&
	    takeback_note_text(put->change, file, &now)) {
		compose(&made, record, &now);
		if (takeback_note(put->change, file, slice_make(NULL, 0), str_slice(&made), &stays,
				  err) != 0)
			return -1;
	}
	if (stays)
		putback_note_stays(put, record->entry.text, after);
	return 0;
}
