#include "secrets/withhold.h"

#include <string.h>

/* Most bytes that stay of a word that was cut. */
#define CUT_WORD_MAX 16

void withhold_add_mark(struct str *out, const struct secret *secret)
{
	str_printf(out, "[withheld: %s]", secret->rule);
}

static void withhold_add_part(struct str *out, struct slice part)
{
	struct secret secret;

	if (part.len > 0 && secrets_find(part, &secret))
		withhold_add_mark(out, &secret);
	else
		str_add(out, part);
}

static void withhold_add_words(struct str *out, struct slice text)
{
	static const char blanks[] = {' ', '\t', '\n', '"'};
	size_t start = 0;

	for (size_t at = 0; at <= text.len; at++) {
		struct slice word = slice_make(text.ptr + start, at - start);
		size_t len = word.len;

		if (at < text.len && !memchr(blanks, text.ptr[at], sizeof blanks))
			continue;
		/* Without the punctuation of the sentence around it. */
		while (len > 0 && strchr(":;,.)", word.ptr[len - 1]))
			len--;
		withhold_add_part(out, slice_make(word.ptr, len));
		str_add(out, slice_make(word.ptr + len, word.len - len));
		if (at < text.len)
			str_addc(out, text.ptr[at]);
		start = at + 1;
	}
}

/* What stands between one quote and the next: a secret may be more than one word. */
static void withhold_add_quoted(struct str *out, struct slice text)
{
	bool inside = false;
	size_t start = 0;

	for (size_t at = 0; at <= text.len; at++) {
		struct slice part = slice_make(text.ptr + start, at - start);

		if (at < text.len && text.ptr[at] != '"')
			continue;
		if (inside && at < text.len)
			withhold_add_part(out, part);
		else
			str_add(out, part);
		if (at < text.len)
			str_addc(out, '"');
		inside = !inside;
		start = at + 1;
	}
}

/* Letters, digits and what tokens have between them, but not what parts a path or a ref. */
static bool withhold_is_of_word(char c)
{
	return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_' ||
	       c == '-' || c == '+' || c == '.';
}

/* Where the next "..." stands at `from` or later, or the end. */
static size_t withhold_seek_cut(struct slice sentence, size_t from)
{
	const char *found = from < sentence.len
				    ? memmem(sentence.ptr + from, sentence.len - from, "...", 3)
				    : NULL;

	return found ? (size_t)(found - sentence.ptr) : sentence.len;
}

/* Adds the sentence with its cut words made shorter; says whether there were any. */
static bool withhold_shorten(struct str *out, struct slice sentence)
{
	size_t added = 0;
	bool any = false;

	for (size_t at = withhold_seek_cut(sentence, 0); at < sentence.len;
	     at = withhold_seek_cut(sentence, at + 3)) {
		size_t start = at;

		while (start > added && withhold_is_of_word(sentence.ptr[start - 1]))
			start--;
		if (at - start <= CUT_WORD_MAX)
			continue;
		str_add(out, slice_make(sentence.ptr + added, start + CUT_WORD_MAX - added));
		added = at;
		any = true;
	}
	str_add(out, slice_make(sentence.ptr + added, sentence.len - added));
	return any;
}

struct slice withhold(struct str *scratch, struct slice sentence)
{
	STR_AUTO shorter = STR_INIT;
	bool is_cut = withhold_shorten(&shorter, sentence);
	STR_AUTO words = STR_INIT;
	struct secret secret;

	str_clear(scratch);
	if (secrets_find(sentence, &secret)) {
		withhold_add_words(&words, str_slice(&shorter));
		withhold_add_quoted(scratch, str_slice(&words));
		/* Of a rule that only warns, a sentence of our own may look like a case. */
		if (secrets_find(str_slice(scratch), &secret) && secret.refuses) {
			str_clear(scratch);
			withhold_add_mark(scratch, &secret);
		}
	} else if (is_cut) {
		str_add(scratch, str_slice(&shorter));
	} else {
		return sentence;
	}
	return str_slice(scratch);
}
