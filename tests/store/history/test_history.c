#include "store/history/history.h"

#include "git/gitrepo.h"
#include "git/walk.h"
#include "git/write/commit.h"
#include "git/write/pack.h"
#include "store/history/commit_message.h"
#include "store/open/store.h"
#include "store/view/snapshot.h"
#include "support/teststore.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int set_up(void **state)
{
	struct teststore *t = calloc(1, sizeof *t);

	teststore_open_in(t, surroundings_with_history);
	gitrepo_isolate(&t->dir);
	*state = t;
	return 0;
}

static int tear_down(void **state)
{
	struct teststore *t = *state;

	teststore_close(t);
	free(t);
	return 0;
}

static void set(struct teststore *t, const char *key, const char *value)
{
	assert_int_equal(teststore_set(t, CATEGORY_STATE, key, value, NULL), ERR_NONE);
}

static struct repo *repo_of(struct teststore *t)
{
	struct repo *repo;
	struct err err;

	if (history_repo(t->store, &repo, &err) != 0)
		fail_msg("%s", err.text);
	return repo;
}

/* Subjects from new to old, each with its author's first letter, one a line. */
static void check_log(struct teststore *t, const char *expected)
{
	STR_AUTO text = STR_INIT;
	struct walk *walk;
	struct commit commit;
	struct err err;
	int result;

	assert_int_equal(walk_open(&walk, repo_of(t), NULL, &err), 0);
	while ((result = walk_next(walk, &commit, &err)) == 1) {
		str_printf(&text, "%c ", commit.author[0]);
		str_add(&text, message_subject(commit.message));
		str_addc(&text, '\n');
	}
	assert_int_equal(result, 0);
	walk_close(walk);
	assert_string_equal(text.ptr, expected);
}

static int check_file(void *context, const char *path, const struct object_id *blob)
{
	struct teststore *t = context;
	STR_AUTO recorded = STR_INIT;
	char *there = tmpdir_read(&t->dir, path);
	struct err err;

	assert_int_equal(repo_blob_read(repo_of(t), blob, &recorded, &err), 0);
	assert_non_null(there);
	assert_string_equal(recorded.ptr, there);
	free(there);
	return 0;
}

/* The last commit has the files as they are. */
static void check_tree(struct teststore *t)
{
	struct object_id head;
	struct err err;

	assert_int_equal(repo_head(repo_of(t), &head, &err), 0);
	assert_int_equal(repo_files(repo_of(t), &head, check_file, t, &err), 0);
}

static void each_change_is_a_commit(void **state)
{
	struct teststore *t = *state;

	set(t, "a", "1");
	set(t, "b", "2");
	set(t, "a", "3");
	assert_int_equal(teststore_archive(t, CATEGORY_STATE, "b", REASON_DELETED), ERR_NONE);
	check_log(t, "k test state:b\nk test state:a\nk test state:b\nk test state:a\nk begin\n");
	check_tree(t);
	assert_false(tmpdir_has(&t->dir, ".git/index.lock"));
	assert_false(tmpdir_has(&t->dir, "archive.cold"));
}

static void a_read_makes_no_repository(void **state)
{
	struct teststore *t = *state;

	free(teststore_value(t, CATEGORY_STATE, "a"));
	assert_false(tmpdir_has(&t->dir, ".git"));
}

static void a_change_of_nothing_is_no_commit(void **state)
{
	struct teststore *t = *state;

	set(t, "a", "1");
	set(t, "a", "1");
	check_log(t, "k test state:a\nk begin\n");
}

static void a_hand_edit_is_the_persons_commit_before_ours(void **state)
{
	struct teststore *t = *state;

	teststore_mark(&t->dir);
	tmpdir_write(&t->dir, ".gitconfig", "[user]\n\tname = Ada\n\temail = ada@example.org\n");
	set(t, "a", "1");
	tmpdir_write(&t->dir, "state.json", "{\"a\": {\"value\": 7}, \"b\": 2}\n");
	tmpdir_write(&t->dir, "preferences.json", "{\"editor\": \"vim\"}\n");
	set(t, "c", "3");
	check_log(t, "k test state:c\nA edit preferences:editor and 2 more\n"
		     "k test state:a\nk begin\n");
	check_tree(t);
}

static void a_file_that_was_there_before_begins_the_history(void **state)
{
	struct teststore *t = *state;

	tmpdir_write(&t->dir, "state.json", "{\"a\": 1}\n");
	tmpdir_write(&t->dir, "config.json", "{\"limits\": {\"expiry_days\": 10}}\n");
	set(t, "b", "2");
	check_log(t, "k test state:b\nk begin\n");
	check_tree(t);
}

static void a_file_that_a_person_removed_goes(void **state)
{
	struct teststore *t = *state;

	assert_int_equal(teststore_set(t, CATEGORY_PREFERENCES, "x", "1", NULL), ERR_NONE);
	assert_int_equal(unlinkat(t->dir.fd, "preferences.json", 0), 0);
	set(t, "a", "1");
	check_tree(t);
}

static void what_git_holds_up_is_recorded_later_in_order(void **state)
{
	struct teststore *t = *state;

	set(t, "a", "1");
	tmpdir_write(&t->dir, ".git/index.lock", "");
	set(t, "a", "2");
	set(t, "b", "1");
	teststore_reopen(t);
	set(t, "b", "2");
	check_log(t, "k test state:a\nk begin\n");
	assert_int_equal(unlinkat(t->dir.fd, ".git/index.lock", 0), 0);
	set(t, "c", "1");
	check_log(t, "k test state:c\nk test state:b\nk test state:b\nk test state:a\n"
		     "k test state:a\nk begin\n");
	check_tree(t);
}

static void an_edit_between_changes_that_wait_stays_the_persons(void **state)
{
	struct teststore *t = *state;

	teststore_mark(&t->dir);
	tmpdir_write(&t->dir, ".gitconfig", "[user]\n\tname = Ada\n\temail = ada@example.org\n");
	set(t, "a", "1");
	tmpdir_write(&t->dir, ".git/index.lock", "");
	set(t, "b", "1");
	tmpdir_write(&t->dir, "state.json", "{\"a\": 7}\n");
	set(t, "c", "1");
	assert_int_equal(unlinkat(t->dir.fd, ".git/index.lock", 0), 0);
	set(t, "d", "1");
	check_log(t, "k test state:d\nk test state:c\nA edit state:a and 1 more\n"
		     "k test state:b\nk test state:a\nk begin\n");
	check_tree(t);
}

/* An editor had the file open when a change displaced it, and saves in place afterwards. */
static void a_late_edit_is_the_persons(void **state)
{
	struct teststore *t = *state;
	static const char late[] = "{\n  \"a\": 7\n}\n";
	int fd;

	teststore_mark(&t->dir);
	tmpdir_write(&t->dir, ".gitconfig", "[user]\n\tname = Ada\n\temail = ada@example.org\n");
	set(t, "a", "1");
	fd = openat(t->dir.fd, "state.json", O_WRONLY);
	assert_true(fd >= 0);
	set(t, "b", "1");
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(write(fd, late, strlen(late)), (ssize_t)strlen(late));
	close(fd);
	/* Another process finds it, which has made no change before. */
	teststore_reopen(t);
	set(t, "c", "1");
	check_log(t, "k test state:c\nA edit state:a\nk test state:b\nk test state:a\nk begin\n");
	check_tree(t);
}

/* A file as it is, committed by somebody else, as `git commit -a` does. */
static void commit_as_ada(struct teststore *t, const char *name)
{
	char *text = tmpdir_read(&t->dir, name);
	struct recorded_file file = {.path = name};
	struct commit_spec spec = {.files = &file,
				   .count = 1,
				   .message = "all\n",
				   .author = "Ada",
				   .email = "ada@example.org",
				   .time_ms = TESTSTORE_NOW};
	struct recording *recording;
	struct object_id id;
	struct err err;

	assert_int_equal(repo_blob_write(repo_of(t), slice_of(text), &file.blob, &err), 0);
	assert_int_equal(recording_begin(&recording, repo_of(t), &err), 0);
	assert_int_equal(recording_add(recording, &spec, &id, &err), 0);
	assert_int_equal(recording_finish(recording, &err), 0);
	free(text);
}

static void what_somebody_committed_before_us_is_no_edit(void **state)
{
	struct teststore *t = *state;

	set(t, "a", "1");
	tmpdir_write(&t->dir, ".git/index.lock", "");
	set(t, "b", "1");
	set(t, "c", "1");
	assert_int_equal(unlinkat(t->dir.fd, ".git/index.lock", 0), 0);
	commit_as_ada(t, "state.json");
	set(t, "d", "1");
	check_log(t, "k test state:d\nk test state:c\nk test state:b\nA all\nk test state:a\n"
		     "k begin\n");
	check_tree(t);
}

static void what_somebody_committed_between_our_changes_is_no_edit(void **state)
{
	struct teststore *t = *state;

	set(t, "a", "1");
	tmpdir_write(&t->dir, ".git/index.lock", "");
	set(t, "b", "1");
	assert_int_equal(unlinkat(t->dir.fd, ".git/index.lock", 0), 0);
	commit_as_ada(t, "state.json");
	tmpdir_write(&t->dir, ".git/index.lock", "");
	set(t, "c", "1");
	assert_int_equal(unlinkat(t->dir.fd, ".git/index.lock", 0), 0);
	set(t, "d", "1");
	check_log(t, "k test state:d\nk test state:c\nk test state:b\nA all\nk test state:a\n"
		     "k begin\n");
	check_tree(t);
}

static void a_damaged_file_that_was_committed_once_is_no_edit(void **state)
{
	const struct timespec old[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
	struct teststore *t = *state;
	char head[OBJECT_ID_DIGITS + 1];
	struct object_id before;
	char path[64];
	struct err err;

	set(t, "a", "1");
	tmpdir_write(&t->dir, "patterns.json", "{\"cut\": ");
	assert_int_equal(utimensat(t->dir.fd, "patterns.json", old, 0), 0);
	assert_int_equal(repo_head(repo_of(t), &before, &err), 0);
	commit_as_ada(t, "patterns.json");
	set(t, "b", "1");
	check_log(t, "k test state:b\nA all\nk test state:a\nk begin\n");
	/* As git reset --soft does: the commits are gone, the file stays as it is. */
	object_id_text(&before, head);
	snprintf(path, sizeof path, ".git/%s", repo_branch(repo_of(t)));
	tmpdir_write(&t->dir, path, head);
	set(t, "c", "1");
	check_log(t, "k test state:c\nr edit state:b\nk test state:a\nk begin\n");
	check_tree(t);
}

static int die_in_change(void *context)
{
	struct teststore *t = context;

	return (int)teststore_set(t, CATEGORY_STATE, "b", "2", NULL);
}

/* Dies at each call of a change in turn; whoever comes next records what was made, as ours. */
static void a_killed_process_leaves_what_the_next_one_records(void **state)
{
	(void)state;
	for (unsigned n = 1;; n++) {
		struct teststore t;
		int status;
		char *value;

		teststore_open_in(&t, surroundings_with_history);
		gitrepo_isolate(&t.dir);
		set(&t, "a", "1");
		fake_sys_die(FAKE_ANY, n, 99);
		status = fake_sys_in_child(die_in_change, &t);
		fake_sys_reset(TESTSTORE_NOW);
		teststore_reopen(&t);
		set(&t, "c", "3");
		value = teststore_value(&t, CATEGORY_STATE, "b");
		check_log(&t, value ? "k test state:c\nk test state:b\nk test state:a\nk begin\n"
				    : "k test state:c\nk test state:a\nk begin\n");
		check_tree(&t);
		free(value);
		teststore_close(&t);
		if (status != 99)
			return;
		assert_true(n < 1000);
	}
}

static void expiry_is_a_commit_of_its_own(void **state)
{
	struct teststore *t = *state;

	set(t, "a", "1");
	fake_sys_set_now(TESTSTORE_NOW + 91 * MS_PER_DAY);
	set(t, "b", "1");
	check_log(t, "k test state:b\nk expiry state:a\nk test state:a\nk begin\n");
	check_tree(t);
}

static void after_a_power_cut_what_nothing_explains_is_recovered(void **state)
{
	struct teststore *t = *state;

	set(t, "a", "1");
	tmpdir_write(&t->dir, ".pending", "{\"boot\":\"another\",\"told\":false}\n");
	tmpdir_write(&t->dir, "state.json", "{\"a\": 1, \"b\": 2}\n");
	set(t, "c", "1");
	check_log(t, "k test state:c\nk recovered state:a and 1 more\nk test state:a\nk begin\n");
}

static void an_empty_list_of_what_is_pending_was_lost(void **state)
{
	struct teststore *t = *state;

	set(t, "a", "1");
	tmpdir_write(&t->dir, ".pending", "");
	tmpdir_write(&t->dir, "state.json", "{\"a\": 1, \"b\": 2}\n");
	set(t, "c", "1");
	check_log(t, "k test state:c\nk recovered state:a and 1 more\nk test state:a\nk begin\n");
}

static void history_can_be_off(void **state)
{
	struct teststore *t = *state;
	struct repo *repo;
	struct err err;

	t->env = surroundings_plain;
	teststore_reopen(t);
	set(t, "a", "1");
	set(t, "a", "2");
	assert_false(tmpdir_has(&t->dir, ".git"));
	assert_true(tmpdir_has(&t->dir, "archive.cold"));
	assert_int_equal(history_repo(t->store, &repo, &err), -1);
	assert_int_equal(err.code, ERR_NO_HISTORY);
	assert_non_null(strstr(err.text, "config.json"));
}

static const char *nothing_chosen(const char *name)
{
	(void)name;
	return NULL;
}

static void in_a_repository_of_the_person_it_is_off_and_told_once(void **state)
{
	struct gitrepo *r;
	struct teststore t = {.env = nothing_chosen};
	const char *const *notices;
	size_t count;

	(void)state;
	gitrepo_set_up((void **)&r);
	fake_sys_reset(TESTSTORE_NOW);
	t.dir = r->dir;
	snprintf(t.dir.path + strlen(t.dir.path), 8, "/store");
	store_open(&t.store, fake_sys(), t.env, t.dir.path, &(struct err){0});
	set(&t, "a", "1");
	notices = store_notices(t.store, &count);
	assert_int_equal(count, 1);
	assert_non_null(strstr(notices[0], "lies in the repository"));
	teststore_reopen(&t);
	set(&t, "b", "1");
	store_notices(t.store, &count);
	assert_int_equal(count, 0);
	assert_false(tmpdir_has(&r->dir, "store/.git"));
	store_close(t.store);
	gitrepo_tear_down((void **)&r);
}

/* The one thing that the last call of the store warned of; NULL: it warned of nothing. */
static void check_notice(struct teststore *t, const char *expected)
{
	size_t count;
	const char *const *notices = store_notices(t->store, &count);

	assert_int_equal(count, expected ? 1 : 0);
	if (expected)
		assert_non_null(strstr(notices[0], expected));
}

/* The library would wait for ever at the FIFO. Changes are made all the same; reads are silent. */
static void a_repository_that_is_refused_is_said_with_each_change(void **state)
{
	static const char why[] = "/.git/config is not a regular file";
	struct teststore *t = *state;
	char *value;

	set(t, "a", "1");
	check_notice(t, NULL);
	assert_int_equal(unlinkat(t->dir.fd, ".git/config", 0), 0);
	assert_int_equal(mkfifoat(t->dir.fd, ".git/config", 0600), 0);
	teststore_reopen(t);
	value = teststore_value(t, CATEGORY_STATE, "a");
	assert_string_equal(value, "1");
	free(value);
	check_notice(t, NULL);
	for (int times = 0; times < 2; times++) {
		set(t, "b", times ? "2" : "1");
		check_notice(t, "changes are not recorded in the history: ");
		check_notice(t, why);
	}
	value = teststore_value(t, CATEGORY_STATE, "b");
	assert_string_equal(value, "2");
	free(value);
}

static void a_repository_that_is_mended_is_used_again(void **state)
{
	struct teststore *t = *state;
	char *config;

	set(t, "a", "1");
	config = tmpdir_read(&t->dir, ".git/config");
	tmpdir_write(&t->dir, ".git/config", "[core");
	teststore_reopen(t);
	set(t, "b", "1");
	check_notice(t, "changes are not recorded in the history: ");
	tmpdir_write(&t->dir, ".git/config", config);
	free(config);
	set(t, "c", "1");
	check_notice(t, NULL);
	assert_true(history_is_on(t->store));
	check_tree(t);
}

static void a_detached_head_is_left_alone(void **state)
{
	struct teststore *t = *state;
	struct object_id head;
	char text[OBJECT_ID_DIGITS + 1];
	struct err err;
	char *now;

	set(t, "a", "1");
	assert_int_equal(repo_head(repo_of(t), &head, &err), 0);
	object_id_text(&head, text);
	tmpdir_write(&t->dir, ".git/HEAD", text);
	set(t, "a", "2");
	now = tmpdir_read(&t->dir, ".git/HEAD");
	assert_string_equal(now, text);
	free(now);
	assert_true(tmpdir_has(&t->dir, "archive.cold"));
	tmpdir_write(&t->dir, ".git/HEAD", "ref: refs/heads/main\n");
	set(t, "b", "1");
	check_tree(t);
}

/* As many objects as make packing due, found by their names so that few have to be written. */
static void fill_sampled_folders(struct teststore *t)
{
	int written = 0;

	for (int i = 0; written < 8; i++) {
		struct object_id id;
		char text[32];
		struct err err;

		snprintf(text, sizeof text, "%d", i);
		assert_int_equal(repo_blob_id(repo_of(t), slice_of(text), &id, &err), 0);
		if ((id.bytes[0] & 0x3f) != 0)
			continue;
		assert_int_equal(repo_blob_write(repo_of(t), slice_of(text), &id, &err), 0);
		written++;
	}
}

static void many_objects_are_packed_and_history_goes_on(void **state)
{
	struct teststore *t = *state;
	struct object_id head;
	char path[80];
	char text[OBJECT_ID_DIGITS + 1];
	struct err err;

	set(t, "a", "1");
	assert_int_equal(repo_head(repo_of(t), &head, &err), 0);
	object_id_text(&head, text);
	snprintf(path, sizeof path, ".git/objects/%.2s/%s", text, text + 2);
	assert_true(tmpdir_has(&t->dir, path));
	fill_sampled_folders(t);
	teststore_reopen(t);
	set(t, "b", "1");
	assert_false(tmpdir_has(&t->dir, path));
	set(t, "c", "1");
	teststore_reopen(t);
	set(t, "d", "1");
	check_log(t, "k test state:d\nk test state:c\nk test state:b\nk test state:a\nk begin\n");
	check_tree(t);
}

static void a_repository_of_the_person_is_not_packed(void **state)
{
	struct teststore *t = *state;

	set(t, "a", "1");
	assert_int_equal(unlinkat(t->dir.fd, ".git/info/kota-memory", 0), 0);
	fill_sampled_folders(t);
	set(t, "b", "1");
	assert_true(pack_is_due(repo_of(t)));
}

/* ---- what cannot be recorded */

/* Does a file of the store have this text? */
static bool says(struct teststore *t, const char *name, const char *text)
{
	char *whole = tmpdir_read(&t->dir, name);
	bool found = whole && strstr(whole, text);

	free(whole);
	return found;
}

/* The value of state:a as each commit has it, from new to old. */
static void check_values(struct teststore *t, const char *expected)
{
	STR_AUTO text = STR_INIT;
	struct commit commit;
	struct walk *walk;
	struct err err;

	assert_int_equal(walk_open(&walk, repo_of(t), NULL, &err), 0);
	while (walk_next(walk, &commit, &err) == 1) {
		struct object_id blob;
		STR_AUTO state = STR_INIT;
		const char *value;

		assert_int_equal(repo_file_at(repo_of(t), &commit.id, "state.json", &blob, &err),
				 0);
		if (object_id_is_none(&blob))
			continue;
		assert_int_equal(repo_blob_read(repo_of(t), &blob, &state, &err), 0);
		value = strstr(state.ptr, "\"value\": ");
		str_printf(&text, "%c", value ? value[9] : '-');
	}
	walk_close(walk);
	assert_string_equal(text.ptr, expected);
}

/* How many texts of state:a the cold archive keeps. */
static size_t kept(struct teststore *t)
{
	char *cold = tmpdir_read(&t->dir, "archive.cold/2026-11.jsonl");
	size_t count = 0;

	for (const char *at = cold; at && (at = strstr(at, "\"replaced\"")) != NULL; at++)
		count++;
	free(cold);
	return count;
}

static void hold(struct teststore *t)
{
	tmpdir_write(&t->dir, ".git/index.lock", "");
}

static void let_go(struct teststore *t)
{
	assert_int_equal(unlinkat(t->dir.fd, ".git/index.lock", 0), 0);
}

static void what_is_overwritten_while_git_works_is_in_the_archive(void **state)
{
	struct teststore *t = *state;

	set(t, "a", "1");
	hold(t);
	set(t, "a", "2");
	check_notice(t, "the change is made, but not in the history yet: ");
	set(t, "a", "3");
	check_notice(t, "the change is made, but not in the history yet: ");
	assert_int_equal(kept(t), 2);
	let_go(t);
	set(t, "a", "4");
	check_notice(t, NULL);
	assert_int_equal(kept(t), 2);
	check_values(t, "4321");
}

/* git puts the file back to what the branch has, as `git checkout -- .` and others do. */
static void what_git_puts_back_is_recorded_before(void **state)
{
	struct teststore *t = *state;
	char *before;

	teststore_mark(&t->dir);
	tmpdir_write(&t->dir, ".gitconfig", "[user]\n\tname = Ada\n\temail = ada@example.org\n");
	set(t, "a", "1");
	before = tmpdir_read(&t->dir, "state.json");
	hold(t);
	set(t, "a", "2");
	tmpdir_write(&t->dir, "state.json", before);
	let_go(t);
	teststore_reopen(t);
	set(t, "b", "1");
	/* The person is told, and how to have the change back. */
	check_notice(t, "as git does: edit state:a; nothing is lost, kota undo ");
	check_log(t, "k test state:b\nA edit state:a\nk test state:a\nk test state:a\nk begin\n");
	check_values(t, "1121");
	check_tree(t);
	free(before);
}

/* Somebody has committed an edit, and git puts the file back to that. */
static void what_git_puts_back_to_a_commit_of_others_is_not_overtaken(void **state)
{
	struct teststore *t = *state;
	char *theirs;

	set(t, "a", "1");
	tmpdir_write(&t->dir, "state.json", "{\n  \"a\": {\"value\": 5}\n}\n");
	commit_as_ada(t, "state.json");
	theirs = tmpdir_read(&t->dir, "state.json");
	hold(t);
	set(t, "a", "2");
	tmpdir_write(&t->dir, "state.json", theirs);
	let_go(t);
	set(t, "b", "1");
	check_values(t, "55251");
	check_tree(t);
	free(theirs);
}

/* No blob of what waits is left, as after `git gc --prune=now`. */
static void what_git_has_pruned_is_made_anew(void **state)
{
	struct teststore *t = *state;
	STR_AUTO command = STR_INIT;

	set(t, "a", "1");
	hold(t);
	str_printf(&command, "cd '%s' && find .git/objects -type f | sort >before", t->dir.path);
	assert_int_equal(system(command.ptr), 0);
	set(t, "a", "2");
	set(t, "a", "3");
	set(t, "a", "4");
	str_clear(&command);
	str_printf(&command,
		   "cd '%s' && find .git/objects -type f | sort | comm -13 before - | "
		   "xargs rm && rm before",
		   t->dir.path);
	assert_int_equal(system(command.ptr), 0);
	let_go(t);
	teststore_reopen(t);
	set(t, "b", "1");
	check_log(t, "k test state:b\nk test state:a\nk test state:a\nk test state:a\n"
		     "k test state:a\nk begin\n");
	check_values(t, "44321");
	check_tree(t);
}

/* HEAD is on no branch, or there is no repository that could be opened. */
static void what_changes_without_a_branch_is_recorded_later(void **state)
{
	static const char *const heads[] = {"0123456789012345678901234567890123456789\n", ""};
	struct teststore *t = *state;

	set(t, "a", "1");
	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
		tmpdir_write(&t->dir, ".git/HEAD", heads[i]);
		teststore_reopen(t);
		fake_sys_set_now(TESTSTORE_NOW + 1000 * (int64_t)(i + 1));
		set(t, "a", i ? "3" : "2");
		check_notice(t, "changes are not recorded in the history: ");
	}
	tmpdir_write(&t->dir, ".git/HEAD", "ref: refs/heads/main\n");
	teststore_reopen(t);
	fake_sys_set_now(TESTSTORE_NOW + 5000);
	set(t, "b", "1");
	check_notice(t, NULL);
	check_log(t, "k test state:b\nk test state:a\nk test state:a\nk test state:a\nk begin\n");
	check_values(t, "3321");
	assert_int_equal(kept(t), 2);
	check_tree(t);
}

/* Objects cannot be written: the file's name is taken by a folder for each that could be. */
static void what_has_no_object_is_recorded_later(void **state)
{
	struct teststore *t = *state;
	STR_AUTO command = STR_INIT;

	set(t, "a", "1");
	str_printf(&command,
		   "cd '%s/.git/objects' && for i in 0 1 2 3 4 5 6 7 8 9 a b c d e f; do "
		   "for j in 0 1 2 3 4 5 6 7 8 9 a b c d e f; do "
		   "[ -e $i$j ] && mv $i$j was-$i$j; : >$i$j; done; done",
		   t->dir.path);
	assert_int_equal(system(command.ptr), 0);
	set(t, "a", "2");
	check_notice(t, "but not in the history yet: ");
	set(t, "a", "3");
	assert_true(says(t, "state.json", "3"));
	assert_int_equal(kept(t), 2);
	str_clear(&command);
	str_printf(&command,
		   "cd '%s/.git/objects' && rm ?? && for d in was-*; do mv $d ${d#was-}; done",
		   t->dir.path);
	assert_int_equal(system(command.ptr), 0);
	teststore_reopen(t);
	set(t, "a", "4");
	check_notice(t, NULL);
	check_values(t, "4321");
	check_tree(t);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(each_change_is_a_commit),
		TEST(a_read_makes_no_repository),
		TEST(a_change_of_nothing_is_no_commit),
		TEST(a_hand_edit_is_the_persons_commit_before_ours),
		TEST(a_file_that_was_there_before_begins_the_history),
		TEST(a_file_that_a_person_removed_goes),
		TEST(what_git_holds_up_is_recorded_later_in_order),
		TEST(an_edit_between_changes_that_wait_stays_the_persons),
		TEST(a_late_edit_is_the_persons),
		TEST(what_somebody_committed_before_us_is_no_edit),
		TEST(what_somebody_committed_between_our_changes_is_no_edit),
		TEST(a_damaged_file_that_was_committed_once_is_no_edit),
		cmocka_unit_test(a_killed_process_leaves_what_the_next_one_records),
		TEST(expiry_is_a_commit_of_its_own),
		TEST(after_a_power_cut_what_nothing_explains_is_recovered),
		TEST(an_empty_list_of_what_is_pending_was_lost),
		TEST(history_can_be_off),
		cmocka_unit_test(in_a_repository_of_the_person_it_is_off_and_told_once),
		TEST(a_repository_that_is_refused_is_said_with_each_change),
		TEST(a_repository_that_is_mended_is_used_again),
		TEST(a_detached_head_is_left_alone),
		TEST(many_objects_are_packed_and_history_goes_on),
		TEST(a_repository_of_the_person_is_not_packed),
		TEST(what_is_overwritten_while_git_works_is_in_the_archive),
		TEST(what_git_puts_back_is_recorded_before),
		TEST(what_git_puts_back_to_a_commit_of_others_is_not_overtaken),
		TEST(what_git_has_pruned_is_made_anew),
		TEST(what_changes_without_a_branch_is_recorded_later),
		TEST(what_has_no_object_is_recorded_later),
	};

	return cmocka_run_group_tests_name("history", tests, NULL, NULL);
}
