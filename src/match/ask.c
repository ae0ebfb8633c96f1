#include "match/ask.h"

#include "match/candidates.h"
#include "match/normalize.h"
#include "match/value.h"
#include "match/words.h"

#include <string.h>

/* Content words of a query that are looked up one by one; a longer query is text, not words. */
#define WORDS_MAX 32

/* A word of the query as it is looked up. */
struct asked_word {
	uint32_t number; /* from 1 */
	bool has_digit;
	double weight;
};

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

static void tally_forms(struct lookup *index, const struct asked_word *asked,
			const struct vocab_match *match, int scope)
{
	const struct vocab_word *word = &index->vocab.words[match->word];

	for (uint32_t i = 0; i < word->form_count; i++) {
		uint32_t item = index->forms[word->forms[i]].item;

		if (!index_in_scope(index, item, scope))
			continue;
		candidates_touch(index, item);
		tally_add(&index->form_tally[word->forms[i]], index->question, asked,
			  match->likeness);
	}
}

static void tally_items(struct lookup *index, const struct asked_word *asked,
			const struct vocab_match *match, int scope)
{
	const struct vocab_word *word = &index->vocab.words[match->word];
	double weight = vocab_weight(&index->vocab, match->word);

	for (uint32_t i = 0; i < word->item_count; i++) {
		struct vocab_posting posting = word->items[i];
		struct tally *tally = &index->item_tally[posting.target];
		double cost = SCORE_DIACRITIC * posting.folded / word->len;

		if (!index_in_scope(index, posting.target, scope))
			continue;
		candidates_touch(index, posting.target);
		tally_add(tally, index->question, asked, match->likeness - cost);
		if (match->likeness >= 1)
			tally->relevance += relevance(index, weight, posting);
	}
}

static void tally_match(struct lookup *index, const struct asked_word *asked,
			const struct vocab_match *match, int scope)
{
	if (index->word_question[match->word] != index->question) {
		index->word_question[match->word] = index->question;
		index->word_best[match->word] = 0;
	}
	if (match->likeness > index->word_best[match->word])
		index->word_best[match->word] = match->likeness;
	tally_forms(index, asked, match, scope);
	if (match->near)
		tally_items(index, asked, match, scope);
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

/* What is known of a query's words as a whole. */
struct asked {
	uint32_t count;
	uint32_t numbers;
	double weight;
};

static struct asked find_words(struct lookup *index, const struct text *content, int scope)
{
	struct asked asked = {0};
	bool only_questions = words_are_questions(content);

	index->question++;
	index->candidates.count = 0;
	for (uint32_t i = 0; i < content->word_count && i < WORDS_MAX; i++) {
		const struct vocab_match *matches;
		size_t count;
		struct asked_word word = {i + 1, false, 0};

		if (!only_questions && words_is_question_at(content, i))
			continue;
		count = vocab_find(&index->vocab, content, i, &matches);
		word.has_digit = text_has_digit(content->chars + content->words[i].start,
						content->words[i].len);
		word.weight = asked_weight(&index->vocab, matches, count);
		asked.count++;
		asked.numbers += word.has_digit;
		asked.weight += word.weight;
		for (size_t j = 0; j < count; j++)
			tally_match(index, &word, &matches[j], scope);
	}
	return asked;
}

/* The words of the query against the words of a form: harmonic mean of both shares. */
static struct words_found form_words(struct lookup *index, const struct key_form *form,
				     const struct tally *tally, const struct asked *asked)
{
	struct words_found words = {asked->count, 0, 0};
	double of_query;
	double of_key = 0;
	double total = 0;

	if (tally->question != index->question)
		return words;
	words.found = tally->found;
	of_query = tally->weighted / asked->weight;
	for (uint32_t i = 0; i < form->text.word_count; i++) {
		uint32_t id = form->ids[i];
		double weight = vocab_weight(&index->vocab, id);

		total += weight;
		if (index->word_question[id] == index->question)
			of_key += weight * index->word_best[id];
	}
	of_key /= total;
	if (of_query + of_key > 0)
		words.soft = 2 * of_query * of_key / (of_query + of_key);
	words.soft -= SCORE_DIACRITIC * form->folded / form->text.len;
	return words;
}

/* Keeps the better of two scores of an item, and the better of what was refused. */
static void keep_better(struct score *best, const struct score *score)
{
	double nearest = best->nearest > score->nearest ? best->nearest : score->nearest;

	if (score->confidence > best->confidence ||
	    (score->confidence >= best->confidence && score->soft > best->soft))
		*best = *score;
	best->nearest = nearest;
}

static struct value_words item_words(const struct lookup *index, size_t item,
				     const struct asked *asked)
{
	const struct tally *tally = &index->item_tally[item];
	struct value_words words = {asked->count, 0, asked->numbers, 0};

	if (tally->question == index->question) {
		words.found = tally->found;
		words.numbers = asked->numbers - tally->numbers;
		words.likeness = tally->likeness;
	}
	return words;
}

/* As score_key where neither is contained in the other nor all words were found. */
static void score_words_alone(const struct words_found *words, struct score *out)
{
	*out = (struct score){.nearest = words->soft, .soft = words->soft};
}

static void score_forms(struct lookup *index, const struct query *query, const struct asked *asked,
			uint32_t item)
{
	const struct indexed *entry = &index->entries[item];

	for (uint32_t i = 0; i < entry->form_count; i++) {
		size_t form = entry->first_form + i;
		struct words_found words = form_words(index, &index->forms[form],
						      &index->form_tally[form], asked);
		struct score score;

		if (index->looked[item].reasons || words.found == words.asked)
			score_key(query, &index->forms[form], &words, &score);
		else
			score_words_alone(&words, &score);
		keep_better(&index->scores[item], &score);
	}
}

/* The value, where the key does not answer. */
static void score_value(struct lookup *index, const struct query *query, const struct asked *asked,
			uint32_t item)
{
	const struct indexed *entry = &index->entries[item];
	struct value_words words = item_words(index, item, asked);
	struct score *best = &index->scores[item];
	struct score score = {0};

	if ((index->looked[item].reasons & INDEX_CONTAINED) || words.found == words.asked) {
		words.numbers += !value_has_numbers(query, &index->forms[entry->first_form].text,
						    &entry->value);
		value_score(query, &entry->value, &entry->plain, &words, &score);
	} else {
		score.nearest = value_words_nearest(&words);
	}
	score.soft = best->soft;
	score.similarity = best->similarity;
	keep_better(best, &score);
}

static void score_item(struct lookup *index, const struct query *query, const struct asked *asked,
		       uint32_t item)
{
	score_forms(index, query, asked, item);
	if (index->scores[item].confidence < LOOKUP_FLOOR)
		score_value(index, query, asked, item);
}

/* Keys that equal the query, spaces apart. Returns whether one of them is active. */
static bool score_equal(struct lookup *index, const struct map *map, struct slice text, int scope)
{
	size_t form = FORM_NONE;
	bool active = false;

	if (!map_get(map, text, &form))
		return false;
	for (; form != FORM_NONE; form = index->forms[form].next_equal) {
		uint32_t item = index->forms[form].item;

		if (!index_in_scope(index, item, scope))
			continue;
		candidates_list(index, item);
		index->scores[item] = (struct score){1, 1, LOOKUP_EXACT, true, 1, 1};
		active = active || !index->entries[item].archived;
	}
	return active;
}

/*
 * Values that hold something close to the query; asked only when nothing else was found. Where
 * all words were found their likeness has decided, so that what is left has to pass the gate.
 */
static void score_approximate(struct lookup *index, const struct query *query,
			      const struct asked *asked)
{
	size_t edits = (size_t)((1 - SCORE_GATE / VALUE_WEIGHT) * query->content.len);
	struct approx *approx = approx_new(&query->content, edits);

	for (uint32_t i = 0; approx && i < index->entry_count; i++) {
		struct value_words words;
		double confidence;

		if (!candidates_has(index, i))
			continue;
		words = item_words(index, i, asked);
		if (words.numbers || !words.found)
			continue;
		confidence = value_approximate(query, approx, &index->entries[i].value);
		if (confidence >= LOOKUP_FLOOR && confidence > index->scores[i].confidence) {
			index->scores[i].confidence = confidence;
			index->scores[i].match = LOOKUP_APPROXIMATE;
		}
	}
	approx_free(approx);
}

static bool anything_found(const struct lookup *index)
{
	for (size_t i = 0; i < index->listed.count; i++) {
		if (index->scores[index->listed.items[i]].confidence >= LOOKUP_FLOOR)
			return true;
	}
	return false;
}

/* Scores what has to do with one reading of the query. */
static void score_reading(struct lookup *index, struct slice normal, int scope)
{
	struct arena arena = ARENA_INIT;
	struct query query;
	struct asked asked;

	query_init(&query, &arena, normal);
	asked = find_words(index, &query.content, scope);
	candidates_find(index, &query, scope);
	for (size_t i = 0; i < index->candidates.count; i++) {
		uint32_t item = index->candidates.items[i];

		if (index_in_scope(index, item, scope) && index->scores[item].confidence < 1)
			score_item(index, &query, &asked, item);
	}
	if (!anything_found(index))
		score_approximate(index, &query, &asked);
	query_release(&query);
	arena_release(&arena);
}

void ask_score(struct lookup *index, struct slice query, int scope)
{
	STR_AUTO split = STR_INIT;
	STR_AUTO plain = STR_INIT;
	STR_AUTO compact = STR_INIT;

	index->ask++;
	index->listed.count = 0;
	normalize_words(query, &split);
	normalize_identity(query, &plain);
	if (!plain.len) {
		index_symbols(query, &compact);
		score_equal(index, &index->symbols, str_slice(&compact), scope);
		return;
	}
	for (size_t i = 0; i < plain.len; i++) {
		if (plain.ptr[i] != ' ')
			str_addc(&compact, plain.ptr[i]);
	}
	/* Nothing but an equal key comes within reach of one, unless the query is long. */
	if (score_equal(index, &index->compact, str_slice(&compact), scope) &&
	    (double)plain.len < 1 / ASK_ALSO_WITHIN)
		return;
	if (!slice_equal(str_slice(&split), str_slice(&plain)))
		score_reading(index, str_slice(&plain), scope);
	score_reading(index, str_slice(&split), scope);
}
