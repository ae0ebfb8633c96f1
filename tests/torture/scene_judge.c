#include "base/mem.h"
#include "store/files/dir_lock.h"
#include "store/txn/apply.h"
#include "support/fake_sys.h"
#include "support/surroundings.h"
#include "torture/scene.h"
#include "torture/scene_sys.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* One more change than the deed, in the file of another category and in the cold archive. */
#define NEXT_ARGUMENTS "{'key':'patterns:after','value':'next'}"

#define SNAPSHOT_INIT                                                                              \
	{                                                                                          \
		STR_INIT, STR_INIT                                                                 \
	}

/* ---- snapshots */

static int compare_texts(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

/* Names in a folder of the scene, sorted, each to be freed like the list; NULL: no folder. */
static char **list_names(const struct scene *scene, const char *folder, size_t *count)
{
	int fd = openat(scene->dir.fd, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	char **names = NULL;
	size_t cap = 0;

	*count = 0;
	while (dir && (entry = readdir(dir))) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		names = mem_grow(names, &cap, *count + 1, sizeof *names);
		names[(*count)++] = mem_strdup(entry->d_name);
	}
	if (dir)
		closedir(dir);
	if (*count)
		qsort(names, *count, sizeof *names, compare_texts);
	return names;
}

static void add_file(struct str *out, const struct scene *scene, const char *name)
{
	char *text = tmpdir_read(&scene->dir, name);

	str_printf(out, "== %s%s\n%s", name, text ? "" : " is absent", text ? text : "");
	free(text);
}

/* Lines that were kept for undo go to one side. What has no newline was never finished. */
static void add_cold_lines(struct snapshot *out, const char *text)
{
	const char *end;

	for (; (end = strchr(text, '\n')); text = end + 1) {
		struct slice line = slice_make(text, (size_t)(end - text) + 1);
		bool undo = memmem(line.ptr, line.len, "\"undo\":true", 11) != NULL;

		str_add(undo ? &out->kept : &out->files, line);
	}
}

static void add_cold(struct snapshot *out, const struct scene *scene)
{
	size_t count;
	char **names = list_names(scene, "archive.cold", &count);

	for (size_t i = 0; i < count; i++) {
		STR_AUTO path = STR_INIT;
		char *text;

		str_printf(&path, "archive.cold/%s", names[i]);
		text = tmpdir_read(&scene->dir, path.ptr);
		add_cold_lines(out, text);
		free(text);
		free(names[i]);
	}
	free(names);
}

/* What is only on its way to become a note is none. */
static void add_notes(struct str *out, const struct scene *scene)
{
	size_t count;
	char **names = list_names(scene, "notes", &count);

	for (size_t i = 0; i < count; i++) {
		STR_AUTO path = STR_INIT;

		str_printf(&path, "notes/%s", names[i]);
		if (names[i][0] != '.')
			add_file(out, scene, path.ptr);
		free(names[i]);
	}
	free(names);
}

static void take_snapshot(struct snapshot *out, const struct scene *scene, bool with_metadata)
{
	str_clear(&out->files);
	str_clear(&out->kept);
	for (int f = 0; f < STORE_FILE_COUNT; f++)
		add_file(&out->files, scene, store_file_name((enum store_file)f));
	add_notes(&out->files, scene);
	add_cold(out, scene);
	if (with_metadata)
		add_file(&out->files, scene, "metadata.json");
}

static void snapshot_release(struct snapshot *snapshot)
{
	str_release(&snapshot->files);
	str_release(&snapshot->kept);
}

/* Are all lines of part among those of whole? */
static bool holds_lines(const struct str *whole, const struct str *part)
{
	const char *end;

	for (const char *at = part->ptr; (end = strchr(at, '\n')); at = end + 1) {
		if (!memmem(whole->ptr, whole->len, at, (size_t)(end - at) + 1))
			return false;
	}
	return true;
}

static bool is_same(const struct snapshot *now, const struct snapshot *wanted)
{
	return slice_equal(str_slice(&now->files), str_slice(&wanted->files)) &&
	       holds_lines(&now->kept, &wanted->kept);
}

/* ---- what should be */

/* What a process of its own finds and finishes, when nothing is in its way. */
static int settle(const struct scene *scene, struct err *err)
{
	struct disk disk;
	int result;

	if (disk_open(&disk, fake_sys(), scene->dir.path, err) != 0)
		return -1;
	disk.env = surroundings_plain;
	result = disk_lock(&disk, 0, err);
	if (result == 0)
		result = apply_recover(&disk, scene_now(), err);
	disk_close(&disk);
	return result;
}

static void settle_or_die(const struct scene *scene)
{
	struct err err;

	if (settle(scene, &err) != 0)
		row_fatal(err.text);
}

/* One more change by another process. */
static void next_change(struct scene *scene, struct answer *answer)
{
	scene_close(scene);
	scene_calm(scene_now() + 1000);
	scene_call(scene, "set", NEXT_ARGUMENTS, scene_now() + 1000, answer);
}

static void expect_next(struct snapshot *out, struct scene *scene)
{
	struct answer answer = {.text = STR_INIT};

	next_change(scene, &answer);
	if (answer.kind != ANSWER_ACKNOWLEDGED)
		row_fatal(answer.text.ptr);
	take_snapshot(out, scene, true);
	str_release(&answer.text);
}

void expected_init(struct expected *expected, const struct deed *deed, enum start start)
{
	struct scene scene;

	*expected = (struct expected){
		.deed = deed,
		.start = start,
		.answer = {.text = STR_INIT},
		.at_once = SNAPSHOT_INIT,
		.before = SNAPSHOT_INIT,
		.after = SNAPSHOT_INIT,
		.next = {SNAPSHOT_INIT, SNAPSHOT_INIT},
	};
	scene_make(&scene, deed, start);
	scene_calm(scene_now());
	settle_or_die(&scene);
	take_snapshot(&expected->before, &scene, false);
	expect_next(&expected->next[0], &scene);
	scene_remove(&scene);
	scene_make(&scene, deed, start);
	scene_run(&scene, &expected->answer);
	take_snapshot(&expected->at_once, &scene, false);
	scene_calm(scene_now());
	settle_or_die(&scene);
	take_snapshot(&expected->after, &scene, false);
	expect_next(&expected->next[1], &scene);
	scene_remove(&scene);
}

void expected_release(struct expected *expected)
{
	str_release(&expected->answer.text);
	snapshot_release(&expected->at_once);
	snapshot_release(&expected->before);
	snapshot_release(&expected->after);
	snapshot_release(&expected->next[0]);
	snapshot_release(&expected->next[1]);
}

/* ---- what is */

struct case_ {
	struct row *row;
	const struct expected *expected;
	struct scene *scene;
	const struct answer *answer;
	const char *label;
	bool fine;
};

static void blame(struct case_ *c, const char *what, const char *detail)
{
	static const char *const kinds[] = {"acknowledged", "refused", "uncertain", "ended"};

	c->fine = false;
	row_violation(c->row, "%s, %s, %s (%s%s%s): %s%s%s", c->expected->deed->name,
		      start_name(c->expected->start), c->label, kinds[c->answer->kind],
		      c->answer->text.len ? ": " : "", c->answer->text.ptr, what,
		      *detail ? "\n" : "", detail);
}

/* The part of a reply before its warnings, which come last. */
static struct slice without_warnings(const struct str *reply)
{
	const char *at = strstr(reply->ptr, ",\"warnings\":[");

	return at ? slice_make(reply->ptr, (size_t)(at - reply->ptr)) : str_slice(reply);
}

bool answer_is_same(const struct expected *expected, const struct answer *answer)
{
	struct slice wanted = without_warnings(&expected->answer.text);
	struct slice got = without_warnings(&answer->text);

	if (answer->kind != expected->answer.kind)
		return false;
	if (answer->kind != ANSWER_ACKNOWLEDGED)
		return true; /* sentences name the folder, which is another one */
	/* One of them may end with the brace that the warnings stood before. */
	if (wanted.len != got.len && wanted.len > 0 && wanted.ptr[wanted.len - 1] == '}')
		wanted.len -= wanted.len > got.len;
	if (wanted.len != got.len && got.len > 0 && got.ptr[got.len - 1] == '}')
		got.len -= got.len > wanted.len;
	return slice_equal(wanted, got);
}

static bool only_reads(const struct deed *deed)
{
	return deed->due || strcmp(deed->command, "get") == 0 ||
	       strcmp(deed->command, "list") == 0 || strcmp(deed->command, "archived") == 0;
}

static void judge_reply(struct case_ *c)
{
	const struct answer *answer = c->answer;

	if (answer->kind == ANSWER_ACKNOWLEDGED && !answer_is_same(c->expected, answer) &&
	    !(only_reads(c->expected->deed) && strstr(answer->text.ptr, "\"warnings\":[")))
		blame(c, "instead of", c->expected->answer.text.ptr);
	if (answer->kind != ANSWER_ACKNOWLEDGED && answer->kind != ANSWER_NONE &&
	    answer->text.len == 0)
		blame(c, "no sentence", "");
}

/* Before anybody else comes: what was acknowledged is in the files. */
static void judge_at_once(struct case_ *c)
{
	struct snapshot now = SNAPSHOT_INIT;

	take_snapshot(&now, c->scene, false);
	if (c->answer->kind == ANSWER_ACKNOWLEDGED && !only_reads(c->expected->deed) &&
	    !is_same(&now, &c->expected->at_once))
		blame(c, "the files hold at once", now.files.ptr);
	snapshot_release(&now);
}

/* The process in which it happened, and another one, list the same. */
static void judge_readers(struct case_ *c)
{
	struct scene *scene = c->scene;
	struct answer own = {.text = STR_INIT};
	struct answer other = {.text = STR_INIT};

	scene_sys_read_only(scene->start == START_READ_ONLY);
	if (scene->store)
		scene_call(scene, "list", "{}", scene_now(), &own);
	scene_close(scene);
	scene_call(scene, "list", "{}", scene_now(), &other);
	if (other.kind != ANSWER_ACKNOWLEDGED)
		blame(c, "cannot be listed", other.text.ptr);
	else if (own.text.len > 0 && !slice_equal(str_slice(&own.text), str_slice(&other.text)))
		blame(c, "the same process lists", own.text.ptr);
	scene_close(scene);
	scene_sys_read_only(false);
	str_release(&own.text);
	str_release(&other.text);
}

/* Old, new, or neither of them? Returns 0 or 1, or -1 after a violation. */
static int judge_outcome(struct case_ *c)
{
	const struct expected *expected = c->expected;
	struct snapshot now = SNAPSHOT_INIT;
	struct err err;
	int outcome = -1;
	bool may_be_new = c->answer->kind != ANSWER_REFUSED || only_reads(expected->deed) ||
			  expected->answer.kind != ANSWER_ACKNOWLEDGED;
	bool may_be_old = c->answer->kind != ANSWER_ACKNOWLEDGED || only_reads(expected->deed);

	if (settle(c->scene, &err) != 0) {
		blame(c, "cannot be recovered", err.text);
		return -1;
	}
	take_snapshot(&now, c->scene, false);
	if (may_be_new && is_same(&now, &expected->after))
		outcome = 1;
	else if (may_be_old && is_same(&now, &expected->before))
		outcome = 0;
	else
		blame(c, "neither what it was nor what it should be", now.files.ptr);
	snapshot_release(&now);
	return outcome;
}

static bool belongs(const char *name)
{
	static const char *const names[] = {
		"archive.json",
		"archive.cold",
		"relations.json",
		"metadata.json",
		"config.json",
		"usage.jsonl",
		".metadata.json.spare",
		".kota",
		".gitignore",
		".lock",
		"notes",
	};
	size_t len = strlen(name);

	for (int c = 0; c < CATEGORY_COUNT; c++) {
		if (strcmp(name, store_file_name((enum store_file)c)) == 0)
			return true;
	}
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (strcmp(name, names[i]) == 0)
			return true;
	}
	return len > 5 &&
	       (strcmp(name + len - 5, ".prev") == 0 || strcmp(name + len - 5, ".last") == 0);
}

static bool belongs_to_notes(const char *name)
{
	return name[0] != '.';
}

static void judge_folder(struct case_ *c, const char *folder, bool (*may_be)(const char *name))
{
	size_t count;
	char **names = list_names(c->scene, folder, &count);

	for (size_t i = 0; i < count; i++) {
		if (!may_be(names[i]))
			blame(c, "is left after the next change:", names[i]);
		free(names[i]);
	}
	free(names);
}

static void judge_tidy(struct case_ *c)
{
	judge_folder(c, ".", belongs);
	judge_folder(c, "notes", belongs_to_notes);
}

/* The next change goes well, upon what there was, and cleans up. */
static void judge_next(struct case_ *c, int outcome)
{
	struct answer answer = {.text = STR_INIT};
	struct snapshot now = SNAPSHOT_INIT;

	next_change(c->scene, &answer);
	take_snapshot(&now, c->scene, true);
	if (answer.kind != ANSWER_ACKNOWLEDGED)
		blame(c, "the next change fails:", answer.text.ptr);
	else if (!is_same(&now, &c->expected->next[outcome]))
		blame(c, "after the next change the files hold", now.files.ptr);
	judge_tidy(c);
	snapshot_release(&now);
	str_release(&answer.text);
}

void scene_judge(struct row *row, const struct expected *expected, struct scene *scene,
		 const struct answer *answer, const char *label)
{
	struct case_ c = {row, expected, scene, answer, label, true};
	int outcome;

	scene_calm(scene_now());
	judge_reply(&c);
	judge_at_once(&c);
	judge_readers(&c);
	if (!c.fine)
		return;
	outcome = judge_outcome(&c);
	if (outcome >= 0)
		judge_next(&c, outcome);
}
