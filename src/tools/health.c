#include "tools/health.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "tools/registry_rows.h"

#include <math.h>
#include <stdlib.h>

#define ELLIPSIS "..."

/* As enum health_check. */
static const char *const checks[] = {"summary",  "stale", "low_access", "duplicates",
				     "clusters", "decay", "promotable", NULL};

/* What has no default here: the summary, the similarity of the check, all entries. Each default in
   the schema costs every session. */
static const struct param params[] = {
	{.name = "check",
	 .type = PARAM_CHOICE,
	 .flags = PARAM_POSITIONAL,
	 .offset = offsetof(struct health_args, check),
	 .choices = checks},
	{.name = "days_unused",
	 .type = PARAM_INT,
	 .flags = PARAM_OPEN_RANGE,
	 .offset = offsetof(struct health_args, days_unused),
	 .min = 0,
	 .max = 36500,
	 .fallback = "30"},
	{.name = "max_access_count",
	 .type = PARAM_INT,
	 .flags = PARAM_OPEN_RANGE,
	 .offset = offsetof(struct health_args, max_access_count),
	 .min = 0,
	 .max = 1e9,
	 .fallback = "2"},
	{.name = "min_age_days",
	 .type = PARAM_INT,
	 .flags = PARAM_OPEN_RANGE,
	 .offset = offsetof(struct health_args, min_age_days),
	 .min = 0,
	 .max = 36500,
	 .fallback = "7"},
	{.name = "limit",
	 .type = PARAM_INT,
	 .flags = PARAM_OPEN_RANGE,
	 .offset = offsetof(struct health_args, limit),
	 .min = 1,
	 .max = 10000,
	 .fallback = "20"},
	{.name = "threshold",
	 .type = PARAM_NUMBER,
	 .flags = PARAM_OPEN_RANGE,
	 .offset = offsetof(struct health_args, threshold),
	 .min = 0,
	 .max = 1},
	{.name = "sample_size",
	 .type = PARAM_INT,
	 .flags = PARAM_OPEN_RANGE,
	 .offset = offsetof(struct health_args, sample_size),
	 .min = 0,
	 .max = 1e9},
	{.name = "min_confidence",
	 .type = PARAM_NUMBER,
	 .flags = PARAM_OPEN_RANGE,
	 .offset = offsetof(struct health_args, min_confidence),
	 .min = 0,
	 .max = 1},
};

static void (*const writers[])(const struct health *health, struct json_writer *w) = {
	health_summary,  health_stale, health_low_access, health_duplicates,
	health_clusters, health_decay, health_promotable,
};

int64_t health_accesses(const struct facts *facts)
{
	return facts->item->hits + facts->uses;
}

double health_number(struct arg_json given, double otherwise)
{
	double number;

	return given.doc && json_double(given.doc, given.node, &number) ? number : otherwise;
}

/* The beginning of the value's text, and dots where something is left out. */
static void add_begin(const struct health *health, const struct facts *facts, size_t characters,
		      struct str *out)
{
	struct slice text = common_compact(health->call, facts->item->entry.value);
	STR_AUTO scratch = STR_INIT;
	struct slice begin;
	struct json doc;

	common_parse(&doc, text);
	if (json_type(&doc, JSON_ROOT) == JSON_STRING)
		text = json_string(&doc, JSON_ROOT, &scratch);
	begin = utf8_cut(text, characters);
	str_add(out, begin);
	if (begin.len < text.len)
		str_adds(out, ELLIPSIS);
	json_release(&doc);
}

void health_write_preview(const struct health *health, struct json_writer *w,
			  const struct facts *facts, size_t characters)
{
	STR_AUTO shown = STR_INIT;

	add_begin(health, facts, characters, &shown);
	json_write_string(w, str_slice(&shown));
}

void health_write_text(const struct health *health, struct json_writer *w, const char *name,
		       const struct facts *facts, size_t characters)
{
	json_write_name(w, slice_of(name));
	health_write_preview(health, w, facts, characters);
}

bool health_is_asked(const struct health *health, const struct facts *facts)
{
	double bound = health_number(health->args->min_confidence, INFINITY);

	return facts->confidence < bound;
}

static void read_facts(struct health *health)
{
	const struct call *call = health->call;
	size_t count;
	const struct item *items = store_items(call->store, &count);

	health->facts = mem_zalloc(count, sizeof *health->facts);
	for (size_t i = 0; i < count; i++) {
		struct facts *facts = &health->facts[health->count];

		if (items[i].due)
			continue;
		facts_read(facts, &items[i], call->now_ms, call->arena);
		health->count++;
	}
}

static int run(const struct call *call, const void *arguments, struct json_writer *w,
	       struct err *err)
{
	const struct health_args *args = arguments;
	struct health health = {.call = call, .args = args};
	int check = args->check < 0 ? HEALTH_SUMMARY : args->check;

	if (common_refresh(call, err) != 0 ||
	    store_settings(call->store, &health.settings, err) != 0)
		return -1;
	read_facts(&health);
	json_write_object(w);
	json_write_member_bool(w, "success", true);
	json_write_member_string(w, "check", slice_of(checks[check]));
	writers[check](&health, w);
	common_end_reply(w, call);
	free(health.facts);
	return 0;
}

const struct tool tool_health = {
	.name = "memory_health",
	.command = "health",
	.title = "Check the memory",
	.section = SECTION_UPKEEP,
	.summary = "What needs care: stale or unused entries, duplicates, fading ones. Changes "
		   "nothing.",
	.params = params,
	.param_count = sizeof params / sizeof *params,
	.args_size = sizeof(struct health_args),
	.flags = TOOL_READ_ONLY | TOOL_IDEMPOTENT | TOOL_LARGE_RESULT,
	.run = run,
};
