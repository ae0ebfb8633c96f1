#include "tools/promote.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "ops/common.h"
#include "tools/registry_rows.h"

#include <inttypes.h>
#include <stdlib.h>

/* Characters of a value in a reply. */
#define PREVIEW 100

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
	{.name = "ref",
	 .type = PARAM_TEXT,
	 .flags = PARAM_NOT_BLANK | PARAM_POSITIONAL | PARAM_EXISTING | PARAM_PLAIN,
	 .offset = offsetof(struct promote_args, ref),
	 .help = "a key or ref"},
	{.name = "auto_detect",
	 .type = PARAM_BOOL,
	 .offset = offsetof(struct promote_args, auto_detect)},
	{.name = "target",
	 .type = PARAM_CHOICE,
	 .offset = offsetof(struct promote_args, target),
	 .choices = targets,
	 .fallback = "\"notes\""},
	{.name = "force", .type = PARAM_BOOL, .offset = offsetof(struct promote_args, force)},
	{.name = "dry_run",
	 .type = PARAM_BOOL,
	 .offset = offsetof(struct promote_args, dry_run),
	 .fallback = "true"},
};

/* ---- candidates */

static void add_reason(struct str *out, unsigned int merits, const struct facts *facts,
		       double score, const struct settings *settings)
{
	if (merits & DECAY_MERIT_SCORE)
		str_printf(out, "High score (%.2f >= %.4g)", score, settings->promote_threshold);
	if (merits & DECAY_MERIT_USES)
		str_printf(out, "%s%" PRId64 " uses within %" PRId64 " days (>= %" PRId64 ")",
			   out->len ? "; " : "", facts->uses, settings->promote_days,
			   settings->promote_uses);
	if (!merits)
		str_adds(out, "Forced");
}

/* The beginning of the value, in one line. */
static struct slice preview(const struct item *item, struct arena *arena)
{
	STR_AUTO scratch = STR_INIT;
	STR_AUTO out = STR_INIT;
	struct json doc = {0};
	struct json_writer w;
	struct slice text;
	struct slice cut;

	common_parse(&doc, item->entry.value);
	if (json_type(&doc, JSON_ROOT) == JSON_STRING) {
		text = json_string(&doc, JSON_ROOT, &scratch);
	} else {
		json_writer_init(&w, &scratch, &json_compact);
		json_write_value(&w, &doc, JSON_ROOT);
		text = str_slice(&scratch);
	}
	cut = utf8_cut(text, PREVIEW);
	str_add(&out, cut);
	if (cut.len < text.len)
		str_adds(&out, "...");
	json_release(&doc);
	return arena_copy(arena, str_slice(&out));
}

static unsigned int merits_of(const struct facts *facts, double score,
			      const struct settings *settings, int64_t now_ms)
{
	return decay_merits(settings, score, facts->uses, facts->item->created_ms,
			    facts->last_use_ms, now_ms);
}

static void describe(struct candidate *out, const struct facts *facts, unsigned int merits,
		     double score, const struct settings *settings, struct arena *arena)
{
	STR_AUTO reason = STR_INIT;

	add_reason(&reason, merits, facts, score, settings);
	*out = (struct candidate){
		.ref = arena_copy(arena, facts->item->ref),
		.preview = preview(facts->item, arena),
		.reason = arena_copy(arena, str_slice(&reason)),
		.score = score,
		.uses = facts->uses,
		.age_days = facts->age_days,
		.step = PROMOTE_NOT,
	};
}

static void add_step(struct plan *plan, const struct facts *facts, struct candidate *candidate,
		     int64_t now_ms)
{
	struct plan_step *step = promote_step(plan, facts, candidate->score, now_ms);

	plan_because(plan, step, candidate->reason);
	candidate->step = plan->count - 1;
}

/* One that is worth it, before it is described. */
struct worthy {
	struct facts facts;
	double score;
	unsigned int merits;
};

static int higher_first(const void *a, const void *b)
{
	const struct worthy *x = a;
	const struct worthy *y = b;

	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	return (x->facts.item > y->facts.item) - (x->facts.item < y->facts.item);
}

/* In the order of the view; the caller frees them. */
static struct worthy *find_worthy(const struct change *change, const struct settings *settings,
				  struct arena *arena, size_t *count)
{
	size_t item_count;
	const struct item *items = store_items(change_store(change), &item_count);
	struct worthy *list = mem_zalloc(item_count, sizeof *list);
	int64_t now_ms = change_now_ms(change);

	*count = 0;
	for (size_t i = 0; i < item_count; i++) {
		struct worthy *worthy = &list[*count];

		if (items[i].due)
			continue;
		facts_read(&worthy->facts, &items[i], now_ms, arena);
		worthy->score = facts_score(&worthy->facts, settings, now_ms);
		worthy->merits = merits_of(&worthy->facts, worthy->score, settings, now_ms);
		if (worthy->merits && !worthy->facts.promoted)
			(*count)++;
	}
	return list;
}

int promote_plan(struct plan *plan, const struct change *change, struct candidates *out,
		 struct err *err)
{
	struct settings settings;
	struct worthy *list;

	if (store_settings(change_store(change), &settings, err) != 0)
		return -1;
	list = find_worthy(change, &settings, &plan->arena, &out->count);
	if (out->count > 1)
		qsort(list, out->count, sizeof *list, higher_first);
	out->list = arena_alloc(&plan->arena, (out->count + 1) * sizeof *out->list);
	for (size_t i = 0; i < out->count; i++) {
		struct candidate *candidate = &out->list[i];

		describe(candidate, &list[i].facts, list[i].merits, list[i].score, &settings,
			 &plan->arena);
		candidate->kept = list[i].facts.kept;
		if (candidate->kept == PROTECTION_NONE)
			add_step(plan, &list[i].facts, candidate, change_now_ms(change));
	}
	free(list);
	return 0;
}

/* ---- one that is named */

static int refuse_unworthy(const struct facts *facts, double score, const struct settings *settings,
			   struct err *err)
{
	STR_AUTO scratch = STR_INIT;

	return err_set(err, ERR_BAD_VALUE,
		       "ref: %s has a score of %.2f and %" PRId64 " uses; a score of %.4g with a "
		       "use, or %" PRId64 " uses within %" PRId64 " days, promote it, or force",
		       shown(&scratch, facts->item->ref), score, facts->uses,
		       settings->promote_threshold, settings->promote_uses, settings->promote_days);
}

/* The note that was made of it before is the person's by now, whoever has read or edited it. */
static void tell_of_earlier(const struct call *call, const struct item *item)
{
	STR_AUTO scratch = STR_INIT;
	struct json doc = {0};
	struct slice path;

	common_parse(&doc, item->entry.text);
	path = json_member_text(&doc, JSON_ROOT, "promoted_to", call->arena);
	json_release(&doc);
	if (path.len > 0 && call->warning->len == 0)
		str_printf(call->warning,
			   "the note that was made of it before stays as it is: %s; delete that "
			   "one if one is enough",
			   shown(&scratch, path));
}

static int plan_named(struct plan *plan, struct change *change, const struct call *call,
		      const struct promote_args *args, struct candidates *out, struct err *err)
{
	struct settings settings;
	const struct item *item;
	STR_AUTO scratch = STR_INIT;
	struct facts facts;
	unsigned int merits;
	double score;

	if (store_settings(call->store, &settings, err) != 0)
		return -1;
	item = common_find(call, change, "ref", args->ref, err);
	if (!item)
		return -1;
	facts_read(&facts, item, call->now_ms, &plan->arena);
	score = facts_score(&facts, &settings, call->now_ms);
	merits = merits_of(&facts, score, &settings, call->now_ms);
	if (facts.promoted && args->force != 1)
		return err_set(err, ERR_EXISTS,
			       "ref: %s is promoted already; force makes another note of it",
			       shown(&scratch, item->ref));
	if (!merits && args->force != 1)
		return refuse_unworthy(&facts, score, &settings, err);
	if (facts.promoted)
		tell_of_earlier(call, item);
	out->list = arena_alloc(&plan->arena, sizeof *out->list);
	out->count = 1;
	describe(out->list, &facts, merits, score, &settings, &plan->arena);
	add_step(plan, &facts, out->list, call->now_ms);
	return 0;
}

/* ---- the reply */

static bool is_promoted(const struct plan *plan, const struct candidate *candidate)
{
	return candidate->step != PROMOTE_NOT && plan->steps[candidate->step].skip_code == ERR_NONE;
}

/* Where the note is, as the entry says from then on. */
static void write_place(struct json_writer *w, const struct plan *plan,
			const struct candidate *candidate, const char *folder)
{
	STR_AUTO path = STR_INIT;

	str_printf(&path, "%s/", folder);
	str_add(&path, plan->steps[candidate->step].note_file);
	json_write_member_string(w, "promoted_to", str_slice(&path));
}

static void write_candidate(struct json_writer *w, const struct plan *plan,
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
		write_place(w, plan, candidate, folder);
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

static void write_reply(struct json_writer *w, const struct promote_args *args,
			const struct plan *plan, const struct candidates *found, const char *folder)
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
		write_candidate(w, plan, &found->list[i], folder);
	json_write_end(w);
	write_message(w, args, promoted, found->count);
}

static int promote(struct change *change, const struct call *call, const struct promote_args *args,
		   struct plan *plan, struct json_writer *w, struct err *err)
{
	struct candidates found = {0};
	struct change_result result;
	struct settings settings;
	int rc;

	plan->unattended = !args->ref.ptr;
	rc = args->ref.ptr ? plan_named(plan, change, call, args, &found, err)
			   : promote_plan(plan, change, &found, err);
	if (rc != 0 || store_settings(call->store, &settings, err) != 0 ||
	    plan_apply(plan, change, &result, err) != 0)
		return -1;
	write_reply(w, args, plan, &found, settings.notes_dir);
	common_end_change(w, call, &result);
	return 0;
}

static int run(const struct call *call, const void *arguments, struct json_writer *w,
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
	rc = promote(change, call, args, &plan, w, err);
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
	.run = run,
};
