#include "model/diff.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "model/archive_record.h"

#include <stdlib.h>

/* ---- editions */

static void diff_begin(struct edition *out, bool records, struct slice text)
{
	struct json_fault fault;

	*out = (struct edition){.text = text, .records = records, .arena = ARENA_INIT};
	out->broken = text.ptr && !blank_only(text) &&
		      json_parse(&out->doc, text, &json_file_bounds, &fault) != 0;
}

static void diff_add_part(struct edition *edition, enum category category, struct slice key,
			  uint32_t node)
{
	edition->parts = mem_grow(edition->parts, &edition->cap, edition->count + 1,
				  sizeof *edition->parts);
	edition->parts[edition->count] = (struct edition_part){category, key, node};
	map_put(&edition->by_key[category], key, edition->count++);
}

void edition_of_entries(struct edition *out, enum category category, struct slice text)
{
	const struct json *doc = &out->doc;

	diff_begin(out, false, text);
	if (!doc->nodes || json_type(doc, JSON_ROOT) != JSON_OBJECT)
		return;
	for (uint32_t n = json_first(doc, JSON_ROOT); n != JSON_NONE; n = json_next(doc, n)) {
		STR_AUTO scratch = STR_INIT;
		struct slice key = json_name(doc, n, &scratch);

		if (doc->nodes[n].name_escaped)
			key = arena_copy(&out->arena, key);
		diff_add_part(out, category, key, n);
	}
}

static void diff_add_records(struct edition *edition, enum category category)
{
	const struct json *doc = &edition->doc;
	uint32_t list = json_member(doc, JSON_ROOT, category_name(category));
	struct record record;

	if (list == JSON_NONE || json_type(doc, list) != JSON_ARRAY)
		return;
	for (uint32_t n = json_first(doc, list); n != JSON_NONE; n = json_next(doc, n)) {
		if (record_read(&record, category, doc, n, &edition->arena))
			diff_add_part(edition, category, record.key, n);
	}
}

void edition_of_records(struct edition *out, struct slice text)
{
	diff_begin(out, true, text);
	for (int c = 0; out->doc.nodes && c < CATEGORY_COUNT; c++)
		diff_add_records(out, (enum category)c);
}

static const struct edition_part *diff_find_part(const struct edition *edition,
						 enum category category, struct slice key)
{
	size_t position;

	if (!map_get(&edition->by_key[category], key, &position))
		return NULL;
	return &edition->parts[position];
}

struct slice edition_entry(const struct edition *edition, enum category category, struct slice key)
{
	const struct edition_part *part = edition->records ? NULL
							   : diff_find_part(edition, category, key);

	return part ? json_text(&edition->doc, part->node) : slice_make(NULL, 0);
}

void edition_release(struct edition *edition)
{
	for (int c = 0; c < CATEGORY_COUNT; c++)
		map_release(&edition->by_key[c]);
	free(edition->parts);
	json_release(&edition->doc);
	arena_release(&edition->arena);
	*edition = (struct edition){.arena = ARENA_INIT};
}

/* ---- comparing */

static void diff_add(struct comparison *out, const struct difference *difference)
{
	out->items = mem_grow(out->items, &out->cap, out->count + 1, sizeof *out->items);
	out->items[out->count++] = *difference;
}

/* What is not there any more, or differs. */
static void compare_part(struct comparison *out, const struct edition *before,
			 const struct edition_part *was, const struct edition *after)
{
	const struct edition_part *is = diff_find_part(after, was->category, was->key);
	struct difference difference = {
		.category = was->category,
		.key = was->key,
		.record = before->records,
		.before = json_text(&before->doc, was->node),
	};

	if (is)
		difference.after = json_text(&after->doc, is->node);
	if (is && (slice_equal(difference.before, difference.after) ||
		   json_equal(&before->doc, was->node, &after->doc, is->node)))
		return;
	diff_add(out, &difference);
}

static void diff_add_new(struct comparison *out, const struct edition *before,
			 const struct edition *after, const struct edition_part *is)
{
	struct difference difference = {
		.category = is->category,
		.key = is->key,
		.record = after->records,
		.after = json_text(&after->doc, is->node),
	};

	if (!diff_find_part(before, is->category, is->key))
		diff_add(out, &difference);
}

static void compare_category(struct comparison *out, const struct edition *before,
			     const struct edition *after, enum category category)
{
	for (size_t i = 0; i < before->count; i++) {
		if (before->parts[i].category == category)
			compare_part(out, before, &before->parts[i], after);
	}
	for (size_t i = 0; i < after->count; i++) {
		if (after->parts[i].category == category)
			diff_add_new(out, before, after, &after->parts[i]);
	}
}

void compare_editions(struct comparison *out, const struct edition *before,
		      const struct edition *after)
{
	*out = (struct comparison){
		.before_broken = before->broken,
		.after_broken = after->broken,
		.looks_differ = !slice_equal(before->text, after->text),
	};
	for (int c = 0; out->looks_differ && c < CATEGORY_COUNT; c++)
		compare_category(out, before, after, (enum category)c);
}

/* The parts point into the editions, which move along. */
static void compare_own(struct comparison *out, struct edition own[2])
{
	compare_editions(out, &own[0], &own[1]);
	memcpy(out->own, own, sizeof out->own);
}

void compare_entries(struct comparison *out, enum category category, struct slice before,
		     struct slice after)
{
	struct edition own[2];

	edition_of_entries(&own[0], category, before);
	edition_of_entries(&own[1], category, after);
	compare_own(out, own);
}

void compare_records(struct comparison *out, struct slice before, struct slice after)
{
	struct edition own[2];

	edition_of_records(&own[0], before);
	edition_of_records(&own[1], after);
	compare_own(out, own);
}

void comparison_release(struct comparison *comparison)
{
	free(comparison->items);
	edition_release(&comparison->own[0]);
	edition_release(&comparison->own[1]);
	*comparison = (struct comparison){0};
}
