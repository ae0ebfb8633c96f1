/* cmocka.h needs the others before it. */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#include "base/mem.h"
#include "json/doc.h"
#include "json/tree.h"
#include "json/write.h"

#include <stdlib.h>

#define LITERAL(text) slice_make(text, sizeof(text) - 1)

static struct json parsed(struct slice text)
{
	struct json_fault fault;
	struct json doc;

	if (json_parse(&doc, text, &json_file_bounds, &fault) != 0)
		fail_msg("%.*s: %u:%u: %s", (int)text.len, text.ptr, fault.line, fault.column,
			 fault.what);
	return doc;
}

static void assert_slice(struct slice actual, struct slice expected)
{
	if (!slice_equal(actual, expected))
		fail_msg("%.*s instead of %.*s", (int)actual.len, actual.ptr, (int)expected.len,
			 expected.ptr);
}

static void nodes_know_their_place(void **state)
{
	struct json doc = parsed(slice_of(" {\"a\": [1, \"x\", {}], \"b\" :null} "));
	uint32_t a = json_first(&doc, JSON_ROOT);
	uint32_t b = json_next(&doc, a);
	uint32_t one = json_first(&doc, a);
	uint32_t x = json_next(&doc, one);
	uint32_t empty = json_next(&doc, x);
	STR_AUTO scratch = STR_INIT;

	(void)state;
	assert_int_equal(doc.count, 6);
	assert_int_equal(json_type(&doc, JSON_ROOT), JSON_OBJECT);
	assert_int_equal(doc.nodes[JSON_ROOT].count, 2);
	assert_int_equal(json_next(&doc, JSON_ROOT), JSON_NONE);
	assert_slice(json_text(&doc, a), slice_of("[1, \"x\", {}]"));
	assert_slice(json_name(&doc, a, &scratch), slice_of("a"));
	assert_int_equal(doc.nodes[a].count, 3);
	assert_slice(json_text(&doc, one), slice_of("1"));
	assert_slice(json_text(&doc, x), slice_of("\"x\""));
	assert_slice(json_string(&doc, x, &scratch), slice_of("x"));
	assert_slice(json_text(&doc, empty), slice_of("{}"));
	assert_int_equal(json_first(&doc, empty), JSON_NONE);
	assert_int_equal(json_next(&doc, empty), JSON_NONE);
	assert_int_equal(json_type(&doc, b), JSON_NULL);
	assert_int_equal(json_next(&doc, b), JSON_NONE);
	assert_int_equal(doc.nodes[x].name_end, 0);
	json_release(&doc);
}

static void members_are_found_by_decoded_name(void **state)
{
	struct json doc = parsed(slice_of("{\"\\u0061\\u0000\":1,\"a\":2,"
					  "\"\":3,\"A\":4,\"\\ud83d\\ude00\":5}"));
	struct slice number = {NULL, 0};

	(void)state;
	number = json_text(&doc, json_member(&doc, JSON_ROOT, "a"));
	assert_slice(number, slice_of("2"));
	number = json_text(&doc, json_member(&doc, JSON_ROOT, ""));
	assert_slice(number, slice_of("3"));
	number = json_text(&doc, json_member(&doc, JSON_ROOT, "\xF0\x9F\x98\x80"));
	assert_slice(number, slice_of("5"));
	number = json_text(&doc, json_member_slice(&doc, JSON_ROOT, LITERAL("a\0")));
	assert_slice(number, slice_of("1"));
	assert_int_equal(json_member(&doc, JSON_ROOT, "b"), JSON_NONE);
	assert_int_equal(json_member(&doc, json_first(&doc, JSON_ROOT), "a"), JSON_NONE);
	json_release(&doc);
}

static void strings_are_decoded(void **state)
{
	struct json doc = parsed(slice_of("[\"plain\",\"\",\"a\\u0000b\","
					  "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\","
					  "\"\\u00e9\\u20AC\\uD83D\\ude00.\",\"\\uffff\",7]"));
	static const struct slice expected[] = {
		{"plain", 5},
		{"", 0},
		{"a\0b", 3},
		{"\"\\/\b\f\n\r\t", 8},
		{"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80.", 10},
		{"\xEF\xBF\xBF", 3},
		{NULL, 0}, /* not a string */
	};
	uint32_t node = json_first(&doc, JSON_ROOT);
	STR_AUTO scratch = STR_INIT;

	(void)state;
	str_adds(&scratch, "rubbish");
	for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
		assert_int_not_equal(node, JSON_NONE);
		assert_slice(json_string(&doc, node, &scratch), expected[i]);
		assert_null(json_name(&doc, node, &scratch).ptr);
		node = json_next(&doc, node);
	}
	assert_int_equal(node, JSON_NONE);
	node = json_first(&doc, JSON_ROOT);
	assert_ptr_equal(json_string(&doc, node, &scratch).ptr, doc.text.ptr + 2);
	json_release(&doc);
}

static void booleans(void **state)
{
	struct json doc = parsed(slice_of("[true,false,null,\"true\"]"));
	uint32_t node = json_first(&doc, JSON_ROOT);
	bool value = false;

	(void)state;
	assert_true(json_bool(&doc, node, &value));
	assert_true(value);
	node = json_next(&doc, node);
	assert_true(json_bool(&doc, node, &value));
	assert_false(value);
	value = true;
	node = json_next(&doc, node);
	assert_false(json_bool(&doc, node, &value));
	assert_false(json_bool(&doc, json_next(&doc, node), &value));
	assert_true(value);
	json_release(&doc);
}

static void depth_of_values(void **state)
{
	static const struct {
		const char *text;
		uint32_t depth;
	} cases[] = {
		{"1", 0},   {"\"[[\\\"[\"", 0}, {"[]", 1},
		{"[1]", 1}, {"[[],{}]", 2},     {"{\"[[[\":[{\"a\":\"{{\\\\\"}]}", 3},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct json doc = parsed(slice_of(cases[i].text));

		assert_int_equal(json_depth(&doc, JSON_ROOT), cases[i].depth);
		json_release(&doc);
	}
}

/* A small generator of its own, so that every machine sees the same documents. */
static uint32_t random_below(uint64_t *seed, uint32_t limit)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33) % limit;
}

static void add_random_space(struct str *text, uint64_t *seed)
{
	static const char *const spaces[] = {"", "", "", " ", "\n", "\t ", "\r\n"};

	str_adds(text, spaces[random_below(seed, 7)]);
}

static void add_random_string(struct str *text, uint64_t *seed)
{
	static const char *const parts[] = {"a",
					    "Z9",
					    " ",
					    "\\n",
					    "\\\"",
					    "\\\\",
					    "\\/",
					    "\\u0000",
					    "\\ud83d\\ude00",
					    "\\u00E9",
					    "\xC3\xA9",
					    "\xE2\x80\xA8",
					    "\xF0\x9F\x98\x80",
					    "\x7F",
					    "[",
					    "}",
					    ",",
					    "//"};

	for (uint32_t left = random_below(seed, 6); left > 0; left--)
		str_adds(text, parts[random_below(seed, sizeof parts / sizeof parts[0])]);
}

static void add_random_scalar(struct str *text, uint64_t *seed)
{
	static const char *const scalars[] = {"null",       "true", "false", "0",
					      "-0",         "1.0",  "1e400", "9007199254740993",
					      "-12.50E-07", "1E+2", "\"\""};
	uint32_t choice = random_below(seed, 16);

	if (choice < sizeof scalars / sizeof scalars[0]) {
		str_adds(text, scalars[choice]);
		return;
	}
	str_adds(text, "\"");
	add_random_string(text, seed);
	str_adds(text, "\"");
}

static void add_random_value(struct str *text, uint64_t *seed, uint32_t depth)
{
	bool object = random_below(seed, 2) == 0;
	uint32_t count = random_below(seed, 5);

	add_random_space(text, seed);
	if (depth == 0 || random_below(seed, 4) == 0) {
		add_random_scalar(text, seed);
		add_random_space(text, seed);
		return;
	}
	str_adds(text, object ? "{" : "[");
	add_random_space(text, seed);
	for (uint32_t i = 0; i < count; i++) {
		if (i > 0)
			str_adds(text, ",");
		add_random_space(text, seed);
		if (object) {
			/* The number at the end keeps names different. */
			str_adds(text, "\"");
			add_random_string(text, seed);
			str_printf(text, "#%u\"", i);
			add_random_space(text, seed);
			str_adds(text, ":");
		}
		add_random_value(text, seed, depth - 1);
	}
	str_adds(text, object ? "}" : "]");
	add_random_space(text, seed);
}

static void print(struct str *out, const struct json *doc, const struct json_layout *layout)
{
	struct json_writer w = json_writer_to(out, layout);

	json_write_value(&w, doc, JSON_ROOT);
}

static void print_tree(struct str *out, const struct json *doc, const struct json_layout *layout)
{
	struct json_tree *tree = json_tree_from(doc, JSON_ROOT);
	struct json_writer w = json_writer_to(out, layout);

	json_tree_write(tree, &w);
	json_tree_free(tree);
}

/* Printing and scanning again changes nothing more, in either layout; a tree prints the same. */
static void check_round_trip(const struct json *doc, const struct json_layout *layout)
{
	STR_AUTO once = STR_INIT;
	STR_AUTO twice = STR_INIT;
	STR_AUTO tree = STR_INIT;
	struct json again;

	print(&once, doc, layout);
	again = parsed(str_slice(&once));
	print(&twice, &again, layout);
	print_tree(&tree, doc, layout);
	assert_string_equal(once.ptr, twice.ptr);
	assert_string_equal(once.ptr, tree.ptr);
	assert_int_equal(again.count, doc->count);
	assert_true(json_equal(doc, JSON_ROOT, &again, JSON_ROOT));
	assert_int_equal(json_depth(doc, JSON_ROOT), json_depth(&again, JSON_ROOT));
	for (uint32_t i = 0; i < doc->count; i++) {
		if (json_type(doc, i) < JSON_ARRAY)
			assert_slice(json_text(&again, i), json_text(doc, i));
	}
	json_release(&again);
}

static void random_documents_survive_printing(void **state)
{
	STR_AUTO text = STR_INIT;
	uint64_t seed = 20;
	size_t largest = 0;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		struct json doc;

		str_clear(&text);
		add_random_value(&text, &seed, 6);
		doc = parsed(str_slice(&text));
		check_round_trip(&doc, &json_compact);
		check_round_trip(&doc, &json_pretty);
		largest = text.len > largest ? text.len : largest;
		json_release(&doc);
	}
	assert_true(largest > 500);
}

/* Whatever is cut off or overwritten, the scanner ends with a verdict inside the text. */
static void damaged_documents_are_read_safely(void **state)
{
	STR_AUTO text = STR_INIT;
	uint64_t seed = 21;

	(void)state;
	for (int i = 0; i < 5000; i++) {
		struct json_fault fault = {.line = 1, .column = 1};
		struct json doc = {.nodes = NULL};
		char *copy;

		str_clear(&text);
		add_random_value(&text, &seed, 4);
		str_truncate(&text, random_below(&seed, (uint32_t)text.len + 1));
		if (text.len > 0 && i % 2) {
			uint32_t at = random_below(&seed, (uint32_t)text.len);

			text.ptr[at] = (char)random_below(&seed, 256);
		}
		copy = mem_alloc(text.len + 1); /* reading too far is noticed */
		memcpy(copy + 1, text.ptr, text.len);
		json_parse(&doc, slice_make(copy + 1, text.len), &json_line_bounds, &fault);
		assert_in_range(fault.column, 1, text.len + 1);
		assert_in_range(fault.line, 1, text.len + 1);
		json_release(&doc);
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nodes_know_their_place),
		cmocka_unit_test(members_are_found_by_decoded_name),
		cmocka_unit_test(strings_are_decoded),
		cmocka_unit_test(booleans),
		cmocka_unit_test(depth_of_values),
		cmocka_unit_test(random_documents_survive_printing),
		cmocka_unit_test(damaged_documents_are_read_safely),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
