#include "model/category.h"

#include "base/utf8.h"

/* The last one is left to be NULL. */
const char *const category_names[CATEGORY_COUNT + 1] = {
#define X(id, name) name,
	CATEGORIES(X)
#undef X
};

/* Words that give a key's category away; the first that occurs anywhere in it decides. */
static const struct {
	const char *word;
	enum category category;
} hints[] = {
	{"pref", CATEGORY_PREFERENCES},
	{"connect", CATEGORY_CONNECTIONS},
	{"relationship", CATEGORY_CONNECTIONS},
	{"team", CATEGORY_CONNECTIONS},
	{"partner", CATEGORY_CONNECTIONS},
	{"client", CATEGORY_CONNECTIONS},
	{"pattern", CATEGORY_PATTERNS},
	{"habit", CATEGORY_PATTERNS},
	{"routine", CATEGORY_PATTERNS},
	{"limit", CATEGORY_PATTERNS},
	{"hour", CATEGORY_PATTERNS},
	{"shortcut", CATEGORY_SHORTCUTS},
	{"phrase", CATEGORY_SHORTCUTS},
	{"alias", CATEGORY_SHORTCUTS},
};

const char *category_name(enum category category)
{
	return category_names[category];
}

int category_find(struct slice name)
{
	for (int i = 0; i < CATEGORY_COUNT; i++) {
		if (slice_is_word(name, category_names[i]))
			return i;
	}
	return CATEGORY_ANY;
}

enum category category_infer(struct slice identity)
{
	if (!identity.len)
		return CATEGORY_STATE;
	for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
		const char *word = hints[i].word;

		if (memmem(identity.ptr, identity.len, word, strlen(word)))
			return hints[i].category;
	}
	return CATEGORY_STATE;
}

struct ref ref_parse(struct slice text)
{
	struct slice whole = blank_trim(text);
	struct ref ref = {CATEGORY_ANY, whole};
	const char *colon = whole.len ? memchr(whole.ptr, ':', whole.len) : NULL;

	if (!colon)
		return ref;
	size_t prefix_len = (size_t)(colon - whole.ptr);
	ref.category = category_find(slice_make(whole.ptr, prefix_len));
	if (ref.category != CATEGORY_ANY)
		ref.key = blank_trim(slice_make(colon + 1, whole.len - prefix_len - 1));
	return ref;
}

void ref_add(struct str *out, enum category category, struct slice key)
{
	str_adds(out, category_name(category));
	str_addc(out, ':');
	str_add(out, key);
}

#define ZERO_WIDTH_JOINER 0x200D

static bool category_is_separator(uint32_t c)
{
	return c == '_' || c == '-' || c == '/';
}

void tag_clean(struct slice text, struct str *out)
{
	struct alphabet alphabet = alphabet_open();
	uint32_t last = '_';
	size_t at = 0;

	str_clear(out);
	while (at < text.len) {
		uint32_t c = utf8_next(text, &at);

		if (alphabet_is_letter(&alphabet, c))
			c = alphabet_lower(&alphabet, c);
		else if (!alphabet_is_mark(&alphabet, c) || category_is_separator(last))
			c = c == '.' ? '-' : category_is_separator(c) ? c : '_';
		if (category_is_separator(c) && (!out->len || c == last))
			continue;
		utf8_add(out, c);
		last = c;
	}
	while (out->len && category_is_separator((unsigned char)out->ptr[out->len - 1]))
		str_truncate(out, out->len - 1);
	alphabet_close(&alphabet);
}

/* Symbols that stand for a thing or a mood and are no part of a name. */
static bool category_is_pictograph(uint32_t c)
{
	return (c >= 0x2600 && c <= 0x27BF) || (c >= 0xFE00 && c <= 0xFE0F) ||
	       (c >= 0x1F000 && c <= 0x1FAFF) || (c >= 0xE0000 && c <= 0xE0FFF);
}

void entity_clean(struct slice text, struct str *out)
{
	bool gap = false;
	size_t at = 0;

	str_clear(out);
	while (at < text.len) {
		uint32_t c = utf8_next(text, &at);

		/* Between two pictographs a joiner belongs to them, between letters to the name. */
		if (blank_is(c) || category_is_pictograph(c) || (gap && c == ZERO_WIDTH_JOINER)) {
			gap = true;
			continue;
		}
		if (gap && out->len)
			str_addc(out, ' ');
		utf8_add(out, c == '/' ? '_' : c);
		gap = false;
	}
}

struct alphabet alphabet_open(void)
{
	struct alphabet alphabet = {newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0), 0};

	if (alphabet.locale)
		alphabet.mark = wctype_l("combining", alphabet.locale);
	return alphabet;
}

void alphabet_close(const struct alphabet *alphabet)
{
	if (alphabet->locale)
		freelocale(alphabet->locale);
}

bool alphabet_is_letter(const struct alphabet *alphabet, uint32_t c)
{
	if (c < 0x80)
		return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
	if (c == UTF8_REPLACEMENT)
		return false;
	return !alphabet->locale || iswalnum_l((wint_t)c, alphabet->locale);
}

bool alphabet_is_mark(const struct alphabet *alphabet, uint32_t c)
{
	return c >= 0x80 && alphabet->mark &&
	       iswctype_l((wint_t)c, alphabet->mark, alphabet->locale);
}

bool alphabet_is_upper(const struct alphabet *alphabet, uint32_t c)
{
	if (c < 0x80)
		return c >= 'A' && c <= 'Z';
	return alphabet->locale && iswupper_l((wint_t)c, alphabet->locale);
}

uint32_t alphabet_lower(const struct alphabet *alphabet, uint32_t c)
{
	if (c < 0x80)
		return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
	return alphabet->locale ? (uint32_t)towlower_l((wint_t)c, alphabet->locale) : c;
}

void alphabet_fold(const struct alphabet *alphabet, struct slice text, struct str *out)
{
	str_clear(out);
	for (size_t at = 0; at < text.len;) {
		uint32_t c = utf8_next(text, &at);

		utf8_add(out, c == TYPOGRAPHIC_APOSTROPHE ? '\'' : alphabet_lower(alphabet, c));
	}
}
