#include "ops/health.h"

#include "base/utf8.h"

#include <math.h>

#define ELLIPSIS "..."

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
