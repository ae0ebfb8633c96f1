#include "ops/common.h"

#include "base/utf8.h"
#include "model/entry.h"
#include "secrets/withhold.h"
#include "store/files/dir_lock.h"
#include "store/open/store.h"
#include "text/normalize.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* How scores are shown. */
#define SCORE_DECIMALS 3
#define SCORE_LEAST 0.001

int common_parse_ref(struct ref *out, const char *param, struct slice text, int category,
		     struct err *err)
{
	struct ref ref = ref_parse(text);

	if (ref.key.len == 0)
		return err_set(err, ERR_BLANK_ARGUMENT,
			       "%s: no key follows the category; give category:key", param);
	if (category != CATEGORY_ANY && ref.category != CATEGORY_ANY && category != ref.category)
		return err_set(err, ERR_BAD_VALUE,
			       "category: %s contradicts %s, which says %s; give one of them",
			       category_name((enum category)category), param,
			       category_name((enum category)ref.category));
	if (ref.category == CATEGORY_ANY)
		ref.category = category;
	*out = ref;
	return 0;
}

enum category common_category_of_new(struct slice key, int category)
{
	STR_AUTO identity = STR_INIT;

	if (category != CATEGORY_ANY)
		return (enum category)category;
	normalize_identity(key, &identity);
	return category_infer(str_slice(&identity));
}

int common_check_new_key(const char *param, struct slice key, struct err *err)
{
	STR_AUTO scratch = STR_INIT;

	if (key.len > KEY_BYTES_MAX)
		return err_set(err, ERR_TOO_LARGE,
			       "%s: %zu bytes; at most %d are allowed, put the rest into the value",
			       param, key.len, KEY_BYTES_MAX);
	if (blank_only(key))
		return err_set(err, ERR_BLANK_ARGUMENT,
			       "%s: has no visible characters; give a name", param);
	for (size_t at = 0; at < key.len;) {
		uint32_t c = utf8_next(key, &at);

		if (c < 0x20 || (c >= 0x7f && c < 0xa0))
			return err_set(err, ERR_BAD_VALUE,
				       "%s: \"%s\" has control characters; give plain text", param,
				       shown(&scratch, key));
	}
	return 0;
}

struct change_meta common_meta(const struct call *call)
{
	return (struct change_meta){
		.tool = call->tool,
		.client = call->client,
		.client_version = call->client_version,
		.session = call->session,
	};
}

int common_change_begin(struct change **out, const struct call *call, struct err *err)
{
	const struct change_meta meta = common_meta(call);

	return change_begin(out, call->store, &meta, call->now_ms, err);
}

int common_change_begin_unless(struct change **out, const struct call *call, bool dry_run,
			       struct err *err)
{
	if (dry_run || !disk_exists(store_disk(call->store)))
		return change_rehearse(out, call->store, call->now_ms, err);
	return common_change_begin(out, call, err);
}

int common_refresh(const struct call *call, struct err *err)
{
	return store_refresh(call->store, call->now_ms, err);
}

bool common_view_whole(const struct call *call)
{
	size_t count;

	store_notices(call->store, &count);
	return count == 0;
}

static void common_add_near(struct str *list, struct slice ref)
{
	STR_AUTO scratch = STR_INIT;

	str_adds(list, list->len ? ", " : "; nearest: ");
	str_adds(list, shown(&scratch, ref));
}

/* "; nearest: a, b", or nothing: what is archived cannot be changed, and is no help. */
static void common_list_nearest(struct str *list, const struct call *call, const struct ref *ref)
{
	struct store_answer answer;

	if (ref->key.len > LOOKUP_QUERY_MAX)
		return;
	store_lookup(call->store, ref->key, ref->category, &answer);
	if (answer.item)
		common_add_near(list, answer.item->ref);
	for (size_t i = 0; i < answer.also_count; i++) {
		if (store_find_ref(call->store, answer.also[i].ref))
			common_add_near(list, answer.also[i].ref);
	}
}

static int common_refuse_ref(const struct call *call, const char *param, const struct ref *ref,
			     struct err *err)
{
	STR_AUTO list = STR_INIT;
	STR_AUTO scratch = STR_INIT;

	common_list_nearest(&list, call, ref);
	return err_set(err, ERR_NOT_FOUND, "%s: \"%s\" is not in %s%s", param,
		       shown(&scratch, ref->key),
		       ref->category == CATEGORY_ANY ? "the store"
						     : category_name((enum category)ref->category),
		       list.ptr);
}

int common_check_scope(struct change *change, const struct ref *ref, struct err *err)
{
	for (int c = 0; c < CATEGORY_COUNT; c++) {
		if (ref->category != CATEGORY_ANY && ref->category != c)
			continue;
		if (change_check_category(change, (enum category)c, err) != 0)
			return -1;
	}
	return 0;
}

/* By hand a key may be blank or begin with a blank: only the ref as it is listed says which. */
static const struct item *common_find_meant(const struct call *call, struct slice text,
					    const struct ref *ref)
{
	const struct item *spelt = store_find_ref(call->store, text);

	if (spelt || ref->key.len == 0)
		return spelt;
	return store_find(call->store, ref->category, ref->key);
}

const struct item *common_look_up(const struct call *call, struct slice text)
{
	const struct ref ref = ref_parse(text);

	return common_find_meant(call, text, &ref);
}

int common_refuse_unknown(const struct call *call, const char *param, struct slice text,
			  struct err *err)
{
	const struct ref ref = ref_parse(text);

	return common_refuse_ref(call, param, &ref, err);
}

const struct item *common_find(const struct call *call, struct change *change, const char *param,
			       struct slice key, struct err *err)
{
	struct ref ref = ref_parse(key);
	const struct item *item = common_find_meant(call, key, &ref);

	if (!item && common_parse_ref(&ref, param, key, CATEGORY_ANY, err) == 0 &&
	    common_check_scope(change, &ref, err) == 0)
		common_refuse_ref(call, param, &ref, err);
	return item;
}

int common_edit_begin(struct edit *edit, const struct call *call, const char *param,
		      struct slice key, struct err *err)
{
	struct ref ref = ref_parse(key);
	CHANGE_AUTO change = NULL;

	if (common_refresh(call, err) != 0)
		return -1;
	if (!common_find_meant(call, key, &ref)) {
		if (common_parse_ref(&ref, param, key, CATEGORY_ANY, err) != 0)
			return -1;
		if (common_view_whole(call))
			return common_refuse_ref(call, param, &ref, err);
	}
	if (common_change_begin(&change, call, err) != 0)
		return -1;
	const struct item *item = common_find(call, change, param, key, err);
	if (!item)
		return -1;
	*edit = (struct edit){change, item, arena_copy(call->arena, item->entry.key)};
	change = NULL;
	return 0;
}

int common_check_first(const struct call *call, struct slice key, const struct entry_fields *fields,
		       struct err *err)
{
	struct settings settings;
	JSON_AUTO doc = {0};

	if (disk_expects_lock(store_disk(call->store)))
		return 0;
	if (common_refresh(call, err) != 0 || store_settings(call->store, &settings, err) != 0 ||
	    common_check_new_key("key", key, err) != 0)
		return -1;
	return admit_entry(&doc, key, common_compose(call, NULL, fields), 0, &settings, err);
}

int common_put(struct change *change, enum category category, struct slice key,
	       const struct item *old, bool pinned, struct slice entry_text, struct err *err)
{
	bool more = !old || !old->entry.pinned || old->entry.category != category ||
		    entry_text.len > old->entry.text.len;

	if (pinned && more && change_check_pin(change, category, old, entry_text, err) != 0)
		return -1;
	return change_put(change, category, key, entry_text, err);
}

struct slice common_compose(const struct call *call, const struct item *old,
			    const struct entry_fields *fields)
{
	STR_AUTO text = STR_INIT;
	struct entry entry;

	if (old) {
		entry = old->entry;
		entry.created_ms = old->created_ms;
	}
	entry_compose(&text, old ? &entry : NULL, fields, call->now_ms);
	return arena_copy(call->arena, str_slice(&text));
}

struct slice common_json(const struct call *call, struct arg_json value)
{
	STR_AUTO text = STR_INIT;

	if (!value.doc)
		return slice_of(NULL);
	json_print(&text, value.doc, value.node);
	return arena_copy(call->arena, str_slice(&text));
}

void common_parse(struct json *doc, struct slice text)
{
	struct json_fault fault;
	int rc = json_parse(doc, text, &json_file_bounds, &fault);

	assert(rc == 0);
	(void)rc;
}

struct slice common_compact(const struct call *call, struct slice text)
{
	JSON_AUTO doc = {0};

	common_parse(&doc, text);
	return common_json(call, (struct arg_json){&doc, JSON_ROOT});
}

struct slice common_ref(struct arena *arena, enum category category, struct slice key)
{
	STR_AUTO ref = STR_INIT;

	ref_add(&ref, category, key);
	return arena_copy(arena, str_slice(&ref));
}

void common_add_identity(struct str *out, enum category category, struct slice key)
{
	STR_AUTO normal = STR_INIT;

	normalize_key(key, &normal);
	ref_add(out, category, str_slice(&normal));
}

struct slice common_identity(struct arena *arena, enum category category, struct slice key)
{
	STR_AUTO identity = STR_INIT;

	common_add_identity(&identity, category, key);
	return arena_copy(arena, str_slice(&identity));
}

bool common_same_key(struct slice a, struct slice b)
{
	STR_AUTO first = STR_INIT;
	STR_AUTO second = STR_INIT;

	if (slice_equal(a, b))
		return true;
	normalize_key(a, &first);
	normalize_key(b, &second);
	return slice_equal(str_slice(&first), str_slice(&second));
}

bool common_same_json(struct slice a, struct slice b)
{
	JSON_AUTO first = {0};
	JSON_AUTO second = {0};
	struct json_fault fault;

	if (slice_equal(a, b) || !a.ptr || !b.ptr)
		return slice_equal(a, b);
	return json_parse(&first, a, &json_file_bounds, &fault) == 0 &&
	       json_parse(&second, b, &json_file_bounds, &fault) == 0 &&
	       json_equal(&first, JSON_ROOT, &second, JSON_ROOT);
}

void common_write_number(struct json_writer *w, const char *name, double number, int decimals)
{
	json_write_member_fixed(w, name, isfinite(number) ? number : 0, decimals);
}

void common_write_score(struct json_writer *w, const char *name, double score)
{
	bool tiny = score > 0 && score < SCORE_LEAST / 2;

	common_write_number(w, name, tiny ? SCORE_LEAST : score, SCORE_DECIMALS);
}

struct slice common_entry_json(const struct call *call, const struct entry *entry)
{
	return common_json(call, (struct arg_json){entry->doc, entry->node});
}

void common_write_time(struct json_writer *w, const char *name, int64_t ms)
{
	char text[TIMESTAMP_SIZE];

	if (ms == TIME_NONE)
		return;
	timestamp_format(ms, text);
	json_write_member_string(w, name, slice_of(text));
}

void common_add_preview(struct str *out, const struct entry *entry, size_t characters)
{
	STR_AUTO scratch = STR_INIT;
	struct slice text = json_string(entry->doc, entry->value_node, &scratch);

	if (!text.ptr) {
		json_print(&scratch, entry->doc, entry->value_node);
		text = str_slice(&scratch);
	}
	struct slice begin = utf8_cut(text, characters);
	str_add(out, begin);
	if (begin.len < text.len)
		str_adds(out, "...");
}

struct slice common_brief(const struct call *call, const struct entry *entry, size_t characters)
{
	STR_AUTO preview = STR_INIT;
	STR_AUTO scratch = STR_INIT;
	STR_AUTO text = STR_INIT;

	common_add_preview(&preview, entry, characters);
	struct slice told = withhold(&scratch, str_slice(&preview));
	/* The whole text, if it fits. */
	if (slice_equal(told, str_slice(&preview)) && entry->value.len <= characters)
		return common_compact(call, entry->value);
	json_quote(&text, told);
	return arena_copy(call->arena, str_slice(&text));
}

void common_write_texts(struct json_writer *w, const char *name, const struct slice *texts,
			size_t count)
{
	json_write_member_array(w, name);
	for (size_t i = 0; i < count; i++)
		json_write_string(w, texts[i]);
	json_write_end(w);
}

void common_write_refs(struct json_writer *w, const char *name, const struct slice *refs,
		       size_t count)
{
	if (count > 0)
		common_write_texts(w, name, refs, count);
}

void common_write_entry(struct json_writer *w, struct slice key, enum category category,
			int64_t created_ms, int64_t updated_ms)
{
	json_write_member_string(w, "key", key);
	json_write_member_string(w, "category", slice_of(category_name(category)));
	common_write_time(w, "created_at", created_ms);
	common_write_time(w, "last_updated", updated_ms);
}

void common_write_limits(struct json_writer *w, const struct settings *settings)
{
	json_write_member_object(w, "limits");
	json_write_member_int(w, "entries_per_category", settings->entries_per_category);
	json_write_member_int(w, "entry_bytes", settings->entry_bytes);
	json_write_member_int(w, "total_bytes", settings->total_bytes);
	json_write_member_int(w, "expiry_days", settings->expiry_days);
	json_write_end(w);
}

static void common_write_warnings(struct json_writer *w, const struct call *call)
{
	size_t count;
	const char *const *notices = store_notices(call->store, &count);
	/* The shell has its own words for it. */
	const char *made = call->shell ? NULL : store_take_made(call->store);

	if (count == 0 && call->warning->len == 0 && !made)
		return;
	json_write_member_array(w, "warnings");
	if (call->warning->len > 0)
		json_write_string(w, str_slice(call->warning));
	if (made) {
		STR_AUTO sentence = STR_INIT;

		str_printf(&sentence, "made %s, which was not there", made);
		json_write_string(w, str_slice(&sentence));
	}
	for (size_t i = 0; i < count; i++)
		json_write_string(w, slice_of(notices[i]));
	json_write_end(w);
	store_notices_told(call->store);
}

const char *common_from(const struct call *call, const struct entry *entry)
{
	if (store_origin(call->store)->kind == ORIGIN_FOREIGN)
		return "repository";
	return entry && store_is_of_others(call->store, entry) ? "changed by others" : NULL;
}

void common_write_from(struct json_writer *w, const struct call *call, const struct entry *entry)
{
	const char *from = common_from(call, entry);

	if (from)
		json_write_member_string(w, "from", slice_of(from));
}

void common_end_reply(struct json_writer *w, const struct call *call)
{
	common_write_warnings(w, call);
	json_write_end(w);
}

void common_end_change(struct json_writer *w, const struct call *call,
		       const struct change_result *result)
{
	if (result->archived.ptr)
		json_write_member_string(w, "archived", result->archived);
	common_write_refs(w, "evicted", result->evicted, result->evicted_count);
	common_end_reply(w, call);
}

void common_write_sorted_refs(struct json_writer *w, const char *name, struct slice *refs,
			      size_t count)
{
	if (count > 0)
		qsort(refs, count, sizeof *refs, slice_compare_elements);
	common_write_texts(w, name, refs, count);
}
