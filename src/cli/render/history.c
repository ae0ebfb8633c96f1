/* How the history looks: tables of changes, and what was beside what is. */
#include "base/utf8.h"
#include "cli/render/render_internal.h"
#include "cli/term/text_diff.h"
#include "json/write.h"

/* So many names of what is not recorded are given. */
#define NAMES_SHOWN 5

/* A value that takes no more stands on one line. */
#define LINE_SHOWN 64

#define ARROW " \xe2\x86\x92 "

/* The parts of a change. The id has more digits in replies; a name is cut so that rows fit. */
#define ID "{?waits:waits|{change:8}}"
#define WHEN "{at:when}"
#define WHO "{by:24}{?by_hand: (by hand)}[ on {host:24}]"

/* "460ed1ed · 3 days ago · Ann (by hand) · edit state:a" */
#define HEADING ID DOT WHEN DOT WHO DOT "{subject}\n"

/* "moved from state:a", "archived (expiry)" */
#define DEED "{did:words}[ from {from}][ ({reason})]"

/* ---- what was and what is */

/* The text of a value over as many lines as it has by itself. */
static void render_history_add_lines(struct str *out, const struct view *view, uint32_t node,
				     bool spread)
{
	STR_AUTO scratch = STR_INIT;
	STR_AUTO text = STR_INIT;
	struct slice string = json_string(view->reply, node, &scratch);

	if (string.ptr && memchr(string.ptr, '\n', string.len)) {
		str_add(out, string);
		return;
	}
	struct json_writer w = json_writer_to(&text, spread ? &json_pretty : &json_compact);
	json_write_value(&w, view->reply, node);
	utf8_add_visible_json(out, str_slice(&text));
}

/* The members before and after of an object, line by line. */
static void render_history_add_both(const struct view *view, uint32_t object)
{
	uint32_t nodes[2] = {json_member(view->reply, object, "before"),
			     json_member(view->reply, object, "after")};
	struct slice texts[2] = {{NULL, 0}, {NULL, 0}};
	struct str lines[2] = {STR_INIT, STR_INIT};
	bool spread = false;

	for (size_t i = 0; i < 2; i++) {
		STR_AUTO line = STR_INIT;

		if (nodes[i] == JSON_NONE)
			continue;
		view_add_json(&line, view, nodes[i]);
		spread = spread || utf8_columns(str_slice(&line)) > LINE_SHOWN;
	}
	for (size_t i = 0; i < 2; i++) {
		if (nodes[i] == JSON_NONE)
			continue;
		render_history_add_lines(&lines[i], view, nodes[i], spread);
		texts[i] = str_slice(&lines[i]);
	}
	text_diff_add(view->out, "  ", texts[0], texts[1], &view->paint);
	str_release(&lines[0]);
	str_release(&lines[1]);
}

/* All that a change, or the difference of two, is about. */
static void render_history_add_items(const struct view *view, uint32_t object)
{
	uint32_t files = view_first_of(view, object, "files");

	for (uint32_t n = view_first_of(view, object, "items"); n != JSON_NONE;
	     n = json_next(view->reply, n)) {
		str_printf(view->out, "\n%s", view->paint.strong);
		template_add(view->out, view, n, "{ref}");
		str_adds(view->out, view->paint.plain);
		template_add(view->out, view, n, ": " DEED "\n");
		render_history_add_both(view, n);
		for (uint32_t f = view_first_of(view, n, "fields"); f != JSON_NONE;
		     f = json_next(view->reply, f))
			template_add(view->out, view, f,
				     "[  - {@}: {before:json}\n][  + {@}: {after:json}\n]");
	}
	for (uint32_t n = files; n != JSON_NONE; n = json_next(view->reply, n)) {
		str_printf(view->out, "%s%s", n == files ? "\n" : "", view->paint.strong);
		template_add(view->out, view, n, "{.}");
		str_printf(view->out, "%s: changed\n", view->paint.plain);
	}
}

static void render_history_diff(const struct view *view)
{
	uint32_t items = json_member(view->reply, JSON_ROOT, "items");

	template_add(view->out, view, JSON_ROOT,
		     "{?from:from {*from:" HEADING "}to   {?to:{*to:" HEADING "}|now\n}"
		     "|{?change:" HEADING "}}");
	render_history_add_items(view, JSON_ROOT);
	if (items != JSON_NONE && json_first(view->reply, items) == JSON_NONE &&
	    json_member(view->reply, JSON_ROOT, "files") == JSON_NONE)
		str_adds(view->notes, "no entry differs\n");
}

/* ---- tables */

#define VALUES "{before:brief}" ARROW "{after:brief}"

/* What became of the entry that is asked for, in a few words. */
#define BRIEF                                                                                      \
	"{?items:{*items.0:{?from:" DEED "[: " VALUES "]|[" VALUES "|" DEED "[ {after:brief}]]}}"  \
	"|" DEED "}"

static void render_history_add_unrecorded(const struct view *view)
{
	size_t count = 0;

	for (uint32_t n = view_first_of(view, JSON_ROOT, "unrecorded"); n != JSON_NONE;
	     n = json_next(view->reply, n)) {
		if (count++ >= NAMES_SHOWN)
			continue;
		str_adds(view->out, count > 1 ? ", " : "not recorded yet: ");
		template_add(view->out, view, n, "{.}");
	}
	if (count > NAMES_SHOWN)
		str_printf(view->out, " and %zu more", count - NAMES_SHOWN);
	str_adds(view->out, count > 0 ? "\n" : "");
}

static void render_history_log(const struct view *view)
{
	uint32_t first = view_first_of(view, JSON_ROOT, "changes");
	bool of_one = json_member(view->reply, JSON_ROOT, "ref") != JSON_NONE;
	const struct column columns[] = {{"CHANGE", ID},
					 {"WHEN", WHEN},
					 {"WHO", WHO},
					 {"WHAT", of_one ? BRIEF : "{subject}"}};

	render_history_add_unrecorded(view);
	if (first == JSON_NONE) {
		str_adds(view->notes, "no change is recorded yet\n");
		return;
	}
	bool rows = of_one || json_member(view->reply, first, "items") == JSON_NONE;
	if (rows)
		render_table(view, first, columns, 4);
	for (uint32_t n = rows ? JSON_NONE : first; n != JSON_NONE; n = json_next(view->reply, n)) {
		str_adds(view->out, n == first ? "" : "\n");
		template_add(view->out, view, n, HEADING);
		render_history_add_items(view, n);
	}
	template_add(view->notes, view, JSON_ROOT,
		     "{?more:there are older changes; --limit shows more\n}");
}

static void render_history_blame(const struct view *view)
{
	uint32_t first = view_first_of(view, JSON_ROOT, "entries");
	bool fields = first != JSON_NONE && json_member(view->reply, first, "field") != JSON_NONE;
	const struct column columns[] = {
		{"CHANGE", "{?at:" ID "|-}"},
		{"WHEN", "{?at:" WHEN "|{?unrecorded:not recorded yet|not in the history}}"},
		{"WHO", "{?at:" WHO "|-}"},
		{fields ? "FIELD" : "ENTRY", "[{field}|{ref}]"},
	};

	if (first == JSON_NONE)
		str_adds(view->notes, "nothing is stored here yet\n");
	else
		render_table(view, first, columns, 4);
}

const struct render_row render_history_rows[] = {
	{"log", NULL, NULL, render_history_log},
	{"diff", NULL, NULL, render_history_diff},
	{"show", NULL, NULL, render_history_diff},
	{"blame", NULL, NULL, render_history_blame},
	{NULL, NULL, NULL, NULL},
};
