#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "mcp/outline.h"
#include "mcp/wire.h"

#include "json/doc.h"

#include <stdio.h>
#include <stdlib.h>

/* What the outline of a line says: its ids, each followed by a space, and "?" for `unnamed`. */
static void outline_of(struct slice line, size_t chunk, struct str *out)
{
	struct outline o;

	outline_init(&o);
	for (size_t at = 0; at < line.len; at += chunk) {
		size_t len = line.len - at < chunk ? line.len - at : chunk;

		outline_feed(&o, slice_make(line.ptr + at, len));
	}
	outline_end(&o);
	str_clear(out);
	str_adds(out, "");
	str_add(out, str_slice(&o.ids));
	for (size_t i = 0; i < out->len; i++) {
		if (out->ptr[i] == '\n')
			out->ptr[i] = ' ';
	}
	if (o.unnamed)
		str_addc(out, '?');
	outline_release(&o);
}

/* In one piece, and byte by byte. */
static void bytes_say(struct slice line, const char *expected)
{
	static const size_t chunks[] = {1 << 20, 1, 7};
	STR_AUTO got = STR_INIT;

	for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++) {
		outline_of(line, chunks[i], &got);
		if (strcmp(got.ptr, expected) != 0)
			fail_msg("%.*s\nin pieces of %zu says \"%s\" instead of \"%s\"",
				 (int)line.len, line.ptr, chunks[i], got.ptr, expected);
	}
}

static void says(const char *line, const char *expected)
{
	bytes_say(slice_of(line), expected);
}

#define CALL(id, value)                                                                            \
	"{\"method\":\"m\",\"params\":{\"v\":" value "},\"jsonrpc\":\"2.0\",\"id\":" id "}"
#define VERSION "\"jsonrpc\":\"2.0\""

/* Nested deeper than a value may be. */
#define DEEPER                                                                                     \
	"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["                                                \
	"1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"

/* What is wrong inside of a value does not hide the id. */
static void test_faults_in_values(void **state)
{
	static const char *const values[] = {
		"\"\\ud800\"",
		"\"\\x\"",
		"\"\xff\xc0\x80\"",
		"\"a\tb\x01\"",
		"{\"a\":1,\"a\":2}",
		"NaN",
		"undefined",
		"-Infinity",
		"01",
		"1.2.3",
		DEEPER,
		"\"}],{\\\"id\\\":99\\\\\"",
		"[]",
		"{}",
	};
	STR_AUTO line = STR_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		str_clear(&line);
		str_printf(&line, CALL("7", "%s"), values[i]);
		says(line.ptr, "7 ");
	}
	bytes_say(slice_make(CALL("7", "\"a\0b\""), sizeof CALL("7", "\"a\0b\"") - 1), "7 ");
}

static void test_ids(void **state)
{
	(void)state;
	says(CALL("\"a\\\"b\\u00e9\"", "1"), "\"a\\\"b\\u00e9\" ");
	says(CALL("-7", "1"), "-7 ");
	says(CALL("1e400", "1"), "1e400 ");
	says(CALL("\"\"", "1"), "\"\" ");
	says(CALL("01", "1"), "?");
	says(CALL("null", "1"), "?");
	says(CALL("true", "1"), "?");
	says(CALL("{}", "1"), "?");
	says(CALL("[3]", "1"), "?");
	says(CALL("{\"a\":3}", "1"), "?");
	says(CALL("\"\\ud800\"", "1"), "?");
	says(CALL("\"\xff\"", "1"), "?");
	says("{" VERSION ",\"\\u0069d\":3,\"x\":\"\\ud800\"}", "3 ");
	says("{\"\\u006asonrpc\":\"2.\\u0030\",\"id\":3}", "3 ");
	says("\xEF\xBB\xBF " CALL("3", "1") " \r", "3 ");
}

static void test_long_ids(void **state)
{
	STR_AUTO id = STR_INIT;
	STR_AUTO line = STR_INIT;
	STR_AUTO expected = STR_INIT;

	(void)state;
	str_addc(&id, '"');
	for (int i = 0; i < 1022; i++)
		str_addc(&id, 'i');
	str_addc(&id, '"');
	str_printf(&line, CALL("%s", "1"), id.ptr);
	str_printf(&expected, "%s ", id.ptr);
	says(line.ptr, expected.ptr);
	str_clear(&line);
	str_printf(&line, CALL("\"i%s", "1"), id.ptr + 1);
	says(line.ptr, "?");
}

/* None that stands deeper, in a text, in a name, or in what is no request. */
static void test_ids_of_others(void **state)
{
	(void)state;
	says("{" VERSION ",\"method\":\"m\",\"params\":{\"id\":99},\"x\":\"\\ud800\"}", "");
	says("{" VERSION ",\"method\":\"m\",\"params\":[{\"id\":99," VERSION "}],\"id\":5}", "5 ");
	says("{" VERSION ",\"method\":\"\\\"id\\\":99\",\"id\":5}", "5 ");
	says("{" VERSION ",\"method\":\",\\\"id\\\":99,\",\"x\":NaN}", "");
	says("{" VERSION ",\"\\\"id\\\":99,\":\"id\",\"id\":5}", "5 ");
	says("{" VERSION ",\"idx\":99,\"Id\":98,\"i\":97,\"\":96,\"id\":5}", "5 ");
	says("\"{\\\"id\\\":5}", "?");
	says("hello", "?");
	says("'", "?");
	says("}", "?");
	says("", "");
	says(" \t\r", "");
}

static void test_two_ids(void **state)
{
	(void)state;
	says("{" VERSION ",\"id\":1,\"method\":\"m\",\"id\":2}", "?");
	says("{" VERSION ",\"id\":1,\"method\":\"m\",\"id\":null}", "?");
	says("{" VERSION ",\"id\":null,\"method\":\"m\",\"id\":1}", "?");
	says("{" VERSION ",\"id\":1,\"method\":\"m\",\"id\":\"1\"}", "?");
	says("{" VERSION ",\"id\":{\"a\":2},\"method\":\"m\",\"id\":1}", "?");
	says("{" VERSION ",\"id\":1,\"method\":\"m\",\"id\":1}", "1 ");
	says("{" VERSION ",\"id\":1,\"method\":\"m\",\"\\u0069d\":2}", "?");
	says("{" VERSION ",\"id\":1,\"id\":2,\"id\":1}", "?");
}

/* An id that may be a part of another one is none; what came before the end of the line counts. */
static void test_cut_lines(void **state)
{
	(void)state;
	says("{" VERSION ",\"id\":12,\"method\":\"pi", "12 ");
	says("{" VERSION ",\"id\":12,", "12 ");
	says("{" VERSION ",\"id\":12", "?");
	says("{" VERSION ",\"id\":\"12\"", "?");
	says("{" VERSION ",\"id\":12 ", "?");
	says("{" VERSION ",\"method\":\"m\",\"params\":{\"id\":3,", "?");
	says("{" VERSION ",\"id\":12\"method\":\"m\"}", "?");
	says("{" VERSION ",\"id\" 12,\"method\":\"m\"}", "?");
	says("{" VERSION "}\"id\":12}", "?");
	says("{\"id\":99,\"name\":\"a\"},\"id\":5}", "?");
	says("{\"params\":{\"a\":x1,2],\"id\":99}," VERSION ",\"id\":5}", "?");
	says("{\"params\":{\"a\":[1,2}," VERSION ",\"id\":99},\"id\":5}", "?");
	says("{" VERSION ",\"params\":{\"a\":1],\"id\":99,\"method\":\"m\"}", "?");
	says("{" VERSION ",\"params\":[{\"a\":1]},\"id\":99}", "?");
	says("{" VERSION ",\"id\":5,}", "5 ");
	says("{" VERSION ",\"id\":5} x", "5 ");
	says("{" VERSION ",\"id\":5,'a':1}", "5 ");
	says("{" VERSION ",\"id\":5,\"a\"://x", "5 ");
}

/* Without "jsonrpc" it is no request; a notification and an answer want no answer. */
static void test_what_it_is(void **state)
{
	(void)state;
	says("{\"id\":5,\"method\":\"m\",\"a\":\"\\ud800\"}", "?");
	says("{\"jsonrpc\":\"1.0\",\"id\":5,\"method\":\"m\"}", "?");
	says("{\"jsonrpc\":2.0,\"id\":5,\"method\":\"m\"}", "?");
	says("{" VERSION ",\"method\":\"m\",\"a\":\"\\ud800\"}", "");
	says("{\"method\":\"m\",\"a\":\"\\ud800\"}", "");
	says("{" VERSION ",\"method\":\"m\",\"a\":\"\\ud8", "?");
	says("{" VERSION ",\"method\":7}", "?");
	says("{" VERSION ",\"id\":5,\"result\":{\"a\":\"\\ud800\"}}", "");
	says("{" VERSION ",\"id\":5,\"error\":{\"a\":\"\\ud8", "5 ");
	says("{" VERSION ",\"id\":5,\"error\":{},\"a\":\"\\ud8", "");
	says("{" VERSION ",\"id\":5,\"error\":{},\"method\":\"m\"}", "5 ");
	says("{" VERSION ",\"id\":5}", "5 ");
}

static void test_arrays(void **state)
{
	STR_AUTO line = STR_INIT;
	STR_AUTO got = STR_INIT;

	(void)state;
	says("[" CALL("1", "NaN") "," CALL("\"b\"", "1") "]", "1 \"b\" ");
	says("[{" VERSION ",\"method\":\"n\",\"a\":NaN}," CALL("2", "1") "]", "2 ");
	says("[{" VERSION ",\"method\":\"n\",\"a\":NaN}]", "");
	says("[1," CALL("2", "NaN") "]", "2 ?");
	says("[[" CALL("1", "1") "]," CALL("2", "NaN") "]", "2 ?");
	says("[" CALL("1", "1") "," CALL("2", "1"), "1 2 ?");
	says("[" CALL("1", "1") ",{" VERSION ",\"id\":2,\"met", "1 2 ");
	says("[" CALL("1", "1") ",{" VERSION ",\"id\":2", "1 ?");
	says("[" CALL("1", "[{\"id\":9," VERSION "}]") ",", "1 ?");
	says("[", "?");
	str_addc(&line, '[');
	for (int i = 0; i < OUTLINE_IDS_MAX + 1; i++)
		str_adds(&line, CALL("1", "1") ",");
	outline_of(str_slice(&line), 64, &got);
	assert_int_equal(got.len, 2 * OUTLINE_IDS_MAX + 1);
}

static void repeat(struct str *out, const char *text, size_t times)
{
	for (size_t i = 0; i < times; i++)
		str_adds(out, text);
}

/* Deeper than any line of allowed length can close: then nothing is known, and little is kept. */
static void test_depth(void **state)
{
	STR_AUTO line = STR_INIT;
	struct outline o;

	(void)state;
	str_adds(&line, "{" VERSION ",\"params\":");
	repeat(&line, "[", 200000);
	repeat(&line, "]", 200000);
	str_adds(&line, ",\"id\":3}");
	outline_init(&o);
	outline_feed(&o, str_slice(&line));
	outline_end(&o);
	assert_string_equal(o.ids.ptr, "3\n");
	outline_release(&o);

	str_clear(&line);
	repeat(&line, "[", 1 << 16);
	outline_init(&o);
	for (int i = 0; i < 64; i++)
		outline_feed(&o, str_slice(&line));
	outline_end(&o);
	assert_true(o.unnamed);
	assert_in_range(o.open.cap, 0, 4 << 20);
	outline_release(&o);
}

/* ---- whatever happens to a line, nobody else is answered */

/* The id of an answer (its text), or NULL. */
static struct slice id_of(const struct json *doc, uint32_t node)
{
	uint32_t id = json_member(doc, node, "id");

	return id == JSON_NONE ? slice_of(NULL) : json_text(doc, id);
}

static void check_answer(struct slice line, struct slice answer, const char *id)
{
	struct json_fault fault;
	struct json doc;
	struct slice got;

	if (answer.len == 0)
		return;
	assert_int_equal(json_parse(&doc, answer, &json_file_bounds, &fault), 0);
	got = id_of(&doc, JSON_ROOT);
	if (got.ptr && !slice_is(got, id))
		fail_msg("%.*s\nis answered with %.*s", (int)line.len, line.ptr, (int)answer.len,
			 answer.ptr);
	json_release(&doc);
}

/*
 * Requests as clients write them, full of things that look like ids. The place of the id is marked:
 * what is put between the two bars changes the id itself, and is left alone.
 */
static const char *const requests[] = {
	"{\"jsonrpc\":\"2.0\",\"id\":|417|,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\","
	"\"arguments\":{\"text\":\"\\\"id\\\":99,{}[]\",\"id\":98,\"list\":[{\"id\":97}]}}}",
	"{\"method\":\"tools/call\",\"params\":{\"name\":\"echo\",\"arguments\":{\"text\":"
	"\"},\\\"jsonrpc\\\":\\\"2.0\\\",\\\"id\\\":99,\\\"x\\\":{\",\"id\":98}},\"jsonrpc\":"
	"\"2.0\",\"id\":|417|}",
	"{\"method\":\"tools/"
	"call\",\"params\":{\"name\":\"echo\",\"arguments\":{\"id\":96,\"text\":"
	"\"a\\ud800\",\"deep\":{\"id\":95,\"jsonrpc\":\"2\",\"a\":[[{\"id\":94}]]}}},\"jsonrpc\":"
	"\"2.0\",\"id\":|417|}",
};

/* The request without its marks; *begin and *end are where its member "id" is. */
static void unmark(const char *request, struct str *out, size_t *begin, size_t *end)
{
	const char *first = strchr(request, '|');
	const char *second = strchr(first + 1, '|');

	str_clear(out);
	str_add(out, slice_make(request, (size_t)(first - request)));
	*begin = out->len - strlen("\"id\":");
	str_add(out, slice_make(first + 1, (size_t)(second - first) - 1));
	/* With the byte behind it: a digit there would make another number of it. */
	*end = out->len + 1;
	str_adds(out, second + 1);
}

static size_t random_below(uint64_t *seed, size_t limit)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (size_t)(*seed >> 33) % limit;
}

static void change_byte(uint64_t *seed, struct str *line, size_t begin, size_t end)
{
	static const char bytes[] = "{}[]\",:\\0 \x01\xff"
				    "a1";
	size_t at = random_below(seed, line->len);

	if (at >= begin && at < end)
		return;
	line->ptr[at] = bytes[random_below(seed, sizeof bytes - 1)];
}

/* Takes some bytes out: at the beginning, in the middle, at the end. */
static void cut_out(uint64_t *seed, struct str *line, size_t begin, size_t end)
{
	size_t from = random_below(seed, line->len);
	size_t len = 1 + random_below(seed, line->len - from);

	if (random_below(seed, 4) == 0)
		from = 0;
	/* A part of the id would be another id. */
	if (from < end && from + len > begin && !(from <= begin && from + len >= end))
		return;
	memmove(line->ptr + from, line->ptr + from + len, line->len - from - len);
	str_truncate(line, line->len - len);
}

static void test_no_other_id(void **state)
{
	struct mcp_session *session = wire_greeted("2025-06-18");
	STR_AUTO line = STR_INIT;
	STR_AUTO out = STR_INIT;
	uint64_t seed = 12;
	size_t named = 0;

	(void)state;
	for (int round = 0; round < 100000; round++) {
		size_t begin;
		size_t end;

		unmark(requests[round % 3], &line, &begin, &end);
		if (round & 1)
			change_byte(&seed, &line, begin, end);
		if (round & 2)
			cut_out(&seed, &line, begin, end);
		str_clear(&out);
		mcp_dispatch_line(session, str_slice(&line), &out);
		check_answer(str_slice(&line), str_slice(&out), "417");
		named += strstr(out.ptr, "\"id\":417") != NULL;
	}
	/* Most can still be answered. */
	assert_in_range(named, 50000, 100000);
	mcp_session_free(session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_faults_in_values),
		cmocka_unit_test(test_ids),
		cmocka_unit_test(test_long_ids),
		cmocka_unit_test(test_ids_of_others),
		cmocka_unit_test(test_two_ids),
		cmocka_unit_test(test_cut_lines),
		cmocka_unit_test(test_what_it_is),
		cmocka_unit_test(test_arrays),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_no_other_id),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
