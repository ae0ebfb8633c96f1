#include "cli/report/page.h"

static void write_row(struct page *page, const struct number_entry *entry, int64_t most)
{
	struct html *h = &page->html;

	html_open(h, "tr");
	page_ref_cell(page, entry->ref);
	html_open(h, "td");
	page_bar(page, (double)(entry->uses + entry->hits) / (double)most, false);
	html_close(h);
	page_count_cell(page, entry->uses);
	page_count_cell(page, entry->hits);
	html_close(h);
}

void page_used(struct page *page)
{
	static const char *const headings[] = {"Entry", "Together", "#Uses", "#Hits", NULL};
	const struct numbers *numbers = &page->numbers;
	int64_t most = 1;

	page_open_section(page, "used", "Most used");
	page_lead(page, "A hit: a lookup returned it. A use: a client said that it went into an "
			"answer. Sorted by uses, then by hits.");
	for (size_t i = 0; i < numbers->used_count; i++) {
		int64_t both = numbers->used[i].uses + numbers->used[i].hits;

		most = both > most ? both : most;
	}
	if (numbers->used_count) {
		page_open_table(page, "bars", "The entries that are used most", headings);
		for (size_t i = 0; i < numbers->used_count; i++)
			write_row(page, &numbers->used[i], most);
		html_close(&page->html);
		html_close(&page->html);
	} else {
		html_leaf(&page->html, "p", "none", "Nothing was looked up or used yet.");
	}
	html_close(&page->html);
}
