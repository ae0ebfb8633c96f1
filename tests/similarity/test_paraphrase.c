/*
 * The join finds every pair that comparing each with each finds, and looks at few others.
 */
#include "similarity/paraphrase.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXTS_MAX 1000

struct texts {
	struct arena arena;
	struct statement list[TEXTS_MAX];
	size_t count;
	bool *visited; /* count times count */
	size_t visits;
};

static void add_text(struct texts *texts, struct slice text)
{
	struct statement *statement = &texts->list[texts->count++];

	assert_true(texts->count <= TEXTS_MAX);
	*statement = (struct statement){.text = arena_copy(&texts->arena, text)};
	statement_read(statement, &texts->arena);
}

static uint32_t chance(uint32_t *state, uint32_t below)
{
	*state = *state * 1664525 + 1013904223;
	return (*state >> 8) % below;
}

static bool visit(void *context, size_t a, size_t b)
{
	struct texts *texts = context;
	bool *visited = &texts->visited[a * texts->count + b];

	assert_true(a < b && b < texts->count);
	assert_false(*visited);
	*visited = true;
	texts->visits++;
	return true;
}

static void join(struct texts *texts)
{
	texts->visited = mem_zalloc(texts->count * texts->count, sizeof *texts->visited);
	paraphrase_find(texts->list, texts->count, visit, texts);
}

static void release(struct texts *texts)
{
	free(texts->visited);
	arena_release(&texts->arena);
}

static bool says_same(const struct statement *a, const struct statement *b)
{
	bool same = statement_compare(a, b) == STATEMENT_SAME;

	assert_int_equal(same, statement_is_same(a, b));
	return same;
}

/* Compares each with each; returns how many different texts say the same. */
static size_t check_all_pairs(const struct texts *texts)
{
	size_t found = 0;

	for (size_t a = 0; a < texts->count; a++) {
		for (size_t b = a + 1; b < texts->count; b++) {
			const struct statement *one = &texts->list[a];
			const struct statement *other = &texts->list[b];

			if (slice_equal(one->text, other->text) ||
			    !(says_same(one, other) || says_same(other, one)))
				continue;
			found++;
			if (!texts->visited[a * texts->count + b])
				fail_msg("not looked at: %.*s | %.*s", (int)one->text.len,
					 one->text.ptr, (int)other->text.len, other->text.ptr);
		}
	}
	return found;
}

/* Words with their other forms, synonyms and opposites beside them; names, numbers and days. */
static const char *const words[] = {
	"the",     "The",     "invoices", "invoice",   "are",    "is",        "signed",
	"sign",    "by",      "Helga",    "Petrel",    "in",     "on",        "Monday",
	"mondays", "three",   "3",        "14",        "two",    "enabled",   "disabled",
	"not",     "never",   "always",   "brief",     "short",  "long",      "used",
	"unused",  "since",   "March",    "moved",     "now",    "mandatory", "optional",
	"reviews", "review",  "need",     "needs",     "needed", "approvals", "approval",
	"tickets", "tracked", "track",    "Linear",    "linear", "with",      "water",
	"milk",    "because", "of",       "harvest",   "lead",   "head",      "baker",
	"may",     "May",     "visible",  "invisible", "use",    "using",     "uses",
	"don't",   "without", "und",      "nicht",     "wird",   "verwaltet", "Bücher",
};

static void add_sentence(struct texts *texts, uint32_t *state)
{
	STR_AUTO text = STR_INIT;
	uint32_t count = 3 + chance(state, 9);

	for (uint32_t i = 0; i < count; i++) {
		str_adds(&text, words[chance(state, sizeof words / sizeof *words)]);
		str_adds(&text, chance(state, 9) == 0 ? ", " : " ");
	}
	add_text(texts, str_slice(&text));
}

/* Another text with a word more, less or next to it in the list. */
static void add_variant(struct texts *texts, uint32_t *state)
{
	struct slice text = texts->list[chance(state, (uint32_t)texts->count)].text;
	STR_AUTO out = STR_INIT;

	for (size_t at = 0; at < text.len;) {
		const char *end = memchr(text.ptr + at, ' ', text.len - at);
		size_t len = end ? (size_t)(end - text.ptr) - at : text.len - at;
		struct slice word = slice_make(text.ptr + at, len);
		size_t known = 0;

		while (known < sizeof words / sizeof *words && !slice_is(word, words[known]))
			known++;
		if (chance(state, 15) == 0 && known + 1 < sizeof words / sizeof *words)
			str_adds(&out, words[known + 1]);
		else if (chance(state, 20) != 0)
			str_add(&out, word);
		str_addc(&out, ' ');
		at += len + 1;
	}
	add_text(texts, str_slice(&out));
}

static void each_pair_that_says_the_same_is_visited(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 4; seed++) {
		struct texts texts = {.count = 0};
		uint32_t random = seed;

		for (size_t i = 0; i < 30; i++)
			add_sentence(&texts, &random);
		for (size_t i = 0; i < 170; i++)
			add_variant(&texts, &random);
		join(&texts);
		size_t same = check_all_pairs(&texts);

		print_message("%zu of %zu pairs visited say the same\n", same, texts.visits);
		assert_true(same > 50);
		release(&texts);
	}
}

static void labelled_statements_are_paired(void **state)
{
	const char *folder = getenv("srcdir");
	struct texts texts = {.count = 0};
	char line[512];
	char path[512];
	FILE *file;

	(void)state;
	snprintf(path, sizeof path, "%s/tests/similarity/statements.txt", folder ? folder : ".");
	file = fopen(path, "r");
	assert_non_null(file);
	while (fgets(line, sizeof line, file)) {
		char *rest = line;
		char *kind = strsep(&rest, "|");
		char *first = strsep(&rest, "|");

		if (*kind == '#' || !first)
			continue;
		add_text(&texts, slice_of(first));
		add_text(&texts, slice_of(strsep(&rest, "\n")));
	}
	fclose(file);
	join(&texts);
	assert_true(check_all_pairs(&texts) > 5);
	/* Most pairs have little in common. */
	assert_true(texts.visits * 100 < texts.count * texts.count / 2);
	release(&texts);
}

/* The work grows with what is alike, and not with the square of the texts. */
static void texts_that_share_usual_words_are_not_compared(void **state)
{
	static const char *const syllables[] = {"ba", "do", "fi", "gu", "ka", "lo", "mi", "nu"};
	struct texts texts = {.count = 0};
	uint32_t random = 7;

	(void)state;
	for (size_t i = 0; i < TEXTS_MAX; i++) {
		STR_AUTO text = STR_INIT;

		str_adds(&text, "ask about it before the end of the month, not by mail");
		for (size_t k = 0; k < 8; k++) {
			str_addc(&text, ' ');
			for (size_t s = 0; s < 4; s++)
				str_adds(&text, syllables[chance(&random, 8)]);
		}
		add_text(&texts, str_slice(&text));
	}
	join(&texts);
	assert_true(texts.visits < TEXTS_MAX);
	release(&texts);
}

static void copies_are_paired_with_others_and_not_with_each_other(void **state)
{
	struct texts texts = {.count = 0};

	(void)state;
	add_text(&texts, slice_of("Reviews need two approvals of the team lead"));
	add_text(&texts, slice_of("Reviews need two approvals of the team lead"));
	add_text(&texts, slice_of("A review needs two approvals of the team lead"));
	join(&texts);
	assert_int_equal(check_all_pairs(&texts), 2);
	assert_int_equal(texts.visits, 2);
	release(&texts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_pair_that_says_the_same_is_visited),
		cmocka_unit_test(labelled_statements_are_paired),
		cmocka_unit_test(texts_that_share_usual_words_are_not_compared),
		cmocka_unit_test(copies_are_paired_with_others_and_not_with_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
