#include "base/utf8.h"
#include "cli/render/render_internal.h"
#include "cli/term/table.h"

#include <inttypes.h>

#define COLUMNS_MAX 5

/* A list of a check, and which members of its elements are shown; the last column is flexible. */
struct listing {
	const char *check;
	const char *list;
	const char *nothing;
	size_t refs; /* how many of the first columns say what it is about, for programs */
	const char *headings[COLUMNS_MAX];
	const char *members[COLUMNS_MAX];
};

static const struct listing listings[] = {
	{"stale",
	 "stale_memories",
	 "nothing is stale",
	 1,
	 {"REF", "DAYS", "HITS", "TEXT"},
	 {"id", "days_since_access", "access_count", "text"}},
	{"low_access",
	 "low_access_memories",
	 "nothing is used too little",
	 1,
	 {"REF", "HITS", "AGE", "TEXT"},
	 {"id", "access_count", "age_days", "text"}},
	{"duplicates",
	 "duplicate_pairs",
	 "no duplicates",
	 2,
	 {"REF", "REF", "ALIKE", "ADVICE", "WHY"},
	 {"id1", "id2", "similarity", "suggested_action", "reason"}},
	{"decay",
	 "at_risk",
	 "nothing fades",
	 1,
	 {"REF", "SCORE", "URGENCY", "ADVICE", "TEXT"},
	 {"memory_id", "score", "urgency", "action", "text"}},
	{"promotable",
	 "candidates",
	 "nothing to promote",
	 1,
	 {"REF", "SCORE", "USES", "WHY"},
	 {"id", "score", "use_count", "reason"}},
};

static void render_health_add_line(const struct view *view, const struct listing *listing,
				   uint32_t element)
{
	STR_AUTO scratch = STR_INIT;

	for (size_t i = 0; i < listing->refs; i++) {
		if (i)
			str_addc(view->out, '\t');
		utf8_add_visible(view->out,
				 view_text_of(view, element, listing->members[i], &scratch), false);
	}
	str_addc(view->out, '\n');
}

/* Refs in lines for programs, a table for people. */
static void render_list(const struct view *view, const struct listing *listing)
{
	uint32_t list = json_member(view->reply, JSON_ROOT, listing->list);
	struct table table = {0};
	size_t columns = 0;
	STR_AUTO scratch = STR_INIT;

	if (json_first(view->reply, list) == JSON_NONE) {
		str_adds(view->notes, listing->nothing);
		str_addc(view->notes, '\n');
		return;
	}
	while (columns < COLUMNS_MAX && listing->members[columns])
		columns++;
	table.columns = columns;
	table.flexible = columns - 1;
	for (size_t i = 0; i < columns; i++)
		table_add(&table, slice_of(listing->headings[i]));
	for (uint32_t n = json_first(view->reply, list); n != JSON_NONE;
	     n = json_next(view->reply, n)) {
		if (!view->cli->out_is_terminal)
			render_health_add_line(view, listing, n);
		for (size_t i = 0; i < columns; i++)
			table_add(&table, view_text_of(view, n, listing->members[i], &scratch));
	}
	if (view->cli->out_is_terminal)
		table_print(&table, view->cli->columns, &view->paint, view->out);
	table_release(&table);
}

static void render_health_add_refs(const struct view *view, uint32_t list, const char *before,
				   const char *between)
{
	STR_AUTO scratch = STR_INIT;

	for (uint32_t n = json_first(view->reply, list); n != JSON_NONE;
	     n = json_next(view->reply, n)) {
		str_adds(view->out, n == json_first(view->reply, list) ? before : between);
		utf8_add_visible(view->out, json_string(view->reply, n, &scratch), false);
	}
	str_addc(view->out, '\n');
}

/* A group is a line of refs for programs, and a paragraph for people. */
static void render_clusters(const struct view *view)
{
	uint32_t list = json_member(view->reply, JSON_ROOT, "clusters");
	STR_AUTO scratch = STR_INIT;

	if (json_first(view->reply, list) == JSON_NONE)
		str_adds(view->notes, "no groups\n");
	for (uint32_t n = json_first(view->reply, list); n != JSON_NONE;
	     n = json_next(view->reply, n)) {
		uint32_t refs = json_member(view->reply, n, "memory_ids");

		if (!view->cli->out_is_terminal) {
			render_health_add_refs(view, refs, "", "\t");
			continue;
		}
		str_adds(view->out, "alike ");
		str_add(view->out, view_text_of(view, n, "cohesion", &scratch));
		str_adds(view->out, DOT);
		str_add(view->out, view_text_of(view, n, "suggested_action", &scratch));
		str_addc(view->out, '\n');
		render_health_add_refs(view, refs, "  ", "\n  ");
	}
}

static void render_summary(const struct view *view)
{
	uint32_t bytes = json_member(view->reply, JSON_ROOT, "bytes");
	uint32_t limits = json_member(view->reply, JSON_ROOT, "limits");
	uint32_t counts = json_member(view->reply, JSON_ROOT, "counts");
	STR_AUTO scratch = STR_INIT;

	str_printf(view->out, "score       %" PRId64 " of 100\n",
		   view_number_of(view, JSON_ROOT, "score"));
	str_printf(view->out, "entries     %" PRId64,
		   view_number_of(view, JSON_ROOT, "total_checked"));
	for (uint32_t n = json_first(view->reply, counts); n != JSON_NONE;
	     n = json_next(view->reply, n)) {
		str_adds(view->out, n == json_first(view->reply, counts) ? " (" : ", ");
		str_add(view->out, json_name(view->reply, n, &scratch));
		str_addc(view->out, ' ');
		str_add(view->out, json_text(view->reply, n));
	}
	str_printf(view->out, ")\nbytes       %" PRId64 " of %" PRId64 "\n",
		   view_number_of(view, bytes, "total"),
		   view_number_of(view, limits, "total_bytes"));
	str_printf(view->out, "archived    %" PRId64 "\n",
		   view_number_of(view, JSON_ROOT, "archived"));
	str_printf(view->out, "stale       %" PRId64 "\n",
		   view_number_of(view, JSON_ROOT, "stale_count"));
	str_printf(view->out, "duplicates  %" PRId64 "\n",
		   view_number_of(view, JSON_ROOT, "duplicates_count"));
	str_printf(view->out, "faded       %" PRId64 "\n",
		   view_number_of(view, JSON_ROOT, "faded_count"));
}

void render_health(const struct view *view)
{
	STR_AUTO scratch = STR_INIT;
	struct slice check = view_text_of(view, JSON_ROOT, "check", &scratch);

	for (size_t i = 0; i < sizeof listings / sizeof *listings; i++) {
		if (slice_is(check, listings[i].check)) {
			render_list(view, &listings[i]);
			return;
		}
	}
	if (slice_is(check, "clusters"))
		render_clusters(view);
	else
		render_summary(view);
}
