#include "model/secrets_internal.h"

#include <string.h>
#include <strings.h>

/* ---- characters */

static bool is_hex(char c)
{
	return secrets_is_digit(c) || (c >= 'a' && c <= 'f');
}

bool secrets_is_in(enum char_class class, char c)
{
	switch (class) {
	case UPPER_DIGIT:
		return secrets_is_digit(c) || secrets_is_upper(c);
	case HEX:
		return is_hex(c);
	case ALNUM:
		return secrets_is_alnum(c);
	case ALNUM_LINE:
		return secrets_is_alnum(c) || c == '_';
	case ALNUM_DASH:
		return secrets_is_alnum(c) || c == '-';
	case URL64:
		return secrets_is_alnum(c) || c == '_' || c == '-';
	case BASE64:
		return secrets_is_alnum(c) || c == '+' || c == '/';
	}
	return false;
}

size_t secrets_span(struct slice text, size_t at, enum char_class class)
{
	size_t end = at;

	while (end < text.len && secrets_is_in(class, text.ptr[end]))
		end++;
	return end - at;
}

struct slice secrets_part(struct slice text, size_t at, size_t len)
{
	return slice_make(text.ptr + at, len);
}

bool secrets_begins(struct slice text, size_t at, const char *prefix)
{
	size_t len = strlen(prefix);

	return at <= text.len && text.len - at >= len && memcmp(text.ptr + at, prefix, len) == 0;
}

size_t secrets_seek(struct slice text, size_t from, const char *needle)
{
	const char *at;

	if (from >= text.len)
		return text.len;
	at = memmem(text.ptr + from, text.len - from, needle, strlen(needle));
	return at ? (size_t)(at - text.ptr) : text.len;
}

bool secrets_has_word(struct slice text, const char *word)
{
	size_t len = strlen(word);

	for (size_t i = 0; i + len <= text.len; i++) {
		if (strncasecmp(text.ptr + i, word, len) == 0)
			return true;
	}
	return false;
}

/* Does a word begin at `at`? "%3A" and "\n", as encoded text has them, part words too. */
bool secrets_at_word(struct slice text, size_t at)
{
	const char *p = text.ptr + at;

	if (at == 0 || (!secrets_is_alnum(p[-1]) && p[-1] != '_'))
		return true;
	if (at >= 3 && p[-3] == '%')
		return true;
	return at >= 2 && p[-2] == '\\' && (p[-1] == 'n' || p[-1] == 'r' || p[-1] == 't');
}

/* ---- placeholders: what people write where a secret would stand */

/* The same again and again, or counting up: xxxxxx, 1234567. No random text of use looks so. */
static bool has_run(struct slice text)
{
	size_t same = 1;
	size_t rising = 1;

	for (size_t i = 1; i < text.len; i++) {
		same = text.ptr[i] == text.ptr[i - 1] ? same + 1 : 1;
		rising = text.ptr[i] == text.ptr[i - 1] + 1 ? rising + 1 : 1;
		if (same >= 6 || rising >= 7)
			return true;
	}
	return false;
}

/* Is it one short piece repeated: deadbeefdeadbeef? */
bool secrets_is_repeated(struct slice text)
{
	for (size_t piece = 1; piece <= 16 && piece * 2 <= text.len; piece++) {
		if (memcmp(text.ptr, text.ptr + piece, text.len - piece) == 0)
			return true;
	}
	return false;
}

/* Letters of one case and separators: this-is-the-name-of-something. */
static bool is_words(struct slice text)
{
	bool upper = false;
	bool lower = false;

	for (size_t i = 0; i < text.len; i++) {
		if (secrets_is_digit(text.ptr[i]))
			return false;
		upper |= secrets_is_upper(text.ptr[i]);
		lower |= secrets_is_lower(text.ptr[i]);
	}
	return !(upper && lower);
}

bool secrets_is_placeholder(struct slice text)
{
	static const char *const words[] = {"example",   "placeholder", "redacted",
					    "changeme",  "your-",       "your_",
					    "yourtoken", "yourkey",     "dummy"};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		if (secrets_has_word(text, words[i]))
			return true;
	}
	return has_run(text) || secrets_is_repeated(text);
}

bool secrets_is_random(struct slice body, enum char_class class)
{
	if (class != UPPER_DIGIT && is_words(body))
		return false;
	return !secrets_is_placeholder(body);
}
