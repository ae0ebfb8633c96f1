#include "mcp/resources.h"

#include "base/inert.h"
#include "base/mem.h"
#include "mcp/methods.h"
#include "store/open/store.h"

#include <stdlib.h>

/* Lists are fetched whenever a client starts: beyond these the templates lead on. */
#define LISTED_MAX 100

#define JSON_TYPE "application/json"

#define CHANGED_BY_OTHERS "changed by others"

/* ---- names */

static bool uri_is_plain(char byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
	       (byte >= '0' && byte <= '9') || (byte != '\0' && strchr("-._~", byte));
}

void uri_add_key(struct str *out, enum category category, struct slice key)
{
	str_printf(out, URI_KEY_TEXT "%s/", category_name(category));
	for (size_t i = 0; i < key.len; i++) {
		if (uri_is_plain(key.ptr[i]))
			str_addc(out, key.ptr[i]);
		else
			str_printf(out, "%%%02X", (unsigned char)key.ptr[i]);
	}
}

/* What is behind the prefix; false when the text does not begin with it. */
static bool uri_behind(struct slice text, const char *prefix, struct slice *rest)
{
	size_t len = strlen(prefix);

	if (!slice_starts(text, prefix))
		return false;
	*rest = slice_make(text.ptr + len, text.len - len);
	return true;
}

/* The value of a hexadecimal digit, or -1. */
static int uri_hex_value(char digit)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = digit ? strchr(digits, digit >= 'A' && digit <= 'F' ? digit + 32 : digit)
			       : NULL;

	return at ? (int)(at - digits) : -1;
}

static bool uri_decode(struct str *out, struct slice text)
{
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] != '%') {
			str_addc(out, text.ptr[i]);
			continue;
		}
		int high = i + 2 < text.len ? uri_hex_value(text.ptr[i + 1]) : -1;
		int low = i + 2 < text.len ? uri_hex_value(text.ptr[i + 2]) : -1;
		if (high < 0 || low < 0)
			return false;
		str_addc(out, (char)(high * 16 + low));
		i += 2;
	}
	return out->len > 0;
}

static bool uri_read_category(struct slice name, enum category *out)
{
	int category = category_find(name);

	if (category == CATEGORY_ANY)
		return false;
	*out = (enum category)category;
	return true;
}

static bool uri_read_key(struct uri *out, struct slice rest)
{
	const char *slash = rest.len > 0 ? memchr(rest.ptr, '/', rest.len) : NULL;
	size_t len = slash ? (size_t)(slash - rest.ptr) : 0;

	return slash && uri_read_category(slice_make(rest.ptr, len), &out->category) &&
	       uri_decode(&out->key, slice_make(slash + 1, rest.len - len - 1));
}

void uri_read(struct uri *out, struct slice text)
{
	struct slice rest;

	out->kind = URI_NONE;
	if (slice_is(text, URI_INDEX_TEXT))
		out->kind = URI_INDEX;
	else if (uri_behind(text, URI_CATEGORY_TEXT, &rest) &&
		 uri_read_category(rest, &out->category))
		out->kind = URI_CATEGORY;
	else if (uri_behind(text, URI_KEY_TEXT, &rest) && uri_read_key(out, rest))
		out->kind = URI_KEY;
}

void uri_release(struct uri *uri)
{
	str_release(&uri->key);
}

/* ---- reading */

/* Store and time of a request, or the sentence that says why there is none. */
struct reading {
	struct mcp_session *session;
	const struct request *request;
	struct json_writer *w;
	struct store *store;
	const struct item *items;
	size_t count;
};

static int resources_open_reading(struct reading *reading, struct mcp_session *session,
				  const struct request *request, struct json_writer *w,
				  struct err *err)
{
	*reading = (struct reading){.session = session, .request = request, .w = w};
	if (session_store(session, &reading->store, err) != 0 ||
	    store_refresh(reading->store, session->sys->now_ms(), err) != 0)
		return -1;
	reading->items = store_items(reading->store, &reading->count);
	return 0;
}

/* What is stored changes with every call: a client may not keep it, nor show it to others. */
static void resources_write_fresh(struct json_writer *w, const struct request *request)
{
	if (request->era == ERA_LEGACY)
		return;
	json_write_member_int(w, "ttlMs", 0);
	json_write_member_string(w, "cacheScope", slice_of("private"));
}

/* ---- the list */

static void resources_write_resource(struct json_writer *w, const char *uri, struct slice name,
				     const char *description)
{
	json_write_object(w);
	json_write_member_string(w, "uri", slice_of(uri));
	json_write_member_string(w, "name", name);
	if (description)
		json_write_member_string(w, "description", slice_of(description));
	json_write_member_string(w, "mimeType", slice_of(JSON_TYPE));
	json_write_end(w);
}

static int resources_compare_active(const void *left, const void *right)
{
	const struct item *const *a = left;
	const struct item *const *b = right;

	if ((*a)->active_ms != (*b)->active_ms)
		return (*a)->active_ms < (*b)->active_ms ? 1 : -1;
	return *a < *b ? -1 : *a > *b;
}

/* The entries that were active last. */
static void resources_write_recent(const struct reading *reading)
{
	const struct item **recent = mem_zalloc(reading->count + 1, sizeof(void *));
	size_t count = 0;

	for (size_t i = 0; i < reading->count; i++) {
		if (!reading->items[i].due)
			recent[count++] = &reading->items[i];
	}
	qsort(recent, count, sizeof(void *), resources_compare_active);
	for (size_t i = 0; i < count && i < LISTED_MAX; i++) {
		STR_AUTO uri = STR_INIT;
		STR_AUTO name = STR_INIT;

		uri_add_key(&uri, recent[i]->entry.category, recent[i]->entry.key);
		inert_add(&name, recent[i]->ref);
		resources_write_resource(reading->w, uri.ptr, str_slice(&name), NULL);
	}
	free(recent);
}

static int resources_list(struct mcp_session *session, const struct request *request,
			  struct json_writer *w, struct failure *failure)
{
	struct reading reading;
	struct err ignored;

	if (request_refuse_cursor(request, failure) != 0)
		return -1;
	json_write_member_array(w, "resources");
	resources_write_resource(w, URI_INDEX_TEXT, slice_of("index"), "All refs, by category");
	for (int c = 0; c < CATEGORY_COUNT; c++) {
		STR_AUTO uri = STR_INIT;

		str_printf(&uri, URI_CATEGORY_TEXT "%s", category_names[c]);
		resources_write_resource(w, uri.ptr, slice_of(category_names[c]),
					 "Its keys and values");
	}
	if (resources_open_reading(&reading, session, request, w, &ignored) == 0 &&
	    origin_speaks_unasked(store_origin(reading.store)))
		resources_write_recent(&reading);
	json_write_end(w);
	resources_write_fresh(w, request);
	return 0;
}

static int resources_list_templates(struct mcp_session *session, const struct request *request,
				    struct json_writer *w, struct failure *failure)
{
	static const struct {
		const char *uri;
		const char *name;
		const char *description;
	} templates[] = {
		{URI_CATEGORY_TEXT "{category}", "category", "Keys and values of a category"},
		{URI_KEY_TEXT "{category}/{key}", "key", "The value of an entry"},
	};

	(void)session;
	if (request_refuse_cursor(request, failure) != 0)
		return -1;
	json_write_member_array(w, "resourceTemplates");
	for (size_t i = 0; i < sizeof templates / sizeof *templates; i++) {
		json_write_object(w);
		json_write_member_string(w, "uriTemplate", slice_of(templates[i].uri));
		json_write_member_string(w, "name", slice_of(templates[i].name));
		json_write_member_string(w, "description", slice_of(templates[i].description));
		json_write_member_string(w, "mimeType", slice_of(JSON_TYPE));
		json_write_end(w);
	}
	json_write_end(w);
	if (request->era == ERA_MODERN)
		reply_cache_hints(w);
	return 0;
}

/* ---- reading one */

/* {category: [key…]}, or {key: value} of one category. */
static void resources_compose_list(const struct reading *reading, int category,
				   struct json_writer *w)
{
	bool all = category == CATEGORY_ANY;

	json_write_object(w);
	for (int c = all ? 0 : category; c <= (all ? CATEGORY_COUNT - 1 : category); c++) {
		if (all) {
			json_write_member_array(w, category_names[c]);
		}
		for (size_t i = 0; i < reading->count; i++) {
			const struct entry *entry = &reading->items[i].entry;

			if (reading->items[i].due || (int)entry->category != c)
				continue;
			if (all) {
				json_write_string(w, entry->key);
			} else {
				json_write_name(w, entry->key);
				json_write_value(w, entry->doc, entry->value_node);
			}
		}
		if (all)
			json_write_end(w);
	}
	json_write_end(w);
}

/* What is read is active, though nobody asked for one entry by a question: it is no hit. */
static void resources_note_read(const struct reading *reading, const struct uri *uri,
				const struct item *item)
{
	const struct item **items = mem_zalloc(reading->count + 1, sizeof(void *));
	size_t count = 0;

	if (item)
		items[count++] = item;
	for (size_t i = 0; uri->kind == URI_CATEGORY && i < reading->count; i++) {
		const struct item *one = &reading->items[i];

		if (!one->due && one->entry.category == uri->category)
			items[count++] = one;
	}
	store_shown(reading->store, items, count);
	free(items);
}

/* A file that cannot be read counts as empty, which is not to be told as its contents. */
static bool resources_is_whole(const struct reading *reading, const struct uri *uri)
{
	size_t notices;

	store_notices(reading->store, &notices);
	for (size_t i = 0; notices > 0 && i < reading->count; i++) {
		if (reading->items[i].entry.category == uri->category)
			return true;
	}
	return notices == 0;
}

/* Keys of a category that others changed; false, and nothing is written, where there are none. */
static bool resources_begin_changed_keys(const struct reading *reading, enum category category,
					 struct json_writer *w)
{
	bool any = false;

	for (size_t i = 0; i < reading->count; i++) {
		const struct item *item = &reading->items[i];

		if (item->due || item->entry.category != category ||
		    !store_is_of_others(reading->store, &item->entry))
			continue;
		if (!any) {
			json_write_object(w);
			json_write_member_string(w, "from", slice_of(CHANGED_BY_OTHERS));
			json_write_member_array(w, "changed");
		}
		json_write_string(w, item->entry.key);
		any = true;
	}
	if (any)
		json_write_end(w);
	return any;
}

/*
 * Begins an object that says who the value is from, if not from the person: the value follows as
 * its last member. False where there is nothing to say.
 */
static bool resources_begin_marked(const struct reading *reading, const struct uri *uri,
				   const struct item *item, struct json_writer *w)
{
	if (store_origin(reading->store)->kind == ORIGIN_FOREIGN) {
		json_write_object(w);
		json_write_member_string(w, "from", slice_of("repository"));
	} else if (item && store_is_of_others(reading->store, &item->entry)) {
		json_write_object(w);
		json_write_member_string(w, "from", slice_of(CHANGED_BY_OTHERS));
	} else if (uri->kind != URI_CATEGORY ||
		   !resources_begin_changed_keys(reading, uri->category, w)) {
		return false;
	}
	json_write_name(w, slice_of("value"));
	return true;
}

/*
 * Appends the JSON text of what the name stands for; false when there is no such thing. What is not
 * from the person is marked.
 */
static bool resources_compose(const struct reading *reading, const struct uri *uri, struct str *out)
{
	const struct item *item = NULL;

	if (uri->kind == URI_NONE ||
	    (uri->kind == URI_CATEGORY && !resources_is_whole(reading, uri)))
		return false;
	if (uri->kind == URI_KEY) {
		item = store_find(reading->store, (int)uri->category, str_slice(&uri->key));
		if (!item)
			return false;
	}
	struct json_writer w = json_writer_to(out, &json_pretty);
	bool marked = resources_begin_marked(reading, uri, item, &w);
	if (item)
		json_write_value(&w, item->entry.doc, item->entry.value_node);
	else
		resources_compose_list(
			reading, uri->kind == URI_INDEX ? CATEGORY_ANY : (int)uri->category, &w);
	if (marked)
		json_write_end(&w);
	resources_note_read(reading, uri, item);
	return true;
}

/*
 * The one refusal that the eras number differently. Where something cannot be read, nobody can say
 * that there is no such thing: then that is what is said.
 */
static int resources_refuse_uri(const struct reading *reading, struct slice uri,
				struct failure *failure)
{
	const struct request *request = reading->request;
	size_t count;
	const char *const *notices = store_notices(reading->store, &count);

	if (count > 0)
		return failure_set(failure, RPC_INTERNAL_ERROR, "%s", notices[0]);

	failure_set_shown(failure,
			  request->era == ERA_MODERN ? RPC_INVALID_PARAMS : RPC_RESOURCE_NOT_FOUND,
			  "Resource not found: ", uri);
	struct json_writer w = json_writer_to(&failure->data, &json_compact);
	json_write_object(&w);
	json_write_member_string(&w, "uri", uri);
	json_write_end(&w);
	return -1;
}

static void resources_write_contents(struct json_writer *w, struct slice uri, struct slice text)
{
	json_write_member_array(w, "contents");
	json_write_object(w);
	json_write_member_string(w, "uri", uri);
	json_write_member_string(w, "mimeType", slice_of(JSON_TYPE));
	json_write_member_string(w, "text", text);
	json_write_end(w);
	json_write_end(w);
}

static int resources_read(struct mcp_session *session, const struct request *request,
			  struct json_writer *w, struct failure *failure)
{
	struct uri uri = {.key = STR_INIT};
	STR_AUTO scratch = STR_INIT;
	STR_AUTO text = STR_INIT;
	struct reading reading;
	struct slice name = request_text(request, request->params, "uri", &scratch);
	struct err err;
	int result = 0;

	if (!name.ptr)
		return failure_set(failure, RPC_INVALID_PARAMS, "uri: expected a string");
	uri_read(&uri, name);
	if (resources_open_reading(&reading, session, request, w, &err) != 0)
		result = failure_set(failure, RPC_INTERNAL_ERROR, "%s", err.text);
	else if (!resources_compose(&reading, &uri, &text))
		result = resources_refuse_uri(&reading, name, failure);
	uri_release(&uri);
	if (result != 0)
		return -1;
	resources_write_contents(w, name, str_slice(&text));
	resources_write_fresh(w, request);
	return 0;
}

const struct method resource_methods[RESOURCE_METHODS] = {
	{"resources/list", ERA_LEGACY | ERA_MODERN, 0, resources_list},
	{"resources/templates/list", ERA_LEGACY | ERA_MODERN, 0, resources_list_templates},
	{"resources/read", ERA_LEGACY | ERA_MODERN, 0, resources_read},
};
