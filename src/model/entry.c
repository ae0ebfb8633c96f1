#include "model/entry.h"

#include "base/utf8.h"
#include "json/write.h"

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

void entry_write_object(struct json_writer *w, const struct entry *entry)
{
	if (entry->bare) {
		json_write_object(w);
		json_write_name(w, slice_of("value"));
	}
	json_write_value(w, entry->doc, entry->node);
	if (entry->bare)
		json_write_end(w);
}

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

/* What a member of an entry is read as. */
enum fact_kind { FACT_TIME, FACT_COUNT, FACT_NUMBER, FACT_FLAG, FACT_TEXT };

#define NAME(text)                                                                                 \
	{                                                                                          \
		(text), sizeof(text) - 1                                                           \
	}

static const struct {
	struct slice name;
	enum fact_kind kind;
	bool former; /* counts only where the current name says nothing */
	size_t offset;
} facts[] = {
	{NAME("pinned"), FACT_FLAG, false, offsetof(struct entry, pinned)},
	{NAME("strength"), FACT_NUMBER, false, offsetof(struct entry, strength)},
	{NAME("confidence"), FACT_NUMBER, false, offsetof(struct entry, confidence)},
	{NAME("importance"), FACT_NUMBER, false, offsetof(struct entry, importance)},
	{NAME("source"), FACT_TEXT, false, offsetof(struct entry, source)},
	{NAME("created_at"), FACT_TIME, false, offsetof(struct entry, created_ms)},
	{NAME("created"), FACT_TIME, true, offsetof(struct entry, created_ms)},
	{NAME("last_updated"), FACT_TIME, false, offsetof(struct entry, updated_ms)},
	{NAME("updated"), FACT_TIME, true, offsetof(struct entry, updated_ms)},
	{NAME("accessed_at"), FACT_TIME, false, offsetof(struct entry, accessed_ms)},
	{NAME("accessed"), FACT_TIME, true, offsetof(struct entry, accessed_ms)},
	{NAME("last_used"), FACT_TIME, false, offsetof(struct entry, used_ms)},
	{NAME("hits"), FACT_COUNT, false, offsetof(struct entry, hits)},
	{NAME("uses"), FACT_COUNT, false, offsetof(struct entry, uses)},
	{NAME("reviews"), FACT_COUNT, false, offsetof(struct entry, reviews)},
	{NAME("cross_domain"), FACT_COUNT, false, offsetof(struct entry, cross_domain)},
};

/* Hits as anybody may have written them: 3, 3.0, 1e99; nothing that is no number, or below 0. */
static int64_t entry_read_count(const struct json *doc, uint32_t node)
{
	int64_t exact;
	double number;

	if (json_int(doc, node, &exact))
		return exact > 0 ? exact : 0;
	if (!json_double(doc, node, &number) || number < 0)
		return 0;
	return number < (double)INT64_MAX ? (int64_t)number : INT64_MAX;
}

static void entry_read_fact(struct entry *out, size_t fact, const struct json *doc, uint32_t node,
			    struct arena *arena)
{
	void *at = (char *)out + facts[fact].offset;
	STR_AUTO scratch = STR_INIT;
	struct slice text;
	int64_t ms;

	switch (facts[fact].kind) {
	case FACT_TIME:
		ms = entry_time(doc, node);
		if (ms != TIME_NONE && (!facts[fact].former || *(int64_t *)at == TIME_NONE))
			*(int64_t *)at = ms;
		break;
	case FACT_COUNT:
		*(int64_t *)at = entry_read_count(doc, node);
		break;
	case FACT_NUMBER:
		json_double(doc, node, at);
		break;
	case FACT_FLAG:
		json_bool(doc, node, at);
		break;
	case FACT_TEXT:
		/* Without escapes it stays where it is in the document. */
		text = json_string(doc, node, &scratch);
		*(struct slice *)at = doc->nodes[node].escaped ? arena_copy(arena, text) : text;
		break;
	}
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
		.doc = doc,
		.node = member,
		.value_node = value == JSON_NONE ? member : value,
		.bare = value == JSON_NONE,
		.strength = 1,
		.confidence = 1,
		.importance = IMPORTANCE_UNSET,
		.created_ms = TIME_NONE,
		.updated_ms = TIME_NONE,
		.accessed_ms = TIME_NONE,
		.used_ms = TIME_NONE,
	};
	for (uint32_t m = out->bare ? JSON_NONE : json_first(doc, member); m != JSON_NONE;
	     m = json_next(doc, m)) {
		name = json_name(doc, m, &scratch);
		for (size_t i = 0; m != value && i < sizeof facts / sizeof *facts; i++)
			if (slice_equal(name, facts[i].name))
				entry_read_fact(out, i, doc, m, arena);
		if (slice_is(name, "status"))
			out->promoted = slice_is(json_string(doc, m, &scratch), "promoted");
	}
}

uint32_t entry_member(const struct entry *entry, const char *name)
{
	return entry->bare ? JSON_NONE : json_member(entry->doc, entry->node, name);
}

uint32_t entry_list(const struct entry *entry, const char *name)
{
	uint32_t list = entry_member(entry, name);

	return list != JSON_NONE && json_type(entry->doc, list) == JSON_ARRAY ? list : JSON_NONE;
}

/* A member with its JSON text; none where that is absent. */
struct put {
	const char *name;
	struct slice text;
	bool if_absent; /* one that is there stays */
};

static struct put *entry_find_put(struct put *puts, size_t count, struct slice name)
{
	for (size_t i = 0; i < count; i++)
		if (puts[i].text.ptr && slice_is(name, puts[i].name))
			return &puts[i];
	return NULL;
}

/*
 * Writes what the entry has with these in the place of members of their names, and the others
 * behind them. old may be NULL.
 */
static void entry_write_over(struct str *out, const struct entry *old, struct put *puts,
			     size_t count)
{
	bool bare = old && old->bare;
	uint32_t m = JSON_NONE;

	if (old)
		m = bare ? old->node : json_first(old->doc, old->node);
	struct json_writer w = json_writer_to(out, &json_compact);
	json_write_object(&w);
	for (; m != JSON_NONE; m = bare ? JSON_NONE : json_next(old->doc, m)) {
		STR_AUTO scratch = STR_INIT;
		struct slice name = bare ? slice_of("value") : json_name(old->doc, m, &scratch);
		struct put *put = entry_find_put(puts, count, name);

		json_write_name_raw(&w, bare ? slice_of("\"value\"") : json_name_text(old->doc, m));
		if (put && !put->if_absent)
			json_write_raw(&w, put->text);
		else
			json_write_value(&w, old->doc, m);
		if (put)
			put->text = slice_of(NULL);
	}
	for (size_t i = 0; i < count; i++)
		if (puts[i].text.ptr)
			json_write_member_raw(&w, puts[i].name, puts[i].text);
	json_write_end(&w);
}

void entry_compose(struct str *out, const struct entry *old, const struct entry_fields *fields,
		   int64_t now_ms)
{
	bool dated = old && old->created_ms != TIME_NONE;
	char made[TIMESTAMP_SIZE];
	char now[TIMESTAMP_SIZE];
	STR_AUTO created = STR_INIT;
	STR_AUTO updated = STR_INIT;
	struct put puts[GIVEN_COUNT + 2];
	size_t count = 0;

	assert(old || fields->value.ptr);
	timestamp_format(dated ? old->created_ms : now_ms, made);
	timestamp_format(now_ms, now);
	str_printf(&created, "\"%s\"", made);
	str_printf(&updated, "\"%s\"", now);
	for (size_t i = 0; i < GIVEN_COUNT; i++) {
		struct slice text;

		memcpy(&text, (const char *)fields + given[i].offset, sizeof text);
		puts[count++] = (struct put){given[i].name, text, false};
		if (i > 0)
			continue;
		puts[count++] = (struct put){"created_at", str_slice(&created), true};
		puts[count++] = (struct put){"last_updated", str_slice(&updated), false};
	}
	entry_write_over(out, old, puts, count);
}

void entry_compose_strength(struct str *out, const struct entry *old, double strength)
{
	STR_AUTO number = STR_INIT;
	struct json_writer w = json_writer_to(&number, &json_compact);

	json_write_fixed(&w, strength, ENTRY_STRENGTH_DECIMALS);
	entry_write_over(out, old, &(struct put){"strength", str_slice(&number), false}, 1);
}

static size_t entry_size_of(const struct json *doc, uint32_t node)
{
	static const char *const times[] = {"created_at", "last_updated"};
	bool bare = json_member(doc, node, "value") == JSON_NONE;
	STR_AUTO counted = STR_INIT;
	struct json_writer w = json_writer_to(&counted, &json_compact);

	json_write_object(&w);
	if (bare) {
		json_write_name(&w, slice_of("value"));
		json_write_value(&w, doc, node);
	}
	for (size_t i = 0; !bare && i < GIVEN_COUNT + 2; i++) {
		const char *name = i < GIVEN_COUNT ? given[i].name : times[i - GIVEN_COUNT];
		uint32_t member = json_member(doc, node, name);

		if (member == JSON_NONE)
			continue;
		json_write_name(&w, slice_of(name));
		json_write_value(&w, doc, member);
	}
	json_write_end(&w);
	return counted.len;
}

size_t entry_size(struct slice text)
{
	JSON_AUTO doc = {0};

	known_parse(&doc, text);
	return entry_size_of(&doc, JSON_ROOT);
}

size_t entry_stored_size(const struct entry *entry)
{
	return entry_size_of(entry->doc, entry->node);
}

int admit_entry(struct json *doc, struct slice key, struct slice text, size_t old_size,
		const struct settings *settings, struct err *err)
{
	STR_AUTO scratch = STR_INIT;
	JSON_AUTO parsed = {0};
	struct json_fault fault;

	if (json_parse(&parsed, text, &json_file_bounds, &fault) != 0)
		return err_set(err, ERR_BAD_VALUE, "value: not valid JSON: %s", fault.what);
	uint32_t depth = json_depth(&parsed, json_member(&parsed, JSON_ROOT, "value"));
	size_t size = entry_size_of(&parsed, JSON_ROOT);
	if (settings && depth > VALUE_DEPTH_MAX)
		return err_set(err, ERR_TOO_LARGE,
			       "value: nested %" PRIu32 " deep; at most %d levels are allowed",
			       depth, VALUE_DEPTH_MAX);
	if (settings && (int64_t)size > settings->entry_bytes && size > old_size)
		return err_set(err, ERR_TOO_LARGE,
			       "the entry \"%s\" would have %zu bytes; the limit is %" PRId64
			       " (limits.entry_bytes): shorten it or split it",
			       shown(&scratch, key), size, settings->entry_bytes);
	*doc = parsed;
	parsed = (struct json){0};
	return 0;
}
