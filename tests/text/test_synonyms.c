#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "search/search.h"
#include "text/synonyms.h"

static void read_text(struct synonyms *synonyms, const char *text, size_t *left_out)
{
	struct json_fault fault;
	struct json doc;

	assert_int_equal(json_parse(&doc, slice_of(text), &json_file_bounds, &fault), 0);
	synonyms_read(synonyms, &doc, left_out);
	json_release(&doc);
}

#define BOOK "{\"editor\":[\"ide\",\"text editor\"],\"boss\":\"manager\"}"

static void reads_lists_and_single_words(void **state)
{
	struct synonyms synonyms = {0};
	size_t left_out;

	(void)state;
	read_text(&synonyms, BOOK, &left_out);
	assert_int_equal(synonyms.count, 5);
	assert_int_equal(left_out, 0);
	read_text(&synonyms, "{\"a\":[1,\"b\",[]],\"\":5,\"c\":null}", &left_out);
	assert_int_equal(synonyms.count, 3);
	assert_int_equal(left_out, 5);
	synonyms_release(&synonyms);
	synonyms_release(&synonyms);
}

static void exchanges_one_expression(void **state)
{
	struct synonyms synonyms = {0};
	struct str variants[8];
	size_t left_out;
	size_t count;

	(void)state;
	read_text(&synonyms, BOOK, &left_out);
	count = synonyms_variants(&synonyms, slice_of("my Text-Editor theme"), variants, 8);
	assert_int_equal(count, 4);
	assert_string_equal(variants[0].ptr, "my editor theme");
	assert_string_equal(variants[1].ptr, "my ide theme");
	assert_string_equal(variants[2].ptr, "my text ide theme");
	for (size_t i = 0; i < count; i++)
		str_release(&variants[i]);
	assert_int_equal(synonyms_variants(&synonyms, slice_of("ide"), variants, 1), 1);
	assert_string_equal(variants[0].ptr, "editor");
	str_release(&variants[0]);
	assert_int_equal(synonyms_variants(&synonyms, slice_of("vim"), variants, 8), 0);
	synonyms_release(&synonyms);
}

static double relevance(struct search *index, const struct synonyms *synonyms, const char *query)
{
	const struct search_hit *hits;

	return search_find(index, slice_of(query), synonyms, &hits) ? hits[0].relevance : 0;
}

static void a_search_finds_what_means_the_same(void **state)
{
	const struct search_item items[] = {
		{.key = slice_of("text editor"), .value = slice_of("\"neovim\"")},
		{.key = slice_of("shell"), .value = slice_of("\"fish\"")},
		{.key = slice_of("manager"), .value = slice_of("\"Petra\"")},
	};
	struct search *index = search_new(items, 3);
	struct synonyms synonyms = {0};
	size_t left_out;

	(void)state;
	read_text(&synonyms, BOOK, &left_out);
	assert_true(relevance(index, NULL, "ide") == 0);
	assert_true(relevance(index, &synonyms, "ide") > 0);
	assert_true(relevance(index, &synonyms, "ide") < relevance(index, NULL, "text editor"));
	assert_true(relevance(index, &synonyms, "boss") > 0);
	assert_true(relevance(index, &synonyms, "volcano") == 0);
	synonyms_release(&synonyms);
	search_free(index);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_lists_and_single_words),
		cmocka_unit_test(exchanges_one_expression),
		cmocka_unit_test(a_search_finds_what_means_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
