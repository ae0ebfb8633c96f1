#include "base/mem.h"
#include "cli/report/report.h"

#include <math.h>
#include <stdlib.h>

/* A drawing of a group: nodes on a ring, numbered as in the list beside it. */
#define NODE 13.0
#define ARC 54.0 /* least distance of two nodes along the ring */
#define RADIUS_MIN 46.0
#define PI 3.14159265358979323846

#define PREVIEW_CHARACTERS 90
#define MEMBERS_MAX 64

/* Two entries that are alike, of the reply on duplicates. */
struct pair {
	struct slice a;
	struct slice b;
	double similarity;
	bool conflict;
};

struct pairs {
	struct pair list[PAGE_EDGES_MAX];
	size_t count;
};

struct group {
	struct page *page;
	const struct pairs *pairs;
	uint32_t node; /* in the reply on clusters */
	int number;
	struct slice refs[MEMBERS_MAX];
	int count;
	double x[MEMBERS_MAX];
	double y[MEMBERS_MAX];
	double width;
	double height;
};

static const char *report_similar_words_for(struct slice action)
{
	if (slice_is(action, "merge"))
		return "merging is suggested";
	if (slice_is(action, "contradicts"))
		return "they contradict each other";
	if (slice_is(action, "keep_separate"))
		return "best kept apart";
	return "worth a look";
}

/* ---- one group */

static void similar_read_members(struct group *group)
{
	const struct json *doc = &group->page->replies[PAGE_CLUSTERS];
	uint32_t list = json_member(doc, group->node, "memory_ids");

	for (uint32_t n = json_first(doc, list); n != JSON_NONE && group->count < MEMBERS_MAX;
	     n = json_next(doc, n)) {
		STR_AUTO scratch = STR_INIT;

		group->refs[group->count++] = arena_copy(group->page->arena,
							 json_string(doc, n, &scratch));
	}
}

/* Two side by side, more on a ring that begins at the top. */
static void similar_lay_out(struct group *group)
{
	double radius = fmax(RADIUS_MIN, group->count * ARC / (2 * PI));
	double start = group->count == 2 ? PI : -PI / 2;
	double half_height = group->count == 2 ? NODE + 10 : radius + NODE + 3;

	group->width = 2 * (radius + NODE + 3);
	group->height = 2 * half_height;
	for (int i = 0; i < group->count; i++) {
		double angle = start + 2 * PI * i / group->count;

		group->x[i] = group->width / 2 + radius * cos(angle);
		group->y[i] = half_height + radius * sin(angle);
	}
}

static int report_similar_place_of(const struct group *group, struct slice ref)
{
	for (int i = 0; i < group->count; i++) {
		if (slice_equal(group->refs[i], ref))
			return i;
	}
	return -1;
}

static void report_similar_draw_edge(struct group *group, int a, int b, double similarity,
				     bool conflict)
{
	struct html *h = &group->page->html;
	double least = group->page->settings.cluster_threshold;
	double more = least < 1 ? (similarity - least) / (1 - least) : 1;

	html_open(h, conflict ? "line.edge.conflict" : "line.edge");
	html_attr_number(h, "x1", group->x[a]);
	html_attr_number(h, "y1", group->y[a]);
	html_attr_number(h, "x2", group->x[b]);
	html_attr_number(h, "y2", group->y[b]);
	/* Finer where there are many. */
	html_attr_number(h, "stroke-width",
			 (1.5 + 3 * fmax(0, more)) / fmax(1, group->count / 5.0));
	html_close(h);
	if (!conflict)
		return;
	html_open(h, "text.sign");
	html_attr_number(h, "x", (group->x[a] + group->x[b]) / 2);
	html_attr_number(h, "y", (group->y[a] + group->y[b]) / 2);
	html_text(h, "\xe2\x89\xa0");
	html_close(h);
}

static void similar_draw(struct group *group)
{
	struct html *h = &group->page->html;

	html_open(h, "svg.graph role=img");
	html_attr_printf(h, "aria-labelledby", "graph-%d", group->number);
	html_attr_printf(h, "viewBox", "0 0 %.0f %.0f", group->width, group->height);
	html_attr_number(h, "width", round(group->width));
	html_attr_number(h, "height", round(group->height));
	html_open(h, "title");
	html_attr_printf(h, "id", "graph-%d", group->number);
	html_printf(h,
		    "Group %d: %d entries that are alike; the list beside it has the same numbers",
		    group->number, group->count);
	html_close(h);
	for (size_t i = 0; i < group->pairs->count; i++) {
		const struct pair *pair = &group->pairs->list[i];
		int a = report_similar_place_of(group, pair->a);
		int b = a < 0 ? -1 : report_similar_place_of(group, pair->b);

		if (b >= 0)
			report_similar_draw_edge(group, a, b, pair->similarity, pair->conflict);
	}
	for (int i = 0; i < group->count; i++) {

		html_open(h, "circle.node");
		html_attr_number(h, "cx", group->x[i]);
		html_attr_number(h, "cy", group->y[i]);
		html_attr_number(h, "r", NODE);
		html_close(h);
		html_open(h, "text.number");
		html_attr_number(h, "x", group->x[i]);
		html_attr_number(h, "y", group->y[i]);
		html_printf(h, "%d", i + 1);
		html_close(h);
	}
	html_close(h);
}

static void report_similar_write_group(struct page *page, const struct pairs *pairs, uint32_t node,
				       int number)
{
	struct group group = {.page = page, .pairs = pairs, .node = node, .number = number};
	struct html *h = &page->html;
	double cohesion = page_reply_number(page, PAGE_CLUSTERS, node, "cohesion");

	similar_read_members(&group);
	similar_lay_out(&group);
	html_open(h, "div.group");
	html_open(h, "div.drawing");
	similar_draw(&group);
	html_close(h);
	html_open(h, "div");
	html_open(h, "h4");
	html_printf(h, "%.0f %% alike: %s", round(100 * cohesion),
		    report_similar_words_for(
			    page_reply_text(page, PAGE_CLUSTERS, node, "suggested_action")));
	html_close(h);
	html_open(h, "ol");
	for (int i = 0; i < group.count; i++) {
		const struct item *item = store_find_ref(page->store, group.refs[i]);

		html_open(h, "li");
		html_open(h, "b");
		page_ref(page, group.refs[i]);
		html_close(h);
		if (item) {
			html_open(h, "span.value");
			page_value(page, &item->entry, PREVIEW_CHARACTERS);
			html_close(h);
		}
		html_close(h);
	}
	html_close(h);
	page_left_out(page, page_reply_int(page, PAGE_CLUSTERS, node, "size") - group.count,
		      "entry of this group", "entries of this group",
		      ". kota health clusters lists them all.");
	html_close_each(h, 2);
}

/* ---- all of them */

static void report_similar_read_pairs(struct pairs *pairs, struct page *page)
{
	const struct json *doc = &page->replies[PAGE_PAIRS];

	for (uint32_t n = page_reply_first(page, PAGE_PAIRS, "duplicate_pairs");
	     n != JSON_NONE && pairs->count < PAGE_EDGES_MAX; n = json_next(doc, n))
		pairs->list[pairs->count++] = (struct pair){
			.a = page_reply_text(page, PAGE_PAIRS, n, "id1"),
			.b = page_reply_text(page, PAGE_PAIRS, n, "id2"),
			.similarity = page_reply_number(page, PAGE_PAIRS, n, "similarity"),
			.conflict = json_member(doc, n, "conflict") != JSON_NONE,
		};
}

static void report_similar_write_groups(struct page *page)
{
	const struct json *doc = &page->replies[PAGE_CLUSTERS];
	struct pairs *pairs = mem_zalloc(1, sizeof *pairs);
	int number = 0;

	report_similar_read_pairs(pairs, page);

	html_leaf(&page->html, "h3", "Groups");
	for (uint32_t n = page_reply_first(page, PAGE_CLUSTERS, "clusters"); n != JSON_NONE;
	     n = json_next(doc, n))
		report_similar_write_group(page, pairs, n, ++number);
	free(pairs);
	page_left_out(page,
		      page_reply_int(page, PAGE_CLUSTERS, JSON_ROOT, "clusters_found") - number,
		      "group that is less alike", "groups that are less alike",
		      ". kota health clusters lists them all.");
}

static bool similar_is_secret(const struct page *page, uint32_t pair, const char *name)
{
	const struct item *item = store_find_ref(page->store,
						 page_reply_text(page, PAGE_PAIRS, pair, name));

	return !item || page_is_secret(&item->entry);
}

/* Why the two contradict each other quotes what they say: not where one of them is a secret. */
static void report_similar_write_advice(struct page *page, uint32_t pair)
{
	struct slice reason = page_reply_text(page, PAGE_PAIRS, pair, "reason");
	struct html *h = &page->html;

	html_open(h, "td");
	html_text(h, report_similar_words_for(
			     page_reply_text(page, PAGE_PAIRS, pair, "suggested_action")));
	if (reason.ptr && !similar_is_secret(page, pair, "id1") &&
	    !similar_is_secret(page, pair, "id2")) {
		html_text(h, ": ");
		html_stored(h, reason, PREVIEW_CHARACTERS);
	}
	html_close(h);
}

static void report_similar_write_pairs(struct page *page)
{
	const struct json *doc = &page->replies[PAGE_PAIRS];
	struct html *h = &page->html;
	int64_t shown = 0;

	html_leaf(h, "h3", "Pairs");
	page_open_table(page, "table.plain", "Pairs of entries that are alike",
			"Two entries|#Alike|What to do");
	for (uint32_t n = page_reply_first(page, PAGE_PAIRS, "duplicate_pairs");
	     n != JSON_NONE && shown < PAGE_PAIRS_MAX; n = json_next(doc, n)) {
		html_open(h, "tr");
		html_open(h, "th.ref scope=row");
		page_ref(page, page_reply_text(page, PAGE_PAIRS, n, "id1"));
		html_open(h, "br");
		html_close(h);
		page_ref(page, page_reply_text(page, PAGE_PAIRS, n, "id2"));
		html_close(h);
		html_open(h, "td.n");
		html_printf(h, "%.0f %%",
			    round(100 * page_reply_number(page, PAGE_PAIRS, n, "similarity")));
		html_close(h);
		report_similar_write_advice(page, n);
		html_close(h);
		shown++;
	}
	html_close_each(h, 2);
	page_left_out(page, page_reply_int(page, PAGE_PAIRS, JSON_ROOT, "duplicates_found") - shown,
		      "pair that is less alike", "pairs that are less alike",
		      ". kota health duplicates lists them all.");
}

static void similar_write(struct page *page)
{
	bool groups = page_reply_first(page, PAGE_CLUSTERS, "clusters") != JSON_NONE;
	bool pairs = page_reply_first(page, PAGE_PAIRS, "duplicate_pairs") != JSON_NONE;
	struct html *h = &page->html;

	html_open(h, "p.lead");
	html_printf(h,
		    "Entries that share %.0f %% of their words or more. A thicker line is more "
		    "alike; a broken one with \xe2\x89\xa0 joins two that contradict each "
		    "other. kota merge makes one entry of several.",
		    100 * page->settings.cluster_threshold);
	html_close(h);
	if (groups)
		report_similar_write_groups(page);
	if (pairs)
		report_similar_write_pairs(page);
	if (!groups && !pairs)
		html_leaf(h, "p.none",
			  page_knows(page, PAGE_PAIRS)
				  ? "No two entries say nearly the same."
				  : "Not known while the settings cannot be read.");
}

const struct page_section page_alike = {"alike", "Alike", NULL, similar_write};
