#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/mem.h"
#include "base/str.h"
#include "search/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ITEM(name, json)                                                                           \
	{                                                                                          \
		.key = {name, sizeof(name) - 1}, .value = { json, sizeof(json) - 1 }               \
	}

static const struct search_item notes[] = {
	ITEM("billing", "\"Restarting the billing export: stop redis, then warm the cache.\""),
	ITEM("search_index", "\"The search index listens on port 2097.\""),
	ITEM("mainEditor", "{\"name\":\"neovim\",\"since\":2019}"),
	ITEM("owner", "\"Questions about the login page go to Farah Bellini.\""),
	ITEM("stand_in", "\"Farah Costa asks Igor Bellini about the login page.\""),
	ITEM("wetter", "\"Die Einstellungen der gr\xc3\xb6\xc3\x9f"
		       "eren Anzeige\""),
	ITEM("\xe5\x81\x8f\xe5\xa5\xbd", "\"\xe6\xb7\xb1\xe8\x89\xb2\xe4\xb8\xbb\xe9\xa2\x98\""),
	ITEM("GeoSync", "\"the company of Sunil\""),
};

#define COUNT (sizeof notes / sizeof *notes)

static int set_up(void **state)
{
	*state = search_new(notes, COUNT);
	return 0;
}

static int tear_down(void **state)
{
	search_free(*state);
	return 0;
}

/* The best item for a query; COUNT when there is none. */
static size_t best(struct search *index, const char *query)
{
	const struct search_hit *hits;

	return search_find(index, slice_of(query), NULL, &hits) ? hits[0].item : COUNT;
}

static void finds_words_and_their_forms(void **state)
{
	static const struct {
		const char *query;
		size_t item;
	} rows[] = {
		{"neovim", 2},
		{"main editor", 2},
		{"editors", 2},
		{"how do I restart the billing export", 0},
		{"stopped redis", 0},
		{"port 2097", 1},
		{"2097", 1},
		{"2098", COUNT},
		{"geosync", 7},
		{"GeoSync", 7},
		{"geo sync", 7},
		{"volcano", COUNT},
		{"knitting pattern", COUNT},
		{"", COUNT},
		{"!!!", COUNT},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (best(*state, rows[i].query) != rows[i].item)
			fail_msg("%s", rows[i].query);
	}
}

static void finds_misspelt_words(void **state)
{
	assert_int_equal(best(*state, "noevim"), 2);
	assert_int_equal(best(*state, "biling exprot"), 0);
	assert_int_equal(best(*state, "neov"), 2);
	/* What is found by the word itself is not mixed with what resembles it. */
	assert_int_equal(best(*state, "cache"), 0);
}

static void finds_words_of_other_languages(void **state)
{
	assert_int_equal(best(*state, "Einstellung"), 5);
	assert_int_equal(best(*state, "Gr\xc3\xb6\xc3\x9f"
				      "ere"),
			 5);
	assert_int_equal(best(*state, "grosseren"), 5);
	assert_int_equal(best(*state, "groesseren"), 5);
	assert_int_equal(best(*state, "\xe4\xb8\xbb\xe9\xa2\x98"), 6);
	assert_int_equal(best(*state, "\xe4\xb8\xbb\xe8\x89\xb2"), COUNT);
	assert_int_equal(best(*state, "\xe5\x81\x8f\xe5\xa5\xbd"), 6);
}

/* The word itself goes before another one for the same, and how rare it is says what it tells. */
static void finds_other_words_for_the_same(void **state)
{
	static const struct search_item items[] = {
		ITEM("uploads", "\"All files of a request are put into one directory.\""),
		ITEM("theme", "\"The header has its own color.\""),
		ITEM("inbox", "\"A folder is made for each sender.\""),
		ITEM("hosts", "\"The server is launched by systemd.\""),
	};
	struct search *index = search_new(items, sizeof items / sizeof *items);
	const struct search_hit *hits;

	(void)state;
	assert_int_equal(best(index, "colour of the header"), 1);
	assert_int_equal(best(index, "colours"), 1);
	assert_int_equal(best(index, "how do I start it"), 3);
	assert_int_equal(search_find(index, slice_of("folders"), NULL, &hits), 2);
	assert_int_equal(hits[0].item, 2);
	assert_int_equal(hits[1].item, 0);
	assert_true(hits[0].coverage > 0.8);
	assert_true(hits[1].coverage > 0.4 && hits[1].coverage < 0.6);
	assert_int_equal(search_find(index, slice_of("receipts"), NULL, &hits), 0);
	search_free(index);
}

/* They have a root in common, and little else. */
static void finds_participles_by_their_root(void **state)
{
	static const struct search_item items[] = {
		ITEM("umzug", "\"Das Hosting macht ein neuer Anbieter.\""),
		ITEM("urlaub", "\"Wir waren an der Ostsee.\""),
	};
	struct search *index = search_new(items, 2);

	(void)state;
	assert_int_equal(best(index, "gehostet"), 0);
	search_free(index);
}

static void words_that_stand_together_come_first(void **state)
{
	const struct search_hit *hits;
	size_t count = search_find(*state, slice_of("who is Farah Bellini?"), NULL, &hits);

	assert_int_equal(count, 2);
	assert_int_equal(hits[0].item, 3);
	assert_int_equal(hits[1].item, 4);
	assert_true(hits[0].relevance > hits[1].relevance);
	assert_true(hits[0].relevance <= 1);
}

static void a_text_that_asks_is_no_answer(void **state)
{
	static const struct search_item turns[] = {
		ITEM("a", "\"Bruno, which books do you read in summer?\""),
		ITEM("b", "\"In summer I read books about birds, says Bruno.\""),
		ITEM("c", "\"\xe5\xa4\x8f\xe5\xad\xa3\xe9\x98\x85\xe8\xaf\xbb\xef\xbc\x9f\""),
		ITEM("d", "\"\xe5\xa4\x8f\xe5\xad\xa3\xe9\x98\x85\xe8\xaf\xbb\xe9\xb8\x9f\""),
	};
	struct search *index = search_new(turns, sizeof turns / sizeof *turns);

	(void)state;
	assert_int_equal(best(index, "which books does Bruno read in summer"), 1);
	assert_int_equal(best(index, "\xe5\xa4\x8f\xe5\xad\xa3\xe9\x98\x85\xe8\xaf\xbb"), 3);
	search_free(index);
}

static void a_single_word_of_many_is_not_enough(void **state)
{
	assert_int_equal(best(*state, "opera port tickets moon landing haiku giraffe volcano"),
			 COUNT);
	assert_int_equal(best(*state, "search port tickets"), 1);
}

static void tells_which_words_were_found(void **state)
{
	const struct search_hit *hits;
	const struct slice *words;
	size_t count;

	search_find(*state, slice_of("what is the port of the Search index"), NULL, &hits);
	words = search_words(*state, &count);
	assert_int_equal(count, 2);
	assert_true(slice_is(words[0], "port"));
	assert_true(slice_is(words[1], "index"));
	assert_int_equal(hits[0].item, 1);
	assert_int_equal(hits[0].words, 3);
}

static void what_says_the_same_has_one_digest(void **state)
{
	static const struct search_item items[] = {
		ITEM("a", "\"one two three four five six seven\""),
		ITEM("b", "\"One, two, three; four five six seven!\""),
		ITEM("c", "\"yes seven\""),
		ITEM("d", "\"yes seven\""),
	};
	struct search *index = search_new(items, 4);
	const struct search_hit *hits;
	uint64_t digests[4] = {0};
	size_t count = search_find(index, slice_of("seven"), NULL, &hits);

	(void)state;
	assert_int_equal(count, 4);
	for (size_t i = 0; i < count; i++)
		digests[hits[i].item] = hits[i].digest;
	assert_true(digests[0] == digests[1]);
	assert_true(digests[2] != digests[3]);
	search_free(index);
}

static void an_empty_index_finds_nothing(void **state)
{
	static const struct search_item blank[] = {ITEM("!", "null")};
	struct search *none = search_new(NULL, 0);
	struct search *index = search_new(blank, 1);

	(void)state;
	assert_int_equal(best(none, "word"), COUNT);
	assert_int_equal(best(index, "word"), COUNT);
	search_free(none);
	search_free(index);
	search_free(NULL);
}

/* A megabyte of one letter, of one word, of marks; and a query as long as one may be. */
static void strange_texts_cost_little(void **state)
{
	const size_t size = (size_t)1 << 20;
	struct search_item items[4] = {ITEM("short", "\"a b c\"")};
	char *texts[4] = {NULL};
	const struct search_hit *hits;
	struct search *index;
	char query[1200];

	(void)state;
	for (int i = 1; i < 4; i++) {
		texts[i] = mem_alloc(size);
		for (size_t j = 0; j < size; j++)
			texts[i][j] = "aa \xcc\x81"[i == 1 ? 0 : i == 2 ? j % 3 : 3 + j % 2];
		items[i] = (struct search_item){.key = slice_of("key"),
						.value = slice_make(texts[i], size)};
	}
	for (size_t i = 0; i < sizeof query; i++)
		query[i] = "ab "[i % 3];
	index = search_new(items, 4);
	search_find(index, slice_make(query, sizeof query), NULL, &hits);
	search_find(index, slice_make(texts[1], size), NULL, &hits);
	search_find(index, slice_make(texts[3], size), NULL, &hits);
	assert_int_equal(search_find(index, slice_of("key"), NULL, &hits), 3);
	search_free(index);
	for (int i = 1; i < 4; i++)
		free(texts[i]);
}

static void many_equal_keys_are_all_found_in_their_order(void **state)
{
	const size_t count = 10000;
	struct search_item *items = mem_zalloc(count, sizeof *items);
	const struct search_hit *hits;
	struct search *index;

	(void)state;
	for (size_t i = 0; i < count; i++)
		items[i] = (struct search_item){.key = slice_of("same key"),
						.value = slice_of("\"same value\"")};
	index = search_new(items, count);
	assert_int_equal(search_find(index, slice_of("smae"), NULL, &hits), count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(hits[i].item, i);
	search_free(index);
	free(items);
}

/* Random numbers that are the same in every run. */
static size_t below(uint64_t *chance, size_t limit)
{
	*chance = *chance * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (size_t)(*chance >> 33) % limit;
}

#define ITEMS 40

static void add_words(struct str *out, uint64_t *chance, size_t most)
{
	static const char *const words[] = {
		"report", "reports", "reporting", "editor", "mainEditor", "größe",
		"grosse", "2097",    "billing",   "密码",   "密码学",     "because",
		"first",  "then",    "vim",       "vimrc",  "incident",   "fix",
	};

	for (size_t n = 1 + below(chance, most); n > 0; n--) {
		str_adds(out, words[below(chance, sizeof words / sizeof *words)]);
		str_addc(out, ' ');
	}
}

/* An item of random words; what its texts were is forgotten. */
static struct search_item random_item(struct str texts[2], uint64_t *chance)
{
	str_clear(&texts[0]);
	str_clear(&texts[1]);
	add_words(&texts[0], chance, 2);
	str_addc(&texts[1], '"');
	add_words(&texts[1], chance, 12);
	str_addc(&texts[1], '"');
	return (struct search_item){.key = str_slice(&texts[0]),
				    .value = str_slice(&texts[1]),
				    .about = str_slice(&texts[0])};
}

static void describe(struct str *out, struct search *index, const size_t *item_of,
		     const char *query)
{
	const struct search_hit *hits;
	size_t count = search_find(index, slice_of(query), NULL, &hits);

	str_clear(out);
	for (size_t i = 0; i < count; i++)
		str_printf(out, "%zu %.6f %llx, ", item_of[hits[i].item], hits[i].relevance,
			   (unsigned long long)hits[i].words);
}

static void assert_same_hits(struct search *changed, const size_t *item_of, struct search *anew)
{
	static const char *const queries[] = {"report",         "reported",
					      "why the editor", "editro 2097",
					      "grosse billing", "密码",
					      "vi vimr",        "how incident fix",
					      "main editor",    "mainEditor report",
					      "billing first",  "nowhere to",
					      "largest grösse"};
	static const size_t same[ITEMS] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13,
					   14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27,
					   28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39};
	STR_AUTO one = STR_INIT;
	STR_AUTO other = STR_INIT;

	for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
		describe(&one, changed, item_of, queries[i]);
		describe(&other, anew, same, queries[i]);
		if (!slice_equal(str_slice(&one), str_slice(&other)))
			fail_msg("%s: %s, but %s", queries[i], one.ptr, other.ptr);
	}
}

/* Items that come and go; texts[i] and numbers[i] are of the item at place i. */
struct changing {
	struct str texts[ITEMS][2];
	size_t numbers[ITEMS];
	size_t item_of[1000];
	struct search *index;
};

static void put(struct changing *c, size_t i, uint64_t *chance)
{
	struct search_item item = random_item(c->texts[i], chance);

	c->numbers[i] = search_add(c->index, &item);
	search_place(c->index, c->numbers[i], i);
	c->item_of[c->numbers[i]] = i;
}

static void an_index_that_changed_finds_what_a_new_one_does(void **state)
{
	struct changing c = {.index = search_new(NULL, 0)};
	uint64_t chance = 5;

	(void)state;
	for (size_t i = 0; i < ITEMS; i++) {
		str_init(&c.texts[i][0]);
		str_init(&c.texts[i][1]);
		put(&c, i, &chance);
	}
	for (int round = 0; round < 20; round++) {
		struct search_item items[ITEMS];
		struct search *anew;

		for (int turn = 0; turn < 20; turn++) {
			size_t i = below(&chance, ITEMS);

			search_remove(c.index, c.numbers[i]);
			search_remove(c.index, c.numbers[i]);
			put(&c, i, &chance);
		}
		for (size_t i = 0; i < ITEMS; i++)
			items[i] = (struct search_item){.key = str_slice(&c.texts[i][0]),
							.value = str_slice(&c.texts[i][1]),
							.about = str_slice(&c.texts[i][0])};
		anew = search_new(items, ITEMS);
		assert_same_hits(c.index, c.item_of, anew);
		search_free(anew);
	}
	assert_true(search_is_wasteful(c.index));
	search_free(c.index);
	for (size_t i = 0; i < ITEMS; i++) {
		str_release(&c.texts[i][0]);
		str_release(&c.texts[i][1]);
	}
}

static void what_was_removed_is_not_found(void **state)
{
	struct search *index = search_new(notes, COUNT);
	const struct search_hit *hits;

	(void)state;
	assert_false(search_is_wasteful(index));
	search_remove(index, 2);
	search_remove(index, COUNT);
	/* a word of removed items alone is none: then what is nearly that counts */
	assert_int_equal(search_find(index, slice_of("neovim"), NULL, &hits), 0);
	for (size_t i = 0; i < COUNT; i++)
		search_remove(index, i);
	assert_int_equal(search_find(index, slice_of("billing"), NULL, &hits), 0);
	assert_int_equal(search_add(index, &notes[0]), COUNT);
	assert_int_equal(search_find(index, slice_of("biling"), NULL, &hits), 1);
	assert_int_equal(hits[0].item, COUNT);
	search_free(index);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

static const struct search_item facts[] = {
	ITEM("rate_limit", "\"100 requests an hour for each tenant\""),
	ITEM("docstrings", "\"numpy style, checked by the linter\""),
	ITEM("550e8400-e29b-41d4-a716-446655440000", "\"tenant of Northwind\""),
	ITEM("sha256:9f86d081884c7d65", "\"base image\""),
	ITEM("demo_daten", "\"keine in der Produktion\""),
	ITEM("\xec\xbb\xa4\xeb\xb0\x8b_\xeb\xa9\x94\xec\x8b\x9c\xec\xa7\x80",
	     "\"\xed\x95\x9c\xea\xb5\xad\xec\x96\xb4\xeb\xa1\x9c \xec\x9e\x91\xec\x84\xb1\""),
	ITEM("max_retry_count", "7"),
	ITEM("RFC-0042", "\"plugin sandbox\""),
};

#define FACTS (sizeof facts / sizeof *facts)

static void finds_keys_and_words_however_they_are_written(void **state)
{
	static const struct {
		const char *query;
		size_t item;
	} rows[] = {
		{"ratelimit", 0},
		{"rate-limit of a tenant", 0},
		{"doc-string style", 1},
		{"550e8400e29b41d4a716446655440000", 2},
		{"9f86d081", 3},
		{"demodaten", 4},
		/* 커밋 메시지는 어떤 언어로 작성하나요? */
		{"\xec\xbb\xa4\xeb\xb0\x8b "
		 "\xeb\xa9\x94\xec\x8b\x9c\xec\xa7\x80\xeb\x8a\x94 "
		 "\xec\x96\xb4\xeb\x96\xa4 \xec\x96\xb8\xec\x96\xb4\xeb\xa1\x9c",
		 5},
		{"maxretrycount", 6},
		{"rfc 42", 7},
		{"9f86d082", FACTS},
		{"rfc 43", FACTS},
	};
	struct search *index = search_new(facts, FACTS);

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct search_hit *hits;
		size_t count = search_find(index, slice_of(rows[i].query), NULL, &hits);
		size_t found = count ? hits[0].item : FACTS;

		if (found != rows[i].item)
			fail_msg("%s: %zu", rows[i].query, found);
	}
	search_free(index);
}

static void only_a_clear_first_result_is_sure(void **state)
{
	struct search_hit first = {.relevance = 0.8, .coverage = 0.9, .numbers = true};
	struct search_hit second = {.relevance = 0.4, .coverage = 0.5, .numbers = true};
	double confidence = 0;

	(void)state;
	assert_true(search_is_sure(&first, NULL, &confidence));
	assert_true(search_is_sure(&first, &second, &confidence));
	assert_true(confidence > 0.6 && confidence < 0.84);
	second.relevance = 0.79;
	assert_false(search_is_sure(&first, &second, &confidence));
	second.relevance = 0.4;
	first.numbers = false;
	assert_false(search_is_sure(&first, &second, &confidence));
	first = (struct search_hit){.relevance = 0.8, .coverage = 0.3, .numbers = true};
	assert_false(search_is_sure(&first, &second, &confidence));
}

/* What holds less than the first result is shown behind it. */
static void the_floor_is_for_the_first_result(void **state)
{
	const struct search_hit *hits;
	size_t count = search_find(*state,
				   slice_of("restarting the billing export with a warm cache of "
					    "the company"),
				   NULL, &hits);

	assert_int_equal(hits[0].item, 0);
	assert_int_equal(count, 2);
	assert_int_equal(hits[1].item, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_keys_and_words_however_they_are_written),
		cmocka_unit_test(a_text_that_asks_is_no_answer),
		cmocka_unit_test(only_a_clear_first_result_is_sure),
		cmocka_unit_test_setup_teardown(the_floor_is_for_the_first_result, set_up,
						tear_down),
		TEST(finds_words_and_their_forms),
		TEST(finds_misspelt_words),
		TEST(finds_words_of_other_languages),
		TEST(finds_other_words_for_the_same),
		TEST(finds_participles_by_their_root),
		TEST(words_that_stand_together_come_first),
		TEST(a_single_word_of_many_is_not_enough),
		TEST(tells_which_words_were_found),
		TEST(what_says_the_same_has_one_digest),
		TEST(an_empty_index_finds_nothing),
		cmocka_unit_test(an_index_that_changed_finds_what_a_new_one_does),
		cmocka_unit_test(what_was_removed_is_not_found),
		TEST(strange_texts_cost_little),
		TEST(many_equal_keys_are_all_found_in_their_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
