#include "base/mem.h"
#include "cli/report/report.h"

#include <stdlib.h>

void page_used(struct page *page)
{
	const struct numbers *numbers = &page->numbers;
	int64_t most = 1;

	for (size_t i = 0; i < numbers->used_count; i++) {
		int64_t both = numbers->used[i].uses + numbers->used[i].hits;

		most = both > most ? both : most;
	}
	if (numbers->used_count) {
		page_open_table(page, "table.bars", "The most used entries",
				"Entry|Together|#Uses|#Hits");
		for (size_t i = 0; i < numbers->used_count; i++) {
			struct html *h = &page->html;

			html_open(h, "tr");
			page_ref_cell(page, numbers->used[i].ref);
			page_bar_cell(page,
				      (double)(numbers->used[i].uses + numbers->used[i].hits) /
					      (double)most,
				      false);
			page_count_cell(page, numbers->used[i].uses);
			page_count_cell(page, numbers->used[i].hits);
			html_close(h);
		}
		html_close_each(&page->html, 2);
	} else {
		html_leaf(&page->html, "p.none", "Nothing has been looked up or used yet.");
	}
}

/* From this share on a bar is a warning. */
#define NEARLY_FULL 0.9

/* A row; warning is a word beside the label, bytes another figure beside the first: -1 is none. */
static void report_sections_write_share(struct page *page, const char *label, const char *warning,
					int64_t used, int64_t limit, int64_t bytes)
{
	struct html *h = &page->html;

	html_open(h, "tr");
	html_open(h, "th scope=row");
	html_text(h, label);
	if (warning) {
		html_text(h, " ");
		html_leaf(h, "span.badge.warning", warning);
	}
	html_close(h);
	page_bar_cell(page, limit > 0 ? (double)used / (double)limit : 0, warning != NULL);
	html_open(h, "td.n");
	html_open(h, "b");
	html_count(h, used);
	html_close(h);
	html_text(h, " of ");
	html_count(h, limit);
	if (bytes >= 0) {
		html_open(h, "span.more");
		page_plural(page, bytes, "byte", "bytes");
		html_close(h);
	}
	html_close_each(h, 2);
}

static void report_sections_write_limit(struct page *page, const char *label, int64_t used,
					int64_t limit, int64_t bytes)
{
	const char *warning = NULL;

	if (limit > 0 && (double)used >= (double)limit * NEARLY_FULL)
		warning = used > limit ? "over the limit" : used == limit ? "full" : "nearly full";
	report_sections_write_share(page, label, warning, used, limit, bytes);
}

static void report_sections_write_rest(struct page *page)
{
	const struct numbers *numbers = &page->numbers;
	struct html *h = &page->html;

	html_open(h, "p.note");
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
	const struct numbers *numbers = &page->numbers;

	page_open_table(page, "table.bars", "Use of limits", "Of what|Share|#Used");
	for (int c = 0; c < CATEGORY_COUNT; c++)
		report_sections_write_limit(
			page, category_name((enum category)c), numbers->categories[c].entries,
			page->settings.entries_per_category, numbers->categories[c].file_bytes);
	report_sections_write_limit(page, "all files, in bytes", numbers->total_bytes,
				    page->settings.total_bytes, -1);
	report_sections_write_share(page, "pinned, of all entries", NULL, numbers->pinned,
				    numbers->entries, -1);
	html_close_each(&page->html, 2);
	report_sections_write_rest(page);
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
	"gave way in a merge of two versions",
	"superseded by another entry",
};

struct archive_counts {
	int64_t by_reason[REASON_COUNT + 1]; /* the last: what a person wrote */
};

static size_t report_sections_reason_of(const struct archived *archived)
{
	size_t r = 0;

	while (r < REASON_COUNT && !slice_is(archived->record.reason, reason_name((enum reason)r)))
		r++;
	return r;
}

static int report_sections_compare_newest(const void *a, const void *b)
{
	const struct archived *one = *(const struct archived *const *)a;
	const struct archived *other = *(const struct archived *const *)b;

	if (one->record.archived_ms != other->record.archived_ms)
		return one->record.archived_ms > other->record.archived_ms ? -1 : 1;
	return slice_compare(one->ref, other->ref);
}

static void report_sections_write_reasons(struct page *page, const struct archive_counts *counts)
{
	struct html *h = &page->html;

	page_open_table(page, "table.plain", "Records by reason", "Why|#Records");
	for (size_t r = 0; r <= REASON_COUNT; r++) {
		if (counts->by_reason[r] == 0)
			continue;
		html_open(h, "tr");
		html_leaf(h, "th scope=row", r < REASON_COUNT ? reasons[r] : "another reason");
		page_count_cell(page, counts->by_reason[r]);
		html_close(h);
	}
	html_close_each(h, 2);
}

static void report_sections_write_newest(struct page *page, const struct archived *const *list,
					 size_t count)
{
	struct html *h = &page->html;

	html_leaf(h, "h3", "Last archived");
	page_open_table(page, "table.plain", "The records archived last", "Entry|Archived|Reason");
	for (size_t i = 0; i < count && i < PAGE_RECORDS_MAX; i++) {
		struct slice reason = list[i]->record.reason;
		STR_AUTO ref = STR_INIT;

		ref_add(&ref, list[i]->record.category, list[i]->record.original_key);
		html_open(h, "tr");
		page_ref_cell(page, str_slice(&ref));
		html_open(h, "td");
		page_date(page, list[i]->record.archived_ms);
		html_close(h);
		html_open(h, "td");
		html_stored(h, reason.ptr ? reason : slice_of("unknown"), 40);
		html_close_each(h, 2);
	}
	html_close_each(h, 2);
	page_left_out(page, (int64_t)count - PAGE_RECORDS_MAX, "older record", "older records",
		      ". kota archived lists them all.");
}

static void report_sections_write_archive(struct page *page, const struct archived *all,
					  size_t count)
{
	const struct archived **list = mem_zalloc(count, sizeof(const struct archived *));
	struct archive_counts counts = {0};

	for (size_t i = 0; i < count; i++) {
		list[i] = &all[i];
		counts.by_reason[report_sections_reason_of(&all[i])]++;
	}
	qsort(list, count, sizeof(const struct archived *), report_sections_compare_newest);
	report_sections_write_reasons(page, &counts);
	report_sections_write_newest(page, list, count);
	free(list);
}

void page_archive(struct page *page)
{
	const struct archived *all;
	struct err ignored;
	size_t count;

	if (store_archive_all(page->store, &all, &count, &ignored) != 0)
		html_leaf(&page->html, "p.none", "The archive cannot be read.");
	else if (count == 0)
		html_leaf(&page->html, "p.none", "The archive is empty.");
	else
		report_sections_write_archive(page, all, count);
}
