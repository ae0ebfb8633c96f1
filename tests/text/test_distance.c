#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "text/distance.h"

#include "base/mem.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX 300

/* A fixed sequence of numbers, so that a failure comes back. */
static uint32_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*state >> 33);
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* The definition, a row at a time with the two rows before it. */
static size_t plain_distance(const uint32_t *a, size_t a_len, const uint32_t *b, size_t b_len,
			     bool swaps)
{
	size_t rows[3][TEXT_MAX + 1];
	size_t *before = rows[0];
	size_t *above = rows[1];
	size_t *row = rows[2];

	for (size_t j = 0; j <= b_len; j++)
		above[j] = j;
	for (size_t i = 1; i <= a_len; i++) {
		size_t *spare = before;

		row[0] = i;
		for (size_t j = 1; j <= b_len; j++) {
			row[j] = smaller(above[j], row[j - 1]) + 1;
			row[j] = smaller(row[j], above[j - 1] + (a[i - 1] != b[j - 1]));
			if (swaps && i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = smaller(row[j], before[j - 2] + 1);
		}
		before = above;
		above = row;
		row = spare;
	}
	return above[b_len];
}

/* A character of a small alphabet, part of it outside ASCII. */
static uint32_t random_character(uint64_t *state, uint32_t alphabet)
{
	uint32_t number = next_random(state) % alphabet;

	return number % 3 == 2 ? 0x4E00 + number * 977 : 'a' + number;
}

static size_t random_text(uint64_t *state, uint32_t *text, size_t longest, uint32_t alphabet)
{
	size_t len = next_random(state) % (longest + 1);
	bool runs = next_random(state) % 4 == 0;

	for (size_t i = 0; i < len; i++)
		text[i] = runs && i && next_random(state) % 8 ? text[i - 1]
							      : random_character(state, alphabet);
	return len;
}

/* A few edits, swaps among them, of another text. */
static size_t edited_text(uint64_t *state, const uint32_t *from, size_t len, uint32_t *text)
{
	memcpy(text, from, len * sizeof *text);
	for (uint32_t edits = next_random(state) % 6; edits && len > 1; edits--) {
		size_t at = next_random(state) % (len - 1);
		uint32_t kept = text[at];

		if (edits % 3 == 0) {
			text[at] = random_character(state, 20);
		} else if (edits % 3 == 1) {
			text[at] = text[at + 1];
			text[at + 1] = kept;
		} else {
			memmove(text + at, text + at + 1, (len - at - 1) * sizeof *text);
			len--;
		}
	}
	return len;
}

static void check_pair(const uint32_t *a, size_t a_len, const uint32_t *b, size_t b_len)
{
	size_t osa = plain_distance(a, a_len, b, b_len, true);
	size_t limit = osa / 2;
	struct distance_pattern *pattern = distance_pattern_new(a, a_len);

	assert_int_equal(distance_levenshtein(a, a_len, b, b_len),
			 plain_distance(a, a_len, b, b_len, false));
	assert_int_equal(distance_osa(a, a_len, b, b_len, SIZE_MAX), osa);
	assert_int_equal(distance_osa(a, a_len, b, b_len, osa), osa);
	assert_int_equal(distance_pattern_osa(pattern, b, b_len, osa), osa);
	assert_int_equal(distance_pattern_osa(pattern, b, b_len, SIZE_MAX), osa);
	if (osa > limit) {
		assert_true(distance_osa(a, a_len, b, b_len, limit) > limit);
		assert_true(distance_pattern_osa(pattern, b, b_len, limit) > limit);
	}
	distance_pattern_free(pattern);
}

/* How often the pairs are taken, each time others: make check-distance takes a million. */
static int rounds(void)
{
	const char *text = getenv("DISTANCE_ROUNDS");

	return text ? (int)strtol(text, NULL, 10) : 1;
}

/* Lengths up to `longest`, half of the pairs unrelated, half edits of each other. */
static void check_random(uint64_t seed, int pairs, size_t longest)
{
	uint64_t state = seed;
	uint32_t a[TEXT_MAX];
	uint32_t b[TEXT_MAX];

	for (int i = 0; i < pairs * rounds(); i++) {
		uint32_t alphabet = 2 + next_random(&state) % 20;
		size_t a_len = random_text(&state, a, longest, alphabet);
		size_t b_len = i % 2 ? random_text(&state, b, longest, alphabet)
				     : edited_text(&state, a, a_len, b);

		check_pair(a, a_len, b, b_len);
	}
}

static void short_texts_agree_with_the_definition(void **state)
{
	(void)state;
	check_random(1, 40000, 12);
	check_random(2, 8000, 40);
}

static void texts_of_several_blocks_agree_with_the_definition(void **state)
{
	(void)state;
	check_random(3, 1500, 140);
	check_random(4, 500, TEXT_MAX);
}

/* Every length around the edges of the blocks, with the change in the last rows. */
static void block_edges_agree_with_the_definition(void **state)
{
	uint32_t a[TEXT_MAX];
	uint32_t b[TEXT_MAX];

	(void)state;
	for (size_t len = 60; len <= 196; len++) {
		for (size_t i = 0; i < len; i++)
			a[i] = b[i] = 'a' + (uint32_t)(i % 3);
		b[len - 1] = a[len - 2];
		b[len - 2] = a[len - 1];
		check_pair(a, len, b, len);
		b[0] = 'z';
		check_pair(a, len, b, len);
		check_pair(a, len, b, len - 2);
		check_pair(a, len, b + 1, len - 1);
		if (len > 64) {
			b[63] = a[64];
			b[64] = a[63];
			check_pair(a, len, b, len);
		}
	}
}

static size_t decode(const char *text, uint32_t *out)
{
	size_t len = strlen(text);

	for (size_t i = 0; i < len; i++)
		out[i] = (unsigned char)text[i];
	return len;
}

/* What a pattern keeps of the last text it was held against says nothing wrong of the next one. */
static void texts_that_begin_alike_agree_with_the_definition(void **state)
{
	static const char *const texts[] = {"nearlytheotherkey",
					    "nearlytheotherkeyabc",
					    "nearlytheotherkeyabd",
					    "nearly",
					    "nearlytheotherkeyabdnearlytheotherkeyabd",
					    "neraly",
					    "",
					    "nearlytheotherkeyabdnearlytheotherkeyabce",
					    "nearlytheotherkeyabc",
					    "n"};
	uint32_t a[64];
	uint32_t b[64];
	struct distance_pattern *pattern = distance_pattern_new(a,
								decode("nearlyteholtherkeyabc", a));

	(void)state;
	for (size_t i = 0; i < 1000; i++) {
		const char *text = texts[i * i * 7 / 3 % (sizeof texts / sizeof *texts)];
		size_t len = decode(text, b);
		size_t limit = i % 4 ? i % 23 : SIZE_MAX;
		size_t right = distance_osa(a, 21, b, len, SIZE_MAX);
		size_t found = distance_pattern_osa(pattern, b, len, limit);

		assert_true(right <= limit ? found == right : found > limit);
	}
	distance_pattern_free(pattern);
}

static void known_distances(void **state)
{
	static const struct {
		const char *a;
		const char *b;
		size_t levenshtein;
		size_t osa;
	} cases[] = {
		{"", "", 0, 0},         {"", "abc", 3, 3},        {"abc", "", 3, 3},
		{"ca", "abc", 3, 3},    {"slack", "slcak", 2, 1}, {"kitten", "sitting", 3, 3},
		{"same", "same", 0, 0}, {"ab", "ba", 2, 1},       {"work", "api", 4, 4},
		{"abcd", "badc", 3, 2},
	};
	uint32_t a[16];
	uint32_t b[16];

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		size_t a_len = decode(cases[i].a, a);
		size_t b_len = decode(cases[i].b, b);

		assert_int_equal(distance_levenshtein(a, a_len, b, b_len), cases[i].levenshtein);
		assert_int_equal(distance_osa(a, a_len, b, b_len, 9), cases[i].osa);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_texts_agree_with_the_definition),
		cmocka_unit_test(texts_of_several_blocks_agree_with_the_definition),
		cmocka_unit_test(block_edges_agree_with_the_definition),
		cmocka_unit_test(texts_that_begin_alike_agree_with_the_definition),
		cmocka_unit_test(known_distances),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
