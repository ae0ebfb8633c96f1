#include "ops/maintain/discover_relations.h"

#include "base/map.h"
#include "base/mem.h"
#include "ops/common.h"
#include "policy/consolidation.h"
#include "store/view/relations.h"
#include "text/normalize.h"

#include <stdlib.h>

/* Labels of one kind of an entry, as they are written and as they are compared. */
struct labels {
	struct slice *written;
	struct slice *normal;
	size_t count;
};

struct about {
	const struct facts *facts;
	struct labels entities;
	struct labels tags;
	size_t links; /* that it has, and is to have */
};

/* A pair that is related enough, by position. */
struct candidate {
	size_t a;
	size_t b;
	struct discovery_counts counts;
	struct discovery says;
};

/*
 * Links that an entry may have before no more are looked for: where hundreds are about the same
 * things, a link to each of the others says nothing.
 */
#define LINKS_EACH 10

/* Entries that name an entity; of one that nearly all name nothing follows. */
struct naming {
	size_t *list;
	size_t count;
	size_t cap;
};

#define NAMING_MAX 200

struct work {
	struct plan *plan;
	struct about *about;
	size_t count;
	struct map entities; /* normal form -> number in naming */
	struct naming *naming;
	size_t naming_count;
	size_t naming_cap;
	struct map linked; /* "from\nto" */
	struct map places; /* ref -> position in about */
	struct candidate *candidates;
	size_t candidate_count;
	size_t candidate_cap;
	size_t room; /* links that the store can still take */
	struct arena arena;
	struct discovered *found;
	size_t found_count;
	size_t found_cap;
};

static bool discover_has(const struct labels *labels, struct slice normal)
{
	for (size_t i = 0; i < labels->count; i++) {
		if (slice_equal(labels->normal[i], normal))
			return true;
	}
	return false;
}

static void discover_read_labels(struct labels *out, const struct entry *entry, const char *name,
				 struct arena *arena)
{
	const struct json *doc = entry->doc;
	uint32_t list = json_member(doc, entry->node, name);

	*out = (struct labels){0};
	if (list == JSON_NONE || json_type(doc, list) != JSON_ARRAY)
		return;
	out->written = arena_alloc(arena, (doc->nodes[list].count + 1) * sizeof *out->written);
	out->normal = arena_alloc(arena, (doc->nodes[list].count + 1) * sizeof *out->normal);
	for (uint32_t n = json_first(doc, list); n != JSON_NONE; n = json_next(doc, n)) {
		STR_AUTO scratch = STR_INIT;
		STR_AUTO normal = STR_INIT;
		struct slice text;

		if (json_type(doc, n) != JSON_STRING)
			continue;
		text = json_string(doc, n, &scratch);
		normalize_key(text, &normal);
		if (normal.len == 0 || discover_has(out, str_slice(&normal)))
			continue;
		out->written[out->count] = arena_copy(arena, text);
		out->normal[out->count++] = arena_copy(arena, str_slice(&normal));
	}
}

static struct naming *discover_naming_of(struct work *work, struct slice entity)
{
	size_t number;

	if (!map_get(&work->entities, entity, &number)) {
		number = work->naming_count;
		*MEM_ADD(work->naming, work->naming_count, work->naming_cap) = (struct naming){0};
		map_put(&work->entities, entity, number);
	}
	return &work->naming[number];
}

static void discover_read_entry(struct work *work, size_t position, const struct facts *facts)
{
	struct about *about = &work->about[position];
	const struct entry *entry = &facts->item->entry;

	about->facts = facts;
	map_put(&work->places, facts->item->ref, position);
	discover_read_labels(&about->entities, entry, "entities", &work->arena);
	discover_read_labels(&about->tags, entry, "tags", &work->arena);
	for (size_t i = 0; i < about->entities.count; i++) {
		struct naming *naming = discover_naming_of(work, about->entities.normal[i]);

		*MEM_ADD(naming->list, naming->count, naming->cap) = position;
	}
}

static struct slice discover_pair_of(struct slice from, struct slice to, struct str *scratch)
{
	str_clear(scratch);
	str_add(scratch, from);
	str_addc(scratch, '\n');
	str_add(scratch, to);
	return str_slice(scratch);
}

static void discover_count_link(struct work *work, struct slice ref)
{
	size_t place;

	if (map_get(&work->places, ref, &place))
		work->about[place].links++;
}

static int discover_know_links(struct work *work, struct store *store, struct err *err)
{
	const struct link *links;
	size_t count;

	if (store_links(store, &links, &count, err) != 0)
		return -1;
	work->room = count < LINKS_MAX ? LINKS_MAX - count : 0;
	for (size_t i = 0; i < count; i++) {
		STR_AUTO pair = STR_INIT;

		discover_count_link(work, links[i].from);
		discover_count_link(work, links[i].to);
		map_put(&work->linked,
			arena_copy(&work->arena,
				   discover_pair_of(links[i].from, links[i].to, &pair)),
			0);
	}
	return 0;
}

static bool discover_are_linked(const struct work *work, struct slice a, struct slice b)
{
	STR_AUTO pair = STR_INIT;

	return map_get(&work->linked, discover_pair_of(a, b, &pair), NULL) ||
	       map_get(&work->linked, discover_pair_of(b, a, &pair), NULL);
}

static size_t discover_count_shared(const struct labels *a, const struct labels *b)
{
	size_t shared = 0;

	for (size_t i = 0; i < a->count; i++)
		shared += discover_has(b, a->normal[i]);
	return shared;
}

static struct discovery_counts discover_compare(const struct about *a, const struct about *b)
{
	struct discovery_counts counts = {
		.shared_entities = discover_count_shared(&a->entities, &b->entities),
		.shared_tags = discover_count_shared(&a->tags, &b->tags),
	};

	counts.all_entities = a->entities.count + b->entities.count - counts.shared_entities;
	counts.all_tags = a->tags.count + b->tags.count - counts.shared_tags;
	return counts;
}

static struct slice discover_reasoning_of(struct work *work, const struct discovered *found,
					  size_t tags)
{
	STR_AUTO text = STR_INIT;

	str_adds(&text, "both are about ");
	for (size_t i = 0; i < found->shared_count; i++) {
		str_adds(&text, i == 0 ? "" : i + 1 < found->shared_count ? ", " : " and ");
		str_add(&text, found->shared[i]);
	}
	if (tags > 0)
		str_printf(&text, ", and %zu %s the same", tags, tags == 1 ? "tag is" : "tags are");
	return arena_copy(&work->plan->arena, str_slice(&text));
}

static struct slice discover_metadata_of(const struct discovered *found, struct str *out)
{
	struct json_writer w = json_writer_to(out, &json_compact);

	json_write_object(&w);
	json_write_member_fixed(&w, "confidence", found->confidence, 4);
	common_write_texts(&w, "shared_entities", found->shared, found->shared_count);
	json_write_end(&w);
	return str_slice(out);
}

static void discover_add(struct work *work, const struct candidate *candidate)
{
	const struct about *a = &work->about[candidate->a];
	const struct about *b = &work->about[candidate->b];
	const struct discovery_counts *counts = &candidate->counts;
	struct arena *arena = &work->plan->arena;
	struct slice *shared = arena_alloc(arena, (counts->shared_entities + 1) * sizeof *shared);
	struct discovered found = {
		.from = arena_copy(arena, a->facts->item->ref),
		.to = arena_copy(arena, b->facts->item->ref),
		.strength = candidate->says.strength,
		.confidence = candidate->says.confidence,
		.shared = shared,
	};
	STR_AUTO metadata = STR_INIT;
	struct plan_step *step;

	for (size_t i = 0; i < a->entities.count; i++) {
		if (discover_has(&b->entities, a->entities.normal[i]))
			shared[found.shared_count++] = arena_copy(arena, a->entities.written[i]);
	}
	found.reasoning = discover_reasoning_of(work, &found, counts->shared_tags);
	step = plan_link(work->plan, a->facts->item, b->facts->item, RELATION_RELATED,
			 found.strength, discover_metadata_of(&found, &metadata));
	plan_because(work->plan, step, "%s", found.reasoning.ptr);
	*MEM_ADD(work->found, work->found_count, work->found_cap) = found;
}

static int discover_compare_numbers(double a, double b)
{
	return (a > b) - (a < b);
}

/* The strongest first; between equals the order of the entries decides. */
static int discover_compare_candidates(const void *left, const void *right)
{
	const struct candidate *a = left;
	const struct candidate *b = right;
	int order = discover_compare_numbers(b->says.strength, a->says.strength);

	if (order == 0)
		order = discover_compare_numbers(b->says.confidence, a->says.confidence);
	if (order == 0)
		order = (a->a > b->a) - (a->a < b->a);
	return order != 0 ? order : (a->b > b->b) - (a->b < b->b);
}

/* As many of the strongest as entries and store have room for. */
static void discover_choose(struct work *work)
{
	if (work->candidate_count > 0)
		qsort(work->candidates, work->candidate_count, sizeof *work->candidates,
		      discover_compare_candidates);
	for (size_t i = 0; i < work->candidate_count && work->room > 0; i++) {
		const struct candidate *candidate = &work->candidates[i];
		struct about *a = &work->about[candidate->a];
		struct about *b = &work->about[candidate->b];

		if (a->links >= LINKS_EACH || b->links >= LINKS_EACH)
			continue;
		a->links++;
		b->links++;
		work->room--;
		discover_add(work, candidate);
	}
}

/* Looks at an entry and those behind it that name an entity of its; each pair once. */
static void discover_look_at(struct work *work, size_t position, size_t *seen)
{
	const struct about *about = &work->about[position];

	for (size_t i = 0; i < about->entities.count; i++) {
		const struct naming *naming = discover_naming_of(work, about->entities.normal[i]);

		if (naming->count > NAMING_MAX)
			continue;
		for (size_t k = 0; k < naming->count; k++) {
			size_t other = naming->list[k];
			struct candidate pair = {.a = position, .b = other};

			if (other <= position || seen[other] == position + 1)
				continue;
			seen[other] = position + 1;
			pair.counts = discover_compare(about, &work->about[other]);
			pair.says = discovery_judge(&pair.counts);
			if (pair.says.holds &&
			    !discover_are_linked(work, about->facts->item->ref,
						 work->about[other].facts->item->ref))
				*MEM_ADD(work->candidates, work->candidate_count,
					 work->candidate_cap) = pair;
		}
	}
}

static void discover_release(struct work *work)
{
	for (size_t i = 0; i < work->naming_count; i++)
		free(work->naming[i].list);
	free(work->naming);
	free(work->about);
	free(work->found);
	free(work->candidates);
	map_release(&work->entities);
	map_release(&work->linked);
	map_release(&work->places);
	arena_release(&work->arena);
}

int discover_plan(struct plan *plan, struct store *store, const struct facts *facts, size_t count,
		  const struct discovered **out, size_t *out_count, struct err *err)
{
	struct work work = {.plan = plan,
			    .count = count,
			    .entities = MAP_INIT,
			    .linked = MAP_INIT,
			    .places = MAP_INIT};
	struct discovered *list;
	size_t *seen;
	int result;

	work.about = mem_zalloc(count, sizeof *work.about);
	seen = mem_zalloc(count, sizeof *seen);
	for (size_t i = 0; i < count; i++)
		discover_read_entry(&work, i, &facts[i]);
	result = discover_know_links(&work, store, err);
	for (size_t i = 0; result == 0 && i < count; i++)
		discover_look_at(&work, i, seen);
	if (result == 0)
		discover_choose(&work);
	list = arena_alloc(&plan->arena, (work.found_count + 1) * sizeof *list);
	if (work.found_count > 0)
		memcpy(list, work.found, work.found_count * sizeof *list);
	*out = list;
	*out_count = work.found_count;
	free(seen);
	discover_release(&work);
	return result;
}
