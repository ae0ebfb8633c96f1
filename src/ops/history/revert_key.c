/* Putting back one entry by the history. */
#include "store/txn/undo.h"
#include "ops/history/entry_history.h"
#include "ops/history/revert_common.h"

/* What the entry is called now, or was last. */
static struct putback_name name_now(const struct putback *put, const struct follow *follow)
{
	struct ref ref = ref_parse(arena_copy(put->call->arena, follow->ref));

	return (struct putback_name){(enum category)ref.category, ref.key};
}

/* The last change that was about the entry. */
static int find_last(const struct putback *put, struct slice key, struct putback_name *name,
		     struct object_id *id, struct err *err)
{
	struct past_change change;
	const struct told *told;
	struct follow follow;
	int result;

	if (follow_open(&follow, put->call, "key", key, NULL, err) != 0)
		return -1;
	result = follow_next(&follow, &change, &told, err);
	if (result == 0)
		result = follow_refuse(&follow, "key", err);
	if (result == 1) {
		*name = name_now(put, &follow);
		*id = change.id;
	}
	follow_close(&follow);
	return result == 1 ? 0 : -1;
}

int putback_key(struct putback *put, struct slice key, struct err *err)
{
	struct putback_name name;
	struct object_id id;
	struct ref ref;

	if (!put->recorded) {
		if (common_parse_ref(&ref, "key", key, CATEGORY_ANY, err) != 0)
			return -1;
		return putback_kept(put, &ref, err);
	}
	if (find_last(put, key, &name, &id, err) != 0)
		return -1;
	return putback_recorded(put, &id, &name, err);
}

/* Walks back to the change; what the entry was called right after it is where the walk stands. */
static int walk_back(struct follow *follow, const struct object_id *id, struct err *err)
{
	struct past_change change;
	const struct told *told;
	int result;

	follow->until = *id;
	do
		result = follow_next(follow, &change, &told, err);
	while (result == 1);
	return result;
}

/* Gone, and not touched since the change: what the past before it has is called the same now. */
static int find_older(struct follow *follow, struct err *err)
{
	struct past_change change;
	const struct told *told;
	int result;

	follow->until = (struct object_id){{0}};
	result = follow_next(follow, &change, &told, err);
	if (result == 0)
		follow_refuse(follow, "key", err);
	return result == 1 ? 0 : -1;
}

/* What the entry is called now, and what it was called right after that change. */
static int find_names(const struct putback *put, struct slice key, const struct object_id *id,
		      struct putback_name *now, struct putback_name *then, struct err *err)
{
	struct follow follow;
	bool untouched;
	int result;

	if (follow_open(&follow, put->call, "key", key, NULL, err) != 0)
		return -1;
	result = walk_back(&follow, id, err);
	untouched = !follow.ref.ptr;
	if (result == 0 && untouched)
		result = find_older(&follow, err);
	if (result == 0) {
		*now = name_now(put, &follow);
		*then = *now;
	}
	if (result == 0 && !untouched)
		*then = (struct putback_name){(enum category)follow.category,
					      arena_copy(put->call->arena, follow.key)};
	follow_close(&follow);
	return result;
}

static void name_target(struct putback *put, const struct object_id *id)
{
	char text[OBJECT_ID_DIGITS + 1];

	object_id_text(id, text);
	put->id = arena_copy(put->call->arena, slice_of(text));
}

int putback_key_at(struct putback *put, struct slice key, struct slice to, struct err *err)
{
	STR_AUTO text = STR_INIT;
	struct slice was = slice_make(NULL, 0);
	const struct item *there;
	struct putback_name now;
	struct putback_name then;
	struct object_id id;

	if (past_resolve(put->call->store, to, &id, err) != 0 ||
	    find_names(put, key, &id, &now, &then, err) != 0 ||
	    past_entry_at(put->call->store, &id, then.category, then.key, &text, err) != 0)
		return -1;
	name_target(put, &id);
	if (text.len > 0)
		was = arena_copy(put->call->arena, str_slice(&text));
	there = putback_find(put, &now);
	if (putback_same(there ? there->entry.text : slice_make(NULL, 0), was))
		return 0;
	return putback_entry(put, &now, was, err);
}
