#include "similarity/report.h"

#include "base/arena.h"
#include "similarity/phrase.h"

/* Longer texts are more than one statement. */
#define REPORT_BYTES 600

/* Most words before a colon that name what is told behind it. */
#define LABEL_WORDS 3

/* What a clause says of when it holds. */
enum tense { TENSE_NONE, TENSE_PAST, TENSE_STANDING };

/* "resent", "reran" */
static bool report_is_done_again(struct slice text)
{
	struct slice rest = slice_make(text.ptr + 2, text.len > 2 ? text.len - 2 : 0);
	size_t count;
	const struct dictionary_row *rows = slice_starts(text, "re") ? dictionary_find(rest, &count)
								     : NULL;

	for (size_t i = 0; rows && i < count; i++)
		if (rows[i].list == DICTIONARY_REPORTS)
			return true;
	return false;
}

/* "repariert", "ausgefallen", "umgebaut": a German participle, which is not that of "werden" */
static bool report_is_german_participle(struct slice text)
{
	static const char *const prefixes[] = {
		"",    "ab",    "an",  "auf", "aus",  "ein", "vor",  "zu",     "um", "weg",
		"los", "durch", "hin", "her", "nach", "mit", "fest", "zurück", NULL};
	bool ends = slice_ends(text, "t") || slice_ends(text, "en");

	if (text.len < 7 || !ends)
		return slice_ends(text, "iert") && text.len > 6;
	for (size_t i = 0; prefixes[i]; i++) {
		size_t at = strlen(prefixes[i]);

		if (slice_starts(text, prefixes[i]) && at + 2 < text.len &&
		    memcmp(text.ptr + at, "ge", 2) == 0)
			return true;
	}
	return slice_ends(text, "iert");
}

/* "reported", and not "is reported" or "two mirrored machines" */
static bool report_is_past(const struct word *word, const struct word *before)
{
	static const char *const passive[] = {"is",  "are", "be",   "must", "may",  "been",
					      "not", "has", "have", "get",  "gets", NULL};

	if (word->kind == KIND_NAME)
		return false; /* "LED" */
	if (phrase_in(word, DICTIONARY_REPORTS) || report_is_done_again(word->text))
		return true;
	if (word->text.len <= 4 || word->text.ptr[word->text.len - 1] != 'd' ||
	    word->text.ptr[word->text.len - 2] != 'e')
		return false;
	return !before || before->kind == KIND_MONTH ||
	       (slice_index(before->text, passive) < 0 && !phrase_in(before, DICTIONARY_NUMERALS));
}

/* "The slides are half done": a task that is through, or nearly, at the end of its clause. */
static bool report_ends_task(const struct words *clause, size_t is)
{
	static const char *const copulas[] = {"is", "are", "ist", "sind", NULL};
	static const char *const ends[] = {"done",     "finished", "complete", "completed",
					   "missing",  "lost",     "stuck",    "fertig",
					   "erledigt", "weg",      NULL};

	return slice_index(clause->words[is].text, copulas) >= 0 && is + 1 < clause->count &&
	       clause->count - is <= 3 &&
	       slice_index(clause->words[clause->count - 1].text, ends) >= 0;
}

/* "because it was slow", "that were scanned": such a clause only says more of another. */
static bool report_is_aside(const struct word *word)
{
	static const char *const openers[] = {"that",  "which", "who",     "whose",  "where",
					      "when",  "while", "after",   "before", "because",
					      "since", "if",    "unless",  "until",  "als",
					      "weil",  "wenn",  "nachdem", "dass",   NULL};

	return slice_index(word->text, openers) >= 0;
}

/* Does this word say that the clause, of which words are read from `begin` on, is over? */
static bool report_word_is_past(const struct words *clause, size_t at, size_t begin, bool is_first)
{
	const struct word *word = &clause->words[at];
	bool ahead = at + 1 < clause->count && phrase_in(word + 1, DICTIONARY_CHANGES);
	/* What was changed holds from now on; "Rewrote the cue list" only was work. */
	bool changes = phrase_in(word, DICTIONARY_CHANGES) &&
		       !(is_first && at == 0 && slice_is(word->text, "rewrote"));

	if (changes || ahead)
		return false;
	return report_is_past(word, at > begin ? word - 1 : NULL) ||
	       (at + 1 == clause->count && report_is_german_participle(word->text));
}

/*
 * Reads words from *at on, up to those that begin another clause. A participle before a preposition
 * that begins one but the first says more of what stands before it: "a table, keyed by quest".
 */
static enum tense report_tense_of(const struct words *clause, size_t *at, bool is_first)
{
	static const char *const joins[] = {"and", "but", "so", "und", "aber", NULL};
	bool aside = report_is_aside(&clause->words[*at]);
	bool appended = !is_first && clause->count > 1 &&
			phrase_in(&clause->words[1], DICTIONARY_PREPOSITIONS);
	bool past = false;
	size_t begin = *at;

	for (; *at < clause->count; (*at)++) {
		const struct word *word = &clause->words[*at];

		if (*at > begin && past && slice_index(word->text, joins) >= 0)
			break;
		/* "The tapes that were lost must be copied": the sentence goes on behind it. */
		if (*at > begin && report_is_aside(word) && (past || word->text.len > 3))
			break;
		if (phrase_in(word, DICTIONARY_STANDING) && word->kind != KIND_MONTH &&
		    !report_ends_task(clause, *at))
			return TENSE_STANDING;
		past = past || report_ends_task(clause, *at) ||
		       (!(appended && *at == 0) &&
			report_word_is_past(clause, *at, begin, is_first));
	}
	return past && !aside ? TENSE_PAST : TENSE_NONE;
}

/* The first tense that decides; none where no word of the clause does. */
static enum tense report_clause_tense(struct words *clause, bool first)
{
	enum tense tense = TENSE_NONE;
	size_t at = 0;

	while (tense == TENSE_NONE && at < clause->count)
		tense = report_tense_of(clause, &at, first);
	return tense;
}

/*
 * "The gas boiler was taken out; a heat pump warms the flat": behind a clause that says that
 * something is over, one that begins like a sentence and is not of the past may say what is so
 * instead.
 */
static bool report_goes_on(struct arena *arena, const struct words *over, struct slice rest)
{
	static const char *const subjects[] = {"we", "it", "they", "wir", "sie", "es", NULL};
	struct words clause;
	bool ended = false;

	for (size_t i = 0; i < over->count; i++)
		ended = ended || phrase_in(&over->words[i], DICTIONARY_ENDINGS);
	while (rest.len && *rest.ptr == ' ')
		rest = slice_make(rest.ptr + 1, rest.len - 1);
	rest.len = phrase_clause_end(rest, 0);
	phrase_read(arena, rest, &clause);
	return ended && clause.count > 2 &&
	       (phrase_is_article(&clause.words[0]) ||
		slice_index(clause.words[0].text, subjects) >= 0) &&
	       report_clause_tense(&clause, false) != TENSE_PAST;
}

static bool report_names_incident(const struct words *clause)
{
	for (size_t i = 0; i < clause->count; i++)
		if (phrase_in(&clause->words[i], DICTIONARY_INCIDENTS))
			return true;
	return false;
}

enum report report_read(struct slice text)
{
	ARENA_AUTO arena = ARENA_INIT;
	struct words clause;
	bool incident = false;
	bool label = false; /* "Goal: no crash" */
	size_t words = 0;

	if (text.len > REPORT_BYTES)
		return REPORT_UNKNOWN;
	for (size_t from = 0; from < text.len;) {
		size_t end = phrase_clause_end(text, from);

		phrase_read(&arena, slice_make(text.ptr + from, end - from), &clause);
		label = label || (words == 0 && clause.count <= LABEL_WORDS && end < text.len &&
				  text.ptr[end] == ':');
		incident = incident || report_names_incident(&clause);
		enum tense tense = report_clause_tense(&clause, from == 0);
		if (tense == TENSE_STANDING)
			return REPORT_HOLDS;
		if (tense == TENSE_PAST && end < text.len &&
		    report_goes_on(&arena, &clause,
				   slice_make(text.ptr + end + 1, text.len - end - 1)))
			return REPORT_UNKNOWN;
		/* A single word is a value. */
		if (tense == TENSE_PAST)
			return clause.count > 1 || words || end < text.len ? REPORT_EVENT
									   : REPORT_UNKNOWN;
		words += clause.count;
		from = end + 1;
	}
	if (label)
		return REPORT_HOLDS;
	return incident && words > 1 ? REPORT_EVENT : REPORT_UNKNOWN;
}

bool report_is_rule(struct slice text)
{
	static const char *const orders[] = {"must",  "mustnt", "never",  "always", "shall",
					     "shant", "muss",   "müssen", "nie",    "niemals",
					     "immer", "darf",   "dürfen", NULL};
	ARENA_AUTO arena = ARENA_INIT;
	struct words phrase;

	if (report_read(text) != REPORT_HOLDS)
		return false;
	phrase_read(&arena, text, &phrase);
	for (size_t i = 0; i < phrase.count; i++)
		if (slice_index(phrase.words[i].text, orders) >= 0)
			return true;
	return false;
}

bool report_is_note(const struct entry *entry)
{
	STR_AUTO scratch = STR_INIT;

	if (entry->category != CATEGORY_STATE)
		return false;
	struct slice text = json_string(entry->doc, entry->value_node, &scratch);
	return text.ptr && report_read(text) == REPORT_EVENT;
}
