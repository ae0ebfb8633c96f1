#include "git/write/object_log.h"

#include "git/gitrepo.h"
#include "git/objects.h"

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

#define BOOT "4d0fd1a9-9c5b-4c39-a9c5-1c5f3b7a0b11"
#define NEXT_BOOT "5e1fe2b0-9c5b-4c39-a9c5-1c5f3b7a0b11"

static bool begin(struct gitrepo *r, const char *boot)
{
	bool mended;
	struct err err;

	if (object_log_begin(r->repo, boot, &mended, &err) != 0)
		fail_msg("%s", err.text);
	return mended;
}

/* As another process finds it, after another boot of the machine or in the same. */
static bool reopen(struct gitrepo *r, const char *boot)
{
	struct err err;

	repo_close(r->repo);
	assert_int_equal(repo_open(&r->repo, sys_real(), r->dir.path, &err), 0);
	return begin(r, boot);
}

/* As the store does it: what is recorded is durable by the log alone. */
static struct object_id record(struct gitrepo *r, const char *path, const char *text)
{
	struct recorded_file file = {.path = path};
	struct commit_spec spec = {
		.files = &file, .count = 1, .message = "m\n", .time_ms = 1795000000000};
	struct recording *recording;
	struct object_id id = {{0}};
	struct err err;

	begin(r, BOOT);
	if (repo_blob_put(r->repo, slice_of(text), &file.blob, &err) != 0 ||
	    recording_begin(&recording, r->repo, &err) != 0 ||
	    recording_add(recording, &spec, &id, &err) != 0 ||
	    recording_finish(recording, &err) != 0)
		fail_msg("%s", err.text);
	return id;
}

static void object_path(const struct object_id *id, struct str *out)
{
	char digits[OBJECT_ID_DIGITS + 1];

	object_id_text(id, digits);
	str_clear(out);
	str_printf(out, ".git/objects/%.2s/%s", digits, digits + 2);
}

/* What a power cut leaves of a file whose name was durable and whose text was not. */
static void empty_object(struct gitrepo *r, const struct object_id *id)
{
	STR_AUTO path = STR_INIT;

	object_path(id, &path);
	assert_int_equal(unlinkat(r->dir.fd, path.ptr, 0), 0);
	tmpdir_write(&r->dir, path.ptr, "");
}

static void remove_object(struct gitrepo *r, const struct object_id *id)
{
	STR_AUTO path = STR_INIT;

	object_path(id, &path);
	assert_int_equal(unlinkat(r->dir.fd, path.ptr, 0), 0);
}

static void check_head(struct gitrepo *r, const struct object_id *expected)
{
	struct object_id head;
	struct err err;

	assert_int_equal(repo_head(r->repo, &head, &err), 0);
	assert_true(object_id_equal(&head, expected));
}

static void check_text(struct gitrepo *r, const char *path, const char *expected)
{
	char *text = gitrepo_text(r, path);

	assert_string_equal(text, expected);
	free(text);
}

static struct object_id staged(struct gitrepo *r, const char *path)
{
	STR_AUTO index = STR_INIT;
	git_index *opened;
	const git_index_entry *entry;
	struct object_id id = {{0}};
	struct lib lib;
	struct err err;

	str_printf(&index, "%s/.git/index", r->dir.path);
	assert_int_equal(lib_open(&lib, &err), 0);
	assert_int_equal(lib.index_open(&opened, index.ptr), 0);
	entry = lib.index_get_bypath(opened, path, 0);
	if (entry)
		id = lib_id(&entry->id);
	lib.index_free(opened);
	lib_close(&lib);
	return id;
}

static void test_what_a_power_cut_has_taken_is_put_back(void **state)
{
	struct gitrepo *r = *state;
	struct object_id first = record(r, "a.json", "1\n");
	struct object_id second = record(r, "b/c.json", "2\n");
	struct object_id third = record(r, "a.json", "3\n");
	struct object_id blob = staged(r, "a.json");

	remove_object(r, &first);
	empty_object(r, &second);
	remove_object(r, &third);
	empty_object(r, &blob);
	tmpdir_write(&r->dir, ".git/refs/heads/main", "");
	tmpdir_write(&r->dir, ".git/index", "");
	assert_true(reopen(r, NEXT_BOOT));
	check_head(r, &third);
	check_text(r, "a.json", "3\n");
	check_text(r, "b/c.json", "2\n");
	assert_true(repo_has(r->repo, &first) && repo_has(r->repo, &second));
	blob = staged(r, "b/c.json");
	assert_true(repo_has(r->repo, &blob));
	/* Once is enough. */
	assert_false(reopen(r, NEXT_BOOT));
}

/* The branch as it was before the first record, or between two; the index likewise. */
static void test_a_branch_that_fell_back_moves_on(void **state)
{
	struct gitrepo *r = *state;
	struct object_id ids[3];
	char *texts[2];
	char *index;

	ids[0] = record(r, "a.json", "1\n");
	texts[0] = tmpdir_read(&r->dir, ".git/refs/heads/main");
	index = tmpdir_read(&r->dir, ".git/index");
	ids[1] = record(r, "a.json", "2\n");
	texts[1] = tmpdir_read(&r->dir, ".git/refs/heads/main");
	ids[2] = record(r, "a.json", "3\n");
	for (int i = 0; i < 2; i++) {
		struct object_id last = staged(r, "a.json");

		tmpdir_write(&r->dir, ".git/refs/heads/main", texts[i]);
		assert_true(reopen(r, i ? BOOT : NEXT_BOOT));
		if (i == 0) {
			struct object_id now = staged(r, "a.json");

			check_head(r, &ids[2]);
			assert_true(object_id_equal(&now, &last));
		} else {
			/* The records are of a time that is over. */
			check_head(r, &ids[1]);
		}
		free(texts[i]);
	}
	free(index);
}

static void test_a_branch_that_others_have_moved_stays(void **state)
{
	struct gitrepo *r = *state;
	struct object_id first = record(r, "a.json", "1\n");
	struct object_id other;
	char *text;

	/* Upon what was recorded, and beside it. */
	record(r, "a.json", "2\n");
	object_log_close(r->repo);
	other = gitrepo_record(r, "a.json", "theirs\n", "theirs\n");
	assert_true(reopen(r, NEXT_BOOT));
	check_head(r, &other);
	begin(r, BOOT);
	text = tmpdir_read(&r->dir, ".git/refs/heads/main");
	record(r, "a.json", "4\n");
	tmpdir_write(&r->dir, ".git/refs/heads/main", text);
	free(text);
	(void)first;
}

static void test_what_is_staged_stays_staged(void **state)
{
	struct gitrepo *r = *state;
	struct object_id theirs;
	struct object_id now;
	STR_AUTO index = STR_INIT;
	git_index *opened;
	git_index_entry entry = {.mode = 0100644, .path = "a.json"};
	struct lib lib;
	struct err err;

	record(r, "a.json", "1\n");
	record(r, "a.json", "2\n");
	assert_int_equal(repo_blob_write(r->repo, slice_of("theirs"), &theirs, &err), 0);
	str_printf(&index, "%s/.git/index", r->dir.path);
	assert_int_equal(lib_open(&lib, &err), 0);
	assert_int_equal(lib.index_open(&opened, index.ptr), 0);
	entry.id = lib_oid(&theirs);
	assert_int_equal(lib.index_add(opened, &entry), 0);
	assert_int_equal(lib.index_write(opened), 0);
	lib.index_free(opened);
	lib_close(&lib);
	assert_true(reopen(r, NEXT_BOOT));
	now = staged(r, "a.json");
	assert_true(object_id_equal(&now, &theirs));
}

static void write_at(struct gitrepo *r, off_t at, const char *text)
{
	int fd = openat(r->dir.fd, ".git/kota-objects", O_WRONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, text, strlen(text), at), strlen(text));
	close(fd);
}

/* Where the last record was torn those before it are done again, and nothing that leads behind. */
static void test_a_torn_record_ends_what_is_done_again(void **state)
{
	struct gitrepo *r = *state;
	struct object_id first = record(r, "a.json", "1\n");
	struct object_id second = record(r, "a.json", "2\n");
	off_t end = (off_t)r->repo->log.end;
	struct object_id third = record(r, "a.json", "3\n");

	/* In its time, so that only its sum tells. */
	write_at(r, end + 96, "torn");
	remove_object(r, &first);
	remove_object(r, &second);
	remove_object(r, &third);
	tmpdir_write(&r->dir, ".git/refs/heads/main", "");
	assert_true(reopen(r, NEXT_BOOT));
	check_head(r, &second);
	check_text(r, "a.json", "2\n");
	assert_false(repo_has(r->repo, &third));
}

/* A text of a change that was never acknowledged, and so is in no record. */
static void test_what_is_torn_and_in_no_record_goes(void **state)
{
	struct gitrepo *r = *state;
	struct object_id blob;
	STR_AUTO path = STR_INIT;
	struct err err;

	record(r, "a.json", "1\n");
	assert_int_equal(repo_blob_put(r->repo, slice_of("2\n"), &blob, &err), 0);
	empty_object(r, &blob);
	object_path(&blob, &path);
	assert_true(reopen(r, NEXT_BOOT));
	assert_false(tmpdir_has(&r->dir, path.ptr));
}

/* A process that was killed while it wrote: the next one writes over that. */
static void test_half_a_record_is_written_over(void **state)
{
	struct gitrepo *r = *state;
	struct object_id first = record(r, "a.json", "1\n");
	struct object_id last;

	record(r, "a.json", "2\n");
	write_at(r, 2 * 512 + 96, "torn");
	assert_false(reopen(r, BOOT));
	last = record(r, "a.json", "3\n");
	remove_object(r, &first);
	remove_object(r, &last);
	assert_true(reopen(r, NEXT_BOOT));
	check_head(r, &last);
	assert_true(repo_has(r->repo, &first));
}

static void test_flush_packs_and_begins_anew(void **state)
{
	struct gitrepo *r = *state;
	struct object_id id = {{0}};
	STR_AUTO path = STR_INIT;
	struct err err;

	for (int i = 0; !object_log_is_due(r->repo); i++) {
		char text[32];

		assert_true(i < 256);
		snprintf(text, sizeof text, "%d\n", i);
		id = record(r, "a.json", text);
	}
	assert_int_equal(object_log_flush(r->repo, &err), 0);
	object_path(&id, &path);
	assert_false(tmpdir_has(&r->dir, path.ptr));
	begin(r, BOOT);
	assert_false(object_log_is_due(r->repo));
	/* What was flushed is not done again. */
	tmpdir_write(&r->dir, ".git/refs/heads/main", "0000000000000000000000000000000000000001\n");
	assert_true(reopen(r, NEXT_BOOT));
	assert_int_equal(repo_head(r->repo, &id, &err), 0);
	assert_int_equal(id.bytes[OBJECT_ID_BYTES - 1], 1);
}

/* A loose file that was not durable when its object came into a pack, and is there again. */
static void test_what_is_torn_and_packed_goes(void **state)
{
	struct gitrepo *r = *state;
	struct object_id id = record(r, "a.json", "1\n");
	STR_AUTO path = STR_INIT;
	struct err err;

	assert_int_equal(object_log_flush(r->repo, &err), 0);
	object_path(&id, &path);
	tmpdir_write(&r->dir, path.ptr, "");
	assert_true(reopen(r, NEXT_BOOT));
	assert_false(tmpdir_has(&r->dir, path.ptr));
	check_head(r, &id);
	check_text(r, "a.json", "1\n");
}

static void test_two_processes_append_to_one_log(void **state)
{
	struct gitrepo *r = *state;
	struct gitrepo other = {.dir = r->dir};
	struct object_id last = {{0}};
	struct object_id first;
	struct err err;

	first = record(r, "a.json", "0\n");
	assert_int_equal(repo_open(&other.repo, sys_real(), r->dir.path, &err), 0);
	for (int i = 1; i < 6; i++) {
		char text[32];

		snprintf(text, sizeof text, "%d\n", i);
		last = record(i % 2 ? &other : r, "a.json", text);
	}
	repo_close(other.repo);
	remove_object(r, &first);
	remove_object(r, &last);
	assert_true(reopen(r, NEXT_BOOT));
	check_head(r, &last);
	assert_true(repo_has(r->repo, &first));
}

static void test_a_log_that_a_copy_shares_is_not_written(void **state)
{
	struct gitrepo *r = *state;
	struct object_id id;
	char *before;
	char *after;

	record(r, "a.json", "1\n");
	assert_int_equal(linkat(r->dir.fd, ".git/kota-objects", r->dir.fd, "copy", 0), 0);
	before = tmpdir_read(&r->dir, "copy");
	id = record(r, "a.json", "2\n");
	after = tmpdir_read(&r->dir, "copy");
	assert_string_equal(before, after);
	remove_object(r, &id);
	assert_true(reopen(r, NEXT_BOOT));
	check_head(r, &id);
	free(before);
	free(after);
}

static void test_wipe_leaves_nothing(void **state)
{
	struct gitrepo *r = *state;
	struct object_id id = record(r, "a.json", "1\n");
	struct err err;

	assert_int_equal(object_log_wipe(r->repo, &err), 0);
	assert_false(tmpdir_has(&r->dir, ".git/kota-objects"));
	assert_int_equal(object_log_wipe(r->repo, &err), 0);
	check_head(r, &id);
	id = record(r, "a.json", "2\n");
	check_head(r, &id);
}

/* Where the library hides zlib. */
static void test_objects_without_compression_can_be_read(void **state)
{
	struct gitrepo *r = *state;
	STR_AUTO text = STR_INIT;
	STR_AUTO read = STR_INIT;
	struct object_id id;
	struct err err;

	r->repo->lib.compress = NULL;
	for (int i = 0; i < 20000; i++)
		str_printf(&text, "%d ", i);
	assert_int_equal(repo_blob_put(r->repo, str_slice(&text), &id, &err), 0);
	assert_false(reopen(r, BOOT));
	assert_int_equal(repo_blob_read(r->repo, &id, &read, &err), 0);
	assert_true(slice_equal(str_slice(&text), str_slice(&read)));
}

static void test_what_takes_the_place_of_the_log_is_no_log(void **state)
{
	struct gitrepo *r = *state;
	struct object_id id;

	record(r, "a.json", "1\n");
	object_log_close(r->repo);
	assert_int_equal(unlinkat(r->dir.fd, ".git/kota-objects", 0), 0);
	assert_int_equal(mkfifoat(r->dir.fd, ".git/kota-objects", 0600), 0);
	record(r, "a.json", "2\n");
	object_log_close(r->repo);
	assert_int_equal(unlinkat(r->dir.fd, ".git/kota-objects", 0), 0);
	assert_int_equal(mkdirat(r->dir.fd, ".git/kota-objects", 0700), 0);
	id = record(r, "a.json", "3\n");
	check_head(r, &id);
}

/* Writes to the log that a branch of this name is to be moved to a commit. */
static void log_move(struct gitrepo *r, const char *branch, const struct object_id *to)
{
	const struct object_id none = {{0}};
	const struct id_list made = {0};
	const struct logged_recording move = {
		.branch = branch, .from = &none, .to = to, .made = &made};
	struct err err;

	begin(r, BOOT);
	assert_int_equal(object_log_append(r->repo, &move, &err), 0);
}

/* Who unpacks a store unpacks the log that somebody else wrote. */
static void test_a_name_that_is_none_of_a_branch_leads_nowhere(void **state)
{
	static const char *const names[] = {"refs/heads/../../../victim", "../victim", "config",
					    "refs/tags/v", "HEAD"};
	struct gitrepo *r = *state;
	struct object_id id = record(r, "a.json", "1\n");
	char *config = tmpdir_read(&r->dir, ".git/config");
	char *now;

	tmpdir_write(&r->dir, "victim", "text\n");
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		log_move(r, names[i], &id);
	id = record(r, "a.json", "2\n");
	tmpdir_write(&r->dir, ".git/refs/heads/main", "");
	assert_true(reopen(r, NEXT_BOOT));
	now = tmpdir_read(&r->dir, "victim");
	assert_string_equal(now, "text\n");
	free(now);
	now = tmpdir_read(&r->dir, ".git/config");
	assert_string_equal(now, config);
	free(now);
	free(config);
	assert_false(tmpdir_has(&r->dir, ".git/refs/tags/v"));
	check_head(r, &id);
}

/* As git reset does it: the reflog says that the branch was left for another place. */
static void reset(struct gitrepo *r, const struct object_id *from, const struct object_id *to)
{
	char digits[2][OBJECT_ID_DIGITS + 1];
	STR_AUTO text = STR_INIT;
	char *log = tmpdir_read(&r->dir, ".git/logs/refs/heads/main");

	object_id_text(from, digits[0]);
	object_id_text(to, digits[1]);
	str_printf(&text, "%s%s %s N <n@e> 1795000000 +0000\treset: moving to HEAD~1\n", log,
		   digits[0], digits[1]);
	tmpdir_write(&r->dir, ".git/logs/refs/heads/main", text.ptr);
	str_clear(&text);
	str_printf(&text, "%s\n", digits[1]);
	tmpdir_write(&r->dir, ".git/refs/heads/main", text.ptr);
	free(log);
}

static void test_a_branch_that_was_reset_stays(void **state)
{
	struct gitrepo *r = *state;
	struct object_id first = record(r, "a.json", "1\n");
	struct object_id second = record(r, "a.json", "2\n");

	reset(r, &second, &first);
	assert_true(reopen(r, NEXT_BOOT));
	check_head(r, &first);
}

/* What was recorded after the reset counts, also where the branch fell back to the reset. */
static void test_what_is_recorded_after_a_reset_is_put_back(void **state)
{
	struct gitrepo *r = *state;
	struct object_id first = record(r, "a.json", "1\n");
	struct object_id second = record(r, "a.json", "2\n");
	struct object_id third;
	char *branch;
	char *log;

	reset(r, &second, &first);
	branch = tmpdir_read(&r->dir, ".git/refs/heads/main");
	log = tmpdir_read(&r->dir, ".git/logs/refs/heads/main");
	third = record(r, "a.json", "3\n");
	tmpdir_write(&r->dir, ".git/refs/heads/main", branch);
	tmpdir_write(&r->dir, ".git/logs/refs/heads/main", log);
	assert_true(reopen(r, NEXT_BOOT));
	check_head(r, &third);
	free(branch);
	free(log);
}

/* git branch -m, -d: HEAD is on another one then. A torn one was not removed. */
static void test_a_branch_that_was_removed_is_not_made_again(void **state)
{
	struct gitrepo *r = *state;
	struct object_id id = record(r, "a.json", "1\n");
	char *tip = tmpdir_read(&r->dir, ".git/refs/heads/main");

	tmpdir_write(&r->dir, ".git/refs/heads/trunk", tip);
	tmpdir_write(&r->dir, ".git/HEAD", "ref: refs/heads/trunk\n");
	assert_int_equal(unlinkat(r->dir.fd, ".git/refs/heads/main", 0), 0);
	assert_true(reopen(r, NEXT_BOOT));
	assert_false(tmpdir_has(&r->dir, ".git/refs/heads/main"));
	check_head(r, &id);
	free(tip);
}

static void test_a_torn_branch_is_put_back_where_head_is_on_another(void **state)
{
	struct gitrepo *r = *state;
	struct object_id now;
	struct err err;
	struct object_id id = record(r, "a.json", "1\n");
	char *tip = tmpdir_read(&r->dir, ".git/refs/heads/main");

	tmpdir_write(&r->dir, ".git/refs/heads/trunk", tip);
	tmpdir_write(&r->dir, ".git/HEAD", "ref: refs/heads/trunk\n");
	tmpdir_write(&r->dir, ".git/refs/heads/main", "");
	assert_true(reopen(r, NEXT_BOOT));
	assert_int_equal(repo_branch_tip(r->repo, "refs/heads/main", &now, &err), 0);
	assert_true(object_id_equal(&now, &id));
	free(tip);
}

static void test_a_broken_record_in_the_middle_is_set_aside(void **state)
{
	struct gitrepo *r = *state;
	struct object_id first = record(r, "a.json", "1\n");
	off_t end = (off_t)r->repo->log.end;
	struct object_id last;
	bool mended;
	struct err err;

	record(r, "a.json", "2\n");
	last = record(r, "a.json", "3\n");
	write_at(r, end + 96, "broken");
	remove_object(r, &first);
	remove_object(r, &last);
	repo_close(r->repo);
	assert_int_equal(repo_open(&r->repo, sys_real(), r->dir.path, &err), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(object_log_begin(r->repo, NEXT_BOOT, &mended, &err), -1);
		assert_non_null(strstr(err.text, ".git/kota-objects.broken"));
		assert_non_null(strstr(err.text, "kota doctor --fix"));
	}
	assert_true(object_log_is_broken(sys_real(), r->dir.fd));
	assert_false(tmpdir_has(&r->dir, ".git/kota-objects"));
	/* Nothing was done yet. */
	assert_false(repo_has(r->repo, &first));
	assert_int_equal(object_log_carry_out(r->repo, &err), 0);
	assert_true(repo_has(r->repo, &first) && repo_has(r->repo, &last));
	check_head(r, &last);
	assert_false(object_log_is_broken(sys_real(), r->dir.fd));
	assert_true(tmpdir_has(&r->dir, ".git/kota-objects.unreadable"));
	begin(r, NEXT_BOOT);
	assert_int_equal(object_log_carry_out(r->repo, &err), 0);
}

/* One that came here with a copied file: nothing of it is put into this repository. */
static void test_a_log_of_another_store_is_not_believed(void **state)
{
	struct gitrepo *r = *state;
	struct gitrepo *other;
	struct object_id theirs;
	struct object_id ours;
	STR_AUTO command = STR_INIT;
	void *made;

	gitrepo_set_up(&made);
	other = made;
	theirs = record(other, "a.json", "theirs\n");
	theirs = record(other, "a.json", "theirs again\n");
	ours = record(r, "a.json", "ours\n");
	str_printf(&command, "cp %s/.git/kota-objects %s/.git/kota-objects", other->dir.path,
		   r->dir.path);
	assert_int_equal(system(command.ptr), 0);
	gitrepo_tear_down(&made);
	reopen(r, NEXT_BOOT);
	check_head(r, &ours);
	check_text(r, "a.json", "ours\n");
	assert_false(repo_has(r->repo, &theirs));
	assert_true(tmpdir_has(&r->dir, ".git/kota-objects.foreign"));
	ours = record(r, "a.json", "ours again\n");
	check_head(r, &ours);
}

/* As file systems leave it that write a name before a text: nothing in it, zeroes, or half of it.
 */
static void test_a_torn_index_is_made_anew(void **state)
{
	struct gitrepo *r = *state;

	for (int i = 0; i < 3; i++) {
		char zeroes[64] = {0};
		struct object_id before[2];
		struct object_id now[2];
		struct err err;
		struct stat st;
		char text[16];
		int fd;

		snprintf(text, sizeof text, "%d\n", i);
		record(r, "b/c.json", text);
		/* The other file is in no record. */
		assert_int_equal(object_log_flush(r->repo, &err), 0);
		record(r, "a.json", text);
		before[0] = staged(r, "a.json");
		before[1] = staged(r, "b/c.json");
		fd = openat(r->dir.fd, ".git/index", O_WRONLY | O_CLOEXEC);
		assert_true(fd >= 0 && fstat(fd, &st) == 0);
		if (i == 1)
			assert_int_equal(pwrite(fd, zeroes, sizeof zeroes, 0), sizeof zeroes);
		else
			assert_int_equal(ftruncate(fd, i == 0 ? 0 : st.st_size / 2), 0);
		close(fd);
		assert_true(reopen(r, NEXT_BOOT));
		now[0] = staged(r, "a.json");
		now[1] = staged(r, "b/c.json");
		assert_memory_equal(before, now, sizeof before);
		assert_true(reopen(r, BOOT));
	}
}

static void test_what_git_does_not_see_is_counted(void **state)
{
	struct gitrepo *r = *state;
	struct object_id second;
	char *branch;

	record(r, "a.json", "1\n");
	branch = tmpdir_read(&r->dir, ".git/refs/heads/main");
	second = record(r, "a.json", "2\n");
	record(r, "a.json", "3\n");
	assert_int_equal(object_log_missing(r->repo, BOOT), 0);
	assert_int_equal(object_log_missing(r->repo, NEXT_BOOT), 0);
	tmpdir_write(&r->dir, ".git/refs/heads/main", branch);
	assert_int_equal(object_log_missing(r->repo, NEXT_BOOT), 2);
	empty_object(r, &second);
	assert_true(reopen(r, NEXT_BOOT));
	assert_int_equal(object_log_missing(r->repo, NEXT_BOOT), 0);
	free(branch);
}

/* A few changes and then nothing: each file is made durable by itself, and stays where it is. */
static void test_at_rest_a_few_records_stay_loose(void **state)
{
	struct gitrepo *r = *state;
	struct object_id id = record(r, "a.json", "1\n");
	STR_AUTO path = STR_INIT;
	struct err err;

	assert_int_equal(object_log_rest(r->repo, &err), 0);
	object_path(&id, &path);
	assert_true(tmpdir_has(&r->dir, path.ptr));
	assert_false(tmpdir_has(&r->dir, ".git/kota-packs"));
	begin(r, BOOT);
	assert_int_equal(r->repo->log.records, 0);
	assert_int_equal(object_log_rest(r->repo, &err), 0);
	for (int i = 0; i < 20; i++) {
		char text[16];

		snprintf(text, sizeof text, "%d\n", i + 2);
		id = record(r, "a.json", text);
	}
	assert_int_equal(object_log_rest(r->repo, &err), 0);
	assert_true(tmpdir_has(&r->dir, ".git/kota-packs"));
	assert_false(tmpdir_has(&r->dir, path.ptr));
	/* Nothing is done again: the records are of a time that is over. */
	tmpdir_write(&r->dir, ".git/refs/heads/main", "0000000000000000000000000000000000000001\n");
	assert_true(reopen(r, NEXT_BOOT));
	assert_int_equal(repo_head(r->repo, &id, &err), 0);
	assert_int_equal(id.bytes[OBJECT_ID_BYTES - 1], 1);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, gitrepo_set_up, gitrepo_tear_down)
	const struct CMUnitTest tests[] = {
		T(test_what_a_power_cut_has_taken_is_put_back),
		T(test_a_branch_that_fell_back_moves_on),
		T(test_a_branch_that_others_have_moved_stays),
		T(test_what_is_staged_stays_staged),
		T(test_a_torn_record_ends_what_is_done_again),
		T(test_what_is_torn_and_in_no_record_goes),
		T(test_half_a_record_is_written_over),
		T(test_flush_packs_and_begins_anew),
		T(test_what_is_torn_and_packed_goes),
		T(test_two_processes_append_to_one_log),
		T(test_a_log_that_a_copy_shares_is_not_written),
		T(test_wipe_leaves_nothing),
		T(test_objects_without_compression_can_be_read),
		T(test_what_takes_the_place_of_the_log_is_no_log),
		T(test_a_name_that_is_none_of_a_branch_leads_nowhere),
		T(test_a_branch_that_was_reset_stays),
		T(test_what_is_recorded_after_a_reset_is_put_back),
		T(test_a_branch_that_was_removed_is_not_made_again),
		T(test_a_torn_branch_is_put_back_where_head_is_on_another),
		T(test_a_broken_record_in_the_middle_is_set_aside),
		T(test_a_log_of_another_store_is_not_believed),
		T(test_a_torn_index_is_made_anew),
		T(test_what_git_does_not_see_is_counted),
		T(test_at_rest_a_few_records_stay_loose),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
