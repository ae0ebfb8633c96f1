#include "lookup/candidates.h"

#include "base/mem.h"
#include "text/words.h"

#include <string.h>

/* Words of a query that are held against those of an item, to see whether it contains them all. */
#define WORDS_HELD 8

/* A query of less than this many characters is contained only as a run of whole words. */
#define PART_LEAST 3

static void candidates_push(struct index_list *list, uint32_t item)
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
	candidates_push(&index->listed, item);
}

/* Makes it a candidate of this reading. */
static void candidates_touch(struct lookup *index, uint32_t item)
{
	struct looked *looked = &index->looked[item];

	if (looked->question == index->question)
		return;
	looked->question = index->question;
	looked->reasons = 0;
	candidates_list(index, item);
	candidates_push(&index->candidates, item);
}

static void candidates_add(struct lookup *index, uint32_t item, int scope, enum index_reason reason)
{
	if (!index_in_scope(index, item, scope))
		return;
	candidates_touch(index, item);
	index->looked[item].reasons |= (uint8_t)reason;
}

/* The query as candidates_find_similar() holds it against keys. */
struct outline {
	const struct query *query;
	uint64_t pairs;
	uint64_t sorted_pairs;
	uint32_t longest; /* characters of its longest text */
	int scope;
};

static uint32_t candidates_larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/*
 * What is done to make one text of another, spaces left out, is at most what it takes with them. So
 * the compact texts speak for the texts as they are, the sorted ones for themselves.
 */
static bool candidates_is_similar(const struct lookup *index, const struct outline *outline,
				  const struct shape *shape)
{
	const struct query *query = outline->query;
	uint32_t edits = score_gate_edits(candidates_larger(outline->longest, shape->longest));
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
static void candidates_find_similar_of(struct lookup *index, const struct outline *outline,
				       uint32_t len)
{
	const struct shape_bucket *bucket = &index->shapes[len];
	size_t edits = score_gate_edits(candidates_larger(outline->longest, bucket->longest));
	uint64_t bag = outline->query->content.bag;

	for (uint32_t i = 0; i < bucket->count; i++) {
		const struct shape *shape = &bucket->shapes[i];

		if (text_count_bits(bag ^ bucket->bags[i]) <= 2 * edits &&
		    text_distance_bound(bag, 0, bucket->bags[i], 0) <= edits &&
		    candidates_is_similar(index, outline, shape))
			candidates_add(index, index->form_items[shape->form], outline->scope,
				       INDEX_SIMILAR);
	}
}

/*
 * Keys so similar that the gate lets them pass: others count only where all words were found, and
 * those items are candidates already.
 */
static void candidates_find_similar(struct lookup *index, const struct query *query, int scope)
{
	struct outline outline = {
		.query = query,
		.pairs = text_pairs(query->compact.chars, query->compact.len),
		.sorted_pairs = text_pairs(query->sorted.chars, query->sorted.len),
		.longest = candidates_larger(query->content.len, query->sorted.len),
		.scope = scope,
	};
	uint32_t letters = query->compact.len;
	uint32_t edits = (uint32_t)((1 - SCORE_GATE) / SCORE_GATE * outline.longest + 1);
	uint32_t most = letters + edits < SHAPE_MAX ? letters + edits : SHAPE_MAX;

	for (uint32_t len = letters > edits ? letters - edits : 0; len <= most; len++)
		candidates_find_similar_of(index, &outline, len);
}

/* Items of which a key or value is short enough to be contained in the query, and has the word. */
static void candidates_find_within(struct lookup *index, const struct query *query, uint32_t id,
				   int scope)
{
	const struct vocab_word *word = &index->vocab.words[id];

	for (uint32_t i = 0; i < word->form_count; i++) {
		const struct key_form *form = &index->forms[word->forms[i]];

		if (form->text.len <= query->whole.len && (form->text.bag & ~query->whole.bag) == 0)
			candidates_add(index, form->item, scope, INDEX_CONTAINED);
	}
	for (uint32_t i = 0; i < word->item_count; i++) {
		uint32_t item = word->items[i].target;

		if ((word->items[i].places & VOCAB_IN_VALUE) &&
		    index->value_lens[item] <= query->whole.len)
			candidates_add(index, item, scope, INDEX_CONTAINED);
	}
}

/* What is contained in the query as a run of whole words has words of the query. */
static void candidates_find_contained(struct lookup *index, const struct query *query, int scope)
{
	for (uint32_t i = 0; i < query->whole.word_count; i++) {
		uint32_t id;

		if (vocab_known(&index->vocab, &query->whole, i, &id))
			candidates_find_within(index, query, id, scope);
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
static bool candidates_count_word(struct lookup *index, const struct count *count,
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
			candidates_add(index, item, count->scope, INDEX_CONTAINED);
	}
	return any;
}

/* Only the first and the last word of a query may be a part of a longer one. Any item with it? */
static bool candidates_count_words_with(struct lookup *index, const struct count *count)
{
	const struct text *content = &count->query->content;
	bool inner = count->word > 0 && count->word + 1 < content->word_count;
	const struct vocab_match *matches;
	bool any = false;
	uint32_t id;
	size_t found;

	/* Without question words a query has spaces also where its script has none. */
	if (inner ||
	    (count->query->whole.len < PART_LEAST && count->query->content.len < PART_LEAST))
		return vocab_known(&index->vocab, content, count->word, &id) &&
		       candidates_count_word(index, count, &index->vocab.words[id]);
	found = vocab_find_containing(&index->vocab,
				      content->chars + content->words[count->word].start,
				      content->words[count->word].len, &matches);
	for (size_t i = 0; i < found; i++)
		any |= candidates_count_word(index, count, &index->vocab.words[matches[i].word]);
	return any;
}

/*
 * What contains the query has all its words, one after the other. The inner ones are looked up at
 * once, then the longer of the outer ones; where one is nowhere the others need no look.
 */
static void candidates_find_containing(struct lookup *index, const struct query *query, int scope)
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
		if (!candidates_count_words_with(index, &count))
			return;
	}
}

/* ---- counting words */

#define SET_BITS 64

static void candidates_set_add(uint64_t *set, uint32_t item)
{
	set[item / SET_BITS] |= (uint64_t)1 << (item % SET_BITS);
}

static size_t candidates_set_size(const struct lookup *index)
{
	return (index->entry_count + SET_BITS - 1) / SET_BITS;
}

static void candidates_set_clear(const struct lookup *index, uint64_t *set)
{
	if (candidates_set_size(index))
		memset(set, 0, candidates_set_size(index) * sizeof *set);
}

/* Weight of a word asked for: that of the word most like it, the rarest when there is none. */
static double candidates_asked_weight(struct vocab *vocab, const struct vocab_match *matches,
				      size_t count)
{
	double best = 0;
	double weight = vocab_rarest(vocab);

	for (size_t i = 0; i < count; i++) {
		double likeness = matches[i].likeness;
		double this_weight;

		if (!vocab->words[matches[i].word].keys || likeness < best)
			continue;
		this_weight = vocab_weight(vocab, matches[i].word);
		if (likeness > best || this_weight > weight)
			weight = this_weight;
		best = likeness;
	}
	return weight;
}

static void candidates_note_best(struct lookup *index, const struct vocab_match *match)
{
	if (index->word_question[match->word] != index->question) {
		index->word_question[match->word] = index->question;
		index->word_best[match->word] = 0;
	}
	if (match->likeness > index->word_best[match->word])
		index->word_best[match->word] = match->likeness;
}

static void candidates_look_up(struct lookup *index, struct arena *arena,
			       const struct text *content, uint32_t i, struct asked_word *word)
{
	struct text_word place = content->words[i];
	const struct vocab_match *found;
	struct vocab_match *matches;
	size_t count = vocab_find(&index->vocab, content, i, &found);

	matches = arena_alloc(arena, count * sizeof *matches);
	if (count)
		memcpy(matches, found, count * sizeof *matches);
	*word = (struct asked_word){
		.number = i + 1,
		.has_digit = text_has_digit(content->chars + place.start, place.len),
		.weight = candidates_asked_weight(&index->vocab, matches, count),
		.matches = matches,
		.match_count = count,
	};
	for (size_t j = 0; j < count; j++)
		candidates_note_best(index, &matches[j]);
}

/* Looks the words of the query up. */
static void candidates_look_up_all(struct lookup *index, struct arena *arena,
				   const struct query *query, struct asked *asked)
{
	const struct text *content = &query->content;
	uint64_t passed_over = words_without_subject(content, content->len < query->whole.len,
						     query->measures);

	*asked = (struct asked){0};
	for (uint32_t i = 0; i < content->word_count && i < TALLY_WORDS_MAX; i++) {
		struct asked_word *word = &asked->words[asked->count];
		uint32_t id;

		if (passed_over >> i & 1) {
			/* It need not be found, but accounts for a word of a key all the same. */
			if (vocab_known(&index->vocab, content, i, &id))
				candidates_note_best(index, &(struct vocab_match){id, 1, true});
			continue;
		}
		candidates_look_up(index, arena, content, i, word);
		asked->count++;
		asked->numbers += word->has_digit;
		asked->weight += word->weight;
	}
}

/* Adds the items that have a word like this: any likeness counts in a key, a near one anywhere. */
static void candidates_add_items_with(const struct lookup *index, const struct asked_word *word,
				      uint64_t *set)
{
	for (size_t i = 0; i < word->match_count; i++) {
		const struct vocab_match *match = &word->matches[i];
		const struct vocab_word *w = &index->vocab.words[match->word];

		for (uint32_t j = 0; j < w->form_count; j++)
			candidates_set_add(set, index->form_items[w->forms[j]]);
		for (uint32_t j = 0; match->near && j < w->item_count; j++)
			candidates_set_add(set, w->items[j].target);
	}
}

static void candidates_add_candidates(struct lookup *index, const uint64_t *set, int scope)
{
	for (size_t i = 0; i < candidates_set_size(index); i++) {
		for (uint64_t left = set[i]; left; left &= left - 1) {
			uint32_t item = (uint32_t)(i * SET_BITS + (size_t)__builtin_ctzll(left));

			if (index_in_scope(index, item, scope))
				candidates_touch(index, item);
		}
	}
}

/* Adds the items that have all words of the query. */
static void candidates_find_words(struct lookup *index, const struct asked *asked, int scope)
{
	candidates_set_clear(index, index->all);
	for (uint32_t i = 0; i < asked->count; i++) {
		uint64_t *set = i ? index->some : index->all;

		candidates_set_clear(index, set);
		candidates_add_items_with(index, &asked->words[i], set);
		for (size_t j = 0; i && j < candidates_set_size(index); j++)
			index->all[j] &= set[j];
	}
	candidates_add_candidates(index, index->all, scope);
}

static void candidates_tally_add(struct tally *tally, uint64_t question,
				 const struct asked_word *word, double likeness)
{
	if (tally->question != question)
		*tally = (struct tally){.question = question};
	if (tally->word != word->number) {
		tally->word = word->number;
		tally->best = 0;
		tally->found++;
		tally->numbers += word->has_digit;
	}
	if (likeness > tally->best) {
		tally->likeness += likeness - tally->best;
		tally->weighted += (likeness - tally->best) * word->weight;
		tally->best = likeness;
	}
}

/* BM25 of one word in one item, the key counting twice. */
static double candidates_relevance(const struct lookup *index, double weight,
				   struct vocab_posting posting)
{
	double times = (posting.places & VOCAB_IN_KEY ? 2 : 0) +
		       (posting.places & VOCAB_IN_VALUE ? 1 : 0);
	double mean = (double)index->word_total / (double)index->live_count;
	double length = index->entries[posting.target].word_count / mean;

	return weight * times * 2.2 / (times + 1.2 * (0.25 + 0.75 * length));
}

/* Which items are counted: those in a set, or those that are not. */
struct choice {
	const uint64_t *set;
	bool in_it;
};

static bool candidates_is_chosen(const struct choice *choice, uint32_t item)
{
	bool in_set = choice->set[item / SET_BITS] >> (item % SET_BITS) & 1;

	return in_set == choice->in_it;
}

static void candidates_tally_forms(struct lookup *index, const struct asked_word *asked,
				   const struct vocab_match *match, const struct choice *choice)
{
	const struct vocab_word *word = &index->vocab.words[match->word];

	for (uint32_t i = 0; i < word->form_count; i++) {
		uint32_t form = word->forms[i];

		if (candidates_is_chosen(choice, index->form_items[form]))
			candidates_tally_add(&index->form_tally[form], index->question, asked,
					     match->likeness);
	}
}

static void candidates_tally_items(struct lookup *index, const struct asked_word *asked,
				   const struct vocab_match *match, const struct choice *choice)
{
	const struct vocab_word *word = &index->vocab.words[match->word];
	double weight = vocab_weight(&index->vocab, match->word);

	for (uint32_t i = 0; i < word->item_count; i++) {
		struct vocab_posting posting = word->items[i];
		struct tally *tally = &index->item_tally[posting.target];
		double cost = SCORE_DIACRITIC * posting.folded / word->len;

		if (!candidates_is_chosen(choice, posting.target))
			continue;
		candidates_tally_add(tally, index->question, asked, match->likeness - cost);
		if (match->likeness >= 1)
			tally->relevance += candidates_relevance(index, weight, posting);
	}
}

static void candidates_tally_chosen(struct lookup *index, const struct asked *asked,
				    const struct choice *choice)
{
	for (uint32_t i = 0; i < asked->count; i++) {
		const struct asked_word *word = &asked->words[i];

		for (size_t j = 0; j < word->match_count; j++) {
			candidates_tally_forms(index, word, &word->matches[j], choice);
			if (word->matches[j].near)
				candidates_tally_items(index, word, &word->matches[j], choice);
		}
	}
}

void candidates_gather(struct lookup *index, struct arena *arena, const struct query *query,
		       int scope, struct asked *asked)
{
	index->question++;
	index->candidates.count = 0;
	candidates_look_up_all(index, arena, query, asked);
	/* What another reading found keeps its place among those that are as good. */
	for (size_t i = 0; i < index->listed.count; i++) {
		if (index->scores[index->listed.items[i]].confidence >= LOOKUP_FLOOR)
			candidates_touch(index, index->listed.items[i]);
	}
	candidates_find_words(index, asked, scope);
	candidates_find_containing(index, query, scope);
	candidates_find_similar(index, query, scope);
	candidates_find_contained(index, query, scope);
	for (uint32_t i = 0; index->whole && i < index->entry_count; i++)
		candidates_add(index, i, scope, INDEX_SIMILAR | INDEX_CONTAINED);
	candidates_set_clear(index, index->all);
	for (size_t i = 0; i < index->candidates.count; i++)
		candidates_set_add(index->all, index->candidates.items[i]);
	candidates_tally_chosen(index, asked, &(struct choice){index->all, true});
}

void candidates_gather_others(struct lookup *index, const struct asked *asked, int scope)
{
	candidates_tally_chosen(index, asked, &(struct choice){index->all, false});
	candidates_set_clear(index, index->some);
	for (uint32_t i = 0; i < asked->count; i++)
		candidates_add_items_with(index, &asked->words[i], index->some);
	candidates_add_candidates(index, index->some, scope);
}
