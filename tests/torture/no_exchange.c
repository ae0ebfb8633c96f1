/*
 * File systems without exchange, and kills between the exchange and the look at what came out.
 *
 * In this process and its children, with the table of fake_sys.h: each moment at which a person may
 * save, by rename and in place, before and after a change; and a death at each call of a change
 * into which a save came. What was saved has to be in the file after the next change.
 */
#include "support/fake_sys.h"
#include "support/tmpdir.h"
#include "torture/row.h"

#include "base/map.h"
#include "store/files/dir_lock.h"
#include "store/txn/apply.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME "preferences.json"
#define NOW INT64_C(1795000000000)
#define BEFORE "{\n  \"editor\": \"vim\"  ,\n  \"odd\" :[ 1.0,2]\n}\n"
#define SAVED "{\n  \"editor\": \"vim\"  ,\n  \"odd\" :[ 1.0,2],\n  \"mine\": 1\n}\n"

/* A save, and whether it was made: the moment may never have come. */
struct save {
	const struct tmpdir *dir;
	int fd; /* in place; -1: by rename */
};

static void save_it(void *arg)
{
	const struct save *save = arg;

	if (save->fd >= 0) {
		if (ftruncate(save->fd, 0) != 0 ||
		    pwrite(save->fd, SAVED, strlen(SAVED), 0) != (ssize_t)strlen(SAVED))
			row_fatal("pwrite");
	} else {
		tmpdir_write(save->dir, "editor.tmp", SAVED);
		if (renameat(save->dir->fd, "editor.tmp", save->dir->fd, NAME) != 0)
			row_fatal("rename");
	}
	tmpdir_write(save->dir, "editor.saved", "");
}

/* Sets a key, as a process of its own would. */
static int change(const struct tmpdir *dir, const char *key)
{
	const struct change_meta meta = {.tool = "memory_set"};
	struct op op = {.kind = OP_PUT,
			.category = CATEGORY_PREFERENCES,
			.key = slice_of(key),
			.text = slice_of("{\"value\":1}"),
			.at_ms = NOW};
	struct disk disk;
	struct err err;
	int result;

	if (disk_open(&disk, fake_sys(), dir->path, &err) != 0)
		return -1;
	result = disk_lock(&disk, 0, &err);
	if (result == 0)
		result = apply_recover(&disk, NOW, &err);
	if (result == 0)
		result = apply_ops(&disk, &op, 1, &meta, NOW, &err);
	disk_close(&disk);
	return result;
}

static void check(struct row *row, const struct tmpdir *dir, const char *part, const char *what,
		  unsigned moment)
{
	char *text = tmpdir_read(dir, NAME);

	if (!text || !strstr(text, part))
		row_violation(row, "%s, moment %u: %s is not in %s", what, moment, part,
			      text ? text : "any file");
	free(text);
}

static void begin(struct tmpdir *dir, struct save *save, bool in_place)
{
	fake_sys_reset(NOW);
	tmpdir_make(dir);
	tmpdir_write(dir, NAME, BEFORE);
	*save = (struct save){dir, in_place ? openat(dir->fd, NAME, O_WRONLY | O_CLOEXEC) : -1};
}

static void end(struct tmpdir *dir, const struct save *save)
{
	if (save->fd >= 0)
		close(save->fd);
	tmpdir_remove(dir);
}

/* ---- without exchange */

static const enum fake_call moments[] = {FAKE_OPENAT, FAKE_FSYNC, FAKE_PWRITE, FAKE_MKDIRAT};

/* A save before the window between the last look and the rename, or after the change. */
static void without_exchange(struct row *row, int error, bool in_place, unsigned moment)
{
	struct tmpdir dir;
	struct save save;

	begin(&dir, &save, in_place);
	fake_sys_no_rename_flags(error);
	if (moment < 4)
		fake_sys_before(moments[moment], 1, save_it, &save);
	if (change(&dir, "one") != 0)
		row_violation(row, "without exchange, moment %u: the change fails", moment);
	if (moment == 4 && !in_place) /* loads and saves after it */
		tmpdir_write(&dir, NAME, "{\"one\":1, \"odd\" :[ 1.0,2], \"mine\": 1}");
	if (change(&dir, "two") != 0)
		row_violation(row, "without exchange, moment %u: the next change fails", moment);
	check(row, &dir, "\"one\"", "without exchange", moment);
	check(row, &dir, "\"two\"", "without exchange", moment);
	check(row, &dir, "\"odd\" :[ 1.0,2]", "without exchange", moment);
	if (tmpdir_has(&dir, "editor.saved") || (moment == 4 && !in_place))
		check(row, &dir, "\"mine\"", "without exchange", moment);
	end(&dir, &save);
}

/* A file that is new: without exchange there is no RENAME_NOREPLACE either. */
static void without_noreplace(struct row *row, int error)
{
	struct tmpdir dir;
	struct save save;

	begin(&dir, &save, false);
	unlinkat(dir.fd, NAME, 0);
	fake_sys_no_rename_flags(error);
	fake_sys_before(FAKE_FSYNC, 1, save_it, &save);
	if (change(&dir, "one") != 0 || change(&dir, "two") != 0)
		row_violation(row, "without RENAME_NOREPLACE: a change fails");
	check(row, &dir, "\"one\"", "without RENAME_NOREPLACE", 0);
	check(row, &dir, "\"mine\"", "without RENAME_NOREPLACE", 0);
	end(&dir, &save);
}

/* ---- kills */

static int change_in_child(void *arg)
{
	return change(arg, "one") == 0 ? 0 : 1;
}

/*
 * A save comes before call `at` of a change, and the change dies before call `death`. Returns
 * false when there is no such call any more.
 */
static bool with_a_kill(struct row *row, bool in_place, unsigned at, unsigned death)
{
	struct tmpdir dir;
	struct save save;
	int status;

	begin(&dir, &save, in_place);
	if (change(&dir, "zero") != 0)
		row_violation(row, "the first change fails");
	if (in_place) {
		/* The editor loads now: what it saves has the first change in it. */
		close(save.fd);
		save.fd = openat(dir.fd, NAME, O_WRONLY | O_CLOEXEC);
	}
	fake_sys_before(FAKE_RENAMEAT2, at, save_it, &save);
	fake_sys_die(FAKE_ANY, death, 99);
	status = fake_sys_in_child(change_in_child, &dir);
	fake_sys_reset(NOW);
	if (status != 99 && status != 0)
		row_violation(row, "kill at call %u: the change fails", death);
	if (row->plant) {
		/* drop-twins: nobody looks at what a killed process leaves. */
		unlinkat(dir.fd, "." NAME ".tmp", 0);
		unlinkat(dir.fd, "." NAME ".prev", 0);
	}
	if (change(&dir, "two") != 0)
		row_violation(row, "kill at call %u: the next change fails", death);
	if (tmpdir_has(&dir, "editor.saved"))
		check(row, &dir, "\"mine\"", in_place ? "in place, kill" : "by rename, kill",
		      death);
	/* A save by rename over the new text takes that out, as far as anybody can tell. */
	if (status == 0 && (in_place || at == 1))
		check(row, &dir, "\"one\"", "kill", death);
	check(row, &dir, "\"two\"", "kill", death);
	check(row, &dir, "\"odd\" :[ 1.0,2]", "kill", death);
	end(&dir, &save);
	return status != 0;
}

int main(int argc, char **argv)
{
	static const int errors[] = {EINVAL, ENOSYS};
	unsigned windows = 0;
	unsigned kills = 0;
	struct row row;

	row_init(&row, argc, argv);
	for (unsigned e = 0; e < 2; e++) {
		for (unsigned moment = 0; moment < 10; moment++, windows++)
			without_exchange(&row, errors[e], moment % 2, moment / 2);
		without_noreplace(&row, errors[e]);
	}
	for (unsigned way = 0; way < 4; way++) {
		unsigned death = 1;

		while (!row_is_over(&row) && with_a_kill(&row, way % 2, 1 + way / 2, death))
			death += row_times(&row, 4, 1);
		kills += (death - 1) / row_times(&row, 4, 1);
	}
	fake_sys_release();
	return row_end(&row, "%u saves without exchange, %u kills around one: no edit is lost",
		       windows, kills);
}
