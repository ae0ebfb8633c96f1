#include "cli/report/report.h"

/* Weeks of the calendar, half of them a drawing: side by side where there is room. */
#define WEEKS 53
#define HALF 27

/* Distance of two days in a drawing, and what stands left of and above them. */
#define PITCH 16
#define LEFT 34
#define ABOVE 18

#define HALF_DAY_MS (MS_PER_DAY / 2)

/* How large the square of a day is, by the number of its changes: the size says it, not a colour.
 */
static const struct {
	int64_t from;
	const char *label;
	int size;
} levels[] = {
	{0, "none", 2}, {1, "1", 5}, {2, "2 or 3", 8}, {4, "4 to 7", 11}, {8, "8 and more", 14}};

#define LEVEL_COUNT (sizeof levels / sizeof *levels)

struct calendar {
	struct page *page;
	int64_t first; /* day number of the first square, a Monday */
	int64_t today;
	const struct number_writes *writes;
};

/* "2026-11-21" */
static void report_history_format_day(int64_t day, char out[TIMESTAMP_SIZE])
{
	int64_t noon_ms = day * MS_PER_DAY + HALF_DAY_MS;

	timestamp_format(noon_ms - (int64_t)timestamp_offset_min(noon_ms) * 60000, out);
	out[10] = '\0';
}

/* The calendar begins with a Monday, the count with the same day or some days before. */
static void report_history_init(struct calendar *calendar, struct page *page)
{
	int64_t local_ms = page->now_ms + (int64_t)timestamp_offset_min(page->now_ms) * 60000;
	/* Days since 1970 in the host's zone; 0 is a Thursday. */
	int64_t today = local_ms / MS_PER_DAY - (local_ms % MS_PER_DAY < 0);

	*calendar = (struct calendar){
		.page = page,
		.today = today,
		.first = today - (today + 3) % 7 - (WEEKS - INT64_C(1)) * 7,
		.writes = &page->numbers.writes,
	};
}

static int64_t report_history_changes_on(const struct calendar *calendar, int64_t day)
{
	return calendar->writes->days[NUMBERS_DAYS - 1 - (calendar->today - day)];
}

/* ---- drawing */

static size_t report_history_level_of(int64_t changes)
{
	size_t level = LEVEL_COUNT - 1;

	while (level > 0 && changes < levels[level].from)
		level--;
	return level;
}

static void report_history_draw_day(struct calendar *calendar, int64_t day, int64_t from_week)
{
	struct html *h = &calendar->page->html;
	int64_t at = day - calendar->first;
	int64_t changes = report_history_changes_on(calendar, day);
	int size = levels[report_history_level_of(changes)].size;
	char date[TIMESTAMP_SIZE];

	report_history_format_day(day, date);
	html_open(h, changes ? "rect.day" : "rect.day.idle");
	html_attr_int(h, "x", LEFT + (at / 7 - from_week) * PITCH + (PITCH - size) / 2);
	html_attr_int(h, "y", ABOVE + at % 7 * PITCH + (PITCH - size) / 2);
	html_attr_int(h, "width", size);
	html_attr_int(h, "height", size);
	html_attr(h, "rx", "1");
	if (changes) {
		html_open(h, "title");
		html_printf(h, "%s: ", date);
		page_plural(calendar->page, changes, "change", "changes");
		html_close(h);
	}
	html_close(h);
}

static const char *report_history_month_name(const char *date)
{
	static const char *const names[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
					    "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
	int month = (date[5] - '0') * 10 + date[6] - '0';

	return month >= 1 && month <= 12 ? names[month - 1] : "";
}

static void report_history_draw_label(struct html *h, int64_t x, int64_t y, const char *text)
{
	html_open(h, "text");
	html_attr_int(h, "x", x);
	html_attr_int(h, "y", y);
	html_text(h, text);
	html_close(h);
}

/* The name of a month stands over the week with its first day. */
static void report_history_draw_labels(struct calendar *calendar, int64_t from_week,
				       int64_t to_week)
{
	static const char *const weekdays[] = {"Mon", NULL, "Wed", NULL, "Fri", NULL, NULL};
	struct html *h = &calendar->page->html;

	for (int64_t d = 0; d < 7; d++) {
		if (weekdays[d])
			report_history_draw_label(h, 0, ABOVE + d * PITCH + 12, weekdays[d]);
	}
	for (int64_t week = from_week; week < to_week; week++) {
		for (int64_t d = 0; d < 7; d++) {
			char date[TIMESTAMP_SIZE];

			report_history_format_day(calendar->first + week * 7 + d, date);
			if (strcmp(date + 8, "01") == 0 && week + 1 < to_week)
				report_history_draw_label(h, LEFT + (week - from_week) * PITCH, 10,
							  report_history_month_name(date));
		}
	}
}

static void report_history_draw_half(struct calendar *calendar, int64_t from_week, int64_t to_week,
				     const char *id)
{
	struct html *h = &calendar->page->html;
	int width = LEFT + HALF * PITCH;
	int height = ABOVE + 7 * PITCH;
	char from[TIMESTAMP_SIZE];
	char to[TIMESTAMP_SIZE];
	int64_t last = calendar->first + to_week * 7 - 1;

	last = last < calendar->today ? last : calendar->today;
	report_history_format_day(calendar->first + from_week * 7, from);
	report_history_format_day(last, to);
	html_open(h, "svg.calendar role=img");
	html_attr(h, "aria-labelledby", id);
	html_attr_printf(h, "viewBox", "0 0 %d %d", width, height);
	html_attr_int(h, "width", width);
	html_attr_int(h, "height", height);
	html_open(h, "title");
	html_attr(h, "id", id);
	html_printf(h, "Changes a day from %s to %s; the table by month has their numbers", from,
		    to);
	html_close(h);
	report_history_draw_labels(calendar, from_week, to_week);
	for (int64_t day = calendar->first + from_week * 7; day <= last; day++)
		report_history_draw_day(calendar, day, from_week);
	html_close(h);
}

static void history_write_legend(struct calendar *calendar)
{
	struct html *h = &calendar->page->html;

	html_open(h, "ul.legend");
	for (size_t i = 0; i < LEVEL_COUNT; i++) {
		html_open(h, "li");
		html_open(h, "svg.calendar aria-hidden=true");
		html_attr_int(h, "width", PITCH);
		html_attr_int(h, "height", PITCH);
		html_open(h, i ? "rect.day" : "rect.day.idle");
		html_attr_int(h, "x", (PITCH - levels[i].size) / 2);
		html_attr_int(h, "y", (PITCH - levels[i].size) / 2);
		html_attr_int(h, "width", levels[i].size);
		html_attr_int(h, "height", levels[i].size);
		html_attr(h, "rx", "1");
		html_close_each(h, 2);
		html_text(h, levels[i].label);
		html_close(h);
	}
	html_close(h);
}

/* ---- the same in numbers */

static void report_history_write_month(struct calendar *calendar, const char *month,
				       int64_t changes, int64_t days)
{
	struct html *h = &calendar->page->html;

	html_open(h, "tr");
	html_open(h, "th scope=row");
	html_printf(h, "%.7s", month);
	html_close(h);
	page_count_cell(calendar->page, changes);
	page_count_cell(calendar->page, days);
	html_close(h);
}

static void report_history_write_months(struct calendar *calendar)
{
	struct html *h = &calendar->page->html;
	char month[TIMESTAMP_SIZE] = "";
	int64_t changes = 0;
	int64_t days = 0;

	html_open(h, "details");
	html_leaf(h, "summary", "By month");
	page_open_table(calendar->page, "table.plain", "Changes by month",
			"Month|#Changes|#Days with changes");
	for (int64_t day = calendar->first; day <= calendar->today; day++) {
		char date[TIMESTAMP_SIZE];

		report_history_format_day(day, date);
		if (month[0] && strncmp(month, date, 7) != 0) {
			report_history_write_month(calendar, month, changes, days);
			changes = days = 0;
		}
		memcpy(month, date, sizeof month);
		changes += report_history_changes_on(calendar, day);
		days += report_history_changes_on(calendar, day) > 0;
	}
	report_history_write_month(calendar, month, changes, days);
	html_close_each(h, 3);
}

static void history_write(struct page *page)
{
	struct calendar calendar;
	struct html *h = &page->html;
	int64_t total = 0;

	report_history_init(&calendar, page);
	for (int64_t day = calendar.first; day <= calendar.today; day++)
		total += report_history_changes_on(&calendar, day);
	html_open(h, "p.lead");
	page_plural(page, total, "change", "changes");
	html_text(h,
		  calendar.writes->by_history
			  ? " in the last 53 weeks, as the history has recorded them; kota log "
			    "tells each."
			  : " in the last 53 weeks, as far as entries and the archive tell: when "
			    "each was made, last changed, archived. There is no history that "
			    "would know of all.");
	html_close(h);
	html_open(h, "div.halves");
	report_history_draw_half(&calendar, 0, HALF - 1, "half-1");
	report_history_draw_half(&calendar, HALF - 1, WEEKS, "half-2");
	html_close(h);
	history_write_legend(&calendar);
	report_history_write_months(&calendar);
}

const struct page_section page_changes = {"changes", "Changes", NULL, history_write};
