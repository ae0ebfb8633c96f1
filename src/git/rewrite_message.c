#include "git/rewrite_internal.h"

#include <ctype.h>

static size_t hex_run(struct slice text)
{
	size_t len = 0;

	while (len < text.len && isxdigit((unsigned char)text.ptr[len]))
		len++;
	return len;
}

/* Appends one word of digits: a commit that has another id now is called by that. */
static bool add_word(const struct rewriting *rewriting, struct slice word, struct str *out)
{
	char digits[OBJECT_ID_DIGITS + 1];
	struct object_id id;
	size_t at;

	if (!object_id_parse(word, &id) ||
	    !map_get(&rewriting->commits, slice_make((char *)id.bytes, sizeof id.bytes), &at)) {
		str_add(out, word);
		return false;
	}
	object_id_text(&rewriting->fates[at].id, digits);
	str_adds(out, digits);
	return true;
}

bool rewriting_message(const struct rewriting *rewriting, struct slice before, struct str *out)
{
	const struct rewriter *rewriter = rewriting->rewriter;
	STR_AUTO said = STR_INIT;
	bool changed = rewriter->message(rewriter->context, before, &said) != REWRITTEN_NOT;
	struct slice rest = changed ? str_slice(&said) : before;

	while (rest.len > 0) {
		size_t len = hex_run(rest);

		if (len > 0)
			changed = add_word(rewriting, slice_make(rest.ptr, len), out) || changed;
		else
			str_addc(out, rest.ptr[len++]);
		rest = slice_make(rest.ptr + len, rest.len - len);
	}
	return changed;
}
