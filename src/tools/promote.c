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
	 .flags = PARAM_NOT_BLANK | PARAM_POSITIONAL | PARAM_EXISTING | PARAM_PLAIN,
	 .help = "a key or ref"},
	{PARAM(BOOL, promote_args, auto_detect)},
	{PARAM(CHOICE, promote_args, target), .choices = targets, .fallback = "\"notes\""},
	{PARAM(BOOL, promote_args, force)},
	{PARAM(BOOL, promote_args, dry_run), .fallback = "true"},
};

/* ---- the reply */

static bool is_promoted(const struct plan *plan, const struct candidate *candidate)
{
	return candidate->step != PROMOTE_NOT && plan->steps[candidate->step].skip_code == ERR_NONE;
}

/* Where the note is, as the entry says from then on. */
static void promote_write_place(struct json_writer *w, const struct plan *plan,
				const struct candidate *candidate, const char *folder)
{
	STR_AUTO path = STR_INIT;

	str_printf(&path, "%s/", folder);
	str_add(&path, plan->steps[candidate->step].note_file);
	json_write_member_string(w, "promoted_to", str_slice(&path));
}

static void promote_write_candidate(struct json_writer *w, const struct plan *plan,
				    const struct candidate *candidate, const char *folder)
{
	json_write_object(w);
	json_write_member_string(w, "id", candidate->ref);
	json_write_member_string(w, "content_preview", candidate->preview);
	json_write_member_string(w, "reason", candidate->reason);
	json_write_name(w, slice_of("score"));
	json_write_fixed(w, candidate->score, 4);
	json_write_member_int(w, "use_count", candidate->uses);
	json_write_name(w, slice_of("age_days"));
	json_write_fixed(w, candidate->age_days, 1);
	if (is_promoted(plan, candidate))
		promote_write_place(w, plan, candidate, folder);
	if (candidate->kept != PROTECTION_NONE)
		json_write_member_string(w, "protected",
					 slice_of(protection_text(candidate->kept)));
	json_write_end(w);
}

static void write_message(struct json_writer *w, const struct promote_args *args, size_t promoted,
			  size_t found)
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
	json_write_name(w, slice_of("promoted_ids"));
	json_write_array(w);
	for (size_t i = 0; i < found->count; i++) {
		if (is_promoted(plan, &found->list[i]))
			json_write_string(w, found->list[i].ref);
	}
	json_write_end(w);
	json_write_name(w, slice_of("candidates"));
	json_write_array(w);
	for (size_t i = 0; i < found->count; i++)
		promote_write_candidate(w, plan, &found->list[i], folder);
	json_write_end(w);
	write_message(w, args, promoted, found->count);
}

static int promote_change(struct change *change, const struct call *call,
			  const struct promote_args *args, struct plan *plan, struct json_writer *w,
			  struct err *err)
{
	struct candidates found = {0};
	struct change_result result;
	struct settings settings;
	int rc;

	plan->unattended = !args->ref.ptr;
	rc = args->ref.ptr ? promotion_plan_one(plan, change, call, args->ref, args->force == 1,
						&found, err)
			   : promotion_plan(plan, change, &found, err);
	if (rc != 0 || store_settings(call->store, &settings, err) != 0 ||
	    plan_apply(plan, change, &result, err) != 0)
		return -1;
	promote_write_reply(w, args, plan, &found, settings.notes_dir);
	common_end_change(w, call, &result);
	return 0;
}

static int promote_handle(const struct call *call, const void *arguments, struct json_writer *w,
			  struct err *err)
{
	const struct promote_args *args = arguments;
	struct plan plan = PLAN_INIT;
	struct change *change;
	int rc;

	if ((args->ref.ptr != NULL) == (args->auto_detect == 1))
		return err_set(err, ERR_BAD_VALUE,
			       "ref: say which entry to promote, or auto_detect for all that have "
			       "deserved it, not %s",
			       args->ref.ptr ? "both" : "neither");
	if (!args->ref.ptr && args->force == 1)
		return err_set(err, ERR_BAD_VALUE, "force: promotes the entry of a ref only");
	if (common_change_begin_unless(&change, call, args->dry_run == 1, err) != 0)
		return -1;
	rc = promote_change(change, call, args, &plan, w, err);
	change_end(change);
	plan_release(&plan);
	return rc;
}

const struct tool tool_promote = {
	.name = "memory_promote",
	.command = "promote",
	.title = "Promote a memory to a note",
	.section = SECTION_UPKEEP,
	.summary = "Make Markdown notes of entries that have proved their worth.",
	.params = params,
	.param_count = sizeof params / sizeof *params,
	.args_size = sizeof(struct promote_args),
	.run = promote_handle,
};
