#include "ops/maintain/consolidate.h"

#include "base/map.h"
#include "ops/common.h"
#include "ops/similar_text.h"
#include "store/view/relations.h"

#include <math.h>
#include <stdlib.h>

/* Likeness of the words of what may be a duplicate. */
static const double duplicate_likeness[] = {0.95, 0.90, 0.90};

struct consolidating {
	struct plan *plan;
	struct store *store;
	const struct consolidate_wanted *wanted;
	struct consolidate_found *found;
	struct settings settings;
	struct arena *arena;
	struct facts *facts; /* of the entries that are looked at */
	size_t count;
	struct map changed; /* refs of what steps change; to 1 where the entry goes, else 0 */
};

static int consolidate_compare_place(const void *a, const void *b)
{
	const struct item *first = ((const struct facts *)a)->item;
	const struct item *second = ((const struct facts *)b)->item;

	return (first > second) - (first < second);
}

static void consolidate_look(struct consolidating *c, int64_t now_ms)
{
	size_t max = c->wanted->max_memories;

	c->facts = facts_read_all(c->store, now_ms, c->arena, &c->count);
	c->found->active = c->count;
	if (max > 0 && max < c->count) {
		qsort(c->facts, c->count, sizeof *c->facts, facts_compare_idle);
		c->count = max;
		qsort(c->facts, c->count, sizeof *c->facts, consolidate_compare_place);
	}
	for (size_t i = 0; i < c->count; i++)
		facts_hold(&c->facts[i], c->arena);
}

static void consolidate_plan_merges(struct consolidating *c)
{
	duplicates_find(&c->found->duplicates, c->facts, c->count,
			duplicate_likeness[c->wanted->mode], store_watcher(c->store), c->arena);
	duplicates_plan(&c->found->duplicates, c->plan, c->wanted->salience_threshold, c->arena);
	for (size_t i = 0; i < c->plan->count; i++) {
		const struct plan_step *step = &c->plan->steps[i];

		for (size_t k = 0; k < step->base_count; k++)
			map_put(&c->changed, step->bases[k].ref, k > 0);
	}
}

/* Archives what does not matter. */
static void consolidate_plan_prunes(struct consolidating *c)
{
	for (size_t i = 0; i < c->count; i++) {
		const struct facts *facts = &c->facts[i];

		/* An entry that still holds is spared: only expiry and fading remove it. */
		if (facts->kept != PROTECTION_NONE || !facts->report ||
		    facts->salience >= c->wanted->salience_threshold ||
		    map_get(&c->changed, facts->item->ref, NULL))
			continue;
		plan_because(c->plan, plan_archive(c->plan, facts->item, REASON_PRUNED),
			     "its salience, %.3f, is below %g", facts->salience,
			     c->wanted->salience_threshold);
		map_put(&c->changed, facts->item->ref, 1);
	}
}

/* ---- groups */

/* The words of the entry as it will be: of what its merge says where it remains of one. */
static struct slice consolidate_words(const struct consolidating *c, const struct item *item)
{
	const struct duplicates *duplicates = &c->found->duplicates;

	if (!map_get(&c->changed, item->ref, NULL))
		return alike_text(item, c->arena);
	for (size_t i = 0; i < duplicates->group_count; i++) {
		const struct merging *merging = &duplicates->groups[i];

		if (merging->text.ptr && merging->parts[merging->kept]->item == item)
			return merging_words(merging->value, c->arena);
	}
	return merging_words(item->entry.value, c->arena);
}

/* Links what remains and is alike, patterns aside: each of a group to its first. */
static int consolidate_plan_links(struct consolidating *c, struct err *err)
{
	const struct item **items = arena_alloc(c->arena, (c->count + 1) * sizeof(void *));
	struct slice *words = arena_alloc(c->arena, (c->count + 1) * sizeof *words);
	struct clusters clusters;
	const struct link *links;
	size_t left = 0;
	size_t count;
	size_t room;

	if (store_links(c->store, &links, &count, err) != 0)
		return -1;
	room = count < LINKS_MAX ? LINKS_MAX - count : 0;
	for (size_t i = 0; i < c->count; i++) {
		const struct item *item = c->facts[i].item;
		size_t goes = 0;

		map_get(&c->changed, item->ref, &goes);
		if (goes || slice_is(item->entry.source, PATTERN_SOURCE))
			continue;
		words[left] = consolidate_words(c, item);
		items[left++] = item;
	}
	alike_groups(&clusters, words, left, c->settings.cluster_threshold, &c->settings,
		     store_watcher(c->store));
	c->found->clusters = clusters.count;
	for (size_t i = 0; i < clusters.count; i++) {
		const struct cluster *cluster = &clusters.list[i];

		for (size_t k = 1; k < cluster->count && room > 0; k++, room--)
			plan_link(c->plan, items[cluster->members[0]], items[cluster->members[k]],
				  RELATION_RELATED, round(cluster->cohesion * 10000) / 10000,
				  slice_of(NULL));
	}
	clusters_release(&clusters);
	return 0;
}

int consolidate_plan(struct plan *plan, const struct change *change,
		     const struct consolidate_wanted *wanted, struct consolidate_found *found,
		     struct arena *arena, struct err *err)
{
	struct consolidating c = {
		.plan = plan,
		.store = change_store(change),
		.wanted = wanted,
		.found = found,
		.arena = arena,
		.changed = MAP_INIT,
	};
	int status;

	*found = (struct consolidate_found){0};
	plan->unattended = true;
	if (store_settings(c.store, &c.settings, err) != 0)
		return -1;
	consolidate_look(&c, change_now_ms(change));
	/* What recurs is looked for before anything goes. */
	if (wanted->mode == CONSOLIDATE_REM &&
	    patterns_look(&found->patterns, c.store, c.facts, c.count, wanted->max_memories == 0,
			  arena, err) != 0)
		return -1;
	consolidate_plan_merges(&c);
	consolidate_plan_prunes(&c);
	status = wanted->mode == CONSOLIDATE_LIGHT ? 0 : consolidate_plan_links(&c, err);
	if (status == 0 && wanted->mode == CONSOLIDATE_REM)
		patterns_plan(plan, change, &c.settings, &found->patterns, wanted->save, arena);
	map_release(&c.changed);
	return status;
}
