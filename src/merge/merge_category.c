#include "merge/merge_category.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/time.h"
#include "merge/merge_conflict.h"
#include "merge/merge_entry.h"
#include "model/entry.h"
#include "text/normalize.h"

#include <stdlib.h>

/* One entry of the result. */
struct merged {
	struct slice a_key; /* how each side spells it; absent where it lacks it */
	struct slice b_key;
	struct slice key; /* in the result */
	struct versions versions;
	struct entry_merge merge;
	struct part moved; /* what followed the entry to its new name */
	bool left;         /* it did so from here */
	int64_t created_ms;
};

struct category_work {
	struct arena arena;
	struct versions roots;
	struct merged *list;
	size_t count;
	size_t cap;
	struct map by_key; /* in the result -> index */
};

static bool category_base_has(const struct category_work *work, struct slice key)
{
	for (size_t i = 0; i < work->roots.count; i++) {
		if (part_member(work->roots.bases[i], key).doc)
			return true;
	}
	return false;
}

static struct slice category_normal(struct category_work *work, struct slice key)
{
	STR_AUTO out = STR_INIT;

	normalize_key(key, &out);
	return arena_copy(&work->arena, str_slice(&out));
}

/* ---- one entry under two spellings */

/*
 * Normalised keys that only one side added, each with the node of its member; JSON_NONE where the
 * side has several, of which none is more the other's than the next.
 */
static void category_new_keys(struct category_work *work, struct part side, struct part other,
			      struct map *fresh)
{
	for (struct part m = part_first(side); m.doc; m = part_next(m)) {
		struct slice key = part_name(m);
		struct slice normal;

		if (category_base_has(work, key) || part_member(other, key).doc)
			continue;
		normal = category_normal(work, key);
		map_put(fresh, normal, map_get(fresh, normal, NULL) ? JSON_NONE : m.node);
	}
}

/* For each key that only ours added: the node of theirs that means the same. */
static void category_find_twins(struct category_work *work, struct map *twins)
{
	struct part a = work->roots.a;
	MAP_AUTO ours = MAP_INIT;
	MAP_AUTO theirs = MAP_INIT;

	category_new_keys(work, a, work->roots.b, &ours);
	category_new_keys(work, work->roots.b, a, &theirs);
	/* Keys that a base has are not mixed with new ones. */
	for (size_t i = 0; i < work->roots.count; i++) {
		for (struct part m = part_first(work->roots.bases[i]); m.doc; m = part_next(m))
			map_put(&ours, category_normal(work, part_name(m)), JSON_NONE);
	}
	for (struct part m = part_first(a); m.doc; m = part_next(m)) {
		struct slice normal = category_normal(work, part_name(m));
		size_t our_node;
		size_t their_node;

		if (map_get(&ours, normal, &our_node) && our_node == m.node &&
		    map_get(&theirs, normal, &their_node) && their_node != JSON_NONE)
			map_put(twins, part_name(m), their_node);
	}
}

/* ---- entries */

static void category_merge_one(struct category_work *work, struct slice a_key, struct slice b_key,
			       size_t entry_bytes)
{
	struct slice key = a_key.ptr ? a_key : b_key;
	struct merged *one = MEM_ADD(work->list, work->count, work->cap);
	struct entry_merge *merge = &one->merge;

	*one = (struct merged){.a_key = a_key, .b_key = b_key, .key = key};
	one->versions = versions_member(&work->roots, key, &work->arena);
	one->versions.a = a_key.ptr ? part_member(work->roots.a, a_key) : part_none();
	one->versions.b = b_key.ptr ? part_member(work->roots.b, b_key) : part_none();
	*merge = entry_merge(&one->versions, entry_bytes, &work->arena);
	if (a_key.ptr && b_key.ptr && !slice_equal(a_key, b_key)) {
		/* Spelt as the winner; two that say the same, as the one that sorts first. */
		bool ours = part_same(one->versions.a, one->versions.b)
				    ? slice_compare(a_key, b_key) < 0
				    : merge->a_wins;

		one->key = ours ? a_key : b_key;
	}
	if (merge->pick != PICK_NONE)
		map_put(&work->by_key, one->key, work->count - 1);
}

static void category_merge_all(struct category_work *work, size_t entry_bytes)
{
	MAP_AUTO twins = MAP_INIT;
	MAP_AUTO taken = MAP_INIT;

	category_find_twins(work, &twins);
	for (struct part m = part_first(work->roots.a); m.doc; m = part_next(m)) {
		struct slice key = part_name(m);
		struct slice theirs = part_member(work->roots.b, key).doc ? key : slice_of(NULL);
		size_t node;

		if (!theirs.ptr && map_get(&twins, key, &node)) {
			theirs = part_name((struct part){work->roots.b.doc, (uint32_t)node});
			map_put(&taken, theirs, 0);
		}
		category_merge_one(work, key, theirs, entry_bytes);
	}
	for (struct part m = part_first(work->roots.b); m.doc; m = part_next(m)) {
		struct slice key = part_name(m);

		if (!part_member(work->roots.a, key).doc && !map_get(&taken, key, NULL))
			category_merge_one(work, slice_of(NULL), key, entry_bytes);
	}
}

/* ---- renames */

/* The new keys of a side by their texts. */
struct new_texts {
	struct map by_text; /* canonical -> node; JSON_ROOT when there are several */
};

static void category_new_texts(struct part side, struct part other, struct part base,
			       struct new_texts *out)
{
	for (struct part m = part_first(side); m.doc; m = part_next(m)) {
		struct slice key = part_name(m);

		if (part_member(base, key).doc || part_member(other, key).doc)
			continue;
		map_put(&out->by_text, part_text(m),
			map_get(&out->by_text, part_text(m), NULL) ? JSON_ROOT : m.node);
	}
}

static struct merged *category_result(struct category_work *work, struct slice key)
{
	size_t at;

	return map_get(&work->by_key, key, &at) ? &work->list[at] : NULL;
}

/* The change that the other side made to `from` goes to the name that the entry has now. */
static bool category_follow(struct category_work *work, struct slice from, struct slice to,
			    struct part changed)
{
	struct merged *source = category_result(work, from);
	struct merged *target = category_result(work, to);

	if (!source || !target || source->merge.pick == PICK_BOTH || source->left ||
	    target->moved.doc ||
	    !part_same(versions_part(&source->versions, source->merge.pick), changed))
		return false;
	target->moved = changed;
	source->left = true;
	return true;
}

/*
 * What `side` renamed and `other` changed. Where the other has renamed it, too, what stands there
 * under the old name is another entry.
 */
static size_t category_renames(struct category_work *work, struct part side, struct part other)
{
	struct part base = work->roots.bases[0];
	struct new_texts fresh = {MAP_INIT};
	struct new_texts others = {MAP_INIT};
	size_t followed = 0;

	category_new_texts(side, other, base, &fresh);
	category_new_texts(other, side, base, &others);
	for (struct part m = part_first(base); m.doc; m = part_next(m)) {
		struct slice key = part_name(m);
		struct part changed = part_member(other, key);
		size_t node;

		if (part_member(side, key).doc || !changed.doc || part_same(changed, m) ||
		    !map_get(&fresh.by_text, part_text(m), &node) || node == JSON_ROOT ||
		    map_get(&others.by_text, part_text(m), NULL))
			continue;
		followed += category_follow(
			work, key, part_name((struct part){side.doc, (uint32_t)node}), changed);
	}
	map_release(&fresh.by_text);
	map_release(&others.by_text);
	return followed;
}

/* ---- what lost */

/* The entry's compact text with one more that lost to it, in the arena. */
static struct slice category_attach(struct category_work *work, struct part entry,
				    struct part loser)
{
	bool bare = entry_is_bare(entry);
	struct part list = bare ? part_none() : part_member(entry, slice_of(ENTRY_CONFLICT));
	STR_AUTO out = STR_INIT;
	bool there = false;
	struct json_writer w = json_writer_to(&out, &json_compact);

	json_write_object(&w);
	if (bare)
		json_write_member_value(&w, "value", &entry.doc->json, entry.node);
	for (struct part m = bare ? part_none() : part_first(entry); m.doc; m = part_next(m)) {
		if (slice_is(part_name(m), ENTRY_CONFLICT))
			continue;
		json_write_name(&w, part_name(m));
		part_write(m, &w);
	}
	json_write_member_array(&w, ENTRY_CONFLICT);
	if (list.doc && !part_is(list, JSON_ARRAY))
		part_write(list, &w); /* a person's own member of that name */
	for (struct part e = part_is(list, JSON_ARRAY) ? part_first(list) : part_none(); e.doc;
	     e = part_next(e)) {
		/* In the order that a merge of two such lists has, whoever comes first. */
		if (!there && part_compare(loser, e) <= 0) {
			part_write(loser, &w);
			there = true;
		}
		if (!part_same(e, loser))
			part_write(e, &w);
	}
	if (!there)
		part_write(loser, &w);
	json_write_end(&w);
	json_write_end(&w);
	return arena_copy(&work->arena, str_slice(&out));
}

/* Reports what lost, and keeps it in its entry where that is wanted. */
static void category_keep_loser(struct category_work *work, struct merged *one, struct slice file,
				bool in_entry, struct merge_report *report)
{
	CANON_AUTO front = {0};
	CANON_AUTO lost = {0};
	struct part part = versions_part(&one->versions, one->merge.pick);

	canon_known(&front, one->merge.pick == PICK_BOTH ? one->merge.text
							 : json_text(&part.doc->json, part.node));
	canon_known(&lost, one->merge.loser);
	conflict_report(report, file, one->key, part_root(&front), part_root(&lost));
	if (in_entry) {
		one->merge.text = category_attach(work, part_root(&front), part_root(&lost));
		one->merge.pick = PICK_BOTH;
	}
}

/* ---- the file */

static void category_put(struct skeleton *out, const struct merged *one)
{
	struct part part = one->moved.doc ? one->moved
					  : versions_part(&one->versions, one->merge.pick);

	if (part.doc)
		skeleton_put_part(out, one->key, part);
	else
		skeleton_put(out, one->key, one->merge.text);
}

/* What stands in the skeleton already: it stays, changes or goes. True for what is yet to come. */
static bool category_in_place(struct skeleton *out, const struct merged *one)
{
	bool there = one->merge.pick != PICK_NONE && !one->left;

	if (one->a_key.ptr && (!there || !slice_equal(one->key, one->a_key)))
		skeleton_remove(out, one->a_key);
	else if (one->a_key.ptr && (one->merge.pick != PICK_A || one->moved.doc))
		category_put(out, one);
	return there && !(one->a_key.ptr && slice_equal(one->key, one->a_key));
}

static int category_order(const void *left, const void *right)
{
	const struct merged *a = *(const struct merged *const *)left;
	const struct merged *b = *(const struct merged *const *)right;

	if (a->created_ms != b->created_ms)
		return a->created_ms < b->created_ms ? -1 : 1;
	return slice_compare(a->key, b->key);
}

/* What is in the skeleton keeps its place; what is new comes behind it, oldest first. */
static void category_lay_out(struct category_work *work, struct skeleton *out)
{
	struct merged **fresh = mem_zalloc(work->count, sizeof(struct merged *));
	size_t count = 0;

	for (size_t i = 0; i < work->count; i++) {
		struct merged *one = &work->list[i];
		struct part part = one->versions.b.doc ? one->versions.b : one->versions.a;
		struct part created = part_member(part, slice_of("created_at"));

		if (!category_in_place(out, one))
			continue;
		one->created_ms = created.doc ? entry_time(&created.doc->json, created.node)
					      : TIME_NONE;
		fresh[count++] = one;
	}
	if (count)
		qsort(fresh, count, sizeof(struct merged *), category_order);
	for (size_t i = 0; i < count; i++)
		category_put(out, fresh[i]);
	free(fresh);
}

void category_merge(const struct merge_docs *docs, struct slice file,
		    const struct merge_options *options, struct skeleton *out,
		    struct merge_report *report)
{
	struct category_work work = {0};

	work.roots = merge_docs_roots(docs, &work.arena);
	category_merge_all(&work, options->entry_bytes);
	/* With several bases it is not known which side's name came first. */
	if (work.roots.count == 1 && work.roots.favored == PICK_NONE) {
		report->renames += category_renames(&work, work.roots.a, work.roots.b);
		report->renames += category_renames(&work, work.roots.b, work.roots.a);
	}
	for (size_t i = 0; i < work.count; i++) {
		if (work.list[i].merge.loser.ptr)
			category_keep_loser(&work, &work.list[i], file, options->in_entry, report);
	}
	category_lay_out(&work, out);
	map_release(&work.by_key);
	free(work.list);
	arena_release(&work.arena);
}
