#include "cli/report/report.h"

#include <math.h>

/* What speaks against the score, as the reply names it, and as the page does. */
static const struct {
	const char *name;
	const char *label;
} shares[] = {
	{"stale", "idle for more than 30 days"},
	{"duplicates", "have another one nearly like them"},
	{"faded", "faded, and not protected"},
	{"full", "of the last fifth of the fullest limit"},
};

/* What somebody may want to do something about, and with what. */
static const struct {
	enum page_question question;
	const char *name;
	const char *label;
	const char *command;
} tasks[] = {
	{PAGE_SUMMARY, "stale_count", "Idle for more than 30 days", "kota health stale"},
	{PAGE_SUMMARY, "faded_count", "Faded: gc would archive them", "kota gc"},
	{PAGE_SUMMARY, "duplicates_count", "Nearly the same as another", "kota health duplicates"},
	{PAGE_PROMOTABLE, "candidates_found", "Used enough to become a note",
	 "kota health promotable"},
};

static void report_health_write_score(struct page *page)
{
	struct html *h = &page->html;

	html_open(h, "p.score");
	html_open(h, "b");
	html_count(h, page_reply_int(page, PAGE_SUMMARY, JSON_ROOT, "score"));
	html_close(h);
	html_text(h, " of 100");
	html_close(h);
}

static void report_health_write_shares(struct page *page)
{
	struct html *h = &page->html;
	uint32_t against = json_member(&page->replies[PAGE_SUMMARY], JSON_ROOT, "against");

	page_open_table(page, "table.bars", "What lowers the score, up to a quarter each",
			"Lowered by|Share|#Percent");
	for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
		double share = page_reply_number(page, PAGE_SUMMARY, against, shares[i].name);

		html_open(h, "tr");
		html_leaf(h, "th scope=row", shares[i].label);
		page_bar_cell(page, share, false);
		html_open(h, "td.n");
		html_printf(h, "%.0f %%", round(share * 100));
		html_close_each(h, 2);
	}
	html_close_each(h, 2);
}

static void report_health_write_task(struct page *page, const char *label, int64_t count,
				     const char *command)
{
	struct html *h = &page->html;

	html_open(h, "tr");
	html_leaf(h, "th scope=row", label);
	page_count_cell(page, count);
	html_open(h, "td");
	html_leaf(h, "code", command);
	html_close_each(h, 2);
}

static void health_write_tasks(struct page *page)
{
	int64_t secrets = 0;

	page_open_table(page, "table.plain", "What may need attention",
			"Entries|#How many|Look with");
	for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++)
		report_health_write_task(
			page, tasks[i].label,
			page_reply_int(page, tasks[i].question, JSON_ROOT, tasks[i].name),
			tasks[i].command);
	for (size_t i = 0; i < page->count; i++)
		secrets += page_is_secret(&page->entries[i].facts.item->entry);
	report_health_write_task(page, "Hold a secret", secrets, "kota doctor");
	html_close_each(&page->html, 2);
}

static void report_health_write_findings(struct page *page)
{
	const struct findings *found = page->found;
	struct html *h = &page->html;

	if (!found)
		return;
	html_leaf(h, "h3 id=doctor", "What doctor says");
	if (found->count == 0) {
		html_leaf(h, "p.none", "Nothing in the store needs attention.");
		return;
	}
	html_open(h, "ul.findings");
	for (size_t i = 0; i < found->count && i < PAGE_FINDINGS_MAX; i++) {
		static const char *const words[SEVERITY_COUNT] = {"Good to know", "To do",
								  "Broken"};
		enum severity severity = finding_row(found->items[i].kind)->severity;

		html_open(h, "li");
		html_leaf(h, severity == SEVERITY_NOTE ? "span.badge" : "span.badge.warning",
			  words[severity]);
		html_text(h, " ");
		html_stored(h, slice_of(found->items[i].what), 0);
		html_open(h, "span.value");
		html_stored(h, slice_of(found->items[i].remedy), 0);
		html_close_each(h, 2);
	}
	html_close(h);
	page_left_out(page, (int64_t)found->count - PAGE_FINDINGS_MAX, "finding", "findings",
		      ". kota doctor tells them all.");
}

static void health_write(struct page *page)
{
	if (page_knows(page, PAGE_SUMMARY)) {
		html_leaf(&page->html, "p.lead",
			  "100 less a quarter of each share below. kota maintain --dry-run "
			  "says what maintenance would do about it.");
		html_open(&page->html, "div.split");
		report_health_write_score(page);
		report_health_write_shares(page);
		html_close(&page->html);
		health_write_tasks(page);
	} else {
		html_leaf(&page->html, "p.lead", "Not known while the settings cannot be read.");
	}
	report_health_write_findings(page);
}

const struct page_section page_health = {"health", "Health", NULL, health_write};
