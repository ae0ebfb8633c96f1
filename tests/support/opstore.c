#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/opstore.h"

#include "base/map.h"
#include "base/mem.h"
#include "store/files/dir_lock.h"
#include "support/fake_sys.h"
#include "support/surroundings.h"

#include <stdlib.h>

static struct op put(enum category category, const char *key, const char *text, const char *before)
{
	return (struct op){OP_PUT,
			   category,
			   slice_of(key),
			   slice_of(text),
			   before ? hash64(slice_of(before)) : 0,
			   OPSTORE_NOW};
}

static struct op cut(enum category category, const char *key, const char *before)
{
	return (struct op){OP_REMOVE,  category, slice_of(key), {NULL, 0}, hash64(slice_of(before)),
			   OPSTORE_NOW};
}

/* One file. */
size_t opstore_single(struct op ops[4])
{
	ops[0] = put(CATEGORY_PREFERENCES, "editor", "{\"value\":\"emacs\"}", "\"vim\"");
	return 1;
}

/* Two category files, the archive and the cold archive. */
size_t opstore_several(struct op ops[4])
{
	opstore_single(ops);
	ops[1] = cut(CATEGORY_STATE, "task", "\"build\"");
	ops[2] = (struct op){OP_RECORD_ADD,
			     CATEGORY_STATE,
			     slice_of("task@2026-11-21T10:00:00.000Z"),
			     slice_of(RECORD),
			     0,
			     OPSTORE_NOW};
	ops[3] = (struct op){OP_COLD_ADD, CATEGORY_STATE, slice_of("old"), slice_of(COLD_LINE),
			     0,           OPSTORE_NOW};
	return 4;
}

void opstore_make(struct opstore *store, opstore_ops ops)
{
	store->ops = ops;
	surroundings_state_home();
	tmpdir_make(&store->dir);
	tmpdir_write(&store->dir, "preferences.json", OLD_PREFERENCES);
	tmpdir_write(&store->dir, "state.json", OLD_STATE);
	tmpdir_write(&store->dir, ".kota", "kota-memory data directory, format 1\n");
	tmpdir_write(&store->dir, ".gitignore", "");
	fake_sys_root(store->dir.path);
}

int opstore_change(const struct opstore *store, opstore_ops ops, struct err *err)
{
	const struct change_meta meta = {.tool = "memory_set", .session = "s1"};
	struct op list[4];
	struct disk disk;
	int result;

	if (disk_open(&disk, fake_sys(), store->dir.path, err) != 0)
		return -1;
	disk.env = surroundings_plain;
	result = disk_lock(&disk, 0, err);
	if (result == 0)
		result = apply_recover(&disk, OPSTORE_NOW, err);
	if (result == 0 && ops)
		result = apply_ops(&disk, list, ops(list), &meta, OPSTORE_NOW, err);
	disk_close(&disk);
	return result;
}

void opstore_run(const struct opstore *store, opstore_ops ops)
{
	struct err err;

	if (opstore_change(store, ops, &err) != 0)
		fail_msg("%s", err.text);
}

void opstore_check_fails(const struct opstore *store, opstore_ops ops, const char *says)
{
	struct err err;

	assert_int_equal(opstore_change(store, ops, &err), -1);
	if (!strstr(err.text, says))
		fail_msg("%s", err.text);
}

static bool holds(const struct opstore *store, const char *name, const char *text)
{
	char *now = tmpdir_read(&store->dir, name);
	bool same = now ? text && strcmp(now, text) == 0 : !text;

	free(now);
	return same;
}

void opstore_check(const struct opstore *store, const char *name, const char *text)
{
	char *now = tmpdir_read(&store->dir, name);

	assert_non_null(now);
	assert_string_equal(now, text);
	free(now);
}

/* All that is in the cold archive. */
char *opstore_cold(const struct opstore *store)
{
	char *text = tmpdir_read(&store->dir, "archive.cold/2026-11.jsonl");

	return text ? text : mem_strdup("");
}

void opstore_check_cold(const struct opstore *store, const char *part)
{
	char *cold = opstore_cold(store);

	if (!strstr(cold, part))
		fail_msg("%s is not in %s", part, cold);
	free(cold);
}

enum opstore_state opstore_state(const struct opstore *store)
{
	bool all = store->ops == opstore_several;
	char *cold = opstore_cold(store);
	bool in_cold = strcmp(cold, COLD_LINE "\n") == 0;
	enum opstore_state which = OPSTORE_NEITHER;

	if (holds(store, "preferences.json", OLD_PREFERENCES) &&
	    holds(store, "state.json", OLD_STATE) && holds(store, "archive.json", NULL) && !*cold)
		which = OPSTORE_OLD;
	if (holds(store, "preferences.json", NEW_PREFERENCES) &&
	    holds(store, "state.json", all ? NEW_STATE : OLD_STATE) &&
	    holds(store, "archive.json", all ? NEW_ARCHIVE : NULL) && in_cold == all)
		which = OPSTORE_NEW;
	free(cold);
	return which;
}

/* After recovery: nothing half done, and nothing that nobody understands. */
void opstore_check_tidy(const struct opstore *store)
{
	static const char *const never[] = {
		".preferences.json.tmp",
		".preferences.json.orphan",
		".preferences.json.prev-broken",
		".state.json.tmp",
		".state.json.orphan",
		".state.json.prev-broken",
		".archive.json.tmp",
		".journal",
		".journal.tmp",
	};

	for (size_t i = 0; i < sizeof never / sizeof *never; i++) {
		if (tmpdir_has(&store->dir, never[i]))
			fail_msg("%s is left", never[i]);
	}
}

int opstore_change_in_child(void *arg)
{
	struct opstore *store = arg;
	struct err err;

	return opstore_change(store, store->ops, &err) == 0 ? 0 : 1;
}
