#include "match/candidates.h"

#include "base/mem.h"

/* Words of a query that are held against those of an item, to see whether it contains them all. */
#define WORDS_HELD 8

/* A query of less than this many characters is contained only as a run of whole words. */
#define PART_LEAST 3

/* Against rounding down of what is a whole number. */
#define SAME 1e-9

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

/* Edits that leave SCORE_GATE of a text. */
static uint32_t edits_of(uint32_t len)
{
	return (uint32_t)((1 - SCORE_GATE) * len + SAME);
}

static void find_similar_of(struct lookup *index, const struct query *query, uint32_t len,
			    uint32_t longest, int scope)
{
	const struct shape_bucket *bucket = &index->shapes[len];

	for (uint32_t i = 0; i < bucket->count; i++) {
		uint32_t longer = longest > bucket->longest[i] ? longest : bucket->longest[i];

		if (text_distance_bound(query->content.bag, query->compact.len, bucket->bags[i],
					len) <= edits_of(longer))
			add(index, index->form_items[bucket->forms[i]], scope, INDEX_SIMILAR);
	}
}

/*
 * Keys that may be as similar as SCORE_GATE: a similarity below counts only where all words were
 * found, and those items are candidates already. What is done to make one text of another, spaces
 * left out, is at most what it takes with them; so this holds for texts joined and sorted too.
 */
static void find_similar(struct lookup *index, const struct query *query, int scope)
{
	uint32_t letters = query->compact.len;
	uint32_t longest = query->content.len > query->sorted.len ? query->content.len
								  : query->sorted.len;
	uint32_t edits = edits_of((uint32_t)(longest / SCORE_GATE + SAME));
	uint32_t most = letters + edits < SHAPE_MAX ? letters + edits : SHAPE_MAX;

	for (uint32_t len = letters > edits ? letters - edits : 0; len <= most; len++)
		find_similar_of(index, query, len, longest, scope);
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

		if (index->value_lens[item] <= query->whole.len)
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
