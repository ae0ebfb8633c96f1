#include "ops/history/entry_history.h"

#include "base/utf8.h"
#include "ops/common.h"
#include "text/normalize.h"

static void follow_stand_at(struct follow *follow, int category, struct slice key)
{
	follow->category = category;
	follow->key = arena_copy(&follow->places, key);
	normalize_key(key, &follow->identity);
	history_log_narrow(follow->log,
			   category == CATEGORY_ANY ? (1u << CATEGORY_COUNT) - 1 : 1u << category);
}

static int follow_find_place(struct ref *out, bool *active, const struct call *call,
			     const char *param, struct slice text, struct err *err)
{
	const struct item *item = store_find_ref(call->store, text);

	if (!item) {
		if (common_parse_ref(out, param, text, CATEGORY_ANY, err) != 0)
			return -1;
		item = store_find(call->store, out->category, out->key);
	}
	if (item)
		*out = (struct ref){(int)item->entry.category, item->entry.key};
	*active = item != NULL;
	return 0;
}

static void follow_remember(struct follow *follow, enum category category, struct slice key)
{
	if (!follow->ref.ptr)
		follow->ref = common_ref(&follow->places, category, key);
}

/* True if the key, in any spelling, is the one that is followed. */
static bool follow_spells(const struct follow *follow, enum category category, struct slice key)
{
	STR_AUTO identity = STR_INIT;

	if (follow->category != CATEGORY_ANY && follow->category != (int)category)
		return false;
	if (slice_equal(key, follow->key))
		return true;
	normalize_key(key, &identity);
	return slice_equal(str_slice(&identity), str_slice(&follow->identity));
}

/* Every change that spells the key in any way; follow_look() sees which of them matter. */
static bool follow_concerns(void *context, enum category category, struct slice key)
{
	return follow_spells(context, category, key);
}

int follow_open(struct follow *out, const struct call *call, const char *param, struct slice key,
		const struct object_id *from, struct err *err)
{
	struct ref place;
	struct history_log *log;
	bool active;

	if (follow_find_place(&place, &active, call, param, key, err) != 0 ||
	    history_log_open(&log, call->store, from, err) != 0)
		return -1;
	*out = (struct follow){.call = call, .log = log, .identity = STR_INIT};
	out->filter = (struct log_filter){follow_concerns, out, &out->until};
	history_log_expect(log, &out->filter);
	follow_stand_at(out, place.category, place.key);
	if (active)
		follow_remember(out, (enum category)place.category, place.key);
	return 0;
}

void follow_close(struct follow *follow)
{
	history_log_close(follow->log);
	str_release(&follow->identity);
	arena_release(&follow->places);
	arena_release(&follow->step);
}

/* Two keys may be equal but for their spelling: then each has its own past. */
static bool follow_is_another(const struct follow *follow, const struct log_change *change,
			      enum category category)
{
	STR_AUTO text = STR_INIT;
	struct err ignored;

	return !object_id_is_none(&change->id) &&
	       history_log_entry_at(follow->call->store, &change->id, category, follow->key, &text,
				    &ignored) == 0 &&
	       text.len > 0;
}

static bool follow_is_here(const struct follow *follow, const struct log_change *change,
			   enum category category, struct slice key)
{
	return follow_spells(follow, category, key) &&
	       (slice_equal(key, follow->key) || !follow_is_another(follow, change, category));
}

static bool follow_may_be_about(const struct follow *follow, const struct log_change *change)
{
	for (size_t i = 0; i < change->count; i++) {
		if (!change->items[i].record &&
		    follow_is_here(follow, change, change->items[i].category, change->items[i].key))
			return true;
	}
	return false;
}

/* What the change did to the entry; NULL when that is nothing. */
static const struct told *follow_find_told(const struct follow *follow,
					   const struct log_change *change,
					   const struct telling *telling)
{
	for (size_t i = 0; i < telling->count; i++) {
		const struct told *told = &telling->items[i];

		if (told->deed >= DEED_RECORD_ADDED)
			break;
		if (follow_is_here(follow, change, told->category, told->key))
			return told;
	}
	for (size_t i = 0; i < telling->count; i++) {
		const struct told *told = &telling->items[i];

		if (told->from_category != CATEGORY_ANY &&
		    follow_is_here(follow, change, (enum category)told->from_category,
				   told->from_key))
			return told;
	}
	return NULL;
}

static int follow_look(struct follow *follow, struct log_change *change, const struct told **told,
		       struct err *err)
{
	struct telling telling;

	if (!follow_may_be_about(follow, change))
		return 0;
	if (!object_id_is_none(&change->id) && history_log_whole(follow->log, change, err) != 0)
		return -1;
	arena_release(&follow->step);
	tell(&telling, change, &follow->step);
	*told = follow_find_told(follow, change, &telling);
	if (!*told)
		return 0;
	follow_remember(follow, (*told)->category, (*told)->key);
	/* From here on the entry is followed at the place that it had before. */
	if ((*told)->from_category != CATEGORY_ANY)
		follow_stand_at(follow, (*told)->from_category, (*told)->from_key);
	else
		follow_stand_at(follow, (int)(*told)->category, (*told)->key);
	return 1;
}

int follow_unrecorded(struct follow *follow, struct log_change *change, const struct told **told,
		      struct err *err)
{
	if (history_log_unrecorded(follow->log, change, err) != 0)
		return -1;
	return follow_look(follow, change, told, err);
}

int follow_next(struct follow *follow, struct log_change *change, const struct told **told,
		struct err *err)
{
	int result;

	while ((result = history_log_next(follow->log, change, err)) == 1) {
		if (!change->waits && object_id_equal(&change->id, &follow->until))
			return 0;
		result = follow_look(follow, change, told, err);
		if (result != 0)
			return result;
	}
	return result;
}

int follow_refuse(const struct follow *follow, const char *param, struct err *err)
{
	STR_AUTO scratch = STR_INIT;

	return err_set(err, ERR_NOT_FOUND, "%s: \"%s\" is neither in the store nor in its history",
		       param, shown(&scratch, follow->key));
}
