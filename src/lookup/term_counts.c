#include "lookup/term_counts.h"

#include "lookup/candidates.h"
#include "text/words.h"

#include <string.h>

#define SET_BITS 64

static bool set_has(const uint64_t *set, uint32_t item)
{
	return set[item / SET_BITS] >> (item % SET_BITS) & 1;
}

static void set_add(uint64_t *set, uint32_t item)
{
	set[item / SET_BITS] |= (uint64_t)1 << (item % SET_BITS);
}

static size_t set_size(const struct lookup *index)
{
	return (index->entry_count + SET_BITS - 1) / SET_BITS;
}

static void set_clear(const struct lookup *index, uint64_t *set)
{
	if (set_size(index))
		memset(set, 0, set_size(index) * sizeof *set);
}

/* Weight of a word asked for: that of the word most like it, the rarest when there is none. */
static double asked_weight(struct vocab *vocab, const struct vocab_match *matches, size_t count)
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

static void note_best(struct lookup *index, const struct vocab_match *match)
{
	if (index->word_question[match->word] != index->question) {
		index->word_question[match->word] = index->question;
		index->word_best[match->word] = 0;
	}
	if (match->likeness > index->word_best[match->word])
		index->word_best[match->word] = match->likeness;
}

static void look_up(struct lookup *index, struct arena *arena, const struct text *content,
		    uint32_t i, struct asked_word *word)
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
		.weight = asked_weight(&index->vocab, matches, count),
		.matches = matches,
		.match_count = count,
	};
	for (size_t j = 0; j < count; j++)
		note_best(index, &matches[j]);
}

void tally_begin(struct lookup *index, struct arena *arena, const struct text *content,
		 struct asked *asked)
{
	bool only_questions = words_are_questions(content);

	index->question++;
	index->candidates.count = 0;
	asked->count = 0;
	asked->numbers = 0;
	asked->weight = 0;
	for (uint32_t i = 0; i < content->word_count && i < TALLY_WORDS_MAX; i++) {
		struct asked_word *word = &asked->words[asked->count];

		if (!only_questions && words_is_question_at(content, i))
			continue;
		look_up(index, arena, content, i, word);
		asked->count++;
		asked->numbers += word->has_digit;
		asked->weight += word->weight;
	}
}

/* Adds the items that have a word like this: any likeness counts in a key, a near one anywhere. */
static void add_items_with(const struct lookup *index, const struct asked_word *word, uint64_t *set)
{
	for (size_t i = 0; i < word->match_count; i++) {
		const struct vocab_match *match = &word->matches[i];
		const struct vocab_word *w = &index->vocab.words[match->word];

		for (uint32_t j = 0; j < w->form_count; j++)
			set_add(set, index->form_items[w->forms[j]]);
		for (uint32_t j = 0; match->near && j < w->item_count; j++)
			set_add(set, w->items[j].target);
	}
}

static void add_candidates(struct lookup *index, const uint64_t *set, int scope)
{
	for (size_t i = 0; i < set_size(index); i++) {
		for (uint64_t left = set[i]; left; left &= left - 1) {
			uint32_t item = (uint32_t)(i * SET_BITS + (size_t)__builtin_ctzll(left));

			if (index_in_scope(index, item, scope))
				candidates_touch(index, item);
		}
	}
}

void tally_find(struct lookup *index, const struct asked *asked, int scope)
{
	set_clear(index, index->all);
	for (uint32_t i = 0; i < asked->count; i++) {
		uint64_t *set = i ? index->some : index->all;

		set_clear(index, set);
		add_items_with(index, &asked->words[i], set);
		for (size_t j = 0; i && j < set_size(index); j++)
			index->all[j] &= set[j];
	}
	add_candidates(index, index->all, scope);
}

static void tally_add(struct tally *tally, uint64_t question, const struct asked_word *word,
		      double likeness)
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
static double relevance(const struct lookup *index, double weight, struct vocab_posting posting)
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

static bool is_chosen(const struct choice *choice, uint32_t item)
{
	return set_has(choice->set, item) == choice->in_it;
}

static void tally_forms(struct lookup *index, const struct asked_word *asked,
			const struct vocab_match *match, const struct choice *choice)
{
	const struct vocab_word *word = &index->vocab.words[match->word];

	for (uint32_t i = 0; i < word->form_count; i++) {
		uint32_t form = word->forms[i];

		if (is_chosen(choice, index->form_items[form]))
			tally_add(&index->form_tally[form], index->question, asked,
				  match->likeness);
	}
}

static void tally_items(struct lookup *index, const struct asked_word *asked,
			const struct vocab_match *match, const struct choice *choice)
{
	const struct vocab_word *word = &index->vocab.words[match->word];
	double weight = vocab_weight(&index->vocab, match->word);

	for (uint32_t i = 0; i < word->item_count; i++) {
		struct vocab_posting posting = word->items[i];
		struct tally *tally = &index->item_tally[posting.target];
		double cost = SCORE_DIACRITIC * posting.folded / word->len;

		if (!is_chosen(choice, posting.target))
			continue;
		tally_add(tally, index->question, asked, match->likeness - cost);
		if (match->likeness >= 1)
			tally->relevance += relevance(index, weight, posting);
	}
}

static void tally_chosen(struct lookup *index, const struct asked *asked,
			 const struct choice *choice)
{
	for (uint32_t i = 0; i < asked->count; i++) {
		const struct asked_word *word = &asked->words[i];

		for (size_t j = 0; j < word->match_count; j++) {
			tally_forms(index, word, &word->matches[j], choice);
			if (word->matches[j].near)
				tally_items(index, word, &word->matches[j], choice);
		}
	}
}

void tally_candidates(struct lookup *index, const struct asked *asked)
{
	set_clear(index, index->all);
	for (size_t i = 0; i < index->candidates.count; i++)
		set_add(index->all, index->candidates.items[i]);
	tally_chosen(index, asked, &(struct choice){index->all, true});
}

void tally_others(struct lookup *index, const struct asked *asked, int scope)
{
	tally_chosen(index, asked, &(struct choice){index->all, false});
	set_clear(index, index->some);
	for (uint32_t i = 0; i < asked->count; i++)
		add_items_with(index, &asked->words[i], index->some);
	add_candidates(index, index->some, scope);
}
