#include "model/relation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

struct reading {
	struct arena arena;
	struct json doc;
	struct relation relation;
	bool found;
};

/* Reads the one member of a text. */
static void read_one(struct reading *r, const char *text)
{
	struct json_fault fault;

	*r = (struct reading){.arena = ARENA_INIT};
	assert_int_equal(json_parse(&r->doc, slice_of(text), &json_file_bounds, &fault), 0);
	r->found = relation_read(&r->relation, &r->doc, json_first(&r->doc, JSON_ROOT), &r->arena);
}

static void release(struct reading *r)
{
	json_release(&r->doc);
	arena_release(&r->arena);
}

static void a_link_says_who_and_how(void **state)
{
	struct reading r;

	(void)state;
	read_one(&r, "{\"rel-1\":{\"from\":\"state:a\",\"to\":\"pref\\u0065rences:b\","
		     "\"type\":\"has_decision\",\"strength\":0.25,\"metadata\":{\"n\":1.0},"
		     "\"created_at\":\"2026-11-21T08:30:00.000Z\"}}");
	assert_true(r.found);
	assert_true(slice_is(r.relation.id, "rel-1"));
	assert_true(slice_is(r.relation.from, "state:a"));
	assert_true(slice_is(r.relation.to, "preferences:b"));
	assert_int_equal(r.relation.type, RELATION_HAS_DECISION);
	assert_true(r.relation.strength == 0.25);
	assert_true(slice_is(r.relation.metadata, "{\"n\":1.0}"));
	assert_int_equal(r.relation.created_ms, INT64_C(1795249800000));
	release(&r);
}

static void ends_are_enough(void **state)
{
	struct reading r;

	(void)state;
	read_one(&r, "{\"x\":{\"from\":\"a\",\"to\":\"b\",\"metadata\":5}}");
	assert_true(r.found);
	assert_int_equal(r.relation.type, RELATION_RELATED);
	assert_true(r.relation.strength == 1);
	assert_null(r.relation.metadata.ptr);
	assert_true(r.relation.created_ms == TIME_NONE);
	release(&r);
	read_one(&r, "{\"x\":{\"from\":\"a\",\"to\":\"b\",\"strength\":7}}");
	assert_true(r.relation.strength == 1);
	release(&r);
	read_one(&r, "{\"x\":{\"from\":\"a\",\"to\":\"b\",\"strength\":-1}}");
	assert_true(r.relation.strength == 0);
	release(&r);
}

static void what_is_no_link(void **state)
{
	static const char *const texts[] = {
		"{\"x\":5}",
		"{\"x\":[]}",
		"{\"x\":{\"from\":\"a\"}}",
		"{\"x\":{\"from\":\"a\",\"to\":5}}",
		"{\"x\":{\"from\":\" \",\"to\":\"b\"}}",
		"{\"x\":{\"from\":\"a\",\"to\":\"b\",\"type\":\"likes\"}}",
		"{\"x\":{\"from\":\"a\",\"to\":\"b\",\"type\":5}}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct reading r;

		read_one(&r, texts[i]);
		assert_false(r.found);
		release(&r);
	}
}

static void a_new_link_reads_back(void **state)
{
	const struct relation relation = {
		.from = slice_of("state:a \"b\""),
		.to = slice_of("state:c"),
		.type = RELATION_CAUSES,
		.strength = 0.1,
		.metadata = slice_of("{\"why\":1e400}"),
		.created_ms = INT64_C(1795249800000),
	};
	STR_AUTO text = STR_INIT;
	STR_AUTO file = STR_INIT;
	struct reading r;

	(void)state;
	relation_compose(&text, &relation);
	assert_string_equal(
		text.ptr, "{\"from\":\"state:a \\\"b\\\"\",\"to\":\"state:c\",\"type\":\"causes\","
			  "\"strength\":0.1,\"metadata\":{\"why\":1e400},"
			  "\"created_at\":\"2026-11-21T08:30:00.000+00:00\"}");
	str_printf(&file, "{\"x\":%s}", text.ptr);
	read_one(&r, file.ptr);
	assert_true(slice_is(r.relation.from, "state:a \"b\""));
	release(&r);
}

static void only_the_ends_change(void **state)
{
	static const char text[] = "{ \"to\": \"state:a\", \"mine\": 1.0, \"fr\\u006fm\": \"b\", "
				   "\"metadata\": {\"from\": \"b\"} }";
	STR_AUTO out = STR_INIT;

	(void)state;
	relation_repoint(&out, slice_of(text), slice_of("state:new"), slice_make(NULL, 0));
	assert_string_equal(out.ptr,
			    "{\"to\":\"state:a\",\"mine\":1.0,\"fr\\u006fm\":\"state:new\","
			    "\"metadata\":{\"from\":\"b\"}}");
	str_clear(&out);
	relation_repoint(&out, slice_of(text), slice_make(NULL, 0), slice_of("x\"y"));
	assert_string_equal(out.ptr, "{\"to\":\"x\\\"y\",\"mine\":1.0,\"fr\\u006fm\":\"b\","
				     "\"metadata\":{\"from\":\"b\"}}");
}

static void ids_are_made_of_what_is_said(void **state)
{
	STR_AUTO one = STR_INIT;
	STR_AUTO other = STR_INIT;

	(void)state;
	relation_id(&one, slice_of("state:a"), slice_of("state:b"), RELATION_RELATED, 1);
	relation_id(&other, slice_of("state:a"), slice_of("state:b"), RELATION_RELATED, 1);
	assert_string_equal(one.ptr, other.ptr);
	assert_int_equal(one.len, strlen("rel-") + 12);
	str_clear(&other);
	relation_id(&other, slice_of("state:b"), slice_of("state:a"), RELATION_RELATED, 1);
	assert_string_not_equal(one.ptr, other.ptr);
	str_clear(&other);
	relation_id(&other, slice_of("state:a"), slice_of("state:b"), RELATION_RELATED, 2);
	assert_memory_equal(other.ptr, one.ptr, one.len);
	assert_string_equal(other.ptr + one.len, "-2");
}

static void a_link_stands_for_where_it_begins(void **state)
{
	struct reading r;

	(void)state;
	read_one(&r, "{\"x\":{\"from\":\"patterns:a\",\"to\":\"b\"}}");
	assert_int_equal(relation_category(&r.doc, json_first(&r.doc, JSON_ROOT)),
			 CATEGORY_PATTERNS);
	release(&r);
	read_one(&r, "{\"x\":5}");
	assert_int_equal(relation_category(&r.doc, json_first(&r.doc, JSON_ROOT)), CATEGORY_STATE);
	release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_link_says_who_and_how),
		cmocka_unit_test(ends_are_enough),
		cmocka_unit_test(what_is_no_link),
		cmocka_unit_test(a_new_link_reads_back),
		cmocka_unit_test(only_the_ends_change),
		cmocka_unit_test(ids_are_made_of_what_is_said),
		cmocka_unit_test(a_link_stands_for_where_it_begins),
	};

	setenv("TZ", "UTC0", 1);
	return cmocka_run_group_tests_name("relation", tests, NULL, NULL);
}
