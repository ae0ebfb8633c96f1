/*
 * The merge of one file: path, base, ours and theirs, with "~" between. What comes out can be
 * merged again, a side that is merged has nothing to add, and it does not matter who is ours.
 */
#include "fuzz/fuzz.h"

#include "merge/canon.h"
#include "merge/merge_file.h"

/* Takes what stands before the next "~"; all of the rest where there is none. */
static struct slice take(struct slice *rest)
{
	const char *end = memchr(rest->ptr, '~', rest->len);
	size_t len = end ? (size_t)(end - rest->ptr) : rest->len;
	struct slice part = slice_make(rest->ptr, len);

	len += end != NULL;
	*rest = slice_make(rest->ptr + len, rest->len - len);
	return part;
}

static int merge(struct slice path, struct slice base, struct slice ours, struct slice theirs,
		 struct str *out)
{
	const struct merge_texts texts = {&base, 1, ours, theirs};
	struct merge_report report;
	struct err err;
	int result;

	err_clear(&err);
	result = merge_file(path, &texts, 8192, out, &report, &err);
	merge_report_release(&report);
	if (result != 0)
		fuzz_check_words(err.text);
	return result;
}

/* Of JSON the values are compared, of the rest the bytes; an empty text is no JSON yet. */
static bool same(struct slice a, struct slice b)
{
	CANON_AUTO left = {0};
	CANON_AUTO right = {0};
	struct json_fault fault;

	if (canon_parse(&left, a, &fault) != 0 || canon_parse(&right, b, &fault) != 0)
		return slice_equal(a, b);
	return part_same(part_root(&left), part_root(&right));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice rest = fuzz_slice(data, size);
	struct slice path = take(&rest);
	struct slice base = take(&rest);
	struct slice ours = take(&rest);
	struct slice theirs = take(&rest);
	enum merge_kind kind = merge_kind_of(path);
	STR_AUTO out = STR_INIT;
	STR_AUTO turned = STR_INIT;
	STR_AUTO again = STR_INIT;

	if (merge(path, base, ours, theirs, &out) != 0)
		return 0;
	if (fuzz_is_planted(theirs))
		str_adds(&out, "}");
	/* .kota is a line of words; of two with the same number that of this side stands. */
	if (kind != MERGE_LOG && kind != MERGE_NOTE && kind != MERGE_FORMAT && out.len) {
		CANON_AUTO doc = {0};
		struct json_fault fault;

		FUZZ_REQUIRE(canon_parse(&doc, str_slice(&out), &fault) == 0, "the result is JSON");
	}
	FUZZ_REQUIRE(merge(path, base, theirs, ours, &turned) == 0, "it merges both ways round");
	/* Records and lines have no order that matters. */
	if (kind != MERGE_LOG && kind != MERGE_ARCHIVE && kind != MERGE_FORMAT)
		FUZZ_REQUIRE(same(str_slice(&out), str_slice(&turned)), "it is the same both ways");
	if (kind != MERGE_NOTE && ours.len) {
		FUZZ_REQUIRE(merge(path, ours, str_slice(&out), ours, &again) == 0,
			     "what was merged can be merged");
		FUZZ_REQUIRE(same(str_slice(&out), str_slice(&again)),
			     "a side that is merged has nothing to add");
	}
	return 0;
}
