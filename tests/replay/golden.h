/*
 * Replaying tables of cases: what the files of this folder share.
 *
 * For tests only. A file of cases is one object {"about", "source", "rule", ..., "cases": [...]}.
 * Each file has a row in tests/golden.c that names the function that replays one case of it through
 * the same functions that the program uses.
 */
#ifndef KOTA_TESTS_GOLDEN_H
#define KOTA_TESTS_GOLDEN_H

#include "json/doc.h"

enum golden_outcome {
	GOLDEN_PASSED,
	GOLDEN_WRONG,
	GOLDEN_UNKNOWN_FORM /* the case is not of a form that can be replayed */
};

/*
 * Replays the case at node. When it has not passed, *why (empty before) gets the reason, over
 * several lines where there is more than one. The case has the members that its row asks for.
 */
typedef enum golden_outcome (*golden_replay)(const struct json *doc, uint32_t node,
					     struct str *why);

/* src/model and src/match, one function a file of cases. */
enum golden_outcome replay_decay(const struct json *doc, uint32_t node, struct str *why);
enum golden_outcome replay_infer_category(const struct json *doc, uint32_t node, struct str *why);
enum golden_outcome replay_levenshtein(const struct json *doc, uint32_t node, struct str *why);
enum golden_outcome replay_merge_values(const struct json *doc, uint32_t node, struct str *why);
enum golden_outcome replay_normalize(const struct json *doc, uint32_t node, struct str *why);
enum golden_outcome replay_review_priority(const struct json *doc, uint32_t node, struct str *why);
enum golden_outcome replay_sanitize(const struct json *doc, uint32_t node, struct str *why);
enum golden_outcome replay_time(const struct json *doc, uint32_t node, struct str *why);
enum golden_outcome replay_time_until_threshold(const struct json *doc, uint32_t node,
						struct str *why);

/* What maintenance may do. */
enum golden_outcome replay_drift_level(const struct json *doc, uint32_t node, struct str *why);
enum golden_outcome replay_merge_content(const struct json *doc, uint32_t node, struct str *why);
enum golden_outcome replay_merge_entries(const struct json *doc, uint32_t node, struct str *why);
enum golden_outcome replay_merge_strength(const struct json *doc, uint32_t node, struct str *why);
enum golden_outcome replay_pattern_confidence(const struct json *doc, uint32_t node,
					      struct str *why);
enum golden_outcome replay_protection(const struct json *doc, uint32_t node, struct str *why);
enum golden_outcome replay_salience(const struct json *doc, uint32_t node, struct str *why);

/* Likewise, of how alike texts are. */
enum golden_outcome replay_cluster(const struct json *doc, uint32_t node, struct str *why);
enum golden_outcome replay_duplicate_pairs(const struct json *doc, uint32_t node, struct str *why);
enum golden_outcome replay_jaccard(const struct json *doc, uint32_t node, struct str *why);
enum golden_outcome replay_set_jaccard(const struct json *doc, uint32_t node, struct str *why);
enum golden_outcome replay_similar_pairs(const struct json *doc, uint32_t node, struct str *why);
enum golden_outcome replay_tfidf(const struct json *doc, uint32_t node, struct str *why);
enum golden_outcome replay_tokens(const struct json *doc, uint32_t node, struct str *why);

/* Messages: src/nlp/intent.h. */
enum golden_outcome replay_analyze(const struct json *doc, uint32_t node, struct str *why);
enum golden_outcome replay_importance(const struct json *doc, uint32_t node, struct str *why);
enum golden_outcome replay_sigmoid(const struct json *doc, uint32_t node, struct str *why);

/* Uses: src/policy/use.h. */
enum golden_outcome replay_cross_domain(const struct json *doc, uint32_t node, struct str *why);
enum golden_outcome replay_reinforce(const struct json *doc, uint32_t node, struct str *why);

/* Operations on a store. */
enum golden_outcome replay_sequence(const struct json *doc, uint32_t node, struct str *why);

/* Says in *why what is wrong with the form of a case. */
enum golden_outcome golden_unknown_form(struct str *why, const char *what);

/* Passed, or wrong with "expected ..., got ..." in *why. */
enum golden_outcome golden_compare(const struct json *want, uint32_t want_node,
				   const struct json *got, uint32_t got_node, struct str *why);

/* As golden_compare for what was written as JSON, what is text, and what is a whole number. */
enum golden_outcome golden_compare_written(const struct json *want, uint32_t want_node,
					   struct slice got, struct str *why);
enum golden_outcome golden_compare_text(const struct json *want, uint32_t want_node,
					struct slice got, struct str *why);
enum golden_outcome golden_compare_count(const struct json *want, uint32_t want_node, size_t got,
					 struct str *why);

/* How far two numbers may be apart: the larger of the two counts. */
struct golden_tolerance {
	double absolute;
	double relative; /* times the number that is wanted */
};

/* What numbers are allowed where no file says otherwise. */
extern const struct golden_tolerance golden_usual;

/* As golden_compare, for what is any number. */
enum golden_outcome golden_compare_number(const struct json *want, uint32_t want_node, double got,
					  const struct golden_tolerance *tolerance,
					  struct str *why);

/* The number that a member of an object is; false when it is none. */
bool golden_number(const struct json *doc, uint32_t object, const char *name, double *out);

/*
 * Has the object every member of the list, and no other? The list is ended by NULL; a name that
 * begins with "?" may be missing. When not, *why says which member.
 */
bool golden_has_members(const struct json *doc, uint32_t node, const char *const *members,
			struct str *why);

/*
 * Do two values agree? Strings, booleans, null and whole numbers exactly, other numbers within
 * 1e-9 absolute or relative, lists in order, objects in any order.
 */
bool golden_equal(const struct json *want, uint32_t want_node, const struct json *got,
		  uint32_t got_node);

/* Appends the start of a text, made visible. */
void golden_show(struct str *out, struct slice text);

#endif
