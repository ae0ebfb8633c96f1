#include "secrets/secret_scan_internal.h"

#include <string.h>

/* ---- alphabets */

/* What a byte is; an alphabet is some of these. Short names, for the table of all bytes. */
enum {
	D = 1,         /* 0-9 */
	x = 2,         /* a-f */
	l = 4,         /* g-z */
	X = 8,         /* A-F */
	U = 16,        /* G-Z */
	N = 32,        /* - */
	S = 64,        /* _ */
	P = 128,       /* + / */
	E = 256,       /* = */
	T = 512,       /* . */
	W = 1024,      /* ~ */
	R = 2048,      /* line ends, and the backslash of those that are escaped */
	Q = 4096,      /* ends a value that has no quotes */
	LOWER = x | l, /* a-z */
	UPPER = X | U, /* A-Z */
	ALPHA = LOWER | UPPER
};

/* Bytes that are not here, as those from 0x80 on, stand in values only. */
static const unsigned short kinds[256] = {
	['\t'] = Q, ['\v'] = Q, ['\f'] = Q,     [' '] = Q,      ['"'] = Q,  ['\''] = Q, ['&'] = Q,
	[','] = Q,  [';'] = Q,  ['\n'] = Q | R, ['\r'] = Q | R, ['\\'] = R, ['+'] = P,  ['/'] = P,
	['-'] = N,  ['_'] = S,  ['='] = E,      ['.'] = T,      ['~'] = W,  ['0'] = D,  ['1'] = D,
	['2'] = D,  ['3'] = D,  ['4'] = D,      ['5'] = D,      ['6'] = D,  ['7'] = D,  ['8'] = D,
	['9'] = D,  ['A'] = X,  ['B'] = X,      ['C'] = X,      ['D'] = X,  ['E'] = X,  ['F'] = X,
	['G'] = U,  ['H'] = U,  ['I'] = U,      ['J'] = U,      ['K'] = U,  ['L'] = U,  ['M'] = U,
	['N'] = U,  ['O'] = U,  ['P'] = U,      ['Q'] = U,      ['R'] = U,  ['S'] = U,  ['T'] = U,
	['U'] = U,  ['V'] = U,  ['W'] = U,      ['X'] = U,      ['Y'] = U,  ['Z'] = U,  ['a'] = x,
	['b'] = x,  ['c'] = x,  ['d'] = x,      ['e'] = x,      ['f'] = x,  ['g'] = l,  ['h'] = l,
	['i'] = l,  ['j'] = l,  ['k'] = l,      ['l'] = l,      ['m'] = l,  ['n'] = l,  ['o'] = l,
	['p'] = l,  ['q'] = l,  ['r'] = l,      ['s'] = l,      ['t'] = l,  ['u'] = l,  ['v'] = l,
	['w'] = l,  ['x'] = l,  ['y'] = l,      ['z'] = l,
};

static const unsigned short alphabets[CLASSES] = {
	[DIGITS] = D,
	[LETTERS] = ALPHA,
	[HEX] = D | x,
	[ANY_HEX] = D | x | X,
	[UPPER_DIGIT] = D | UPPER,
	[UPPER_DASH] = D | UPPER | N,
	[ALNUM] = D | ALPHA,
	[ALNUM_LINE] = D | ALPHA | S,
	[ALNUM_DASH] = D | ALPHA | N,
	[URL64] = D | ALPHA | N | S,
	[BASE64] = D | ALPHA | P,
	[ALL64] = D | ALPHA | N | S | P | E,
	[WRAPPED64] = D | ALPHA | N | S | P | R,
	[DOT64] = D | ALPHA | N | S | T | E,
	[TILDE64] = D | ALPHA | N | S | T | W,
	[HEADER] = D | ALPHA | N | S | P | E | T | W,
};

bool secrets_is_in(enum char_class class, char c)
{
	unsigned int kind = kinds[(unsigned char)c];

	return class == VALUE ? !(kind & Q) : (kind & alphabets[class]) != 0;
}

size_t secrets_span(struct scan *scan, size_t at, enum char_class class)
{
	size_t from = scan->runs[class].from;
	size_t end = scan->runs[class].end;
	size_t i = at;

	if (at >= from && at < end)
		return end - at;
	while (i < scan->text.len && secrets_is_in(class, scan->text.ptr[i])) {
		if (++i == from && from < end)
			i = end;
	}
	scan->runs[class].from = at;
	scan->runs[class].end = i;
	return i - at;
}

/* ---- pieces */

size_t secrets_count(struct slice text, enum char_class class)
{
	size_t count = 0;

	for (size_t i = 0; i < text.len; i++)
		count += secrets_is_in(class, text.ptr[i]);
	return count;
}

struct slice secrets_part(struct slice text, size_t at, size_t len)
{
	return slice_make(text.ptr + at, len);
}

bool secrets_begins(struct slice text, size_t at, const char *prefix)
{
	for (; *prefix; prefix++, at++) {
		if (at >= text.len || text.ptr[at] != *prefix)
			return false;
	}
	return at <= text.len;
}

bool secrets_begins_anycase(struct slice text, size_t at, const char *prefix)
{
	for (; *prefix; prefix++, at++) {
		if (at >= text.len || secrets_lower(text.ptr[at]) != secrets_lower(*prefix))
			return false;
	}
	return at <= text.len;
}

size_t secrets_seek(struct slice text, size_t from, const char *needle, size_t reach)
{
	size_t end = text.len - from < reach ? text.len : from + reach;
	const char *at = memmem(text.ptr + from, end - from, needle, strlen(needle));

	return at ? (size_t)(at - text.ptr) : end;
}

bool secrets_at_word(struct slice text, size_t at)
{
	const char *p = text.ptr + at;

	if (at == 0 || (!secrets_is_alnum(p[-1]) && p[-1] != '_'))
		return true;
	if (at >= 3 && p[-3] == '%')
		return true;
	return at >= 2 && p[-2] == '\\' && (p[-1] == 'n' || p[-1] == 'r' || p[-1] == 't');
}

/* ---- chance */

bool secrets_is_repeated(struct slice text)
{
	for (size_t piece = 1; piece <= 16 && piece * 2 <= text.len; piece++) {
		if (memcmp(text.ptr, text.ptr + piece, text.len - piece) == 0)
			return true;
	}
	return false;
}

bool secrets_is_mixed(struct slice text)
{
	bool upper = false;
	bool lower = false;
	bool digit = false;

	for (size_t i = 0; i < text.len && !(upper && lower && digit); i++) {
		upper |= secrets_is_upper(text.ptr[i]);
		lower |= secrets_is_lower(text.ptr[i]);
		digit |= secrets_is_digit(text.ptr[i]);
	}
	return upper && lower && digit;
}

static int plain_kind_of(char c)
{
	return secrets_is_upper(c) ? 1 : secrets_is_lower(c) ? 2 : secrets_is_digit(c) ? 3 : 4;
}

/* By chance two neighbours differ in kind six times of ten; in a name of words, three times. */
bool secrets_is_scrambled(struct slice text)
{
	size_t changes = 0;

	for (size_t i = 1; i < text.len; i++)
		changes += plain_kind_of(text.ptr[i]) != plain_kind_of(text.ptr[i - 1]);
	return secrets_is_mixed(text) && changes * 5 >= (text.len - 1) * 2;
}

/* Letters of one case and separators: this-is-the-name-of-something. */
static bool plain_is_words(struct slice text)
{
	bool upper = false;
	bool lower = false;

	for (size_t i = 0; i < text.len && !(upper && lower); i++) {
		if (secrets_is_digit(text.ptr[i]))
			return false;
		upper |= secrets_is_upper(text.ptr[i]);
		lower |= secrets_is_lower(text.ptr[i]);
	}
	return !(upper && lower);
}

/* ---- placeholders: what people write where a secret would stand */

/* The length of the word at `at` that no secret has in it, 0 for none. */
static size_t plain_placeholder_word(struct slice text, size_t at)
{
	/* The last one is the key that Stripe's manual shows. */
	static const char *const words[] = {
		"example", "placeholder", "redacted", "changeme", "your-",
		"your_",   "yourtoken",   "yourkey",  "dummy",    "4eC39HqLyjWDarjtT1zdp7dc"};

	if (text.ptr[at] == '\0' || !strchr("eprcydEPRCYD4", text.ptr[at]))
		return 0;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		if (secrets_begins_anycase(text, at, words[i]))
			return strlen(words[i]);
	}
	return 0;
}

#define SAME_MAX 6
#define RISING_MAX 7

/*
 * The first sign of a placeholder that begins and ends in from..end: a word, or the same character
 * again and again, or characters that count up. No random text of use looks so.
 */
static bool plain_find_mark(struct slice text, size_t from, size_t end, size_t *start, size_t *stop)
{
	size_t same = 1;
	size_t rising = 1;

	for (size_t i = from; i < end; i++) {
		size_t word = plain_placeholder_word(text, i);

		if (i > from) {
			same = text.ptr[i] == text.ptr[i - 1] ? same + 1 : 1;
			rising = text.ptr[i] == text.ptr[i - 1] + 1 ? rising + 1 : 1;
		}
		if (same < SAME_MAX && rising < RISING_MAX && (!word || i + word > end))
			continue;
		*start = same >= SAME_MAX       ? i + 1 - SAME_MAX
			 : rising >= RISING_MAX ? i + 1 - RISING_MAX
						: i;
		*stop = *start == i ? i + word : i + 1;
		return true;
	}
	return false;
}

/*
 * Tokens may lie in each other ("sk-ant-" again and again): what was found out of the longer one
 * holds for the shorter one, up to the mark itself.
 */
bool secrets_has_mark(struct scan *scan, size_t at, size_t len)
{
	size_t end = at + len;

	if (at < scan->mark.from || end > scan->mark.end ||
	    (scan->mark.start < scan->mark.end && at > scan->mark.start)) {
		scan->mark.from = at;
		scan->mark.end = end;
		scan->mark.start = end;
		scan->mark.stop = end;
		plain_find_mark(scan->text, at, end, &scan->mark.start, &scan->mark.stop);
	}
	return scan->mark.start < scan->mark.end && scan->mark.stop <= end;
}

bool secrets_is_placeholder(struct slice text)
{
	size_t start;
	size_t stop;

	return secrets_is_repeated(text) || plain_find_mark(text, 0, text.len, &start, &stop);
}

bool secrets_is_random(struct scan *scan, size_t at, size_t len, enum char_class class)
{
	struct slice body = secrets_part(scan->text, at, len);

	return (class == UPPER_DIGIT || class == UPPER_DASH || !plain_is_words(body)) &&
	       !secrets_is_repeated(body) && !secrets_has_mark(scan, at, len);
}
