#include "ops/maintain/duplicates.h"

#include "base/map.h"
#include "base/mem.h"
#include "similarity/similarity.h"
#include "text/tokens.h"
#include "ops/similar_text.h"
#include "ops/maintain/duplicates_internal.h"
#include "ops/common.h"

#include <stdlib.h>

/* More pairs of values than this are not looked at: the most alike come first. */
#define PAIRS_MAX 100000

/* A value of fewer words does not say what it is about: "yes" of one key is not "yes" of another.
 */
#define WORDS_MIN 3

/* No entry, no class. */
#define NONE SIZE_MAX

/* Entries whose values are the same but for their looks. */
struct class
{
	size_t first; /* the first entry of it */
	size_t last;
	size_t *hosts; /* classes of longer values that say the same, most alike first */
	size_t host_count;
	size_t host_cap;
};

struct search {
	const struct facts *facts;
	size_t count;
	const struct progress *progress;
	struct arena *arena;
	struct arena own;           /* what is not needed afterwards */
	struct doubles_text *texts; /* of each entry */
	size_t *class_of;
	size_t *next; /* entry of the same class, NONE: the last */
	struct class *classes;
	size_t class_count;
	struct similar_pair *pairs; /* of classes */
	size_t pair_count;
	size_t *root; /* of each entry: the one that its group began with, NONE: in no group */
};

/* ---- classes */

static const struct doubles_text *text_of(const struct search *s, size_t class)
{
	return &s->texts[s->classes[class].first];
}

static void find_classes(struct search *s)
{
	struct map by_identity = MAP_INIT;
	size_t class;

	s->classes = arena_alloc(&s->own, (s->count + 1) * sizeof *s->classes);
	for (size_t i = 0; i < s->count; i++) {
		s->next[i] = NONE;
		if (map_get(&by_identity, s->texts[i].identity, &class) &&
		    doubles_same(text_of(s, class), &s->texts[i])) {
			s->next[s->classes[class].last] = i;
			s->classes[class].last = i;
		} else {
			class = s->class_count++;
			s->classes[class] = (struct class){.first = i, .last = i};
			map_put(&by_identity, s->texts[i].identity, class);
		}
		s->class_of[i] = class;
	}
	map_release(&by_identity);
}

static void add_host(struct search *s, size_t class, size_t host)
{
	struct class *c = &s->classes[class];

	c->hosts = mem_grow(c->hosts, &c->host_cap, c->host_count + 1, sizeof *c->hosts);
	c->hosts[c->host_count++] = host;
}

/* Which values are alike, and which of them may stand for another. */
static size_t find_pairs(struct search *s, double threshold)
{
	struct slice *words = mem_zalloc(s->class_count, sizeof *words);
	struct similar *similar;
	size_t total;

	for (size_t c = 0; c < s->class_count; c++)
		words[c] = text_of(s, c)->words;
	similar = similar_new(words, s->class_count);
	similar_watch(similar, s->progress);
	total = similar_pairs(similar, threshold, PAIRS_MAX, &s->pairs);
	s->pair_count = total < PAIRS_MAX ? total : PAIRS_MAX;
	for (size_t i = 0; i < s->pair_count; i++) {
		size_t a = s->pairs[i].a;
		size_t b = s->pairs[i].b;

		if (!doubles_same(text_of(s, a), text_of(s, b)))
			continue;
		if (text_of(s, a)->characters < text_of(s, b)->characters)
			add_host(s, a, b);
		else
			add_host(s, b, a);
	}
	similar_free(similar);
	free(words);
	return total;
}

/* ---- groups */

/* An entry and how much it says. */
struct turn {
	size_t entry;
	size_t characters;
};

/* Longest first, equals as they come. */
static int compare_turns(const void *a, const void *b)
{
	const struct turn *first = a;
	const struct turn *second = b;

	if (first->characters != second->characters)
		return first->characters > second->characters ? -1 : 1;
	return first->entry < second->entry ? -1 : 1;
}

static bool may_merge(const struct search *s, size_t entry)
{
	return s->facts[entry].kept == PROTECTION_NONE && s->texts[entry].word_count >= WORDS_MIN;
}

static struct turn *turns_new(const struct search *s, size_t *count)
{
	struct turn *turns = mem_zalloc(s->count, sizeof *turns);

	*count = 0;
	for (size_t i = 0; i < s->count; i++) {
		if (may_merge(s, i))
			turns[(*count)++] = (struct turn){i, s->texts[i].characters};
	}
	qsort(turns, *count, sizeof *turns, compare_turns);
	return turns;
}

/*
 * A shorter value joins a longer one that says the same, or what that has joined: so each group has
 * one value that all others stand in, and no two groups could be one.
 */
static void find_roots(struct search *s)
{
	size_t *seats = mem_alloc(mem_sum(s->class_count, 1) * CATEGORY_COUNT * sizeof *seats);
	size_t count;
	struct turn *turns = turns_new(s, &count);

	for (size_t i = 0; i < s->class_count * CATEGORY_COUNT; i++)
		seats[i] = NONE;
	for (size_t i = 0; i < count; i++) {
		size_t entry = turns[i].entry;
		size_t category = s->facts[entry].item->entry.category;
		const struct class *class = &s->classes[s->class_of[entry]];
		size_t *seat = &seats[s->class_of[entry] * CATEGORY_COUNT + category];
		size_t host = *seat;

		for (size_t h = 0; h < class->host_count && host == NONE; h++)
			host = seats[class->hosts[h] * CATEGORY_COUNT + category];
		s->root[entry] = host == NONE ? entry : s->root[host];
		if (*seat == NONE)
			*seat = entry;
	}
	free(turns);
	free(seats);
}

/* Entries with one root, in the order of the list. */
static void add_group(struct doubles *out, struct search *s, const size_t *members, size_t count)
{
	const struct facts **parts = arena_alloc(s->arena, count * sizeof(void *));

	for (size_t i = 0; i < count; i++)
		parts[i] = &s->facts[members[i]];
	merging_init(&out->groups[out->group_count++], parts, count);
}

static void make_groups(struct doubles *out, struct search *s)
{
	size_t *size = mem_zalloc(s->count, sizeof *size);
	size_t *members = mem_zalloc(s->count, sizeof *members);
	size_t *start = mem_zalloc(s->count, sizeof *start);
	size_t groups = 0;
	size_t at = 0;

	for (size_t i = 0; i < s->count; i++) {
		if (s->root[i] != NONE && ++size[s->root[i]] == 2)
			groups++;
	}
	for (size_t i = 0; i < s->count; i++) {
		start[i] = at;
		at += size[i];
		size[i] = 0;
	}
	for (size_t i = 0; i < s->count; i++) {
		if (s->root[i] != NONE)
			members[start[s->root[i]] + size[s->root[i]]++] = i;
	}
	out->groups = arena_alloc(s->arena, (groups + 1) * sizeof *out->groups);
	for (size_t i = 0; i < s->count; i++) {
		if (size[i] > 1)
			add_group(out, s, members + start[i], size[i]);
	}
	free(start);
	free(members);
	free(size);
}

/* ---- candidates */

static bool are_grouped(const struct search *s, size_t a, size_t b)
{
	return s->root[a] != NONE && s->root[a] == s->root[b];
}

/* "state:a is protected: pinned" */
static struct slice say(struct arena *arena, struct slice ref, const char *what)
{
	STR_AUTO text = STR_INIT;

	str_add(&text, ref);
	str_adds(&text, what);
	return arena_copy(arena, str_slice(&text));
}

/* Why nobody merges the two unasked. */
static void give_reason(struct search *s, struct doubles_candidate *candidate, size_t a, size_t b)
{
	const struct facts *kept = candidate->a->kept != PROTECTION_NONE ? candidate->a
									 : candidate->b;
	STR_AUTO why = STR_INIT;

	candidate->conflict = doubles_conflict(&s->texts[a], &s->texts[b], &why);
	if (candidate->conflict) {
		candidate->reason = arena_copy(s->arena, str_slice(&why));
	} else if (kept->kept != PROTECTION_NONE) {
		str_printf(&why, " is protected: %s", protection_text(kept->kept));
		candidate->reason = say(s->arena, kept->item->ref, why.ptr);
	} else if (candidate->a->item->entry.category != candidate->b->item->entry.category) {
		candidate->reason = slice_of("they are of different categories");
	} else if (s->texts[a].word_count < WORDS_MIN || s->texts[b].word_count < WORDS_MIN) {
		candidate->reason = slice_of("too short to say without the key what it is about");
	} else {
		candidate->reason = slice_of("alike, but not the same words");
	}
}

static void add_candidate(struct doubles *out, struct search *s, size_t a, size_t b,
			  double similarity, const char *match_type)
{
	struct doubles_candidate *candidate = &out->candidates[out->candidate_count++];

	*candidate = (struct doubles_candidate){
		.a = &s->facts[a],
		.b = &s->facts[b],
		.similarity = similarity,
		.match_type = match_type,
	};
	give_reason(s, candidate, a, b);
}

/* First what is equal, then what is nearly so. */
static void make_candidates(struct doubles *out, struct search *s)
{
	out->candidates = arena_alloc(s->arena,
				      (s->count + s->pair_count + 1) * sizeof *out->candidates);
	for (size_t c = 0; c < s->class_count; c++) {
		size_t first = s->classes[c].first;

		for (size_t i = s->next[first]; i != NONE; i = s->next[i]) {
			out->pair_count++;
			if (!are_grouped(s, first, i))
				add_candidate(out, s, first, i, 1, "exact");
		}
	}
	for (size_t i = 0; i < s->pair_count; i++) {
		size_t a = s->classes[s->pairs[i].a].first;
		size_t b = s->classes[s->pairs[i].b].first;

		if (!are_grouped(s, a, b))
			add_candidate(out, s, a, b, s->pairs[i].similarity, "near_duplicate");
	}
}

void doubles_find(struct doubles *out, const struct facts *facts, size_t count, double threshold,
		  const struct progress *progress, struct arena *arena)
{
	struct search s = {.facts = facts, .count = count, .progress = progress, .arena = arena};

	*out = (struct doubles){0};
	s.texts = arena_alloc(&s.own, (count + 1) * sizeof *s.texts);
	s.class_of = arena_alloc(&s.own, (count + 1) * sizeof *s.class_of);
	s.next = arena_alloc(&s.own, (count + 1) * sizeof *s.next);
	s.root = arena_alloc(&s.own, (count + 1) * sizeof *s.root);
	for (size_t i = 0; i < count; i++) {
		doubles_text_read(&s.texts[i], facts[i].item, &s.own);
		s.root[i] = NONE;
	}
	find_classes(&s);
	out->pair_count = find_pairs(&s, threshold);
	find_roots(&s);
	make_groups(out, &s);
	make_candidates(out, &s);
	for (size_t c = 0; c < s.class_count; c++)
		free(s.classes[c].hosts);
	free(s.pairs);
	arena_release(&s.own);
}

bool doubles_compare(struct doubles_candidate *out, const struct facts *a, const struct facts *b,
		     struct arena *arena)
{
	struct doubles_text first;
	struct doubles_text second;
	STR_AUTO why = STR_INIT;

	doubles_text_read(&first, a->item, arena);
	doubles_text_read(&second, b->item, arena);
	if (!doubles_conflict(&first, &second, &why))
		return false;
	*out = (struct doubles_candidate){
		.a = a,
		.b = b,
		.similarity = similar_texts(first.words, second.words),
		.reason = arena_copy(arena, str_slice(&why)),
		.conflict = true,
		.match_type = "near_duplicate",
	};
	return true;
}

double doubles_likeness(const struct facts *a, const struct facts *b)
{
	struct arena arena = ARENA_INIT;
	double likeness = similar_texts(alike_text(a->item, &arena), alike_text(b->item, &arena));

	arena_release(&arena);
	return likeness;
}
