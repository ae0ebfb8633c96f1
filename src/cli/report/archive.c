#include "cli/report/page.h"

#include "base/mem.h"

#include <stdlib.h>

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
	page_open_table(page, "plain", "The records that were archived last", headings);
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
