/*
 * What says the same among all entries is what comparing each with each finds.
 */
#include "ops/hints.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "base/mem.h"
#include "ops/similar_text.h"
#include "store/view/query.h"
#include "support/teststore.h"

#include <stdlib.h>

static const struct {
	enum category category;
	const char *key;
	const char *value;
} entries[] = {
	{CATEGORY_CONNECTIONS, "Sunil", "\"leads the data team\""},
	{CATEGORY_CONNECTIONS, "Sunil Nagaraj", "\"likes tea\""},
	{CATEGORY_CONNECTIONS, "Sunil Nagaraj Rao", "\"plays the oboe\""},
	{CATEGORY_CONNECTIONS, "Sun", "\"a star\""},
	{CATEGORY_CONNECTIONS, "Helga", "{\"name\":\"Helga\",\"role\":\"baker\",\"days\":3}"},
	{CATEGORY_STATE, "the baker", "{\"days\":3.0,\"role\":\"b\\u0061ker\",\"name\":\"Helga\"}"},
	{CATEGORY_STATE, "other baker", "{\"name\":\"Helga\",\"role\":\"driver\",\"days\":3}"},
	{CATEGORY_STATE, "more", "{\"name\":\"Helga\",\"role\":\"baker\",\"days\":3,\"pay\":1}"},
	{CATEGORY_PREFERENCES, "reviews", "\"Reviews need two approvals of the team\""},
	{CATEGORY_STATE, "approvals", "\"A review needs 2 approvals of the team\""},
	{CATEGORY_STATE, "one approval", "\"A review needs 1 approval of the team\""},
	{CATEGORY_STATE, "copy", "\"A review needs 2 approvals of the team\""},
	{CATEGORY_PATTERNS, "logs", "\"Logs of the night shift are kept short and in English\""},
	{CATEGORY_PATTERNS, "night logs", "\"The night shift keeps its logs brief, in English\""},
	{CATEGORY_STATE, "shift", "\"Logs of the night shift are kept long and in English\""},
	{CATEGORY_STATE, "done", "\"Fixed the login bug of the shop in the night shift\""},
	{CATEGORY_STATE, "done too", "\"The login bug of the shop was fixed in the night shift\""},
	{CATEGORY_STATE, "empty", "\"\""},
	{CATEGORY_STATE, "list", "[\"a\",\"b\"]"},
};

#define COUNT (sizeof entries / sizeof *entries)

struct world {
	struct teststore store;
	struct arena arena;
	const struct item *items[COUNT];
	struct similar *similar;
	size_t count;
};

static void world_open(struct world *world, bool in_turn)
{
	const struct item *all;
	struct slice texts[COUNT];

	*world = (struct world){.count = COUNT};
	teststore_open(&world->store);
	for (size_t i = 0; i < COUNT; i++) {
		if (in_turn)
			fake_sys_set_now(fake_sys_now() + 1000);
		assert_int_equal(teststore_set(&world->store, entries[i].category, entries[i].key,
					       entries[i].value, NULL),
				 ERR_NONE);
	}
	teststore_refresh(&world->store);
	all = store_items(world->store.store, &world->count);
	assert_int_equal(world->count, COUNT);
	for (size_t i = 0; i < COUNT; i++) {
		world->items[i] = &all[i];
		texts[i] = alike_text(&all[i], &world->arena);
	}
	world->similar = similar_new(texts, COUNT);
}

static bool says_same(const struct item *older, const struct item *newer)
{
	return older->updated_ms <= newer->updated_ms &&
	       hints_compare(older, newer) == STATEMENT_SAME;
}

static void check_found(bool in_turn, double threshold)
{
	struct hints_read *read;
	struct similar_pair *pairs;
	struct world world;
	size_t found = 0;
	size_t count;

	world_open(&world, in_turn);
	read = hints_read_new(world.store.store);
	count = hints_find_same(read, world.items, world.similar, threshold, &pairs);
	for (size_t a = 0; a < COUNT; a++) {
		for (size_t b = a + 1; b < COUNT; b++) {
			const struct item *one = world.items[a];
			const struct item *other = world.items[b];

			if (similar_jaccard(world.similar, a, b) >= threshold ||
			    !(says_same(one, other) || says_same(other, one)))
				continue;
			if (found >= count || pairs[found].a != a || pairs[found].b != b)
				fail_msg("not found: %.*s | %.*s", (int)one->ref.len, one->ref.ptr,
					 (int)other->ref.len, other->ref.ptr);
			found++;
		}
	}
	assert_int_equal(found, count);
	assert_true(found >= 5);
	free(pairs);
	hints_read_free(read);
	similar_free(world.similar);
	arena_release(&world.arena);
	teststore_close(&world.store);
}

static void the_same_is_found_as_by_comparing_all(void **state)
{
	(void)state;
	check_found(true, 0.95);
	check_found(false, 0.95);
	check_found(true, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_is_found_as_by_comparing_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
