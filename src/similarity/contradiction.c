#include "similarity/contradiction.h"

#include "base/utf8.h"
#include "text/characters.h"
#include "text/dictionary.h"
#include "text/normalize.h"
#include "text/stem.h"
#include "text/tokens.h"

/* Texts with more words are not compared: the work is the product of them. */
#define WORDS_MAX 200

/* Nor are those of which it can be told without counting. */
#define BYTES_MAX 4096

/* Longest part of a sentence that counts as one answer. */
#define SLOT_MAX 3

static bool conflict_is_apostrophe(uint32_t character)
{
	return character == '\'' || character == 0x2019 || character == 0x02BC;
}

/* "don't" must be one word. */
static void sentence_normalize(struct slice text, struct str *out)
{
	STR_AUTO plain = STR_INIT;
	size_t from = 0; /* what has not been added yet */

	for (size_t at = 0; at < text.len;) {
		size_t start = at;
		unsigned char byte = (unsigned char)text.ptr[at];
		uint32_t character = byte < 0x80 ? byte : utf8_next(text, &at);

		at += byte < 0x80;
		if (!conflict_is_apostrophe(character))
			continue;
		str_add(&plain, slice_make(text.ptr + from, start - from));
		from = at;
	}
	if (from == 0) {
		normalize_identity(text, out);
		return;
	}
	str_add(&plain, slice_make(text.ptr + from, text.len - from));
	normalize_identity(str_slice(&plain), out);
}

static struct slice conflict_encode(struct arena *arena, const uint32_t *chars, size_t len)
{
	STR_AUTO bytes = STR_INIT;
	size_t plain = 0;

	while (plain < len && chars[plain] < 0x80)
		plain++;
	if (plain == len) {
		char *ascii = arena_alloc(arena, len + 1);

		for (size_t i = 0; i < len; i++)
			ascii[i] = (char)chars[i];
		return slice_make(ascii, len);
	}
	for (size_t i = 0; i < len; i++)
		utf8_add(&bytes, chars[i]);
	return arena_copy(arena, str_slice(&bytes));
}

/* The stem of a word, which mostly is how the word begins. */
static struct slice conflict_stem(struct arena *arena, const uint32_t *chars, size_t len,
				  struct slice word)
{
	uint32_t stem[STEM_LEN_MAX];
	size_t stem_len = stem_word(chars, len, stem);

	if (stem_len == len || word.len == len) {
		bool begins = stem_len <= len && memcmp(stem, chars, stem_len * sizeof *stem) == 0;

		if (begins)
			return slice_make(word.ptr, stem_len == len ? word.len : stem_len);
	}
	return conflict_encode(arena, stem, stem_len);
}

static void conflict_describe(struct sentence_word *word)
{
	word->listed = dictionary_look_up(word->text);
	for (size_t i = 0; i < word->listed.count; i++) {
		word->filler = word->filler || word->listed.rows[i].list == DICTIONARY_FILLERS;
		word->negation = word->negation ||
				 word->listed.rows[i].list == DICTIONARY_NEGATIONS;
	}
}

static void conflict_make_word(struct arena *arena, const uint32_t *chars, size_t len,
			       struct sentence_word *out)
{
	*out = (struct sentence_word){.text = conflict_encode(arena, chars, len)};
	out->stem = len <= STEM_LEN_MAX ? conflict_stem(arena, chars, len, out->text) : out->text;
	out->number = text_has_digit(chars, len);
	conflict_describe(out);
}

/* Makes one word of this one and the next where they are listed as one. */
static bool conflict_join_next(struct arena *arena, struct sentence_word *word,
			       const struct sentence_word *next)
{
	char both[DICTIONARY_WORD_MAX];
	size_t len = word->text.len + 1 + next->text.len;
	size_t rows;

	if (len > sizeof both)
		return false;
	memcpy(both, word->text.ptr, word->text.len);
	both[word->text.len] = '_';
	memcpy(both + word->text.len + 1, next->text.ptr, next->text.len);
	dictionary_find(slice_make(both, len), &rows);
	if (!rows)
		return false;
	*word = (struct sentence_word){.text = arena_copy(arena, slice_make(both, len))};
	word->stem = word->text;
	conflict_describe(word);
	return true;
}

void sentence_make(struct arena *arena, struct slice text, struct sentence *out)
{
	STR_AUTO normal = STR_INIT;
	struct text decoded;
	size_t count = 0;

	sentence_normalize(text, &normal);
	text_make(arena, str_slice(&normal), &decoded);
	out->normal = decoded.bytes;
	out->words = arena_alloc(arena, decoded.word_count * sizeof *out->words);
	for (uint32_t i = 0; i < decoded.word_count; i++) {
		struct sentence_word word;

		conflict_make_word(arena, decoded.chars + decoded.words[i].start,
				   decoded.words[i].len, &word);
		if (!count || !conflict_join_next(arena, &out->words[count - 1], &word))
			out->words[count++] = word;
	}
	out->count = count;
}

static void conflict_share_by(struct sentence *a, struct sentence *b, bool by_stem)
{
	for (size_t i = 0; i < a->count; i++) {
		for (size_t j = 0; j < b->count && !a->words[i].shared; j++) {
			const struct slice one = by_stem ? a->words[i].stem : a->words[i].text;
			const struct slice other = by_stem ? b->words[j].stem : b->words[j].text;

			if (b->words[j].shared || !slice_equal(one, other))
				continue;
			a->words[i].shared = true;
			b->words[j].shared = true;
		}
	}
}

void sentence_share(struct sentence *a, struct sentence *b)
{
	conflict_share_by(a, b, false);
	conflict_share_by(a, b, true);
}

bool sentence_is_content(const struct sentence_word *word)
{
	return !word->filler && !word->negation;
}

/* Words of letters and digits of this length on are codes, in which capitals count. */
#define CODE_LEN 6

const char *const conflict_names[CONFLICT_COUNT] = {"none", "numbers", "negation", "opposites",
						    "other"};

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

static void conflict_say_words(struct str *reason, struct slice a, struct slice b)
{
	if (!reason)
		return;
	str_adds(reason, "one says \"");
	str_add(reason, a);
	str_adds(reason, "\", the other \"");
	str_add(reason, b);
	str_addc(reason, '"');
}

static size_t conflict_first_content(const struct sentence *sentence)
{
	size_t at = 0;

	while (at < sentence->count && !sentence_is_content(&sentence->words[at]))
		at++;
	return at;
}

static void conflict_oppose(struct pair *pair, size_t i, size_t j)
{
	struct sentence_word *one = &pair->a.words[i];
	struct sentence_word *other = &pair->b.words[j];
	bool subject = i == conflict_first_content(&pair->a) &&
		       j == conflict_first_content(&pair->b);
	bool things;

	if (!dictionary_opposed(&one->listed, &other->listed, &things) || (things && subject))
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

static void conflict_find_opposites(struct pair *pair)
{
	for (size_t i = 0; i < pair->a.count; i++) {
		for (size_t j = 0; j < pair->b.count && !pair->a.words[i].opposed; j++) {
			if (!pair->a.words[i].shared && !pair->b.words[j].shared &&
			    !pair->b.words[j].opposed)
				conflict_oppose(pair, i, j);
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

static struct count conflict_count_words(const struct sentence *sentence)
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
static bool conflict_same_matter(struct count a, struct count b)
{
	size_t left = a.left + b.left;

	if (!a.shared || a.before || b.before)
		return false;
	if (a.left && b.left)
		return a.left == 1 && b.left == 1 && a.shared >= 2 && a.numbers && b.numbers;
	return left <= a.shared;
}

static void conflict_add_numbers(const struct sentence *sentence, struct str *out)
{
	for (size_t i = 0; i < sentence->count; i++) {
		if (!sentence->words[i].number || sentence->words[i].shared)
			continue;
		if (out->len)
			str_addc(out, ' ');
		str_add(out, sentence->words[i].text);
	}
}

static enum conflict conflict_say_numbers(const struct pair *pair, struct str *reason)
{
	STR_AUTO a = STR_INIT;
	STR_AUTO b = STR_INIT;

	conflict_add_numbers(&pair->a, &a);
	conflict_add_numbers(&pair->b, &b);
	conflict_say_words(reason, str_slice(&a), str_slice(&b));
	return CONFLICT_NUMBERS;
}

static enum conflict conflict_say_negation(const struct pair *pair, struct str *reason)
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
static enum conflict conflict_find_listed(const struct pair *pair, struct str *reason)
{
	struct count a = conflict_count_words(&pair->a);
	struct count b = conflict_count_words(&pair->b);
	bool denied = (a.negations > 0) != (b.negations > 0);
	size_t turns = pair->opposites + denied;

	if (!conflict_same_matter(a, b) || (turns && turns % 2 == 0))
		return CONFLICT_NONE;
	if (pair->opposites || (!turns && pair->things)) {
		conflict_say_words(reason, pair->a_word, pair->b_word);
		return CONFLICT_OPPOSITES;
	}
	if (denied)
		return conflict_say_negation(pair, reason);
	return a.numbers && b.numbers ? conflict_say_numbers(pair, reason) : CONFLICT_NONE;
}

/* A run of words of a sentence. */
struct run {
	const struct sentence_word *words;
	size_t count;
};

static bool conflict_run_has(struct run run, enum word_list list)
{
	for (size_t i = 0; i < run.count; i++) {
		if (dictionary_has(run.words[i].text, list))
			return true;
	}
	return false;
}

static bool conflict_is_any(struct slice word, const char *const *list)
{
	while (*list && !slice_is(word, *list))
		list++;
	return *list != NULL;
}

static bool conflict_has_content(struct run run)
{
	for (size_t i = 0; i < run.count; i++) {
		if (sentence_is_content(&run.words[i]))
			return true;
	}
	return false;
}

static bool conflict_run_has_any(struct run run, const char *const *list)
{
	for (size_t i = 0; i < run.count; i++) {
		if (conflict_is_any(run.words[i].text, list))
			return true;
	}
	return false;
}

static const char *const to_be[] = {"is", "are", "was", "were", "be", NULL};

/* "... is the lead", "... owns billing": who it is, is said. */
static bool conflict_names_one(struct run rest)
{
	static const char *const definite[] = {"the", "our", "my", "their", NULL};

	if (conflict_run_has(rest, DICTIONARY_ROLES))
		return true;
	return rest.count >= 2 && conflict_is_any(rest.words[0].text, to_be) &&
	       conflict_is_any(rest.words[1].text, definite);
}

/* Is the last word one that leads to a place, or to what something is made in? */
static bool conflict_leads_to(struct run begin, const char *const *prepositions)
{
	return begin.count >= 2 && conflict_is_any(begin.words[begin.count - 1].text, prepositions);
}

/* "office is in ...", "the default shell is ...", "use ... for ...": there is one answer. */
static bool conflict_has_one_answer(struct run begin, struct run rest)
{
	static const char *const places[] = {"in", "at", "by", "from", NULL};
	static const char *const works[] = {"in", "at", "for", "to", NULL};
	static const char *const prefers[] = {"prefers", "prefer", NULL};
	static const char *const in[] = {"in", NULL};
	static const char *const purposes[] = {"for", "as", NULL};
	bool is = conflict_run_has_any(begin, to_be);

	if (conflict_run_has(begin, DICTIONARY_ROLES))
		return is;
	if (conflict_run_has(begin, DICTIONARY_SINGLE) && (is || rest.count == 0))
		return true;
	if (conflict_run_has(begin, DICTIONARY_CHOICES) &&
	    (conflict_run_has_any(rest, purposes) || conflict_leads_to(begin, in)))
		return true;
	if (conflict_has_content(rest) &&
	    conflict_is_any(begin.words[begin.count - 1].text, prefers))
		return true;
	return (is && conflict_leads_to(begin, places)) ||
	       (conflict_run_has(begin, DICTIONARY_PLACES) && conflict_leads_to(begin, works));
}

/* Can this be the answer of one of them: something of its own, and no more than a few words? */
static bool conflict_is_answer(struct run run)
{
	for (size_t i = 0; i < run.count; i++) {
		if (run.words[i].shared && sentence_is_content(&run.words[i]))
			return false;
	}
	return run.count <= SLOT_MAX && conflict_has_content(run);
}

static struct slice conflict_show_run(struct run run, struct str *out)
{
	for (size_t i = 0; i < run.count; i++) {
		if (i)
			str_addc(out, ' ');
		str_add(out, run.words[i].text);
	}
	return str_slice(out);
}

/* Is the word written with a capital in the text, and not only because the text begins with it? */
static bool conflict_is_name(struct slice text, struct slice word)
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
static bool conflict_ends_in_names(const struct pair *pair, struct run begin, struct run one,
				   struct run other, struct run rest)
{
	return rest.count == 0 && begin.count >= 2 &&
	       conflict_is_any(begin.words[begin.count - 1].text, to_be) &&
	       conflict_is_name(pair->a_text, one.words[0].text) &&
	       conflict_is_name(pair->b_text, other.words[0].text);
}

/* The same sentence but for one place, which has room for one answer. */
static enum conflict conflict_find_other_answer(const struct pair *pair, struct str *reason)
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

	if (!conflict_is_answer(one) || !conflict_is_answer(other))
		return CONFLICT_NONE;
	if (conflict_has_content(before)
		    ? !conflict_has_one_answer(before, rest) &&
			      !conflict_ends_in_names(pair, before, one, other, rest)
		    : !conflict_names_one(rest))
		return CONFLICT_NONE;
	conflict_say_words(reason, conflict_show_run(one, &a_shown),
			   conflict_show_run(other, &b_shown));
	return CONFLICT_OTHER;
}

/* The nearest word of content from here, in this direction; count of words when there is none. */
static size_t conflict_nearest_content(const struct sentence *sentence, size_t at, bool forwards)
{
	do {
		at = forwards ? at + 1 : at - 1;
	} while (at < sentence->count && !sentence_is_content(&sentence->words[at]));
	return at < sentence->count ? at : sentence->count;
}

/* Do the words on the two sides of these places change places? */
static bool conflict_is_turned(const struct sentence *a, size_t i, const struct sentence *b,
			       size_t j)
{
	size_t a_left = conflict_nearest_content(a, i, false);
	size_t a_right = conflict_nearest_content(a, i, true);
	size_t b_left = conflict_nearest_content(b, j, false);
	size_t b_right = conflict_nearest_content(b, j, true);

	return a_left < a->count && a_right < a->count && b_left < b->count && b_right < b->count &&
	       slice_equal(a->words[a_left].text, b->words[b_right].text) &&
	       slice_equal(a->words[a_right].text, b->words[b_left].text);
}

/* "tea over coffee" and "coffee over tea" have the same words. */
static enum conflict conflict_find_turned(const struct pair *pair, struct str *reason)
{
	static const char *const pivots[] = {"over", "before", "after", "than", "above", NULL};

	for (size_t i = 0; i < pair->a.count; i++) {
		for (size_t j = 0; j < pair->b.count; j++) {
			const struct slice pivot = pair->a.words[i].text;

			if (!conflict_is_any(pivot, pivots) ||
			    !slice_equal(pivot, pair->b.words[j].text) ||
			    !conflict_is_turned(&pair->a, i, &pair->b, j))
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
static enum conflict conflict_find_marks(const struct pair *pair, struct str *reason)
{
	if (!slice_equal(pair->a.normal, pair->b.normal) || marks_agree(pair->a_text, pair->b_text))
		return CONFLICT_NONE;
	if (reason)
		str_adds(reason, "the same words with other signs");
	return CONFLICT_NUMBERS;
}

enum conflict conflict_find(struct slice a, struct slice b, struct str *reason)
{
	ARENA_AUTO arena = ARENA_INIT;
	struct pair pair = {.a_text = a, .b_text = b};
	enum conflict found = CONFLICT_NONE;

	if (a.len > BYTES_MAX || b.len > BYTES_MAX)
		return CONFLICT_NONE;
	sentence_make(&arena, a, &pair.a);
	sentence_make(&arena, b, &pair.b);
	if (pair.a.count <= WORDS_MAX && pair.b.count <= WORDS_MAX) {
		sentence_share(&pair.a, &pair.b);
		conflict_find_opposites(&pair);
		found = conflict_find_listed(&pair, reason);
		if (found == CONFLICT_NONE && !pair.opposites && !pair.things)
			found = conflict_find_other_answer(&pair, reason);
		if (found == CONFLICT_NONE)
			found = conflict_find_turned(&pair, reason);
		if (found == CONFLICT_NONE)
			found = conflict_find_marks(&pair, reason);
	}
	return found;
}

/* Where the words of part begin in whole; whole->count when they are not there in a row. */
static size_t conflict_find_words(const struct sentence *whole, const struct sentence *part)
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
static bool conflict_is_opposed(const struct sentence *sentence, const struct sentence_word *word)
{
	bool things;

	for (size_t i = 0; i < sentence->count; i++) {
		if (dictionary_opposed(&sentence->words[i].listed, &word->listed, &things))
			return true;
	}
	return false;
}

/* Does this word, which only the longer text has, leave what both say as it is? */
static bool conflict_is_harmless(const struct sentence *part, const struct sentence_word *word)
{
	return !word->number && !word->negation &&
	       !dictionary_has(word->text, DICTIONARY_QUALIFIERS) &&
	       !conflict_is_opposed(part, word);
}

/* Whoever adds more words than this adds something to look at. */
#define MORE_WORDS_MAX 50

/* Is what the longer text has more nothing that has to be looked at? */
static bool conflict_adds_nothing(const struct sentence *whole, const struct sentence *part)
{
	if (whole->count > part->count + MORE_WORDS_MAX)
		return false;
	size_t at = conflict_find_words(whole, part);
	if (at == whole->count)
		return false;
	for (size_t i = 0; i < whole->count; i++) {
		bool inside = i >= at && i < at + part->count;

		if (!inside && !conflict_is_harmless(part, &whole->words[i]))
			return false;
	}
	return true;
}

/* The texts, each followed by its normal form. */
static bool conflict_contains(struct slice whole, struct slice long_form, struct slice part,
			      struct slice brief)
{
	ARENA_AUTO arena = ARENA_INIT;
	struct sentence one;
	struct sentence other;
	bool whole_words;

	if (brief.len > long_form.len || 10 * utf8_count(brief) < 8 * utf8_count(long_form) ||
	    !text_contains(long_form, brief, &whole_words) || !whole_words)
		return false;
	sentence_make(&arena, whole, &one);
	sentence_make(&arena, part, &other);
	return conflict_adds_nothing(&one, &other);
}

bool conflict_may_merge(struct slice a, struct slice b)
{
	STR_AUTO one = STR_INIT;
	STR_AUTO other = STR_INIT;

	sentence_normalize(a, &one);
	sentence_normalize(b, &other);
	struct slice a_form = str_slice(&one);
	struct slice b_form = str_slice(&other);
	if (!a_form.len || !b_form.len)
		return slice_equal(a, b);
	return (slice_equal(a_form, b_form) || conflict_contains(a, a_form, b, b_form) ||
		conflict_contains(b, b_form, a, a_form)) &&
	       marks_agree(a, b);
}

static bool conflict_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool conflict_is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool conflict_is_alnum(char c)
{
	return conflict_is_digit(c) || conflict_is_letter(c);
}

static bool conflict_digit_at(struct slice text, size_t at)
{
	return at < text.len && conflict_is_digit(text.ptr[at]);
}

static bool conflict_alnum_at(struct slice text, size_t at)
{
	return at < text.len && conflict_is_alnum(text.ptr[at]);
}

/* Adds a word of ASCII letters and digits where it has digits; returns the byte behind it. */
static size_t conflict_add_number(struct slice text, size_t at, struct str *out)
{
	size_t end = at;
	bool digits = false;
	bool letters = false;

	for (; conflict_alnum_at(text, end); end++) {
		digits = digits || conflict_is_digit(text.ptr[end]);
		letters = letters || conflict_is_letter(text.ptr[end]);
	}
	for (size_t i = at; digits && i < end; i++) {
		char c = text.ptr[i];
		bool upper = c >= 'A' && c <= 'Z' && !(letters && end - at >= CODE_LEN);

		str_addc(out, (char)(upper ? c - 'A' + 'a' : c));
	}
	if (digits)
		str_addc(out, ' ');
	return end;
}

/* A character that changes what is meant and that no normal form keeps. */
static bool conflict_is_sign(struct slice text, size_t at, uint32_t character)
{
	bool first = at == 0 || !conflict_is_alnum(text.ptr[at - 1]);

	if (character == '%')
		return true;
	if (character == '!')
		return (first && conflict_alnum_at(text, at + 1)) ||
		       (at + 1 < text.len && text.ptr[at + 1] == '=');
	if (character == '-' && first)
		return conflict_digit_at(text, at + 1);
	if (character < 0x80 && strchr(".,:/-", (int)character))
		return at > 0 && conflict_is_digit(text.ptr[at - 1]) &&
		       conflict_digit_at(text, at + 1);
	return character_kind(character) == CHARACTER_SIGN;
}

/* Numbers as they are written, codes with their capitals, and signs. */
static void conflict_add_marks(struct slice text, struct str *out)
{
	for (size_t at = 0; at < text.len;) {
		size_t start = at;

		if (conflict_is_alnum(text.ptr[at])) {
			at = conflict_add_number(text, at, out);
			continue;
		}
		uint32_t character = utf8_next(text, &at);
		if (conflict_is_sign(text, start, character))
			utf8_add(out, character);
	}
}

/* The emoji and the like of a text; *verdict says whether one of them is a yes or a no. */
static void conflict_add_emoji(struct slice text, struct str *out, bool *verdict)
{
	static const uint32_t verdicts[] = {0x2705,  0x2714,  0x2611,  0x274C, 0x2716,  0x274E,
					    0x1F44D, 0x1F44E, 0x1F6AB, 0x26D4, 0x1F7E2, 0x1F534,
					    0x1F197, 0x1F6D1, 0x2713,  0x2717, 0x1F515, 0x1F514};

	for (size_t at = 0; at < text.len;) {
		uint32_t character = utf8_next(text, &at);

		if (character_kind(character) != CHARACTER_PICTURE)
			continue;
		utf8_add(out, character);
		for (size_t i = 0; i < sizeof verdicts / sizeof verdicts[0]; i++)
			*verdict = *verdict || verdicts[i] == character;
	}
}

/* Emoji that only adorn may be in one of the texts. */
static bool conflict_emoji_agree(struct slice a, struct slice b)
{
	STR_AUTO one = STR_INIT;
	STR_AUTO other = STR_INIT;
	bool verdict = false;

	conflict_add_emoji(a, &one, &verdict);
	conflict_add_emoji(b, &other, &verdict);
	return slice_equal(str_slice(&one), str_slice(&other)) ||
	       ((!one.len || !other.len) && !verdict);
}

bool marks_agree(struct slice a, struct slice b)
{
	STR_AUTO one = STR_INIT;
	STR_AUTO other = STR_INIT;

	conflict_add_marks(a, &one);
	conflict_add_marks(b, &other);
	return slice_equal(str_slice(&one), str_slice(&other)) && conflict_emoji_agree(a, b);
}
