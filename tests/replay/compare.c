#include "replay/golden.h"

#include "base/utf8.h"
#include "json/write.h"

#include <math.h>

/* How far two numbers that are not whole may be apart. */
#define TOLERANCE 1e-9

/* Most characters of a text that are shown. */
#define SHOWN_MAX 200

void golden_show(struct str *out, struct slice text)
{
	struct slice start = utf8_cut(text, SHOWN_MAX);

	utf8_add_visible(out, start, false);
	if (start.len < text.len)
		str_adds(out, "...");
}

enum golden_outcome golden_unknown_form(struct str *why, const char *what)
{
	str_printf(why, "unknown form: %s", what);
	return GOLDEN_UNKNOWN_FORM;
}

static bool numbers_agree(const struct json *want, uint32_t want_node, const struct json *got,
			  uint32_t got_node)
{
	int64_t whole;
	double a;
	double b;

	if (json_equal(want, want_node, got, got_node))
		return true;
	if (json_int(want, want_node, &whole) && json_int(got, got_node, &whole))
		return false;
	if (!json_double(want, want_node, &a) || !json_double(got, got_node, &b))
		return false;
	return fabs(a - b) <= TOLERANCE * fmax(1, fmax(fabs(a), fabs(b)));
}

static bool arrays_agree(const struct json *want, uint32_t want_node, const struct json *got,
			 uint32_t got_node)
{
	uint32_t b = json_first(got, got_node);

	if (want->nodes[want_node].count != got->nodes[got_node].count)
		return false;
	for (uint32_t a = json_first(want, want_node); a != JSON_NONE; a = json_next(want, a)) {
		if (!golden_equal(want, a, got, b))
			return false;
		b = json_next(got, b);
	}
	return true;
}

static bool objects_agree(const struct json *want, uint32_t want_node, const struct json *got,
			  uint32_t got_node)
{
	STR_AUTO name = STR_INIT;

	if (want->nodes[want_node].count != got->nodes[got_node].count)
		return false;
	for (uint32_t a = json_first(want, want_node); a != JSON_NONE; a = json_next(want, a)) {
		uint32_t b = json_member_slice(got, got_node, json_name(want, a, &name));

		if (b == JSON_NONE || !golden_equal(want, a, got, b))
			return false;
	}
	return true;
}

bool golden_equal(const struct json *want, uint32_t want_node, const struct json *got,
		  uint32_t got_node)
{
	enum json_type type = json_type(want, want_node);

	if (type != json_type(got, got_node))
		return false;
	if (type == JSON_NUMBER)
		return numbers_agree(want, want_node, got, got_node);
	if (type == JSON_ARRAY)
		return arrays_agree(want, want_node, got, got_node);
	if (type == JSON_OBJECT)
		return objects_agree(want, want_node, got, got_node);
	return json_equal(want, want_node, got, got_node);
}

enum golden_outcome golden_compare(const struct json *want, uint32_t want_node,
				   const struct json *got, uint32_t got_node, struct str *why)
{
	if (golden_equal(want, want_node, got, got_node))
		return GOLDEN_PASSED;
	str_adds(why, "expected ");
	golden_show(why, json_text(want, want_node));
	str_adds(why, ", got ");
	golden_show(why, json_text(got, got_node));
	return GOLDEN_WRONG;
}

enum golden_outcome golden_compare_written(const struct json *want, uint32_t want_node,
					   struct slice text, struct str *why)
{
	enum golden_outcome outcome;
	struct json_fault fault;
	struct json got;

	if (json_parse(&got, text, &json_file_bounds, &fault) != 0) {
		str_adds(why, "what came out is no JSON: ");
		golden_show(why, text);
		return GOLDEN_WRONG;
	}
	outcome = golden_compare(want, want_node, &got, JSON_ROOT, why);
	json_release(&got);
	return outcome;
}

enum golden_outcome golden_compare_text(const struct json *want, uint32_t want_node,
					struct slice got, struct str *why)
{
	STR_AUTO text = STR_INIT;
	struct json_writer w = json_writer_to(&text, &json_compact);

	json_write_string(&w, got);
	return golden_compare_written(want, want_node, str_slice(&text), why);
}

enum golden_outcome golden_compare_count(const struct json *want, uint32_t want_node, size_t got,
					 struct str *why)
{
	STR_AUTO text = STR_INIT;

	str_printf(&text, "%zu", got);
	return golden_compare_written(want, want_node, str_slice(&text), why);
}

const struct golden_tolerance golden_usual = {1e-9, 1e-9};

enum golden_outcome golden_compare_number(const struct json *want, uint32_t want_node, double got,
					  const struct golden_tolerance *tolerance, struct str *why)
{
	double number;
	double off;

	if (json_double(want, want_node, &number)) {
		off = tolerance->relative * fabs(number);
		off = off > tolerance->absolute ? off : tolerance->absolute;
		if (fabs(got - number) <= off)
			return GOLDEN_PASSED;
	}
	str_adds(why, "expected ");
	golden_show(why, json_text(want, want_node));
	str_printf(why, ", got %.17g", got);
	return GOLDEN_WRONG;
}

bool golden_number(const struct json *doc, uint32_t object, const char *name, double *out)
{
	uint32_t node = json_member(doc, object, name);

	return node != JSON_NONE && json_double(doc, node, out);
}

/* Is this the name of a member in the list? */
static bool is_listed(const char *const *members, struct slice name)
{
	for (; *members; members++) {
		if (slice_is(name, *members + (**members == '?')))
			return true;
	}
	return false;
}

bool golden_has_members(const struct json *doc, uint32_t node, const char *const *members,
			struct str *why)
{
	STR_AUTO scratch = STR_INIT;

	if (json_type(doc, node) != JSON_OBJECT) {
		golden_unknown_form(why, "not an object");
		return false;
	}
	for (const char *const *m = members; *m; m++) {
		if (**m != '?' && json_member(doc, node, *m) == JSON_NONE) {
			golden_unknown_form(why, "without ");
			str_adds(why, *m);
			return false;
		}
	}
	for (uint32_t m = json_first(doc, node); m != JSON_NONE; m = json_next(doc, m)) {
		struct slice name = json_name(doc, m, &scratch);

		if (!is_listed(members, name)) {
			golden_unknown_form(why, "with ");
			golden_show(why, name);
			return false;
		}
	}
	return true;
}
