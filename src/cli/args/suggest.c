#include "cli/args/suggest.h"

#include "base/utf8.h"
#include "text/distance.h"

#include <stdint.h>

/* Longer words are no misspelt names. */
#define CHARACTERS_MAX 32

/* Decodes a word; 0 when it is too long. */
static size_t suggest_decode(struct slice word, uint32_t chars[CHARACTERS_MAX])
{
	size_t len = 0;

	for (size_t at = 0; at < word.len;) {
		if (len == CHARACTERS_MAX)
			return 0;
		chars[len++] = utf8_next(word, &at);
	}
	return len;
}

struct suggestion suggestion_for(struct slice word)
{
	/* A third of the word may be wrong, and two letters of a short one that are swapped. */
	size_t allowed = utf8_count(word) / 3;

	return (struct suggestion){word, NULL, (allowed ? allowed : 1) + 1};
}

void suggestion_offer(struct suggestion *suggestion, const char *name)
{
	uint32_t word_chars[CHARACTERS_MAX];
	uint32_t name_chars[CHARACTERS_MAX];
	size_t word_len = suggest_decode(suggestion->word, word_chars);
	size_t name_len = suggest_decode(slice_of(name), name_chars);

	if (word_len == 0 || name_len == 0)
		return;
	size_t distance = distance_osa(word_chars, word_len, name_chars, name_len, CHARACTERS_MAX);
	if (distance >= suggestion->distance)
		return;
	suggestion->distance = distance;
	suggestion->best = name;
}

void suggestion_add(const struct suggestion *suggestion, struct str *out)
{
	if (suggestion->best)
		str_printf(out, "did you mean %s? ", suggestion->best);
}
