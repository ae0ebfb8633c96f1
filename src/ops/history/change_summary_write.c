/* Writing what a change did as JSON. */
#include "ops/common.h"
#include "ops/history/change_summary.h"

static const char *const deed_names[] = {
#define X(id, name) name,
	DEEDS(X)
#undef X
};

static bool parse(struct json *doc, struct slice text)
{
	struct json_fault fault;

	return text.ptr && json_parse(doc, text, &json_file_bounds, &fault) == 0;
}

/* An entry's text taken apart; nothing is there when it is absent. */
struct inside {
	struct json doc;
	struct entry entry;
};

static void open_entry(struct inside *out, struct slice text)
{
	struct arena unused = ARENA_INIT;

	*out = (struct inside){.doc = {.count = 0}};
	if (!parse(&out->doc, text))
		return;
	entry_read(&out->entry, CATEGORY_STATE, &out->doc, JSON_ROOT, &unused);
	arena_release(&unused);
}

static uint32_t field_of(const struct inside *inside, struct slice name)
{
	if (!inside->doc.nodes || inside->entry.bare)
		return JSON_NONE;
	return json_member_slice(&inside->doc, JSON_ROOT, name);
}

bool told_same_value(struct slice a, struct slice b)
{
	struct inside inside[2];
	bool same;

	open_entry(&inside[0], a);
	open_entry(&inside[1], b);
	same = told_same_json(inside[0].entry.value, inside[1].entry.value);
	json_release(&inside[0].doc);
	json_release(&inside[1].doc);
	return same;
}

/* What the program keeps about an entry, and nobody wants to read in a history. */
static bool is_bookkeeping(struct slice name)
{
	static const char *const names[] = {"created_at", "last_updated", "accessed_at", "hits",
					    "created",    "updated",      "accessed"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (slice_is(name, names[i]))
			return true;
	}
	return false;
}

static void write_compact(struct json_writer *w, const char *name, struct slice text)
{
	STR_AUTO compact = STR_INIT;
	struct json_writer inner;
	struct json doc;

	if (!parse(&doc, text))
		return;
	json_writer_init(&inner, &compact, &json_compact);
	json_write_value(&inner, &doc, JSON_ROOT);
	json_release(&doc);
	json_write_member_raw(w, name, str_slice(&compact));
}

struct fields {
	struct json_writer *w;
	bool bookkeeping; /* which ones are asked for */
	bool begun;
};

static struct slice node_text(const struct inside *inside, uint32_t node)
{
	return node == JSON_NONE ? slice_make(NULL, 0) : json_text(&inside->doc, node);
}

static void write_field(struct fields *fields, struct slice name, struct slice before,
			struct slice after)
{
	if (slice_is(name, "value") || is_bookkeeping(name) != fields->bookkeeping ||
	    told_same_json(before, after))
		return;
	if (!fields->begun) {
		json_write_name(fields->w, slice_of("fields"));
		json_write_object(fields->w);
	}
	fields->begun = true;
	json_write_name(fields->w, name);
	json_write_object(fields->w);
	write_compact(fields->w, "before", before);
	write_compact(fields->w, "after", after);
	json_write_end(fields->w);
}

/* The facts about an entry that differ, those of the program or the others; were there any? */
static bool write_fields(struct json_writer *w, const struct inside inside[2], bool bookkeeping)
{
	struct fields fields = {w, bookkeeping, false};
	STR_AUTO scratch = STR_INIT;

	for (int i = 0; i < 2; i++) {
		const struct json *doc = &inside[i].doc;

		if (!doc->nodes || inside[i].entry.bare)
			continue;
		for (uint32_t n = json_first(doc, JSON_ROOT); n != JSON_NONE;
		     n = json_next(doc, n)) {
			struct slice name = json_name(doc, n, &scratch);
			uint32_t was = field_of(&inside[0], name);
			uint32_t is = field_of(&inside[1], name);

			if (i == 0 || was == JSON_NONE)
				write_field(&fields, name, node_text(&inside[0], was),
					    node_text(&inside[1], is));
		}
	}
	if (fields.begun)
		json_write_end(w);
	return fields.begun;
}

static void write_values(struct json_writer *w, const struct told *told)
{
	struct inside inside[2];
	bool same;

	open_entry(&inside[0], told->before);
	open_entry(&inside[1], told->after);
	same = told_same_json(inside[0].entry.value, inside[1].entry.value);
	if (!same)
		write_compact(w, "before", inside[0].entry.value);
	if (!same)
		write_compact(w, "after", inside[1].entry.value);
	if (!write_fields(w, inside, false) && same && told->deed != DEED_MOVED)
		write_fields(w, inside, true);
	json_release(&inside[0].doc);
	json_release(&inside[1].doc);
}

static void write_ref(struct json_writer *w, const char *name, enum category category,
		      struct slice key)
{
	STR_AUTO ref = STR_INIT;

	ref_add(&ref, category, key);
	json_write_member_string(w, name, str_slice(&ref));
}

static void write_told(struct json_writer *w, const struct told *told)
{
	json_write_object(w);
	write_ref(w, "ref", told->category, told->key);
	json_write_member_string(w, "did", slice_of(deed_names[told->deed]));
	if (told->from_category != CATEGORY_ANY)
		write_ref(w, "from", (enum category)told->from_category, told->from_key);
	if (told->record.ptr)
		write_ref(w, "record", told->category, told->record);
	if (told->reason.ptr && told->deed != DEED_DELETED)
		json_write_member_string(w, "reason", told->reason);
	if (told->deed >= DEED_RECORD_ADDED) {
		write_compact(w, "before", told->before);
		write_compact(w, "after", told->after);
	} else {
		write_values(w, told);
	}
	json_write_end(w);
}

void told_write_items(struct json_writer *w, const struct told *items, size_t count)
{
	json_write_name(w, slice_of("items"));
	json_write_array(w);
	for (size_t i = 0; i < count; i++)
		write_told(w, &items[i]);
	json_write_end(w);
}

static void write_refs(struct json_writer *w, const struct told *items, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		STR_AUTO ref = STR_INIT;

		ref_add(&ref, items[i].category, items[i].key);
		json_write_string(w, str_slice(&ref));
	}
}

void told_write_refs(struct json_writer *w, const struct told *items, size_t count)
{
	json_write_name(w, slice_of("refs"));
	json_write_array(w);
	write_refs(w, items, count);
	json_write_end(w);
}

static void write_files(struct json_writer *w, const struct past_change *change)
{
	for (size_t i = 0; i < change->file_count; i++)
		json_write_string(w, slice_of(change->files[i]));
}

void told_write_unrecorded(struct json_writer *w, const struct past_change *change,
			   const struct told *items, size_t count)
{
	if (count + change->file_count == 0)
		return;
	json_write_name(w, slice_of("unrecorded"));
	json_write_array(w);
	write_refs(w, items, count);
	write_files(w, change);
	json_write_end(w);
}

const char *told_deed(const struct told *told)
{
	return deed_names[told->deed];
}

void told_write_change(struct json_writer *w, const struct past_change *change)
{
	char id[OBJECT_ID_DIGITS + 1];

	object_id_text(&change->id, id);
	json_write_member_string(w, "change", slice_make(id, TOLD_ID_DIGITS));
	common_write_time(w, "at", change->time_ms);
	json_write_member_string(w, "by",
				 change->client.ptr ? change->client : slice_of(change->author));
	if (change->by_hand)
		json_write_member_bool(w, "by_hand", true);
	if (change->tool.ptr)
		json_write_member_string(w, "tool", change->tool);
	if (change->session.ptr)
		json_write_member_string(w, "session", change->session);
	json_write_member_string(w, "subject", change->subject);
}

void told_write_files(struct json_writer *w, const struct past_change *change)
{
	if (change->file_count > 0) {
		json_write_name(w, slice_of("files"));
		json_write_array(w);
		write_files(w, change);
		json_write_end(w);
	}
	if (change->unreadable)
		json_write_member_bool(w, "unreadable", true);
}
