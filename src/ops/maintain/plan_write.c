#include "base/map.h"
#include "ops/maintain/plan_internal.h"
#include "ops/maintain/plan_text.h"

#include <inttypes.h>
#include <stdio.h>

static void write_json(struct json_writer *w, const char *name, struct slice text)
{
	struct json_fault fault;
	struct json doc;

	if (json_parse(&doc, text, &json_file_bounds, &fault) != 0)
		return;
	json_write_name(w, slice_of(name));
	json_write_value(w, &doc, JSON_ROOT);
	json_release(&doc);
}

static void write_bases(struct json_writer *w, const struct plan_step *step)
{
	char digest[HEX_DIGITS + 1];

	json_write_name(w, slice_of("decided_on"));
	json_write_object(w);
	for (size_t i = 0; i < step->base_count; i++) {
		json_write_name(w, step->bases[i].ref);
		if (step->bases[i].digest == 0) {
			json_write_null(w);
			continue;
		}
		snprintf(digest, sizeof digest, "%016" PRIx64, step->bases[i].digest);
		json_write_string(w, slice_of(digest));
	}
	json_write_end(w);
}

static void write_with(struct json_writer *w, const struct plan_step *step)
{
	json_write_name(w, slice_of("with"));
	json_write_array(w);
	for (size_t i = 1; i < step->base_count; i++)
		json_write_string(w, step->bases[i].ref);
	json_write_end(w);
}

static void write_link(struct json_writer *w, const struct plan_step *step)
{
	json_write_member_string(w, "to", step->to);
	json_write_member_string(w, "type", slice_of(relation_type_names[step->type]));
	json_write_name(w, slice_of("strength"));
	json_write_double(w, step->strength);
	if (step->metadata.ptr)
		write_json(w, "metadata", step->metadata);
}

static void write_step(struct json_writer *w, const struct plan_step *step)
{
	json_write_object(w);
	json_write_member_string(w, "do", slice_of(plan_kind_names[step->kind]));
	json_write_member_string(w, "ref", step->ref);
	if (step->kind == PLAN_MERGE)
		write_with(w, step);
	if (step->kind == PLAN_ARCHIVE)
		json_write_member_string(w, "reason", slice_of(reason_name(step->reason)));
	if (step->kind == PLAN_LINK)
		write_link(w, step);
	if (step->kind == PLAN_PROMOTE) {
		json_write_member_string(w, "note", step->note_stem);
		json_write_member_string(w, "text", step->note_text);
	}
	if (step->because.ptr)
		json_write_member_string(w, "because", step->because);
	if (step->text.ptr)
		write_json(w, "entry", step->text);
	write_bases(w, step);
	json_write_end(w);
}

void plan_write(const struct plan *plan, struct json_writer *w)
{
	json_write_object(w);
	json_write_member_int(w, PLAN_VERSION_NAME, PLAN_VERSION);
	json_write_name(w, slice_of("steps"));
	json_write_array(w);
	for (size_t i = 0; i < plan->count; i++) {
		if (plan->steps[i].skip_code == ERR_NONE)
			write_step(w, &plan->steps[i]);
	}
	json_write_end(w);
	json_write_end(w);
}
