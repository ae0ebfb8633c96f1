#include "cli/report/report.h"

#include "base/mem.h"

#include <stdlib.h>

/* Most of a value that is shown, and of its tags. */
#define VALUE_CHARACTERS 180
#define TAGS_MAX 12
#define TAG_CHARACTERS 40

static void open_cell(struct html *h)
{
	html_open_class(h, "td", "n");
	html_attr(h, "role", "cell");
}

static void write_tags(struct page *page, const struct entry *entry)
{
	struct html *h = &page->html;
	struct json_fault fault;
	struct json doc;
	uint32_t tags;
	int count = 0;

	if (entry->bare || json_parse(&doc, entry->text, &json_file_bounds, &fault) != 0)
		return;
	tags = json_member(&doc, JSON_ROOT, "tags");
	if (tags != JSON_NONE && json_type(&doc, tags) == JSON_ARRAY && json_first(&doc, tags)) {
		html_open_class(h, "span", "tags");
		for (uint32_t tag = json_first(&doc, tags); tag != JSON_NONE && count < TAGS_MAX;
		     tag = json_next(&doc, tag), count++) {
			STR_AUTO scratch = STR_INIT;

			html_open(h, "span");
			html_stored(h, json_string(&doc, tag, &scratch), TAG_CHARACTERS);
			html_close(h);
			html_text(h, " ");
		}
		html_close(h);
	}
	json_release(&doc);
}

static void write_badges(struct html *h, const struct page_entry *entry)
{
	if (entry->facts.item->entry.pinned) {
		html_text(h, " ");
		html_leaf(h, "span", "badge", "pinned");
	}
	if (entry->facts.promoted) {
		html_text(h, " ");
		html_leaf(h, "span", "badge", "promoted");
	}
}

static void write_name(struct page *page, const struct page_entry *entry)
{
	const struct entry *stored = &entry->facts.item->entry;
	struct html *h = &page->html;

	html_open_class(h, "th", "entry");
	html_attr(h, "role", "rowheader");
	html_attr(h, "scope", "row");
	html_open(h, "b");
	html_stored(h, stored->key, PAGE_NAME_MAX);
	html_close(h);
	write_badges(h, entry);
	html_open_class(h, "span", "value");
	page_value(page, stored, VALUE_CHARACTERS);
	html_close(h);
	write_tags(page, stored);
	html_close(h);
}

static void write_row(struct page *page, const struct page_entry *entry)
{
	struct html *h = &page->html;

	html_open(h, "tr");
	html_attr(h, "role", "row");
	write_name(page, entry);
	open_cell(h);
	page_date(page, entry->facts.item->created_ms);
	html_close(h);
	open_cell(h);
	page_age(page, entry->facts.item->active_ms);
	html_close(h);
	open_cell(h);
	html_count(h, entry->facts.item->hits);
	html_close(h);
	open_cell(h);
	html_count(h, entry->facts.uses);
	html_close(h);
	open_cell(h);
	page_score(page, entry->score);
	html_close(h);
	open_cell(h);
	page_days_left(page, entry->due_ms);
	html_close(h);
	html_close(h);
}

static void open_table(struct page *page, const char *category)
{
	/* Where there is no room for columns the style sheet says them, too. */
	static const char *const headings[] = {"Entry", "Created", "Last active", "Hits",
					       "Uses",  "Score",   "Expires in"};
	struct html *h = &page->html;

	/* Roles are said, since rows that are laid out as blocks would lose them. */
	html_open_class(h, "table", "entries");
	html_attr(h, "role", "table");
	html_open_class(h, "caption", "heard");
	html_printf(h, "Entries of %s", category);
	html_close(h);
	html_open(h, "thead");
	html_attr(h, "role", "rowgroup");
	html_open(h, "tr");
	html_attr(h, "role", "row");
	for (size_t i = 0; i < sizeof headings / sizeof *headings; i++) {
		html_open(h, "th");
		html_attr(h, "role", "columnheader");
		html_attr(h, "scope", "col");
		if (i)
			html_attr(h, "class", "n");
		html_text(h, headings[i]);
		html_close(h);
	}
	html_close(h);
	html_close(h);
	html_open(h, "tbody");
	html_attr(h, "role", "rowgroup");
}

static int compare_active(const void *a, const void *b)
{
	const struct page_entry *one = *(const struct page_entry *const *)a;
	const struct page_entry *other = *(const struct page_entry *const *)b;
	int64_t one_ms = one->facts.item->active_ms;
	int64_t other_ms = other->facts.item->active_ms;

	if (one_ms != other_ms)
		return one_ms > other_ms ? -1 : 1;
	return one < other ? -1 : one > other;
}

static int compare_place(const void *a, const void *b)
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
	qsort(list, count, sizeof(const struct page_entry *), compare_active);
	qsort(list, PAGE_ENTRIES_MAX, sizeof(const struct page_entry *), compare_place);
	return PAGE_ENTRIES_MAX;
}

static void entries_write_left_out(struct page *page, const char *category, size_t count)
{
	struct html *h = &page->html;

	html_open_class(h, "p", "note");
	html_text(h, "Left out: ");
	page_plural(page, (int64_t)count, "entry that was", "entries that were");
	html_printf(h, " active before these. kota list --category %s lists them all.", category);
	html_close(h);
}

static void write_category(struct page *page, enum category category,
			   const struct page_entry **list, size_t count)
{
	struct html *h = &page->html;
	const char *name = category_name(category);
	size_t shown = entries_choose(list, count);

	html_open(h, "details");
	html_attr(h, "open", NULL);
	html_open(h, "summary");
	html_open(h, "h3");
	html_text(h, name);
	html_close(h);
	html_open_class(h, "span", "count");
	page_plural(page, (int64_t)count, "entry", "entries");
	html_close(h);
	html_close(h);
	open_table(page, name);
	for (size_t i = 0; i < shown; i++)
		write_row(page, list[i]);
	html_close(h);
	html_close(h);
	if (shown < count)
		entries_write_left_out(page, name, count - shown);
	html_close(h);
}

void page_entries(struct page *page)
{
	const struct page_entry **list = mem_zalloc(page->count, sizeof(const struct page_entry *));

	page_open_section(page, "entries", "Entries");
	page_lead(page, "As they stand in the files; long values are cut.");
	for (int c = 0; c < CATEGORY_COUNT; c++) {
		size_t count = 0;

		for (size_t i = 0; i < page->count; i++) {
			if (page->entries[i].facts.item->entry.category == (enum category)c)
				list[count++] = &page->entries[i];
		}
		if (count)
			write_category(page, (enum category)c, list, count);
	}
	if (page->count == 0)
		html_leaf(&page->html, "p", "none", "There are no entries.");
	html_close(&page->html);
	free(list);
}
