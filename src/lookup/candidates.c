#include "lookup/candidates.h"

#include "base/mem.h"

/* Words of a query that are held against those of an item, to see whether it contains them all. */
#define WORDS_HELD 8

/* A query of less than this many characters is contained only as a run of whole words. */
#define PART_LEAST 3

static void push(struct index_list *list, uint32_t item)
{
	list->items = mem_grow(list->items, &list->cap, list->count + 1, sizeof *list->items);
	list->items[list->count++] = item;
}

void candidates_list(struct lookup *index, uint32_t item)
{
	struct looked *looked = &index->looked[item];

	if (looked->ask == index->ask)
		return;
	looked->ask = index->ask;
	index->scores[item] = (struct score){0};
	push(&index->listed, item);
}

void candidates_touch(struct lookup *index, uint32_t item)
{
	struct looked *looked = &index->looked[item];

	if (looked->question == index->question)
		return;
	looked->question = index->question;
	looked->reasons = 0;
	candidates_list(index, item);
	push(&index->candidates, item);
}

static void add(struct lookup *index, uint32_t item, int scope, enum index_reason reason)
{
	if (!index_in_scope(index, item, scope))
		return;
	candidates_touch(index, item);
	index->looked[item].reasons |= (uint8_t)reason;
}

/* The query as find_similar() holds it against keys. */
struct outline {
	const struct query *query;
	uint64_t pairs;
	uint64_t sorted_pairs;
	uint32_t longest; /* characters of its longest text */
	int scope;
};

static uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/*
 * What is done to make one text of another, spaces left out, is at most what it takes with them. So
 * the compact texts speak for the texts as they are, the sorted ones for themselves.
 */
static bool is_similar(const struct lookup *index, const struct outline *outline,
		       const struct shape *shape)
{
	const struct query *query = outline->query;
	uint32_t edits = score_gate_edits(larger(outline->longest, shape->longest));
	const struct key_form *form;

	if (text_pairs_within(outline->pairs, shape->pairs, edits)) {
		form = &index->forms[shape->form];
		if (distance_pattern_osa(query->compact_pattern, form->compact.chars,
					 form->compact.len, edits) <= edits)
			return true;
	}
	if (query->content.word_count < 2 ||
	    !text_pairs_within(outline->sorted_pairs, shape->sorted_pairs, edits))
		return false;
	form = &index->forms[shape->form];
	return form->text.word_count > 1 &&
	       distance_pattern_osa(query->sorted_pattern, form->sorted.chars, form->sorted.len,
				    edits) <= edits;
}

/*
 * Letters are all that is looked at of nearly all keys: an edit leaves no more than one of each
 * text without its like.
 */
static void find_similar_of(struct lookup *index, const struct outline *outline, uint32_t len)
{
	const struct shape_bucket *bucket = &index->shapes[len];
	size_t edits = score_gate_edits(larger(outline->longest, bucket->longest));
	uint64_t bag = outline->query->content.bag;

	for (uint32_t i = 0; i < bucket->count; i++) {
		const struct shape *shape = &bucket->shapes[i];

		if (text_count_bits(bag ^ bucket->bags[i]) <= 2 * edits &&
		    text_distance_bound(bag, 0, bucket->bags[i], 0) <= edits &&
		    is_similar(index, outline, shape))
			add(index, index->form_items[shape->form], outline->scope, INDEX_SIMILAR);
	}
}

/*
 * Keys so similar that the gate lets them pass: others count only where all words were found, and
 * those items are candidates already.
 */
static void find_similar(struct lookup *index, const struct query *query, int scope)
{
	struct outline outline = {
		.query = query,
		.pairs = text_pairs(query->compact.chars, query->compact.len),
		.sorted_pairs = text_pairs(query->sorted.chars, query->sorted.len),
		.longest = larger(query->content.len, query->sorted.len),
		.scope = scope,
	};
	uint32_t letters = query->compact.len;
	uint32_t edits = (uint32_t)((1 - SCORE_GATE) / SCORE_GATE * outline.longest + 1);
	uint32_t most = letters + edits < SHAPE_MAX ? letters + edits : SHAPE_MAX;

	for (uint32_t len = letters > edits ? letters - edits : 0; len <= most; len++)
		find_similar_of(index, &outline, len);
}

/* Items of which a key or value is short enough to be contained in the query, and has the word. */
static void find_within(struct lookup *index, const struct query *query, uint32_t id, int scope)
{
	const struct vocab_word *word = &index->vocab.words[id];

	for (uint32_t i = 0; i < word->form_count; i++) {
		const struct key_form *form = &index->forms[word->forms[i]];

		if (form->text.len <= query->whole.len && (form->text.bag & ~query->whole.bag) == 0)
			add(index, form->item, scope, INDEX_CONTAINED);
	}
	for (uint32_t i = 0; i < word->item_count; i++) {
		uint32_t item = word->items[i].target;

		if ((word->items[i].places & VOCAB_IN_VALUE) &&
		    index->value_lens[item] <= query->whole.len)
			add(index, item, scope, INDEX_CONTAINED);
	}
}

/* What is contained in the query as a run of whole words has words of the query. */
static void find_contained(struct lookup *index, const struct query *query, int scope)
{
	for (uint32_t i = 0; i < query->whole.word_count; i++) {
		uint32_t id;

		if (vocab_known(&index->vocab, &query->whole, i, &id))
			find_within(index, query, id, scope);
	}
}

/* What the query's words have been counted in, one after the other. */
struct count {
	const struct query *query;
	uint32_t held; /* words that are counted */
	uint32_t nth;  /* the one that is being counted, from 0 */
	uint32_t word; /* which of the query's it is */
	int scope;
};

/* The items that had all words of the query until now, and have this one, count it. */
static bool count_word(struct lookup *index, const struct count *count,
		       const struct vocab_word *word)
{
	bool any = false;

	for (uint32_t i = 0; i < word->item_count; i++) {
		uint32_t item = word->items[i].target;
		struct looked *looked = &index->looked[item];
		bool had_all = looked->counted == index->question ? looked->words == count->nth
								  : count->nth == 0;

		if (!had_all)
			continue;
		any = true;
		looked->counted = index->question;
		looked->words = count->nth + 1;
		if (looked->words == count->held)
			add(index, item, count->scope, INDEX_CONTAINED);
	}
	return any;
}

/* The query as it was asked or without question words; that has spaces where scripts have none. */
static uint32_t longer_text(const struct query *query)
{
	return query->whole.len > query->content.len ? query->whole.len : query->content.len;
}

/* Only the first and the last word of a query may be a part of a longer one. Any item with it? */
static bool count_words_with(struct lookup *index, const struct count *count)
{
	const struct text *content = &count->query->content;
	bool inner = count->word > 0 && count->word + 1 < content->word_count;
	const struct vocab_match *matches;
	bool any = false;
	uint32_t id;
	size_t found;

	if (inner || longer_text(count->query) < PART_LEAST)
		return vocab_known(&index->vocab, content, count->word, &id) &&
		       count_word(index, count, &index->vocab.words[id]);
	found = vocab_find_containing(&index->vocab,
				      content->chars + content->words[count->word].start,
				      content->words[count->word].len, &matches);
	for (size_t i = 0; i < found; i++)
		any |= count_word(index, count, &index->vocab.words[matches[i].word]);
	return any;
}

/*
 * What contains the query has all its words, one after the other. The inner ones are looked up at
 * once, then the longer of the outer ones; where one is nowhere the others need no look.
 */
static void find_containing(struct lookup *index, const struct query *query, int scope)
{
	const struct text *content = &query->content;
	uint32_t last = content->word_count - 1;
	bool last_first = content->words[last].len > content->words[0].len;
	uint32_t inner = last > 1 ? last - 1 : 0;
	struct count count = {query, 0, 0, 0, scope};

	inner = inner < WORDS_HELD ? inner : WORDS_HELD;
	count.held = inner + (last ? 2 : 1);
	for (; count.nth < count.held; count.nth++) {
		if (count.nth < inner)
			count.word = 1 + count.nth;
		else
			count.word = (count.nth == inner) == last_first ? last : 0;
		if (!count_words_with(index, &count))
			return;
	}
}

void candidates_find(struct lookup *index, const struct query *query, int scope)
{
	find_containing(index, query, scope);
	find_similar(index, query, scope);
	find_contained(index, query, scope);
	for (uint32_t i = 0; index->whole && i < index->entry_count; i++)
		add(index, i, scope, INDEX_SIMILAR | INDEX_CONTAINED);
}
