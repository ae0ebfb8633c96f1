#include "match/vocab.h"

#include "base/mem.h"
#include "match/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Longer words are found by equality alone: they are data, not language. */
#define LIKENESS_LEN_MAX 64

/* Against rounding down of what is a whole number. */
#define SAME 1e-9

void vocab_init(struct vocab *vocab)
{
	*vocab = (struct vocab){0};
}

void vocab_release(struct vocab *vocab)
{
	for (size_t i = 0; i < vocab->count; i++) {
		free(vocab->words[i].forms);
		free(vocab->words[i].items);
	}
	free(vocab->words);
	free(vocab->by_len);
	free(vocab->bags);
	free(vocab->heads);
	free(vocab->starts);
	free(vocab->matches);
	map_release(&vocab->ids);
	vocab_init(vocab);
}

uint32_t vocab_id(struct vocab *vocab, const struct text *text, uint32_t word)
{
	struct slice bytes = text_word_bytes(text, word);
	struct vocab_word *new_word;
	size_t id;

	if (map_get(&vocab->ids, bytes, &id))
		return (uint32_t)id;
	id = vocab->count++;
	vocab->words = mem_grow(vocab->words, &vocab->cap, vocab->count, sizeof *vocab->words);
	new_word = &vocab->words[id];
	*new_word = (struct vocab_word){0};
	new_word->chars = text->chars + text->words[word].start;
	new_word->len = text->words[word].len;
	map_put(&vocab->ids, bytes, id);
	return (uint32_t)id;
}

void vocab_add_form(struct vocab *vocab, uint32_t word, uint32_t form)
{
	struct vocab_word *w = &vocab->words[word];

	if (w->form_count && w->forms[w->form_count - 1] == form)
		return;
	w->forms = mem_grow(w->forms, &w->form_cap, w->form_count + 1, sizeof *w->forms);
	w->forms[w->form_count++] = form;
}

void vocab_add_item(struct vocab *vocab, uint32_t word, uint32_t item, enum vocab_place place,
		    size_t folded)
{
	struct vocab_word *w = &vocab->words[word];
	uint8_t cost = folded > UINT8_MAX ? UINT8_MAX : (uint8_t)folded;
	struct vocab_posting *last = w->item_count ? &w->items[w->item_count - 1] : NULL;

	if (last && last->target == item) {
		last->places |= (uint8_t)place;
		last->folded = cost < last->folded ? cost : last->folded;
		return;
	}
	w->items = mem_grow(w->items, &w->item_cap, w->item_count + 1, sizeof *w->items);
	w->items[w->item_count++] = (struct vocab_posting){item, (uint8_t)place, cost};
}

static double inverse_frequency(double items, double holding)
{
	return log(1 + (items - holding + 0.5) / (holding + 0.5));
}

static size_t count_keys(const struct vocab_word *word)
{
	size_t keys = 0;

	for (uint32_t i = 0; i < word->item_count; i++)
		keys += (word->items[i].places & VOCAB_IN_KEY) != 0;
	return keys;
}

/* Marks the head of a word that resembles no other. */
#define NEVER_ALIKE ((uint64_t)1 << 63)

/* The first three characters in one number; 0 for a word that is shorter. */
static uint64_t head_of(const uint32_t *chars, uint32_t len)
{
	if (text_has_digit(chars, len))
		return NEVER_ALIKE;
	if (len < 3)
		return 0;
	return chars[0] | (uint64_t)chars[1] << 21 | (uint64_t)chars[2] << 42;
}

/* Orders the words by length, so that a search skips all that are too short or too long. */
static void order_by_length(struct vocab *vocab)
{
	uint32_t *next;

	for (size_t i = 0; i < vocab->count; i++) {
		if (vocab->words[i].len > vocab->longest)
			vocab->longest = vocab->words[i].len;
	}
	vocab->starts = mem_zalloc((size_t)vocab->longest + 2, sizeof *vocab->starts);
	vocab->by_len = mem_zalloc(vocab->count, sizeof *vocab->by_len);
	for (size_t i = 0; i < vocab->count; i++)
		vocab->starts[vocab->words[i].len + 1]++;
	for (size_t len = 1; len <= (size_t)vocab->longest + 1; len++)
		vocab->starts[len] += vocab->starts[len - 1];
	next = mem_zalloc((size_t)vocab->longest + 2, sizeof *next);
	memcpy(next, vocab->starts, ((size_t)vocab->longest + 2) * sizeof *next);
	for (size_t i = 0; i < vocab->count; i++)
		vocab->by_len[next[vocab->words[i].len]++] = (uint32_t)i;
	free(next);
	vocab->bags = mem_zalloc(vocab->count, sizeof *vocab->bags);
	vocab->heads = mem_zalloc(vocab->count, sizeof *vocab->heads);
	for (size_t i = 0; i < vocab->count; i++) {
		const struct vocab_word *w = &vocab->words[vocab->by_len[i]];

		vocab->bags[i] = text_bag(w->chars, w->len);
		vocab->heads[i] = head_of(w->chars, w->len);
	}
}

void vocab_finish(struct vocab *vocab, size_t item_count)
{
	for (size_t i = 0; i < vocab->count; i++) {
		double keys = (double)count_keys(&vocab->words[i]);

		vocab->words[i].weight = inverse_frequency((double)item_count, keys);
	}
	vocab->rarest = inverse_frequency((double)item_count, 0);
	order_by_length(vocab);
}

static void add_match(struct vocab *vocab, size_t *count, uint32_t word, struct words_likeness like)
{
	vocab->matches = mem_grow(vocab->matches, &vocab->match_cap, *count + 1,
				  sizeof *vocab->matches);
	vocab->matches[(*count)++] = (struct vocab_match){word, like.likeness, like.near};
}

/* Range of by_len that holds the words of these lengths. */
static void length_range(const struct vocab *vocab, uint32_t shortest, uint32_t longest,
			 uint32_t *begin, uint32_t *end)
{
	if (longest > vocab->longest)
		longest = vocab->longest;
	if (shortest > longest) {
		*begin = *end = 0;
		return;
	}
	*begin = vocab->starts[shortest];
	*end = vocab->starts[longest + 1];
}

/* Compares the word at a place of by_len and keeps it when the two are alike. */
static void try_word(struct vocab *vocab, const uint32_t *chars, uint32_t len, uint32_t place,
		     size_t *count)
{
	const struct vocab_word *w = &vocab->words[vocab->by_len[place]];
	struct words_likeness like = words_compare(chars, len, w->chars, w->len);

	if (like.likeness > 0)
		add_match(vocab, count, vocab->by_len[place], like);
}

static size_t find_alike(struct vocab *vocab, const uint32_t *chars, uint32_t len)
{
	uint32_t longest = (uint32_t)(len / WORDS_ALIKE + SAME);
	uint64_t bag = text_bag(chars, len);
	uint64_t head = head_of(chars, len);
	size_t count = 0;
	uint32_t begin;
	uint32_t end;

	for (uint32_t other = (uint32_t)(WORDS_ALIKE * len); other <= longest; other++) {
		size_t limit = (size_t)((1 - WORDS_ALIKE) * (other > len ? other : len));

		length_range(vocab, other, other, &begin, &end);
		for (uint32_t i = begin; i < end; i++) {
			if (vocab->heads[i] == NEVER_ALIKE)
				continue;
			if (vocab->heads[i] == head ||
			    text_distance_bound(bag, len, vocab->bags[i], other) <= limit)
				try_word(vocab, chars, len, i, &count);
		}
	}
	length_range(vocab, longest + 1, LIKENESS_LEN_MAX, &begin, &end);
	for (uint32_t i = begin; head && i < end; i++) {
		if (vocab->heads[i] == head)
			try_word(vocab, chars, len, i, &count);
	}
	return count;
}

size_t vocab_find(struct vocab *vocab, const struct text *query, uint32_t word,
		  const struct vocab_match **out)
{
	const uint32_t *chars = query->chars + query->words[word].start;
	uint32_t len = query->words[word].len;
	size_t count = 0;
	size_t id;

	if (len > 1 && len <= LIKENESS_LEN_MAX && !text_has_digit(chars, len)) {
		count = find_alike(vocab, chars, len);
	} else if (map_get(&vocab->ids, text_word_bytes(query, word), &id)) {
		add_match(vocab, &count, (uint32_t)id, (struct words_likeness){1, true});
	}
	*out = vocab->matches;
	return count;
}

size_t vocab_find_containing(struct vocab *vocab, const struct text *query, uint32_t word,
			     const struct vocab_match **out)
{
	const uint32_t *chars = query->chars + query->words[word].start;
	uint32_t len = query->words[word].len;
	uint64_t bag = text_bag(chars, len);
	size_t count = 0;
	uint32_t begin;
	uint32_t end;

	length_range(vocab, len, UINT32_MAX, &begin, &end);
	for (uint32_t i = begin; i < end; i++) {
		const struct vocab_word *w = &vocab->words[vocab->by_len[i]];

		if ((bag & ~vocab->bags[i]) == 0 &&
		    memmem(w->chars, w->len * sizeof *chars, chars, len * sizeof *chars))
			add_match(vocab, &count, vocab->by_len[i],
				  (struct words_likeness){1, true});
	}
	*out = vocab->matches;
	return count;
}
