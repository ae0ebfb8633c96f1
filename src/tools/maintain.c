#include "ops/common.h"
#include "ops/maintain/maintenance.h"
#include "ops/maintain/plan_file.h"
#include "store/open/store.h"
#include "store/upkeep/maintained.h"
#include "tools/registry.h"

#define MS_PER_S INT64_C(1000)
#define MS_PER_HOUR (3600 * MS_PER_S)

struct maintain_args {
	int step; /* enum maintain_step, or -1 */
	int dry_run;
	int scheduled;
	int64_t interval_hours;
	struct slice plan;
	struct slice apply;
};

static const struct param params[] = {
	{PARAM(CHOICE, maintain_args, step), .flags = PARAM_POSITIONAL,
	 .help = "only this step; default: all, in this order", .choices = maintain_step_names},
	{PARAM(BOOL, maintain_args, dry_run), .help = "only show what would be done",
	 .fallback = "false"},
	{PARAM(BOOL, maintain_args, scheduled),
	 .help = "do nothing if the last scheduled run is less than the interval ago",
	 .fallback = "false"},
	{PARAM(INT, maintain_args, interval_hours),
	 .help = "for --scheduled; default: the setting maintain_interval_s", .min = 1,
	 .max = 8784},
	{PARAM(TEXT, maintain_args, plan), .flags = PARAM_NOT_BLANK,
	 .help = "write what would be done to this new file, to be read before it is applied"},
	{PARAM(TEXT, maintain_args, apply), .flags = PARAM_NOT_BLANK,
	 .help = "do what a plan file says, as one change; steps whose entries have changed since "
		 "are left out and named"},
};

/* ---- the reply */

static void maintain_write_actions(struct json_writer *w, const struct plan *plan, size_t from,
				   size_t end)
{
	json_write_member_array(w, "actions");
	for (size_t i = from; i < end; i++) {
		const struct plan_step *step = &plan->steps[i];

		if (step->skip_code != ERR_NONE)
			continue;
		json_write_object(w);
		plan_write_subject(w, step);
		if (step->kind == PLAN_LINK)
			json_write_member_string(w, "to", step->to);
		if (step->kind == PLAN_PROMOTE && step->note_file.ptr)
			json_write_member_string(w, "note", step->note_file);
		if (step->because.ptr)
			json_write_member_string(w, "because", step->because);
		json_write_end(w);
	}
	json_write_end(w);
}

static void maintain_write_reply(const struct maintenance *m, bool dry_run, size_t changes,
				 struct json_writer *w)
{
	json_write_object(w);
	json_write_member_bool(w, "dry_run", dry_run);
	json_write_member_int(w, "changes", (int64_t)changes);
	for (int s = 0; s < MAINTAIN_STEP_COUNT; s++) {
		JSON_AUTO doc = {0};

		if (!m->found[s].ptr)
			continue;
		common_parse(&doc, m->found[s]);
		json_write_member_object(w, maintain_step_names[s]);
		maintain_write_actions(w, &m->plan, m->from[s], m->end[s]);
		for (uint32_t n = json_first(&doc, JSON_ROOT); n != JSON_NONE;
		     n = json_next(&doc, n)) {
			STR_AUTO name = STR_INIT;

			json_write_name(w, json_name(&doc, n, &name));
			json_write_value(w, &doc, n);
		}
		json_write_end(w);
	}
	plan_write_left_out(w, &m->plan, false);
	common_end_reply(w, m->call);
}

/* ---- what is asked for */

static int maintain_check_arguments(const struct maintain_args *args, struct err *err)
{
	if (args->plan.ptr && args->apply.ptr)
		return err_set(err, ERR_BAD_VALUE, "apply: give --plan or --apply, not both");
	if (args->apply.ptr && (args->step >= 0 || args->scheduled == 1))
		return err_set(err, ERR_BAD_VALUE,
			       "apply: the plan file says what is done; leave out the step and "
			       "--scheduled");
	if (args->plan.ptr && args->scheduled == 1)
		return err_set(err, ERR_BAD_VALUE,
			       "plan: only writes the plan; leave out --scheduled");
	if (args->interval_hours != ARG_NONE && args->scheduled != 1)
		return err_set(err, ERR_BAD_VALUE, "interval_hours: needs --scheduled");
	return 0;
}

static int maintain_apply_file(const struct call *call, const struct maintain_args *args,
			       struct json_writer *w, struct err *err)
{
	struct change_result result = {0};
	CHANGE_AUTO change = NULL;
	PLAN_AUTO plan = PLAN_INIT;

	if (plan_load(&plan, call, args->apply, err) != 0)
		return -1;
	plan.unattended = true;
	if (common_change_begin_unless(&change, call, args->dry_run == 1, err) != 0 ||
	    plan_apply(&plan, change, call->warning, &result, err) != 0)
		return -1;
	json_write_object(w);
	json_write_member_bool(w, "dry_run", args->dry_run == 1);
	json_write_member_int(w, "changes", args->dry_run != 1 && plan_standing(&plan) > 0);
	maintain_write_actions(w, &plan, 0, plan.count);
	plan_write_left_out(w, &plan, false);
	common_end_change(w, call, &result);
	return 0;
}

/* Is it time? Else the reply is written. */
static int maintain_check_schedule(const struct call *call, const struct maintain_args *args,
				   struct json_writer *w, bool *due, struct err *err)
{
	int64_t last_ms = store_maintained_ms(call->store);
	struct settings settings;
	int64_t next_ms;

	*due = true;
	if (args->scheduled != 1)
		return 0;
	if (common_refresh(call, err) != 0 || store_settings(call->store, &settings, err) != 0)
		return -1;
	next_ms = args->interval_hours != ARG_NONE ? args->interval_hours * MS_PER_HOUR
						   : settings.maintain_interval_s * MS_PER_S;
	/* A time in the future means that the clock was set back. */
	if (last_ms == TIME_NONE || last_ms > call->now_ms || call->now_ms - last_ms >= next_ms)
		return 0;
	*due = false;
	json_write_object(w);
	json_write_member_bool(w, "dry_run", args->dry_run == 1);
	json_write_member_int(w, "changes", 0);
	json_write_member_string(w, "skipped", slice_of("it is not time yet"));
	common_write_time(w, "last_run", last_ms);
	common_write_time(w, "next_run", last_ms + next_ms);
	common_end_reply(w, call);
	return 0;
}

/* Plans, and saves the plan, does it, or does nothing. */
static int maintain_maintain(const struct call *call, const struct maintain_args *args,
			     struct json_writer *w, struct err *err)
{
	bool dry_run = args->dry_run == 1 || args->plan.ptr;
	struct maintenance m;
	size_t changes = 0;
	int status = maintenance_plan(
		&m, call, args->step < 0 ? MAINTAIN_STEP_COUNT : (enum maintain_step)args->step,
		err);

	if (status == 0 && args->plan.ptr && args->dry_run != 1)
		status = plan_save(&m.plan, call, args->plan, err);
	if (status == 0 && !dry_run)
		status = maintenance_do(&m, &changes, err);
	if (status == 0 && !dry_run && args->scheduled == 1)
		status = store_note_maintained(call->store, call->now_ms, err);
	if (status == 0)
		maintain_write_reply(&m, dry_run, changes, w);
	plan_release(&m.plan);
	return status;
}

static int maintain_handle(const struct call *call, const void *arguments, struct json_writer *w,
			   struct err *err)
{
	const struct maintain_args *args = arguments;
	bool due;

	if (maintain_check_arguments(args, err) != 0)
		return -1;
	if (args->apply.ptr)
		return maintain_apply_file(call, args, w, err);
	if (maintain_check_schedule(call, args, w, &due, err) != 0)
		return -1;
	return due ? maintain_maintain(call, args, w, err) : 0;
}

const struct tool tool_maintain = {
	.name = "maintain",
	.command = "maintain",
	.title = "Maintain the store",
	.section = SECTION_UPKEEP,
	.summary = "Archive what has faded, name groups, merge duplicates, write notes of proven "
		   "entries, link related ones; each step is a change that can be undone. "
		   "Protected entries are left alone, and nothing is destroyed.",
	TOOL_TAKES(params, maintain_args),
	.flags = TOOL_SHELL_ONLY,
	.run = maintain_handle,
};
