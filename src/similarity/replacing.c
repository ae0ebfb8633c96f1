#include "similarity/replacing.h"

/* Most words of one who does something. */
#define DOER_WORDS 3

/* A run of words of a phrase. */
struct part {
	size_t from;
	size_t end;
};

static bool replacing_is(const struct word *word, const char *const *list)
{
	return slice_index(word->text, list) >= 0;
}

static bool replacing_says_alone(const struct word *word)
{
	return phrase_says(word) && !word->shared;
}

/* ---- who does it: "is managed by A", "B manages" */

/* The words behind "by" that only this phrase has; empty: nobody is named. */
static struct part replacing_agent(const struct words *phrase)
{
	static const char *const by[] = {"by", "von", "durch", NULL};
	struct part agent = {0, 0};

	for (size_t i = 1; i < phrase->count && !agent.end; i++) {
		if (!replacing_is(&phrase->words[i], by))
			continue;
		agent.from = i + 1;
		while (agent.from < phrase->count && phrase->words[agent.from].filler)
			agent.from++;
		for (agent.end = agent.from; agent.end < phrase->count; agent.end++)
			if (!replacing_says_alone(&phrase->words[agent.end]))
				break;
	}
	return agent.end - agent.from <= DOER_WORDS ? agent : (struct part){0, 0};
}

/* Does a verb stand here: "managed by A", "wird von A verwaltet"? */
static bool replacing_is_verb(const struct words *phrase, size_t at, struct part agent)
{
	return (at + 1 < agent.from && at + 3 >= agent.from &&
		phrase_in(&phrase->words[at + 1], DICTIONARY_PREPOSITIONS)) ||
	       (at + 1 == phrase->count && at >= agent.end);
}

/* Has the phrase nothing of its own but the agent and its verb, and something of the other's? */
static bool replacing_names_only(const struct words *passive, struct part agent)
{
	size_t shared = 0;

	for (size_t i = 0; i < passive->count; i++) {
		const struct word *word = &passive->words[i];

		if (replacing_is_verb(passive, i, agent) || !phrase_says(word) ||
		    (i >= agent.from && i < agent.end))
			continue;
		if (!word->shared)
			return false;
		shared++;
	}
	return shared >= 1;
}

/* Do both have a verb in common, in one form or another? */
static bool replacing_same_verb(const struct words *passive, struct part agent)
{
	for (size_t i = 0; i < passive->count; i++)
		if (passive->words[i].shared && replacing_is_verb(passive, i, agent))
			return true;
	return false;
}

/* The only words of its own, where they stand as the subject: at the beginning, or behind a verb.
 */
static bool replacing_has_subject(const struct words *active)
{
	struct part doer = {0, 0};
	size_t said = 0;

	for (size_t i = 0; i < active->count; i++) {
		if (!replacing_says_alone(&active->words[i])) {
			said += phrase_says(&active->words[i]) && !doer.end;
			continue;
		}
		if (doer.end && i != doer.end)
			return false;
		if (!doer.end)
			doer.from = i;
		doer.end = i + 1;
	}
	/* "Seit Herbst verwaltet Koha die Ausleihe" */
	return doer.end && doer.end - doer.from <= DOER_WORDS &&
	       (said == 0 || (said == 1 && doer.end < active->count));
}

/* "runs the loans" tells of who does it, "needs the loans" does not. */
static bool replacing_does(const struct words *active)
{
	static const char *const verbs[] = {"runs",    "run",    "does",  "do",    "makes", "make",
					    "handles", "handle", "takes", "keeps", "gives", "holds",
					    "sends",   "writes", "macht", "gibt",  NULL};

	for (size_t i = 0; i < active->count; i++)
		if (replacing_is(&active->words[i], verbs))
			return true;
	return false;
}

static bool replacing_other_doer(const struct words *passive, const struct words *active,
				 bool renewed)
{
	const struct part agent = replacing_agent(passive);

	return agent.end > agent.from && !replacing_agent(active).end &&
	       replacing_names_only(passive, agent) && replacing_has_subject(active) &&
	       (replacing_same_verb(passive, agent) || (renewed && replacing_does(active)));
}

/* ---- how often: "one weekend in three", "every five weeks", "twice a year" */

/* A word that counts or measures time: it is part of how often. */
static bool replacing_measures(const struct word *word)
{
	static const char *const times[] = {"once",     "twice",   "times",   "weekend", "weekends",
					    "night",    "morning", "evening", "einmal",  "zweimal",
					    "first",    "second",  "last",    "other",   "noon",
					    "midnight", NULL};

	return (KIND_BIT(word->kind) & KIND_TELLING) != 0 || phrase_in(word, DICTIONARY_UNITS) ||
	       replacing_is(word, times);
}

static bool replacing_is_adverb(const struct word *word)
{
	static const char *const adverbs[] = {"hourly",    "daily",       "nightly",   "weekly",
					      "monthly",   "quarterly",   "yearly",    "annually",
					      "täglich",   "wöchentlich", "monatlich", "jährlich",
					      "stündlich", NULL};

	/* "every_week" is listed as one word. */
	return replacing_is(word, adverbs) || slice_starts(word->text, "every_");
}

/* Where it is said how often; empty: it is not. An adverb that begins says what is meant. */
static struct part replacing_rhythm(const struct words *phrase)
{
	static const char *const each[] = {"every", "each",  "per",   "jeden",
					   "jede",  "jedes", "jeder", NULL};
	static const char *const in[] = {"in", "a", "im", "pro", NULL};

	for (size_t i = 1; i < phrase->count; i++) {
		struct part part = {i, i + 1};
		const struct word *word = &phrase->words[i];

		if (replacing_is_adverb(word))
			return part;
		while (part.end < phrase->count && replacing_measures(&phrase->words[part.end]))
			part.end++;
		if (replacing_is(word, each) && part.end > i + 1)
			return part;
		/* "one week in four", "twice a year" */
		if (replacing_measures(word) && part.end + 1 < phrase->count &&
		    replacing_is(&phrase->words[part.end], in) &&
		    replacing_measures(&phrase->words[part.end + 1]) &&
		    !phrase_in(&phrase->words[part.end + 1], DICTIONARY_MONTHS)) {
			part.end += 2;
			return part;
		}
	}
	return (struct part){0, 0};
}

static bool replacing_same_words(const struct words *a, struct part one, const struct words *b,
				 struct part other)
{
	if (one.end - one.from != other.end - other.from)
		return false;
	for (size_t i = 0; i < one.end - one.from; i++)
		if (!slice_equal(a->words[one.from + i].stem, b->words[other.from + i].stem))
			return false;
	return true;
}

/* What is done by the minute is not what is done by the week. */
static bool replacing_is_by_clock(const struct words *phrase, struct part rhythm)
{
	static const char *const units[] = {"seconds", "minute",  "minutes",   "hour",
					    "hours",   "hourly",  "sekunden",  "minuten",
					    "stunde",  "stunden", "stündlich", NULL};

	for (size_t i = rhythm.from; i < rhythm.end; i++)
		if (replacing_is(&phrase->words[i], units))
			return true;
	return false;
}

/* Both say how often, and the newer one is about all that the older is about, and little else. */
static bool replacing_other_rhythm(const struct words *older, const struct words *newer)
{
	const struct part before = replacing_rhythm(older);
	const struct part now = replacing_rhythm(newer);
	size_t shared = 0;
	size_t own = 0;

	if (!before.end || !now.end || replacing_same_words(older, before, newer, now) ||
	    replacing_is_by_clock(older, before) != replacing_is_by_clock(newer, now))
		return false;
	for (size_t i = 0; i < older->count; i++) {
		const struct word *word = &older->words[i];

		if ((i >= before.from && i < before.end) || !phrase_says(word) ||
		    replacing_measures(word))
			continue;
		if (!word->shared)
			return false;
		shared++;
	}
	for (size_t i = 0; i < newer->count; i++)
		own += (i < now.from || i >= now.end) && replacing_says_alone(&newer->words[i]) &&
		       !replacing_measures(&newer->words[i]);
	return shared >= 2 && own <= 2;
}

/* ---- what is left of it: "only the magazines remain Avery" */

static const struct word *replacing_last_name(const struct words *phrase)
{
	for (size_t i = phrase->count; i > 0; i--)
		if (phrase->words[i - 1].kind == KIND_NAME && phrase_says(&phrase->words[i - 1]))
			return &phrase->words[i - 1];
	return NULL;
}

/* The answer of the older is said to stand for a part alone, and something else is in its place. */
static bool replacing_leaves_rest(const struct words *older, const struct words *newer)
{
	static const char *const only[] = {"only", "just", "nur", NULL};
	static const char *const remains[] = {"remain", "remains", "stay",    "stays", "keep",
					      "keeps",  "bleibt",  "bleiben", NULL};
	const struct word *answer = replacing_last_name(older);
	bool limited = false;
	bool stays = false;
	bool place = false;

	if (!answer || !answer->shared)
		return false;
	for (size_t i = 0; i < newer->count; i++) {
		const struct word *word = &newer->words[i];

		if (word == answer->mate)
			return place && stays;
		/* "are kept in Proton": the new answer, in the place of the old. */
		if (!limited && i > 0 && replacing_says_alone(word) && answer > older->words &&
		    slice_equal(word[-1].text, answer[-1].text))
			place = true;
		limited = limited || replacing_is(word, only);
		stays = stays || (limited && replacing_is(word, remains));
	}
	return false;
}

/* ---- where instead: "Turin did not want it, going to Locarno instead" */

static bool replacing_refuses(const struct word *word)
{
	static const char *const refusals[] = {"declined",  "rejected",  "refused",  "full",
					       "cancelled", "abgelehnt", "abgesagt", NULL};

	return word->negation || replacing_is(word, refusals);
}

/* Does a preposition lead to the name that this word belongs to? */
static bool replacing_is_led_to(const struct words *phrase, const struct word *word)
{
	while (word > phrase->words && word[-1].kind == KIND_NAME)
		word--;
	return word > phrase->words && phrase_in(word - 1, DICTIONARY_PREPOSITIONS);
}

/* A name that the phrase says alone, behind a preposition of place. */
static bool replacing_goes_to_name(const struct words *phrase)
{
	static const char *const places[] = {"to", "in", "at", "nach", "zu", NULL};

	for (size_t i = 1; i < phrase->count; i++)
		if (phrase->words[i].kind == KIND_NAME && !phrase->words[i].shared &&
		    replacing_is(&phrase->words[i - 1], places))
			return true;
	return false;
}

/* The place that the older names is refused, and another one is named instead. */
static bool replacing_elsewhere(const struct words *older, const struct words *newer)
{
	static const char *const instead[] = {"instead", "stattdessen", NULL};
	const struct word *first = NULL;
	bool refused = false;
	bool turned = false;

	for (size_t i = 0; i < newer->count; i++) {
		first = first || !phrase_says(&newer->words[i]) ? first : &newer->words[i];
		refused = refused || (first && replacing_refuses(&newer->words[i]));
		turned = turned || (refused && replacing_is(&newer->words[i], instead));
	}
	return turned && first->shared && replacing_is_led_to(older, first->mate) &&
	       replacing_goes_to_name(newer);
}

bool replacing_finds(const struct words *older, const struct words *newer, bool renewed)
{
	return replacing_other_doer(older, newer, renewed) ||
	       replacing_other_doer(newer, older, renewed) ||
	       replacing_other_rhythm(older, newer) || replacing_leaves_rest(older, newer) ||
	       replacing_elsewhere(older, newer);
}
