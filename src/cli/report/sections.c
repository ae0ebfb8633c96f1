#include "base/mem.h"
#include "cli/report/report.h"

#include <stdlib.h>

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
		page_open_table(page, "bars", "The most used entries", headings);
		for (size_t i = 0; i < numbers->used_count; i++)
			write_row(page, &numbers->used[i], most);
		html_close(&page->html);
		html_close(&page->html);
	} else {
		html_leaf(&page->html, "p", "none", "Nothing has been looked up or used yet.");
	}
	html_close(&page->html);
}

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

/* Why a record came to the archive, in the words of the page; as enum reason. */
static const char *const reasons[REASON_COUNT] = {
	"expired: not active for too long",
	"state was cleared",
	"evicted: there was no room",
	"replaced by another value",
	"merged into another entry",
	"faded: gc archived it",
	"pruned by consolidation",
	"stale: optimize archived it",
	"deleted",
};

struct archive_counts {
	int64_t by_reason[REASON_COUNT + 1]; /* the last: what a person wrote */
};

static size_t reason_of(const struct archived *archived)
{
	size_t r = 0;

	while (r < REASON_COUNT && !slice_is(archived->record.reason, reason_name((enum reason)r)))
		r++;
	return r;
}

static int compare_newest(const void *a, const void *b)
{
	const struct archived *one = *(const struct archived *const *)a;
	const struct archived *other = *(const struct archived *const *)b;

	if (one->record.archived_ms != other->record.archived_ms)
		return one->record.archived_ms > other->record.archived_ms ? -1 : 1;
	return slice_compare(one->ref, other->ref);
}

static void write_reasons(struct page *page, const struct archive_counts *counts)
{
	static const char *const headings[] = {"Why", "#Records", NULL};
	struct html *h = &page->html;

	page_open_table(page, "plain", "Records by reason", headings);
	for (size_t r = 0; r <= REASON_COUNT; r++) {
		if (counts->by_reason[r] == 0)
			continue;
		html_open(h, "tr");
		html_open(h, "th");
		html_attr(h, "scope", "row");
		html_text(h, r < REASON_COUNT ? reasons[r] : "another reason");
		html_close(h);
		page_count_cell(page, counts->by_reason[r]);
		html_close(h);
	}
	html_close(h);
	html_close(h);
}

static void write_record(struct page *page, const struct archived *archived)
{
	struct html *h = &page->html;
	struct slice reason = archived->record.reason;
	STR_AUTO ref = STR_INIT;

	ref_add(&ref, archived->record.category, archived->record.original_key);
	html_open(h, "tr");
	page_ref_cell(page, str_slice(&ref));
	html_open(h, "td");
	page_date(page, archived->record.archived_ms);
	html_close(h);
	html_open(h, "td");
	html_stored(h, reason.ptr ? reason : slice_of("unknown"), 40);
	html_close(h);
	html_close(h);
}

static void write_newest(struct page *page, const struct archived *const *list, size_t count)
{
	static const char *const headings[] = {"Entry", "Archived", "Reason", NULL};
	struct html *h = &page->html;

	html_leaf(h, "h3", NULL, "Last archived");
	page_open_table(page, "plain", "The records archived last", headings);
	for (size_t i = 0; i < count && i < PAGE_RECORDS_MAX; i++)
		write_record(page, list[i]);
	html_close(h);
	html_close(h);
	if (count > PAGE_RECORDS_MAX) {
		html_open_class(h, "p", "note");
		html_text(h, "Left out: ");
		page_plural(page, (int64_t)count - PAGE_RECORDS_MAX, "older record",
			    "older records");
		html_text(h, ". kota archived lists them all.");
		html_close(h);
	}
}

static void write_archive(struct page *page, const struct archived *all, size_t count)
{
	const struct archived **list = mem_zalloc(count, sizeof(const struct archived *));
	struct archive_counts counts = {0};

	for (size_t i = 0; i < count; i++) {
		list[i] = &all[i];
		counts.by_reason[reason_of(&all[i])]++;
	}
	qsort(list, count, sizeof(const struct archived *), compare_newest);
	write_reasons(page, &counts);
	write_newest(page, list, count);
	free(list);
}

void page_archive(struct page *page)
{
	const struct archived *all;
	struct err ignored;
	size_t count;

	page_open_section(page, "archive", "Archive");
	page_lead(page, "Nothing is destroyed: what leaves service goes here, and kota restore "
			"brings it back.");
	if (store_archive_all(page->store, &all, &count, &ignored) != 0)
		html_leaf(&page->html, "p", "none", "The archive cannot be read.");
	else if (count == 0)
		html_leaf(&page->html, "p", "none", "The archive is empty.");
	else
		write_archive(page, all, count);
	html_close(&page->html);
}
