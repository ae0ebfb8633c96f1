#include "text/tokens.h"

#include "base/mem.h"
#include "base/str.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

/* A hash is asked for by so many of its digits, or more. */
#define HASH_LEAST 7

/* Characters of a year. */
#define YEAR_LEN 4

/* Places at which a text is looked at for whole words: "aaa…" in "aaaa…" has no end of them. */
#define PLACES_MAX 256

/* Up to so many bytes a text is looked through byte by byte. */
#define SHORT 128

/* Scripts that put no spaces between words. */
static bool tokens_is_word_alone(uint32_t c)
{
	if (c < 0x0E00)
		return false;
	return c <= 0x0EFF ||                  /* Thai, Lao */
	       (c >= 0x1000 && c <= 0x109F) || /* Myanmar */
	       (c >= 0x1780 && c <= 0x17FF) || /* Khmer */
	       (c >= 0x3005 && c <= 0x3007) || /* ideographic marks */
	       (c >= 0x3040 && c <= 0x30FF) || /* Hiragana, Katakana */
	       (c >= 0x31F0 && c <= 0x31FF) || /* Katakana extensions */
	       (c >= 0x3400 && c <= 0x9FFF) || /* Han */
	       (c >= 0xF900 && c <= 0xFAFF) || /* Han, compatibility */
	       (c >= 0x20000 && c <= 0x3FFFF); /* Han, supplementary planes */
}

/* Digits of the scripts in which people write numbers; normalisation made the rest of them ASCII.
 */
static bool tokens_is_digit(uint32_t c)
{
	return (c >= '0' && c <= '9') || (c >= 0x0660 && c <= 0x0669) ||
	       (c >= 0x06F0 && c <= 0x06F9) || (c >= 0x0966 && c <= 0x096F);
}

uint64_t text_bag(const uint32_t *chars, size_t len)
{
	uint64_t bag = 0;

	for (size_t i = 0; i < len; i++) {
		uint64_t bit = (uint64_t)1 << (chars[i] & 31);

		if (chars[i] != ' ')
			bag |= bag & bit ? bit << 32 : bit;
	}
	return bag;
}

uint64_t text_pairs(const uint32_t *chars, size_t len)
{
	uint64_t pairs = 0;

	for (size_t i = 0; i + 1 < len; i++) {
		uint32_t mixed = (chars[i] * 31 + chars[i + 1]) * 2654435761u;

		pairs |= (uint64_t)1 << (mixed >> 26);
	}
	return pairs;
}

uint64_t text_triples(const uint32_t *chars, size_t len)
{
	uint64_t triples = 0;

	for (size_t i = 0; i + 2 < len; i++) {
		uint32_t mixed = ((chars[i] * 31 + chars[i + 1]) * 31 + chars[i + 2]) * 2654435761u;

		triples |= (uint64_t)1 << (mixed >> 26);
	}
	return triples;
}

static uint32_t tokens_count_words(const uint32_t *chars, uint32_t len)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < len; i++) {
		bool first = i == 0 || chars[i - 1] == ' ' || tokens_is_word_alone(chars[i - 1]);

		count += chars[i] != ' ' && (first || tokens_is_word_alone(chars[i]));
	}
	return count;
}

static void tokens_find_words(struct arena *arena, struct text *text)
{
	struct text_word *words;
	uint32_t count = 0;

	text->word_count = tokens_count_words(text->chars, text->len);
	words = arena_alloc(arena, text->word_count * sizeof *words);
	for (uint32_t i = 0; i < text->len; count++) {
		uint32_t start = i++;

		if (!tokens_is_word_alone(text->chars[start])) {
			while (i < text->len && text->chars[i] != ' ' &&
			       !tokens_is_word_alone(text->chars[i]))
				i++;
		}
		words[count] = (struct text_word){start, i - start};
		if (i < text->len && text->chars[i] == ' ')
			i++;
	}
	text->words = words;
}

void text_make(struct arena *arena, struct slice normal, struct text *out)
{
	uint32_t *chars = arena_alloc(arena, normal.len * sizeof *chars);
	size_t len = 0;

	for (size_t at = 0; normal.ptr && at < normal.len;) {
		unsigned char byte = (unsigned char)normal.ptr[at];

		if (byte < 0x80) {
			chars[len++] = byte;
			at++;
		} else {
			chars[len++] = utf8_next(normal, &at);
		}
	}
	out->bytes = arena_copy(arena, normal);
	out->chars = chars;
	out->len = (uint32_t)len;
	out->bag = text_bag(chars, len);
	tokens_find_words(arena, out);
}

struct slice text_word_bytes(const struct text *text, uint32_t word)
{
	const uint32_t *chars = text->chars + text->words[word].start;

	return slice_make((const char *)chars, text->words[word].len * sizeof *chars);
}

static void tokens_join(struct arena *arena, const struct text *from, const struct text_word *words,
			const char *between, struct text *out)
{
	STR_AUTO joined = STR_INIT;

	for (uint32_t i = 0; i < from->word_count; i++) {
		if (i)
			str_adds(&joined, between);
		for (uint32_t c = 0; c < words[i].len; c++)
			utf8_add(&joined, from->chars[words[i].start + c]);
	}
	if (slice_equal(str_slice(&joined), from->bytes))
		*out = *from;
	else
		text_make(arena, str_slice(&joined), out);
}

void text_join(struct arena *arena, const struct text *from, struct text *out)
{
	tokens_join(arena, from, from->words, " ", out);
}

void text_join_compact(struct arena *arena, const struct text *from, struct text *out)
{
	tokens_join(arena, from, from->words, "", out);
}

static int tokens_compare_words(const void *a, const void *b, void *context)
{
	const struct text *text = context;
	const struct text_word *one = a;
	const struct text_word *other = b;
	uint32_t shorter = one->len < other->len ? one->len : other->len;

	for (uint32_t i = 0; i < shorter; i++) {
		uint32_t x = text->chars[one->start + i];
		uint32_t y = text->chars[other->start + i];

		if (x != y)
			return x < y ? -1 : 1;
	}
	return one->len < other->len ? -1 : one->len > other->len;
}

void text_join_sorted(struct arena *arena, const struct text *from, struct text *out)
{
	struct text_word *words = mem_zalloc(from->word_count, sizeof *words);

	if (from->word_count)
		memcpy(words, from->words, from->word_count * sizeof *words);
	qsort_r(words, from->word_count, sizeof *words, tokens_compare_words,
		(void *)(uintptr_t)from);
	tokens_join(arena, from, words, " ", out);
	free(words);
}

/* The character that ends before this byte. */
static uint32_t tokens_character_before(struct slice normal, size_t at)
{
	do {
		at--;
	} while (at > 0 && ((unsigned char)normal.ptr[at] & 0xC0) == 0x80);
	return utf8_next(normal, &at);
}

/* True if a word may begin or end at this byte of a normalised text. */
static bool tokens_is_boundary(struct slice normal, size_t at)
{
	size_t after = at;

	if (at == 0 || at >= normal.len || normal.ptr[at] == ' ' || normal.ptr[at - 1] == ' ')
		return true;
	return tokens_is_word_alone(tokens_character_before(normal, at)) ||
	       tokens_is_word_alone(utf8_next(normal, &after));
}

/* True if a cut at this byte goes through a number. */
static bool tokens_cuts_number(struct slice normal, size_t at)
{
	size_t after = at;

	if (at == 0 || at >= normal.len)
		return false;
	return tokens_is_digit(tokens_character_before(normal, at)) &&
	       tokens_is_digit(utf8_next(normal, &after));
}

/* Where the part begins; in a short text sooner than memmem() has prepared its search. */
static const char *tokens_find_bytes(const char *text, size_t len, struct slice part)
{
	const char *last = text + len - part.len;

	if (part.len > len)
		return NULL;
	if (len > SHORT)
		return memmem(text, len, part.ptr, part.len);
	for (; text <= last; text++) {
		if (*text == *part.ptr && memcmp(text, part.ptr, part.len) == 0)
			return text;
	}
	return NULL;
}

bool text_contains(struct slice text, struct slice part, bool *whole)
{
	size_t at = 0;
	bool found = false;

	*whole = false;
	for (int places = 0; places < PLACES_MAX && !*whole; places++) {
		const char *hit = NULL;

		if (part.len && at < text.len)
			hit = tokens_find_bytes(text.ptr + at, text.len - at, part);
		if (!hit)
			break;
		size_t start = (size_t)(hit - text.ptr);
		at = start + 1;
		if (tokens_cuts_number(text, start) || tokens_cuts_number(text, start + part.len))
			continue;
		found = true;
		*whole = tokens_is_boundary(text, start) &&
			 tokens_is_boundary(text, start + part.len);
	}
	return found;
}

bool text_has_digit(const uint32_t *chars, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (tokens_is_digit(chars[i]))
			return true;
	}
	return false;
}

/* The next run of digits at or after *at; false when there is none. */
static bool tokens_next_number(const struct text *text, uint32_t *at, struct text_word *number)
{
	uint32_t i = *at;

	while (i < text->len && !tokens_is_digit(text->chars[i]))
		i++;
	number->start = i;
	while (i < text->len && tokens_is_digit(text->chars[i]))
		i++;
	number->len = i - number->start;
	*at = i;
	return number->len > 0;
}

struct text_word text_plain_number(const uint32_t *chars, struct text_word word)
{
	struct text_word number = word;

	if (number.len > 1 && chars[number.start] == 'v') {
		number.start++;
		number.len--;
	}
	for (uint32_t i = 0; i < number.len; i++) {
		if (chars[number.start + i] < '0' || chars[number.start + i] > '9')
			return (struct text_word){word.start, 0};
	}
	while (number.len > 1 && chars[number.start] == '0') {
		number.start++;
		number.len--;
	}
	return number;
}

bool text_is_hash_start(const uint32_t *chars, uint32_t len)
{
	uint32_t letters = 0;

	for (uint32_t i = 0; i < len; i++) {
		if ((chars[i] < '0' || chars[i] > '9') && (chars[i] < 'a' || chars[i] > 'f'))
			return false;
		letters += chars[i] >= 'a';
	}
	return len >= HASH_LEAST && letters > 0 && letters < len;
}

/* A number without the zeros that it begins with, where it is a word: RFC 42 is RFC-0042. */
static struct text_word tokens_skip_zeros(const struct text *text, struct text_word number)
{
	bool begins = number.start == 0 || text->chars[number.start - 1] == ' ';

	while (begins && number.len > 1 && text->chars[number.start] == '0') {
		number.start++;
		number.len--;
	}
	return number;
}

static bool tokens_has_number(const struct text *text, const uint32_t *digits, uint32_t len)
{
	struct text_word number;

	for (uint32_t at = 0; tokens_next_number(text, &at, &number);) {
		number = tokens_skip_zeros(text, number);
		if (number.len == len &&
		    memcmp(text->chars + number.start, digits, len * sizeof *digits) == 0)
			return true;
	}
	return false;
}

bool text_numbers_match(const struct text *part, const struct text *whole)
{
	struct text_word number;

	for (uint32_t at = 0; tokens_next_number(part, &at, &number);) {
		number = tokens_skip_zeros(part, number);
		if (!tokens_has_number(whole, part->chars + number.start, number.len))
			return false;
	}
	return true;
}

/* Where two words stand as neighbours in a text; its last word or beyond, where they do not. */
static uint32_t tokens_find_pair(const struct text *text, struct slice first, struct slice second)
{
	uint32_t j = 0;

	while (j + 1 < text->word_count && !(slice_equal(text_word_bytes(text, j), first) &&
					     slice_equal(text_word_bytes(text, j + 1), second)))
		j++;
	return j;
}

bool text_swaps_numbers(const struct text *a, const struct text *b, uint32_t *a_word,
			uint32_t *b_word)
{
	bool before = false;
	bool swaps = false;

	for (uint32_t i = 0; i < a->word_count; i++) {
		const struct text_word *word = &a->words[i];
		bool number = text_has_digit(a->chars + word->start, word->len);

		if (number && word->len >= YEAR_LEN)
			return false;
		if (number && before && !swaps) {
			struct slice one = text_word_bytes(a, i - 1);
			struct slice other = text_word_bytes(a, i);

			*a_word = i - 1;
			*b_word = tokens_find_pair(b, other, one);
			swaps = *b_word + 1 < b->word_count &&
				tokens_find_pair(b, one, other) + 1 >= b->word_count;
		}
		before = number;
	}
	return swaps;
}
