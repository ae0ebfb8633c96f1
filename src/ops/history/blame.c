#include "ops/history/blame.h"

#include "base/utf8.h"
#include "ops/common.h"
#include "ops/history/entry_history.h"
#include "text/normalize.h"

/* Whose value it is that an entry has, or one of its fields. */
struct owner {
	struct slice ref;       /* as the entry is called now */
	struct slice field;     /* of its value; absent: all of it */
	enum category category; /* where it is looked for */
	struct slice key;
	struct slice identity;
	struct slice said; /* who and when, once it is known: members of a JSON object */
};

struct blame {
	const struct call *call;
	struct owner *owners;
	size_t count;
	size_t open; /* not known yet */
};

static void blame_place_owner(struct blame *blame, struct owner *owner, enum category category,
			      struct slice key)
{
	STR_AUTO identity = STR_INIT;

	normalize_key(key, &identity);
	owner->category = category;
	owner->key = arena_copy(blame->call->arena, key);
	owner->identity = arena_copy(blame->call->arena, str_slice(&identity));
}

static void blame_add_owner(struct blame *blame, const struct item *item, struct slice field)
{
	struct owner *owner = &blame->owners[blame->count++];

	owner->ref = item->ref;
	owner->field = arena_copy(blame->call->arena, field);
	blame_place_owner(blame, owner, item->entry.category, item->entry.key);
	blame->open++;
}

/* The text of an entry's value, or of this field of it; absent when there is none. */
static struct slice blame_value(struct slice entry_text, struct slice field)
{
	ARENA_AUTO unused = ARENA_INIT;
	JSON_AUTO doc = {0};
	struct json_fault fault;
	struct entry entry;
	uint32_t node;

	if (!entry_text.ptr || json_parse(&doc, entry_text, &json_file_bounds, &fault) != 0)
		return slice_of(NULL);
	entry_read(&entry, CATEGORY_STATE, &doc, JSON_ROOT, &unused);
	if (!field.ptr)
		return entry.value;
	node = json_member_slice(&doc, entry.value_node, field);
	return node == JSON_NONE ? slice_of(NULL) : json_text(&doc, node);
}

static void blame_say(struct blame *blame, struct owner *owner, const struct log_change *change)
{
	STR_AUTO text = STR_INIT;
	struct json_writer w = json_writer_to(&text, &json_compact);

	json_write_object(&w);
	json_write_member_string(&w, "ref", owner->ref);
	if (owner->field.ptr)
		json_write_member_string(&w, "field", owner->field);
	if (!change)
		json_write_member_bool(&w, "unknown", true);
	else if (object_id_is_none(&change->id) && !change->waits)
		json_write_member_bool(&w, "unrecorded", true);
	else
		told_write_change(&w, change);
	json_write_end(&w);
	owner->said = arena_copy(blame->call->arena, str_slice(&text));
	blame->open--;
}

static void blame_take_told(struct blame *blame, struct owner *owner,
			    const struct log_change *change, const struct told *told)
{
	/* It gave the value that the owner's entry has now. */
	if (told->deed == DEED_ADDED || (told->deed == DEED_CHANGED &&
					 !common_same_json(blame_value(told->before, owner->field),
							   blame_value(told->after, owner->field))))
		blame_say(blame, owner, change);
	else if (told->from_category != CATEGORY_ANY)
		blame_place_owner(blame, owner, (enum category)told->from_category, told->from_key);
	else
		blame_place_owner(blame, owner, told->category, told->key);
}

/* ---- all entries */

/* The owner that is looked for at this place: of this spelling, else of an equal one. */
static struct owner *blame_find_owner(const struct blame *blame, enum category category,
				      struct slice key)
{
	STR_AUTO identity = STR_INIT;
	struct owner *found = NULL;

	normalize_key(key, &identity);
	for (size_t i = 0; i < blame->count; i++) {
		struct owner *owner = &blame->owners[i];

		if (owner->said.ptr || owner->category != category)
			continue;
		if (slice_equal(owner->key, key))
			return owner;
		if (slice_equal(owner->identity, str_slice(&identity)))
			found = owner;
	}
	return found;
}

/* The categories in which anybody is looked for still: other files need not be read. */
static unsigned int blame_open_categories(const struct blame *blame)
{
	unsigned int categories = 0;

	for (size_t i = 0; i < blame->count; i++) {
		if (!blame->owners[i].said.ptr)
			categories |= 1u << blame->owners[i].category;
	}
	return categories;
}

static bool blame_concerns(const struct blame *blame, const struct log_change *change)
{
	for (size_t i = 0; i < change->count; i++) {
		if (!change->items[i].record &&
		    blame_find_owner(blame, change->items[i].category, change->items[i].key))
			return true;
	}
	return false;
}

/* The next change, all of it where it is about an entry that is looked for. */
static int blame_next(const struct blame *blame, struct history_log *log, struct log_change *change,
		      struct err *err)
{
	int result;

	history_log_narrow(log, blame_open_categories(blame));
	result = history_log_next(log, change, err);
	if (result == 1 && blame_concerns(blame, change) &&
	    history_log_whole(log, change, err) != 0)
		return -1;
	return result;
}

static bool blame_seeks(void *context, enum category category, struct slice key)
{
	return blame_find_owner(context, category, key) != NULL;
}

static int blame_all(struct blame *blame, struct err *err)
{
	const struct log_filter filter = {blame_seeks, blame, NULL};
	struct log_change change;
	HISTORY_LOG_AUTO log = NULL;
	size_t count;
	const struct item *items = store_items(blame->call->store, &count);
	int result;

	blame->owners = arena_alloc(blame->call->arena, (count + 1) * sizeof *blame->owners);
	for (size_t i = 0; i < count; i++) {
		if (!items[i].due)
			blame_add_owner(blame, &items[i], slice_make(NULL, 0));
	}
	if (history_log_open(&log, blame->call->store, NULL, err) != 0)
		return -1;
	history_log_expect(log, &filter);
	result = history_log_unrecorded(log, &change, err) == 0 ? 1 : -1;
	while (result == 1) {
		ARENA_AUTO arena = ARENA_INIT;
		struct telling telling;

		tell(&telling, &change, &arena);
		for (size_t i = 0; i < telling.count && telling.items[i].deed < DEED_RECORD_ADDED;
		     i++) {
			struct owner *owner = blame_find_owner(blame, telling.items[i].category,
							       telling.items[i].key);

			if (owner)
				blame_take_told(blame, owner, &change, &telling.items[i]);
		}
		result = blame->open > 0 ? blame_next(blame, log, &change, err) : 0;
	}
	return result;
}

/* ---- one entry */

static void blame_add_fields(struct blame *blame, const struct item *item)
{
	struct arena *arena = blame->call->arena;
	const struct json *doc = item->entry.doc;
	uint32_t value = item->entry.value_node;
	STR_AUTO scratch = STR_INIT;

	blame->owners = arena_alloc(arena, (doc->nodes[value].count + 1) * sizeof *blame->owners);
	if (json_type(doc, value) == JSON_OBJECT) {
		for (uint32_t n = json_first(doc, value); n != JSON_NONE; n = json_next(doc, n))
			blame_add_owner(blame, item, json_name(doc, n, &scratch));
	}
	if (blame->count == 0)
		blame_add_owner(blame, item, slice_make(NULL, 0));
}

static int blame_key(struct blame *blame, struct slice key, struct err *err)
{
	const struct item *item;
	struct log_change change;
	const struct told *told;
	STR_AUTO scratch = STR_INIT;
	FOLLOW_AUTO follow = {0};
	int result;

	if (follow_open(&follow, blame->call, "key", key, NULL, err) != 0)
		return -1;
	item = follow.ref.ptr ? store_find_ref(blame->call->store, follow.ref) : NULL;
	if (!item)
		return err_set(err, ERR_NOT_FOUND,
			       "key: \"%s\" is not in the store; kota log shows what became of it",
			       shown(&scratch, key));
	blame_add_fields(blame, item);
	result = follow_unrecorded(&follow, &change, &told, err);
	if (result == 0)
		result = follow_next(&follow, &change, &told, err);
	while (result == 1) {
		for (size_t i = 0; i < blame->count; i++) {
			if (!blame->owners[i].said.ptr)
				blame_take_told(blame, &blame->owners[i], &change, told);
		}
		result = blame->open > 0 ? follow_next(&follow, &change, &told, err) : 0;
	}
	return result;
}

int blame_write(struct json_writer *w, const struct call *call, struct slice key, struct err *err)
{
	struct blame blame = {.call = call};

	if ((key.ptr ? blame_key(&blame, key, err) : blame_all(&blame, err)) != 0)
		return -1;
	json_write_member_array(w, "entries");
	for (size_t i = 0; i < blame.count; i++) {
		if (!blame.owners[i].said.ptr)
			blame_say(&blame, &blame.owners[i], NULL);
		json_write_raw(w, blame.owners[i].said);
	}
	json_write_end(w);
	return 0;
}
