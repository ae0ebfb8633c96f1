#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ops/entry_stats.h"
#include "support/near.h"
#include "support/toolcall.h"

#include <math.h>
#include <stdlib.h>

#define TEST(name) cmocka_unit_test_setup_teardown(name, toolcall_set_up, toolcall_tear_down)

/* 100 days before the test's moment, and 10. */
#define OLD "\"created_at\":\"2026-08-13T08:30:00Z\",\"last_updated\":\"2026-08-13T08:30:00Z\""
#define YOUNG "\"created_at\":\"2026-11-11T08:30:00Z\",\"last_updated\":\"2026-11-11T08:30:00Z\""

static struct facts facts_of(struct teststore *t, const char *file, const char *text)
{
	const struct item *items;
	struct facts facts;
	size_t count;

	tmpdir_write(&t->dir, file, text);
	teststore_refresh(t);
	items = store_items(t->store, &count);
	assert_int_equal(count, 1);
	facts_read(&facts, &items[0], TESTSTORE_NOW);
	return facts;
}

static void what_an_entry_says_is_known(void **state)
{
	struct facts facts = facts_of(
		*state, "state.json",
		"{\"a\":{\"value\":1," OLD ",\"importance\":0.7,"
		"\"strength\":1.5,\"confidence\":0.4,\"source\":\"c\\u0068at\","
		"\"hits\":3,\"accessed_at\":\"2026-10-22T08:30:00Z\"}}");

	assert_near(facts.item->entry.importance, 0.7);
	assert_near(facts.item->entry.strength, 1.5);
	assert_near(facts.item->entry.confidence, 0.4);
	assert_true(slice_is(facts.item->entry.source, "chat"));
	assert_near(facts.age_days, 100);
	assert_near(facts.idle_days, 30);
	assert_int_equal(facts.kept, PROTECTION_NONE);
	assert_true(facts.bytes > 100);
	assert_near(facts.salience, 0.2 * (1 - (double)facts.bytes / 4096) +
					    0.3 * (0.6 * 3 / 20 + 0.4 * 60 / 90) + 0.15 * 0.7);
}

static void what_it_does_not_say_has_a_default(void **state)
{
	struct facts facts = facts_of(*state, "state.json", "{\"a\":{\"value\":1," OLD "}}");

	assert_near(facts.item->entry.importance, 0.5);
	assert_near(facts.item->entry.strength, 1);
	assert_near(facts.item->entry.confidence, 1);
	assert_null(facts.item->entry.source.ptr);
	assert_false(facts.item->entry.promoted);
}

static void a_bare_value_is_as_young_as_it_was_seen(void **state)
{
	struct facts facts = facts_of(*state, "state.json", "{\"a\":\"vim\"}");

	assert_int_equal(facts.kept, PROTECTION_YOUNG);
	assert_near(facts.age_days, 0);
}

static const struct {
	const char *file;
	const char *text;
	enum protection kept;
} kept[] = {
	{"state.json", "{\"a\":{\"value\":1," OLD ",\"pinned\":true}}", PROTECTION_PINNED},
	{"preferences.json", "{\"a\":{\"value\":1," OLD "}}", PROTECTION_PREFERENCE},
	{"state.json", "{\"a\":{\"value\":1," OLD ",\"status\":\"promoted\"}}",
	 PROTECTION_PROMOTED},
	{"state.json", "{\"a\":{\"value\":1," OLD ",\"importance\":0.8}}", PROTECTION_IMPORTANT},
	{"state.json", "{\"a\":{\"value\":1," OLD ",\"hits\":10}}", PROTECTION_WANTED},
	{"state.json", "{\"a\":{\"value\":1," YOUNG "}}", PROTECTION_YOUNG},
	{"state.json", "{\"a\":{\"value\":1," OLD ",\"source\":\"cli\"}}", PROTECTION_SOURCE},
	{"patterns.json", "{\"a\":{\"value\":1," OLD ",\"status\":\"active\"}}", PROTECTION_NONE},
};

static void what_is_protected_is_found_in_its_text(void **state)
{
	struct teststore *t = *state;

	for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
		assert_int_equal(facts_of(t, kept[i].file, kept[i].text).kept, kept[i].kept);
		tmpdir_write(&t->dir, kept[i].file, "{}");
		teststore_reopen(t);
	}
}

static void the_longest_idle_is_first(void **state)
{
	static const struct item items[] = {{.active_ms = 2}, {.active_ms = 1}, {.active_ms = 2}};
	struct facts list[] = {{.item = &items[2]}, {.item = &items[0]}, {.item = &items[1]}};

	(void)state;
	qsort(list, 3, sizeof *list, facts_compare_idle);
	assert_ptr_equal(list[0].item, &items[1]);
	assert_ptr_equal(list[1].item, &items[0]);
	assert_ptr_equal(list[2].item, &items[2]);
}

/* 13 August is when it was told, 21 November is now. */
static void a_day_to_come_is_waited_for(void **state)
{
	static const struct {
		const char *value;
		bool over;
		double idle_days; /* less than 0: it has not begun to fade; 100: since it was active
				   */
	} cases[] = {
		{"Freeze until 7 January", false, -1},
		{"Freeze until 11 November", true, 9},
		{"Launch on November 11", true, 9},
		{"Conference in October", true, 20},
		{"Konferenz im Dezember", false, -1},
		{"Launch is due 2026-11-11", true, 9},
		{"Launch is due 2026-12-24", false, -1},
		{"On leave until the end of October", true, 20},
		{"The auditor comes on 3 and 4 November", true, 16},
		{"The talk is next Friday", true, 98},
		{"Slides have to be there by Friday", true, 98},
		{"The pool is cleaned each October", false, 100},
		{"In use since October", false, 100},
		{"In use since 2025-10-01", false, 100},
		{"The team meets on Tuesday", false, 100},
		{"Fixed the build in October", true, 100},
		{"Cedar, our own runner, replaced Birch in October", false, 100},
		{"CI moved to Cedar on 3 November", false, 100},
		{"CI moves to Cedar on 3 November", true, 17},
		{"The talk was moved, it is on 3 November", true, 17},
	};

	toolcall_write_file(*state, "config.json", "{'limits':{'expiry_days':3650}}");
	toolcall_write_file(*state, "usage.jsonl", "{'since':'2026-01-01T00:00:00.000Z'}\n");
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		STR_AUTO text = STR_INIT;
		struct settings settings;
		struct facts facts;
		double idle_days;

		settings_init(&settings);
		str_printf(&text, "{\"a\":{\"value\":\"%s\"," OLD "}}", cases[i].value);
		facts = facts_of(*state, "state.json", text.ptr);
		idle_days = ((double)TESTSTORE_NOW - (double)facts.fades_from_ms) /
			    (double)MS_PER_DAY;
		if (facts.report != cases[i].over)
			fail_msg("%s: over is %d", cases[i].value, facts.report);
		if (cases[i].idle_days >= 100)
			assert_int_equal(facts.fades_from_ms, facts.item->active_ms);
		else if (cases[i].idle_days < 0 ? idle_days > 0
						: fabs(idle_days - cases[i].idle_days) > 1)
			fail_msg("%s: idle for %g days", cases[i].value, idle_days);
		assert_near(facts_half_life(&facts, &settings), cases[i].over ? 3 : 20);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_day_to_come_is_waited_for),
		TEST(what_an_entry_says_is_known),
		TEST(what_it_does_not_say_has_a_default),
		TEST(a_bare_value_is_as_young_as_it_was_seen),
		cmocka_unit_test(the_longest_idle_is_first),
		TEST(what_is_protected_is_found_in_its_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
