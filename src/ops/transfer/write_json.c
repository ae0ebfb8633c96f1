/*
 * The whole of a store as one JSON document, or one JSON object a line: what import takes in again
 * without losing a byte that means something. One thing a line in either, so that two exports can
 * be compared.
 */
#include "ops/transfer/export.h"
#include "store/log/usage.h"

/* How the things of one kind are held together. */
struct frame {
	bool lines; /* one object a line, no document around */
	bool filled;
};

static void write_json_begin_header(struct json_writer *w, const struct export *export)
{
	const struct whole_choice *choice = &export->whole->choice;

	json_write_member_int(w, EXPORT_VERSION_NAME, EXPORT_VERSION);
	if (choice->category != CATEGORY_ANY)
		json_write_member_string(w, "category",
					 slice_of(category_name((enum category)choice->category)));
	json_write_member_bool(w, "archive", choice->archive);
}

static void write_json_write_count(struct json_writer *w, const char *name, int64_t count)
{
	if (count > 0)
		json_write_member_int(w, name, count);
}

/* What is kept beside the entry: counts, and times of use. Nothing where nothing is known. */
static void write_usage(struct json_writer *w, const struct export *export, const struct item *item)
{
	const struct usage_fact fact = store_usage_of(export->whole->store, item->ref);
	bool timeless = item->entry.created_ms == TIME_NONE || item->entry.updated_ms == TIME_NONE;
	/* For an entry without times, this is all that is known of its age. */
	int64_t seen_ms = timeless ? fact.seen_ms : TIME_NONE;

	if (fact.hits == 0 && fact.uses == 0 && seen_ms == TIME_NONE)
		return;
	json_write_member_object(w, "usage");
	write_json_write_count(w, "hits", fact.hits);
	common_write_time(w, "last", fact.last_ms);
	write_json_write_count(w, "uses", fact.uses);
	write_json_write_count(w, "crossed", fact.crossed);
	if (fact.first_ms != fact.used_ms)
		common_write_time(w, "first", fact.first_ms);
	common_write_time(w, "used", fact.used_ms);
	common_write_time(w, "seen", seen_ms);
	json_write_end(w);
}

/* Puts what stands between two things of a kind. */
static void write_json_begin(struct export *export, struct frame *frame, struct json_writer *w)
{
	if (!frame->lines)
		str_adds(export->out, frame->filled ? ",\n    " : "\n    ");
	frame->filled = true;
	*w = json_writer_to(export->out, &json_compact);
	json_write_object(w);
}

static void write_json_end(const struct export *export, const struct frame *frame,
			   struct json_writer *w)
{
	json_write_end(w);
	if (frame->lines)
		str_addc(export->out, '\n');
}

static void write_entries(struct export *export, struct frame *frame)
{
	for (size_t i = 0; i < export->whole->item_count; i++) {
		const struct item *item = &export->whole->items[i];
		struct json_writer w;

		progress_step(export->call->progress, "writing", i, export->whole->item_count);
		if (!whole_has(export->whole, item->entry.category))
			continue;
		write_json_begin(export, frame, &w);
		json_write_member_string(&w, "category",
					 slice_of(category_name(item->entry.category)));
		json_write_member_string(&w, "key", item->entry.key);
		json_write_member_value(&w, "entry", item->entry.doc, item->entry.node);
		write_usage(&w, export, item);
		write_json_end(export, frame, &w);
		export->entries++;
	}
}

static void write_records(struct export *export, struct frame *frame)
{
	for (size_t i = 0; i < export->whole->record_count; i++) {
		const struct record *record = &export->whole->records[i].record;
		struct json_writer w;

		write_json_begin(export, frame, &w);
		json_write_member_string(&w, "category", slice_of(category_name(record->category)));
		json_write_name(&w, slice_of("record"));
		whole_write_record(&w, record);
		write_json_end(export, frame, &w);
		export->records++;
	}
}

/*
 * True if an end of a link, as store_links() spells it, is among what was read: an entry, or a
 * record if records were chosen.
 */
static bool write_has_end(const struct whole *whole, struct slice ref)
{
	const struct ref parts = ref_parse(ref);
	STR_AUTO identity = STR_INIT;

	if (parts.category == CATEGORY_ANY || !whole_has(whole, (enum category)parts.category))
		return false;
	common_add_identity(&identity, (enum category)parts.category, parts.key);
	return map_get(&whole->ends, str_slice(&identity), NULL);
}

static void write_links(struct export *export, struct frame *frame)
{
	for (size_t i = 0; i < export->whole->link_count; i++) {
		const struct link *link = &export->whole->links[i];
		struct json_writer w;

		/* Only such as have both ends in the export. */
		if (!write_has_end(export->whole, link->from) ||
		    !write_has_end(export->whole, link->to))
			continue;
		write_json_begin(export, frame, &w);
		json_write_member_string(&w, "id", link->relation.id);
		json_write_member_raw(&w, "link",
				      common_compact(export->call, link->relation.text));
		write_json_end(export, frame, &w);
		export->links++;
	}
}

static const struct {
	const char *name;
	void (*write)(struct export *export, struct frame *frame);
} parts[] = {{"entries", write_entries}, {"records", write_records}, {"links", write_links}};

static void write_json_document(struct export *export)
{
	struct json_writer w = json_writer_to(export->out, &json_pretty);

	json_write_object(&w);
	write_json_begin_header(&w, export);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		struct frame frame = {false, false};

		str_printf(export->out, ",\n  \"%s\": [", parts[i].name);
		parts[i].write(export, &frame);
		str_adds(export->out, frame.filled ? "\n  ]" : "]");
	}
	json_write_end(&w);
	str_addc(export->out, '\n');
	export_lose(export, ":", export->whole->link_count - export->links, "link", "links",
		    ", of which an entry is not in it either");
}

static void write_json_lines(struct export *export)
{
	struct frame frame = {true, false};
	struct json_writer w = json_writer_to(export->out, &json_compact);

	json_write_object(&w);
	write_json_begin_header(&w, export);
	json_write_end(&w);
	str_addc(export->out, '\n');
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		parts[i].write(export, &frame);
	export_lose(export, ":", export->whole->link_count - export->links, "link", "links",
		    ", of which an entry is not in it either");
}

const struct export_writer export_writer_json = {write_json_document};

const struct export_writer export_writer_lines = {write_json_lines};
