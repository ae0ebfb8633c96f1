#include "support/json_match.h"

#include "base/time.h"

/* Most bytes of a value that are shown. */
#define SHOWN_MAX 400

static bool is_any(const struct json *doc, uint32_t node)
{
	(void)doc;
	(void)node;
	return true;
}

static bool is_number(const struct json *doc, uint32_t node)
{
	return json_type(doc, node) == JSON_NUMBER;
}

static bool is_text(const struct json *doc, uint32_t node)
{
	return json_type(doc, node) == JSON_STRING;
}

static bool is_time(const struct json *doc, uint32_t node)
{
	STR_AUTO scratch = STR_INIT;
	int64_t ms;

	return is_text(doc, node) && timestamp_parse(json_string(doc, node, &scratch), true, &ms);
}

static const struct {
	const char *name;
	bool (*stands_for)(const struct json *doc, uint32_t node);
} wildcards[] = {
	{"\"<any>\"", is_any},
	{"\"<number>\"", is_number},
	{"\"<text>\"", is_text},
	{"\"<time>\"", is_time},
};

static void add_shown(struct str *out, const struct json *doc, uint32_t node)
{
	struct slice text = json_text(doc, node);

	str_add(out, slice_make(text.ptr, text.len < SHOWN_MAX ? text.len : SHOWN_MAX));
	if (text.len > SHOWN_MAX)
		str_adds(out, "...");
}

static bool differ(const struct json *expected, uint32_t expected_node, const struct json *doc,
		   uint32_t node, struct str *where)
{
	str_adds(where, ": expected ");
	add_shown(where, expected, expected_node);
	str_adds(where, ", got ");
	add_shown(where, doc, node);
	return false;
}

static bool match_array(const struct json *expected, uint32_t expected_node, const struct json *doc,
			uint32_t node, struct str *where)
{
	uint32_t right = json_first(doc, node);
	uint32_t i = 0;

	if (expected->nodes[expected_node].count != doc->nodes[node].count)
		return differ(expected, expected_node, doc, node, where);
	for (uint32_t left = json_first(expected, expected_node); left;
	     left = json_next(expected, left)) {
		size_t mark = where->len;

		str_printf(where, "[%u]", (unsigned int)i++);
		if (!json_match(expected, left, doc, right, where))
			return false;
		str_truncate(where, mark);
		right = json_next(doc, right);
	}
	return true;
}

/* A member of the one object that the other has not. */
static uint32_t find_extra(const struct json *doc, uint32_t object, const struct json *other,
			   uint32_t other_object)
{
	STR_AUTO scratch = STR_INIT;

	for (uint32_t m = json_first(doc, object); m; m = json_next(doc, m)) {
		if (!json_member_slice(other, other_object, json_name(doc, m, &scratch)))
			return m;
	}
	return JSON_NONE;
}

static bool match_object(const struct json *expected, uint32_t expected_node,
			 const struct json *doc, uint32_t node, struct str *where)
{
	STR_AUTO scratch = STR_INIT;
	uint32_t missing = find_extra(expected, expected_node, doc, node);
	uint32_t extra = find_extra(doc, node, expected, expected_node);

	if (missing != JSON_NONE) {
		str_adds(where, ": missing ");
		str_add(where, json_name(expected, missing, &scratch));
		return false;
	}
	if (extra != JSON_NONE) {
		str_adds(where, ": unexpected ");
		str_add(where, json_name(doc, extra, &scratch));
		str_adds(where, " = ");
		add_shown(where, doc, extra);
		return false;
	}
	for (uint32_t left = json_first(expected, expected_node); left;
	     left = json_next(expected, left)) {
		struct slice name = json_name(expected, left, &scratch);
		size_t mark = where->len;

		str_addc(where, '.');
		str_add(where, name);
		if (!json_match(expected, left, doc, json_member_slice(doc, node, name), where))
			return false;
		str_truncate(where, mark);
	}
	return true;
}

bool json_match(const struct json *expected, uint32_t expected_node, const struct json *doc,
		uint32_t node, struct str *where)
{
	struct slice text = json_text(expected, expected_node);

	for (size_t i = 0; i < sizeof wildcards / sizeof wildcards[0]; i++) {
		if (slice_is(text, wildcards[i].name) && wildcards[i].stands_for(doc, node))
			return true;
	}
	if (json_type(expected, expected_node) != json_type(doc, node))
		return differ(expected, expected_node, doc, node, where);
	if (json_type(doc, node) == JSON_ARRAY)
		return match_array(expected, expected_node, doc, node, where);
	if (json_type(doc, node) == JSON_OBJECT)
		return match_object(expected, expected_node, doc, node, where);
	return json_equal(expected, expected_node, doc, node) ||
	       differ(expected, expected_node, doc, node, where);
}
