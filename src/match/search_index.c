#include "match/search_index.h"

#include "base/hash.h"
#include "base/mem.h"
#include "match/normalize.h"
#include "match/stem.h"
#include "match/value.h"

#include <stdlib.h>
#include <string.h>

/* What a word counts where it stands. */
#define KEY_WEIGHT 2.0
#define VALUE_WEIGHT_HERE 1.0
#define LABEL_WEIGHT 1.5
#define ABOUT_WEIGHT 0.5

/* A value of so many words says by itself what it is about. */
#define TELLING_WORDS 6

/* What is at work while one item after the other is added. */
struct builder {
	struct search *index;
	uint32_t item;
	struct arena scratch; /* decoded texts of the item */
	struct str normal;
	struct str other;
	struct str value;
	struct str switches;
	uint32_t *tokens;
	size_t token_count;
	size_t token_cap;
};

static struct slice bytes_of(const uint32_t *chars, size_t len)
{
	return slice_make((const char *)chars, len * sizeof *chars);
}

bool search_is_pair(const struct text *text, uint32_t word)
{
	const struct text_word *words = text->words;

	return word + 1 < text->word_count && words[word].len == 1 && words[word + 1].len == 1 &&
	       words[word + 1].start == words[word].start + 1;
}

bool search_stem(struct arena *arena, const uint32_t *chars, uint32_t len, bool umlauts_as_e,
		 struct slice *out)
{
	STR_AUTO folded = STR_INIT;
	uint32_t *stem = arena_alloc(arena, (len + 1) * sizeof *stem);
	struct text text = {.chars = chars, .len = len};
	struct text_word whole = {0, len};
	bool ascii = true;

	for (uint32_t i = 0; i < len; i++)
		ascii &= chars[i] < 0x80;
	if (ascii && umlauts_as_e)
		return false;
	if (!ascii && len <= STEM_LEN_MAX) {
		struct text plain;

		text.words = &whole;
		text.word_count = 1;
		text_join(arena, &text, &plain);
		if (normalize_fold(plain.bytes, umlauts_as_e, &folded)) {
			text_make(arena, str_slice(&folded), &text);
			stem = arena_alloc(arena, (text.len + 1) * sizeof *stem);
		}
	}
	*out = bytes_of(stem, stem_word(text.chars, text.len, stem));
	return true;
}

static void add_kin(struct search *index, uint32_t term, struct slice stem)
{
	size_t newest;
	size_t number = index->kin_count++;

	index->kin = mem_grow(index->kin, &index->kin_cap, index->kin_count, sizeof *index->kin);
	index->kin[number].term = term;
	index->kin[number].next = map_get(&index->kins, stem, &newest) ? (uint32_t)newest
								       : SEARCH_NONE;
	map_put(&index->kins, stem, number);
}

static uint32_t new_term(struct search *index, const uint32_t *chars, uint32_t len)
{
	uint32_t *copy = arena_alloc(&index->arena, (len + 1) * sizeof *copy);
	size_t id = index->term_count++;
	struct search_term *term;
	struct slice stem;
	struct slice other;

	memcpy(copy, chars, len * sizeof *copy);
	index->terms = mem_grow(index->terms, &index->term_cap, index->term_count,
				sizeof *index->terms);
	term = &index->terms[id];
	*term = (struct search_term){.chars = copy, .len = len};
	term->has_digit = text_has_digit(copy, len);
	term->bag = text_bag(copy, len);
	map_put(&index->ids, bytes_of(copy, len), id);
	search_stem(&index->arena, copy, len, false, &stem);
	add_kin(index, (uint32_t)id, stem);
	if (search_stem(&index->arena, copy, len, true, &other) && !slice_equal(stem, other))
		add_kin(index, (uint32_t)id, other);
	return (uint32_t)id;
}

static uint32_t term_of(struct search *index, const uint32_t *chars, uint32_t len)
{
	size_t id;

	if (map_get(&index->ids, bytes_of(chars, len), &id))
		return (uint32_t)id;
	return new_term(index, chars, len);
}

static void add_posting(struct search *index, uint32_t id, uint32_t item, double weight)
{
	struct search_term *term = &index->terms[id];

	if (term->count && term->postings[term->count - 1].item == item) {
		term->postings[term->count - 1].weight += (float)weight;
		return;
	}
	term->postings = mem_grow(term->postings, &term->cap, term->count + 1,
				  sizeof *term->postings);
	term->postings[term->count++] = (struct search_posting){item, (float)weight};
}

static void add_token(struct builder *b, uint32_t token)
{
	b->tokens = mem_grow(b->tokens, &b->token_cap, b->token_count + 1, sizeof *b->tokens);
	b->tokens[b->token_count++] = token;
}

static void add_word(struct builder *b, const uint32_t *chars, uint32_t len, double weight)
{
	uint32_t term = term_of(b->index, chars, len);

	add_posting(b->index, term, b->item, weight);
	add_token(b, term);
	b->index->entries[b->item].length += weight;
}

static void add_text(struct builder *b, const struct text *text, double weight)
{
	for (uint32_t i = 0; i < text->word_count; i++) {
		const uint32_t *chars = text->chars + text->words[i].start;

		add_word(b, chars, text->words[i].len, weight);
		if (search_is_pair(text, i))
			add_posting(b->index, term_of(b->index, chars, 2), b->item, weight);
	}
	add_token(b, SEARCH_NONE);
}

/* Names that were taken apart at their capitals also count in one piece: GeoSync is geosync. */
static void add_unsplit(struct builder *b, const struct text *text, double weight)
{
	for (uint32_t i = 0; i < text->word_count; i++) {
		const uint32_t *chars = text->chars + text->words[i].start;
		uint32_t id = term_of(b->index, chars, text->words[i].len);
		const struct search_term *term = &b->index->terms[id];

		if (!term->count || term->postings[term->count - 1].item != b->item)
			add_posting(b->index, id, b->item, weight);
	}
}

static void add_field(struct builder *b, struct slice field, double weight)
{
	struct text text;

	if (!field.ptr || !field.len)
		return;
	normalize_words(field, &b->normal);
	text_make(&b->scratch, str_slice(&b->normal), &text);
	add_text(b, &text, weight);
	normalize_identity(field, &b->other);
	if (!slice_equal(str_slice(&b->normal), str_slice(&b->other))) {
		text_make(&b->scratch, str_slice(&b->other), &text);
		add_unsplit(b, &text, weight);
	}
}

static void add_item(struct builder *b, const struct search_item *item)
{
	struct search_entry *entry = &b->index->entries[b->item];
	uint32_t *tokens;

	size_t value_at;

	b->token_count = 0;
	add_field(b, item->key, KEY_WEIGHT);
	value_at = b->token_count;
	str_clear(&b->value);
	str_clear(&b->switches);
	value_text(item->value, &b->value, &b->switches);
	add_field(b, str_slice(&b->value), VALUE_WEIGHT_HERE);
	if (b->token_count - value_at > TELLING_WORDS)
		entry->digest = hash64(bytes_of(b->tokens + value_at, b->token_count - value_at));
	else if (b->token_count)
		entry->digest = hash64(bytes_of(b->tokens, b->token_count));
	add_field(b, item->labels, LABEL_WEIGHT);
	add_field(b, item->about, ABOUT_WEIGHT);
	tokens = arena_alloc(&b->index->arena, (b->token_count + 1) * sizeof *tokens);
	if (b->token_count)
		memcpy(tokens, b->tokens, b->token_count * sizeof *tokens);
	entry->tokens = tokens;
	entry->token_count = (uint32_t)b->token_count;
	b->index->mean_length += entry->length;
	arena_release(&b->scratch);
}

void search_index_build(struct search *index, const struct search_item *items, size_t count)
{
	struct builder b = {.index = index,
			    .normal = STR_INIT,
			    .other = STR_INIT,
			    .value = STR_INIT,
			    .switches = STR_INIT};

	index->entries = mem_zalloc(count, sizeof *index->entries);
	index->entry_count = count;
	for (size_t i = 0; i < count; i++) {
		b.item = (uint32_t)i;
		add_item(&b, &items[i]);
	}
	if (index->mean_length > 0)
		index->mean_length /= (double)count;
	index->tallies = mem_zalloc(count, sizeof *index->tallies);
	index->touched = mem_zalloc(count, sizeof *index->touched);
	index->found = mem_zalloc(count, sizeof *index->found);
	index->word_of = mem_zalloc(index->term_count, sizeof *index->word_of);
	free(b.tokens);
	str_release(&b.normal);
	str_release(&b.other);
	str_release(&b.value);
	str_release(&b.switches);
}
