/* How the history looks: tables of changes, and what was beside what is. */
#include "json/write.h"
#include "base/utf8.h"
#include "base/time.h"
#include "cli/term/text_diff.h"
#include "cli/render/render_internal.h"
#include "cli/term/table.h"

#include <limits.h>

/* Digits of a change that a person sees; replies have more. */
#define ID_SHOWN 8

/* Who made a change gets so many characters of a row. */
#define WHO_SHOWN 24

/* So many names of what is not recorded are given. */
#define NAMES_SHOWN 5

/* A value that takes no more stands on one line. */
#define LINE_SHOWN 64

#define ARROW " \xe2\x86\x92 "

/* ---- parts of a change */

static uint32_t render_history_member(const struct view *view, uint32_t object, const char *name)
{
	return json_member(view->reply, object, name);
}

static struct slice render_history_text_of(const struct view *view, uint32_t object,
					   const char *name, struct str *scratch)
{
	uint32_t node = render_history_member(view, object, name);

	if (node == JSON_NONE)
		return slice_of("");
	return json_string(view->reply, node, scratch);
}

static bool has(const struct view *view, uint32_t object, const char *name)
{
	return render_history_member(view, object, name) != JSON_NONE;
}

static void render_history_add_text(struct str *out, const struct view *view, uint32_t object,
				    const char *name)
{
	STR_AUTO scratch = STR_INIT;

	str_add(out, render_history_text_of(view, object, name, &scratch));
}

static void add_id(struct str *out, const struct view *view, uint32_t change)
{
	STR_AUTO scratch = STR_INIT;

	str_add(out, utf8_cut(render_history_text_of(view, change, "change", &scratch), ID_SHOWN));
}

/* How long ago on a terminal, elsewhere the time. */
static void add_when(struct str *out, const struct view *view, uint32_t change)
{
	STR_AUTO scratch = STR_INIT;
	struct slice at = render_history_text_of(view, change, "at", &scratch);
	char age[TIMESTAMP_SIZE];
	int64_t ms;

	if (view->cli->out_is_terminal && timestamp_parse(at, false, &ms)) {
		timestamp_age(ms, view->now_ms, age);
		str_adds(out, age);
	} else {
		str_add(out, at);
	}
}

static void add_who(struct str *out, const struct view *view, uint32_t change)
{
	STR_AUTO scratch = STR_INIT;

	str_add(out, utf8_cut(render_history_text_of(view, change, "by", &scratch), WHO_SHOWN));
	if (has(view, change, "by_hand"))
		str_adds(out, " (by hand)");
}

/* A JSON value on one line. */
static void render_history_add_value(struct str *out, const struct view *view, uint32_t node)
{
	STR_AUTO text = STR_INIT;
	struct json_writer w;

	json_writer_init(&w, &text, &json_compact);
	json_write_value(&w, view->reply, node);
	utf8_add_visible_json(out, str_slice(&text));
}

/* ---- what was and what is */

/* The text of a value over as many lines as it has by itself. */
static void render_history_add_lines(struct str *out, const struct view *view, uint32_t node,
				     bool spread)
{
	STR_AUTO scratch = STR_INIT;
	STR_AUTO text = STR_INIT;
	struct json_writer w;
	struct slice string;

	if (json_type(view->reply, node) == JSON_STRING) {
		string = json_string(view->reply, node, &scratch);
		if (memchr(string.ptr, '\n', string.len)) {
			str_add(out, string);
			return;
		}
	}
	json_writer_init(&w, &text, spread ? &json_pretty : &json_compact);
	json_write_value(&w, view->reply, node);
	utf8_add_visible_json(out, str_slice(&text));
}

static bool is_long(const struct view *view, uint32_t node)
{
	STR_AUTO text = STR_INIT;

	if (node == JSON_NONE)
		return false;
	render_history_add_value(&text, view, node);
	return utf8_columns(str_slice(&text)) > LINE_SHOWN;
}

/* The members before and after of an object, line by line. */
static void add_both(const struct view *view, uint32_t object)
{
	uint32_t nodes[2] = {render_history_member(view, object, "before"),
			     render_history_member(view, object, "after")};
	bool spread = is_long(view, nodes[0]) || is_long(view, nodes[1]);
	struct slice texts[2] = {{NULL, 0}, {NULL, 0}};
	STR_AUTO before = STR_INIT;
	STR_AUTO after = STR_INIT;

	if (nodes[0] != JSON_NONE) {
		render_history_add_lines(&before, view, nodes[0], spread);
		texts[0] = str_slice(&before);
	}
	if (nodes[1] != JSON_NONE) {
		render_history_add_lines(&after, view, nodes[1], spread);
		texts[1] = str_slice(&after);
	}
	text_diff_add(view->out, "  ", texts[0], texts[1], &view->paint);
}

static void add_field(const struct view *view, uint32_t field)
{
	static const struct {
		const char *name;
		char mark;
	} sides[] = {{"before", '-'}, {"after", '+'}};
	STR_AUTO scratch = STR_INIT;

	for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
		if (!has(view, field, sides[i].name))
			continue;
		str_printf(view->out, "  %c ", sides[i].mark);
		utf8_add_visible(view->out, json_name(view->reply, field, &scratch), false);
		str_adds(view->out, ": ");
		render_history_add_value(view->out, view,
					 render_history_member(view, field, sides[i].name));
		str_addc(view->out, '\n');
	}
}

/* "moved from state:a", "archived (expiry)" */
static void add_deed(struct str *out, const struct view *view, uint32_t item)
{
	STR_AUTO scratch = STR_INIT;
	struct slice did = render_history_text_of(view, item, "did", &scratch);

	for (size_t i = 0; i < did.len; i++)
		str_addc(out, did.ptr[i] == '_' ? ' ' : did.ptr[i]);
	if (has(view, item, "from")) {
		str_adds(out, " from ");
		render_history_add_text(out, view, item, "from");
	}
	if (has(view, item, "reason")) {
		str_adds(out, " (");
		render_history_add_text(out, view, item, "reason");
		str_addc(out, ')');
	}
}

static void render_history_add_item(const struct view *view, uint32_t item)
{
	STR_AUTO ref = STR_INIT;
	STR_AUTO deed = STR_INIT;
	uint32_t fields = render_history_member(view, item, "fields");

	render_history_add_text(&ref, view, item, "ref");
	add_deed(&deed, view, item);
	str_addc(view->out, '\n');
	paint_add(view->out, &view->paint, view->paint.strong, str_slice(&ref));
	str_adds(view->out, ": ");
	utf8_add_visible(view->out, str_slice(&deed), false);
	str_addc(view->out, '\n');
	add_both(view, item);
	for (uint32_t n = fields == JSON_NONE ? JSON_NONE : json_first(view->reply, fields);
	     n != JSON_NONE; n = json_next(view->reply, n))
		add_field(view, n);
}

/* All that a change, or the difference of two, is about. */
static void add_items(const struct view *view, uint32_t object)
{
	uint32_t items = render_history_member(view, object, "items");
	uint32_t files = render_history_member(view, object, "files");
	STR_AUTO scratch = STR_INIT;

	for (uint32_t n = items == JSON_NONE ? JSON_NONE : json_first(view->reply, items);
	     n != JSON_NONE; n = json_next(view->reply, n))
		render_history_add_item(view, n);
	for (uint32_t n = files == JSON_NONE ? JSON_NONE : json_first(view->reply, files);
	     n != JSON_NONE; n = json_next(view->reply, n)) {
		if (n == json_first(view->reply, files))
			str_addc(view->out, '\n');
		paint_add(view->out, &view->paint, view->paint.strong,
			  json_string(view->reply, n, &scratch));
		str_adds(view->out, ": changed\n");
	}
	if (has(view, object, "unreadable"))
		str_adds(view->notes, "a file of this does not parse: what differs in it is not "
				      "told\n");
}

/* "460ed1ed · 3 days ago · Ann (by hand) · edit state:a" */
static void render_history_add_heading(const struct view *view, uint32_t change)
{
	STR_AUTO line = STR_INIT;

	add_id(&line, view, change);
	str_adds(&line, DOT);
	add_when(&line, view, change);
	str_adds(&line, DOT);
	add_who(&line, view, change);
	str_adds(&line, DOT);
	render_history_add_text(&line, view, change, "subject");
	utf8_add_visible(view->out, str_slice(&line), false);
	str_addc(view->out, '\n');
}

static void add_end(const struct view *view, const char *name, const char *when_absent)
{
	uint32_t change = render_history_member(view, JSON_ROOT, name);

	str_printf(view->out, "%-5s", name);
	if (change == JSON_NONE)
		str_printf(view->out, "%s\n", when_absent);
	else
		render_history_add_heading(view, change);
}

void render_diff(const struct view *view)
{
	uint32_t items = render_history_member(view, JSON_ROOT, "items");

	if (has(view, JSON_ROOT, "from")) {
		add_end(view, "from", "");
		add_end(view, "to", "now");
	} else if (has(view, JSON_ROOT, "change")) {
		render_history_add_heading(view, JSON_ROOT);
	}
	add_items(view, JSON_ROOT);
	if (items != JSON_NONE && json_first(view->reply, items) == JSON_NONE &&
	    !has(view, JSON_ROOT, "files"))
		str_adds(view->notes, "no entry differs\n");
}

/* ---- tables */

static void add_cell(struct table *table, const struct view *view, uint32_t change,
		     void (*add)(struct str *, const struct view *, uint32_t))
{
	STR_AUTO text = STR_INIT;

	str_adds(&text, "");
	add(&text, view, change);
	table_add(table, str_slice(&text));
}

static void add_brief(struct str *out, const struct view *view, uint32_t node)
{
	STR_AUTO text = STR_INIT;
	STR_AUTO scratch = STR_INIT;

	render_history_add_value(&text, view, node);
	str_adds(out, shown(&scratch, str_slice(&text)));
}

/* The one item of a change to the entry that is asked for, in a few words. */
static void add_short(struct str *out, const struct view *view, uint32_t change)
{
	uint32_t items = render_history_member(view, change, "items");
	uint32_t item = items == JSON_NONE ? JSON_NONE : json_first(view->reply, items);
	bool moved = item != JSON_NONE && has(view, item, "from");

	if (item == JSON_NONE) {
		add_deed(out, view, change);
		return;
	}
	if (!has(view, item, "before") || !has(view, item, "after") || moved)
		add_deed(out, view, item);
	if (has(view, item, "before") && has(view, item, "after")) {
		str_adds(out, moved ? ": " : "");
		add_brief(out, view, render_history_member(view, item, "before"));
		str_adds(out, ARROW);
		add_brief(out, view, render_history_member(view, item, "after"));
	} else if (has(view, item, "after") && !moved) {
		str_addc(out, ' ');
		add_brief(out, view, render_history_member(view, item, "after"));
	}
}

static void add_subject(struct str *out, const struct view *view, uint32_t change)
{
	render_history_add_text(out, view, change, "subject");
}

/* "state:a", or of an entry that is asked for "value.field" */
static void add_owned(struct str *out, const struct view *view, uint32_t entry)
{
	render_history_add_text(out, view, entry, has(view, entry, "field") ? "field" : "ref");
}

static void render_history_print(const struct view *view, struct table *table)
{
	int width = view->cli->out_is_terminal ? view->cli->columns : INT_MAX;

	table_print(table, width, &view->paint, view->out);
	table_release(table);
}

static void begin_table(struct table *table, const char *last)
{
	static const char *const headings[] = {"CHANGE", "WHEN", "WHO"};

	*table = (struct table){.columns = 4, .flexible = 3};
	for (size_t i = 0; i < sizeof headings / sizeof *headings; i++)
		table_add(table, slice_of(headings[i]));
	table_add(table, slice_of(last));
}

static void add_unrecorded(const struct view *view)
{
	uint32_t list = render_history_member(view, JSON_ROOT, "unrecorded");
	STR_AUTO scratch = STR_INIT;
	size_t count = 0;

	if (list == JSON_NONE)
		return;
	str_adds(view->out, "not recorded yet: ");
	for (uint32_t n = json_first(view->reply, list); n != JSON_NONE;
	     n = json_next(view->reply, n)) {
		if (count++ >= NAMES_SHOWN)
			continue;
		str_adds(view->out, count > 1 ? ", " : "");
		utf8_add_visible(view->out, json_string(view->reply, n, &scratch), false);
	}
	if (count > NAMES_SHOWN)
		str_printf(view->out, " and %zu more", count - NAMES_SHOWN);
	str_addc(view->out, '\n');
}

static void add_changes(const struct view *view, uint32_t changes, bool of_one)
{
	struct table table;

	begin_table(&table, "WHAT");
	for (uint32_t n = json_first(view->reply, changes); n != JSON_NONE;
	     n = json_next(view->reply, n)) {
		add_cell(&table, view, n, add_id);
		add_cell(&table, view, n, add_when);
		add_cell(&table, view, n, add_who);
		add_cell(&table, view, n, of_one ? add_short : add_subject);
	}
	render_history_print(view, &table);
}

static void add_blocks(const struct view *view, uint32_t changes)
{
	for (uint32_t n = json_first(view->reply, changes); n != JSON_NONE;
	     n = json_next(view->reply, n)) {
		if (n != json_first(view->reply, changes))
			str_addc(view->out, '\n');
		render_history_add_heading(view, n);
		add_items(view, n);
	}
}

void render_log(const struct view *view)
{
	uint32_t changes = render_history_member(view, JSON_ROOT, "changes");
	uint32_t first = changes == JSON_NONE ? JSON_NONE : json_first(view->reply, changes);
	bool of_one = has(view, JSON_ROOT, "ref");
	bool more = false;

	add_unrecorded(view);
	if (first == JSON_NONE)
		str_adds(view->notes, "no change is recorded yet\n");
	else if (!of_one && has(view, first, "items"))
		add_blocks(view, changes);
	else
		add_changes(view, changes, of_one);
	if (json_bool(view->reply, render_history_member(view, JSON_ROOT, "more"), &more) && more)
		str_adds(view->notes, "there are older changes; --limit shows more\n");
}

static void add_unknown(struct table *table, const struct view *view, uint32_t entry)
{
	bool unrecorded = has(view, entry, "unrecorded");

	table_add(table, slice_of("-"));
	table_add(table, slice_of(unrecorded ? "not recorded yet" : "not in the history"));
	table_add(table, slice_of("-"));
}

void render_blame(const struct view *view)
{
	uint32_t entries = render_history_member(view, JSON_ROOT, "entries");
	uint32_t first = entries == JSON_NONE ? JSON_NONE : json_first(view->reply, entries);
	struct table table;

	if (first == JSON_NONE) {
		str_adds(view->notes, "nothing is stored here yet\n");
		return;
	}
	begin_table(&table, has(view, first, "field") ? "FIELD" : "ENTRY");
	for (uint32_t n = first; n != JSON_NONE; n = json_next(view->reply, n)) {
		if (has(view, n, "change")) {
			add_cell(&table, view, n, add_id);
			add_cell(&table, view, n, add_when);
			add_cell(&table, view, n, add_who);
		} else {
			add_unknown(&table, view, n);
		}
		add_cell(&table, view, n, add_owned);
	}
	render_history_print(view, &table);
}
