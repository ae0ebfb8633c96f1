#include "ops/maintain/promotion.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "ops/note_text.h"

#include <inttypes.h>
#include <stdlib.h>

/* Characters of a value in a reply. */
#define PREVIEW 100

static void promotion_add_reason(struct str *out, unsigned int merits, const struct facts *facts,
				 double score, const struct settings *settings)
{
	if (merits & DECAY_MERIT_SCORE)
		str_printf(out, "High score (%.2f >= %.4g)", score, settings->promote_threshold);
	if (merits & DECAY_MERIT_USES)
		str_printf(out, "%s%" PRId64 " uses within %" PRId64 " days (>= %" PRId64 ")",
			   out->len ? "; " : "", facts->item->uses, settings->promote_days,
			   settings->promote_uses);
	if (!merits)
		str_adds(out, "Forced");
}

static void promotion_describe(struct candidate *out, const struct facts *facts,
			       unsigned int merits, double score, const struct settings *settings,
			       struct arena *arena)
{
	STR_AUTO reason = STR_INIT;
	STR_AUTO preview = STR_INIT;

	common_add_preview(&preview, &facts->item->entry, PREVIEW);
	promotion_add_reason(&reason, merits, facts, score, settings);
	*out = (struct candidate){
		.ref = arena_copy(arena, facts->item->ref),
		.preview = arena_copy(arena, str_slice(&preview)),
		.reason = arena_copy(arena, str_slice(&reason)),
		.score = score,
		.uses = facts->item->uses,
		.age_days = facts->age_days,
		.step = PROMOTE_NOT,
	};
}

static void promotion_add_step(struct plan *plan, const struct facts *facts,
			       struct candidate *candidate, int64_t now_ms)
{
	STR_AUTO stem = STR_INIT;
	STR_AUTO note = STR_INIT;
	STR_AUTO text = STR_INIT;

	note_stem(&stem, facts->item->entry.key);
	note_text_add(&note, &facts->item->entry,
		      &(struct note_facts){
			      .created_ms = facts->item->created_ms,
			      .updated_ms = facts->item->updated_ms,
			      .promoted_ms = now_ms,
			      .score = candidate->score,
			      .uses = facts->item->uses,
		      });
	/* The times stay, since nobody has used or changed the entry. */
	struct json_writer w = json_writer_to(&text, &json_compact);
	entry_write_object(&w, &facts->item->entry);
	plan_because(plan,
		     plan_promote(plan, facts->item, str_slice(&text), str_slice(&stem),
				  str_slice(&note)),
		     "%s", candidate->reason.ptr);
	candidate->step = plan->count - 1;
}

/* One that is worth it, before it is described. */
struct worthy {
	struct facts facts;
	double score;
	unsigned int merits;
};

static int promotion_higher_first(const void *a, const void *b)
{
	const struct worthy *x = a;
	const struct worthy *y = b;

	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	return (x->facts.item > y->facts.item) - (x->facts.item < y->facts.item);
}

/* In the order of the view; the caller frees them. */
static struct worthy *promotion_find_worthy(const struct change *change,
					    const struct settings *settings, size_t *count)
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
		facts_read(&worthy->facts, &items[i], now_ms);
		worthy->score = facts_score(&worthy->facts, settings, now_ms);
		worthy->merits = facts_merits(&worthy->facts, worthy->score, settings, now_ms);
		if (worthy->merits && !worthy->facts.item->entry.promoted)
			(*count)++;
	}
	return list;
}

int promotion_plan(struct plan *plan, const struct change *change, struct candidates *out,
		   struct err *err)
{
	struct settings settings;
	struct worthy *list;

	if (store_settings(change_store(change), &settings, err) != 0)
		return -1;
	list = promotion_find_worthy(change, &settings, &out->count);
	if (out->count > 1)
		qsort(list, out->count, sizeof *list, promotion_higher_first);
	out->list = arena_alloc(&plan->arena, (out->count + 1) * sizeof *out->list);
	for (size_t i = 0; i < out->count; i++) {
		struct candidate *candidate = &out->list[i];

		promotion_describe(candidate, &list[i].facts, list[i].merits, list[i].score,
				   &settings, &plan->arena);
		candidate->kept = list[i].facts.kept;
		if (candidate->kept == PROTECTION_NONE)
			promotion_add_step(plan, &list[i].facts, candidate, change_now_ms(change));
	}
	free(list);
	return 0;
}

/* ---- one that is named */

int promotion_plan_one(struct plan *plan, struct change *change, const struct call *call,
		       struct slice ref, bool force, struct candidates *out, struct err *err)
{
	struct settings settings;
	const struct item *item;
	STR_AUTO scratch = STR_INIT;
	struct facts facts;
	unsigned int merits;
	struct slice path;
	double score;

	if (store_settings(call->store, &settings, err) != 0)
		return -1;
	item = common_find(call, change, "ref", ref, err);
	if (!item)
		return -1;
	facts_read(&facts, item, call->now_ms);
	score = facts_score(&facts, &settings, call->now_ms);
	merits = facts_merits(&facts, score, &settings, call->now_ms);
	if (facts.item->entry.promoted && !force)
		return err_set(err, ERR_EXISTS,
			       "ref: %s is promoted already; force makes another note of it",
			       shown(&scratch, item->ref));
	if (!merits && !force)
		return err_set(err, ERR_BAD_VALUE,
			       "ref: %s has a score of %.2f and %" PRId64
			       " uses; a score of %.4g with uses on two days, or %" PRId64
			       " uses within %" PRId64 " days, promote it, or force",
			       shown(&scratch, item->ref), score, facts.item->uses,
			       settings.promote_threshold, settings.promote_uses,
			       settings.promote_days);
	/* The note that was made of it before is the person's by now, whoever has read or edited
	 * it. */
	path = json_member_text(item->entry.doc, item->entry.node, "promoted_to", call->arena);
	if (item->entry.promoted && path.len > 0 && call->warning->len == 0)
		str_printf(call->warning,
			   "an earlier note of it is kept as it is: %s; delete it if one is enough",
			   shown(&scratch, path));
	out->list = arena_alloc(&plan->arena, sizeof *out->list);
	out->count = 1;
	promotion_describe(out->list, &facts, merits, score, &settings, &plan->arena);
	promotion_add_step(plan, &facts, out->list, call->now_ms);
	return 0;
}
