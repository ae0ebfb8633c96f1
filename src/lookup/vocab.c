#include "lookup/vocab.h"

#include "base/mem.h"
#include "text/stem.h"
#include "text/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Longer words are found by equality alone: they are data, not language. */
#define LIKENESS_LEN_MAX 64

/* What another form of a word counts. */
#define KIN_LIKENESS 0.9

/* A word of so few characters is a form of a longer one only if a list says so: "env". */
#define KIN_SHORT 3

/* Against rounding down of what is a whole number. */
#define SAME 1e-9

void vocab_release(struct vocab *vocab)
{
	for (size_t i = 0; i < vocab->count; i++) {
		free(vocab->words[i].forms);
		free(vocab->words[i].items);
	}
	for (size_t i = 0; i < VOCAB_BUCKETS; i++) {
		free(vocab->buckets[i].bags);
		columns_release(&vocab->buckets[i].letters);
		columns_release(&vocab->buckets[i].beginnings);
		free(vocab->buckets[i].heads);
		free(vocab->buckets[i].ids);
	}
	free(vocab->words);
	free(vocab->matches);
	map_release(&vocab->ids);
	map_release(&vocab->stems);
	arena_release(&vocab->arena);
	*vocab = (struct vocab){0};
}

/* Marks the head of a word that resembles no other. */
#define NEVER_ALIKE ((uint64_t)1 << 63)

/* The first three characters in one number; 0 for a word that is shorter. */
static uint64_t vocab_head_of(const uint32_t *chars, uint32_t len)
{
	if (text_has_digit(chars, len))
		return NEVER_ALIKE;
	if (len < 3)
		return 0;
	return chars[0] | (uint64_t)chars[1] << 21 | (uint64_t)chars[2] << 42;
}

static struct vocab_bucket *vocab_bucket_of(struct vocab *vocab, uint32_t len)
{
	return &vocab->buckets[len < VOCAB_BUCKETS ? len : VOCAB_BUCKETS - 1];
}

/* Puts the word where a search finds it that passes over all that are too short or too long. */
static void vocab_shelve(struct vocab *vocab, uint32_t id)
{
	const struct vocab_word *w = &vocab->words[id];
	struct vocab_bucket *bucket = vocab_bucket_of(vocab, w->len);
	uint32_t at = bucket->count++;

	bucket->bags = mem_grow(bucket->bags, &bucket->bag_cap, bucket->count, sizeof(uint64_t));
	bucket->heads = mem_grow(bucket->heads, &bucket->head_cap, bucket->count, sizeof(uint64_t));
	bucket->ids = mem_grow(bucket->ids, &bucket->id_cap, bucket->count, sizeof(uint32_t));
	bucket->bags[at] = text_bag(w->chars, w->len);
	bucket->heads[at] = vocab_head_of(w->chars, w->len);
	columns_add(&bucket->letters, bucket->heads[at] == NEVER_ALIKE ? 0 : bucket->bags[at]);
	columns_add(&bucket->beginnings, columns_features_of(bucket->heads[at]));
	bucket->ids[at] = id;
}

static void vocab_add_match(struct vocab *vocab, size_t *count, uint32_t word,
			    struct words_likeness like)
{
	vocab->matches = mem_grow(vocab->matches, &vocab->match_cap, *count + 1,
				  sizeof *vocab->matches);
	vocab->matches[(*count)++] = (struct vocab_match){word, like.likeness, like.near};
}

bool vocab_known(const struct vocab *vocab, const struct text *text, uint32_t word, uint32_t *id)
{
	size_t found;

	if (!map_get(&vocab->ids, text_word_bytes(text, word), &found))
		return false;
	*id = (uint32_t)found;
	return true;
}

/* The stem of a word as bytes, in the buffer; false for a word that has none but itself. */
static bool vocab_stem(const uint32_t *chars, uint32_t len, uint32_t stem[STEM_LEN_MAX],
		       struct slice *out)
{
	struct text_word number = text_plain_number(chars, (struct text_word){0, len});

	if (number.len && number.len <= STEM_LEN_MAX) {
		*out = slice_make((const char *)(chars + number.start), number.len * sizeof *chars);
		return true;
	}
	if (len < 2 || len > STEM_LEN_MAX || text_has_digit(chars, len))
		return false;
	*out = slice_make((const char *)stem, stem_word(chars, len, stem) * sizeof *stem);
	return len > KIN_SHORT || out->len != len * sizeof *chars;
}

/* Chains a word to the others with its stem. */
static void vocab_add_kin(struct vocab *vocab, uint32_t id)
{
	struct vocab_word *w = &vocab->words[id];
	uint32_t buffer[STEM_LEN_MAX];
	struct slice stem;
	size_t first;

	w->next_kin = VOCAB_NONE;
	if (!vocab_stem(w->chars, w->len, buffer, &stem))
		return;
	if (map_get(&vocab->stems, stem, &first)) {
		w->next_kin = vocab->words[first].next_kin;
		vocab->words[first].next_kin = id;
	} else {
		map_put(&vocab->stems, arena_copy(&vocab->arena, stem), id);
	}
}

uint32_t vocab_id(struct vocab *vocab, const struct text *text, uint32_t word)
{
	struct slice bytes = text_word_bytes(text, word);
	struct vocab_word *new_word;
	uint32_t *chars;
	uint32_t id;

	if (vocab_known(vocab, text, word, &id))
		return id;
	chars = arena_alloc(&vocab->arena, bytes.len);
	memcpy(chars, bytes.ptr, bytes.len);
	id = (uint32_t)vocab->count++;
	vocab->words = mem_grow(vocab->words, &vocab->cap, vocab->count, sizeof *vocab->words);
	new_word = &vocab->words[id];
	*new_word = (struct vocab_word){.chars = chars, .len = text->words[word].len};
	map_put(&vocab->ids, slice_make((const char *)chars, bytes.len), id);
	vocab_shelve(vocab, id);
	vocab_add_kin(vocab, id);
	return id;
}

void vocab_add_form(struct vocab *vocab, uint32_t word, uint32_t form)
{
	struct vocab_word *w = &vocab->words[word];

	if (w->form_count && w->forms[w->form_count - 1] == form)
		return;
	w->forms = mem_grow(w->forms, &w->form_cap, w->form_count + 1, sizeof *w->forms);
	w->forms[w->form_count++] = form;
}

/* The word stands in one key more or less. */
static void vocab_count_key(struct vocab *vocab, struct vocab_word *w, bool more)
{
	w->keys += more ? 1U : UINT32_MAX;
	w->weighed = 0;
	vocab->state++;
}

void vocab_add_item(struct vocab *vocab, uint32_t word, uint32_t item, enum vocab_place place,
		    size_t folded)
{
	struct vocab_word *w = &vocab->words[word];
	uint8_t cost = folded > UINT8_MAX ? UINT8_MAX : (uint8_t)folded;
	struct vocab_posting *last = w->item_count ? &w->items[w->item_count - 1] : NULL;

	if (!last || last->target != item) {
		w->items = mem_grow(w->items, &w->item_cap, w->item_count + 1, sizeof *w->items);
		last = &w->items[w->item_count++];
		*last = (struct vocab_posting){item, 0, cost};
	}
	if (place == VOCAB_IN_KEY && !(last->places & VOCAB_IN_KEY))
		vocab_count_key(vocab, w, true);
	last->places |= (uint8_t)place;
	last->folded = cost < last->folded ? cost : last->folded;
}

/* Where the word stands in this item; NULL when it does not. */
static struct vocab_posting *vocab_posting_of(const struct vocab_word *w, uint32_t item)
{
	uint32_t from = 0;
	uint32_t to = w->item_count;

	while (from < to) {
		uint32_t middle = from + (to - from) / 2;

		if (w->items[middle].target < item)
			from = middle + 1;
		else
			to = middle;
	}
	return from < w->item_count && w->items[from].target == item ? &w->items[from] : NULL;
}

void vocab_drop_key(struct vocab *vocab, uint32_t word, uint32_t item)
{
	struct vocab_word *w = &vocab->words[word];
	struct vocab_posting *posting = vocab_posting_of(w, item);

	if (!posting || !(posting->places & VOCAB_IN_KEY))
		return;
	posting->places &= (uint8_t)~VOCAB_IN_KEY;
	vocab_count_key(vocab, w, false);
}

bool vocab_is_in_value(const struct vocab *vocab, uint32_t word, uint32_t item)
{
	const struct vocab_posting *posting = vocab_posting_of(&vocab->words[word], item);

	return posting && posting->places & VOCAB_IN_VALUE;
}

bool vocab_is_anywhere(const struct vocab *vocab, uint32_t word, const int *scopes, int gone)
{
	const struct vocab_word *w = &vocab->words[word];

	for (uint32_t i = 0; i < w->item_count; i++)
		if (scopes[w->items[i].target] != gone)
			return true;
	return false;
}

static double vocab_inverse_frequency(double items, double holding)
{
	return log(1 + (items - holding + 0.5) / (holding + 0.5));
}

void vocab_set_items(struct vocab *vocab, size_t items)
{
	vocab->items = items;
	vocab->state++;
}

double vocab_weight(struct vocab *vocab, uint32_t word)
{
	struct vocab_word *w = &vocab->words[word];

	if (w->weighed != vocab->state) {
		w->weight = vocab_inverse_frequency((double)vocab->items, w->keys);
		w->weighed = vocab->state;
	}
	return w->weight;
}

double vocab_rarest(const struct vocab *vocab)
{
	return vocab_inverse_frequency((double)vocab->items, 0);
}

/* A word as it is looked up. */
struct wanted {
	const uint32_t *chars;
	uint32_t len;
	uint32_t longest; /* that edits make of it */
	uint64_t bag;
	uint64_t head;
};

/* Compares the word at a place of a bucket and keeps it when the two are alike. */
static void vocab_try_word(struct vocab *vocab, const struct wanted *wanted, uint32_t id,
			   size_t *count)
{
	const struct vocab_word *w = &vocab->words[id];
	struct words_likeness like = words_compare(wanted->chars, wanted->len, w->chars, w->len);

	if (like.likeness > 0)
		vocab_add_match(vocab, count, id, like);
}

/* Words of one length that can be reached within the edits, or that begin with the word. */
static void vocab_find_in_bucket(struct vocab *vocab, const struct wanted *wanted, uint32_t len,
				 size_t *count)
{
	const struct vocab_bucket *bucket = vocab_bucket_of(vocab, len);
	size_t edits = (size_t)((1 - WORDS_ALIKE) * (len > wanted->len ? len : wanted->len));

	for (size_t block = 0; block * COLUMNS_BLOCK < bucket->count; block++) {
		struct columns_row begins = {0};
		struct columns_row found;

		columns_lacking(&bucket->beginnings, block, columns_features_of(wanted->head), 0,
				&begins);
		found = begins;
		/* An edit leaves no more than one letter without its like. */
		if (len <= wanted->longest)
			columns_lacking(&bucket->letters, block, wanted->bag, edits, &found);
		for (size_t at = 0; columns_take(&found, &at);) {
			size_t i = block * COLUMNS_BLOCK + at;

			if ((begins.words[at / 64] >> at % 64 & 1 &&
			     bucket->heads[i] == wanted->head) ||
			    (text_distance_bound(wanted->bag, wanted->len, bucket->bags[i], len) <=
				     edits &&
			     bucket->heads[i] != NEVER_ALIKE))
				vocab_try_word(vocab, wanted, bucket->ids[i], count);
		}
	}
}

static size_t vocab_find_alike(struct vocab *vocab, const uint32_t *chars, uint32_t len)
{
	struct wanted wanted = {chars, len, (uint32_t)(len / WORDS_ALIKE + SAME),
				text_bag(chars, len), vocab_head_of(chars, len)};
	uint32_t most = wanted.head && wanted.longest < LIKENESS_LEN_MAX ? LIKENESS_LEN_MAX
									 : wanted.longest;
	size_t count = 0;

	for (uint32_t other = (uint32_t)(WORDS_ALIKE * len); other <= most; other++)
		vocab_find_in_bucket(vocab, &wanted, other, &count);
	return count;
}

_Static_assert(LIKENESS_LEN_MAX * 100 / WORDS_ALIKE_PERCENT < VOCAB_BUCKETS - 1,
	       "words that may be alike have buckets of their own length");

/* Other forms of the word: "stored" for "storing". */
static void vocab_find_kin(struct vocab *vocab, const uint32_t *chars, uint32_t len, size_t *count)
{
	uint32_t buffer[STEM_LEN_MAX];
	struct slice stem;
	size_t first;

	if (!vocab_stem(chars, len, buffer, &stem) || !map_get(&vocab->stems, stem, &first))
		return;
	for (uint32_t id = (uint32_t)first; id != VOCAB_NONE; id = vocab->words[id].next_kin)
		vocab_add_match(vocab, count, id, (struct words_likeness){KIN_LIKENESS, true});
}

size_t vocab_find(struct vocab *vocab, const struct text *query, uint32_t word,
		  const struct vocab_match **out)
{
	const uint32_t *chars = query->chars + query->words[word].start;
	uint32_t len = query->words[word].len;
	size_t count = 0;
	uint32_t id;

	if (len > 1 && len <= LIKENESS_LEN_MAX && !text_has_digit(chars, len)) {
		count = vocab_find_alike(vocab, chars, len);
		vocab_find_kin(vocab, chars, len, &count);
	} else if (vocab_known(vocab, query, word, &id)) {
		vocab_add_match(vocab, &count, id, (struct words_likeness){1, true});
	}
	if (text_plain_number(chars, (struct text_word){0, len}).len)
		vocab_find_kin(vocab, chars, len, &count);
	*out = vocab->matches;
	return count;
}

static bool vocab_contains(const struct vocab_word *word, const uint32_t *chars, uint32_t len)
{
	for (uint32_t i = 0; word->len <= LIKENESS_LEN_MAX && i + len <= word->len; i++) {
		if (word->chars[i] == *chars &&
		    memcmp(word->chars + i, chars, len * sizeof *chars) == 0)
			return true;
	}
	return word->len > LIKENESS_LEN_MAX &&
	       memmem(word->chars, word->len * sizeof *chars, chars, len * sizeof *chars) != NULL;
}

size_t vocab_find_containing(struct vocab *vocab, const uint32_t *chars, uint32_t len,
			     const struct vocab_match **out)
{
	uint64_t bag = text_bag(chars, len);
	size_t count = 0;

	for (size_t b = len < VOCAB_BUCKETS ? len : VOCAB_BUCKETS - 1; b < VOCAB_BUCKETS; b++) {
		const struct vocab_bucket *bucket = &vocab->buckets[b];

		for (uint32_t i = 0; i < bucket->count; i++) {
			const struct vocab_word *w = &vocab->words[bucket->ids[i]];

			if ((bag & ~bucket->bags[i]) == 0 && vocab_contains(w, chars, len))
				vocab_add_match(vocab, &count, bucket->ids[i],
						(struct words_likeness){1, true});
		}
	}
	*out = vocab->matches;
	return count;
}
