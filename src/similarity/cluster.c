#include "similarity/cluster.h"

#include "base/mem.h"
#include "similarity/similarity_internal.h"

#include <stdlib.h>

struct group {
	size_t *members;
	size_t count;
	size_t cap;
};

/* Groups in the order in which they were begun; one that was joined onto another is empty. */
struct grouping {
	struct similar_near *near;
	struct group *groups;
	size_t count;
	size_t *group_of; /* by text */
	size_t max_size;
};

static void put_member(struct grouping *grouping, size_t group, size_t text)
{
	struct group *to = &grouping->groups[group];

	to->members = mem_grow(to->members, &to->cap, to->count + 1, sizeof *to->members);
	to->members[to->count++] = text;
	grouping->group_of[text] = group;
}

/* A full group takes nobody, whoever is near its members: they need not be found any more. */
static void close_if_full(struct grouping *grouping, size_t group)
{
	const struct group *full = &grouping->groups[group];

	if (full->count < grouping->max_size)
		return;
	for (size_t i = 0; i < full->count; i++)
		similar_near_drop(grouping->near, full->members[i]);
}

static int compare_sizes(const void *a, const void *b)
{
	size_t x = *(const size_t *)a;
	size_t y = *(const size_t *)b;

	return x < y ? -1 : x > y;
}

/* The groups in which the texts are, in their order, each once. */
static size_t groups_of(const struct grouping *grouping, const struct similar_hit *found,
			size_t count, size_t *groups)
{
	size_t len = 0;

	for (size_t i = 0; i < count; i++)
		groups[i] = grouping->group_of[found[i].text];
	qsort(groups, count, sizeof *groups, compare_sizes);
	for (size_t i = 0; i < count; i++) {
		if (!len || groups[len - 1] != groups[i])
			groups[len++] = groups[i];
	}
	return len;
}

static void join_groups(struct grouping *grouping, size_t first, size_t other)
{
	struct group *from = &grouping->groups[other];

	for (size_t i = 0; i < from->count; i++)
		put_member(grouping, first, from->members[i]);
	from->count = 0;
}

static void place(struct grouping *grouping, size_t text)
{
	const struct similar_hit *found;
	size_t count = similar_near_find(grouping->near, text, &found);
	size_t *groups = mem_zalloc(count + 1, sizeof *groups);

	if (count)
		count = groups_of(grouping, found, count, groups);
	else
		groups[0] = grouping->count++;
	put_member(grouping, groups[0], text);
	for (size_t i = 1; i < count; i++)
		join_groups(grouping, groups[0], groups[i]);
	similar_near_add(grouping->near, text);
	close_if_full(grouping, groups[0]);
	free(groups);
}

static double cohesion_of(const struct similar *similar, const size_t *members, size_t count)
{
	double sum = 0;
	size_t pairs = 0;

	for (size_t i = 0; i < count; i++) {
		for (size_t j = i + 1; j < count; j++, pairs++)
			sum += similar_jaccard(similar, members[i], members[j]);
	}
	return pairs ? sum / (double)pairs : 1;
}

static void hand_out(const struct grouping *grouping, const struct similar *similar,
		     size_t min_size, struct clusters *out)
{
	*out = (struct clusters){NULL, 0, ARENA_INIT};
	out->list = arena_alloc(&out->arena, grouping->count * sizeof *out->list);
	for (size_t i = 0; i < grouping->count; i++) {
		const struct group *group = &grouping->groups[i];
		size_t count = group->count < grouping->max_size ? group->count
								 : grouping->max_size;
		size_t *members;

		if (!count || group->count < min_size)
			continue;
		members = arena_alloc(&out->arena, count * sizeof *members);
		memcpy(members, group->members, count * sizeof *members);
		out->list[out->count++] = (struct cluster){members, count,
							   cohesion_of(similar, members, count)};
	}
}

void clusters_find(const struct similar *similar, double threshold, size_t min_size,
		   size_t max_size, struct clusters *out)
{
	struct grouping grouping = {.max_size = max_size};
	size_t count = similar_count(similar);

	grouping.near = similar_near_new(similar, threshold);
	/* No more groups than texts are ever begun. */
	grouping.groups = mem_zalloc(count, sizeof *grouping.groups);
	grouping.group_of = mem_zalloc(count, sizeof *grouping.group_of);
	for (size_t i = 0; i < count; i++) {
		progress_step(similar->progress, "comparing", i, count);
		place(&grouping, i);
	}
	hand_out(&grouping, similar, min_size, out);
	for (size_t i = 0; i < grouping.count; i++)
		free(grouping.groups[i].members);
	free(grouping.groups);
	free(grouping.group_of);
	similar_near_free(grouping.near);
}

void clusters_release(struct clusters *clusters)
{
	arena_release(&clusters->arena);
	clusters->list = NULL;
	clusters->count = 0;
}
