#include "store/view/cold_index.h"

#include "base/mem.h"
#include "store/log/cold.h"
#include "store/view/notices.h"
#include "store/view/read_through.h"
#include "store/view/search_entry.h"
#include "store/view/state.h"
#include "text/normalize.h"

#include <stdlib.h>

/* Where a record of the index stands: in a file, or among the operations of the journal. */
struct cold_place {
	uint64_t offset;
	uint32_t len;
	uint32_t month; /* its number; PLACE_GONE: the month was read again since */
};

#define PLACE_GONE UINT32_MAX

/* The records that a committed change has yet to append are a month of this name. */
struct known_month {
	char *name;
	struct file_id id;
	bool listed; /* the folder had it when it was read last */
};

/* A record that is only found by its key. */
struct named_place {
	uint64_t key; /* digest of its normalised form */
	struct cold_place place;
};

struct cold_index {
	struct lookup *lookup; /* one of the two */
	struct search *search;
	struct known_month *months;
	size_t month_count;
	size_t month_cap;
	struct cold_place *places; /* by number of the index */
	size_t place_count;
	size_t place_cap;
	struct named_place *named;
	size_t named_count;
	size_t named_cap;
	size_t records; /* places that are not gone */
	size_t text;    /* bytes of the values of all that was added */
	size_t left_out;
};

/* ---- the index */

static void cold_index_free(struct cold_index *index)
{
	if (!index)
		return;
	lookup_free(index->lookup);
	search_free(index->search);
	for (size_t i = 0; i < index->month_count; i++)
		free(index->months[i].name);
	free(index->months);
	free(index->places);
	free(index->named);
	free(index);
}

void cold_index_release(struct store *store)
{
	cold_index_free(store->cold_lookup);
	cold_index_free(store->cold_search);
}

static size_t cold_index_add_to_lookup(struct cold_index *index, const struct record *record,
				       bool whole)
{
	const struct entry *entry = &record->entry;

	return lookup_add(index->lookup, &(struct lookup_item){.scope = (int)record->category,
							       .key = record->original_key,
							       .value = slice_of("null"),
							       .doc = whole ? entry->doc : NULL,
							       .node = entry->value_node,
							       .ref = record->key,
							       .active_ms = record->archived_ms,
							       .archived = true});
}

/* What the visit of a month's lines carries along. */
struct reading {
	struct cold_index *index;
	uint32_t month;
	struct arena arena;
};

static uint64_t cold_index_digest_key(struct slice key)
{
	STR_AUTO normal = STR_INIT;

	normalize_key(key, &normal);
	return hash64(str_slice(&normal));
}

/* One more than can be kept by its words. */
static void cold_index_take_named(struct cold_index *index, struct slice key,
				  struct cold_place place)
{
	if (!index->lookup || index->named_count == COLD_NAMED_MAX) {
		index->left_out++;
		return;
	}
	index->named = mem_grow(index->named, &index->named_cap, index->named_count + 1,
				sizeof *index->named);
	index->named[index->named_count++] = (struct named_place){cold_index_digest_key(key),
								  place};
}

static int cold_index_take_line(void *context, const struct json *doc, size_t offset)
{
	struct reading *reading = context;
	struct cold_index *index = reading->index;
	const struct cold_place place = {
		.offset = offset, .len = (uint32_t)doc->text.len, .month = reading->month};
	struct record record;

	if (!record_read_line(&record, doc, JSON_ROOT, &reading->arena) || record.undo ||
	    !record_answers(&record))
		return 0;
	if (index->records == COLD_RECORDS_MAX) {
		cold_index_take_named(index, record.original_key, place);
		return 0;
	}
	bool whole = index->text + record.text.len <= COLD_TEXT_MAX;
	index->text += whole ? record.text.len : 0;
	size_t number = index->lookup ? cold_index_add_to_lookup(index, &record, whole)
				      : search_entry_add(index->search, &record.entry, whole,
							 slice_of(NULL));
	index->places = mem_grow(index->places, &index->place_cap, number + 1,
				 sizeof *index->places);
	index->places[number] = place;
	index->place_count = number + 1;
	index->records++;
	return 0;
}

static void cold_index_forget_month(struct cold_index *index, uint32_t month)
{
	size_t kept = 0;

	for (size_t i = 0; i < index->named_count; i++)
		if (index->named[i].place.month != month)
			index->named[kept++] = index->named[i];
	index->named_count = kept;
	for (size_t i = 0; i < index->place_count; i++) {
		if (index->places[i].month != month)
			continue;
		index->places[i].month = PLACE_GONE;
		index->records--;
		if (index->lookup)
			lookup_remove(index->lookup, i);
		else
			search_remove(index->search, i);
	}
}

/*
 * True if the other index, that of the search or of the lookup, has read this very file and told of
 * it.
 */
static bool cold_index_is_told(const struct store *store, const struct cold_index *index,
			       const struct known_month *month)
{
	const struct cold_index *other = index->lookup ? store->cold_search : store->cold_lookup;

	for (size_t i = 0; other && i < other->month_count; i++)
		if (strcmp(other->months[i].name, month->name) == 0)
			return file_id_equal(&other->months[i].id, &month->id);
	return false;
}

/* A month that cannot be read is named, and the others answer. */
static void cold_index_read_month(struct store *store, struct cold_index *index, uint32_t month)
{
	struct reading reading = {.index = index, .month = month, .arena = ARENA_INIT};
	struct known_month *known = &index->months[month];
	STR_AUTO first_bad = STR_INIT;
	size_t bad;
	struct err err;

	if (cold_walk_month(&store->disk, known->name, cold_index_take_line, &reading, &known->id,
			    &bad, &first_bad, &err) != 0)
		notices_add(store, "%s; it is left out", err.text);
	else if (bad && !cold_index_is_told(store, index, known))
		notices_add(store, "%s: cannot be read; %zu lines of the cold archive are left out",
			    first_bad.ptr, bad);
	arena_release(&reading.arena);
}

static bool cold_index_is_journal(const struct known_month *month)
{
	return strcmp(month->name, JOURNAL_NAME) == 0;
}

static uint32_t cold_index_month_of(struct cold_index *index, const char *name)
{
	uint32_t at = 0;

	while (at < index->month_count && strcmp(index->months[at].name, name) != 0)
		at++;
	if (at == index->month_count) {
		index->months = mem_grow(index->months, &index->month_cap, index->month_count + 1,
					 sizeof *index->months);
		index->months[index->month_count++] = (struct known_month){
			.name = mem_strdup(name)};
	}
	return at;
}

/* Reads a month, unless it is as it was. */
static void cold_index_take_month(struct store *store, struct cold_index *index, const char *name,
				  const struct file_id *id)
{
	uint32_t at = cold_index_month_of(index, name);
	struct known_month *month = &index->months[at];

	month->listed = true;
	if (file_id_equal(&month->id, id))
		return;
	cold_index_forget_month(index, at);
	month->id = *id;
	if (cold_index_is_journal(month)) {
		struct reading reading = {.index = index, .month = at, .arena = ARENA_INIT};

		read_through_cold(store, cold_index_take_line, &reading);
		arena_release(&reading.arena);
	} else {
		cold_index_read_month(store, index, at);
	}
}

static void cold_index_take_months(struct store *store, struct cold_index *index,
				   const struct cold_month *months, size_t count)
{
	for (size_t i = 0; i < index->month_count; i++)
		index->months[i].listed = false;
	if (read_through_waits(store))
		cold_index_take_month(store, index, JOURNAL_NAME, &store->waiting.id);
	for (size_t i = count; i > 0; i--)
		cold_index_take_month(store, index, months[i - 1].name, &months[i - 1].id);
	for (uint32_t i = 0; i < index->month_count; i++) {
		if (index->months[i].listed || !index->months[i].id.present)
			continue;
		cold_index_forget_month(index, i);
		index->months[i].id.present = false;
	}
}

/* Makes an index say what the files do; *at is NULL where it was never asked for. */
static struct cold_index *cold_index_renew(struct store *store, struct cold_index **at,
					   bool searched)
{
	struct cold_month *months;
	size_t count;
	struct err err;

	if (*at && ((*at)->lookup ? lookup_is_wasteful((*at)->lookup)
				  : search_is_wasteful((*at)->search))) {
		cold_index_free(*at);
		*at = NULL;
	}
	if (!*at) {
		*at = mem_zalloc(1, sizeof **at);
		(*at)->lookup = searched ? NULL : lookup_new(NULL, 0);
		(*at)->search = searched ? search_new(NULL, 0) : NULL;
	}
	(*at)->left_out = 0;
	if (cold_months(&store->disk, &months, &count, &err) != 0)
		notices_add(store, "%s; its contents are left out", err.text);
	else
		cold_index_take_months(store, *at, months, count);
	if ((*at)->left_out)
		notices_add(store,
			    "the cold archive has more records than are searched: %zu "
			    "older ones are left out; memory_list_archived lists them",
			    (*at)->left_out);
	for (size_t i = 0; i < count; i++)
		free(months[i].name);
	free(months);
	return *at;
}

bool cold_index_is_cheap(struct store *store, off_t bytes)
{
	struct cold_month *months;
	size_t count;
	off_t total = 0;
	struct err err;

	if (store->cold_lookup)
		return true;
	if (cold_months(&store->disk, &months, &count, &err) != 0)
		count = 0;
	for (size_t i = 0; i < count; i++) {
		total += months[i].id.size;
		free(months[i].name);
	}
	free(months);
	return total <= bytes;
}

/* ---- its answers */

/* The line at a place; false where it cannot be read any more. */
static bool cold_index_read_text(struct store *store, const struct cold_index *index,
				 const struct cold_place *place, struct str *out)
{
	const struct known_month *month;
	struct err ignored;
	size_t count;

	if (place->month == PLACE_GONE)
		return false;
	month = &index->months[place->month];
	if (!cold_index_is_journal(month))
		return cold_read_line(&store->disk, month->name, place->offset, place->len, out,
				      &ignored) == 0;
	const struct op *ops = read_through_ops(store, &count);
	if (place->offset >= count)
		return false;
	str_add(out, ops[place->offset].text);
	return true;
}

/* The record at a place, or NULL where the file has another text there by now. */
static const struct archived *cold_index_read(struct store *store, const struct cold_index *index,
					      const struct cold_place *place)
{
	struct arena *arena = &store->answer_arena;
	struct archived *archived = arena_alloc(arena, sizeof *archived);
	struct json *doc = arena_alloc(arena, sizeof *doc);
	STR_AUTO text = STR_INIT;
	struct json_fault fault;
	struct json parsed;

	if (!cold_index_read_text(store, index, place, &text) ||
	    json_parse(&parsed, arena_copy(arena, str_slice(&text)), &json_file_bounds, &fault) !=
		    0)
		return NULL;
	*doc = parsed;
	doc->nodes = arena_alloc(arena, parsed.count * sizeof *doc->nodes);
	memcpy(doc->nodes, parsed.nodes, parsed.count * sizeof *doc->nodes);
	json_release(&parsed);
	*archived = (struct archived){.cold = true};
	if (!record_read_line(&archived->record, doc, JSON_ROOT, arena))
		return NULL;
	str_clear(&text);
	ref_add(&text, archived->record.category, archived->record.key);
	archived->ref = arena_copy(arena, str_slice(&text));
	return archived;
}

/* The newest of those that are found by their key alone. */
static const struct archived *cold_index_find_named(struct store *store,
						    const struct cold_index *index,
						    struct slice query, int scope)
{
	uint64_t key = cold_index_digest_key(query);
	const struct archived *found = NULL;

	for (size_t i = 0; i < index->named_count; i++) {
		if (index->named[i].key != key)
			continue;
		const struct archived *one = cold_index_read(store, index, &index->named[i].place);
		if (one && (scope == LOOKUP_ANY_SCOPE || scope == (int)one->record.category) &&
		    (!found || one->record.archived_ms > found->record.archived_ms))
			found = one;
	}
	return found;
}

void cold_index_find(struct store *store, struct slice query, int scope,
		     struct lookup_answer *answer, const struct archived **out)
{
	const struct cold_index *index = cold_index_renew(store, &store->cold_lookup, false);

	*out = NULL;
	lookup_find(index->lookup, query, scope, answer);
	if (answer->found)
		*out = cold_index_read(store, index, &index->places[answer->item]);
	if (!*out || answer->match != LOOKUP_EXACT) {
		const struct archived *named = cold_index_find_named(store, index, query, scope);

		if (named)
			*answer = (struct lookup_answer){.confidence = 1, .match = LOOKUP_EXACT};
		*out = named ? named : *out;
	}
	answer->found = *out != NULL;
}

size_t cold_index_search(struct store *store, struct slice query, const struct synonyms *synonyms,
			 const struct search_hit **out)
{
	const struct cold_index *index = cold_index_renew(store, &store->cold_search, true);

	return search_find(index->search, query, synonyms, out);
}

const struct archived *cold_index_found(struct store *store, size_t item)
{
	return cold_index_read(store, store->cold_search, &store->cold_search->places[item]);
}
