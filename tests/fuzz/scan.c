/*
 * The scanner and the printer, against themselves and against cJSON: what the scanner takes cJSON
 * reads as the same, what it refuses cJSON refuses too or is known to be too kind, and what the
 * printer prints the scanner takes.
 */
#include "fuzz/fuzz.h"

#include "base/utf8.h"
#include "json/tree.h"
#include "json/write.h"

#include <cjson/cJSON.h>
#include <stdlib.h>

/* cJSON copies a number into 64 bytes and loses what is longer. */
#define CJSON_NUMBER_MAX 63

static bool has_long_number(const struct json *doc)
{
	for (uint32_t n = 0; n < doc->count; n++) {
		if (json_type(doc, n) == JSON_NUMBER && json_text(doc, n).len > CJSON_NUMBER_MAX)
			return true;
	}
	return false;
}

/* cJSON's strings end at a NUL. */
static void check_string(struct slice ours, const char *theirs)
{
	FUZZ_REQUIRE(strlen(theirs) == strnlen(ours.ptr, ours.len) &&
			     memcmp(ours.ptr, theirs, strlen(theirs)) == 0,
		     "cJSON reads the same text");
}

static void check_scalar(const struct json *doc, uint32_t node, const cJSON *item)
{
	STR_AUTO scratch = STR_INIT;
	struct slice text = json_text(doc, node);

	switch (json_type(doc, node)) {
	case JSON_NULL:
		FUZZ_REQUIRE(cJSON_IsNull(item), "cJSON reads null too");
		break;
	case JSON_BOOL:
		FUZZ_REQUIRE(text.ptr[0] == 't' ? cJSON_IsTrue(item) : cJSON_IsFalse(item),
			     "cJSON reads the same truth");
		break;
	case JSON_NUMBER:
		str_add(&scratch, text);
		FUZZ_REQUIRE(cJSON_IsNumber(item) && item->valuedouble == strtod(scratch.ptr, NULL),
			     "cJSON reads the same number");
		break;
	default:
		FUZZ_REQUIRE(cJSON_IsString(item), "cJSON reads a string too");
		check_string(json_string(doc, node, &scratch), item->valuestring);
	}
}

static void compare(const struct json *doc, uint32_t node, const cJSON *item)
{
	enum json_type type = json_type(doc, node);
	const cJSON *child = item->child;
	STR_AUTO scratch = STR_INIT;

	if (type != JSON_ARRAY && type != JSON_OBJECT) {
		check_scalar(doc, node, item);
		return;
	}
	FUZZ_REQUIRE(type == JSON_ARRAY ? cJSON_IsArray(item) : cJSON_IsObject(item),
		     "cJSON reads the same kind of value");
	for (uint32_t m = json_first(doc, node); m != JSON_NONE; m = json_next(doc, m)) {
		FUZZ_REQUIRE(child != NULL, "cJSON reads as many elements");
		if (type == JSON_OBJECT)
			check_string(json_name(doc, m, &scratch), child->string);
		compare(doc, m, child);
		child = child->next;
	}
	FUZZ_REQUIRE(child == NULL, "cJSON reads no more elements");
}

static void check_accepted(const struct json *doc, cJSON *theirs)
{
	if (has_long_number(doc))
		return;
	FUZZ_REQUIRE(theirs != NULL, "cJSON takes what the scanner takes");
	compare(doc, JSON_ROOT, theirs);
}

/* What cJSON lets pass, by the beginning of what the scanner says of it. */
static bool is_known_kindness(const char *what)
{
	static const char *const known[] = {
		"duplicate key",    "invalid UTF-8", "control character", "a number that begins",
		"a digit after",    "nested deeper", "four hex digits",   "a value expected",
		"a name in double", "a colon after", "a comma or",        "text after the end",
		"a number begins",  "more than",
	};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		if (strncmp(what, known[i], strlen(known[i])) == 0)
			return true;
	}
	return false;
}

/* Is there a control character, which cJSON takes for a space wherever it stands? */
static bool has_control(struct slice text)
{
	for (size_t i = 0; i < text.len; i++) {
		if ((unsigned char)text.ptr[i] < 0x20 && !strchr("\t\n\r", text.ptr[i]))
			return true;
		if (text.ptr[i] == '\0')
			return true;
	}
	return false;
}

static void check_refused(struct slice text, const struct json_fault *fault, const cJSON *theirs)
{
	struct slice what = slice_of(fault->what);

	fuzz_check_words(fault->what);
	FUZZ_REQUIRE(fault->line >= 1 && fault->column >= 1, "a fault has a place");
	FUZZ_REQUIRE(what.len < sizeof fault->what, "a phrase is ended");
	if (theirs && !has_control(text))
		FUZZ_REQUIRE(is_known_kindness(fault->what),
			     "what only cJSON takes is known to be no JSON");
}

/* The text with each line ended by CRLF and space around it, which changes nothing. */
static void spaced(struct slice text, struct str *out)
{
	bool bom = text.len >= 3 && memcmp(text.ptr, "\xEF\xBB\xBF", 3) == 0;
	size_t at = bom ? 3 : 0;

	if (bom)
		str_add(out, slice_make(text.ptr, 3));
	str_adds(out, "\t");
	for (; at < text.len; at++) {
		if (text.ptr[at] == '\n')
			str_addc(out, '\r');
		str_addc(out, text.ptr[at]);
	}
	str_adds(out, "\r\n ");
}

static void check_spacing(struct slice text, bool accepted)
{
	STR_AUTO other = STR_INIT;
	struct json_fault fault;
	struct json doc;

	spaced(text, &other);
	if (json_parse(&doc, str_slice(&other), &json_file_bounds, &fault) != 0) {
		FUZZ_REQUIRE(!accepted, "spacing makes no fault");
		return;
	}
	json_release(&doc);
	FUZZ_REQUIRE(accepted, "spacing mends no fault");
}

/* Digits alone, at most 18 of them with the sign, are a 64-bit integer. */
static void check_integer(const struct json *doc, uint32_t node)
{
	struct slice text = json_text(doc, node);
	char digits[19] = "";
	int64_t value = 0;

	if (json_type(doc, node) != JSON_NUMBER || text.len >= sizeof digits)
		return;
	memcpy(digits, text.ptr, text.len);
	if (strspn(digits, "-0123456789") < text.len)
		return;
	FUZZ_REQUIRE(json_int(doc, node, &value) && value == strtoll(digits, NULL, 10),
		     "an integer is worth its digits");
}

/* Prints the document in this layout and reads it again: equal, and printed the same once more. */
static void check_printed(const struct json *doc, const struct json_layout *layout)
{
	STR_AUTO once = STR_INIT;
	STR_AUTO twice = STR_INIT;
	struct json_tree *tree;
	struct json_fault fault;
	struct json again;
	struct json_writer w = json_writer_to(&once, layout);

	json_write_value(&w, doc, JSON_ROOT);
	if (fuzz_is_planted(str_slice(&once)))
		str_adds(&once, ",");
	FUZZ_REQUIRE(json_parse(&again, str_slice(&once), &json_file_bounds, &fault) == 0,
		     "what is printed is taken");
	FUZZ_REQUIRE(json_equal(doc, JSON_ROOT, &again, JSON_ROOT) &&
			     json_equal(&again, JSON_ROOT, doc, JSON_ROOT),
		     "what is printed is equal");
	tree = json_tree_from(&again, JSON_ROOT);
	w = json_writer_to(&twice, layout);
	json_tree_write(tree, &w);
	FUZZ_REQUIRE(slice_equal(str_slice(&once), str_slice(&twice)),
		     "a tree prints as the document");
	json_tree_free(tree);
	json_release(&again);
}

/* Any bytes may become a string. */
static void check_quoting(struct slice bytes)
{
	STR_AUTO quoted = STR_INIT;
	STR_AUTO scratch = STR_INIT;
	struct json_fault fault;
	struct json doc;
	struct json_writer w = json_writer_to(&quoted, &json_compact);

	json_write_string(&w, bytes);
	FUZZ_REQUIRE(json_parse(&doc, str_slice(&quoted), &json_file_bounds, &fault) == 0,
		     "any bytes can be written as a string");
	if (utf8_valid_prefix(bytes) == bytes.len)
		FUZZ_REQUIRE(slice_equal(json_string(&doc, JSON_ROOT, &scratch), bytes),
			     "a string comes back as it was");
	json_release(&doc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice text = fuzz_slice(data, size);
	STR_AUTO terminated = STR_INIT;
	struct json_fault fault;
	struct json doc;
	bool accepted = json_parse(&doc, text, &json_file_bounds, &fault) == 0;
	cJSON *theirs;

	str_add(&terminated, text);
	theirs = cJSON_ParseWithLengthOpts(terminated.ptr, size + 1, NULL, true);
	check_quoting(text);
	check_spacing(text, accepted);
	if (accepted) {
		check_accepted(&doc, theirs);
		for (uint32_t n = 0; n < doc.count; n++)
			check_integer(&doc, n);
		check_printed(&doc, &json_compact);
		check_printed(&doc, &json_pretty);
		json_release(&doc);
	} else {
		check_refused(text, &fault, theirs);
	}
	cJSON_Delete(theirs);
	return 0;
}
