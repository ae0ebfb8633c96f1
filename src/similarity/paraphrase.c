#include "similarity/paraphrase.h"

#include "base/arena.h"
#include "base/map.h"
#include "base/mem.h"
#include "similarity/phrase.h"
#include "text/dictionary.h"

#include <stdlib.h>

/* A set of words as bits; different words may have one bit. */
#define SIGNATURE_PARTS 4
struct signature {
	uint64_t parts[SIGNATURE_PARTS];
};

/* A word of the texts. */
struct known {
	struct slice text;
	uint32_t class; /* number of a word of the same class, its own: it stands for the class */
	bool says;      /* somewhere it says something, if the other text has it too */
};

struct paraphrase_text {
	size_t next;     /* the next text of the same bytes; SIZE_MAX: none */
	uint32_t *words; /* first numbers of words, then ranks of classes, ascending */
	uint32_t len;    /* without the words of classes that never say anything */
	uint32_t least;  /* so many of them another text must have, too */
	struct signature said;
	struct signature all;
	struct signature needed; /* what must be in the other text: numbers, names and days */
};

/* Texts that have a class among their first. */
struct class_texts {
	uint32_t *list;
	size_t count;
	size_t cap;
};

struct join {
	struct arena arena;
	struct paraphrase_text *texts;
	size_t count;
	struct known *words;
	size_t word_count;
	size_t word_cap;
	struct map ids;    /* of words */
	uint32_t *rank_of; /* by word that stands for a class: rare ones have low ranks */
	struct class_texts *postings; /* by rank */
	uint32_t *seen;               /* by text: the last one that met it, counted from 1 */
};

/* ---- classes of words */

static uint32_t paraphrase_class(struct join *join, uint32_t word)
{
	while (join->words[word].class != word) {
		uint32_t above = join->words[word].class;

		join->words[word].class = join->words[above].class;
		word = above;
	}
	return word;
}

static void paraphrase_join_classes(struct join *join, uint32_t a, uint32_t b)
{
	join->words[paraphrase_class(join, a)].class = paraphrase_class(join, b);
}

static uint32_t paraphrase_id(struct join *join, struct slice text)
{
	size_t id = join->word_count;

	if (map_get(&join->ids, text, &id))
		return (uint32_t)id;
	text = arena_copy(&join->arena, text);
	map_put(&join->ids, text, id);
	*MEM_ADD(join->words, join->word_count,
		 join->word_cap) = (struct known){.text = text, .class = (uint32_t)id};
	return (uint32_t)id;
}

/* What phrase_share() and dictionary_opposed() may pair is of one class. */
static uint32_t paraphrase_classify(struct join *join, const struct word *word)
{
	uint32_t id = paraphrase_id(join, word->text);
	STR_AUTO name = STR_INIT;

	/* No word begins with a space: these are names of classes. */
	str_addc(&name, ' ');
	str_add(&name, word->stem);
	paraphrase_join_classes(join, id, paraphrase_id(join, str_slice(&name)));
	/* One stem of a family is the beginning of the other. */
	for (size_t cut = 0; cut <= FAMILY_ENDING && cut + FAMILY_STEM <= word->stem.len; cut++) {
		str_clear(&name);
		str_adds(&name, "   ");
		str_add(&name, slice_make(word->stem.ptr, word->stem.len - cut));
		paraphrase_join_classes(join, id, paraphrase_id(join, str_slice(&name)));
	}
	for (size_t i = 0; i < word->listed.count; i++) {
		if (word->listed.rows[i].list != DICTIONARY_OPPOSITES)
			continue;
		str_clear(&name);
		str_printf(&name, "  %u", word->listed.rows[i].line);
		paraphrase_join_classes(join, id, paraphrase_id(join, str_slice(&name)));
	}
	if (word->listed.turned.len)
		paraphrase_join_classes(join, id, paraphrase_id(join, word->listed.turned));
	return id;
}

/* ---- texts */

static void paraphrase_mark(struct signature *signature, uint32_t class)
{
	uint32_t bit = class * 2654435761u >> 24;

	signature->parts[bit / 64] |= (uint64_t)1 << bit % 64;
}

/* At least so many words of the first set are not in the second. */
static uint32_t paraphrase_lacking(const struct signature *a, const struct signature *b)
{
	uint32_t bits = 0;

	for (size_t i = 0; i < SIGNATURE_PARTS; i++)
		bits += (uint32_t)__builtin_popcountll(a->parts[i] & ~b->parts[i]);
	return bits;
}

/*
 * How many words must be shared, where so many say something in any case. Either nothing is left
 * over on either side, and two are shared; or four, and what is left over is at most 3/5 of them.
 */
static uint32_t paraphrase_least(uint32_t strict)
{
	uint32_t whole = strict > 2 ? strict : 2;
	uint32_t most = (5 * strict + 7) / 8;

	most = most > 4 ? most : 4;
	return whole < most ? whole : most;
}

/* Notes the words of a text; they are classes only when all texts have been read. */
static void paraphrase_note(struct join *join, struct paraphrase_text *text,
			    const struct statement *statement, uint64_t *needed)
{
	uint32_t strict = 0;

	text->words = arena_alloc(&join->arena, (statement->word_count + 1) * sizeof *text->words);
	for (size_t i = 0; i < statement->word_count; i++) {
		struct word word = statement->words[i];
		uint32_t id = paraphrase_classify(join, &word);
		bool says = phrase_says(&word);

		strict += says;
		if (says && word.kind != KIND_WORD)
			*needed |= (uint64_t)1 << i;
		word.shared = true;
		join->words[id].says = join->words[id].says || phrase_says(&word);
		text->words[text->len++] = id;
	}
	text->least = paraphrase_least(strict);
}

static int paraphrase_compare_ranks(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* Puts the ranks of classes that say something in the place of words. */
static void paraphrase_rank(struct join *join, struct paraphrase_text *text, uint64_t needed)
{
	uint32_t len = 0;

	for (uint32_t i = 0; i < text->len; i++) {
		uint32_t class = paraphrase_class(join, text->words[i]);

		paraphrase_mark(&text->all, class);
		if (needed >> i & 1)
			paraphrase_mark(&text->needed, class);
		if (!join->words[class].says)
			continue;
		paraphrase_mark(&text->said, class);
		text->words[len++] = join->rank_of[class];
	}
	text->len = len;
	if (len)
		qsort(text->words, len, sizeof *text->words, paraphrase_compare_ranks);
}

/* ---- ranks of classes */

struct ranked {
	uint32_t class;
	uint32_t uses;
};

static int paraphrase_compare_uses(const void *a, const void *b)
{
	const struct ranked *x = a;
	const struct ranked *y = b;

	if (x->uses != y->uses)
		return x->uses < y->uses ? -1 : 1;
	return x->class < y->class ? -1 : x->class > y->class;
}

static void paraphrase_rank_classes(struct join *join)
{
	struct ranked *ranked = mem_zalloc(join->word_count, sizeof *ranked);

	for (uint32_t w = 0; w < join->word_count; w++) {
		uint32_t class = paraphrase_class(join, w);

		ranked[w].class = w;
		join->words[class].says = join->words[class].says || join->words[w].says;
	}
	for (size_t t = 0; t < join->count; t++)
		for (uint32_t i = 0; i < join->texts[t].len; i++)
			ranked[paraphrase_class(join, join->texts[t].words[i])].uses++;
	if (join->word_count)
		qsort(ranked, join->word_count, sizeof *ranked, paraphrase_compare_uses);
	join->rank_of = arena_alloc(&join->arena, (join->word_count + 1) * sizeof *join->rank_of);
	for (uint32_t r = 0; r < join->word_count; r++)
		join->rank_of[ranked[r].class] = r;
	free(ranked);
}

/* ---- pairs */

/* Do they share so many words? */
static bool paraphrase_shares(const struct paraphrase_text *a, const struct paraphrase_text *b,
			      uint32_t least)
{
	uint32_t both = 0;
	uint32_t i = 0;
	uint32_t j = 0;

	while (i < a->len && j < b->len) {
		uint32_t x = a->words[i];
		uint32_t y = b->words[j];

		if (both + a->len - i < least || both + b->len - j < least)
			return false;
		both += x == y;
		i += x <= y;
		j += y <= x;
	}
	return both >= least;
}

static bool paraphrase_is_likely(const struct paraphrase_text *a, const struct paraphrase_text *b)
{
	uint32_t least = a->least > b->least ? a->least : b->least;

	return a->len >= least && b->len >= least && !paraphrase_lacking(&a->needed, &b->all) &&
	       !paraphrase_lacking(&b->needed, &a->all) &&
	       paraphrase_lacking(&a->said, &b->all) <= a->len - least &&
	       paraphrase_lacking(&b->said, &a->all) <= b->len - least &&
	       paraphrase_shares(a, b, least);
}

/* Visits all copies of the one with all of the other. */
static bool paraphrase_visit_copies(const struct join *join, size_t one, size_t other,
				    paraphrase_visit visit, void *context)
{
	for (size_t a = one; a != SIZE_MAX; a = join->texts[a].next)
		for (size_t b = other; b != SIZE_MAX; b = join->texts[b].next)
			if (!visit(context, a < b ? a : b, a < b ? b : a))
				return false;
	return true;
}

/* Visits the pairs of a text with those before it, and adds it to them. */
static bool paraphrase_pair(struct join *join, size_t at, paraphrase_visit visit, void *context)
{
	const struct paraphrase_text *text = &join->texts[at];
	uint32_t first = text->len && text->len >= text->least ? text->len - text->least + 1 : 0;

	/* Of the words that are shared at least one is among the first of both. */
	for (uint32_t i = 0; i < first; i++) {
		struct class_texts *list = &join->postings[text->words[i]];

		if (i > 0 && text->words[i] == text->words[i - 1])
			continue;
		for (size_t k = 0; k < list->count; k++) {
			uint32_t other = list->list[k];

			if (join->seen[other] == at + 1)
				continue;
			join->seen[other] = (uint32_t)at + 1;
			if (paraphrase_is_likely(text, &join->texts[other]) &&
			    !paraphrase_visit_copies(join, other, at, visit, context))
				return false;
		}
		*MEM_ADD(list->list, list->count, list->cap) = (uint32_t)at;
	}
	return true;
}

/* Of copies the first one has the others behind it, and stands for them. */
static void paraphrase_join_init(struct join *join, const struct statement *texts, size_t count)
{
	MAP_AUTO firsts = MAP_INIT;
	uint64_t *needed = mem_zalloc(count, sizeof *needed);
	size_t *last = mem_zalloc(count, sizeof *last);

	*join = (struct join){.count = count};
	join->texts = mem_zalloc(count, sizeof *join->texts);
	join->seen = mem_zalloc(count, sizeof *join->seen);
	for (size_t t = 0; t < count; t++) {
		size_t first;

		join->texts[t].next = SIZE_MAX;
		if (map_get(&firsts, texts[t].text, &first)) {
			join->texts[last[first]].next = t;
			last[first] = t;
			continue;
		}
		map_put(&firsts, texts[t].text, t);
		last[t] = t;
		paraphrase_note(join, &join->texts[t], &texts[t], &needed[t]);
	}
	paraphrase_rank_classes(join);
	for (size_t t = 0; t < count; t++)
		paraphrase_rank(join, &join->texts[t], needed[t]);
	join->postings = mem_zalloc(join->word_count, sizeof *join->postings);
	free(last);
	free(needed);
}

void paraphrase_find(const struct statement *texts, size_t count, paraphrase_visit visit,
		     void *context)
{
	struct join join;

	paraphrase_join_init(&join, texts, count);
	for (size_t t = 0; t < count && paraphrase_pair(&join, t, visit, context);)
		t++;
	for (size_t w = 0; w < join.word_count; w++)
		free(join.postings[w].list);
	free(join.postings);
	free(join.texts);
	free(join.seen);
	free(join.words);
	map_release(&join.ids);
	arena_release(&join.arena);
}
