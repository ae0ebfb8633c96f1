/*
 * Replays how memories fade: each function is for the file of cases of its name.
 */
#include "replay/golden.h"

#include "base/time.h"
#include "policy/decay.h"

#include <math.h>

#define MS_PER_SECOND 1000

/* For which the cases were made. */
#define HALF_LIFE_DAYS 3

/* When the memories of the cases were used last. */
#define USED_MS INT64_C(1735689600000)

/* The default settings with the model that a case names; false when it is none. */
static bool settings_of(const struct json *doc, uint32_t in, struct settings *settings)
{
	STR_AUTO scratch = STR_INIT;
	STR_AUTO name = STR_INIT;
	struct err err;

	settings_init(settings);
	if (json_type(doc, json_member(doc, in, "model")) != JSON_STRING)
		return false;
	str_add(&name, json_string(doc, json_member(doc, in, "model"), &scratch));
	return settings_apply_env(settings, "DECAY_MODEL", name.ptr, &err) == 0;
}

enum golden_outcome replay_decay(const struct json *doc, uint32_t node, struct str *why)
{
	static const char *const members[] = {"model", "uses", "days", "strength", NULL};
	static const struct golden_tolerance relative = {0, 1e-9};
	uint32_t in = json_member(doc, node, "in");
	struct settings settings;
	double uses;
	double days;
	double strength;
	double got;

	if (!golden_has_members(doc, in, members, why))
		return GOLDEN_UNKNOWN_FORM;
	if (!settings_of(doc, in, &settings) || !golden_number(doc, in, "uses", &uses) ||
	    !golden_number(doc, in, "days", &days) ||
	    !golden_number(doc, in, "strength", &strength) || uses < 0 || days < 0)
		return golden_unknown_form(why, "no model, or no numbers");
	got = decay_score(&settings, HALF_LIFE_DAYS, (int64_t)uses, strength, USED_MS,
			  USED_MS + llround(days * (double)MS_PER_DAY));
	return golden_compare_number(doc, json_member(doc, node, "out"), got, &relative, why);
}

enum golden_outcome replay_time_until_threshold(const struct json *doc, uint32_t node,
						struct str *why)
{
	static const char *const members[] = {"model", "score", "threshold", "days_since_used",
					      NULL};
	static const struct golden_tolerance second = {1, 0};
	uint32_t in = json_member(doc, node, "in");
	uint32_t out = json_member(doc, node, "out");
	struct settings settings;
	double score;
	double threshold;
	double days;
	double got;
	bool falls;

	if (!golden_has_members(doc, in, members, why))
		return GOLDEN_UNKNOWN_FORM;
	if (!settings_of(doc, in, &settings) || !golden_number(doc, in, "score", &score) ||
	    !golden_number(doc, in, "threshold", &threshold) ||
	    !golden_number(doc, in, "days_since_used", &days))
		return golden_unknown_form(why, "no model, or no numbers");
	falls = decay_time_until(&settings, HALF_LIFE_DAYS, score, threshold,
				 days * (double)MS_PER_DAY / MS_PER_SECOND, &got);
	if (falls)
		return golden_compare_number(doc, out, got, &second, why);
	if (json_type(doc, out) == JSON_NULL)
		return GOLDEN_PASSED;
	str_adds(why, "expected a time, got never");
	return GOLDEN_WRONG;
}

enum golden_outcome replay_review_priority(const struct json *doc, uint32_t node, struct str *why)
{
	double score;

	if (!golden_number(doc, node, "in", &score))
		return golden_unknown_form(why, "in is no number");
	return golden_compare_number(doc, json_member(doc, node, "out"),
				     decay_review_priority(score), &golden_usual, why);
}
