#include "search/query_terms.h"

#include "base/mem.h"
#include "text/distance.h"

#include <stdlib.h>
#include <string.h>

/* What a term counts that is not the word itself. */
#define STEM_FACTOR 0.9
#define PREFIX_FACTOR 0.6
#define EDIT_FACTOR 0.8
#define TRIPLES_FACTOR 0.6

/* A word must have this many characters to be looked for as a beginning or a misspelling. */
#define PREFIX_LEN 4
#define EDIT_LEN 4
#define TWO_EDITS_LEN 8
#define TRIPLES_LEN 6

/* Longer words are data, not language. */
#define WORD_LEN_MAX 64

/* Share of letter triples that two words of one root have in common. */
#define TRIPLES_ALIKE 0.6

static void add_match(struct search_matches *out, uint32_t term, double factor)
{
	out->list = mem_grow(out->list, &out->cap, out->count + 1, sizeof *out->list);
	out->list[out->count++] = (struct search_match){term, factor};
}

static void add_kin(const struct search *index, struct slice stem, uint32_t except, double factor,
		    struct search_matches *out)
{
	size_t at;

	if (!map_get(&index->kins, stem, &at))
		return;
	for (uint32_t i = (uint32_t)at; i != SEARCH_NONE; i = index->kin[i].next) {
		uint32_t term = index->kin[i].term;

		if (term != except && index->terms[term].holding)
			add_match(out, term, factor * STEM_FACTOR);
	}
}

static void find_forms(struct search *index, const uint32_t *chars, uint32_t len, double factor,
		       struct search_matches *out)
{
	uint32_t itself = search_term_of(index, chars, len);
	struct slice stem;

	if (itself != SEARCH_NONE)
		add_match(out, itself, factor);
	if (text_has_digit(chars, len))
		return;
	search_stem(&index->question, chars, len, false, &stem);
	add_kin(index, stem, itself, factor, out);
}

static size_t edits_allowed(uint32_t len)
{
	if (len < EDIT_LEN)
		return 0;
	return len < TWO_EDITS_LEN ? 1 : 2;
}

static bool is_triple(const uint32_t *chars, uint32_t len, const uint32_t *triple)
{
	for (uint32_t i = 0; i + 3 <= len; i++) {
		if (memcmp(chars + i, triple, 3 * sizeof *chars) == 0)
			return true;
	}
	return false;
}

/* Share of the triples of both words that stand in the other, the shorter setting the pace. */
static double triples_alike(const uint32_t *a, uint32_t a_len, const uint32_t *b, uint32_t b_len)
{
	uint32_t shared = 0;

	for (uint32_t i = 0; i + 3 <= a_len; i++)
		shared += is_triple(b, b_len, a + i);
	return 2.0 * shared / (double)(a_len - 2 + b_len - 2);
}

/* A word that no item has, held against every term. */
struct fuzzy {
	const uint32_t *chars;
	uint32_t len;
	uint64_t bag;
	size_t edits;
	size_t least; /* fewest edits so far */
	struct distance_pattern *pattern;
};

static double likeness(struct fuzzy *f, const struct search_term *term)
{
	size_t distance;

	if (f->len >= PREFIX_LEN && term->len > f->len &&
	    memcmp(term->chars, f->chars, f->len * sizeof *f->chars) == 0)
		return PREFIX_FACTOR + (1 - PREFIX_FACTOR) * 0.5 * f->len / term->len;
	if (text_distance_bound(f->bag, f->len, term->bag, term->len) <= f->edits) {
		distance = distance_pattern_osa(f->pattern, term->chars, term->len, f->edits);
		if (distance <= f->edits && distance <= f->least && term->len >= EDIT_LEN - 1) {
			f->least = distance;
			return EDIT_FACTOR / (double)distance;
		}
	}
	if (f->len >= TRIPLES_LEN && term->len >= TRIPLES_LEN &&
	    triples_alike(f->chars, f->len, term->chars, term->len) >= TRIPLES_ALIKE)
		return TRIPLES_FACTOR;
	return 0;
}

/* Of misspellings only the nearest count, and what is further away only where none is. */
static void keep_best(struct search_matches *out, size_t from, double factor)
{
	double best = 0;
	size_t kept = from;

	for (size_t i = from; i < out->count; i++)
		best = out->list[i].factor > best ? out->list[i].factor : best;
	for (size_t i = from; i < out->count; i++) {
		if (out->list[i].factor >= 0.8 * best)
			out->list[kept++] = (struct search_match){out->list[i].term,
								  factor * out->list[i].factor};
	}
	out->count = kept;
}

static void find_alike(struct search *index, const uint32_t *chars, uint32_t len, double factor,
		       struct search_matches *out)
{
	struct fuzzy f = {
		.chars = chars,
		.len = len,
		.bag = text_bag(chars, len),
		.edits = edits_allowed(len),
		.least = SIZE_MAX,
	};
	size_t from = out->count;

	f.pattern = distance_pattern_new(chars, len);
	for (size_t i = 0; i < index->term_count; i++) {
		const struct search_term *term = &index->terms[i];
		double alike = 0;

		if (term->holding && !term->has_digit && term->len <= WORD_LEN_MAX)
			alike = likeness(&f, term);

		if (alike > 0)
			add_match(out, (uint32_t)i, alike);
	}
	distance_pattern_free(f.pattern);
	keep_best(out, from, factor);
}

void search_terms_find(struct search *index, const uint32_t *chars, uint32_t len, double factor,
		       bool approximate, struct search_matches *out)
{
	size_t before = out->count;

	find_forms(index, chars, len, factor, out);
	if (approximate && out->count == before && len >= PREFIX_LEN && len <= WORD_LEN_MAX &&
	    !text_has_digit(chars, len))
		find_alike(index, chars, len, factor, out);
}

/* ---- words that are not looked for, and words that answers to a question have */

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
