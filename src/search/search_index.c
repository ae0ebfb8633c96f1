#include "search/search_index.h"

#include "base/mem.h"
#include "text/normalize.h"
#include "text/stem.h"
#include "text/value_text.h"

#include <stdlib.h>
#include <string.h>

/* What a word counts where it stands. */
#define KEY_WEIGHT 2.0
#define VALUE_WEIGHT 1.0
#define LABEL_WEIGHT 1.5
#define ABOUT_WEIGHT 0.5

/* A key of so many characters is asked for in one piece, if ever. */
#define COMPACT_MAX 64

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
	uint32_t *terms; /* that it has postings of */
	size_t term_count;
	size_t term_cap;
};

static struct slice search_index_bytes_of(const uint32_t *chars, size_t len)
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
	uint32_t *stem = arena_alloc(arena, STEM_ROOM(len) * sizeof *stem);
	struct text text = {.chars = chars, .len = len};
	struct text_word number = text_plain_number(chars, (struct text_word){0, len});
	struct text_word whole = {0, len};
	bool ascii = true;

	for (uint32_t i = 0; i < len; i++)
		ascii &= chars[i] < 0x80;
	if (ascii && umlauts_as_e)
		return false;
	if (number.len) {
		*out = search_index_bytes_of(chars + number.start, number.len);
		return true;
	}
	if (!ascii && len <= STEM_LEN_MAX) {
		struct text plain;

		text.words = &whole;
		text.word_count = 1;
		text_join(arena, &text, &plain);
		if (normalize_fold(plain.bytes, umlauts_as_e, &folded)) {
			text_make(arena, str_slice(&folded), &text);
			stem = arena_alloc(arena, STEM_ROOM(text.len) * sizeof *stem);
		}
	}
	*out = search_index_bytes_of(stem, stem_word(text.chars, text.len, stem));
	return true;
}

static void search_index_add_kin(struct search *index, uint32_t term, struct slice stem)
{
	size_t newest;
	size_t number = index->kin_count++;

	index->kin = mem_grow(index->kin, &index->kin_cap, index->kin_count, sizeof *index->kin);
	index->kin[number].term = term;
	index->kin[number].next = map_get(&index->kins, stem, &newest) ? (uint32_t)newest
								       : SEARCH_NONE;
	map_put(&index->kins, stem, number);
}

static uint32_t search_index_new_term(struct search *index, const uint32_t *chars, uint32_t len)
{
	uint32_t *copy = arena_alloc(&index->arena, (len + 1) * sizeof *copy);
	size_t id = index->term_count++;
	struct search_term *term;
	struct slice stem;
	struct slice other;
	struct search_shape shape = {0};

	memcpy(copy, chars, len * sizeof *copy);
	index->terms = mem_grow(index->terms, &index->term_cap, index->term_count,
				sizeof *index->terms);
	term = &index->terms[id];
	*term = (struct search_term){.chars = copy, .len = len};
	index->shapes = mem_grow(index->shapes, &index->shape_cap, index->term_count,
				 sizeof *index->shapes);
	if (!text_has_digit(copy, len))
		shape = (struct search_shape){text_bag(copy, len), text_triples(copy, len), len};
	index->shapes[id] = shape;
	columns_add(&index->bags, shape.bag);
	columns_add(&index->triples, shape.triples);
	columns_add(&index->beginnings, shape.len ? search_beginnings(search_start(copy, len)) : 0);
	map_put(&index->ids, search_index_bytes_of(copy, len), id);
	search_stem(&index->arena, copy, len, false, &stem);
	search_index_add_kin(index, (uint32_t)id, stem);
	if (search_stem(&index->arena, copy, len, true, &other) && !slice_equal(stem, other))
		search_index_add_kin(index, (uint32_t)id, other);
	return (uint32_t)id;
}

static uint32_t search_index_term_of(struct search *index, const uint32_t *chars, uint32_t len)
{
	size_t id;

	if (map_get(&index->ids, search_index_bytes_of(chars, len), &id))
		return (uint32_t)id;
	return search_index_new_term(index, chars, len);
}

uint32_t search_term_of(const struct search *index, const uint32_t *chars, uint32_t len)
{
	size_t id;

	if (!map_get(&index->ids, search_index_bytes_of(chars, len), &id) ||
	    !index->terms[id].holding)
		return SEARCH_NONE;
	return (uint32_t)id;
}

static bool search_index_has_posting(const struct builder *b, uint32_t id)
{
	const struct search_term *term = &b->index->terms[id];

	return term->count && term->postings[term->count - 1].item == b->item;
}

static void search_index_add_posting(struct builder *b, uint32_t id, double weight)
{
	struct search_term *term = &b->index->terms[id];

	if (search_index_has_posting(b, id)) {
		term->postings[term->count - 1].weight += (float)weight;
		return;
	}
	term->postings = mem_grow(term->postings, &term->cap, term->count + 1,
				  sizeof *term->postings);
	term->postings[term->count++] = (struct search_posting){b->item, (float)weight};
	term->holding++;
	b->terms = mem_grow(b->terms, &b->term_cap, b->term_count + 1, sizeof *b->terms);
	b->terms[b->term_count++] = id;
}

static void search_index_add_token(struct builder *b, uint32_t token)
{
	b->tokens = mem_grow(b->tokens, &b->token_cap, b->token_count + 1, sizeof *b->tokens);
	b->tokens[b->token_count++] = token;
}

static void search_index_add_word(struct builder *b, const uint32_t *chars, uint32_t len,
				  double weight)
{
	uint32_t term = search_index_term_of(b->index, chars, len);

	search_index_add_posting(b, term, weight);
	search_index_add_token(b, term);
	b->index->entries[b->item].length += weight;
}

static void search_index_add_text(struct builder *b, const struct text *text, double weight)
{
	for (uint32_t i = 0; i < text->word_count; i++) {
		const uint32_t *chars = text->chars + text->words[i].start;

		search_index_add_word(b, chars, text->words[i].len, weight);
		if (search_is_pair(text, i))
			search_index_add_posting(b, search_index_term_of(b->index, chars, 2),
						 weight);
	}
	search_index_add_token(b, SEARCH_NONE);
}

/* Names that were taken apart at their capitals also count in one piece: GeoSync is geosync. */
static void search_index_add_unsplit(struct builder *b, const struct text *text, double weight)
{
	for (uint32_t i = 0; i < text->word_count; i++) {
		const uint32_t *chars = text->chars + text->words[i].start;
		uint32_t id = search_index_term_of(b->index, chars, text->words[i].len);

		if (!search_index_has_posting(b, id))
			search_index_add_posting(b, id, weight);
	}
}

static void search_index_add_field(struct builder *b, struct slice field, double weight)
{
	struct text text;

	if (!field.ptr || !field.len)
		return;
	normalize_words(field, &b->normal);
	text_make(&b->scratch, str_slice(&b->normal), &text);
	search_index_add_text(b, &text, weight);
	normalize_identity(field, &b->other);
	if (!slice_equal(str_slice(&b->normal), str_slice(&b->other))) {
		text_make(&b->scratch, str_slice(&b->other), &text);
		search_index_add_unsplit(b, &text, weight);
	}
}

/* A key of several words also counts without its spaces: 550e8400-e29b as 550e8400e29b. */
static void search_index_add_compact(struct builder *b, struct slice key)
{
	struct text text;
	struct text compact;

	if (!key.ptr)
		return;
	normalize_identity(key, &b->normal);
	text_make(&b->scratch, str_slice(&b->normal), &text);
	text_join_compact(&b->scratch, &text, &compact);
	if (text.word_count > 1 && compact.word_count == 1 && compact.len <= COMPACT_MAX)
		search_index_add_unsplit(b, &compact, KEY_WEIGHT);
}

/* Keeps a list of the builder as long as the index lives. */
static const uint32_t *search_index_keep(struct builder *b, const uint32_t *list, size_t count)
{
	uint32_t *copy = arena_alloc(&b->index->arena, (count + 1) * sizeof *copy);

	if (count)
		memcpy(copy, list, count * sizeof *copy);
	return copy;
}

/* Does the text end as a question does? */
static bool search_index_asks(struct slice text)
{
	while (text.len && (text.ptr[text.len - 1] == ' ' || text.ptr[text.len - 1] == '\n'))
		text.len--;
	return slice_ends(text, "?") || slice_ends(text, "\xef\xbc\x9f");
}

static void search_index_add_item(struct builder *b, const struct search_item *item)
{
	struct search_entry *entry = &b->index->entries[b->item];
	size_t value_at;

	search_index_add_field(b, item->key, KEY_WEIGHT);
	search_index_add_compact(b, item->key);
	value_at = b->token_count;
	str_add(&b->value, item->text);
	if (item->doc)
		value_text(item->doc, item->node, &b->value, &b->switches);
	else if (item->value.ptr)
		value_text_of_json(item->value, &b->value, &b->switches);
	entry->asks = search_index_asks(str_slice(&b->value));
	search_index_add_field(b, str_slice(&b->value), VALUE_WEIGHT);
	if (b->token_count - value_at > TELLING_WORDS)
		entry->digest = hash64(
			search_index_bytes_of(b->tokens + value_at, b->token_count - value_at));
	else if (b->token_count)
		entry->digest = hash64(search_index_bytes_of(b->tokens, b->token_count));
	search_index_add_field(b, item->labels, LABEL_WEIGHT);
	search_index_add_field(b, item->about, ABOUT_WEIGHT);
	entry->tokens = search_index_keep(b, b->tokens, b->token_count);
	entry->token_count = (uint32_t)b->token_count;
	entry->terms = search_index_keep(b, b->terms, b->term_count);
	entry->term_count = (uint32_t)b->term_count;
	entry->place = b->item;
	b->index->total_length += entry->length;
}

/* What is kept for each item and term while a query is asked. */
static void search_index_make_scratch(struct search *index)
{
	size_t items = index->entry_count;

	index->tallies = mem_grow_cleared(index->tallies, &index->tally_cap, items,
					  sizeof *index->tallies);
	index->touched = mem_grow_cleared(index->touched, &index->touched_cap, items,
					  sizeof *index->touched);
	index->found = mem_grow_cleared(index->found, &index->found_cap, items,
					sizeof *index->found);
	index->word_of = mem_grow_cleared(index->word_of, &index->word_of_cap, index->term_count,
					  sizeof *index->word_of);
}

size_t search_add(struct search *index, const struct search_item *item)
{
	struct builder b = {.index = index,
			    .item = (uint32_t)index->entry_count++,
			    .normal = STR_INIT,
			    .other = STR_INIT,
			    .value = STR_INIT,
			    .switches = STR_INIT};

	index->entries = mem_grow_cleared(index->entries, &index->entry_cap, index->entry_count,
					  sizeof *index->entries);
	search_index_add_item(&b, item);
	index->live_count++;
	search_index_make_scratch(index);
	arena_release(&b.scratch);
	free(b.tokens);
	free(b.terms);
	str_release(&b.normal);
	str_release(&b.other);
	str_release(&b.value);
	str_release(&b.switches);
	return b.item;
}

void search_remove(struct search *index, size_t item)
{
	struct search_entry *entry;

	if (item >= index->entry_count || index->entries[item].gone)
		return;
	entry = &index->entries[item];
	for (uint32_t i = 0; i < entry->term_count; i++)
		index->terms[entry->terms[i]].holding--;
	entry->gone = true;
	index->total_length -= entry->length;
	index->live_count--;
}
