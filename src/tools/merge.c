#include "base/utf8.h"
#include "ops/common.h"
#include "ops/maintain/merge_groups.h"
#include "ops/secret_check.h"
#include "ops/similar_text.h"
#include "tools/registry.h"

#include <math.h>

/* Most refs that can be merged at a time. */
#define MERGE_REFS_MAX 100

/* Most characters of a value that a preview shows. */
#define PREVIEW_CHARACTERS 300

struct merge_args {
	struct arg_texts refs;
	int auto_detect;
	struct arg_json cohesion_threshold;
	int keep; /* enum merging_keep */
	int mode; /* enum merge_mode */
	struct arg_json value;
	int allow_secret; /* for screen_arguments() alone */
};

static const char *const merge_mode_names[] = {"preview", "apply", "link", NULL};

static const char *const keep_names[] = {
	"combine", "higher_confidence", "higher_access", "first", "second", NULL};

static const struct param params[] = {
	{PARAM(TEXTS, merge_args, refs), .flags = PARAM_POSITIONAL | PARAM_EXISTING,
	 .help = "two or more"},
	{PARAM(BOOL, merge_args, auto_detect), .help = "look for groups"},
	{PARAM(NUMBER, merge_args, cohesion_threshold), .flags = PARAM_OPEN_RANGE, .max = 1,
	 .help = "least similarity, 0 to 1", .fallback = "0.75"},
	{PARAM(CHOICE, merge_args, keep), .choices = keep_names, .help = "whose value stays",
	 .fallback = "\"combine\""},
	{PARAM(CHOICE, merge_args, mode), .choices = merge_mode_names, .help = "link: keep both",
	 .fallback = "\"preview\""},
	{PARAM(JSON, merge_args, value), .help = "the result's wording"},
	SCREEN_PARAM(merge_args),
};

/* ---- the reply */

static void merge_write_refs(struct json_writer *w, const char *name, const struct merging *merging)
{
	json_write_member_array(w, name);
	for (size_t i = 0; i < merging->count; i++)
		json_write_string(w, merging->parts[i]->item->ref);
	json_write_end(w);
}

static void merge_write_conflicts(struct json_writer *w, const struct merge_group *group)
{
	if (group->conflict_count == 0)
		return;
	json_write_member_array(w, "conflicts");
	for (size_t i = 0; i < group->conflict_count; i++) {
		const struct duplicates_candidate *conflict = &group->conflicts[i];
		const struct slice refs[] = {conflict->a->item->ref, conflict->b->item->ref};

		json_write_object(w);
		common_write_texts(w, "refs", refs, 2);
		json_write_member_string(w, "reason", conflict->reason);
		json_write_member_object(w, "suggest");
		json_write_member_string(w, "from", refs[0]);
		json_write_member_string(w, "to", refs[1]);
		json_write_member_string(w, "type",
					 slice_of(relation_type_names[RELATION_CONTRADICTS]));
		json_write_end(w);
		json_write_end(w);
	}
	json_write_end(w);
}

/* What the entry would be. */
static void merge_write_merged(struct json_writer *w, const struct merging *merging)
{
	static const char *const lists[][2] = {{"merged_entities", "entities"},
					       {"merged_tags", "tags"}};
	ARENA_AUTO arena = ARENA_INIT;
	JSON_AUTO doc = {0};
	double strength = 1;

	common_parse(&doc, merging->text);
	json_write_member_string(w, "new_memory_id", merging->parts[merging->kept]->item->ref);
	json_write_member_string(
		w, "merged_content_preview",
		utf8_cut(merging_words(merging->value, &arena), PREVIEW_CHARACTERS));
	for (size_t i = 0; i < 2; i++) {
		uint32_t node = json_member(&doc, JSON_ROOT, lists[i][1]);

		if (node != JSON_NONE)
			json_write_member_value(w, lists[i][0], &doc, node);
		else
			json_write_member_raw(w, lists[i][0], slice_of("[]"));
	}
	json_double(&doc, json_member(&doc, JSON_ROOT, "strength"), &strength);
	json_write_member_fixed(w, "calculated_strength", strength, ENTRY_STRENGTH_DECIMALS);
	json_write_member_int(w, "bytes", (int64_t)entry_size(merging->text));
}

static void merge_write_preview(struct json_writer *w, const struct merge_group *group)
{
	const struct merging *merging = &group->merging;
	ARENA_AUTO arena = ARENA_INIT;
	struct slice *refs = arena_alloc(&arena, merging->count * sizeof *refs);
	STR_AUTO name = STR_INIT;

	json_write_object(w);
	for (size_t i = 0; i < merging->count; i++)
		refs[i] = merging->parts[i]->item->ref;
	alike_group_name(&name, refs, merging->count);
	json_write_member_string(w, "cluster_id", str_slice(&name));
	common_write_texts(w, "refs", refs, merging->count);
	json_write_member_int(w, "memory_count", (int64_t)merging->count);
	common_write_score(w, "cohesion", merging->cohesion);
	json_write_member_string(w, "action", slice_of(group->reason.ptr ? "review" : "merge"));
	if (group->reason.ptr)
		json_write_member_string(w, "reason", group->reason);
	if (merging->text.ptr)
		merge_write_merged(w, merging);
	merge_write_conflicts(w, group);
	json_write_end(w);
}

static void merge_write_done(struct json_writer *w, const struct merge_group *group)
{
	const struct merging *merging = &group->merging;
	double confidence = 0;

	for (size_t i = 0; i < merging->count; i++)
		confidence = fmax(confidence, merging->parts[i]->item->entry.confidence);
	json_write_member_string(w, "new_memory_id", group->step->ref);
	merge_write_refs(w, "source_ids", merging);
	common_write_texts(w, "relation_ids", group->step->link_ids, group->step->link_count);
	json_write_member_int(w, "archived_count", (int64_t)merging->count - 1);
	json_write_member_int(w, "new_access_count", merging_hits(merging));
	json_write_member_double(w, "new_confidence", confidence);
	common_write_score(w, "cohesion", merging->cohesion);
	merge_write_conflicts(w, group);
}

/* A group that is not merged: it is linked, or the reason says why it is left to somebody. */
static void merge_write_left(struct json_writer *w, const struct merge_group *group)
{
	json_write_object(w);
	merge_write_refs(w, "refs", &group->merging);
	common_write_score(w, "cohesion", group->merging.cohesion);
	if (group->reason.ptr)
		json_write_member_string(w, "reason", group->reason);
	merge_write_conflicts(w, group);
	json_write_end(w);
}

/* What was found: what became one, and what is left to somebody. */
static void merge_write_found(struct json_writer *w, const struct merge_groups *groups,
			      struct str *message)
{
	size_t archived = 0;

	json_write_member_array(w, "merges");
	for (size_t i = 0; i < groups->count; i++) {
		if (!groups->list[i].step)
			continue;
		json_write_object(w);
		merge_write_done(w, &groups->list[i]);
		json_write_end(w);
		archived += groups->list[i].merging.count - 1;
	}
	json_write_end(w);
	json_write_member_array(w, "candidates");
	for (size_t i = 0; i < groups->count; i++) {
		if (!groups->list[i].step)
			merge_write_left(w, &groups->list[i]);
	}
	json_write_end(w);
	json_write_member_int(w, "archived_count", (int64_t)archived);
	str_printf(message, "Archived %zu %s", archived,
		   archived == 1 ? "memory that another says" : "memories that others say");
}

static void merge_write_linked(struct json_writer *w, const struct merge_groups *groups,
			       struct str *message)
{
	size_t created = plan_standing(&groups->plan);

	json_write_member_array(w, "relation_ids");
	for (size_t i = 0; i < groups->plan.count; i++) {
		if (groups->plan.steps[i].skip_code == ERR_NONE)
			json_write_string(w, groups->plan.steps[i].link_ids[0]);
	}
	json_write_end(w);
	json_write_member_int(w, "relations_created", (int64_t)created);
	json_write_member_array(w, "groups");
	for (size_t i = 0; i < groups->count; i++)
		merge_write_left(w, &groups->list[i]);
	json_write_end(w);
	str_printf(message, "Created %zu %s in %zu %s", created,
		   created == 1 ? "relation" : "relations", groups->count,
		   groups->count == 1 ? "group" : "groups");
}

static void merge_write_reply(struct json_writer *w, const struct call *call,
			      const struct merge_args *args, const struct merge_groups *groups)
{
	STR_AUTO message = STR_INIT;

	json_write_object(w);
	json_write_member_bool(w, "success", true);
	json_write_member_string(w, "mode", slice_of(merge_mode_names[args->mode]));
	if (args->mode == MERGE_PREVIEW) {
		json_write_member_bool(w, "auto_detect", args->auto_detect == 1);
		json_write_member_int(w, "candidates_found", (int64_t)groups->count);
		json_write_member_array(w, "previews");
		for (size_t i = 0; i < groups->count; i++)
			merge_write_preview(w, &groups->list[i]);
		json_write_end(w);
	} else if (args->mode == MERGE_LINK) {
		merge_write_linked(w, groups, &message);
	} else if (args->refs.given) {
		merge_write_done(w, &groups->list[0]);
		str_printf(&message, "Merged %zu memories into ", groups->list[0].merging.count);
		str_add(&message, groups->list[0].step->ref);
	} else {
		merge_write_found(w, groups, &message);
	}
	if (message.len)
		json_write_member_string(w, "message", str_slice(&message));
	common_write_refs(w, "evicted", groups->result.evicted, groups->result.evicted_count);
	common_end_reply(w, call);
}

static int merge_check_args(const struct merge_args *args, struct err *err)
{
	if (args->refs.given && args->auto_detect == 1)
		return err_set(err, ERR_BAD_VALUE, "refs: give refs or auto_detect, not both");
	if (!args->refs.given && args->auto_detect != 1)
		return err_set(err, ERR_MISSING_ARGUMENT,
			       "refs: missing; give two or more, or auto_detect true");
	if (args->refs.given && args->refs.count < 2 &&
	    (args->refs.count == 0 || !alike_is_group_name(args->refs.items[0])))
		return err_set(err, ERR_BAD_VALUE, "refs: %zu; give two or more", args->refs.count);
	if (args->value.doc && (!args->refs.given || args->mode == MERGE_LINK))
		return err_set(err, ERR_BAD_VALUE,
			       "value: needs refs, and mode preview or apply; it becomes the value "
			       "of the merged entry");
	if (args->refs.count > MERGE_REFS_MAX)
		return err_set(err, ERR_BAD_VALUE, "refs: %zu; at most %d are allowed at a time",
			       args->refs.count, MERGE_REFS_MAX);
	return 0;
}

static int merge_handle(const struct call *call, const void *arguments, struct json_writer *w,
			struct err *err)
{
	const struct merge_args *args = arguments;
	struct merge_wanted wanted = {
		.refs = &args->refs,
		.mode = (enum merge_mode)args->mode,
		.keep = (enum merging_keep)args->keep,
		.wording = common_json(call, args->value),
	};
	CHANGE_AUTO change = NULL;
	struct merge_groups groups;
	int result;

	json_double(args->cohesion_threshold.doc, args->cohesion_threshold.node, &wanted.threshold);
	if (merge_check_args(args, err) != 0 ||
	    common_change_begin_unless(&change, call, args->mode == MERGE_PREVIEW, err) != 0)
		return -1;
	result = merge_groups_apply(&groups, call, change, &wanted, err);
	if (result == 0)
		merge_write_reply(w, call, args, &groups);
	plan_release(&groups.plan);
	return result;
}

const struct tool tool_merge = {
	.name = "memory_merge",
	.command = "merge",
	.title = "Merge memories",
	.section = SECTION_UPKEEP,
	.summary = "Merge memories that say the same, or link them. Preview first.",
	TOOL_TAKES(params, merge_args),
	.flags = TOOL_DESTRUCTIVE,
	.screen = screen_arguments,
	.run = merge_handle,
};
