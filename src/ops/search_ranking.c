#include "ops/search_ranking.h"

#include "base/map.h"
#include "model/category.h"
#include "ops/entry_stats.h"
#include "ops/related.h"
#include "policy/decay.h"
#include "search/search.h"
#include "similarity/report.h"
#include "store/items/notes.h"

#include <stdlib.h>
#include <string.h>

/* Most results out of the cold archive, each of which is read from its file. */
#define COLD_MAX 1000

/* A result that holds this share of what was asked for, by weight, answers it: memory_get's bound.
 */
#define ANSWER_COVERAGE 0.6

/* Of two that fit equally well the livelier comes first; a better fit is not outranked. */
#define DECAY_BONUS 0.03

static bool ranking_is_wanted_tag(const struct wanted *wanted, struct slice tag)
{
	STR_AUTO clean = STR_INIT;

	tag_clean(tag, &clean);
	for (size_t i = 0; i < wanted->tag_count; i++) {
		if (slice_equal(str_slice(&clean), wanted->tags[i]))
			return true;
	}
	return false;
}

static bool ranking_has_tag(const struct wanted *wanted, const struct sought *sought)
{
	const struct entry *entry = sought->entry;
	uint32_t list = entry ? entry_list(entry, "tags") : JSON_NONE;
	STR_AUTO scratch = STR_INIT;
	struct slice rest;
	struct slice tag;

	if (!wanted->args->tags.given || wanted->tag_count == 0)
		return true;
	if (sought->note) {
		for (rest = sought->note->tags; slice_line(&rest, &tag);)
			if (ranking_is_wanted_tag(wanted, tag))
				return true;
	}
	for (uint32_t n = list ? json_first(entry->doc, list) : JSON_NONE; n != JSON_NONE;
	     n = json_next(entry->doc, n)) {
		if (json_type(entry->doc, n) == JSON_STRING &&
		    ranking_is_wanted_tag(wanted, json_string(entry->doc, n, &scratch)))
			return true;
	}
	return false;
}

/* What is left of it, if it is a note of what happened. A file of notes is of no category. */
static double ranking_decay_as(const struct wanted *wanted, const struct sought *sought,
			       bool report)
{
	enum category category = sought->entry ? sought->entry->category : CATEGORY_STATE;

	return decay_score(wanted->settings, decay_half_life(wanted->settings, category, report),
			   sought->uses, sought->strength, sought->active_ms, wanted->now_ms);
}

static double ranking_decay_of(const struct wanted *wanted, const struct sought *sought)
{
	struct facts facts;

	if (!sought->item)
		return ranking_decay_as(wanted, sought,
					sought->entry && report_is_note(sought->entry));
	facts_read(&facts, sought->item, wanted->now_ms);
	return facts_score(&facts, wanted->settings, wanted->now_ms);
}

/* Notes are lasting: neither window nor decay is for them. */
static bool ranking_is_lively(const struct wanted *wanted, const struct sought *sought)
{
	double days = ((double)wanted->now_ms - (double)sought->active_ms) / (double)MS_PER_DAY;

	if (sought->status == SOUGHT_NOTE)
		return true;
	return (wanted->window_days < 0 || days <= wanted->window_days) &&
	       (wanted->min_score < 0 || ranking_decay_of(wanted, sought) >= wanted->min_score);
}

/* Does it say what was asked for, rather than stand beside it for some of the words? */
bool ranking_is_answer(const struct sought *sought)
{
	return sought->coverage >= ANSWER_COVERAGE && sought->numbers;
}

static bool ranking_is_wanted(const struct wanted *wanted, const struct sought *sought)
{
	return (wanted->scope >> sought->status & 1) != 0 &&
	       (wanted->category == CATEGORY_ANY || wanted->category == sought->category) &&
	       sought->confidence >= wanted->min_confidence && ranking_is_lively(wanted, sought) &&
	       ranking_has_tag(wanted, sought);
}

/* Who answers for what was found, if it is the record of a superseded entry: a ref; else absent. */
struct slice ranking_successor(const struct call *call, const struct sought *sought)
{
	const struct record *record = sought->archived ? &sought->archived->record : NULL;
	struct successor successor;

	if (!record || !slice_is(record->reason, reason_name(REASON_SUPERSEDED)) ||
	    !store_successor(call->store,
			     common_ref(call->arena, record->category, record->original_key),
			     &successor))
		return slice_of(NULL);
	return successor.item ? successor.item->ref : successor.archived->ref;
}

/* An entry and the note that it was promoted to are one result: the entry, unless it is not wanted.
 */
static bool ranking_is_promoted_note(const struct wanted *wanted, const struct sought *sought)
{
	return sought->promoted && (wanted->scope >> SOUGHT_PROMOTED & 1) != 0;
}

/*
 * Where nobody asked for archived entries a superseded one is not shown, but its successor in its
 * place; answers_for is set then. A promoted entry stands for its note. Returns whether there is
 * something to show.
 */
static bool ranking_resolve(const struct call *call, const struct wanted *wanted,
			    const struct sought *found, struct sought *out,
			    struct slice *answers_for)
{
	struct slice instead = slice_of(NULL);

	*out = *found;
	*answers_for = slice_of(NULL);
	if (ranking_is_promoted_note(wanted, found))
		instead = found->promoted->ref;
	else if (!wanted->archived_asked)
		instead = ranking_successor(call, found);
	if (!instead.ptr)
		return true;
	if (!store_search_ref(call->store, instead, out))
		return false;
	if (found->archived)
		*answers_for = common_ref(call->arena, found->archived->record.category,
					  found->archived->record.original_key);
	out->relevance = found->relevance;
	out->coverage = found->coverage;
	out->whole = found->whole;
	out->words = found->words;
	out->digest = found->digest;
	return true;
}

/* For the rank counts how lately it was active, whatever it says: all fade at one pace. */
static void ranking_take(struct results *results, const struct wanted *wanted,
			 const struct sought *sought)
{
	double decay = wanted->scores ? ranking_decay_of(wanted, sought) : 0;
	double recent = ranking_decay_as(wanted, sought, true);
	double share = recent > 0 ? recent / (1 + recent) : 0;
	struct result *result = &results->list[results->count];

	*result = (struct result){*sought, decay, 0, results->count, slice_of(NULL), false};
	result->rank = sought->relevance * wanted->weight[sought->status == SOUGHT_NOTE] *
		       (1 + DECAY_BONUS * share);
	results->count++;
}

/* What was found for one wording after another, with the words of all of them. */
struct fusion {
	const struct call *call;
	const struct wanted *wanted;
	struct results *results;
	struct map refs; /* of results, to where they stand */
	struct slice *words;
};

/* Where a word stands among those of all wordings; SEARCH_WORDS_MAX where there is no room. */
static size_t ranking_word_at(struct fusion *fusion, struct slice word)
{
	size_t at = 0;

	while (at < fusion->results->word_count && !slice_equal(fusion->words[at], word))
		at++;
	if (at == fusion->results->word_count && at < SEARCH_WORDS_MAX) {
		fusion->words[at] = arena_copy(fusion->call->arena, word);
		fusion->results->word_count++;
	}
	return at;
}

/* A bit for each word of all wordings instead of those of one. */
static uint64_t ranking_words_of_all(const size_t at[SEARCH_WORDS_MAX], uint64_t found)
{
	uint64_t words = 0;

	for (size_t i = 0; i < SEARCH_WORDS_MAX; i++)
		if (found >> i & 1 && at[i] < SEARCH_WORDS_MAX)
			words |= (uint64_t)1 << at[i];
	return words;
}

/* The same result for two wordings: what both say makes it likelier, and never certain. */
static void ranking_fuse(const struct wanted *wanted, struct result *result,
			 const struct sought *again)
{
	struct sought *sought = &result->sought;
	double before = sought->relevance;

	sought->relevance = 1 - (1 - before) * (1 - again->relevance);
	result->rank *= before > 0 ? sought->relevance / before : 1;
	sought->coverage = again->coverage > sought->coverage ? again->coverage : sought->coverage;
	sought->words |= again->words;
	result->below = wanted->wording_count > 1 && sought->coverage < SEARCH_FLOOR;
}

/* Further wordings ask for more than what stands beside a result that has all of the first. */
static bool ranking_is_close(const struct wanted *wanted, const struct results *results,
			     const struct sought *sought)
{
	return !results->count || wanted->wording_count > 1 || !results->list[0].sought.whole ||
	       sought->coverage >= SEARCH_CLOSE;
}

/* places says where the words of this wording stand among those of all. */
static void ranking_add_found(struct fusion *fusion, const struct sought *found, size_t count,
			      const size_t places[SEARCH_WORDS_MAX])
{
	const struct call *call = fusion->call;
	const struct wanted *wanted = fusion->wanted;
	struct results *results = fusion->results;
	size_t before = results->count;
	struct result *list = arena_alloc(call->arena, (before + count + 1) * sizeof *list);

	if (before)
		memcpy(list, results->list, before * sizeof *list);
	results->list = list;
	for (size_t i = 0; i < count; i++) {
		struct slice answers_for;
		struct sought sought;
		size_t at;

		if (!ranking_resolve(call, wanted, &found[i], &sought, &answers_for) ||
		    !ranking_is_wanted(wanted, &sought) ||
		    !ranking_is_close(wanted, results, &sought) ||
		    wanted->weight[sought.status == SOUGHT_NOTE] <= 0)
			continue;
		sought.words = ranking_words_of_all(places, sought.words);
		if (map_get(&fusion->refs, sought.ref, &at) && at < before) {
			ranking_fuse(wanted, &list[at], &sought);
			continue;
		}
		map_put(&fusion->refs, sought.ref, results->count);
		ranking_take(results, wanted, &sought);
		list[results->count - 1].answers_for = answers_for;
		list[results->count - 1].below = wanted->wording_count > 1 &&
						 sought.coverage < SEARCH_FLOOR;
	}
}

/* Where the words of the wording that was searched last stand among those of all. */
static void ranking_place_words(struct fusion *fusion, size_t places[SEARCH_WORDS_MAX])
{
	size_t count;
	const struct slice *words = store_search_words(fusion->call->store, &count);

	memset(places, 0, SEARCH_WORDS_MAX * sizeof *places);
	for (size_t i = 0; i < count; i++)
		places[i] = ranking_word_at(fusion, words[i]);
}

static void ranking_add_wording(struct fusion *fusion, struct slice wording)
{
	struct store *store = fusion->call->store;
	size_t places[SEARCH_WORDS_MAX];
	const struct sought *found;
	size_t count = store_search(store, wording, &found);

	ranking_place_words(fusion, places);
	ranking_add_found(fusion, found, count, places);
	if (fusion->wanted->archived_asked) {
		count = store_search_cold(store, wording, COLD_MAX, &found);
		ranking_add_found(fusion, found, count, places);
	}
}

/* Of what was found, what is archived, may answer and does. */
static size_t ranking_keep_answering(const struct call *call, const struct sought *found,
				     size_t count, struct sought **out)
{
	size_t kept = 0;

	*out = arena_alloc(call->arena, (count + 1) * sizeof **out);
	for (size_t i = 0; i < count; i++)
		if (found[i].status == SOUGHT_ARCHIVED && ranking_is_answer(&found[i]) &&
		    (!found[i].archived || record_answers(&found[i].archived->record)))
			(*out)[kept++] = found[i];
	return kept;
}

/*
 * Where nothing that is active answers and nobody said where to look, what is archived does, before
 * the rest: a poor list must not hide an entry that expired.
 */
static void ranking_add_archived(struct fusion *fusion)
{
	const struct call *call = fusion->call;
	const struct wanted *wanted = fusion->wanted;
	struct results *results = fusion->results;
	struct wanted wider = *wanted;
	size_t active = results->count;

	for (size_t i = 0; i < active; i++)
		if (ranking_is_answer(&results->list[i].sought))
			return;
	wider.scope |= 1u << SOUGHT_ARCHIVED;
	fusion->wanted = &wider;
	for (size_t i = 0; i < wanted->wording_count; i++) {
		size_t places[SEARCH_WORDS_MAX];
		const struct sought *found;
		struct sought *kept;
		size_t count = store_search(call->store, wanted->wordings[i], &found);

		ranking_place_words(fusion, places);
		count = ranking_keep_answering(call, found, count, &kept);
		ranking_add_found(fusion, kept, count, places);
		count = store_search_cold(call->store, wanted->wordings[i], COLD_MAX, &found);
		count = ranking_keep_answering(call, found, count, &kept);
		ranking_add_found(fusion, kept, count, places);
	}
	fusion->wanted = wanted;
	for (size_t i = 0; i < active && results->count > active; i++)
		results->list[i].below = true;
}

static int ranking_compare(const void *a, const void *b)
{
	const struct result *x = a;
	const struct result *y = b;

	if (x->below != y->below)
		return x->below - y->below;
	if (x->rank != y->rank)
		return x->rank > y->rank ? -1 : 1;
	return x->position < y->position ? -1 : x->position > y->position;
}

/* What says the same, and what stands for several, appears once: the best of them stays. */
static void ranking_drop_repeated(struct results *results)
{
	MAP_AUTO seen = MAP_INIT;
	MAP_AUTO refs = MAP_INIT;
	size_t kept = 0;

	for (size_t i = 0; i < results->count; i++) {
		const uint64_t *digest = &results->list[i].sought.digest;
		struct slice key = slice_make((const char *)digest, sizeof *digest);

		if (map_get(&seen, key, NULL) || map_get(&refs, results->list[i].sought.ref, NULL))
			continue;
		map_put(&refs, results->list[i].sought.ref, kept);
		results->list[kept] = results->list[i];
		digest = &results->list[kept].sought.digest;
		map_put(&seen, slice_make((const char *)digest, sizeof *digest), kept);
		kept++;
	}
	results->count = kept;
}

static void ranking_rank(struct results *results, const struct call *call,
			 const struct wanted *wanted)
{
	struct fusion fusion = {.call = call, .wanted = wanted, .results = results};

	results->method = "lexical";
	fusion.words = arena_alloc(call->arena, SEARCH_WORDS_MAX * sizeof *fusion.words);
	results->words = fusion.words;
	for (size_t i = 0; i < wanted->wording_count; i++)
		ranking_add_wording(&fusion, wanted->wordings[i]);
	if (wanted->scope == SEARCH_SCOPE_USUAL)
		ranking_add_archived(&fusion);
	map_release(&fusion.refs);
	if (results->count)
		qsort(results->list, results->count, sizeof *results->list, ranking_compare);
	ranking_drop_repeated(results);
}

static void ranking_list(struct results *results, const struct call *call,
			 const struct wanted *wanted)
{
	const struct sought *all;
	const struct sought *cold;
	size_t count = store_search_all(call->store, &all);
	size_t cold_count = wanted->archived_asked ? store_search_all_cold(call->store, &cold) : 0;

	results->method = "list";
	results->list = arena_alloc(call->arena, (count + cold_count + 1) * sizeof *results->list);
	for (size_t i = 0; i < count; i++) {
		if (!ranking_is_promoted_note(wanted, &all[i]) &&
		    ranking_is_wanted(wanted, &all[i]))
			ranking_take(results, wanted, &all[i]);
	}
	for (size_t i = 0; i < cold_count; i++)
		if (ranking_is_wanted(wanted, &cold[i]))
			ranking_take(results, wanted, &cold[i]);
}

static bool ranking_is_open(const struct results *results, struct slice ref)
{
	for (size_t i = 0; i < results->count; i++) {
		if (slice_equal(results->list[i].sought.ref, ref))
			return true;
	}
	return false;
}

/* The successor of the superseded entry that a ref names. */
static bool ranking_open_successor(const struct call *call, struct slice ref, struct sought *out,
				   struct slice *answers_for)
{
	struct successor successor;

	if (!store_successor(call->store, ref, &successor) ||
	    !store_search_ref(call->store,
			      successor.item ? successor.item->ref : successor.archived->ref, out))
		return false;
	*answers_for = ref;
	return true;
}

static void ranking_open(struct results *results, const struct call *call,
			 const struct wanted *wanted)
{
	const struct arg_texts *refs = &wanted->args->refs;
	struct sought sought;

	results->method = "refs";
	results->list = arena_alloc(call->arena, (refs->count + 1) * sizeof *results->list);
	results->not_found = arena_alloc(call->arena,
					 (refs->count + 1) * sizeof *results->not_found);
	for (size_t i = 0; i < refs->count; i++) {
		struct slice answers_for = slice_of(NULL);

		if (!store_search_ref(call->store, refs->items[i], &sought) &&
		    !ranking_open_successor(call, refs->items[i], &sought, &answers_for)) {
			results->not_found[results->not_found_count++] = refs->items[i];
		} else if (!ranking_is_open(results, sought.ref)) {
			ranking_take(results, wanted, &sought);
			results->list[results->count - 1].answers_for = answers_for;
		}
	}
}

void ranking_find(struct results *results, const struct call *call, const struct wanted *wanted)
{
	*results = (struct results){0};
	if (wanted->args->refs.given)
		ranking_open(results, call, wanted);
	else if (wanted->wording_count > 0)
		ranking_rank(results, call, wanted);
	else
		ranking_list(results, call, wanted);
}
