#include "store/seek.h"

#include "base/json_write.h"
#include "base/mem.h"
#include "match/search.h"
#include "store/notes.h"
#include "store/seeker.h"
#include "store/view.h"
#include "store/wordbook.h"

#include <stdlib.h>

struct seeker {
	struct notes notes;
	struct sought *all; /* NULL: to be gathered anew */
	size_t count;
	struct arena arena; /* texts that all needs */
	struct search *index;
	struct sought *ranked;
	size_t ranked_cap;
};

void seeker_forget(struct seeker *seeker)
{
	if (!seeker)
		return;
	search_free(seeker->index);
	seeker->index = NULL;
	free(seeker->all);
	seeker->all = NULL;
	seeker->count = 0;
	arena_release(&seeker->arena);
}

void seeker_free(struct seeker *seeker)
{
	if (!seeker)
		return;
	seeker_forget(seeker);
	notes_release(&seeker->notes);
	free(seeker->ranked);
	free(seeker);
}

/* ---- gathering */

static double number_of(const struct json *doc, const char *name, double fallback)
{
	uint32_t node = json_member(doc, JSON_ROOT, name);
	double number;

	if (node == JSON_NONE || json_type(doc, node) != JSON_NUMBER ||
	    !json_double(doc, node, &number))
		return fallback;
	return number;
}

/* What the fields of an entry say beside its value. */
static void read_fields(struct sought *out, const struct entry *entry)
{
	struct json_fault fault;
	struct json doc;
	STR_AUTO scratch = STR_INIT;
	uint32_t tags;
	uint32_t status;

	out->value = entry->value;
	out->strength = 1;
	out->confidence = 1;
	if (entry->bare || json_parse(&doc, entry->text, &json_file_bounds, &fault) != 0)
		return;
	out->fields = entry->text;
	out->strength = number_of(&doc, "strength", 1);
	out->confidence = number_of(&doc, "confidence", 1);
	tags = json_member(&doc, JSON_ROOT, "tags");
	if (tags != JSON_NONE && json_type(&doc, tags) == JSON_ARRAY)
		out->tags = json_text(&doc, tags);
	status = json_member(&doc, JSON_ROOT, "status");
	if (status != JSON_NONE && json_type(&doc, status) == JSON_STRING &&
	    slice_is(json_string(&doc, status, &scratch), "promoted"))
		out->status = SOUGHT_PROMOTED;
	json_release(&doc);
}

static void read_item(struct sought *out, const struct item *item)
{
	*out = (struct sought){.item = item, .ref = item->ref, .key = item->entry.key};
	read_fields(out, &item->entry);
	out->category = (int)item->entry.category;
}

static void read_record(struct sought *out, const struct archived *archived)
{
	const struct record *record = &archived->record;

	*out = (struct sought){.archived = archived,
			       .ref = archived->ref,
			       .key = record->original_key,
			       .category = (int)record->category,
			       .hits = record->entry.hits};
	read_fields(out, &record->entry);
	out->status = SOUGHT_ARCHIVED;
	out->created_ms = record->entry.created_ms;
	out->active_ms = record->archived_ms;
}

static void read_note(struct seeker *seeker, struct sought *out, const struct note *note)
{
	STR_AUTO text = STR_INIT;
	struct json_writer w;

	json_writer_init(&w, &text, &json_compact);
	json_write_string(&w, note->text);
	*out = (struct sought){
		.status = SOUGHT_NOTE,
		.ref = note->ref,
		.key = note->title,
		.category = CATEGORY_ANY,
		.value = arena_copy(&seeker->arena, str_slice(&text)),
		.tags = note->tags,
		.strength = 1,
		.confidence = 1,
		.created_ms = TIME_NONE,
		.active_ms = (int64_t)note->id.mtime.tv_sec * 1000 +
			     note->id.mtime.tv_nsec / 1000000,
	};
}

static struct seeker *seeker_of(struct store *store)
{
	if (!store->seeker)
		store->seeker = mem_zalloc(1, sizeof *store->seeker);
	return store->seeker;
}

static void load_notes(struct store *store)
{
	struct seeker *seeker = seeker_of(store);
	bool changed;
	struct err err;

	if (notes_refresh(&seeker->notes, &store->disk, store->settings.notes_dir,
			  store->settings.notes_dir_free, &changed, &err) != 0)
		view_notice(store, "%s; they are left out", err.text);
	if (seeker->notes.left_out)
		view_notice(store, "%zu notes in %s cannot be read and are left out",
			    seeker->notes.left_out, store->settings.notes_dir);
	if (changed)
		seeker_forget(seeker);
}

static void gather(struct store *store)
{
	struct seeker *seeker = seeker_of(store);
	size_t room = store->item_count + store->archive.count + seeker->notes.count;
	size_t count = 0;

	seeker->all = mem_zalloc(room + 1, sizeof *seeker->all);
	for (size_t i = 0; i < store->item_count; i++)
		read_item(&seeker->all[count++], &store->items[i]);
	for (size_t i = 0; i < store->archive.count; i++) {
		if (record_answers(&store->archive.records[i].record))
			read_record(&seeker->all[count++], &store->archive.records[i]);
	}
	for (size_t i = 0; i < seeker->notes.count; i++)
		read_note(seeker, &seeker->all[count++], &seeker->notes.list[i]);
	seeker->count = count;
}

/* Times and hits change with every use, and an entry becomes due by itself. */
static void update(struct sought *sought)
{
	const struct item *item = sought->item;

	if (!item)
		return;
	if (item->due)
		sought->status = SOUGHT_ARCHIVED;
	sought->created_ms = item->created_ms;
	sought->active_ms = time_later(item->updated_ms, item->accessed_ms);
	sought->hits = item->hits;
}

size_t store_seek_all(struct store *store, const struct sought **out)
{
	struct seeker *seeker;

	load_notes(store);
	seeker = store->seeker;
	if (!seeker->all)
		gather(store);
	for (size_t i = 0; seeker->all && i < seeker->count; i++)
		update(&seeker->all[i]);
	*out = seeker->all;
	return seeker->count;
}

/* ---- ranking */

static void add_texts(struct str *out, const struct json *doc, uint32_t node)
{
	STR_AUTO scratch = STR_INIT;

	if (node == JSON_NONE)
		return;
	if (json_type(doc, node) == JSON_STRING) {
		str_add(out, json_string(doc, node, &scratch));
		str_addc(out, '\n');
	} else if (json_type(doc, node) == JSON_ARRAY) {
		for (uint32_t n = json_first(doc, node); n != JSON_NONE; n = json_next(doc, n)) {
			if (json_type(doc, n) != JSON_ARRAY)
				add_texts(out, doc, n);
		}
	}
}

/* The texts of some fields, one a line. */
static struct slice field_texts(struct arena *arena, struct slice fields,
				const char *const names[2])
{
	STR_AUTO text = STR_INIT;
	struct json_fault fault;
	struct json doc;

	if (!fields.ptr || json_parse(&doc, fields, &json_file_bounds, &fault) != 0)
		return slice_of(NULL);
	for (int i = 0; i < 2; i++)
		add_texts(&text, &doc, json_member(&doc, JSON_ROOT, names[i]));
	json_release(&doc);
	return text.len ? arena_copy(arena, str_slice(&text)) : slice_of(NULL);
}

static void build_index(struct seeker *seeker)
{
	static const char *const labels[2] = {"tags", "entities"};
	static const char *const about[2] = {"context", "source"};
	struct search_item *items = mem_zalloc(seeker->count, sizeof *items);
	struct arena scratch = ARENA_INIT;

	for (size_t i = 0; i < seeker->count; i++) {
		const struct sought *sought = &seeker->all[i];

		items[i] = (struct search_item){
			.key = sought->key,
			.value = sought->value,
			.labels = sought->fields.ptr ? field_texts(&scratch, sought->fields, labels)
						     : sought->tags,
			.about = field_texts(&scratch, sought->fields, about),
		};
	}
	seeker->index = search_new(items, seeker->count);
	arena_release(&scratch);
	free(items);
}

size_t store_seek(struct store *store, struct slice query, const struct sought **out)
{
	const struct search_hit *hits;
	const struct sought *all;
	struct seeker *seeker;
	size_t count;

	store_seek_all(store, &all);
	seeker = store->seeker;
	if (!seeker->index)
		build_index(seeker);
	count = search_find(seeker->index, query, wordbook_synonyms(store), &hits);
	seeker->ranked = mem_grow(seeker->ranked, &seeker->ranked_cap, count,
				  sizeof *seeker->ranked);
	for (size_t i = 0; i < count; i++) {
		seeker->ranked[i] = all[hits[i].item];
		seeker->ranked[i].relevance = hits[i].relevance;
		seeker->ranked[i].words = hits[i].words;
		seeker->ranked[i].digest = hits[i].digest;
	}
	*out = seeker->ranked;
	return count;
}

const struct slice *store_seek_words(const struct store *store, size_t *count)
{
	*count = 0;
	if (!store->seeker || !store->seeker->index)
		return NULL;
	return search_words(store->seeker->index, count);
}

/* ---- opening */

static const struct item *item_of(const struct store *store, struct slice text)
{
	struct ref ref = ref_parse(text);

	for (size_t i = 0; i < store->item_count; i++) {
		if (!store->items[i].due && slice_equal(store->items[i].ref, text))
			return &store->items[i];
	}
	return ref.key.len ? store_find(store, ref.category, ref.key) : NULL;
}

/* A record that the search does not look through: a cold one, or one that answers no lookup. */
static bool find_record(struct store *store, struct slice ref, struct sought *out)
{
	const struct archived *records;
	struct err err;
	size_t count;

	if (store_archive_all(store, &records, &count, &err) != 0) {
		view_notice(store, "%s", err.text);
		return false;
	}
	for (size_t i = 0; i < count; i++) {
		if (slice_equal(records[i].ref, ref)) {
			read_record(out, &records[i]);
			return true;
		}
	}
	return false;
}

bool store_seek_ref(struct store *store, struct slice ref, struct sought *out)
{
	const struct item *item = item_of(store, ref);
	const struct sought *all;
	size_t count;

	if (item) {
		read_item(out, item);
		update(out);
		return true;
	}
	count = store_seek_all(store, &all);
	for (size_t i = 0; i < count; i++) {
		if (!all[i].item && slice_equal(all[i].ref, ref)) {
			*out = all[i];
			return true;
		}
	}
	return memchr(ref.ptr, '@', ref.len) && find_record(store, ref, out);
}
