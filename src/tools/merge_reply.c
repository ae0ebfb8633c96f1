#include "tools/merge.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "ops/similar_text.h"

#include <stdlib.h>

/* Most characters of a value that a preview shows. */
#define PREVIEW_CHARACTERS 300

static void write_refs(struct json_writer *w, const char *name, const struct merging *merging)
{
	json_write_name(w, slice_of(name));
	json_write_array(w);
	for (size_t i = 0; i < merging->count; i++)
		json_write_string(w, merging->parts[i]->item->ref);
	json_write_end(w);
}

static void write_conflict(struct json_writer *w, const struct doubles_candidate *conflict)
{
	json_write_object(w);
	json_write_name(w, slice_of("refs"));
	json_write_array(w);
	json_write_string(w, conflict->a->item->ref);
	json_write_string(w, conflict->b->item->ref);
	json_write_end(w);
	json_write_member_string(w, "reason", conflict->reason);
	json_write_name(w, slice_of("suggest"));
	json_write_object(w);
	json_write_member_string(w, "from", conflict->a->item->ref);
	json_write_member_string(w, "to", conflict->b->item->ref);
	json_write_member_string(w, "type", slice_of(relation_type_names[RELATION_CONTRADICTS]));
	json_write_end(w);
	json_write_end(w);
}

static void write_conflicts(struct json_writer *w, const struct merge_unit *unit)
{
	if (unit->conflict_count == 0)
		return;
	json_write_name(w, slice_of("conflicts"));
	json_write_array(w);
	for (size_t i = 0; i < unit->conflict_count; i++)
		write_conflict(w, &unit->conflicts[i]);
	json_write_end(w);
}

static void write_cohesion(struct json_writer *w, double cohesion)
{
	json_write_name(w, slice_of("cohesion"));
	json_write_fixed(w, cohesion, 4);
}

static const struct plan_step *step_of(const struct merge_work *work, const struct merge_unit *unit)
{
	return unit->step == SIZE_MAX ? NULL : &work->plan.steps[unit->step];
}

/* Why the unit is not merged; absent where it is. */
static struct slice reason_of(const struct merge_work *work, const struct merge_unit *unit)
{
	const struct plan_step *step = step_of(work, unit);

	return step && step->skip_code != ERR_NONE ? step->skipped : unit->reason;
}

/* ---- preview */

static void write_member(struct json_writer *w, const char *name, const struct json *doc,
			 const char *member)
{
	uint32_t node = json_member(doc, JSON_ROOT, member);

	json_write_name(w, slice_of(name));
	if (node != JSON_NONE)
		json_write_value(w, doc, node);
	else
		json_write_raw(w, slice_of("[]"));
}

/* What the entry would be. */
static void write_merged(struct json_writer *w, const struct merging *merging)
{
	struct arena arena = ARENA_INIT;
	struct json doc = {0};
	double strength = 1;
	uint32_t node;

	common_parse(&doc, merging->text);
	json_write_member_string(w, "new_memory_id", merging->parts[merging->kept]->item->ref);
	json_write_member_string(
		w, "merged_content_preview",
		utf8_cut(merging_words(merging->value, &arena), PREVIEW_CHARACTERS));
	write_member(w, "merged_entities", &doc, "entities");
	write_member(w, "merged_tags", &doc, "tags");
	node = json_member(&doc, JSON_ROOT, "strength");
	if (node != JSON_NONE)
		json_double(&doc, node, &strength);
	json_write_name(w, slice_of("calculated_strength"));
	json_write_fixed(w, strength, 4);
	json_write_member_int(w, "bytes", (int64_t)entry_size(merging->text));
	json_release(&doc);
	arena_release(&arena);
}

static void write_name(struct json_writer *w, const struct merging *merging)
{
	struct slice *refs = mem_zalloc(merging->count, sizeof *refs);
	STR_AUTO name = STR_INIT;

	for (size_t i = 0; i < merging->count; i++)
		refs[i] = merging->parts[i]->item->ref;
	alike_group_name(&name, refs, merging->count);
	json_write_member_string(w, "cluster_id", str_slice(&name));
	free(refs);
}

static void write_preview(struct json_writer *w, const struct merge_work *work,
			  const struct merge_unit *unit)
{
	struct slice reason = reason_of(work, unit);

	json_write_object(w);
	write_name(w, &unit->merging);
	write_refs(w, "refs", &unit->merging);
	json_write_member_int(w, "memory_count", (int64_t)unit->merging.count);
	write_cohesion(w, unit->merging.cohesion);
	json_write_member_string(w, "action", slice_of(reason.ptr ? "review" : "merge"));
	if (reason.ptr)
		json_write_member_string(w, "reason", reason);
	if (unit->merging.text.ptr)
		write_merged(w, &unit->merging);
	write_conflicts(w, unit);
	json_write_end(w);
}

static void write_previews(struct json_writer *w, const struct merge_work *work)
{
	json_write_member_bool(w, "auto_detect", work->args->auto_detect == 1);
	json_write_member_int(w, "candidates_found", (int64_t)work->unit_count);
	json_write_name(w, slice_of("previews"));
	json_write_array(w);
	for (size_t i = 0; i < work->unit_count; i++)
		write_preview(w, work, &work->units[i]);
	json_write_end(w);
}

/* ---- apply */

static double confidence_of(const struct merging *merging)
{
	double confidence = 0;

	for (size_t i = 0; i < merging->count; i++) {
		if (merging->parts[i]->confidence > confidence)
			confidence = merging->parts[i]->confidence;
	}
	return confidence;
}

static void write_done(struct json_writer *w, const struct merge_work *work,
		       const struct merge_unit *unit)
{
	const struct plan_step *step = step_of(work, unit);

	json_write_member_string(w, "new_memory_id", step->ref);
	write_refs(w, "source_ids", &unit->merging);
	common_write_texts(w, "relation_ids", step->link_ids, step->link_count);
	json_write_member_int(w, "archived_count", (int64_t)unit->merging.count - 1);
	json_write_member_int(w, "new_access_count", merging_hits(&unit->merging));
	json_write_name(w, slice_of("new_confidence"));
	json_write_fixed(w, confidence_of(&unit->merging), 4);
	write_cohesion(w, unit->merging.cohesion);
	write_conflicts(w, unit);
}

static void write_candidate(struct json_writer *w, const struct merge_work *work,
			    const struct merge_unit *unit)
{
	json_write_object(w);
	write_refs(w, "refs", &unit->merging);
	write_cohesion(w, unit->merging.cohesion);
	json_write_member_string(w, "reason", reason_of(work, unit));
	write_conflicts(w, unit);
	json_write_end(w);
}

/* What was found: what became one, and what is left to somebody. Returns the entries that went. */
static size_t write_found(struct json_writer *w, const struct merge_work *work)
{
	size_t archived = 0;

	json_write_name(w, slice_of("merges"));
	json_write_array(w);
	for (size_t i = 0; i < work->unit_count; i++) {
		if (reason_of(work, &work->units[i]).ptr)
			continue;
		json_write_object(w);
		write_done(w, work, &work->units[i]);
		json_write_end(w);
		archived += work->units[i].merging.count - 1;
	}
	json_write_end(w);
	json_write_name(w, slice_of("candidates"));
	json_write_array(w);
	for (size_t i = 0; i < work->unit_count; i++) {
		if (reason_of(work, &work->units[i]).ptr)
			write_candidate(w, work, &work->units[i]);
	}
	json_write_end(w);
	json_write_member_int(w, "archived_count", (int64_t)archived);
	return archived;
}

static void write_applied(struct json_writer *w, const struct merge_work *work)
{
	STR_AUTO message = STR_INIT;
	size_t archived;

	if (work->args->refs.given) {
		const struct merging *merging = &work->units[0].merging;

		write_done(w, work, &work->units[0]);
		str_printf(&message, "Merged %zu memories into ", merging->count);
		str_add(&message, merging->parts[merging->kept]->item->ref);
	} else {
		archived = write_found(w, work);
		str_printf(&message, "Archived %zu %s", archived,
			   archived == 1 ? "memory that another says" : "memories that others say");
	}
	json_write_member_string(w, "message", str_slice(&message));
}

/* ---- link */

static void write_linked(struct json_writer *w, const struct merge_work *work)
{
	STR_AUTO message = STR_INIT;
	size_t created = 0;

	json_write_name(w, slice_of("relation_ids"));
	json_write_array(w);
	for (size_t i = 0; i < work->plan.count; i++) {
		const struct plan_step *step = &work->plan.steps[i];

		if (step->skip_code != ERR_NONE)
			continue;
		json_write_string(w, step->link_ids[0]);
		created++;
	}
	json_write_end(w);
	json_write_member_int(w, "relations_created", (int64_t)created);
	json_write_name(w, slice_of("groups"));
	json_write_array(w);
	for (size_t i = 0; i < work->unit_count; i++) {
		json_write_object(w);
		write_refs(w, "refs", &work->units[i].merging);
		write_cohesion(w, work->units[i].merging.cohesion);
		write_conflicts(w, &work->units[i]);
		json_write_end(w);
	}
	json_write_end(w);
	str_printf(&message, "Created %zu %s in %zu %s", created,
		   created == 1 ? "relation" : "relations", work->unit_count,
		   work->unit_count == 1 ? "group" : "groups");
	json_write_member_string(w, "message", str_slice(&message));
}

void merge_reply(struct json_writer *w, const struct merge_work *work)
{
	json_write_object(w);
	json_write_member_bool(w, "success", true);
	json_write_member_string(w, "mode", slice_of(merge_mode_names[work->args->mode]));
	if (work->args->mode == MERGE_PREVIEW)
		write_previews(w, work);
	else if (work->args->mode == MERGE_APPLY)
		write_applied(w, work);
	else
		write_linked(w, work);
	common_write_refs(w, "evicted", work->result.evicted, work->result.evicted_count);
	common_end_reply(w, work->call);
}
