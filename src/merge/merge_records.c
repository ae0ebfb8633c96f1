#include "merge/merge_records.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/time.h"
#include "json/scan.h"
#include "merge/merge_conflict.h"
#include "merge/merge_value.h"
#include "model/entry.h"

#include <stdio.h>
#include <stdlib.h>

struct listed {
	struct slice id; /* category, key, and which of that key it is */
	struct slice category;
	struct part part;
};

/* The records of one side. */
struct listing {
	struct listed *list;
	size_t count;
	size_t cap;
	struct map by_id;
};

/* A record of the result. */
struct kept {
	struct slice category;
	struct part part;
	struct slice text; /* composed, with a key of its own; else absent */
	size_t group;      /* of those that archive the same, or NO_GROUP */
	bool ours;         /* stands in the skeleton */
};

#define NO_GROUP SIZE_MAX

/* New records that archive the same entry for the same reason. */
struct group {
	size_t earliest; /* in kept */
	bool of_a;
	bool of_b;
};

struct records_work {
	struct arena arena;
	struct listing a;
	struct listing b;
	struct listing *bases;
	size_t base_count;
	struct kept *kept;
	size_t count;
	size_t cap;
	struct group *groups;
	size_t group_count;
	size_t group_cap;
	struct map by_content;
	struct skeleton *out;
	enum pick favored;
};

/* ---- reading */

/* Several texts as one, which no other texts make. */
static struct slice records_id(struct arena *arena, const struct slice *texts, size_t count)
{
	STR_AUTO out = STR_INIT;

	for (size_t i = 0; i < count; i++) {
		str_printf(&out, "%zu:", texts[i].len);
		str_add(&out, texts[i]);
	}
	return arena_copy(arena, str_slice(&out));
}

static struct slice records_text(struct arena *arena, struct part record, const char *name)
{
	STR_AUTO scratch = STR_INIT;
	struct slice text = part_string(part_member(record, slice_of(name)), &scratch);

	return arena_copy(arena, text.ptr ? text : slice_make("", 0));
}

static void records_list(struct records_work *work, struct listing *out, struct slice category,
			 struct part list)
{
	MAP_AUTO times = MAP_INIT;

	for (struct part r = part_first(list); r.doc; r = part_next(r)) {
		struct listed *one = MEM_ADD(out->list, out->count, out->cap);
		struct slice key = records_text(&work->arena, r, "key");
		size_t nth = 0;
		char number[24];

		if (!key.len)
			key = part_text(r);
		map_get(&times, key, &nth);
		map_put(&times, key, nth + 1);
		snprintf(number, sizeof number, "%zu", nth);
		*one = (struct listed){.category = category, .part = r};
		one->id = records_id(&work->arena,
				     (struct slice[]){category, key, slice_of(number)}, 3);
		map_put(&out->by_id, one->id, out->count - 1);
	}
}

static int records_not_a_list(struct part member, const char *whose, struct err *err)
{
	const struct json *doc = &member.doc->json;
	struct json_fault fault;

	json_fault_shown(&fault, doc->text, doc->nodes[member.node].start, "\"", part_name(member),
			 "\" must be a list, in [ and ]");
	return err_set(err, ERR_BAD_DATA, "%s:%u:%u: %s", whose, fault.line, fault.column,
		       fault.what);
}

/* Lists the records of a document; a base that is odd has none there. */
static int records_read(struct records_work *work, struct listing *out, struct part root,
			const char *whose, struct err *err)
{
	for (struct part m = part_first(root); m.doc; m = part_next(m)) {
		if (part_is(m, JSON_ARRAY)) {
			records_list(work, out, part_name(m), m);
		} else if (whose) {
			return records_not_a_list(m, whose, err);
		}
	}
	return 0;
}

static struct part records_find(const struct listing *listing, struct slice id)
{
	size_t at;

	return map_get(&listing->by_id, id, &at) ? listing->list[at].part : part_none();
}

/* ---- merging */

static bool records_earlier(struct part a, struct part b, struct arena *arena)
{
	struct part a_at = part_member(a, slice_of("archivedAt"));
	struct part b_at = part_member(b, slice_of("archivedAt"));
	int64_t a_ms = a_at.doc ? entry_time(&a_at.doc->json, a_at.node) : TIME_NONE;
	int64_t b_ms = b_at.doc ? entry_time(&b_at.doc->json, b_at.node) : TIME_NONE;
	int order;

	if (a_ms != b_ms)
		return a_ms < b_ms;
	order = slice_compare(records_text(arena, a, "key"), records_text(arena, b, "key"));
	return order ? order < 0 : part_compare(a, b) < 0;
}

/* A new record of the result; `fresh`: no base has it, so that it may say what another says. */
static void records_keep(struct records_work *work, const struct listed *one, bool ours, bool fresh,
			 bool of_a, bool of_b)
{
	struct kept *kept = MEM_ADD(work->kept, work->count, work->cap);
	struct slice content[4];
	struct group *group;

	*kept = (struct kept){
		.category = one->category, .part = one->part, .group = NO_GROUP, .ours = ours};
	if (!fresh)
		return;
	content[0] = one->category;
	content[1] = part_text(part_member(one->part, slice_of("originalKey")));
	content[2] = part_text(part_member(one->part, slice_of("reason")));
	content[3] = part_text(part_member(one->part, slice_of("entry")));
	content[0] = records_id(&work->arena, content, 4);
	if (!map_get(&work->by_content, content[0], &kept->group)) {
		kept->group = work->group_count;
		group = MEM_ADD(work->groups, work->group_count, work->group_cap);
		*group = (struct group){.earliest = work->count - 1};
		map_put(&work->by_content, content[0], kept->group);
	}
	group = &work->groups[kept->group];
	group->of_a |= of_a;
	group->of_b |= of_b;
	if (records_earlier(kept->part, work->kept[group->earliest].part, &work->arena))
		group->earliest = work->count - 1;
}

/* The record under another key, in the arena. */
static struct slice records_rekey(struct records_work *work, struct part record, struct slice key)
{
	STR_AUTO out = STR_INIT;
	struct json_writer w = json_writer_to(&out, &json_compact);

	json_write_object(&w);
	for (struct part m = part_first(record); m.doc; m = part_next(m)) {
		json_write_name(&w, part_name(m));
		if (slice_is(part_name(m), "key"))
			json_write_string(&w, key);
		else
			part_write(m, &w);
	}
	json_write_end(&w);
	return arena_copy(&work->arena, str_slice(&out));
}

static struct slice records_numbered(struct arena *arena, struct slice key, size_t n)
{
	STR_AUTO out = STR_INIT;

	str_add(&out, key);
	str_printf(&out, "#%zu", n);
	return arena_copy(arena, str_slice(&out));
}

static bool records_have_key(const struct records_work *work, struct slice category,
			     struct slice key, struct arena *arena)
{
	struct slice id = records_id(arena, (struct slice[]){category, key, slice_make("0", 1)}, 3);

	return records_find(&work->a, id).doc || records_find(&work->b, id).doc;
}

/* The same key with two texts: both stay, the greater text under another key. */
static void records_keep_both(struct records_work *work, const struct listed *ours,
			      struct part theirs, bool fresh)
{
	bool ours_first = part_compare(ours->part, theirs) < 0;
	struct listed first = {.category = ours->category,
			       .part = ours_first ? ours->part : theirs};
	struct part second = ours_first ? theirs : ours->part;
	struct slice key = records_text(&work->arena, second, "key");
	struct slice other;
	struct kept *kept;
	size_t n = 2;

	records_keep(work, &first, ours_first, fresh, false, false);
	do
		other = records_numbered(&work->arena, key, n++);
	while (records_have_key(work, ours->category, other, &work->arena));
	kept = MEM_ADD(work->kept, work->count, work->cap);
	*kept = (struct kept){.category = ours->category, .part = second, .group = NO_GROUP};
	kept->text = records_rekey(work, second, other);
	if (!ours_first)
		skeleton_drop(work->out, ours->category, ours->part);
}

static void records_merge_one(struct records_work *work, const struct listed *one, bool ours)
{
	struct part *bases = arena_alloc(&work->arena, work->base_count * sizeof *bases);
	struct versions v = {.bases = bases, .count = work->base_count, .favored = work->favored};
	struct listed result = *one;
	bool fresh = true;
	enum pick pick;

	for (size_t i = 0; i < work->base_count; i++) {
		bases[i] = records_find(&work->bases[i], one->id);
		fresh &= !bases[i].doc;
	}
	v.a = ours ? one->part : part_none();
	v.b = ours ? records_find(&work->b, one->id) : one->part;
	pick = versions_pick(&v);
	if (pick == PICK_BOTH && v.a.doc && v.b.doc) {
		records_keep_both(work, one, v.b, fresh);
		return;
	}
	if (pick == PICK_BOTH)
		pick = v.a.doc ? PICK_A : PICK_B;
	result.part = versions_part(&v, pick);
	if (ours && pick != PICK_A)
		skeleton_drop(work->out, one->category, v.a);
	if (pick != PICK_NONE)
		records_keep(work, &result, pick == PICK_A, fresh, !v.b.doc, !v.a.doc);
}

static void records_merge_sides(struct records_work *work)
{
	for (size_t i = 0; i < work->a.count; i++)
		records_merge_one(work, &work->a.list[i], true);
	for (size_t i = 0; i < work->b.count; i++) {
		if (!records_find(&work->a, work->b.list[i].id).doc)
			records_merge_one(work, &work->b.list[i], false);
	}
}

/* Does another record, which both sides lack in common, say the same and came before? */
static bool records_is_double(const struct records_work *work, size_t at)
{
	const struct kept *kept = &work->kept[at];
	const struct group *group = kept->group == NO_GROUP ? NULL : &work->groups[kept->group];

	return group && group->of_a && group->of_b && group->earliest != at;
}

static void records_lay_out(struct records_work *work)
{
	size_t count = 0;

	for (size_t i = 0; i < work->count; i++) {
		struct kept *kept = &work->kept[i];

		if (records_is_double(work, i)) {
			if (kept->ours)
				skeleton_drop(work->out, kept->category, kept->part);
			kept->category = slice_of(NULL);
		} else if (kept->text.ptr) {
			skeleton_append(work->out, kept->category, kept->text);
		} else if (!kept->ours) {
			skeleton_append_part(work->out, kept->category, kept->part);
		}
	}
	for (size_t i = 0; i < work->count; i++) {
		if (work->kept[i].category.ptr)
			work->kept[count++] = work->kept[i];
	}
	work->count = count;
}

/* ---- texts that lost */

/* What the result has, by key and by content, so that nothing is kept twice. */
struct records_index {
	struct map by_key; /* category and key -> place in kept */
	struct map by_text;
};

static void records_index_build(struct records_work *work, struct records_index *index)
{
	for (size_t i = 0; i < work->count; i++) {
		const struct kept *kept = &work->kept[i];
		struct slice texts[3] = {kept->category,
					 records_text(&work->arena, kept->part, "key")};

		map_put(&index->by_key, records_id(&work->arena, texts, 2), i);
		texts[1] = records_text(&work->arena, kept->part, "originalKey");
		texts[2] = part_text(part_member(kept->part, slice_of("entry")));
		map_put(&index->by_text, records_id(&work->arena, texts, 3), i);
	}
}

static void records_add_conflict(struct records_work *work, struct records_index *index,
				 const struct merge_conflict *conflict)
{
	struct slice texts[3] = {conflict->file, conflict->key};
	STR_AUTO dated = STR_INIT;
	STR_AUTO text = STR_INIT;
	CANON_AUTO lost = {0};
	struct slice key;
	struct slice id;
	size_t n = 1;

	canon_known(&lost, conflict->loser);
	texts[2] = part_text(part_root(&lost));
	id = records_id(&work->arena, texts, 3);
	if (map_get(&index->by_text, id, NULL))
		return;
	map_put(&index->by_text, id, 0);
	conflict_record_key(&dated, conflict);
	key = arena_copy(&work->arena, str_slice(&dated));
	texts[1] = key;
	while (map_get(&index->by_key, id = records_id(&work->arena, texts, 2), NULL))
		texts[1] = records_numbered(&work->arena, key, ++n);
	map_put(&index->by_key, id, 0);
	conflict_record(&text, conflict, texts[1]);
	skeleton_append(work->out, conflict->file, str_slice(&text));
}

static void records_add_conflicts(struct records_work *work, const struct merge_report *report)
{
	struct records_index index = {MAP_INIT, MAP_INIT};

	if (!report || !report->count)
		return;
	records_index_build(work, &index);
	for (size_t i = 0; i < report->count; i++)
		records_add_conflict(work, &index, &report->conflicts[i]);
	map_release(&index.by_key);
	map_release(&index.by_text);
}

static void records_listing_release(struct listing *listing)
{
	free(listing->list);
	map_release(&listing->by_id);
}

static void records_release(struct records_work *work)
{
	records_listing_release(&work->a);
	records_listing_release(&work->b);
	for (size_t i = 0; i < work->base_count; i++)
		records_listing_release(&work->bases[i]);
	free(work->bases);
	free(work->kept);
	free(work->groups);
	map_release(&work->by_content);
	arena_release(&work->arena);
}

int records_merge(const struct merge_docs *docs, const struct merge_report *conflicts,
		  struct skeleton *out, struct err *err)
{
	struct records_work work = {
		.base_count = docs->count, .out = out, .favored = docs->favored};
	int result;

	work.bases = mem_zalloc(docs->count, sizeof *work.bases);
	result = records_read(&work, &work.a, part_root(&docs->a), "ours", err);
	if (result == 0)
		result = records_read(&work, &work.b, part_root(&docs->b), "theirs", err);
	for (size_t i = 0; result == 0 && i < docs->count; i++)
		result = records_read(&work, &work.bases[i], part_root(&docs->bases[i]), NULL, err);
	if (result == 0) {
		records_merge_sides(&work);
		records_lay_out(&work);
		records_add_conflicts(&work, conflicts);
	}
	records_release(&work);
	return result;
}
