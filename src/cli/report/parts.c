#include "base/time.h"
#include "cli/report/report.h"
#include "secrets/secret_scan.h"

#include <math.h>

/* From here on a score is told by its order alone. */
#define SCORE_PLAIN 1e5

void page_open_table(struct page *page, const char *element, const char *caption,
		     const char *headings)
{
	struct html *h = &page->html;

	html_open(h, element);
	html_leaf(h, "caption.heard", caption);
	html_open(h, "thead");
	html_open(h, "tr");
	while (*headings) {
		bool number = *headings == '#';
		size_t len = strcspn(headings, "|");

		html_open(h, number ? "th.n scope=col" : "th scope=col");
		html_printf(h, "%.*s", (int)len - number, headings + number);
		html_close(h);
		headings += len + (headings[len] == '|');
	}
	html_close_each(h, 2);
	html_open(h, "tbody");
}

void page_left_out(struct page *page, int64_t count, const char *one, const char *more,
		   const char *rest)
{
	if (count <= 0)
		return;
	html_open(&page->html, "p.note");
	html_text(&page->html, "Left out: ");
	page_plural(page, count, one, more);
	html_text(&page->html, rest);
	html_close(&page->html);
}

static void parts_add_bar(struct page *page, double share, bool warn)
{
	struct html *h = &page->html;

	html_open(h, warn ? "svg.bar.warn aria-hidden=true focusable=false"
			  : "svg.bar aria-hidden=true focusable=false");
	html_open(h, "rect.track width=100% height=100% rx=3");
	html_close(h);
	html_open(h, "rect.fill");
	html_attr_percent(h, "width", fmin(1, fmax(0, share)));
	html_attr(h, "height", "100%");
	html_attr(h, "rx", "3");
	html_close_each(h, 2);
}

void page_bar_cell(struct page *page, double share, bool warn)
{
	html_open(&page->html, "td");
	parts_add_bar(page, share, warn);
	html_close(&page->html);
}

void page_ref(struct page *page, struct slice ref)
{
	struct ref parts = ref_parse(ref);
	struct secret secret;
	struct html *h = &page->html;

	if (parts.category == CATEGORY_ANY || !secrets_find(parts.key, &secret)) {
		html_stored(h, ref, PAGE_NAME_MAX);
		return;
	}
	html_printf(h, "%s:", category_name((enum category)parts.category));
	html_secret(h, secret.rule);
}

void page_ref_cell(struct page *page, struct slice ref)
{
	html_open(&page->html, "th.ref scope=row");
	page_ref(page, ref);
	html_close(&page->html);
}

bool page_is_secret(const struct entry *entry)
{
	struct secret secret;

	return secrets_find(entry->key, &secret) ||
	       secrets_find_json(entry->doc, entry->value_node, entry->key, &secret);
}

/* JSON with room between its members, so that lines may end there. */
static const struct json_layout spaced = {.indent = "", .newline = " "};

void page_value(struct page *page, const struct entry *entry, size_t characters)
{
	STR_AUTO scratch = STR_INIT;
	STR_AUTO compact = STR_INIT;
	struct secret secret;
	struct json_writer w = json_writer_to(&compact, &spaced);

	if (secrets_find_json(entry->doc, entry->value_node, entry->key, &secret)) {
		html_secret(&page->html, secret.rule);
	} else if (json_type(entry->doc, entry->value_node) == JSON_STRING) {
		html_stored(&page->html, json_string(entry->doc, entry->value_node, &scratch),
			    characters);
	} else {
		json_write_value(&w, entry->doc, entry->value_node);
		html_stored(&page->html, str_slice(&compact), characters);
	}
}

void page_date(struct page *page, int64_t ms)
{
	struct html *h = &page->html;
	char text[TIMESTAMP_SIZE];

	if (ms == TIME_NONE) {
		html_text(h, "unknown");
		return;
	}
	timestamp_format(ms, text);
	html_open(h, "time");
	html_attr(h, "datetime", text);
	html_printf(h, "%.*s", (int)strcspn(text, "T"), text);
	html_close(h);
}

void page_count_cell(struct page *page, int64_t number)
{
	html_open(&page->html, "td.n");
	html_count(&page->html, number);
	html_close(&page->html);
}

void page_plural(struct page *page, int64_t number, const char *one, const char *more)
{
	html_count(&page->html, number);
	html_printf(&page->html, " %s", number == 1 ? one : more);
}

void page_score(struct page *page, double score)
{
	html_printf(&page->html, score < SCORE_PLAIN ? "%.2f" : "%.1e", score);
}

void page_days_left(struct page *page, int64_t due_ms)
{
	/* The last moment before it expires. */
	double days = ceil(((double)due_ms - 1 - (double)page->now_ms) / (double)MS_PER_DAY);

	if (due_ms == INT64_MAX)
		html_text(&page->html, "never");
	else
		page_plural(page, (int64_t)days, "day", "days");
}

/* The arguments of a question, as JSON. */
static void parts_add_arguments(const struct page *page, enum page_question question,
				struct str *out)
{
	switch (question) {
	case PAGE_PAIRS:
		str_printf(out, "{\"check\":\"duplicates\",\"threshold\":%.17g,\"limit\":%d}",
			   page->settings.cluster_threshold, PAGE_EDGES_MAX);
		return;
	case PAGE_CLUSTERS:
		str_printf(out, "{\"check\":\"clusters\",\"limit\":%d}", PAGE_GROUPS_MAX);
		return;
	case PAGE_PROMOTABLE:
		str_adds(out, "{\"check\":\"promotable\",\"limit\":1}");
		return;
	default:
		str_adds(out, "{}");
	}
}

static void parts_ask(struct page *page, enum page_question question)
{
	const struct tool *tool = tool_find_command(page->tools, slice_of("health"));
	const struct call call = {
		.store = page->store,
		.now_ms = page->now_ms,
		.tool = "memory_health",
		.arena = page->arena,
	};
	STR_AUTO arguments = STR_INIT;
	STR_AUTO reply = STR_INIT;
	struct json_fault fault;
	struct err ignored;
	JSON_AUTO given = {0};

	parts_add_arguments(page, question, &arguments);
	if (!tool || json_parse(&given, str_slice(&arguments), &json_line_bounds, &fault) != 0)
		return;
	if (tool_run(tool, &call, &given, JSON_ROOT, &reply, &ignored) == 0 &&
	    json_parse(&page->replies[question], arena_copy(page->arena, str_slice(&reply)),
		       &json_file_bounds, &fault) != 0)
		page->replies[question] = (struct json){0};
}

void page_ask_all(struct page *page)
{
	for (int q = 0; q < PAGE_QUESTION_COUNT; q++)
		parts_ask(page, (enum page_question)q);
}

bool page_knows(const struct page *page, enum page_question question)
{
	return page->replies[question].count > 0;
}

static uint32_t parts_member_of(const struct page *page, enum page_question question,
				uint32_t object, const char *name)
{
	return page_knows(page, question) ? json_member(&page->replies[question], object, name)
					  : JSON_NONE;
}

int64_t page_reply_int(const struct page *page, enum page_question question, uint32_t object,
		       const char *name)
{
	uint32_t node = parts_member_of(page, question, object, name);
	int64_t number;

	return node != JSON_NONE && json_int(&page->replies[question], node, &number) ? number : 0;
}

double page_reply_number(const struct page *page, enum page_question question, uint32_t object,
			 const char *name)
{
	uint32_t node = parts_member_of(page, question, object, name);
	double number;

	return node != JSON_NONE && json_double(&page->replies[question], node, &number) ? number
											 : 0;
}

struct slice page_reply_text(const struct page *page, enum page_question question, uint32_t object,
			     const char *name)
{
	uint32_t node = parts_member_of(page, question, object, name);
	STR_AUTO scratch = STR_INIT;

	if (node == JSON_NONE)
		return slice_of(NULL);
	return arena_copy(page->arena, json_string(&page->replies[question], node, &scratch));
}

uint32_t page_reply_first(const struct page *page, enum page_question question, const char *list)
{
	uint32_t node = parts_member_of(page, question, JSON_ROOT, list);

	return node == JSON_NONE ? JSON_NONE : json_first(&page->replies[question], node);
}
