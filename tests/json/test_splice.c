#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "json/splice.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>

static struct splice put(const char *name, const char *text)
{
	return (struct splice){.kind = SPLICE_PUT, .name = slice_of(name), .text = slice_of(text)};
}

static struct splice cut(const char *name)
{
	return (struct splice){.kind = SPLICE_REMOVE, .name = slice_of(name)};
}

static struct splice append(const char *path, const char *text)
{
	return (struct splice){
		.kind = SPLICE_APPEND, .path = slice_of(path), .text = slice_of(text)};
}

static void parse(struct json *doc, const char *text)
{
	struct json_fault fault;

	if (json_parse(doc, slice_of(text), &json_file_bounds, &fault) != 0)
		fail_msg("%u:%u: %s in %s", fault.line, fault.column, fault.what, text);
}

static char *splice(const char *text, const struct splice *splices, size_t count)
{
	struct str out = STR_INIT;
	struct json doc;
	struct err err;

	parse(&doc, text);
	if (splice_apply(&out, &doc, splices, count, &err) != 0)
		fail_msg("%s", err.text);
	json_release(&doc);
	return str_detach(&out);
}

static void check(const char *text, const char *expected, const struct splice *splices,
		  size_t count)
{
	char *out = splice(text, splices, count);

	assert_string_equal(out, expected);
	free(out);
}

static void check_put(const char *text, const char *name, const char *value, const char *expected)
{
	struct splice one = put(name, value);

	check(text, expected, &one, 1);
}

static void check_cut(const char *text, const char *name, const char *expected)
{
	struct splice one = cut(name);

	check(text, expected, &one, 1);
}

static void test_new_files(void **state)
{
	(void)state;
	check_put("{}\n", "a", "{\"value\":1}", "{\n  \"a\": {\n    \"value\": 1\n  }\n}\n");
	check_put("{ }", "a", "1", "{\n  \"a\": 1\n}");
	check_put("{\r\n}\r\n", "a", "[1]", "{\r\n  \"a\": [\r\n    1\r\n  ]\r\n}\r\n");
	check_put("\xEF\xBB\xBF{}\n", "a", "1", "\xEF\xBB\xBF{\n  \"a\": 1\n}\n");
	check_put("{}", "\"q\\\x01", "\"\\u00e9\"", "{\n  \"\\\"q\\\\\\u0001\": \"\\u00e9\"\n}");
}

static void test_replace_keeps_the_rest(void **state)
{
	(void)state;
	check_put("{ \"a\":1e400 ,\n\t\"b\" :  {\"x\":1},\n \"c\": -0}", "b", "{\"x\":2}",
		  "{ \"a\":1e400 ,\n\t\"b\" :  {\"x\":2},\n \"c\": -0}");
	check_put("{\n\t\"a\": {\n\t\t\"value\": 1\n\t}\n}\n", "a", "{\"value\":1.0,\"t\":[1]}",
		  "{\n\t\"a\": {\n\t\t\"value\": 1.0,\n\t\t\"t\": [\n\t\t\t1\n\t\t]\n\t}\n}\n");
	check_put("{\n   \"a\": \"vim\"\n}", "a", "{\"value\":\"emacs\"}",
		  "{\n   \"a\": {\n      \"value\": \"emacs\"\n   }\n}");
	check_put("{\"\\u0061\": 1}", "a", "2", "{\"\\u0061\": 2}");
}

static void test_new_members_look_like_their_neighbours(void **state)
{
	(void)state;
	check_put("{\"a\":{\"value\":1}}", "b", "{\"value\":2,\"x\":[]}",
		  "{\"a\":{\"value\":1},\"b\":{\"value\":2,\"x\":[]}}");
	check_put("{ \"a\": { \"value\": 1, \"n\": {} } }", "b",
		  "{\"value\":\"x:,{}\\\"\",\"n\":{}}",
		  "{ \"a\": { \"value\": 1, \"n\": {} }, "
		  "\"b\": { \"value\": \"x:,{}\\\"\", \"n\": {} } }");
	check_put("{\n  \"a\": {\"value\": 1}\n}\n", "b", "{\"value\":2,\"x\":3}",
		  "{\n  \"a\": {\"value\": 1},\n  \"b\": {\"value\": 2, \"x\": 3}\n}\n");
	check_put("{\r\n\t\"a\": {\r\n\t\t\"value\": 1\r\n\t}\r\n}", "b", "{\"value\":2}",
		  "{\r\n\t\"a\": {\r\n\t\t\"value\": 1\r\n\t},\r\n\t\"b\": {\r\n\t\t\"value\": 2"
		  "\r\n\t}\r\n}");
	check_put("{\n  \"a\": 1\n\n,   \"b\": 2\n}", "c", "3",
		  "{\n  \"a\": 1\n\n,   \"b\": 2\n,   \"c\": 3\n}");
	check_put("{\n  \"a\": 1,\n\n\n  \"b\": 2\n}", "c", "3",
		  "{\n  \"a\": 1,\n\n\n  \"b\": 2,\n  \"c\": 3\n}");
	check_put("{\n  \"a\": 1, \"b\": 2\n}", "c", "3", "{\n  \"a\": 1, \"b\": 2, \"c\": 3\n}");
	check_put("{\"a\": 1}", "b", "2", "{\"a\": 1, \"b\": 2}");
}

static void test_remove(void **state)
{
	(void)state;
	check_cut("{\n  \"a\": 1\n}\n", "a", "{}\n");
	check_cut("{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}\n", "a",
		  "{\n  \"b\": 2,\n  \"c\": 3\n}\n");
	check_cut("{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}\n", "b",
		  "{\n  \"a\": 1,\n  \"c\": 3\n}\n");
	check_cut("{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}\n", "c",
		  "{\n  \"a\": 1,\n  \"b\": 2\n}\n");
	check_cut("{\"a\":1,\"b\":2,\"c\":3}", "b", "{\"a\":1,\"c\":3}");
	check_cut("{\n  \"a\": 1, \"b\": 2,\n  \"c\": 3\n}", "b", "{\n  \"a\": 1,\n  \"c\": 3\n}");
	check_cut("{\n  \"a\": 1,\n  \"b\": 2, \"c\": 3\n}", "b", "{\n  \"a\": 1,\n  \"c\": 3\n}");
	check_cut("{\"a\":1}", "x", "{\"a\":1}");
	check_cut("{ }", "x", "{ }");
}

static void test_several_at_once(void **state)
{
	const struct splice runs[] = {cut("b"),       put("e", "5"), cut("c"),
				      put("a", "[]"), cut("d"),      put("f", "6")};
	const struct splice all[] = {cut("a"), put("c", "3"), cut("b")};

	(void)state;
	check("{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3,\n  \"d\": 4\n}\n",
	      "{\n  \"a\": [],\n  \"e\": 5,\n  \"f\": 6\n}\n", runs, 6);
	check("{\"a\":1,\"b\":2,\"c\":3,\"d\":4}", "{\"a\":[],\"e\":5,\"f\":6}", runs, 6);
	check("{\n\t\"a\": 1,\n\t\"b\": 2\n}\n", "{\n\t\"c\": 3\n}\n", all, 3);
	check("{\"z\":1}", "{\"z\":1}", NULL, 0);
}

static void test_arrays(void **state)
{
	const struct splice two[] = {append("s", "{\"k\":1}"), append("t", "2"), append("s", "3")};
	const struct splice one[] = {append("s", "{\"k\":1}")};

	(void)state;
	check("{}\n",
	      "{\n  \"s\": [\n    {\n      \"k\": 1\n    },\n    3\n  ],\n  \"t\": [\n    2\n  "
	      "]\n}\n",
	      two, 3);
	check("{\n  \"s\": []\n}\n", "{\n  \"s\": [\n    {\n      \"k\": 1\n    }\n  ]\n}\n", one,
	      1);
	check("{\"s\":[],\"x\":1}", "{\"s\":[{\"k\":1}],\"x\":1}", one, 1);
	check("{\"s\":[{\"j\": 0}]}", "{\"s\":[{\"j\": 0},{\"k\": 1}]}", one, 1);
	check("{\n\t\"s\": [\n\t\t{\n\t\t\t\"j\": 0\n\t\t}\n\t]\n}",
	      "{\n\t\"s\": [\n\t\t{\n\t\t\t\"j\": 0\n\t\t},\n\t\t{\n\t\t\t\"k\": 1\n\t\t}\n\t]\n}",
	      one, 1);
}

static void test_drop(void **state)
{
	const char *text = "{\n  \"s\": [\n    1,\n    2,\n    3\n  ]\n}";
	struct splice drops[2] = {append("s", "4")};
	struct str out = STR_INIT;
	struct json doc;
	struct err err;

	(void)state;
	parse(&doc, text);
	drops[1] = (struct splice){.kind = SPLICE_DROP, .path = slice_of("s")};
	drops[1].element = json_next(&doc, json_first(&doc, json_member(&doc, JSON_ROOT, "s")));
	assert_int_equal(splice_apply(&out, &doc, drops, 2, &err), 0);
	assert_string_equal(out.ptr, "{\n  \"s\": [\n    1,\n    3,\n    4\n  ]\n}");
	str_release(&out);
	json_release(&doc);
}

static void test_refusals_leave_the_output(void **state)
{
	const struct splice wrong[] = {append("s", "1")};
	const struct splice broken[] = {put("a", "{")};
	struct str out = STR_INIT;
	struct json doc;
	struct err err;

	(void)state;
	str_adds(&out, "before");
	parse(&doc, "{\"s\":{},\"a\":1}");
	assert_int_equal(splice_apply(&out, &doc, wrong, 1, &err), -1);
	assert_int_equal(err.code, ERR_BAD_DATA);
	assert_non_null(strstr(err.text, "\"s\""));
	assert_int_equal(splice_apply(&out, &doc, broken, 1, &err), -1);
	assert_int_equal(err.code, ERR_INTERNAL);
	assert_string_equal(out.ptr, "before");
	json_release(&doc);
	str_release(&out);
}

/* Random documents. */

struct random {
	uint64_t state;
};

static uint32_t draw(struct random *r, uint32_t below)
{
	r->state = r->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(r->state >> 33) % below;
}

static void add_blanks(struct random *r, struct str *out)
{
	static const char *const blanks[] = {"",   "",   "",     " ",      "  ",
					     "\t", "\n", "\n  ", "\r\n\t", "\n\n "};

	str_adds(out, blanks[draw(r, sizeof blanks / sizeof blanks[0])]);
}

static void add_value(struct random *r, struct str *out, int depth)
{
	static const char *const scalars[] = {"1",
					      "-0.0",
					      "1e400",
					      "\"x\"",
					      "\"\\\"},\\\\\"",
					      "null",
					      "true",
					      "9007199254740993",
					      "\"\\u2028\"",
					      "[]",
					      "{}"};
	uint32_t count = draw(r, 4);

	if (depth == 0 || draw(r, 2) == 0) {
		str_adds(out, scalars[draw(r, sizeof scalars / sizeof scalars[0])]);
		return;
	}
	str_addc(out, '{');
	add_blanks(r, out);
	for (uint32_t i = 0; i < count; i++) {
		str_printf(out, "%s\"m%u\"", i ? "," : "", i);
		add_blanks(r, out);
		str_addc(out, ':');
		add_blanks(r, out);
		add_value(r, out, depth - 1);
		add_blanks(r, out);
	}
	str_addc(out, '}');
}

#define NAMES 8

/* A root object of some of the names k0 to k7; the text of each value into values[]. */
static char *random_document(struct random *r, char *values[NAMES])
{
	struct str out = STR_INIT;
	bool first = true;

	if (draw(r, 8) == 0)
		str_adds(&out, "\xEF\xBB\xBF");
	add_blanks(r, &out);
	str_addc(&out, '{');
	for (uint32_t i = 0; i < NAMES; i++) {
		size_t start;

		values[i] = NULL;
		add_blanks(r, &out);
		if (draw(r, 3) == 0)
			continue;
		str_printf(&out, "%s", first ? "" : ",");
		first = false;
		add_blanks(r, &out);
		str_printf(&out, "\"k%u\"", i);
		add_blanks(r, &out);
		str_addc(&out, ':');
		add_blanks(r, &out);
		start = out.len;
		add_value(r, &out, 3);
		values[i] = mem_strndup(out.ptr + start, out.len - start);
	}
	add_blanks(r, &out);
	str_addc(&out, '}');
	add_blanks(r, &out);
	return str_detach(&out);
}

/* What each name is to have afterwards: the old text (exact), or the new one (by meaning). */
static void check_member(const struct json *doc, uint32_t i, const char *old, const char *wanted,
			 bool touched, const char *all)
{
	char name[8];
	uint32_t member;
	struct json value;

	snprintf(name, sizeof name, "k%u", i);
	member = json_member(doc, JSON_ROOT, name);
	if (!wanted) {
		assert_int_equal(member, JSON_NONE);
		return;
	}
	assert_int_not_equal(member, JSON_NONE);
	if (!touched) {
		if (!slice_is(json_text(doc, member), old))
			fail_msg("k%u was %s in %s", i, old, all);
		return;
	}
	parse(&value, wanted);
	assert_true(json_equal(doc, member, &value, JSON_ROOT));
	json_release(&value);
}

static void one_random_splice(struct random *r)
{
	char *values[NAMES];
	char *text = random_document(r, values);
	struct splice splices[NAMES];
	char names[NAMES][8];
	const char *wanted[NAMES];
	bool touched[NAMES];
	size_t count = 0;
	struct str news[NAMES];
	char *out;
	struct json doc;

	for (uint32_t i = 0; i < NAMES; i++) {
		uint32_t what = draw(r, 4);

		snprintf(names[i], sizeof names[i], "k%u", i);
		str_init(&news[i]);
		wanted[i] = values[i];
		touched[i] = what < 2;
		if (what == 0) {
			add_value(r, &news[i], 2);
			wanted[i] = news[i].ptr;
			splices[count++] = put(names[i], news[i].ptr);
		} else if (what == 1) {
			wanted[i] = NULL;
			splices[count++] = cut(names[i]);
		}
	}
	out = splice(text, splices, count);
	parse(&doc, out);
	for (uint32_t i = 0; i < NAMES; i++) {
		check_member(&doc, i, values[i], wanted[i], touched[i], out);
		str_release(&news[i]);
		free(values[i]);
	}
	json_release(&doc);
	free(out);
	free(text);
}

static void test_random_splices(void **state)
{
	struct random r = {20261121};

	(void)state;
	for (int i = 0; i < 20000; i++)
		one_random_splice(&r);
}

/* What was added and is removed again leaves no trace, unless the container was empty. */
static void test_add_and_remove(void **state)
{
	struct random r = {7};

	(void)state;
	for (int i = 0; i < 5000; i++) {
		char *values[NAMES];
		char *text = random_document(&r, values);
		struct splice add = put("new", "{\"value\":[1,2]}");
		struct splice gone = cut("new");
		bool empty = true;
		char *with = splice(text, &add, 1);
		char *without = splice(with, &gone, 1);

		for (int k = 0; k < NAMES; k++) {
			empty = empty && !values[k];
			free(values[k]);
		}
		if (!empty)
			assert_string_equal(without, text);
		free(without);
		free(with);
		free(text);
	}
}

/* What a person wrote is taken over with its spacing. */
static void test_verbatim(void **state)
{
	struct splice member = put("b", "\"b\" :  [1,  2]");
	struct splice element = append("c", "{ \"x\":1 }");
	struct splice made = append("d", "[1,  2]");

	(void)state;
	member.verbatim = true;
	element.verbatim = true;
	made.verbatim = true;
	check("{\"a\":1,\"b\":[1]}", "{\"a\":1,\"b\" :  [1,  2]}", &member, 1);
	check("{\n  \"b\": [1],\n  \"a\": 1\n}", "{\n  \"b\" :  [1,  2],\n  \"a\": 1\n}", &member,
	      1);
	check("{\n  \"a\": 1\n}", "{\n  \"a\": 1,\n  \"b\" :  [1,  2]\n}", &member, 1);
	check("{}", "{\n  \"b\" :  [1,  2]\n}", &member, 1);
	check("{\"c\":[1]}", "{\"c\":[1,{ \"x\":1 }]}", &element, 1);
	check("{\"c\":[]}", "{\"c\":[{ \"x\":1 }]}", &element, 1);
	check("{\"c\":[]}", "{\"c\":[],\"d\":[[1,2]]}", &made, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_new_files),
		cmocka_unit_test(test_replace_keeps_the_rest),
		cmocka_unit_test(test_new_members_look_like_their_neighbours),
		cmocka_unit_test(test_remove),
		cmocka_unit_test(test_several_at_once),
		cmocka_unit_test(test_arrays),
		cmocka_unit_test(test_drop),
		cmocka_unit_test(test_refusals_leave_the_output),
		cmocka_unit_test(test_verbatim),
		cmocka_unit_test(test_random_splices),
		cmocka_unit_test(test_add_and_remove),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
