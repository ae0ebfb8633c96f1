#include "ops/maintain/plan_file.h"
#include "ops/maintain/promotion.h"
#include "tools/registry.h"

struct promote_args {
	struct slice ref;
	int auto_detect;
	int target;
	int force;
	int dry_run;
};

/* Both are the folder of notes; one of them is what a vault of notes is called elsewhere. */
static const char *const targets[] = {"notes", "obsidian", NULL};

static const struct param params[] = {
	{PARAM(TEXT, promote_args, ref),
	 .flags = PARAM_NOT_BLANK | PARAM_POSITIONAL | PARAM_EXISTING, .help = "a key or ref"},
	{PARAM(BOOL, promote_args, auto_detect), .help = "all that qualify"},
	{PARAM(CHOICE, promote_args, target), .choices = targets, .help = "both write to notes_dir",
	 .fallback = "\"notes\""},
	{PARAM(BOOL, promote_args, force), .help = "even if not due"},
	{PARAM(BOOL, promote_args, dry_run), .help = "only report", .fallback = "true"},
};

/* ---- the reply */

static void promote_write_candidate(struct json_writer *w, const struct plan *plan,
				    const struct candidate *candidate, const char *folder)
{
	json_write_object(w);
	json_write_member_string(w, "id", candidate->ref);
	json_write_member_string(w, "content_preview", candidate->preview);
	json_write_member_string(w, "reason", candidate->reason);
	common_write_score(w, "score", candidate->score);
	json_write_member_int(w, "use_count", candidate->uses);
	json_write_member_fixed(w, "age_days", candidate->age_days, 1);
	/* Where the note is, as the entry says from then on. */
	if (candidate->step != PROMOTE_NOT && plan->steps[candidate->step].skip_code == ERR_NONE) {
		STR_AUTO path = STR_INIT;

		str_printf(&path, "%s/", folder);
		str_add(&path, plan->steps[candidate->step].note_file);
		json_write_member_string(w, "promoted_to", str_slice(&path));
	}
	if (candidate->kept != PROTECTION_NONE)
		json_write_member_string(w, "protected",
					 slice_of(protection_text(candidate->kept)));
	json_write_end(w);
}

static void promote_write_message(struct json_writer *w, const struct promote_args *args,
				  size_t promoted, size_t found)
{
	STR_AUTO text = STR_INIT;

	str_printf(&text, "%s %zu %s to %s", args->dry_run == 1 ? "Would promote" : "Promoted",
		   promoted, promoted == 1 ? "memory" : "memories", targets[args->target]);
	if (found > promoted)
		str_printf(&text, "; %zu more %s protected: promote those by ref", found - promoted,
			   found - promoted == 1 ? "is" : "are");
	json_write_member_string(w, "message", str_slice(&text));
}

static void promote_write_reply(struct json_writer *w, const struct promote_args *args,
				const struct plan *plan, const struct candidates *found,
				const char *folder)
{
	size_t promoted = plan_standing(plan);

	json_write_object(w);
	json_write_member_bool(w, "success", true);
	json_write_member_bool(w, "dry_run", args->dry_run == 1);
	json_write_member_int(w, "candidates_found", (int64_t)found->count);
	json_write_member_int(w, "promoted_count", (int64_t)promoted);
	plan_write_refs(w, "promoted_ids", plan, PLAN_PROMOTE, SIZE_MAX);
	json_write_member_array(w, "candidates");
	for (size_t i = 0; i < found->count; i++)
		promote_write_candidate(w, plan, &found->list[i], folder);
	json_write_end(w);
	promote_write_message(w, args, promoted, found->count);
}

static int promote_handle(const struct call *call, const void *arguments, struct json_writer *w,
			  struct err *err)
{
	const struct promote_args *args = arguments;
	struct candidates found = {0};
	struct change_result result;
	CHANGE_AUTO change = NULL;
	PLAN_AUTO plan = PLAN_INIT;
	struct settings settings;

	if ((args->ref.ptr != NULL) == (args->auto_detect == 1))
		return err_set(err, ERR_BAD_VALUE,
			       args->ref.ptr ? "ref: give ref or auto_detect, not both"
					     : "ref: missing; give an entry, or auto_detect");
	if (!args->ref.ptr && args->force == 1)
		return err_set(err, ERR_BAD_VALUE, "force: needs ref");
	plan.unattended = !args->ref.ptr;
	if (common_change_begin_unless(&change, call, args->dry_run == 1, err) != 0 ||
	    (args->ref.ptr ? promotion_plan_one(&plan, change, call, args->ref, args->force == 1,
						&found, err)
			   : promotion_plan(&plan, change, &found, err)) != 0 ||
	    store_settings(call->store, &settings, err) != 0 ||
	    plan_apply(&plan, change, call->warning, &result, err) != 0)
		return -1;
	promote_write_reply(w, args, &plan, &found, settings.notes_dir);
	common_end_change(w, call, &result);
	return 0;
}

const struct tool tool_promote = {
	.name = "memory_promote",
	.command = "promote",
	.title = "Promote a memory to a note",
	.section = SECTION_UPKEEP,
	.summary = "Write proven entries to Markdown notes.",
	TOOL_TAKES(params, promote_args),
	.run = promote_handle,
};
