#include "ops/history/change_summary.h"

#include "model/archive_record.h"
#include "ops/common.h"

#include <stdlib.h>

/* A difference on its way into the telling. */
struct part {
	const struct difference *is;
	struct slice original_key; /* of a record, likewise below; absent when it cannot be read */
	struct slice reason;
	struct slice entry;
	bool told;
};

struct teller {
	struct part *parts;
	size_t count;
	/* Those that others are looked for among: a change that only adds has none. */
	struct part **records;
	size_t record_count;
	struct part **gone; /* entries */
	size_t gone_count;
	struct telling *out;
	struct arena *arena;
};

static bool summary_parse(struct json *doc, struct slice text)
{
	struct json_fault fault;

	return text.ptr && json_parse(doc, text, &json_file_bounds, &fault) == 0;
}

/* ---- putting differences together */

static void summary_read_record(struct teller *teller, struct part *part)
{
	struct slice text = part->is->after.ptr ? part->is->after : part->is->before;
	struct record record;
	JSON_AUTO doc = {0};

	if (!summary_parse(&doc, text) ||
	    !record_read(&record, part->is->category, &doc, JSON_ROOT, teller->arena))
		return;
	part->original_key = arena_copy(teller->arena, record.original_key);
	part->reason = arena_copy(teller->arena, record.reason);
	part->entry = record.entry.text;
}

static bool summary_came(const struct part *part, bool record)
{
	return !part->told && part->is->record == record && !part->is->before.ptr;
}

static bool summary_went(const struct part *part, bool record)
{
	return !part->told && part->is->record == record && !part->is->after.ptr;
}

static struct told *summary_add_told(struct teller *teller, struct part *part, enum deed deed)
{
	struct told *told = &teller->out->items[teller->out->count++];
	const struct difference *is = part->is;

	part->told = true;
	*told = (struct told){
		.deed = deed,
		.category = is->category,
		.key = is->key,
		.from_category = CATEGORY_ANY,
		.before = is->before,
		.after = is->after,
	};
	return told;
}

static void summary_take_record(struct told *told, struct part *record)
{
	record->told = true;
	told->record = record->is->key;
	told->reason = record->reason;
}

/* The record of this entry that came, or that went; NULL when there is none. */
static struct part *summary_find_record(struct teller *teller, const struct part *part, bool is_new)
{
	for (size_t i = 0; i < teller->record_count; i++) {
		struct part *record = teller->records[i];

		if ((is_new ? summary_came(record, true) : summary_went(record, true)) &&
		    record->original_key.ptr && record->is->category == part->is->category &&
		    common_same_key(record->original_key, part->is->key))
			return record;
	}
	return NULL;
}

/* A record that went, of another key or category, and was this entry. */
static struct part *summary_find_source(struct teller *teller, const struct part *part)
{
	for (size_t i = 0; i < teller->record_count; i++) {
		struct part *record = teller->records[i];

		if (summary_went(record, true) && record->entry.ptr &&
		    common_same_json(record->entry, part->is->after))
			return record;
	}
	return NULL;
}

static void tell_changed(struct teller *teller, struct part *part)
{
	struct part *record = summary_find_record(teller, part, true);
	struct told *told = summary_add_told(teller, part, DEED_CHANGED);

	if (record)
		summary_take_record(told, record);
}

static void tell_archived(struct teller *teller, struct part *part)
{
	struct part *record = summary_find_record(teller, part, true);

	if (!record)
		return;
	summary_take_record(summary_add_told(teller, part,
					     slice_is(record->reason, reason_name(REASON_DELETED))
						     ? DEED_DELETED
						     : DEED_ARCHIVED),
			    record);
}

static void tell_restored(struct teller *teller, struct part *part)
{
	struct part *record = summary_find_record(teller, part, false);

	if (!record)
		record = summary_find_source(teller, part);
	if (!record)
		return;
	struct told *told = summary_add_told(teller, part, DEED_RESTORED);
	summary_take_record(told, record);
	if (record->is->category != part->is->category ||
	    !slice_equal(record->original_key, part->is->key)) {
		told->from_category = (int)record->is->category;
		told->from_key = record->original_key;
	}
}

/*
 * Where an entry that came was before: the same key in another spelling or category, else the only
 * entry that went and looked the same.
 */
static struct part *summary_find_move(struct teller *teller, const struct part *part)
{
	struct part *found = NULL;
	size_t count = 0;

	for (size_t i = 0; i < teller->gone_count; i++) {
		struct part *other = teller->gone[i];
		bool same_key = summary_went(other, false) &&
				common_same_key(other->is->key, part->is->key);

		if (!summary_went(other, false))
			continue;
		if (same_key && other->is->category == part->is->category)
			return other;
		if (!common_same_json(other->is->before, part->is->after))
			continue;
		if (same_key)
			return other;
		found = other;
		count++;
	}
	return count == 1 ? found : NULL;
}

static void tell_moved(struct teller *teller, struct part *part)
{
	struct part *from = summary_find_move(teller, part);

	if (!from)
		return;
	struct told *told = summary_add_told(
		teller, part,
		common_same_json(from->is->before, part->is->after) ? DEED_MOVED : DEED_CHANGED);
	from->told = true;
	told->from_category = (int)from->is->category;
	told->from_key = from->is->key;
	told->before = from->is->before;
}

static void tell_rest(struct teller *teller, struct part *part)
{
	static const enum deed deeds[2][3] = {
		{DEED_ADDED, DEED_DELETED, DEED_CHANGED},
		{DEED_RECORD_ADDED, DEED_RECORD_REMOVED, DEED_RECORD_CHANGED},
	};
	int which = !part->is->before.ptr ? 0 : !part->is->after.ptr ? 1 : 2;

	summary_add_told(teller, part, deeds[part->is->record][which])->reason = part->reason;
}

static int summary_compare_told(const void *a, const void *b)
{
	const struct told *told[2] = {a, b};
	int rank[2];

	for (int i = 0; i < 2; i++)
		rank[i] = (told[i]->deed >= DEED_RECORD_ADDED ? CATEGORY_COUNT : 0) +
			  (int)told[i]->category;
	return rank[0] != rank[1] ? rank[0] - rank[1] : slice_compare(told[0]->key, told[1]->key);
}

static void summary_sort_parts(struct teller *teller, const struct log_change *change)
{
	size_t room = (change->count + 1) * sizeof(struct part *);

	teller->parts = arena_alloc(teller->arena, (change->count + 1) * sizeof *teller->parts);
	teller->records = arena_alloc(teller->arena, room);
	teller->gone = arena_alloc(teller->arena, room);
	for (size_t i = 0; i < change->count; i++) {
		struct part *part = &teller->parts[i];

		part->is = &change->items[i];
		if (part->is->record) {
			summary_read_record(teller, part);
			teller->records[teller->record_count++] = part;
		} else if (!part->is->after.ptr) {
			teller->gone[teller->gone_count++] = part;
		}
	}
}

void tell(struct telling *out, const struct log_change *change, struct arena *arena)
{
	struct teller teller = {.count = change->count, .out = out, .arena = arena};

	out->items = arena_alloc(arena, (change->count + 1) * sizeof *out->items);
	out->count = 0;
	summary_sort_parts(&teller, change);
	for (size_t i = 0; i < teller.count; i++) {
		struct part *part = &teller.parts[i];

		if (summary_went(part, false))
			tell_archived(&teller, part);
		else if (summary_came(part, false))
			tell_restored(&teller, part);
		else if (!part->told && !part->is->record)
			tell_changed(&teller, part);
	}
	for (size_t i = 0; i < teller.count; i++) {
		if (summary_came(&teller.parts[i], false))
			tell_moved(&teller, &teller.parts[i]);
	}
	for (size_t i = 0; i < teller.count; i++) {
		if (!teller.parts[i].told)
			tell_rest(&teller, &teller.parts[i]);
	}
	qsort(out->items, out->count, sizeof *out->items, summary_compare_told);
}

/* ---- writing what a change did as JSON */

const char *const told_deed_names[DEED_COUNT] = {
#define X(id, name) name,
	DEEDS(X)
#undef X
};

/* An entry's text taken apart; nothing is there when it is absent. */
struct inside {
	struct json doc;
	struct entry entry;
};

static void summary_open_entry(struct inside *out, struct slice text)
{
	ARENA_AUTO unused = ARENA_INIT;

	*out = (struct inside){.doc = {.count = 0}};
	if (!summary_parse(&out->doc, text))
		return;
	entry_read(&out->entry, CATEGORY_STATE, &out->doc, JSON_ROOT, &unused);
}

static uint32_t summary_field_of(const struct inside *inside, struct slice name)
{
	if (!inside->doc.nodes || inside->entry.bare)
		return JSON_NONE;
	return json_member_slice(&inside->doc, JSON_ROOT, name);
}

/* What the program keeps about an entry, and nobody wants to read in a history. */
static bool summary_is_bookkeeping(struct slice name)
{
	static const char *const names[] = {"created_at", "last_updated", "accessed_at", "hits",
					    "created",    "updated",      "accessed",    NULL};

	return slice_index(name, names) >= 0;
}

static void summary_write_compact(struct json_writer *w, const char *name, struct slice text)
{
	JSON_AUTO doc = {0};

	if (summary_parse(&doc, text))
		json_write_member_value(w, name, &doc, JSON_ROOT);
}

struct fields {
	struct json_writer *w;
	bool bookkeeping; /* which ones are asked for */
	bool begun;
};

static struct slice summary_node_text(const struct inside *inside, uint32_t node)
{
	return node == JSON_NONE ? slice_make(NULL, 0) : json_text(&inside->doc, node);
}

static void summary_write_field(struct fields *fields, struct slice name, struct slice before,
				struct slice after)
{
	if (slice_is(name, "value") || summary_is_bookkeeping(name) != fields->bookkeeping ||
	    common_same_json(before, after))
		return;
	if (!fields->begun) {
		json_write_member_object(fields->w, "fields");
	}
	fields->begun = true;
	json_write_name(fields->w, name);
	json_write_object(fields->w);
	summary_write_compact(fields->w, "before", before);
	summary_write_compact(fields->w, "after", after);
	json_write_end(fields->w);
}

/* The facts about an entry that differ, those of the program or the others; were there any? */
static bool summary_write_fields(struct json_writer *w, const struct inside inside[2],
				 bool bookkeeping)
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
			uint32_t was = summary_field_of(&inside[0], name);
			uint32_t is = summary_field_of(&inside[1], name);

			if (i == 0 || was == JSON_NONE)
				summary_write_field(&fields, name,
						    summary_node_text(&inside[0], was),
						    summary_node_text(&inside[1], is));
		}
	}
	if (fields.begun)
		json_write_end(w);
	return fields.begun;
}

static void summary_write_values(struct json_writer *w, const struct told *told)
{
	struct inside inside[2];

	summary_open_entry(&inside[0], told->before);
	summary_open_entry(&inside[1], told->after);
	bool same = common_same_json(inside[0].entry.value, inside[1].entry.value);
	if (!same)
		summary_write_compact(w, "before", inside[0].entry.value);
	if (!same)
		summary_write_compact(w, "after", inside[1].entry.value);
	if (!summary_write_fields(w, inside, false) && same && told->deed != DEED_MOVED)
		summary_write_fields(w, inside, true);
	json_release(&inside[0].doc);
	json_release(&inside[1].doc);
}

static void summary_write_ref(struct json_writer *w, const char *name, enum category category,
			      struct slice key)
{
	STR_AUTO ref = STR_INIT;

	ref_add(&ref, category, key);
	json_write_member_string(w, name, str_slice(&ref));
}

static void summary_write_told(struct json_writer *w, const struct told *told)
{
	json_write_object(w);
	summary_write_ref(w, "ref", told->category, told->key);
	json_write_member_string(w, "did", slice_of(told_deed_names[told->deed]));
	if (told->from_category != CATEGORY_ANY)
		summary_write_ref(w, "from", (enum category)told->from_category, told->from_key);
	if (told->record.ptr)
		summary_write_ref(w, "record", told->category, told->record);
	if (told->reason.ptr && told->deed != DEED_DELETED)
		json_write_member_string(w, "reason", told->reason);
	if (told->deed >= DEED_RECORD_ADDED) {
		summary_write_compact(w, "before", told->before);
		summary_write_compact(w, "after", told->after);
	} else {
		summary_write_values(w, told);
	}
	json_write_end(w);
}

void told_write_items(struct json_writer *w, const struct told *items, size_t count)
{
	json_write_member_array(w, "items");
	for (size_t i = 0; i < count; i++)
		summary_write_told(w, &items[i]);
	json_write_end(w);
}

void told_write_change(struct json_writer *w, const struct log_change *change)
{
	char id[OBJECT_ID_DIGITS + 1];

	object_id_text(&change->id, id);
	if (change->waits)
		json_write_member_bool(w, "waits", true);
	else
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
	if (change->host.ptr)
		json_write_member_string(w, "host", change->host);
	json_write_member_string(w, "subject", change->subject);
}

void told_write_files(struct json_writer *w, const struct log_change *change)
{
	if (change->file_count > 0) {
		json_write_member_array(w, "files");
		for (size_t i = 0; i < change->file_count; i++)
			json_write_string(w, slice_of(change->files[i]));
		json_write_end(w);
	}
}
