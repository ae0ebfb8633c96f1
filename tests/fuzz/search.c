/*
 * The ranked search: any query over any texts, of which some are taken out again. The first line
 * is the query, the second a document of synonyms, the others are the fields of an item in turn:
 * key, value, labels, about.
 */
#include "fuzz/fuzz.h"

#include "search/search.h"

#define ITEMS_MAX 8
#define NOTHING SIZE_MAX

struct items {
	struct search_item list[ITEMS_MAX];
	size_t count;
};

static void make_items(struct items *items, struct slice input)
{
	while (input.len > 0 && items->count < ITEMS_MAX) {
		struct search_item *item = &items->list[items->count++];

		item->key = fuzz_take_line(&input);
		item->value = fuzz_take_line(&input);
		item->labels = fuzz_take_line(&input);
		item->about = fuzz_take_line(&input);
	}
}

static void check_words(const struct search *index, const struct search_hit *hit)
{
	size_t count;
	const struct slice *words = search_words(index, &count);

	FUZZ_REQUIRE(count <= SEARCH_WORDS_MAX, "a query has so many words at most");
	FUZZ_REQUIRE(count == 0 || words != NULL, "its words can be asked for");
	FUZZ_REQUIRE(count == SEARCH_WORDS_MAX || hit->words >> count == 0,
		     "no word is found that was not asked for");
}

static void check(const struct items *items, struct search *index, struct slice query,
		  const struct synonyms *synonyms, size_t gone)
{
	const struct search_hit *hits;
	size_t count = search_find(index, query, synonyms, &hits);

	FUZZ_REQUIRE(count <= items->count, "an item is found once");
	for (size_t i = 0; i < count; i++) {
		if (fuzz_is_planted(items->list[hits[i].item].key))
			FUZZ_REQUIRE(false, "the planted key is not found");
		FUZZ_REQUIRE(hits[i].item < items->count, "what is found is there");
		FUZZ_REQUIRE(hits[i].item != gone, "what was taken out is not found");
		FUZZ_REQUIRE(hits[i].relevance > 0 && hits[i].relevance <= 1,
			     "relevance is a share");
		FUZZ_REQUIRE(i == 0 || hits[i].relevance <= hits[i - 1].relevance,
			     "the best comes first");
		check_words(index, &hits[i]);
	}
}

static void read_synonyms(struct synonyms *synonyms, struct slice line)
{
	struct json_fault fault;
	struct json doc;
	size_t left_out;

	if (json_parse(&doc, line, &json_line_bounds, &fault) != 0)
		return;
	synonyms_read(synonyms, &doc, &left_out);
	json_release(&doc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice input = fuzz_slice(data, size);
	struct slice query = fuzz_take_line(&input);
	struct synonyms synonyms = {0};
	struct items items = {.count = 0};
	struct search *index;

	if (query.len > SEARCH_QUERY_MAX)
		query.len = SEARCH_QUERY_MAX;
	read_synonyms(&synonyms, fuzz_take_line(&input));
	make_items(&items, input);
	index = search_new(items.list, items.count);
	check(&items, index, query, NULL, NOTHING);
	check(&items, index, query, &synonyms, NOTHING);
	if (items.count > 0) {
		search_remove(index, 0);
		check(&items, index, query, &synonyms, 0);
	}
	search_free(index);
	synonyms_release(&synonyms);
	return 0;
}
