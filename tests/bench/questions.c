/*
 * What a question costs, and the first one of a process: CPU time by the number of entries.
 *
 *	tests/bench/questions [ENTRIES...]
 *
 * Entries are sentences of twelve words, taken from english.txt so that few words are common and
 * most are rare, as in texts; the keys are two common words and a rare one. Asked are sentences as
 * people ask them: with words of a key, with words of a value, with a slip, and for nothing that is
 * there.
 */
#include "base/mem.h"
#include "lookup/lookup.h"
#include "search/search.h"
#include "text/dictionary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WORDS 12
#define KINDS 5
#define ROUNDS 40

/* Bars in milliseconds for 500, 10,000 and 100,000 entries. */
static const struct {
	size_t entries;
	double question;
	double first;
} bars[] = {{500, 0.3, 0}, {10000, 1.5, 500}, {100000, 12, 6000}};

struct bench {
	struct slice *words;
	size_t word_count;
	uint64_t seed;
	struct str *keys;
	struct str *values;
	size_t count;
	struct lookup *lookup;
	struct search *search;
};

static double now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static double random_part(struct bench *b)
{
	b->seed = b->seed * 6364136223846793005u + 1442695040888963407u;
	return (double)(b->seed >> 11) / 9007199254740992.0;
}

/* The words of english.txt in an order that has nothing to do with how they are spelt. */
static void read_words(struct bench *b)
{
	size_t cap = 0;

	for (size_t i = 0; i < dictionary_block_count; i++) {
		const char *at = dictionary_blocks[i].words;

		while (*at) {
			size_t len = strcspn(at, " ");

			b->words = mem_grow(b->words, &cap, b->word_count + 1, sizeof *b->words);
			b->words[b->word_count++] = slice_make(at, len);
			at += len + (at[len] == ' ');
		}
	}
	for (size_t i = b->word_count; i > 1; i--) {
		size_t j = (size_t)(random_part(b) * (double)i);
		struct slice word = b->words[i - 1];

		b->words[i - 1] = b->words[j];
		b->words[j] = word;
	}
}

/* The word of rank r is drawn r times as seldom as the first. */
static struct slice draw(struct bench *b)
{
	double at = exp(random_part(b) * log((double)b->word_count));

	return b->words[(size_t)at - 1 < b->word_count ? (size_t)at - 1 : 0];
}

static struct slice draw_rare(struct bench *b)
{
	return b->words[(size_t)(random_part(b) * (double)b->word_count)];
}

static void add_word(struct str *out, struct slice word, char between)
{
	if (out->len)
		str_addc(out, between);
	str_add(out, word);
}

static void write_entries(struct bench *b, size_t count)
{
	b->keys = mem_zalloc(count, sizeof *b->keys);
	b->values = mem_zalloc(count, sizeof *b->values);
	b->count = count;
	for (size_t i = 0; i < count; i++) {
		struct str value = STR_INIT;

		str_init(&b->keys[i]);
		str_init(&b->values[i]);
		add_word(&b->keys[i], draw(b), '_');
		add_word(&b->keys[i], draw(b), '_');
		add_word(&b->keys[i], draw_rare(b), '_');
		str_printf(&b->keys[i], "_%zu", i);
		for (size_t w = 0; w < WORDS; w++)
			add_word(&value, draw(b), ' ');
		str_printf(&b->values[i], "\"%s\"", value.ptr);
		str_release(&value);
	}
}

static void build(struct bench *b)
{
	b->lookup = lookup_new(NULL, 0);
	b->search = search_new(NULL, 0);
	for (size_t i = 0; i < b->count; i++)
		lookup_add(b->lookup, &(struct lookup_item){.key = str_slice(&b->keys[i]),
							    .ref = str_slice(&b->keys[i]),
							    .value = str_slice(&b->values[i])});
	for (size_t i = 0; i < b->count; i++)
		search_add(b->search, &(struct search_item){.key = str_slice(&b->keys[i]),
							    .value = str_slice(&b->values[i])});
}

/* The n-th word of a key or value. */
static struct slice part_of(const struct str *text, char between, size_t n)
{
	const char *at = text->ptr + (*text->ptr == '"');

	for (; n > 0; n--)
		at += strcspn(at, (char[]){between, '\0'}) + 1;
	return slice_make(at, strcspn(at, (char[]){between, '"', '\0'}));
}

static void write_question(struct bench *b, size_t kind, struct str *out)
{
	size_t i = (size_t)(random_part(b) * (double)b->count);
	struct slice rare = part_of(&b->keys[i], '_', 2);
	struct slice common = part_of(&b->keys[i], '_', 0);
	struct slice one = part_of(&b->values[i], ' ', 3);
	struct slice other = part_of(&b->values[i], ' ', 7);

	str_clear(out);
	if (kind == 0)
		str_printf(out, "what is the %.*s of our %.*s?", (int)rare.len, rare.ptr,
			   (int)common.len, common.ptr);
	else if (kind == 1)
		str_printf(out, "when does the %.*s go with the %.*s?", (int)one.len, one.ptr,
			   (int)other.len, other.ptr);
	else if (kind == 2)
		str_printf(out, "how do we use %.*sx with %.*s", (int)rare.len, rare.ptr,
			   (int)one.len, one.ptr);
	else if (kind == 3)
		str_printf(out, "which %.*s did the zorbling quaffle prefer last week?",
			   (int)common.len, common.ptr);
	else
		str_printf(out, "%.*s %.*s %.*s", (int)other.len, other.ptr, (int)one.len, one.ptr,
			   (int)common.len, common.ptr);
}

/* As memory_get does: the lookup, and the first result of the search where it finds nothing. */
static void ask(struct bench *b, struct slice query)
{
	struct lookup_answer answer;
	const struct search_hit *hits;
	double confidence;
	size_t count;

	lookup_find(b->lookup, query, LOOKUP_ANY_SCOPE, &answer);
	if (answer.found)
		return;
	count = search_find(b->search, query, NULL, &hits);
	if (count && search_is_sure(&hits[0], count > 1 ? &hits[1] : NULL, &confidence))
		lookup_take(b->lookup, query, hits[0].item, confidence, &answer);
}

static void print_times(const struct bench *b, double first, const double kinds[KINDS])
{
	double mean = 0;

	for (size_t k = 0; k < KINDS; k++)
		mean += kinds[k] / KINDS;
	printf("%7zu entries: indexes %8.1f ms; a question %7.3f ms (", b->count, first, mean);
	for (size_t k = 0; k < KINDS; k++)
		printf("%s%.3f", k ? ", " : "", kinds[k]);
	printf(")");
	for (size_t i = 0; i < sizeof bars / sizeof *bars; i++)
		if (bars[i].entries == b->count)
			printf("; bars %.0f, %.1f", bars[i].first, bars[i].question);
	printf("\n");
}

static void measure(size_t entries)
{
	struct bench b = {.seed = 7};
	struct str query = STR_INIT;
	double kinds[KINDS] = {0};
	double first;

	read_words(&b);
	write_entries(&b, entries);
	first = now_ms();
	build(&b);
	first = now_ms() - first;
	for (size_t round = 0; round < ROUNDS; round++) {
		for (size_t kind = 0; kind < KINDS; kind++) {
			double from;

			write_question(&b, kind, &query);
			from = now_ms();
			ask(&b, str_slice(&query));
			kinds[kind] += (now_ms() - from) / ROUNDS;
		}
	}
	print_times(&b, first, kinds);
	lookup_free(b.lookup);
	search_free(b.search);
	for (size_t i = 0; i < entries; i++) {
		str_release(&b.keys[i]);
		str_release(&b.values[i]);
	}
	free(b.keys);
	free(b.values);
	free(b.words);
	str_release(&query);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		measure((size_t)strtoull(argv[i], NULL, 10));
	for (size_t i = 0; argc == 1 && i < sizeof bars / sizeof *bars; i++)
		measure(bars[i].entries);
	return 0;
}
