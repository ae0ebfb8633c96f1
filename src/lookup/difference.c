#include "lookup/difference.h"

#include "text/distance.h"
#include "text/normalize.h"
#include "text/stem.h"
#include "text/words.h"

#include <ctype.h>
#include <string.h>

/* Edits in words that are joined or cut in two besides. */
#define JOINED_EDITS 2

/* In a word of a language of which no list is known, and one more from so many characters on. */
#define FOREIGN_EDITS 1
#define FOREIGN_LONG 8

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
static bool difference_is_more_than_asking(const struct text *whole, const struct text *content)
{
	uint32_t joining = 0;

	for (uint32_t i = 0; i < whole->word_count; i++)
		joining += words_is_listed_at(whole, i, DICTIONARY_JOINING);
	return whole->word_count - content->word_count <= joining;
}

void difference_prepare(struct difference_query *query, struct arena *arena, struct slice asked)
{
	STR_AUTO split = STR_INIT;
	struct words_kinds kinds;
	struct text whole;

	*query = (struct difference_query){.arena = arena};
	normalize_parts(asked, &split);
	text_make(arena, str_slice(&split), &whole);
	words_content(arena, &whole, &query->text);
	if (difference_is_more_than_asking(&whole, &query->text))
		query->text = whole;
	query->asked = query->text.word_count > 0 && query->text.word_count <= DIFFERENCE_WORDS_MAX;
	if (!query->asked)
		return;
	kinds = words_kinds_of(&query->text);
	query->left_out = words_without_subject(&query->text, query->text.len < whole.len);
	query->foreign = kinds.foreign;
	query->never = kinds.labels | difference_words_of_scheme(&query->text, asked);
}

static const uint32_t *difference_chars_at(const struct text *text, uint32_t word)
{
	return text->chars + text->words[word].start;
}

/* The words of a text, a bit each. */
static uint64_t difference_all_words(const struct text *text)
{
	return ((uint64_t)1 << text->word_count) - 1;
}

/* ---- pairing */

static bool difference_is_equal_word(const struct text *a, uint32_t i, const struct text *b,
				     uint32_t j)
{
	return slice_equal(text_word_bytes(a, i), text_word_bytes(b, j));
}

/* The word in the list, to ask the dictionary; empty where it is too long for one. */
static struct slice difference_spelt(const struct text *text, uint32_t word,
				     char buffer[WORDS_LISTED_MAX])
{
	return words_spelt_at(text, word, buffer);
}

/* Are they known to be two things, or (*same) two names of one? */
static bool difference_are_opposed(const struct text *a, uint32_t i, const struct text *b,
				   uint32_t j, bool *same)
{
	char one[WORDS_LISTED_MAX];
	char other[WORDS_LISTED_MAX];
	struct slice x = difference_spelt(a, i, one);
	struct slice y = difference_spelt(b, j, other);
	bool things;

	*same = false;
	if (dictionary_counterparts(x, y, same) || *same)
		return !*same;
	return dictionary_opposed(x, y, &things);
}

/* "router" does what "route" is, but is another thing. */
static bool difference_is_agent(const struct text *text, uint32_t word)
{
	const uint32_t *chars = difference_chars_at(text, word);
	uint32_t len = text->words[word].len;

	if (len > 1 && chars[len - 1] == 's')
		len--;
	return len > 4 && chars[len - 1] == 'r' && (chars[len - 2] == 'e' || chars[len - 2] == 'o');
}

/* Another form of one word: "stored" and "storing". */
static bool difference_is_same_root(const struct text *a, uint32_t i, const struct text *b,
				    uint32_t j)
{
	uint32_t one[STEM_LEN_MAX];
	uint32_t other[STEM_LEN_MAX];
	uint32_t a_len = a->words[i].len;
	uint32_t b_len = b->words[j].len;
	size_t len;

	if (a_len > STEM_LEN_MAX || b_len > STEM_LEN_MAX ||
	    text_has_digit(difference_chars_at(a, i), a_len) ||
	    text_has_digit(difference_chars_at(b, j), b_len))
		return false;
	len = stem_word(difference_chars_at(a, i), a_len, one);
	if (difference_is_agent(a, i) != difference_is_agent(b, j))
		return false;
	return len == stem_word(difference_chars_at(b, j), b_len, other) &&
	       memcmp(one, other, len * sizeof *one) == 0;
}

static bool difference_is_same_number(const struct text *a, uint32_t i, const struct text *b,
				      uint32_t j)
{
	struct text_word x = text_plain_number(a->chars, a->words[i]);
	struct text_word y = text_plain_number(b->chars, b->words[j]);

	return x.len > 0 && x.len == y.len &&
	       memcmp(a->chars + x.start, b->chars + y.start, x.len * sizeof *a->chars) == 0;
}

static bool difference_is_paired(const struct text *a, uint32_t i, const struct text *b, uint32_t j)
{
	bool same;

	if (difference_is_equal_word(a, i, b, j) || difference_is_same_number(a, i, b, j))
		return true;
	if (difference_are_opposed(a, i, b, j, &same))
		return false;
	return same || difference_is_same_root(a, i, b, j);
}

/* What is left of both texts: a bit for each word. */
struct left {
	uint64_t asked;
	uint64_t stored;
	uint32_t paired;
};

static void difference_pair_words(const struct text *asked, const struct text *stored,
				  bool equal_only, struct left *left)
{
	for (uint32_t i = 0; i < asked->word_count; i++) {
		for (uint32_t j = 0; left->asked >> i & 1 && j < stored->word_count; j++) {
			if (!(left->stored >> j & 1) ||
			    !(equal_only ? difference_is_equal_word(asked, i, stored, j)
					 : difference_is_paired(asked, i, stored, j)))
				continue;
			left->asked &= ~((uint64_t)1 << i);
			left->stored &= ~((uint64_t)1 << j);
			left->paired++;
		}
	}
}

/* ---- words of the value */

/* ---- slips */

/* Is it a word of the language, or one that stands in another item of the store? */
static bool difference_is_other_word(struct lookup *index, struct difference_query *query,
				     uint32_t word)
{
	uint64_t bit = (uint64_t)1 << word;
	uint32_t id;

	if (!(query->known & bit)) {
		query->known |= bit;
		if ((!query->foreign && words_is_word(&query->text, word)) ||
		    (vocab_known(&index->vocab, &query->text, word, &id) &&
		     vocab_is_anywhere(&index->vocab, id, index->scopes, INDEX_GONE)))
			query->other_words |= bit;
	}
	return query->other_words & bit;
}

/* Looks up once which words of the store a word of the query may stand for. */
static const struct difference_words *
difference_stands_for(struct lookup *index, struct difference_query *query, uint32_t word)
{
	struct difference_words *words = &query->words[word];
	const struct vocab_match *matches;
	size_t count;

	if (words->ids)
		return words;
	count = vocab_find(&index->vocab, &query->text, word, &matches);
	words->ids = arena_alloc(query->arena, (count + 1) * sizeof *words->ids);
	for (size_t i = 0; i < count; i++) {
		if (matches[i].likeness >= 1 ||
		    (matches[i].near && !difference_is_other_word(index, query, word)))
			words->ids[words->count++] = matches[i].word;
	}
	return words;
}

/* Does the value have the word, or one that it may be a misspelling of? */
static bool difference_is_in_value(struct lookup *index, struct difference_query *query,
				   uint32_t word, uint32_t item)
{
	const struct difference_words *words = difference_stands_for(index, query, word);

	for (size_t i = 0; i < words->count; i++)
		if (vocab_is_in_value(&index->vocab, words->ids[i], item))
			return true;
	return false;
}

static bool difference_is_ascii(const uint32_t *chars, uint32_t len)
{
	for (uint32_t i = 0; i < len; i++)
		if (chars[i] >= 0x80)
			return false;
	return true;
}

static bool difference_is_slip(struct lookup *index, struct difference_query *query, uint32_t i,
			       const struct text *stored, uint32_t j)
{
	const uint32_t *asked = difference_chars_at(&query->text, i);
	const uint32_t *key = difference_chars_at(stored, j);
	uint32_t len = query->text.words[i].len;
	uint32_t key_len = stored->words[j].len;
	size_t limit = FOREIGN_EDITS + (len >= FOREIGN_LONG);
	bool same;

	if (text_has_digit(asked, len) || text_has_digit(key, key_len) || len == 1 || key_len == 1)
		return false;
	if (difference_are_opposed(&query->text, i, stored, j, &same) ||
	    difference_is_other_word(index, query, i))
		return false;
	/* A word that the lists would know if it were one, had it been spelt right. */
	if (difference_is_ascii(asked, len))
		return true;
	return distance_osa(asked, len, key, key_len, limit) <= limit;
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
		memcpy(letters + count, difference_chars_at(text, i), len * sizeof *letters);
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
	return text->words[word].len == 1 && *difference_chars_at(text, word) >= 0x0E00;
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

	if (text_count_bits(mine) < CHARACTERS_LEAST ||
	    text_count_bits(theirs) < CHARACTERS_LEAST) {
		left->asked &= ~mine;
		left->stored &= ~theirs;
	}
}

/* A word that says nothing in a question does where key and query are alike word for word. */
static bool difference_is_word_for_word(const struct text *asked, const struct text *stored)
{
	uint32_t apart = 0;

	for (uint32_t i = 0; asked->word_count == stored->word_count && i < stored->word_count; i++)
		apart += !difference_is_equal_word(asked, i, stored, i);
	return apart == 1;
}

/* Words of a key that say nothing in any language. */
static uint64_t difference_function_words_of(const struct text *stored)
{
	uint64_t words = 0;

	for (uint32_t i = 0; i < stored->word_count; i++)
		if (words_is_listed_at(stored, i, DICTIONARY_FUNCTION))
			words |= (uint64_t)1 << i;
	return words;
}

/* Does the value have the word in another form? */
static bool difference_has_root(const struct text *asked, uint32_t word, const struct text *value)
{
	for (uint32_t i = 0; i < value->word_count; i++)
		if (difference_is_same_root(asked, word, value, i))
			return true;
	return false;
}

/* Is it so like a word of the key that it was meant for that, or its counterpart? */
static bool difference_is_near_key(const struct text *asked, uint32_t word,
				   const struct text *stored, uint64_t left)
{
	for (uint32_t j = 0; j < stored->word_count; j++) {
		if (left >> j & 1 &&
		    words_compare(difference_chars_at(asked, word), asked->words[word].len,
				  difference_chars_at(stored, j), stored->words[j].len)
				    .likeness > 0)
			return true;
	}
	return false;
}

/* Takes out of what is left what the value has. Returns how many words those are. */
static uint32_t difference_pass_over_value(struct lookup *index, struct difference_query *query,
					   const struct text *stored, uint32_t item,
					   struct left *left)
{
	struct arena arena = ARENA_INIT;
	struct text value;
	uint32_t elsewhere = 0;

	text_make(&arena, index->entries[item].value.bytes, &value);
	for (uint32_t i = 0; i < query->text.word_count; i++) {
		if (left->asked >> i & 1 &&
		    !difference_is_near_key(&query->text, i, stored, left->stored) &&
		    (difference_is_in_value(index, query, i, item) ||
		     difference_has_root(&query->text, i, &value))) {
			left->asked &= ~((uint64_t)1 << i);
			elsewhere++;
		}
	}
	arena_release(&arena);
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
		distance = distance_osa(difference_chars_at(asked, word), asked->words[word].len,
					difference_chars_at(stored, j), stored->words[j].len,
					LOOKUP_QUERY_MAX);
		if (distance < least) {
			least = distance;
			best = j;
		}
	}
	return best;
}

static bool difference_may_be_slip(struct lookup *index, struct difference_query *query,
				   uint32_t word, const struct text *stored, uint64_t left)
{
	for (uint32_t j = 0; j < stored->word_count; j++)
		if (left >> j & 1 && difference_is_slip(index, query, word, stored, j))
			return true;
	return false;
}

static bool difference_has_digit_at(const struct text *text, uint32_t word)
{
	return text_has_digit(difference_chars_at(text, word), text->words[word].len);
}

/* "v1.1" is no "v1": a number that the key has is only the beginning or end of the one asked for.
 */
static bool difference_continues_number(const struct text *asked, const struct text *stored,
					uint64_t left, struct difference *out)
{
	for (uint32_t i = 0; i + 1 < asked->word_count; i++) {
		bool first_left = left >> i & 1;
		bool next_left = left >> (i + 1) & 1;
		uint32_t paired = first_left ? i + 1 : i;

		if (first_left == next_left || !difference_has_digit_at(asked, i) ||
		    !difference_has_digit_at(asked, i + 1))
			continue;
		for (uint32_t j = 0; j < stored->word_count; j++) {
			if (!difference_is_paired(asked, paired, stored, j))
				continue;
			*out = (struct difference){asked, stored, first_left ? i : i + 1, j, 1};
			return true;
		}
	}
	return false;
}

static bool difference_differs_from(struct lookup *index, struct difference_query *query,
				    const struct text *stored, uint32_t item, bool as_written,
				    struct difference *out)
{
	const struct text *asked = &query->text;
	struct left left = {difference_all_words(asked), difference_all_words(stored), 0};
	uint32_t elsewhere;

	difference_pair_words(asked, stored, true, &left);
	left.asked &= ~query->never;
	if (!left.asked)
		return false;
	difference_pair_words(asked, stored, false, &left);
	if (!left.stored)
		return difference_continues_number(asked, stored, left.asked, out);
	if (!difference_is_word_for_word(asked, stored)) {
		left.asked &= ~query->left_out;
		left.stored &= ~difference_function_words_of(stored);
	}
	difference_pass_over_characters(asked, stored, &left);
	if (!left.asked || !left.stored || difference_is_joined(asked, stored, &left))
		return false;
	elsewhere = difference_pass_over_value(index, query, stored, item, &left);
	if (!left.asked || (as_written && elsewhere > left.paired))
		return false;
	for (uint32_t i = 0; i < asked->word_count; i++) {
		if (!(left.asked >> i & 1) ||
		    difference_may_be_slip(index, query, i, stored, left.stored))
			continue;
		*out = (struct difference){asked, stored, i,
					   difference_counterpart_of(asked, i, stored, left.stored),
					   left.paired};
		return true;
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
		query->last_differs = difference_has_difference(index, query, item,
								&query->last_found);
	}
	*out = query->last_found;
	return query->last_differs;
}
