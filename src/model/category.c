#include "model/category.h"

#include "base/blank.h"

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
	size_t prefix_len;

	if (!colon)
		return ref;
	prefix_len = (size_t)(colon - whole.ptr);
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
