#include "ops/maintain/patterns.h"

#include "base/map.h"
#include "base/mem.h"
#include "policy/consolidation.h"
#include "text/words.h"

#include <math.h>
#include <stdlib.h>

/* Entries that share this much of their words are about the same. */
#define THEME_LIKENESS 0.25
#define THEME_SIZE_MIN 3
#define THEME_SIZE_MAX 100

/* Words by which a pattern is named. */
#define TERMS_MAX 3

/* A pattern that is less sure is none. */
#define CONFIDENCE_MIN 0.4

/* Entries that count as recent. */
#define RECENT_MAX 100

/* A word, and in how many of the entries it is. */
struct term {
	struct slice word;
	size_t entries;
	size_t last; /* the entry that was counted last, plus 1 */
};

struct terms {
	struct term *list;
	size_t count;
	size_t cap;
	struct map by_word;
	struct arena arena;
};

static void patterns_terms_release(struct terms *terms)
{
	free(terms->list);
	map_release(&terms->by_word);
	arena_release(&terms->arena);
}

static void patterns_count_word(struct terms *terms, struct slice word, size_t entry)
{
	size_t at;

	if (!map_get(&terms->by_word, word, &at)) {
		at = terms->count;
		*MEM_ADD(terms->list, terms->count, terms->cap) = (struct term){.word = word};
		map_put(&terms->by_word, word, at);
	}
	if (terms->list[at].last == entry + 1)
		return;
	terms->list[at].last = entry + 1;
	terms->list[at].entries++;
}

/* Counts each word of an entry once. */
static void patterns_count_words(struct terms *terms, struct slice text, size_t entry)
{
	struct slice *words;
	size_t count = similar_words(&terms->arena, text, &words);

	for (size_t i = 0; i < count; i++)
		patterns_count_word(terms, words[i], entry);
}

/* ---- patterns */

/* In most entries first, then the longer, then by their bytes. */
static int patterns_compare_terms(const void *a, const void *b)
{
	const struct term *first = a;
	const struct term *second = b;

	if (first->entries != second->entries)
		return first->entries > second->entries ? -1 : 1;
	if (first->word.len != second->word.len)
		return first->word.len > second->word.len ? -1 : 1;
	return slice_compare(first->word, second->word);
}

/* Words that say nothing by themselves: those that most questions have, too. */
static bool patterns_is_empty_word(struct slice word)
{
	ARENA_AUTO arena = ARENA_INIT;
	struct text text;

	text_make(&arena, word, &text);
	return text.word_count != 1 || words_is_listed_at(&text, 0, DICTIONARY_ASKING);
}

/* The words that name a group, by which it is known again; how many there are. */
static size_t patterns_name_terms(struct terms *terms, struct slice out[TERMS_MAX], double *share,
				  size_t members)
{
	size_t found = 0;

	*share = 0;
	if (terms->count)
		qsort(terms->list, terms->count, sizeof *terms->list, patterns_compare_terms);
	for (size_t i = 0; i < terms->count && found < TERMS_MAX; i++) {
		const struct term *term = &terms->list[i];

		if (term->entries * 2 < members || patterns_is_empty_word(term->word))
			continue;
		out[found++] = term->word;
		*share += (double)term->entries / (double)members;
	}
	*share = found ? *share / (double)found : 0;
	return found;
}

static void patterns_join(struct str *out, const struct slice *words, size_t count,
			  const char *between)
{
	for (size_t i = 0; i < count; i++) {
		str_adds(out, i ? between : "");
		str_add(out, words[i]);
	}
}

static void patterns_describe(struct pattern *pattern, struct slice *words, size_t count,
			      struct arena *arena)
{
	STR_AUTO key = STR_INIT;
	STR_AUTO text = STR_INIT;

	str_printf(&text, "%zu memories are about ", pattern->count);
	patterns_join(&text, words, count, ", ");
	pattern->description = arena_copy(arena, str_slice(&text));
	qsort(words, count, sizeof *words, slice_compare_elements);
	str_adds(&key, "about ");
	patterns_join(&key, words, count, " ");
	pattern->key = arena_copy(arena, str_slice(&key));
}

/* False where the group has no words in common that name it, or is not sure. */
static bool patterns_make_pattern(struct pattern *out, const struct facts *facts,
				  const struct slice *words, const size_t *position,
				  const struct cluster *cluster, struct arena *arena)
{
	struct terms terms = {0};
	struct slice named[TERMS_MAX];
	double share;
	size_t count;

	*out = (struct pattern){
		.members = arena_alloc(arena, cluster->count * sizeof(void *)),
		.count = cluster->count,
	};
	for (size_t i = 0; i < cluster->count; i++) {
		size_t entry = position[cluster->members[i]];

		out->members[i] = &facts[entry];
		patterns_count_words(&terms, words[entry], i);
	}
	count = patterns_name_terms(&terms, named, &share, cluster->count);
	out->confidence = pattern_confidence(cluster->cohesion, cluster->count, share);
	if (count)
		patterns_describe(out, named, count, arena);
	patterns_terms_release(&terms);
	return count && out->confidence >= CONFIDENCE_MIN;
}

/* The surest first, then by their keys. */
static int patterns_compare_patterns(const void *a, const void *b)
{
	const struct pattern *first = a;
	const struct pattern *second = b;

	if (first->confidence != second->confidence)
		return first->confidence > second->confidence ? -1 : 1;
	return slice_compare(first->key, second->key);
}

static bool patterns_is_named(const struct pattern *patterns, size_t count, struct slice key)
{
	for (size_t i = 0; i < count; i++) {
		if (slice_equal(patterns[i].key, key))
			return true;
	}
	return false;
}

/* Entries that are no patterns themselves. */
static struct similar *patterns_originals(const struct facts *facts, const struct slice *words,
					  size_t *position, size_t count)
{
	struct slice *texts = mem_zalloc(count, sizeof *texts);
	struct similar *similar;
	size_t found = 0;

	for (size_t i = 0; i < count; i++) {
		if (slice_is(facts[i].item->entry.source, PATTERN_SOURCE))
			continue;
		position[found] = i;
		texts[found++] = words[i];
	}
	similar = similar_new(texts, found);
	free(texts);
	return similar;
}

size_t patterns_find(const struct facts *facts, const struct slice *words, size_t count,
		     struct arena *arena, struct pattern patterns[PATTERNS_MAX])
{
	size_t *position = mem_zalloc(count, sizeof *position);
	struct similar *similar = patterns_originals(facts, words, position, count);
	struct pattern *all;
	struct clusters clusters;
	size_t found = 0;

	clusters_find(similar, THEME_LIKENESS, THEME_SIZE_MIN, THEME_SIZE_MAX, &clusters);
	all = mem_zalloc(clusters.count, sizeof *all);
	for (size_t i = 0; i < clusters.count; i++) {
		if (patterns_make_pattern(&all[found], facts, words, position, &clusters.list[i],
					  arena) &&
		    !patterns_is_named(all, found, all[found].key))
			found++;
	}
	if (found)
		qsort(all, found, sizeof *all, patterns_compare_patterns);
	if (found > PATTERNS_MAX)
		found = PATTERNS_MAX;
	for (size_t i = 0; i < found; i++)
		patterns[i] = all[i];
	free(all);
	clusters_release(&clusters);
	similar_free(similar);
	free(position);
	return found;
}

/* ---- drift */

/* The last made first. */
static int patterns_compare_made(const void *a, const void *b)
{
	const struct facts *first = *(const struct facts *const *)a;
	const struct facts *second = *(const struct facts *const *)b;

	if (first->item->created_ms != second->item->created_ms)
		return first->item->created_ms > second->item->created_ms ? -1 : 1;
	return slice_compare(first->item->ref, second->item->ref);
}

/* Cosine of the shares of entries that have each word. */
static double patterns_likeness(const struct terms *a, const struct terms *b)
{
	double product = 0;
	double square_a = 0;
	double square_b = 0;
	size_t at;

	for (size_t i = 0; i < a->count; i++) {
		double own = (double)a->list[i].entries;

		square_a += own * own;
		if (map_get(&b->by_word, a->list[i].word, &at))
			product += own * (double)b->list[at].entries;
	}
	for (size_t i = 0; i < b->count; i++)
		square_b += (double)b->list[i].entries * (double)b->list[i].entries;
	return square_a > 0 && square_b > 0 ? product / sqrt(square_a * square_b) : 0;
}

void pattern_drift(const struct facts *facts, const struct slice *words, size_t count,
		   struct pattern_drift *out)
{
	const struct facts **order = mem_zalloc(count, sizeof(void *));
	struct terms recent = {0};
	struct terms older = {0};

	*out = (struct pattern_drift){.recent = count < RECENT_MAX ? count : RECENT_MAX};
	out->older = count - out->recent;
	out->known = out->older > 0;
	for (size_t i = 0; i < count; i++)
		order[i] = &facts[i];
	if (count)
		qsort(order, count, sizeof(void *), patterns_compare_made);
	for (size_t i = 0; out->known && i < count; i++)
		patterns_count_words(i < out->recent ? &recent : &older, words[order[i] - facts],
				     i);
	out->similarity = out->known ? patterns_likeness(&recent, &older) : 1;
	out->level = drift_level(out->similarity);
	patterns_terms_release(&recent);
	patterns_terms_release(&older);
	free(order);
}
