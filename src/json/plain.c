#include "json/doc_internal.h"

/* Does none of the eight bytes end the string, escape, or lie outside printable ASCII? */
static bool is_plain(uint64_t word)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	const uint64_t highs = ones << 7;
	uint64_t quote = word ^ (ones * '"');
	uint64_t backslash = word ^ (ones * '\\');

	/* A byte below n borrows into its high bit; the first one that does has nothing below it. */
	return (((quote - ones) | (backslash - ones) | (word - ones * 0x20) | word) & highs) == 0;
}

size_t json_skip_plain(const char *text, size_t at, size_t end)
{
	uint64_t word;

	for (; end - at >= sizeof word; at += sizeof word) {
		memcpy(&word, text + at, sizeof word);
		if (!is_plain(word))
			break;
	}
	return at;
}
