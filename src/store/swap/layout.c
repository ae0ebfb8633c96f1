#include "store/swap/layout.h"

#include "base/map.h"
#include "json/write.h"

/* A number that says what a file holds, whatever the order: the sum of one for each part. */
struct tally {
	uint64_t sum;
	size_t count;
};

/* A part is named after the member that it is, or is in. */
static void layout_count_part(struct tally *tally, struct slice name, const struct json *doc,
			      uint32_t node)
{
	STR_AUTO text = STR_INIT;

	str_add(&text, name);
	str_addc(&text, '\0');
	json_print(&text, doc, node);
	tally->sum += hash64(str_slice(&text));
	tally->count++;
}

/* Records are parts of their own; a list without any is as good as none. */
static void layout_count_member(struct tally *tally, enum store_file file, const struct json *doc,
				uint32_t member)
{
	STR_AUTO scratch = STR_INIT;
	struct slice name = json_name(doc, member, &scratch);

	if (file != STORE_FILE_ARCHIVE || json_type(doc, member) != JSON_ARRAY) {
		layout_count_part(tally, name, doc, member);
		return;
	}
	for (uint32_t n = json_first(doc, member); n != JSON_NONE; n = json_next(doc, n))
		layout_count_part(tally, name, doc, n);
}

static bool layout_count_file(struct tally *tally, enum store_file file, struct slice text)
{
	struct json_fault fault;
	JSON_AUTO doc = {0};

	*tally = (struct tally){0};
	if (json_parse(&doc, text, &json_file_bounds, &fault) != 0)
		return false;
	bool is_object = json_type(&doc, JSON_ROOT) == JSON_OBJECT;
	for (uint32_t m = is_object ? json_first(&doc, JSON_ROOT) : JSON_NONE; m != JSON_NONE;
	     m = json_next(&doc, m))
		layout_count_member(tally, file, &doc, m);
	return is_object;
}

bool layout_same(enum store_file file, struct slice a, struct slice b)
{
	struct tally left;
	struct tally right;

	return layout_count_file(&left, file, a) && layout_count_file(&right, file, b) &&
	       left.count == right.count && left.sum == right.sum;
}
