#include "ops/reinforcement.h"

#include "model/category.h"
#include "ops/entry_stats.h"
#include "policy/decay.h"
#include "similarity/similarity.h"
#include "store/log/usage.h"

static struct slice reinforce_clean_tag(const struct call *call, struct slice tag)
{
	STR_AUTO clean = STR_INIT;

	tag_clean(tag, &clean);
	return arena_copy(call->arena, str_slice(&clean));
}

static void reinforce_read_context(struct reinforcing *r)
{
	const struct arg_texts *tags = r->context_tags;

	r->context = arena_alloc(r->call->arena, (tags->count + 1) * sizeof *r->context);
	for (size_t i = 0; i < tags->count; i++) {
		struct slice tag = reinforce_clean_tag(r->call, tags->items[i]);

		if (tag.len)
			r->context[r->context_count++] = tag;
	}
}

static size_t reinforce_read_tags(const struct call *call, const struct entry *entry,
				  struct slice **out)
{
	STR_AUTO scratch = STR_INIT;
	const struct json *doc = entry->doc;
	uint32_t list = entry_list(entry, "tags");
	size_t count = 0;

	if (list == JSON_NONE)
		return 0;
	*out = arena_alloc(call->arena, (doc->nodes[list].count + 1) * sizeof **out);
	for (uint32_t n = json_first(doc, list); n != JSON_NONE; n = json_next(doc, n)) {
		struct slice tag = json_type(doc, n) == JSON_STRING
					   ? reinforce_clean_tag(call,
								 json_string(doc, n, &scratch))
					   : slice_of("");

		if (tag.len)
			(*out)[count++] = tag;
	}
	return count;
}

static int64_t reinforce_one_more(int64_t count)
{
	return count < INT64_MAX ? count + 1 : count;
}

static void reinforce_weigh(struct reinforcing *r, const struct item *item,
			    struct reinforce_outcome *out)
{
	int64_t now_ms = r->call->now_ms;
	struct slice *tags = NULL;
	size_t count = reinforce_read_tags(r->call, &item->entry, &tags);
	struct facts facts;

	facts_read(&facts, item, now_ms);
	out->found = true;
	out->crosses = use_crosses(similar_sets(tags, count, r->context, r->context_count), count,
				   r->context_count);
	out->uses = reinforce_one_more(item->uses);
	out->reviews = reinforce_one_more(item->reviews);
	out->strength = use_strength(facts.item->entry.strength, r->boost, out->crosses);
	out->old_score = facts_score(&facts, &r->settings, now_ms);
	out->new_score = decay_score(&r->settings, facts_half_life(&facts, &r->settings), out->uses,
				     out->strength, now_ms, now_ms);
	r->stronger = r->stronger || out->strength > facts.item->entry.strength;
	r->found++;
	r->crossed += out->crosses;
}

/* What the uses would do, by the view as it is. */
static void reinforce_weigh_all(struct reinforcing *r)
{
	const struct arg_texts *refs = r->refs;

	r->outcomes = arena_alloc(r->call->arena, (refs->count + 1) * sizeof *r->outcomes);
	r->count = r->found = r->crossed = 0;
	r->stronger = false;
	for (size_t i = 0; i < refs->count; i++) {
		const struct item *item = common_look_up(r->call, refs->items[i]);
		struct reinforce_outcome out = {.ref = item ? item->ref : refs->items[i]};
		bool again = false;

		for (size_t k = 0; k < r->count; k++)
			again = again || slice_equal(r->outcomes[k].ref, out.ref);
		if (again)
			continue;
		out.ref = arena_copy(r->call->arena, out.ref);
		if (item)
			reinforce_weigh(r, item, &out);
		r->outcomes[r->count++] = out;
	}
}

/* The strength is part of the entry, and is changed like one. */
static int reinforce_put_stronger(struct reinforcing *r, struct change *change, struct err *err)
{
	for (size_t i = 0; i < r->count; i++) {
		const struct reinforce_outcome *out = &r->outcomes[i];
		const struct item *item = out->found ? store_find_ref(r->call->store, out->ref)
						     : NULL;
		STR_AUTO text = STR_INIT;
		struct facts facts;

		if (!item)
			continue;
		facts_read(&facts, item, r->call->now_ms);
		if (facts.item->entry.strength >= out->strength)
			continue;
		entry_compose_strength(&text, &item->entry, out->strength);
		if (common_put(change, item->entry.category, item->entry.key, item,
			       item->entry.pinned, str_slice(&text), err) != 0)
			return -1;
	}
	return change_commit(change, NULL, err);
}

static int reinforce_strengthen(struct reinforcing *r, struct err *err)
{
	struct change *change;

	if (common_change_begin(&change, r->call, err) != 0)
		return -1;
	/* Read again under the lock: the entries may have changed. */
	reinforce_weigh_all(r);
	int result = reinforce_put_stronger(r, change, err);
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

int reinforce_uses(struct reinforcing *r, struct err *err)
{
	reinforce_read_context(r);
	reinforce_weigh_all(r);
	if (r->found == 0)
		return 0;
	if (r->stronger && reinforce_strengthen(r, err) != 0)
		return -1;
	return reinforce_record(r, err);
}
