/*
 * The lookup: any question over any keys and values. The first line is the question, the others
 * are keys and values in turn.
 */
#include "fuzz/fuzz.h"

#include "json/write.h"
#include "lookup/lookup.h"

#define ITEMS_MAX 12

struct items {
	struct lookup_item list[ITEMS_MAX];
	struct str values[ITEMS_MAX];
	size_t count;
};

/* A value is JSON: the line itself when it is, else a string of it. */
static void make_value(struct slice line, struct str *out)
{
	struct json_fault fault;
	struct json doc;

	if (json_parse(&doc, line, &json_line_bounds, &fault) == 0) {
		str_add(out, line);
		json_release(&doc);
		return;
	}
	struct json_writer w = json_writer_to(out, &json_compact);
	json_write_string(&w, line);
}

static void make_items(struct items *items, struct slice input)
{
	while (input.len > 0 && items->count < ITEMS_MAX) {
		struct lookup_item *item = &items->list[items->count];
		struct str *value = &items->values[items->count];

		str_init(value);
		item->key = fuzz_take_line(&input);
		make_value(fuzz_take_line(&input), value);
		item->value = str_slice(value);
		item->ref = item->key;
		item->scope = (int)(items->count % 5);
		item->archived = items->count % 4 == 3;
		item->active_ms = (int64_t)items->count;
		items->count++;
	}
}

static void check(const struct items *items, int scope, const struct lookup_answer *answer)
{
	if (fuzz_is_planted(answer->found ? items->list[answer->item].key : slice_of("")))
		FUZZ_REQUIRE(false, "the planted key is not found");
	FUZZ_REQUIRE(answer->also_count <= LOOKUP_ALSO_MAX, "few are named beside the answer");
	for (size_t i = 0; i < answer->also_count; i++)
		FUZZ_REQUIRE(answer->also[i].item < items->count,
			     "what is named beside it is there");
	if (!answer->found)
		return;
	FUZZ_REQUIRE(answer->item < items->count, "the answer is one of the items");
	FUZZ_REQUIRE(answer->confidence >= LOOKUP_FLOOR && answer->confidence <= 1,
		     "an answer has a confidence");
	FUZZ_REQUIRE(scope == LOOKUP_ANY_SCOPE || items->list[answer->item].scope == scope,
		     "an answer is in the scope");
	FUZZ_REQUIRE(lookup_match_names[answer->match] != NULL, "a kind of match has a name");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice input = fuzz_slice(data, size);
	struct slice query = fuzz_take_line(&input);
	struct items items = {.count = 0};
	struct lookup_answer answer;
	struct lookup *index;

	if (query.len > LOOKUP_QUERY_MAX)
		query.len = LOOKUP_QUERY_MAX;
	make_items(&items, input);
	index = lookup_new(items.list, items.count);
	lookup_find(index, query, LOOKUP_ANY_SCOPE, &answer);
	check(&items, LOOKUP_ANY_SCOPE, &answer);
	if (items.count > 0) {
		lookup_find(index, query, 0, &answer);
		check(&items, 0, &answer);
		lookup_touch(index, 0, 99, false);
		lookup_find(index, items.list[0].key, LOOKUP_ANY_SCOPE, &answer);
		check(&items, LOOKUP_ANY_SCOPE, &answer);
	}
	lookup_free(index);
	for (size_t i = 0; i < items.count; i++)
		str_release(&items.values[i]);
	return 0;
}
