#include "nlp/entities.h"

#include "base/blank.h"
#include "base/utf8.h"
#include "model/label.h"
#include "nlp/entities_kind.h"
#include "nlp/entities_parts.h"

/* More capitalised words in a row are a list of names, not one. */
#define RUN_WORDS_MAX 4

/* More words between quotation marks are something that was said, not a name. */
#define QUOTED_WORDS_MAX 5

/* A text of at least so many words may shout. */
#define SHOUTING_WORDS_MIN 4

/* Capitalised words side by side. */
struct run {
	struct slice words[RUN_WORDS_MAX];
	size_t count; /* beyond RUN_WORDS_MAX each word is a name by itself */
};

struct scan {
	const struct alphabet *alphabet;
	struct arena *arena;
	struct slice text;
	struct slice *names;
	size_t count;
	bool shouting;
	bool sentence; /* a sentence begins here */
	struct run run;
};

static bool is_known(const struct scan *scan, struct slice name)
{
	STR_AUTO folded = STR_INIT;
	STR_AUTO other = STR_INIT;

	alphabet_fold(scan->alphabet, name, &folded);
	for (size_t i = 0; i < scan->count; i++) {
		alphabet_fold(scan->alphabet, scan->names[i], &other);
		if (slice_equal(str_slice(&folded), str_slice(&other)))
			return true;
	}
	return false;
}

static void keep(struct scan *scan, struct slice name)
{
	STR_AUTO cleaned = STR_INIT;

	if (scan->count == NAMES_MAX || name.len > NAMES_BYTES_MAX)
		return;
	entity_clean(name, &cleaned);
	if (cleaned.len && !is_known(scan, str_slice(&cleaned)))
		scan->names[scan->count++] = arena_copy(scan->arena, str_slice(&cleaned));
}

/* Is this byte a part of a word that is longer? */
static bool joins(const struct scan *scan, const char *at)
{
	return at >= scan->text.ptr && at < scan->text.ptr + scan->text.len &&
	       (name_is_plain_letter(*at) || (*at & 0x80) || (*at && strchr("-_@", *at)));
}

/* Is the word also there in small letters? Then it is a word like any other. */
static bool is_spelt_small(const struct scan *scan, struct slice word)
{
	const char *end = scan->text.ptr + scan->text.len;
	const char *at = scan->text.ptr;
	STR_AUTO folded = STR_INIT;

	alphabet_fold(scan->alphabet, word, &folded);
	while ((at = memmem(at, (size_t)(end - at), folded.ptr, folded.len))) {
		if (!joins(scan, at - 1) && !joins(scan, at + folded.len))
			return true;
		at++;
	}
	return false;
}

static bool is_name_alone(const struct scan *scan, struct slice word)
{
	return name_kind_of(scan->alphabet, word, scan->shouting) != NAME_WORD ||
	       (!name_is_listed(scan->alphabet, word, phrases_names) &&
		!is_spelt_small(scan, word));
}

static void end_run(struct scan *scan)
{
	struct run *run = &scan->run;

	if (run->count == 1 && is_name_alone(scan, run->words[0]))
		keep(scan, run->words[0]);
	else if (run->count > 1 && run->count <= RUN_WORDS_MAX)
		keep(scan, name_between(run->words[0], run->words[run->count - 1]));
	run->count = 0;
}

/* Does the word stand one blank behind the run? */
static bool continues_run(const struct scan *scan, struct slice word)
{
	const struct run *run = &scan->run;
	const struct slice *last;

	if (run->count == 0 || run->count > RUN_WORDS_MAX)
		return run->count > 0;
	last = &run->words[run->count - 1];
	return word.ptr == last->ptr + last->len + 1 && last->ptr[last->len] == ' ';
}

static void add_to_run(struct scan *scan, struct slice word)
{
	struct run *run = &scan->run;

	if (run->count < RUN_WORDS_MAX) {
		run->words[run->count++] = word;
		return;
	}
	for (size_t i = 0; run->count == RUN_WORDS_MAX && i < RUN_WORDS_MAX; i++)
		keep(scan, run->words[i]);
	run->count = RUN_WORDS_MAX + 1;
	keep(scan, word);
}

/* Is a word at the beginning of a sentence a verb, by the word behind it? */
static bool is_verb(const struct scan *scan, struct slice word)
{
	const char *end = scan->text.ptr + scan->text.len;
	const char *next = word.ptr + word.len;
	size_t len = 0;

	if (!scan->sentence || next == end || *next != ' ')
		return false;
	next++;
	while (next + len < end && next[len] >= 'a' && next[len] <= 'z')
		len++;
	return name_is_listed(scan->alphabet, slice_make(next, len), phrases_objects);
}

static void take_capitalised(struct scan *scan, struct slice word)
{
	bool common = name_is_common(scan->alphabet, word);
	bool opens = common && name_is_listed(scan->alphabet, word, phrases_names);

	if (!continues_run(scan, word)) {
		end_run(scan);
		if ((common && !opens) || is_verb(scan, word))
			return;
	}
	add_to_run(scan, word);
}

/* A word without anything that takes it apart. */
static void take_word(struct scan *scan, struct slice word)
{
	const char *end = scan->text.ptr + scan->text.len;
	const char *after = word.ptr + word.len;
	enum name_kind kind = NAME_NONE;

	if (word.len && word.len <= NAMES_BYTES_MAX)
		kind = name_kind_of(scan->alphabet, word, scan->shouting);
	if (word.len && end - after >= 2 && memcmp(after, "()", 2) == 0)
		kind = NAME_ALONE;
	switch (kind) {
	case NAME_WORD:
		take_capitalised(scan, word);
		return;
	case NAME_SHAPED:
		if (!continues_run(scan, word))
			end_run(scan);
		add_to_run(scan, word);
		return;
	case NAME_NUMBER:
		if (scan->run.count && scan->run.count <= RUN_WORDS_MAX &&
		    continues_run(scan, word))
			add_to_run(scan, word);
		end_run(scan);
		return;
	case NAME_ALONE:
		end_run(scan);
		keep(scan, word);
		return;
	case NAME_NONE:
		end_run(scan);
	}
}

/* "@name", "#name". */
static bool is_handle(const struct scan *scan, struct slice word)
{
	size_t at = 1;
	uint32_t c;

	if (word.len < 2 || (word.ptr[0] != '@' && word.ptr[0] != '#'))
		return false;
	c = utf8_next(word, &at);
	return (c < '0' || c > '9') && alphabet_is_letter(scan->alphabet, c);
}

static bool is_name_by_signs(const struct scan *scan, struct slice word)
{
	return is_handle(scan, word) || name_is_mail_address(word) || name_keeps_colon(word);
}

/* Everything between two separators. */
static void take_chunk(struct scan *scan, struct slice chunk)
{
	struct slice rest = name_trim(chunk);
	const char *cut;

	if (memmem(rest.ptr, rest.len, "://", 3)) {
		end_run(scan);
		keep(scan, name_host(rest));
		return;
	}
	rest = name_file(scan->alphabet, rest);
	while (rest.len && !is_name_by_signs(scan, rest) && (cut = name_find_cut(rest))) {
		take_word(scan, name_trim(slice_make(rest.ptr, (size_t)(cut - rest.ptr))));
		rest = name_trim(slice_make(cut + 1, rest.len - (size_t)(cut + 1 - rest.ptr)));
	}
	if (rest.len && is_name_by_signs(scan, rest)) {
		end_run(scan);
		keep(scan, rest);
	} else {
		take_word(scan, rest);
	}
}

/* Opening and closing quotation marks. */
static const struct {
	const char *open;
	const char *close;
} quotes[] = {
	{"\"", "\""},         {"`", "`"},           {"\u201c", "\u201d"}, {"\u201e", "\u201c"},
	{"\u00ab", "\u00bb"}, {"\u2039", "\u203a"}, {"\u300c", "\u300d"}, {"\u300e", "\u300f"},
};

static size_t count_words(struct slice text)
{
	size_t count = 0;
	bool in_word = false;

	for (size_t at = 0; at < text.len;) {
		bool blank = blank_is(utf8_next(text, &at));

		count += !blank && !in_word;
		in_word = !blank;
	}
	return count;
}

/* Could what stands between quotation marks be a name? */
static bool is_quoted_name(const struct scan *scan, struct slice quoted)
{
	bool letter = false;

	if (quoted.len == 0 || memchr(quoted.ptr, '\n', quoted.len) ||
	    blank_trim(quoted).len != quoted.len || count_words(quoted) > QUOTED_WORDS_MAX)
		return false;
	for (size_t at = 0; at < quoted.len && !letter;)
		letter = alphabet_is_letter(scan->alphabet, utf8_next(quoted, &at));
	return letter && !name_is_common(scan->alphabet, quoted);
}

/* Takes a quoted name at *at and moves behind it; false when there is none. */
static bool take_quoted(struct scan *scan, size_t *at)
{
	struct slice rest = slice_make(scan->text.ptr + *at, scan->text.len - *at);

	for (size_t i = 0; i < sizeof quotes / sizeof *quotes; i++) {
		struct slice open = slice_of(quotes[i].open);
		struct slice close = slice_of(quotes[i].close);
		struct slice quoted;
		const char *end;
		size_t most;

		if (rest.len < open.len || memcmp(rest.ptr, open.ptr, open.len) != 0)
			continue;
		most = rest.len - open.len;
		most = most < NAMES_BYTES_MAX ? most : NAMES_BYTES_MAX;
		end = memmem(rest.ptr + open.len, most, close.ptr, close.len);
		if (!end)
			return false;
		quoted = name_between(slice_make(rest.ptr + open.len, 0), slice_make(end, 0));
		if (!is_quoted_name(scan, quoted))
			return false;
		end_run(scan);
		keep(scan, quoted);
		*at += open.len + quoted.len + close.len;
		return true;
	}
	return false;
}

/* Scripts without capitals whose words stand side by side without blanks. */
static bool is_of_wide_script(uint32_t c)
{
	return (c >= 0x0E00 && c <= 0x0EFF) || (c >= 0x1000 && c <= 0x109F) ||
	       (c >= 0x1780 && c <= 0x17FF) || (c >= 0x3000 && c <= 0x9FFF) ||
	       (c >= 0xAC00 && c <= 0xD7AF) || c >= 0xF900;
}

static bool is_of_word(const struct scan *scan, uint32_t c)
{
	if (c < 0x80 && strchr(".:/@#+-_'&", (int)c) && c)
		return true;
	return c == TYPOGRAPHIC_APOSTROPHE ||
	       ((alphabet_is_letter(scan->alphabet, c) || alphabet_is_mark(scan->alphabet, c)) &&
		!is_of_wide_script(c));
}

/* Does a sentence begin behind this separator or word? */
static bool ends_sentence(struct slice text, size_t end)
{
	return end > 0 && strchr(".!?:\n", text.ptr[end - 1]) != NULL;
}

/* Where the word that begins here ends; here when none does. */
static size_t end_of_word(const struct scan *scan, size_t start)
{
	size_t end = start;

	for (size_t at = start; at < scan->text.len; end = at) {
		if (!is_of_word(scan, utf8_next(scan->text, &at)))
			break;
	}
	return end;
}

static void take_separator(struct scan *scan, size_t *at)
{
	uint32_t c = utf8_next(scan->text, at);

	if (c == '\n' || !blank_is(c))
		scan->sentence = ends_sentence(scan->text, *at) || c == '(' || c == '"';
}

static void take_all(struct scan *scan)
{
	scan->sentence = true;
	for (size_t at = 0; at < scan->text.len && scan->count < NAMES_MAX;) {
		size_t end = end_of_word(scan, at);

		if (end > at) {
			take_chunk(scan, slice_make(scan->text.ptr + at, end - at));
			scan->sentence = ends_sentence(scan->text, end);
			at = end;
		} else if (take_quoted(scan, &at)) {
			scan->sentence = false;
		} else {
			take_separator(scan, &at);
		}
	}
	end_run(scan);
}

/* Are most words of the text in capitals? */
static bool shouts(const struct alphabet *alphabet, struct slice text)
{
	size_t capitals = 0;
	size_t words = 0;

	for (size_t at = 0; at < text.len;) {
		size_t start = at;
		size_t end = at;

		while (at < text.len && alphabet_is_letter(alphabet, utf8_next(text, &at)))
			end = at;
		if (end == start)
			continue;
		words++;
		capitals += name_is_capitals(alphabet, slice_make(text.ptr + start, end - start));
	}
	return words >= SHOUTING_WORDS_MIN && capitals * 2 > words;
}

size_t names_find(struct arena *arena, struct slice text, struct slice names[NAMES_MAX])
{
	struct alphabet alphabet = alphabet_open();
	struct scan scan = {
		.alphabet = &alphabet,
		.arena = arena,
		.text = text,
		.names = names,
	};

	if (text.len > NAMES_TEXT_MAX)
		scan.text.len = utf8_valid_prefix(slice_make(text.ptr, NAMES_TEXT_MAX));
	scan.shouting = shouts(&alphabet, scan.text);
	take_all(&scan);
	alphabet_close(&alphabet);
	return scan.count;
}
