#include "similarity/answers.h"

static const struct word *answers_before(const struct words *phrase, size_t at)
{
	/* "the", and "now" in "photos are now taken by" */
	while (at > 0 && (phrase_is_article(&phrase->words[at - 1]) ||
			  phrase_is_recent(&phrase->words[at - 1])))
		at--;
	return at > 0 ? &phrase->words[at - 1] : NULL;
}

/* Does it join one thing to another? */
static bool answers_joins(const struct word *word)
{
	return slice_is(word->text, "and") || slice_is(word->text, "und");
}

static bool answers_parts(const struct word *word)
{
	return (word->shared && !word->filler) || word->opposed || answers_joins(word) ||
	       phrase_in(word, DICTIONARY_PREPOSITIONS) || phrase_in(word, DICTIONARY_AUXILIARIES);
}

/* A participle before a preposition is the verb: "tracked in". */
static bool answers_is_verb(const struct answer *answer)
{
	const struct slice text = answer->first->text;
	bool regular = text.len > 3 && text.ptr[text.len - 1] == 'd' &&
		       text.ptr[text.len - 2] == 'e';

	return answer->words == 1 && (regular || phrase_in(answer->first, DICTIONARY_REPORTS)) &&
	       answer->after && phrase_in(answer->after, DICTIONARY_PREPOSITIONS);
}

static void answers_find(const struct words *phrase, struct answers *out)
{
	struct answer *open = NULL;
	bool said = false;

	*out = (struct answers){.count = 0};
	for (size_t i = 0; i < phrase->count; i++) {
		const struct word *word = &phrase->words[i];

		if (!phrase_says(word) || word->shared || word->opposed) {
			open = answers_parts(word) ? NULL : open;
			said = said || phrase_says(word);
			continue;
		}
		if (!open && out->count == ANSWERS_MAX)
			return;
		if (!open) {
			open = &out->list[out->count++];
			*open = (struct answer){
				.before = answers_before(phrase, i), .first = word, .leads = !said};
		}
		open->words++;
		open->kinds |= KIND_BIT(word->kind);
		open->after = i + 1 < phrase->count ? word + 1 : NULL;
		said = true;
		if (open->after && answers_is_verb(open) && open == &out->list[out->count - 1]) {
			out->verb = open->first;
			out->count--;
			open = NULL;
		}
	}
}

bool answers_compatible(const struct answer *a, const struct answer *b)
{
	return (a->kinds & KIND_TELLING) == (b->kinds & KIND_TELLING);
}

static bool answers_same_lead(const struct word *a, const struct word *b)
{
	return slice_equal(a->stem, b->stem) || (a->lead && a->lead == b->lead);
}

/* Do they stand in the same place of the sentence: behind the same word, or before it? */
static enum place answers_place(const struct answer *a, const struct answer *b)
{
	if (a->before && b->before && answers_same_lead(a->before, b->before))
		return phrase_in(a->before, DICTIONARY_PREPOSITIONS) ? PLACE_PREPOSITION
								     : PLACE_WORD;
	return a->after && b->after && a->after->shared && !a->after->filler &&
			       slice_equal(a->after->stem, b->after->stem)
		       ? PLACE_WORD
		       : PLACE_NONE;
}

static void answers_pair(struct differing *d, enum place least)
{
	for (size_t i = 0; i < d->a.count; i++) {
		for (size_t j = 0; j < d->b.count && !d->a.list[i].taken; j++) {
			struct answer *one = &d->a.list[i];
			struct answer *other = &d->b.list[j];
			enum place place = answers_place(one, other);

			if (other->taken || place < least || !answers_compatible(one, other))
				continue;
			one->taken = other->taken = true;
			d->one = one;
			d->other = other;
			d->place = place;
			d->count++;
		}
	}
}

/* Is the answer one more, behind "and", beside one that has a counterpart? */
static bool answers_is_added(const struct answer *taken, const struct answer *answer)
{
	for (const struct word *word = taken->first; word < answer->first; word++)
		if (answers_joins(word))
			return true;
	return false;
}

static size_t answers_untaken(const struct answers *answers, const struct answer *taken)
{
	size_t words = 0;

	for (size_t i = 0; i < answers->count; i++)
		if (!answers->list[i].taken &&
		    !(taken && answers_is_added(taken, &answers->list[i])))
			words += answers->list[i].words;
	return words;
}

void answers_differ(const struct words *older, const struct words *newer, struct differing *out)
{
	*out = (struct differing){.count = 0};
	answers_find(older, &out->a);
	answers_find(newer, &out->b);
	answers_pair(out, PLACE_PREPOSITION);
	answers_pair(out, PLACE_WORD);
	out->left[0] = answers_untaken(&out->a, NULL);
	out->left[1] = answers_untaken(&out->b, out->other);
}
