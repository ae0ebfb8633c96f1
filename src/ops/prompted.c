#include "ops/prompted.h"

#include "store/view/search_all.h"
#include "text/normalize.h"
#include "text/tokens.h"
#include "text/words.h"

/* A search for a question answers it from this relevance on. Measured: tests/data/messages.txt. */
#define SURE_RELEVANCE 0.6

/* One word that happens to be there says nothing of what is asked. */
#define SURE_WORDS 2

/* A shorter key is no name. */
#define KEY_CHARACTERS_MIN 3

struct prompted {
	const struct call *call;
	const struct forms_finding *forms;
	const struct item **out;
	size_t count;
};

static void prompted_add(struct prompted *prompted, const struct item *item)
{
	if (prompted->count == PROMPTED_MAX || item->due)
		return;
	for (size_t i = 0; i < prompted->count; i++) {
		if (prompted->out[i] == item)
			return;
	}
	prompted->out[prompted->count++] = item;
}

/*
 * Is this key a name by which somebody means the entry? A shorthand is; of one word, only one that
 * is no word of the language.
 */
static bool prompted_is_name(const struct prompted *prompted, const struct item *item,
			     const struct text *key)
{
	if (key->len < KEY_CHARACTERS_MIN || key->word_count == 0)
		return false;
	if (key->word_count > 1)
		return item->entry.category != CATEGORY_STATE || prompted->forms->question ||
		       item->entry.pinned;
	if (words_rarity_at(key, 0) <= RARITY_USUAL &&
	    !words_is_listed_at(key, 0, DICTIONARY_PERSONS))
		return false;
	return item->entry.category == CATEGORY_SHORTCUTS ||
	       item->entry.category == CATEGORY_CONNECTIONS || prompted->forms->question;
}

/* Entries whose key stands in the message, in any spelling that is the same key. */
static void prompted_find_named(struct prompted *prompted, struct slice message)
{
	size_t count;
	const struct item *items = store_items(prompted->call->store, &count);
	STR_AUTO normal = STR_INIT;
	STR_AUTO key_normal = STR_INIT;

	normalize_words(message, &normal);
	for (size_t i = 0; i < count; i++) {
		struct text key;
		bool whole = false;

		str_clear(&key_normal);
		normalize_words(items[i].entry.key, &key_normal);
		if (!text_contains(str_slice(&normal), str_slice(&key_normal), &whole) || !whole)
			continue;
		text_make(prompted->call->arena, str_slice(&key_normal), &key);
		if (prompted_is_name(prompted, &items[i], &key))
			prompted_add(prompted, &items[i]);
	}
}

/* A question is also answered by what it is about. */
static void prompted_find_about(struct prompted *prompted, struct slice message)
{
	const struct sought *found;
	size_t count = store_search(prompted->call->store, message, &found);

	for (size_t i = 0; i < count && found[i].relevance >= SURE_RELEVANCE; i++) {
		if (found[i].status <= SOUGHT_PROMOTED && found[i].numbers &&
		    text_count_bits(found[i].words) >= SURE_WORDS)
			prompted_add(prompted, found[i].item);
	}
}

size_t prompted_find(const struct call *call, struct slice message,
		     const struct forms_finding *forms, const struct item *out[PROMPTED_MAX])
{
	struct prompted prompted = {.call = call, .forms = forms, .out = out};

	prompted_find_named(&prompted, message);
	if (forms->question && !forms->general)
		prompted_find_about(&prompted, message);
	return prompted.count;
}
