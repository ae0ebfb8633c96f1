#include "base/utf8.h"
#include "cli/render/render_internal.h"

#include <inttypes.h>

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

/* Columns beside the line of days: the label, what is said of it, and the blanks between. */
#define BESIDE_DAYS 44

/* A bar, and a line of what was written by day: drawn, or where that cannot be shown, typed. */
static const struct brush {
	const char *full;
	const char *empty;
	const char *levels[8]; /* nothing, and from little to most */
} brushes[] = {
	{"#", ".", {"_", ".", ":", "-", "=", "+", "*", "#"}},
	{"\xe2\x96\x88",
	 "\xe2\x96\x91",
	 {"\xe2\x96\x81", "\xe2\x96\x82", "\xe2\x96\x83", "\xe2\x96\x84", "\xe2\x96\x85",
	  "\xe2\x96\x86", "\xe2\x96\x87", "\xe2\x96\x88"}},
};

/* "preferences  ████░░░░  12 of 100": the bar on a terminal that is wide enough. */
static void render_stats_add_share(const struct view *view, int64_t used, int64_t limit)
{
	const struct brush *brush = &brushes[paint_draws(view->cli)];
	int width = view->cli->columns - BESIDE_BAR;
	bool nearly_full = used * 100 >= limit * NEARLY_FULL;

	if (view->cli->out_is_terminal && width >= BAR_MIN && limit > 0) {
		width = width < BAR_MAX ? width : BAR_MAX;
		int64_t full = used >= limit ? width : used * width / limit;
		full = full == 0 && used > 0 ? 1 : full;
		str_adds(view->out, nearly_full ? view->paint.warn : "");
		for (int64_t i = 0; i < width; i++)
			str_adds(view->out, i < full ? brush->full : brush->empty);
		str_printf(view->out, "%s  ", nearly_full ? view->paint.plain : "");
	}
	view_add_count(view->out, used);
	str_adds(view->out, " of ");
	view_add_count(view->out, limit);
}

static void render_stats_add_categories(const struct view *view)
{
	uint32_t limits = json_member(view->reply, JSON_ROOT, "limits");
	int64_t limit = view_number_of(view, limits, "entries_per_category");

	for (uint32_t c = view_first_of(view, JSON_ROOT, "categories"); c != JSON_NONE;
	     c = json_next(view->reply, c)) {
		STR_AUTO scratch = STR_INIT;
		struct slice name = json_name(view->reply, c, &scratch);

		str_printf(view->out, "%-13.*s", (int)name.len, name.ptr);
		render_stats_add_share(view, view_number_of(view, c, "entries"), limit);
		template_add(view->out, view, c, " entries, {bytes:n} bytes\n");
	}
	str_adds(view->out, "size         ");
	render_stats_add_share(view, view_number_of(view, JSON_ROOT, "bytes"),
			       view_number_of(view, limits, "total_bytes"));
	str_adds(view->out, " bytes\n");
}

/* An entry and what is told of it; on a terminal its ref is cut so that this fits beside it. */
static void render_stats_add_entry(const struct view *view, const char *label, uint32_t object,
				   const char *facts)
{
	int width = view->cli->columns - BESIDE_REF;
	size_t most = width > REF_MIN ? (size_t)width : REF_MIN;
	STR_AUTO scratch = STR_INIT;

	if (object == JSON_NONE)
		return;
	struct slice ref = json_string(view->reply, json_member(view->reply, object, "ref"),
				       &scratch);
	struct slice cut = view->cli->out_is_terminal ? utf8_cut(ref, most) : ref;
	str_printf(view->out, "%-13s", label);
	utf8_add_visible(view->out, cut, false);
	str_printf(view->out, "%s%s" DOT, cut.len < ref.len ? "\xe2\x80\xa6" : "",
		   view->paint.faint);
	template_add(view->out, view, object, facts);
	str_printf(view->out, "%s\n", view->paint.plain);
}

/* What the days from *day on, so many of them, were together; *day moves behind them. */
static int64_t render_stats_sum(const struct view *view, uint32_t *day, size_t count)
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

/*
 * "▁▂▁█▄": the busiest step is the highest, and a single change is seen. Each step stands for so
 * many days: as few as fit.
 */
static void render_stats_add_days(const struct view *view, uint32_t list)
{
	static const size_t steps[] = {1, 2, 4, 7};
	size_t days = view->reply->nodes[list].count;
	size_t i = 0;
	int64_t most = 1;

	while (i < sizeof steps / sizeof *steps &&
	       (days + steps[i] - 1) / steps[i] + BESIDE_DAYS > (size_t)view->cli->columns)
		i++;
	if (!view->cli->out_is_terminal || i == sizeof steps / sizeof *steps)
		return;
	for (uint32_t day = json_first(view->reply, list); day != JSON_NONE;) {
		int64_t sum = render_stats_sum(view, &day, steps[i]);

		most = sum > most ? sum : most;
	}
	for (uint32_t day = json_first(view->reply, list); day != JSON_NONE;) {
		int64_t sum = render_stats_sum(view, &day, steps[i]);

		str_adds(view->out,
			 brushes[paint_draws(view->cli)].levels[(sum * 7 + most - 1) / most]);
	}
	str_adds(view->out, "  ");
}

/* "writes       12 in 8 weeks (history)" */
static void render_stats_add_writes(const struct view *view)
{
	uint32_t writes = json_member(view->reply, JSON_ROOT, "writes");
	uint32_t list = writes == JSON_NONE ? JSON_NONE : json_member(view->reply, writes, "days");

	if (list == JSON_NONE)
		return;
	str_adds(view->out, "writes       ");
	render_stats_add_days(view, list);
	template_add(view->out, view, writes, "{total:n}");
	str_printf(view->out, " in %u weeks ", view->reply->nodes[list].count / 7);
	template_add(view->out, view, writes, "({?by=history:history|times of entries})\n");
}

/* A part of the store: how much of what there is, and how large it is. */
#define PART(name, label, counted, one, more)                                                      \
	"{*" name ":" label "{" counted ":n|" one "|" more                                         \
	"}{?hidden: ({hidden:n} of them of entries that are not active)}[, {bytes:n} bytes]\n}"

static void render_stats_add_lines(const struct view *view)
{
	static const char *const dated[] = {"oldest", "newest"};
	uint32_t largest = json_member(view->reply, JSON_ROOT, "largest");
	uint32_t first = view_first_of(view, JSON_ROOT, "most_used");

	str_adds(view->out, view->paint.strong);
	template_add(view->out, view, JSON_ROOT, "{store}");
	str_printf(view->out, "%s\n", view->paint.plain);
	render_stats_add_categories(view);
	template_add(view->out, view, JSON_ROOT,
		     "entries      {entries:n}, {pinned:n} pinned, {promoted:n} promoted\n");
	for (size_t i = 0; i < sizeof dated / sizeof *dated; i++)
		render_stats_add_entry(view, dated[i],
				       json_member(view->reply, JSON_ROOT, dated[i]),
				       "made {created_at:age}");
	render_stats_add_entry(view, "largest", largest,
			       "{bytes:n} of {/limits.entry_bytes:n} bytes");
	for (uint32_t n = first; n != JSON_NONE; n = json_next(view->reply, n))
		render_stats_add_entry(view, n == first ? "most used" : "", n,
				       "{uses:n|use|uses}, {hits:n|hit|hits}");
	template_add(view->out, view, JSON_ROOT,
		     PART("archive", "archive      ", "records", "record",
			  "records") PART("cold", "cold         ", "records", "record", "records")
			     PART("notes", "notes        ", "count", "note", "notes")
				     PART("relations", "relations    ", "count", "link",
					  "links") "{*usage:usage        {bytes:n} "
						   "bytes\n}" PART("history", "history      ",
								   "changes", "change", "changes"));
	render_stats_add_writes(view);
}

static void render_stats_show(const struct view *view)
{
	STR_AUTO lines = STR_INIT;
	struct view inner = *view;

	inner.out = &lines;
	render_stats_add_lines(&inner);
	if (view->cli->out_is_terminal)
		paint_add_fitted(view->out, str_slice(&lines), view->cli->columns);
	else
		str_add(view->out, str_slice(&lines));
}

const struct render_row render_stats_rows[] = {
	{"stats", NULL, NULL, render_stats_show},
	{NULL, NULL, NULL, NULL},
};
