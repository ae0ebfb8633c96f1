#include "lookup/lookup_index.h"

#include "base/mem.h"
#include "text/normalize.h"
#include "text/value_text.h"

#include <string.h>

/* Texts that live while an item is added. */
struct builder {
	struct lookup *index;
	uint32_t item;
	struct arena scratch;
	struct str split;
	struct str plain;
	struct str folded;
	struct str umlauts;
};

void index_symbols(struct slice key, struct str *out)
{
	static const char selector[] = "\xEF\xB8\x8F"; /* U+FE0F, asks for a coloured picture */

	str_clear(out);
	for (size_t i = 0; i < key.len; i++) {
		if (key.len - i >= 3 && memcmp(key.ptr + i, selector, 3) == 0)
			i += 2;
		else if ((unsigned char)key.ptr[i] > ' ' && key.ptr[i] != '_')
			str_addc(out, key.ptr[i]);
	}
}

/* Chains the name to the others that are equal but for spaces. */
static void index_add_name(struct builder *b, struct slice key, bool former)
{
	struct lookup *index = b->index;
	struct map *map = &index->compact;
	size_t number = index->name_count++;
	struct slice text;
	size_t newest;

	normalize_words(key, &b->split);
	str_clear(&b->plain);
	for (size_t i = 0; i < b->split.len; i++) {
		if (b->split.ptr[i] != ' ')
			str_addc(&b->plain, b->split.ptr[i]);
	}
	if (!b->split.len) {
		index_symbols(key, &b->plain);
		map = &index->symbols;
	}
	text = arena_copy(&index->arena, str_slice(&b->plain));
	index->names = mem_grow(index->names, &index->name_cap, index->name_count,
				sizeof *index->names);
	index->names[number] = (struct item_name){b->item, former,
						  map_get(map, text, &newest) ? newest : NAME_NONE};
	map_put(map, text, number);
}

/* Puts the form where a query with about as many of the same letters finds it. */
static void index_shelve(struct lookup *index, size_t form)
{
	const struct key_form *f = &index->forms[form];
	struct shape_bucket *bucket;
	uint32_t at;

	if (f->compact.len > SHAPE_MAX)
		return;
	bucket = &index->shapes[f->compact.len];
	at = bucket->count++;
	bucket->bags = mem_grow(bucket->bags, &bucket->bag_cap, bucket->count, sizeof(uint64_t));
	bucket->shapes = mem_grow(bucket->shapes, &bucket->shape_cap, bucket->count,
				  sizeof *bucket->shapes);
	bucket->bags[at] = f->text.bag;
	bucket->shapes[at] = (struct shape){
		.pairs = text_pairs(f->compact.chars, f->compact.len),
		.sorted_pairs = text_pairs(f->sorted.chars, f->sorted.len),
		.form = (uint32_t)form,
		.longest = f->text.len > f->sorted.len ? f->text.len : f->sorted.len,
	};
	if (bucket->shapes[at].longest > bucket->longest)
		bucket->longest = bucket->shapes[at].longest;
}

static size_t index_new_form(struct lookup *index, uint32_t item)
{
	size_t number = index->form_count++;

	index->forms = mem_grow(index->forms, &index->form_cap, index->form_count,
				sizeof *index->forms);
	index->form_items = mem_grow(index->form_items, &index->form_item_cap, index->form_count,
				     sizeof *index->form_items);
	index->form_items[number] = item;
	index->forms[number] = (struct key_form){0};
	index->forms[number].item = item;
	index->entries[item].form_count++;
	return number;
}

static void index_add_form(struct builder *b, struct slice normal, size_t folded,
			   bool other_reading)
{
	struct lookup *index = b->index;
	size_t number = index_new_form(index, b->item);
	struct key_form *form = &index->forms[number];
	uint32_t *ids;

	form->folded = (uint32_t)folded;
	form->other_reading = other_reading;
	text_make(&index->arena, normal, &form->text);
	text_join_compact(&index->arena, &form->text, &form->compact);
	text_join_sorted(&index->arena, &form->text, &form->sorted);
	ids = arena_alloc(&index->arena, form->text.word_count * sizeof *ids);
	for (uint32_t i = 0; i < form->text.word_count; i++) {
		ids[i] = vocab_id(&index->vocab, &form->text, i);
		vocab_add_form(&index->vocab, ids[i], (uint32_t)number);
		vocab_add_item(&index->vocab, ids[i], b->item, VOCAB_IN_KEY, folded);
	}
	form->ids = ids;
	index_shelve(index, number);
}

/* A text without its diacritics, as a and as ae, where that makes a difference. */
static size_t index_fold(struct builder *b, const struct str *normal, bool *umlauts)
{
	size_t changed = normalize_fold(str_slice(normal), false, &b->folded);

	*umlauts = false;
	if (changed) {
		normalize_fold(str_slice(normal), true, &b->umlauts);
		*umlauts = !slice_equal(str_slice(&b->folded), str_slice(&b->umlauts));
	}
	return changed;
}

/* The forms of a key. */
static void index_add_key(struct builder *b, struct slice key)
{
	bool umlauts;
	size_t changed;

	normalize_words(key, &b->split);
	normalize_identity(key, &b->plain);
	if (!b->split.len) {
		index_new_form(b->index, b->item);
		return;
	}
	index_add_form(b, str_slice(&b->split), 0, false);
	if (!slice_equal(str_slice(&b->split), str_slice(&b->plain)))
		index_add_form(b, str_slice(&b->plain), 0, true);
	normalize_parts(key, &b->plain);
	if (!slice_equal(str_slice(&b->split), str_slice(&b->plain)))
		index_add_form(b, str_slice(&b->plain), 0, true);
	changed = index_fold(b, &b->split, &umlauts);
	if (changed)
		index_add_form(b, str_slice(&b->folded), changed, true);
	if (umlauts)
		index_add_form(b, str_slice(&b->umlauts), changed, true);
}

static void index_add_value_words(struct builder *b, const struct text *text)
{
	for (uint32_t i = 0; i < text->word_count; i++) {
		uint32_t id = vocab_id(&b->index->vocab, text, i);

		vocab_add_item(&b->index->vocab, id, b->item, VOCAB_IN_VALUE, 0);
	}
}

/* Each word of a value that has diacritics also counts without them. */
static void index_add_folded_words(struct builder *b, struct slice normal)
{
	struct lookup *index = b->index;
	struct text text;

	for (size_t at = 0; normal.ptr && at < normal.len;) {
		const char *space = memchr(normal.ptr + at, ' ', normal.len - at);
		size_t end = space ? (size_t)(space - normal.ptr) : normal.len;
		struct str word = STR_INIT;
		size_t changed;
		bool umlauts;

		str_add(&word, slice_make(normal.ptr + at, end - at));
		changed = index_fold(b, &word, &umlauts);
		for (int i = 0; i < (changed ? 1 + umlauts : 0); i++) {
			text_make(&b->scratch, str_slice(i ? &b->umlauts : &b->folded), &text);
			for (uint32_t j = 0; j < text.word_count; j++)
				vocab_add_item(&index->vocab, vocab_id(&index->vocab, &text, j),
					       b->item, VOCAB_IN_VALUE, changed);
		}
		str_release(&word);
		at = end + 1;
	}
}

/* Adds the words of a normalised text of the value and keeps it, for what contains it. */
static void index_add_value_text(struct builder *b, struct slice normal, struct text *kept)
{
	struct text text;

	text_make(&b->scratch, normal, &text);
	index_add_value_words(b, &text);
	*kept = text;
	kept->bytes = arena_copy(&b->index->arena, normal);
	kept->chars = NULL;
	kept->words = NULL;
}

static void index_add_value(struct builder *b, const struct lookup_item *item)
{
	struct lookup *index = b->index;
	struct indexed *entry = &index->entries[b->item];
	STR_AUTO said = STR_INIT;
	STR_AUTO switches = STR_INIT;
	struct text text;

	if (item->doc)
		value_text(item->doc, item->node, &said, &switches);
	else
		value_text_of_json(item->value, &said, &switches);
	normalize_words(str_slice(&said), &b->split);
	normalize_identity(str_slice(&said), &b->plain);
	index_add_value_text(b, str_slice(&b->split), &entry->value);
	entry->plain = entry->value;
	if (!slice_equal(str_slice(&b->split), str_slice(&b->plain)))
		index_add_value_text(b, str_slice(&b->plain), &entry->plain);
	index_add_folded_words(b, str_slice(&b->split));
	normalize_words(str_slice(&switches), &b->split);
	text_make(&b->scratch, str_slice(&b->split), &text);
	index_add_value_words(b, &text);
	index->value_lens[b->item] = entry->plain.len < entry->value.len ? entry->plain.len
									 : entry->value.len;
}

/* What is kept for each item, form and word while a query is asked. */
static void index_make_scratch(struct lookup *index)
{
	size_t set = index->entry_count / 64 + 1;

	index->all = mem_grow_cleared(index->all, &index->all_cap, set, sizeof *index->all);
	index->some = mem_grow_cleared(index->some, &index->some_cap, set, sizeof *index->some);
	index->looked = mem_grow_cleared(index->looked, &index->looked_cap, index->entry_count,
					 sizeof *index->looked);
	index->scores = mem_grow_cleared(index->scores, &index->score_cap, index->entry_count,
					 sizeof *index->scores);
	index->item_tally = mem_grow_cleared(index->item_tally, &index->item_tally_cap,
					     index->entry_count, sizeof *index->item_tally);
	index->form_tally = mem_grow_cleared(index->form_tally, &index->form_tally_cap,
					     index->form_count, sizeof *index->form_tally);
	index->word_best = mem_grow_cleared(index->word_best, &index->word_best_cap,
					    index->vocab.count, sizeof *index->word_best);
	index->word_question = mem_grow_cleared(index->word_question, &index->word_question_cap,
						index->vocab.count, sizeof *index->word_question);
}

static struct indexed *index_new_entry(struct lookup *index, int scope)
{
	size_t count = ++index->entry_count;

	index->entries = mem_grow_cleared(index->entries, &index->entry_cap, count,
					  sizeof *index->entries);
	index->scopes = mem_grow_cleared(index->scopes, &index->scope_cap, count,
					 sizeof *index->scopes);
	index->value_lens = mem_grow_cleared(index->value_lens, &index->value_len_cap, count,
					     sizeof *index->value_lens);
	index->scopes[count - 1] = scope;
	return &index->entries[count - 1];
}

static void index_end(struct builder *b)
{
	index_make_scratch(b->index);
	str_release(&b->split);
	str_release(&b->plain);
	str_release(&b->folded);
	str_release(&b->umlauts);
	arena_release(&b->scratch);
}

size_t lookup_add_name(struct lookup *index, const struct lookup_item *item)
{
	struct builder b = {.index = index, .item = (uint32_t)index->entry_count};
	struct indexed *entry = index_new_entry(index, item->scope);

	entry->archived = item->archived;
	entry->active_ms = item->active_ms;
	entry->ref = arena_copy(&index->arena, item->ref);
	index_add_name(&b, item->key, false);
	for (size_t i = 0; i < item->former_count; i++)
		index_add_name(&b, item->former[i], true);
	vocab_set_items(&index->vocab, ++index->live_count);
	index_end(&b);
	return b.item;
}

void lookup_add_words(struct lookup *index, size_t number, const struct lookup_item *item)
{
	struct builder b = {.index = index, .item = (uint32_t)number};
	struct indexed *entry = &index->entries[number];

	entry->has_words = true;
	entry->first_form = (uint32_t)index->form_count;
	index_add_key(&b, item->key);
	for (size_t i = 0; i < item->former_count; i++)
		index_add_key(&b, item->former[i]);
	index_add_value(&b, item);
	entry->word_count = index->forms[entry->first_form].text.word_count +
			    entry->value.word_count;
	index->word_total += entry->word_count;
	index_end(&b);
}

bool lookup_has_words(const struct lookup *index, size_t number)
{
	return index->entries[number].has_words;
}

size_t lookup_add(struct lookup *index, const struct lookup_item *item)
{
	size_t number = lookup_add_name(index, item);

	lookup_add_words(index, number, item);
	return number;
}

void lookup_remove(struct lookup *index, size_t item)
{
	const struct indexed *entry;

	if (item >= index->entry_count || index->scopes[item] == INDEX_GONE)
		return;
	entry = &index->entries[item];
	for (uint32_t i = 0; i < entry->form_count; i++) {
		const struct key_form *form = &index->forms[entry->first_form + i];

		for (uint32_t j = 0; j < form->text.word_count; j++)
			vocab_drop_key(&index->vocab, form->ids[j], (uint32_t)item);
	}
	index->scopes[item] = INDEX_GONE;
	index->word_total -= entry->word_count;
	vocab_set_items(&index->vocab, --index->live_count);
}
