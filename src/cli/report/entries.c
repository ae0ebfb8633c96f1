#include "cli/report/report.h"

#include "base/mem.h"

#include <stdlib.h>

/* Most of a value that is shown, and of its tags. */
#define VALUE_CHARACTERS 180
#define TAGS_MAX 12
#define TAG_CHARACTERS 40

#define FIGURE "td.n role=cell"

static void report_entries_next_cell(struct html *h)
{
	html_close(h);
	html_open(h, FIGURE);
}

static void entries_write_tags(struct page *page, const struct entry *entry)
{
	struct html *h = &page->html;
	const struct json *doc = entry->doc;
	uint32_t tags = entry_list(entry, "tags");
	int count = 0;

	if (tags != JSON_NONE && json_first(doc, tags)) {
		html_open(h, "span.tags");
		for (uint32_t tag = json_first(doc, tags); tag != JSON_NONE && count < TAGS_MAX;
		     tag = json_next(doc, tag), count++) {
			STR_AUTO scratch = STR_INIT;

			html_open(h, "span");
			html_stored(h, json_string(doc, tag, &scratch), TAG_CHARACTERS);
			html_close(h);
			html_text(h, " ");
		}
		html_close(h);
	}
}

static void report_entries_write_name(struct page *page, const struct page_entry *entry)
{
	const struct entry *stored = &entry->facts.item->entry;
	struct html *h = &page->html;

	html_open(h, "th.entry role=rowheader scope=row");
	html_open(h, "b");
	html_stored(h, stored->key, PAGE_NAME_MAX);
	html_close(h);
	if (stored->pinned) {
		html_text(h, " ");
		html_leaf(h, "span.badge", "pinned");
	}
	if (stored->promoted) {
		html_text(h, " ");
		html_leaf(h, "span.badge", "promoted");
	}
	html_open(h, "span.value");
	page_value(page, stored, VALUE_CHARACTERS);
	html_close(h);
	entries_write_tags(page, stored);
	html_close(h);
}

static void report_entries_age(struct page *page, int64_t ms)
{
	char exact[TIMESTAMP_SIZE];
	char text[TIMESTAMP_SIZE];
	struct html *h = &page->html;

	timestamp_age(ms, page->now_ms, text);
	if (ms == TIME_NONE) {
		html_text(h, text);
		return;
	}
	timestamp_format(ms, exact);
	html_open(h, "time");
	html_attr(h, "datetime", exact);
	html_text(h, text);
	html_close(h);
}

static void report_entries_write_row(struct page *page, const struct page_entry *entry)
{
	struct html *h = &page->html;

	html_open(h, "tr role=row");
	report_entries_write_name(page, entry);
	html_open(h, FIGURE);
	page_date(page, entry->facts.item->created_ms);
	report_entries_next_cell(h);
	report_entries_age(page, entry->facts.item->active_ms);
	report_entries_next_cell(h);
	html_count(h, entry->facts.item->hits);
	report_entries_next_cell(h);
	html_count(h, entry->facts.item->uses);
	report_entries_next_cell(h);
	page_score(page, entry->score);
	report_entries_next_cell(h);
	page_days_left(page, entry->due_ms);
	html_close_each(h, 2);
}

static void entries_open_table(struct page *page, const char *category)
{
	/* On narrow screens the style sheet shows them in front of each cell. */
	static const char *const headings[] = {"Entry", "Created", "Last active", "Hits",
					       "Uses",  "Score",   "Expires in"};
	struct html *h = &page->html;

	/* Roles are said, since rows that are laid out as blocks would lose them. */
	html_open(h, "table.entries role=table");
	html_open(h, "caption.heard");
	html_printf(h, "Entries of %s", category);
	html_close(h);
	html_open(h, "thead role=rowgroup");
	html_open(h, "tr role=row");
	for (size_t i = 0; i < sizeof headings / sizeof *headings; i++) {
		html_open(h, "th role=columnheader scope=col");
		if (i)
			html_attr(h, "class", "n");
		html_text(h, headings[i]);
		html_close(h);
	}
	html_close_each(h, 2);
	html_open(h, "tbody role=rowgroup");
}

static int entries_compare_active(const void *a, const void *b)
{
	const struct page_entry *one = *(const struct page_entry *const *)a;
	const struct page_entry *other = *(const struct page_entry *const *)b;
	int64_t one_ms = one->facts.item->active_ms;
	int64_t other_ms = other->facts.item->active_ms;

	if (one_ms != other_ms)
		return one_ms > other_ms ? -1 : 1;
	return one < other ? -1 : one > other;
}

static int report_entries_compare_place(const void *a, const void *b)
{
	const struct page_entry *one = *(const struct page_entry *const *)a;
	const struct page_entry *other = *(const struct page_entry *const *)b;

	return one < other ? -1 : one > other;
}

/* In the order of the file; of too many those that were active last. */
static size_t entries_choose(const struct page_entry **list, size_t count)
{
	if (count <= PAGE_ENTRIES_MAX)
		return count;
	qsort(list, count, sizeof(const struct page_entry *), entries_compare_active);
	qsort(list, PAGE_ENTRIES_MAX, sizeof(const struct page_entry *),
	      report_entries_compare_place);
	return PAGE_ENTRIES_MAX;
}

static void report_entries_write_category(struct page *page, enum category category,
					  const struct page_entry **list, size_t count)
{
	struct html *h = &page->html;
	const char *name = category_name(category);
	size_t shown = entries_choose(list, count);
	STR_AUTO rest = STR_INIT;

	html_open(h, "details");
	html_attr(h, "open", NULL);
	html_open(h, "summary");
	html_leaf(h, "h3", name);
	html_open(h, "span.count");
	page_plural(page, (int64_t)count, "entry", "entries");
	html_close_each(h, 2);
	entries_open_table(page, name);
	for (size_t i = 0; i < shown; i++)
		report_entries_write_row(page, list[i]);
	html_close_each(h, 2);
	str_printf(&rest, " active before these. kota list --category %s lists them all.", name);
	page_left_out(page, (int64_t)(count - shown), "entry that was", "entries that were",
		      rest.ptr);
	html_close(h);
}

static void entries_write(struct page *page)
{
	const struct page_entry **list = mem_zalloc(page->count, sizeof(const struct page_entry *));

	for (int c = 0; c < CATEGORY_COUNT; c++) {
		size_t count = 0;

		for (size_t i = 0; i < page->count; i++) {
			if (page->entries[i].facts.item->entry.category == (enum category)c)
				list[count++] = &page->entries[i];
		}
		if (count)
			report_entries_write_category(page, (enum category)c, list, count);
	}
	if (page->count == 0)
		html_leaf(&page->html, "p.none", "There are no entries.");
	free(list);
}

const struct page_section page_entries = {
	"entries", "Entries", "As they stand in the files; long values are cut.", entries_write};
