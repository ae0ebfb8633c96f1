#include "merge/merge_members.h"

#include "base/map.h"
#include "base/mem.h"
#include "merge/merge_value.h"

#include <stdlib.h>

/* A member of the result. */
struct member {
	struct slice name;
	struct versions versions;
	enum pick pick;
	struct slice text; /* what was composed */
	struct slice said; /* of a link: its ends and type; absent where it has none */
	struct part created;
};

struct members_work {
	struct arena arena;
	struct versions roots;
	enum members_rule rule;
	struct slice file;
	struct merge_report *report;
	struct member *list;
	size_t count;
	size_t cap;
};

/* Writes what both sides changed; the greater text stands in front, on whichever side it is. */
static void members_compose(struct members_work *work, struct member *member)
{
	struct versions v = versions_with_bases(&member->versions, &work->arena);
	bool a_wins = part_compare(v.a, v.b) > 0;
	CANON_AUTO nothing = {0};
	struct part none;
	STR_AUTO out = STR_INIT;

	canon_known(&nothing, slice_of("{}"));
	none = part_root(&nothing);
	if (v.count == 0) {
		v.bases = &none;
		v.count = 1;
	}
	struct json_writer w = json_writer_to(&out, &json_compact);
	if (work->rule == MEMBERS_WORDS && part_is(v.a, JSON_ARRAY) && part_is(v.b, JSON_ARRAY)) {
		value_merge_sets(&v, true, &work->arena, &w);
	} else if (value_merge(&v, a_wins, &work->arena, &w) && work->rule != MEMBERS_LINKS) {
		struct merge_conflict *conflict = merge_report_add(work->report);
		struct part loser = a_wins ? v.b : v.a;

		conflict->file = arena_copy(&work->report->arena, work->file);
		conflict->key = arena_copy(&work->report->arena, member->name);
		conflict->loser = arena_copy(&work->report->arena, part_text(loser));
		conflict->front = arena_copy(&work->report->arena, str_slice(&out));
	}
	member->text = arena_copy(&work->arena, str_slice(&out));
}

static void members_merge_one(struct members_work *work, struct slice name)
{
	struct member *member = MEM_ADD(work->list, work->count, work->cap);
	struct versions *v = &member->versions;

	*member = (struct member){.name = name};
	*v = versions_member(&work->roots, name, &work->arena);
	member->pick = versions_pick(v);
	if (member->pick != PICK_BOTH)
		return;
	if (!v->a.doc || !v->b.doc)
		member->pick = v->a.doc ? PICK_A : PICK_B;
	else if (work->rule == MEMBERS_GREATER)
		member->pick = part_compare(v->a, v->b) > 0 ? PICK_A : PICK_B;
	else
		members_compose(work, member);
}

/* ---- links that both added */

static void members_add_said(struct str *out, struct part link, const char *name)
{
	struct slice text = part_text(part_member(link, slice_of(name)));

	str_add(out, text.len ? text : slice_of("\"related\""));
}

/* What a link says; one that lacks an end says nothing that another could. */
static void members_read_link(struct members_work *work, struct member *member)
{
	struct part link = versions_part(&member->versions, member->pick);
	STR_AUTO said = STR_INIT;

	if (!part_member(link, slice_of("from")).doc || !part_member(link, slice_of("to")).doc)
		return;
	members_add_said(&said, link, "from");
	members_add_said(&said, link, "to");
	members_add_said(&said, link, "type");
	member->said = arena_copy(&work->arena, str_slice(&said));
	member->created = part_member(link, slice_of("created_at"));
}

static int members_by_age(const void *left, const void *right)
{
	const struct member *a = *(const struct member *const *)left;
	const struct member *b = *(const struct member *const *)right;
	int order = part_compare(a->created, b->created);

	return order ? order : slice_compare(a->name, b->name);
}

/* Is each on one side alone, and not on the same? */
static bool members_are_apart(const struct member *a, const struct member *b)
{
	bool a_ours = a->versions.a.doc && !a->versions.b.doc;
	bool a_theirs = a->versions.b.doc && !a->versions.a.doc;
	bool b_ours = b->versions.a.doc && !b->versions.b.doc;
	bool b_theirs = b->versions.b.doc && !b->versions.a.doc;

	return (a_ours && b_theirs) || (a_theirs && b_ours);
}

/* Of links that each side alone added and that say the same, the earlier stays. */
static void members_join_links(struct members_work *work)
{
	struct member **links = mem_zalloc(work->count, sizeof(struct member *));
	MAP_AUTO first = MAP_INIT;
	size_t count = 0;

	for (size_t i = 0; i < work->count; i++) {
		if (work->list[i].pick == PICK_A || work->list[i].pick == PICK_B)
			members_read_link(work, &work->list[i]);
		if (work->list[i].said.ptr)
			links[count++] = &work->list[i];
	}
	if (count)
		qsort(links, count, sizeof(struct member *), members_by_age);
	for (size_t i = 0; i < count; i++) {
		size_t at;

		if (!map_get(&first, links[i]->said, &at))
			map_put(&first, links[i]->said, i);
		else if (members_are_apart(links[at], links[i]))
			links[i]->pick = PICK_NONE;
	}
	free(links);
}

/* ---- the file */

static void members_lay_out(const struct member *member, struct skeleton *out)
{
	struct part part = versions_part(&member->versions, member->pick);

	if (member->pick == PICK_NONE && member->versions.a.doc)
		skeleton_remove(out, member->name);
	else if (member->pick == PICK_BOTH)
		skeleton_put(out, member->name, member->text);
	else if (member->pick == PICK_B)
		skeleton_put_part(out, member->name, part);
}

void members_merge(const struct merge_docs *docs, enum members_rule rule, struct slice file,
		   struct skeleton *out, struct merge_report *report)
{
	struct members_work work = {.rule = rule, .file = file, .report = report};

	work.roots = merge_docs_roots(docs, &work.arena);
	for (struct part m = part_first(work.roots.a); m.doc; m = part_next(m))
		members_merge_one(&work, part_name(m));
	for (struct part m = part_first(work.roots.b); m.doc; m = part_next(m)) {
		if (!part_member(work.roots.a, part_name(m)).doc)
			members_merge_one(&work, part_name(m));
	}
	if (rule == MEMBERS_LINKS)
		members_join_links(&work);
	for (size_t i = 0; i < work.count; i++)
		members_lay_out(&work.list[i], out);
	free(work.list);
	arena_release(&work.arena);
}
