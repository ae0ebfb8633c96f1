#include "ops/common.h"
#include "ops/history/entry_history.h"
#include "tools/registry.h"

struct diff_args {
	struct slice key;
	struct slice from;
	struct slice to;
};

static const struct param params[] = {
	{PARAM(TEXT, diff_args, key), .flags = PARAM_NOT_BLANK | PARAM_POSITIONAL | PARAM_EXISTING,
	 .help = "a key, or category:key; default: all"},
	{PARAM(TEXT, diff_args, from), .flags = PARAM_NOT_BLANK | PARAM_POSITIONAL | PARAM_EXISTING,
	 .help = "a change; default: the last one"},
	{PARAM(TEXT, diff_args, to), .flags = PARAM_NOT_BLANK | PARAM_POSITIONAL | PARAM_EXISTING,
	 .help = "a later change; default: now"},
};

/* What is compared: what differs, from one change to another or to now. */
struct span {
	struct object_id from; /* none: a change and what was before it */
	struct object_id to;   /* none: now */
};

static const struct object_id *diff_or_null(const struct object_id *id)
{
	return object_id_is_none(id) ? NULL : id;
}

/* Could a word that stands where a key is expected be a change? No key of the store is one. */
static bool diff_is_change(const struct call *call, struct slice word)
{
	struct object_id id;
	struct ref ref = ref_parse(word);
	struct err ignored;

	if (word.len < 4 || strspn(word.ptr, "0123456789abcdef") < word.len)
		return false;
	return !store_find(call->store, ref.category, ref.key) &&
	       history_log_resolve(call->store, word, &id, &ignored) == 0;
}

static int diff_find_span(const struct call *call, struct diff_args *args, struct span *out,
			  struct err *err)
{
	*out = (struct span){.from = {{0}}};
	if (args->key.ptr && !args->to.ptr && diff_is_change(call, args->key))
		*args = (struct diff_args){.from = args->key, .to = args->from};
	if (args->from.ptr && history_log_resolve(call->store, args->from, &out->from, err) != 0)
		return err_prefix(err, "from");
	if (args->to.ptr && history_log_resolve(call->store, args->to, &out->to, err) != 0)
		return err_prefix(err, "to");
	return 0;
}

static int diff_write_end_of_span(const struct call *call, struct json_writer *w, const char *name,
				  const struct object_id *id, struct err *err)
{
	struct log_change change;
	HISTORY_LOG_AUTO log = NULL;
	int result;

	if (object_id_is_none(id))
		return 0;
	if (history_log_open(&log, call->store, id, err) != 0)
		return -1;
	history_log_narrow(log, 0);
	result = history_log_next(log, &change, err);
	if (result == 1) {
		json_write_member_object(w, name);
		told_write_change(w, &change);
		json_write_end(w);
	}
	return result < 0 ? -1 : 0;
}

static int diff_write_span(const struct call *call, struct json_writer *w, const struct span *span,
			   struct err *err)
{
	if (diff_write_end_of_span(call, w, "from", &span->from, err) != 0)
		return -1;
	return diff_write_end_of_span(call, w, "to", &span->to, err);
}

/* ---- all entries */

static int diff_run_all(const struct call *call, const struct span *span, struct json_writer *w,
			struct err *err)
{
	struct log_change change = {.count = 0};
	bool one = object_id_is_none(&span->from);
	struct telling telling;
	HISTORY_LOG_AUTO log = NULL;

	if (history_log_open(&log, call->store, NULL, err) != 0 ||
	    (one ? history_log_next(log, &change, err) < 0
		 : history_log_between(log, &span->from, diff_or_null(&span->to), &change, err) !=
			     0))
		return -1;
	if (change.waits && change.count == 0)
		return err_set(err, ERR_NO_HISTORY,
			       "the last change is not recorded yet, and what it was before cannot "
			       "be read: kota log names it, and kota doctor says how to go on");
	tell(&telling, &change, call->arena);
	json_write_object(w);
	if (one && (change.waits || !object_id_is_none(&change.id)))
		told_write_change(w, &change);
	else if (diff_write_span(call, w, span, err) != 0)
		return -1;
	told_write_items(w, telling.items, telling.count);
	told_write_files(w, &change);
	return 0;
}

/* ---- one entry */

static int diff_write_last(struct follow *follow, struct json_writer *w, struct err *err)
{
	struct log_change change;
	const struct told *told = NULL;
	int result = follow_next(follow, &change, &told, err);

	if (result < 0)
		return -1;
	if (result == 0 && !follow->ref.ptr)
		return follow_refuse(follow, "key", err);
	json_write_object(w);
	if (result == 1)
		told_write_change(w, &change);
	told_write_items(w, told, (size_t)result);
	return 0;
}

/* Where an entry is at the two ends of a span. */
struct places {
	struct ref from;
	struct ref to;
};

static int diff_entry_text(const struct call *call, const struct object_id *id,
			   const struct ref *place, struct slice *out, struct err *err)
{
	enum category category = (enum category)place->category;
	STR_AUTO text = STR_INIT;
	const struct item *item;

	*out = slice_make(NULL, 0);
	if (object_id_is_none(id)) {
		item = store_find(call->store, place->category, place->key);
		if (item)
			*out = arena_copy(call->arena, item->entry.text);
		return 0;
	}
	if (history_log_entry_at(call->store, id, category, place->key, &text, err) != 0)
		return -1;
	if (text.len > 0)
		*out = arena_copy(call->arena, str_slice(&text));
	return 0;
}

static struct ref diff_place_of(const struct told *told, struct arena *arena)
{
	return (struct ref){(int)told->category, arena_copy(arena, told->key)};
}

/* Nothing became of the entry in the span: what is older says where it was all the time. */
static int diff_find_older(const struct follow *follow, const struct span *span, struct places *out,
			   struct err *err)
{
	struct log_change change;
	const struct told *told;
	FOLLOW_AUTO older = {0};
	int result;

	if (follow_open(&older, follow->call, "key", follow->key, &span->from, err) != 0)
		return -1;
	result = follow_next(&older, &change, &told, err);
	if (result != 1) {
		if (result == 0)
			follow_refuse(&older, "key", err);
		return -1;
	}
	out->from = out->to = diff_place_of(told, follow->call->arena);
	return 0;
}

static int diff_find_places(struct follow *follow, const struct span *span, struct places *out,
			    struct err *err)
{
	struct arena *arena = follow->call->arena;
	struct log_change change;
	const struct told *told;
	int result = 0;

	out->to = (struct ref){follow->category, arena_copy(arena, follow->key)};
	if (object_id_is_none(&span->to))
		result = follow_unrecorded(follow, &change, &told, err);
	follow->until = span->from;
	while (result >= 0 && (result = follow_next(follow, &change, &told, err)) == 1) {
		if (out->to.category == CATEGORY_ANY)
			out->to = diff_place_of(told, arena);
	}
	if (result < 0)
		return -1;
	if (follow->category == CATEGORY_ANY)
		return diff_find_older(follow, span, out, err);
	out->from = (struct ref){follow->category, arena_copy(arena, follow->key)};
	return 0;
}

static int diff_write_between(struct follow *follow, const struct span *span, struct json_writer *w,
			      struct err *err)
{
	const struct call *call = follow->call;
	struct told told = {.from_category = CATEGORY_ANY};
	struct places places;

	if (diff_find_places(follow, span, &places, err) != 0 ||
	    diff_entry_text(call, &span->to, &places.to, &told.after, err) != 0 ||
	    diff_entry_text(call, &span->from, &places.from, &told.before, err) != 0)
		return -1;
	told.category = (enum category)places.to.category;
	told.key = places.to.key;
	if (places.from.category != places.to.category ||
	    !slice_equal(places.from.key, places.to.key)) {
		told.from_category = places.from.category;
		told.from_key = places.from.key;
	}
	told.deed = !told.before.ptr ? DEED_ADDED : !told.after.ptr ? DEED_DELETED : DEED_CHANGED;
	json_write_object(w);
	if (diff_write_span(call, w, span, err) != 0)
		return -1;
	told_write_items(w, &told, !common_same_json(told.before, told.after));
	return 0;
}

static int diff_run_key(const struct call *call, struct slice key, const struct span *span,
			struct json_writer *w, struct err *err)
{
	FOLLOW_AUTO follow = {0};

	if (follow_open(&follow, call, "key", key, diff_or_null(&span->to), err) != 0)
		return -1;
	return object_id_is_none(&span->from) ? diff_write_last(&follow, w, err)
					      : diff_write_between(&follow, span, w, err);
}

static int diff_handle(const struct call *call, const void *arguments, struct json_writer *w,
		       struct err *err)
{
	struct diff_args args = *(const struct diff_args *)arguments;
	struct span span;

	if (common_refresh(call, err) != 0 || diff_find_span(call, &args, &span, err) != 0 ||
	    (args.key.ptr ? diff_run_key(call, args.key, &span, w, err)
			  : diff_run_all(call, &span, w, err)) != 0)
		return -1;
	common_end_reply(w, call);
	return 0;
}

const struct tool tool_diff = {
	.name = "diff",
	.command = "diff",
	.title = "Compare values",
	.section = SECTION_CHANGES,
	.summary = "Show the value of an entry, or of every entry, before and after: the last "
		   "change, all since a change, or between two changes.",
	TOOL_TAKES(params, diff_args),
	.flags = TOOL_READ_ONLY | TOOL_SHELL_ONLY,
	.run = diff_handle,
};
