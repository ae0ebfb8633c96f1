/*
 * What is exported and taken in again is the same: random stores, all forms. The seed of a store
 * that fails is printed; IMPORT_SEED=N tries that one alone.
 */
#include "store/open/store.h"
#include "support/carry.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define TEST(f) cmocka_unit_test_setup_teardown(f, toolcall_set_up, toolcall_tear_down)

#define SEEDS 60

/* ---- random stores */

struct world {
	struct teststore *t;
	uint64_t random;
};

static size_t pick(struct world *world, size_t count)
{
	world->random ^= world->random << 13;
	world->random ^= world->random >> 7;
	world->random ^= world->random << 17;
	return (size_t)(world->random % count);
}

#define PICK(world, list) (list)[pick((world), sizeof(list) / sizeof(list)[0])]

static const char *const scalars[] = {
	"9007199254740993",
	"1.0",
	"1e400",
	"-0",
	"0.1e-7",
	"true",
	"null",
	"'a\\u0000b'",
	"''",
	"'\\u00e9\\/'",
	"'12'",
	"'two\\nlines'",
	"'# heading'",
	"'```'",
	"' blank '",
	"'- [a](b.md) c'",
	"'prefers vim'",
	"'\\ud83d\\ude00'",
	"'line\\r\\n'",
	"'{\\'a\\':1}'",
};

static void add_value(struct world *world, struct str *out, int depth)
{
	size_t kind = pick(world, depth > 2 ? 3 : 6);
	size_t count = pick(world, 4);

	if (kind < 3) {
		str_adds(out, PICK(world, scalars));
		return;
	}
	str_adds(out, kind < 5 ? "[" : "{");
	for (size_t i = 0; i < count; i++) {
		str_adds(out, i ? "," : "");
		if (kind == 5)
			str_printf(out, "'m%zu':", i);
		add_value(world, out, depth + 1);
	}
	str_adds(out, kind < 5 ? "]" : "}");
}

static void add_entry(struct world *world, struct str *out)
{
	static const char *const times[] = {
		",'created_at':'2026-11-20T10:00:00.123+01:00'",
		",'created_at':'2026-10-01T00:00:00Z','last_updated':'2026-11-02 10:00+05:30'",
		",'created':1795000000000,'updated':'2026-11-10T00:00:00.000Z','hits':3",
		"",
	};
	static const char *const facts[] = {
		"",
		",'tags':['a','b c']",
		",'importance':0.90,'mine':{'x':[1.0]}",
		",'entities':['Ada'],'source':'cli'",
		",'strength':1.50,'status':'promoted'",
	};
	size_t kind = pick(world, 5);

	if (kind == 0) {
		add_value(world, out, 0);
		return;
	}
	str_adds(out, "{'value':");
	add_value(world, out, 0);
	str_adds(out, PICK(world, times));
	str_adds(out, PICK(world, facts));
	str_adds(out, kind == 1 ? ",'pinned':true}" : "}");
}

static const char *const stems[] = {
	"k",      "Gr\xc3\xb6\xc3\x9f\x65 ", "state:x", "\xe5\x81\x8f", "'quoted'", "#tag", "a\\/b",
	"Mix Ed-"};

static void write_category(struct world *world, const char *file)
{
	size_t count = 1 + pick(world, 12);
	STR_AUTO text = STR_INIT;

	str_adds(&text, "{\n");
	for (size_t i = 0; i < count; i++) {
		const char *stem = PICK(world, stems);

		str_adds(&text, i ? ",\n  '" : "  '");
		for (; *stem; stem++)
			str_adds(&text, *stem == '\'' ? "\\'" : (char[]){*stem, '\0'});
		str_printf(&text, "%zu' : ", i);
		add_entry(world, &text);
	}
	/* One that is equal to the first of its kind, but for its spelling. */
	str_adds(&text, ",'Twin One':1,'twin-one':2\n}\n");
	toolcall_write_file(world->t, file, text.ptr);
}

static void write_archive(struct world *world, const char *file, bool cold)
{
	STR_AUTO text = STR_INIT;

	str_adds(&text, cold ? "" : "{'patterns':[");
	for (size_t i = 0; i < 3; i++) {
		str_adds(&text, i && !cold ? "," : "");
		str_adds(&text, cold ? "{'category':'patterns'," : "{");
		str_printf(&text,
			   "'key':'r%zu@2026-0%zu-01T00:00:00.000Z','originalKey':'r%zu',"
			   "'archivedAt':'2026-0%zu-01T00:00:00.000Z','reason':'faded','entry':"
			   "{'value':",
			   i, 1 + pick(world, 3) + (cold ? 0 : 4), i, 1 + pick(world, 9));
		add_value(world, &text, 0);
		str_adds(&text, ",'mine':1.0}}");
		str_adds(&text, cold ? "\n" : "");
	}
	str_adds(&text, cold ? "" : "]}");
	toolcall_write_file(world->t, file, text.ptr);
}

static void write_links(struct world *world)
{
	STR_AUTO text = STR_INIT;

	str_addc(&text, '{');
	for (size_t i = 0; i < 6; i++)
		str_printf(&text,
			   "%s'l%zu':{'from':'preferences:k%zu','to':'patterns:r%zu',"
			   "'type':'%s','strength':0.50,'mine':[-0]}",
			   i ? "," : "", i, pick(world, 6), i, pick(world, 2) ? "causes" : "x");
	str_addc(&text, '}');
	toolcall_write_file(world->t, "relations.json", text.ptr);
}

static void make_store(struct teststore *t, uint64_t seed)
{
	struct world world = {t, seed * UINT64_C(0x9e3779b97f4a7c15) + 1};

	write_category(&world, "preferences.json");
	write_category(&world, "patterns.json");
	write_category(&world, "state.json");
	write_archive(&world, "archive.json", false);
	mkdirat(t->dir.fd, "archive.cold", 0700);
	write_archive(&world, "archive.cold/2026-01.jsonl", true);
	write_links(&world);
	tmpdir_write(&t->dir, "usage.jsonl",
		     "{\"since\":\"2026-11-01T00:00:00.000+01:00\"}\n"
		     "{\"hit\":\"preferences:k0\",\"at\":\"2026-11-02T00:00:00.000+01:00\"}\n"
		     "{\"use\":\"state:k1\",\"at\":\"2026-11-03T00:00:00.000+01:00\","
		     "\"crossed\":true}\n");
	/* When what has no times was first seen is known from here on. */
	teststore_refresh(t);
}

/* ---- what must hold of them */

static void check_same(struct teststore *t, const char *format, const char *file)
{
	char *before = carry_export(t, format, file);
	struct teststore other;
	char *after;

	teststore_open(&other);
	toolcall_later();
	carry_import_has(&other, t, file, ",'yes':true", "'skipped':0,");
	after = carry_export(&other, format, file);
	assert_string_equal(before, after);
	/* Once more is nothing more. */
	carry_import_has(&other, t, file, ",'yes':true", "'migrated':0,");
	free(after);
	after = carry_export(&other, format, file);
	assert_string_equal(before, after);
	free(before);
	free(after);
	teststore_close(&other);
}

static void for_each_seed(struct teststore *t, void (*check)(struct teststore *t, uint64_t seed))
{
	const char *only = getenv("IMPORT_SEED");
	uint64_t first = only ? strtoull(only, NULL, 10) : 1;

	for (uint64_t seed = first; seed < (only ? first + 1 : SEEDS); seed++) {
		fake_sys_set_now(TESTSTORE_NOW);
		make_store(t, seed);
		print_message("seed %" PRIu64 "\n", seed);
		check(t, seed);
	}
}

static void check_own(struct teststore *t, uint64_t seed)
{
	check_same(t, seed % 2 ? "json" : "jsonl", "export");
}

static void out_and_in_again_is_the_same_to_the_byte(void **state)
{
	for_each_seed(*state, check_own);
}

/* Do two stores have the same values under the same keys? */
static void assert_same_values(struct teststore *a, struct teststore *b)
{
	const struct item *left;
	const struct item *right;
	size_t count;
	size_t other;

	teststore_refresh(a);
	teststore_refresh(b);
	left = store_items(a->store, &count);
	right = store_items(b->store, &other);
	assert_int_equal(count, other);
	for (size_t i = 0; i < count; i++) {
		struct json_fault fault;
		struct json x;
		struct json y;

		if (!slice_equal(left[i].ref, right[i].ref))
			fail_msg("%.*s became %.*s", (int)left[i].ref.len, left[i].ref.ptr,
				 (int)right[i].ref.len, right[i].ref.ptr);
		assert_int_equal(json_parse(&x, left[i].entry.value, &json_file_bounds, &fault), 0);
		assert_int_equal(json_parse(&y, right[i].entry.value, &json_file_bounds, &fault),
				 0);
		if (!json_equal(&x, JSON_ROOT, &y, JSON_ROOT))
			fail_msg("%.*s was %.*s and is %.*s", (int)left[i].ref.len, left[i].ref.ptr,
				 (int)left[i].entry.value.len, left[i].entry.value.ptr,
				 (int)right[i].entry.value.len, right[i].entry.value.ptr);
		json_release(&x);
		json_release(&y);
	}
}

/* Twins cannot be told apart where keys are names. */
static void drop_twins(struct teststore *t)
{
	static const char *const files[] = {"preferences.json", "patterns.json", "state.json"};

	for (size_t i = 0; i < 3; i++) {
		char *text = tmpdir_read(&t->dir, files[i]);
		char *twin = strstr(text, "\"twin-one\"");

		assert_non_null(twin);
		memcpy(twin, "\"other   \"", 10);
		tmpdir_write(&t->dir, files[i], text);
		free(text);
	}
}

static void check_values(struct teststore *t, uint64_t seed)
{
	const char *format = seed % 2 ? "mcp" : "markdown";
	const char *file = seed % 2 ? "memory.jsonl" : "memory.md";
	struct teststore other;

	drop_twins(t);
	free(carry_export(t, format, file));
	teststore_open(&other);
	carry_import_has(&other, t, file, ",'yes':true", "'refused':0");
	assert_same_values(t, &other);
	teststore_close(&other);
}

static void other_forms_keep_keys_and_values(void **state)
{
	for_each_seed(*state, check_values);
}

static void another_store_is_taken_with_links_and_usage(void **state)
{
	struct teststore *t = *state;
	struct teststore other;
	char *before;
	char *after;
	char *usage = NULL;

	make_store(t, 3);
	drop_twins(t);
	toolcall_write_file(t, "config.json", "{}");
	teststore_refresh(t);
	before = carry_export(t, "json", "e");
	unlinkat(t->dir.fd, "e", 0);
	usage = tmpdir_read(&t->dir, "usage.jsonl");
	teststore_open(&other);
	toolcall_later();
	carry_import_has(&other, t, "", ",'yes':true", "'unread':['config.json']");
	after = carry_export(&other, "json", "e");
	assert_string_equal(before, after);
	free(after);
	/* The source is as it was. */
	after = tmpdir_read(&t->dir, "usage.jsonl");
	assert_string_equal(usage, after);
	free(usage);
	free(before);
	free(after);
	teststore_close(&other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(out_and_in_again_is_the_same_to_the_byte),
		TEST(other_forms_keep_keys_and_values),
		TEST(another_store_is_taken_with_links_and_usage),
	};

	tmpdir_in_memory();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
