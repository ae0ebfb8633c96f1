#include "match/search_words.h"

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

static const char *const who[] = {"ask",       "contact",  "lead",        "owner",
				  "questions", "officer",  "responsible", "manager",
				  "team",      "engineer", "maintains",   NULL};
static const char *const approved[] = {"approved", "agreed", "signed", "decided", "decision", NULL};
static const char *const why[] = {"because", "since", "reason", "decided", "decision", NULL};
static const char *const how[] = {"first", "then", "run", "steps", "command", "before", NULL};
static const char *const wrong[] = {"incident", "outage", "bug",   "fix", "fixed",
				    "failed",   "ticket", "error", NULL};
static const char *const where[] = {"path", "directory", "url", "at", "configured", "folder", NULL};

/* Sorted by bytes. */
static const struct {
	const char *word;
	const char *const *hints;
} hints[] = {
	{"approval", approved}, {"approved", approved}, {"broke", wrong},     {"broken", wrong},
	{"bug", wrong},         {"bugs", wrong},        {"cause", why},       {"contact", who},
	{"crash", wrong},       {"decided", why},       {"decision", why},    {"error", wrong},
	{"errors", wrong},      {"failed", wrong},      {"fix", wrong},       {"fixed", wrong},
	{"happened", wrong},    {"how", how},           {"incident", wrong},  {"incidents", wrong},
	{"instructions", how},  {"issue", wrong},       {"issues", wrong},    {"outage", wrong},
	{"owner", who},         {"owns", who},          {"problem", wrong},   {"problems", wrong},
	{"procedure", how},     {"question", who},      {"questions", who},   {"reason", why},
	{"reasons", why},       {"resolved", wrong},    {"responsible", who}, {"solved", wrong},
	{"steps", how},         {"ticket", wrong},      {"tickets", wrong},   {"where", where},
	{"who", who},           {"whom", who},          {"why", why},         {"wrong", wrong},
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

const char *const *search_hints(const struct text *text, uint32_t word)
{
	char buffer[16];
	struct slice key = short_word(text, word, buffer, sizeof buffer);

	for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
		if (slice_is(key, hints[i].word))
			return hints[i].hints;
	}
	return NULL;
}
