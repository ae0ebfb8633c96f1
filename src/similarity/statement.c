#include "similarity/statement.h"

#include "similarity/answers.h"
#include "similarity/contradiction.h"
#include "similarity/phrase.h"
#include "similarity/replacing.h"
#include "similarity/report.h"

/* Most words of an answer that is compared with another. */
#define ANSWER_WORDS 3

const char *const statement_says_names[STATEMENT_SAYS_COUNT] = {"none", "same", "other", "related"};

/* All that is known of two sentences together. */
struct comparison {
	const struct statement *older;
	const struct statement *newer;
	struct words a; /* of the older */
	struct words b;
	size_t opposites; /* pairs of words that exclude each other */
	size_t things;    /* pairs of words that tell things apart */
	bool denied;      /* one says "not" */
	bool forbidden;   /* both do */
	size_t words;     /* of the older that say something */
	size_t shared;    /* of these */
	size_t left[2];   /* those that only one says */
	bool changed;     /* the newer has a word of change */
	bool recent;      /* or says that it holds from now on */
	bool subject;     /* both begin with what they share */
};

/* Is it a preposition of place or time with something behind it? */
static bool statement_leads_on(const struct words *phrase, const struct word *word)
{
	return word->lead && word + 1 < phrase->words + phrase->count;
}

static void statement_oppose_word(struct comparison *c, struct word *word)
{
	for (size_t j = 0; j < c->b.count && !word->shared && !word->opposed; j++) {
		struct word *other = &c->b.words[j];
		bool units = phrase_in(word, DICTIONARY_UNITS) &&
			     phrase_in(other, DICTIONARY_UNITS);
		bool things;

		/* "on Mondays" is not the opposite of "off". */
		if (other->shared || other->opposed || units || statement_leads_on(&c->a, word) ||
		    statement_leads_on(&c->b, other) ||
		    ((KIND_BIT(word->kind) | KIND_BIT(other->kind)) & KIND_TELLING) != 0 ||
		    !dictionary_opposed(&word->listed, &other->listed, &things))
			continue;
		word->opposed = other->opposed = true;
		if (things)
			c->things++;
		else
			c->opposites++;
	}
}

static bool statement_is_denied(const struct words *phrase)
{
	size_t count = 0;

	for (size_t i = 0; i < phrase->count; i++) {
		const struct word *word = &phrase->words[i];
		bool turns = word->negation && !word->opposed;

		/* "without" denies what follows, which need not be what both are about. */
		if (turns && slice_is(word->text, "without")) {
			turns = false;
			for (size_t k = i + 1; k < phrase->count && k <= i + 2; k++)
				turns = turns ||
					(phrase->words[k].shared && !phrase->words[k].filler);
		}
		count += turns;
	}
	return count % 2 != 0;
}

static const struct word *statement_first(const struct words *phrase)
{
	for (size_t i = 0; i < phrase->count; i++)
		if (phrase_says(&phrase->words[i]))
			return &phrase->words[i];
	return NULL;
}

/* The older one begins with a word that both have. */
static bool statement_begins_alike(const struct comparison *c)
{
	const struct word *first = statement_first(&c->a);

	return first && first->shared;
}

static void statement_count_left(struct comparison *c, const struct words *phrase, int side)
{
	for (size_t i = 0; i < phrase->count; i++) {
		const struct word *word = &phrase->words[i];

		/* "Writing the report" and "wrote the scripts" have no more than a verb in common.
		 */
		if (!phrase_says(word) || (word->shared && phrase_is_light(word->mate)))
			continue;
		c->left[side] += !word->shared && !word->opposed;
		c->words += side == 0;
		c->shared += side == 0 && word->shared;
	}
}

static void statement_prepare(struct comparison *c)
{
	phrase_share(&c->a, &c->b);
	for (size_t i = 0; i < c->a.count; i++)
		statement_oppose_word(c, &c->a.words[i]);
	bool denied = statement_is_denied(&c->a);
	c->forbidden = denied && statement_is_denied(&c->b);
	c->denied = denied != statement_is_denied(&c->b);
	statement_count_left(c, &c->a, 0);
	statement_count_left(c, &c->b, 1);
	for (size_t i = 0; i < c->b.count; i++) {
		const struct word *word = &c->b.words[i];

		c->changed = c->changed || (!word->shared && phrase_is_change(word));
		c->recent = c->recent || phrase_is_recent(word);
	}
	const struct word *first = statement_first(&c->a);
	const struct word *second = statement_first(&c->b);
	c->subject = first && second && first->shared && second->shared;
}

/* ---- verdicts */

/* "gauge 7", "ticket 12": a number right behind the first word names the thing. */
static bool statement_names_by_number(const struct words *phrase)
{
	size_t at = 0;
	size_t seen = 0;

	for (; at < phrase->count && seen < 1; at++)
		seen += !phrase_is_article(&phrase->words[at]);
	if (!seen || phrase->words[at - 1].filler || phrase->words[at - 1].kind == KIND_NUMBER ||
	    phrase_is_light(&phrase->words[at - 1]))
		return false;
	at += at < phrase->count && slice_is(phrase->words[at].text, "of");
	/* "trial A" */
	if (at < phrase->count && phrase->words[at].kind == KIND_NAME &&
	    phrase->words[at].text.len == 1 && !phrase->words[at].shared)
		return true;
	for (; at < phrase->count && phrase->words[at].kind == KIND_NUMBER; at++)
		if (!phrase->words[at].shared)
			return true;
	return false;
}

/* Do the words of the older, fillers aside, stand in a row in the newer? */
static bool statement_is_quoted(const struct comparison *c)
{
	struct slice part[PHRASE_WORDS];
	struct slice whole[PHRASE_WORDS];
	size_t part_count = 0;
	size_t whole_count = 0;

	for (size_t i = 0; i < c->a.count; i++)
		if (!c->a.words[i].filler)
			part[part_count++] = c->a.words[i].text;
	for (size_t i = 0; i < c->b.count; i++)
		if (!c->b.words[i].filler)
			whole[whole_count++] = c->b.words[i].text;
	for (size_t at = 0; part_count >= 2 && at + part_count <= whole_count; at++) {
		size_t same = 0;

		while (same < part_count && slice_equal(part[same], whole[at + same]))
			same++;
		if (same == part_count)
			return true;
	}
	return false;
}

static bool statement_has(const struct words *phrase, const char *const *list)
{
	for (size_t i = 0; i < phrase->count; i++)
		if (slice_index(phrase->words[i].text, list) >= 0)
			return true;
	return false;
}

static bool statement_says_only(const struct words *phrase)
{
	static const char *const only[] = {"only", "nur", NULL};

	return statement_has(phrase, only);
}

/* What was said of all is now said of some, and the other way round: "every model", "only those".
 */
static bool statement_limits(const struct comparison *c)
{
	static const char *const all[] = {"all",  "every", "each", "any",   "always",
					  "alle", "jeder", "jede", "jedes", NULL};

	return statement_says_only(&c->a) ? !statement_says_only(&c->b)
					  : statement_says_only(&c->b) && statement_has(&c->a, all);
}

/* All that the older says is in the newer. */
static enum statement_says statement_if_covered(const struct comparison *c)
{
	size_t turns = c->opposites + c->denied;

	if (c->left[1] == 0 && turns % 2 != 0)
		return c->shared + c->opposites >= 2 ? STATEMENT_OTHER : STATEMENT_NOTHING;
	if (c->left[1] == 0)
		return c->shared >= 2 ? STATEMENT_SAME : STATEMENT_NOTHING;
	if (c->opposites)
		return STATEMENT_NOTHING;
	if (statement_is_quoted(c))
		return STATEMENT_RELATED;
	if (c->shared >= 2 && (c->denied || c->changed || statement_limits(c)))
		return STATEMENT_OTHER;
	return c->shared >= 3 && c->left[1] <= 2 * c->shared && !c->recent ? STATEMENT_RELATED
									   : STATEMENT_NOTHING;
}

/* Many words in common, and what is left tells nothing apart. */
static bool statement_is_paraphrase(const struct comparison *c)
{
	const struct words *both[] = {&c->a, &c->b};

	if (c->shared < 4 || c->opposites + c->things + c->denied ||
	    5 * (c->left[0] + c->left[1]) > 3 * c->shared)
		return false;
	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; i < both[k]->count; i++)
			if (phrase_says(&both[k]->words[i]) && !both[k]->words[i].shared &&
			    both[k]->words[i].kind != KIND_WORD)
				return false;
	return true;
}

/* One is turned round: a negation, a word that excludes another. */
static bool statement_is_turned(const struct comparison *c)
{
	size_t turns = c->opposites + c->denied;
	size_t left = c->left[0] + c->left[1];
	bool both = c->left[0] && c->left[1];

	if (turns % 2 == 0 || c->things || !c->shared)
		return false;
	if (!both && left <= 1)
		return true;
	if (c->shared >= 2 && c->left[0] <= 1 && c->left[1] <= 1 && c->shared > left &&
	    !(c->opposites && both))
		return true;
	/* "Applications no longer go to Bern but to Basel" */
	if (c->denied && c->recent && c->shared >= 2 && c->left[0] <= 1 &&
	    statement_begins_alike(c))
		return true;
	return (c->changed || c->recent) && c->shared >= 3 && 2 * c->shared >= c->words;
}

/* One word that tells things apart stands for another: it is no subject. */
static bool statement_is_another_thing(const struct comparison *c)
{
	const struct word *a = statement_first(&c->a);
	const struct word *b = statement_first(&c->b);
	size_t left = c->left[0] + c->left[1];

	if (c->things != 1 || c->opposites || !c->shared || (c->left[0] && c->left[1]) ||
	    (a && b && a->opposed && b->opposed))
		return false;
	return left <= 1 || ((c->changed || c->recent) && left <= 3);
}

static bool statement_has_role(const struct words *phrase)
{
	for (size_t i = 0; i < phrase->count; i++)
		if (phrase_in(&phrase->words[i], DICTIONARY_ROLES))
			return true;
	return false;
}

static bool statement_leads_apart(const struct answers *answers)
{
	for (size_t i = 0; i < answers->count; i++)
		if (answers->list[i].leads && (answers->list[i].kinds & KIND_BIT(KIND_NUMBER)) == 0)
			return true;
	return false;
}

/* Who does what one alone does: "Ines is head baker". */
static bool statement_is_another_holder(const struct comparison *c, const struct differing *d)
{
	return d->a.count == 1 && d->b.count == 1 && d->a.list[0].words <= ANSWER_WORDS &&
	       d->b.list[0].words <= ANSWER_WORDS &&
	       (statement_has_role(&c->a) || statement_has_role(&c->b)) &&
	       answers_compatible(&d->a.list[0], &d->b.list[0]);
}

/* "Counts are entered in KoBo", "counts are analysed in R": another thing is done. */
static bool statement_does_another(const struct differing *d)
{
	return (d->a.verb && (d->b.verb || d->left[1])) || (d->b.verb && d->left[0]);
}

/* "Flour comes from the Obermühle", "we buy flour from Siebert now" */
static bool statement_is_another_source(const struct comparison *c, const struct differing *d)
{
	return d->place == PLACE_PREPOSITION && d->left[0] <= 1 && d->left[1] <= 1 &&
	       (c->changed || c->recent) && statement_begins_alike(c);
}

/* The answers, of so many words, follow a preposition or are of a kind that tells things apart. */
static bool statement_tells_another(const struct comparison *c, const struct differing *d,
				    size_t words)
{
	if (d->place != PLACE_PREPOSITION && !(d->one->kinds & KIND_TELLING))
		return false;
	return words == 1 ||
	       (words <= ANSWER_WORDS + 1 && c->older->category == c->newer->category &&
		d->one->kinds != KIND_BIT(KIND_WORD));
}

/* There is one answer in one place, and it differs. */
static bool statement_is_another_answer(const struct comparison *c, const struct differing *d)
{
	size_t left = d->left[0] + d->left[1];
	size_t words;

	if (d->count == 0)
		return c->shared >= 2 && d->a.count == 1 && d->b.count == 1 &&
		       d->a.list[0].kinds == KIND_BIT(KIND_NUMBER) &&
		       d->b.list[0].kinds == KIND_BIT(KIND_NUMBER);
	if (d->count > 1 || (!c->changed && statement_does_another(d)))
		return false;
	words = d->one->words > d->other->words ? d->one->words : d->other->words;
	bool same_word = d->place != PLACE_PREPOSITION ||
			 slice_equal(d->one->before->stem, d->other->before->stem);
	if (c->shared >= 2 && words <= ANSWER_WORDS &&
	    (left == 0 || ((!d->left[0] || !d->left[1]) && same_word) ||
	     (c->shared >= 3 && c->shared >= left)))
		return true;
	if (c->subject && left == 0 && words <= ANSWER_WORDS && (c->changed || c->recent) &&
	    same_word)
		return true;
	if (words <= ANSWER_WORDS && statement_is_another_source(c, d))
		return true;
	return c->subject && left == 0 && statement_tells_another(c, d, words);
}

/*
 * Is the newer about what the older is about? "Prof. Lund now heads the institute" is not about the
 * thesis that Lund supervises; "the new head baker is Mateus" is about what Ines was.
 */
static bool statement_is_about(const struct comparison *c, const struct differing *d)
{
	const struct word *first = statement_first(&c->a);

	return c->changed || !first || first->shared ||
	       (d->a.count == 1 && !d->a.verb && d->b.count == 1 && !d->b.list[0].leads);
}

/* The newer says that it is so from now on, and little else than the answer differs. */
static bool statement_is_renewed(const struct comparison *c, const struct differing *d)
{
	bool much = 2 * c->shared >= c->words || (c->older->category == c->newer->category &&
						  5 * c->shared >= 2 * c->words && c->subject);

	/* "Dora needs route sheets since March" tells of Dora. */
	if (statement_leads_apart(&d->b) &&
	    (!statement_leads_apart(&d->a) || 3 * c->shared < 2 * c->words))
		return false;
	return (c->changed || c->recent) && c->shared >= 2 && much && d->a.count <= 2 &&
	       d->b.count <= 2 && statement_is_about(c, d) &&
	       (!d->a.count || !d->b.count || (c->recent && c->subject) ||
		answers_compatible(&d->a.list[d->a.count - 1], &d->b.list[d->b.count - 1]));
}

static bool statement_has_other_answer(const struct comparison *c, const struct differing *d)
{
	if (c->opposites || c->things || c->denied || c->forbidden || !c->left[0] || !c->left[1] ||
	    !c->shared)
		return false;
	if (statement_leads_apart(&d->a) && statement_leads_apart(&d->b)) {
		if (statement_is_another_holder(c, d))
			return true;
		if (!c->changed && !c->recent)
			return false;
	} else if (statement_is_another_answer(c, d)) {
		return true;
	}
	return statement_is_renewed(c, d);
}

/* ---- what is left behind: "moved from Slack", "Slack is gone", "replaced Slack" */

/* The words behind "from", where a word of change is before it: shared ones, and all. */
static size_t statement_left_behind(const struct comparison *c, size_t *shared)
{
	bool changed = false;
	size_t count = 0;
	size_t at = 0;

	*shared = 0;
	for (; at < c->b.count; at++) {
		const struct word *word = &c->b.words[at];

		if (changed && slice_is(word->text, "from"))
			break;
		changed = changed || phrase_is_change(word);
	}
	for (at++; at < c->b.count; at++) {
		const struct word *word = &c->b.words[at];

		if (word->filler && !phrase_is_article(word))
			break;
		count += phrase_says(word);
		*shared += phrase_says(word) && word->shared;
	}
	return count;
}

/* How far a word of change reaches, in words before and behind it. */
#define REACH_BEFORE 2
#define REACH_BEHIND 3

/* Is nothing of content between the words at these places? */
static bool statement_is_near(const struct words *phrase, size_t from, size_t to)
{
	for (size_t i = from + 1; i < to; i++) {
		const struct word *word = &phrase->words[i];

		if ((phrase_says(word) && !word->shared) ||
		    (phrase_in(word, DICTIONARY_PREPOSITIONS) && !slice_is(word->text, "from")))
			return false;
	}
	return true;
}

/* Does a noun follow: "the piano", "her desk"? */
static bool statement_determines(const struct word *word)
{
	static const char *const possessives[] = {
		"my",   "your", "his",   "her",    "its", "our",  "their", "mein",
		"dein", "sein", "seine", "seinen", "ihr", "ihre", "ihren", NULL};

	return phrase_is_article(word) || slice_index(word->text, possessives) >= 0;
}

/* Is something changed that the older does not know? "Karl moved the piano" */
static bool statement_changes_another(const struct comparison *c)
{
	const struct words *b = &c->b;

	for (size_t i = 0; i + 2 < b->count; i++)
		if (phrase_is_change(&b->words[i]) && !b->words[i].shared &&
		    statement_determines(&b->words[i + 1]))
			return phrase_says(&b->words[i + 2]) && !b->words[i + 2].shared;
	return false;
}

/* "The pool was raised to 400": does a word of its own stand before the word of change? */
static bool statement_has_other_subject(const struct words *newer)
{
	size_t at = 0;

	while (at < newer->count && !phrase_is_change(&newer->words[at]))
		at++;
	for (; at > 0; at--)
		if (phrase_says(&newer->words[at - 1]))
			return !newer->words[at - 1].shared;
	return false;
}

/* The shared word that a word of change is about; NULL for none. */
static const struct word *statement_changed_word(const struct comparison *c)
{
	const struct words *b = &c->b;

	for (size_t i = 0; i < b->count; i++) {
		size_t begin = i > REACH_BEFORE ? i - REACH_BEFORE : 0;

		if (b->words[i].shared || !phrase_is_change(&b->words[i]))
			continue;
		for (size_t j = begin; j < b->count && j <= i + REACH_BEHIND; j++) {
			const struct word *word = &b->words[j];

			if (word->shared && !word->filler && !phrase_is_light(word) &&
			    statement_is_near(b, j < i ? j : i, j < i ? i : j))
				return word;
		}
	}
	return NULL;
}

/* Does the older have a verb, and so say something? "Heron rebuild" does not. */
static bool statement_asserts(const struct words *phrase)
{
	for (size_t i = 0; i < phrase->count; i++)
		if (phrase_in(&phrase->words[i], DICTIONARY_AUXILIARIES) ||
		    phrase_is_light(&phrase->words[i]) ||
		    phrase_in(&phrase->words[i], DICTIONARY_ROLES))
			return true;
	return false;
}

/* Are all words of the older one's key in the newer one's key or text? */
static bool statement_keeps_key(struct arena *arena, const struct comparison *c)
{
	struct sentence old;
	struct sentence now;

	sentence_make(arena, c->older->key, &old);
	sentence_make(arena, c->newer->key, &now);
	bool kept = old.count > 0;
	for (size_t i = 0; i < old.count && kept; i++) {
		kept = false;
		for (size_t j = 0; j < now.count; j++)
			kept = kept || slice_equal(old.words[i].stem, now.words[j].stem);
		for (size_t j = 0; j < c->b.count; j++)
			kept = kept || slice_equal(old.words[i].stem, c->b.words[j].stem);
	}
	return kept;
}

/* Is it about one day or number, and both name one: "launch on 3 May", "launch moved to 9 June"? */
static bool statement_is_rescheduled(const struct word *about, const struct comparison *c,
				     const struct differing *d)
{
	unsigned int kinds[2] = {0, 0};
	size_t words = 0;

	for (size_t i = 0; i < c->a.count; i++)
		words += phrase_says(&c->a.words[i]) &&
			 (KIND_BIT(c->a.words[i].kind) & KIND_TELLING) == 0;
	if (!about || statement_first(&c->b) != about || 3 * c->shared < words)
		return false;
	for (size_t i = 0; i < d->a.count; i++)
		kinds[0] |= d->a.list[i].kinds & KIND_TELLING;
	for (size_t i = 0; i < d->b.count; i++)
		kinds[1] |= d->b.list[i].kinds & KIND_TELLING;
	return kinds[0] && kinds[0] == kinds[1];
}

static bool statement_is_left(struct arena *arena, const struct comparison *c,
			      const struct differing *d)
{
	const struct word *about = statement_changed_word(c);
	bool same_category = c->older->category == c->newer->category;

	if (!c->changed || !c->shared || statement_changes_another(c))
		return false;
	if (statement_is_rescheduled(about, c, d))
		return true;
	if (!statement_asserts(&c->a))
		return false;
	if (about &&
	    ((c->shared >= 2 && 3 * c->shared >= c->words) || about->kind == KIND_NAME ||
	     about->mate->kind == KIND_NAME || (same_category && 2 * c->shared >= c->words)))
		return true;
	if (c->shared >= 2 && 2 * c->shared >= c->words && d->a.count <= 1)
		return true;
	if (c->subject && 3 * c->shared >= c->words && d->a.count <= 2 && d->b.count <= 1)
		return true;
	return (about || !statement_has_other_subject(&c->b)) && statement_keeps_key(arena, c);
}

/* ---- the whole */

static enum statement_says statement_judge(struct arena *arena, const struct comparison *c)
{
	struct differing differing;
	size_t left_shared;

	bool numbered = statement_names_by_number(&c->a) || statement_names_by_number(&c->b);

	if (c->shared + c->opposites + c->things == 0)
		return STATEMENT_NOTHING;
	if (!numbered && replacing_finds(&c->a, &c->b, c->changed || c->recent))
		return STATEMENT_OTHER;
	size_t left_behind = statement_left_behind(c, &left_shared);

	if (left_behind && left_shared && c->shared > left_shared)
		return STATEMENT_OTHER;
	if (c->left[0] == 0 && !c->things)
		return statement_if_covered(c);
	if (numbered)
		return STATEMENT_NOTHING;
	if (statement_is_paraphrase(c))
		return STATEMENT_SAME;
	if (statement_is_turned(c) || statement_is_another_thing(c))
		return STATEMENT_OTHER;
	if (left_behind)
		return STATEMENT_NOTHING;
	answers_differ(&c->a, &c->b, &differing);
	return statement_has_other_answer(c, &differing) || statement_is_left(arena, c, &differing)
		       ? STATEMENT_OTHER
		       : STATEMENT_NOTHING;
}

static void statement_put_words(const struct word *words, size_t count, struct words *out)
{
	memcpy(out->words, words, count * sizeof *words);
	out->count = count;
}

static void statement_take_words(const struct statement *statement, struct arena *arena,
				 struct words *out)
{
	if (statement->words)
		statement_put_words(statement->words, statement->word_count, out);
	else
		phrase_read(arena, statement->text, out);
}

/* ---- clauses: "Kolb has closed, we get our tea at Ronnefeldt" */

/* A clause of the newer beside the first of the older. */
struct clause {
	struct comparison c;
	bool reports; /* it tells of something that happened */
	bool over;    /* or says that something is over */
	bool holds;   /* it says how things are */
};

static bool statement_says_over(const struct words *clause)
{
	for (size_t i = 0; i < clause->count; i++)
		if (phrase_is_change(&clause->words[i]) ||
		    phrase_in(&clause->words[i], DICTIONARY_ENDINGS) ||
		    slice_is(clause->words[i].text, "too"))
			return true;
	return false;
}

/* Is the whole text one clause, and read? */
static bool statement_is_clause(const struct statement *statement)
{
	return statement->words && statement->clause_count == 1 &&
	       statement->clauses->words == statement->words;
}

static void statement_compare_clause(const struct statement *older, const struct statement *newer,
				     const struct statement_part *part, struct clause *out)
{
	bool event = newer->tells == REPORT_EVENT;
	const struct word *first;

	*out = (struct clause){.c = {.older = older, .newer = newer}};
	if (older->clause_count)
		statement_put_words(older->clauses->words, older->clauses->count, &out->c.a);
	statement_put_words(part->words, part->count, &out->c.b);
	statement_prepare(&out->c);
	first = statement_first(&out->c.a);
	out->reports = part->tells == REPORT_EVENT;
	out->over = statement_says_over(&out->c.b);
	/* Of several things that happened none is a statement, if it does not read like one. */
	out->holds = !out->reports && (!event || part->tells == REPORT_HOLDS || out->c.recent ||
				       (first && first->shared));
}

/*
 * The answer of the older which the clause is about, as far as it is over: "Kolb has closed". What
 * the older is about goes on.
 */
static const struct word *statement_ended(const struct clause *clause)
{
	const struct word *about = statement_first(&clause->c.a);
	const struct words *words = &clause->c.b;

	for (size_t i = 0; i < words->count && (clause->over || clause->reports); i++) {
		const struct word *word = &words->words[i];

		if (!phrase_says(word) || phrase_in(word, DICTIONARY_ENDINGS))
			continue;
		return word->shared && word->mate != about ? word : NULL;
	}
	return NULL;
}

/* Does a clause say what is so instead? ended: of what is over in another one. */
static bool statement_goes_on(const struct clause *clause, const struct word *ended, bool over)
{
	const struct word *first = statement_first(&clause->c.a);
	const struct words *words = &clause->c.b;
	bool named = ended->kind == KIND_NAME || ended->mate->kind == KIND_NAME;
	bool replaces = clause->c.recent;
	bool about = false;
	size_t shared = 0;
	size_t own = 0;

	for (size_t i = 0; i < words->count; i++) {
		const struct word *word = &words->words[i];

		replaces = replaces || (word->kind == KIND_NAME && !word->shared);
		about = about || (word->shared && word->mate == first);
		shared += phrase_says(word) && word->shared;
		own += phrase_says(word) && !word->shared;
	}
	if (!own || !clause->holds)
		return false;
	return about || shared >= 2 ||
	       (over && (shared || (named && replaces && own <= ANSWER_WORDS)));
}

/*
 * A clause may say alone what the older cannot go with, or one that its answer is over and another
 * what is so instead.
 */
static bool statement_clauses_contradict(struct arena *arena, const struct statement *older,
					 const struct statement *newer)
{
	const size_t count = newer->clause_count;
	struct clause *clauses = arena_alloc(arena, (count + 1) * sizeof *clauses);

	for (size_t i = 0; i < count; i++) {
		statement_compare_clause(older, newer, &newer->clauses[i], &clauses[i]);
		if (clauses[i].holds && statement_judge(arena, &clauses[i].c) == STATEMENT_OTHER)
			return true;
	}
	for (size_t i = 0; i < count; i++) {
		const struct word *ended = statement_ended(&clauses[i]);

		for (size_t k = 0; ended && k < count; k++)
			if (k != i && statement_goes_on(&clauses[k], ended, clauses[i].over))
				return true;
	}
	return false;
}

static void statement_compare_words(struct comparison *c, struct arena *arena)
{
	statement_take_words(c->older, arena, &c->a);
	statement_take_words(c->newer, arena, &c->b);
	statement_prepare(c);
}

static bool statement_reports(const struct statement *statement)
{
	if (statement->listed)
		return false;
	return (statement->clauses ? statement->tells : report_read(statement->text)) ==
	       REPORT_EVENT;
}

enum statement_says statement_compare(const struct statement *older, const struct statement *newer)
{
	struct comparison c = {.older = older, .newer = newer};
	struct statement older_read = *older;
	struct statement newer_read = *newer;
	ARENA_AUTO arena = ARENA_INIT;
	enum statement_says says;

	if (older->text.len > STATEMENT_BYTES || newer->text.len > STATEMENT_BYTES)
		return STATEMENT_NOTHING;
	statement_compare_words(&c, &arena);
	says = statement_judge(&arena, &c);
	if (c.shared + c.opposites == 0 || statement_reports(older))
		return STATEMENT_NOTHING;
	/* A text is read through for that, so it is asked of the few that say something. */
	if (says != STATEMENT_NOTHING && statement_reports(newer))
		says = STATEMENT_NOTHING;
	if (says == STATEMENT_SAME || says == STATEMENT_OTHER)
		return says;
	if (!older_read.clauses)
		statement_read_clauses(&older_read, &arena);
	if (!newer_read.clauses)
		statement_read_clauses(&newer_read, &arena);
	/* Where both are one clause, these words were compared just now. */
	if (statement_is_clause(&older_read) && statement_is_clause(&newer_read))
		return says;
	return statement_clauses_contradict(&arena, &older_read, &newer_read) ? STATEMENT_OTHER
									      : says;
}

bool statement_is_same(const struct statement *older, const struct statement *newer)
{
	struct comparison c = {.older = older, .newer = newer};
	ARENA_AUTO arena = ARENA_INIT;

	if (!older->words || !newer->words)
		return false;
	statement_compare_words(&c, &arena);
	return ((c.left[0] == 0 && c.left[1] == 0) || statement_is_paraphrase(&c)) &&
	       statement_judge(&arena, &c) == STATEMENT_SAME && !statement_reports(older) &&
	       !statement_reports(newer);
}
