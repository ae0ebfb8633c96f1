/*
 * The results of memory_search: finding what is wanted, ranking it, and writing a page of it.
 *
 * Everything lives in the call's arena or belongs to the store.
 */
#ifndef KOTA_OPS_SEARCH_RESULTS_H
#define KOTA_OPS_SEARCH_RESULTS_H

#include "ops/common.h"
#include "store/view/search_all.h"

#define SEARCH_REFS_MAX 100

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
	unsigned int scope; /* a bit for each status */
	struct slice *tags; /* cleaned */
	size_t tag_count;
	double window_days; /* negative: none; likewise below */
	double min_score;
	double min_confidence;
	double weight[2]; /* of entries, of notes */
	int64_t preview;
	bool scores; /* how lively each is, too */
};

/*
 * Finds what is wanted (what a query is about, what refs name, or all) and writes the reply: one
 * page of the results. Counts a hit on each entry that is shown, where that is wanted.
 * ERR_BAD_VALUE when there is no such page.
 */
int search_run(const struct call *call, const struct wanted *wanted, struct json_writer *w,
	       struct err *err);

#endif
