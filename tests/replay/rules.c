/*
 * Replays the rules that are pure functions: each function is for the file of cases of its name.
 */
#include "replay/golden.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "model/category.h"
#include "model/entry.h"
#include "model/update.h"
#include "text/distance.h"
#include "text/normalize.h"

#include <stdlib.h>
#include <time.h>

static bool is_string(const struct json *doc, uint32_t node)
{
	return node != JSON_NONE && json_type(doc, node) == JSON_STRING;
}

enum golden_outcome replay_normalize(const struct json *doc, uint32_t node, struct str *why)
{
	uint32_t in = json_member(doc, node, "in");
	STR_AUTO scratch = STR_INIT;
	STR_AUTO normal = STR_INIT;

	if (!is_string(doc, in))
		return golden_unknown_form(why, "in is no text");
	normalize_identity(json_string(doc, in, &scratch), &normal);
	return golden_compare_text(doc, json_member(doc, node, "out"), str_slice(&normal), why);
}

/* The characters of a text; the caller frees them. */
static uint32_t *characters(const struct json *doc, uint32_t node, size_t *count)
{
	STR_AUTO scratch = STR_INIT;
	struct slice text = json_string(doc, node, &scratch);
	uint32_t *chars = mem_alloc(mem_sum(text.len, 1) * sizeof *chars);
	size_t at = 0;

	*count = 0;
	while (at < text.len)
		chars[(*count)++] = utf8_next(text, &at);
	return chars;
}

/* The distance that the lookup scores with: by itself, and as one query against many keys. */
static enum golden_outcome compare_osa(const struct json *doc, uint32_t want, const uint32_t *a,
				       size_t a_len, const uint32_t *b, size_t b_len,
				       struct str *why)
{
	struct distance_pattern *pattern = distance_pattern_new(a, a_len);
	size_t limit = a_len + b_len;
	size_t prepared = distance_pattern_osa(pattern, b, b_len, limit);

	distance_pattern_free(pattern);
	str_adds(why, "osa: ");
	if (golden_compare_count(doc, want, distance_osa(a, a_len, b, b_len, limit), why) !=
	    GOLDEN_PASSED)
		return GOLDEN_WRONG;
	str_adds(why, "prepared: ");
	return golden_compare_count(doc, want, prepared, why);
}

enum golden_outcome replay_levenshtein(const struct json *doc, uint32_t node, struct str *why)
{
	uint32_t in = json_member(doc, node, "in");
	uint32_t left = json_first(doc, in);
	uint32_t right = left == JSON_NONE ? JSON_NONE : json_next(doc, left);
	uint32_t osa = json_member(doc, node, "osa");
	enum golden_outcome outcome;
	size_t a_len;
	size_t b_len;
	uint32_t *a;
	uint32_t *b;

	if (json_type(doc, in) != JSON_ARRAY || doc->nodes[in].count != 2 ||
	    !is_string(doc, left) || !is_string(doc, right))
		return golden_unknown_form(why, "in is not two texts");
	a = characters(doc, left, &a_len);
	b = characters(doc, right, &b_len);
	outcome = golden_compare_count(doc, json_member(doc, node, "out"),
				       distance_levenshtein(a, a_len, b, b_len), why);
	if (outcome == GOLDEN_PASSED && osa != JSON_NONE)
		outcome = compare_osa(doc, osa, a, a_len, b, b_len, why);
	free(a);
	free(b);
	return outcome;
}

enum golden_outcome replay_infer_category(const struct json *doc, uint32_t node, struct str *why)
{
	static const char *const members[] = {"key", "?category", NULL};
	uint32_t in = json_member(doc, node, "in");
	uint32_t given;
	STR_AUTO scratch = STR_INIT;
	STR_AUTO identity = STR_INIT;
	int category;

	if (!golden_has_members(doc, in, members, why))
		return GOLDEN_UNKNOWN_FORM;
	if (!is_string(doc, json_member(doc, in, "key")))
		return golden_unknown_form(why, "key is no text");
	given = json_member(doc, in, "category");
	normalize_identity(json_string(doc, json_member(doc, in, "key"), &scratch), &identity);
	category = given == JSON_NONE ? (int)category_infer(str_slice(&identity))
				      : category_find(json_string(doc, given, &scratch));
	if (category == CATEGORY_ANY)
		return golden_unknown_form(why, "category is none");
	return golden_compare_text(doc, json_member(doc, node, "out"),
				   slice_of(category_name((enum category)category)), why);
}

enum golden_outcome replay_merge_values(const struct json *doc, uint32_t node, struct str *why)
{
	static const char *const members[] = {"value", "addition", NULL};
	uint32_t in = json_member(doc, node, "in");
	enum golden_outcome outcome;
	STR_AUTO merged = STR_INIT;
	struct json_fault fault;
	struct json got;

	if (!golden_has_members(doc, in, members, why))
		return GOLDEN_UNKNOWN_FORM;
	merge_values(doc, json_member(doc, in, "value"), doc, json_member(doc, in, "addition"),
		     &merged);
	if (json_parse(&got, str_slice(&merged), &json_file_bounds, &fault) != 0) {
		str_printf(why, "the merged value is no JSON: %s", fault.what);
		return GOLDEN_WRONG;
	}
	outcome = golden_compare(doc, json_member(doc, node, "out"), &got, JSON_ROOT, why);
	json_release(&got);
	return outcome;
}

static const struct {
	const char *kind;
	void (*clean)(struct slice text, struct str *out);
} cleaners[] = {
	{"tag", tag_clean},
	{"entity", entity_clean},
};

enum golden_outcome replay_sanitize(const struct json *doc, uint32_t node, struct str *why)
{
	static const char *const members[] = {"kind", "text", NULL};
	uint32_t in = json_member(doc, node, "in");
	uint32_t text;
	STR_AUTO scratch = STR_INIT;
	STR_AUTO cleaned = STR_INIT;
	struct slice kind;

	if (!golden_has_members(doc, in, members, why))
		return GOLDEN_UNKNOWN_FORM;
	text = json_member(doc, in, "text");
	if (!is_string(doc, text))
		return golden_unknown_form(why, "text is no text");
	kind = json_string(doc, json_member(doc, in, "kind"), &scratch);
	for (size_t i = 0; i < sizeof cleaners / sizeof cleaners[0]; i++) {
		if (!slice_is(kind, cleaners[i].kind))
			continue;
		cleaners[i].clean(json_string(doc, text, &scratch), &cleaned);
		return golden_compare_text(doc, json_member(doc, node, "out"), str_slice(&cleaned),
					   why);
	}
	return golden_unknown_form(why, "kind is neither tag nor entity");
}

enum golden_outcome replay_time(const struct json *doc, uint32_t node, struct str *why)
{
	uint32_t zone = json_member(doc, node, "tz");
	uint32_t out = json_member(doc, node, "out");
	char text[TIMESTAMP_SIZE];
	STR_AUTO scratch = STR_INIT;
	STR_AUTO name = STR_INIT;
	int64_t ms;

	if (!is_string(doc, zone))
		return golden_unknown_form(why, "tz is no text");
	str_add(&name, json_string(doc, zone, &scratch));
	setenv("TZ", name.ptr, 1);
	tzset();
	ms = entry_time(doc, json_member(doc, node, "in"));
	if (ms != TIME_NONE) {
		timestamp_format(ms, text);
		return golden_compare_text(doc, out, slice_of(text), why);
	}
	if (json_type(doc, out) == JSON_NULL)
		return GOLDEN_PASSED;
	str_adds(why, "expected ");
	golden_show(why, json_text(doc, out));
	str_adds(why, ", got no time");
	return GOLDEN_WRONG;
}
