#include "similarity/similarity.h"

#include "base/mem.h"
#include "base/str.h"
#include "base/utf8.h"
#include "text/normalize.h"

#include <stdlib.h>
#include <utf8proc.h>

/* Words of more characters say something even without a digit. */
#define SHORT_WORD 2

struct word {
	struct str text;
	size_t characters;
	bool digit;
};

struct words {
	struct arena *arena;
	struct slice *list;
	size_t count;
	size_t cap;
};

static void end_word(struct words *words, struct word *word)
{
	if (word->characters > SHORT_WORD || word->digit) {
		words->list = mem_grow(words->list, &words->cap, words->count + 1,
				       sizeof *words->list);
		words->list[words->count++] = arena_copy(words->arena, str_slice(&word->text));
	}
	str_clear(&word->text);
	word->characters = 0;
	word->digit = false;
}

enum kind { KIND_BETWEEN, KIND_LETTER, KIND_DIGIT, KIND_MARK };

static enum kind kind_of(uint32_t character)
{
	utf8proc_category_t category;

	if (character == '_')
		return KIND_LETTER;
	category = utf8proc_category((utf8proc_int32_t)character);
	if (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO)
		return KIND_LETTER;
	if (category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO)
		return KIND_DIGIT;
	if (category >= UTF8PROC_CATEGORY_MN && category <= UTF8PROC_CATEGORY_ME)
		return KIND_MARK;
	return KIND_BETWEEN;
}

/* A mark belongs to the letter before it and is none itself. */
static void take_character(struct words *words, struct word *word, uint32_t character)
{
	enum kind kind = kind_of(character);

	if (kind == KIND_BETWEEN || (kind == KIND_MARK && !word->characters)) {
		end_word(words, word);
		return;
	}
	word->characters += kind != KIND_MARK;
	word->digit = word->digit || kind == KIND_DIGIT;
	utf8_add(&word->text, (uint32_t)utf8proc_tolower((utf8proc_int32_t)character));
}

static void take_ascii(struct words *words, struct word *word, unsigned char c)
{
	bool digit = c >= '0' && c <= '9';
	bool upper = c >= 'A' && c <= 'Z';

	if (!digit && !upper && (c < 'a' || c > 'z') && c != '_') {
		end_word(words, word);
		return;
	}
	word->characters++;
	word->digit = word->digit || digit;
	str_addc(&word->text, (char)(upper ? c - 'A' + 'a' : c));
}

static void take_text(struct words *words, struct word *word, struct slice text)
{
	for (size_t at = 0; at < text.len;) {
		unsigned char byte = (unsigned char)text.ptr[at];

		if (byte < 0x80) {
			take_ascii(words, word, byte);
			at++;
		} else {
			take_character(words, word, utf8_next(text, &at));
		}
	}
	end_word(words, word);
}

/* The text without the rest of long runs of marks, and without what is no UTF-8. */
static void make_fit(struct slice text, struct str *out)
{
	size_t marks = 0;

	for (size_t at = 0; at < text.len;) {
		uint32_t character = utf8_next(text, &at);

		marks = kind_of(character) == KIND_MARK ? marks + 1 : 0;
		if (marks <= NORMALIZE_MARKS_MAX)
			utf8_add(out, character ? character : ' ');
	}
}

static bool is_ascii(struct slice text)
{
	for (size_t i = 0; i < text.len; i++) {
		if ((unsigned char)text.ptr[i] >= 0x80)
			return false;
	}
	return true;
}

/* The text with each letter and its marks put together; NULL where that changes nothing. */
static char *compose(struct slice text, size_t *len)
{
	const utf8proc_option_t options = UTF8PROC_STABLE | UTF8PROC_COMPOSE;
	utf8proc_uint8_t *composed = NULL;
	utf8proc_ssize_t got;
	STR_AUTO fit = STR_INIT;

	if (is_ascii(text))
		return NULL;
	make_fit(text, &fit);
	got = utf8proc_map((const utf8proc_uint8_t *)fit.ptr, (utf8proc_ssize_t)fit.len, &composed,
			   options);
	if (got == UTF8PROC_ERROR_NOMEM)
		mem_exhausted();
	if (got < 0)
		return NULL;
	*len = (size_t)got;
	return (char *)composed;
}

size_t similar_words(struct arena *arena, struct slice text, struct slice **words)
{
	struct words found = {arena, NULL, 0, 0};
	struct word word = {STR_INIT, 0, false};
	size_t len = 0;
	char *composed = compose(text, &len);

	if (composed)
		text = slice_make(composed, len);
	take_text(&found, &word, text);
	free(composed);
	str_release(&word.text);
	*words = arena_alloc(arena, found.count * sizeof **words);
	if (found.count)
		memcpy(*words, found.list, found.count * sizeof **words);
	free(found.list);
	return found.count;
}
