#include "ops/search_results.h"

#include "base/map.h"
#include "base/utf8.h"
#include "model/category.h"
#include "ops/entry_stats.h"
#include "ops/related.h"
#include "policy/decay.h"
#include "search/search.h"
#include "similarity/statement.h"
#include "store/items/notes.h"

#include <stdlib.h>
#include <string.h>

const char *const search_status_names[SEARCH_STATUS_COUNT] = {
	"active",
	"promoted",
	"archived",
	"notes",
};

/* Most results out of the cold archive, each of which is read from its file. */
#define COLD_MAX 1000

/* Of two that fit equally well the livelier comes first; a better fit is not outranked. */
#define DECAY_BONUS 0.03

struct result {
	struct sought sought;
	double decay;
	double rank;
	size_t position;          /* as it came */
	struct slice answers_for; /* the superseded entry that was found; absent: none */
	bool below;               /* holds too little of any of several wordings */
};

struct results {
	struct result *list;
	size_t count;
	const struct slice *words; /* that were asked for; none where nothing was */
	size_t word_count;
	struct slice *not_found;
	size_t not_found_count;
	const char *method;
};

static bool results_is_wanted_tag(const struct wanted *wanted, struct slice tag)
{
	STR_AUTO clean = STR_INIT;

	tag_clean(tag, &clean);
	for (size_t i = 0; i < wanted->tag_count; i++) {
		if (slice_equal(str_slice(&clean), wanted->tags[i]))
			return true;
	}
	return false;
}

/* The node of its list of tags; JSON_NONE when there is none. */
static uint32_t results_tags_of(const struct entry *entry)
{
	uint32_t list = entry_member(entry, "tags");

	return list != JSON_NONE && json_type(entry->doc, list) == JSON_ARRAY ? list : JSON_NONE;
}

static bool results_has_tag(const struct wanted *wanted, const struct sought *sought)
{
	const struct entry *entry = sought->entry;
	uint32_t list = entry ? results_tags_of(entry) : JSON_NONE;
	STR_AUTO scratch = STR_INIT;
	struct slice rest;
	struct slice tag;

	if (!wanted->args->tags.given || wanted->tag_count == 0)
		return true;
	if (sought->note) {
		for (rest = sought->note->tags; slice_line(&rest, &tag);)
			if (results_is_wanted_tag(wanted, tag))
				return true;
	}
	for (uint32_t n = list ? json_first(entry->doc, list) : JSON_NONE; n != JSON_NONE;
	     n = json_next(entry->doc, n)) {
		if (json_type(entry->doc, n) == JSON_STRING &&
		    results_is_wanted_tag(wanted, json_string(entry->doc, n, &scratch)))
			return true;
	}
	return false;
}

/* What is left of it, if it is a note of what happened. A file of notes is of no category. */
static double results_decay_as(const struct wanted *wanted, const struct sought *sought,
			       bool report)
{
	enum category category = sought->entry ? sought->entry->category : CATEGORY_STATE;

	return decay_score(wanted->settings, decay_half_life(wanted->settings, category, report),
			   sought->uses, sought->strength, sought->active_ms, wanted->now_ms);
}

static double results_decay_of(const struct wanted *wanted, const struct sought *sought)
{
	struct facts facts;

	if (!sought->item)
		return results_decay_as(wanted, sought,
					sought->entry && statement_is_report(sought->entry));
	facts_read(&facts, sought->item, wanted->now_ms);
	return facts_score(&facts, wanted->settings, wanted->now_ms);
}

/* Notes are lasting: neither window nor decay is for them. */
static bool results_is_lively(const struct wanted *wanted, const struct sought *sought)
{
	double days = ((double)wanted->now_ms - (double)sought->active_ms) / (double)MS_PER_DAY;

	if (sought->status == SOUGHT_NOTE)
		return true;
	return (wanted->window_days < 0 || days <= wanted->window_days) &&
	       (wanted->min_score < 0 || results_decay_of(wanted, sought) >= wanted->min_score);
}

static bool results_is_wanted(const struct wanted *wanted, const struct sought *sought)
{
	return (wanted->scope >> sought->status & 1) != 0 &&
	       (wanted->category == CATEGORY_ANY || wanted->category == sought->category) &&
	       sought->confidence >= wanted->min_confidence && results_is_lively(wanted, sought) &&
	       results_has_tag(wanted, sought);
}

/* Who answers for what was found, if it is the record of a superseded entry: a ref; else absent. */
static struct slice results_successor(const struct call *call, const struct sought *sought)
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
static bool results_gives_way(const struct wanted *wanted, const struct sought *sought)
{
	return sought->promoted && (wanted->scope >> SOUGHT_PROMOTED & 1) != 0;
}

/*
 * Where nobody asked for archived entries a superseded one is not shown, but its successor in its
 * place; answers_for is set then. A promoted entry stands for its note. Returns whether there is
 * something to show.
 */
static bool results_resolve(const struct call *call, const struct wanted *wanted,
			    const struct sought *found, struct sought *out,
			    struct slice *answers_for)
{
	struct slice instead = slice_of(NULL);

	*out = *found;
	*answers_for = slice_of(NULL);
	if (results_gives_way(wanted, found))
		instead = found->promoted->ref;
	else if ((wanted->scope >> SOUGHT_ARCHIVED & 1) == 0)
		instead = results_successor(call, found);
	if (!instead.ptr)
		return true;
	if (!store_search_ref(call->store, instead, out))
		return false;
	if (found->archived)
		*answers_for = common_ref(call->arena, found->archived->record.category,
					  found->archived->record.original_key);
	out->relevance = found->relevance;
	out->coverage = found->coverage;
	out->words = found->words;
	out->digest = found->digest;
	return true;
}

/* For the rank counts how lately it was active, whatever it says: all fade at one pace. */
static void search_take(struct results *results, const struct wanted *wanted,
			const struct sought *sought)
{
	double decay = wanted->scores ? results_decay_of(wanted, sought) : 0;
	double recent = results_decay_as(wanted, sought, true);
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
static size_t results_word_at(struct fusion *fusion, struct slice word)
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
static uint64_t results_words_of_all(const size_t at[SEARCH_WORDS_MAX], uint64_t found)
{
	uint64_t words = 0;

	for (size_t i = 0; i < SEARCH_WORDS_MAX; i++)
		if (found >> i & 1 && at[i] < SEARCH_WORDS_MAX)
			words |= (uint64_t)1 << at[i];
	return words;
}

/* The same result for two wordings: what both say makes it likelier, and never certain. */
static void results_fuse(const struct wanted *wanted, struct result *result,
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

/* places says where the words of this wording stand among those of all. */
static void results_add_found(struct fusion *fusion, const struct sought *found, size_t count,
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

		if (!results_resolve(call, wanted, &found[i], &sought, &answers_for) ||
		    !results_is_wanted(wanted, &sought) ||
		    wanted->weight[sought.status == SOUGHT_NOTE] <= 0)
			continue;
		sought.words = results_words_of_all(places, sought.words);
		if (map_get(&fusion->refs, sought.ref, &at) && at < before) {
			results_fuse(wanted, &list[at], &sought);
			continue;
		}
		map_put(&fusion->refs, sought.ref, results->count);
		search_take(results, wanted, &sought);
		list[results->count - 1].answers_for = answers_for;
		list[results->count - 1].below = wanted->wording_count > 1 &&
						 sought.coverage < SEARCH_FLOOR;
	}
}

static void results_add_wording(struct fusion *fusion, struct slice wording)
{
	struct store *store = fusion->call->store;
	size_t places[SEARCH_WORDS_MAX] = {0};
	const struct sought *found;
	size_t count = store_search(store, wording, &found);
	size_t word_count;
	const struct slice *words = store_search_words(store, &word_count);

	for (size_t i = 0; i < word_count; i++)
		places[i] = results_word_at(fusion, words[i]);
	results_add_found(fusion, found, count, places);
	if (fusion->wanted->scope >> SOUGHT_ARCHIVED & 1) {
		count = store_search_cold(store, wording, COLD_MAX, &found);
		results_add_found(fusion, found, count, places);
	}
}

static int results_compare_results(const void *a, const void *b)
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
static void results_drop_repeated(struct results *results)
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

static void search_rank(struct results *results, const struct call *call,
			const struct wanted *wanted)
{
	struct fusion fusion = {.call = call, .wanted = wanted, .results = results};

	results->method = "lexical";
	fusion.words = arena_alloc(call->arena, SEARCH_WORDS_MAX * sizeof *fusion.words);
	results->words = fusion.words;
	for (size_t i = 0; i < wanted->wording_count; i++)
		results_add_wording(&fusion, wanted->wordings[i]);
	map_release(&fusion.refs);
	if (results->count)
		qsort(results->list, results->count, sizeof *results->list,
		      results_compare_results);
	results_drop_repeated(results);
}

static void search_list(struct results *results, const struct call *call,
			const struct wanted *wanted)
{
	const struct sought *all;
	size_t count = store_search_all(call->store, &all);

	results->method = "list";
	results->list = arena_alloc(call->arena, (count + 1) * sizeof *results->list);
	for (size_t i = 0; i < count; i++) {
		if (!results_gives_way(wanted, &all[i]) && results_is_wanted(wanted, &all[i]))
			search_take(results, wanted, &all[i]);
	}
}

static bool results_is_open(const struct results *results, struct slice ref)
{
	for (size_t i = 0; i < results->count; i++) {
		if (slice_equal(results->list[i].sought.ref, ref))
			return true;
	}
	return false;
}

/* The successor of the superseded entry that a ref names. */
static bool results_open_successor(const struct call *call, struct slice ref, struct sought *out,
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

static void search_open(struct results *results, const struct call *call,
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
		    !results_open_successor(call, refs->items[i], &sought, &answers_for)) {
			results->not_found[results->not_found_count++] = refs->items[i];
		} else if (!results_is_open(results, sought.ref)) {
			search_take(results, wanted, &sought);
			results->list[results->count - 1].answers_for = answers_for;
		}
	}
}

#define ELLIPSIS "\xe2\x80\xa6"

struct pages {
	size_t page;
	size_t size;
	size_t total;
	size_t count; /* of pages */
	size_t from;
	size_t to;
};

/* ---- pages */

/* Results on a page, where nothing is said of that. */
#define LIMIT_DEFAULT 10

static int results_find_page(struct pages *pages, const struct search_args *args, size_t total,
			     struct err *err)
{
	bool sized = args->page_size != ARG_NONE;
	bool limited = args->limit != ARG_NONE;

	pages->page = (size_t)args->page;
	pages->size = args->refs.given ? SEARCH_REFS_MAX : LIMIT_DEFAULT;
	if (sized)
		pages->size = (size_t)args->page_size;
	if (limited && !args->refs.given && !(sized && args->page_size < args->limit))
		pages->size = (size_t)args->limit;
	pages->total = total;
	pages->count = (pages->total + pages->size - 1) / pages->size;
	if (pages->page > 1 && pages->page > pages->count)
		return err_set(err, ERR_BAD_VALUE, "page: %zu is past the end; there %s %zu",
			       pages->page, pages->count == 1 ? "is" : "are", pages->count);
	pages->from = (pages->page - 1) * pages->size;
	pages->to = pages->from + pages->size < pages->total ? pages->from + pages->size
							     : pages->total;
	return 0;
}

static void results_write_pages(struct json_writer *w, const struct pages *pages)
{
	json_write_member_object(w, "pagination");
	json_write_member_int(w, "page", (int64_t)pages->page);
	json_write_member_int(w, "page_size", (int64_t)pages->size);
	json_write_member_int(w, "total_count", (int64_t)pages->total);
	json_write_member_int(w, "total_pages", (int64_t)pages->count);
	json_write_member_bool(w, "has_more", pages->to < pages->total);
	json_write_end(w);
}

/* ---- the reply */

/* The value, or, where it is longer than wanted, the beginning of its text. */
static void search_write_value(struct json_writer *w, const struct sought *sought, int64_t preview)
{
	const struct entry *entry = sought->entry;
	STR_AUTO scratch = STR_INIT;
	STR_AUTO cut = STR_INIT;
	struct slice text = entry ? json_string(entry->doc, entry->value_node, &scratch)
				  : sought->note->text;

	if (entry && !text.ptr) {
		json_print(&scratch, entry->doc, entry->value_node);
		text = str_slice(&scratch);
	}
	if (preview > 0 && text.len > (size_t)preview && utf8_count(text) > (size_t)preview) {
		str_add(&cut, utf8_cut(text, (size_t)preview));
		str_adds(&cut, ELLIPSIS);
		json_write_member_string(w, "value", str_slice(&cut));
		json_write_member_bool(w, "truncated", true);
	} else if (entry) {
		json_write_member_value(w, "value", entry->doc, entry->value_node);
	} else {
		json_write_member_string(w, "value", text);
	}
}

static void results_write_tags(struct json_writer *w, const struct sought *sought)
{
	uint32_t list = sought->entry ? results_tags_of(sought->entry) : JSON_NONE;
	struct slice rest;
	struct slice tag;

	if (list != JSON_NONE)
		json_write_member_value(w, "tags", sought->entry->doc, list);
	if (!sought->note || !sought->note->tags.len)
		return;
	json_write_member_array(w, "tags");
	for (rest = sought->note->tags; slice_line(&rest, &tag);)
		json_write_string(w, tag);
	json_write_end(w);
}

static void results_write_words(struct json_writer *w, const struct results *results,
				uint64_t found)
{
	if (!results->word_count)
		return;
	json_write_member_array(w, "matched");
	for (size_t i = 0; i < results->word_count; i++) {
		if (found >> i & 1)
			json_write_string(w, results->words[i]);
	}
	json_write_end(w);
}

static void search_write_field(struct json_writer *w, const struct entry *entry, const char *name)
{
	uint32_t node = entry_member(entry, name);

	if (node != JSON_NONE)
		json_write_member_value(w, name, entry->doc, node);
}

/* What the entry's own fields say, as they stand. */
static void search_write_fields(struct json_writer *w, const struct entry *entry)
{
	static const char *const names[] = {"source",     "entities",   "context", "strength",
					    "importance", "confidence", "meta",    "promoted_to"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		search_write_field(w, entry, names[i]);
}

static double results_age_days(const struct sought *sought, int64_t now_ms)
{
	int64_t born = sought->created_ms != TIME_NONE ? sought->created_ms : sought->active_ms;

	return born == TIME_NONE || born > now_ms
		       ? 0
		       : ((double)now_ms - (double)born) / (double)MS_PER_DAY;
}

/* Who lists all has asked for none of it. */
static bool results_counts_hit(const struct wanted *wanted, const struct sought *sought)
{
	const struct search_args *args = wanted->args;

	return args->track_access != 0 && (wanted->wording_count > 0 || args->refs.given) &&
	       sought->item && sought->status != SOUGHT_ARCHIVED;
}

/* Among several the day is enough to tell what is old. */
static void results_write_updated(struct json_writer *w, int64_t updated_ms, bool opened)
{
	char text[TIMESTAMP_SIZE];

	if (updated_ms == TIME_NONE)
		return;
	timestamp_format(updated_ms, text);
	if (!opened)
		*strchr(text, 'T') = '\0';
	json_write_member_string(w, "last_updated", slice_of(text));
}

/* How lively it is, and what it is filed under. */
static void results_write_scores(struct json_writer *w, const struct wanted *wanted,
				 const struct result *result)
{
	const struct sought *sought = &result->sought;
	int64_t hits = sought->hits;

	results_write_tags(w, sought);
	common_write_score(w, "decay", result->decay);
	if (sought->status != SOUGHT_NOTE) {
		hits += results_counts_hit(wanted, sought) && hits < INT64_MAX;
		json_write_member_int(w, "hits", hits);
		json_write_member_int(w, "uses", sought->uses);
	}
	common_write_number(w, "age_days", results_age_days(sought, wanted->now_ms), 1);
	common_write_score(w, "review_priority", decay_review_priority(result->decay));
}

/* All else that is known of what was opened, or is listed with its links. */
static void results_write_rest(struct json_writer *w, const struct call *call,
			       const struct wanted *wanted, const struct sought *sought)
{
	const struct item *item = sought->item;
	/* What this call counts is an access. */
	bool counted = results_counts_hit(wanted, sought) &&
		       origin_may_change(store_origin(call->store));

	if (sought->entry)
		search_write_fields(w, sought->entry);
	common_write_time(w, "created_at", sought->created_ms);
	common_write_time(w, "last_active", sought->active_ms);
	if (!item)
		return;
	common_write_time(w, "accessed_at", counted ? wanted->now_ms : item->accessed_ms);
	common_write_time(w, "last_used", item->used_ms);
}

static void results_write_result(struct json_writer *w, const struct call *call,
				 const struct wanted *wanted, const struct results *results,
				 const struct related *related, const struct result *result)
{
	const struct sought *sought = &result->sought;
	bool opened = wanted->args->refs.given;
	bool whole = opened || (related && !results->word_count);
	struct slice superseded_by;

	json_write_object(w);
	json_write_member_string(w, "ref", sought->ref);
	common_write_from(w, call, sought->entry);
	search_write_value(w, sought, wanted->preview);
	if (result->answers_for.ptr)
		json_write_member_string(w, "answers_for", result->answers_for);
	superseded_by = results_successor(call, sought);
	if (superseded_by.ptr)
		json_write_member_string(w, "superseded_by", superseded_by);
	if (sought->item)
		related_write_contradicting(w, call, sought->ref);
	if (results->word_count)
		common_write_score(w, "relevance", result->rank < 1 ? result->rank : 1);
	results_write_updated(w, sought->updated_ms, opened);
	results_write_words(w, results, sought->words);
	if (sought->status != SOUGHT_ACTIVE)
		json_write_member_string(w, "status",
					 slice_of(search_status_names[sought->status]));
	if (sought->status == SOUGHT_PROMOTED && !whole)
		search_write_field(w, sought->entry, "promoted_to");
	if (wanted->scores)
		results_write_scores(w, wanted, result);
	if (whole)
		results_write_rest(w, call, wanted, sought);
	if (related && opened)
		related_write_ends(related, w, sought->ref);
	json_write_end(w);
}

/* "active", or several with commas between. */
static void results_write_scope(struct json_writer *w, unsigned int scope)
{
	STR_AUTO text = STR_INIT;

	for (unsigned int s = 0; s < SEARCH_STATUS_COUNT; s++) {
		if (!(scope >> s & 1))
			continue;
		str_adds(&text, text.len ? "," : "");
		str_adds(&text, search_status_names[s]);
	}
	json_write_member_string(w, "status_filter", str_slice(&text));
}

static void results_write_stats(struct json_writer *w, const struct wanted *wanted,
				const struct results *results, const struct related *related)
{
	double decay = 0;
	double hits = 0;
	double uses = 0;
	double count = results->count ? (double)results->count : 1;

	for (size_t i = 0; i < results->count; i++) {
		decay += results->list[i].decay;
		hits += (double)results->list[i].sought.hits;
		uses += (double)results->list[i].sought.uses;
	}
	json_write_member_object(w, "stats");
	json_write_member_int(w, "total_memories", (int64_t)results->count);
	json_write_member_int(w, "total_relations", (int64_t)related->shown);
	common_write_score(w, "avg_score", decay / count);
	common_write_number(w, "avg_hits", hits / count, 2);
	common_write_number(w, "avg_use_count", uses / count, 2);
	results_write_scope(w, wanted->scope);
	json_write_end(w);
}

/* Relations of what is shown, and a statistic of all. */
static void results_write_graph(struct json_writer *w, const struct call *call,
				const struct wanted *wanted, const struct results *results,
				const struct related *related, const struct pages *pages)
{
	struct slice *shown = arena_alloc(call->arena, (pages->size + 1) * sizeof *shown);
	size_t count = 0;

	for (size_t i = pages->from; i < pages->to; i++)
		shown[count++] = results->list[i].sought.ref;
	related_write(related, w, call, shown, count);
	results_write_stats(w, wanted, results, related);
}

static void results_count_hits(const struct call *call, const struct wanted *wanted,
			       const struct results *results, const struct pages *pages)
{
	struct slice *refs = arena_alloc(call->arena, (pages->size + 1) * sizeof *refs);
	size_t count = 0;

	for (size_t i = pages->from; i < pages->to; i++) {
		if (results_counts_hit(wanted, &results->list[i].sought))
			refs[count++] = results->list[i].sought.ref;
	}
	store_hits(call->store, refs, count);
}

int search_run(const struct call *call, const struct wanted *wanted, struct json_writer *w,
	       struct err *err)
{
	struct results results = {0};
	const struct related *related = NULL;
	struct related found;
	struct pages pages = {0};

	if (wanted->args->refs.given)
		search_open(&results, call, wanted);
	else if (wanted->wording_count > 0)
		search_rank(&results, call, wanted);
	else
		search_list(&results, call, wanted);
	if (results_find_page(&pages, wanted->args, results.count, err) != 0)
		return -1;
	if (wanted->args->relations == 1) {
		related_read(&found, call);
		related = &found;
	}
	json_write_object(w);
	json_write_member_int(w, "count", (int64_t)(pages.to - pages.from));
	json_write_member_array(w, "results");
	for (size_t i = pages.from; i < pages.to; i++)
		results_write_result(w, call, wanted, &results, related, &results.list[i]);
	json_write_end(w);
	if (related)
		results_write_graph(w, call, wanted, &results, related, &pages);
	common_write_refs(w, "not_found", results.not_found, results.not_found_count);
	/* Of a search whose results are all shown they would say nothing that the count does not.
	 */
	if (wanted->wording_count == 0 || wanted->args->page_size != ARG_NONE || pages.count > 1)
		results_write_pages(w, &pages);
	if (wanted->scores)
		json_write_member_string(w, "method", slice_of(results.method));
	common_end_reply(w, call);
	results_count_hits(call, wanted, &results, &pages);
	return 0;
}
