#include "lookup/difference.h"

#include "lookup/kin.h"
#include "lookup/slip.h"
#include "text/distance.h"
#include "text/normalize.h"
#include "text/words.h"

#include <ctype.h>
#include <string.h>

/* Edits in words that are joined or cut in two besides. */
#define JOINED_EDITS 2

/* Fewer characters left of a script without spaces may be a slip; so many are a word. */
#define CHARACTERS_LEAST 2

/* "https" of "https://…" says how a place is reached, not which it is. */
static uint64_t difference_words_of_scheme(const struct text *text, struct slice asked)
{
	STR_AUTO normal = STR_INIT;
	const char *colon = memmem(asked.ptr, asked.len, "://", 3);
	size_t end = colon ? (size_t)(colon - asked.ptr) : 0;
	size_t start = end;
	struct arena arena = ARENA_INIT;
	struct text scheme;
	uint64_t words = 0;

	while (start > 0 && isalnum((unsigned char)asked.ptr[start - 1]))
		start--;
	normalize_identity(slice_make(asked.ptr + start, end - start), &normal);
	text_make(&arena, str_slice(&normal), &scheme);
	for (uint32_t i = 0; scheme.word_count == 1 && i < text->word_count; i++)
		if (slice_equal(text_word_bytes(text, i), text_word_bytes(&scheme, 0)))
			words |= (uint64_t)1 << i;
	arena_release(&arena);
	return words;
}

/* "from_layout": what begins or ends a question may belong to a name, where nothing else asks. */
static bool difference_is_more_than_asking(const struct text *whole, const struct text *content,
					   uint32_t begin)
{
	for (uint32_t i = 0; i < whole->word_count; i++)
		if ((i < begin || i >= begin + content->word_count) &&
		    !words_is_listed_at(whole, i, DICTIONARY_JOINING))
			return false;
	return true;
}

/* The words of a text, a bit each. */
static uint64_t difference_all_words(const struct text *text)
{
	return ((uint64_t)1 << text->word_count) - 1;
}

/* "Who owns it" asks for the owner. */
static bool difference_asks_for_person(const struct text *whole, uint32_t begin)
{
	char buffer[WORDS_LISTED_MAX];

	for (uint32_t i = 0; i < begin; i++)
		if (slice_is(words_spelt_at(whole, i, buffer), "who"))
			return true;
	return false;
}

void difference_prepare(struct difference_query *query, struct arena *arena, struct slice asked)
{
	STR_AUTO split = STR_INIT;
	struct words_kinds kinds;
	struct text whole;
	uint32_t begin;

	*query = (struct difference_query){.slips = {.text = &query->text, .arena = arena}};
	normalize_parts(asked, &split);
	text_make(arena, str_slice(&split), &whole);
	begin = words_content(arena, &whole, &query->text);
	if (difference_is_more_than_asking(&whole, &query->text, begin)) {
		query->text = whole;
		begin = 0;
	}
	query->asked = query->text.word_count > 0 && query->text.word_count <= DIFFERENCE_WORDS_MAX;
	if (!query->asked)
		return;
	kinds = words_kinds_of(&query->text);
	query->of_question = query->text.len < whole.len;
	query->of_person = difference_asks_for_person(&whole, begin);
	query->left_out = words_without_subject(&query->text, query->of_question,
						words_measures_from(&whole, begin));
	query->slips.foreign = kinds.foreign;
	query->never = kinds.labels | difference_words_of_scheme(&query->text, asked);
}

/* ---- pairing */

static bool difference_is_paired(const struct difference_query *query, uint32_t i,
				 const struct text *stored, uint32_t j)
{
	const struct text *asked = &query->text;
	bool same;

	if (kin_is_equal_word(asked, i, stored, j) || kin_is_same_number(asked, i, stored, j) ||
	    kin_is_hash_start(asked, i, stored, j))
		return true;
	if (kin_are_opposed(asked, i, stored, j, &same))
		return false;
	return same || kin_is_same_root(asked, i, stored, j, query->slips.foreign) ||
	       (query->of_person && kin_is_doer_of(asked, i, stored, j));
}

/* What is left of both texts: a bit for each word. */
struct left {
	uint64_t asked;
	uint64_t stored;
	uint32_t paired;
};

static void difference_pair_words(const struct difference_query *query, const struct text *stored,
				  bool equal_only, struct left *left)
{
	const struct text *asked = &query->text;

	for (uint32_t i = 0; i < asked->word_count; i++) {
		for (uint32_t j = 0; left->asked >> i & 1 && j < stored->word_count; j++) {
			if (!(left->stored >> j & 1) ||
			    !(equal_only ? kin_is_equal_word(asked, i, stored, j)
					 : difference_is_paired(query, i, stored, j)))
				continue;
			left->asked &= ~((uint64_t)1 << i);
			left->stored &= ~((uint64_t)1 << j);
			left->paired++;
		}
	}
}

/* "time step" and "timestep": neighbours on one side are one word on the other. */
static bool difference_is_one_word(const struct text *text, uint32_t first,
				   const struct text *other, uint32_t word)
{
	uint32_t len = text->words[first].len;
	uint32_t next = text->words[first + 1].len;
	const uint32_t *whole = kin_chars_at(other, word);

	return len + next == other->words[word].len &&
	       memcmp(whole, kin_chars_at(text, first), len * sizeof *whole) == 0 &&
	       memcmp(whole + len, kin_chars_at(text, first + 1), next * sizeof *whole) == 0;
}

static void difference_pair_joined(const struct text *text, uint64_t *left,
				   const struct text *other, uint64_t *other_left)
{
	for (uint32_t i = 0; i + 1 < text->word_count; i++) {
		for (uint32_t j = 0; (*left >> i & 3) == 3 && j < other->word_count; j++) {
			if (!(*other_left >> j & 1) || !difference_is_one_word(text, i, other, j))
				continue;
			*left &= ~((uint64_t)3 << i);
			*other_left &= ~((uint64_t)1 << j);
		}
	}
}

/* The letters of the words that are left, as one. */
static uint32_t difference_letters_of(const struct text *text, uint64_t left,
				      uint32_t letters[LOOKUP_QUERY_MAX])
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < text->word_count; i++) {
		uint32_t len = text->words[i].len;

		if (!(left >> i & 1) || count + len > LOOKUP_QUERY_MAX)
			continue;
		memcpy(letters + count, kin_chars_at(text, i), len * sizeof *letters);
		count += len;
	}
	return count;
}

/* Is what is left the same words, joined or cut in two? */
static bool difference_is_joined(const struct text *asked, const struct text *stored,
				 const struct left *left)
{
	uint32_t one[LOOKUP_QUERY_MAX];
	uint32_t other[LOOKUP_QUERY_MAX];
	uint32_t len = difference_letters_of(asked, left->asked, one);
	uint32_t other_len = difference_letters_of(stored, left->stored, other);

	if (text_count_bits(left->asked) == text_count_bits(left->stored) ||
	    text_has_digit(one, len) != text_has_digit(other, other_len))
		return false;
	return distance_osa(one, len, other, other_len, JOINED_EDITS) <= JOINED_EDITS;
}

/* ---- telling things apart */

/* Does a word stand for itself, in a script without spaces? */
static bool difference_is_character(const struct text *text, uint32_t word)
{
	return text->words[word].len == 1 && *kin_chars_at(text, word) >= 0x0E00;
}

static uint64_t difference_characters_of(const struct text *text, uint64_t words)
{
	uint64_t out = 0;

	for (uint32_t i = 0; i < text->word_count; i++)
		if (words >> i & 1 && difference_is_character(text, i))
			out |= (uint64_t)1 << i;
	return out;
}

/* Characters are no words: some few that differ may be a slip. */
static void difference_pass_over_characters(const struct text *asked, const struct text *stored,
					    struct left *left)
{
	uint64_t mine = difference_characters_of(asked, left->asked);
	uint64_t theirs = difference_characters_of(stored, left->stored);

	if (mine && theirs &&
	    kin_are_opposites(asked, (uint32_t)__builtin_ctzll(mine), stored,
			      (uint32_t)__builtin_ctzll(theirs)))
		return;
	if (text_count_bits(mine) < CHARACTERS_LEAST ||
	    text_count_bits(theirs) < CHARACTERS_LEAST) {
		left->asked &= ~mine;
		left->stored &= ~theirs;
	}
}

/*
 * A word that says nothing in a question does where key and query are alike word for word; but for
 * the verb of one: "what does article 12 say".
 */
static bool difference_is_word_for_word(const struct difference_query *query,
					const struct text *stored, const struct left *left)
{
	const struct text *asked = &query->text;
	uint32_t apart = 0;
	uint32_t last = 0;

	for (uint32_t i = 0; asked->word_count == stored->word_count && i < stored->word_count;
	     i++) {
		if (kin_is_equal_word(asked, i, stored, i))
			continue;
		apart++;
		last = i;
	}
	return apart == 1 &&
	       !(query->of_question && words_is_listed_at(asked, last, DICTIONARY_LIGHT) &&
		 !words_is_listed_at(asked, last, DICTIONARY_COUNTERPARTS) && left->asked);
}

/* The words without a subject, but for those that the key says the opposite of. */
static uint64_t difference_without_counterpart(const struct difference_query *query,
					       const struct text *stored, uint64_t left)
{
	uint64_t words = query->left_out;

	for (uint32_t i = 0; i < query->text.word_count; i++)
		for (uint32_t j = 0; words >> i & 1 && j < stored->word_count; j++)
			if (left >> j & 1 && kin_are_opposites(&query->text, i, stored, j))
				words &= ~((uint64_t)1 << i);
	return words;
}

/*
 * Words of a key that say nothing: in any language where the query is in another than English.
 * Else "mia" is a name.
 */
static uint64_t difference_function_words_of(const struct difference_query *query,
					     const struct text *stored)
{
	struct words_kinds kinds = words_kinds_of(stored);

	for (uint32_t i = 0; query->slips.foreign && i < stored->word_count; i++)
		if (words_is_listed_at(stored, i, DICTIONARY_FUNCTION))
			kinds.function |= (uint64_t)1 << i;
	return kinds.function;
}

/* Does the value have the word in another form? */
static bool difference_has_root(const struct difference_query *query, uint32_t word,
				const struct text *value)
{
	for (uint32_t i = 0; i < value->word_count; i++)
		if (kin_is_same_root(&query->text, word, value, i, query->slips.foreign))
			return true;
	return false;
}

/* Is it so like a word of the key that it was meant for that, or its counterpart? */
static bool difference_is_near_key(const struct text *asked, uint32_t word,
				   const struct text *stored, uint64_t left)
{
	for (uint32_t j = 0; j < stored->word_count; j++) {
		if (left >> j & 1 &&
		    words_compare(kin_chars_at(asked, word), asked->words[word].len,
				  kin_chars_at(stored, j), stored->words[j].len)
				    .likeness > 0)
			return true;
	}
	return false;
}

/* The value as a text, which is made only if a word has to be looked for in it. */
struct difference_value {
	struct arena arena;
	struct text text;
	bool made;
};

static bool difference_value_has(struct lookup *index, struct difference_query *query,
				 uint32_t word, uint32_t item, bool near_key,
				 struct difference_value *value)
{
	if (!near_key && slip_is_in_value(index, &query->slips, word, item))
		return true;
	if (!value->made)
		text_make(&value->arena, index->entries[item].value.bytes, &value->text);
	value->made = true;
	return kin_is_done_in(&query->text, word, &value->text) ||
	       (!near_key && difference_has_root(query, word, &value->text));
}

/* Takes out of what is left what the value has. Returns how many words those are. */
static uint32_t difference_pass_over_value(struct lookup *index, struct difference_query *query,
					   const struct text *stored, uint32_t item,
					   struct left *left)
{
	struct difference_value value = {.arena = ARENA_INIT};
	uint32_t elsewhere = 0;

	for (uint32_t i = 0; i < query->text.word_count; i++) {
		bool near_key;

		if (!(left->asked >> i & 1))
			continue;
		near_key = difference_is_near_key(&query->text, i, stored, left->stored);
		if (difference_value_has(index, query, i, item, near_key, &value)) {
			left->asked &= ~((uint64_t)1 << i);
			elsewhere++;
		}
	}
	arena_release(&value.arena);
	return elsewhere;
}

/* The word of the key that a word of the query was most likely taken for. */
static uint32_t difference_counterpart_of(const struct text *asked, uint32_t word,
					  const struct text *stored, uint64_t left)
{
	uint32_t best = (uint32_t)__builtin_ctzll(left);
	size_t least = SIZE_MAX;

	for (uint32_t j = 0; j < stored->word_count; j++) {
		size_t distance;

		if (!(left >> j & 1))
			continue;
		distance = distance_osa(kin_chars_at(asked, word), asked->words[word].len,
					kin_chars_at(stored, j), stored->words[j].len,
					LOOKUP_QUERY_MAX);
		if (distance < least) {
			least = distance;
			best = j;
		}
	}
	return best;
}

/* Pairs the words that are slips of one of the key; two may be of the same. */
static void difference_pair_slips(struct lookup *index, struct difference_query *query,
				  const struct text *stored, struct left *left)
{
	uint64_t slips = 0;

	for (uint32_t i = 0; i < query->text.word_count; i++) {
		for (uint32_t j = 0; left->asked >> i & 1 && j < stored->word_count; j++) {
			if (!((left->stored | slips) >> j & 1) ||
			    !slip_is_of(index, &query->slips, i, stored, j))
				continue;
			left->asked &= ~((uint64_t)1 << i);
			left->stored &= ~((uint64_t)1 << j);
			slips |= (uint64_t)1 << j;
		}
	}
}

/* The words that are surely words: of the store, counterparts, numbers. */
static uint64_t difference_known_words(struct lookup *index, struct difference_query *query)
{
	uint64_t words = 0;

	for (uint32_t i = 0; i < query->text.word_count; i++)
		if (slip_known_as(index, &query->slips, i)->stored ||
		    kin_has_digit(&query->text, i) ||
		    words_is_listed_at(&query->text, i, DICTIONARY_COUNTERPARTS))
			words |= (uint64_t)1 << i;
	return words;
}

/* "v1.1" is no "v1": a number that the key has is only the beginning or end of the one asked for.
 */
static bool difference_continues_number(const struct difference_query *query,
					const struct text *stored, uint64_t left,
					struct difference *out)
{
	const struct text *asked = &query->text;

	for (uint32_t i = 0; i + 1 < asked->word_count; i++) {
		bool first_left = left >> i & 1;
		bool next_left = left >> (i + 1) & 1;
		uint32_t paired = first_left ? i + 1 : i;

		if (first_left == next_left || !kin_has_digit(asked, i) ||
		    !kin_has_digit(asked, i + 1))
			continue;
		for (uint32_t j = 0; j < stored->word_count; j++) {
			if (!difference_is_paired(query, paired, stored, j))
				continue;
			*out = (struct difference){asked, stored, first_left ? i : i + 1, j, 1};
			return true;
		}
	}
	return false;
}

/* The nearest word with a subject on this side of a word; the word itself where there is none. */
static uint32_t difference_beside(const struct difference_query *query, uint32_t word, int step)
{
	uint32_t i = word + (uint32_t)step;

	while (i < query->text.word_count && query->left_out >> i & 1)
		i += (uint32_t)step;
	return i < query->text.word_count ? i : word;
}

/* "Tabs or spaces?" is answered by what is said of one of them. */
static uint64_t difference_other_choices(const struct difference_query *query, uint64_t left)
{
	uint64_t others = 0;

	for (uint32_t i = 1; i + 1 < query->text.word_count; i++) {
		uint64_t one = (uint64_t)1 << difference_beside(query, i, -1);
		uint64_t other = (uint64_t)1 << difference_beside(query, i, 1);

		if (words_is_listed_at(&query->text, i, DICTIONARY_ALTERNATIVES) &&
		    !(left & one) != !(left & other))
			others |= one | other;
	}
	return others;
}

static bool difference_differs_from(struct lookup *index, struct difference_query *query,
				    const struct text *stored, uint32_t item, bool as_written,
				    struct difference *out)
{
	const struct text *asked = &query->text;
	struct left left = {difference_all_words(asked), difference_all_words(stored), 0};
	uint32_t elsewhere;

	difference_pair_words(query, stored, true, &left);
	left.asked &= ~query->never;
	if (!left.asked) {
		*out = (struct difference){asked, stored, 0, 0, 1};
		return text_swaps_numbers(asked, stored, &out->asked_word, &out->stored_word);
	}
	difference_pair_words(query, stored, false, &left);
	if (!left.stored)
		return difference_continues_number(query, stored, left.asked, out);
	difference_pair_joined(asked, &left.asked, stored, &left.stored);
	difference_pair_joined(stored, &left.stored, asked, &left.asked);
	if (!difference_is_word_for_word(query, stored, &left)) {
		left.asked &= ~difference_without_counterpart(query, stored, left.stored);
		left.stored &= ~difference_function_words_of(query, stored);
	}
	difference_pass_over_characters(asked, stored, &left);
	if (!left.asked || !left.stored || difference_is_joined(asked, stored, &left))
		return false;
	elsewhere = difference_pass_over_value(index, query, stored, item, &left);
	left.asked &= ~difference_other_choices(query, left.asked);
	if (!left.asked || (as_written && elsewhere > left.paired))
		return false;
	difference_pair_slips(index, query, stored, &left);
	/* No list knows the verbs of other languages. */
	if (query->slips.foreign && elsewhere && left.paired)
		left.asked &= difference_known_words(index, query);
	for (uint32_t i = 0; left.stored && i < asked->word_count; i++) {
		if (!(left.asked >> i & 1) || slip_is_of_nothing(index, &query->slips, i))
			continue;
		*out = (struct difference){asked, stored, i,
					   difference_counterpart_of(asked, i, stored, left.stored),
					   left.paired};
		return true;
	}
	return false;
}

/* "What does error E21 mean?" is not answered by what is said of E18. */
static bool difference_is_of_other_number(struct lookup *index, struct difference_query *query,
					  uint32_t item, struct difference *out)
{
	const struct text *key = &index->forms[index->entries[item].first_form].text;
	struct text *value = NULL;

	for (uint32_t i = 0; i < query->text.word_count; i++) {
		if (!kin_has_digit(&query->text, i) || kin_has_number(&query->text, i, key))
			continue;
		if (!value) {
			value = arena_alloc(query->slips.arena, sizeof *value);
			text_make(query->slips.arena, index->entries[item].value.bytes, value);
		}
		for (uint32_t j = 0;
		     !kin_has_number(&query->text, i, value) && j < value->word_count; j++) {
			if (!kin_is_next_of_series(&query->text, i, value, j))
				continue;
			*out = (struct difference){&query->text, value, i, j, 1};
			return true;
		}
	}
	return false;
}

static bool difference_has_difference(struct lookup *index, struct difference_query *query,
				      uint32_t item, struct difference *out)
{
	const struct indexed *entry = &index->entries[item];
	bool differs = false;

	for (uint32_t i = 0; i < entry->form_count; i++) {
		const struct text *stored = &index->forms[entry->first_form + i].text;
		struct difference found;

		if (!stored->word_count || stored->word_count > DIFFERENCE_WORDS_MAX ||
		    !difference_differs_from(index, query, stored, item, i == 0, &found))
			return false;
		if (!differs || found.paired > out->paired)
			*out = found;
		differs = true;
	}
	return differs;
}

static bool difference_is_same_item(const struct lookup *index, const struct indexed *a,
				    const struct indexed *b)
{
	return slice_equal(index->forms[a->first_form].text.bytes,
			   index->forms[b->first_form].text.bytes) &&
	       slice_equal(a->value.bytes, b->value.bytes);
}

bool difference_find(struct lookup *index, struct difference_query *query, uint32_t item,
		     struct difference *out)
{
	const struct indexed *entry = &index->entries[item];

	if (!query->asked)
		return false;
	/* Where many items are equal they are neighbours. */
	if (!query->last || !difference_is_same_item(index, query->last, entry)) {
		query->last = entry;
		query->last_differs =
			difference_has_difference(index, query, item, &query->last_found) ||
			difference_is_of_other_number(index, query, item, &query->last_found);
	}
	*out = query->last_found;
	return query->last_differs;
}

/* Whoever asks for the "preferred editor", or the "prefered" one, asks for the editor. */
static bool difference_says_little(struct lookup *index, struct difference_query *query,
				   uint32_t word)
{
	return words_is_listed_at(&query->text, word, DICTIONARY_FUNCTION) ||
	       words_is_light_form(&query->text, word) ||
	       slip_is_of_nothing(index, &query->slips, word);
}

/* The words that are surely no slip of another one. */
static uint64_t difference_sure_words(struct lookup *index, struct difference_query *query)
{
	uint64_t words = 0;

	for (uint32_t i = 0; i < query->text.word_count; i++) {
		const struct slip_word *known = slip_known_as(index, &query->slips, i);

		if (known->stored || known->rarity <= RARITY_USUAL || query->slips.foreign)
			words |= (uint64_t)1 << i;
	}
	return words;
}

/*
 * Of these words, those that neither this form of the key nor the value accounts for; slips too,
 * where they may be some.
 */
static uint64_t difference_unaccounted(struct lookup *index, struct difference_query *query,
				       const struct text *stored, uint32_t item, uint64_t words,
				       bool slips)
{
	struct left left = {difference_all_words(&query->text), difference_all_words(stored), 0};

	difference_pair_words(query, stored, true, &left);
	left.asked &= ~(query->never | query->left_out);
	difference_pair_words(query, stored, false, &left);
	difference_pair_joined(&query->text, &left.asked, stored, &left.stored);
	difference_pair_joined(stored, &left.stored, &query->text, &left.asked);
	left.asked &= words & ~difference_characters_of(&query->text, left.asked);
	for (uint32_t i = 0; i < query->text.word_count; i++)
		if (left.asked >> i & 1 && difference_says_little(index, query, i))
			left.asked &= ~((uint64_t)1 << i);
	difference_pass_over_value(index, query, stored, item, &left);
	if (slips)
		difference_pair_slips(index, query, stored, &left);
	return left.asked;
}

/* The same, whatever form of the key is looked at; none where a form is too long to tell. */
static uint64_t difference_extra_words(struct lookup *index, struct difference_query *query,
				       uint32_t item, uint64_t words, bool slips)
{
	const struct indexed *entry = &index->entries[item];
	uint64_t extra = 0;

	for (uint32_t i = 0; words && query->asked && i < entry->form_count; i++) {
		const struct text *stored = &index->forms[entry->first_form + i].text;

		if (!stored->word_count || stored->word_count > DIFFERENCE_WORDS_MAX)
			return 0;
		extra = difference_unaccounted(index, query, stored, item, words, slips);
		if (!extra)
			return 0;
	}
	return extra;
}

bool difference_find_extra(struct lookup *index, struct difference_query *query, uint32_t item,
			   uint32_t *word)
{
	uint64_t extra = difference_extra_words(index, query, item,
						difference_all_words(&query->text), true);

	if (extra)
		*word = (uint32_t)__builtin_ctzll(extra);
	return extra != 0;
}

bool difference_lacks_word(struct lookup *index, struct difference_query *query, uint32_t item)
{
	uint64_t sure = difference_sure_words(index, query);

	/* Most values have them: comparing them with the words of a key costs a hundred times as
	 * much. */
	for (uint32_t i = 0; i < query->text.word_count; i++)
		if (sure >> i & 1 && slip_is_in_value(index, &query->slips, i, item))
			sure &= ~((uint64_t)1 << i);
	return difference_extra_words(index, query, item, sure, false) != 0;
}
