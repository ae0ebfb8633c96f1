#include "ops/maintain/duplicates.h"

#include "base/arena.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/utf8.h"
#include "ops/common.h"
#include "ops/similar_text.h"
#include "similarity/contradiction.h"
#include "similarity/similarity.h"
#include "store/open/store.h"
#include "text/normalize.h"
#include "text/stem.h"
#include "text/tokens.h"

#include <stdlib.h>

/* Words from which on a value is compared without its key; see alike_text(). */
#define TELLING_WORDS 2

/* More pairs of values than this are not looked at: the most alike come first. */
#define PAIRS_MAX 100000

/* A value of fewer words does not say what it is about: "yes" of one key is not "yes" of another.
 */
#define WORDS_MIN 3

/* No entry, no class. */
#define NONE SIZE_MAX

/* A value as it is compared for saying the same. */
struct duplicates_text {
	struct slice words;    /* for the likeness of words */
	struct slice text;     /* decoded; absent when the value is no string */
	struct slice identity; /* equal where values are the same but for their looks */
	struct slice symbols;  /* what normal forms drop and makes a difference */
	struct slice subject;  /* equal where nobody would look the keys up separately */
	size_t characters;     /* without what is mere looks */
	size_t word_count;
};

/* Entries whose values are the same but for their looks. */
struct class
{
	size_t first; /* the first entry of it */
	size_t last;
	size_t *hosts; /* classes of longer values that say the same, most alike first */
	size_t host_count;
	size_t host_cap;
};

struct search {
	const struct facts *facts;
	size_t count;
	const struct progress *progress;
	struct arena *arena;
	struct arena own;              /* what is not needed afterwards */
	struct duplicates_text *texts; /* of each entry */
	size_t *class_of;
	size_t *next; /* entry of the same class, NONE: the last */
	struct class *classes;
	size_t class_count;
	struct similar_pair *pairs; /* of classes */
	size_t pair_count;
	size_t *root; /* of each entry: the one that its group began with, NONE: in no group */
};

/* ---- values as they are compared */

static bool duplicates_is_apostrophe(uint32_t c)
{
	return c == '\'' || c == 0x2019 || c == 0x02BC;
}

/* Marks that a sentence may have or lack and be the same. */
static bool duplicates_is_ornament(uint32_t c)
{
	static const uint32_t ornaments[] = {
		'.',    ',',    ';',    ':',    '"',    '`',    '(',    ')',    '[',    ']',
		'{',    '}',    '*',    '_',    '#',    0x2018, 0x201C, 0x201D, 0x201E, 0x00AB,
		0x00BB, 0x2026, 0x3001, 0x3002, 0xFF0C, 0xFF0E, 0x2022, 0x2013, 0x2014, 0xFEFF};

	for (size_t i = 0; i < sizeof ornaments / sizeof ornaments[0]; i++) {
		if (c == ornaments[i])
			return true;
	}
	return blank_is(c);
}

/* "-" is a sign before a digit and a hyphen elsewhere; "!" ends a sentence or says "not". */
static bool duplicates_is_harmless(uint32_t before, uint32_t c, uint32_t after)
{
	if (c == '-')
		return !(after >= '0' && after <= '9') || !duplicates_is_ornament(before);
	if (c == '!')
		return duplicates_is_ornament(after) || after == '!';
	return duplicates_is_ornament(c);
}

/* Has it letters or numbers only, as normal forms see it? */
static bool duplicates_is_plain(uint32_t c, struct str *scratch)
{
	STR_AUTO one = STR_INIT;

	if (c < 0x80)
		return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
	if (utf8_is_ignorable(c))
		return true;
	/* A combining mark counts only after a letter. */
	str_addc(&one, 'a');
	utf8_add(&one, c);
	normalize_identity(str_slice(&one), scratch);
	return scratch->len > 1;
}

/*
 * What normal forms drop and nevertheless makes a difference: < and >, a minus, a currency, a check
 * mark or a cross.
 */
static void duplicates_add_symbols(struct str *out, struct slice text)
{
	STR_AUTO scratch = STR_INIT;
	uint32_t before = ' ';
	size_t at = 0;

	while (at < text.len) {
		uint32_t c = utf8_next(text, &at);
		size_t behind = at;
		uint32_t after = at < text.len ? utf8_next(text, &behind) : ' ';

		if (!duplicates_is_harmless(before, c, after) && !duplicates_is_apostrophe(c) &&
		    !duplicates_is_plain(c, &scratch))
			utf8_add(out, c);
		before = c;
	}
}

static size_t duplicates_count_words(struct slice normal)
{
	struct arena arena = ARENA_INIT;
	struct text text;

	text_make(&arena, normal, &text);
	arena_release(&arena);
	return text.word_count;
}

static void duplicates_read_string(struct duplicates_text *out, struct arena *arena)
{
	STR_AUTO identity = STR_INIT;
	STR_AUTO symbols = STR_INIT;
	STR_AUTO bare = STR_INIT;
	STR_AUTO normal = STR_INIT;

	for (size_t at = 0; at < out->text.len;) {
		uint32_t c = utf8_next(out->text, &at);

		if (!duplicates_is_apostrophe(c))
			utf8_add(&bare, c);
	}
	normalize_key(str_slice(&bare), &normal);
	out->word_count = duplicates_count_words(str_slice(&normal));
	out->characters = utf8_count(str_slice(&normal));
	duplicates_add_symbols(&symbols, out->text);
	out->symbols = arena_copy(arena, str_slice(&symbols));
	str_addc(&identity, '"');
	str_add(&identity, str_slice(&normal));
	str_addc(&identity, '"');
	str_add(&identity, out->symbols);
	out->identity = arena_copy(arena, str_slice(&identity));
}

static void duplicates_read_other(struct duplicates_text *out, const struct entry *entry,
				  struct arena *arena)
{
	STR_AUTO normal = STR_INIT;
	STR_AUTO compact = STR_INIT;

	json_print(&compact, entry->doc, entry->value_node);
	out->identity = arena_copy(arena, str_slice(&compact));
	/* Without those of the key, which may stand among out->words. */
	normalize_identity(merging_words(entry->value, arena), &normal);
	out->word_count = duplicates_count_words(str_slice(&normal));
}

/*
 * The category and what the words of the key are about, whatever their order and endings: "test
 * releases" and "release tests" are one subject, "staging region" and "region" are two.
 */
static struct slice duplicates_subject(const struct entry *entry, struct arena *arena)
{
	STR_AUTO normal = STR_INIT;
	STR_AUTO subject = STR_INIT;
	struct slice *stems;
	size_t count = 0;
	struct text text;

	normalize_words(entry->key, &normal);
	if (normal.len == 0)
		str_add(&normal, entry->key);
	text_make(arena, str_slice(&normal), &text);
	stems = arena_alloc(arena, (text.word_count + 1) * sizeof *stems);
	for (uint32_t i = 0; i < text.word_count; i++) {
		const struct text_word *word = &text.words[i];
		uint32_t stem[STEM_LEN_MAX];
		STR_AUTO bytes = STR_INIT;
		size_t len;

		if (word->len > STEM_LEN_MAX) {
			stems[count++] = text_word_bytes(&text, i);
			continue;
		}
		len = stem_word(text.chars + word->start, word->len, stem);
		for (size_t k = 0; k < len; k++)
			utf8_add(&bytes, stem[k]);
		stems[count++] = arena_copy(arena, str_slice(&bytes));
	}
	qsort(stems, count, sizeof *stems, slice_compare_elements);
	str_adds(&subject, category_name(entry->category));
	for (size_t i = 0; i < count; i++) {
		if (i > 0 && slice_equal(stems[i - 1], stems[i]))
			continue;
		str_addc(&subject, ' ');
		str_add(&subject, stems[i]);
	}
	return arena_copy(arena, str_slice(&subject));
}

/* What is made lives in the arena. */
static void duplicates_text_read(struct duplicates_text *out, const struct item *item,
				 struct arena *arena)
{
	const struct entry *entry = &item->entry;
	STR_AUTO scratch = STR_INIT;
	STR_AUTO identity = STR_INIT;

	*out = (struct duplicates_text){.words = alike_text(item, arena),
					.subject = duplicates_subject(entry, arena)};
	out->characters = utf8_count(entry->value);
	if (json_type(entry->doc, entry->value_node) == JSON_STRING) {
		out->text = arena_copy(arena, json_string(entry->doc, entry->value_node, &scratch));
		duplicates_read_string(out, arena);
	} else {
		duplicates_read_other(out, entry, arena);
	}
	/* A single word means nothing without its key. */
	if (out->word_count < TELLING_WORDS) {
		str_add(&identity, out->identity);
		str_addc(&identity, '@');
		str_add(&identity, item->identity);
		out->identity = arena_copy(arena, str_slice(&identity));
	}
}

/* True if one may stand for the other: neither says anything that the other does not. */
static bool duplicates_same(const struct duplicates_text *a, const struct duplicates_text *b)
{
	if (!a->text.ptr || !b->text.ptr)
		return slice_equal(a->identity, b->identity);
	return slice_equal(a->symbols, b->symbols) &&
	       (slice_equal(a->text, b->text) || conflict_may_merge(a->text, b->text));
}

/* True if they contradict each other; *why (appended) says what differs. */
static bool duplicates_conflict(const struct duplicates_text *a, const struct duplicates_text *b,
				struct str *why)
{
	struct slice first = a->text.ptr ? a->text : a->words;
	struct slice second = b->text.ptr ? b->text : b->words;

	return conflict_find(first, second, why) != CONFLICT_NONE;
}

/* ---- classes */

static const struct duplicates_text *duplicates_text_of(const struct search *s, size_t class)
{
	return &s->texts[s->classes[class].first];
}

static void duplicates_find_classes(struct search *s)
{
	struct map by_identity = MAP_INIT;
	size_t class;

	s->classes = arena_alloc(&s->own, (s->count + 1) * sizeof *s->classes);
	for (size_t i = 0; i < s->count; i++) {
		s->next[i] = NONE;
		if (map_get(&by_identity, s->texts[i].identity, &class) &&
		    duplicates_same(duplicates_text_of(s, class), &s->texts[i])) {
			s->next[s->classes[class].last] = i;
			s->classes[class].last = i;
		} else {
			class = s->class_count++;
			s->classes[class] = (struct class){.first = i, .last = i};
			map_put(&by_identity, s->texts[i].identity, class);
		}
		s->class_of[i] = class;
	}
	map_release(&by_identity);
}

/* Which values are alike, and which of them may stand for another. */
static size_t duplicates_find_pairs(struct search *s, double threshold)
{
	struct slice *words = mem_zalloc(s->class_count, sizeof *words);
	struct similar *similar;
	size_t total;

	for (size_t c = 0; c < s->class_count; c++)
		words[c] = duplicates_text_of(s, c)->words;
	similar = similar_new(words, s->class_count);
	similar_watch(similar, s->progress);
	total = similar_pairs(similar, threshold, PAIRS_MAX, &s->pairs);
	s->pair_count = total < PAIRS_MAX ? total : PAIRS_MAX;
	for (size_t i = 0; i < s->pair_count; i++) {
		size_t a = s->pairs[i].a;
		size_t b = s->pairs[i].b;

		if (!duplicates_same(duplicates_text_of(s, a), duplicates_text_of(s, b)))
			continue;
		bool longer = duplicates_text_of(s, a)->characters <
			      duplicates_text_of(s, b)->characters;
		struct class *class = &s->classes[longer ? a : b];

		*MEM_ADD(class->hosts, class->host_count, class->host_cap) = longer ? b : a;
	}
	similar_free(similar);
	free(words);
	return total;
}

/* ---- groups */

/* An entry and how much it says. */
struct turn {
	size_t entry;
	size_t characters;
};

/* Longest first, equals as they come. */
static int duplicates_compare_turns(const void *a, const void *b)
{
	const struct turn *first = a;
	const struct turn *second = b;

	if (first->characters != second->characters)
		return first->characters > second->characters ? -1 : 1;
	return first->entry < second->entry ? -1 : 1;
}

static struct turn *duplicates_turns_new(const struct search *s, size_t *count)
{
	struct turn *turns = mem_zalloc(s->count, sizeof *turns);

	*count = 0;
	for (size_t i = 0; i < s->count; i++) {
		if (s->facts[i].kept == PROTECTION_NONE && s->texts[i].word_count >= WORDS_MIN)
			turns[(*count)++] = (struct turn){i, s->texts[i].characters};
	}
	qsort(turns, *count, sizeof *turns, duplicates_compare_turns);
	return turns;
}

/* The entry that has come first of this class and subject, or NONE. */
static size_t duplicates_seat(const struct map *seats, size_t class, struct slice subject,
			      struct str *name)
{
	size_t entry = NONE;

	str_clear(name);
	str_printf(name, "%zu ", class);
	str_add(name, subject);
	map_get(seats, str_slice(name), &entry);
	return entry;
}

/*
 * A shorter value joins a longer one of its subject that says the same, or what that has joined: so
 * each group has one value that all others stand in, and no two groups could be one.
 */
static void duplicates_find_roots(struct search *s)
{
	MAP_AUTO seats = MAP_INIT;
	STR_AUTO name = STR_INIT;
	size_t count;
	struct turn *turns = duplicates_turns_new(s, &count);

	for (size_t i = 0; i < count; i++) {
		size_t entry = turns[i].entry;
		struct slice subject = s->texts[entry].subject;
		const struct class *class = &s->classes[s->class_of[entry]];
		size_t host = duplicates_seat(&seats, s->class_of[entry], subject, &name);

		if (host == NONE)
			map_put(&seats, arena_copy(&s->own, str_slice(&name)), entry);
		for (size_t h = 0; h < class->host_count && host == NONE; h++)
			host = duplicates_seat(&seats, class->hosts[h], subject, &name);
		s->root[entry] = host == NONE ? entry : s->root[host];
	}
	free(turns);
}

/* Entries with one root, in the order of the list. */
static void duplicates_add_group(struct duplicates *out, struct search *s, const size_t *members,
				 size_t count)
{
	const struct facts **parts = arena_alloc(s->arena, count * sizeof(void *));

	for (size_t i = 0; i < count; i++)
		parts[i] = &s->facts[members[i]];
	merging_init(&out->groups[out->group_count++], parts, count);
}

static void duplicates_make_groups(struct duplicates *out, struct search *s)
{
	size_t *size = mem_zalloc(s->count, sizeof *size);
	size_t *members = mem_zalloc(s->count, sizeof *members);
	size_t *start = mem_zalloc(s->count, sizeof *start);
	size_t groups = 0;
	size_t at = 0;

	for (size_t i = 0; i < s->count; i++) {
		if (s->root[i] != NONE && ++size[s->root[i]] == 2)
			groups++;
	}
	for (size_t i = 0; i < s->count; i++) {
		start[i] = at;
		at += size[i];
		size[i] = 0;
	}
	for (size_t i = 0; i < s->count; i++) {
		if (s->root[i] != NONE)
			members[start[s->root[i]] + size[s->root[i]]++] = i;
	}
	out->groups = arena_alloc(s->arena, (groups + 1) * sizeof *out->groups);
	for (size_t i = 0; i < s->count; i++) {
		if (size[i] > 1)
			duplicates_add_group(out, s, members + start[i], size[i]);
	}
	free(start);
	free(members);
	free(size);
}

/* ---- candidates */

static bool duplicates_are_grouped(const struct search *s, size_t a, size_t b)
{
	return s->root[a] != NONE && s->root[a] == s->root[b];
}

/* Why nobody merges the two unasked. */
static void duplicates_give_reason(struct search *s, struct duplicates_candidate *candidate,
				   size_t a, size_t b)
{
	const struct facts *kept = candidate->a->kept != PROTECTION_NONE ? candidate->a
									 : candidate->b;
	STR_AUTO why = STR_INIT;

	candidate->conflict = duplicates_conflict(&s->texts[a], &s->texts[b], &why);
	if (candidate->conflict) {
		candidate->reason = arena_copy(s->arena, str_slice(&why));
	} else if (kept->kept != PROTECTION_NONE) {
		/* "state:a is protected: pinned" */
		str_add(&why, kept->item->ref);
		str_printf(&why, " is protected: %s", protection_text(kept->kept));
		candidate->reason = arena_copy(s->arena, str_slice(&why));
	} else if (candidate->a->item->entry.category != candidate->b->item->entry.category) {
		candidate->reason = slice_of("they are of different categories");
	} else if (s->texts[a].word_count < WORDS_MIN || s->texts[b].word_count < WORDS_MIN) {
		candidate->reason = slice_of("too short to say without the key what it is about");
	} else if (duplicates_same(&s->texts[a], &s->texts[b])) {
		candidate->reason = slice_of("the same under keys that are looked up separately");
	} else {
		candidate->reason = slice_of("alike, but not the same words");
	}
}

static void duplicates_add_candidate(struct duplicates *out, struct search *s, size_t a, size_t b,
				     double similarity, const char *match_type)
{
	struct duplicates_candidate *candidate = &out->candidates[out->candidate_count++];

	*candidate = (struct duplicates_candidate){
		.a = &s->facts[a],
		.b = &s->facts[b],
		.similarity = similarity,
		.match_type = match_type,
	};
	duplicates_give_reason(s, candidate, a, b);
}

/* First what is equal, then what is nearly so. */
static void duplicates_make_candidates(struct duplicates *out, struct search *s)
{
	out->candidates = arena_alloc(s->arena,
				      (s->count + s->pair_count + 1) * sizeof *out->candidates);
	for (size_t c = 0; c < s->class_count; c++) {
		size_t first = s->classes[c].first;

		for (size_t i = s->next[first]; i != NONE; i = s->next[i]) {
			out->pair_count++;
			if (!duplicates_are_grouped(s, first, i))
				duplicates_add_candidate(out, s, first, i, 1, "exact");
		}
	}
	for (size_t i = 0; i < s->pair_count; i++) {
		size_t a = s->classes[s->pairs[i].a].first;
		size_t b = s->classes[s->pairs[i].b].first;

		if (!duplicates_are_grouped(s, a, b))
			duplicates_add_candidate(out, s, a, b, s->pairs[i].similarity,
						 "near_duplicate");
	}
}

void duplicates_find(struct duplicates *out, const struct facts *facts, size_t count,
		     double threshold, const struct progress *progress, struct arena *arena)
{
	struct search s = {.facts = facts, .count = count, .progress = progress, .arena = arena};

	*out = (struct duplicates){0};
	s.texts = arena_alloc(&s.own, (count + 1) * sizeof *s.texts);
	s.class_of = arena_alloc(&s.own, (count + 1) * sizeof *s.class_of);
	s.next = arena_alloc(&s.own, (count + 1) * sizeof *s.next);
	s.root = arena_alloc(&s.own, (count + 1) * sizeof *s.root);
	for (size_t i = 0; i < count; i++) {
		duplicates_text_read(&s.texts[i], facts[i].item, &s.own);
		s.root[i] = NONE;
	}
	duplicates_find_classes(&s);
	out->pair_count = duplicates_find_pairs(&s, threshold);
	duplicates_find_roots(&s);
	duplicates_make_groups(out, &s);
	duplicates_make_candidates(out, &s);
	for (size_t c = 0; c < s.class_count; c++)
		free(s.classes[c].hosts);
	free(s.pairs);
	arena_release(&s.own);
}

bool duplicates_compare(struct duplicates_candidate *out, const struct facts *a,
			const struct facts *b, struct arena *arena)
{
	struct duplicates_text first;
	struct duplicates_text second;
	STR_AUTO why = STR_INIT;

	duplicates_text_read(&first, a->item, arena);
	duplicates_text_read(&second, b->item, arena);
	*out = (struct duplicates_candidate){
		.a = a,
		.b = b,
		.similarity = similar_texts(first.words, second.words),
		.conflict = duplicates_conflict(&first, &second, &why),
		.match_type = "near_duplicate",
	};
	out->reason = arena_copy(arena, str_slice(&why));
	return out->conflict;
}

/* ---- the plan and the reply */

void duplicates_plan(struct duplicates *duplicates, struct plan *plan, double floor,
		     struct arena *arena)
{
	for (size_t i = 0; i < duplicates->group_count; i++) {
		struct merging *merging = &duplicates->groups[i];

		merging_decide(merging, KEEP_LONGEST, arena);
		if (merging_salience(merging) >= floor) {
			plan_because(plan, merging_plan(merging, plan), "they say the same");
			continue;
		}
		duplicates->candidates[duplicates->candidate_count++] =
			(struct duplicates_candidate){
				.a = merging->parts[0],
				.b = merging->parts[1],
				.similarity = merging->cohesion,
				.reason = slice_of("as one they would be pruned the next time"),
				.match_type = "exact",
			};
	}
}

void duplicates_write_candidate(struct json_writer *w, const struct duplicates_candidate *candidate)
{
	const struct slice refs[] = {candidate->a->item->ref, candidate->b->item->ref};

	common_write_texts(w, "memory_ids", refs, 2);
	common_write_score(w, "similarity", candidate->similarity);
	json_write_member_string(w, "match_type", slice_of(candidate->match_type));
	json_write_member_bool(w, "conflict", candidate->conflict);
	json_write_member_string(w, "reason", candidate->reason);
}

void duplicates_write_candidates(struct json_writer *w, const struct duplicates *duplicates,
				 size_t max)
{
	json_write_member_array(w, "candidates");
	for (size_t i = 0; i < duplicates->candidate_count && i < max; i++) {
		json_write_object(w);
		duplicates_write_candidate(w, &duplicates->candidates[i]);
		json_write_end(w);
	}
	json_write_end(w);
}
