#include "similarity/similarity.h"
#include "model/category.h"
#include "policy/decay.h"
#include "store/log/usage.h"
#include "ops/entry_stats.h"
#include "ops/common.h"
#include "tools/registry.h"

#include <inttypes.h>
#include <math.h>

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
	 .help = "used ones"},
	{PARAM(TEXTS, reinforce_args, context_tags), .flags = PARAM_EXISTING,
	 .help = "what the talk is about"},
	{PARAM(BOOL, reinforce_args, boost), .flags = PARAM_PLAIN, .help = "make stronger",
	 .fallback = "false"},
};

/* What becomes of one ref that was given. */
struct outcome {
	struct slice ref; /* as the store spells it; where it has none, as given */
	bool found;
	bool crosses;
	int64_t uses; /* afterwards, likewise below */
	int64_t reviews;
	double strength;
	double old_score;
	double new_score;
};

struct reinforcing {
	const struct call *call;
	const struct reinforce_args *args;
	struct settings settings;
	struct slice *context; /* cleaned */
	size_t context_count;
	struct outcome *outcomes;
	size_t count;
	size_t found;
	size_t crossed;
	bool stronger; /* an entry changes */
};

static struct slice clean_tag(const struct call *call, struct slice tag)
{
	STR_AUTO clean = STR_INIT;

	tag_clean(tag, &clean);
	return arena_copy(call->arena, str_slice(&clean));
}

static void read_context(struct reinforcing *r)
{
	const struct arg_texts *tags = &r->args->context_tags;

	r->context = arena_alloc(r->call->arena, (tags->count + 1) * sizeof *r->context);
	for (size_t i = 0; i < tags->count; i++) {
		struct slice tag = clean_tag(r->call, tags->items[i]);

		if (tag.len)
			r->context[r->context_count++] = tag;
	}
}

static size_t reinforce_read_tags(const struct call *call, const struct entry *entry,
				  struct slice **out)
{
	STR_AUTO scratch = STR_INIT;
	struct json doc = {0};
	size_t count = 0;
	uint32_t list;

	if (entry->bare)
		return 0;
	common_parse(&doc, entry->text);
	list = json_member(&doc, JSON_ROOT, "tags");
	*out = arena_alloc(call->arena, (doc.nodes[list].count + 1) * sizeof **out);
	for (uint32_t n = list ? json_first(&doc, list) : JSON_NONE; n != JSON_NONE;
	     n = json_next(&doc, n)) {
		struct slice tag = json_type(&doc, n) == JSON_STRING
					   ? clean_tag(call, json_string(&doc, n, &scratch))
					   : slice_of("");

		if (tag.len)
			(*out)[count++] = tag;
	}
	json_release(&doc);
	return count;
}

static bool crosses(const struct reinforcing *r, const struct item *item)
{
	struct slice *tags = NULL;
	size_t count = reinforce_read_tags(r->call, &item->entry, &tags);

	return use_crosses(similar_sets(tags, count, r->context, r->context_count), count,
			   r->context_count);
}

static int64_t one_more(int64_t count)
{
	return count < INT64_MAX ? count + 1 : count;
}

static void reinforce_weigh(struct reinforcing *r, const struct item *item, struct outcome *out)
{
	int64_t now_ms = r->call->now_ms;
	struct facts facts;

	facts_read(&facts, item, now_ms, r->call->arena);
	out->found = true;
	out->crosses = crosses(r, item);
	out->uses = one_more(item->uses);
	out->reviews = one_more(item->reviews);
	out->strength = use_strength(facts.strength, r->args->boost == 1, out->crosses);
	out->old_score = facts_score(&facts, &r->settings, now_ms);
	out->new_score = decay_score(&r->settings, out->uses, out->strength, now_ms, now_ms);
	r->stronger = r->stronger || out->strength > facts.strength;
	r->found++;
	r->crossed += out->crosses;
}

static bool is_twice(const struct reinforcing *r, struct slice ref)
{
	for (size_t i = 0; i < r->count; i++) {
		if (slice_equal(r->outcomes[i].ref, ref))
			return true;
	}
	return false;
}

/* What the uses would do, by the view as it is. */
static void reinforce_weigh_all(struct reinforcing *r)
{
	const struct arg_texts *refs = &r->args->refs;

	r->outcomes = arena_alloc(r->call->arena, (refs->count + 1) * sizeof *r->outcomes);
	r->count = r->found = r->crossed = 0;
	r->stronger = false;
	for (size_t i = 0; i < refs->count; i++) {
		const struct item *item = common_look_up(r->call, refs->items[i]);
		struct outcome out = {.ref = item ? item->ref : refs->items[i]};

		if (is_twice(r, out.ref))
			continue;
		out.ref = arena_copy(r->call->arena, out.ref);
		if (item)
			reinforce_weigh(r, item, &out);
		r->outcomes[r->count++] = out;
	}
}

/* The strength is part of the entry, and is changed like one. */
static int put_stronger(struct reinforcing *r, struct change *change, struct err *err)
{
	for (size_t i = 0; i < r->count; i++) {
		const struct outcome *out = &r->outcomes[i];
		const struct item *item = out->found ? store_find_ref(r->call->store, out->ref)
						     : NULL;
		STR_AUTO text = STR_INIT;
		struct facts facts;

		if (!item)
			continue;
		facts_read(&facts, item, r->call->now_ms, r->call->arena);
		if (facts.strength >= out->strength)
			continue;
		entry_compose_strength(&text, &item->entry, out->strength);
		if (common_put(change, item->entry.category, item->entry.key, item,
			       item->entry.pinned, str_slice(&text), err) != 0)
			return -1;
	}
	return change_commit(change, NULL, err);
}

static int strengthen(struct reinforcing *r, struct err *err)
{
	struct change *change;
	int result;

	if (common_change_begin(&change, r->call, err) != 0)
		return -1;
	/* Under the lock the entries may be others than they were a moment ago. */
	reinforce_weigh_all(r);
	result = put_stronger(r, change, err);
	change_end(change);
	return result;
}

static int reinforce_record(const struct reinforcing *r, struct err *err)
{
	struct usage_use *uses = arena_alloc(r->call->arena, (r->count + 1) * sizeof *uses);
	size_t count = 0;

	for (size_t i = 0; i < r->count; i++) {
		if (r->outcomes[i].found)
			uses[count++] = (struct usage_use){r->outcomes[i].ref,
							   r->outcomes[i].crosses};
	}
	if (store_used(r->call->store, uses, count))
		return 0;
	return err_set(err, ERR_CANNOT_WRITE,
		       "%susage.jsonl cannot be written: make the file and its folder writable, or "
		       "go on without",
		       r->stronger ? "the entry is stronger now, but the use is not recorded: "
				   : "the use is not recorded: ");
}

static void reinforce_write_score(struct json_writer *w, const char *name, double score)
{
	json_write_name(w, slice_of(name));
	json_write_fixed(w, isfinite(score) ? score : 0, 4);
}

static void write_outcome(struct json_writer *w, const struct outcome *out)
{
	json_write_object(w);
	json_write_member_string(w, "id", out->ref);
	json_write_member_string(w, "status", slice_of(out->found ? "reinforced" : "not_found"));
	if (out->found) {
		json_write_member_bool(w, "cross_domain", out->crosses);
		json_write_member_int(w, "new_use_count", out->uses);
		json_write_member_int(w, "new_review_count", out->reviews);
		json_write_name(w, slice_of("strength"));
		json_write_fixed(w, out->strength, 12);
		reinforce_write_score(w, "old_score", out->old_score);
		reinforce_write_score(w, "new_score", out->new_score);
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
	json_write_name(w, slice_of("results"));
	json_write_array(w);
	for (size_t i = 0; i < r->count; i++)
		write_outcome(w, &r->outcomes[i]);
	json_write_end(w);
	json_write_member_string(w, "message", str_slice(&message));
	common_end_reply(w, r->call);
}

static int say_off(const struct call *call, struct json_writer *w)
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
	struct reinforcing r = {.call = call, .args = arguments};

	if (r.args->refs.count == 0)
		return err_set(err, ERR_BLANK_ARGUMENT, "refs: name at least one entry");
	if (r.args->refs.count > REFS_MAX)
		return err_set(err, ERR_BAD_VALUE, "refs: %zu; at most %d are allowed at a time",
			       r.args->refs.count, REFS_MAX);
	if (common_refresh(call, err) != 0 || store_settings(call->store, &r.settings, err) != 0)
		return -1;
	if (!r.settings.reinforce)
		return say_off(call, w);
	read_context(&r);
	reinforce_weigh_all(&r);
	if (r.found == 0)
		return reinforce_refuse(call, r.args->refs.items[0], err);
	if (r.stronger && strengthen(&r, err) != 0)
		return -1;
	if (reinforce_record(&r, err) != 0)
		return -1;
	reinforce_write_reply(&r, w);
	return 0;
}

const struct tool tool_reinforce = {
	.name = "memory_reinforce",
	.command = "reinforce",
	.title = "Record a use",
	.section = SECTION_UPKEEP,
	.summary = "Say which entries went into your answer: they fade more slowly.",
	.params = params,
	.param_count = sizeof params / sizeof *params,
	.args_size = sizeof(struct reinforce_args),
	.run = reinforce_handle,
};
