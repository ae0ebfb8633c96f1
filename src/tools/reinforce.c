#include "ops/reinforcement.h"
#include "tools/registry.h"

#define REFS_MAX 100

struct reinforce_args {
	struct arg_texts refs;
	struct arg_texts context_tags;
	int boost;
};

static const struct param params[] = {
	{PARAM(TEXTS, reinforce_args, refs),
	 .flags = PARAM_REQUIRED | PARAM_NOT_BLANK | PARAM_POSITIONAL | PARAM_EXISTING |
		  PARAM_PLAIN,
	 .help = "entries used"},
	{PARAM(TEXTS, reinforce_args, context_tags), .flags = PARAM_EXISTING | PARAM_LABELS,
	 .help = "topics talked about"},
	{PARAM(BOOL, reinforce_args, boost), .help = "make them stronger"},
};

static void reinforce_write_outcome(struct json_writer *w, const struct reinforce_outcome *out)
{
	json_write_object(w);
	json_write_member_string(w, "id", out->ref);
	json_write_member_string(w, "status", slice_of(out->found ? "reinforced" : "not_found"));
	if (out->found) {
		json_write_member_bool(w, "cross_domain", out->crosses);
		json_write_member_int(w, "new_use_count", out->uses);
		json_write_member_int(w, "new_review_count", out->reviews);
		json_write_member_fixed(w, "strength", out->strength, 12);
		common_write_score(w, "old_score", out->old_score);
		common_write_score(w, "new_score", out->new_score);
	}
	json_write_end(w);
}

static void reinforce_write_reply(const struct reinforcing *r, struct json_writer *w)
{
	STR_AUTO message = STR_INIT;

	str_printf(&message, "Reinforced %zu %s", r->found, r->found == 1 ? "memory" : "memories");
	if (r->crossed)
		str_printf(&message, ", %zu across domains", r->crossed);
	json_write_object(w);
	json_write_member_bool(w, "reinforced", true);
	json_write_member_int(w, "count", (int64_t)r->found);
	json_write_member_int(w, "cross_domain_count", (int64_t)r->crossed);
	json_write_member_array(w, "results");
	for (size_t i = 0; i < r->count; i++)
		reinforce_write_outcome(w, &r->outcomes[i]);
	json_write_end(w);
	json_write_member_string(w, "message", str_slice(&message));
	common_end_reply(w, r->call);
}

static int reinforce_say_off(const struct call *call, struct json_writer *w)
{
	static const char reason[] = "reinforce is false in config.json: uses are not recorded";

	json_write_object(w);
	json_write_member_bool(w, "reinforced", false);
	json_write_member_string(w, "reason", slice_of(reason));
	json_write_member_int(w, "count", 0);
	json_write_member_string(w, "message", slice_of(reason));
	common_end_reply(w, call);
	return 0;
}

/* Where a file cannot be read nothing is known to be missing. */
static int reinforce_refuse(const struct call *call, struct slice first, struct err *err)
{
	size_t count;
	const char *const *notices = store_notices(call->store, &count);

	if (count > 0)
		return err_set(err, ERR_BAD_DATA, "%s", notices[0]);
	return common_refuse_unknown(call, "refs", first, err);
}

static int reinforce_handle(const struct call *call, const void *arguments, struct json_writer *w,
			    struct err *err)
{
	const struct reinforce_args *args = arguments;
	struct reinforcing r = {
		.call = call,
		.refs = &args->refs,
		.context_tags = &args->context_tags,
		.boost = args->boost == 1,
	};

	if (args->refs.count == 0)
		return err_set(err, ERR_BLANK_ARGUMENT, "refs: name at least one entry");
	if (args->refs.count > REFS_MAX)
		return err_set(err, ERR_BAD_VALUE, "refs: %zu; at most %d are allowed at a time",
			       args->refs.count, REFS_MAX);
	if (common_refresh(call, err) != 0 || store_settings(call->store, &r.settings, err) != 0)
		return -1;
	if (!r.settings.reinforce)
		return reinforce_say_off(call, w);
	if (reinforce_uses(&r, err) != 0)
		return -1;
	if (r.found == 0)
		return reinforce_refuse(call, args->refs.items[0], err);
	reinforce_write_reply(&r, w);
	return 0;
}

const struct tool tool_reinforce = {
	.name = "memory_reinforce",
	.command = "reinforce",
	.title = "Record a use",
	.section = SECTION_UPKEEP,
	.summary = "Report which entries went into your answer; they fade more slowly.",
	TOOL_TAKES(params, reinforce_args),
	.run = reinforce_handle,
};
