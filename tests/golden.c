/*
 * Replays every *.json in a folder of cases:
 *
 *	golden DIR
 *
 * prints "NAME passed/total" for each, "NAME pending" where the feature does not exist yet, the
 * wrong cases below their file, and ends with 1 when a case is wrong, a file is unknown, or a case
 * has a form that cannot be replayed.
 */
#include "replay/golden.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* Most wrong cases that are listed of a file. */
#define LISTED_MAX 10

/* Most members that a row can ask for, with the NULL at the end. */
#define MEMBERS_MAX 8

/* A file of cases. Without a replay function it is pending. */
struct rule {
	const char *name;
	golden_replay replay;
	const char *members[MEMBERS_MAX]; /* of a case; "?" before those that may be missing */
};

/* What any case may carry besides. */
#define COMMON "?name", "?about", "?ours"

static const struct rule rules[] = {
	{"analyze", replay_analyze, {"in", "out", COMMON}},
	{"cluster", replay_cluster, {"in", "out", COMMON}},
	{"cross_domain", replay_cross_domain, {"in", "out", COMMON}},
	{"decay", replay_decay, {"in", "out", COMMON}},
	{"drift_level", replay_drift_level, {"in", "out", COMMON}},
	{"duplicate_pairs", replay_duplicate_pairs, {"in", "out", COMMON}},
	{"importance", replay_importance, {"in", "out", COMMON}},
	{"infer_category", replay_infer_category, {"in", "out", COMMON}},
	{"jaccard", replay_jaccard, {"in", "out", COMMON}},
	{"levenshtein", replay_levenshtein, {"in", "out", "?osa", COMMON}},
	{"merge_content", replay_merge_content, {"in", "out", COMMON}},
	{"merge_entries", replay_merge_entries, {"in", "out", COMMON}},
	{"merge_strength", replay_merge_strength, {"in", "out", COMMON}},
	{"merge_values", replay_merge_values, {"in", "out", COMMON}},
	{"normalize", replay_normalize, {"in", "out", COMMON}},
	{"pattern_confidence", replay_pattern_confidence, {"in", "out", COMMON}},
	{"protection", replay_protection, {"in", "out", COMMON}},
	{"reinforce", replay_reinforce, {"in", "out", COMMON}},
	{"review_priority", replay_review_priority, {"in", "out", COMMON}},
	{"salience", replay_salience, {"in", "out", COMMON}},
	{"sanitize", replay_sanitize, {"in", "out", COMMON}},
	{"sequences", replay_sequence, {"name", "steps", "final", "?load", "?about", "?ours"}},
	{"set_jaccard", replay_set_jaccard, {"in", "out", COMMON}},
	{"sigmoid", replay_sigmoid, {"in", "out", COMMON}},
	{"similar_pairs", replay_similar_pairs, {"in", "label", "merge_unattended", COMMON}},
	{"tfidf", replay_tfidf, {"in", "out", COMMON}},
	{"time", replay_time, {"in", "tz", "out", COMMON}},
	{"time_until_threshold", replay_time_until_threshold, {"in", "out", COMMON}},
	{"tokens", replay_tokens, {"in", "out", COMMON}},
};

struct totals {
	size_t passed;
	size_t failed; /* wrong cases, and files that could not be replayed */
	size_t pending;
};

static const struct rule *find_rule(struct slice name)
{
	for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
		if (slice_is(name, rules[i].name))
			return &rules[i];
	}
	return NULL;
}

static enum golden_outcome replay_case(const struct rule *rule, const struct json *doc,
				       uint32_t node, struct str *why)
{
	if (!golden_has_members(doc, node, rule->members, why))
		return GOLDEN_UNKNOWN_FORM;
	return rule->replay(doc, node, why);
}

/* Cases are found by their name, those without one by their number and what goes in. */
static void list_case(const struct json *doc, uint32_t node, size_t number, struct slice why,
		      struct str *list)
{
	uint32_t name = json_member(doc, node, "name");
	uint32_t in = json_member(doc, node, "in");

	str_printf(list, "  case %zu", number);
	if (name != JSON_NONE || in != JSON_NONE) {
		str_addc(list, ' ');
		golden_show(list, json_text(doc, name != JSON_NONE ? name : in));
	}
	str_adds(list, ": ");
	str_add(list, why);
	str_addc(list, '\n');
}

static void replay_cases(const struct rule *rule, const struct json *doc, uint32_t cases,
			 struct totals *totals)
{
	STR_AUTO list = STR_INIT;
	STR_AUTO why = STR_INIT;
	size_t passed = 0;
	size_t total = 0;

	for (uint32_t c = json_first(doc, cases); c != JSON_NONE; c = json_next(doc, c)) {
		total++;
		str_clear(&why);
		if (replay_case(rule, doc, c, &why) == GOLDEN_PASSED)
			passed++;
		else if (total - passed <= LISTED_MAX)
			list_case(doc, c, total, str_slice(&why), &list);
	}
	if (total - passed > LISTED_MAX)
		str_printf(&list, "  and %zu more\n", total - passed - LISTED_MAX);
	printf("%s %zu/%zu\n%s", rule->name, passed, total, list.ptr);
	totals->passed += passed;
	totals->failed += total - passed;
}

/* The file as a whole cannot be replayed. */
static void refuse(const char *name, const char *why, struct totals *totals)
{
	printf("%s: %s\n", name, why);
	totals->failed++;
}

static void replay_text(const struct rule *rule, struct slice text, struct totals *totals)
{
	struct json_fault fault;
	struct json doc;
	uint32_t cases;

	if (json_parse(&doc, text, &json_file_bounds, &fault) != 0) {
		printf("%s.json:%u:%u: %s\n", rule->name, fault.line, fault.column, fault.what);
		totals->failed++;
		return;
	}
	cases = json_member(&doc, JSON_ROOT, "cases");
	if (cases == JSON_NONE || json_type(&doc, cases) != JSON_ARRAY ||
	    doc.nodes[cases].count == 0)
		refuse(rule->name, "no list of cases in it", totals);
	else
		replay_cases(rule, &doc, cases, totals);
	json_release(&doc);
}

static int read_file(const char *path, struct str *out)
{
	FILE *file = fopen(path, "rb");
	char buffer[65536];
	size_t len;
	int failed;

	if (!file)
		return -1;
	while ((len = fread(buffer, 1, sizeof buffer, file)) > 0)
		str_add(out, slice_make(buffer, len));
	failed = ferror(file);
	fclose(file);
	return failed ? -1 : 0;
}

static void replay_file(const char *dir, const char *file_name, struct totals *totals)
{
	struct slice name = slice_make(file_name, strlen(file_name) - strlen(".json"));
	const struct rule *rule = find_rule(name);
	STR_AUTO path = STR_INIT;
	STR_AUTO text = STR_INIT;

	if (!rule) {
		refuse(file_name, "an unknown file of cases", totals);
		return;
	}
	if (!rule->replay) {
		printf("%s pending\n", rule->name);
		totals->pending++;
		return;
	}
	str_printf(&path, "%s/%s", dir, file_name);
	if (read_file(path.ptr, &text) != 0) {
		refuse(file_name, "cannot be read", totals);
		return;
	}
	replay_text(rule, str_slice(&text), totals);
}

static int is_json(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	return len > strlen(".json") && entry->d_name[0] != '.' &&
	       strcmp(entry->d_name + len - strlen(".json"), ".json") == 0;
}

int main(int argc, char **argv)
{
	struct totals totals = {0};
	struct dirent **names;
	int count;

	if (argc != 2) {
		fprintf(stderr, "usage: golden DIR\n");
		return 2;
	}
	count = scandir(argv[1], &names, is_json, alphasort);
	if (count < 0) {
		fprintf(stderr, "golden: %s: %s\n", argv[1], strerror(errno));
		return 1;
	}
	if (count == 0)
		refuse(argv[1], "no *.json in it", &totals);
	for (int i = 0; i < count; i++) {
		replay_file(argv[1], names[i]->d_name, &totals);
		free(names[i]);
	}
	free(names);
	printf("%zu passed, %zu failed, %zu files pending\n", totals.passed, totals.failed,
	       totals.pending);
	return totals.failed > 0;
}
