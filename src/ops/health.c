#include "ops/health.h"

#include <math.h>

int64_t health_accesses(const struct facts *facts)
{
	return facts->item->hits + facts->item->uses;
}

double health_number(struct arg_json given, double otherwise)
{
	double number;

	return given.doc && json_double(given.doc, given.node, &number) ? number : otherwise;
}

void health_write_preview(struct json_writer *w, const struct facts *facts, size_t characters)
{
	STR_AUTO shown = STR_INIT;

	common_add_preview(&shown, &facts->item->entry, characters);
	json_write_string(w, str_slice(&shown));
}

void health_write_text(struct json_writer *w, const char *name, const struct facts *facts,
		       size_t characters)
{
	json_write_name(w, slice_of(name));
	health_write_preview(w, facts, characters);
}

bool health_is_asked(const struct health *health, const struct facts *facts)
{
	double bound = health_number(health->args->min_confidence, INFINITY);

	return facts->item->entry.confidence < bound;
}
