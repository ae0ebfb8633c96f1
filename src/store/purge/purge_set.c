#include "store/purge/purge_set.h"

#include "base/mem.h"

#include <stdlib.h>

static struct purge_key *purge_set_add_key(struct purge_set *set, enum category category,
					   struct slice key)
{
	set->keys = mem_grow(set->keys, &set->cap, set->count + 1, sizeof *set->keys);
	struct purge_key *added = &set->keys[set->count++];
	purge_key_init(added, category, key);
	added->values = &set->values;
	added->until_ms = INT64_MIN;
	return added;
}

void purge_set_init(struct purge_set *out, const struct purge_key *wanted)
{
	struct purge_key *key;

	*out = (struct purge_set){.values = NEEDLES_INIT};
	key = purge_set_add_key(out, wanted->category, ref_parse(str_slice(&wanted->ref)).key);
	key->bare = wanted->bare;
}

void purge_set_release(struct purge_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		purge_key_release(&set->keys[i]);
	free(set->keys);
	needles_release(&set->values);
	names_release(&set->notes);
	*set = (struct purge_set){.values = NEEDLES_INIT};
}

size_t purge_set_find(const struct purge_set *set, int category, struct slice key)
{
	for (size_t i = 0; i < set->count; i++) {
		if ((int)set->keys[i].category == category && purge_key_is(&set->keys[i], key))
			return i;
	}
	return SIZE_MAX;
}

size_t purge_set_add(struct purge_set *set, enum category category, struct slice key)
{
	size_t at = purge_set_find(set, (int)category, key);

	if (at != SIZE_MAX)
		return at;
	purge_set_add_key(set, category, key)->earlier = true;
	return set->count - 1;
}

enum purged purge_set_text(struct purge_set *set, const char *path, struct slice text,
			   struct str *out, size_t *count)
{
	enum purged result = PURGED_NOT;
	STR_AUTO before = STR_INIT;

	if (set->count == 1)
		return purge_text(set->keys, path, text, out, count);
	for (size_t i = 0; i < set->count; i++) {
		STR_AUTO after = STR_INIT;
		enum purged one = purge_text(&set->keys[i], path,
					     result == PURGED_NOT ? text : str_slice(&before),
					     &after, count);

		if (one == PURGED_NOT)
			continue;
		if (one != PURGED_TEXT)
			return one;
		result = one;
		str_clear(&before);
		str_add(&before, str_slice(&after));
	}
	if (result == PURGED_TEXT)
		str_add(out, str_slice(&before));
	return result;
}

bool purge_set_mentions(const struct purge_set *set, struct slice text)
{
	for (size_t i = 0; i < set->count; i++) {
		if (purge_mentions(&set->keys[i], text))
			return true;
	}
	return false;
}
