#include "store/history/secret_guard.h"

#include "git/gitrepo.h"
#include "store/history/commit_message.h"
#include "store/history/history.h"
#include "store/log/cold.h"
#include "store/txn/repair.h"
#include "support/secret_sample.h"
#include "support/surroundings.h"
#include "support/teststore.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <stdio.h>
#include <stdlib.h>

/* A token that is refused, another one in each run of a test. */
struct scene {
	struct teststore store;
	struct str token;
};

static int set_up(void **state)
{
	struct scene *scene = calloc(1, sizeof *scene);
	const struct secret_sample *sample;
	uint64_t chance = 7;

	teststore_open_in(&scene->store, surroundings_with_history);
	gitrepo_isolate(&scene->store.dir);
	str_init(&scene->token);
	for (sample = secret_samples; strcmp(sample->rule, "GitHub token") != 0;)
		sample++;
	secret_make(sample->pattern, &chance, &scene->token);
	*state = scene;
	return 0;
}

static int tear_down(void **state)
{
	struct scene *scene = *state;

	teststore_close(&scene->store);
	str_release(&scene->token);
	free(scene);
	return 0;
}

static void set(struct scene *scene, enum category category, const char *key)
{
	assert_int_equal(teststore_set(&scene->store, category, key, "1", NULL), ERR_NONE);
}

static void write_by_hand(struct scene *scene, const char *format)
{
	STR_AUTO text = STR_INIT;
	const char *at = strchr(format, '@');

	str_add(&text, slice_make(format, at ? (size_t)(at - format) : strlen(format)));
	if (at) {
		str_add(&text, str_slice(&scene->token));
		str_adds(&text, at + 1);
	}
	tmpdir_write(&scene->store.dir, "state.json", text.ptr);
}

static struct repo *repo_of(struct scene *scene)
{
	struct repo *repo;
	struct err err;

	if (history_repo(scene->store.store, &repo, &err) != 0)
		fail_msg("%s", err.text);
	return repo;
}

/* Is the text that the file has in the repository, by whatever name? */
static bool is_in_repository(struct scene *scene, const char *name)
{
	char *text = tmpdir_read(&scene->store.dir, name);
	struct object_id id;
	struct err err;

	assert_non_null(text);
	assert_int_equal(repo_blob_id(repo_of(scene), slice_of(text), &id, &err), 0);
	free(text);
	return repo_has(repo_of(scene), &id);
}

static void check_log(struct scene *scene, const char *expected)
{
	STR_AUTO text = STR_INIT;
	struct walk *walk;
	struct commit commit;
	struct err err;

	assert_int_equal(walk_open(&walk, repo_of(scene), NULL, &err), 0);
	while (walk_next(walk, &commit, &err) == 1) {
		str_add(&text, message_subject(commit.message));
		str_addc(&text, '\n');
	}
	walk_close(walk);
	assert_string_equal(text.ptr, expected);
}

static void check_told(struct scene *scene, const char *words)
{
	size_t count;
	const char *const *notices = store_notices(scene->store.store, &count);
	bool found = false;

	for (size_t i = 0; i < count; i++) {
		found = found || strstr(notices[i], words);
		assert_null(strstr(notices[i], scene->token.ptr));
	}
	if (found != (words[0] != '\0'))
		fail_msg("told %zu things, looked for: %s", count, words);
}

static void an_edit_with_a_secret_waits_and_others_do_not(void **state)
{
	struct scene *scene = *state;

	set(scene, CATEGORY_STATE, "a");
	write_by_hand(scene, "{\"a\": 1, \"door\": {\"value\": \"@\"}}\n");
	set(scene, CATEGORY_PREFERENCES, "b");
	check_told(scene, "state:door holds a secret");
	assert_false(is_in_repository(scene, "state.json"));
	check_log(scene, "test preferences:b\ntest state:a\nbegin\n");
}

/* The text of a file as the last commit has it. */
static void read_recorded(struct scene *scene, const char *name, struct str *out)
{
	struct object_id head;
	struct object_id blob;
	struct err err;

	assert_int_equal(repo_head(repo_of(scene), &head, &err), 0);
	assert_int_equal(repo_file_at(repo_of(scene), &head, name, &blob, &err), 0);
	assert_int_equal(repo_blob_read(repo_of(scene), &blob, out, &err), 0);
}

static void a_change_of_the_same_file_is_recorded_without_it(void **state)
{
	struct scene *scene = *state;
	STR_AUTO text = STR_INIT;

	set(scene, CATEGORY_STATE, "a");
	write_by_hand(scene, "{\"door\": {\"value\": \"@\"}}\n");
	set(scene, CATEGORY_STATE, "b");
	check_told(scene, "holds a secret");
	assert_false(is_in_repository(scene, "state.json"));
	set(scene, CATEGORY_STATE, "c");
	check_told(scene, "holds a secret");
	assert_false(is_in_repository(scene, "state.json"));
	read_recorded(scene, "state.json", &text);
	assert_non_null(strstr(text.ptr, "\"b\""));
	assert_non_null(strstr(text.ptr, "\"c\""));
	assert_null(strstr(text.ptr, "door"));
	set(scene, CATEGORY_PREFERENCES, "d");
	check_log(scene, "test preferences:d\ntest state:c\ntest state:b\ntest state:a\nbegin\n");
	teststore_reopen(&scene->store);
	write_by_hand(scene, "{\"door\": {\"value\": \"open\"}, \"b\": 1, \"c\": 1}\n");
	set(scene, CATEGORY_STATE, "e");
	check_log(scene, "test state:e\nedit state:a and 3 more\ntest preferences:d\n"
			 "test state:c\ntest state:b\ntest state:a\nbegin\n");
	assert_true(is_in_repository(scene, "state.json"));
	check_told(scene, "");
}

/* What the change itself carries has been in no question: it waits with the edit. */
static void a_change_of_the_secret_waits_as_well(void **state)
{
	struct scene *scene = *state;
	STR_AUTO value = STR_INIT;

	set(scene, CATEGORY_STATE, "a");
	write_by_hand(scene, "{\"door\": {\"value\": \"@\"}}\n");
	str_printf(&value, "\"%s\"", scene->token.ptr);
	assert_int_equal(teststore_set(&scene->store, CATEGORY_STATE, "door", value.ptr, NULL),
			 ERR_NONE);
	assert_false(is_in_repository(scene, "state.json"));
	check_log(scene, "test state:a\nbegin\n");
	check_told(scene, "holds a secret");
}

/* A person wrote what it overwrites, so that is kept, and waits in its place. */
static void a_change_that_takes_the_secret_out_is_recorded(void **state)
{
	struct scene *scene = *state;
	STR_AUTO cold = STR_INIT;
	char *kept;

	set(scene, CATEGORY_STATE, "a");
	write_by_hand(scene, "{\"door\": {\"value\": \"@\"}}\n");
	set(scene, CATEGORY_STATE, "door");
	assert_true(is_in_repository(scene, "state.json"));
	check_log(scene, "test state:door\ntest state:a\nbegin\n");
	cold_path(&cold, fake_sys_now());
	kept = tmpdir_read(&scene->store.dir, cold.ptr);
	assert_non_null(strstr(kept, scene->token.ptr));
	assert_false(is_in_repository(scene, cold.ptr));
	check_told(scene, "holds a secret");
	free(kept);
	/* No change of the file waits for it. */
	set(scene, CATEGORY_STATE, "b");
	assert_true(is_in_repository(scene, "state.json"));
	assert_false(is_in_repository(scene, cold.ptr));
}

static void the_person_may_have_it_recorded(void **state)
{
	struct scene *scene = *state;
	struct err err;

	set(scene, CATEGORY_STATE, "a");
	write_by_hand(scene, "{\"door\": {\"value\": \"@\"}}\n");
	set(scene, CATEGORY_STATE, "b");
	assert_int_equal(repair_record_held(scene->store.store, fake_sys_now(), &err), 0);
	assert_true(is_in_repository(scene, "state.json"));
	set(scene, CATEGORY_STATE, "c");
	check_told(scene, "");
	check_log(scene, "test state:c\nedit state:a and 1 more\ntest state:b\ntest state:a\n"
			 "begin\n");
}

static void a_secret_that_is_archived_waits_there(void **state)
{
	struct scene *scene = *state;

	set(scene, CATEGORY_STATE, "a");
	write_by_hand(scene, "{\"door\": {\"value\": \"@\"}}\n");
	teststore_refresh(&scene->store);
	assert_int_equal(teststore_archive(&scene->store, CATEGORY_STATE, "door", REASON_DELETED),
			 ERR_NONE);
	assert_false(is_in_repository(scene, "archive.json"));
	assert_true(is_in_repository(scene, "state.json"));
	set(scene, CATEGORY_STATE, "b");
	check_told(scene, "holds a secret");
	assert_false(is_in_repository(scene, "archive.json"));
}

static void what_the_person_allowed_is_recorded(void **state)
{
	struct scene *scene = *state;
	STR_AUTO value = STR_INIT;

	str_printf(&value, "\"%s\"", scene->token.ptr);
	assert_int_equal(teststore_set(&scene->store, CATEGORY_STATE, "a", value.ptr, NULL),
			 ERR_NONE);
	assert_true(is_in_repository(scene, "state.json"));
	assert_int_equal(teststore_archive(&scene->store, CATEGORY_STATE, "a", REASON_DELETED),
			 ERR_NONE);
	assert_true(is_in_repository(scene, "archive.json"));
	check_told(scene, "");
}

static void a_store_that_has_secrets_waits_from_the_beginning(void **state)
{
	struct scene *scene = *state;

	write_by_hand(scene, "{\"door\": {\"value\": \"@\"}}\n");
	set(scene, CATEGORY_PREFERENCES, "a");
	check_told(scene, "state:door holds a secret");
	assert_false(is_in_repository(scene, "state.json"));
	check_log(scene, "test preferences:a\nbegin\n");
}

static void with_the_setting_off_nothing_waits(void **state)
{
	struct scene *scene = *state;

	store_disk(scene->store.store)->origin.kind = ORIGIN_OWN;
	tmpdir_write(&scene->store.dir, "config.json", "{\"secrets\": \"off\"}\n");
	set(scene, CATEGORY_STATE, "a");
	write_by_hand(scene, "{\"door\": {\"value\": \"@\"}}\n");
	set(scene, CATEGORY_STATE, "b");
	assert_true(is_in_repository(scene, "state.json"));
}

static void texts(void **state)
{
	struct scene *scene = *state;
	struct secret_guard hold = {.where = STR_INIT};
	STR_AUTO text = STR_INIT;

	str_printf(&text, "{\"a\": {\"value\": \"%s\"}}", scene->token.ptr);
	assert_true(secret_guard_finds("state.json", slice_of("{}"), str_slice(&text), &hold));
	assert_string_equal(hold.where.ptr, "state:a");
	assert_false(secret_guard_finds("state.json", str_slice(&text), str_slice(&text), NULL));
	/* Broken, and a file without entries. */
	assert_true(secret_guard_finds("state.json", slice_of("{}"),
				       slice_make(text.ptr, text.len - 1), NULL));
	assert_true(secret_guard_finds("notes/a.md", slice_make(NULL, 0), str_slice(&text), &hold));
	assert_string_equal(hold.where.ptr, "notes/a.md");
	assert_false(secret_guard_finds("notes/a.md", str_slice(&text), str_slice(&text), NULL));
	/* A key. */
	str_clear(&text);
	str_printf(&text, "{\"%s\": 1}", scene->token.ptr);
	assert_true(secret_guard_finds("state.json", slice_make(NULL, 0), str_slice(&text), &hold));
	assert_null(strstr(hold.where.ptr, scene->token.ptr));
	str_release(&hold.where);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(an_edit_with_a_secret_waits_and_others_do_not),
		TEST(a_change_of_the_same_file_is_recorded_without_it),
		TEST(a_change_of_the_secret_waits_as_well),
		TEST(a_change_that_takes_the_secret_out_is_recorded),
		TEST(the_person_may_have_it_recorded),
		TEST(a_secret_that_is_archived_waits_there),
		TEST(what_the_person_allowed_is_recorded),
		TEST(a_store_that_has_secrets_waits_from_the_beginning),
		TEST(with_the_setting_off_nothing_waits),
		TEST(texts),
	};

	return cmocka_run_group_tests_name("hold", tests, NULL, NULL);
}
