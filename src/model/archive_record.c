#include "model/archive_record.h"

#include "model/entry.h"

#include <string.h>

static const char *const names[] = {
#define X(id, name) name,
	REASONS(X)
#undef X
};

/* Records of these say what an entry once was; what it has become, or nothing, is the answer. */
static const enum reason silent[] = {REASON_DELETED, REASON_REPLACED, REASON_MERGED,
				     REASON_CONFLICT, REASON_ADDED};

const char *reason_name(enum reason reason)
{
	return names[reason];
}

/* A string member, decoded; absent when there is none or it is empty. */
static struct slice record_member_text(const struct json *doc, uint32_t object, const char *name,
				       struct arena *arena)
{
	STR_AUTO scratch = STR_INIT;
	uint32_t node = json_member(doc, object, name);

	if (node == JSON_NONE || json_type(doc, node) != JSON_STRING)
		return slice_of(NULL);
	struct slice text = json_string(doc, node, &scratch);
	if (!text.len)
		return slice_of(NULL);
	return doc->nodes[node].escaped ? arena_copy(arena, text) : text;
}

bool record_read(struct record *out, enum category category, const struct json *doc, uint32_t node,
		 struct arena *arena)
{
	struct slice key = record_member_text(doc, node, "key", arena);
	struct slice original_key = record_member_text(doc, node, "originalKey", arena);
	uint32_t entry = json_member(doc, node, "entry");
	STR_AUTO derived = STR_INIT;

	if (entry == JSON_NONE || (!key.ptr && !original_key.ptr))
		return false;
	out->category = category;
	out->archived_ms = entry_time(doc, json_member(doc, node, "archivedAt"));
	out->key = key;
	out->original_key = original_key;
	if (!original_key.ptr) {
		const char *at = memrchr(key.ptr, '@', key.len);

		out->original_key = at && at > key.ptr ? slice_make(key.ptr, (size_t)(at - key.ptr))
						       : key;
	} else if (!key.ptr && out->archived_ms == TIME_NONE) {
		out->key = original_key;
	} else if (!key.ptr) {
		record_key(&derived, original_key, out->archived_ms, 1);
		out->key = arena_copy(arena, str_slice(&derived));
	}
	out->reason = record_member_text(doc, node, "reason", arena);
	out->undo = false;
	json_bool(doc, json_member(doc, node, "undo"), &out->undo);
	out->text = json_text(doc, node);
	entry_read(&out->entry, category, doc, entry, arena);
	out->entry.key = out->original_key;
	return true;
}

bool record_read_line(struct record *out, const struct json *doc, uint32_t line,
		      struct arena *arena)
{
	STR_AUTO scratch = STR_INIT;
	uint32_t name = json_member(doc, line, "category");

	if (name == JSON_NONE || json_type(doc, name) != JSON_STRING)
		return false;
	int category = category_find(json_string(doc, name, &scratch));
	return category != CATEGORY_ANY &&
	       record_read(out, (enum category)category, doc, line, arena);
}

bool record_answers(const struct record *record)
{
	for (size_t i = 0; i < sizeof silent / sizeof *silent; i++) {
		if (slice_is(record->reason, names[silent[i]]))
			return false;
	}
	return true;
}

void record_key(struct str *out, struct slice key, int64_t archived_ms, int n)
{
	char time[TIMESTAMP_SIZE];

	timestamp_format(archived_ms, time);
	str_add(out, key);
	str_addc(out, '@');
	str_adds(out, time);
	if (n > 1)
		str_printf(out, "#%d", n);
}

void record_compose(struct str *out, struct slice record_key, struct slice key, int64_t archived_ms,
		    enum reason reason, const struct entry *entry)
{
	char time[TIMESTAMP_SIZE];

	timestamp_format(archived_ms, time);
	struct json_writer w = json_writer_to(out, &json_compact);
	json_write_object(&w);
	json_write_member_string(&w, "key", record_key);
	json_write_member_string(&w, "originalKey", key);
	json_write_member_string(&w, "archivedAt", slice_of(time));
	json_write_member_string(&w, "reason", slice_of(reason_name(reason)));
	json_write_name(&w, slice_of("entry"));
	if (entry)
		entry_write_object(&w, entry);
	else
		json_write_null(&w);
	json_write_end(&w);
}

/* The members of a record behind those that only a line of a cold file has. */
static void record_compose_line(struct str *out, enum category category, struct slice record_text,
				bool undo)
{
	STR_AUTO scratch = STR_INIT;
	JSON_AUTO doc = {0};

	known_parse(&doc, record_text);
	struct json_writer w = json_writer_to(out, &json_compact);
	json_write_object(&w);
	json_write_member_string(&w, "category", slice_of(category_name(category)));
	if (undo)
		json_write_member_bool(&w, "undo", true);
	for (uint32_t n = json_first(&doc, JSON_ROOT); n != JSON_NONE; n = json_next(&doc, n)) {
		struct slice name = json_name(&doc, n, &scratch);

		if (slice_is(name, "category") || slice_is(name, "undo"))
			continue;
		json_write_name(&w, name);
		json_write_value(&w, &doc, n);
	}
	json_write_end(&w);
}

void record_compose_cold(struct str *out, enum category category, struct slice record_text)
{
	record_compose_line(out, category, record_text, false);
}

void record_compose_undo(struct str *out, enum category category, struct slice record_text)
{
	record_compose_line(out, category, record_text, true);
}
