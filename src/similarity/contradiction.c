#include "similarity/contradiction.h"

#include "similarity/lexicon.h"
#include "similarity/symbols.h"
#include "similarity/sentence.h"

/* Texts with more words are not compared: the work is the product of them. */
#define WORDS_MAX 200

/* Nor are those of which it can be told without counting. */
#define BYTES_MAX 4096

/* Longest part of a sentence that counts as one answer. */
#define SLOT_MAX 3

const char *conflict_name(enum conflict conflict)
{
	static const char *const names[] = {"none", "numbers", "negation", "opposites", "other"};

	return names[conflict];
}

/* Two sentences, and what was found out about them together. */
struct pair {
	struct slice a_text;
	struct slice b_text;
	struct sentence a;
	struct sentence b;
	size_t opposites; /* pairs of words that exclude each other */
	size_t things;    /* pairs of words that tell things apart */
	struct slice a_word;
	struct slice b_word; /* the first pair of them */
};

static void say_words(struct str *reason, struct slice a, struct slice b)
{
	if (!reason)
		return;
	str_adds(reason, "one says \"");
	str_add(reason, a);
	str_adds(reason, "\", the other \"");
	str_add(reason, b);
	str_addc(reason, '"');
}

static size_t first_content(const struct sentence *sentence)
{
	size_t at = 0;

	while (at < sentence->count && !sentence_is_content(&sentence->words[at]))
		at++;
	return at;
}

static void oppose(struct pair *pair, size_t i, size_t j)
{
	struct sentence_word *one = &pair->a.words[i];
	struct sentence_word *other = &pair->b.words[j];
	bool subject = i == first_content(&pair->a) && j == first_content(&pair->b);
	bool things;

	if (!lexicon_opposed(one->text, other->text, &things) || (things && subject))
		return;
	one->opposed = true;
	other->opposed = true;
	if (!pair->a_word.ptr) {
		pair->a_word = one->text;
		pair->b_word = other->text;
	}
	if (things)
		pair->things++;
	else
		pair->opposites++;
}

static void find_opposites(struct pair *pair)
{
	for (size_t i = 0; i < pair->a.count; i++) {
		for (size_t j = 0; j < pair->b.count && !pair->a.words[i].opposed; j++) {
			if (!pair->a.words[i].shared && !pair->b.words[j].shared &&
			    !pair->b.words[j].opposed)
				oppose(pair, i, j);
		}
	}
}

struct count {
	size_t shared;  /* words of content that both have */
	size_t left;    /* words of content that say something of their own */
	size_t before;  /* of these, before the first one that both have */
	size_t numbers; /* that the other one does not have */
	size_t negations;
};

static struct count count_words(const struct sentence *sentence)
{
	struct count count = {0};

	for (size_t i = 0; i < sentence->count; i++) {
		const struct sentence_word *word = &sentence->words[i];

		count.negations += word->negation && !word->opposed;
		if (!sentence_is_content(word) || word->opposed)
			continue;
		count.shared += word->shared;
		count.numbers += word->number && !word->shared;
		if (word->shared || word->number)
			continue;
		count.left++;
		count.before += count.shared == 0;
	}
	return count;
}

/* Are both about the same? What only one has must be little, and must not name another subject. */
static bool same_matter(struct count a, struct count b)
{
	size_t left = a.left + b.left;

	if (!a.shared || a.before || b.before)
		return false;
	if (a.left && b.left)
		return a.left == 1 && b.left == 1 && a.shared >= 2 && a.numbers && b.numbers;
	return left <= a.shared;
}

static void add_numbers(const struct sentence *sentence, struct str *out)
{
	for (size_t i = 0; i < sentence->count; i++) {
		if (!sentence->words[i].number || sentence->words[i].shared)
			continue;
		if (out->len)
			str_addc(out, ' ');
		str_add(out, sentence->words[i].text);
	}
}

static enum conflict say_numbers(const struct pair *pair, struct str *reason)
{
	STR_AUTO a = STR_INIT;
	STR_AUTO b = STR_INIT;

	add_numbers(&pair->a, &a);
	add_numbers(&pair->b, &b);
	say_words(reason, str_slice(&a), str_slice(&b));
	return CONFLICT_NUMBERS;
}

static enum conflict say_negation(const struct pair *pair, struct str *reason)
{
	const struct sentence *sentences[] = {&pair->a, &pair->b};

	for (size_t s = 0; reason && s < 2; s++) {
		for (size_t i = 0; i < sentences[s]->count; i++) {
			const struct sentence_word *word = &sentences[s]->words[i];

			if (!word->negation || word->opposed)
				continue;
			str_adds(reason, "only one says \"");
			str_add(reason, word->text);
			str_addc(reason, '"');
			return CONFLICT_NEGATION;
		}
	}
	return CONFLICT_NEGATION;
}

/* Opposites and a negation undo each other: "not enabled" and "disabled". */
static enum conflict find_listed(const struct pair *pair, struct str *reason)
{
	struct count a = count_words(&pair->a);
	struct count b = count_words(&pair->b);
	bool denied = (a.negations > 0) != (b.negations > 0);
	size_t turns = pair->opposites + denied;

	if (!same_matter(a, b) || (turns && turns % 2 == 0))
		return CONFLICT_NONE;
	if (pair->opposites || (!turns && pair->things)) {
		say_words(reason, pair->a_word, pair->b_word);
		return CONFLICT_OPPOSITES;
	}
	if (denied)
		return say_negation(pair, reason);
	return a.numbers && b.numbers ? say_numbers(pair, reason) : CONFLICT_NONE;
}

/* A run of words of a sentence. */
struct run {
	const struct sentence_word *words;
	size_t count;
};

static bool run_has(struct run run, enum lexicon_list list)
{
	for (size_t i = 0; i < run.count; i++) {
		if (lexicon_has(run.words[i].text, list))
			return true;
	}
	return false;
}

static bool is_any(struct slice word, const char *const *list)
{
	while (*list && !slice_is(word, *list))
		list++;
	return *list != NULL;
}

static bool has_content(struct run run)
{
	for (size_t i = 0; i < run.count; i++) {
		if (sentence_is_content(&run.words[i]))
			return true;
	}
	return false;
}

static bool run_has_any(struct run run, const char *const *list)
{
	for (size_t i = 0; i < run.count; i++) {
		if (is_any(run.words[i].text, list))
			return true;
	}
	return false;
}

static const char *const to_be[] = {"is", "are", "was", "were", "be", NULL};

/* "... is the lead", "... owns billing": who it is, is said. */
static bool names_one(struct run rest)
{
	static const char *const definite[] = {"the", "our", "my", "their", NULL};

	if (run_has(rest, LEXICON_ROLES))
		return true;
	return rest.count >= 2 && is_any(rest.words[0].text, to_be) &&
	       is_any(rest.words[1].text, definite);
}

/* Is the last word one that leads to a place, or to what something is made in? */
static bool leads_to(struct run begin, const char *const *prepositions)
{
	return begin.count >= 2 && is_any(begin.words[begin.count - 1].text, prepositions);
}

/* "office is in ...", "the default shell is ...", "use ... for ...": there is one answer. */
static bool has_one_answer(struct run begin, struct run rest)
{
	static const char *const places[] = {"in", "at", "by", "from", NULL};
	static const char *const works[] = {"in", "at", "for", "to", NULL};
	static const char *const prefers[] = {"prefers", "prefer", NULL};
	static const char *const in[] = {"in", NULL};
	static const char *const purposes[] = {"for", "as", NULL};
	bool is = run_has_any(begin, to_be);

	if (run_has(begin, LEXICON_ROLES))
		return is;
	if (run_has(begin, LEXICON_SINGLE) && (is || rest.count == 0))
		return true;
	if (run_has(begin, LEXICON_CHOICES) && (run_has_any(rest, purposes) || leads_to(begin, in)))
		return true;
	if (has_content(rest) && is_any(begin.words[begin.count - 1].text, prefers))
		return true;
	return (is && leads_to(begin, places)) ||
	       (run_has(begin, LEXICON_PLACES) && leads_to(begin, works));
}

/* Can this be the answer of one of them: something of its own, and no more than a few words? */
static bool is_answer(struct run run)
{
	for (size_t i = 0; i < run.count; i++) {
		if (run.words[i].shared && sentence_is_content(&run.words[i]))
			return false;
	}
	return run.count <= SLOT_MAX && has_content(run);
}

static struct slice show_run(struct run run, struct str *out)
{
	for (size_t i = 0; i < run.count; i++) {
		if (i)
			str_addc(out, ' ');
		str_add(out, run.words[i].text);
	}
	return str_slice(out);
}

/* Is the word written with a capital in the text, and not only because the text begins with it? */
static bool is_name(struct slice text, struct slice word)
{
	for (size_t at = 1; at + word.len <= text.len; at++) {
		char first = text.ptr[at];

		if (first >= 'A' && first <= 'Z' && text.ptr[at - 1] == ' ' &&
		    slice_is_word(slice_make(text.ptr + at, word.len), word.ptr))
			return true;
	}
	return false;
}

/* "... is Hetzner", "... is Fastly": what ends a sentence so is what the thing is. */
static bool ends_in_names(const struct pair *pair, struct run begin, struct run one,
			  struct run other, struct run rest)
{
	return rest.count == 0 && begin.count >= 2 &&
	       is_any(begin.words[begin.count - 1].text, to_be) &&
	       is_name(pair->a_text, one.words[0].text) &&
	       is_name(pair->b_text, other.words[0].text);
}

/* The same sentence but for one place, which has room for one answer. */
static enum conflict find_other_answer(const struct pair *pair, struct str *reason)
{
	const struct sentence *a = &pair->a;
	const struct sentence *b = &pair->b;
	size_t shorter = a->count < b->count ? a->count : b->count;
	STR_AUTO a_shown = STR_INIT;
	STR_AUTO b_shown = STR_INIT;
	size_t begin = 0;
	size_t end = 0;

	while (begin < shorter && slice_equal(a->words[begin].text, b->words[begin].text))
		begin++;
	while (end < shorter - begin &&
	       slice_equal(a->words[a->count - 1 - end].text, b->words[b->count - 1 - end].text))
		end++;

	const struct run before = {a->words, begin};
	const struct run rest = {a->words + a->count - end, end};
	const struct run one = {a->words + begin, a->count - begin - end};
	const struct run other = {b->words + begin, b->count - begin - end};

	if (!is_answer(one) || !is_answer(other))
		return CONFLICT_NONE;
	if (has_content(before) ? !has_one_answer(before, rest) &&
					  !ends_in_names(pair, before, one, other, rest)
				: !names_one(rest))
		return CONFLICT_NONE;
	say_words(reason, show_run(one, &a_shown), show_run(other, &b_shown));
	return CONFLICT_OTHER;
}

/* The nearest word of content from here, in this direction; count of words when there is none. */
static size_t nearest_content(const struct sentence *sentence, size_t at, bool forwards)
{
	do {
		at = forwards ? at + 1 : at - 1;
	} while (at < sentence->count && !sentence_is_content(&sentence->words[at]));
	return at < sentence->count ? at : sentence->count;
}

/* Do the words on the two sides of these places change places? */
static bool is_turned(const struct sentence *a, size_t i, const struct sentence *b, size_t j)
{
	size_t a_left = nearest_content(a, i, false);
	size_t a_right = nearest_content(a, i, true);
	size_t b_left = nearest_content(b, j, false);
	size_t b_right = nearest_content(b, j, true);

	return a_left < a->count && a_right < a->count && b_left < b->count && b_right < b->count &&
	       slice_equal(a->words[a_left].text, b->words[b_right].text) &&
	       slice_equal(a->words[a_right].text, b->words[b_left].text);
}

/* "tea over coffee" and "coffee over tea" have the same words. */
static enum conflict find_turned(const struct pair *pair, struct str *reason)
{
	static const char *const pivots[] = {"over", "before", "after", "than", "above", NULL};

	for (size_t i = 0; i < pair->a.count; i++) {
		for (size_t j = 0; j < pair->b.count; j++) {
			const struct slice pivot = pair->a.words[i].text;

			if (!is_any(pivot, pivots) || !slice_equal(pivot, pair->b.words[j].text) ||
			    !is_turned(&pair->a, i, &pair->b, j))
				continue;
			if (reason) {
				str_adds(reason, "the other way round: \"");
				str_add(reason, pivot);
				str_addc(reason, '"');
			}
			return CONFLICT_OTHER;
		}
	}
	return CONFLICT_NONE;
}

/* The same words, and yet not the same: -5 and 5, < and >, a tick and a cross. */
static enum conflict find_marks(const struct pair *pair, struct str *reason)
{
	if (!slice_equal(pair->a.normal, pair->b.normal) || marks_agree(pair->a_text, pair->b_text))
		return CONFLICT_NONE;
	if (reason)
		str_adds(reason, "the same words with other signs");
	return CONFLICT_NUMBERS;
}

enum conflict conflict_find(struct slice a, struct slice b, struct str *reason)
{
	struct arena arena = ARENA_INIT;
	struct pair pair = {.a_text = a, .b_text = b};
	enum conflict found = CONFLICT_NONE;

	if (a.len > BYTES_MAX || b.len > BYTES_MAX)
		return CONFLICT_NONE;
	sentence_make(&arena, a, &pair.a);
	sentence_make(&arena, b, &pair.b);
	if (pair.a.count <= WORDS_MAX && pair.b.count <= WORDS_MAX) {
		sentence_share(&pair.a, &pair.b);
		find_opposites(&pair);
		found = find_listed(&pair, reason);
		if (found == CONFLICT_NONE && !pair.opposites && !pair.things)
			found = find_other_answer(&pair, reason);
		if (found == CONFLICT_NONE)
			found = find_turned(&pair, reason);
		if (found == CONFLICT_NONE)
			found = find_marks(&pair, reason);
	}
	arena_release(&arena);
	return found;
}
