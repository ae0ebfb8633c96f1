#include "similarity/sentence.h"

#include "base/utf8.h"
#include "similarity/lexicon.h"
#include "text/normalize.h"
#include "text/stem.h"
#include "text/tokens.h"

static bool is_apostrophe(uint32_t character)
{
	return character == '\'' || character == 0x2019 || character == 0x02BC;
}

/* "don't" must be one word. */
void sentence_normalize(struct slice text, struct str *out)
{
	STR_AUTO plain = STR_INIT;

	for (size_t at = 0; at < text.len;) {
		size_t start = at;
		uint32_t character = utf8_next(text, &at);

		if (!is_apostrophe(character))
			str_add(&plain, slice_make(text.ptr + start, at - start));
	}
	normalize_identity(str_slice(&plain), out);
}

static struct slice encode(struct arena *arena, const uint32_t *chars, size_t len)
{
	STR_AUTO bytes = STR_INIT;

	for (size_t i = 0; i < len; i++)
		utf8_add(&bytes, chars[i]);
	return arena_copy(arena, str_slice(&bytes));
}

static void describe(struct sentence_word *word)
{
	word->filler = lexicon_has(word->text, LEXICON_FILLERS);
	word->negation = lexicon_has(word->text, LEXICON_NEGATIONS);
}

static void make_word(struct arena *arena, const uint32_t *chars, size_t len,
		      struct sentence_word *out)
{
	uint32_t stem[STEM_LEN_MAX];

	*out = (struct sentence_word){.text = encode(arena, chars, len)};
	out->stem = out->text;
	if (len <= STEM_LEN_MAX)
		out->stem = encode(arena, stem, stem_word(chars, len, stem));
	out->number = text_has_digit(chars, len);
	describe(out);
}

/* Makes one word of this one and the next where they are listed as one. */
static bool join_next(struct arena *arena, struct sentence_word *word,
		      const struct sentence_word *next)
{
	STR_AUTO both = STR_INIT;
	size_t rows;

	str_add(&both, word->text);
	str_addc(&both, '_');
	str_add(&both, next->text);
	lexicon_find(str_slice(&both), &rows);
	if (!rows)
		return false;
	*word = (struct sentence_word){.text = arena_copy(arena, str_slice(&both))};
	word->stem = word->text;
	describe(word);
	return true;
}

void sentence_make(struct arena *arena, struct slice text, struct sentence *out)
{
	STR_AUTO normal = STR_INIT;
	struct text decoded;
	size_t count = 0;

	sentence_normalize(text, &normal);
	text_make(arena, str_slice(&normal), &decoded);
	out->normal = decoded.bytes;
	out->words = arena_alloc(arena, decoded.word_count * sizeof *out->words);
	for (uint32_t i = 0; i < decoded.word_count; i++) {
		struct sentence_word word;

		make_word(arena, decoded.chars + decoded.words[i].start, decoded.words[i].len,
			  &word);
		if (!count || !join_next(arena, &out->words[count - 1], &word))
			out->words[count++] = word;
	}
	out->count = count;
}

static void share_by(struct sentence *a, struct sentence *b, bool by_stem)
{
	for (size_t i = 0; i < a->count; i++) {
		for (size_t j = 0; j < b->count && !a->words[i].shared; j++) {
			const struct slice one = by_stem ? a->words[i].stem : a->words[i].text;
			const struct slice other = by_stem ? b->words[j].stem : b->words[j].text;

			if (b->words[j].shared || !slice_equal(one, other))
				continue;
			a->words[i].shared = true;
			b->words[j].shared = true;
		}
	}
}

void sentence_share(struct sentence *a, struct sentence *b)
{
	share_by(a, b, false);
	share_by(a, b, true);
}

bool sentence_is_content(const struct sentence_word *word)
{
	return !word->filler && !word->negation;
}
