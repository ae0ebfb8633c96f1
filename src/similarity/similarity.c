#include "similarity/similarity.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "similarity/similarity_internal.h"
#include "text/characters.h"
#include "text/normalize.h"

#include <math.h>
#include <stdlib.h>

struct word_known {
	uint32_t texts_with;
	uint32_t last_text; /* counted from 1 */
};

/* Words by number in the order in which they are met, while the texts are read. */
struct vocabulary {
	struct map ids;
	struct word_known *words;
	size_t count;
	size_t cap;
};

static uint32_t similarity_word_id(struct vocabulary *vocabulary, struct slice word, uint32_t text)
{
	size_t id = vocabulary->count;

	vocabulary->words = mem_grow(vocabulary->words, &vocabulary->cap, id + 1,
				     sizeof *vocabulary->words);
	if (!map_get(&vocabulary->ids, word, &id)) {
		vocabulary->words[vocabulary->count++] = (struct word_known){0, 0};
		map_put(&vocabulary->ids, word, id);
	}
	struct word_known *known = &vocabulary->words[id];
	known->texts_with += known->last_text != text + 1;
	known->last_text = text + 1;
	return (uint32_t)id;
}

/* Until the ranks are known, ranks holds the numbers of the words, with repetitions. */
static void similar_read_text(struct similar *similar, struct vocabulary *vocabulary, size_t at,
			      struct slice text)
{
	struct similar_doc *doc = &similar->docs[at];
	struct slice *words;
	size_t count = similar_words(&similar->arena, text, &words);

	doc->ranks = arena_alloc(&similar->arena, count * sizeof *doc->ranks);
	doc->counts = arena_alloc(&similar->arena, count * sizeof *doc->counts);
	doc->total = (uint32_t)count;
	for (size_t i = 0; i < count; i++)
		doc->ranks[i] = similarity_word_id(vocabulary, words[i], (uint32_t)at);
}

static int similarity_compare_rarity(const void *a, const void *b, void *context)
{
	const struct word_known *words = context;
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;

	if (words[x].texts_with != words[y].texts_with)
		return words[x].texts_with < words[y].texts_with ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* rank_of[number of a word] is its rank; *similar gets how many texts have the word of a rank. */
static uint32_t *similarity_rank_words(struct similar *similar, const struct vocabulary *vocabulary)
{
	uint32_t *order = mem_zalloc(vocabulary->count, sizeof *order);
	uint32_t *rank_of = mem_zalloc(vocabulary->count, sizeof *rank_of);

	for (size_t i = 0; i < vocabulary->count; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, vocabulary->count, sizeof *order, similarity_compare_rarity,
		vocabulary->words);
	similar->words = (uint32_t)vocabulary->count;
	similar->texts_with = arena_alloc(&similar->arena,
					  vocabulary->count * sizeof *similar->texts_with);
	for (size_t i = 0; i < vocabulary->count; i++) {
		rank_of[order[i]] = (uint32_t)i;
		similar->texts_with[i] = vocabulary->words[order[i]].texts_with;
	}
	free(order);
	return rank_of;
}

static int similarity_compare_ranks(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void similarity_rank_doc(struct similar_doc *doc, const uint32_t *rank_of)
{
	uint32_t len = 0;

	for (uint32_t i = 0; i < doc->total; i++)
		doc->ranks[i] = rank_of[doc->ranks[i]];
	if (doc->total)
		qsort(doc->ranks, doc->total, sizeof *doc->ranks, similarity_compare_ranks);
	for (uint32_t i = 0; i < doc->total; i++) {
		if (!len || doc->ranks[len - 1] != doc->ranks[i]) {
			doc->ranks[len] = doc->ranks[i];
			doc->counts[len++] = 0;
		}
		doc->counts[len - 1]++;
	}
	doc->len = len;
}

struct similar *similar_new(const struct slice *texts, size_t count)
{
	struct similar *similar = mem_zalloc(1, sizeof *similar);
	struct vocabulary vocabulary = {0};

	similar->count = count;
	similar->docs = arena_alloc(&similar->arena, count * sizeof *similar->docs);
	for (size_t i = 0; i < count; i++)
		similar_read_text(similar, &vocabulary, i, texts[i]);
	uint32_t *rank_of = similarity_rank_words(similar, &vocabulary);
	for (size_t i = 0; i < count; i++)
		similarity_rank_doc(&similar->docs[i], rank_of);
	free(rank_of);
	map_release(&vocabulary.ids);
	free(vocabulary.words);
	return similar;
}

void similar_free(struct similar *similar)
{
	if (!similar)
		return;
	arena_release(&similar->arena);
	free(similar);
}

void similar_watch(struct similar *similar, const struct progress *progress)
{
	similar->progress = progress;
}

size_t similar_count(const struct similar *similar)
{
	return similar->count;
}

static double similar_share(size_t both, size_t a, size_t b)
{
	return both ? (double)both / (double)(a + b - both) : 0;
}

double similar_jaccard(const struct similar *similar, size_t a, size_t b)
{
	const struct similar_doc *one = &similar->docs[a];
	const struct similar_doc *other = &similar->docs[b];
	uint32_t both = 0;
	uint32_t i = 0;
	uint32_t j = 0;

	while (i < one->len && j < other->len) {
		uint32_t x = one->ranks[i];
		uint32_t y = other->ranks[j];

		both += x == y;
		i += x <= y;
		j += y <= x;
	}
	return similar_share(both, one->len, other->len);
}

/* Weight of the word at this place of a text. */
static double similarity_weight_at(const struct similar *similar, const struct similar_doc *doc,
				   uint32_t at)
{
	double texts_with = similar->texts_with[doc->ranks[at]];

	return (double)doc->counts[at] / doc->total * log((double)similar->count / texts_with);
}

static double similarity_length_of(const struct similar *similar, const struct similar_doc *doc)
{
	double sum = 0;

	for (uint32_t i = 0; i < doc->len; i++) {
		double weight = similarity_weight_at(similar, doc, i);

		sum += weight * weight;
	}
	return sqrt(sum);
}

double similar_cosine(const struct similar *similar, size_t a, size_t b)
{
	const struct similar_doc *one = &similar->docs[a];
	const struct similar_doc *other = &similar->docs[b];
	double lengths = similarity_length_of(similar, one) * similarity_length_of(similar, other);
	double product = 0;
	uint32_t i = 0;
	uint32_t j = 0;

	while (i < one->len && j < other->len) {
		uint32_t x = one->ranks[i];
		uint32_t y = other->ranks[j];

		if (x == y)
			product += similarity_weight_at(similar, one, i) *
				   similarity_weight_at(similar, other, j);
		i += x <= y;
		j += y <= x;
	}
	return lengths > 0 ? product / lengths : 0;
}

/* A sorted copy, each element once. */
static size_t similarity_sort_set(struct arena *arena, const struct slice *list, size_t count,
				  struct slice **out)
{
	struct slice *set = arena_alloc(arena, count * sizeof *set);
	size_t len = 0;

	if (count) {
		memcpy(set, list, count * sizeof *set);
		qsort(set, count, sizeof *set, slice_compare_elements);
	}
	for (size_t i = 0; i < count; i++) {
		if (!len || slice_compare(set[len - 1], set[i]) != 0)
			set[len++] = set[i];
	}
	*out = set;
	return len;
}

double similar_sets(const struct slice *a, size_t a_count, const struct slice *b, size_t b_count)
{
	ARENA_AUTO arena = ARENA_INIT;
	struct slice *one;
	struct slice *other;
	size_t one_len = similarity_sort_set(&arena, a, a_count, &one);
	size_t other_len = similarity_sort_set(&arena, b, b_count, &other);
	size_t both = 0;

	for (size_t i = 0, j = 0; i < one_len && j < other_len;) {
		int order = slice_compare(one[i], other[j]);

		both += order == 0;
		i += order <= 0;
		j += order >= 0;
	}
	return similar_share(both, one_len, other_len);
}

double similar_texts(struct slice a, struct slice b)
{
	ARENA_AUTO arena = ARENA_INIT;
	struct slice *one;
	struct slice *other;
	size_t one_len = similar_words(&arena, a, &one);
	size_t other_len = similar_words(&arena, b, &other);
	return similar_sets(one, one_len, other, other_len);
}

/* Words of more characters say something even without a digit. */
#define SHORT_WORD 2

struct word {
	struct str text;
	size_t characters;
	bool digit;
};

struct words {
	struct arena *arena;
	struct slice *list;
	size_t count;
	size_t cap;
};

static void similarity_end_word(struct words *words, struct word *word)
{
	if (word->characters > SHORT_WORD || word->digit) {
		words->list = mem_grow(words->list, &words->cap, words->count + 1,
				       sizeof *words->list);
		words->list[words->count++] = arena_copy(words->arena, str_slice(&word->text));
	}
	str_clear(&word->text);
	word->characters = 0;
	word->digit = false;
}

/* A mark belongs to the letter before it and is none itself. */
static void similarity_take_character(struct words *words, struct word *word, uint32_t character)
{
	enum character_kind kind = character_kind(character);
	bool mark = kind == CHARACTER_MARK;

	if (kind < CHARACTER_LOWER || (mark && !word->characters)) {
		similarity_end_word(words, word);
		return;
	}
	word->characters += !mark;
	word->digit = word->digit || kind == CHARACTER_NUMBER;
	utf8_add(&word->text, character_lower(character));
}

static void similarity_take_ascii(struct words *words, struct word *word, unsigned char c)
{
	bool digit = c >= '0' && c <= '9';
	bool upper = c >= 'A' && c <= 'Z';

	if (!digit && !upper && (c < 'a' || c > 'z') && c != '_') {
		similarity_end_word(words, word);
		return;
	}
	word->characters++;
	word->digit = word->digit || digit;
	str_addc(&word->text, (char)(upper ? c - 'A' + 'a' : c));
}

static void similarity_take_text(struct words *words, struct word *word, struct slice text)
{
	for (size_t at = 0; at < text.len;) {
		unsigned char byte = (unsigned char)text.ptr[at];

		if (byte < 0x80) {
			similarity_take_ascii(words, word, byte);
			at++;
		} else {
			similarity_take_character(words, word, utf8_next(text, &at));
		}
	}
	similarity_end_word(words, word);
}

size_t similar_words(struct arena *arena, struct slice text, struct slice **words)
{
	struct words found = {arena, NULL, 0, 0};
	struct word word = {STR_INIT, 0, false};
	STR_AUTO composed = STR_INIT;

	similarity_take_text(&found, &word,
			     normalize_compose(text, &composed) ? str_slice(&composed) : text);
	str_release(&word.text);
	*words = arena_alloc(arena, found.count * sizeof **words);
	if (found.count)
		memcpy(*words, found.list, found.count * sizeof **words);
	free(found.list);
	return found.count;
}
