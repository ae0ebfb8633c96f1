/*
 * The lines of usage.jsonl (usage.h says which there are) and what they add up to. No files here.
 *
 * Nothing in a line is trusted: what does not parse or has no meaning is skipped, counts stay
 * within bounds. A compacted line says all that is known of its ref; the others add to that.
 */
#ifndef KOTA_STORE_LOG_USAGE_FACTS_H
#define KOTA_STORE_LOG_USAGE_FACTS_H

#include "base/arena.h"
#include "base/map.h"
#include "base/str.h"
#include "policy/retention.h"

struct usage_fact {
	struct slice ref;
	int64_t hits;
	int64_t uses;
	int64_t crossed;  /* of them, in a context with other tags */
	int64_t first_ms; /* earliest use that is known; TIME_NONE */
	int64_t used_ms;  /* latest use; TIME_NONE */
	int64_t last_ms;  /* latest hit; TIME_NONE */
	int64_t shown_ms; /* latest time it was shown without being asked for; TIME_NONE */
	int64_t seen_ms;  /* TIME_NONE */
	uint64_t digest;  /* hash64 of the entry's text as last seen; 0 unknown */
};

/* The earlier of two times, of which either may be unknown. */
static inline int64_t usage_earlier(int64_t a_ms, int64_t b_ms)
{
	return a_ms == TIME_NONE || (b_ms != TIME_NONE && b_ms < a_ms) ? b_ms : a_ms;
}

/* Nothing known of a ref. */
static inline struct usage_fact usage_fact_none(struct slice ref)
{
	return (struct usage_fact){
		.ref = ref,
		.first_ms = TIME_NONE,
		.used_ms = TIME_NONE,
		.last_ms = TIME_NONE,
		.shown_ms = TIME_NONE,
		.seen_ms = TIME_NONE,
	};
}

/* That an entry went into an answer, and whether in a context with other tags than its own. */
struct usage_use {
	struct slice ref;
	bool crossed;
};

struct usage_known {
	struct usage_fact fact;
	struct slice rest; /* other members of the latest compacted line, as they stand there */
};

/* Refs that are remembered one by one as touched. */
#define USAGE_TOUCHED_MAX 64

struct usage_facts {
	struct arena arena; /* refs and rests */
	struct usage_known *list;
	size_t count;
	size_t cap;
	struct map by_ref;
	struct usage_epoch epoch;
	size_t lines;                      /* all that were read, good and bad */
	size_t touched[USAGE_TOUCHED_MAX]; /* places in list of what hits and seen lines changed */
	size_t touched_count;
	uint64_t upheavals; /* changes that are not in touched */
};

/* Nothing known; release with usage_facts_release(). */
void usage_facts_init(struct usage_facts *facts);

/* Forgets everything; init again before the next use. */
void usage_facts_release(struct usage_facts *facts);

/* Takes whole lines. */
void usage_facts_take(struct usage_facts *facts, struct slice lines);

/* What is known of a ref, or NULL when nothing is; valid until the next lines. */
const struct usage_known *usage_facts_find(const struct usage_facts *facts, struct slice ref);

/* True if nothing is known. A renamed ref leaves such a fact behind. */
bool usage_known_empty(const struct usage_known *known);

/* a + b, within the bounds of a count. */
int64_t usage_add_hits(int64_t a, int64_t b);

/* The kinds of lines about a ref. */
enum usage_kind { USAGE_HIT, USAGE_KNOWN, USAGE_USE, USAGE_SEEN, USAGE_SHOWN };

/* Each appends one line with its newline. at_ms TIME_NONE, digest 0: the member is left out. */
void usage_line_add(struct str *out, enum usage_kind kind, struct slice ref, uint64_t digest,
		    int64_t at_ms, bool crossed);
void usage_line_since(struct str *out, const struct usage_epoch *epoch);
void usage_line_known(struct str *out, const struct usage_known *known);

#endif
