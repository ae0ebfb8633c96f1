#include "lookup/lookup.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "lookup/answer.h"
#include "lookup/candidates.h"
#include "lookup/difference.h"
#include "lookup/lookup_index.h"
#include "text/normalize.h"
#include "text/words.h"

#include <stdlib.h>
#include <string.h>

/* Up to this many removed items, and up to this part of those alive, an index is not worth building
 * anew. */
#define WASTE_LEAST 64
#define WASTE_SHARE 8

struct lookup *lookup_new(const struct lookup_item *items, size_t count)
{
	struct lookup *index = mem_zalloc(1, sizeof *index);

	for (size_t i = 0; i < count; i++)
		lookup_add(index, &items[i]);
	return index;
}

bool lookup_is_wasteful(const struct lookup *index)
{
	size_t gone = index->entry_count - index->live_count;

	return gone > WASTE_LEAST && gone > index->live_count / WASTE_SHARE;
}

void lookup_free(struct lookup *index)
{
	if (!index)
		return;
	arena_release(&index->arena);
	arena_release(&index->question_texts);
	free(index->refused);
	vocab_release(&index->vocab);
	free(index->names);
	map_release(&index->compact);
	map_release(&index->symbols);
	for (size_t i = 0; i <= SHAPE_MAX; i++) {
		free(index->shapes[i].bags);
		free(index->shapes[i].shapes);
	}
	free(index->entries);
	free(index->scopes);
	free(index->value_lens);
	free(index->forms);
	free(index->form_items);
	free(index->all);
	free(index->some);
	free(index->listed.items);
	free(index->candidates.items);
	free(index->looked);
	free(index->form_tally);
	free(index->item_tally);
	free(index->word_best);
	free(index->word_question);
	free(index->scores);
	free(index);
}

void lookup_touch(struct lookup *index, size_t item, int64_t active_ms, bool archived)
{
	if (item >= index->entry_count)
		return;
	index->entries[item].active_ms = active_ms;
	index->entries[item].archived = archived;
}

const char *const lookup_match_names[] = {"exact", "contained", "fuzzy",
					  "words", "value",     "approximate"};

/* ---- scoring the items for one query */

/* Rounding must not leave anybody out. */
#define SCORING_SLACK 1e-6

/* Does every word of the query stand here as it was asked? */
static bool lookup_are_all_equal(const struct tally *tally, const struct asked *asked)
{
	return tally->found == asked->count && tally->likeness > asked->count - SCORING_SLACK;
}

/* The words of the query against the words of a form: harmonic mean of both shares. */
static struct words_found lookup_form_words(struct lookup *index, const struct key_form *form,
					    const struct tally *tally, const struct asked *asked)
{
	struct words_found words = {asked->count, 0, false, 0};
	double of_query;
	double of_key = 0;
	double total = 0;

	if (tally->question != index->question)
		return words;
	words.found = tally->found;
	words.equal = lookup_are_all_equal(tally, asked);
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
static void lookup_keep_better(struct score *best, const struct score *score)
{
	double nearest = best->nearest > score->nearest ? best->nearest : score->nearest;
	enum standing standing = best->standing > score->standing ? best->standing
								  : score->standing;

	if (score->confidence > best->confidence ||
	    (score->confidence >= best->confidence && score->soft > best->soft))
		*best = *score;
	best->nearest = nearest;
	best->standing = standing;
}

static struct value_words lookup_item_words(const struct lookup *index, size_t item,
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

/*
 * One reading of the query while items are scored, and what was said last: where many items are
 * equal they are neighbours.
 */
struct reading {
	const struct query *query;
	const struct asked *asked;
	struct difference_query *difference;
	struct {
		const struct key_form *form;
		struct words_found words;
		struct score score;
	} key;
	struct {
		const struct indexed *entry;
		struct value_words words;
		struct score score;
	} value;
};

static bool lookup_is_last_key(const struct reading *reading, const struct key_form *form,
			       const struct words_found *words)
{
	const struct key_form *last = reading->key.form;
	const struct words_found *same = &reading->key.words;

	return last && slice_equal(last->text.bytes, form->text.bytes) &&
	       last->folded == form->folded && last->other_reading == form->other_reading &&
	       same->found == words->found && same->equal == words->equal &&
	       same->soft == words->soft;
}

static void lookup_score_form(struct reading *reading, const struct key_form *form,
			      const struct words_found *words, struct score *out)
{
	if (!lookup_is_last_key(reading, form, words)) {
		score_key(reading->query, form, words, &reading->key.score);
		reading->key.form = form;
		reading->key.words = *words;
	}
	*out = reading->key.score;
}

static void lookup_score_forms(struct lookup *index, struct reading *reading, uint32_t item)
{
	const struct indexed *entry = &index->entries[item];

	for (uint32_t i = 0; i < entry->form_count; i++) {
		size_t form = entry->first_form + i;
		struct words_found words = lookup_form_words(
			index, &index->forms[form], &index->form_tally[form], reading->asked);
		struct score score;

		if (index->looked[item].reasons || words.found == words.asked)
			lookup_score_form(reading, &index->forms[form], &words, &score);
		else /* neither is contained in the other */
			score = (struct score){.nearest = words.soft, .soft = words.soft};
		lookup_keep_better(&index->scores[item], &score);
	}
}

static bool lookup_is_last_value(const struct reading *reading, const struct indexed *entry,
				 const struct value_words *words)
{
	const struct indexed *last = reading->value.entry;
	const struct value_words *same = &reading->value.words;

	return last && slice_equal(last->value.bytes, entry->value.bytes) &&
	       slice_equal(last->plain.bytes, entry->plain.bytes) && same->found == words->found &&
	       same->numbers == words->numbers && same->likeness == words->likeness;
}

static void lookup_score_text(struct reading *reading, const struct indexed *entry,
			      const struct value_words *words, struct score *out)
{
	if (!lookup_is_last_value(reading, entry, words)) {
		value_score(reading->query, &entry->value, &entry->plain, words,
			    &reading->value.score);
		reading->value.entry = entry;
		reading->value.words = *words;
	}
	*out = reading->value.score;
}

/* The value, where the key does not answer. */
static void lookup_score_value(struct lookup *index, struct reading *reading, uint32_t item)
{
	const struct indexed *entry = &index->entries[item];
	struct value_words words = lookup_item_words(index, item, reading->asked);
	struct score *best = &index->scores[item];
	struct score score = {0};

	if ((index->looked[item].reasons & INDEX_CONTAINED) || words.found == words.asked) {
		words.numbers += !value_has_numbers(
			reading->query, &index->forms[entry->first_form].text, &entry->value);
		lookup_score_text(reading, entry, &words, &score);
	} else {
		score.nearest = value_words_nearest(&words);
	}
	score.soft = best->soft;
	score.similarity = best->similarity;
	lookup_keep_better(best, &score);
}

static bool lookup_says_all(const struct lookup *index, const struct asked *asked, uint32_t item)
{
	const struct tally *tally = &index->item_tally[item];

	return tally->question == index->question && lookup_are_all_equal(tally, asked);
}

static void lookup_score_item(struct lookup *index, struct reading *reading, uint32_t item)
{
	struct score *score = &index->scores[item];

	lookup_score_forms(index, reading, item);
	if (score->confidence < LOOKUP_FLOOR)
		lookup_score_value(index, reading, item);
	if (score->standing < STANDING_SAID && lookup_says_all(index, reading->asked, item))
		score->standing = STANDING_SAID;
}

/* Confidence in an item that had exactly this key before. */
#define FORMER_KEY 0.99

/*
 * Keys that equal the query, spaces apart; an item that had such a key goes behind one that has it.
 * Returns whether one of them is active.
 */
static bool lookup_score_equal(struct lookup *index, const struct map *map, struct slice text,
			       int scope)
{
	size_t number = NAME_NONE;
	bool active = false;

	if (!map_get(map, text, &number))
		return false;
	for (; number != NAME_NONE; number = index->names[number].next_equal) {
		const struct item_name *name = &index->names[number];
		uint32_t item = name->item;

		if (!index_in_scope(index, item, scope))
			continue;
		candidates_list(index, item);
		if (name->former && index->scores[item].match == LOOKUP_EXACT &&
		    index->scores[item].confidence >= 1)
			continue;
		index->scores[item] = (struct score){
			name->former ? FORMER_KEY : 1, 1, LOOKUP_EXACT, STANDING_NAMED, true, 1, 1};
		active = active || !index->entries[item].archived;
	}
	return active;
}

/*
 * Values that hold something close to the query; asked only when nothing else was found. Where
 * all words were found their likeness has decided, so that what is left has to pass the gate.
 */
static void lookup_score_approximate(struct lookup *index, const struct query *query,
				     const struct asked *asked, struct difference_query *difference)
{
	size_t edits = (size_t)((1 - SCORE_GATE / VALUE_WEIGHT) * query->content.len);
	struct approx *approx = approx_new(&query->content, edits);

	for (uint32_t i = 0; approx && i < index->entry_count; i++) {
		struct value_words words;
		double confidence;

		if (!candidates_has(index, i))
			continue;
		words = lookup_item_words(index, i, asked);
		if (words.numbers || !words.found)
			continue;
		confidence = value_approximate(query, approx, &index->entries[i].value);
		if (confidence >= LOOKUP_FLOOR && confidence > index->scores[i].confidence &&
		    !answer_refuses(index, difference, i, confidence) &&
		    !difference_lacks_word(index, difference, i)) {
			index->scores[i].confidence = confidence;
			index->scores[i].match = LOOKUP_APPROXIMATE;
		}
	}
	approx_free(approx);
}

static bool lookup_anything_found(const struct lookup *index)
{
	for (size_t i = 0; i < index->listed.count; i++) {
		if (index->scores[index->listed.items[i]].confidence >= LOOKUP_FLOOR)
			return true;
	}
	return false;
}

/* No form of the item's key reaches more. */
static double lookup_forms_bound(struct lookup *index, const struct query *query,
				 const struct asked *asked, uint32_t item)
{
	const struct indexed *entry = &index->entries[item];
	double bound = 0;

	for (uint32_t i = 0; i < entry->form_count; i++) {
		const struct key_form *form = &index->forms[entry->first_form + i];
		const struct tally *tally = &index->form_tally[entry->first_form + i];
		double alike = score_key_bound(query, form);

		if (alike < SCORE_SOFT && tally->question == index->question &&
		    tally->found == asked->count)
			alike = SCORE_SOFT;
		bound = alike > bound ? alike : bound;
	}
	return bound;
}

/* The item's confidence is no larger than this. */
static double lookup_bound_of(struct lookup *index, const struct query *query,
			      const struct asked *asked, uint32_t item)
{
	struct value_words words = lookup_item_words(index, item, asked);
	double by_key;
	double by_value;

	if (index->entries[item].archived || (index->looked[item].reasons & INDEX_CONTAINED) ||
	    lookup_says_all(index, asked, item))
		return 1;
	by_key = lookup_forms_bound(index, query, asked, item);
	by_value = value_words_nearest(&words);
	if (words.found == words.asked &&
	    score_similarity_bound(query, &index->entries[item].value) > 0)
		by_value = VALUE_WEIGHT;
	return by_key > by_value ? by_key : by_value;
}

/* Steps in which candidates are scored, the most promising first. */
#define STEPS 20

static bool lookup_is_better(const struct score *a, const struct score *b)
{
	if (a->confidence < LOOKUP_FLOOR || a->standing == b->standing)
		return a->confidence > b->confidence;
	return a->standing > b->standing || b->confidence < LOOKUP_FLOOR;
}

/*
 * Who scores less is neither better than the best so far nor named beside it. All that may stand on
 * their words are scored first; who stands on its likeness has to be very much alike.
 */
static double lookup_least_beside(const struct score *best)
{
	double least = best->confidence;

	if (best->standing < STANDING_NAMED && least > SCORE_NO_GATE)
		least = SCORE_NO_GATE;
	return least - ANSWER_ALSO_WITHIN;
}

/* A candidate that waits for its turn. */
struct waiting {
	uint32_t item;
	uint32_t step;
	double bound; /* of its confidence */
};

/* Is the item found by words of its key, and not by an equal key or by the value alone? */
static bool lookup_is_about_key(const struct lookup *index, uint32_t item)
{
	const struct indexed *entry = &index->entries[item];
	enum lookup_match match = index->scores[item].match;

	for (uint32_t i = 0; i < entry->form_count; i++)
		if (index->form_tally[entry->first_form + i].question == index->question)
			return match != LOOKUP_EXACT;
	return match == LOOKUP_CONTAINED || match == LOOKUP_FUZZY || match == LOOKUP_WORDS;
}

/*
 * Does a candidate that would answer, or be named, differ in a word that tells two things apart? In
 * a value, words that resemble what was asked for say nothing about it if that is surely no slip.
 */
static bool lookup_is_refused(struct lookup *index, struct reading *reading, uint32_t item,
			      const struct score *best)
{
	const struct score *score = &index->scores[item];

	if (score->confidence < LOOKUP_FLOOR ||
	    (!index->entries[item].archived && !lookup_is_better(score, best) &&
	     score->confidence < lookup_least_beside(best)))
		return false;
	if (score->match == LOOKUP_APPROXIMATE &&
	    difference_lacks_word(index, reading->difference, item))
		return true;
	return lookup_is_about_key(index, item) &&
	       answer_refuses(index, reading->difference, item, score->confidence);
}

static void lookup_score_candidate(struct lookup *index, struct reading *reading, uint32_t item,
				   struct score *best)
{
	struct score *score = &index->scores[item];

	if (score->confidence < 1)
		lookup_score_item(index, reading, item);
	if (lookup_is_refused(index, reading, item, best)) {
		score->confidence = 0;
		score->standing = STANDING_ALIKE;
	}
	if (!index->entries[item].archived && lookup_is_better(&index->scores[item], best))
		*best = index->scores[item];
}

/* Scores the candidates that may be as good as can be; the others wait. Returns how many do. */
static size_t lookup_score_first(struct lookup *index, struct reading *reading, size_t from,
				 struct score *best, struct waiting *waiting)
{
	size_t count = 0;

	for (size_t i = from; i < index->candidates.count; i++) {
		uint32_t item = index->candidates.items[i];
		double bound = lookup_bound_of(index, reading->query, reading->asked, item);
		uint32_t step = (uint32_t)(STEPS * bound);

		if (step == STEPS)
			lookup_score_candidate(index, reading, item, best);
		else
			waiting[count++] = (struct waiting){item, step, bound};
	}
	return count;
}

/* The most promising step first, those of one in the order in which they came. */
static struct waiting *lookup_sort_waiting(const struct waiting *waiting, size_t count)
{
	struct waiting *sorted = mem_zalloc(count, sizeof *sorted);
	size_t begins[STEPS + 1] = {0};

	for (size_t i = 0; i < count; i++)
		begins[STEPS - 1 - waiting[i].step + 1]++;
	for (size_t step = 1; step <= STEPS; step++)
		begins[step] += begins[step - 1];
	for (size_t i = 0; i < count; i++)
		sorted[begins[STEPS - 1 - waiting[i].step]++] = waiting[i];
	return sorted;
}

/*
 * Scores the candidates from this one on. Who cannot come near to an active item that was found
 * is neither the answer nor named beside it; with another reading to come all are scored, because
 * the key decides in both whether the value is asked.
 */
static void lookup_score_candidates(struct lookup *index, struct reading *reading, size_t from,
				    bool last)
{
	struct waiting *waiting = mem_zalloc(index->candidates.count - from, sizeof *waiting);
	struct score best = {0};
	size_t count = lookup_score_first(index, reading, from, &best, waiting);
	struct waiting *sorted = lookup_sort_waiting(waiting, count);

	for (size_t i = 0; i < count; i++) {
		bool passed_over = last && best.confidence >= LOOKUP_FLOOR &&
				   lookup_least_beside(&best) > sorted[i].bound + SCORING_SLACK;

		if (!passed_over)
			lookup_score_candidate(index, reading, sorted[i].item, &best);
	}
	free(sorted);
	free(waiting);
}

/*
 * Scores what has to do with one reading of the query: first what may answer. Where nothing does
 * the others may still be near, or have something near in their values.
 */
static void lookup_score_reading(struct lookup *index, struct difference_query *difference,
				 struct slice normal, int scope, bool last)
{
	struct arena arena = ARENA_INIT;
	struct query query;
	struct asked asked;
	struct reading reading = {.query = &query, .asked = &asked, .difference = difference};
	size_t scored;

	query_init(&query, &arena, normal);
	candidates_gather(index, &arena, &query, scope, &asked);
	lookup_score_candidates(index, &reading, 0, last);
	if (!lookup_anything_found(index)) {
		scored = index->candidates.count;
		candidates_gather_others(index, &asked, scope);
		lookup_score_candidates(index, &reading, scored, last);
		lookup_score_approximate(index, &query, &asked, difference);
	}
	query_release(&query);
	arena_release(&arena);
}

/* A word with the s of a genitive has so many letters. */
#define GENITIVE_LEAST 4

/*
 * Is it a name that no item has, and that one has without its last letter? What it belongs to
 * stands behind it.
 */
static bool lookup_is_genitive(const struct lookup *index, const struct text *text, uint32_t word)
{
	struct text_word cut = text->words[word];
	struct text name = *text;
	uint32_t id;

	if (word + 1 == text->word_count || cut.len < GENITIVE_LEAST ||
	    text->chars[cut.start + cut.len - 1] != 's' ||
	    vocab_known(&index->vocab, text, word, &id) ||
	    words_rarity_at(text, word) < RARITY_UNKNOWN)
		return false;
	cut.len--;
	name.words = &cut;
	return vocab_known(&index->vocab, &name, 0, &id);
}

/* "Sunils Firma" with the name as it is without an ending. False where there is no such name. */
static bool lookup_cut_genitives(struct lookup *index, struct slice normal, struct str *out)
{
	ARENA_AUTO arena = ARENA_INIT;
	struct text text;
	uint32_t done = 0;

	text_make(&arena, normal, &text);
	for (uint32_t i = 0; i < text.word_count; i++) {
		uint32_t end = text.words[i].start + text.words[i].len;

		if (!lookup_is_genitive(index, &text, i))
			continue;
		for (; done < end - 1; done++)
			utf8_add(out, text.chars[done]);
		done = end;
	}
	for (uint32_t rest = done; done > 0 && rest < text.len; rest++)
		utf8_add(out, text.chars[rest]);
	return done > 0;
}

/* Neighbours of fewer letters together are no word that was written apart. */
#define JOINED_LEAST 5

/* Are this word and the next together a word of a key? "on call", and the key is oncall_share. */
static bool lookup_is_apart(const struct lookup *index, const struct text *text, uint32_t word)
{
	struct text_word first = text->words[word];
	struct text_word both = {first.start, first.len};
	struct text joined = *text;
	uint32_t chars[LOOKUP_QUERY_MAX];
	uint32_t id;

	if (word + 1 == text->word_count ||
	    first.len + text->words[word + 1].len > LOOKUP_QUERY_MAX)
		return false;
	both.start = 0;
	both.len += text->words[word + 1].len;
	memcpy(chars, text->chars + first.start, first.len * sizeof *chars);
	memcpy(chars + first.len, text->chars + text->words[word + 1].start,
	       text->words[word + 1].len * sizeof *chars);
	joined.chars = chars;
	joined.words = &both;
	joined.word_count = 1;
	return both.len >= JOINED_LEAST && !text_has_digit(chars, both.len) &&
	       vocab_known(&index->vocab, &joined, 0, &id) && index->vocab.words[id].keys > 0;
}

/* The query with such words as one. False where there are none. */
static bool lookup_join_words(const struct lookup *index, struct slice normal, struct str *out)
{
	ARENA_AUTO arena = ARENA_INIT;
	struct text text;
	bool any = false;

	text_make(&arena, normal, &text);
	for (uint32_t i = 0, done = 0; i < text.word_count; i++) {
		struct text_word place = text.words[i];
		bool apart = lookup_is_apart(index, &text, i);

		for (; done < place.start + place.len; done++)
			utf8_add(out, text.chars[done]);
		if (apart)
			done = text.words[i + 1].start;
		any = any || apart;
	}
	return any;
}

/*
 * Scores the items that have a key equal to the query. True if nothing else can be as near: nothing
 * but an equal key comes within reach of one, unless the query is long.
 */
static bool lookup_ask_names(struct lookup *index, struct slice query, int scope)
{
	STR_AUTO plain = STR_INIT;
	STR_AUTO compact = STR_INIT;

	arena_release(&index->question_texts);
	index->refused_count = 0;
	index->ask++;
	index->question++; /* what was counted for the query before counts no longer */
	index->listed.count = 0;
	normalize_identity(query, &plain);
	if (!plain.len) {
		index_symbols(query, &compact);
		return lookup_score_equal(index, &index->symbols, str_slice(&compact), scope);
	}
	for (size_t i = 0; i < plain.len; i++) {
		if (plain.ptr[i] != ' ')
			str_addc(&compact, plain.ptr[i]);
	}
	return lookup_score_equal(index, &index->compact, str_slice(&compact), scope) &&
	       (double)plain.len < 1 / ANSWER_ALSO_WITHIN;
}

/*
 * Fills index->scores for all items of the scope (LOOKUP_ANY_SCOPE: all). All readings of the
 * query are asked, with words split at case changes and without, names without a genitive, and what
 * a key writes as one word as one.
 */
static void lookup_ask_words(struct lookup *index, struct difference_query *difference,
			     struct slice query, int scope)
{
	STR_AUTO split = STR_INIT;
	STR_AUTO plain = STR_INIT;
	STR_AUTO cut = STR_INIT;
	STR_AUTO joined = STR_INIT;

	normalize_words(query, &split);
	normalize_identity(query, &plain);
	if (!plain.len)
		return;
	difference_prepare(difference, &index->question_texts, query);
	if (!slice_equal(str_slice(&split), str_slice(&plain)))
		lookup_score_reading(index, difference, str_slice(&plain), scope, false);
	if (lookup_cut_genitives(index, str_slice(&split), &cut))
		lookup_score_reading(index, difference, str_slice(&cut), scope, false);
	if (lookup_join_words(index, str_slice(&split), &joined))
		lookup_score_reading(index, difference, str_slice(&joined), scope, false);
	lookup_score_reading(index, difference, str_slice(&split), scope, true);
}

static struct slice lookup_cut(struct slice query)
{
	return slice_make(query.ptr, query.len > LOOKUP_QUERY_MAX ? LOOKUP_QUERY_MAX : query.len);
}

void lookup_find(struct lookup *index, struct slice query, int scope, struct lookup_answer *answer)
{
	struct difference_query difference = {0};

	query = lookup_cut(query);
	if (!lookup_ask_names(index, query, scope))
		lookup_ask_words(index, &difference, query, scope);
	answer_choose(index, &difference, answer);
}

bool lookup_find_named(struct lookup *index, struct slice query, int scope,
		       struct lookup_answer *answer)
{
	struct difference_query difference = {0};

	if (!lookup_ask_names(index, lookup_cut(query), scope))
		return false;
	answer_choose(index, &difference, answer);
	return true;
}

void lookup_take(struct lookup *index, struct slice query, size_t item, double confidence,
		 struct lookup_answer *answer)
{
	struct difference_query difference;

	if (item >= index->entry_count || answer->found)
		return;
	difference_prepare(&difference, &index->question_texts, query);
	candidates_list(index, (uint32_t)item);
	if (!answer_refuses(index, &difference, (uint32_t)item, confidence)) {
		answer->found = true;
		answer->item = item;
		answer->confidence = confidence;
		answer->match = LOOKUP_WORDS;
	}
	answer_name_others(index, &difference, answer);
}
