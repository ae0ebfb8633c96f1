#include "store/items/category_table.h"

#include "text/normalize.h"

static void shelf_add_item(struct shelf *shelf, enum category category, const struct json *doc,
			   uint32_t member, struct str *text)
{
	size_t position = shelf->count++;
	struct item *item = &shelf->items[position];

	entry_read(&item->entry, category, doc, member, &shelf->arena);
	str_clear(text);
	ref_add(text, category, item->entry.key);
	item->ref = arena_copy(&shelf->arena, str_slice(text));
	normalize_key(item->entry.key, text);
	item->identity = arena_copy(&shelf->arena, str_slice(text));
	map_put(&shelf->by_key, item->entry.key, position);
	/* Two keys that are equal after normalisation: the first one answers. */
	if (!map_get(&shelf->by_identity, item->identity, NULL))
		map_put(&shelf->by_identity, item->identity, position);
}

void shelf_fill(struct shelf *shelf, enum category category, const struct json *doc)
{
	STR_AUTO text = STR_INIT;

	shelf_release(shelf);
	if (!doc)
		return;
	shelf->items = arena_alloc(&shelf->arena,
				   doc->nodes[JSON_ROOT].count * sizeof *shelf->items);
	for (uint32_t n = json_first(doc, JSON_ROOT); n != JSON_NONE; n = json_next(doc, n))
		shelf_add_item(shelf, category, doc, n, &text);
}

void shelf_release(struct shelf *shelf)
{
	map_release(&shelf->by_key);
	map_release(&shelf->by_identity);
	arena_release(&shelf->arena);
	shelf->items = NULL;
	shelf->count = 0;
}

bool shelf_find_spelt(const struct shelf *shelf, struct slice key, size_t *position)
{
	return map_get(&shelf->by_key, key, position);
}

bool shelf_find_equal(const struct shelf *shelf, struct slice identity, size_t *position)
{
	return map_get(&shelf->by_identity, identity, position);
}

static void shelf_add_record(struct record_shelf *shelf, enum category category,
			     const struct json *doc, uint32_t node, struct str *text)
{
	struct archived *archived = &shelf->records[shelf->count];

	if (!record_read(&archived->record, category, doc, node, &shelf->arena)) {
		shelf->left_out++;
		return;
	}
	str_clear(text);
	ref_add(text, category, archived->record.key);
	archived->ref = arena_copy(&shelf->arena, str_slice(text));
	shelf->count++;
}

/* Where the records of a category are; JSON_NONE when there are none or it is no list. */
static uint32_t shelf_list_of(struct record_shelf *shelf, const struct json *doc,
			      enum category category)
{
	uint32_t list = json_member(doc, JSON_ROOT, category_name(category));

	if (list == JSON_NONE || json_type(doc, list) == JSON_ARRAY)
		return list;
	shelf->left_out++;
	return JSON_NONE;
}

void record_shelf_fill(struct record_shelf *shelf, const struct json *doc)
{
	uint32_t lists[CATEGORY_COUNT];
	STR_AUTO text = STR_INIT;
	size_t count = 0;

	record_shelf_release(shelf);
	if (!doc)
		return;
	for (int c = 0; c < CATEGORY_COUNT; c++) {
		lists[c] = shelf_list_of(shelf, doc, (enum category)c);
		count += lists[c] != JSON_NONE ? doc->nodes[lists[c]].count : 0;
	}
	shelf->records = arena_alloc(&shelf->arena, count * sizeof *shelf->records);
	for (int c = 0; c < CATEGORY_COUNT; c++) {
		uint32_t node = lists[c] != JSON_NONE ? json_first(doc, lists[c]) : JSON_NONE;

		for (; node != JSON_NONE; node = json_next(doc, node))
			shelf_add_record(shelf, (enum category)c, doc, node, &text);
	}
}

void record_shelf_release(struct record_shelf *shelf)
{
	arena_release(&shelf->arena);
	shelf->records = NULL;
	shelf->count = 0;
	shelf->left_out = 0;
}
