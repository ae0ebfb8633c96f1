#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lookup/lookup.h"

#include "base/str.h"

#include <stdlib.h>

enum { PREFERENCES, CONNECTIONS, STATE };

/* A store of a few entries, as the examples of the documentation have it. */
static const struct {
	int scope;
	const char *key;
	const char *value;
	bool archived;
} seed[] = {
	{CONNECTIONS, "Sunil",
	 "{\"name\":\"Sunil Nagaraj\",\"company\":\"GeoSync\",\"slack_dm\":\"D098X745TDY\"}",
	 false},
	{PREFERENCES, "notification_preferences", "{\"slack\":true,\"email\":false}", false},
	{STATE, "current_work_context", "\"Refactoring the sync engine\"", false},
	{STATE, "focus_topics", "[\"Prompt design\",\"Context bundling\",\"Memory optimization\"]",
	 false},
	{STATE, "stripe_q3_contact", "\"Maria, port 7822, 10.207.16.229\"", false},
	{PREFERENCES, "größe_einheit", "\"metric units\"", false},
	{PREFERENCES, "数据库_密码提示", "\"in the vault\"", false},
	{STATE, "🚀", "\"ship it\"", false},
	{PREFERENCES, "sslCAPath", "\"/etc/pki\"", false},
	{STATE, "mainEditor", "\"vim\"", false},
	{STATE, "old_deadline", "\"next spring\"", true},
};

#define SEED_COUNT (sizeof seed / sizeof seed[0])

static struct lookup *seed_index(void)
{
	struct lookup_item items[SEED_COUNT];

	for (size_t i = 0; i < SEED_COUNT; i++)
		items[i] = (struct lookup_item){.scope = seed[i].scope,
						.key = slice_of(seed[i].key),
						.value = slice_of(seed[i].value),
						.ref = slice_of(seed[i].key),
						.archived = seed[i].archived};
	return lookup_new(items, SEED_COUNT);
}

static struct lookup_answer ask_scope(const char *query, int scope)
{
	struct lookup *index = seed_index();
	struct lookup_answer answer;

	lookup_find(index, slice_of(query), scope, &answer);
	lookup_free(index);
	return answer;
}

static void expect(const char *query, const char *key, enum lookup_match match, double least,
		   double most)
{
	struct lookup_answer answer = ask_scope(query, LOOKUP_ANY_SCOPE);

	assert_true(answer.found);
	assert_string_equal(seed[answer.item].key, key);
	assert_string_equal(lookup_match_names[answer.match], lookup_match_names[match]);
	assert_true(answer.confidence >= least - 1e-9 && answer.confidence <= most + 1e-9);
}

static void expect_nothing(const char *query)
{
	assert_false(ask_scope(query, LOOKUP_ANY_SCOPE).found);
}

static void an_equal_key_is_certain(void **state)
{
	(void)state;
	expect("focus_topics", "focus_topics", LOOKUP_EXACT, 1, 1);
	expect("Focus Topics", "focus_topics", LOOKUP_EXACT, 1, 1);
	expect("focusTopics", "focus_topics", LOOKUP_EXACT, 1, 1);
	expect("focustopics", "focus_topics", LOOKUP_EXACT, 1, 1);
	expect("main editor", "mainEditor", LOOKUP_EXACT, 1, 1);
	expect("ssl ca path", "sslCAPath", LOOKUP_EXACT, 1, 1);
	expect("GRÖSSE einheit", "größe_einheit", LOOKUP_EXACT, 1, 1);
}

/* A genitive stands before what it belongs to; at the end an s is a letter too many. */
static void a_letter_too_many_is_not_certain(void **state)
{
	(void)state;
	expect("sunils", "Sunil", LOOKUP_WORDS, 0.7, 0.99);
}

/* Neighbours in a question that a key writes as one word. */
static void words_written_apart_are_the_one_of_a_key(void **state)
{
	struct lookup_item items[] = {
		{.key = slice_of("onboarding"),
		 .ref = slice_of("a"),
		 .value = slice_of("\"Ilse\"")},
		{.key = slice_of("board_game"),
		 .ref = slice_of("b"),
		 .value = slice_of("\"chess\"")},
	};
	struct lookup *index = lookup_new(items, 2);
	struct lookup_answer answer;

	(void)state;
	lookup_find(index, slice_of("who helps with the on boarding of new people"),
		    LOOKUP_ANY_SCOPE, &answer);
	assert_true(answer.found);
	assert_int_equal(answer.item, 0);
	assert_string_equal(lookup_match_names[answer.match], "contained");
	/* A word that is in no key any more joins nothing. */
	lookup_remove(index, 0);
	lookup_find(index, slice_of("who helps with the on boarding of new people"),
		    LOOKUP_ANY_SCOPE, &answer);
	assert_false(answer.found);
	lookup_free(index);
}

static void a_key_of_symbols_equals_itself_alone(void **state)
{
	(void)state;
	expect("🚀", "🚀", LOOKUP_EXACT, 1, 1);
	expect("🚀\xEF\xB8\x8F", "🚀", LOOKUP_EXACT, 1, 1);
	expect_nothing("🐌");
	expect_nothing("!!!");
}

static void containment_scores_at_least_085(void **state)
{
	(void)state;
	expect("work", "current_work_context", LOOKUP_CONTAINED, 0.85, 0.99);
	expect("work context", "current_work_context", LOOKUP_CONTAINED, 0.85, 0.99);
	expect("notif", "notification_preferences", LOOKUP_CONTAINED, 0.85, 0.99);
	expect("sunil slack", "Sunil", LOOKUP_CONTAINED, 0.85, 0.99);
	expect("what are my focus topics please", "focus_topics", LOOKUP_CONTAINED, 0.85, 0.99);
	expect("密码", "数据库_密码提示", LOOKUP_CONTAINED, 0.85, 0.99);
}

static void containment_needs_evidence(void **state)
{
	(void)state;
	expect_nothing("o");
	expect_nothing("to");
	expect_nothing("ss");
	expect_nothing("ontext current w");
}

static void misspellings_score_by_edits(void **state)
{
	(void)state;
	expect("focus_tpoics", "focus_topics", LOOKUP_FUZZY, 1 - 1.0 / 12, 1 - 1.0 / 12);
	expect("fokus_tpoics", "focus_topics", LOOKUP_FUZZY, 1 - 2.0 / 12, 1 - 2.0 / 12);
	expect("work contxt", "current_work_context", LOOKUP_WORDS, 0.6, 0.84);
}

static void words_in_another_order(void **state)
{
	(void)state;
	expect("topics focus", "focus_topics", LOOKUP_WORDS, 0.95, 0.95);
	expect("context current work", "current_work_context", LOOKUP_WORDS, 0.95, 0.95);
	expect("current context", "current_work_context", LOOKUP_WORDS, 0.6, 0.84);
}

static void values_are_found_by_what_they_say(void **state)
{
	(void)state;
	expect("GeoSync", "Sunil", LOOKUP_VALUE, 0.6, 0.9);
	expect("geosync", "Sunil", LOOKUP_VALUE, 0.6, 0.9);
	expect("geo sync", "Sunil", LOOKUP_VALUE, 0.6, 0.9);
	expect("memory optimization", "focus_topics", LOOKUP_VALUE, 0.6, 0.9);
	expect("bundling design prompt", "focus_topics", LOOKUP_VALUE, 0.9, 0.9);
	expect("port 7822", "stripe_q3_contact", LOOKUP_VALUE, 0.6, 0.9);
	expect("10.207.16.229", "stripe_q3_contact", LOOKUP_VALUE, 0.6, 0.9);
	expect("notification slack", "notification_preferences", LOOKUP_VALUE, 0.9, 0.9);
	expect("context refactoring", "current_work_context", LOOKUP_VALUE, 0.9, 0.9);
}

static void values_are_found_approximately(void **state)
{
	(void)state;
	expect("optimisation", "focus_topics", LOOKUP_APPROXIMATE, 0.9 * 11 / 12, 0.9 * 11 / 12);
	expect("refactroing", "current_work_context", LOOKUP_APPROXIMATE, 0.6, 0.9);
	expect("the refactroing", "current_work_context", LOOKUP_APPROXIMATE, 0.6, 0.9);
	expect("memory opti mization", "focus_topics", LOOKUP_APPROXIMATE, 0.6, 0.9);
}

static void numbers_never_match_approximately(void **state)
{
	(void)state;
	expect("stripe q3 contact", "stripe_q3_contact", LOOKUP_EXACT, 1, 1);
	expect("stripe q3 contcat", "stripe_q3_contact", LOOKUP_FUZZY, 0.9, 1);
	expect_nothing("stripe_q4_contact");
	expect_nothing("stripe_q33_contact");
	expect_nothing("port 7823");
	expect_nothing("port 782");
	expect_nothing("10.207.16.228");
	expect_nothing("16.10.207.229");
}

static void the_gate_refuses_a_foreign_word(void **state)
{
	(void)state;
	expect_nothing("project_goals");
	expect_nothing("focus_groups");
	expect_nothing("current_weather_context");
	expect_nothing("capital of mongolia");
}

static void diacritics_may_be_left_out(void **state)
{
	(void)state;
	expect("grosse einheit", "größe_einheit", LOOKUP_FUZZY, 1 - 0.5 / 14, 1 - 0.5 / 14);
	expect("groesse einheit", "größe_einheit", LOOKUP_FUZZY, 1 - 0.5 / 15, 1 - 0.5 / 15);
}

static void a_scope_limits_the_search(void **state)
{
	(void)state;
	assert_true(ask_scope("focus_topics", STATE).found);
	assert_false(ask_scope("focus_topics", PREFERENCES).found);
	assert_false(ask_scope("GeoSync", STATE).found);
	assert_true(ask_scope("GeoSync", CONNECTIONS).found);
	assert_int_equal(ask_scope("focus_groups", PREFERENCES).also_count, 0);
}

static void nothing_asked_nothing_found(void **state)
{
	struct lookup *empty = lookup_new(NULL, 0);
	struct lookup_answer answer;

	(void)state;
	lookup_find(empty, slice_of("anything"), LOOKUP_ANY_SCOPE, &answer);
	assert_false(answer.found);
	assert_int_equal(answer.also_count, 0);
	lookup_free(empty);
	lookup_free(NULL);
	expect_nothing("");
	expect_nothing("   ");
	expect_nothing("what is the");
}

static void a_refusal_names_the_nearest(void **state)
{
	struct lookup_answer answer = ask_scope("focus_groups", LOOKUP_ANY_SCOPE);

	(void)state;
	assert_false(answer.found);
	assert_true(answer.also_count >= 1);
	assert_string_equal(seed[answer.also[0].item].key, "focus_topics");
}

static void the_nearest_comes_first(void **state)
{
	static const char *const keys[] = {"deployment window of the year", "deployment window",
					   "deployment", "printer"};
	struct lookup_item items[4] = {0};
	struct lookup_answer answer;
	struct lookup *index;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		items[i].key = items[i].ref = slice_of(keys[i]);
		items[i].value = slice_of("1");
	}
	index = lookup_new(items, 4);
	lookup_find(index, slice_of("deploymnt zeppelin"), LOOKUP_ANY_SCOPE, &answer);
	assert_false(answer.found);
	assert_int_equal(answer.also_count, 3);
	assert_string_equal(keys[answer.also[0].item], "deployment");
	assert_string_equal(keys[answer.also[1].item], "deployment window");
	lookup_free(index);
}

static void an_archived_item_answers_where_no_active_one_does(void **state)
{
	(void)state;
	expect("old deadline", "old_deadline", LOOKUP_EXACT, 1, 1);
	expect("deadline", "old_deadline", LOOKUP_CONTAINED, 0.85, 1);
	expect("old dealdine", "old_deadline", LOOKUP_FUZZY, 0.9, 1);
}

/* Two items, the second archived. */
static struct lookup_answer ask_pair(const char *active, const char *archived, const char *query)
{
	struct lookup_item items[2] = {
		{.key = slice_of(active), .value = slice_of("1"), .ref = slice_of("a")},
		{.key = slice_of(archived),
		 .value = slice_of("2"),
		 .ref = slice_of("b"),
		 .archived = true},
	};
	struct lookup *index = lookup_new(items, 2);
	struct lookup_answer answer;

	lookup_find(index, slice_of(query), LOOKUP_ANY_SCOPE, &answer);
	lookup_free(index);
	return answer;
}

static void an_equal_archived_key_yields_only_to_a_strong_active_one(void **state)
{
	(void)state;
	assert_int_equal(ask_pair("goals", "project goals", "project goals").item, 0);
	assert_int_equal(ask_pair("projcte gaols", "project goals", "project goals").item, 1);
	assert_int_equal(ask_pair("work goals", "work goals", "work goals").item, 0);
	/* not equal: the active one answers although the archived one is closer */
	assert_int_equal(ask_pair("project goal", "project goals", "project goalx").item, 0);
	/* the other one is archived and is not named as a tie */
	assert_int_equal(ask_pair("work goals", "work goals", "work goals").also_count, 0);
}

static struct lookup *ties(void)
{
	struct lookup_item items[] = {
		{.scope = STATE,
		 .key = slice_of("alpha one"),
		 .value = slice_of("1"),
		 .ref = slice_of("state:alpha one"),
		 .active_ms = 5},
		{.scope = STATE,
		 .key = slice_of("alpha two"),
		 .value = slice_of("2"),
		 .ref = slice_of("state:alpha two"),
		 .active_ms = 5},
		{.scope = PREFERENCES,
		 .key = slice_of("alpha six"),
		 .value = slice_of("3"),
		 .ref = slice_of("preferences:alpha six"),
		 .active_ms = 5},
		{.scope = STATE,
		 .key = slice_of("alpha ten"),
		 .value = slice_of("4"),
		 .ref = slice_of("state:alpha ten"),
		 .active_ms = 5},
	};

	return lookup_new(items, sizeof items / sizeof items[0]);
}

static void ties_go_to_the_first_ref_and_are_named(void **state)
{
	struct lookup *index = ties();
	struct lookup_answer answer;

	(void)state;
	lookup_find(index, slice_of("alpha"), LOOKUP_ANY_SCOPE, &answer);
	assert_int_equal(answer.item, 2);
	assert_int_equal(answer.also_count, 3);
	assert_int_equal(answer.also[0].item, 0);
	assert_int_equal(answer.also[1].item, 3);
	assert_int_equal(answer.also[2].item, 1);
	lookup_free(index);
}

static void ties_go_to_the_most_recently_active(void **state)
{
	struct lookup *index = ties();
	struct lookup_answer answer;

	(void)state;
	lookup_touch(index, 1, 6, false);
	lookup_touch(index, 99, 7, false);
	lookup_find(index, slice_of("alpha"), LOOKUP_ANY_SCOPE, &answer);
	assert_int_equal(answer.item, 1);
	lookup_free(index);
}

/* However odd the text, the answer comes, and comes soon. */
static void odd_queries_and_values(void **state)
{
	struct str value = STR_INIT;
	struct str query = STR_INIT;
	struct lookup_item item = {.key = slice_of("big"), .ref = slice_of("big")};
	struct lookup_answer answer;
	struct lookup *index;

	(void)state;
	str_addc(&value, '"');
	for (int i = 0; i < 30000; i++)
		str_adds(&value, i % 7 ? "abcabd " : "a\xCC\x81\xCC\xA3");
	str_adds(&value, "needle\"");
	item.value = str_slice(&value);
	index = lookup_new(&item, 1);
	for (int i = 0; i < 300; i++)
		str_adds(&query, i % 5 ? "abd " : "\xCC\x81\xFFX");
	lookup_find(index, str_slice(&query), LOOKUP_ANY_SCOPE, &answer);
	str_clear(&query);
	for (int i = 0; i < 300; i++)
		str_adds(&query, "\xEF\xB7\xBA"); /* one character that becomes eighteen */
	lookup_find(index, str_slice(&query), LOOKUP_ANY_SCOPE, &answer);
	assert_false(answer.found);
	lookup_find(index, slice_of("needle"), LOOKUP_ANY_SCOPE, &answer);
	assert_true(answer.found);
	lookup_find(index, slice_make("big\0big", 7), LOOKUP_ANY_SCOPE, &answer);
	assert_true(answer.found);
	lookup_free(index);
	str_release(&value);
	str_release(&query);
}

#define MANY 10000

static void many_equal_keys(void **state)
{
	struct lookup_item *items = calloc(MANY, sizeof *items);
	struct lookup_answer answer;
	struct lookup *index;

	(void)state;
	assert_non_null(items);
	for (size_t i = 0; i < MANY; i++)
		items[i] = (struct lookup_item){.key = slice_of("the same key"),
						.value = slice_of("\"the same value\""),
						.ref = slice_of("state:the same key"),
						.active_ms = i == 77};
	index = lookup_new(items, MANY);
	lookup_find(index, slice_of("the same key"), LOOKUP_ANY_SCOPE, &answer);
	assert_int_equal(answer.item, 77);
	assert_int_equal(answer.also_count, 3);
	lookup_find(index, slice_of("teh same key"), LOOKUP_ANY_SCOPE, &answer);
	assert_int_equal(answer.item, 77);
	lookup_free(index);
	free(items);
}

static void a_value_that_is_no_json_is_its_own_text(void **state)
{
	struct lookup_item item = {
		.key = slice_of("k"), .value = slice_of("not json at all"), .ref = slice_of("k")};
	struct lookup *index = lookup_new(&item, 1);
	struct lookup_answer answer;

	(void)state;
	lookup_find(index, slice_of("not json"), LOOKUP_ANY_SCOPE, &answer);
	assert_true(answer.found);
	assert_string_equal(lookup_match_names[answer.match], "value");
	lookup_free(index);
}

/* The items by their keys alone; then, if wanted, their words. */
static struct lookup *named_index(bool words)
{
	struct lookup *index = lookup_new(NULL, 0);

	for (size_t pass = 0; pass < (words ? 2 : 1); pass++) {
		for (size_t i = 0; i < SEED_COUNT; i++) {
			struct lookup_item item = {.scope = seed[i].scope,
						   .key = slice_of(seed[i].key),
						   .value = slice_of(seed[i].value),
						   .ref = slice_of(seed[i].key),
						   .archived = seed[i].archived};

			if (pass == 0)
				assert_int_equal(lookup_add_name(index, &item), i);
			else
				lookup_add_words(index, i, &item);
		}
	}
	return index;
}

static void a_key_answers_before_words_are_known(void **state)
{
	static const char *const keys[] = {"Sunil",       "current work context",
					   "sslCAPath",   "\xf0\x9f\x9a\x80",
					   "ssl ca path", "main_editor"};
	struct lookup *index = named_index(false);

	(void)state;
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		struct lookup_answer whole = ask_scope(keys[i], LOOKUP_ANY_SCOPE);
		struct lookup_answer named;

		assert_true(lookup_find_named(index, slice_of(keys[i]), LOOKUP_ANY_SCOPE, &named));
		assert_true(named.found);
		assert_int_equal(named.item, whole.item);
		assert_int_equal(named.match, whole.match);
		assert_true(named.confidence >= whole.confidence);
		assert_true(named.confidence <= whole.confidence);
		assert_int_equal(named.also_count, whole.also_count);
	}
	assert_false(lookup_has_words(index, 0));
	lookup_free(index);
}

static void what_a_key_alone_does_not_settle_is_left_to_words(void **state)
{
	/* Part of a key, a value, an archived key, an absent one. */
	static const char *const queries[] = {"work context", "metric units", "old_deadline",
					      "\xf0\x9f\x90\xa2"};
	struct lookup *index = named_index(false);
	struct lookup_answer answer;

	(void)state;
	for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
		assert_false(
			lookup_find_named(index, slice_of(queries[i]), LOOKUP_ANY_SCOPE, &answer));
	assert_false(lookup_find_named(index, slice_of("Sunil"), STATE, &answer));
	lookup_free(index);
}

/* An edit is so small a part of a long key that another key may come as near as an equal one. */
static void a_long_key_alone_is_left_to_words(void **state)
{
	static const char *const keys[] = {
		"the numbers of all those who may open the front door",
		"the front door",
	};
	struct lookup *index = lookup_new(NULL, 0);
	struct lookup_answer answer;

	(void)state;
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		lookup_add(index, &(struct lookup_item){.key = slice_of(keys[i]),
							.value = slice_of("1"),
							.ref = slice_of(keys[i])});
	assert_false(lookup_find_named(index, slice_of(keys[0]), LOOKUP_ANY_SCOPE, &answer));
	assert_true(lookup_find_named(index, slice_of(keys[1]), LOOKUP_ANY_SCOPE, &answer));
	assert_int_equal(answer.item, 1);
	lookup_find(index, slice_of(keys[0]), LOOKUP_ANY_SCOPE, &answer);
	assert_int_equal(answer.item, 0);
	lookup_free(index);
}

static void words_may_come_later(void **state)
{
	static const char *const queries[] = {"work context", "metric units", "old_deadline",
					      "Sunil", "notification preference"};
	struct lookup *index = named_index(true);

	(void)state;
	for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
		struct lookup_answer at_once = ask_scope(queries[i], LOOKUP_ANY_SCOPE);
		struct lookup_answer later;

		lookup_find(index, slice_of(queries[i]), LOOKUP_ANY_SCOPE, &later);
		assert_true(later.found);
		assert_int_equal(later.item, at_once.item);
		assert_true(later.confidence >= at_once.confidence);
		assert_true(later.confidence <= at_once.confidence);
	}
	lookup_free(index);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_key_answers_before_words_are_known),
		cmocka_unit_test(what_a_key_alone_does_not_settle_is_left_to_words),
		cmocka_unit_test(a_long_key_alone_is_left_to_words),
		cmocka_unit_test(words_may_come_later),
		cmocka_unit_test(an_equal_key_is_certain),
		cmocka_unit_test(a_letter_too_many_is_not_certain),
		cmocka_unit_test(a_key_of_symbols_equals_itself_alone),
		cmocka_unit_test(containment_scores_at_least_085),
		cmocka_unit_test(containment_needs_evidence),
		cmocka_unit_test(misspellings_score_by_edits),
		cmocka_unit_test(words_in_another_order),
		cmocka_unit_test(values_are_found_by_what_they_say),
		cmocka_unit_test(words_written_apart_are_the_one_of_a_key),
		cmocka_unit_test(values_are_found_approximately),
		cmocka_unit_test(numbers_never_match_approximately),
		cmocka_unit_test(the_gate_refuses_a_foreign_word),
		cmocka_unit_test(diacritics_may_be_left_out),
		cmocka_unit_test(a_scope_limits_the_search),
		cmocka_unit_test(nothing_asked_nothing_found),
		cmocka_unit_test(a_refusal_names_the_nearest),
		cmocka_unit_test(the_nearest_comes_first),
		cmocka_unit_test(an_archived_item_answers_where_no_active_one_does),
		cmocka_unit_test(an_equal_archived_key_yields_only_to_a_strong_active_one),
		cmocka_unit_test(ties_go_to_the_first_ref_and_are_named),
		cmocka_unit_test(ties_go_to_the_most_recently_active),
		cmocka_unit_test(odd_queries_and_values),
		cmocka_unit_test(many_equal_keys),
		cmocka_unit_test(a_value_that_is_no_json_is_its_own_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
