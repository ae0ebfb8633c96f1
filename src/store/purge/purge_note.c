/* What redact.h says of notes. */
#include "base/time.h"
#include "model/note.h"
#include "store/purge/redact.h"

/* The text behind the front matter and the title, line by line. */
static void tell_lines(const struct purge_key *key, struct slice text)
{
	static const char end[] = "\n---\n";
	const char *body = memmem(text.ptr, text.len, end, sizeof end - 1);

	struct slice line;

	if (!body)
		return;
	body += sizeof end - 1;
	text = slice_make(body, (size_t)(text.ptr + text.len - body));
	while (slice_line(&text, &line)) {
		if (line.len > 0 && !strchr("#`[]{}", line.ptr[0]))
			needles_add(key->values, line);
	}
}

enum purged purge_note_text(const struct purge_key *key, struct slice text, size_t *count)
{
	STR_AUTO ref = STR_INIT;

	if (!note_ref(text, &ref) || !purge_key_has_ref(key, str_slice(&ref)))
		return PURGED_NOT;
	/* It may outlive the name; commits are dated by the second. */
	if (key->earlier && key->ended &&
	    (key->until_ms == INT64_MIN || note_promoted(text) == TIME_NONE ||
	     note_promoted(text) > key->until_ms + 999))
		return PURGED_NOT;
	if (key->values)
		tell_lines(key, text);
	(*count)++;
	return PURGED_WHOLE;
}
