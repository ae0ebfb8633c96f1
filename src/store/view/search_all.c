#include "store/view/search_all.h"

#include "json/write.h"
#include "base/mem.h"
#include "store/view/search_all_internal.h"
#include "store/view/notices.h"
#include "store/view/synonyms_file.h"

#include <stdlib.h>

void seeker_stale(struct seeker *seeker, int group)
{
	if (!seeker)
		return;
	seeker->groups[group].listed = false;
	seeker->groups[group].indexed = false;
}

void seeker_free(struct seeker *seeker)
{
	if (!seeker)
		return;
	seek_drop_index(seeker);
	notes_release(&seeker->notes);
	arena_release(&seeker->note_values);
	for (int g = 0; g < SEEK_GROUPS; g++)
		free(seeker->groups[g].list);
	free(seeker->known);
	free(seeker->all);
	free(seeker->ranked);
	free(seeker);
}

/* ---- reading */

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
	uint32_t source;
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
	source = json_member(&doc, JSON_ROOT, "source");
	if (source != JSON_NONE)
		out->source = json_text(&doc, source);
	status = json_member(&doc, JSON_ROOT, "status");
	if (status != JSON_NONE && json_type(&doc, status) == JSON_STRING &&
	    slice_is(json_string(&doc, status, &scratch), "promoted"))
		out->written = SOUGHT_PROMOTED;
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
			       .hits = record->entry.hits,
			       .uses = record->entry.uses};
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
		.value = arena_copy(&seeker->note_values, str_slice(&text)),
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
		seeker_stale(seeker, SEEK_NOTES);
}

/* Times and hits change with every use, and an entry becomes due by itself. */
static void update(struct sought *sought, const struct item *item)
{
	sought->item = item;
	sought->status = item->due ? SOUGHT_ARCHIVED : sought->written;
	sought->created_ms = item->created_ms;
	sought->active_ms = item->active_ms;
	sought->hits = item->hits;
	sought->uses = item->uses;
}

static size_t count_of(const struct store *store, int group)
{
	if (group == SEEK_ARCHIVE)
		return store->archive.count;
	if (group == SEEK_NOTES)
		return store->seeker->notes.count;
	return store->first[group + 1] - store->first[group];
}

size_t seek_count(struct store *store, int g)
{
	struct seek_group *group = &store->seeker->groups[g];

	if (!group->listed) {
		free(group->list);
		group->count = count_of(store, g);
		group->list = mem_zalloc(group->count, sizeof *group->list);
		group->listed = true;
		if (g == SEEK_NOTES)
			arena_release(&store->seeker->note_values);
	}
	return group->count;
}

const struct sought *seek_at(struct store *store, int group, size_t position)
{
	struct sought *sought = &store->seeker->groups[group].list[position];
	bool known = sought->ref.ptr != NULL;

	if (group < CATEGORY_COUNT) {
		const struct item *item = &store->items[store->first[group] + position];

		if (!known)
			read_item(sought, item);
		update(sought, item);
	} else if (group == SEEK_ARCHIVE) {
		const struct archived *archived = &store->archive.records[position];

		if (!record_answers(&archived->record))
			return NULL;
		if (!known)
			read_record(sought, archived);
	} else if (!known) {
		read_note(store->seeker, sought, &store->seeker->notes.list[position]);
	}
	return sought;
}

size_t store_seek_all(struct store *store, const struct sought **out)
{
	struct seeker *seeker;
	size_t count = 0;

	load_notes(store);
	seeker = store->seeker;
	for (int g = 0; g < SEEK_GROUPS; g++) {
		size_t positions = seek_count(store, g);

		seeker->all = mem_grow(seeker->all, &seeker->all_cap, count + positions + 1,
				       sizeof *seeker->all);
		for (size_t i = 0; i < positions; i++) {
			const struct sought *sought = seek_at(store, g, i);

			if (sought)
				seeker->all[count++] = *sought;
		}
	}
	*out = seeker->all;
	return count;
}

/* ---- ranking */

size_t store_seek(struct store *store, struct slice query, const struct sought **out)
{
	const struct search_hit *hits;
	struct seeker *seeker;
	size_t count;

	load_notes(store);
	seeker = store->seeker;
	seek_renew_index(store);
	count = search_find(seeker->index, query, wordbook_synonyms(store), &hits);
	seeker->ranked = mem_grow(seeker->ranked, &seeker->ranked_cap, count,
				  sizeof *seeker->ranked);
	for (size_t i = 0; i < count; i++) {
		const struct seek_known *known = &seeker->known[hits[i].item];

		seek_count(store, known->group);
		seeker->ranked[i] = *seek_at(store, known->group, known->position);
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

/* The record or note of this ref, of those that a search shows. */
static bool find_other(struct store *store, struct slice ref, struct sought *out)
{
	load_notes(store);
	for (int g = SEEK_ARCHIVE; g < SEEK_GROUPS; g++) {
		size_t count = seek_count(store, g);

		for (size_t i = 0; i < count; i++) {
			const struct sought *sought = seek_at(store, g, i);

			if (sought && slice_equal(sought->ref, ref)) {
				*out = *sought;
				return true;
			}
		}
	}
	return false;
}

bool store_seek_ref(struct store *store, struct slice ref, struct sought *out)
{
	const struct item *item = item_of(store, ref);

	if (item) {
		read_item(out, item);
		update(out, item);
		return true;
	}
	return find_other(store, ref, out) ||
	       (memchr(ref.ptr, '@', ref.len) && find_record(store, ref, out));
}
