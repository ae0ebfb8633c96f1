/*
 * What memory_search finds: the entries, records and notes that are wanted, best first.
 *
 * Everything lives in the call's arena or belongs to the store.
 */
#ifndef KOTA_OPS_SEARCH_RANKING_H
#define KOTA_OPS_SEARCH_RANKING_H

#include "ops/common.h"
#include "store/view/search_all.h"

#define SEARCH_REFS_MAX 100

/* Where nobody says where to look. */
#define SEARCH_SCOPE_USUAL (1u << SOUGHT_ACTIVE | 1u << SOUGHT_PROMOTED)

/* Most wordings of one query. */
#define SEARCH_WORDINGS_MAX 6

struct search_args {
	struct slice query;
	struct arg_texts queries;
	struct arg_texts refs;
	struct arg_texts tags;
	int category;
	struct arg_texts scope;
	int64_t limit;
	int64_t page;
	int64_t page_size;
	int64_t preview;
	struct arg_json window_days;
	struct arg_json min_score;
	struct arg_json min_confidence;
	struct arg_json stm_weight;
	struct arg_json ltm_weight;
	int include_scores;
	int relations;
	int track_access;
	int use_embeddings;
};

/* In the order of enum sought_status. */
#define SEARCH_STATUS_COUNT 4
extern const char *const search_status_names[SEARCH_STATUS_COUNT];

struct wanted {
	const struct search_args *args;
	const struct settings *settings;
	int64_t now_ms;
	struct slice wordings[SEARCH_WORDINGS_MAX]; /* of what is asked for; none: a list */
	size_t wording_count;
	int category;
	unsigned int scope;  /* a bit for each status */
	bool archived_asked; /* the scope, as it was given, has what is archived */
	struct slice *tags;  /* cleaned */
	size_t tag_count;
	double window_days; /* negative: none; likewise below */
	double min_score;
	double min_confidence;
	double weight[2]; /* of entries, of notes */
	int64_t preview;
	bool scores; /* how lively each is, too */
};

struct result {
	struct sought sought;
	double decay;
	double rank;
	size_t position;          /* as it came */
	struct slice answers_for; /* the superseded entry that was found; absent: none */
	bool below;               /* holds too little of any of several wordings */
};

struct results {
	struct result *list;
	size_t count;
	const struct slice *words; /* that were asked for; none where nothing was */
	size_t word_count;
	struct slice *not_found;
	size_t not_found_count;
	const char *method;
};

/* Finds what a query is about, what refs name, or all. Cannot fail. */
void ranking_find(struct results *results, const struct call *call, const struct wanted *wanted);

/* True if it answers the query, rather than only share some of its words. */
bool ranking_is_answer(const struct sought *sought);

/* The ref of the successor if the record of a superseded entry was found; else absent. */
struct slice ranking_successor(const struct call *call, const struct sought *sought);

#endif
