/*
 * Replays the rules of what maintenance may do: each function is for the file of cases of its name.
 */
#include "replay/golden.h"

#include "base/arena.h"
#include "base/time.h"
#include "json/write.h"
#include "model/combine.h"
#include "policy/consolidation.h"
#include "policy/salience.h"

#include <math.h>

/* A number of the case; fallback where it is not given. */
static double number_of(const struct json *doc, uint32_t object, const char *name, double fallback)
{
	double number;

	return golden_number(doc, object, name, &number) ? number : fallback;
}

enum golden_outcome replay_salience(const struct json *doc, uint32_t node, struct str *why)
{
	static const char *const members[] = {"age_days",  "bytes",       "hits",
					      "idle_days", "?importance", NULL};
	uint32_t in = json_member(doc, node, "in");
	struct salience_facts facts;

	if (!golden_has_members(doc, in, members, why))
		return GOLDEN_UNKNOWN_FORM;
	facts = (struct salience_facts){
		.age_days = number_of(doc, in, "age_days", 0),
		.idle_days = number_of(doc, in, "idle_days", 0),
		.importance = number_of(doc, in, "importance", IMPORTANCE_UNSET),
		.bytes = (int64_t)number_of(doc, in, "bytes", 0),
		.hits = (int64_t)number_of(doc, in, "hits", 0),
	};
	return golden_compare_number(doc, json_member(doc, node, "out"), salience_score(&facts),
				     &golden_usual, why);
}

static bool is_true(const struct json *doc, uint32_t object, const char *name)
{
	uint32_t node = json_member(doc, object, name);
	bool value = false;

	return node != JSON_NONE && json_bool(doc, node, &value) && value;
}

static struct slice text_of(const struct json *doc, uint32_t object, const char *name,
			    struct str *scratch)
{
	uint32_t node = json_member(doc, object, name);

	return node == JSON_NONE ? slice_of(NULL) : json_string(doc, node, scratch);
}

enum golden_outcome replay_protection(const struct json *doc, uint32_t node, struct str *why)
{
	static const char *const members[] = {"category",    "age_days", "hits",
					      "?importance", "?source",  "?promoted",
					      "?pinned",     "?status",  NULL};
	uint32_t in = json_member(doc, node, "in");
	STR_AUTO category = STR_INIT;
	STR_AUTO source = STR_INIT;
	STR_AUTO status = STR_INIT;
	enum protection protection;
	struct entry entry;
	int found;
	bool want;

	if (!golden_has_members(doc, in, members, why))
		return GOLDEN_UNKNOWN_FORM;
	found = category_find(text_of(doc, in, "category", &category));
	if (found == CATEGORY_ANY || !json_bool(doc, json_member(doc, node, "out"), &want))
		return golden_unknown_form(why, "no category, or out is no boolean");
	entry = (struct entry){
		.category = (enum category)found,
		.pinned = is_true(doc, in, "pinned"),
		.promoted = is_true(doc, in, "promoted") ||
			    slice_is(text_of(doc, in, "status", &status), "promoted"),
		.importance = number_of(doc, in, "importance", IMPORTANCE_UNSET),
		.source = text_of(doc, in, "source", &source),
	};
	protection = protect_reason(
		&entry, (int64_t)number_of(doc, in, "hits", 0),
		(int64_t)floor(number_of(doc, in, "age_days", 0) * (double)MS_PER_DAY));
	if ((protection != PROTECTION_NONE) == want)
		return GOLDEN_PASSED;
	str_printf(why, "expected %s, got \"%s\"", want ? "protected" : "free",
		   protection_text(protection));
	return GOLDEN_WRONG;
}

enum golden_outcome replay_drift_level(const struct json *doc, uint32_t node, struct str *why)
{
	double similarity;

	if (!json_double(doc, json_member(doc, node, "in"), &similarity))
		return golden_unknown_form(why, "in is no number");
	return golden_compare_text(doc, json_member(doc, node, "out"),
				   slice_of(drift_level(similarity)), why);
}

enum golden_outcome replay_pattern_confidence(const struct json *doc, uint32_t node,
					      struct str *why)
{
	static const char *const members[] = {"coherence", "size", "alignment", NULL};
	static const struct golden_tolerance single = {1e-6, 1e-6};
	uint32_t in = json_member(doc, node, "in");

	if (!golden_has_members(doc, in, members, why))
		return GOLDEN_UNKNOWN_FORM;
	/* The cases were computed in single precision. */
	return golden_compare_number(doc, json_member(doc, node, "out"),
				     pattern_confidence(number_of(doc, in, "coherence", 0),
							(size_t)number_of(doc, in, "size", 1),
							number_of(doc, in, "alignment", 0)),
				     &single, why);
}

/* The texts, or JSON texts, of a list. */
static struct slice *list_of(const struct json *doc, uint32_t list, struct arena *arena,
			     size_t *count)
{
	struct slice *out = arena_alloc(arena, (doc->nodes[list].count + 1) * sizeof *out);
	STR_AUTO scratch = STR_INIT;

	*count = 0;
	for (uint32_t n = json_first(doc, list); n != JSON_NONE; n = json_next(doc, n))
		out[(*count)++] = json_type(doc, n) == JSON_STRING
					  ? arena_copy(arena, json_string(doc, n, &scratch))
					  : json_text(doc, n);
	return out;
}

enum golden_outcome replay_merge_content(const struct json *doc, uint32_t node, struct str *why)
{
	uint32_t in = json_member(doc, node, "in");
	struct arena arena = ARENA_INIT;
	enum golden_outcome outcome;
	STR_AUTO joined = STR_INIT;
	struct slice *texts;
	size_t count;

	if (json_type(doc, in) != JSON_ARRAY)
		return golden_unknown_form(why, "in is no list");
	texts = list_of(doc, in, &arena, &count);
	combine_texts(texts, count, &joined);
	outcome = golden_compare_text(doc, json_member(doc, node, "out"), str_slice(&joined), why);
	arena_release(&arena);
	return outcome;
}

enum golden_outcome replay_merge_strength(const struct json *doc, uint32_t node, struct str *why)
{
	static const char *const members[] = {"strengths", "cohesion", NULL};
	uint32_t in = json_member(doc, node, "in");
	struct arena arena = ARENA_INIT;
	enum golden_outcome outcome;
	double *strengths;
	size_t count = 0;
	uint32_t list;

	if (!golden_has_members(doc, in, members, why))
		return GOLDEN_UNKNOWN_FORM;
	list = json_member(doc, in, "strengths");
	strengths = arena_alloc(&arena, (doc->nodes[list].count + 1) * sizeof *strengths);
	for (uint32_t n = json_first(doc, list); n != JSON_NONE; n = json_next(doc, n))
		count += json_double(doc, n, &strengths[count]);
	outcome = golden_compare_number(
		doc, json_member(doc, node, "out"),
		combine_strength(strengths, count, number_of(doc, in, "cohesion", 0)),
		&golden_usual, why);
	arena_release(&arena);
	return outcome;
}

/* The entry of a case as it would stand in a file. */
static struct combine_part part_of(const struct json *doc, uint32_t node, size_t number,
				   struct arena *arena)
{
	static const char *const copied[] = {"value", "tags", "entities", "strength"};
	STR_AUTO text = STR_INIT;
	struct json_writer w = json_writer_to(&text, &json_compact);

	json_write_object(&w);
	for (size_t i = 0; i < sizeof copied / sizeof copied[0]; i++) {
		uint32_t member = json_member(doc, node, copied[i]);

		if (member == JSON_NONE)
			continue;
		json_write_name(&w, slice_of(copied[i]));
		json_write_value(&w, doc, member);
	}
	json_write_end(&w);
	return (struct combine_part){
		.ref = slice_make(&"0123456789abcdefghijklmnopqrstuvwxyz"[number % 36], 1),
		.text = arena_copy(arena, str_slice(&text)),
		.created_ms = (int64_t)(number_of(doc, node, "created_s", 0) * 1000),
		.updated_ms = TIME_NONE,
	};
}

/* Do two lists hold the same texts, in whatever order? */
static bool same_set(const struct json *a, uint32_t list_a, const struct json *b, uint32_t list_b)
{
	if (a->nodes[list_a].count != b->nodes[list_b].count)
		return false;
	for (uint32_t n = json_first(a, list_a); n != JSON_NONE; n = json_next(a, n)) {
		uint32_t m = json_first(b, list_b);

		while (m != JSON_NONE && !json_equal(a, n, b, m))
			m = json_next(b, m);
		if (m == JSON_NONE)
			return false;
	}
	return true;
}

static enum golden_outcome compare_merged(const struct json *doc, uint32_t want,
					  const struct json *got, struct str *why)
{
	static const char *const sets[] = {"tags", "entities"};
	enum golden_outcome outcome = golden_compare(doc, json_member(doc, want, "value"), got,
						     json_member(got, JSON_ROOT, "value"), why);

	for (size_t i = 0; i < 2 && outcome == GOLDEN_PASSED; i++) {
		uint32_t expected = json_member(doc, want, sets[i]);

		if (!same_set(doc, expected, got, json_member(got, JSON_ROOT, sets[i])))
			outcome = golden_compare(doc, expected, got,
						 json_member(got, JSON_ROOT, sets[i]), why);
	}
	if (outcome == GOLDEN_PASSED)
		outcome = golden_compare_number(doc, json_member(doc, want, "strength"),
						number_of(got, JSON_ROOT, "strength", 1),
						&golden_usual, why);
	if (outcome == GOLDEN_PASSED)
		outcome = golden_compare_number(
			doc, json_member(doc, want, "created_s"),
			(double)entry_time(got, json_member(got, JSON_ROOT, "created_at")) / 1000,
			&golden_usual, why);
	return outcome;
}

/* Uses add up, and the last of them is the latest: they are not in the entry's text. */
static enum golden_outcome compare_use(const struct json *doc, uint32_t entries, uint32_t want,
				       struct str *why)
{
	double last_used_s = 0;
	double uses = 0;

	for (uint32_t n = json_first(doc, entries); n != JSON_NONE; n = json_next(doc, n)) {
		uses += number_of(doc, n, "uses", 0);
		last_used_s = fmax(last_used_s, number_of(doc, n, "last_used_s", 0));
	}
	if (golden_compare_number(doc, json_member(doc, want, "uses"), uses, &golden_usual, why) !=
	    GOLDEN_PASSED)
		return GOLDEN_WRONG;
	return golden_compare_number(doc, json_member(doc, want, "last_used_s"), last_used_s,
				     &golden_usual, why);
}

enum golden_outcome replay_merge_entries(const struct json *doc, uint32_t node, struct str *why)
{
	static const char *const members[] = {"entries", "cohesion", NULL};
	uint32_t in = json_member(doc, node, "in");
	uint32_t want = json_member(doc, node, "out");
	struct arena arena = ARENA_INIT;
	struct combine_part *parts;
	enum golden_outcome outcome;
	STR_AUTO value = STR_INIT;
	STR_AUTO text = STR_INIT;
	struct json_fault fault;
	struct slice *values;
	struct json got = {0};
	size_t count = 0;
	uint32_t entries;

	if (!golden_has_members(doc, in, members, why))
		return GOLDEN_UNKNOWN_FORM;
	entries = json_member(doc, in, "entries");
	parts = arena_alloc(&arena, (doc->nodes[entries].count + 1) * sizeof *parts);
	values = arena_alloc(&arena, (doc->nodes[entries].count + 1) * sizeof *values);
	for (uint32_t n = json_first(doc, entries); n != JSON_NONE; n = json_next(doc, n)) {
		values[count] = json_text(doc, json_member(doc, n, "value"));
		parts[count] = part_of(doc, n, count, &arena);
		count++;
	}
	if (combine_values(values, count, &value, why) != 0) {
		arena_release(&arena);
		return GOLDEN_WRONG;
	}
	combine_entries(parts, count, 0, str_slice(&value), number_of(doc, in, "cohesion", 0),
			&text);
	json_parse(&got, str_slice(&text), &json_file_bounds, &fault);
	outcome = compare_merged(doc, want, &got, why);
	if (outcome == GOLDEN_PASSED)
		outcome = compare_use(doc, entries, want, why);
	json_release(&got);
	arena_release(&arena);
	return outcome;
}
