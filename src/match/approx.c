#include "match/approx.h"

#include "base/mem.h"

#include <stdlib.h>
#include <tre/tre.h>

/* The library compares wide characters, which need no locale; here they are code points. */
_Static_assert(sizeof(wchar_t) == sizeof(uint32_t), "wchar_t holds a code point");

#define EDITS_MAX 8
#define CHARACTERS_PER_EDIT 4

struct approx {
	regex_t regex;
	int edits;
};

static wchar_t *wide(const uint32_t *text, size_t len)
{
	wchar_t *copy = mem_zalloc(len + 1, sizeof *copy);

	for (size_t i = 0; i < len; i++)
		copy[i] = (wchar_t)text[i];
	return copy;
}

struct approx *approx_new(const uint32_t *pattern, size_t len)
{
	struct approx *approx;
	wchar_t *literal;
	int failed;

	if (len > APPROX_PATTERN_MAX || len < CHARACTERS_PER_EDIT)
		return NULL;
	approx = mem_zalloc(1, sizeof *approx);
	approx->edits = (int)(len / CHARACTERS_PER_EDIT);
	if (approx->edits > EDITS_MAX)
		approx->edits = EDITS_MAX;
	literal = wide(pattern, len);
	failed = tre_regwncomp(&approx->regex, literal, len, REG_LITERAL | REG_NOSUB);
	free(literal);
	if (failed) {
		free(approx);
		return NULL;
	}
	return approx;
}

void approx_free(struct approx *approx)
{
	if (!approx)
		return;
	tre_regfree(&approx->regex);
	free(approx);
}

bool approx_is_possible(const struct approx *approx, uint64_t pattern_bag, uint64_t text_bag)
{
	int missing = 0;

	for (uint64_t left = pattern_bag & ~text_bag; left; left &= left - 1)
		missing++;
	return missing <= approx->edits;
}

int approx_cost(const struct approx *approx, const uint32_t *text, size_t len)
{
	regaparams_t params;
	regamatch_t match = {0};
	wchar_t *wide_text = wide(text, len);
	int failed;

	tre_regaparams_default(&params);
	params.max_cost = approx->edits;
	params.max_err = approx->edits;
	failed = tre_regawnexec(&approx->regex, wide_text, len, &match, params, 0);
	free(wide_text);
	return failed ? -1 : match.cost;
}
