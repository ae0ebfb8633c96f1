#include "ops/maintain/plan.h"
#include "support/teststore.h"
#include "support/toolcall.h"

#include <stdlib.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define TEST(f) cmocka_unit_test_setup_teardown(f, toolcall_set_up, toolcall_tear_down)

static const struct change_meta meta = {.tool = "maintain"};

static const struct item *at(struct teststore *t, const char *ref)
{
	const struct item *item = store_find_ref(t->store, slice_of(ref));

	assert_non_null(item);
	return item;
}

static void files(struct teststore *t)
{
	toolcall_write_file(t, "state.json", "{'a': 'one', 'b': {'value': 'two'}, 'c': 3}");
	teststore_refresh(t);
}

/* Applies as the tools do; the number of steps that stand. */
static size_t apply(struct teststore *t, struct plan *plan, bool dry, struct change_result *result)
{
	struct change *change;
	struct err err;

	if ((dry ? change_rehearse(&change, t->store, fake_sys_now(), &err)
		 : change_begin(&change, t->store, &meta, fake_sys_now(), &err)) != 0 ||
	    plan_apply(plan, change, NULL, result, &err) != 0)
		fail_msg("%s", err.text);
	change_end(change);
	return plan_standing(plan);
}

static void merge_b_into_a(struct teststore *t, struct plan *plan)
{
	const struct item *b = at(t, "state:b");

	plan_merge(plan, at(t, "state:a"), slice_of("{\"value\":\"one\\n\\ntwo\"}"), &b, 1);
}

static void an_archived_entry_has_the_reason(void **state)
{
	struct teststore *t = *state;
	struct plan plan = PLAN_INIT;

	files(t);
	plan_archive(&plan, at(t, "state:b"), REASON_FADED);
	assert_true(plan_changes(&plan, slice_of("state:b")));
	assert_false(plan_changes(&plan, slice_of("state:a")));
	assert_int_equal(apply(t, &plan, false, NULL), 1);
	toolcall_file_is(t, "state.json", "{'a': 'one', 'c': 3}");
	toolcall_replies(t, "archived", "{}", "{'refs':['state:b@" TOOLCALL_T0 "']}");
	plan_release(&plan);
}

static void a_merge_keeps_every_text(void **state)
{
	struct teststore *t = *state;
	struct plan plan = PLAN_INIT;

	files(t);
	merge_b_into_a(t, &plan);
	assert_int_equal(apply(t, &plan, false, NULL), 1);
	toolcall_file_is(t, "state.json", "{'a': {'value': 'one\\n\\ntwo'}, 'c': 3}");
	assert_int_equal(teststore_archived(t, "a", false), 1);
	assert_int_equal(teststore_archived(t, "b", false), 1);
	plan_release(&plan);
}

static void hits_of_what_is_merged_are_of_what_remains(void **state)
{
	struct teststore *t = *state;
	struct plan plan = PLAN_INIT;

	files(t);
	toolcall_reply_has(t, "get", "{'query':'state:b'}", "'key':'b'");
	toolcall_reply_has(t, "get", "{'query':'state:a'}", "'key':'a'");
	teststore_refresh(t);
	merge_b_into_a(t, &plan);
	assert_int_equal(apply(t, &plan, true, NULL), 1);
	teststore_refresh(t);
	assert_int_equal(at(t, "state:a")->hits, 1);
	assert_int_equal(apply(t, &plan, false, NULL), 1);
	assert_int_equal(plan.steps[0].link_count, 1);
	teststore_refresh(t);
	assert_int_equal(at(t, "state:a")->hits, 2);
	plan_release(&plan);
}

static void a_survivor_that_stays_as_it_is_is_not_archived(void **state)
{
	struct teststore *t = *state;
	struct plan plan = PLAN_INIT;
	const struct item *a;

	files(t);
	a = at(t, "state:a");
	plan_merge(&plan, at(t, "state:b"), slice_of("{\"value\":\"two\"}"), &a, 1);
	assert_int_equal(apply(t, &plan, false, NULL), 1);
	assert_int_equal(teststore_archived(t, "a", false), 1);
	assert_int_equal(teststore_archived(t, "b", true), 0);
	plan_release(&plan);
}

static void one_undo_takes_all_of_it_back(void **state)
{
	struct teststore *t = *state;
	struct plan plan = PLAN_INIT;
	STR_AUTO reply = STR_INIT;
	char *archive;

	files(t);
	merge_b_into_a(t, &plan);
	plan_archive(&plan, at(t, "state:c"), REASON_PRUNED);
	plan_put(&plan, NULL, CATEGORY_PATTERNS, slice_of("p"), slice_of("{\"value\":1}"));
	assert_int_equal(apply(t, &plan, false, NULL), 3);
	toolcall_file_is(t, "patterns.json", "{\n  'p': {\n    'value': 1\n  }\n}\n");
	toolcall_reply(t, "undo", "{}", &reply);
	toolcall_file_is(t, "state.json", "{'a': 'one', 'b': {'value': 'two'}, 'c': 3}");
	archive = tmpdir_read(&t->dir, "archive.json");
	assert_null(strstr(archive, "\"value\""));
	free(archive);
	plan_release(&plan);
}

static void a_rehearsal_says_the_same_and_writes_nothing(void **state)
{
	struct teststore *t = *state;
	struct plan plan = PLAN_INIT;

	files(t);
	merge_b_into_a(t, &plan);
	plan_archive(&plan, at(t, "state:b"), REASON_PRUNED);
	assert_int_equal(apply(t, &plan, true, NULL), 1);
	assert_false(tmpdir_has(&t->dir, "archive.json"));
	assert_false(tmpdir_has(&t->dir, ".lock"));
	assert_false(tmpdir_has(&t->dir, "metadata.json"));
	toolcall_file_is(t, "state.json", "{'a': 'one', 'b': {'value': 'two'}, 'c': 3}");
	assert_int_equal(apply(t, &plan, false, NULL), 1);
	plan_release(&plan);
}

static void a_rehearsal_names_what_has_to_make_room(void **state)
{
	struct teststore *t = *state;
	struct change_result result;
	struct plan plan = PLAN_INIT;
	struct change *change;
	struct err err;

	toolcall_write_file(t, "config.json", "{'limits':{'entries_per_category':3}}");
	files(t);
	plan_put(&plan, NULL, CATEGORY_STATE, slice_of("d"), slice_of("{\"value\":1}"));
	assert_int_equal(change_rehearse(&change, t->store, fake_sys_now(), &err), 0);
	assert_true(change_is_rehearsal(change));
	assert_int_equal(plan_apply(&plan, change, NULL, &result, &err), 0);
	assert_int_equal(result.evicted_count, 1);
	change_end(change);
	plan_release(&plan);
}

static void assert_skipped(const struct plan *plan, size_t step, enum err_code code,
			   const char *sentence)
{
	assert_int_equal(plan->steps[step].skip_code, code);
	assert_string_equal(plan->steps[step].skipped.ptr, sentence);
}

static void what_has_changed_since_is_left_out(void **state)
{
	struct teststore *t = *state;
	struct plan plan = PLAN_INIT;

	files(t);
	plan_archive(&plan, at(t, "state:a"), REASON_STALE);
	plan_archive(&plan, at(t, "state:b"), REASON_STALE);
	plan_archive(&plan, at(t, "state:c"), REASON_STALE);
	plan_put(&plan, NULL, CATEGORY_STATE, slice_of("D"), slice_of("{\"value\":1}"));
	toolcall_write_file(t, "state.json", "{'a': 'uno', 'c': 3, 'd': 4}");
	teststore_refresh(t);
	assert_int_equal(apply(t, &plan, false, NULL), 1);
	assert_skipped(&plan, 0, ERR_BAD_VALUE, "state:a has changed since");
	assert_skipped(&plan, 1, ERR_NOT_FOUND, "state:b is no longer there");
	assert_skipped(&plan, 3, ERR_EXISTS, "state:d exists by now");
	toolcall_file_is(t, "state.json", "{'a': 'uno', 'd': 4}");
	plan_release(&plan);
}

static void what_a_step_relies_on_counts_too(void **state)
{
	struct teststore *t = *state;
	struct plan plan = PLAN_INIT;
	struct plan_step *step;

	files(t);
	step = plan_put(&plan, NULL, CATEGORY_PATTERNS, slice_of("p"), slice_of("{\"value\":1}"));
	plan_rely(&plan, step, at(t, "state:a"));
	assert_false(plan_changes(&plan, slice_of("state:a")));
	toolcall_write_file(t, "state.json", "{'a': 'uno'}");
	teststore_refresh(t);
	assert_int_equal(apply(t, &plan, false, NULL), 0);
	assert_false(tmpdir_has(&t->dir, "patterns.json"));
	plan_release(&plan);
}

static void applying_twice_changes_nothing_more(void **state)
{
	struct teststore *t = *state;
	struct plan plan = PLAN_INIT;
	char *archive;
	char *again;

	files(t);
	merge_b_into_a(t, &plan);
	plan_put(&plan, NULL, CATEGORY_STATE, slice_of("d"), slice_of("{\"value\":1}"));
	assert_int_equal(apply(t, &plan, false, NULL), 2);
	archive = tmpdir_read(&t->dir, "archive.json");
	toolcall_later();
	assert_int_equal(apply(t, &plan, false, NULL), 0);
	again = tmpdir_read(&t->dir, "archive.json");
	assert_string_equal(archive, again);
	free(archive);
	free(again);
	plan_release(&plan);
}

static void an_entry_is_changed_by_one_step_only(void **state)
{
	struct teststore *t = *state;
	struct plan plan = PLAN_INIT;

	files(t);
	merge_b_into_a(t, &plan);
	plan_archive(&plan, at(t, "state:b"), REASON_STALE);
	assert_int_equal(apply(t, &plan, false, NULL), 1);
	assert_skipped(&plan, 1, ERR_EXISTS, "state:b is changed by an earlier step");
	assert_int_equal(teststore_archived(t, "b", true), 1);
	plan_release(&plan);
}

static void a_text_over_the_limit_is_left_out(void **state)
{
	struct teststore *t = *state;
	struct plan plan = PLAN_INIT;

	toolcall_write_file(t, "config.json", "{'limits':{'entry_bytes':15}}");
	files(t);
	merge_b_into_a(t, &plan);
	plan_archive(&plan, at(t, "state:b"), REASON_STALE);
	assert_int_equal(apply(t, &plan, false, NULL), 1);
	assert_int_equal(plan.steps[0].skip_code, ERR_TOO_LARGE);
	toolcall_file_is(t, "state.json", "{'a': 'one', 'c': 3}");
	plan_release(&plan);
}

static void pinned_entries_stay_when_nobody_named_them(void **state)
{
	struct teststore *t = *state;
	struct plan plan = PLAN_INIT;

	toolcall_write_file(t, "state.json", "{'a': {'value': 1, 'pinned': true}}");
	teststore_refresh(t);
	plan_archive(&plan, at(t, "state:a"), REASON_STALE);
	plan.unattended = true;
	assert_int_equal(apply(t, &plan, false, NULL), 0);
	assert_skipped(&plan, 0, ERR_BAD_VALUE, "state:a is protected: pinned");
	plan.unattended = false;
	assert_int_equal(apply(t, &plan, false, NULL), 1);
	plan_release(&plan);
}

static void no_more_than_half_is_pinned(void **state)
{
	struct teststore *t = *state;
	struct plan plan = PLAN_INIT;

	toolcall_write_file(t, "config.json", "{'limits':{'entries_per_category':2}}");
	toolcall_write_file(t, "state.json", "{'a': {'value': 1, 'pinned': true}}");
	teststore_refresh(t);
	plan_put(&plan, NULL, CATEGORY_STATE, slice_of("b"),
		 slice_of("{\"value\":1,\"pinned\":true}"));
	plan_put(&plan, at(t, "state:a"), CATEGORY_STATE, slice_of("a"),
		 slice_of("{\"value\":2,\"pinned\":true}"));
	assert_int_equal(apply(t, &plan, false, NULL), 1);
	assert_int_equal(plan.steps[0].skip_code, ERR_STORE_FULL);
	plan_release(&plan);
}

static void link_a_and_c(struct teststore *t, struct plan *plan)
{
	plan_link(plan, at(t, "state:a"), at(t, "state:c"), RELATION_SUPPORTS, 0.5,
		  slice_of("{\"x\":1}"));
}

/* The text of relations.json, or "". */
static char *relations(struct teststore *t)
{
	char *text = tmpdir_read(&t->dir, "relations.json");

	return text ? text : strdup("");
}

static void a_link_changes_no_entry_and_is_made_once(void **state)
{
	struct teststore *t = *state;
	struct plan plan = PLAN_INIT;
	char *text;

	files(t);
	link_a_and_c(t, &plan);
	assert_false(plan_changes(&plan, slice_of("state:a")));
	assert_int_equal(apply(t, &plan, true, NULL), 1);
	assert_int_equal(apply(t, &plan, false, NULL), 1);
	toolcall_file_is(t, "state.json", "{'a': 'one', 'b': {'value': 'two'}, 'c': 3}");
	text = relations(t);
	assert_non_null(strstr(text, "\"type\": \"supports\""));
	assert_non_null(strstr(text, "\"strength\": 0.5"));
	free(text);
	assert_int_equal(apply(t, &plan, false, NULL), 0);
	assert_skipped(&plan, 0, ERR_EXISTS, "this link exists already");
	plan_release(&plan);
}

static void what_is_archived_before_is_not_linked(void **state)
{
	struct teststore *t = *state;
	struct plan plan = PLAN_INIT;

	files(t);
	plan_archive(&plan, at(t, "state:c"), REASON_STALE);
	link_a_and_c(t, &plan);
	assert_int_equal(apply(t, &plan, false, NULL), 1);
	assert_skipped(&plan, 1, ERR_NOT_FOUND, "an earlier step archives one of the two");
	assert_false(tmpdir_has(&t->dir, "relations.json"));
	plan_release(&plan);
}

static void links_lead_to_what_survives(void **state)
{
	struct teststore *t = *state;
	struct plan plan = PLAN_INIT;
	char *text;

	files(t);
	toolcall_write_file(t, "relations.json",
			    "{'r': {'from': 'state:c', 'to': 'state:b', 'type': 'causes'}}");
	teststore_refresh(t);
	merge_b_into_a(t, &plan);
	assert_int_equal(apply(t, &plan, false, NULL), 1);
	text = relations(t);
	assert_non_null(strstr(text, "\"to\": \"state:a\", \"type\": \"causes\""));
	assert_non_null(strstr(text, "consolidated_from"));
	assert_non_null(strstr(text, "\"state:b\""));
	free(text);
	plan_release(&plan);
}

static void promote_a(struct teststore *t, struct plan *plan)
{
	plan_promote(plan, at(t, "state:a"), slice_of("{\"value\":\"one\"}"), slice_of("a-note"),
		     slice_of("# One\n"));
}

static void a_promoted_entry_says_where_its_note_is(void **state)
{
	struct teststore *t = *state;
	struct plan plan = PLAN_INIT;

	files(t);
	promote_a(t, &plan);
	assert_int_equal(apply(t, &plan, true, NULL), 1);
	assert_string_equal(plan.steps[0].note_file.ptr, "a-note.md");
	assert_false(tmpdir_has(&t->dir, "notes"));
	assert_int_equal(apply(t, &plan, false, NULL), 1);
	toolcall_file_is(t, "notes/a-note.md", "# One\n");
	toolcall_file_is(t, "state.json",
			 "{'a': {'value': 'one', 'status': 'promoted', 'promoted_to': "
			 "'notes/a-note.md'}, 'b': {'value': 'two'}, 'c': 3}");
	plan_release(&plan);
}

/* Byte for byte, links and notes too. */
static void undo_takes_links_and_notes_back(void **state)
{
	static const char links[] =
		"{\"r\": {\"from\": \"state:c\", \"to\": \"state:b\", \"mine\": 1.0}}";
	struct teststore *t = *state;
	struct plan plan = PLAN_INIT;
	STR_AUTO reply = STR_INIT;
	char *text;

	files(t);
	tmpdir_write(&t->dir, "relations.json", links);
	toolcall_try(t, "set", "{'key':'d','value':4}");
	teststore_refresh(t);
	text = tmpdir_read(&t->dir, "state.json");
	plan_merge(&plan, at(t, "state:c"), slice_of("{\"value\":3}"),
		   (const struct item *const[]){at(t, "state:b")}, 1);
	promote_a(t, &plan);
	plan_link(&plan, at(t, "state:a"), at(t, "state:d"), RELATION_RELATED, 1, slice_of(NULL));
	assert_int_equal(apply(t, &plan, false, NULL), 3);
	assert_true(tmpdir_has(&t->dir, "notes/a-note.md"));
	toolcall_reply(t, "undo", "{}", &reply);
	toolcall_file_is(t, "relations.json",
			 "{'r': {'from': 'state:c', 'to': 'state:b', 'mine': 1.0}}");
	toolcall_file_is(t, "state.json", text);
	assert_false(tmpdir_has(&t->dir, "notes/a-note.md"));
	free(text);
	plan_release(&plan);
}

static void a_broken_file_stops_all_of_it(void **state)
{
	struct teststore *t = *state;
	struct plan plan = PLAN_INIT;
	struct change *change;
	struct err err;

	files(t);
	plan_put(&plan, NULL, CATEGORY_PATTERNS, slice_of("p"), slice_of("{\"value\":1}"));
	plan_archive(&plan, at(t, "state:a"), REASON_STALE);
	tmpdir_write(&t->dir, "state.json", "{,}");
	for (int dry = 0; dry < 2; dry++) {
		assert_int_equal(dry ? change_rehearse(&change, t->store, fake_sys_now(), &err)
				     : change_begin(&change, t->store, &meta, fake_sys_now(), &err),
				 0);
		assert_int_equal(plan_apply(&plan, change, NULL, NULL, &err), -1);
		assert_non_null(strstr(err.text, "state.json:1:2"));
		change_end(change);
	}
	assert_false(tmpdir_has(&t->dir, "patterns.json"));
	plan_release(&plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_archived_entry_has_the_reason),
		TEST(a_merge_keeps_every_text),
		TEST(hits_of_what_is_merged_are_of_what_remains),
		TEST(a_survivor_that_stays_as_it_is_is_not_archived),
		cmocka_unit_test_setup_teardown(one_undo_takes_all_of_it_back,
						toolcall_set_up_with_history, toolcall_tear_down),
		TEST(a_rehearsal_says_the_same_and_writes_nothing),
		TEST(a_rehearsal_names_what_has_to_make_room),
		TEST(what_has_changed_since_is_left_out),
		TEST(what_a_step_relies_on_counts_too),
		TEST(applying_twice_changes_nothing_more),
		TEST(an_entry_is_changed_by_one_step_only),
		TEST(a_text_over_the_limit_is_left_out),
		TEST(pinned_entries_stay_when_nobody_named_them),
		TEST(no_more_than_half_is_pinned),
		TEST(a_link_changes_no_entry_and_is_made_once),
		TEST(what_is_archived_before_is_not_linked),
		TEST(links_lead_to_what_survives),
		TEST(a_promoted_entry_says_where_its_note_is),
		cmocka_unit_test_setup_teardown(undo_takes_links_and_notes_back,
						toolcall_set_up_with_history, toolcall_tear_down),
		TEST(a_broken_file_stops_all_of_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
