#include "base/utf8.h"
#include "cli/render/render_internal.h"
#include "cli/term/table.h"

#include <inttypes.h>

static void add_result(struct table *table, const struct view *view, uint32_t result, bool ranked)
{
	STR_AUTO scratch = STR_INIT;

	table_add(table, view_text_of(view, result, "ref", &scratch));
	if (ranked)
		table_add(table, view_text_of(view, result, "relevance", &scratch));
	table_add(table, view_text_of(view, result, "value", &scratch));
}

/* Refs in lines for programs, a table for people. */
static void render_results(const struct view *view, uint32_t results)
{
	bool ranked = json_member(view->reply, json_first(view->reply, results), "relevance") !=
		      JSON_NONE;
	struct table table = {.columns = ranked ? 3 : 2, .flexible = ranked ? 2 : 1};
	STR_AUTO scratch = STR_INIT;

	if (view->cli->out_is_terminal) {
		table_add(&table, slice_of("REF"));
		if (ranked)
			table_add(&table, slice_of("FITS"));
		table_add(&table, slice_of("VALUE"));
	}
	for (uint32_t n = json_first(view->reply, results); n != JSON_NONE;
	     n = json_next(view->reply, n)) {
		if (view->cli->out_is_terminal) {
			add_result(&table, view, n, ranked);
			continue;
		}
		utf8_add_visible(view->out, view_text_of(view, n, "ref", &scratch), false);
		str_addc(view->out, '\n');
	}
	if (view->cli->out_is_terminal)
		table_print(&table, view->cli->columns, &view->paint, view->out);
	table_release(&table);
}

/* "page 2 of 7; --page 3 goes on" */
static void note_page(const struct view *view)
{
	uint32_t pagination = json_member(view->reply, JSON_ROOT, "pagination");
	int64_t page;
	int64_t pages;

	if (pagination == JSON_NONE ||
	    !json_int(view->reply, json_member(view->reply, pagination, "page"), &page) ||
	    !json_int(view->reply, json_member(view->reply, pagination, "total_pages"), &pages) ||
	    pages < 2)
		return;
	str_printf(view->notes, "page %" PRId64 " of %" PRId64, page, pages);
	if (page < pages)
		str_printf(view->notes, "; --page %" PRId64 " goes on", page + 1);
	str_addc(view->notes, '\n');
}

static void render_search_add_refs(struct str *out, const struct view *view, uint32_t list)
{
	STR_AUTO scratch = STR_INIT;

	for (uint32_t n = json_first(view->reply, list); n != JSON_NONE;
	     n = json_next(view->reply, n)) {
		if (n != json_first(view->reply, list))
			str_adds(out, ", ");
		utf8_add_visible(out, json_string(view->reply, n, &scratch), false);
	}
}

void render_search(const struct view *view)
{
	uint32_t results = json_member(view->reply, JSON_ROOT, "results");

	if (results != JSON_NONE && json_first(view->reply, results) != JSON_NONE)
		render_results(view, results);
	else
		str_adds(view->notes, "nothing found\n");
	if (json_member(view->reply, JSON_ROOT, "not_found") != JSON_NONE) {
		str_adds(view->notes, "not found: ");
		render_search_add_refs(view->notes, view,
				       json_member(view->reply, JSON_ROOT, "not_found"));
		str_addc(view->notes, '\n');
	}
	note_page(view);
}
