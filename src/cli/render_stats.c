#include "base/timestamp.h"
#include "base/utf8.h"
#include "cli/render_internal.h"

#include <inttypes.h>

#define LABEL_COLUMNS 13

/* Columns of a bar: none where there is no room for the least. */
#define BAR_MIN 10
#define BAR_MAX 40

/* Columns beside a bar: the name, the numbers, and the blanks between. */
#define BESIDE_BAR 42

/* Columns beside a ref, and how much of one is shown in any case. */
#define BESIDE_REF 40
#define REF_MIN 20

/* From this share on a bar is painted as a warning, in percent. */
#define NEARLY_FULL 90

#define FULL_BLOCK "\xe2\x96\x88"
#define EMPTY_BLOCK "\xe2\x96\x91"

/* "12,345" */
static void add_count(struct str *out, int64_t number)
{
	STR_AUTO digits = STR_INIT;

	str_printf(&digits, "%" PRId64, number);
	for (size_t i = 0; i < digits.len; i++) {
		if (i > 0 && (digits.len - i) % 3 == 0 && digits.ptr[i - 1] != '-')
			str_addc(out, ',');
		str_addc(out, digits.ptr[i]);
	}
}

static void add_padded(struct str *out, const char *text, size_t columns)
{
	size_t have = utf8_columns(slice_of(text));

	str_adds(out, text);
	for (; have < columns; have++)
		str_addc(out, ' ');
}

/* On a terminal that is wide enough: how much of something is used. */
static void add_bar(const struct view *view, int64_t used, int64_t limit)
{
	int width = view->cli->columns - BESIDE_BAR;
	int64_t full;

	if (!view->cli->out_is_terminal || width < BAR_MIN || limit <= 0)
		return;
	width = width < BAR_MAX ? width : BAR_MAX;
	full = used >= limit ? width : used * width / limit;
	if (full == 0 && used > 0)
		full = 1;
	str_adds(view->out, used * 100 >= limit * NEARLY_FULL ? view->paint.warn : "");
	for (int64_t i = 0; i < width; i++)
		str_adds(view->out, i < full ? FULL_BLOCK : EMPTY_BLOCK);
	str_adds(view->out, used * 100 >= limit * NEARLY_FULL ? view->paint.plain : "");
	str_adds(view->out, "  ");
}

/* "preferences  ████░░░░  12 of 100 entries" */
static void add_share(const struct view *view, const char *label, int64_t used, int64_t limit,
		      const char *what)
{
	add_padded(view->out, label, LABEL_COLUMNS);
	add_bar(view, used, limit);
	add_count(view->out, used);
	str_adds(view->out, " of ");
	add_count(view->out, limit);
	str_printf(view->out, " %s", what);
}

static void render_categories(const struct view *view)
{
	uint32_t categories = view_member(view, "categories");
	int64_t limit = view_number_of(view, view_member(view, "limits"), "entries_per_category");

	for (uint32_t c = json_first(view->reply, categories); c != JSON_NONE;
	     c = json_next(view->reply, c)) {
		STR_AUTO scratch = STR_INIT;
		STR_AUTO name = STR_INIT;

		str_add(&name, json_name(view->reply, c, &scratch));
		add_share(view, name.ptr, view_number_of(view, c, "entries"), limit, "entries");
		str_adds(view->out, ", ");
		add_count(view->out, view_number_of(view, c, "bytes"));
		str_adds(view->out, " bytes\n");
	}
	add_share(view, "size", view_number_of(view, JSON_ROOT, "bytes"),
		  view_number_of(view, view_member(view, "limits"), "total_bytes"), "bytes\n");
}

/* A ref, on a terminal cut so that what is told of it fits beside it. */
static void add_ref_of(const struct view *view, const char *label, uint32_t object)
{
	int width = view->cli->columns - BESIDE_REF;
	size_t most = width > REF_MIN ? (size_t)width : REF_MIN;
	STR_AUTO scratch = STR_INIT;
	struct slice ref;
	struct slice cut;

	ref = json_string(view->reply, json_member(view->reply, object, "ref"), &scratch);
	cut = view->cli->out_is_terminal ? utf8_cut(ref, most) : ref;
	add_padded(view->out, label, LABEL_COLUMNS);
	utf8_add_visible(view->out, cut, false);
	str_adds(view->out, cut.len < ref.len ? "\xe2\x80\xa6" : "");
	str_adds(view->out, view->paint.faint);
	str_adds(view->out, DOT);
}

static void end_line(const struct view *view)
{
	str_adds(view->out, view->paint.plain);
	str_addc(view->out, '\n');
}

static void render_dated(const struct view *view, const char *name)
{
	uint32_t object = view_member(view, name);
	STR_AUTO scratch = STR_INIT;
	char age[TIMESTAMP_SIZE];
	int64_t ms;

	if (object == JSON_NONE ||
	    !timestamp_parse(json_string(view->reply,
					 json_member(view->reply, object, "created_at"), &scratch),
			     false, &ms))
		return;
	add_ref_of(view, name, object);
	timestamp_age(ms, view->now_ms, age);
	str_printf(view->out, "made %s", age);
	end_line(view);
}

static void render_largest(const struct view *view)
{
	uint32_t object = view_member(view, "largest");

	if (object == JSON_NONE)
		return;
	add_ref_of(view, "largest", object);
	add_count(view->out, view_number_of(view, object, "bytes"));
	str_adds(view->out, " of ");
	add_count(view->out, view_number_of(view, view_member(view, "limits"), "entry_bytes"));
	str_adds(view->out, " bytes");
	end_line(view);
}

static void add_plural(struct str *out, int64_t number, const char *one, const char *more)
{
	add_count(out, number);
	str_printf(out, " %s", number == 1 ? one : more);
}

static void render_used(const struct view *view)
{
	uint32_t list = view_member(view, "most_used");

	if (list == JSON_NONE)
		return;
	for (uint32_t n = json_first(view->reply, list); n != JSON_NONE;
	     n = json_next(view->reply, n)) {
		add_ref_of(view, n == json_first(view->reply, list) ? "most used" : "", n);
		add_plural(view->out, view_number_of(view, n, "uses"), "use", "uses");
		str_adds(view->out, ", ");
		add_plural(view->out, view_number_of(view, n, "hits"), "hit", "hits");
		end_line(view);
	}
}

/* "archive      4 records, 1,200 bytes" */
static void render_part(const struct view *view, const char *name, const char *counted,
			const char *one, const char *more)
{
	uint32_t object = view_member(view, name);

	if (object == JSON_NONE)
		return;
	add_padded(view->out, name, LABEL_COLUMNS);
	if (counted)
		add_plural(view->out, view_number_of(view, object, counted), one, more);
	if (view_number_of(view, object, "hidden") > 0) {
		str_adds(view->out, " (");
		add_count(view->out, view_number_of(view, object, "hidden"));
		str_adds(view->out, " of them of entries that are not active)");
	}
	if (json_member(view->reply, object, "bytes") != JSON_NONE) {
		str_adds(view->out, counted ? ", " : "");
		add_count(view->out, view_number_of(view, object, "bytes"));
		str_adds(view->out, " bytes");
	}
	str_addc(view->out, '\n');
}

static void render_entries(const struct view *view)
{
	add_padded(view->out, "entries", LABEL_COLUMNS);
	add_count(view->out, view_number_of(view, JSON_ROOT, "entries"));
	str_adds(view->out, ", ");
	add_count(view->out, view_number_of(view, JSON_ROOT, "pinned"));
	str_adds(view->out, " pinned, ");
	add_count(view->out, view_number_of(view, JSON_ROOT, "promoted"));
	str_adds(view->out, " promoted\n");
}

void render_stats(const struct view *view)
{
	str_adds(view->out, view->paint.strong);
	view_add_text(view->out, view, "store");
	end_line(view);
	render_categories(view);
	render_entries(view);
	render_dated(view, "oldest");
	render_dated(view, "newest");
	render_largest(view);
	render_used(view);
	render_part(view, "archive", "records", "record", "records");
	render_part(view, "cold", "records", "record", "records");
	render_part(view, "notes", "count", "note", "notes");
	render_part(view, "relations", "count", "link", "links");
	render_part(view, "usage", NULL, "", "");
	render_part(view, "history", "changes", "change", "changes");
}
