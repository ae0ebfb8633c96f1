#include "similarity/phrase.h"

#include "similarity/contradiction.h"

#include <strings.h>

/* Words behind "since" that say when, and not what. */
#define SINCE_WORDS 5

bool phrase_in(const struct word *word, enum word_list list)
{
	return (word->lists >> list & 1) != 0;
}

static bool phrase_is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool phrase_is_inside(char c)
{
	return (c >= 'a' && c <= 'z') || phrase_is_upper(c) || (c >= '0' && c <= '9') ||
	       (c & 0x80) != 0;
}

/* Has the word a capital that no beginning of a sentence explains, or is it "#room" or "@who"? */
static bool phrase_is_name(struct slice text, struct slice word)
{
	for (size_t at = 0; word.len && at + word.len <= text.len; at++) {
		bool capital = at > 0 && (phrase_is_upper(text.ptr[at]) ||
					  text.ptr[at - 1] == '#' || text.ptr[at - 1] == '@');

		if (at > 0 && phrase_is_inside(text.ptr[at - 1]))
			continue;
		if (at + word.len < text.len && phrase_is_inside(text.ptr[at + word.len]))
			continue;
		for (size_t i = 1; i < word.len; i++)
			capital = capital || phrase_is_upper(text.ptr[at + i]);
		if (capital && strncasecmp(text.ptr + at, word.ptr, word.len) == 0)
			return true;
	}
	return false;
}

static void phrase_look_up(struct word *word)
{
	static const char *const digits[] = {"0",  "1",  "2",  "3",  "4",  "5",  "6",  "7",
					     "8",  "9",  "10", "11", "12", "13", "14", "15",
					     "16", "17", "18", "19", "20", "30", "40", "50",
					     "60", "70", "80", "90", "100"};
	const struct dictionary_row *rows = word->listed.rows;

	for (size_t i = 0; i < word->listed.count; i++) {
		word->lists |= (uint64_t)1 << rows[i].list;
		if (rows[i].list == DICTIONARY_PREPOSITIONS)
			word->lead = rows[i].line == 1 ? 1 + rows[i].side : 0;
		if (rows[i].list == DICTIONARY_NUMERALS &&
		    rows[i].side < sizeof digits / sizeof *digits) {
			word->text = slice_of(digits[rows[i].side]);
			word->stem = word->text;
			word->kind = KIND_NUMBER;
		}
	}
	word->filler = word->filler || phrase_in(word, DICTIONARY_PREPOSITIONS);
}

static void phrase_classify(struct word *word, const struct sentence_word *from, struct slice text)
{
	*word = (struct word){.text = from->text,
			      .stem = from->stem,
			      .listed = from->listed,
			      .filler = from->filler};
	phrase_look_up(word);
	/* "any more" only repeats a negation. */
	word->negation = from->negation && !slice_is(word->text, "any_more") &&
			 !slice_is(word->text, "anymore");
	word->filler = word->filler && !from->negation;
	if (from->number)
		word->kind = KIND_NUMBER;
	if (word->kind == KIND_NUMBER)
		return;
	if (phrase_is_name(text, word->text))
		word->kind = KIND_NAME;
	if (phrase_in(word, DICTIONARY_DAYS))
		word->kind = KIND_DAY;
	if (phrase_in(word, DICTIONARY_MONTHS) ||
	    (word->kind == KIND_NAME && slice_is(word->text, "may")))
		word->kind = KIND_MONTH;
	word->filler = word->filler && word->kind != KIND_MONTH;
}

bool phrase_is_article(const struct word *word)
{
	static const char *const articles[] = {"the", "a", "an", "der", "die", "das", NULL};

	return slice_index(word->text, articles) >= 0;
}

bool phrase_is_light(const struct word *word)
{
	return phrase_in(word, DICTIONARY_VERBS) && word->kind != KIND_NUMBER;
}

bool phrase_is_change(const struct word *word)
{
	return phrase_in(word, DICTIONARY_CHANGES) || phrase_in(word, DICTIONARY_SHIFTS);
}

bool phrase_is_recent(const struct word *word)
{
	return phrase_in(word, DICTIONARY_RECENCY);
}

static bool phrase_parts(const struct word *word)
{
	return word->kind != KIND_MONTH &&
	       (phrase_in(word, DICTIONARY_AUXILIARIES) || phrase_is_light(word) ||
		phrase_in(word, DICTIONARY_PREPOSITIONS));
}

/* "since the move": when it came about is no answer. */
static void phrase_drop_since(struct words *phrase, size_t since)
{
	for (size_t i = since + 1; i < phrase->count && i <= since + SINCE_WORDS; i++) {
		struct word *word = &phrase->words[i];

		if (phrase_parts(word))
			return;
		word->dropped = !word->filler;
	}
}

/* "from May on" says since when, "from May" may be the answer. */
static bool phrase_is_from_on(const struct words *phrase, size_t at)
{
	static const char *const froms[] = {"from", "ab", NULL};

	return slice_index(phrase->words[at].text, froms) >= 0 && at + 3 == phrase->count &&
	       slice_is(phrase->words[at + 2].text, "on");
}

/* "because of its teeth": why it is so is no answer. */
static void phrase_drop_reason(struct words *phrase, size_t because)
{
	for (size_t i = because + 1; i < phrase->count; i++)
		phrase->words[i].dropped = !phrase->words[i].filler;
}

static const char *const phrase_companions[] = {"with", "mit", NULL};

/* Where the words end that begin at `at` and lead up to another article; `at`: they do not. */
static size_t phrase_up_to_article(const struct words *phrase, size_t at)
{
	static const char *const articles[] = {"the", "our", "a", "der", "die", "das", "ein", NULL};

	for (size_t end = at + 1; end < phrase->count && end <= at + SINCE_WORDS; end++) {
		if (slice_index(phrase->words[end].text, articles) >= 0)
			return end;
		if (phrase_parts(&phrase->words[end]))
			break;
	}
	return at;
}

/* The words before the first comma; 0: there is none. */
static size_t phrase_up_to_comma(struct arena *arena, struct slice text)
{
	const char *comma = text.len ? memchr(text.ptr, ',', text.len) : NULL;
	struct sentence opening;

	if (!comma)
		return 0;
	sentence_make(arena, slice_make(text.ptr, (size_t)(comma - text.ptr)), &opening);
	return opening.count;
}

/*
 * "Because of the harvest the meeting moved": why it came about is no answer, and no subject.
 * comma: how many words stand before one, as far as there is one.
 */
static void phrase_drop_opening(struct words *phrase, size_t comma)
{
	static const char *const openers[] = {"because", "due",   "since", "seit", "wegen", "dank",
					      "thanks",  "after", "under", "nach", "unter", NULL};
	bool with = phrase->count && slice_index(phrase->words[0].text, phrase_companions) >= 0;
	size_t from = 1;
	bool named; /* "the harvest", "two riders": where the next article stands tells the end */

	if (phrase->count < 3 || (!with && slice_index(phrase->words[0].text, openers) < 0))
		return;
	while (from + 1 < phrase->count &&
	       (phrase->words[from].filler || phrase_is_recent(&phrase->words[from])))
		from++;
	named = !slice_is(phrase->words[from - 1].text, "of") &&
		(from > 1 || phrase->words[from].kind == KIND_NUMBER);
	size_t end = named ? phrase_up_to_article(phrase, from) : from;
	if (comma > from && comma <= from + SINCE_WORDS)
		end = comma;
	if (with && end == from)
		return;
	/* Otherwise its end is unknown: "Since autumn bottles are ..." */
	for (end += end == from; from < end; from++)
		phrase->words[from].dropped = true;
}

/* "Dr.", "Prof.": a brief word with a capital before the dot. */
static bool phrase_is_abbreviation(struct slice text, size_t dot)
{
	size_t from = dot;

	while (from > 0 && phrase_is_inside(text.ptr[from - 1]))
		from--;
	return text.ptr[dot] == '.' && dot > from && dot - from <= 4 &&
	       phrase_is_upper(text.ptr[from]) && dot + 1 < text.len;
}

size_t phrase_clause_end(struct slice text, size_t from)
{
	static const char ends[] = ",;:.!?";
	size_t at = from;

	while (at < text.len &&
	       (!memchr(ends, text.ptr[at], sizeof ends - 1) ||
		(at + 1 < text.len && text.ptr[at + 1] != ' ') || phrase_is_abbreviation(text, at)))
		at++;
	return at;
}

void phrase_read(struct arena *arena, struct slice text, struct words *out)
{
	struct sentence sentence;

	sentence_make(arena, text, &sentence);
	out->count = sentence.count < PHRASE_WORDS ? sentence.count : PHRASE_WORDS;
	for (size_t i = 0; i < out->count; i++)
		phrase_classify(&out->words[i], &sentence.words[i], text);
	for (size_t i = 0; i < out->count; i++) {
		struct word *word = &out->words[i];

		/* "tickets live in", but "live operations" */
		if (slice_is(word->text, "live") && i + 1 < out->count &&
		    phrase_in(word + 1, DICTIONARY_PREPOSITIONS))
			word->lists |= (uint64_t)1 << DICTIONARY_VERBS;
		/* "one signature", but "the large one is blue" */
		if (slice_is(word->text, "1") && phrase_in(word, DICTIONARY_NUMERALS) &&
		    (i + 1 == out->count || word[1].filler || phrase_is_light(word + 1)))
			word->kind = KIND_WORD;
		if (i > 0 && (slice_is(word->text, "since") || slice_is(word->text, "seit") ||
			      phrase_is_from_on(out, i)))
			phrase_drop_since(out, i);
		else if (i > 0 && (slice_is(word->text, "because") ||
				   slice_is(word->text, "weil") || slice_is(word->text, "wegen")))
			phrase_drop_reason(out, i);
	}
	phrase_drop_opening(out, phrase_up_to_comma(arena, text));
}

bool phrase_says(const struct word *word)
{
	if (word->filler || word->negation || phrase_is_light(word) || phrase_is_recent(word))
		return false;
	return word->shared ||
	       (!word->dropped && !phrase_is_change(word) && !phrase_in(word, DICTIONARY_ROLES));
}

bool phrase_is_subject(const struct word *word)
{
	static const enum word_list lists[] = {
		DICTIONARY_ASKING, DICTIONARY_AUXILIARIES, DICTIONARY_FILLERS, DICTIONARY_FUNCTION,
		DICTIONARY_LIGHT,  DICTIONARY_NUMERALS,    DICTIONARY_RECENCY, DICTIONARY_STOP,
		DICTIONARY_CAUSES, DICTIONARY_PREPOSITIONS};

	if (word->filler || word->negation || word->text.len < 2 ||
	    (KIND_BIT(word->kind) & KIND_TELLING) != 0)
		return false;
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		if (phrase_in(word, lists[i]))
			return false;
	}
	return true;
}

/* ---- what two have in common */

/* Are they of one side of a pair of opposites: "brief", "short"? */
static bool phrase_is_synonym(const struct word *a, const struct word *b)
{
	if (a->kind != KIND_WORD || b->kind != KIND_WORD || a->filler || b->filler)
		return false;
	for (size_t i = 0; i < a->listed.count; i++) {
		const struct dictionary_row *one = &a->listed.rows[i];

		if (one->list != DICTIONARY_OPPOSITES || one->things)
			continue;
		for (size_t j = 0; j < b->listed.count; j++) {
			const struct dictionary_row *other = &b->listed.rows[j];

			if (other->list == DICTIONARY_OPPOSITES && one->line == other->line &&
			    one->side == other->side)
				return true;
		}
	}
	return false;
}

/* Has one stem only an ending more: "deliver" and "deliveries", "supervise" and "supervisor"? */
static bool phrase_is_family(const struct word *a, const struct word *b)
{
	const struct slice *brief = a->stem.len < b->stem.len ? &a->stem : &b->stem;
	const struct slice *whole = a->stem.len < b->stem.len ? &b->stem : &a->stem;

	return a->kind == KIND_WORD && b->kind == KIND_WORD && brief->len >= FAMILY_STEM &&
	       whole->len <= brief->len + FAMILY_ENDING &&
	       memcmp(brief->ptr, whole->ptr, brief->len) == 0;
}

enum likeness { LIKE_EQUAL, LIKE_STEM, LIKE_FAMILY, LIKE_SYNONYM, LIKE_COUNT };

static bool phrase_alike(const struct word *a, const struct word *b, enum likeness likeness)
{
	if (likeness == LIKE_EQUAL)
		return slice_equal(a->text, b->text);
	if (likeness == LIKE_STEM)
		return slice_equal(a->stem, b->stem);
	if (likeness == LIKE_FAMILY)
		return phrase_is_family(a, b);
	return phrase_is_synonym(a, b);
}

static void phrase_share_word(struct word *word, struct words *with, enum likeness likeness)
{
	for (size_t j = 0; j < with->count && !word->shared; j++) {
		struct word *other = &with->words[j];

		if (other->shared || phrase_is_recent(other) ||
		    !phrase_alike(word, other, likeness))
			continue;
		word->shared = other->shared = true;
		word->mate = other;
		other->mate = word;
	}
}

/* "With water it cooks ..., with milk ...": where both begin so, it is what tells them apart. */
static void phrase_keep_openings(struct words *a, struct words *b)
{
	if (!a->count || !b->count || slice_index(a->words[0].text, phrase_companions) < 0 ||
	    !slice_equal(a->words[0].text, b->words[0].text))
		return;
	for (size_t i = 0; i < PHRASE_WORDS; i++)
		a->words[i].dropped = b->words[i].dropped = false;
}

void phrase_share(struct words *a, struct words *b)
{
	phrase_keep_openings(a, b);
	for (int likeness = 0; likeness < LIKE_COUNT; likeness++)
		for (size_t i = 0; i < a->count; i++)
			if (!a->words[i].shared && !phrase_is_recent(&a->words[i]))
				phrase_share_word(&a->words[i], b, (enum likeness)likeness);
}
