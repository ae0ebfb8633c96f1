#include "merge/merge_entry.h"

#include "base/time.h"
#include "model/entry.h"

/* How a member is merged that both sides have changed. */
enum member_rule {
	RULE_WINNER,
	RULE_VALUE,
	RULE_LATER,
	RULE_EARLIER,
	RULE_SET,
	RULE_MOST,
	RULE_ANY
};

static const struct rule {
	const char *name;
	enum member_rule rule;
	bool bookkeeping; /* a change of it alone does not outlive a removal */
} rules[] = {
	{"value", RULE_VALUE, false},       {"meta", RULE_VALUE, false},
	{"last_updated", RULE_LATER, true}, {"updated", RULE_LATER, true},
	{"accessed_at", RULE_LATER, true},  {"accessed", RULE_LATER, true},
	{"last_used", RULE_LATER, true},    {"created_at", RULE_EARLIER, false},
	{"created", RULE_EARLIER, false},   {"tags", RULE_SET, false},
	{"entities", RULE_SET, false},      {"merged_from", RULE_SET, false},
	{ENTRY_CONFLICT, RULE_SET, false},  {"strength", RULE_MOST, true},
	{"hits", RULE_MOST, true},          {"uses", RULE_MOST, true},
	{"pinned", RULE_ANY, false},        {NULL, RULE_WINNER, false}, /* any other */
};

/* An entry being merged. */
struct entry_work {
	struct versions there; /* without the bases that lack the entry */
	bool a_wins;
	bool bare; /* the result is the value alone */
	struct arena *arena;
};

static const struct rule *entry_rule(struct slice name)
{
	size_t i = 0;

	while (rules[i].name && !slice_is(name, rules[i].name))
		i++;
	return &rules[i];
}

/* ---- entries that may be the value alone */

bool entry_is_bare(struct part entry)
{
	return entry.doc && !part_member(entry, slice_of("value")).doc;
}

struct part entry_value(struct part entry)
{
	return entry_is_bare(entry) ? entry : part_member(entry, slice_of("value"));
}

static struct part entry_part(struct part entry, struct slice name)
{
	if (!entry_is_bare(entry))
		return part_member(entry, name);
	return slice_is(name, "value") ? entry : part_none();
}

/* When an entry was last written, by its own members. */
struct stamp {
	struct slice text; /* as it stands, in the document or an arena; empty when it says none */
	int64_t ms;        /* TIME_NONE when that is no time */
};

static struct stamp entry_stamp_of(struct part part, struct arena *arena)
{
	struct stamp stamp = {slice_make("", 0), TIME_NONE};
	STR_AUTO scratch = STR_INIT;

	if (part_is(part, JSON_STRING))
		stamp.text = part_string(part, &scratch);
	else if (part_is(part, JSON_NUMBER))
		stamp.text = part_text(part);
	else
		return stamp;
	/* Without escapes it stays where it is in the document. */
	if (part.doc->json.nodes[part.node].escaped)
		stamp.text = arena_copy(arena, stamp.text);
	stamp.ms = entry_time(&part.doc->json, part.node);
	return stamp;
}

static struct stamp entry_stamp(struct part entry, struct arena *arena)
{
	static const char *const names[] = {"last_updated", "updated", "created_at", "created"};
	struct stamp stamp = {slice_make("", 0), TIME_NONE};

	for (size_t i = 0; stamp.text.len == 0 && i < sizeof names / sizeof *names; i++)
		stamp = entry_stamp_of(entry_part(entry, slice_of(names[i])), arena);
	return stamp;
}

/* The order of two times: by what they mean, then by text; <0, 0, >0. */
static int entry_compare_stamps(const struct stamp *a, const struct stamp *b)
{
	if (a->ms != b->ms)
		return a->ms < b->ms ? -1 : 1;
	return slice_compare(a->text, b->text);
}

struct slice entry_later_time(struct part a, struct part b, struct arena *arena)
{
	struct stamp first = entry_stamp(a, arena);
	struct stamp second = entry_stamp(b, arena);

	return arena_copy(arena,
			  entry_compare_stamps(&second, &first) > 0 ? second.text : first.text);
}

/* ---- which side goes first */

/* A person who edits a file changes a text and leaves the times as they are. */
static bool entry_by_hand(const struct versions *v, struct part entry, const struct stamp *stamp,
			  struct arena *arena)
{
	bool known_time = stamp->text.len == 0;

	for (size_t i = 0; i < v->count; i++) {
		struct stamp before;

		if (!v->bases[i].doc)
			continue;
		if (part_same(entry_value(v->bases[i]), entry_value(entry)))
			return false;
		before = entry_stamp(v->bases[i], arena);
		known_time |= slice_equal(before.text, stamp->text);
	}
	return known_time;
}

bool entry_ranks_before(const struct versions *v)
{
	ARENA_AUTO arena = ARENA_INIT;
	struct stamp a = entry_stamp(v->a, &arena);
	struct stamp b = entry_stamp(v->b, &arena);
	bool a_hand = entry_by_hand(v, v->a, &a, &arena);
	bool b_hand = entry_by_hand(v, v->b, &b, &arena);
	int order = entry_compare_stamps(&a, &b);

	if (a_hand != b_hand)
		return a_hand;
	return order ? order > 0 : part_compare(v->a, v->b) > 0;
}

/* ---- one side removed it */

/* Is all that one entry says, but for bookkeeping, said by the other? */
static bool entry_is_said_by(struct part entry, struct part other)
{
	if (entry_is_bare(entry))
		return part_same(entry, entry_value(other));
	for (struct part m = part_first(entry); m.doc; m = part_next(m)) {
		if (!entry_rule(part_name(m))->bookkeeping &&
		    !part_same(m, entry_part(other, part_name(m))))
			return false;
	}
	return true;
}

/* Has a side that kept the entry done nothing but bookkeeping since one of the bases? */
static bool entry_only_kept(const struct versions *v, struct part entry)
{
	for (size_t i = 0; i < v->count; i++) {
		if (v->bases[i].doc && entry_is_said_by(entry, v->bases[i]) &&
		    entry_is_said_by(v->bases[i], entry))
			return true;
	}
	return false;
}

/* ---- both changed it */

static bool entry_truthy(struct part part)
{
	struct slice text = part_text(part);

	return text.len && !slice_is(text, "false") && !slice_is(text, "null") &&
	       !slice_is(text, "0") && !slice_is(text, "\"\"");
}

/* The later of two times, the greater of two numbers; of equal ones the greater text. */
static struct part entry_greater(struct part a, struct part b, bool times, struct arena *arena)
{
	double left;
	double right;

	if (times) {
		struct stamp first = entry_stamp_of(a, arena);
		struct stamp second = entry_stamp_of(b, arena);
		int order = entry_compare_stamps(&first, &second);

		if (order != 0)
			return order > 0 ? a : b;
	} else if (json_double(&a.doc->json, a.node, &left) &&
		   json_double(&b.doc->json, b.node, &right) && left != right) {
		return left > right ? a : b;
	}
	return part_compare(a, b) > 0 ? a : b;
}

/* Writes a member that is there on both sides and that both have changed; true for a conflict. */
static bool entry_write_both(const struct entry_work *work, const struct versions *v,
			     struct slice name, struct json_writer *w)
{
	enum member_rule rule = entry_rule(name)->rule;
	struct versions there = versions_with_bases(v, work->arena);
	struct part winner = work->a_wins ? v->a : v->b;
	struct part greater;

	switch (rule) {
	case RULE_VALUE:
		return value_merge(&there, work->a_wins, work->arena, w);
	case RULE_SET:
		if (!part_is(v->a, JSON_ARRAY) || !part_is(v->b, JSON_ARRAY))
			break;
		/* What lost is a set that nobody has written: its order is the same everywhere. */
		value_merge_sets(&there, !slice_is(name, ENTRY_CONFLICT), work->arena, w);
		return false;
	case RULE_LATER:
	case RULE_EARLIER:
		greater = entry_greater(v->a, v->b, true, work->arena);
		part_write((rule == RULE_LATER) == part_same(greater, v->a) ? v->a : v->b, w);
		return false;
	case RULE_MOST:
		if (!part_is(v->a, JSON_NUMBER) || !part_is(v->b, JSON_NUMBER))
			break;
		part_write(entry_greater(v->a, v->b, false, work->arena), w);
		return false;
	case RULE_ANY:
		json_write_bool(w, entry_truthy(v->a) || entry_truthy(v->b));
		return false;
	case RULE_WINNER:
		break;
	}
	part_write(winner, w);
	return true;
}

/* Writes one member of the result, if it is to have that; true for a conflict. */
static bool entry_write_member(const struct entry_work *work, struct slice name,
			       struct json_writer *w)
{
	const struct versions *there = &work->there;
	/* Without a base, assume an empty one: a member on one side only is unchanged. */
	struct part none = part_none();
	struct part *bases = arena_alloc(work->arena, (there->count + 1) * sizeof *bases);
	struct versions v = {.bases = bases, .count = there->count};
	enum pick pick;

	for (size_t i = 0; i < there->count; i++)
		bases[i] = entry_part(there->bases[i], name);
	if (v.count == 0)
		bases[v.count++] = none;
	v.a = entry_part(there->a, name);
	v.b = entry_part(there->b, name);
	pick = versions_pick(&v);
	if (pick == PICK_NONE)
		return false;
	if (pick == PICK_BOTH && !(v.a.doc && v.b.doc))
		pick = v.a.doc ? PICK_A : PICK_B;
	if (!work->bare)
		json_write_name(w, name);
	if (pick == PICK_BOTH)
		return entry_write_both(work, &v, name, w);
	part_write(versions_part(&v, pick), w);
	return false;
}

/* Writes all members of both sides; true for a conflict. */
static bool entry_write(const struct entry_work *work, struct str *out)
{
	struct part a = work->there.a;
	struct part b = work->there.b;
	bool conflict = false;
	struct json_writer w = json_writer_to(out, &json_compact);

	if (work->bare)
		return entry_write_member(work, slice_of("value"), &w);
	json_write_object(&w);
	if (entry_is_bare(a))
		conflict |= entry_write_member(work, slice_of("value"), &w);
	for (struct part m = entry_is_bare(a) ? part_none() : part_first(a); m.doc;
	     m = part_next(m))
		conflict |= entry_write_member(work, part_name(m), &w);
	for (struct part m = entry_is_bare(b) ? part_none() : part_first(b); m.doc;
	     m = part_next(m)) {
		if (!entry_part(a, part_name(m)).doc)
			conflict |= entry_write_member(work, part_name(m), &w);
	}
	json_write_end(&w);
	return conflict;
}

/* The whole entry that lost, without those that had lost to it before. */
static struct slice entry_loser(struct part entry, struct arena *arena)
{
	STR_AUTO out = STR_INIT;
	struct json_writer w = json_writer_to(&out, &json_compact);

	json_write_object(&w);
	if (entry_is_bare(entry)) {
		json_write_name(&w, slice_of("value"));
		part_write(entry, &w);
	}
	for (struct part m = entry_is_bare(entry) ? part_none() : part_first(entry); m.doc;
	     m = part_next(m)) {
		if (slice_is(part_name(m), ENTRY_CONFLICT))
			continue;
		json_write_name(&w, part_name(m));
		part_write(m, &w);
	}
	json_write_end(&w);
	return arena_copy(arena, str_slice(&out));
}

/* What was composed is often as one side has it: then it stays as that side wrote it. */
static enum pick entry_recognise(const struct versions *v, struct slice text)
{
	CANON_AUTO composed = {0};
	enum pick pick = PICK_BOTH;

	canon_known(&composed, text);
	if (part_same(part_root(&composed), v->a))
		pick = PICK_A;
	else if (part_same(part_root(&composed), v->b))
		pick = PICK_B;
	return pick;
}

static void entry_compose_both(struct entry_merge *out, const struct entry_work *work,
			       size_t entry_bytes)
{
	struct part winner = work->a_wins ? work->there.a : work->there.b;
	struct part loser = work->a_wins ? work->there.b : work->there.a;
	STR_AUTO text = STR_INIT;
	bool conflict = entry_write(work, &text);

	out->pick = entry_recognise(&work->there, str_slice(&text));
	if (out->pick == PICK_BOTH && entry_bytes && entry_size(str_slice(&text)) > entry_bytes) {
		out->pick = part_same(winner, work->there.a) ? PICK_A : PICK_B;
		conflict = true;
	}
	if (out->pick == PICK_BOTH)
		out->text = arena_copy(work->arena, str_slice(&text));
	if (conflict)
		out->loser = entry_loser(loser, work->arena);
}

struct entry_merge entry_merge(const struct versions *v, size_t entry_bytes, struct arena *arena)
{
	struct entry_merge out = {.pick = versions_pick(v), .a_wins = v->favored != PICK_B};
	struct entry_work work = {.there = versions_with_bases(v, arena), .arena = arena};

	if (out.pick != PICK_BOTH)
		return out;
	if (!v->a.doc || !v->b.doc) {
		struct part kept = v->a.doc ? v->a : v->b;

		out.pick = v->a.doc ? PICK_A : PICK_B;
		if (entry_only_kept(v, kept))
			out.pick = PICK_NONE;
		return out;
	}
	work.a_wins = out.a_wins = entry_ranks_before(v);
	work.bare = entry_is_bare(v->a) && entry_is_bare(v->b);
	entry_compose_both(&out, &work, entry_bytes);
	return out;
}
