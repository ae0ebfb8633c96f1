#include "ops/search_results.h"

#include "base/map.h"
#include "base/utf8.h"
#include "ops/related.h"
#include "policy/decay.h"
#include "store/items/notes.h"

#include <string.h>

const char *const search_status_names[SEARCH_STATUS_COUNT] = {
	"active",
	"promoted",
	"archived",
	"notes",
};

#define ELLIPSIS "\xe2\x80\xa6"

/* The links of a store, those to archived or deleted entries left out of what is shown. */
struct related {
	const struct link *list; /* in the call's arena */
	size_t count;
	size_t shown; /* of them */
};

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
	uint32_t list = sought->entry ? entry_list(sought->entry, "tags") : JSON_NONE;
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

static double results_age_days(const struct sought *sought, int64_t now_ms)
{
	int64_t born = sought->created_ms != TIME_NONE ? sought->created_ms : sought->active_ms;

	return born == TIME_NONE || born > now_ms
		       ? 0
		       : ((double)now_ms - (double)born) / (double)MS_PER_DAY;
}

/* Who lists all has asked for none of it. */
static bool results_counts(const struct wanted *wanted, const struct sought *sought)
{
	const struct search_args *args = wanted->args;

	return args->track_access != 0 && (wanted->wording_count > 0 || args->refs.given) &&
	       sought->item && sought->status != SOUGHT_ARCHIVED;
}

/*
 * A hit is what answers, and as much of the question as the first result does. What only stands
 * beside that was shown, which keeps it from expiring.
 */
static bool results_counts_hit(const struct wanted *wanted, const struct results *results,
			       const struct sought *sought)
{
	return results_counts(wanted, sought) &&
	       (wanted->args->refs.given || (ranking_is_answer(sought) &&
					     sought->coverage >= results->list[0].sought.coverage));
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
				 const struct results *results, const struct result *result)
{
	const struct sought *sought = &result->sought;
	int64_t hits = sought->hits;

	results_write_tags(w, sought);
	common_write_score(w, "decay", result->decay);
	if (sought->status != SOUGHT_NOTE) {
		hits += results_counts_hit(wanted, results, sought) && hits < INT64_MAX;
		json_write_member_int(w, "hits", hits);
		json_write_member_int(w, "uses", sought->uses);
	}
	common_write_number(w, "age_days", results_age_days(sought, wanted->now_ms), 1);
	common_write_score(w, "review_priority", decay_review_priority(result->decay));
}

/* ---- relations */

/* Whatever asks for links later in the call may read the file anew. */
static void results_keep_link(struct arena *arena, struct link *link)
{
	struct slice *texts[] = {&link->relation.id,
				 &link->relation.from,
				 &link->relation.to,
				 &link->relation.metadata,
				 &link->relation.text,
				 &link->from,
				 &link->to,
				 NULL};

	for (size_t i = 0; texts[i]; i++)
		if (texts[i]->ptr)
			*texts[i] = arena_copy(arena, *texts[i]);
}

/*
 * Finds the links of the call's store; none where there is no file, or where it cannot be read,
 * which becomes the call's warning.
 */
static void results_read_links(struct related *related, const struct call *call)
{
	struct link *list;
	struct err err;

	*related = (struct related){0};
	if (store_links(call->store, &related->list, &related->count, &err) != 0) {
		if (call->warning->len == 0)
			str_printf(call->warning, "%s; relations are left out", err.text);
		return;
	}
	list = arena_alloc(call->arena, (related->count + 1) * sizeof *list);
	for (size_t i = 0; i < related->count; i++) {
		list[i] = related->list[i];
		results_keep_link(call->arena, &list[i]);
		related->shown += list[i].shown;
	}
	related->list = list;
}

static void results_write_end_names(const struct related *related, struct json_writer *w,
				    struct slice ref, bool outgoing)
{
	json_write_member_array(w, outgoing ? "outgoing" : "incoming");
	for (size_t i = 0; i < related->count; i++) {
		const struct link *link = &related->list[i];

		if (!link->shown || !slice_equal(outgoing ? link->from : link->to, ref))
			continue;
		json_write_object(w);
		json_write_member_string(w, "id", link->relation.id);
		json_write_member_string(w, outgoing ? "to" : "from",
					 outgoing ? link->to : link->from);
		related_write_kind(w, &link->relation);
		json_write_end(w);
	}
	json_write_end(w);
}

/* `relations`: the links that begin or end at one of the refs. */
static void results_write_links(const struct related *related, struct json_writer *w,
				const struct call *call, const struct slice *refs, size_t count)
{
	MAP_AUTO wanted = MAP_INIT;

	for (size_t i = 0; i < count; i++)
		map_put(&wanted, refs[i], i);
	json_write_member_array(w, "relations");
	for (size_t i = 0; i < related->count; i++) {
		const struct link *link = &related->list[i];

		if (!link->shown ||
		    (!map_get(&wanted, link->from, NULL) && !map_get(&wanted, link->to, NULL)))
			continue;
		json_write_object(w);
		related_write_link(w, call, "id", link);
		json_write_end(w);
	}
	json_write_end(w);
}

/* ---- a result */

/* All else that is known of what was opened, or is listed with its links. */
static void results_write_rest(struct json_writer *w, const struct call *call,
			       const struct wanted *wanted, const struct results *results,
			       const struct sought *sought)
{
	static const char *const names[] = {"source",     "entities",   "context", "strength",
					    "importance", "confidence", "meta",    "promoted_to"};
	const struct item *item = sought->item;
	/* A hit that this call counts is an access. */
	bool counted = results_counts_hit(wanted, results, sought) &&
		       origin_may_change(store_origin(call->store));

	for (size_t i = 0; sought->entry && i < sizeof names / sizeof *names; i++)
		search_write_field(w, sought->entry, names[i]);
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

	json_write_object(w);
	json_write_member_string(w, "ref", sought->ref);
	common_write_from(w, call, sought->entry);
	search_write_value(w, sought, wanted->preview);
	if (result->answers_for.ptr)
		json_write_member_string(w, "answers_for", result->answers_for);
	struct slice superseded_by = ranking_successor(call, sought);
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
		results_write_scores(w, wanted, results, result);
	if (whole)
		results_write_rest(w, call, wanted, results, sought);
	if (related && opened) {
		json_write_member_object(w, "relations");
		results_write_end_names(related, w, sought->ref, true);
		results_write_end_names(related, w, sought->ref, false);
		json_write_end(w);
	}
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
	results_write_links(related, w, call, shown, count);
	results_write_stats(w, wanted, results, related);
}

static void results_count_hits(const struct call *call, const struct wanted *wanted,
			       const struct results *results, const struct pages *pages)
{
	struct slice *refs = arena_alloc(call->arena, (pages->size + 1) * sizeof *refs);
	const struct item **shown = arena_alloc(call->arena, (pages->size + 1) * sizeof(void *));
	size_t hit_count = 0;
	size_t shown_count = 0;

	for (size_t i = pages->from; i < pages->to; i++) {
		const struct sought *sought = &results->list[i].sought;

		if (results_counts_hit(wanted, results, sought))
			refs[hit_count++] = sought->ref;
		else if (results_counts(wanted, sought))
			shown[shown_count++] = sought->item;
	}
	store_shown(call->store, shown, shown_count);
	store_hits(call->store, refs, hit_count);
}

int search_run(const struct call *call, const struct wanted *wanted, struct json_writer *w,
	       struct err *err)
{
	struct results results;
	const struct related *related = NULL;
	struct related found;
	struct pages pages = {0};

	ranking_find(&results, call, wanted);
	if (results_find_page(&pages, wanted->args, results.count, err) != 0)
		return -1;
	if (wanted->args->relations == 1) {
		results_read_links(&found, call);
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
	/* If all results are shown, they say no more than the count. */
	if (wanted->wording_count == 0 || wanted->args->page_size != ARG_NONE || pages.count > 1)
		results_write_pages(w, &pages);
	if (wanted->scores)
		json_write_member_string(w, "method", slice_of(results.method));
	common_end_reply(w, call);
	results_count_hits(call, wanted, &results, &pages);
	return 0;
}
