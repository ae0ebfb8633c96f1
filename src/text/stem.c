#include "text/stem.h"

#include "text/dictionary.h"

#include <stdbool.h>
#include <string.h>
#include <uchar.h>

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
		{"ization", 3}, {"isation", 3}, {"ation", 3}, {"ator", 3}, {"ate", 3}, {"ition", 4},
		{"ion", 4},     {"ment", 4},    {"ness", 4},  {"able", 4}, {"ize", 4}, {"ise", 4},
		{"age", 4},     {"er", 4},      {"or", 4},    {"ly", 4},
	};

	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
		const char *ending = endings[i].ending;

		/* "creation" stems to "creat", "rotation" to "rot". */
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

/* Replaces the end of a word, which is as long or longer. */
static void stem_replace_end(struct form *form, const char *ending, const char *instead)
{
	form->len -= strlen(ending) - strlen(instead);
	memcpy(form->text + form->len - strlen(instead), instead, strlen(instead));
}

/* British spellings as American ones: "harbour", "centre", "catalogue", "analyse", "licence". */
static void stem_cut_spelling(struct form *form)
{
	static const struct {
		const char *british;
		const char *american;
		size_t least;
	} spellings[] = {
		{"our", "or", 6},  {"tre", "ter", 5}, {"bre", "ber", 5},
		{"ogue", "og", 6}, {"yse", "yze", 6}, {"ence", "ense", 6},
	};

	for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
		if (form->len >= spellings[i].least && stem_ends_with(form, spellings[i].british))
			stem_replace_end(form, spellings[i].british, spellings[i].american);
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

/* "written" as write, "notif" as notify; also with an ending of its own: "failures", "serviced". */
static void stem_read_irregular(struct form *form)
{
	for (;;) {
		const char *word = dictionary_word_of_form(slice_make(form->text, form->len));

		if (!word && (stem_last(form, 0) == 's' || stem_ends_with(form, "ed")))
			word = dictionary_word_of_form(slice_make(form->text, form->len - 1));
		if (!word || strlen(word) > STEM_LEN_MAX)
			return;
		form->len = strlen(word);
		memcpy(form->text, word, form->len);
	}
}

/* ---- endings of other scripts */

/*
 * Cuts the first of these endings (UTF-16, which is all that these scripts need, the last NULL)
 * that leaves `least` characters of the word. Returns what is left.
 */
static size_t stem_cut_ending(const uint32_t *word, size_t len, const char16_t *const *endings,
			      size_t least)
{
	for (; *endings; endings++) {
		const char16_t *text = *endings;
		size_t ending = 0;
		size_t same = 0;

		while (text[ending])
			ending++;
		if (len < ending + least)
			continue;
		while (same < ending && word[len - ending + same] == text[same])
			same++;
		if (same == ending)
			return len - ending;
	}
	return len;
}

/* Particles behind nouns and the endings of the verb "to do" behind what is done. */
static size_t stem_cut_hangul(const uint32_t *word, size_t len)
{
	static const char16_t *const verbs[] = {
		u"했습니다", u"합니다", u"합니까", u"하세요", u"하나요", u"됩니다",
		u"되나요",   u"하지",   u"하는",   u"하기",   u"한다",   u"해야",
		u"해요",     u"하고",   u"하여",   u"하다",   u"된다",   u"되는",
		u"되어",     u"된",     u"한",     u"함",     u"입니다", u"인가요",
		u"이다",     u"했다",   u"했나요", u"할",     NULL};
	static const char16_t *const short_verbs[] = {
		u"습니까", u"습니다", u"었습니다", u"았습니다", u"나요", u"는다", u"어야", u"아야",
		u"었다",   u"았다",   u"어요",     u"아요",     u"는지", u"려면", u"으면", NULL};
	static const char16_t *const particles[] = {
		u"에서는", u"으로는", u"에서", u"에게", u"으로", u"까지", u"부터", u"보다", u"처럼",
		u"에는",   u"와의",   u"은",   u"는",   u"이",   u"가",   u"을",   u"를",   u"의",
		u"에",     u"로",     u"와",   u"과",   u"도",   u"만",   NULL};
	size_t left = stem_cut_ending(word, len, verbs, 2);

	if (left == len)
		left = stem_cut_ending(word, len, short_verbs, 1);
	return left < len ? left : stem_cut_ending(word, len, particles, 2);
}

/* Case and number of nouns and adjectives, person of verbs: the longest of them first. */
static size_t stem_cut_cyrillic(const uint32_t *word, size_t len)
{
	static const char16_t *const reflexive[] = {u"ся", u"сь", NULL};
	static const char16_t *const endings[] = {
		u"ениями", u"иями", u"ения", u"ение", u"ении", u"ений", u"аются", u"ются", u"ому",
		u"ему",    u"ого",  u"его",  u"ыми",  u"ими",  u"ами",  u"ями",   u"ать",  u"ять",
		u"ить",    u"еть",  u"ает",  u"яет",  u"ают",  u"яют",  u"ите",   u"ый",   u"ий",
		u"ой",     u"ая",   u"яя",   u"ое",   u"ее",   u"ые",   u"ие",    u"ую",   u"юю",
		u"ых",     u"их",   u"ам",   u"ям",   u"ах",   u"ях",   u"ов",    u"ев",   u"ом",
		u"ем",     u"ей",   u"ят",   u"ат",   u"ут",   u"ют",   u"ит",    u"ет",   u"ия",
		u"ии",     u"а",    u"я",    u"о",    u"е",    u"ы",    u"и",     u"у",    u"ю",
		u"ь",      u"й",    NULL};

	len = stem_cut_ending(word, len, reflexive, 4);
	return stem_cut_ending(word, len, endings, 3);
}

static size_t stem_cut_script(const uint32_t *word, size_t len)
{
	uint32_t last = word[len - 1];

	if (last >= 0xAC00 && last <= 0xD7A3)
		return stem_cut_hangul(word, len);
	if (last >= 0x0430 && last <= 0x044F)
		return stem_cut_cyrillic(word, len);
	return len;
}

size_t stem_word(const uint32_t *word, size_t len, uint32_t *out)
{
	struct form form;

	if (len > 0 && len <= STEM_LEN_MAX)
		len = stem_cut_script(word, len);
	if (len < 2 || len > STEM_LEN_MAX || !stem_read_ascii(&form, word, len)) {
		memcpy(out, word, len * sizeof *word);
		return len;
	}
	stem_read_irregular(&form);
	if (form.len > 3) {
		stem_cut_plural(&form);
		stem_cut_tense(&form);
		stem_cut_spelling(&form);
		stem_cut_derivation(&form);
		stem_cut_vowel(&form);
	}
	for (size_t i = 0; i < form.len; i++)
		out[i] = (unsigned char)form.text[i];
	return form.len;
}

/* ---- languages in Latin letters other than English */

/* So much of a word must be left. */
#define FOREIGN_LEAST 4

/* The letters from U+00E0 on without their diacritics. */
static uint32_t stem_plain_letter(uint32_t c)
{
	static const char plain[] = "aaaaaaaceeeeiiiidnooooo ouuuuy y";

	return c >= 0xE0 && c <= 0xFF ? (unsigned char)plain[c - 0xE0] : c;
}

static bool stem_ends_in(const uint32_t *word, size_t len, const char *ending, size_t ending_len)
{
	for (size_t i = 0; i < ending_len; i++)
		if (word[len - ending_len + i] != (unsigned char)ending[i])
			return false;
	return true;
}

size_t stem_foreign_word(const uint32_t *word, size_t len, uint32_t *out)
{
	/* Of German, French, Spanish, Italian, Portuguese and Dutch; the longest first. */
	static const char *const endings[] = {
		"issement", "aciones", "azioni", "azione", "ations", "ements", "ciones", "acion",
		"acoes",    "ation",   "ement",  "iendo",  "ieron",  "ungen",  "zione",  "zioni",
		"ingen",    "acao",    "adas",   "ados",   "amos",   "ando",   "aron",   "cion",
		"iones",    "ioni",    "ione",   "emos",   "iamo",   "idas",   "idos",   "imos",
		"test",     "ada",     "ado",    "aba",    "ait",    "ant",    "are",    "ata",
		"ate",      "ati",     "ato",    "ion",    "ees",    "ent",    "ere",    "ida",
		"ido",      "ing",     "ire",    "ons",    "ten",    "ung",    "am",     "an",
		"ar",       "as",      "ee",     "em",     "en",     "er",     "es",     "et",
		"ez",       "ir",      "os",     "st",     "te",     "a",      "e",      "i",
		"n",        "o",       "s",      "t",
	};
	size_t cut = 0;

	for (size_t i = 0; i < len; i++)
		out[i] = stem_plain_letter(word[i]);
	for (size_t i = 0; !cut && i < sizeof endings / sizeof *endings; i++) {
		size_t ending = strlen(endings[i]);

		if (len >= ending + FOREIGN_LEAST && stem_ends_in(out, len, endings[i], ending))
			cut = ending;
	}
	/* "gewartet" is "wartet". */
	if (cut && len - cut >= FOREIGN_LEAST + 2 && out[0] == 'g' && out[1] == 'e') {
		memmove(out, out + 2, (len - cut - 2) * sizeof *out);
		return len - cut - 2;
	}
	return len - cut;
}
