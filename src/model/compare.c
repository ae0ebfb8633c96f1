#include "model/compare.h"

#include "base/blank.h"
#include "base/map.h"
#include "base/mem.h"
#include "model/record.h"

#include <stdlib.h>

/* The values of one text by name: entries by key, records by category and key. */
struct side {
	const struct json *doc;
	struct map nodes;
};

static void parse(struct json *doc, struct slice text, bool *broken)
{
	struct json_fault fault;

	*doc = (struct json){0};
	*broken = text.ptr && !blank_only(text) &&
		  json_parse(doc, text, &json_file_bounds, &fault) != 0;
}

/* The value that holds a file's entries, or the records of a category; false when there is none. */
static bool find_parent(const struct json *doc, bool record, enum category category,
			uint32_t *parent)
{
	*parent = JSON_ROOT;
	if (!doc->nodes)
		return false;
	if (!record)
		return json_type(doc, JSON_ROOT) == JSON_OBJECT;
	*parent = json_member(doc, JSON_ROOT, category_name(category));
	return *parent != JSON_NONE && json_type(doc, *parent) == JSON_ARRAY;
}

static void begin(struct comparison *out, struct slice before, struct slice after)
{
	*out = (struct comparison){.arena = ARENA_INIT};
	parse(&out->docs[0], before, &out->before_broken);
	parse(&out->docs[1], after, &out->after_broken);
	out->looks_differ = !slice_equal(before, after);
}

static void add(struct comparison *out, const struct difference *difference)
{
	out->items = mem_grow(out->items, &out->cap, out->count + 1, sizeof *out->items);
	out->items[out->count++] = *difference;
}

/* The key of a member, or of a record; false for an element that is no record. */
static bool key_of(struct comparison *c, const struct json *doc, uint32_t node, bool record,
		   enum category category, struct slice *key)
{
	STR_AUTO scratch = STR_INIT;
	struct record read;

	if (!record) {
		*key = arena_copy(&c->arena, json_name(doc, node, &scratch));
		return true;
	}
	if (!record_read(&read, category, doc, node, &c->arena))
		return false;
	*key = read.key;
	return true;
}

static void read_side(struct comparison *c, struct side *side, const struct json *doc, bool record,
		      enum category category)
{
	uint32_t parent;
	struct slice key;

	side->doc = doc;
	if (!find_parent(doc, record, category, &parent))
		return;
	for (uint32_t n = json_first(doc, parent); n != JSON_NONE; n = json_next(doc, n)) {
		if (key_of(c, doc, n, record, category, &key))
			map_put(&side->nodes, key, n);
	}
}

static struct slice text_of(const struct side *side, struct slice key, uint32_t *node)
{
	size_t value;

	if (!map_get(&side->nodes, key, &value))
		return slice_make(NULL, 0);
	*node = (uint32_t)value;
	return json_text(side->doc, *node);
}

static void compare_key(struct comparison *c, const struct side sides[2], enum category category,
			bool record, struct slice key)
{
	uint32_t nodes[2] = {JSON_NONE, JSON_NONE};
	struct difference difference = {.category = category, .key = key, .record = record};

	difference.before = text_of(&sides[0], key, &nodes[0]);
	difference.after = text_of(&sides[1], key, &nodes[1]);
	if (difference.before.ptr && difference.after.ptr &&
	    (slice_equal(difference.before, difference.after) ||
	     json_equal(sides[0].doc, nodes[0], sides[1].doc, nodes[1])))
		return;
	add(c, &difference);
}

/* The keys of a side in the order of its text; those that both have stand in the first. */
static void compare_side(struct comparison *c, const struct side sides[2], int which,
			 enum category category, bool record)
{
	const struct json *doc = sides[which].doc;
	uint32_t parent;
	struct slice key;

	if (!find_parent(doc, record, category, &parent))
		return;
	for (uint32_t n = json_first(doc, parent); n != JSON_NONE; n = json_next(doc, n)) {
		if (key_of(c, doc, n, record, category, &key) &&
		    (which == 0 || !map_get(&sides[0].nodes, key, NULL)))
			compare_key(c, sides, category, record, key);
	}
}

static void compare(struct comparison *c, enum category category, bool record)
{
	struct side sides[2] = {{.nodes = MAP_INIT}, {.nodes = MAP_INIT}};

	for (int i = 0; i < 2; i++)
		read_side(c, &sides[i], &c->docs[i], record, category);
	for (int i = 0; i < 2; i++)
		compare_side(c, sides, i, category, record);
	map_release(&sides[0].nodes);
	map_release(&sides[1].nodes);
}

void compare_entries(struct comparison *out, enum category category, struct slice before,
		     struct slice after)
{
	begin(out, before, after);
	compare(out, category, false);
}

void compare_records(struct comparison *out, struct slice before, struct slice after)
{
	begin(out, before, after);
	for (int c = 0; c < CATEGORY_COUNT; c++)
		compare(out, (enum category)c, true);
}

void comparison_release(struct comparison *comparison)
{
	free(comparison->items);
	json_release(&comparison->docs[0]);
	json_release(&comparison->docs[1]);
	arena_release(&comparison->arena);
	*comparison = (struct comparison){.arena = ARENA_INIT};
}
