#include "ops/search_results.h"

#include "base/utf8.h"
#include "model/category.h"
#include "text/normalize.h"
#include "tools/registry.h"

#define PREVIEW 300

/* In the order of the statuses, and all of them. */
static const char *const scopes[] = {"active", "promoted", "archived", "notes", "all", NULL};

static const struct param params[] = {
	{PARAM(TEXT, search_args, query), .flags = PARAM_POSITIONAL, .help = "default: list all",
	 .max_bytes = LOOKUP_QUERY_MAX},
	{PARAM(TEXTS, search_args, queries), .flags = PARAM_EXISTING,
	 .help = "the same in other words"},
	{PARAM(TEXTS, search_args, refs), .flags = PARAM_EXISTING, .help = "open exactly these"},
	{PARAM(TEXTS, search_args, tags), .flags = PARAM_EXISTING | PARAM_LABELS | PARAM_EXTRA,
	 .help = "any of these"},
	{PARAM(CHOICE, search_args, category), .flags = PARAM_PLAIN, .choices = category_names,
	 .help = "only this one"},
	{PARAM(TEXTS, search_args, scope), .flags = PARAM_EXISTING, .choices = scopes,
	 .help = "what to search", .fallback = "[\"active\",\"promoted\"]"},
	{PARAM(INT, search_args, limit), .flags = PARAM_OPEN_RANGE, .min = 1, .max = 100,
	 .help = "default: 10, or page_size"},
	{PARAM(INT, search_args, page), .flags = PARAM_OPEN_RANGE | PARAM_EXTRA | PARAM_PLAIN,
	 .min = 1, .max = 1000000000, .help = "of the results", .fallback = "1"},
	{PARAM(INT, search_args, page_size), .flags = PARAM_OPEN_RANGE | PARAM_EXTRA, .min = 1,
	 .max = 100, .help = "or limit, if less"},
	{PARAM(INT, search_args, preview), .flags = PARAM_OPEN_RANGE | PARAM_EXTRA, .min = 0,
	 .max = 1000000000, .help = "cut values (300; refs 0: whole)"},
	{PARAM(NUMBER, search_args, window_days), .flags = PARAM_OPEN_RANGE | PARAM_EXTRA,
	 .max = 36500, .help = "days since use"},
	{PARAM(NUMBER, search_args, min_score), .flags = PARAM_OPEN_RANGE | PARAM_EXTRA, .max = 100,
	 .help = "of decay"},
	{PARAM(NUMBER, search_args, min_confidence), .flags = PARAM_OPEN_RANGE | PARAM_EXTRA,
	 .max = 1, .help = "of entries, 0 to 1"},
	{PARAM(NUMBER, search_args, stm_weight), .flags = PARAM_OPEN_RANGE | PARAM_EXTRA, .max = 10,
	 .help = "of entries", .fallback = "1"},
	{PARAM(NUMBER, search_args, ltm_weight), .flags = PARAM_OPEN_RANGE | PARAM_EXTRA, .max = 10,
	 .help = "of notes", .fallback = "0.7"},
	{PARAM(BOOL, search_args, include_scores), .flags = PARAM_EXTRA,
	 .help = "decay, hits, uses, age, tags"},
	{PARAM(BOOL, search_args, relations), .flags = PARAM_EXTRA, .help = "links too",
	 .fallback = "false"},
	{PARAM(BOOL, search_args, track_access), .flags = PARAM_EXTRA, .help = "count hits",
	 .fallback = "true"},
	{PARAM(BOOL, search_args, use_embeddings), .flags = PARAM_UNLISTED,
	 .help = "there are none", .fallback = "false"},
};

/* ---- what is asked for */

static double search_number_or(struct arg_json value, double fallback)
{
	double number = fallback;

	if (value.doc)
		json_double(value.doc, value.node, &number);
	return number;
}

static void search_read_scope(struct wanted *wanted)
{
	const struct arg_texts *scope = &wanted->args->scope;

	for (size_t i = 0; i < scope->count; i++) {
		for (unsigned int s = 0; s < SEARCH_STATUS_COUNT; s++)
			if (slice_is(scope->items[i], scopes[s]) ||
			    slice_is(scope->items[i], scopes[SEARCH_STATUS_COUNT]))
				wanted->scope |= 1u << s;
	}
	if (scope->count == 0)
		wanted->scope = SEARCH_SCOPE_USUAL;
	wanted->archived_asked = (wanted->scope >> SOUGHT_ARCHIVED & 1) != 0;
}

static void search_read_tags(struct wanted *wanted, const struct call *call)
{
	const struct arg_texts *tags = &wanted->args->tags;
	STR_AUTO clean = STR_INIT;

	wanted->tags = arena_alloc(call->arena, (tags->count + 1) * sizeof *wanted->tags);
	for (size_t i = 0; i < tags->count; i++) {
		tag_clean(tags->items[i], &clean);
		wanted->tags[wanted->tag_count++] = arena_copy(call->arena, str_slice(&clean));
	}
}

static int search_check_modes(const struct search_args *args, struct err *err)
{
	if (args->use_embeddings == 1)
		return err_set(err, ERR_BAD_VALUE,
			       "use_embeddings: not available, search is by words; leave it out");
	if (args->refs.given && (args->query.ptr || args->queries.count > 0))
		return err_set(err, ERR_BAD_VALUE, "refs: give refs or query, not both");
	if (args->refs.count > SEARCH_REFS_MAX)
		return err_set(err, ERR_BAD_VALUE, "refs: %zu; at most %d are allowed at a time",
			       args->refs.count, SEARCH_REFS_MAX);
	return 0;
}

static int search_read_wanted(struct wanted *wanted, const struct call *call,
			      const struct search_args *args, struct err *err)
{
	*wanted = (struct wanted){
		.args = args,
		.now_ms = call->now_ms,
		.category = args->category,
		.window_days = search_number_or(args->window_days, -1),
		.min_score = search_number_or(args->min_score, -1),
		.min_confidence = search_number_or(args->min_confidence, 0),
		.weight = {search_number_or(args->stm_weight, 1),
			   search_number_or(args->ltm_weight, 0.7)},
		.preview = args->preview,
		.scores = args->include_scores != 0,
	};
	if (args->preview == ARG_NONE)
		wanted->preview = args->refs.given ? 0 : PREVIEW;
	if (search_check_modes(args, err) != 0)
		return -1;
	search_read_scope(wanted);
	search_read_tags(wanted, call);
	return 0;
}

/*
 * Takes one wording, unless it is blank or repeats another. It may name its category, as a query of
 * memory_get may.
 */
static int search_add_wording(struct wanted *wanted, const struct call *call, const char *param,
			      struct slice text, struct err *err)
{
	struct ref ref = {CATEGORY_ANY, text};
	STR_AUTO normal = STR_INIT;
	STR_AUTO other = STR_INIT;

	if (!text.ptr || blank_trim(text).len == 0)
		return 0;
	if (text.len > LOOKUP_QUERY_MAX)
		return err_set(err, ERR_TOO_LARGE, "%s: %zu bytes; at most %d are allowed", param,
			       text.len, LOOKUP_QUERY_MAX);
	if (common_parse_ref(&ref, param, text, wanted->category, err) != 0)
		return -1;
	normalize_identity(ref.key, &normal);
	if (!normal.len)
		return err_set(err, ERR_BAD_VALUE,
			       "%s: \"%s\" has no letters or numbers to search for; a key like "
			       "that is found by memory_get",
			       param, shown(&other, ref.key));
	wanted->category = ref.category;
	for (size_t i = 0; i < wanted->wording_count; i++) {
		normalize_identity(wanted->wordings[i], &other);
		if (slice_equal(str_slice(&normal), str_slice(&other)))
			return 0;
	}
	if (wanted->wording_count == SEARCH_WORDINGS_MAX)
		return err_set(err, ERR_BAD_VALUE,
			       "queries: at most %d different wordings are allowed, with query",
			       SEARCH_WORDINGS_MAX);
	wanted->wordings[wanted->wording_count++] = arena_copy(call->arena, ref.key);
	return 0;
}

static int search_read_wordings(struct wanted *wanted, const struct call *call, struct err *err)
{
	const struct search_args *args = wanted->args;

	if (search_add_wording(wanted, call, "query", args->query, err) != 0)
		return -1;
	for (size_t i = 0; i < args->queries.count; i++)
		if (search_add_wording(wanted, call, "queries", args->queries.items[i], err) != 0)
			return -1;
	/* A search shows scores on request; a page of the graph always does. */
	if (wanted->wording_count)
		wanted->scores = args->include_scores == 1;
	return 0;
}

static int search_handle(const struct call *call, const void *arguments, struct json_writer *w,
			 struct err *err)
{
	struct settings settings;
	struct wanted wanted;
	struct err ignored;

	if (search_read_wanted(&wanted, call, arguments, err) != 0 ||
	    search_read_wordings(&wanted, call, err) != 0 || common_refresh(call, err) != 0)
		return -1;
	if (store_settings(call->store, &settings, &ignored) != 0)
		settings_init(&settings);
	wanted.settings = &settings;
	return search_run(call, &wanted, w, err);
}

const struct tool tool_search = {
	.name = "memory_search",
	.command = "search",
	.title = "Search memories",
	.section = SECTION_MEMORIES,
	.summary = "Search entries and notes by the words of a query, open refs, or list all. Give "
		   "two more wordings of the query, in everyday words.",
	TOOL_TAKES(params, search_args),
	/* Hits are counted beside the memories, not in them. */
	.flags = TOOL_READ_ONLY | TOOL_ALWAYS_LOAD | TOOL_LARGE_RESULT,
	.run = search_handle,
};
