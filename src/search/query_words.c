#include "search/query_words.h"

#include <stdlib.h>

/* Beside question words: what connects, and what asks about a memory as such. Sorted by bytes. */
static const char *const stop_words[] = {
	"a",       "about",     "after",       "all",        "also",      "am",        "an",
	"and",     "any",       "anybody",     "anyone",     "anything",  "are",       "as",
	"at",      "be",        "because",     "been",       "before",    "being",     "but",
	"by",      "can",       "could",       "did",        "do",        "does",      "entries",
	"entry",   "ever",      "every",       "everything", "find",      "for",       "from",
	"get",     "give",      "go",          "goes",       "had",       "has",       "have",
	"he",      "her",       "him",         "his",        "how",       "i",         "if",
	"in",      "info",      "information", "into",       "is",        "it",        "its",
	"know",    "let",       "look",        "looks",      "me",        "memories",  "memory",
	"mention", "mentioned", "mentioning",  "mentions",   "my",        "no",        "not",
	"note",    "noted",     "notes",       "of",         "off",       "on",        "or",
	"our",     "out",       "over",        "please",     "recall",    "regarding", "remember",
	"s",       "said",      "say",         "says",       "search",    "shall",     "she",
	"should",  "show",      "so",          "some",       "something", "stored",    "tell",
	"than",    "that",      "the",         "their",      "them",      "then",      "there",
	"these",   "they",      "thing",       "things",     "this",      "those",     "to",
	"up",      "us",        "was",         "we",         "went",      "were",      "what",
	"when",    "where",     "whether",     "which",      "who",       "whom",      "whose",
	"why",     "will",      "with",        "would",      "you",       "your",
};

/*
 * What answers to a kind of question read like: a person is asked for, who cares or leads; a
 * reason, which comes because. Words of everyday English; each is found in all its forms.
 */
static const char *const who[] = {"ask",      "care",   "charge",      "contact", "duty",
				  "handle",   "head",   "lead",        "look",    "mail",
				  "maintain", "manage", "member",      "owner",   "person",
				  "question", "phone",  "responsible", "team",    NULL};
static const char *const agreed[] = {"accept", "agree", "allow",   "approval", "approve",
				     "choose", "chose", "confirm", "decide",   "decision",
				     "favour", "sign",  "vote",    NULL};
static const char *const why[] = {"avoid",    "because", "cause",     "choose", "chose",   "decide",
				  "decision", "due",     "instead",   "prefer", "purpose", "reason",
				  "since",    "so",      "therefore", NULL};
static const char *const how[] = {"after",   "afterwards", "before", "begin", "command",
				  "finally", "first",      "follow", "last",  "next",
				  "press",   "run",        "set",    "start", "step",
				  "then",    "type",       "use",    NULL};
static const char *const wrong[] = {
	"break",   "broke", "broken",  "bug",     "cause",    "crash",   "error",   "fail",
	"failure", "fault", "fix",     "help",    "incident", "issue",   "leak",    "lose",
	"lost",    "mend",  "outage",  "problem", "repair",   "replace", "resolve", "restore",
	"solve",   "stop",  "trouble", "wrong",   NULL};
static const char *const where[] = {
	"address", "behind", "below", "beside", "between", "directory", "drawer",   "file",
	"folder",  "inside", "keep",  "kept",   "link",    "locate",    "location", "path",
	"place",   "room",   "shelf", "site",   "under",   "url",       NULL};
static const char *const when[] = {"am",     "clock", "daily",  "date",  "day",     "deadline",
				   "due",    "every", "hour",   "month", "monthly", "morning",
				   "night",  "pm",    "since",  "time",  "until",   "week",
				   "weekly", "year",  "yearly", NULL};

/* Sorted by bytes. */
static const struct hint {
	const char *word;
	const char *const *hints;
} hints[] = {
	{"accept", agreed},   {"accepted", agreed}, {"address", where},    {"agree", agreed},
	{"agreed", agreed},   {"allow", agreed},    {"allowed", agreed},   {"approval", agreed},
	{"approve", agreed},  {"approved", agreed}, {"approves", agreed},  {"ask", who},
	{"break", wrong},     {"breakdown", wrong}, {"broke", wrong},      {"broken", wrong},
	{"bug", wrong},       {"bugs", wrong},      {"care", who},         {"cause", why},
	{"causes", why},      {"charge", who},      {"choice", why},       {"choose", why},
	{"chose", why},       {"chosen", why},      {"confirm", agreed},   {"confirmed", agreed},
	{"contact", who},     {"contacts", who},    {"crash", wrong},      {"crashed", wrong},
	{"crashes", wrong},   {"damage", wrong},    {"damaged", wrong},    {"date", when},
	{"deadline", when},   {"decide", why},      {"decided", why},      {"decides", why},
	{"decision", why},    {"decisions", why},   {"directory", where},  {"due", when},
	{"duties", who},      {"duty", who},        {"error", wrong},      {"errors", wrong},
	{"fail", wrong},      {"failed", wrong},    {"failing", wrong},    {"fails", wrong},
	{"failure", wrong},   {"failures", wrong},  {"fault", wrong},      {"faults", wrong},
	{"fix", wrong},       {"fixed", wrong},     {"fixes", wrong},      {"folder", where},
	{"handle", who},      {"handles", who},     {"happen", wrong},     {"happened", wrong},
	{"head", who},        {"how", how},         {"howto", how},        {"incident", wrong},
	{"incidents", wrong}, {"instruction", how}, {"instructions", how}, {"issue", wrong},
	{"issues", wrong},    {"lead", who},        {"leads", who},        {"located", where},
	{"location", where},  {"maintainer", who},  {"maintains", who},    {"manager", who},
	{"manages", who},     {"manual", how},      {"mend", wrong},       {"mended", wrong},
	{"outage", wrong},    {"outages", wrong},   {"owner", who},        {"owners", who},
	{"owns", who},        {"path", where},      {"person", who},       {"place", where},
	{"problem", wrong},   {"problems", wrong},  {"procedure", how},    {"procedures", how},
	{"purpose", why},     {"question", who},    {"questions", who},    {"reason", why},
	{"reasons", why},     {"recipe", how},      {"repair", wrong},     {"repaired", wrong},
	{"repairs", wrong},   {"resolve", wrong},   {"resolved", wrong},   {"responsibility", who},
	{"responsible", who}, {"schedule", when},   {"scheduled", when},   {"solve", wrong},
	{"solved", wrong},    {"step", how},        {"steps", how},        {"ticket", wrong},
	{"tickets", wrong},   {"time", when},       {"trouble", wrong},    {"url", where},
	{"when", when},       {"where", where},     {"who", who},          {"whom", who},
	{"whose", who},       {"why", why},         {"wrong", wrong},
};

/* The word in ASCII; empty when it is not, or long. */
static struct slice short_word(const struct text *text, uint32_t word, char *buffer, size_t size)
{
	const uint32_t *chars = text->chars + text->words[word].start;
	uint32_t len = text->words[word].len;

	if (len > size)
		return slice_make(buffer, 0);
	for (uint32_t i = 0; i < len; i++) {
		if (chars[i] >= 0x80)
			return slice_make(buffer, 0);
		buffer[i] = (char)chars[i];
	}
	return slice_make(buffer, len);
}

static int compare_word(const void *key, const void *element)
{
	return slice_compare(*(const struct slice *)key, slice_of(*(const char *const *)element));
}

bool search_is_stop_word(const struct text *text, uint32_t word)
{
	char buffer[16];
	struct slice key = short_word(text, word, buffer, sizeof buffer);

	return bsearch(&key, stop_words, sizeof stop_words / sizeof *stop_words, sizeof *stop_words,
		       compare_word) != NULL;
}

static int compare_hint(const void *key, const void *element)
{
	return slice_compare(*(const struct slice *)key,
			     slice_of(((const struct hint *)element)->word));
}

const char *const *search_hints(const struct text *text, uint32_t word)
{
	char buffer[16];
	struct slice key = short_word(text, word, buffer, sizeof buffer);
	const struct hint *hint = bsearch(&key, hints, sizeof hints / sizeof *hints, sizeof *hints,
					  compare_hint);

	return hint ? hint->hints : NULL;
}
