#include "base/map.h"
#include "json/doc.h"
#include "base/mem.h"
#include "store/view/search_all_internal.h"
#include "store/view/state.h"

#include <stdlib.h>

void seek_drop_index(struct seeker *seeker)
{
	search_free(seeker->index);
	seeker->index = NULL;
	map_release(&seeker->by_ref[0]);
	map_release(&seeker->by_ref[1]);
	arena_release(&seeker->refs);
	for (int g = 0; g < SEEK_GROUPS; g++) {
		free(seeker->groups[g].numbers);
		seeker->groups[g].numbers = NULL;
		seeker->groups[g].number_count = 0;
		seeker->groups[g].indexed = false;
	}
}

/* ---- what the index knows of an item */

/* What an item is recognised by: its ref, and the digest of what the index makes of it. */
struct offer {
	struct slice ref;
	uint64_t digest;
	size_t position;
};

/* Without reading what stands there. False for what a search does not show. */
static bool offer_at(const struct store *store, int group, size_t position, struct offer *offer)
{
	offer->position = position;
	if (group < CATEGORY_COUNT) {
		const struct item *item = &store->items[store->first[group] + position];

		offer->ref = item->ref;
		offer->digest = hash64(item->entry.text);
	} else if (group == SEEK_ARCHIVE) {
		const struct archived *archived = &store->archive.records[position];

		offer->ref = archived->ref;
		offer->digest = hash64(archived->record.text);
		return record_answers(&archived->record);
	} else {
		const struct note *note = &store->seeker->notes.list[position];

		offer->ref = note->ref;
		offer->digest = hash64(note->text) + 3 * hash64(note->title);
		if (note->tags.ptr)
			offer->digest += 5 * hash64(note->tags);
	}
	return true;
}

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

/* The texts of the fields that are looked through beside the value, one a line. */
static void read_labels(const struct sought *sought, struct str *labels, struct str *about)
{
	struct json_fault fault;
	struct json doc;

	if (!sought->fields.ptr) {
		str_add(labels, sought->tags);
		return;
	}
	if (json_parse(&doc, sought->fields, &json_file_bounds, &fault) != 0)
		return;
	add_texts(labels, &doc, json_member(&doc, JSON_ROOT, "tags"));
	add_texts(labels, &doc, json_member(&doc, JSON_ROOT, "entities"));
	add_texts(about, &doc, json_member(&doc, JSON_ROOT, "context"));
	add_texts(about, &doc, json_member(&doc, JSON_ROOT, "source"));
	json_release(&doc);
}

static size_t add(struct store *store, int group, const struct offer *offer)
{
	const struct sought *sought = seek_at(store, group, offer->position);
	struct seeker *seeker = store->seeker;
	STR_AUTO labels = STR_INIT;
	STR_AUTO about = STR_INIT;
	size_t number;

	read_labels(sought, &labels, &about);
	number = search_add(seeker->index, &(struct search_item){.key = sought->key,
								 .value = sought->value,
								 .labels = str_slice(&labels),
								 .about = str_slice(&about)});
	seeker->known = mem_grow(seeker->known, &seeker->known_cap, number + 1,
				 sizeof *seeker->known);
	map_put(&seeker->by_ref[group >= CATEGORY_COUNT], arena_copy(&seeker->refs, offer->ref),
		number);
	return number;
}

/* ---- comparing */

/* The group of an item that was taken out of the index. */
#define GONE (-1)

/* The item of the index under this ref that was not met yet in this round, or NULL. */
static const struct seek_known *find_by_ref(const struct seeker *seeker, int group,
					    struct slice ref, size_t *number)
{
	const struct seek_known *known;

	if (!map_get(&seeker->by_ref[group >= CATEGORY_COUNT], ref, number))
		return NULL;
	known = &seeker->known[*number];
	return known->group == group && known->round != seeker->round ? known : NULL;
}

/* Sees to it that the index has what is offered. Its number there. */
static uint32_t take(struct store *store, int group, const struct offer *offer)
{
	struct seeker *seeker = store->seeker;
	size_t number;
	const struct seek_known *known = find_by_ref(seeker, group, offer->ref, &number);

	if (!known || known->digest != offer->digest)
		number = add(store, group, offer);
	seeker->known[number] = (struct seek_known){offer->digest, seeker->round,
						    (uint32_t)offer->position, group};
	/* Equal relevance keeps the order of the groups and of what is in them. */
	search_place(seeker->index, number, (uint64_t)group << 32 | offer->position);
	return (uint32_t)number;
}

/* Compares a group with the index, which takes over what differs. */
static void renew_group(struct store *store, int g)
{
	struct seeker *seeker = store->seeker;
	struct seek_group *group = &seeker->groups[g];
	uint32_t *before = group->numbers;
	size_t count_before = group->number_count;

	seeker->round++;
	group->number_count = seek_count(store, g);
	group->numbers = mem_zalloc(group->number_count, sizeof *group->numbers);
	for (size_t i = 0; i < group->number_count; i++) {
		struct offer offer;

		progress_step(store->disk.progress, "indexing", i, group->number_count);
		group->numbers[i] = SEEK_NONE;
		if (offer_at(store, g, i, &offer))
			group->numbers[i] = take(store, g, &offer);
	}
	for (size_t i = 0; i < count_before; i++) {
		if (before[i] == SEEK_NONE || seeker->known[before[i]].round == seeker->round)
			continue;
		search_remove(seeker->index, before[i]);
		/* What comes back with the same text is another item: this one is gone. */
		seeker->known[before[i]].group = GONE;
	}
	free(before);
	group->indexed = true;
}

void seek_renew_index(struct store *store)
{
	struct seeker *seeker = store->seeker;

	if (seeker->index && search_is_wasteful(seeker->index))
		seek_drop_index(seeker);
	if (!seeker->index)
		seeker->index = search_new(NULL, 0);
	for (int g = 0; g < SEEK_GROUPS; g++) {
		if (!seeker->groups[g].indexed)
			renew_group(store, g);
	}
}
