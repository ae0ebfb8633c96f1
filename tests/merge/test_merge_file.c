#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "merge/canon.h"
#include "merge/merge_file.h"
#include "merge/stores.h"

/* Merges one file, with a base or (NULL) without. */
static int merge_one(const char *path, const char *base, const char *ours, const char *theirs,
		     size_t entry_bytes, struct str *out, size_t *conflicts, struct err *err)
{
	struct slice bases[] = {slice_of(base)};
	struct merge_texts texts = {bases, base ? 1 : 0, slice_of(ours), slice_of(theirs)};
	struct merge_report report;
	int result = merge_file(slice_of(path), &texts, entry_bytes, out, &report, err);

	*conflicts = report.count;
	merge_report_release(&report);
	return result;
}

#define STATE "data/kota_memory/state.json"
#define ARCHIVE "data/kota_memory/archive.json"
#define E(value, updated)                                                                          \
	"{\"value\":" value ",\"last_updated\":\"2026-01-0" updated "T00:00:00Z\"}"
#define CONFLICT(entry) ",\"conflict\":[" entry "]}"
#define F(value, updated) "{\"value\":" value ",\"last_updated\":\"2026-01-0" updated "T00:00:00Z\""
#define R(key, at, reason, entry)                                                                  \
	"{\"key\":\"" key "\",\"originalKey\":\"k\",\"archivedAt\":\"2026-01-0" at                 \
	"T00:00:00Z\",\"reason\":\"" reason "\",\"entry\":" entry "}"

/* Each row is also merged with its sides exchanged. Values are compared, not layout. */
static const struct {
	const char *what;
	const char *path;
	const char *base; /* NULL: none */
	const char *ours;
	const char *theirs;
	const char *merged;
	size_t conflicts;
} rows[] = {
	{"two that were added both stay", STATE, "{}", "{\"a\":1}", "{\"b\":2}",
	 "{\"a\":1,\"b\":2}", 0},
	{"what one side changed is taken", STATE, "{\"a\":1,\"b\":1}", "{\"a\":2,\"b\":1}",
	 "{\"a\":1,\"b\":3}", "{\"a\":2,\"b\":3}", 0},
	{"what one side removed goes", STATE, "{\"a\":1,\"b\":1}", "{\"b\":1}", "{\"a\":1,\"b\":2}",
	 "{\"b\":2}", 0},
	{"a change outlives a removal", STATE, "{\"a\":1}", "{}", "{\"a\":2}", "{\"a\":2}", 0},
	{"bookkeeping does not", STATE, "{\"a\":{\"value\":1,\"hits\":1}}", "{}",
	 "{\"a\":{\"value\":1,\"hits\":5,\"last_used\":\"2026-01-01T00:00:00Z\"}}", "{}", 0},
	{"bookkeeping of what was bare does not", STATE, "{\"a\":1}", "{}",
	 "{\"a\":{\"value\":1,\"strength\":2}}", "{}", 0},
	{"the later text stands in front", STATE, "{\"a\":" E("1", "1") "}",
	 "{\"a\":" E("2", "2") "}", "{\"a\":" E("3", "3") "}",
	 "{\"a\":" F("3", "3") CONFLICT(E("2", "2")) "}", 1},
	{"by hand goes before by tool", STATE, "{\"a\":" E("1", "1") "}", "{\"a\":" E("2", "1") "}",
	 "{\"a\":" E("3", "3") "}", "{\"a\":" F("2", "3") CONFLICT(E("3", "3")) "}", 1},
	{"times in other zones are compared by what they mean", STATE, "{}",
	 "{\"a\":{\"value\":1,\"created_at\":\"2026-01-01T10:00:00+09:00\"}}",
	 "{\"a\":{\"value\":2,\"created_at\":\"2026-01-01T09:00:00Z\"}}",
	 "{\"a\":{\"value\":2,\"created_at\":\"2026-01-01T10:00:00+09:00\",\"conflict\":["
	 "{\"value\":1,\"created_at\":\"2026-01-01T10:00:00+09:00\"}]}}",
	 1},
	{"bare values", STATE, "{\"a\":1}", "{\"a\":\"x\"}", "{\"a\":\"y\"}",
	 "{\"a\":{\"value\":\"y\",\"conflict\":[{\"value\":\"x\"}]}}", 1},
	{"without a base nothing is combined in a value", STATE, NULL, "{\"a\":{\"x\":1}}",
	 "{\"a\":{\"y\":2}}", "{\"a\":{\"value\":{\"y\":2},\"conflict\":[{\"value\":{\"x\":1}}]}}",
	 1},
	{"members of an object", STATE, "{\"a\":{\"x\":1,\"y\":1,\"z\":1}}",
	 "{\"a\":{\"x\":2,\"y\":1}}", "{\"a\":{\"x\":1,\"y\":2,\"z\":1,\"n\":0}}",
	 "{\"a\":{\"x\":2,\"y\":2,\"n\":0}}", 0},
	{"what both append to a list", STATE, "{\"a\":{\"value\":[1]}}",
	 "{\"a\":{\"value\":[1,2,4],\"last_updated\":\"2026-01-01T00:00:00Z\"}}",
	 "{\"a\":{\"value\":[1,3,4],\"last_updated\":\"2026-01-02T00:00:00Z\"}}",
	 "{\"a\":{\"value\":[1,2,4,3],\"last_updated\":\"2026-01-02T00:00:00Z\"}}", 0},
	{"tags are sets", STATE, "{\"a\":{\"value\":1,\"tags\":[\"p\",\"q\"]}}",
	 "{\"a\":{\"value\":1,\"tags\":[\"q\",\"x\"]}}",
	 "{\"a\":{\"value\":1,\"tags\":[\"p\",\"q\",\"b\"]}}",
	 "{\"a\":{\"value\":1,\"tags\":[\"q\",\"b\",\"x\"]}}", 0},
	{"counts, marks and creation", STATE,
	 "{\"a\":{\"value\":1,\"hits\":1,\"created\":5,\"pinned\":null}}",
	 "{\"a\":{\"value\":1,\"hits\":10,\"created\":4,\"pinned\":true}}",
	 "{\"a\":{\"value\":1,\"hits\":9,\"created\":3,\"pinned\":false}}",
	 "{\"a\":{\"value\":1,\"hits\":10,\"created\":3,\"pinned\":true}}", 0},
	{"one side sets, one removes a member", STATE, "{\"a\":{\"value\":1,\"source\":\"x\"}}",
	 "{\"a\":{\"value\":1}}", "{\"a\":{\"value\":1,\"source\":\"y\",\"tags\":[]}}",
	 "{\"a\":{\"value\":1,\"source\":\"y\",\"tags\":[]}}", 0},
	{"a member of one's own", STATE, "{\"a\":{\"value\":1,\"own\":1}}",
	 "{\"a\":{\"value\":1,\"own\":2}}", "{\"a\":{\"value\":1,\"own\":3}}",
	 "{\"a\":{\"value\":1,\"own\":3,\"conflict\":[{\"value\":1,\"own\":2}]}}", 1},
	{"what lost before stays beside it", STATE, "{\"a\":{\"value\":1}}",
	 "{\"a\":{\"value\":2,\"conflict\":[{\"value\":8}]}}",
	 "{\"a\":{\"value\":3,\"conflict\":[{\"value\":9}]}}",
	 "{\"a\":{\"value\":3,\"conflict\":[{\"value\":2},{\"value\":8},{\"value\":9}]}}", 1},
	{"both move it, and one puts another in its place", STATE, "{\"a\":1}", "{\"b\":1,\"a\":2}",
	 "{\"c\":1}", "{\"b\":1,\"a\":2,\"c\":1}", 0},
	{"one entry under two spellings", STATE, "{}", "{\"My Key\":" E("1", "1") "}",
	 "{\"my-key\":" E("2", "2") "}", "{\"my-key\":" F("2", "2") CONFLICT(E("1", "1")) "}", 1},
	{"the same under two spellings", STATE, "{}", "{\"my key\":1}", "{\"My Key\":1}",
	 "{\"My Key\":1}", 0},
	{"two spellings that were there before stay two", STATE, "{\"a b\":1}",
	 "{\"a b\":1,\"A B\":2}", "{\"a b\":1,\"a-b\":3}", "{\"a b\":1,\"A B\":2,\"a-b\":3}", 0},
	{"of two spellings on one side none is the other's", STATE, "{}", "{\"a b\":1}",
	 "{\"A-B\":2,\"A b\":3}", "{\"a b\":1,\"A-B\":2,\"A b\":3}", 0},
	{"a change follows its entry to the new name", STATE, "{\"a\":1}", "{\"b\":1}", "{\"a\":2}",
	 "{\"b\":2}", 0},
	{"not where two new names have its text", STATE, "{\"a\":1}", "{\"b\":1,\"c\":1}",
	 "{\"a\":2}", "{\"a\":2,\"b\":1,\"c\":1}", 0},
	{"records of both sides", ARCHIVE, "{}",
	 "{\"state\":[" R("k@1", "1", "deleted", "{\"value\":1}") "]}",
	 "{\"state\":[" R("k@2", "2", "deleted", "{\"value\":2}") "]}",
	 "{\"state\":[" R("k@1", "1", "deleted", "{\"value\":1}") "," R("k@2", "2", "deleted",
									"{\"value\":2}") "]}",
	 0},
	{"a record that one side took out", ARCHIVE,
	 "{\"state\":[" R("k@1", "1", "deleted", "{\"value\":1}") "]}", "{\"state\":[]}",
	 "{\"state\":[" R("k@1", "1", "deleted", "{\"value\":1}") "]}", "{\"state\":[]}", 0},
	{"what both expired is there once", ARCHIVE, "{}",
	 "{\"state\":[" R("k@2", "2", "expiry", "{\"value\":1}") "]}",
	 "{\"state\":[" R("k@1", "1", "expiry", "{\"value\":1}") "]}",
	 "{\"state\":[" R("k@1", "1", "expiry", "{\"value\":1}") "]}", 0},
	{"one key, two texts", ARCHIVE, "{}",
	 "{\"state\":[" R("k@1", "1", "deleted", "{\"value\":1}") "]}",
	 "{\"state\":[" R("k@1", "1", "deleted", "{\"value\":2}") "]}",
	 "{\"state\":[" R("k@1", "1", "deleted", "{\"value\":1}") "," R("k@1#2", "1", "deleted",
									"{\"value\":2}") "]}",
	 0},
	{"links that say the same", "relations.json", "{}",
	 "{\"r1\":{\"from\":\"a\",\"to\":\"b\",\"created_at\":\"2026-01-02\"}}",
	 "{\"r2\":{\"from\":\"a\",\"to\":\"b\",\"type\":\"related\",\"created_at\":\"2026-01-01\"}"
	 "}",
	 "{\"r2\":{\"from\":\"a\",\"to\":\"b\",\"type\":\"related\",\"created_at\":\"2026-01-01\"}"
	 "}",
	 0},
	{"a link that both changed", "relations.json",
	 "{\"r\":{\"from\":\"a\",\"to\":\"b\",\"strength\":1}}",
	 "{\"r\":{\"from\":\"x\",\"to\":\"b\",\"strength\":1}}",
	 "{\"r\":{\"from\":\"a\",\"to\":\"b\",\"strength\":2}}",
	 "{\"r\":{\"from\":\"x\",\"to\":\"b\",\"strength\":2}}", 0},
	{"the later day of use", "activity.json", "{\"state:a\":\"2026-01-01\"}",
	 "{\"state:a\":\"2026-01-05\"}", "{\"state:a\":\"2026-01-03\"}",
	 "{\"state:a\":\"2026-01-05\"}", 0},
	{"settings member by member", "config.json", "{\"limits\":{\"expiry_days\":90}}",
	 "{\"limits\":{\"expiry_days\":30}}", "{\"limits\":{\"expiry_days\":90},\"git\":\"off\"}",
	 "{\"limits\":{\"expiry_days\":30},\"git\":\"off\"}", 0},
	{"settings that both changed are told", "config.json", "{\"git\":\"own\"}",
	 "{\"git\":\"off\"}", "{\"git\":\"project\"}", "{\"git\":\"project\"}", 1},
	{"synonyms are sets", "synonyms.json", "{\"db\":[\"a\"]}", "{\"db\":[\"a\",\"c\"]}",
	 "{\"db\":[\"b\"]}", "{\"db\":[\"b\",\"c\"]}", 0},
	{"an empty file", STATE, "", "{\"a\":1}", "", "{\"a\":1}", 0},
};

static void assert_same_value(const char *what, const char *left, const char *right)
{
	CANON_AUTO a = {0};
	CANON_AUTO b = {0};
	struct json_fault fault;

	if (canon_parse(&a, slice_of(left), &fault) != 0 ||
	    canon_parse(&b, slice_of(right), &fault) != 0)
		fail_msg("%s: %s: %s / %s", what, fault.what, left, right);
	if (!part_same(part_root(&a), part_root(&b)))
		fail_msg("%s: %s instead of %s", what, left, right);
}

/* The order of records says nothing: they are compared sorted. */
static void assert_same_archive(const char *what, const char *left, const char *right)
{
	const char *const texts[] = {left, right};
	struct str sorted[] = {STR_INIT, STR_INIT};

	for (int i = 0; i < 2; i++) {
		STR_AUTO store = STR_INIT;

		str_printf(&store, "{\"archive\":%s}", texts[i]);
		stores_canonical(str_slice(&store), &sorted[i]);
	}
	if (strcmp(sorted[0].ptr, sorted[1].ptr) != 0)
		fail_msg("%s: %s instead of %s", what, left, right);
	str_release(&sorted[0]);
	str_release(&sorted[1]);
}

static void each_rule_decides_as_it_says(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		for (int turned = 0; turned < 2; turned++) {
			STR_AUTO out = STR_INIT;
			struct err err = {0};
			size_t conflicts;

			if (merge_one(rows[i].path, rows[i].base,
				      turned ? rows[i].theirs : rows[i].ours,
				      turned ? rows[i].ours : rows[i].theirs, 0, &out, &conflicts,
				      &err) != 0)
				fail_msg("%s: %s", rows[i].what, err.text);
			if (strcmp(rows[i].path, ARCHIVE) == 0)
				assert_same_archive(rows[i].what, out.ptr, rows[i].merged);
			else
				assert_same_value(rows[i].what, out.ptr, rows[i].merged);
			if (conflicts != rows[i].conflicts)
				fail_msg("%s: %zu conflicts", rows[i].what, conflicts);
		}
	}
}

/* Exact texts: what does not change keeps its bytes. */
static const struct {
	const char *path;
	const char *base;
	const char *ours;
	const char *theirs;
	const char *merged;
} texts[] = {
	/* a person's spacing, on either side */
	{STATE, "{\n  \"a\": 1\n}\n", "{\n  \"a\":   1,\n  \"b\" : [ 2 ]\n}",
	 "{\n  \"a\": 1,\n  \"c\" :{\"value\":  3}\n}\n",
	 "{\n  \"a\":   1,\n  \"b\" : [ 2 ],\n  \"c\" :{\"value\":  3}\n}"},
	/* set out like ours where theirs is not */
	{STATE, "{}", "{\r\n\t\"a\": 1\r\n}\r\n", "{\n  \"c\": {\n    \"value\": 3\n  }\n}\n",
	 "{\r\n\t\"a\": 1,\r\n\t\"c\": {\r\n\t\t\"value\": 3\r\n\t}\r\n}\r\n"},
	/* one side alone: byte for byte */
	{STATE, "{\"a\":1}", "{\"a\":1}", "{ \"a\" :1 }\n\n", "{ \"a\" :1 }\n\n"},
	/* numbers as they were written */
	{STATE, "{\"a\":1}", "{\"a\":1, \"b\":12345678901234567890.0}", "{\"a\":1e0,\"c\":2}",
	 "{\"a\":1e0, \"b\":12345678901234567890.0, \"c\":2}"},
	{"archive.cold/2026.jsonl", "{\"a\":1}\n{\"b\":1}\n", "{\"a\":1}\n{\"z\":1}\n",
	 "{\"a\":1}\n{\"b\":1}\n{\"y\":1}\n{\"w\":1}",
	 "{\"a\":1}\n{\"z\":1}\n{\"w\":1}\n{\"y\":1}\n"},
	{"archive.cold/2026.jsonl", NULL, "{\"a\":1}\n{\"b", "{\"c\":1}\n",
	 "{\"a\":1}\n{\"c\":1}\n"},
	{"notes/x.md", "one\ntwo\nthree\n", "zero\none\ntwo\nthree\n", "one\ntwo\nthree\nfour\n",
	 "zero\none\ntwo\nthree\nfour\n"},
	{"notes/x.md", "one\ntwo\nthree\n", "one\nzwei\nthree\n", "one\ndeux\nthree\n",
	 "one\ndeux\n\nzwei\nthree\n"},
	{"notes/x.md", "one\ntwo\n", "one\n", "one\ntwo\nthree", "one\ntwo\nthree"},
	{"notes/x.md", NULL, "b\n", "a", "a\n\nb\n"},
	/* whoever converted the store has converted it; a person's lines stay where they are */
	{".kota", "format 1\n", "format 1\n", "format 2\n", "format 2\n"},
	{".kota", NULL, "format 12\n", "format 2\n", "format 12\n"},
	{".gitignore", ".*\n!.kota\n", "mine\n.*\n!.kota\n", ".*\n!.kota\nyours\n",
	 "mine\n.*\n!.kota\nyours\n"},
};

static void what_does_not_change_keeps_its_bytes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		STR_AUTO out = STR_INIT;
		struct err err = {0};
		size_t conflicts;

		if (merge_one(texts[i].path, texts[i].base, texts[i].ours, texts[i].theirs, 0, &out,
			      &conflicts, &err) != 0)
			fail_msg("row %zu: %s", i, err.text);
		assert_string_equal(out.ptr, texts[i].merged);
	}
}

static void an_entry_that_would_be_too_long_is_not_composed(void **state)
{
	static const char base[] = "{\"a\":{\"value\":{\"x\":1}}}";
	static const char ours[] = "{\"a\":{\"value\":{\"x\":1,\"y\":\"0123456789\"}}}";
	static const char theirs[] = "{\"a\":{\"value\":{\"x\":1,\"z\":\"0123456789\"}}}";
	STR_AUTO out = STR_INIT;
	struct err err = {0};
	size_t conflicts;

	(void)state;
	assert_int_equal(merge_one(STATE, base, ours, theirs, 0, &out, &conflicts, &err), 0);
	assert_int_equal(conflicts, 0);
	assert_int_equal(merge_one(STATE, base, ours, theirs, 50, &out, &conflicts, &err), 0);
	assert_int_equal(conflicts, 1);
	assert_same_value("the winner stands whole", out.ptr,
			  "{\"a\":{\"value\":{\"x\":1,\"z\":\"0123456789\"},\"conflict\":"
			  "[{\"value\":{\"x\":1,\"y\":\"0123456789\"}}]}}");
}

static const struct {
	const char *path;
	const char *base;
	const char *ours;
	const char *theirs;
	const char *says;
} broken[] = {
	{STATE, "{}", "{\"a\":1", "{}", "ours:1:7: "},
	{STATE, "{}", "{}", "{\n<<<<<<< HEAD\n}", "theirs:2:1: "},
	{STATE, "[", "{}", "{\"a\":1}", "the base:1:"},
	{STATE, "{}", "[]", "{}", "ours:1:1: "},
	{STATE, "{\"a\":1}", "{\"a\":1}", "\n", "theirs:1:1: the file is empty"},
	{ARCHIVE, "{}", "{\"state\":\n {}}", "{\"state\":[]}",
	 "ours:2:2: \"state\" must be a list"},
	{"package.json", "{}", "{\"a\":1}", "{}", "package.json is no file of a store"},
	{"notes/x.txt", "", "a", "b", "x.txt is no file of a store"},
};

static void what_is_no_such_file_is_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
		STR_AUTO out = STR_INIT;
		struct err err = {0};
		size_t conflicts;

		str_adds(&out, "as it was");
		assert_int_equal(merge_one(broken[i].path, broken[i].base, broken[i].ours,
					   broken[i].theirs, 0, &out, &conflicts, &err),
				 -1);
		if (!strstr(err.text, broken[i].says))
			fail_msg("row %zu: %s", i, err.text);
		assert_string_equal(out.ptr, "as it was");
	}
}

/* Two peers that took each other's changes at once: their merges have two bases. */
static void with_several_bases_what_is_there_stays(void **state)
{
	struct slice bases[] = {slice_of("{\"a\":1}"), slice_of("{}")};
	struct merge_texts sides = {bases, 2, slice_of("{\"a\":1}"), slice_of("{}")};
	struct merge_report report;
	STR_AUTO out = STR_INIT;
	struct err err = {0};

	(void)state;
	assert_int_equal(merge_file(slice_of(STATE), &sides, 0, &out, &report, &err), 0);
	assert_same_value("as each base has it", out.ptr, "{\"a\":1}");
	merge_report_release(&report);
}

/* git makes one base of two, each of which is an older state of both sides. */
static const struct {
	const char *what;
	const char *path;
	const char *before; /* the bases' own base */
	const char *one;
	const char *two;
	const char *ours;
	const char *theirs;
	const char *merged;
	size_t conflicts;
} crossed[] = {
	{"both texts are old: the greater stays", STATE, "{}", "{\"a\":1}", "{\"a\":2}",
	 "{\"a\":1}", "{\"a\":2}", "{\"a\":2}", 0},
	{"a text that neither base has is new", STATE, "{}", "{\"a\":1}", "{\"a\":2}", "{\"a\":0}",
	 "{\"a\":2}", "{\"a\":0}", 0},
	{"against two old texts it is new on both sides", STATE, "{}", "{\"a\":1}", "{\"a\":2}",
	 "{\"a\":0}", "{\"a\":3}", "{\"a\":{\"value\":3,\"conflict\":[{\"value\":0}]}}", 1},
	{"what one base does not know yet is not removed in it", STATE, "{}", "{}", "{\"a\":1}",
	 "{}", "{\"a\":1}", "{}", 0},
	{"what one base has changed is not old", STATE, "{\"a\":1}", "{\"a\":1}", "{\"a\":2}",
	 "{\"a\":1}", "{\"a\":2}", "{\"a\":1}", 0},
	{"removed in one base, changed in the other", STATE, "{\"a\":1}", "{}", "{\"a\":2}", "{}",
	 "{\"a\":2}", "{\"a\":2}", 0},
	{"a record with two texts", ARCHIVE, "{}", "{\"state\":[" R("k@1", "1", "expiry", "1") "]}",
	 "{\"state\":[" R("k@1", "1", "expiry", "2") "]}",
	 "{\"state\":[" R("k@1", "1", "expiry", "1") "]}",
	 "{\"state\":[" R("k@1", "1", "expiry", "2") "]}",
	 "{\"state\":[" R("k@1", "1", "expiry", "2") "]}", 0},
	{"lines are merged", "archive.cold/2026.jsonl", "", "1\n", "2\n", "1\n", "1\n2\n", "1\n",
	 0},
	{"settings", "config.json", "{}", "{\"x\":1}", "{\"x\":2}", "{\"x\":1}", "{\"x\":2}",
	 "{\"x\":2}", 0},
};

static void join(const char *path, struct slice before, struct slice one, struct slice two,
		 struct str *out)
{
	struct merge_texts sides = {&before, 1, one, two};
	struct err err = {0};

	if (merge_bases(slice_of(path), &sides, out, &err) != 0)
		fail_msg("%s", err.text);
}

static void one_base_made_of_several_has_all_of_them(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof crossed / sizeof *crossed; i++) {
		struct slice before = slice_of(crossed[i].before);
		struct slice one = slice_of(crossed[i].one);
		struct slice two = slice_of(crossed[i].two);

		/* Also the other way round, and joined once more with what is in it. */
		for (int way = 0; way < 3; way++) {
			STR_AUTO base = STR_INIT;
			STR_AUTO more = STR_INIT;
			STR_AUTO out = STR_INIT;
			struct err err = {0};
			size_t conflicts;

			join(crossed[i].path, before, way ? two : one, way ? one : two, &base);
			join(crossed[i].path, str_slice(&base), str_slice(&base), two, &more);
			assert_int_equal(merge_one(crossed[i].path, way < 2 ? base.ptr : more.ptr,
						   crossed[i].ours, crossed[i].theirs, 0, &out,
						   &conflicts, &err),
					 0);
			assert_same_value(crossed[i].what, out.ptr, crossed[i].merged);
			assert_int_equal(conflicts, crossed[i].conflicts);
		}
	}
}

/* Only what merge_bases() has written is taken apart. */
static void what_is_like_several_bases_is_one(void **state)
{
	static const char *const like[] = {"kota: several bases\n", "kota: several bases\n2\n{}x",
					   "kota: several bases\n3\n{}",
					   "kota: several bases\n+2\n{}",
					   "kota: several bases\n2 \n{}"};

	(void)state;
	for (size_t i = 0; i < sizeof like / sizeof *like; i++) {
		STR_AUTO out = STR_INIT;
		struct err err = {0};
		size_t conflicts;

		assert_int_equal(
			merge_one(STATE, like[i], "{}", "{\"a\":1}", 0, &out, &conflicts, &err),
			-1);
		assert_non_null(strstr(err.text, "the base:1:1: "));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_rule_decides_as_it_says),
		cmocka_unit_test(what_does_not_change_keeps_its_bytes),
		cmocka_unit_test(an_entry_that_would_be_too_long_is_not_composed),
		cmocka_unit_test(what_is_no_such_file_is_refused),
		cmocka_unit_test(with_several_bases_what_is_there_stays),
		cmocka_unit_test(one_base_made_of_several_has_all_of_them),
		cmocka_unit_test(what_is_like_several_bases_is_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
