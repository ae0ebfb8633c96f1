#include "base/time.h"
#include "base/utf8.h"
#include "cli/render/render_internal.h"

#include <inttypes.h>

#define LABEL_COLUMNS 13

/* Columns of a bar: none where there is no room for the least. */
#define BAR_MIN 10
#define BAR_MAX 40

/* Columns beside a bar: the name, the numbers, and the blanks between. */
#define BESIDE_BAR 48

/* Columns beside a ref, and how much of one is shown in any case. */
#define BESIDE_REF 40
#define REF_MIN 20

/* From this share on a bar is painted as a warning, in percent. */
#define NEARLY_FULL 90

/* A bar, and a line of what was written by day: drawn, or where that cannot be shown, typed. */
struct brush {
	const char *full;
	const char *empty;
	const char *levels[8]; /* nothing, and from little to most */
};

static const struct brush drawn = {
	"\xe2\x96\x88",
	"\xe2\x96\x91",
	{"\xe2\x96\x81", "\xe2\x96\x82", "\xe2\x96\x83", "\xe2\x96\x84", "\xe2\x96\x85",
	 "\xe2\x96\x86", "\xe2\x96\x87", "\xe2\x96\x88"},
};

static const struct brush typed = {"#", ".", {"_", ".", ":", "-", "=", "+", "*", "#"}};

/* Columns beside the line of days: the label, what is said of it, and the blanks between. */
#define BESIDE_DAYS 44

static const struct brush *brush_for(const struct view *view)
{
	return paint_draws(view->cli) ? &drawn : &typed;
}

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
		str_adds(view->out, i < full ? brush_for(view)->full : brush_for(view)->empty);
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

/* What the days from..from+count of a list were, together. */
static int64_t sum_of(const struct view *view, uint32_t *day, size_t count)
{
	int64_t sum = 0;

	for (size_t i = 0; i < count && *day != JSON_NONE; i++) {
		int64_t number = 0;

		json_int(view->reply, *day, &number);
		sum += number;
		*day = json_next(view->reply, *day);
	}
	return sum;
}

/* Each step of the line stands for so many days: as few as fit; 0: it does not fit. */
static size_t days_a_step(const struct view *view, size_t days)
{
	static const size_t steps[] = {1, 2, 4, 7};

	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		if ((days + steps[i] - 1) / steps[i] + BESIDE_DAYS <= (size_t)view->cli->columns)
			return steps[i];
	}
	return 0;
}

/* "▁▂▁█▄": the busiest step is the highest, and a single change is seen. */
static void add_days(const struct view *view, uint32_t list)
{
	size_t step = days_a_step(view, view->reply->nodes[list].count);
	int64_t most = 1;

	if (!view->cli->out_is_terminal || step == 0)
		return;
	for (uint32_t day = json_first(view->reply, list); day != JSON_NONE;) {
		int64_t sum = sum_of(view, &day, step);

		most = sum > most ? sum : most;
	}
	for (uint32_t day = json_first(view->reply, list); day != JSON_NONE;) {
		int64_t sum = sum_of(view, &day, step);

		str_adds(view->out, brush_for(view)->levels[(sum * 7 + most - 1) / most]);
	}
	str_adds(view->out, "  ");
}

/* "writes       12 in 8 weeks (history)" */
static void render_writes(const struct view *view)
{
	uint32_t writes = view_member(view, "writes");
	uint32_t list = writes == JSON_NONE ? JSON_NONE : json_member(view->reply, writes, "days");
	STR_AUTO scratch = STR_INIT;

	if (list == JSON_NONE)
		return;
	add_padded(view->out, "writes", LABEL_COLUMNS);
	add_days(view, list);
	add_count(view->out, view_number_of(view, writes, "total"));
	str_printf(view->out, " in %u weeks (%s)\n", view->reply->nodes[list].count / 7,
		   slice_is(view_text_of(view, writes, "by", &scratch), "history")
			   ? "history"
			   : "times of entries");
}

static void render_lines(const struct view *view)
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
	render_writes(view);
}

void render_stats(const struct view *view)
{
	STR_AUTO lines = STR_INIT;
	struct view inner = *view;

	if (!view->cli->out_is_terminal) {
		render_lines(view);
		return;
	}
	inner.out = &lines;
	render_lines(&inner);
	paint_add_fitted(view->out, str_slice(&lines), view->cli->columns);
}
