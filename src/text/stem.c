#include "text/stem.h"

#include <stdbool.h>
#include <string.h>

/* A word being cut, in ASCII. */
struct form {
	char text[STEM_LEN_MAX + 1];
	size_t len;
};

static bool stem_is_vowel(char c)
{
	return c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u' || c == 'y';
}

static bool stem_has_vowel(const struct form *form, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (stem_is_vowel(form->text[i]))
			return true;
	}
	return false;
}

static bool stem_ends_with(const struct form *form, const char *ending)
{
	size_t len = strlen(ending);

	return form->len > len && memcmp(form->text + form->len - len, ending, len) == 0;
}

/* The last character but so many; a blank where there is none. */
static char stem_last(const struct form *form, size_t but)
{
	return form->len > but ? form->text[form->len - 1 - but] : ' ';
}

/* Cuts an ending where a word of this length with a vowel remains. */
static bool stem_cut(struct form *form, const char *ending, size_t least)
{
	size_t rest = form->len - strlen(ending);

	if (!stem_ends_with(form, ending) || rest < least || !stem_has_vowel(form, rest))
		return false;
	form->len = rest;
	return true;
}

static void stem_cut_plural(struct form *form)
{
	char before = stem_last(form, 1);

	if ((stem_ends_with(form, "ies") && form->len > 4) || stem_ends_with(form, "sses") ||
	    stem_ends_with(form, "xes") || stem_ends_with(form, "ches") ||
	    stem_ends_with(form, "shes") || stem_ends_with(form, "zes")) {
		form->len -= 2;
	} else if (stem_last(form, 0) == 's' && form->len > 3 && before != 's' && before != 'u' &&
		   before != 'i') {
		form->len--;
	}
}

/* "stopp" and "migrat", as -ed and -ing leave them. */
static void stem_mend(struct form *form)
{
	char c = stem_last(form, 0);

	if (c == stem_last(form, 1) && !stem_is_vowel(c) && c != 'l' && c != 's' && c != 'z')
		form->len--;
	else if (stem_ends_with(form, "at") && form->len > 4 && !stem_is_vowel(stem_last(form, 2)))
		form->len -= 2;
}

static void stem_cut_tense(struct form *form)
{
	if (stem_ends_with(form, "eed"))
		return;
	if (stem_cut(form, "ing", 3) || stem_cut(form, "ed", 3))
		stem_mend(form);
}

/* What makes one kind of word out of another. The first that fits is cut, then no other. */
static void stem_cut_derivation(struct form *form)
{
	static const struct {
		const char *ending;
		size_t least;
	} endings[] = {
		{"ization", 3}, {"isation", 3}, {"ation", 3}, {"ator", 3}, {"ate", 3},
		{"ition", 4},   {"ion", 4},     {"ment", 4},  {"ness", 4}, {"able", 4},
		{"ize", 4},     {"ise", 4},     {"er", 4},    {"or", 4},   {"ly", 4},
	};

	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
		const char *ending = endings[i].ending;

		/* "creation" is made of "creat", "rotation" of "rot". */
		if (ending[0] == 'a' && stem_is_vowel(stem_last(form, strlen(ending))))
			continue;
		if (stem_cut(form, ending, endings[i].least))
			return;
	}
}

static void stem_cut_vowel(struct form *form)
{
	if (form->len > 3 && stem_last(form, 0) == 'e')
		form->len--;
	if (form->len > 3 && (stem_last(form, 0) == 'i' || stem_last(form, 0) == 'y'))
		form->text[form->len - 1] = 'i';
	if (form->len > 3 && stem_last(form, 0) == 'l' && stem_last(form, 1) == 'l')
		form->len--;
}

static bool stem_read_ascii(struct form *form, const uint32_t *word, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (word[i] < 'a' || word[i] > 'z')
			return false;
		form->text[i] = (char)word[i];
	}
	form->len = len;
	return true;
}

size_t stem_word(const uint32_t *word, size_t len, uint32_t *out)
{
	struct form form;

	if (len <= 3 || len > STEM_LEN_MAX || !stem_read_ascii(&form, word, len)) {
		memcpy(out, word, len * sizeof *word);
		return len;
	}
	stem_cut_plural(&form);
	stem_cut_tense(&form);
	stem_cut_derivation(&form);
	stem_cut_vowel(&form);
	for (size_t i = 0; i < form.len; i++)
		out[i] = (unsigned char)form.text[i];
	return form.len;
}
