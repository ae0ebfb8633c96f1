#include "ops/maintain/duplicates_internal.h"

#include "base/utf8.h"
#include "similarity/contradiction.h"
#include "text/normalize.h"
#include "text/tokens.h"
#include "ops/similar_text.h"
#include "ops/common.h"

/* Words from which on a value is compared without its key; see alike_text(). */
#define TELLING_WORDS 2

static bool is_apostrophe(uint32_t c)
{
	return c == '\'' || c == 0x2019 || c == 0x02BC;
}

/* Marks that a sentence may have or lack and be the same. */
static bool is_ornament(uint32_t c)
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

static uint32_t peek(struct slice text, size_t at)
{
	return at < text.len ? utf8_next(text, &at) : ' ';
}

/* "-" is a sign before a digit and a hyphen elsewhere; "!" ends a sentence or says "not". */
static bool is_harmless(uint32_t before, uint32_t c, uint32_t after)
{
	if (c == '-')
		return !(after >= '0' && after <= '9') || !is_ornament(before);
	if (c == '!')
		return is_ornament(after) || after == '!';
	return is_ornament(c);
}

/* Has it letters or numbers only, as normal forms see it? */
static bool is_plain(uint32_t c, struct str *scratch)
{
	STR_AUTO one = STR_INIT;

	if (c < 0x80)
		return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
	if (utf8_is_ignorable(c))
		return true;
	/* A mark counts behind a letter. */
	str_addc(&one, 'a');
	utf8_add(&one, c);
	normalize_identity(str_slice(&one), scratch);
	return scratch->len > 1;
}

/*
 * What normal forms drop and nevertheless makes a difference: < and >, a minus, a currency, a check
 * mark or a cross.
 */
static void add_symbols(struct str *out, struct slice text)
{
	STR_AUTO scratch = STR_INIT;
	uint32_t before = ' ';
	size_t at = 0;

	while (at < text.len) {
		uint32_t c = utf8_next(text, &at);

		if (!is_harmless(before, c, peek(text, at)) && !is_apostrophe(c) &&
		    !is_plain(c, &scratch))
			utf8_add(out, c);
		before = c;
	}
}

static void add_without_apostrophes(struct str *out, struct slice text)
{
	size_t at = 0;

	while (at < text.len) {
		uint32_t c = utf8_next(text, &at);

		if (!is_apostrophe(c))
			utf8_add(out, c);
	}
}

static size_t count_words(struct slice normal)
{
	struct arena arena = ARENA_INIT;
	struct text text;

	text_make(&arena, normal, &text);
	arena_release(&arena);
	return text.word_count;
}

static void read_string(struct doubles_text *out, struct arena *arena)
{
	STR_AUTO identity = STR_INIT;
	STR_AUTO symbols = STR_INIT;
	STR_AUTO bare = STR_INIT;
	STR_AUTO normal = STR_INIT;

	add_without_apostrophes(&bare, out->text);
	normalize_key(str_slice(&bare), &normal);
	out->word_count = count_words(str_slice(&normal));
	out->characters = utf8_count(str_slice(&normal));
	add_symbols(&symbols, out->text);
	out->symbols = arena_copy(arena, str_slice(&symbols));
	str_addc(&identity, '"');
	str_add(&identity, str_slice(&normal));
	str_addc(&identity, '"');
	str_add(&identity, out->symbols);
	out->identity = arena_copy(arena, str_slice(&identity));
}

static void read_other(struct doubles_text *out, const struct json *doc, struct arena *arena)
{
	STR_AUTO normal = STR_INIT;
	STR_AUTO compact = STR_INIT;
	struct json_writer w;

	json_writer_init(&w, &compact, &json_compact);
	json_write_value(&w, doc, JSON_ROOT);
	out->identity = arena_copy(arena, str_slice(&compact));
	normalize_identity(out->words, &normal);
	out->word_count = count_words(str_slice(&normal));
}

/* A single word says nothing without its key. */
static void add_key(struct doubles_text *out, const struct item *item, struct arena *arena)
{
	STR_AUTO identity = STR_INIT;

	str_add(&identity, out->identity);
	str_addc(&identity, '@');
	str_add(&identity, item->identity);
	out->identity = arena_copy(arena, str_slice(&identity));
}

void doubles_text_read(struct doubles_text *out, const struct item *item, struct arena *arena)
{
	struct slice json = item->entry.value;
	STR_AUTO scratch = STR_INIT;
	struct json doc = {0};

	*out = (struct doubles_text){.words = alike_text(item, arena)};
	out->characters = utf8_count(json);
	common_parse(&doc, json);
	if (json_type(&doc, JSON_ROOT) == JSON_STRING) {
		out->text = arena_copy(arena, json_string(&doc, JSON_ROOT, &scratch));
		read_string(out, arena);
	} else {
		read_other(out, &doc, arena);
	}
	json_release(&doc);
	if (out->word_count < TELLING_WORDS)
		add_key(out, item, arena);
}

bool doubles_same(const struct doubles_text *a, const struct doubles_text *b)
{
	if (!a->text.ptr || !b->text.ptr)
		return slice_equal(a->identity, b->identity);
	return slice_equal(a->symbols, b->symbols) &&
	       (slice_equal(a->text, b->text) || conflict_may_merge(a->text, b->text));
}

bool doubles_conflict(const struct doubles_text *a, const struct doubles_text *b, struct str *why)
{
	struct slice first = a->text.ptr ? a->text : a->words;
	struct slice second = b->text.ptr ? b->text : b->words;

	return conflict_find(first, second, why) != CONFLICT_NONE;
}
