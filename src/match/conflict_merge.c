#include "match/conflict.h"

#include "base/utf8.h"
#include "match/lexicon.h"
#include "match/marks.h"
#include "match/sentence.h"

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

static bool contains(const struct sentence *whole, const struct sentence *part)
{
	size_t whole_len = utf8_count(whole->normal);
	size_t at;

	if (10 * utf8_count(part->normal) < 8 * whole_len ||
	    whole->count > part->count + MORE_WORDS_MAX)
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

bool conflict_may_merge(struct slice a, struct slice b)
{
	struct arena arena = ARENA_INIT;
	struct sentence one;
	struct sentence other;
	bool result = false;

	sentence_make(&arena, a, &one);
	sentence_make(&arena, b, &other);
	if (!one.normal.len || !other.normal.len)
		result = slice_equal(a, b);
	else if (marks_agree(a, b))
		result = slice_equal(one.normal, other.normal) || contains(&one, &other) ||
			 contains(&other, &one);
	arena_release(&arena);
	return result;
}
