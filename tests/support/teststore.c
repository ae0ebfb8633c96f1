#include "support/teststore.h"

#include "base/mem.h"
#include "store/files/format_files.h"
#include "store/open/store.h"

#include <stdlib.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static const struct change_meta test_meta = {.tool = "test"};

static void open_store(struct teststore *t)
{
	struct err err;

	if (store_open(&t->store, fake_sys(), t->env, t->dir.path, &err) != 0)
		fail_msg("store_open: %s", err.text);
}

void teststore_open(struct teststore *t)
{
	teststore_open_in(t, surroundings_plain);
}

void teststore_open_in(struct teststore *t, environment env)
{
	t->env = env;
	fake_sys_reset(TESTSTORE_NOW);
	tmpdir_make(&t->dir);
	fake_sys_root(t->dir.path);
	open_store(t);
}

void teststore_mark(const struct tmpdir *dir)
{
	tmpdir_write(dir, MARK_FORMAT_NAME, MARK_FORMAT_PREFIX "1\n");
}

void teststore_reopen(struct teststore *t)
{
	store_close(t->store);
	open_store(t);
}

void teststore_close(struct teststore *t)
{
	store_close(t->store);
	tmpdir_remove(&t->dir);
	fake_sys_release();
}

void teststore_refresh(struct teststore *t)
{
	struct err err;

	if (store_refresh(t->store, fake_sys_now(), &err) != 0)
		fail_msg("store_refresh: %s", err.text);
}

static int put_and_commit(struct teststore *t, struct change *change, enum category category,
			  const char *key, const struct entry_fields *fields, size_t *evicted,
			  struct err *err)
{
	const struct item *old = store_find(t->store, (int)category, slice_of(key));
	struct change_result result;
	struct str text = STR_INIT;
	int outcome;

	entry_compose(&text, old ? &old->entry : NULL, fields, fake_sys_now());
	outcome = change_put(change, category, old ? old->entry.key : slice_of(key),
			     str_slice(&text), err);
	if (outcome == 0)
		outcome = change_commit(change, &result, err);
	if (outcome == 0 && evicted)
		*evicted = result.evicted_count;
	str_release(&text);
	return outcome;
}

static enum err_code set(struct teststore *t, enum category category, const char *key,
			 const struct entry_fields *fields, size_t *evicted)
{
	struct change *change;
	struct err err;
	int outcome;

	err_clear(&err);
	if (change_begin(&change, t->store, &test_meta, fake_sys_now(), &err) != 0)
		return err.code;
	outcome = put_and_commit(t, change, category, key, fields, evicted, &err);
	change_end(change);
	return outcome == 0 ? ERR_NONE : err.code;
}

enum err_code teststore_set(struct teststore *t, enum category category, const char *key,
			    const char *value, size_t *evicted)
{
	struct entry_fields fields = {.value = slice_of(value)};

	return set(t, category, key, &fields, evicted);
}

enum err_code teststore_pin(struct teststore *t, enum category category, const char *key,
			    const char *value)
{
	struct entry_fields fields = {.value = slice_of(value), .pinned = slice_of("true")};

	return set(t, category, key, &fields, NULL);
}

enum err_code teststore_archive(struct teststore *t, enum category category, const char *key,
				enum reason reason)
{
	struct change *change;
	const struct item *item;
	struct err err;
	int outcome;

	err_clear(&err);
	if (change_begin(&change, t->store, &test_meta, fake_sys_now(), &err) != 0)
		return err.code;
	item = store_find(t->store, (int)category, slice_of(key));
	assert_non_null(item);
	outcome = change_archive(change, item, reason, &err);
	if (outcome == 0)
		outcome = change_commit(change, NULL, &err);
	change_end(change);
	return outcome == 0 ? ERR_NONE : err.code;
}

char *teststore_value(struct teststore *t, enum category category, const char *key)
{
	const struct item *item;

	teststore_refresh(t);
	item = store_find(t->store, (int)category, slice_of(key));
	return item ? mem_strndup(item->entry.value.ptr, item->entry.value.len) : NULL;
}

size_t teststore_archived(struct teststore *t, const char *key, bool cold)
{
	const struct archived *all;
	size_t found = 0;
	size_t count;
	struct err err;

	teststore_refresh(t);
	if (store_archive_all(t->store, &all, &count, &err) != 0)
		fail_msg("store_archive_all: %s", err.text);
	for (size_t i = 0; i < count; i++)
		found += (cold || !all[i].cold) && slice_is(all[i].record.original_key, key);
	return found;
}
