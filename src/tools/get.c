#include "ops/common.h"
#include "ops/hints.h"
#include "ops/related.h"
#include "store/open/store.h"
#include "store/upkeep/put_back.h"
#include "tools/registry.h"

struct get_args {
	struct slice query;
};

static const struct param params[] = {
	{PARAM(TEXT, get_args, query), .flags = PARAM_REQUIRED | PARAM_NOT_BLANK | PARAM_POSITIONAL,
	 .help = "a key, words of a key or value, or category:words",
	 .max_bytes = LOOKUP_QUERY_MAX},
};

static void get_write_match(struct json_writer *w, const struct call *call,
			    const struct entry *entry, const struct store_answer *answer)
{
	const struct lookup_answer *lookup = &answer->lookup;
	uint32_t meta = entry_member(entry, "meta");

	common_write_from(w, call, entry);
	json_write_member_string(w, "key", entry->key);
	json_write_member_string(w, "category", slice_of(category_name(entry->category)));
	json_write_member_value(w, "value", entry->doc, entry->value_node);
	common_write_score(w, "confidence", lookup->confidence);
	if (lookup->match != LOOKUP_EXACT)
		json_write_member_string(w, "match", slice_of(lookup_match_names[lookup->match]));
	if (answer->answers_for.ptr)
		json_write_member_string(w, "answers_for", answer->answers_for);
	if (meta != JSON_NONE)
		json_write_member_value(w, "meta", entry->doc, meta);
}

static void get_write_item(struct json_writer *w, const struct call *call,
			   const struct store_answer *answer)
{
	const struct item *item = answer->item;

	get_write_match(w, call, &item->entry, answer);
	common_write_time(w, "created_at", item->created_ms);
	common_write_time(w, "last_updated", item->updated_ms);
	json_write_member_bool(w, "archived", false);
	related_write_contradicting(w, call, item->ref);
}

static void get_write_record(struct json_writer *w, const struct call *call,
			     const struct store_answer *answer)
{
	const struct record *record = &answer->archived->record;
	const struct entry *entry = &record->entry;

	get_write_match(w, call, entry, answer);
	common_write_time(w, "created_at", entry->created_ms);
	common_write_time(w, "last_updated", entry->updated_ms);
	json_write_member_bool(w, "archived", true);
	/* What memory_restore takes. */
	json_write_member_string(w, "ref", answer->archived->ref);
	common_write_time(w, "archivedAt", record->archived_ms);
	if (record->reason.ptr)
		json_write_member_string(w, "reason", record->reason);
}

static void get_write_answer(struct json_writer *w, const struct call *call,
			     const struct store_answer *answer)
{
	if (answer->item) {
		get_write_item(w, call, answer);
	} else if (answer->archived) {
		get_write_record(w, call, answer);
	} else {
		json_write_name(w, slice_of("result"));
		json_write_null(w);
	}
}

/*
 * Entries that come near, and the words in which one of them is another thing than was asked for;
 * and what of the question the answer says nothing about.
 */
static void get_write_also(struct json_writer *w, const struct store_answer *answer)
{
	STR_AUTO differs = STR_INIT;

	if (!answer->also_count)
		return;
	json_write_name(w, slice_of("also"));
	json_write_array(w);
	for (size_t i = 0; i < answer->also_count; i++) {
		json_write_object(w);
		json_write_member_string(w, "ref", answer->also[i].ref);
		if (answer->also[i].asked.len) {
			str_clear(&differs);
			str_add(&differs, answer->also[i].asked);
			str_adds(&differs, answer->also[i].stored.len ? " ≠ " : "");
			str_add(&differs, answer->also[i].stored);
			json_write_member_string(w, "differs", str_slice(&differs));
		}
		json_write_end(w);
	}
	json_write_end(w);
}

/* What has expired yields to an entry that says otherwise, unless it was asked for by name. */
static void get_prefer_newer(const struct call *call, struct store_answer *answer)
{
	const struct record *record = answer->archived ? &answer->archived->record : NULL;
	const struct item *newer = record && answer->lookup.match != LOOKUP_EXACT
					   ? hints_newer(call->store, record)
					   : NULL;

	if (!newer)
		return;
	answer->answers_for = common_ref(call->arena, record->category, record->original_key);
	answer->item = newer;
	answer->archived = NULL;
}

static int get_look_up(struct store_answer *out, const struct call *call, struct slice query,
		       struct err *err)
{
	const struct item *spelt = store_find_ref(call->store, query);
	struct ref ref = ref_parse(query);

	/* Blanks at the ends of a key are no part of a question, but may be written by hand. */
	if (spelt && (ref.key.len == 0 || !slice_equal(ref.key, spelt->entry.key))) {
		*out = (struct store_answer){
			.lookup = {.found = true, .match = LOOKUP_EXACT, .confidence = 1},
			.item = spelt,
		};
		return 0;
	}
	if (common_parse_ref(&ref, "query", query, CATEGORY_ANY, err) != 0)
		return -1;
	store_lookup(call->store, ref.key, ref.category, out);
	store_lookup_archived(call->store, ref.key, ref.category, out);
	get_prefer_newer(call, out);
	return 0;
}

/*
 * A query is activity, even for an expired entry: asked for by its own key, it becomes active
 * again. An entry that is only a near match, or that another one answers for, stays archived.
 * Returns when it expired, and the answer is no longer valid; TIME_NONE if nothing changed.
 */
static int64_t get_put_back(const struct store_answer *answer, const struct call *call)
{
	const struct record *record = answer->archived ? &answer->archived->record : NULL;
	struct change_meta meta = common_meta(call);
	int64_t expired_ms;

	if (!record || answer->answers_for.ptr || answer->lookup.match != LOOKUP_EXACT ||
	    !slice_is(record->reason, reason_name(REASON_EXPIRY)))
		return TIME_NONE;
	meta.tool = tool_restore.name;
	expired_ms = record->archived_ms;
	return store_put_back(call->store, answer->archived, &meta) ? expired_ms : TIME_NONE;
}

static int get_handle(const struct call *call, const void *arguments, struct json_writer *w,
		      struct err *err)
{
	const struct get_args *args = arguments;
	struct store_answer answer;
	int64_t expired_ms;

	if (common_refresh(call, err) != 0 || get_look_up(&answer, call, args->query, err) != 0)
		return -1;
	expired_ms = get_put_back(&answer, call);
	if (expired_ms != TIME_NONE && get_look_up(&answer, call, args->query, err) != 0)
		return -1;
	json_write_object(w);
	get_write_answer(w, call, &answer);
	if (expired_ms != TIME_NONE) {
		common_write_time(w, "archivedAt", expired_ms);
		json_write_member_string(w, "reason", slice_of(reason_name(REASON_EXPIRY)));
		json_write_member_bool(w, "restored", true);
	}
	get_write_also(w, &answer);
	common_end_reply(w, call);
	if (answer.item)
		store_hit(call->store, answer.item->ref);
	return 0;
}

const struct tool tool_get = {
	.name = "memory_get",
	.command = "get",
	.title = "Recall a memory",
	.section = SECTION_MEMORIES,
	.summary = "Recall the entry that matches best, with a confidence; {\"result\":null} when "
		   "none does. Look here before you ask the user or assume.",
	TOOL_TAKES(params, get_args),
	/*
	 * A hit is counted beside the memories, not in them. Expiry, and bringing an expired entry
	 * back, only catch up with the clock.
	 */
	.flags = TOOL_READ_ONLY | TOOL_ALWAYS_LOAD | TOOL_LARGE_RESULT,
	.run = get_handle,
};
