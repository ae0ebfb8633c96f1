/*
 * A cold file of any bytes: reading it, and adding to it. Whole lines stay as they are, and what is
 * added is found once.
 */
#include "fuzz/fuzz_store.h"

#include "store/files/dir_lock.h"
#include "store/log/cold.h"

#define NAME "archive.cold/2026-11.jsonl"
#define ADDED                                                                                      \
	"{\"category\":\"state\",\"key\":\"a@2026-11-21T08:30:00.000Z\",\"originalKey\":\"a\","    \
	"\"archivedAt\":\"2026-11-21T08:30:00.000Z\",\"reason\":\"evicted\","                      \
	"\"entry\":{\"value\":1}}"

static int count_added(void *context, const struct json *doc)
{
	size_t *count = context;

	*count += slice_is(doc->text, ADDED);
	return 0;
}

static void append_and_walk(struct disk *disk, size_t *count)
{
	STR_AUTO first_bad = STR_INIT;
	struct err err;
	size_t bad = 0;

	FUZZ_REQUIRE(cold_append(disk, FUZZ_NOW, slice_of(ADDED), &err) == 0, "a line is added");
	*count = 0;
	FUZZ_REQUIRE(cold_walk(disk, count_added, count, &bad, &first_bad, &err) == 0,
		     "whatever is there can be walked");
	FUZZ_REQUIRE((bad > 0) == (first_bad.len > 0), "a bad line is named");
}

/* The whole lines, which have to stay. */
static struct slice whole_lines(struct slice text)
{
	const char *end = text.len ? memrchr(text.ptr, '\n', text.len) : NULL;

	return slice_make(text.ptr, end ? (size_t)(end - text.ptr) + 1 : 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice whole = whole_lines(fuzz_slice(data, size));
	struct slice now;
	struct disk disk;
	struct err err;
	size_t count;
	size_t again;

	fuzz_store_begin();
	fuzz_store_write(NAME, fuzz_slice(data, size));
	FUZZ_REQUIRE(disk_open(&disk, fuzz_store_sys(), fuzz_store_path(), &err) == 0,
		     "the store opens");
	append_and_walk(&disk, &count);
	append_and_walk(&disk, &again);
	FUZZ_REQUIRE(count > 0 && again == count, "a record is added once");
	now = fuzz_store_read(NAME);
	if (fuzz_is_planted(now))
		now.len = 0;
	FUZZ_REQUIRE(now.len >= whole.len &&
			     (whole.len == 0 || memcmp(now.ptr, whole.ptr, whole.len) == 0),
		     "whole lines stay as they are");
	disk_close(&disk);
	fuzz_store_run("archived", slice_of("{}"), NULL);
	fuzz_store_end();
	return 0;
}
