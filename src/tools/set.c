#include "base/map.h"
#include "base/utf8.h"
#include "ops/common.h"
#include "ops/enrich.h"
#include "ops/hints.h"
#include "ops/note_text.h"
#include "ops/related.h"
#include "ops/secret_check.h"
#include "store/open/store.h"
#include "store/txn/change.h"
#include "tool/tool.h"
#include "tools/registry.h"

/* Most of a replaced value that the reply repeats. */
#define REPLACED_CHARACTERS 120

/* Most tags, and most entities, of one entry. */
#define LABELS_MAX 32

struct set_args {
	struct slice key;
	struct arg_json value;
	int category;
	struct arg_texts tags;
	struct arg_texts entities;
	struct arg_json strength;
	struct arg_json importance;
	struct arg_json confidence;
	struct slice source;
	struct slice context;
	struct arg_json meta;
	int pinned;
	struct arg_texts supersedes;
	int allow_secret; /* for screen_arguments() alone */
};

static const struct param params[] = {
	{PARAM(TEXT, set_args, key), .flags = PARAM_REQUIRED | PARAM_NOT_BLANK | PARAM_POSITIONAL,
	 .help = "a short name, or category:key"},
	{PARAM(JSON, set_args, value), .flags = PARAM_REQUIRED | PARAM_POSITIONAL | PARAM_PLAIN,
	 .help = "the JSON value to remember"},
	{PARAM(CHOICE, set_args, category), .help = "default: by the key",
	 .choices = category_names},
	{PARAM(TEXTS, set_args, tags), .flags = PARAM_LABELS,
	 .help = "everyday words to find it by, English ones too"},
	{PARAM(TEXTS, set_args, entities), .flags = PARAM_EXTRA, .help = "who or what it is about"},
	{PARAM(NUMBER, set_args, strength), .flags = PARAM_EXTRA, .help = "how slowly it fades",
	 .min = 1, .max = 2},
	{PARAM(NUMBER, set_args, importance), .flags = PARAM_OPEN_RANGE | PARAM_EXTRA,
	 .help = "0 to 1; from 0.8 never expires", .min = 0, .max = 1},
	{PARAM(NUMBER, set_args, confidence), .flags = PARAM_OPEN_RANGE | PARAM_EXTRA,
	 .help = "0 to 1: how sure it is", .min = 0, .max = 1},
	{PARAM(TEXT, set_args, source), .flags = PARAM_EXTRA, .help = "where it comes from"},
	{PARAM(TEXT, set_args, context), .flags = PARAM_EXTRA, .help = "when it applies"},
	{PARAM(OBJECT, set_args, meta), .flags = PARAM_EXTRA, .help = "kept with it"},
	{PARAM(BOOL, set_args, pinned), .help = "never expires or is evicted"},
	{PARAM(TEXTS, set_args, supersedes), .flags = PARAM_EXISTING,
	 .help = "outdated refs to archive"},
	SCREEN_PARAM(set_args),
};

/* JSON text of a string; absent when it was not given. */
static struct slice set_json_string(const struct call *call, struct slice text)
{
	STR_AUTO quoted = STR_INIT;

	if (!text.ptr)
		return text;
	json_quote(&quoted, text);
	return arena_copy(call->arena, str_slice(&quoted));
}

/* The JSON text of the list that is stored, without empty and repeated labels; absent: none given.
 */
static int set_collect_labels(struct slice *out, const struct call *call, const char *param,
			      const struct arg_texts *texts,
			      void (*clean)(struct slice text, struct str *out), struct err *err)
{
	MAP_AUTO known = MAP_INIT;
	STR_AUTO list = STR_INIT;
	STR_AUTO label = STR_INIT;

	if (!texts->given)
		return 0;
	struct json_writer w = json_writer_to(&list, &json_compact);
	json_write_array(&w);
	for (size_t i = 0; i < texts->count; i++) {
		clean(texts->items[i], &label);
		if (label.len == 0 || map_get(&known, str_slice(&label), NULL))
			continue;
		if (known.count == LABELS_MAX)
			return err_set(err, ERR_BAD_VALUE,
				       "%s: more than %d; give those that matter most", param,
				       LABELS_MAX);
		map_put(&known, arena_copy(call->arena, str_slice(&label)), 0);
		json_write_string(&w, str_slice(&label));
	}
	json_write_end(&w);
	*out = arena_copy(call->arena, str_slice(&list));
	return 0;
}

static int set_collect_fields(struct entry_fields *out, const struct call *call,
			      const struct set_args *args, struct err *err)
{
	uint32_t depth = args->meta.doc ? json_depth(args->meta.doc, args->meta.node) : 0;

	if (depth > VALUE_DEPTH_MAX)
		return err_set(err, ERR_TOO_LARGE,
			       "meta: nested %u deep; at most %d levels are allowed",
			       (unsigned int)depth, VALUE_DEPTH_MAX);
	if (set_collect_labels(&out->tags, call, "tags", &args->tags, tag_clean, err) != 0 ||
	    set_collect_labels(&out->entities, call, "entities", &args->entities, entity_clean,
			       err) != 0)
		return -1;
	out->value = common_json(call, args->value);
	out->strength = common_json(call, args->strength);
	out->importance = common_json(call, args->importance);
	out->confidence = common_json(call, args->confidence);
	out->source = set_json_string(call, args->source);
	out->context = set_json_string(call, args->context);
	out->meta = common_json(call, args->meta);
	if (args->pinned >= 0)
		out->pinned = slice_of(args->pinned ? "true" : "false");
	return 0;
}

/* What may be there already is not added a second time in the category that is inferred. */
static int set_check_new(struct change *change, const struct ref *ref, struct err *err)
{
	STR_AUTO scratch = STR_INIT;

	if (common_check_new_key("key", ref->key, err) != 0)
		return -1;
	if (ref->category != CATEGORY_ANY || common_check_scope(change, ref, err) == 0)
		return 0;
	return err_prefix(err, "category: give one, or fix the file that may hold \"%s\"",
			  shown(&scratch, ref->key));
}

/* "prefs:editor" is a key like any other, and may have been meant as a ref. */
static void set_hint_prefix(const struct call *call, struct slice key, enum category category)
{
	size_t len = 0;

	while (len < key.len && ((key.ptr[len] | 0x20) >= 'a' && (key.ptr[len] | 0x20) <= 'z'))
		len++;
	/* "http://x", "note: buy milk" are texts. */
	if (!call->hints || len == 0 || len + 1 >= key.len || key.ptr[len] != ':' ||
	    strchr(" /:", key.ptr[len + 1]))
		return;
	str_printf(call->hints, "\"%.*s\" is not a category: stored as %s:", (int)len, key.ptr,
		   category_name(category));
	str_add(call->hints, key);
	str_adds(call->hints, "; the categories are ");
	for (int c = 0; c < CATEGORY_COUNT; c++)
		str_printf(call->hints, "%s%s", c > 0 ? ", " : "", category_name((enum category)c));
	str_addc(call->hints, '\n');
}

/*
 * JSON of the replaced value, cut where it is long; absent where the same is set again under the
 * same name.
 */
static struct slice set_replaced(const struct call *call, const struct item *old, struct slice key,
				 struct slice value)
{
	if (!old || (slice_equal(old->entry.key, key) && common_same_json(old->entry.value, value)))
		return slice_of(NULL);
	return common_brief(call, &old->entry, REPLACED_CHARACTERS);
}

/* The part of a reply that says what was done; nothing where it is not wanted. */
static void set_write_enrichment(const struct enrichment *enrichment, struct json_writer *w)
{
	bool applied = enrichment->entities.ptr || enrichment->strength.ptr;

	if (!enrichment->wanted)
		return;
	json_write_member_bool(w, "enrichment_applied", applied);
	if (!applied)
		return;
	json_write_member_object(w, "enriched");
	if (enrichment->entities.ptr)
		json_write_member_raw(w, "entities", enrichment->entities);
	if (enrichment->strength.ptr)
		json_write_member_raw(w, "strength", enrichment->strength);
	json_write_end(w);
}

static int set_handle(const struct call *call, const void *arguments, struct json_writer *w,
		      struct err *err)
{
	const struct set_args *args = arguments;
	struct entry_fields fields = {0};
	struct enrichment enrichment;
	struct change_result result;
	CHANGE_AUTO change = NULL;
	struct settings settings;
	enum category category;
	const struct item *old;
	int64_t created_ms;
	struct slice replaced;
	struct slice text;
	struct slice gone[SUPERSEDES_MAX];
	size_t gone_count = 0;
	struct slice key;
	struct ref ref;
	bool pinned;

	if (common_parse_ref(&ref, "key", args->key, args->category, err) != 0 ||
	    set_collect_fields(&fields, call, args, err) != 0 ||
	    common_check_first(call, ref.key, &fields, err) != 0 ||
	    common_change_begin(&change, call, err) != 0)
		return -1;
	/* An entry where it lives, or a new one. */
	old = store_find(call->store, ref.category, ref.key);
	if ((!old && set_check_new(change, &ref, err) != 0) ||
	    store_settings(call->store, &settings, err) != 0)
		return -1;
	category = old ? old->entry.category : common_category_of_new(ref.key, ref.category);
	key = arena_copy(call->arena, old ? old->entry.key : ref.key);
	created_ms = old ? old->created_ms : call->now_ms;
	enrich_fields(&enrichment, call, &settings, old, &fields);
	replaced = set_replaced(call, old, ref.key, fields.value);
	if (!old && ref.category == CATEGORY_ANY)
		set_hint_prefix(call, key, category);
	pinned = fields.pinned.ptr ? slice_is(fields.pinned, "true") : old && old->entry.pinned;
	text = common_compose(call, old, &fields);
	if (common_put(change, category, key, old, pinned, text, err) != 0 ||
	    (old && note_text_follow(change, old, old->ref, text, call->warning, err) != 0) ||
	    related_supersede(change, call, &args->supersedes,
			      common_ref(call->arena, category, key), gone, &gone_count,
			      err) != 0 ||
	    change_commit(change, &result, err) != 0)
		return -1;
	store_note_destination(call->store);
	json_write_object(w);
	common_write_entry(w, key, category, created_ms, call->now_ms);
	if (replaced.ptr)
		json_write_member_raw(w, "replaced", replaced);
	common_write_refs(w, "superseded", gone, gone_count);
	hints_write(w, call, common_ref(call->arena, category, key));
	set_write_enrichment(&enrichment, w);
	common_end_change(w, call, &result);
	return 0;
}

const struct tool tool_set = {
	.name = "memory_set",
	.command = "set",
	.title = "Store a memory",
	.section = SECTION_MEMORIES,
	.summary = "Remember a value under a key, or replace it. Use it when the user states a "
		   "preference, fact, habit or shorthand for later sessions.",
	TOOL_TAKES(params, set_args),
	.flags = TOOL_DESTRUCTIVE | TOOL_IDEMPOTENT | TOOL_ALWAYS_LOAD | TOOL_JOINS,
	.output_schema = "{\"type\":\"object\",\"properties\":{" SCHEMA_ENTRY ","
			 "\"enrichment_applied\":" SCHEMA_BOOLEAN
			 ",\"enriched\":{\"type\":\"object\"},\"replaced\":" SCHEMA_VALUE
			 ",\"superseded\":" SCHEMA_STRINGS "," SCHEMA_SIMILAR "," SCHEMA_EVICTED
			 "," SCHEMA_WARNINGS "},\"required\":[" SCHEMA_ENTRY_NAMES "]}",
	.screen = screen_arguments,
	.run = set_handle,
};
