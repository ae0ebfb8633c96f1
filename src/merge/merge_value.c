#include "merge/merge_value.h"

#include <assert.h>
#include <stdlib.h>

void part_write(struct part part, struct json_writer *w)
{
	json_write_value(w, &part.doc->json, part.node);
}

void canon_known(struct canon *out, struct slice text)
{
	struct json_fault fault;
	int result = canon_parse(out, text, &fault);

	assert(result == 0);
	(void)result;
}

bool versions_base_has(const struct versions *v, struct part part)
{
	for (size_t i = 0; i < v->count; i++) {
		if (part_same(v->bases[i], part))
			return true;
	}
	return false;
}

enum pick versions_pick(const struct versions *v)
{
	enum pick pick;
	bool a_old;
	bool b_old;

	if (part_same(v->a, v->b))
		return v->a.doc ? PICK_A : PICK_NONE;
	a_old = versions_base_has(v, v->a);
	b_old = versions_base_has(v, v->b);
	if (a_old != b_old)
		pick = a_old ? PICK_B : PICK_A;
	else if (v->favored != PICK_NONE)
		pick = v->favored;
	else if (a_old)
		pick = part_compare(v->a, v->b) > 0 ? PICK_A : PICK_B;
	else
		return PICK_BOTH;
	return versions_part(v, pick).doc ? pick : PICK_NONE;
}

struct versions versions_member(const struct versions *v, struct slice name, struct arena *arena)
{
	struct part *bases = arena_alloc(arena, v->count * sizeof *bases);

	for (size_t i = 0; i < v->count; i++)
		bases[i] = part_member(v->bases[i], name);
	return (struct versions){.bases = bases,
				 .count = v->count,
				 .a = part_member(v->a, name),
				 .b = part_member(v->b, name),
				 .favored = v->favored};
}

/* The same versions with those bases that are of a type. */
static struct versions versions_of_type(const struct versions *v, enum json_type type,
					struct arena *arena)
{
	struct part *bases = arena_alloc(arena, v->count * sizeof *bases);
	struct versions out = {.bases = bases, .a = v->a, .b = v->b};

	for (size_t i = 0; i < v->count; i++) {
		if (part_is(v->bases[i], type))
			bases[out.count++] = v->bases[i];
	}
	return out;
}

struct versions versions_with_bases(const struct versions *v, struct arena *arena)
{
	struct part *bases = arena_alloc(arena, v->count * sizeof *bases);
	struct versions out = {.bases = bases, .a = v->a, .b = v->b};

	for (size_t i = 0; i < v->count; i++) {
		if (v->bases[i].doc)
			bases[out.count++] = v->bases[i];
	}
	return out;
}

/* ---- sets: the elements of an array by their canonical texts */

struct elements {
	struct slice *list; /* sorted */
	size_t count;
};

static struct elements value_elements_of(struct part array, struct arena *arena)
{
	struct elements out = {0};

	if (!part_is(array, JSON_ARRAY))
		return out;
	out.list = arena_alloc(arena, part_count(array) * sizeof *out.list);
	for (struct part e = part_first(array); e.doc; e = part_next(e))
		out.list[out.count++] = part_text(e);
	if (out.count)
		qsort(out.list, out.count, sizeof *out.list, slice_compare_elements);
	return out;
}

static bool value_elements_have(const struct elements *elements, struct part part)
{
	struct slice text = part_text(part);

	return elements->count && bsearch(&text, elements->list, elements->count,
					  sizeof *elements->list, slice_compare_elements);
}

/* Two sides and their bases as sets. */
struct sets {
	struct elements a;
	struct elements b;
	struct elements *bases;
	size_t count;
};

/* Every base has it and a side lacks it. */
static bool value_sets_gone(const struct sets *sets, struct part part)
{
	for (size_t i = 0; i < sets->count; i++) {
		if (!value_elements_have(&sets->bases[i], part))
			return false;
	}
	return sets->count &&
	       !(value_elements_have(&sets->a, part) && value_elements_have(&sets->b, part));
}

static bool value_sets_keep(const struct sets *sets, struct part part)
{
	return (value_elements_have(&sets->a, part) || value_elements_have(&sets->b, part)) &&
	       !value_sets_gone(sets, part);
}

static int part_order(const void *left, const void *right)
{
	return part_compare(*(const struct part *)left, *(const struct part *)right);
}

/* Adds to the list the elements of a side that stay and are not among those written already. */
static void value_sets_collect(const struct sets *sets, const struct elements *written,
			       struct part side, struct part *list, size_t *count)
{
	for (struct part e = part_first(side); e.doc; e = part_next(e)) {
		if (value_sets_keep(sets, e) && !value_elements_have(written, e))
			list[(*count)++] = e;
	}
}

void value_merge_sets(const struct versions *v, bool base_first, struct arena *arena,
		      struct json_writer *w)
{
	struct versions arrays = versions_of_type(v, JSON_ARRAY, arena);
	struct sets sets = {value_elements_of(v->a, arena), value_elements_of(v->b, arena), NULL,
			    arrays.count};
	struct elements written = {0};
	struct part *added;
	size_t count = 0;

	sets.bases = arena_alloc(arena, arrays.count * sizeof *sets.bases);
	for (size_t i = 0; i < arrays.count; i++)
		sets.bases[i] = value_elements_of(arrays.bases[i], arena);
	json_write_array(w);
	if (base_first && arrays.count) {
		written = sets.bases[0];
		for (struct part e = part_first(arrays.bases[0]); e.doc; e = part_next(e)) {
			if (value_sets_keep(&sets, e))
				part_write(e, w);
		}
	}
	added = arena_alloc(arena, (sets.a.count + sets.b.count) * sizeof *added);
	value_sets_collect(&sets, &written, v->a, added, &count);
	value_sets_collect(&sets, &written, v->b, added, &count);
	if (count)
		qsort(added, count, sizeof *added, part_order);
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || !part_same(added[i - 1], added[i]))
			part_write(added[i], w);
	}
	json_write_end(w);
}

/* ---- values */

/* What an array adds to a beginning; none with *starts false when it does not begin with that. */
static struct part value_array_behind(struct part array, struct part beginning, bool *starts)
{
	struct part e = part_first(array);

	*starts = true;
	for (struct part o = part_first(beginning); o.doc; o = part_next(o), e = part_next(e)) {
		if (!e.doc || !part_same(e, o)) {
			*starts = false;
			return part_none();
		}
	}
	return e;
}

/* Writes the base and what both added, if the base is the beginning of both; else false. */
static bool value_array_extend(const struct versions *v, struct part base, bool a_wins,
			       struct json_writer *w, struct arena *arena)
{
	bool a_starts;
	bool b_starts;
	struct part a = value_array_behind(v->a, base, &a_starts);
	struct part b = value_array_behind(v->b, base, &b_starts);
	struct part older = a_wins ? b : a;
	struct part newer = a_wins ? a : b;
	struct slice *texts;
	struct elements have = {0};

	if (!a_starts || !b_starts)
		return false;
	json_write_array(w);
	for (struct part e = part_first(base); e.doc; e = part_next(e))
		part_write(e, w);
	texts = arena_alloc(arena, sizeof *texts * part_count(a_wins ? v->b : v->a));
	for (struct part e = older; e.doc; e = part_next(e)) {
		part_write(e, w);
		texts[have.count++] = part_text(e);
	}
	have.list = texts;
	if (have.count)
		qsort(texts, have.count, sizeof *texts, slice_compare_elements);
	for (struct part e = newer; e.doc; e = part_next(e)) {
		if (!value_elements_have(&have, e))
			part_write(e, w);
	}
	json_write_end(w);
	return true;
}

static bool value_array_merge(const struct versions *v, bool a_wins, struct arena *arena,
			      struct json_writer *w)
{
	for (size_t i = 0; i < v->count; i++) {
		if (part_is(v->bases[i], JSON_ARRAY) &&
		    value_array_extend(v, v->bases[i], a_wins, w, arena))
			return true;
	}
	return false;
}

/* One member of two objects; false when neither side lost anything. */
static bool value_member_merge(const struct versions *object, struct part member, bool a_wins,
			       struct arena *arena, struct json_writer *w)
{
	struct versions v = versions_member(object, part_name(member), arena);

	if (versions_pick(&v) == PICK_NONE)
		return false;
	json_write_name(w, part_name(member));
	return value_merge(&v, a_wins, arena, w);
}

static bool value_object_merge(const struct versions *v, bool a_wins, struct arena *arena,
			       struct json_writer *w)
{
	bool conflict = false;

	json_write_object(w);
	for (struct part m = part_first(v->a); m.doc; m = part_next(m))
		conflict |= value_member_merge(v, m, a_wins, arena, w);
	for (struct part m = part_first(v->b); m.doc; m = part_next(m)) {
		if (!part_member(v->a, part_name(m)).doc)
			conflict |= value_member_merge(v, m, a_wins, arena, w);
	}
	json_write_end(w);
	return conflict;
}

bool value_merge(const struct versions *v, bool a_wins, struct arena *arena, struct json_writer *w)
{
	enum pick pick = versions_pick(v);
	struct versions objects;

	assert(v->a.doc || v->b.doc);
	/* What one side changed and the other removed stays. */
	if (pick == PICK_BOTH && !(v->a.doc && v->b.doc))
		pick = v->a.doc ? PICK_A : PICK_B;
	if (pick != PICK_BOTH) {
		part_write(versions_part(v, pick), w);
		return false;
	}
	objects = versions_of_type(v, JSON_OBJECT, arena);
	if (part_is(v->a, JSON_OBJECT) && part_is(v->b, JSON_OBJECT) && objects.count)
		return value_object_merge(&objects, a_wins, arena, w);
	if (part_is(v->a, JSON_ARRAY) && part_is(v->b, JSON_ARRAY) &&
	    value_array_merge(v, a_wins, arena, w))
		return false;
	part_write(a_wins ? v->a : v->b, w);
	return true;
}
