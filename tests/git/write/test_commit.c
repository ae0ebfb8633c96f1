#include "base/mem.h"
#include "git/gitrepo.h"
#include "git/libgit2.h"
#include "git/repo_state.h"
#include "git/write/lock.h"

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

static void check_text(struct gitrepo *r, const char *path, const char *expected)
{
	char *text = gitrepo_text(r, path);

	if (expected)
		assert_string_equal(text, expected);
	else
		assert_null(text);
	free(text);
}

static void test_commits_follow_each_other(void **state)
{
	struct gitrepo *r = *state;
	struct object_id first = gitrepo_record(r, "a.json", "{}\n", "one\n");
	struct object_id second = gitrepo_record(r, "deep/b.jsonl", "{}\n", "two\n");
	struct walk *walk;
	struct commit commit;
	struct err err;

	assert_false(object_id_equal(&first, &second));
	check_text(r, "a.json", "{}\n");
	check_text(r, "deep/b.jsonl", "{}\n");
	assert_int_equal(walk_open(&walk, r->repo, NULL, &err), 0);
	assert_int_equal(walk_next(walk, &commit, &err), 1);
	assert_true(object_id_equal(&commit.id, &second));
	assert_true(object_id_equal(&commit.parent, &first));
	assert_string_equal(commit.message, "two\n");
	assert_string_equal(commit.author, "kota-memory");
	assert_int_equal(commit.time_ms, 1795000000000);
	assert_int_equal(commit.offset_min, 60);
	assert_int_equal(walk_next(walk, &commit, &err), 1);
	assert_true(object_id_is_none(&commit.parent));
	assert_int_equal(walk_next(walk, &commit, &err), 0);
	walk_close(walk);
}

static void test_changes_of_a_commit(void **state)
{
	struct gitrepo *r = *state;
	const struct file_change *changes;
	struct walk *walk;
	struct commit commit;
	struct err err;
	size_t count;

	gitrepo_record(r, "a.json", "{}\n", "one\n");
	gitrepo_record(r, "b.json", "{}\n", "two\n");
	gitrepo_record(r, "a.json", NULL, "three\n");
	assert_int_equal(walk_open(&walk, r->repo, NULL, &err), 0);
	assert_int_equal(walk_next(walk, &commit, &err), 1);
	assert_int_equal(walk_changes(walk, &changes, &count, &err), 0);
	assert_int_equal(count, 1);
	assert_string_equal(changes[0].path, "a.json");
	assert_false(object_id_is_none(&changes[0].before));
	assert_true(object_id_is_none(&changes[0].after));
	walk_close(walk);
}

static void test_nothing_new_is_no_commit(void **state)
{
	struct gitrepo *r = *state;
	struct object_id first = gitrepo_record(r, "a.json", "{}\n", "one\n");
	struct object_id again = gitrepo_record(r, "a.json", "{}\n", "again\n");
	struct object_id gone = gitrepo_record(r, "b.json", NULL, "never there\n");

	assert_true(object_id_equal(&first, &again));
	assert_true(object_id_equal(&first, &gone));
}

static void write_lock(struct gitrepo *r, const char *text)
{
	tmpdir_write(&r->dir, ".git/index.lock", text);
}

static void test_lock_of_another_program_is_respected(void **state)
{
	struct gitrepo *r = *state;
	struct recording *recording;
	struct err err;

	write_lock(r, "");
	assert_int_equal(recording_begin(&recording, r->repo, &err), -1);
	assert_int_equal(err.code, ERR_BUSY);
	assert_true(tmpdir_has(&r->dir, ".git/index.lock"));
}

static void test_lock_of_a_killed_recording_is_taken_over(void **state)
{
	struct gitrepo *r = *state;

	write_lock(r, "kota-memory\n");
	gitrepo_record(r, "a.json", "{}\n", "one\n");
	assert_false(tmpdir_has(&r->dir, ".git/index.lock"));
	check_text(r, "a.json", "{}\n");
}

/* As it is left where the file system has links, and for a branch too. */
static void test_links_of_a_killed_recording_are_taken_over(void **state)
{
	struct gitrepo *r = *state;

	assert_int_equal(symlinkat("kota-memory", r->dir.fd, ".git/index.lock"), 0);
	assert_int_equal(symlinkat("kota-memory", r->dir.fd, ".git/refs/heads/main.lock"), 0);
	tmpdir_write(&r->dir, ".git/kota-index.lock", "half");
	tmpdir_write(&r->dir, ".git/kota-branch", "half");
	gitrepo_record(r, "a.json", "{}\n", "one\n");
	assert_false(tmpdir_has(&r->dir, ".git/index.lock"));
	assert_false(tmpdir_has(&r->dir, ".git/refs/heads/main.lock"));
	assert_false(tmpdir_has(&r->dir, ".git/kota-index.lock"));
	check_text(r, "a.json", "{}\n");
}

static void test_lock_of_the_branch_by_another_program_is_respected(void **state)
{
	struct gitrepo *r = *state;
	struct recorded_file file = {.path = "b.json"};
	struct commit_spec spec = {.files = &file, .count = 1, .message = "late\n"};
	struct recording *recording;
	struct object_id id;
	struct err err;

	gitrepo_record(r, "a.json", "{}\n", "one\n");
	tmpdir_write(&r->dir, ".git/refs/heads/main.lock", "");
	assert_int_equal(repo_blob_write(r->repo, slice_of("[]"), &file.blob, &err), 0);
	assert_int_equal(recording_begin(&recording, r->repo, &err), 0);
	assert_int_equal(recording_add(recording, &spec, &id, &err), 0);
	assert_int_equal(recording_finish(recording, &err), -1);
	assert_int_equal(err.code, ERR_BUSY);
	assert_true(tmpdir_has(&r->dir, ".git/refs/heads/main.lock"));
	check_text(r, "b.json", NULL);
}

static void test_the_reflog_tells_where_the_branch_was(void **state)
{
	struct gitrepo *r = *state;
	struct object_id id = gitrepo_record(r, "a.json", "{}\n", "one\n");
	char digits[OBJECT_ID_DIGITS + 1];
	STR_AUTO expected = STR_INIT;
	char *log = tmpdir_read(&r->dir, ".git/logs/refs/heads/main");

	object_id_text(&id, digits);
	str_printf(&expected,
		   "%040d %s kota-memory <kota-memory@localhost> 1795000000 +0100\tkota\n", 0,
		   digits);
	assert_string_equal(log, expected.ptr);
	free(log);
}

static void test_a_branch_may_be_named_like_a_path(void **state)
{
	struct gitrepo *r = *state;

	tmpdir_write(&r->dir, ".git/HEAD", "ref: refs/heads/topic/of/mine\n");
	gitrepo_record(r, "a.json", "{}\n", "one\n");
	gitrepo_record(r, "a.json", "[]\n", "two\n");
	check_text(r, "a.json", "[]\n");
}

/* What git says of the index: names that differ from the branch. */
static void check_index_is_clean(struct gitrepo *r)
{
	git_index *index;
	STR_AUTO path = STR_INIT;
	struct lib lib;
	struct err err;

	str_printf(&path, "%s/.git/index", r->dir.path);
	assert_int_equal(lib_open(&lib, &err), 0);
	assert_int_equal(lib.index_open(&index, path.ptr), 0);
	assert_int_equal(lib.index_entrycount(index), 2);
	assert_non_null(lib.index_get_bypath(index, "a.json", 0));
	lib.index_free(index);
	lib_close(&lib);
}

/* Without it every other file would count as staged for removal. */
static void test_a_missing_index_begins_with_the_branch(void **state)
{
	struct gitrepo *r = *state;

	gitrepo_record(r, "a.json", "{}\n", "one\n");
	assert_int_equal(unlinkat(r->dir.fd, ".git/index", 0), 0);
	gitrepo_record(r, "b.json", "{}\n", "two\n");
	check_index_is_clean(r);
}

/* As a power cut may leave it after a git command, which does not sync it. */
static void test_a_damaged_index_is_put_aside(void **state)
{
	struct gitrepo *r = *state;

	gitrepo_record(r, "a.json", "{}\n", "one\n");
	tmpdir_write(&r->dir, ".git/index", "");
	gitrepo_record(r, "b.json", "{}\n", "two\n");
	check_index_is_clean(r);
	assert_true(tmpdir_has(&r->dir, ".git/index.unreadable"));
}

static void test_abandoned_recording_leaves_nothing(void **state)
{
	struct gitrepo *r = *state;
	struct recorded_file file = {.path = "b.json"};
	struct commit_spec spec = {.files = &file, .count = 1, .message = "never\n"};
	struct recording *recording;
	struct object_id id;
	struct err err;

	gitrepo_record(r, "a.json", "{}\n", "one\n");
	assert_int_equal(repo_blob_write(r->repo, slice_of("[]"), &file.blob, &err), 0);
	assert_int_equal(recording_begin(&recording, r->repo, &err), 0);
	assert_int_equal(recording_add(recording, &spec, &id, &err), 0);
	recording_abandon(recording);
	check_text(r, "b.json", NULL);
	assert_false(tmpdir_has(&r->dir, ".git/index.lock"));
}

/* What find(1) would list below .git/objects, without folders. */
static size_t count_objects(const struct gitrepo *r, const char *ending)
{
	STR_AUTO command = STR_INIT;
	char line[32] = "";
	FILE *pipe;

	str_printf(&command, "find '%s/.git/objects' -type f -name '*%s' | wc -l", r->dir.path,
		   ending);
	pipe = popen(command.ptr, "r");
	assert_non_null(pipe);
	assert_non_null(fgets(line, sizeof line, pipe));
	pclose(pipe);
	return strtoul(line, NULL, 10);
}

/* Commits upon `from`, a line of as many, each with a text of so many bytes. */
static struct recording *stand_on(struct gitrepo *r, const struct object_id *from, int commits,
				  size_t bytes)
{
	char *text = mem_zalloc(bytes + 1, 1);
	struct recording *recording;
	struct err err;

	assert_int_equal(recording_begin(&recording, r->repo, &err), 0);
	assert_int_equal(recording_stand_on(recording, from, &err), 0);
	for (int i = 0; i < commits; i++) {
		struct recorded_file file = {.path = i % 2 ? "deep/b.jsonl" : "a.json"};
		struct commit_spec spec = {.files = &file, .count = 1, .message = "again\n"};
		struct object_id id;

		memset(text, 'a' + i, bytes);
		assert_int_equal(repo_blob_put(r->repo, slice_of(text), &file.blob, &err), 0);
		assert_int_equal(recording_add(recording, &spec, &id, &err), 0);
		assert_true(object_id_equal(&id, recording_head(recording)));
	}
	free(text);
	return recording;
}

static void check_blob(struct repo *repo, const struct object_id *commit, const char *path,
		       size_t bytes, char first)
{
	STR_AUTO text = STR_INIT;
	struct object_id blob;
	struct err err;

	assert_int_equal(repo_file_at(repo, commit, path, &blob, &err), 0);
	assert_int_equal(repo_blob_read(repo, &blob, &text, &err), 0);
	assert_int_equal(text.len, bytes);
	assert_int_equal(text.ptr[0], first);
}

/* More than is held in memory, or less: none of it is there before it is kept, then all of it. */
static void test_commits_elsewhere_are_there_when_they_are_kept(void **state)
{
	struct gitrepo *r = *state;
	struct object_id first = gitrepo_record(r, "a.json", "{}\n", "one\n");
	struct object_id second = gitrepo_record(r, "a.json", "[]\n", "two\n");
	size_t loose = count_objects(r, "");

	for (int i = 0; i < 2; i++) {
		size_t bytes = i ? (size_t)3 << 20 : 5000;
		struct recording *recording = stand_on(r, &first, 5, bytes);
		struct object_id tip = *recording_head(recording);
		struct object_id head;
		struct repo *other;
		struct err err;

		assert_int_equal(count_objects(r, ".idx"), i ? 2 : 0);
		check_blob(r->repo, &tip, "a.json", bytes, 'e');
		assert_int_equal(recording_keep(recording, &err), 0);
		recording_abandon(recording);
		assert_int_equal(repo_head(r->repo, &head, &err), 0);
		assert_true(object_id_equal(&head, &second));
		/* No file for each of them. */
		assert_int_equal(count_objects(r, ".pack"), i ? 3 : 1);
		assert_int_equal(count_objects(r, ""), loose + (i ? 6 : 2));
		assert_int_equal(repo_open(&other, r->repo->sys, r->dir.path, &err), 0);
		check_blob(other, &tip, "a.json", bytes, 'e');
		check_blob(other, &tip, "deep/b.jsonl", bytes, 'd');
		repo_close(other);
	}
	recording_abandon(stand_on(r, &first, 3, 100));
	assert_int_equal(count_objects(r, ""), loose + 6);
	gitrepo_record(r, "a.json", "{\"x\": 1}\n", "three\n");
	check_text(r, "a.json", "{\"x\": 1}\n");
}

/* Too long to be kept in memory when it is recorded: then it is read from the disk. */
static void test_a_long_text_is_read_back(void **state)
{
	struct gitrepo *r = *state;
	struct recorded_file file = {.path = "notes.md"};
	struct commit_spec spec = {.files = &file, .count = 1, .message = "one\n"};
	struct recording *recording;
	STR_AUTO text = STR_INIT;
	struct object_id tip;
	struct err err;

	while (text.len < 300000)
		str_adds(&text, "a long line of a text\n");
	assert_int_equal(recording_begin(&recording, r->repo, &err), 0);
	assert_int_equal(repo_blob_put(r->repo, str_slice(&text), &file.blob, &err), 0);
	assert_int_equal(recording_add(recording, &spec, &tip, &err), 0);
	assert_int_equal(recording_finish(recording, &err), 0);
	check_blob(r->repo, &tip, "notes.md", text.len, 'a');
}

static void test_branch_that_moved_is_not_overwritten(void **state)
{
	struct gitrepo *r = *state;
	struct recorded_file file = {.path = "b.json"};
	struct commit_spec spec = {.files = &file, .count = 1, .message = "late\n"};
	struct object_id first = gitrepo_record(r, "a.json", "{}\n", "one\n");
	struct object_id second = gitrepo_record(r, "a.json", "[]\n", "two\n");
	char text[OBJECT_ID_DIGITS + 2];
	struct recording *recording;
	struct object_id id;
	struct err err;

	assert_int_equal(repo_blob_write(r->repo, slice_of("[]"), &file.blob, &err), 0);
	assert_int_equal(recording_begin(&recording, r->repo, &err), 0);
	assert_true(object_id_equal(recording_head(recording), &second));
	assert_int_equal(recording_add(recording, &spec, &id, &err), 0);
	object_id_text(&first, text);
	text[OBJECT_ID_DIGITS] = '\n';
	text[OBJECT_ID_DIGITS + 1] = '\0';
	tmpdir_write(&r->dir, ".git/refs/heads/main", text);
	assert_int_equal(recording_finish(recording, &err), -1);
	assert_int_equal(err.code, ERR_BUSY);
	assert_false(tmpdir_has(&r->dir, ".git/index.lock"));
	check_text(r, "a.json", "{}\n");
}

static void test_detached_head_is_not_recorded_to(void **state)
{
	struct gitrepo *r = *state;
	struct object_id first = gitrepo_record(r, "a.json", "{}\n", "one\n");
	char text[OBJECT_ID_DIGITS + 2];
	struct recording *recording;
	struct err err;

	object_id_text(&first, text);
	text[OBJECT_ID_DIGITS] = '\n';
	text[OBJECT_ID_DIGITS + 1] = '\0';
	tmpdir_write(&r->dir, ".git/HEAD", text);
	assert_int_equal(recording_begin(&recording, r->repo, &err), -1);
	assert_int_equal(err.code, ERR_NO_HISTORY);
	assert_non_null(strstr(err.text, "not on a branch"));
}

static void test_merge_under_way_is_not_recorded_to(void **state)
{
	struct gitrepo *r = *state;
	struct object_id first = gitrepo_record(r, "a.json", "{}\n", "one\n");
	char text[OBJECT_ID_DIGITS + 2];
	struct err err;

	object_id_text(&first, text);
	text[OBJECT_ID_DIGITS] = '\n';
	text[OBJECT_ID_DIGITS + 1] = '\0';
	tmpdir_write(&r->dir, ".git/MERGE_HEAD", text);
	assert_int_equal(repo_check(r->repo, &err), -1);
	assert_non_null(strstr(err.text, "a merge is under way"));
}

static void write_gc_pid(struct gitrepo *r, unsigned long pid)
{
	char host[200] = "";
	STR_AUTO text = STR_INIT;

	assert_int_equal(gethostname(host, sizeof host - 1), 0);
	str_printf(&text, "%lu %s", pid, host);
	tmpdir_write(&r->dir, ".git/gc.pid", text.ptr);
}

/* It removes what no branch names yet. */
static void test_git_gc_is_waited_for(void **state)
{
	struct gitrepo *r = *state;
	struct recording *recording;
	struct err err;

	write_gc_pid(r, (unsigned long)getpid());
	assert_int_equal(recording_begin(&recording, r->repo, &err), -1);
	assert_int_equal(err.code, ERR_BUSY);
	assert_non_null(strstr(err.text, "git gc"));
	assert_false(tmpdir_has(&r->dir, ".git/index.lock"));
	assert_false(tmpdir_has(&r->dir, ".git/gc.pid.lock"));
	assert_int_equal(repo_busy(r->repo, &err), -1);
	/* No process has a number that high: what was left of one that was killed. */
	write_gc_pid(r, 4194304);
	assert_int_equal(repo_busy(r->repo, &err), 0);
	gitrepo_record(r, "a.json", "{}\n", "one\n");
}

static void test_git_gc_is_held_off(void **state)
{
	struct gitrepo *r = *state;
	struct recording *recording;
	struct err err;

	assert_int_equal(recording_begin(&recording, r->repo, &err), 0);
	assert_int_equal(faccessat(r->dir.fd, ".git/gc.pid.lock", F_OK, AT_SYMLINK_NOFOLLOW), 0);
	recording_abandon(recording);
	assert_int_equal(faccessat(r->dir.fd, ".git/gc.pid.lock", F_OK, AT_SYMLINK_NOFOLLOW), -1);
}

/* Neither a branch nor an index may name what is not there. */
static void test_a_commit_of_what_is_gone_does_not_count(void **state)
{
	struct gitrepo *r = *state;
	struct object_id first = gitrepo_record(r, "a.json", "{}\n", "one\n");
	struct recorded_file file = {.path = "a.json"};
	struct commit_spec spec = {.files = &file, .count = 1, .message = "two\n"};
	struct recording *recording;
	char digits[OBJECT_ID_DIGITS + 1];
	STR_AUTO path = STR_INIT;
	struct object_id id;
	struct err err;

	assert_int_equal(repo_blob_write(r->repo, slice_of("{\"b\": 1}\n"), &file.blob, &err), 0);
	assert_int_equal(recording_begin(&recording, r->repo, &err), 0);
	assert_int_equal(recording_add(recording, &spec, &id, &err), 0);
	object_id_text(&file.blob, digits);
	str_printf(&path, ".git/objects/%.2s/%s", digits, digits + 2);
	assert_int_equal(unlinkat(r->dir.fd, path.ptr, 0), 0);
	assert_int_equal(recording_finish(recording, &err), -1);
	assert_int_equal(err.code, ERR_BUSY);
	assert_int_equal(repo_head(r->repo, &id, &err), 0);
	assert_true(object_id_equal(&id, &first));
	check_text(r, "a.json", "{}\n");
}

/* The blob that the index has for the path. */
static struct object_id staged_blob(struct gitrepo *r, const char *name)
{
	const git_index_entry *entry;
	struct object_id id = {{0}};
	git_index *index;
	STR_AUTO path = STR_INIT;
	struct lib lib;
	struct err err;

	str_printf(&path, "%s/.git/index", r->dir.path);
	assert_int_equal(lib_open(&lib, &err), 0);
	assert_int_equal(lib.index_open(&index, path.ptr), 0);
	entry = lib.index_get_bypath(index, name, 0);
	if (entry)
		id = lib_id(&entry->id);
	lib.index_free(index);
	lib_close(&lib);
	return id;
}

/* What the index has of a.json: bit 0 for an entry, the others for the sides of a conflict. */
static unsigned stages_of(struct gitrepo *r, unsigned added)
{
	git_index_entry entry = {.mode = 0100644, .path = "a.json"};
	STR_AUTO path = STR_INIT;
	struct object_id blob;
	unsigned stages = 0;
	git_index *index;
	struct lib lib;
	struct err err;

	assert_int_equal(repo_blob_write(r->repo, slice_of("a side"), &blob, &err), 0);
	str_printf(&path, "%s/.git/index", r->dir.path);
	assert_int_equal(lib_open(&lib, &err), 0);
	assert_int_equal(lib.index_open(&index, path.ptr), 0);
	entry.id = lib_oid(&blob);
	for (int stage = 0; stage <= 3; stage++) {
		entry.flags = (uint16_t)(stage << 12);
		if (added & 1u << stage)
			assert_int_equal(lib.index_add(index, &entry), 0);
		if (lib.index_get_bypath(index, entry.path, stage))
			stages |= 1u << stage;
	}
	if (added)
		assert_int_equal(lib.index_write(index), 0);
	lib.index_free(index);
	lib_close(&lib);
	return stages;
}

/* As git stash pop leaves it: git refuses an index with an entry beside the sides of a conflict. */
static void test_a_conflict_in_the_index_is_the_persons(void **state)
{
	struct gitrepo *r = *state;

	gitrepo_record(r, "a.json", "[1]\n", "one\n");
	assert_int_equal(stages_of(r, 0), 1);
	assert_int_equal(unlinkat(r->dir.fd, ".git/index", 0), 0);
	assert_int_equal(stages_of(r, 2 | 4 | 8), 2 | 4 | 8);
	gitrepo_record(r, "a.json", "[2]\n", "two\n");
	gitrepo_record(r, "b.json", "[2]\n", "two\n");
	assert_int_equal(stages_of(r, 0), 2 | 4 | 8);
	/* One that has both is good for nothing else. */
	assert_int_equal(stages_of(r, 1), 1 | 2 | 4 | 8);
	gitrepo_record(r, "a.json", "[3]\n", "three\n");
	assert_int_equal(stages_of(r, 0), 1);
}

/* Killed with the new index in place: what it has there was staged by nobody. */
static void test_what_a_killed_recording_put_into_the_index_goes(void **state)
{
	struct gitrepo *r = *state;
	struct object_id first;
	struct object_id now;
	struct stat st;

	gitrepo_record(r, "a.json", "{}\n", "one\n");
	first = staged_blob(r, "a.json");
	for (int elsewhere = 0; elsewhere < 3; elsewhere++) {
		struct recorded_file file = {.path = "a.json"};
		struct commit_spec spec = {.files = &file, .count = 1, .message = "two\n"};
		struct recording *recording;
		struct object_id id;
		struct err err;

		assert_int_equal(repo_blob_write(r->repo, slice_of("[1]\n"), &file.blob, &err), 0);
		assert_int_equal(recording_begin(&recording, r->repo, &err), 0);
		assert_int_equal(recording_add(recording, &spec, &id, &err), 0);
		/* The branch cannot be moved. */
		tmpdir_write(&r->dir, ".git/refs/heads/main.lock", "");
		assert_int_equal(recording_finish(recording, &err), -1);
		assert_int_equal(unlinkat(r->dir.fd, ".git/refs/heads/main.lock", 0), 0);
		now = staged_blob(r, "a.json");
		assert_true(object_id_equal(&now, &file.blob));
		/* A copy that was made with hard links has the note, too. */
		if (elsewhere == 2)
			assert_int_equal(
				linkat(r->dir.fd, ".git/kota-staged", r->dir.fd, "copy", 0), 0);
		/* The next one has yet another text, or none for this file. */
		if (elsewhere)
			gitrepo_record(r, "b.json", elsewhere == 1 ? "{}\n" : "[]\n", "three\n");
		else
			gitrepo_record(r, "a.json", "{}\n", "same\n");
		gitrepo_record(r, "c.json", elsewhere == 1 ? "[2]\n" : "[1]\n", "more\n");
		now = staged_blob(r, "a.json");
		assert_true(object_id_equal(&now, &first));
		assert_int_equal(fstatat(r->dir.fd, ".git/kota-staged", &st, 0), 0);
		assert_int_equal(st.st_size, 0);
	}
	assert_int_equal(fstatat(r->dir.fd, "copy", &st, 0), 0);
	assert_true(st.st_size > 0);
}

/* `cp -al`: the copy's branch has not been where this one goes. */
static void test_a_log_shared_by_hard_link_is_left_to_the_copy(void **state)
{
	struct gitrepo *r = *state;
	char *before;
	char *after;

	gitrepo_record(r, "a.json", "{}\n", "one\n");
	assert_int_equal(linkat(r->dir.fd, ".git/logs/HEAD", r->dir.fd, "copy", 0), 0);
	before = tmpdir_read(&r->dir, "copy");
	gitrepo_record(r, "a.json", "[]\n", "two\n");
	after = tmpdir_read(&r->dir, "copy");
	assert_string_equal(before, after);
	free(after);
	after = tmpdir_read(&r->dir, ".git/logs/HEAD");
	assert_true(strlen(after) > strlen(before));
	free(before);
	free(after);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, gitrepo_set_up, gitrepo_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_commits_follow_each_other),
		TEST(test_changes_of_a_commit),
		TEST(test_nothing_new_is_no_commit),
		TEST(test_lock_of_another_program_is_respected),
		TEST(test_lock_of_a_killed_recording_is_taken_over),
		TEST(test_links_of_a_killed_recording_are_taken_over),
		TEST(test_lock_of_the_branch_by_another_program_is_respected),
		TEST(test_the_reflog_tells_where_the_branch_was),
		TEST(test_a_branch_may_be_named_like_a_path),
		TEST(test_a_missing_index_begins_with_the_branch),
		TEST(test_a_damaged_index_is_put_aside),
		TEST(test_abandoned_recording_leaves_nothing),
		TEST(test_commits_elsewhere_are_there_when_they_are_kept),
		TEST(test_a_long_text_is_read_back),
		TEST(test_branch_that_moved_is_not_overwritten),
		TEST(test_detached_head_is_not_recorded_to),
		TEST(test_merge_under_way_is_not_recorded_to),
		TEST(test_git_gc_is_waited_for),
		TEST(test_git_gc_is_held_off),
		TEST(test_a_commit_of_what_is_gone_does_not_count),
		TEST(test_a_conflict_in_the_index_is_the_persons),
		TEST(test_what_a_killed_recording_put_into_the_index_goes),
		TEST(test_a_log_shared_by_hard_link_is_left_to_the_copy),
	};

	return cmocka_run_group_tests_name("record", tests, NULL, NULL);
}
