#include "base/mem.h"
#include "cli/report/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The plot: its height, and what of it is above and below the scale. */
#define HEIGHT 340.0
#define TOP 14.0
#define BOTTOM 30.0

/* The scale of scores, which is logarithmic; what is below stands at its bottom. */
#define SCORE_MIN 0.01
#define SCORE_MAX 2.0  /* where no score is higher */
#define SCORE_LAST 1e6 /* settings and strength may be anything */

/* Steps of the line of an entry that was never used. */
#define CURVE_STEPS 90

/* What a mark looks like in a square from -5 to 5; a shape a category. */
static const char *const marks[CATEGORY_COUNT] = {
	"M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
	"M-3.6-3.6h7.2v7.2h-7.2z",
	"M0-4.6L4.4 3.4H-4.4z",
	"M0-5L5 0L0 5L-5 0z",
	"M-1-4.5h2v3.5h3.5v2h-3.5v3.5h-2v-3.5h-3.5v-2h3.5z",
};

struct plot {
	struct page *page;
	double best; /* upper end of the scale */
	const struct page_entry **list;
	size_t count;
};

static double report_decay_place_y(const struct plot *plot, double score)
{
	double from = log(plot->best);
	double shown = fmin(plot->best, fmax(SCORE_MIN, score));
	double share = (from - log(shown)) / (from - log(SCORE_MIN));

	return TOP + share * (HEIGHT - TOP - BOTTOM);
}

/* 0: active just now; 1: expires now. */
static double report_decay_place_x(const struct plot *plot, int64_t due_ms)
{
	double left = ((double)due_ms - (double)plot->page->now_ms) / (double)MS_PER_DAY;

	return fmin(1, fmax(0, 1 - left / (double)plot->page->settings.expiry_days));
}

/* What expires first comes first. */
static int report_decay_compare_due(const void *a, const void *b)
{
	const struct page_entry *one = *(const struct page_entry *const *)a;
	const struct page_entry *other = *(const struct page_entry *const *)b;

	if (one->due_ms != other->due_ms)
		return one->due_ms < other->due_ms ? -1 : 1;
	return one < other ? -1 : one > other;
}

static void report_decay_gather(struct plot *plot, struct page *page)
{
	*plot = (struct plot){.page = page, .best = SCORE_MAX};
	plot->list = mem_zalloc(page->count, sizeof(const struct page_entry *));
	for (size_t i = 0; i < page->count; i++) {
		if (page->entries[i].due_ms != INT64_MAX)
			plot->list[plot->count++] = &page->entries[i];
	}
	qsort(plot->list, plot->count, sizeof(const struct page_entry *), report_decay_compare_due);
	for (size_t i = 0; i < plot->count && i < PAGE_POINTS_MAX; i++)
		plot->best = fmin(SCORE_LAST, fmax(plot->best, plot->list[i]->score));
}

/* ---- drawing */

static void report_decay_draw_line(const struct plot *plot, const char *classes, double score,
				   const char *label)
{
	struct html *h = &plot->page->html;
	double y = report_decay_place_y(plot, score);
	bool is_scale = strcmp(classes, "grid") == 0; /* its label stands left of the drawing */

	html_open(h, is_scale ? "line.grid x2=100%" : "line.level x2=100%");
	html_attr_number(h, "y1", y);
	html_attr_number(h, "y2", y);
	html_close(h);
	html_open(h, is_scale ? "text.grid x=-10" : "text.level x=100%");
	html_attr_number(h, "y", is_scale ? y + 4 : y - 6);
	html_attr(h, "text-anchor", "end");
	html_text(h, label);
	html_close(h);
}

static void report_decay_draw_scale(const struct plot *plot)
{
	static const char *const anchors[] = {"start", "middle", "middle", "end"};
	const struct settings *settings = &plot->page->settings;
	struct html *h = &plot->page->html;
	char label[64];

	report_decay_draw_line(plot, "grid", 1, "1");
	report_decay_draw_line(plot, "grid", 0.1, "0.1");
	report_decay_draw_line(plot, "grid", SCORE_MIN, "0.01");
	snprintf(label, sizeof label, "worth a note from %.3g on", settings->promote_threshold);
	report_decay_draw_line(plot, "level", settings->promote_threshold, label);
	snprintf(label, sizeof label, "faded below %.3g", settings->forget_threshold);
	report_decay_draw_line(plot, "level", settings->forget_threshold, label);
	for (int i = 0; i < 4; i++) {
		int64_t left = settings->expiry_days * (3 - i) / 3;

		html_open(h, "text.tick");
		html_attr_percent(h, "x", i / 3.0);
		html_attr_number(h, "y", HEIGHT - 6);
		html_attr(h, "text-anchor", anchors[i]);
		if (i == 0)
			page_plural(plot->page, left, "day left", "days left");
		else if (i < 3)
			html_count(h, left);
		else
			html_text(h, "expires");
		html_close(h);
	}
}

/* How the score of an entry of state goes down that nobody ever uses. */
static void report_decay_draw_curve(const struct plot *plot, double half_life_days)
{
	const struct page *page = plot->page;
	STR_AUTO points = STR_INIT;
	struct html *h = &plot->page->html;

	for (int i = 0; i <= CURVE_STEPS; i++) {
		double idle_days = (double)page->settings.expiry_days * i / CURVE_STEPS;
		int64_t since_ms = page->now_ms - (int64_t)(idle_days * (double)MS_PER_DAY);
		double score = decay_score(&page->settings, half_life_days, 0, 1, since_ms,
					   page->now_ms);

		str_printf(&points, "%s%.2f,%.2f", i ? " " : "", 100.0 * i / CURVE_STEPS,
			   report_decay_place_y(plot, score));
	}
	html_open(h, "svg preserveAspectRatio=none width=100%");
	html_attr_printf(h, "viewBox", "0 0 100 %g", HEIGHT);
	html_attr_number(h, "height", HEIGHT);
	html_open(h, "polyline.curve");
	html_attr(h, "points", points.ptr);
	html_close_each(h, 2);
}

static void report_decay_draw_marks(const struct plot *plot)
{
	struct html *h = &plot->page->html;

	html_open(h, "defs");
	for (int c = 0; c < CATEGORY_COUNT; c++) {
		html_open(h, "path");
		html_attr_printf(h, "id", "mark%d", c);
		html_attr(h, "d", marks[c]);
		html_close(h);
	}
	html_close(h);
}

static void decay_draw(const struct plot *plot)
{
	const struct settings *settings = &plot->page->settings;
	struct html *h = &plot->page->html;

	html_open(h, "svg.plot role=img aria-labelledby='plot-t plot-d' width=100%");
	html_attr_number(h, "height", HEIGHT);
	html_leaf(h, "title id=plot-t", "Decay score against the time left until expiry");
	html_leaf(h, "desc id=plot-d",
		  "A mark an entry, its shape the category, scores on a logarithmic scale. The "
		  "table of all entries below has the same "
		  "figures.");
	report_decay_draw_marks(plot);
	report_decay_draw_scale(plot);
	report_decay_draw_curve(plot, decay_half_life(settings, CATEGORY_STATE, true));
	report_decay_draw_curve(plot, decay_half_life(settings, CATEGORY_STATE, false));
	html_open(h, "g.points");
	for (size_t i = 0; i < plot->count && i < PAGE_POINTS_MAX; i++) {

		html_open(h, "use");
		html_attr_printf(h, "href", "#mark%d",
				 (int)plot->list[i]->facts.item->entry.category);
		html_attr_percent(h, "x", report_decay_place_x(plot, plot->list[i]->due_ms));
		html_attr_number(h, "y", report_decay_place_y(plot, plot->list[i]->score));
		html_open(h, "title");
		page_ref(plot->page, plot->list[i]->facts.item->ref);
		html_text(h, ": score ");
		page_score(plot->page, plot->list[i]->score);
		html_text(h, ", ");
		page_days_left(plot->page, plot->list[i]->due_ms);
		html_close_each(h, 2);
	}
	html_close_each(h, 2);
}

static void decay_write_legend(const struct plot *plot)
{
	struct html *h = &plot->page->html;

	html_open(h, "ul.legend");
	for (int c = 0; c < CATEGORY_COUNT; c++) {
		html_open(h, "li");
		html_open(h, "svg aria-hidden=true viewBox='-6 -6 12 12' width=12 height=12");
		html_open(h, "path");
		html_attr(h, "d", marks[c]);
		html_close_each(h, 2);
		html_text(h, category_name((enum category)c));
		html_close(h);
	}
	html_leaf(h, "li.line",
		  "lines: an entry of state that is never used, a note of what happened "
		  "(the lower one) and what holds");
	html_close(h);
}

/* ---- words */

static void decay_write_left_out(const struct plot *plot)
{
	struct page *page = plot->page;
	struct html *h = &page->html;
	size_t pinned = page->count - plot->count;

	if (pinned == 0 && plot->count <= PAGE_POINTS_MAX)
		return;
	html_open(h, "p.note");
	if (plot->count > PAGE_POINTS_MAX) {
		html_text(h, "Only those that expire first are drawn; left out: ");
		html_count(h, (int64_t)plot->count - PAGE_POINTS_MAX);
		html_text(h, ". ");
	}
	if (pinned) {
		html_text(h, "Pinned, so not drawn: ");
		html_count(h, (int64_t)pinned);
		html_text(h, ".");
	}
	html_close(h);
}

static void report_decay_write_next(const struct plot *plot)
{
	struct page *page = plot->page;
	struct html *h = &page->html;

	html_leaf(h, "h3", "Next to expire");
	page_open_table(page, "table.plain", "The entries that expire next",
			"Entry|#Score|#Expires in");
	for (size_t i = 0; i < plot->count && i < PAGE_NEXT_MAX; i++) {
		const struct page_entry *entry = plot->list[i];

		html_open(h, "tr");
		page_ref_cell(page, entry->facts.item->ref);
		html_open(h, "td.n");
		page_score(page, entry->score);
		html_close(h);
		html_open(h, "td.n");
		page_days_left(page, entry->due_ms);
		html_close_each(h, 2);
	}
	html_close_each(h, 2);
}

static void decay_write(struct page *page)
{
	struct html *h = &page->html;
	struct plot plot;

	report_decay_gather(&plot, page);
	html_open(h, "p.lead");
	html_printf(h,
		    "The score says how much of a memory is left; use and strength hold it up. "
		    "After %lld days without any activity an entry expires, which sends it to "
		    "the archive; any lookup, use or change starts its days anew.",
		    (long long)page->settings.expiry_days);
	html_close(h);
	if (plot.count) {
		decay_draw(&plot);
		decay_write_legend(&plot);
		decay_write_left_out(&plot);
		report_decay_write_next(&plot);
	} else {
		html_leaf(h, "p.none", "Nothing expires.");
	}
	free(plot.list);
}

const struct page_section page_fading = {"fading", "Fading", NULL, decay_write};
