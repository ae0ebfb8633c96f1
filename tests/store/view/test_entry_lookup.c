#include "support/teststore.h"

#include "base/mem.h"
#include "policy/retention.h"
#include "store/items/notes.h"
#include "store/open/store.h"
#include "store/view/search_all.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define STEPS 120

/* Random numbers that are the same in every run. */
struct chance {
	uint64_t state;
};

static size_t below(struct chance *chance, size_t limit)
{
	chance->state = chance->state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (size_t)(chance->state >> 33) % limit;
}

static const char *const keys[] = {"editor",       "main editor", "port",   "report", "report port",
				   "work context", "timezone",    "Editor", "a",      "team lead"};

#define KEYS (sizeof keys / sizeof *keys)

static const char *a_key(struct chance *chance)
{
	return keys[below(chance, KEYS)];
}

static enum category a_category(struct chance *chance)
{
	return (enum category)below(chance, CATEGORY_COUNT);
}

/* Whatever a reader can see, as text. */
static void describe(struct str *out, struct store *store)
{
	size_t count;
	const struct item *items = store_items(store, &count);

	for (size_t i = 0; i < count; i++) {
		const struct item *item = &items[i];

		str_printf(out, "%.*s = %.*s, hits %" PRId64 ", active %" PRId64,
			   (int)item->ref.len, item->ref.ptr, (int)item->entry.text.len,
			   item->entry.text.ptr, item->hits, item->active_ms);
		str_printf(out, ", %" PRId64 " %" PRId64 " %" PRId64 "%s\n", item->created_ms,
			   item->updated_ms, item->accessed_ms, item->due ? ", due" : "");
	}
}

static void describe_answer(struct str *out, struct store *store, const char *query, int category)
{
	struct store_answer answer;
	struct slice ref = slice_make("", 0);

	store_lookup(store, slice_of(query), category, &answer);
	if (answer.item)
		ref = answer.item->ref;
	else if (answer.archived)
		ref = answer.archived->ref;
	str_printf(out, "%s: %.*s %.6f %d", query, (int)ref.len, ref.ptr, answer.lookup.confidence,
		   answer.lookup.found);
	for (size_t i = 0; i < answer.also_count; i++)
		str_printf(out, ", %.*s", (int)answer.also[i].ref.len, answer.also[i].ref.ptr);
	str_addc(out, '\n');
}

static void describe_answers(struct str *out, struct store *store)
{
	static const char *const queries[] = {"editor",  "edtior", "report", "prot", "work",
					      "nothing", "vim",    "val 7",  "lead", "a"};

	for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
		describe_answer(out, store, queries[i], CATEGORY_ANY);
		describe_answer(out, store, queries[i], CATEGORY_STATE);
	}
}

static void describe_sought(struct str *out, const struct sought *sought, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct entry *entry = sought[i].entry;
		struct slice value = entry ? entry->value : sought[i].note->text;

		str_printf(out, "%.*s = %.*s, %d, hits %" PRId64 ", active %" PRId64 ", %.6f\n",
			   (int)sought[i].ref.len, sought[i].ref.ptr, (int)value.len, value.ptr,
			   (int)sought[i].status, sought[i].hits, sought[i].active_ms,
			   sought[i].relevance);
	}
}

static void describe_searches(struct str *out, struct store *store)
{
	static const char *const queries[] = {"editor", "edtior", "reports",
					      "val 7",  "hand",   "lead"};
	const struct sought *sought;
	size_t count;

	for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
		count = store_search(store, slice_of(queries[i]), &sought);

		str_printf(out, "search %s:\n", queries[i]);
		describe_sought(out, sought, count);
	}
	str_adds(out, "all:\n");
	count = store_search_all(store, &sought);
	describe_sought(out, sought, count);
}

/* A store that was just opened knows nothing but its files. */
static void assert_like_a_new_one(struct teststore *t, size_t step)
{
	STR_AUTO ours = STR_INIT;
	STR_AUTO anew = STR_INIT;
	struct store *other;
	struct err err;

	teststore_refresh(t);
	assert_int_equal(store_open(&other, fake_sys(), t->env, t->dir.path, &err), 0);
	assert_int_equal(store_refresh(other, fake_sys_now(), &err), 0);
	teststore_refresh(t);
	describe(&ours, t->store);
	describe(&anew, other);
	describe_answers(&ours, t->store);
	describe_answers(&anew, other);
	describe_searches(&ours, t->store);
	describe_searches(&anew, other);
	if (!slice_equal(str_slice(&ours), str_slice(&anew)))
		fail_msg("step %zu: %s\nbut anew: %s", step, ours.ptr, anew.ptr);
	store_close(other);
}

static void set_something(struct teststore *t, struct chance *chance)
{
	char value[64];

	snprintf(value, sizeof value, below(chance, 3) ? "\"val %zu\"" : "\"vim and val %zu\"",
		 below(chance, 20));
	teststore_set(t, a_category(chance), a_key(chance), value, NULL);
}

static void write_by_hand(struct teststore *t, struct chance *chance)
{
	STR_AUTO text = STR_INIT;
	char name[32];
	size_t members = below(chance, 4);

	str_addc(&text, '{');
	for (size_t i = 0; i < members; i++)
		str_printf(&text, "%s\"%s\":\"by hand %zu\"", i ? "," : "",
			   keys[(i * 3 + below(chance, 3)) % KEYS], below(chance, 5));
	str_addc(&text, '}');
	snprintf(name, sizeof name, "%s.json", category_name(a_category(chance)));
	tmpdir_write(&t->dir, name, text.ptr);
}

static void hit_something(struct teststore *t, struct chance *chance)
{
	STR_AUTO ref = STR_INIT;

	ref_add(&ref, a_category(chance), slice_of(a_key(chance)));
	store_hit(t->store, str_slice(&ref));
}

static void write_a_note(struct teststore *t, struct chance *chance)
{
	char name[16];
	char text[64];

	mkdirat(t->dir.fd, "notes", 0700); /* it may be there */
	snprintf(name, sizeof name, "notes/%zu.md", below(chance, 3));
	snprintf(text, sizeof text, "# %s\nby hand %zu\n", a_key(chance), below(chance, 20));
	tmpdir_write(&t->dir, name, text);
}

static void archive_something(struct teststore *t, struct chance *chance)
{
	enum category category = a_category(chance);
	const char *key = a_key(chance);

	teststore_refresh(t);
	if (store_find(t->store, (int)category, slice_of(key)))
		teststore_archive(t, category, key, REASON_STATE_CLEAR);
}

static void let_time_pass(struct chance *chance)
{
	static const int64_t steps_ms[] = {1000, MS_PER_DAY, 40 * MS_PER_DAY, -500};

	fake_sys_set_now(fake_sys_now() + steps_ms[below(chance, 4)]);
}

static void take_step(struct teststore *t, struct chance *chance)
{
	switch (below(chance, 7)) {
	case 0:
	case 1:
		set_something(t, chance);
		break;
	case 2:
		archive_something(t, chance);
		break;
	case 3:
		write_by_hand(t, chance);
		break;
	case 4:
		write_a_note(t, chance);
		break;
	case 5:
		hit_something(t, chance);
		break;
	default:
		let_time_pass(chance);
		break;
	}
}

static void what_is_kept_up_to_date_is_what_a_new_one_reads(void **state)
{
	struct chance chance = {3};
	struct teststore t;

	(void)state;
	teststore_open(&t);
	for (size_t step = 0; step < STEPS; step++) {
		take_step(&t, &chance);
		assert_like_a_new_one(&t, step);
	}
	teststore_close(&t);
}

static void many_changes_do_not_pile_up(void **state)
{
	struct store_answer answer;
	struct teststore t;
	char value[32];

	(void)state;
	teststore_open(&t);
	for (int i = 0; i < 200; i++) {
		snprintf(value, sizeof value, "\"value %d\"", i);
		teststore_set(&t, CATEGORY_STATE, "editor", value, NULL);
		teststore_refresh(&t);
		store_lookup(t.store, slice_of("editor"), CATEGORY_ANY, &answer);
		assert_non_null(answer.item);
		assert_true(slice_is(answer.item->entry.value, value));
	}
	teststore_close(&t);
}

static void what_becomes_due_while_a_store_is_open_is_noticed(void **state)
{
	struct teststore t;

	(void)state;
	teststore_open(&t);
	teststore_set(&t, CATEGORY_STATE, "editor", "1", NULL);
	fake_sys_set_now(TESTSTORE_NOW + 50 * MS_PER_DAY);
	teststore_set(&t, CATEGORY_STATE, "port", "2", NULL);
	teststore_refresh(&t);
	assert_non_null(store_find_ref(t.store, slice_of("state:editor")));
	fake_sys_set_now(TESTSTORE_NOW + 90 * MS_PER_DAY);
	teststore_refresh(&t);
	assert_non_null(store_find_ref(t.store, slice_of("state:editor")));
	fake_sys_set_now(TESTSTORE_NOW + 90 * MS_PER_DAY + 1);
	teststore_refresh(&t);
	assert_null(store_find_ref(t.store, slice_of("state:editor")));
	assert_non_null(store_find_ref(t.store, slice_of("state:port")));
	teststore_close(&t);
}

static void an_entry_is_found_by_its_exact_ref(void **state)
{
	struct teststore t;

	(void)state;
	teststore_open(&t);
	teststore_set(&t, CATEGORY_STATE, "main:editor", "1", NULL);
	teststore_refresh(&t);
	assert_non_null(store_find_ref(t.store, slice_of("state:main:editor")));
	assert_null(store_find_ref(t.store, slice_of("state:main editor")));
	assert_null(store_find_ref(t.store, slice_of("State:main:editor")));
	assert_null(store_find_ref(t.store, slice_of("main:editor")));
	assert_null(store_find_ref(t.store, slice_of("state")));
	assert_null(store_find_ref(t.store, slice_of("")));
	teststore_close(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_kept_up_to_date_is_what_a_new_one_reads),
		cmocka_unit_test(many_changes_do_not_pile_up),
		cmocka_unit_test(what_becomes_due_while_a_store_is_open_is_noticed),
		cmocka_unit_test(an_entry_is_found_by_its_exact_ref),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
