#include "nlp/entities_kind.h"

#include "base/utf8.h"

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

static void look_at(struct shape *shape, const struct alphabet *alphabet, uint32_t c, bool *small)
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

static struct shape shape_of(const struct alphabet *alphabet, struct slice word)
{
	struct shape shape = {0};
	bool small = false;

	for (size_t at = 0; at < word.len;)
		look_at(&shape, alphabet, utf8_next(word, &at), &small);
	return shape;
}

bool name_is_listed(const struct alphabet *alphabet, struct slice word, const struct phrase *list)
{
	STR_AUTO folded = STR_INIT;
	struct slice stem;
	const char *apostrophe;

	alphabet_fold(alphabet, word, &folded);
	stem = str_slice(&folded);
	apostrophe = memchr(stem.ptr, '\'', stem.len);
	if (apostrophe && apostrophe > stem.ptr)
		stem.len = (size_t)(apostrophe - stem.ptr);
	for (; list->text; list++) {
		if (slice_is(str_slice(&folded), list->text) || slice_is(stem, list->text))
			return true;
	}
	return false;
}

bool name_is_common(const struct alphabet *alphabet, struct slice word)
{
	return name_is_listed(alphabet, word, phrases_common) ||
	       name_is_listed(alphabet, word, phrases_starters);
}

bool name_is_capitals(const struct alphabet *alphabet, struct slice word)
{
	struct shape shape = shape_of(alphabet, word);

	return shape.upper >= 2 && shape.upper == shape.letters;
}

/* Numbers between dots: a version, or the address of a machine. */
static enum name_kind kind_of_number(const struct shape *shape)
{
	return shape->dots == 3 && shape->letters == 0 ? NAME_ALONE : NAME_NUMBER;
}

static bool is_version(struct slice word, const struct shape *shape)
{
	bool v = word.ptr[0] == 'v' || word.ptr[0] == 'V';

	return shape->digits && !shape->other && !shape->underscore &&
	       (shape->letters == 0 ? shape->dots > 0 : v && shape->letters == 1);
}

/* With an ending like that of a file or host, which is no new sentence without a blank. */
static bool has_ending(const struct alphabet *alphabet, struct slice word)
{
	const char *dot = memrchr(word.ptr, '.', word.len);
	struct slice before;
	struct slice ending;

	if (!dot)
		return false;
	before = slice_make(word.ptr, (size_t)(dot - word.ptr));
	ending = slice_make(dot + 1, word.len - before.len - 1);
	if (before.len < 2 || ending.len == 0 || ending.len > ENDING_MAX ||
	    (before.len >= 2 && before.ptr[before.len - 2] == '.'))
		return false;
	return shape_of(alphabet, ending).letters > 0 &&
	       (!shape_of(alphabet, ending).first_upper || name_is_capitals(alphabet, ending));
}

/* Small letters behind one capital, or capitals with perhaps an s: by the capitals alone. */
static enum name_kind kind_by_capitals(const struct alphabet *alphabet, struct slice word,
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

enum name_kind name_kind_of(const struct alphabet *alphabet, struct slice word, bool shouting)
{
	struct shape shape = shape_of(alphabet, word);

	if (is_version(word, &shape))
		return kind_of_number(&shape);
	if (shape.letters == 0 || (shape.first_digit && shape.letters <= UNIT_LETTERS_MAX))
		return NAME_NONE;
	if (shape.underscore || (shape.dots && has_ending(alphabet, word)))
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
		return kind_by_capitals(alphabet, word, &shape, shouting);
	return NAME_NONE;
}
