#include "cli/report/report.h"

#include "base/mem.h"
#include "base/time.h"
#include "base/version.h"
#include "cli/doctor/check.h"
#include "cli/term/streams.h"
#include "policy/retention.h"
#include "store/open/store.h"

#include <stdlib.h>

/* ---- use, limits and the archive */

static void page_used(struct page *page)
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
static void report_write_share(struct page *page, const char *label, const char *warning,
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

static void report_write_limit(struct page *page, const char *label, int64_t used, int64_t limit,
			       int64_t bytes)
{
	const char *warning = NULL;

	if (limit > 0 && (double)used >= (double)limit * NEARLY_FULL)
		warning = used > limit ? "over the limit" : used == limit ? "full" : "nearly full";
	report_write_share(page, label, warning, used, limit, bytes);
}

static void report_write_rest(struct page *page)
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

static void page_limits(struct page *page)
{
	const struct numbers *numbers = &page->numbers;

	page_open_table(page, "table.bars", "Use of limits", "Of what|Share|#Used");
	for (int c = 0; c < CATEGORY_COUNT; c++)
		report_write_limit(
			page, category_name((enum category)c), numbers->categories[c].entries,
			page->settings.entries_per_category, numbers->categories[c].file_bytes);
	report_write_limit(page, "all files, in bytes", numbers->total_bytes,
			   page->settings.total_bytes, -1);
	report_write_share(page, "pinned, of all entries", NULL, numbers->pinned, numbers->entries,
			   -1);
	html_close_each(&page->html, 2);
	report_write_rest(page);
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
	"lost a conflict in a merge",
	"superseded by another entry",
};

struct archive_counts {
	int64_t by_reason[REASON_COUNT + 1]; /* the last: what a person wrote */
};

static int report_compare_newest(const void *a, const void *b)
{
	const struct archived *one = *(const struct archived *const *)a;
	const struct archived *other = *(const struct archived *const *)b;

	if (one->record.archived_ms != other->record.archived_ms)
		return one->record.archived_ms > other->record.archived_ms ? -1 : 1;
	return slice_compare(one->ref, other->ref);
}

static void report_write_reasons(struct page *page, const struct archive_counts *counts)
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

static void report_write_newest(struct page *page, const struct archived *const *list, size_t count)
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

static void report_write_archive(struct page *page, const struct archived *all, size_t count)
{
	const struct archived **list = mem_zalloc(count, sizeof(const struct archived *));
	struct archive_counts counts = {0};

	for (size_t i = 0; i < count; i++) {
		size_t reason = 0;

		while (reason < REASON_COUNT &&
		       !slice_is(all[i].record.reason, reason_name((enum reason)reason)))
			reason++;
		counts.by_reason[reason]++;
		list[i] = &all[i];
	}
	qsort(list, count, sizeof(const struct archived *), report_compare_newest);
	report_write_reasons(page, &counts);
	report_write_newest(page, list, count);
	free(list);
}

static void page_archive(struct page *page)
{
	const struct archived *all;
	struct err ignored;
	size_t count;

	if (store_archive_all(page->store, &all, &count, &ignored) != 0)
		html_leaf(&page->html, "p.none", "The archive cannot be read.");
	else if (count == 0)
		html_leaf(&page->html, "p.none", "The archive is empty.");
	else
		report_write_archive(page, all, count);
}

static const struct page_section report_room = {
	"room", "Room",
	"A category that is full sends its least recently active entry to the archive when "
	"another one comes; so do the files together.",
	page_limits};

static const struct page_section report_used = {
	"used", "Most used",
	"A hit: a lookup returned it. A use: a client said that it went into an answer. Sorted by "
	"uses, then by hits.",
	page_used};

static const struct page_section report_archive = {
	"archive", "Archive",
	"Nothing is destroyed: what leaves service goes here, and kota restore brings it back.",
	page_archive};

/* In their order, ended by NULL. */
static const struct page_section *const sections[] = {
	&report_room, &page_fading,  &report_used,    &page_changes, &page_alike,
	&page_health, &page_entries, &report_archive, NULL,
};

static void report_gather_entries(struct page *page)
{
	size_t all;
	const struct item *items = store_items(page->store, &all);

	page->entries = arena_alloc(page->arena, (all + 1) * sizeof *page->entries);
	for (size_t i = 0; i < all; i++) {
		struct page_entry *entry = &page->entries[page->count];

		if (items[i].due) {
			page->due++;
			continue;
		}
		facts_read(&entry->facts, &items[i], page->now_ms);
		entry->score = facts_score(&entry->facts, &page->settings, page->now_ms);
		entry->due_ms = retention_due_ms(
			items[i].kept_ms, retention_spares(&items[i].entry), &page->settings);
		page->count++;
	}
}

/*
 * Fills a page from a store, which is only looked at. Before, set tools (for memory_health), path
 * and why; they, the store and the arena must outlive the page. The caller releases its replies in
 * any case.
 */
static int page_gather(struct page *page, struct store *store, int64_t now_ms, struct arena *arena,
		       struct err *err)
{
	struct err ignored;

	page->store = store;
	page->now_ms = now_ms;
	page->arena = arena;
	store_hands_off(store);
	if (store_refresh(store, now_ms, err) != 0)
		return -1;
	if (store_settings(store, &page->settings, &ignored) != 0)
		settings_init(&page->settings);
	page_ask_all(page);
	/* Those calls may have refreshed the view; from here on it stays as it is. */
	if (store_refresh(store, now_ms, err) != 0)
		return -1;
	page->exists = store_disk(store)->dirfd >= 0;
	err_clear(&page->archive_error);
	numbers_count(&page->numbers, store, now_ms, &page->archive_error);
	report_gather_entries(page);
	return 0;
}

/* ---- the head */

static void report_write_head(struct page *page)
{
	static const char *const metas[] = {
		"meta name=viewport content='width=device-width, initial-scale=1'",
		"meta name=color-scheme content='light dark'",
		"meta name=referrer content=no-referrer",
		"meta name=robots content=noindex",
	};
	struct html *h = &page->html;

	html_open(h, "head");
	html_open(h, "meta charset=utf-8");
	html_close(h);
	/* Whatever the page contains, nothing is loaded or run and no other style applies. */
	html_open(h, "meta http-equiv=Content-Security-Policy");
	html_attr_printf(h, "content",
			 "default-src 'none'; style-src 'sha256-%s'; base-uri 'none'; "
			 "form-action 'none'",
			 page_style_hash);
	html_close(h);
	for (size_t i = 0; i < sizeof metas / sizeof *metas; i++) {
		html_open(h, metas[i]);
		html_close(h);
	}
	html_open(h, "meta name=generator");
	html_attr_printf(h, "content", "kota %s", version_text());
	html_close(h);
	html_leaf(h, "title", "Memory report");
	html_style(h, page_style);
	html_close(h);
}

/* ---- the beginning of the page */

static void report_write_fact(struct page *page, const char *label)
{
	html_leaf(&page->html, "dt", label);
	html_open(&page->html, "dd");
}

static void report_write_facts(struct page *page)
{
	struct html *h = &page->html;
	char now[TIMESTAMP_SIZE];

	timestamp_format(page->now_ms, now);
	html_open(h, "dl.about");
	report_write_fact(page, "Store");
	html_open(h, "code");
	html_stored(h, slice_of(page->path), 0);
	html_close_each(h, 2);
	report_write_fact(page, "Chosen because");
	html_stored(h, slice_of(page->why), 0);
	html_close(h);
	report_write_fact(page, "Made");
	html_open(h, "time");
	html_attr(h, "datetime", now);
	html_printf(h, "%.10s %.5s", now, now + 11);
	html_close(h);
	html_printf(h, " by kota %s", version_text());
	html_close_each(h, 2);
}

static void report_write_tile(struct page *page, const char *label, int64_t number,
			      const char *more)
{
	struct html *h = &page->html;

	html_open(h, "div");
	html_leaf(h, "dt", label);
	html_open(h, "dd");
	html_open(h, "b");
	html_count(h, number);
	html_close(h);
	html_printf(h, " %s", more);
	html_close_each(h, 2);
}

static void report_write_tiles(struct page *page)
{
	const struct numbers *numbers = &page->numbers;

	html_open(&page->html, "dl.tiles");
	report_write_tile(page, "Entries", numbers->entries, "active");
	report_write_tile(page, "Size", numbers->total_bytes, "bytes");
	if (page_knows(page, PAGE_SUMMARY))
		report_write_tile(page, "Health",
				  page_reply_int(page, PAGE_SUMMARY, JSON_ROOT, "score"), "of 100");
	else
		report_write_tile(page, "Pinned", numbers->pinned, "kept for good");
	report_write_tile(page, "Archive", numbers->records + numbers->cold_records,
			  "can come back");
	if (numbers->history_changes >= 0)
		report_write_tile(page, "History", numbers->history_changes, "changes");
	else
		report_write_tile(page, "Links", numbers->relations, "between entries");
	html_close(&page->html);
}

static void report_write_nav(struct page *page)
{
	struct html *h = &page->html;

	html_open(h, "nav aria-label=Sections");
	html_open(h, "ul");
	for (size_t i = 0; sections[i]; i++) {
		html_open(h, "li");
		html_open(h, "a");
		html_attr_printf(h, "href", "#%s", sections[i]->id);
		html_text(h, sections[i]->title);
		html_close_each(h, 2);
	}
	html_close_each(h, 2);
}

static void report_write_header(struct page *page)
{
	struct html *h = &page->html;

	html_open(h, "header");
	html_leaf(h, "h1", "Memory report");
	report_write_facts(page);
	report_write_tiles(page);
	html_close(h);
	report_write_nav(page);
}

/* ---- what a reader should know first */

static void report_write_notice(struct page *page, const char *text)
{
	html_open(&page->html, "li");
	html_stored(&page->html, slice_of(text), 0);
	html_close(&page->html);
}

static void report_write_tasks(struct page *page, size_t count)
{
	struct html *h = &page->html;

	html_open(h, "li");
	page_plural(page, (int64_t)count, "thing", "things");
	html_text(h, " to be put right: ");
	html_leaf(h, "a href=#doctor", "what doctor says");
	html_text(h, ".");
	html_close(h);
}

static void report_write_state(struct page *page)
{
	struct html *h = &page->html;

	if (!page->exists)
		html_leaf(h, "li",
			  "There is no store here yet: kota init makes one, and so does the first "
			  "thing that is stored.");
	if (!store_trusts_clock(page->store))
		html_leaf(h, "li",
			  "The clock of this machine and the times in the store are too far apart "
			  "to be believed: nothing expires, and the days of all entries begin anew "
			  "with the next request.");
	if (page->due) {
		html_open(h, "li");
		page_plural(page, (int64_t)page->due, "entry has", "entries have");
		html_text(h, " expired, and goes to the archive with the next request; it is left "
			     "out here.");
		html_close(h);
	}
	if (page->archive_error.code != ERR_NONE)
		report_write_notice(page, page->archive_error.text);
}

static void report_write_notices(struct page *page)
{
	struct html *h = &page->html;
	size_t count;
	const char *const *notices = store_notices(page->store, &count);
	size_t tasks = 0; /* findings of doctor with which somebody has to do something */

	for (size_t i = 0; page->found && i < page->found->count; i++)
		tasks += finding_row(page->found->items[i].kind)->severity > SEVERITY_NOTE;
	if (page->exists && count == 0 && tasks == 0 && page->due == 0 &&
	    store_trusts_clock(page->store) && page->archive_error.code == ERR_NONE)
		return;
	html_open(h, "section.notices aria-labelledby=notices-h");
	html_leaf(h, "h2 id=notices-h", "First of all");
	html_open(h, "ul");
	report_write_state(page);
	for (size_t i = 0; i < count && i < PAGE_NOTICES_MAX; i++)
		report_write_notice(page, notices[i]);
	if (tasks)
		report_write_tasks(page, tasks);
	html_close_each(h, 2);
}

/* ---- all of it */

static void report_write_section(struct page *page, size_t at)
{
	const char *id = sections[at]->id;
	struct html *h = &page->html;

	html_open(h, "section");
	html_attr(h, "id", id);
	html_attr_printf(h, "aria-labelledby", "%s-h", id);
	html_open(h, "h2");
	html_attr_printf(h, "id", "%s-h", id);
	html_text(h, sections[at]->title);
	html_close(h);
	if (sections[at]->lead)
		html_leaf(h, "p.lead", sections[at]->lead);
	sections[at]->write(page);
	html_close(h);
}

static void report_write_body(struct page *page)
{
	struct html *h = &page->html;

	html_open(h, "body");
	html_leaf(h, "a.skip href=#main", "To the report");
	report_write_header(page);
	html_open(h, "main id=main tabindex=-1");
	report_write_notices(page);
	for (size_t i = 0; sections[i]; i++)
		report_write_section(page, i);
	html_close(h);
	html_open(h, "footer");
	html_leaf(h, "p",
		  "Only looked at: making this page changed nothing and counted nothing. "
		  "docs/reference/report.md tells what each figure means.");
	html_close_each(h, 2);
}

/* Appends the whole page. */
static void page_write(struct page *page, struct str *out)
{
	struct html *h = &page->html;

	*h = (struct html){.out = out};
	str_adds(out, "<!DOCTYPE html>\n");
	html_open(h, "html lang=en");
	report_write_head(page);
	report_write_body(page);
	html_close(h);
	str_addc(out, '\n');
}

/* ---- the command */

static int report_write_page(struct run *run, const struct place *place, struct store *store,
			     struct err *err)
{
	ARENA_AUTO arena = ARENA_INIT;
	struct page page = {.tools = run->tools, .path = place->path, .why = place->why};
	struct findings found = {0};
	STR_AUTO out = STR_INIT;
	int result = page_gather(&page, store, run->cli->sys->now_ms(), &arena, err);

	if (result == 0) {
		checkup_look(&found, run->cli, place);
		page.found = &found;
		page_write(&page, &out);
		result = streams_write(run->cli, str_slice(&out), err);
	}
	findings_release(&found);
	for (int q = 0; q < PAGE_QUESTION_COUNT; q++)
		json_release(&page.replies[q]);
	return result;
}

static int report_execute(struct run *run, struct err *err)
{
	struct cli *cli = run->cli;
	struct store *store;
	PLACE_AUTO place = {0};

	if (run->options.json)
		return err_set(err, ERR_USAGE,
			       "the report is a page for a browser; kota stats --json and kota "
			       "health --json have its figures");
	if (cli->out_is_terminal)
		return err_set(err, ERR_USAGE,
			       "the report is a page for a browser: kota report > report.html");
	if (place_find(&place, cli->sys, cli->env, run->options.dir, err) != 0)
		return -1;
	int result = store_open_at(&store, cli->sys, cli->env, &place, err);
	if (result == 0) {
		result = report_write_page(run, &place, store, err);
		store_close(store);
	}
	return result;
}

const struct command command_report = {
	.name = "report",
	.summary = "Show the store as a page for a browser: kota report > report.html",
	.description =
		"Write a page about the store: what is full, what fades and expires when, what\n"
		"is used, what is alike, what changed when, and each entry. It is one file\n"
		"without scripts that loads nothing, for a browser or a printer:\n"
		"\n"
		"  kota report > report.html\n"
		"\n"
		"The store is only read: nothing changes, nothing expires, nothing counts\n"
		"as used. Values that hold a secret are not shown.\n",
	.execute = report_execute,
};
