#include "text/normalize.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "text/characters.h"

#include <stdlib.h>
#include <utf8proc.h>

#define ZERO_WIDTH_SPACE 0x200B

/* Where a change of case begins a new word. */
enum split {
	SPLIT_NEVER,
	SPLIT_AFTER_LOWER, /* mainEditor */
	SPLIT_PARTS        /* also CAPath, SHA1In */
};

static bool normalize_is_separator(enum character_kind kind)
{
	return kind < CHARACTER_LOWER;
}

/* Puts single spaces between words while a text is written character by character. */
struct words_out {
	struct str *out;
	bool in_word;
	bool gap; /* a separator came after the last word */
};

static void normalize_words_put(struct words_out *w, uint32_t character)
{
	if (w->gap && w->out->len)
		str_addc(w->out, ' ');
	w->gap = false;
	w->in_word = true;
	if (character < 0x80)
		str_addc(w->out, (char)character);
	else
		utf8_add(w->out, character);
}

static void normalize_words_separate(struct words_out *w)
{
	w->gap = true;
	w->in_word = false;
}

/* One character of composed, folded text. */
static void normalize_words_character(struct words_out *w, uint32_t character)
{
	enum character_kind kind = character_kind(character);

	bool sign = character == '+' || character == '#';
	bool needs_word = kind == CHARACTER_MARK || (normalize_is_separator(kind) && sign);

	if ((normalize_is_separator(kind) && !sign) || (needs_word && !w->in_word))
		normalize_words_separate(w);
	else
		normalize_words_put(w, character);
}

static bool normalize_is_hangul(uint32_t character)
{
	return character >= 0xAC00 && character <= 0xD7A3;
}

static bool normalize_is_latin(uint32_t character)
{
	return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z');
}

/* True if an upper-case letter begins a word, given its neighbours. */
static bool normalize_begins_word(enum split split, bool after_lower, bool before_lower)
{
	return (split >= SPLIT_AFTER_LOWER && after_lower) ||
	       (split == SPLIT_PARTS && before_lower);
}

static bool normalize_is_lower_at(struct slice text, size_t at)
{
	return at < text.len && character_kind(utf8_next(text, &at)) == CHARACTER_LOWER;
}

/* The same as the long way for text that is ASCII, as most keys and queries are. */
static void normalize_ascii(struct slice text, enum split split, struct str *out)
{
	struct words_out w = {out, false, false};
	bool was_lower = false;

	str_reserve(out, text.len + text.len / 4);
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];
		bool upper = c >= 'A' && c <= 'Z';
		bool lower = c >= 'a' && c <= 'z';
		bool then_lower = i + 1 < text.len && text.ptr[i + 1] >= 'a' &&
				  text.ptr[i + 1] <= 'z';

		if (upper && normalize_begins_word(split, was_lower, then_lower))
			normalize_words_separate(&w);
		if (upper || lower || (c >= '0' && c <= '9'))
			normalize_words_put(&w, (uint32_t)(upper ? c - 'A' + 'a' : c));
		else if ((c == '+' || c == '#') && w.in_word)
			normalize_words_put(&w, (uint32_t)c);
		else
			normalize_words_separate(&w);
		was_lower = lower;
	}
}

/*
 * The text made fit for the Unicode tables: invalid bytes and zero width spaces become spaces,
 * default-ignorable characters and the rest of a long run of marks go, a space marks a change from
 * lower to upper case, and a Korean particle behind a word in Latin letters.
 */
static void normalize_prepare(struct slice text, enum split split, struct str *out)
{
	bool was_lower = false;
	uint32_t last = 0;
	size_t marks = 0;

	str_reserve(out, text.len + text.len / 4);
	for (size_t at = 0; at < text.len;) {
		uint32_t character = utf8_next(text, &at);
		enum character_kind kind = character_kind(character);

		if (character == ZERO_WIDTH_SPACE || character == 0)
			character = ' ';
		else if (utf8proc_get_property((utf8proc_int32_t)character)->ignorable)
			continue;
		marks = kind == CHARACTER_MARK ? marks + 1 : 0;
		if (marks > NORMALIZE_MARKS_MAX)
			continue;
		if (kind == CHARACTER_UPPER &&
		    normalize_begins_word(split, was_lower, normalize_is_lower_at(text, at)))
			str_addc(out, ' ');
		if (split >= SPLIT_AFTER_LOWER && normalize_is_hangul(character) &&
		    normalize_is_latin(last))
			str_addc(out, ' ');
		last = character;
		if (kind != CHARACTER_MARK)
			was_lower = kind == CHARACTER_LOWER;
		utf8_add(out, character);
	}
}

static void normalize_unicode(struct slice text, enum split split, struct str *out)
{
	const utf8proc_option_t options = UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT |
					  UTF8PROC_CASEFOLD;
	struct words_out w = {out, false, false};
	STR_AUTO fit = STR_INIT;
	utf8proc_uint8_t *folded = NULL;
	struct slice rest;

	normalize_prepare(text, split, &fit);
	rest.len = 0;
	rest.ptr = NULL;
	if (fit.len) {
		utf8proc_ssize_t len = utf8proc_map((const utf8proc_uint8_t *)fit.ptr,
						    (utf8proc_ssize_t)fit.len, &folded, options);
		if (len == UTF8PROC_ERROR_NOMEM)
			mem_exhausted();
		if (len > 0)
			rest = slice_make((const char *)folded, (size_t)len);
	}
	for (size_t at = 0; at < rest.len;)
		normalize_words_character(&w, utf8_next(rest, &at));
	free(folded);
}

/* True if a text has no byte beyond ASCII. */
static bool normalize_is_ascii(struct slice text)
{
	for (size_t i = 0; i < text.len; i++) {
		if ((unsigned char)text.ptr[i] >= 0x80)
			return false;
	}
	return true;
}

static void normalize_normalize(struct slice text, enum split split, struct str *out)
{
	str_clear(out);
	if (normalize_is_ascii(text))
		normalize_ascii(text, split, out);
	else
		normalize_unicode(text, split, out);
}

void normalize_identity(struct slice text, struct str *out)
{
	normalize_normalize(text, SPLIT_NEVER, out);
}

void normalize_key(struct slice key, struct str *out)
{
	normalize_normalize(key, SPLIT_NEVER, out);
	if (!out->len)
		str_add(out, key);
}

void normalize_words(struct slice text, struct str *out)
{
	normalize_normalize(text, SPLIT_AFTER_LOWER, out);
}

void normalize_parts(struct slice text, struct str *out)
{
	normalize_normalize(text, SPLIT_PARTS, out);
}

/* Letters that Unicode does not take apart into a base letter and a mark. */
static const char *normalize_plain_letters(uint32_t character)
{
	static const struct {
		uint32_t character;
		const char *plain;
	} letters[] = {
		{0x00E6, "ae"}, {0x00F0, "d"}, {0x00F8, "o"}, {0x00FE, "th"}, {0x0111, "d"},
		{0x0127, "h"},  {0x0131, "i"}, {0x0142, "l"}, {0x0153, "oe"}, {0x0167, "t"},
	};

	for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++) {
		if (letters[i].character == character)
			return letters[i].plain;
	}
	return NULL;
}

/* Marks of Latin, Greek, Cyrillic, Hebrew and Arabic, which a hurried writer leaves out. */
static bool normalize_is_ornament(uint32_t character)
{
	return (character >= 0x0300 && character <= 0x036F) ||
	       (character >= 0x0591 && character <= 0x05C7) ||
	       (character >= 0x064B && character <= 0x065F) || character == 0x0670;
}

/* The letter under the marks: the character itself where it has none that may be left out. */
static uint32_t normalize_base_letter(uint32_t character)
{
	utf8proc_int32_t parts[8];
	int last_class = 0;

	if (character < 0x80)
		return character;
	utf8proc_ssize_t count = utf8proc_decompose_char((utf8proc_int32_t)character, parts, 8,
							 UTF8PROC_DECOMPOSE, &last_class);
	if (count < 2 || count > 8 || !normalize_is_ornament((uint32_t)parts[1]))
		return character;
	return (uint32_t)parts[0];
}

static bool normalize_is_umlaut(uint32_t character)
{
	return character == 0x00E4 || character == 0x00F6 || character == 0x00FC;
}

size_t normalize_fold(struct slice normal, bool umlauts_as_e, struct str *out)
{
	size_t changed = 0;

	str_clear(out);
	for (size_t at = 0; at < normal.len;) {
		size_t ascii = at;

		while (at < normal.len && (unsigned char)normal.ptr[at] < 0x80)
			at++;
		str_add(out, slice_make(normal.ptr + ascii, at - ascii));
		if (at == normal.len)
			break;
		uint32_t character = utf8_next(normal, &at);
		uint32_t base = normalize_base_letter(character);
		const char *plain = normalize_plain_letters(character);
		if (plain)
			str_adds(out, plain);
		else if (!normalize_is_ornament(character))
			utf8_add(out, base);
		if (umlauts_as_e && normalize_is_umlaut(character))
			str_addc(out, 'e');
		changed += plain != NULL || base != character || normalize_is_ornament(character);
	}
	return changed;
}

bool normalize_compose(struct slice text, struct str *out)
{
	const utf8proc_option_t options = UTF8PROC_STABLE | UTF8PROC_COMPOSE;
	utf8proc_uint8_t *composed = NULL;
	STR_AUTO fit = STR_INIT;
	utf8proc_ssize_t len;
	size_t marks = 0;

	if (normalize_is_ascii(text))
		return false;
	for (size_t at = 0; at < text.len;) {
		uint32_t character = utf8_next(text, &at);

		marks = character_kind(character) == CHARACTER_MARK ? marks + 1 : 0;
		if (marks <= NORMALIZE_MARKS_MAX)
			utf8_add(&fit, character ? character : ' ');
	}
	len = utf8proc_map((const utf8proc_uint8_t *)fit.ptr, (utf8proc_ssize_t)fit.len, &composed,
			   options);
	if (len == UTF8PROC_ERROR_NOMEM)
		mem_exhausted();
	if (len < 0)
		return false;
	str_clear(out);
	str_add(out, slice_make((const char *)composed, (size_t)len));
	free(composed);
	return true;
}

const char *normalize_library(void)
{
	return utf8proc_version();
}
