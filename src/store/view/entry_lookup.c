#include "store/view/entry_lookup.h"

#include "base/mem.h"
#include "search/search.h"
#include "store/view/cold_index.h"
#include "store/view/index_sync.h"
#include "store/view/relations.h"
#include "store/view/search_all.h"
#include "store/view/state.h"
#include "store/view/synonyms_file.h"
#include "text/normalize.h"
#include "text/value_text.h"
#include "text/words.h"

#include <assert.h>
#include <stdlib.h>

/* Exchanges of words by synonyms that are tried for one query. */
#define VARIANTS_MAX 16

/* Keys that an entry is also found by, of those that were merged into it. */
#define FORMER_MAX 64

/*
 * Superseded entries are in the index by the side of what the groups hold, by their old keys and,
 * as far as archive.json has them, values: as lively as their successors, who answer for them.
 */
struct superseded {
	const struct predecessor *list; /* as of the last question */
	size_t *numbers;                /* in the index; likewise by position */
	size_t count;
	size_t cap;
	uint64_t digest; /* of all that the index has of them */
};

struct entry_lookup {
	struct lookup *index;
	struct index_sync sync;
	struct superseded superseded;
};

void entry_lookup_stale(struct entry_lookup *lookup, int group)
{
	if (lookup)
		lookup->sync.groups[group].current = false;
}

void entry_lookup_touch(const struct store *store, size_t position)
{
	const struct entry_lookup *lookup = store->lookup;
	const struct item *item = &store->items[position];

	if (!lookup)
		return;
	const struct sync_group *group = &lookup->sync.groups[item->entry.category];
	if (group->current)
		lookup_touch(lookup->index,
			     group->numbers[position - store->first[item->entry.category]],
			     item->active_ms, item->due);
}

void entry_lookup_free(struct entry_lookup *lookup)
{
	if (!lookup)
		return;
	lookup_free(lookup->index);
	sync_release(&lookup->sync);
	free(lookup->superseded.numbers);
	free(lookup);
}

/* Keys of entries that were merged into this one, as its merged_from names them. */
static const struct slice *entry_lookup_former_keys(const struct entry *entry, struct arena *arena,
						    size_t *count)
{
	uint32_t list = entry_member(entry, "merged_from");
	struct slice *keys;

	*count = 0;
	if (list == JSON_NONE || json_type(entry->doc, list) != JSON_ARRAY)
		return NULL;
	keys = arena_alloc(arena, FORMER_MAX * sizeof *keys);
	for (uint32_t n = json_first(entry->doc, list); n != JSON_NONE && *count < FORMER_MAX;
	     n = json_next(entry->doc, n)) {
		STR_AUTO scratch = STR_INIT;
		struct ref ref = ref_parse(json_string(entry->doc, n, &scratch));

		if (ref.key.len > 0 && ref.key.len <= LOOKUP_QUERY_MAX &&
		    !slice_equal(ref.key, entry->key))
			keys[(*count)++] = arena_copy(arena, ref.key);
	}
	return keys;
}

static struct lookup_item lookup_item_of(const struct stored *stored, struct arena *arena)
{
	const struct entry *entry = stored->item ? &stored->item->entry
						 : &stored->archived->record.entry;
	const struct slice *former = NULL;
	size_t count = 0;

	assert(entry);
	if (stored->item)
		former = entry_lookup_former_keys(entry, arena, &count);

	return (struct lookup_item){
		.former = former,
		.former_count = count,
		.scope = (int)entry->category,
		.key = entry->key,
		.doc = entry->doc,
		.node = entry->value_node,
		.ref = stored->ref,
		.active_ms = stored->item ? stored->item->active_ms
					  : stored->archived->record.archived_ms,
		.archived = !stored->item || stored->item->due,
	};
}

static uint64_t entry_lookup_digest_superseded(const struct predecessor *list, size_t count)
{
	STR_AUTO text = STR_INIT;

	for (size_t i = 0; i < count; i++) {
		const struct archived *archived = list[i].archived;

		str_add(&text, list[i].ref);
		str_printf(&text, "\n%d %llx\n", list[i].successor.item != NULL,
			   archived ? (unsigned long long)hash64(archived->record.text) : 0);
	}
	return count ? hash64(str_slice(&text)) : 0;
}

static struct lookup_item entry_lookup_superseded_item(const struct predecessor *old)
{
	const struct ref ref = ref_parse(old->ref);
	struct lookup_item item = {.scope = ref.category,
				   .key = ref.key,
				   .value = slice_of("null"),
				   .ref = old->ref,
				   .active_ms = TIME_NONE,
				   .archived = !old->successor.item};

	if (old->archived) {
		item.doc = old->archived->record.entry.doc;
		item.node = old->archived->record.entry.value_node;
		item.active_ms = old->archived->record.archived_ms;
	}
	if (old->successor.item)
		item.active_ms = time_later(item.active_ms, old->successor.item->active_ms);
	return item;
}

static void entry_lookup_renew_superseded(struct store *store)
{
	struct entry_lookup *lookup = store->lookup;
	struct superseded *superseded = &lookup->superseded;
	size_t count = store_predecessors(store, &superseded->list);
	uint64_t digest = entry_lookup_digest_superseded(superseded->list, count);

	if (digest == superseded->digest)
		return;
	for (size_t i = 0; i < superseded->count; i++)
		lookup_remove(lookup->index, superseded->numbers[i]);
	superseded->numbers = mem_grow(superseded->numbers, &superseded->cap, count,
				       sizeof *superseded->numbers);
	for (size_t i = 0; i < count; i++) {
		struct lookup_item item = entry_lookup_superseded_item(&superseded->list[i]);

		superseded->numbers[i] = lookup_add(lookup->index, &item);
	}
	superseded->count = count;
	superseded->digest = digest;
}

/* The superseded entry that a number of the index stands for; NULL when it is none. */
static const struct predecessor *entry_lookup_superseded(const struct store *store, size_t number)
{
	const struct superseded *superseded = &store->lookup->superseded;

	for (size_t i = 0; i < superseded->count; i++)
		if (superseded->numbers[i] == number)
			return &superseded->list[i];
	return NULL;
}

/* Makes the index say what the store does: which keys there are, if not yet which words. */
static void entry_lookup_renew_index(struct store *store)
{
	struct entry_lookup *lookup = store->lookup;

	if (lookup && lookup_is_wasteful(lookup->index)) {
		entry_lookup_free(lookup);
		lookup = NULL;
	}
	if (!lookup) {
		lookup = mem_zalloc(1, sizeof *lookup);
		lookup->index = lookup_new(NULL, 0);
		store->lookup = lookup;
	}
	for (int g = 0; g <= GROUP_ARCHIVE; g++) {
		struct stored stored;
		size_t number;

		if (lookup->sync.groups[g].current)
			continue;
		sync_begin(&lookup->sync, g, store_group_size(store, g));
		while (sync_next(&lookup->sync, store, NULL, &stored)) {
			ARENA_AUTO arena = ARENA_INIT;

			if (stored.archived && slice_is(stored.archived->record.reason,
							reason_name(REASON_SUPERSEDED)))
				continue;
			struct lookup_item item = lookup_item_of(&stored, &arena);
			if (stored.number == SYNC_NONE)
				sync_added(&lookup->sync, &stored,
					   lookup_add_name(lookup->index, &item));
			else
				lookup_touch(lookup->index, stored.number, item.active_ms,
					     item.archived);
		}
		while (sync_next_gone(&lookup->sync, &number))
			lookup_remove(lookup->index, number);
	}
	entry_lookup_renew_superseded(store);
}

/*
 * Gives the index the words that it lacks. Most questions are a key that is there and need none:
 * then nothing has to be taken apart.
 */
static void entry_lookup_renew_words(struct store *store)
{
	struct entry_lookup *lookup = store->lookup;

	for (int g = 0; g <= GROUP_ARCHIVE; g++) {
		const struct sync_group *group = &lookup->sync.groups[g];

		for (size_t position = 0; position < group->count; position++) {
			uint32_t number = group->numbers[position];
			ARENA_AUTO arena = ARENA_INIT;
			struct stored stored;

			progress_step(store->disk.progress, "indexing", position, group->count);
			if (number == SYNC_NONE || lookup_has_words(lookup->index, number))
				continue;
			stored_at(store, NULL, g, position, &stored);
			struct lookup_item item = lookup_item_of(&stored, &arena);
			lookup_add_words(lookup->index, number, &item);
		}
	}
}

/* How an entry that is due but still in its file looks in an answer: archived just now. */
static const struct archived *entry_lookup_due_record(struct store *store, const struct item *item)
{
	struct arena *arena = &store->answer_arena;
	struct archived *archived = arena_alloc(arena, sizeof *archived);
	STR_AUTO text = STR_INIT;

	record_key(&text, item->entry.key, store->now_ms, 1);
	archived->record = (struct record){
		.category = item->entry.category,
		.key = arena_copy(arena, str_slice(&text)),
		.original_key = item->entry.key,
		.reason = slice_of(reason_name(REASON_EXPIRY)),
		.text = item->entry.text,
		.archived_ms = store->now_ms,
		.entry = item->entry,
	};
	str_clear(&text);
	ref_add(&text, item->entry.category, archived->record.key);
	archived->ref = arena_copy(arena, str_slice(&text));
	return archived;
}

/* The item that a number of the index stands for; NULL when it is a record. */
static const struct item *entry_lookup_item_of(const struct store *store, size_t number)
{
	const struct synced *synced = &store->lookup->sync.items[number];

	if (synced->group == GROUP_ARCHIVE)
		return NULL;
	return &store->items[store->first[synced->group] + synced->position];
}

static const struct archived *entry_lookup_record_of(const struct store *store, size_t number)
{
	return &store->archive.records[store->lookup->sync.items[number].position];
}

/* The ref of what a number of the index stands for. */
static struct slice entry_lookup_ref_of(const struct store *store, size_t number)
{
	const struct predecessor *old = entry_lookup_superseded(store, number);

	if (old)
		return old->successor.item ? old->successor.item->ref
					   : old->successor.archived->ref;
	const struct item *item = entry_lookup_item_of(store, number);
	return item ? item->ref : entry_lookup_record_of(store, number)->ref;
}

static void entry_lookup_name_winner(struct store *store, struct slice query,
				     struct store_answer *answer)
{
	const struct predecessor *old = entry_lookup_superseded(store, answer->lookup.item);
	const struct item *exact = NULL;
	const struct item *item;

	if (old) {
		answer->item = old->successor.item;
		answer->archived = old->successor.item ? NULL : old->successor.archived;
		answer->answers_for = old->ref;
		return;
	}
	item = entry_lookup_item_of(store, answer->lookup.item);
	/* Of entries that are equal after normalisation the spelling given wins, else the first. */
	if (item && answer->lookup.match == LOOKUP_EXACT)
		exact = store_find(store, (int)item->entry.category, query);
	if (!item)
		answer->archived = entry_lookup_record_of(store, answer->lookup.item);
	else if (item->due)
		answer->archived = entry_lookup_due_record(store, item);
	else
		answer->item = exact ? exact : item;
}

/*
 * Where the words of a query find nothing that is as good, those that mean the same are tried, at a
 * discount.
 */
static void entry_lookup_look_up_synonyms(struct store *store, struct slice query, int scope,
					  struct lookup_answer *answer)
{
	const struct synonyms *synonyms = synonyms_file_read(store);
	struct lookup *index = store->lookup->index;
	struct str variants[VARIANTS_MAX];
	struct slice best = query;
	size_t count = 0;

	if (synonyms && (!answer->found || answer->confidence < SYNONYMS_WEIGHT))
		count = synonyms_variants(synonyms, query, variants, VARIANTS_MAX);
	for (size_t i = 0; i < count; i++) {
		struct lookup_answer other;

		lookup_find(index, str_slice(&variants[i]), scope, &other);
		other.confidence *= SYNONYMS_WEIGHT;
		if (other.found && other.confidence >= LOOKUP_FLOOR &&
		    (!answer->found || other.confidence > answer->confidence)) {
			best = str_slice(&variants[i]);
			*answer = other;
		}
	}
	/* Each question takes the words of the one before with it: the best is asked again. */
	if (count > 0)
		lookup_find(index, best, scope, answer);
	if (best.ptr != query.ptr) {
		answer->confidence *= SYNONYMS_WEIGHT;
		answer->match = LOOKUP_WORDS;
	}
	for (size_t i = 0; i < count; i++)
		str_release(&variants[i]);
}

/*
 * The number in the index of the lookup of what a search found; SYNC_NONE for a note, or a record
 * that nobody answers for.
 */
static size_t entry_lookup_number_of(const struct store *store, const struct sought *sought)
{
	const struct superseded *superseded = &store->lookup->superseded;

	for (size_t i = 0; sought->archived && i < superseded->count; i++)
		if (superseded->list[i].successor.item && superseded->list[i].archived &&
		    slice_equal(superseded->list[i].archived->ref, sought->archived->ref))
			return superseded->numbers[i];
	if (!sought->item || sought->item->due)
		return SYNC_NONE;
	const struct sync_group *group = &store->lookup->sync.groups[sought->category];
	size_t position = (size_t)(sought->item - store->items) - store->first[sought->category];
	return position < group->count ? group->numbers[position] : SYNC_NONE;
}

/* Where the lookup finds nothing: the first result of the ranked search, if that is sure of it. */
static void entry_lookup_look_up_ranked(struct store *store, struct slice query, int category,
					struct lookup_answer *answer)
{
	struct search_hit best[2];
	size_t best_count = 0;
	const struct sought *found;
	size_t count = store_search(store, query, &found);
	double confidence;

	for (size_t i = 0; i < count && best_count < 2; i++) {
		size_t number = entry_lookup_number_of(store, &found[i]);

		if (number == SYNC_NONE ||
		    (category != CATEGORY_ANY && found[i].category != category))
			continue;
		/* An entry and what it superseded are one answer. */
		if (best_count == 0 || !slice_equal(entry_lookup_ref_of(store, best[0].item),
						    entry_lookup_ref_of(store, number)))
			best[best_count++] = (struct search_hit){.item = number,
								 .relevance = found[i].relevance,
								 .coverage = found[i].coverage,
								 .numbers = found[i].numbers};
	}
	if (best_count && search_is_sure(&best[0], best_count > 1 ? &best[1] : NULL, &confidence))
		lookup_take(store->lookup->index, query, best[0].item, confidence, answer);
}

/* Names an entry beside the answer, unless another key of it has been named. */
static void entry_lookup_name_other(const struct store *store, const struct lookup_other *other,
				    struct store_answer *answer)
{
	struct slice ref = entry_lookup_ref_of(store, other->item);
	size_t count = answer->also_count;

	if (answer->lookup.found && other->item != answer->lookup.item &&
	    slice_equal(ref, answer->item ? answer->item->ref : answer->archived->ref))
		return;
	for (size_t i = 0; i < count; i++)
		if (slice_equal(answer->also[i].ref, ref))
			return;
	answer->also[count].ref = ref;
	answer->also[count].asked = other->asked;
	answer->also[count].stored = other->stored;
	answer->also_count++;
}

static bool entry_lookup_has_word(const struct text *text, struct slice word)
{
	for (uint32_t i = 0; i < text->word_count; i++) {
		struct slice known = text_word_bytes(text, i);

		/* Also the beginning of one: plurals, and other endings. */
		if (known.len >= word.len && memcmp(known.ptr, word.ptr, word.len) == 0)
			return true;
	}
	return false;
}

static void entry_lookup_add_said(const struct entry *entry, struct str *said)
{
	STR_AUTO switches = STR_INIT;

	str_add(said, entry->key);
	str_addc(said, ' ');
	value_text(entry->doc, entry->value_node, said, &switches);
	str_addc(said, ' ');
}

/* How many words of a query have a subject, and of how many of them nothing is said. */
struct account {
	uint32_t words;
	uint32_t unsaid;
	bool of_question;
};

static struct account entry_lookup_account(struct slice query, struct slice said)
{
	struct account account = {0};
	ARENA_AUTO arena = ARENA_INIT;
	STR_AUTO normal = STR_INIT;
	struct text whole;
	struct text content;
	struct text known;

	normalize_words(query, &normal);
	text_make(&arena, str_slice(&normal), &whole);
	uint32_t begin = words_content(&arena, &whole, &content);
	account.of_question = begin > 0;
	uint64_t idle = words_without_subject(&content, account.of_question,
					      words_measures_from(&whole, begin));
	normalize_words(said, &normal);
	text_make(&arena, str_slice(&normal), &known);
	for (uint32_t i = 0; i < content.word_count && i < WORDS_KINDS_MAX; i++) {
		if (idle >> i & 1)
			continue;
		account.words++;
		account.unsaid += !entry_lookup_has_word(&known, text_word_bytes(&content, i));
	}
	return account;
}

/*
 * True if the answer is a superseded entry whose key is only a part of another thing's name:
 * "umbrella cellar". The other words of a question ("which cellar does Ada use") are no part of a
 * name.
 */
static bool entry_lookup_is_of_old_part(const struct store *store, struct slice query,
					const struct lookup_answer *answer)
{
	const struct predecessor *old = entry_lookup_superseded(store, answer->item);
	STR_AUTO said = STR_INIT;

	if (!old || answer->match != LOOKUP_CONTAINED)
		return false;
	str_add(&said, ref_parse(old->ref).key);
	str_addc(&said, ' ');
	if (old->archived)
		entry_lookup_add_said(&old->archived->record.entry, &said);
	entry_lookup_add_said(old->successor.item ? &old->successor.item->entry
						  : &old->successor.archived->record.entry,
			      &said);
	struct account account = entry_lookup_account(query, str_slice(&said));
	return !account.of_question && 2 * account.unsaid >= account.words;
}

void store_lookup(struct store *store, struct slice query, int category,
		  struct store_answer *answer)
{
	int scope = category == CATEGORY_ANY ? LOOKUP_ANY_SCOPE : category;

	*answer = (struct store_answer){0};
	entry_lookup_renew_index(store);
	if (!lookup_find_named(store->lookup->index, query, scope, &answer->lookup)) {
		entry_lookup_renew_words(store);
		lookup_find(store->lookup->index, query, scope, &answer->lookup);
		entry_lookup_look_up_synonyms(store, query, scope, &answer->lookup);
	}
	if (answer->lookup.found && entry_lookup_is_of_old_part(store, query, &answer->lookup))
		answer->lookup.found = false;
	if (!answer->lookup.found)
		entry_lookup_look_up_ranked(store, query, category, &answer->lookup);
	if (answer->lookup.found)
		entry_lookup_name_winner(store, query, answer);
	for (size_t i = 0; i < answer->lookup.also_count; i++)
		entry_lookup_name_other(store, &answer->lookup.also[i], answer);
}

/* ---- what nothing active answers */

/* Where an active entry is as good, one that is archived does not answer, even by its very key. */
#define ACTIVE_IS_GOOD 0.85

/* The cold archive is asked in passing where it is no larger than that, or has an index by now. */
#define COLD_IN_PASSING ((off_t)16 << 20)

static void entry_lookup_name_archived(struct store_answer *answer, struct slice ref)
{
	size_t at = answer->also_count < LOOKUP_ALSO_MAX ? answer->also_count++
							 : LOOKUP_ALSO_MAX - 1;

	answer->also[at].ref = ref;
	answer->also[at].asked = slice_of(NULL);
	answer->also[at].stored = slice_of(NULL);
}

/*
 * Who answers for a superseded record; false where nobody does, since its successor was deleted. A
 * record of which no successor was told answers for itself.
 */
static bool entry_lookup_find_successor(struct store *store, const struct record *record,
					struct slice ref, struct successor *out)
{
	struct lookup_answer cold;

	if (!slice_is(record->reason, reason_name(REASON_SUPERSEDED)) ||
	    store_successor(store, ref, out))
		return true;
	if (!out->ref.ptr)
		return true;
	struct ref last = ref_parse(out->ref);
	cold_index_find(store, last.key, last.category, &cold, &out->archived);
	return out->archived && cold.match == LOOKUP_EXACT &&
	       !slice_is(out->archived->record.reason, reason_name(REASON_SUPERSEDED));
}

/* A superseded record stands for who took its place. */
static void entry_lookup_take_record(struct store *store, const struct archived *archived,
				     const struct lookup_answer *cold, struct store_answer *answer)
{
	STR_AUTO ref = STR_INIT;
	struct successor successor = {0};

	ref_add(&ref, archived->record.category, archived->record.original_key);
	if (!entry_lookup_find_successor(store, &archived->record, str_slice(&ref), &successor))
		return;
	answer->lookup.found = true;
	answer->lookup.confidence = cold->confidence;
	answer->lookup.match = cold->match;
	answer->item = successor.item;
	answer->archived = successor.item || successor.archived ? successor.archived : archived;
	if (successor.item || successor.archived)
		answer->answers_for = arena_copy(&store->answer_arena, str_slice(&ref));
}

/* The newest record of archive.json whose key is the query; NULL where there is none. */
static const struct archived *entry_lookup_record_named(const struct store *store,
							struct slice query, int category)
{
	const struct archived *found = NULL;
	STR_AUTO wanted = STR_INIT;
	STR_AUTO key = STR_INIT;

	normalize_key(query, &wanted);
	for (size_t i = 0; i < store->archive.count; i++) {
		const struct archived *archived = &store->archive.records[i];

		if ((category != CATEGORY_ANY && (int)archived->record.category != category) ||
		    !record_answers(&archived->record) ||
		    (found && archived->record.archived_ms < found->record.archived_ms))
			continue;
		normalize_key(archived->record.original_key, &key);
		if (slice_equal(str_slice(&key), str_slice(&wanted)))
			found = archived;
	}
	return found;
}

/* True if an archived entry has the name that was asked for, while something else answers. */
static void entry_lookup_look_up_named(struct store *store, struct slice query, int category,
				       struct store_answer *answer)
{
	const struct archived *named = entry_lookup_record_named(store, query, category);
	struct lookup_answer cold = {.confidence = 1, .match = LOOKUP_EXACT};

	if (!named && cold_index_is_cheap(store, COLD_IN_PASSING)) {
		cold_index_find(store, query,
				category == CATEGORY_ANY ? LOOKUP_ANY_SCOPE : category, &cold,
				&named);
		if (cold.match != LOOKUP_EXACT)
			named = NULL;
	}
	if (named && answer->lookup.confidence < ACTIVE_IS_GOOD)
		entry_lookup_take_record(store, named, &cold, answer);
	else if (named)
		entry_lookup_name_archived(answer, named->ref);
}

void store_lookup_archived(struct store *store, struct slice query, int category,
			   struct store_answer *answer)
{
	int scope = category == CATEGORY_ANY ? LOOKUP_ANY_SCOPE : category;
	const struct archived *archived;
	struct lookup_answer cold;
	STR_AUTO said = STR_INIT;

	if (answer->lookup.found) {
		if (answer->lookup.match != LOOKUP_EXACT)
			entry_lookup_look_up_named(store, query, category, answer);
		return;
	}
	cold_index_find(store, query, scope, &cold, &archived);
	if (archived)
		entry_lookup_add_said(&archived->record.entry, &said);
	/* A key that is merely part of the query is too little for what is no longer there. */
	if (archived && (cold.match != LOOKUP_CONTAINED ||
			 !entry_lookup_account(query, str_slice(&said)).unsaid))
		entry_lookup_take_record(store, archived, &cold, answer);
	else if (archived)
		entry_lookup_name_archived(answer, archived->ref);
}
