#include "similarity/contradiction.h"

#include "base/utf8.h"
#include "similarity/lexicon.h"
#include "similarity/symbols.h"
#include "similarity/sentence.h"
#include "text/tokens.h"

/* Where the words of part begin in whole; whole->count when they are not there in a row. */
static size_t find_words(const struct sentence *whole, const struct sentence *part)
{
	for (size_t at = 0; at + part->count <= whole->count; at++) {
		size_t same = 0;

		while (same < part->count &&
		       slice_equal(whole->words[at + same].text, part->words[same].text))
			same++;
		if (same == part->count)
			return at;
	}
	return whole->count;
}

/* Is there a word in the sentence that excludes this one? */
static bool is_opposed(const struct sentence *sentence, struct slice word)
{
	bool things;

	for (size_t i = 0; i < sentence->count; i++) {
		if (lexicon_opposed(sentence->words[i].text, word, &things))
			return true;
	}
	return false;
}

/* Does this word, which only the longer text has, leave what both say as it is? */
static bool is_harmless(const struct sentence *part, const struct sentence_word *word)
{
	return !word->number && !word->negation && !lexicon_has(word->text, LEXICON_QUALIFIERS) &&
	       !is_opposed(part, word->text);
}

/* Whoever adds more words than this adds something to look at. */
#define MORE_WORDS_MAX 50

/* Is what the longer text has more nothing that has to be looked at? */
static bool adds_nothing(const struct sentence *whole, const struct sentence *part)
{
	size_t at;

	if (whole->count > part->count + MORE_WORDS_MAX)
		return false;
	at = find_words(whole, part);
	if (at == whole->count)
		return false;
	for (size_t i = 0; i < whole->count; i++) {
		bool inside = i >= at && i < at + part->count;

		if (!inside && !is_harmless(part, &whole->words[i]))
			return false;
	}
	return true;
}

/* The texts, each followed by its normal form. */
static bool contains(struct slice whole, struct slice long_form, struct slice part,
		     struct slice brief)
{
	struct arena arena = ARENA_INIT;
	struct sentence one;
	struct sentence other;
	bool whole_words;
	bool result;

	if (brief.len > long_form.len || 10 * utf8_count(brief) < 8 * utf8_count(long_form) ||
	    !text_contains(long_form, brief, &whole_words) || !whole_words)
		return false;
	sentence_make(&arena, whole, &one);
	sentence_make(&arena, part, &other);
	result = adds_nothing(&one, &other);
	arena_release(&arena);
	return result;
}

bool conflict_may_merge(struct slice a, struct slice b)
{
	STR_AUTO one = STR_INIT;
	STR_AUTO other = STR_INIT;
	struct slice a_form;
	struct slice b_form;

	sentence_normalize(a, &one);
	sentence_normalize(b, &other);
	a_form = str_slice(&one);
	b_form = str_slice(&other);
	if (!a_form.len || !b_form.len)
		return slice_equal(a, b);
	return (slice_equal(a_form, b_form) || contains(a, a_form, b, b_form) ||
		contains(b, b_form, a, a_form)) &&
	       marks_agree(a, b);
}
