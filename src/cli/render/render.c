#include "cli/render/render.h"

#include "base/time.h"
#include "base/utf8.h"
#include "cli/render/render_internal.h"
#include "cli/term/table.h"
#include "json/write.h"

#include <inttypes.h>

/* ---- get */

/* The ref of the entry that the reply is about. */
static void add_ref(struct str *out, const struct view *view)
{
	view_add_text(out, view, "category");
	str_addc(out, ':');
	view_add_text(out, view, "key");
}

static void render_add_value(const struct view *view)
{
	STR_AUTO scratch = STR_INIT;
	uint32_t node = view_member(view, "value");
	struct slice text;

	/* No node is the root: a reply without a value is shown as it is. */
	if (node == JSON_NONE || json_type(view->reply, node) != JSON_STRING) {
		view_add_json(view->out, view, node);
		return;
	}
	text = json_string(view->reply, node, &scratch);
	if (view->cli->out_is_terminal)
		utf8_add_visible(view->out, text, true);
	else
		str_add(view->out, text);
	str_addc(view->out, '\n');
}

static void add_archived(struct str *out, const struct view *view)
{
	str_adds(out, "archived ");
	view_add_age(out, view, "archivedAt");
	if (view_member(view, "reason") == JSON_NONE)
		return;
	str_adds(out, " (");
	view_add_text(out, view, "reason");
	str_addc(out, ')');
}

static void add_facts(struct str *out, const struct view *view)
{
	int64_t hits;

	add_ref(out, view);
	str_adds(out, DOT);
	view_add_text(out, view, "match");
	if (view_member(view, "confidence") != JSON_NONE) {
		str_addc(out, ' ');
		str_add(out, json_text(view->reply, view_member(view, "confidence")));
	}
	if (view_member(view, "last_updated") != JSON_NONE) {
		str_adds(out, DOT "updated ");
		view_add_age(out, view, "last_updated");
	}
	if (view_member(view, "hits") != JSON_NONE &&
	    json_int(view->reply, view_member(view, "hits"), &hits))
		str_printf(out, DOT "%" PRId64 " %s", hits, hits == 1 ? "hit" : "hits");
	if (view_is_true(view, "archived")) {
		str_adds(out, DOT);
		add_archived(out, view);
	}
	if (view_member(view, "also") != JSON_NONE) {
		str_adds(out, DOT "as near: ");
		view_add_list(out, view, "also");
	}
}

static void render_get(const struct view *view)
{
	render_add_value(view);
	if (view->cli->out_is_terminal) {
		str_adds(view->out, view->paint.faint);
		add_facts(view->out, view);
		str_adds(view->out, view->paint.plain);
		str_addc(view->out, '\n');
	} else if (view_is_true(view, "archived")) {
		add_ref(view->notes, view);
		str_adds(view->notes, " is ");
		add_archived(view->notes, view);
		str_addc(view->notes, '\n');
	}
}

/* ---- lists */

static void render_lines(const struct view *view, uint32_t list)
{
	STR_AUTO scratch = STR_INIT;

	for (uint32_t n = json_first(view->reply, list); n != JSON_NONE;
	     n = json_next(view->reply, n)) {
		utf8_add_visible(view->out, json_string(view->reply, n, &scratch), false);
		str_addc(view->out, '\n');
	}
}

/* What stands before the first such byte, or, from the end, before the last; *rest gets the rest.
 */
static struct slice render_split(struct slice text, char byte, bool from_end, struct slice *rest)
{
	const char *at = from_end ? memrchr(text.ptr, byte, text.len)
				  : memchr(text.ptr, byte, text.len);
	size_t len = at ? (size_t)(at - text.ptr) : text.len;

	*rest = at ? slice_make(at + 1, text.len - len - 1) : slice_make(text.ptr + text.len, 0);
	return slice_make(text.ptr, len);
}

/* A row: category, key and, of records, since when. */
static void add_row(struct table *table, struct slice ref)
{
	struct slice key;
	struct slice time;

	if (!ref.ptr)
		ref = slice_of("");
	table_add(table, render_split(ref, ':', false, &key));
	if (table->columns == 2) {
		table_add(table, key);
		return;
	}
	table_add(table, render_split(key, '@', true, &time));
	table_add(table, time);
}

static void render_table(const struct view *view, uint32_t list, size_t columns)
{
	static const char *const headings[] = {"CATEGORY", "KEY", "ARCHIVED"};
	struct table table = {.columns = columns, .flexible = 1};
	STR_AUTO scratch = STR_INIT;

	for (size_t c = 0; c < columns; c++)
		table_add(&table, slice_of(headings[c]));
	for (uint32_t n = json_first(view->reply, list); n != JSON_NONE;
	     n = json_next(view->reply, n))
		add_row(&table, json_string(view->reply, n, &scratch));
	table_print(&table, view->cli->columns, &view->paint, view->out);
	table_release(&table);
}

static void render_refs(const struct view *view, size_t columns, const char *when_empty)
{
	uint32_t list = view_member(view, "refs");

	if (!view->cli->out_is_terminal && list != JSON_NONE)
		render_lines(view, list);
	else if (list != JSON_NONE && json_first(view->reply, list) != JSON_NONE)
		render_table(view, list, columns);
	else
		str_printf(view->notes, "%s\n", when_empty);
}

static void render_list(const struct view *view)
{
	render_refs(view, 2, "nothing is stored here yet");
}

static void render_records(const struct view *view)
{
	render_refs(view, 3, "nothing is archived");
}

/* ---- sentences */

static void note_displaced(const struct view *view)
{
	uint32_t node = view_member(view, "archived");

	if (node == JSON_NONE || json_type(view->reply, node) != JSON_STRING)
		return;
	str_adds(view->notes, "the old value is archived as ");
	view_add_text(view->notes, view, "archived");
	str_addc(view->notes, '\n');
}

/* "set preferences:editor" */
static void render_done(const struct view *view)
{
	str_printf(view->out, "%s ", view->verb);
	add_ref(view->out, view);
	str_addc(view->out, '\n');
	note_displaced(view);
}

static void render_update(const struct view *view)
{
	if (view_is_true(view, "changed")) {
		render_done(view);
		return;
	}
	add_ref(view->out, view);
	str_adds(view->out, " says so already\n");
}

static void render_move(const struct view *view)
{
	str_printf(view->out, "%s ", view->verb);
	view_add_text(view->out, view, "from");
	str_adds(view->out, " to ");
	add_ref(view->out, view);
	str_addc(view->out, '\n');
}

/* Is this text one of a list of texts? */
static bool render_is_among(const struct view *view, const char *name, struct slice text)
{
	STR_AUTO scratch = STR_INIT;

	for (uint32_t n = view_first_of(view, JSON_ROOT, name); n != JSON_NONE;
	     n = json_next(view->reply, n)) {
		if (slice_equal(json_string(view->reply, n, &scratch), text))
			return true;
	}
	return false;
}

/* A link that a change made is taken out again; others are as they were. */
static size_t add_links(const struct view *view)
{
	STR_AUTO scratch = STR_INIT;
	size_t count = 0;

	for (uint32_t n = view_first_of(view, JSON_ROOT, "relations"); n != JSON_NONE;
	     n = json_next(view->reply, n)) {
		struct slice id = json_string(view->reply, n, &scratch);

		str_adds(view->out, render_is_among(view, "unlinked", id) ? "took out link "
									  : "put back link ");
		utf8_add_visible(view->out, id, false);
		str_addc(view->out, '\n');
		count++;
	}
	return count;
}

static void render_putback(const struct view *view)
{
	size_t count = view_add_each(view, "restored", "put back");

	count += view_add_each(view, "removed", "took out");
	count += add_links(view);
	if (count == 0)
		str_adds(view->out, "nothing to put back: it is so already\n");
	if (view_member(view, "left") == JSON_NONE)
		return;
	str_adds(view->notes, "left as they are: ");
	view_add_list(view->notes, view, "left");
	str_addc(view->notes, '\n');
}

static void render_clear(const struct view *view)
{
	uint32_t list = view_member(view, "archived");
	unsigned int count = list == JSON_NONE ? 0 : view->reply->nodes[list].count;

	if (count == 0)
		str_adds(view->out, "state is empty already\n");
	else
		str_printf(view->out, "%s state: %u %s archived\n", view->verb, count,
			   count == 1 ? "entry" : "entries");
}

/* ---- any reply */

static void render_json(const struct view *view)
{
	view_add_json(view->out, view, JSON_ROOT);
}

/* How the reply of each command looks; one that has no row is shown as JSON. */
static const struct row {
	const char *command;
	renderer render;
	const char *verb;
} rows[] = {
	{"get", render_get, NULL},
	{"list", render_list, NULL},
	{"archived", render_records, NULL},
	{"search", render_search, NULL},
	{"analyze", render_analyze, NULL},
	{"stats", render_stats, NULL},
	{"log", render_log, NULL},
	{"diff", render_diff, NULL},
	{"show", render_diff, NULL},
	{"blame", render_blame, NULL},
	{"set", render_done, "set"},
	{"edit", render_done, "made"},
	{"update", render_update, "updated"},
	{"delete", render_done, "deleted"},
	{"notes", render_done, "saved"},
	{"restore", render_done, "restored"},
	{"gc", render_gc, NULL},
	{"relate", render_message, NULL},
	{"promote", render_promote, NULL},
	{"health", render_health, NULL},
	{"reinforce", render_message, NULL},
	{"mv", render_move, "moved"},
	{"clear-state", render_clear, "cleared"},
	{"revert", render_putback, NULL},
	{"undo", render_putback, NULL},
	{"merge", render_merge, NULL},
	{"optimize", render_optimize, NULL},
	{"consolidate", render_consolidate, NULL},
	{"maintain", render_maintain, NULL},
	{"compact", render_compact, NULL},
	{"export", render_export, NULL},
	{"import", render_import, NULL},
	{"migrate", render_migrate, NULL},
	{"prime", render_prime, NULL},
};

static const struct row *row_of(const char *command)
{
	static const struct row as_it_is = {NULL, render_json, NULL};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (strcmp(rows[i].command, command) == 0)
			return &rows[i];
	}
	return &as_it_is;
}

/* What had to make room, and what the store has to say: part of the reply, beside the answer. */
static void add_notes(const struct view *view)
{
	STR_AUTO scratch = STR_INIT;
	uint32_t list = view_member(view, "warnings");
	uint32_t from = view_member(view, "from");

	if (from != JSON_NONE && slice_is(json_string(view->reply, from, &scratch), "repository"))
		str_adds(view->notes,
			 "this came with a repository and is not trusted: see kota trust\n");
	if (from != JSON_NONE &&
	    slice_is(json_string(view->reply, from, &scratch), "changed by others"))
		str_adds(view->notes, "others have changed this since you trusted it: see kota "
				      "trust\n");
	if (view_member(view, "evicted") != JSON_NONE) {
		str_adds(view->notes, "archived to make room: ");
		view_add_list(view->notes, view, "evicted");
		str_addc(view->notes, '\n');
	}
	if (list == JSON_NONE)
		return;
	for (uint32_t n = json_first(view->reply, list); n != JSON_NONE;
	     n = json_next(view->reply, n)) {
		str_adds(view->notes, "warning: ");
		utf8_add_visible(view->notes, json_string(view->reply, n, &scratch), false);
		str_addc(view->notes, '\n');
	}
}

/* {"result":null} is how an operation says that it found nothing. */
static bool found_nothing(const struct view *view)
{
	uint32_t node = view_member(view, "result");

	return node != JSON_NONE && json_type(view->reply, node) == JSON_NULL;
}

/* A search whose list is empty: the same, also where it tells what else there is to say. */
static bool has_no_results(const struct view *view, const struct row *row)
{
	uint32_t results = view_member(view, "results");

	return row->render == render_search && results != JSON_NONE &&
	       json_first(view->reply, results) == JSON_NONE;
}

static void render_nothing(const struct view *view)
{
	str_adds(view->notes, "nothing found");
	if (view_member(view, "also") != JSON_NONE) {
		str_adds(view->notes, "; nearest: ");
		view_add_list(view->notes, view, "also");
	}
	str_addc(view->notes, '\n');
}

int render_reply(const struct cli *cli, const char *command, bool as_json, const struct json *reply,
		 int64_t now_ms, struct str *out, struct str *notes)
{
	const struct row *row = row_of(command);
	struct view view = {cli, paint_for(cli), row->verb, reply, now_ms, out, notes};
	bool nothing = found_nothing(&view);

	if (as_json) {
		render_json(&view);
		return nothing || has_no_results(&view, row);
	}
	if (nothing)
		render_nothing(&view);
	else
		row->render(&view);
	add_notes(&view);
	return nothing || has_no_results(&view, row);
}

uint32_t view_member(const struct view *view, const char *name)
{
	return json_member(view->reply, JSON_ROOT, name);
}

struct slice view_text(const struct view *view, const char *name, struct str *scratch)
{
	uint32_t node = view_member(view, name);

	if (node == JSON_NONE)
		return slice_of(NULL);
	return json_string(view->reply, node, scratch);
}

struct slice view_text_of(const struct view *view, uint32_t object, const char *name,
			  struct str *scratch)
{
	uint32_t node = json_member(view->reply, object, name);

	if (node == JSON_NONE)
		return slice_of("");
	if (json_type(view->reply, node) == JSON_STRING)
		return json_string(view->reply, node, scratch);
	return json_text(view->reply, node);
}

int64_t view_number_of(const struct view *view, uint32_t object, const char *name)
{
	uint32_t node = json_member(view->reply, object, name);
	int64_t number = 0;

	if (node != JSON_NONE)
		json_int(view->reply, node, &number);
	return number;
}

uint32_t view_first_of(const struct view *view, uint32_t object, const char *name)
{
	uint32_t list = json_member(view->reply, object, name);

	return list == JSON_NONE ? JSON_NONE : json_first(view->reply, list);
}

bool view_is_true(const struct view *view, const char *name)
{
	uint32_t node = view_member(view, name);
	bool value = false;

	return node != JSON_NONE && json_bool(view->reply, node, &value) && value;
}

void view_add_text(struct str *out, const struct view *view, const char *name)
{
	STR_AUTO scratch = STR_INIT;

	utf8_add_visible(out, view_text(view, name, &scratch), false);
}

void view_add_list(struct str *out, const struct view *view, const char *name)
{
	STR_AUTO scratch = STR_INIT;
	uint32_t list = view_member(view, name);

	if (list == JSON_NONE)
		return;
	for (uint32_t n = json_first(view->reply, list); n != JSON_NONE;
	     n = json_next(view->reply, n)) {
		if (n != json_first(view->reply, list))
			str_adds(out, ", ");
		utf8_add_visible(out, json_string(view->reply, n, &scratch), false);
	}
}

void view_add_age(struct str *out, const struct view *view, const char *name)
{
	STR_AUTO scratch = STR_INIT;
	char age[TIMESTAMP_SIZE];
	int64_t ms;

	if (!timestamp_parse(view_text(view, name, &scratch), false, &ms))
		return;
	timestamp_age(ms, view->now_ms, age);
	str_adds(out, age);
}

void view_add_json(struct str *out, const struct view *view, uint32_t node)
{
	STR_AUTO text = STR_INIT;
	struct json_writer w;

	json_writer_init(&w, &text, &json_pretty);
	json_write_value(&w, view->reply, node);
	paint_add_json(out, view->cli, str_slice(&text));
	str_addc(out, '\n');
}

bool view_add_part(struct str *out, const struct view *view, uint32_t element, const char *before,
		   const char *name)
{
	uint32_t node = json_member(view->reply, element, name);
	STR_AUTO scratch = STR_INIT;

	if (node == JSON_NONE)
		return false;
	str_adds(out, before);
	utf8_add_visible(out, json_string(view->reply, node, &scratch), false);
	return true;
}

size_t view_add_each(const struct view *view, const char *name, const char *verb)
{
	uint32_t list = view_member(view, name);
	STR_AUTO scratch = STR_INIT;
	size_t count = 0;

	if (list == JSON_NONE)
		return 0;
	for (uint32_t n = json_first(view->reply, list); n != JSON_NONE;
	     n = json_next(view->reply, n)) {
		str_printf(view->out, "%s ", verb);
		utf8_add_visible(view->out, json_string(view->reply, n, &scratch), false);
		str_addc(view->out, '\n');
		count++;
	}
	return count;
}

/* What has faded, or would go, each on its line; the sentence that sums it up beside them. */
void render_gc(const struct view *view)
{
	view_add_each(view, "memory_ids",
		      view_is_true(view, "dry_run") ? "would archive" : "archived");
	view_add_text(view->notes, view, "message");
	str_addc(view->notes, '\n');
}

/* A sentence that says it all. */
void render_message(const struct view *view)
{
	view_add_text(view->out, view, "message");
	str_addc(view->out, '\n');
}

/* Each note that is made, or would be, and what could be one and is protected. */
void render_promote(const struct view *view)
{
	const char *verb = view_is_true(view, "dry_run") ? "would promote " : "promoted ";

	for (uint32_t n = view_first_of(view, JSON_ROOT, "candidates"); n != JSON_NONE;
	     n = json_next(view->reply, n)) {
		bool made = json_member(view->reply, n, "promoted_to") != JSON_NONE;

		view_add_part(view->out, view, n, made ? verb : "left ", "id");
		if (!view_add_part(view->out, view, n, " to ", "promoted_to"))
			view_add_part(view->out, view, n, ": ", "protected");
		str_addc(view->out, '\n');
	}
	view_add_text(view->notes, view, "message");
	str_addc(view->notes, '\n');
}

/* What is in favour, and what could be passed on. */
void render_analyze(const struct view *view)
{
	static const char *const suggestions[] = {"suggested_query", "suggested_key",
						  "suggested_category"};

	view_add_text(view->out, view, "reasoning");
	str_addc(view->out, '\n');
	for (size_t i = 0; i < sizeof suggestions / sizeof *suggestions; i++) {
		if (view_member(view, suggestions[i]) == JSON_NONE)
			continue;
		str_printf(view->out, "%s: ", suggestions[i] + strlen("suggested_"));
		view_add_text(view->out, view, suggestions[i]);
		str_addc(view->out, '\n');
	}
}

/* ---- prime */

/* The text was made visible when it was put together. */
void render_prime(const struct view *view)
{
	STR_AUTO scratch = STR_INIT;

	str_add(view->out, view_text(view, "text", &scratch));
}
