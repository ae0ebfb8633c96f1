#include "text/synonyms.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "text/normalize.h"

#include <stdlib.h>
#include <string.h>

/* More expressions than this are no vocabulary that a person keeps. */
#define EXPRESSIONS_MAX 10000

void synonyms_release(struct synonyms *synonyms)
{
	arena_release(&synonyms->arena);
	free(synonyms->list);
	synonyms->list = NULL;
	synonyms->count = 0;
	synonyms->cap = 0;
}

static bool synonyms_add(struct synonyms *synonyms, struct slice text, size_t group)
{
	STR_AUTO normal = STR_INIT;

	normalize_words(text, &normal);
	if (!normal.len || synonyms->count == EXPRESSIONS_MAX)
		return false;
	synonyms->list = mem_grow(synonyms->list, &synonyms->cap, synonyms->count + 1,
				  sizeof *synonyms->list);
	struct synonym *synonym = &synonyms->list[synonyms->count++];
	synonym->group = group;
	text_make(&synonyms->arena, str_slice(&normal), &synonym->text);
	return true;
}

static size_t synonyms_add_node(struct synonyms *synonyms, const struct json *doc, uint32_t node,
				size_t group)
{
	STR_AUTO scratch = STR_INIT;

	if (json_type(doc, node) != JSON_STRING)
		return 1;
	return !synonyms_add(synonyms, json_string(doc, node, &scratch), group);
}

void synonyms_read(struct synonyms *synonyms, const struct json *doc, size_t *left_out)
{
	STR_AUTO scratch = STR_INIT;
	size_t group = 0;

	synonyms_release(synonyms);
	*left_out = 0;
	for (uint32_t m = json_first(doc, JSON_ROOT); m != JSON_NONE; m = json_next(doc, m)) {
		*left_out += !synonyms_add(synonyms, json_name(doc, m, &scratch), group);
		if (json_type(doc, m) == JSON_ARRAY) {
			for (uint32_t n = json_first(doc, m); n != JSON_NONE; n = json_next(doc, n))
				*left_out += synonyms_add_node(synonyms, doc, n, group);
		} else {
			*left_out += synonyms_add_node(synonyms, doc, m, group);
		}
		group++;
	}
}

static bool synonyms_stands_at(const struct text *part, const struct text *text, uint32_t word)
{
	if (part->word_count > text->word_count - word)
		return false;
	for (uint32_t i = 0; i < part->word_count; i++) {
		if (!slice_equal(text_word_bytes(part, i), text_word_bytes(text, word + i)))
			return false;
	}
	return true;
}

const struct synonym *synonyms_at(const struct synonyms *synonyms, const struct text *text,
				  uint32_t word)
{
	const struct synonym *best = NULL;

	for (size_t i = 0; synonyms->list && i < synonyms->count; i++) {
		const struct synonym *synonym = &synonyms->list[i];

		if ((!best || synonym->text.word_count > best->text.word_count) &&
		    synonyms_stands_at(&synonym->text, text, word))
			best = synonym;
	}
	return best;
}

/* The words of a text from one up to another, joined by blanks. */
static void synonyms_add_words(struct str *out, const struct text *text, uint32_t from, uint32_t to)
{
	if (from >= to)
		return;
	for (uint32_t i = text->words[from].start;
	     i < text->words[to - 1].start + text->words[to - 1].len; i++)
		utf8_add(out, text->chars[i]);
	str_addc(out, ' ');
}

static void synonyms_exchange(struct str *out, const struct text *text, uint32_t at,
			      const struct synonym *itself, const struct synonym *other)
{
	str_init(out);
	synonyms_add_words(out, text, 0, at);
	str_add(out, other->text.bytes);
	str_addc(out, ' ');
	synonyms_add_words(out, text, at + itself->text.word_count, text->word_count);
	str_truncate(out, out->len - 1);
}

size_t synonyms_variants(const struct synonyms *synonyms, struct slice query, struct str *variants,
			 size_t max)
{
	STR_AUTO normal = STR_INIT;
	ARENA_AUTO arena = ARENA_INIT;
	struct text text;
	size_t count = 0;

	normalize_words(query, &normal);
	text_make(&arena, str_slice(&normal), &text);
	for (uint32_t word = 0; word < text.word_count && count < max; word++) {
		const struct synonym *itself = synonyms_at(synonyms, &text, word);

		for (size_t i = 0; itself && synonyms->list && i < synonyms->count && count < max;
		     i++) {
			const struct synonym *other = &synonyms->list[i];

			if (other->group == itself->group && other != itself)
				synonyms_exchange(&variants[count++], &text, word, itself, other);
		}
	}
	return count;
}
