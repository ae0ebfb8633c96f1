/* Which entry a key means that is to be purged, as purge.h says. */
#include "base/utf8.h"
#include "store/files/dir_lock.h"
#include "store/purge/purge_internal.h"
#include "store/txn/refresh.h"

/* Among the entries, active and archived. */
static int purge_find_look_at_store(struct store *store, struct slice key,
				    bool found[CATEGORY_COUNT], struct err *err)
{
	const struct archived *all;
	size_t count;

	if (store_archive_all(store, &all, &count, err) != 0)
		return -1;
	for (int c = 0; c < CATEGORY_COUNT; c++) {
		struct purge_key one;

		found[c] = store_find(store, c, key) != NULL;
		purge_key_init(&one, (enum category)c, key);
		for (size_t i = 0; i < count && !found[c]; i++)
			found[c] = purge_key_has_ref(&one, all[i].ref);
		purge_key_release(&one);
	}
	return 0;
}

static int purge_find_look_at_mark(struct store *store, struct slice key,
				   bool found[CATEGORY_COUNT], struct err *err)
{
	struct purge_set begun;
	bool any;

	if (purge_mark_read(store_disk(store), &begun, &any, err) != 0)
		return -1;
	if (any) {
		found[begun.keys[0].category] = purge_key_is(&begun.keys[0], key);
		purge_set_release(&begun);
	}
	return 0;
}

static size_t purge_find_count_choices(const bool found[CATEGORY_COUNT], struct purge_choices *out)
{
	out->count = 0;
	for (int c = 0; c < CATEGORY_COUNT; c++) {
		if (found[c])
			out->categories[out->count++] = (enum category)c;
	}
	return out->count;
}

static int purge_find_refuse_several(const struct purge_choices *choices, struct slice key,
				     struct err *err)
{
	STR_AUTO refs = STR_INIT;

	for (size_t i = 0; i < choices->count; i++) {
		STR_AUTO ref = STR_INIT;
		STR_AUTO scratch = STR_INIT;

		ref_add(&ref, choices->categories[i], key);
		str_adds(&refs, i == 0 ? "" : i + 1 < choices->count ? ", " : " or ");
		str_adds(&refs, shown(&scratch, str_slice(&ref)));
	}
	return err_set(err, ERR_BAD_VALUE,
		       "this key exists in %zu categories: say which one to purge, %s",
		       choices->count, refs.ptr);
}

static int purge_find_find_category(struct store *store, struct ref *ref,
				    struct purge_choices *choices, struct err *err)
{
	bool found[CATEGORY_COUNT];

	if (purge_find_look_at_store(store, ref->key, found, err) != 0 ||
	    (purge_find_count_choices(found, choices) == 0 &&
	     purge_find_look_at_mark(store, ref->key, found, err) != 0) ||
	    (purge_find_count_choices(found, choices) == 0 &&
	     purge_history_knows(store, ref->key, found, err) != 0))
		return -1;
	purge_find_count_choices(found, choices);
	if (choices->count > 1)
		return purge_find_refuse_several(choices, ref->key, err);
	if (choices->count == 0)
		return err_set(err, ERR_NOT_FOUND,
			       "no such key is stored, archived or in the history; category:key "
			       "purges what is left of one anyway");
	ref->category = (int)choices->categories[0];
	return 0;
}

int purge_find(struct purge_key *out, struct store *store, struct slice key, int64_t now_ms,
	       struct purge_choices *choices, struct err *err)
{
	struct ref ref = ref_parse(key);
	const struct item *item;

	choices->count = 0;
	if (ref.key.len == 0)
		return err_set(err, ERR_BLANK_ARGUMENT, "KEY: give a key, or category:key");
	if (!disk_exists(store_disk(store)))
		return err_set(err, ERR_NOT_FOUND, "there is no store at %s",
			       store_disk(store)->path);
	if (store_refresh(store, now_ms, err) != 0 ||
	    (ref.category == CATEGORY_ANY &&
	     purge_find_find_category(store, &ref, choices, err) != 0))
		return -1;
	purge_key_init(out, (enum category)ref.category, ref.key);
	item = store_find(store, CATEGORY_ANY, ref.key);
	out->bare = !item || (int)item->entry.category == ref.category;
	return 0;
}
