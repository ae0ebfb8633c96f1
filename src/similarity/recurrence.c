#include "similarity/recurrence.h"

#include "base/map.h"
#include "base/mem.h"
#include "similarity/phrase.h"

#include <math.h>
#include <stdlib.h>

/* Groups whose notes are less alike, on average, are not put together. */
#define LINKAGE_MIN 0.3

/* A word of more than this share of the notes tells nothing, unless the notes are few. */
#define COMMON_SHARE 0.25
#define COMMON_MIN 10

/* A group is known by words that this share of its notes has, and that are its own to this. */
#define CORE_SHARE 0.3
#define CORE_OWN 0.3

/*
 * Two words at least that half of the notes have, since a single one may mean several things; and
 * as much in common as three notes with three words: the more notes, the fewer words will do.
 */
#define NAMING_SHARE 0.5
#define NAMING_MIN 2
#define NAMING_EVIDENCE ((size_t)9)

/*
 * A note is of a group if it has so many of its words, of a weight of 1 together, each weighing as
 * much as the share of the group that has it. What holds and goes on holding needs more of them.
 */
#define CORE_WORDS 2
#define CORE_WORDS_STANDING 3
#define CORE_WEIGHT 1.0

/* Half of a group must report, or nothing happened again and again. */
#define REPORTING_SHARE 0.5

/* How often a group is made anew of what fits to it. */
#define ROUNDS 3

/* A word of the notes, in all its forms. */
struct stem {
	struct slice stem;
	size_t notes; /* that have it */
	size_t last;  /* the note that was counted last, plus 1 */
	double weight;
};

struct note {
	size_t *stems; /* in ascending order */
	size_t count;
	double norm;
};

struct group {
	size_t *notes; /* in ascending order */
	size_t count;
	double *core; /* by stem: its share, or 0 */
	double standing;
};

struct recurrence {
	const struct recurring_note *in;
	size_t count;
	struct arena *arena; /* of what is handed out */
	struct arena own;
	struct map by_stem;
	struct stem *stems;
	size_t stem_count;
	size_t stem_cap;
	struct note *notes;
	float *likeness; /* of all pairs; changed while they are put together */
	struct group *groups;
	size_t group_count;
};

/* ---- words */

static size_t recurrence_stem_of(struct recurrence *r, struct slice text)
{
	size_t at;

	if (map_get(&r->by_stem, text, &at))
		return at;
	at = r->stem_count;
	*MEM_ADD(r->stems, r->stem_count,
		 r->stem_cap) = (struct stem){.stem = arena_copy(&r->own, text)};
	map_put(&r->by_stem, r->stems[at].stem, at);
	return at;
}

static void recurrence_read_text(struct recurrence *r, size_t note, struct slice text)
{
	ARENA_AUTO scratch = ARENA_INIT;
	struct words *words = arena_alloc(&scratch, sizeof *words);
	struct note *out = &r->notes[note];

	phrase_read(&scratch, text, words);
	for (size_t i = 0; i < words->count; i++) {
		if (!phrase_is_subject(&words->words[i]))
			continue;
		size_t at = recurrence_stem_of(r, words->words[i].stem);
		if (r->stems[at].last == note + 1)
			continue;
		r->stems[at].last = note + 1;
		r->stems[at].notes++;
		out->stems[out->count++] = at;
	}
}

static int recurrence_compare_numbers(const void *a, const void *b)
{
	const size_t *first = a;
	const size_t *second = b;

	return (*first > *second) - (*first < *second);
}

static void recurrence_read(struct recurrence *r)
{
	r->notes = arena_alloc(&r->own, r->count * sizeof *r->notes);
	for (size_t i = 0; i < r->count; i++) {
		size_t room = 2 * (size_t)PHRASE_WORDS;

		r->notes[i] = (struct note){.stems = arena_alloc(&r->own, room * sizeof(size_t))};
		recurrence_read_text(r, i, r->in[i].text);
		recurrence_read_text(r, i, r->in[i].key);
	}
}

/* Keeps the words that several notes have, and not too many: the rarer, the heavier. */
static void recurrence_weigh(struct recurrence *r)
{
	double common = fmax(COMMON_MIN, COMMON_SHARE * (double)r->count);

	for (size_t s = 0; s < r->stem_count; s++) {
		struct stem *stem = &r->stems[s];

		if (stem->notes > 1 && (double)stem->notes <= common)
			stem->weight = log((double)(r->count + 1) / (double)stem->notes);
	}
	for (size_t i = 0; i < r->count; i++) {
		struct note *note = &r->notes[i];
		size_t kept = 0;
		double square = 0;

		for (size_t k = 0; k < note->count; k++) {
			double weight = r->stems[note->stems[k]].weight;

			if (weight <= 0)
				continue;
			note->stems[kept++] = note->stems[k];
			square += weight * weight;
		}
		note->count = kept;
		note->norm = sqrt(square);
		if (kept)
			qsort(note->stems, kept, sizeof *note->stems, recurrence_compare_numbers);
	}
}

/* ---- likeness */

static double recurrence_compare(const struct recurrence *r, const struct note *a,
				 const struct note *b)
{
	double product = 0;

	for (size_t i = 0, k = 0; i < a->count && k < b->count;) {
		if (a->stems[i] < b->stems[k]) {
			i++;
		} else if (a->stems[i] > b->stems[k]) {
			k++;
		} else {
			double weight = r->stems[a->stems[i]].weight;

			product += weight * weight;
			i++;
			k++;
		}
	}
	return product > 0 ? product / (a->norm * b->norm) : 0;
}

static float *recurrence_at(const struct recurrence *r, size_t a, size_t b)
{
	return &r->likeness[a * r->count + b];
}

static void recurrence_compare_all(struct recurrence *r)
{
	for (size_t a = 0; a < r->count; a++) {
		for (size_t b = 0; b < a; b++) {
			double likeness = recurrence_compare(r, &r->notes[a], &r->notes[b]);

			*recurrence_at(r, a, b) = *recurrence_at(r, b, a) = (float)likeness;
		}
	}
}

/* ---- groups: average linkage, along chains of nearest neighbours */

/* What is being put together. */
struct linkage {
	size_t *into; /* by note: the group that it is in, named by its first note */
	size_t *size; /* by group; 0 where it has gone into another, or nothing is near it */
	size_t *chain;
	size_t length;
};

/* The group that is nearest to this one, the one before it in the chain where it is as near. */
static size_t recurrence_nearest(const struct recurrence *r, const struct linkage *l, size_t from)
{
	size_t before = l->length > 1 ? l->chain[l->length - 2] : from;
	size_t best = before;
	float most = before == from ? 0 : *recurrence_at(r, from, before);

	for (size_t k = 0; k < r->count; k++) {
		if (l->size[k] && k != from && *recurrence_at(r, from, k) > most) {
			best = k;
			most = *recurrence_at(r, from, k);
		}
	}
	return (double)most < LINKAGE_MIN ? from : best;
}

/* a takes in b. */
static void recurrence_put_together(struct recurrence *r, struct linkage *l, size_t a, size_t b)
{
	float own = (float)l->size[a];
	float other = (float)l->size[b];

	for (size_t k = 0; k < r->count; k++) {
		float mean = (own * *recurrence_at(r, a, k) + other * *recurrence_at(r, b, k)) /
			     (own + other);

		*recurrence_at(r, a, k) = *recurrence_at(r, k, a) = mean;
		if (l->into[k] == b)
			l->into[k] = a;
	}
	l->size[a] += l->size[b];
	l->size[b] = 0;
}

/*
 * A chain leads from each group to its nearest one, until two are the nearest to each other. A
 * group that nothing is near enough is complete: what others become is no nearer to it.
 */
static void recurrence_link(struct recurrence *r, struct linkage *l)
{
	for (;;) {
		size_t last = 0;

		while (l->length == 0 && last < r->count && !l->size[last])
			last++;
		if (l->length == 0 && last == r->count)
			return;
		if (l->length == 0)
			l->chain[l->length++] = last;
		last = l->chain[l->length - 1];
		size_t nearest = recurrence_nearest(r, l, last);
		if (nearest == last) {
			l->size[last] = 0;
			l->length--;
		} else if (l->length > 1 && nearest == l->chain[l->length - 2]) {
			recurrence_put_together(r, l, nearest, last);
			l->length -= 2;
		} else {
			l->chain[l->length++] = nearest;
		}
	}
}

/* The groups that are large enough, as lists of notes. */
static void recurrence_collect(struct recurrence *r, const size_t *into)
{
	size_t *sizes = arena_alloc(&r->own, r->count * sizeof *sizes);

	for (size_t i = 0; i < r->count; i++)
		sizes[into[i]]++;
	r->groups = arena_alloc(&r->own, r->count * sizeof *r->groups);
	for (size_t first = 0; first < r->count; first++) {
		struct group *group = &r->groups[r->group_count];

		if (sizes[first] < RECURRENCE_SIZE_MIN)
			continue;
		r->group_count++;
		group->notes = arena_alloc(&r->own, r->count * sizeof *group->notes);
		group->core = arena_alloc(&r->own, r->stem_count * sizeof *group->core);
		for (size_t i = 0; i < r->count; i++) {
			if (into[i] == first)
				group->notes[group->count++] = i;
		}
	}
}

static void recurrence_group(struct recurrence *r)
{
	struct linkage l = {
		.into = arena_alloc(&r->own, r->count * sizeof *l.into),
		.size = arena_alloc(&r->own, r->count * sizeof *l.size),
		.chain = arena_alloc(&r->own, r->count * sizeof *l.chain),
	};

	for (size_t i = 0; i < r->count; i++) {
		l.into[i] = i;
		l.size[i] = 1;
	}
	recurrence_link(r, &l);
	recurrence_collect(r, l.into);
}

/* ---- what a group is known by, and what fits to it */

/* How many notes of the group have each word, by stem. */
static size_t *recurrence_count_stems(const struct recurrence *r, const struct group *group)
{
	size_t *counts = mem_zalloc(r->stem_count, sizeof *counts);

	for (size_t i = 0; i < group->count; i++) {
		const struct note *note = &r->notes[group->notes[i]];

		for (size_t k = 0; k < note->count; k++)
			counts[note->stems[k]]++;
	}
	return counts;
}

/* False where that is too little to name it by. */
static bool recurrence_find_core(const struct recurrence *r, struct group *group)
{
	size_t *counts = recurrence_count_stems(r, group);
	size_t naming = 0;

	group->standing = 0;
	for (size_t s = 0; s < r->stem_count; s++) {
		double share = (double)counts[s] / (double)group->count;
		bool own = counts[s] > 1 &&
			   (double)counts[s] >= CORE_OWN * (double)r->stems[s].notes;

		group->core[s] = own && share >= CORE_SHARE ? share : 0;
		naming += group->core[s] >= NAMING_SHARE;
		group->standing += group->core[s] * (double)group->count;
	}
	free(counts);
	return naming >= NAMING_MIN && naming * group->count >= NAMING_EVIDENCE;
}

static bool recurrence_fits(const struct recurrence *r, const struct group *group, size_t note)
{
	size_t words = 0;
	double weight = 0;

	for (size_t k = 0; k < r->notes[note].count; k++) {
		double share = group->core[r->notes[note].stems[k]];

		words += share > 0;
		weight += share;
	}
	return words >= (r->in[note].report ? CORE_WORDS : CORE_WORDS_STANDING) &&
	       weight >= CORE_WEIGHT;
}

/* Makes the group anew of all that fits to it; false when it stays as it is. */
static bool recurrence_fill(const struct recurrence *r, struct group *group)
{
	size_t *notes = mem_zalloc(r->count, sizeof *notes);
	size_t count = 0;

	for (size_t i = 0; i < r->count; i++) {
		if (recurrence_fits(r, group, i))
			notes[count++] = i;
	}
	bool changed = count >= RECURRENCE_SIZE_MIN &&
		       (count != group->count ||
			memcmp(notes, group->notes, count * sizeof *notes) != 0);
	if (changed) {
		memcpy(group->notes, notes, count * sizeof *notes);
		group->count = count;
	}
	free(notes);
	return changed;
}

/* Did it happen, on as many days as there have to be? */
static bool recurrence_recurs(const struct recurrence *r, const struct group *group)
{
	size_t reports = 0;
	size_t days = 0;

	for (size_t i = 0; i < group->count; i++) {
		const struct recurring_note *note = &r->in[group->notes[i]];
		bool known = false;

		reports += note->report;
		for (size_t k = 0; k < i && !known; k++)
			known = r->in[group->notes[k]].day == note->day;
		days += !known;
	}
	return days >= RECURRENCE_SIZE_MIN &&
	       (double)reports >= REPORTING_SHARE * (double)group->count;
}

/* Most words in common first, then the one that begins first. */
static int recurrence_compare_groups(const void *a, const void *b)
{
	const struct group *first = a;
	const struct group *second = b;

	if (first->standing != second->standing)
		return first->standing > second->standing ? -1 : 1;
	return (first->notes[0] > second->notes[0]) - (first->notes[0] < second->notes[0]);
}

/* Takes out what a better group has. */
static void recurrence_leave_taken(struct group *group, bool *taken)
{
	size_t kept = 0;

	for (size_t i = 0; i < group->count; i++) {
		if (!taken[group->notes[i]])
			group->notes[kept++] = group->notes[i];
	}
	group->count = kept;
}

/* Keeps the groups that are recurrences. */
static void recurrence_choose(struct recurrence *r)
{
	bool *taken = arena_alloc(&r->own, r->count * sizeof *taken);
	size_t kept = 0;

	for (size_t g = 0; g < r->group_count; g++) {
		recurrence_find_core(r, &r->groups[g]);
		for (int round = 0; round < ROUNDS && recurrence_fill(r, &r->groups[g]); round++)
			recurrence_find_core(r, &r->groups[g]);
	}
	if (r->group_count)
		qsort(r->groups, r->group_count, sizeof *r->groups, recurrence_compare_groups);
	for (size_t g = 0; g < r->group_count; g++) {
		struct group *group = &r->groups[g];

		recurrence_leave_taken(group, taken);
		if (group->count < RECURRENCE_SIZE_MIN || !recurrence_find_core(r, group) ||
		    !recurrence_recurs(r, group))
			continue;
		for (size_t i = 0; i < group->count; i++)
			taken[group->notes[i]] = true;
		r->groups[kept++] = *group;
	}
	r->group_count = kept;
}

/* ---- words for a person */

/* What is seen of a word in the texts of a group. */
struct sighting {
	struct slice form; /* that most notes have, and how often */
	size_t forms;
	size_t seen;
	size_t named; /* with a capital in the middle of a sentence, and without one there */
	size_t plain;
	size_t causes; /* behind "after" and the like */
	size_t remedies;
};

struct form {
	size_t stem;
	struct slice form;
	size_t count;
};

struct sightings {
	struct sighting *of; /* by stem */
	struct form *forms;
	size_t count;
	size_t cap;
};

static void recurrence_see_form(struct recurrence *r, struct sightings *s, size_t stem,
				struct slice text)
{
	size_t at = 0;

	while (at < s->count &&
	       (s->forms[at].stem != stem || !slice_equal(s->forms[at].form, text)))
		at++;
	if (at == s->count)
		*MEM_ADD(s->forms, s->count, s->cap) = (struct form){stem,
								     arena_copy(r->arena, text), 0};
	s->forms[at].count++;
	if (s->forms[at].count > s->of[stem].forms) {
		s->of[stem].forms = s->forms[at].count;
		s->of[stem].form = s->forms[at].form;
	}
}

/* "cleaned", "broke": what happened or was done. */
static bool recurrence_is_past(const struct word *word)
{
	return phrase_in(word, DICTIONARY_REPORTS) ||
	       (word->text.len > 4 && slice_ends(word->text, "ed"));
}

/* The words of a clause: what begins it in the past was done, what is behind "after" was before. */
static void recurrence_see_clause(struct recurrence *r, struct sightings *s,
				  const struct group *group, struct slice clause)
{
	ARENA_AUTO scratch = ARENA_INIT;
	struct words *words = arena_alloc(&scratch, sizeof *words);
	bool begins = true;
	bool behind = false;

	phrase_read(&scratch, clause, words);
	for (size_t i = 0; i < words->count; i++) {
		const struct word *word = &words->words[i];
		size_t stem;

		behind = behind || phrase_in(word, DICTIONARY_CAUSES);
		if (phrase_is_subject(word) && map_get(&r->by_stem, word->stem, &stem) &&
		    group->core[stem] > 0) {
			struct sighting *seen = &s->of[stem];

			seen->seen++;
			seen->named += word->kind == KIND_NAME;
			seen->plain += i > 0 && word->kind == KIND_WORD;
			seen->causes += behind;
			seen->remedies += begins && !behind && recurrence_is_past(word);
			recurrence_see_form(r, s, stem, word->text);
		}
		begins = begins && word->filler;
	}
}

static bool recurrence_ends_clause(struct slice text, size_t at)
{
	bool last = at + 1 == text.len || text.ptr[at + 1] == ' ' || text.ptr[at + 1] == '\n';

	return text.ptr[at] == '\n' || (last && strchr(",;:.!?", text.ptr[at]));
}

static void recurrence_see_note(struct recurrence *r, struct sightings *s,
				const struct group *group, size_t note)
{
	struct slice text = r->in[note].text;
	size_t begin = 0;

	for (size_t at = 0; at < text.len; at++) {
		if (!text.ptr[at] || !recurrence_ends_clause(text, at))
			continue;
		recurrence_see_clause(r, s, group, slice_make(text.ptr + begin, at - begin));
		begin = at + 1;
	}
	recurrence_see_clause(r, s, group, slice_make(text.ptr + begin, text.len - begin));
}

static enum recurring_role recurrence_role(const struct sighting *seen)
{
	if (seen->remedies * 2 >= seen->seen)
		return RECURRING_REMEDY;
	if (seen->causes * 2 >= seen->seen)
		return RECURRING_CAUSE;
	return seen->named && !seen->plain ? RECURRING_NAME : RECURRING_WORD;
}

/* The word of the group that tells most and is not named yet; SIZE_MAX: none. */
static size_t recurrence_next_word(const struct recurrence *r, const struct group *group,
				   const struct sightings *s, const bool *named)
{
	size_t best = SIZE_MAX;
	double most = 0;

	for (size_t stem = 0; stem < r->stem_count; stem++) {
		double telling = group->core[stem] * r->stems[stem].weight;

		if (s->of[stem].seen && !named[stem] && telling > most) {
			best = stem;
			most = telling;
		}
	}
	return best;
}

static void recurrence_name(struct recurrence *r, const struct group *group, struct recurring *out)
{
	struct recurring_word *words = arena_alloc(r->arena, RECURRENCE_WORDS_MAX * sizeof *words);
	struct sightings s = {.of = mem_zalloc(r->stem_count, sizeof *s.of)};
	bool *named = mem_zalloc(r->stem_count, sizeof *named);
	size_t stem;

	for (size_t i = 0; i < group->count; i++)
		recurrence_see_note(r, &s, group, group->notes[i]);
	while (out->word_count < RECURRENCE_WORDS_MAX &&
	       (stem = recurrence_next_word(r, group, &s, named)) != SIZE_MAX) {
		named[stem] = true;
		words[out->word_count++] = (struct recurring_word){
			.word = s.of[stem].form,
			.notes = (size_t)lround(group->core[stem] * (double)group->count),
			.role = recurrence_role(&s.of[stem]),
		};
		out->share += group->core[stem];
	}
	out->share = out->word_count ? out->share / (double)out->word_count : 0;
	out->words = words;
	free(named);
	free(s.forms);
	free(s.of);
}

static double recurrence_cohesion(const struct recurrence *r, const struct group *group)
{
	double sum = 0;

	for (size_t i = 0; i < group->count; i++) {
		for (size_t k = 0; k < i; k++)
			sum += recurrence_compare(r, &r->notes[group->notes[i]],
						  &r->notes[group->notes[k]]);
	}
	return sum / ((double)group->count * (double)(group->count - 1) / 2);
}

size_t recurrence_find(const struct recurring_note *notes, size_t count, struct arena *arena,
		       struct recurring **out)
{
	size_t left_out = count > RECURRENCE_NOTES_MAX ? count - RECURRENCE_NOTES_MAX : 0;
	struct recurrence r = {.in = notes + left_out, .count = count - left_out, .arena = arena};

	*out = NULL;
	if (r.count < RECURRENCE_SIZE_MIN)
		return 0;
	recurrence_read(&r);
	recurrence_weigh(&r);
	r.likeness = mem_zalloc(r.count * r.count, sizeof *r.likeness);
	recurrence_compare_all(&r);
	recurrence_group(&r);
	free(r.likeness);
	recurrence_choose(&r);
	*out = arena_alloc(arena, (r.group_count + 1) * sizeof **out);
	for (size_t g = 0; g < r.group_count; g++) {
		struct recurring *found = &(*out)[g];
		size_t *numbers = arena_alloc(arena, r.groups[g].count * sizeof *numbers);

		for (size_t i = 0; i < r.groups[g].count; i++)
			numbers[i] = r.groups[g].notes[i] + left_out;
		found->notes = numbers;
		found->count = r.groups[g].count;
		found->cohesion = recurrence_cohesion(&r, &r.groups[g]);
		recurrence_name(&r, &r.groups[g], found);
	}
	free(r.stems);
	map_release(&r.by_stem);
	arena_release(&r.own);
	return r.group_count;
}
