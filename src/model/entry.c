#include "model/entry.h"

#include "base/utf8.h"

#include <inttypes.h>
#include <math.h>

/* The largest time that JavaScript, and so the original handler, can hold: 100 million days. */
#define TIME_LIMIT_MS 8.64e15

/* The members that a caller may give, in the order in which a new entry has them. */
static const struct {
	const char *name;
	size_t offset;
} given[] = {
	{"value", offsetof(struct entry_fields, value)},
	{"tags", offsetof(struct entry_fields, tags)},
	{"entities", offsetof(struct entry_fields, entities)},
	{"strength", offsetof(struct entry_fields, strength)},
	{"importance", offsetof(struct entry_fields, importance)},
	{"confidence", offsetof(struct entry_fields, confidence)},
	{"source", offsetof(struct entry_fields, source)},
	{"context", offsetof(struct entry_fields, context)},
	{"meta", offsetof(struct entry_fields, meta)},
	{"pinned", offsetof(struct entry_fields, pinned)},
};

#define GIVEN_COUNT (sizeof given / sizeof *given)

int64_t entry_time(const struct json *doc, uint32_t node)
{
	STR_AUTO scratch = STR_INIT;
	int64_t ms = TIME_NONE;
	double number;

	if (node == JSON_NONE)
		return TIME_NONE;
	if (json_type(doc, node) == JSON_STRING)
		timestamp_parse(json_string(doc, node, &scratch), false, &ms);
	else if (json_double(doc, node, &number) && fabs(number) <= TIME_LIMIT_MS)
		ms = (int64_t)floor(number);
	return ms;
}

/* A time under its name or, where that is missing or unreadable, under its former one. */
static int64_t member_time(const struct json *doc, uint32_t object, const char *name,
			   const char *former)
{
	int64_t ms = entry_time(doc, json_member(doc, object, name));

	return ms != TIME_NONE ? ms : entry_time(doc, json_member(doc, object, former));
}

/* Hits as anybody may have written them: 3, 3.0, 1e99; nothing that is no number, or below 0. */
static int64_t member_count(const struct json *doc, uint32_t object, const char *name)
{
	uint32_t node = json_member(doc, object, name);
	int64_t exact;
	double number;

	if (node == JSON_NONE)
		return 0;
	if (json_int(doc, node, &exact))
		return exact > 0 ? exact : 0;
	if (!json_double(doc, node, &number) || number < 0)
		return 0;
	return number < (double)INT64_MAX ? (int64_t)number : INT64_MAX;
}

static bool member_bool(const struct json *doc, uint32_t object, const char *name)
{
	uint32_t node = json_member(doc, object, name);
	bool value;

	return node != JSON_NONE && json_bool(doc, node, &value) && value;
}

void entry_read(struct entry *out, enum category category, const struct json *doc, uint32_t member,
		struct arena *arena)
{
	STR_AUTO scratch = STR_INIT;
	uint32_t value = json_member(doc, member, "value");
	struct slice name = json_name(doc, member, &scratch);

	*out = (struct entry){
		.category = category,
		.key = doc->nodes[member].name_escaped ? arena_copy(arena, name) : name,
		.text = json_text(doc, member),
		.value = json_text(doc, value == JSON_NONE ? member : value),
		.bare = value == JSON_NONE,
		.created_ms = TIME_NONE,
		.updated_ms = TIME_NONE,
		.accessed_ms = TIME_NONE,
		.used_ms = TIME_NONE,
	};
	if (out->bare)
		return;
	out->pinned = member_bool(doc, member, "pinned");
	out->created_ms = member_time(doc, member, "created_at", "created");
	out->updated_ms = member_time(doc, member, "last_updated", "updated");
	out->accessed_ms = member_time(doc, member, "accessed_at", "accessed");
	out->hits = member_count(doc, member, "hits");
	out->uses = member_count(doc, member, "uses");
	out->used_ms = entry_time(doc, json_member(doc, member, "last_used"));
	out->reviews = member_count(doc, member, "reviews");
	out->cross_domain = member_count(doc, member, "cross_domain");
}

static struct json_tree *tree_of(struct slice text)
{
	struct json doc = {0};
	struct json_tree *tree;

	known_parse(&doc, text);
	tree = json_tree_from(&doc, JSON_ROOT);
	json_release(&doc);
	return tree;
}

static struct json_tree *tree_of_time(int64_t ms)
{
	char text[TIMESTAMP_SIZE];

	timestamp_format(ms, text);
	return json_tree_string(slice_of(text));
}

/* What the fields are written over. */
static struct json_tree *tree_of_entry(const struct entry *old)
{
	struct json_tree *object;

	if (old && !old->bare)
		return tree_of(old->text);
	object = json_tree_object();
	if (old)
		json_tree_put(object, slice_of("value"), tree_of(old->value));
	return object;
}

static void put_given(struct json_tree *object, const struct entry_fields *fields, size_t i)
{
	struct slice text;

	memcpy(&text, (const char *)fields + given[i].offset, sizeof text);
	if (text.ptr)
		json_tree_put(object, slice_of(given[i].name), tree_of(text));
}

void entry_compose(struct str *out, const struct entry *old, const struct entry_fields *fields,
		   int64_t now_ms)
{
	struct json_tree *object = tree_of_entry(old);
	bool dated = old && old->created_ms != TIME_NONE;
	struct json_writer w;

	put_given(object, fields, 0);
	assert(json_tree_member(object, slice_of("value")));
	if (!json_tree_member(object, slice_of("created_at")))
		json_tree_put(object, slice_of("created_at"),
			      tree_of_time(dated ? old->created_ms : now_ms));
	json_tree_put(object, slice_of("last_updated"), tree_of_time(now_ms));
	for (size_t i = 1; i < GIVEN_COUNT; i++)
		put_given(object, fields, i);
	json_writer_init(&w, out, &json_compact);
	json_tree_write(object, &w);
	json_tree_free(object);
}

void entry_compose_strength(struct str *out, const struct entry *old, double strength)
{
	struct json_tree *object = tree_of_entry(old);
	STR_AUTO number = STR_INIT;
	struct json_writer w;

	json_writer_init(&w, &number, &json_compact);
	json_write_fixed(&w, strength, ENTRY_STRENGTH_DECIMALS);
	json_tree_put(object, slice_of("strength"), tree_of(str_slice(&number)));
	json_writer_init(&w, out, &json_compact);
	json_tree_write(object, &w);
	json_tree_free(object);
}

static void copy_member(struct json_writer *w, const struct json *doc, const char *name)
{
	uint32_t node = json_member(doc, JSON_ROOT, name);

	if (node == JSON_NONE)
		return;
	json_write_name(w, slice_of(name));
	json_write_value(w, doc, node);
}

size_t entry_size(struct slice text)
{
	STR_AUTO counted = STR_INIT;
	struct json doc = {0};
	struct json_writer w;

	known_parse(&doc, text);
	json_writer_init(&w, &counted, &json_compact);
	json_write_object(&w);
	if (json_member(&doc, JSON_ROOT, "value") == JSON_NONE) {
		json_write_name(&w, slice_of("value"));
		json_write_value(&w, &doc, JSON_ROOT);
	} else {
		for (size_t i = 0; i < GIVEN_COUNT; i++)
			copy_member(&w, &doc, given[i].name);
		copy_member(&w, &doc, "created_at");
		copy_member(&w, &doc, "last_updated");
	}
	json_write_end(&w);
	json_release(&doc);
	return counted.len;
}

static int check_depth(struct slice text, struct err *err)
{
	struct json_fault fault;
	struct json doc;
	uint32_t depth;

	if (json_parse(&doc, text, &json_file_bounds, &fault) != 0)
		return err_set(err, ERR_BAD_VALUE, "value: not valid JSON: %s", fault.what);
	depth = json_depth(&doc, json_member(&doc, JSON_ROOT, "value"));
	json_release(&doc);
	if (depth <= VALUE_DEPTH_MAX)
		return 0;
	return err_set(err, ERR_TOO_LARGE, "value: nested %" PRIu32 " deep; at most %d is kept",
		       depth, VALUE_DEPTH_MAX);
}

int admit_entry(struct slice key, struct slice text, size_t old_size,
		const struct settings *settings, struct err *err)
{
	STR_AUTO scratch = STR_INIT;
	size_t size;

	if (check_depth(text, err) != 0)
		return -1;
	size = entry_size(text);
	if ((int64_t)size <= settings->entry_bytes || size <= old_size)
		return 0;
	return err_set(err, ERR_TOO_LARGE,
		       "the entry \"%s\" would have %zu bytes; the limit is %" PRId64
		       " (limits.entry_bytes): shorten it or split it",
		       shown(&scratch, key), size, settings->entry_bytes);
}
