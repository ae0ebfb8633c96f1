#include "ops/transfer/whole_store.h"

#include "base/mem.h"
#include "store/open/store.h"

#include <stdlib.h>

bool whole_has(const struct whole *whole, enum category category)
{
	return whole->choice.category == CATEGORY_ANY || whole->choice.category == (int)category;
}

/* What is missing is said, or is why it fails. */
static int whole_check_file(struct whole *whole, const struct call *call, enum store_file file,
			    struct err *err)
{
	struct err why;

	if (store_check_file(whole->store, file, &why) == 0)
		return 0;
	if (!whole->choice.partial) {
		*err = why;
		return -1;
	}
	*MEM_ADD(whole->missing, whole->missing_count, whole->missing_cap) =
		arena_printf(call->arena, "%s; it is left out", why.text).ptr;
	return 0;
}

static int whole_check_files(struct whole *whole, const struct call *call, struct err *err)
{
	for (int c = 0; c < CATEGORY_COUNT; c++) {
		if (whole_has(whole, (enum category)c) &&
		    whole_check_file(whole, call, (enum store_file)c, err) != 0)
			return -1;
	}
	if (whole->choice.archive && whole_check_file(whole, call, STORE_FILE_ARCHIVE, err) != 0)
		return -1;
	return whole_check_file(whole, call, STORE_FILE_RELATIONS, err);
}

static int whole_compare_records(const void *a, const void *b)
{
	const struct record *left = &((const struct archived *)a)->record;
	const struct record *right = &((const struct archived *)b)->record;

	if (left->category != right->category)
		return left->category < right->category ? -1 : 1;
	if (left->archived_ms != right->archived_ms)
		return left->archived_ms < right->archived_ms ? -1 : 1;
	return slice_compare(left->key, right->key);
}

/* The same record may stand twice: in archive.json and in the cold archive it moved on to. */
static void whole_take_records(struct whole *whole, const struct archived *all, size_t count)
{
	MAP_AUTO known = MAP_INIT;

	whole->records = mem_zalloc(count + 1, sizeof *whole->records);
	for (size_t i = 0; i < count; i++) {
		if (!whole_has(whole, all[i].record.category) || map_get(&known, all[i].ref, NULL))
			continue;
		map_put(&known, all[i].ref, 0);
		whole->records[whole->record_count++] = all[i];
	}
	qsort(whole->records, whole->record_count, sizeof *whole->records, whole_compare_records);
}

static int whole_read_records(struct whole *whole, struct err *err)
{
	const struct archived *all;
	const char *const *notices;
	size_t before;
	size_t after;
	size_t count;

	if (!whole->choice.archive)
		return 0;
	store_notices(whole->store, &before);
	if (store_archive_all(whole->store, &all, &count, err) != 0)
		return -1;
	notices = store_notices(whole->store, &after);
	whole->bad_lines = after > before ? notices[after - 1] : NULL;
	whole_take_records(whole, all, count);
	return 0;
}

static int whole_fill(struct whole *whole, const struct call *call, struct err *err)
{
	struct err ignored;

	if (store_look(whole->store, call->now_ms, err) != 0 ||
	    whole_check_files(whole, call, err) != 0)
		return -1;
	whole->items = store_items(whole->store, &whole->item_count);
	/* Checked above: what is broken has none. */
	store_links(whole->store, &whole->links, &whole->link_count, &ignored);
	if (whole_read_records(whole, err) != 0)
		return -1;
	/* Everything that a link can lead to. */
	for (size_t i = 0; i < whole->item_count; i++)
		map_put(&whole->ends,
			common_identity(call->arena, whole->items[i].entry.category,
					whole->items[i].entry.key),
			0);
	for (size_t i = 0; i < whole->record_count; i++)
		map_put(&whole->ends,
			common_identity(call->arena, whole->records[i].record.category,
					whole->records[i].record.original_key),
			0);
	return 0;
}

int whole_read(struct whole *out, const struct call *call, struct store *store,
	       const struct whole_choice *choice, struct err *err)
{
	*out = (struct whole){.store = store, .choice = *choice};
	if (whole_fill(out, call, err) == 0)
		return 0;
	whole_release(out);
	return -1;
}

void whole_release(struct whole *whole)
{
	free(whole->records);
	free(whole->missing);
	map_release(&whole->ends);
	whole->records = NULL;
	whole->missing = NULL;
}

void whole_write_record(struct json_writer *w, const struct record *record)
{
	STR_AUTO scratch = STR_INIT;
	JSON_AUTO doc = {0};

	common_parse(&doc, record->text);
	json_write_object(w);
	for (uint32_t n = json_first(&doc, JSON_ROOT); n != JSON_NONE; n = json_next(&doc, n)) {
		if (slice_is(json_name(&doc, n, &scratch), "category"))
			continue;
		json_write_name_raw(w, json_name_text(&doc, n));
		json_write_value(w, &doc, n);
	}
	json_write_end(w);
}
