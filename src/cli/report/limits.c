#include "cli/report/page.h"

/* From this share on a bar is a warning. */
#define NEARLY_FULL 0.9

/* A row; warning is a word beside the label, bytes another figure beside the first: -1 is none. */
static void write_share(struct page *page, const char *label, const char *warning, int64_t used,
			int64_t limit, int64_t bytes)
{
	struct html *h = &page->html;

	html_open(h, "tr");
	html_open(h, "th");
	html_attr(h, "scope", "row");
	html_text(h, label);
	if (warning) {
		html_text(h, " ");
		html_leaf(h, "span", "badge warning", warning);
	}
	html_close(h);
	html_open(h, "td");
	page_bar(page, limit > 0 ? (double)used / (double)limit : 0, warning != NULL);
	html_close(h);
	html_open_class(h, "td", "n");
	html_open(h, "b");
	html_count(h, used);
	html_close(h);
	html_text(h, " of ");
	html_count(h, limit);
	if (bytes >= 0) {
		html_open_class(h, "span", "more");
		page_plural(page, bytes, "byte", "bytes");
		html_close(h);
	}
	html_close(h);
	html_close(h);
}

static void write_limit(struct page *page, const char *label, int64_t used, int64_t limit,
			int64_t bytes)
{
	const char *warning = NULL;

	if (limit > 0 && (double)used >= (double)limit * NEARLY_FULL)
		warning = used > limit ? "over the limit" : used == limit ? "full" : "nearly full";
	write_share(page, label, warning, used, limit, bytes);
}

static void write_rest(struct page *page)
{
	const struct numbers *numbers = &page->numbers;
	struct html *h = &page->html;

	html_open_class(h, "p", "note");
	html_text(h, "What is pinned is kept for good. An entry may have ");
	html_count(h, page->settings.entry_bytes);
	html_text(h, " bytes");
	if (numbers->largest.ref.ptr) {
		html_text(h, "; the largest, ");
		page_ref(page, numbers->largest.ref);
		html_text(h, ", has ");
		html_count(h, numbers->largest.bytes);
	}
	html_text(h, ". Beside the limits: ");
	page_plural(page, numbers->notes, "note", "notes");
	html_text(h, ", ");
	page_plural(page, numbers->relations, "link", "links");
	html_text(h, ", ");
	html_count(h, numbers->cold_bytes);
	html_text(h, " bytes of cold archive, ");
	html_count(h, numbers->history_bytes);
	html_text(h, " of history.");
	html_close(h);
}

void page_limits(struct page *page)
{
	static const char *const headings[] = {"Of what", "Share", "#Used", NULL};
	const struct numbers *numbers = &page->numbers;

	page_open_section(page, "room", "Room");
	page_lead(page, "A category that is full sends its least recently active entry to the "
			"archive when another one comes; so do the files together.");
	page_open_table(page, "bars", "Use of limits", headings);
	for (int c = 0; c < CATEGORY_COUNT; c++)
		write_limit(page, category_name((enum category)c), numbers->categories[c].entries,
			    page->settings.entries_per_category, numbers->categories[c].file_bytes);
	write_limit(page, "all files, in bytes", numbers->total_bytes, page->settings.total_bytes,
		    -1);
	write_share(page, "pinned, of all entries", NULL, numbers->pinned, numbers->entries, -1);
	html_close(&page->html);
	html_close(&page->html);
	write_rest(page);
	html_close(&page->html);
}
