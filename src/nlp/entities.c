#include "nlp/entities.h"

#include "base/utf8.h"

/* More capitalised words in a row are a list of names, not one. */
#define RUN_WORDS_MAX 4

/* More words between quotation marks are something that was said, not a name. */
#define QUOTED_WORDS_MAX 5

/* A text of at least so many words may shout. */
#define SHOUTING_WORDS_MIN 4

/* What begins with a number and has no more letters than this is a measure or an ordinal. */
#define UNIT_LETTERS_MAX 3

/* Longest ending of a file's or host's name. */
#define ENDING_MAX 6

/* A word at a glance. */
struct shape {
	size_t letters; /* without digits */
	size_t digits;
	size_t upper;
	size_t dots; /* inside */
	bool first_upper;
	bool first_digit;
	bool camel; /* a capital behind a small letter */
	bool underscore;
	bool other;     /* a sign that is none of . _ */
	bool sign_last; /* + or # at the end */
};

static void entities_look_at(struct shape *shape, const struct alphabet *alphabet, uint32_t c,
			     bool *small)
{
	bool digit = c >= '0' && c <= '9';
	bool letter = !digit && alphabet_is_letter(alphabet, c);
	bool upper = letter && alphabet_is_upper(alphabet, c);

	if (shape->letters + shape->digits == 0) {
		shape->first_upper = upper;
		shape->first_digit = digit;
	}
	shape->digits += digit;
	shape->letters += letter;
	shape->upper += upper;
	shape->camel |= upper && *small;
	shape->dots += c == '.';
	shape->underscore |= c == '_';
	shape->other |= !letter && !digit && c != '.' && c != '_' && !alphabet_is_mark(alphabet, c);
	shape->sign_last = c == '+' || c == '#';
	*small = letter && !upper;
}

static struct shape name_shape_of(const struct alphabet *alphabet, struct slice word)
{
	struct shape shape = {0};
	bool small = false;

	for (size_t at = 0; at < word.len;)
		entities_look_at(&shape, alphabet, utf8_next(word, &at), &small);
	return shape;
}

bool name_is_listed(const struct alphabet *alphabet, struct slice word, enum word_list list)
{
	STR_AUTO folded = STR_INIT;

	alphabet_fold(alphabet, word, &folded);
	struct slice stem = str_slice(&folded);
	const char *apostrophe = memchr(stem.ptr, '\'', stem.len);
	if (apostrophe && apostrophe > stem.ptr)
		stem.len = (size_t)(apostrophe - stem.ptr);
	return dictionary_has(str_slice(&folded), list) || dictionary_has(stem, list);
}

/* True if it is one of the common words that begin sentences. */
static bool name_is_common(const struct alphabet *alphabet, struct slice word)
{
	return name_is_listed(alphabet, word, DICTIONARY_COMMON) ||
	       name_is_listed(alphabet, word, DICTIONARY_STARTERS);
}

/* True if the text has at least two letters, all of them capitals. */
static bool name_is_capitals(const struct alphabet *alphabet, struct slice word)
{
	struct shape shape = name_shape_of(alphabet, word);

	return shape.upper >= 2 && shape.upper == shape.letters;
}

static bool entities_is_version(struct slice word, const struct shape *shape)
{
	bool v = word.ptr[0] == 'v' || word.ptr[0] == 'V';

	return shape->digits && !shape->other && !shape->underscore &&
	       (shape->letters == 0 ? shape->dots > 0 : v && shape->letters == 1);
}

/* With an ending like that of a file or host, which is no new sentence without a blank. */
static bool name_has_ending(const struct alphabet *alphabet, struct slice word)
{
	const char *dot = memrchr(word.ptr, '.', word.len);

	if (!dot)
		return false;
	struct slice before = slice_make(word.ptr, (size_t)(dot - word.ptr));
	struct slice ending = slice_make(dot + 1, word.len - before.len - 1);
	if (before.len < 2 || ending.len == 0 || ending.len > ENDING_MAX ||
	    (before.len >= 2 && before.ptr[before.len - 2] == '.'))
		return false;
	return name_shape_of(alphabet, ending).letters > 0 &&
	       (!name_shape_of(alphabet, ending).first_upper || name_is_capitals(alphabet, ending));
}

/* Small letters behind one capital, or capitals with perhaps an s: by the capitals alone. */
static enum name_kind name_kind_by_capitals(const struct alphabet *alphabet, struct slice word,
					    const struct shape *shape, bool shouting)
{
	bool plural = shape->upper >= 2 && shape->upper + 1 == shape->letters &&
		      word.ptr[word.len - 1] == 's';
	const char *hyphen = memchr(word.ptr, '-', word.len);

	if (shape->upper == shape->letters || plural)
		return shape->upper >= 2 && !shouting && !name_is_common(alphabet, word)
			       ? NAME_SHAPED
			       : NAME_NONE;
	if (hyphen && name_is_common(alphabet, slice_make(word.ptr, (size_t)(hyphen - word.ptr))))
		return NAME_NONE;
	return shape->letters >= 2 ? NAME_WORD : NAME_NONE;
}

/*
 * The kind of a word of letters, marks, digits and . # + - _ ' & between them. In a text that
 * shouts, capitals alone make no name.
 */
static enum name_kind name_kind_of(const struct alphabet *alphabet, struct slice word,
				   bool shouting)
{
	struct shape shape = name_shape_of(alphabet, word);

	/* Numbers between dots: a version, or the address of a machine. */
	if (entities_is_version(word, &shape))
		return shape.dots == 3 && shape.letters == 0 ? NAME_ALONE : NAME_NUMBER;
	if (shape.letters == 0 || (shape.first_digit && shape.letters <= UNIT_LETTERS_MAX))
		return NAME_NONE;
	if (shape.underscore || (shape.dots && name_has_ending(alphabet, word)))
		return NAME_ALONE;
	if (shape.dots)
		return NAME_NONE;
	if (shape.digits)
		return shape.first_upper ? NAME_SHAPED : NAME_ALONE;
	if (shape.sign_last)
		return shape.first_upper ? NAME_SHAPED : NAME_ALONE;
	if (shape.camel)
		return NAME_SHAPED;
	if (shape.first_upper)
		return name_kind_by_capitals(alphabet, word, &shape, shouting);
	return NAME_NONE;
}

/* The text from the beginning of one part to the end of a later one. */
static struct slice name_between(struct slice first, struct slice last)
{
	return slice_make(first.ptr, (size_t)(last.ptr + last.len - first.ptr));
}

/* A letter of ASCII. */
static bool name_is_plain_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool name_is_trailing(char c)
{
	return strchr(".:/'-&@", c) != NULL;
}

/* Without marks at the end, signs at the beginning, and an 's; perhaps empty. */
static struct slice name_trim(struct slice word)
{
	static const char typographic_s[] = "\xe2\x80\x99s";
	static const char apostrophe[] = "\xe2\x80\x99";

	while (word.len &&
	       (name_is_trailing(word.ptr[0]) || word.ptr[0] == '_' || word.ptr[0] == '+') &&
	       word.ptr[0] != '@') {
		word.ptr++;
		word.len--;
	}
	for (;;) {
		if (word.len > 0 && name_is_trailing(word.ptr[word.len - 1]))
			word.len--;
		else if (word.len > 2 && memcmp(word.ptr + word.len - 2, "'s", 2) == 0)
			word.len -= 2;
		else if (word.len > 4 && memcmp(word.ptr + word.len - 4, typographic_s, 4) == 0)
			word.len -= 4;
		else if (word.len > 2 && memcmp(word.ptr + word.len - 3, apostrophe, 3) == 0)
			word.len -= 3;
		else
			return word;
	}
}

/* The host of an address with "://" in it, without who and which door. */
static struct slice name_host(struct slice address)
{
	const char *at = memmem(address.ptr, address.len, "://", 3);
	struct slice host = slice_make(at + 3, address.len - (size_t)(at + 3 - address.ptr));
	const char *slash = memchr(host.ptr, '/', host.len);

	if (slash)
		host.len = (size_t)(slash - host.ptr);
	const char *user = memrchr(host.ptr, '@', host.len);
	if (user)
		host = name_between(slice_make(user + 1, 0), slice_make(host.ptr + host.len, 0));
	const char *port = memchr(host.ptr, ':', host.len);
	if (port)
		host.len = (size_t)(port - host.ptr);
	if (host.len > 4 && memcmp(host.ptr, "www.", 4) == 0)
		host = slice_make(host.ptr + 4, host.len - 4);
	return host;
}

static bool name_is_digits(struct slice text)
{
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] < '0' || text.ptr[i] > '9')
			return false;
	}
	return text.len > 0;
}

/* True if a colon belongs to the word, as only in `std::vector` and `localhost:8080`. */
static bool name_keeps_colon(struct slice word)
{
	const char *colon = memchr(word.ptr, ':', word.len);

	if (!colon || memchr(word.ptr, '/', word.len))
		return false;
	size_t before = (size_t)(colon - word.ptr);
	return memmem(word.ptr, word.len, "::", 2) ||
	       (name_is_plain_letter(word.ptr[0]) && !memchr(word.ptr, '.', before) &&
		name_is_digits(slice_make(colon + 1, word.len - before - 1)));
}

/* The name of the file at the end of a path, without lines of it; the path where there is none. */
static struct slice name_file(const struct alphabet *alphabet, struct slice path)
{
	const char *slash = memrchr(path.ptr, '/', path.len);

	if (!slash)
		return path;
	struct slice file = name_between(slice_make(slash + 1, 0),
					 slice_make(path.ptr + path.len, 0));
	const char *colon = memchr(file.ptr, ':', file.len);
	if (colon)
		file.len = (size_t)(colon - file.ptr);
	if (file.len == 0 || !memchr(file.ptr, '.', file.len) ||
	    name_kind_of(alphabet, file, true) != NAME_ALONE)
		return path;
	return file;
}

/* Where a word is to be cut: at its first slash or colon; NULL when it has none. */
static const char *name_find_cut(struct slice word)
{
	for (size_t i = 0; i < word.len; i++) {
		if (word.ptr[i] == '/' || word.ptr[i] == ':')
			return word.ptr + i;
	}
	return NULL;
}

/* Something on both sides of an "@", and a dot behind it. */
static bool name_is_mail_address(struct slice word)
{
	const char *at = memchr(word.ptr, '@', word.len);

	return at && at > word.ptr && memchr(at, '.', word.len - (size_t)(at - word.ptr)) != NULL;
}

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

static bool entities_is_known(const struct scan *scan, struct slice name)
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

static void entities_keep(struct scan *scan, struct slice name)
{
	STR_AUTO cleaned = STR_INIT;

	if (scan->count == NAMES_MAX || name.len > NAMES_BYTES_MAX)
		return;
	entity_clean(name, &cleaned);
	if (cleaned.len && !entities_is_known(scan, str_slice(&cleaned)))
		scan->names[scan->count++] = arena_copy(scan->arena, str_slice(&cleaned));
}

/* True if this byte is part of a longer word. */
static bool name_joins(const struct scan *scan, const char *at)
{
	return at >= scan->text.ptr && at < scan->text.ptr + scan->text.len &&
	       (name_is_plain_letter(*at) || (*at & 0x80) || (*at && strchr("-_@", *at)));
}

/* True if the word also occurs in lower case. Then it is a word like any other. */
static bool name_is_spelt_small(const struct scan *scan, struct slice word)
{
	const char *end = scan->text.ptr + scan->text.len;
	const char *at = scan->text.ptr;
	STR_AUTO folded = STR_INIT;

	alphabet_fold(scan->alphabet, word, &folded);
	while ((at = memmem(at, (size_t)(end - at), folded.ptr, folded.len))) {
		if (!name_joins(scan, at - 1) && !name_joins(scan, at + folded.len))
			return true;
		at++;
	}
	return false;
}

static bool name_is_name_alone(const struct scan *scan, struct slice word)
{
	return name_kind_of(scan->alphabet, word, scan->shouting) != NAME_WORD ||
	       (!name_is_listed(scan->alphabet, word, DICTIONARY_NAMES) &&
		!name_is_spelt_small(scan, word));
}

static void name_end_run(struct scan *scan)
{
	struct run *run = &scan->run;

	if (run->count == 1 && name_is_name_alone(scan, run->words[0]))
		entities_keep(scan, run->words[0]);
	else if (run->count > 1 && run->count <= RUN_WORDS_MAX)
		entities_keep(scan, name_between(run->words[0], run->words[run->count - 1]));
	run->count = 0;
}

/* True if the word comes one blank after the run. */
static bool name_continues_run(const struct scan *scan, struct slice word)
{
	const struct run *run = &scan->run;

	if (run->count == 0 || run->count > RUN_WORDS_MAX)
		return run->count > 0;
	const struct slice *last = &run->words[run->count - 1];
	return word.ptr == last->ptr + last->len + 1 && last->ptr[last->len] == ' ';
}

static void name_add_to_run(struct scan *scan, struct slice word)
{
	struct run *run = &scan->run;

	if (run->count < RUN_WORDS_MAX) {
		run->words[run->count++] = word;
		return;
	}
	for (size_t i = 0; run->count == RUN_WORDS_MAX && i < RUN_WORDS_MAX; i++)
		entities_keep(scan, run->words[i]);
	run->count = RUN_WORDS_MAX + 1;
	entities_keep(scan, word);
}

/* True if a word at the beginning of a sentence is a verb, judged by the next word. */
static bool name_is_verb(const struct scan *scan, struct slice word)
{
	const char *end = scan->text.ptr + scan->text.len;
	const char *next = word.ptr + word.len;
	size_t len = 0;

	if (!scan->sentence || next == end || *next != ' ')
		return false;
	next++;
	while (next + len < end && next[len] >= 'a' && next[len] <= 'z')
		len++;
	return name_is_listed(scan->alphabet, slice_make(next, len), DICTIONARY_OBJECTS);
}

static void name_take_capitalised(struct scan *scan, struct slice word)
{
	bool common = name_is_common(scan->alphabet, word);
	bool opens = common && name_is_listed(scan->alphabet, word, DICTIONARY_NAMES);

	if (!name_continues_run(scan, word)) {
		name_end_run(scan);
		if ((common && !opens) || name_is_verb(scan, word))
			return;
	}
	name_add_to_run(scan, word);
}

/* A word without anything that takes it apart. */
static void name_take_word(struct scan *scan, struct slice word)
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
		name_take_capitalised(scan, word);
		return;
	case NAME_SHAPED:
		if (!name_continues_run(scan, word))
			name_end_run(scan);
		name_add_to_run(scan, word);
		return;
	case NAME_NUMBER:
		if (scan->run.count && scan->run.count <= RUN_WORDS_MAX &&
		    name_continues_run(scan, word))
			name_add_to_run(scan, word);
		name_end_run(scan);
		return;
	case NAME_ALONE:
		name_end_run(scan);
		entities_keep(scan, word);
		return;
	case NAME_NONE:
		name_end_run(scan);
	}
}

/* "@name", "#name". */
static bool name_is_handle(const struct scan *scan, struct slice word)
{
	size_t at = 1;

	if (word.len < 2 || (word.ptr[0] != '@' && word.ptr[0] != '#'))
		return false;
	uint32_t c = utf8_next(word, &at);
	return (c < '0' || c > '9') && alphabet_is_letter(scan->alphabet, c);
}

static bool name_is_name_by_signs(const struct scan *scan, struct slice word)
{
	return name_is_handle(scan, word) || name_is_mail_address(word) || name_keeps_colon(word);
}

/* Everything between two separators. */
static void name_take_chunk(struct scan *scan, struct slice chunk)
{
	struct slice rest = name_trim(chunk);
	const char *cut;

	if (memmem(rest.ptr, rest.len, "://", 3)) {
		name_end_run(scan);
		entities_keep(scan, name_host(rest));
		return;
	}
	rest = name_file(scan->alphabet, rest);
	while (rest.len && !name_is_name_by_signs(scan, rest) && (cut = name_find_cut(rest))) {
		name_take_word(scan, name_trim(slice_make(rest.ptr, (size_t)(cut - rest.ptr))));
		rest = name_trim(slice_make(cut + 1, rest.len - (size_t)(cut + 1 - rest.ptr)));
	}
	if (rest.len && name_is_name_by_signs(scan, rest)) {
		name_end_run(scan);
		entities_keep(scan, rest);
	} else {
		name_take_word(scan, rest);
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

static size_t entities_count_words(struct slice text)
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

/* True if the text between quotation marks could be a name. */
static bool name_is_quoted_name(const struct scan *scan, struct slice quoted)
{
	bool letter = false;

	if (quoted.len == 0 || memchr(quoted.ptr, '\n', quoted.len) ||
	    blank_trim(quoted).len != quoted.len || entities_count_words(quoted) > QUOTED_WORDS_MAX)
		return false;
	for (size_t at = 0; at < quoted.len && !letter;)
		letter = alphabet_is_letter(scan->alphabet, utf8_next(quoted, &at));
	return letter && !name_is_common(scan->alphabet, quoted);
}

/* Takes a quoted name at *at and moves behind it; false when there is none. */
static bool name_take_quoted(struct scan *scan, size_t *at)
{
	struct slice rest = slice_make(scan->text.ptr + *at, scan->text.len - *at);

	for (size_t i = 0; i < sizeof quotes / sizeof *quotes; i++) {
		struct slice open = slice_of(quotes[i].open);
		struct slice close = slice_of(quotes[i].close);

		if (rest.len < open.len || memcmp(rest.ptr, open.ptr, open.len) != 0)
			continue;
		size_t most = rest.len - open.len;
		most = most < NAMES_BYTES_MAX ? most : NAMES_BYTES_MAX;
		const char *end = memmem(rest.ptr + open.len, most, close.ptr, close.len);
		if (!end)
			return false;
		struct slice quoted = name_between(slice_make(rest.ptr + open.len, 0),
						   slice_make(end, 0));
		if (!name_is_quoted_name(scan, quoted))
			return false;
		name_end_run(scan);
		entities_keep(scan, quoted);
		*at += open.len + quoted.len + close.len;
		return true;
	}
	return false;
}

/* Scripts without capitals whose words stand side by side without blanks. */
static bool name_is_of_wide_script(uint32_t c)
{
	return (c >= 0x0E00 && c <= 0x0EFF) || (c >= 0x1000 && c <= 0x109F) ||
	       (c >= 0x1780 && c <= 0x17FF) || (c >= 0x3000 && c <= 0x9FFF) ||
	       (c >= 0xAC00 && c <= 0xD7AF) || c >= 0xF900;
}

static bool entities_is_of_word(const struct scan *scan, uint32_t c)
{
	if (c < 0x80 && strchr(".:/@#+-_'&", (int)c) && c)
		return true;
	return c == TYPOGRAPHIC_APOSTROPHE ||
	       ((alphabet_is_letter(scan->alphabet, c) || alphabet_is_mark(scan->alphabet, c)) &&
		!name_is_of_wide_script(c));
}

/* True if a sentence begins after this separator or word. */
static bool entities_ends_sentence(struct slice text, size_t end)
{
	return end > 0 && strchr(".!?:\n", text.ptr[end - 1]) != NULL;
}

/* Where the word that begins here ends; here when none does. */
static size_t name_end_of_word(const struct scan *scan, size_t start)
{
	size_t end = start;

	for (size_t at = start; at < scan->text.len; end = at) {
		if (!entities_is_of_word(scan, utf8_next(scan->text, &at)))
			break;
	}
	return end;
}

static void name_take_all(struct scan *scan)
{
	scan->sentence = true;
	for (size_t at = 0; at < scan->text.len && scan->count < NAMES_MAX;) {
		size_t end = name_end_of_word(scan, at);

		if (end > at) {
			name_take_chunk(scan, slice_make(scan->text.ptr + at, end - at));
			scan->sentence = entities_ends_sentence(scan->text, end);
			at = end;
		} else if (name_take_quoted(scan, &at)) {
			scan->sentence = false;
		} else {
			uint32_t c = utf8_next(scan->text, &at);

			if (c == '\n' || !blank_is(c))
				scan->sentence = entities_ends_sentence(scan->text, at) ||
						 c == '(' || c == '"';
		}
	}
	name_end_run(scan);
}

/* True if most words of the text are in capitals. */
static bool name_shouts(const struct alphabet *alphabet, struct slice text)
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
	scan.shouting = name_shouts(&alphabet, scan.text);
	name_take_all(&scan);
	alphabet_close(&alphabet);
	return scan.count;
}
