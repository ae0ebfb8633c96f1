/*
 * A normalised text, decoded once: its characters, its words, and what is in it at a glance.
 *
 * Everything lives in the arena that it was made in.
 */
#ifndef KOTA_TEXT_TOKENS_H
#define KOTA_TEXT_TOKENS_H

#include "base/arena.h"
#include "base/str.h"

#include <stdint.h>

/* Part of a text, in characters. */
struct text_word {
	uint32_t start;
	uint32_t len;
};

/*
 * Words are what stands between spaces; in scripts that write none (Chinese, Japanese, Thai, …)
 * every character is a word.
 */
struct text {
	struct slice bytes;
	const uint32_t *chars;
	const struct text_word *words;
	uint32_t len; /* characters */
	uint32_t word_count;
	uint64_t bag;
};

/* Decodes a normalised text; its bytes are copied. */
void text_make(struct arena *arena, struct slice normal, struct text *out);

/*
 * The words joined by spaces, by nothing, and sorted and joined by spaces. Where that is the text
 * as it was, it is shared: it has to live as long as the arena.
 */
void text_join(struct arena *arena, const struct text *from, struct text *out);
void text_join_compact(struct arena *arena, const struct text *from, struct text *out);
void text_join_sorted(struct arena *arena, const struct text *from, struct text *out);

/* The characters of a word as bytes: equal bytes, equal words. Valid as long as the text. */
struct slice text_word_bytes(const struct text *text, uint32_t word);

/* Which characters occur, and which twice: a bit each, by their lowest five bits. */
uint64_t text_bag(const uint32_t *chars, size_t len);

/*
 * Which neighbours occur, a bit for some pairs of characters each. An edit takes no more than three
 * of them away and brings no more than three.
 */
uint64_t text_pairs(const uint32_t *chars, size_t len);
#define TEXT_PAIRS_PER_EDIT 3

/* Which runs of three characters occur, a bit for some of them each. */
uint64_t text_triples(const uint32_t *chars, size_t len);

/* Number of bits; the machine's own instruction is not everywhere. */
static inline size_t text_count_bits(uint64_t bits)
{
	bits -= bits >> 1 & 0x5555555555555555u;
	bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
	bits = (bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
	return (size_t)(bits * 0x0101010101010101u >> 56);
}

/* No fewer edits than this lie between two texts with these bags and lengths. */
static inline size_t text_distance_bound(uint64_t a_bag, size_t a_len, uint64_t b_bag, size_t b_len)
{
	size_t only_a = text_count_bits(a_bag & ~b_bag);
	size_t only_b = text_count_bits(b_bag & ~a_bag);
	size_t lengths = a_len > b_len ? a_len - b_len : b_len - a_len;
	size_t bags = only_a > only_b ? only_a : only_b;

	return bags > lengths ? bags : lengths;
}

/* True if so few edits may lie between two texts with these pairs. */
static inline bool text_pairs_within(uint64_t a_pairs, uint64_t b_pairs, size_t edits)
{
	return text_count_bits(a_pairs & ~b_pairs) <= TEXT_PAIRS_PER_EDIT * edits &&
	       text_count_bits(b_pairs & ~a_pairs) <= TEXT_PAIRS_PER_EDIT * edits;
}

/*
 * True if text holds part without cutting a number in two. *whole says whether a run of whole words
 * was found.
 */
bool text_contains(struct slice text, struct slice part, bool *whole);

/* True if there is a decimal digit of any script. */
bool text_has_digit(const uint32_t *chars, size_t len);

/*
 * What "12", "v12" and "0012" have in common: the digits after a "v" and leading zeros. Empty for
 * words that are not such a number.
 */
struct text_word text_plain_number(const uint32_t *chars, struct text_word word);

/* True if it may be the beginning of a hash, or another long number in hexadecimal digits. */
bool text_is_hash_start(const uint32_t *chars, uint32_t len);

/*
 * True if two neighbouring numbers of a stand in b the other way round only: 2.9 and 9.2; *a_word
 * and *b_word are the first of each. A text with a number of four characters may be a date, which
 * is written either way.
 */
bool text_swaps_numbers(const struct text *a, const struct text *b, uint32_t *a_word,
			uint32_t *b_word);

/* True if every run of digits in part is also one in whole. Numbers never match approximately. */
bool text_numbers_match(const struct text *part, const struct text *whole);

#endif
