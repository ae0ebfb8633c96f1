#include "text/approx.h"

#include "base/mem.h"
#include "base/str.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>
#include <tre/tre.h>

/* The library compares wide characters, which need no locale; here they are code points. */
_Static_assert(sizeof(wchar_t) == sizeof(uint32_t), "wchar_t holds a code point");

#define EDITS_MAX 8
#define CHARACTERS_PER_EDIT 4

/* Places that are searched in one text, and in all texts together. */
#define PLACES_OF_TEXT 4
#define PLACES_OF_ALL 24

/* An edit changes no more than so many of the runs of so many characters. */
#define GRAM 3
#define GRAM_BITS 4096

struct approx {
	regex_t regex;
	int edits;
	int places_left;
	size_t len;
	uint64_t bag;
	struct slice pieces[EDITS_MAX + 1]; /* of bytes */
	uint16_t grams[APPROX_PATTERN_MAX]; /* bits of the runs of GRAM characters */
	struct str bytes;
};

static wchar_t *approx_wide(const uint32_t *text, size_t len)
{
	wchar_t *copy = mem_zalloc(len + 1, sizeof *copy);

	for (size_t i = 0; i < len; i++)
		copy[i] = (wchar_t)text[i];
	return copy;
}

/* Cuts the pattern between characters into one piece more than there may be edits. */
static void approx_cut_pieces(struct approx *approx, size_t characters)
{
	struct slice rest = str_slice(&approx->bytes);
	size_t pieces = (size_t)approx->edits + 1;

	for (size_t i = 0; i < pieces; i++) {
		struct slice piece = utf8_cut(rest, characters / pieces);

		approx->pieces[i] = piece;
		rest = slice_make(rest.ptr + piece.len, rest.len - piece.len);
	}
}

static uint16_t approx_gram(const uint32_t *chars)
{
	uint32_t mixed = ((chars[0] * 31 + chars[1]) * 31 + chars[2]) * 2654435761u;

	return (uint16_t)(mixed % GRAM_BITS);
}

struct approx *approx_new(const struct text *pattern, size_t edits)
{
	size_t share = pattern->len / CHARACTERS_PER_EDIT;
	size_t most = share < EDITS_MAX ? share : EDITS_MAX;
	size_t allowed = edits < most ? edits : most;
	struct approx *approx;

	if (pattern->len > APPROX_PATTERN_MAX || !allowed)
		return NULL;
	approx = mem_zalloc(1, sizeof *approx);
	approx->edits = (int)allowed;
	approx->places_left = PLACES_OF_ALL;
	approx->len = pattern->len;
	approx->bag = pattern->bag;
	for (size_t i = 0; i + GRAM <= pattern->len; i++)
		approx->grams[i] = approx_gram(pattern->chars + i);
	wchar_t *literal = approx_wide(pattern->chars, pattern->len);
	int failed = tre_regwncomp(&approx->regex, literal, pattern->len, REG_LITERAL | REG_NOSUB);
	free(literal);
	if (failed == REG_ESPACE)
		mem_exhausted();
	if (failed) {
		free(approx);
		return NULL;
	}
	str_init(&approx->bytes);
	str_add(&approx->bytes, pattern->bytes);
	approx_cut_pieces(approx, pattern->len);
	return approx;
}

void approx_free(struct approx *approx)
{
	if (!approx)
		return;
	tre_regfree(&approx->regex);
	str_release(&approx->bytes);
	free(approx);
}

/* Fewest edits in a part of a text, -1 for none. */
static int approx_cost_in(const struct approx *approx, const uint32_t *chars, size_t len)
{
	regaparams_t params;
	regamatch_t match = {0};
	wchar_t *wide_text = approx_wide(chars, len);

	tre_regaparams_default(&params);
	params.max_cost = approx->edits;
	params.max_err = approx->edits;
	int failed = tre_regawnexec(&approx->regex, wide_text, len, &match, params, 0);
	free(wide_text);
	if (failed == REG_ESPACE)
		mem_exhausted();
	return failed ? -1 : match.cost;
}

/* False if the text has too few of the pattern's runs of characters for so few edits. */
static bool approx_has_the_grams(const struct approx *approx, const uint32_t *chars, size_t len)
{
	uint64_t known[GRAM_BITS / 64] = {0};
	size_t lost = 0;

	for (size_t i = 0; i + GRAM <= len; i++) {
		uint16_t gram = approx_gram(chars + i);

		known[gram / 64] |= (uint64_t)1 << gram % 64;
	}
	for (size_t i = 0; i + GRAM <= approx->len; i++)
		lost += !(known[approx->grams[i] / 64] >> approx->grams[i] % 64 & 1);
	return lost <= GRAM * (size_t)approx->edits;
}

/* Searches around a place, given in characters, where a piece of the pattern stands. */
static int approx_cost_around(const struct approx *approx, const struct text *text, size_t at)
{
	size_t reach = approx->len + (size_t)approx->edits;
	size_t begin = at > reach ? at - reach : 0;
	size_t end = text->len - at > reach ? at + reach : text->len;

	/* The library takes some fifty times as long. */
	if (!approx_has_the_grams(approx, text->chars + begin, end - begin))
		return -1;
	return approx_cost_in(approx, text->chars + begin, end - begin);
}

/* As approx_cost for the places of one piece. */
static int approx_cost_of_piece(const struct approx *approx, const struct text *text,
				struct slice piece, int *places_left)
{
	struct slice rest = text->bytes;
	size_t characters = 0;
	int best = -1;

	while (*places_left > 0) {
		const char *hit = memmem(rest.ptr, rest.len, piece.ptr, piece.len);

		if (!hit)
			break;
		size_t skipped = (size_t)(hit - rest.ptr);
		characters += utf8_count(slice_make(rest.ptr, skipped));
		int cost = approx_cost_around(approx, text, characters);
		if (cost >= 0 && (best < 0 || cost < best))
			best = cost;
		characters += utf8_count(piece);
		rest = slice_make(hit + piece.len, rest.len - skipped - piece.len);
		(*places_left)--;
	}
	return best;
}

static bool approx_has_the_letters(const struct approx *approx, const struct text *text)
{
	return text_count_bits(approx->bag & ~text->bag) <= (size_t)approx->edits;
}

bool approx_may_match(const struct approx *approx, const struct text *text)
{
	if (approx->places_left <= 0 || !approx_has_the_letters(approx, text))
		return false;
	for (int i = 0; i <= approx->edits; i++) {
		struct slice piece = approx->pieces[i];

		if (memmem(text->bytes.ptr, text->bytes.len, piece.ptr, piece.len))
			return true;
	}
	return false;
}

int approx_cost(struct approx *approx, const struct text *text)
{
	int most = approx->places_left < PLACES_OF_TEXT ? approx->places_left : PLACES_OF_TEXT;
	int places_left = most;
	int best = -1;

	if (!approx_has_the_letters(approx, text))
		return -1;
	for (int i = 0; i <= approx->edits; i++) {
		int cost = approx_cost_of_piece(approx, text, approx->pieces[i], &places_left);

		if (cost >= 0 && (best < 0 || cost < best))
			best = cost;
	}
	approx->places_left -= most - places_left;
	return best;
}

const char *approx_library(void)
{
	return tre_version();
}
