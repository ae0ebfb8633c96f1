/*
 * The page of kota report: what it is made from, and its sections, a file each.
 *
 * One page of HTML without scripts, pictures from elsewhere or anything else outside of itself.
 * Figures are those of the operations: counted by ops/statistics.h, scored by policy/decay.h,
 * judged by memory_health. Each section writes one <section> with a heading, and says what is left
 * out where there is more than it shows.
 */
#ifndef KOTA_CLI_REPORT_REPORT_H
#define KOTA_CLI_REPORT_REPORT_H

#include "cli/doctor/findings.h"
#include "cli/report/html.h"
#include "ops/entry_stats.h"
#include "ops/statistics.h"
#include "store/open/store.h"
#include "tool/tool.h"

/* Most that is shown, so that no store makes a page that a browser has trouble with. */
#define PAGE_ENTRIES_MAX 200 /* of a category */
#define PAGE_POINTS_MAX 500
#define PAGE_NEXT_MAX 10
#define PAGE_GROUPS_MAX 24
#define PAGE_PAIRS_MAX 40
#define PAGE_EDGES_MAX 2000 /* pairs that are drawn, in all groups */
#define PAGE_RECORDS_MAX 10
#define PAGE_NAME_MAX 120 /* characters of a key; by hand it may be of any length */
#define PAGE_NOTICES_MAX 20
#define PAGE_FINDINGS_MAX 20

struct page_entry {
	struct facts facts;
	double score;
	int64_t due_ms; /* when it expires; INT64_MAX: never */
};

/* What memory_health is asked for the page. */
enum page_question {
	PAGE_SUMMARY,
	PAGE_PAIRS,
	PAGE_CLUSTERS,
	PAGE_PROMOTABLE,
	PAGE_QUESTION_COUNT
};

struct page {
	struct html html;
	struct store *store;
	const struct tool *const *tools;
	struct arena *arena;
	int64_t now_ms;
	const char *path;
	const char *why; /* this store and no other */
	bool exists;
	struct settings settings; /* the defaults where they cannot be read */
	struct numbers numbers;
	struct page_entry *entries; /* active ones, by category and as they stand in the files */
	size_t count;
	size_t due; /* have expired, and are still in their files */
	struct err archive_error;
	const struct findings *found; /* what doctor says of the store; NULL: nobody asked */
	/* Replies; one that could not be had has no nodes. */
	struct json replies[PAGE_QUESTION_COUNT];
};

/* A style sheet and its SHA-256 in base64, which allows it and no other; data/report/style.css. */
extern const char page_style[];
extern const char page_style_hash[];

/* ---- sections */

struct page_section {
	const char *id;
	const char *title;
	const char *lead; /* what the figures mean; NULL: the section says it */
	void (*write)(struct page *page);
};

extern const struct page_section page_fading;
extern const struct page_section page_changes;
extern const struct page_section page_alike;
extern const struct page_section page_health;
extern const struct page_section page_entries;

/* ---- parts (parts.c) */

/*
 * Begins a table, given as to html_open(), with a caption (shown to those who listen) and a row of
 * headings, "Entry|#Score"; one that begins with "#" stands over numbers. html_close_each(h, 2)
 * ends it.
 */
void page_open_table(struct page *page, const char *element, const char *caption,
		     const char *headings);

/* A note that so many are left out; nothing when there are none. rest ends the sentence. */
void page_left_out(struct page *page, int64_t count, const char *one, const char *more,
		   const char *rest);

/* A ref, short of a key that is a secret. */
void page_ref(struct page *page, struct slice ref);

/* A ref as the heading of its row. */
void page_ref_cell(struct page *page, struct slice ref);

/* True if the value or the key holds a secret. */
bool page_is_secret(const struct entry *entry);

/* The beginning of an entry's value, or words that say that it holds a secret. */
void page_value(struct page *page, const struct entry *entry, size_t characters);

/* A day, with the exact time for who asks for it; and how long ago that was. */
void page_date(struct page *page, int64_t ms);
/* A cell with a number. */
void page_count_cell(struct page *page, int64_t number);

/* A decay score, with two decimals. */
void page_score(struct page *page, double score);

/* How long until then: "12 days". */
void page_days_left(struct page *page, int64_t due_ms);

/* A cell with a bar, filled for a share of 0 to 1. It says nothing that does not stand beside it in
 * words. */
void page_bar_cell(struct page *page, double share, bool warn);

/* "1 entry", "2 entries" */
void page_plural(struct page *page, int64_t number, const char *one, const char *more);

/* ---- what memory_health says (ask.c) */

/* Asks all questions; a reply that cannot be had is left out. Refreshes the store's view. */
void page_ask_all(struct page *page);

/* True if the operation gave a reply. */
bool page_knows(const struct page *page, enum page_question question);

/* A number of a reply's object, 0 when there is none. */
int64_t page_reply_int(const struct page *page, enum page_question question, uint32_t object,
		       const char *name);
double page_reply_number(const struct page *page, enum page_question question, uint32_t object,
			 const char *name);

/* A text of it, absent when there is none; in the page's arena. */
struct slice page_reply_text(const struct page *page, enum page_question question, uint32_t object,
			     const char *name);

/* The first element of a list of the reply, or JSON_NONE. */
uint32_t page_reply_first(const struct page *page, enum page_question question, const char *list);

#endif
