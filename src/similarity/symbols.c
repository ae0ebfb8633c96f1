#include "similarity/symbols.h"

#include "base/str.h"
#include "base/utf8.h"

#include <utf8proc.h>

/* Words of letters and digits of this length on are codes, in which capitals count. */
#define CODE_LEN 6

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_alnum(char c)
{
	return is_digit(c) || is_letter(c);
}

static bool digit_at(struct slice text, size_t at)
{
	return at < text.len && is_digit(text.ptr[at]);
}

static bool alnum_at(struct slice text, size_t at)
{
	return at < text.len && is_alnum(text.ptr[at]);
}

/* Adds a word of ASCII letters and digits where it has digits; returns the byte behind it. */
static size_t add_number(struct slice text, size_t at, struct str *out)
{
	size_t end = at;
	bool digits = false;
	bool letters = false;

	for (; alnum_at(text, end); end++) {
		digits = digits || is_digit(text.ptr[end]);
		letters = letters || is_letter(text.ptr[end]);
	}
	for (size_t i = at; digits && i < end; i++) {
		char c = text.ptr[i];
		bool upper = c >= 'A' && c <= 'Z' && !(letters && end - at >= CODE_LEN);

		str_addc(out, (char)(upper ? c - 'A' + 'a' : c));
	}
	if (digits)
		str_addc(out, ' ');
	return end;
}

/* A character that changes what is meant and that no normal form keeps. */
static bool is_sign(struct slice text, size_t at, uint32_t character)
{
	bool first = at == 0 || !is_alnum(text.ptr[at - 1]);
	utf8proc_category_t category;

	if (character == '%')
		return true;
	if (character == '!')
		return (first && alnum_at(text, at + 1)) ||
		       (at + 1 < text.len && text.ptr[at + 1] == '=');
	if (character == '-' && first)
		return digit_at(text, at + 1);
	if (character < 0x80 && strchr(".,:/-", (int)character))
		return at > 0 && is_digit(text.ptr[at - 1]) && digit_at(text, at + 1);
	category = utf8proc_category((utf8proc_int32_t)character);
	return category == UTF8PROC_CATEGORY_SM || category == UTF8PROC_CATEGORY_SC;
}

/* Numbers as they are written, codes with their capitals, and signs. */
static void add_marks(struct slice text, struct str *out)
{
	for (size_t at = 0; at < text.len;) {
		size_t start = at;
		uint32_t character;

		if (is_alnum(text.ptr[at])) {
			at = add_number(text, at, out);
			continue;
		}
		character = utf8_next(text, &at);
		if (is_sign(text, start, character))
			utf8_add(out, character);
	}
}

/* The emoji and the like of a text; *verdict says whether one of them is a yes or a no. */
static void add_emoji(struct slice text, struct str *out, bool *verdict)
{
	static const uint32_t verdicts[] = {0x2705,  0x2714,  0x2611,  0x274C, 0x2716,  0x274E,
					    0x1F44D, 0x1F44E, 0x1F6AB, 0x26D4, 0x1F7E2, 0x1F534,
					    0x1F197, 0x1F6D1, 0x2713,  0x2717, 0x1F515, 0x1F514};

	for (size_t at = 0; at < text.len;) {
		uint32_t character = utf8_next(text, &at);

		if (utf8proc_category((utf8proc_int32_t)character) != UTF8PROC_CATEGORY_SO ||
		    character == 0xFFFD)
			continue;
		utf8_add(out, character);
		for (size_t i = 0; i < sizeof verdicts / sizeof verdicts[0]; i++)
			*verdict = *verdict || verdicts[i] == character;
	}
}

/* Emoji that only adorn may be in one of the texts. */
static bool emoji_agree(struct slice a, struct slice b)
{
	STR_AUTO one = STR_INIT;
	STR_AUTO other = STR_INIT;
	bool verdict = false;

	add_emoji(a, &one, &verdict);
	add_emoji(b, &other, &verdict);
	return slice_equal(str_slice(&one), str_slice(&other)) ||
	       ((!one.len || !other.len) && !verdict);
}

bool marks_agree(struct slice a, struct slice b)
{
	STR_AUTO one = STR_INIT;
	STR_AUTO other = STR_INIT;

	add_marks(a, &one);
	add_marks(b, &other);
	return slice_equal(str_slice(&one), str_slice(&other)) && emoji_agree(a, b);
}
