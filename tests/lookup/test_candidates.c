#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lookup/lookup.h"
#include "lookup/lookup_index.h"

#include "base/mem.h"
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>

#define STORES 60
#define ITEMS_MAX 60
#define QUERIES 60
#define SCOPES 3

/* Few words and short ones, so that texts often share, contain and nearly resemble each other. */
static const char *const words[] = {
	"a",        "my",        "the",    "port",      "report",     "work",  "working",
	"context",  "contact",   "editor", "edit",      "mainEdit",   "größe", "grosse",
	"q3",       "q4",        "10",     "10.207.16", "数据库",     "库",    "密码",
	"schedule", "release",   "Zürich", "café",      "cafe",       "vim",   "fixture",
	"fixtures", "sslCAPath", "true",   "state",     "is",         "what",  "about",
	"GeoSync",  "geo",       "sync",   "deploy",    "deployment",
};

#define WORDS (sizeof words / sizeof *words)

/* Random numbers that are the same in every run. */
struct chance {
	uint64_t state;
};

static size_t below(struct chance *chance, size_t limit)
{
	chance->state = chance->state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (size_t)(chance->state >> 33) % limit;
}

static void add_words(struct str *out, struct chance *chance, size_t most)
{
	static const char *const between[] = {" ", "_", "", "-"};
	size_t count = 1 + below(chance, most);

	for (size_t i = 0; i < count; i++) {
		if (i)
			str_adds(out, between[below(chance, 4)]);
		str_adds(out, words[below(chance, WORDS)]);
	}
}

/* Drops, doubles or swaps bytes, of ASCII letters only. */
static void misspell(struct str *text, struct chance *chance)
{
	for (size_t edits = below(chance, 3); edits > 0 && text->len > 2; edits--) {
		size_t at = below(chance, text->len - 1);
		char *letters = text->ptr + at;

		if ((unsigned char)letters[0] >= 0x80 || (unsigned char)letters[1] >= 0x80)
			continue;
		if (below(chance, 2)) {
			char first = letters[0];

			letters[0] = letters[1];
			letters[1] = first;
		} else {
			letters[0] = (char)('a' + below(chance, 26));
		}
	}
}

struct random_store {
	struct lookup_item items[ITEMS_MAX];
	struct str keys[ITEMS_MAX];
	struct str values[ITEMS_MAX];
	struct str refs[ITEMS_MAX];
	size_t count;
};

static void compose_item(struct random_store *store, size_t i, struct chance *chance)
{
	struct str *key = &store->keys[i];
	struct str *value = &store->values[i];

	str_clear(key);
	str_clear(value);
	str_clear(&store->refs[i]);
	add_words(key, chance, 4);
	if (below(chance, 20) == 0) {
		str_clear(key);
		str_adds(key, below(chance, 2) ? "🚀" : "★★");
	}
	if (below(chance, 6) == 0) {
		str_adds(value, below(chance, 2) ? "true" : "{\"port\":10,\"state\":false}");
	} else {
		str_addc(value, '"');
		add_words(value, chance, below(chance, 2) ? 2 : 30);
		str_addc(value, '"');
	}
	str_printf(&store->refs[i], "ref %zu", i);
	store->items[i] = (struct lookup_item){
		.scope = (int)below(chance, SCOPES),
		.key = str_slice(key),
		.value = str_slice(value),
		.ref = str_slice(&store->refs[i]),
		.active_ms = (int64_t)below(chance, 3),
		.archived = below(chance, 6) == 0,
	};
}

static struct random_store *random_store(struct chance *chance)
{
	struct random_store *store = mem_zalloc(1, sizeof *store);

	store->count = below(chance, ITEMS_MAX + 1);
	for (size_t i = 0; i < ITEMS_MAX; i++) {
		str_init(&store->keys[i]);
		str_init(&store->values[i]);
		str_init(&store->refs[i]);
	}
	for (size_t i = 0; i < store->count; i++)
		compose_item(store, i, chance);
	return store;
}

static void free_store(struct random_store *store)
{
	for (size_t i = 0; i < ITEMS_MAX; i++) {
		str_release(&store->keys[i]);
		str_release(&store->values[i]);
		str_release(&store->refs[i]);
	}
	free(store);
}

/* A key, a value, a part of one, or words of no entry; some misspelt. */
static void compose_query(struct str *out, const struct random_store *store, struct chance *chance)
{
	str_clear(out);
	if (store->count && below(chance, 3) == 0) {
		const struct lookup_item *item = &store->items[below(chance, store->count)];
		struct slice text = below(chance, 2) ? item->key : item->value;
		size_t most = text.len < 40 ? text.len : 40;

		str_add(out, slice_make(text.ptr, below(chance, 2) ? most : below(chance, most)));
		while (out->len && (unsigned char)out->ptr[out->len - 1] >= 0x80)
			str_truncate(out, out->len - 1);
	} else {
		add_words(out, chance, 6);
	}
	if (below(chance, 2))
		misspell(out, chance);
}

/* A list of item numbers as refs, for two indexes may number them differently. */
static void describe(struct str *out, const struct lookup *index,
		     const struct lookup_answer *answer)
{
	str_clear(out);
	if (answer->found)
		str_printf(out, "%s %.6f %s", index->entries[answer->item].ref.ptr,
			   answer->confidence, lookup_match_names[answer->match]);
	for (size_t i = 0; i < answer->also_count; i++)
		str_printf(out, ", %s", index->entries[answer->also[i].item].ref.ptr);
}

static void assert_same_answer(struct lookup *a, struct lookup *b, struct slice query, int scope)
{
	STR_AUTO one = STR_INIT;
	STR_AUTO other = STR_INIT;
	struct lookup_answer answer;

	lookup_find(a, query, scope, &answer);
	describe(&one, a, &answer);
	lookup_find(b, query, scope, &answer);
	describe(&other, b, &answer);
	if (!slice_equal(str_slice(&one), str_slice(&other)))
		fail_msg("query \"%.*s\": %s, but %s", (int)query.len, query.ptr, one.ptr,
			 other.ptr);
}

static void assert_same_answers(struct lookup *a, struct lookup *b,
				const struct random_store *store, struct chance *chance)
{
	STR_AUTO query = STR_INIT;

	for (size_t i = 0; i < QUERIES; i++) {
		compose_query(&query, store, chance);
		assert_same_answer(a, b, str_slice(&query),
				   below(chance, 2) ? LOOKUP_ANY_SCOPE
						    : (int)below(chance, SCOPES));
	}
}

static void what_is_passed_over_has_no_answer(void **state)
{
	struct chance chance = {7};

	(void)state;
	for (int i = 0; i < STORES; i++) {
		struct random_store *store = random_store(&chance);
		struct lookup *index = lookup_new(store->items, store->count);
		struct lookup *whole = lookup_new(store->items, store->count);

		whole->whole = true;
		assert_same_answers(index, whole, store, &chance);
		lookup_free(index);
		lookup_free(whole);
		free_store(store);
	}
}

/* Replaces some items of a store in the index; numbers[i] is that of item i. */
static void change_some(struct lookup *index, struct random_store *store, size_t *numbers,
			struct chance *chance)
{
	for (size_t turn = 0; turn < 20; turn++) {
		size_t i = below(chance, ITEMS_MAX);

		if (i < store->count) {
			lookup_remove(index, numbers[i]);
		} else if (store->count < ITEMS_MAX) {
			i = store->count++;
		} else {
			continue;
		}
		compose_item(store, i, chance);
		numbers[i] = lookup_add(index, &store->items[i]);
	}
}

static void an_index_that_changed_answers_like_a_new_one(void **state)
{
	struct chance chance = {11};
	size_t numbers[ITEMS_MAX];

	(void)state;
	for (int i = 0; i < STORES; i++) {
		struct random_store *store = random_store(&chance);
		struct lookup *index = lookup_new(store->items, store->count);
		struct lookup *anew;

		for (size_t j = 0; j < store->count; j++)
			numbers[j] = j;
		change_some(index, store, numbers, &chance);
		anew = lookup_new(store->items, store->count);
		assert_same_answers(index, anew, store, &chance);
		lookup_free(index);
		lookup_free(anew);
		free_store(store);
	}
}

static void only_what_has_to_do_with_a_query_is_looked_at(void **state)
{
	struct lookup_answer answer;
	struct lookup *index = lookup_new(NULL, 0);
	char key[32];

	(void)state;
	for (int i = 0; i < 1000; i++) {
		snprintf(key, sizeof key, "subject%c%c with care", 'a' + i % 26, 'a' + i / 26 % 26);
		lookup_add(index, &(struct lookup_item){.key = slice_of(key),
							.value = slice_of("\"something else\""),
							.ref = slice_of(key)});
	}
	lookup_find(index, slice_of("zebra crossing"), LOOKUP_ANY_SCOPE, &answer);
	assert_false(answer.found);
	assert_int_equal(index->listed.count, 0);
	lookup_free(index);
}

/* Keys that share their words with hundreds of others, and values as short as a word. */
static void a_misspelt_key_has_few_candidates(void **state)
{
	static const char *const subjects[] = {"billing", "deploy", "editor", "garden", "hiring",
					       "kitchen", "laptop", "office", "parser", "server"};
	static const char *const aspects[] = {"owner",    "deadline", "address", "color", "vendor",
					      "schedule", "backup",   "phone",   "theme", "window"};
	struct lookup *index = lookup_new(NULL, 0);
	struct lookup_answer answer;
	char key[64];

	(void)state;
	for (int i = 0; i < 4000; i++) {
		snprintf(key, sizeof key, "%s %s %c%c%c%c", subjects[i % 10], aspects[i / 10 % 10],
			 'b' + i / 100 % 20, 'a' + i / 100 % 3, 'd' + i / 2000, 'o');
		lookup_add(index, &(struct lookup_item){.key = slice_of(key),
							.value = slice_of("\"short\""),
							.ref = slice_of(key)});
	}
	lookup_find(index, slice_of("kicthen schedule dcdo"), LOOKUP_ANY_SCOPE, &answer);
	assert_true(answer.found);
	assert_string_equal(index->entries[answer.item].ref.ptr, "kitchen schedule dcdo");
	assert_in_range(index->candidates.count, 1, 60);
	lookup_free(index);
}

static void an_index_of_removed_items_is_wasteful(void **state)
{
	struct lookup *index = lookup_new(NULL, 0);
	const struct lookup_item item = {.key = slice_of("editor"),
					 .value = slice_of("\"vim\""),
					 .ref = slice_of("state:editor")};
	struct lookup_answer answer;
	size_t number = lookup_add(index, &item);
	int turns = 0;

	(void)state;
	assert_false(lookup_is_wasteful(index));
	for (; !lookup_is_wasteful(index) && turns < 1000; turns++) {
		lookup_remove(index, number);
		lookup_remove(index, number);
		lookup_find(index, item.key, LOOKUP_ANY_SCOPE, &answer);
		assert_false(answer.found);
		number = lookup_add(index, &item);
	}
	assert_in_range(turns, 2, 999);
	lookup_find(index, item.key, LOOKUP_ANY_SCOPE, &answer);
	assert_true(answer.found && answer.item == number);
	lookup_free(index);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_passed_over_has_no_answer),
		cmocka_unit_test(an_index_that_changed_answers_like_a_new_one),
		cmocka_unit_test(only_what_has_to_do_with_a_query_is_looked_at),
		cmocka_unit_test(a_misspelt_key_has_few_candidates),
		cmocka_unit_test(an_index_of_removed_items_is_wasteful),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
