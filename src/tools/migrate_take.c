#include "base/mem.h"
#include "base/shown.h"
#include "match/normalize.h"
#include "model/secrets.h"
#include "store/takeback.h"
#include "tools/migrate.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Longest source, in bytes. */
#define SOURCE_MAX ((size_t)64 << 20)

static void add_left(struct migration *m, struct slice name, const char *reason)
{
	m->left = mem_grow(m->left, &m->left_cap, m->left_count + 1, sizeof *m->left);
	m->left[m->left_count++] = (struct migrate_left){
		arena_copy(m->call->arena, name), arena_copy(m->call->arena, slice_of(reason))};
}

void migrate_leave(struct migration *m, struct slice name, const char *format, ...)
{
	char reason[ERR_TEXT_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(reason, sizeof reason, format, args);
	va_end(args);
	m->total++;
	add_left(m, name, reason);
}

/* Is the setting against keeping this? */
static const char *secret_in(const struct migration *m, struct slice text, struct slice key)
{
	struct json doc = {0};
	struct secret secret = {NULL, false};
	bool found;

	if (m->allow_secret || m->settings.secrets != SECRETS_REFUSE)
		return NULL;
	common_parse(&doc, text);
	found = secrets_find(key, &secret) || secrets_find_json(&doc, JSON_ROOT, key, &secret);
	json_release(&doc);
	return found && secret.refuses ? secret.rule : NULL;
}

static bool same_value(const struct item *item, struct slice text)
{
	struct json here = {0};
	struct json there = {0};
	uint32_t value;
	bool same;

	common_parse(&here, item->entry.value);
	common_parse(&there, text);
	value = json_member(&there, JSON_ROOT, "value");
	same = json_equal(&here, JSON_ROOT, &there, value == JSON_NONE ? JSON_ROOT : value);
	json_release(&here);
	json_release(&there);
	return same;
}

static void know_as(struct migration *m, struct slice name, struct slice ref)
{
	if (!name.ptr)
		return;
	m->ref_list = mem_grow(m->ref_list, &m->ref_cap, m->ref_count + 1, sizeof *m->ref_list);
	m->ref_list[m->ref_count] = arena_copy(m->call->arena, ref);
	map_put(&m->refs, arena_copy(m->call->arena, name), m->ref_count++);
}

struct slice migrate_ref(const struct migration *m, struct slice name)
{
	size_t number;

	return map_get(&m->refs, name, &number) ? m->ref_list[number] : slice_of(NULL);
}

/* Takes the identity of a key; false when an earlier entry of the source has it. */
static bool take_identity(struct migration *m, enum category category, struct slice key)
{
	STR_AUTO identity = STR_INIT;
	STR_AUTO ref = STR_INIT;

	normalize_key(key, &identity);
	ref_add(&ref, category, str_slice(&identity));
	if (map_get(&m->taken, str_slice(&ref), NULL))
		return false;
	map_put(&m->taken, arena_copy(m->call->arena, str_slice(&ref)), 0);
	return true;
}

/* Why the entry is not taken, appended; nothing when it is. */
static void find_reason(struct migration *m, enum category category,
			const struct migrate_offer *offer, struct str *reason)
{
	const struct item *there = store_find(m->call->store, (int)category, offer->key);
	const char *rule = secret_in(m, offer->text, offer->key);
	int64_t limit = m->settings.entries_per_category;

	if (there && same_value(there, offer->text))
		str_adds(reason, "is there already");
	else if (there)
		str_adds(reason, "another value is stored under this key");
	else if (rule)
		str_printf(reason, "holds a secret (%s)", rule);
	else if (m->filled[category] >= limit)
		str_printf(reason, "%s is full: %" PRId64 " entries (limits.entries_per_category)",
			   category_name(category), limit);
	else if (m->plan.count >= m->most)
		str_printf(reason, "the store is full: %" PRId64 " bytes (limits.total_bytes)",
			   m->settings.total_bytes);
	else if (!take_identity(m, category, offer->key))
		str_adds(reason, "an earlier entry has the same key");
}

void migrate_offer(struct migration *m, const struct migrate_offer *offer)
{
	enum category category = common_category_of_new(offer->key, offer->category);
	const struct item *there = store_find(m->call->store, (int)category, offer->key);
	STR_AUTO reason = STR_INIT;
	STR_AUTO ref = STR_INIT;

	ref_add(&ref, category, offer->key);
	find_reason(m, category, offer, &reason);
	m->total++;
	if (reason.len == 0 || (there && same_value(there, offer->text)))
		know_as(m, offer->name, there ? there->ref : str_slice(&ref));
	if (reason.len > 0) {
		add_left(m, str_slice(&ref), reason.ptr);
		return;
	}
	m->filled[category]++;
	plan_put(&m->plan, NULL, category, offer->key, offer->text);
}

int migrate_record(struct migration *m, enum category category, const struct record *record,
		   struct err *err)
{
	const char *rule = secret_in(m, record->text, record->original_key);
	STR_AUTO ref = STR_INIT;

	ref_add(&ref, category, record->key);
	m->total++;
	if (map_get(&m->records, str_slice(&ref), NULL)) {
		add_left(m, str_slice(&ref), "is there already");
		return 0;
	}
	if (rule) {
		STR_AUTO reason = STR_INIT;

		str_printf(&reason, "holds a secret (%s)", rule);
		add_left(m, str_slice(&ref), reason.ptr);
		return 0;
	}
	map_put(&m->records, arena_copy(m->call->arena, str_slice(&ref)), 0);
	m->migrated++;
	return takeback_add_record(m->change, category, record->key,
				   common_compact(m->call, record->text), err);
}

int migrate_read(const struct migration *m, const char *path, bool optional, struct str *out,
		 struct err *err)
{
	const struct sys *sys = store_disk(m->call->store)->sys;
	struct file_id id;

	if (file_read(sys, AT_FDCWD, path, SOURCE_MAX, out, &id, err) != 0)
		return -1;
	if (!id.present && !optional)
		return err_set(err, ERR_NOT_FOUND, "%s: there is no such file", path);
	return 0;
}

void migrate_lines(struct migration *m, const char *name, struct slice text, migrate_line visit,
		   void *context)
{
	size_t number = 0;

	while (text.len > 0) {
		const char *end = memchr(text.ptr, '\n', text.len);
		struct slice line = {text.ptr, end ? (size_t)(end - text.ptr) : text.len};
		struct json_fault fault;
		STR_AUTO where = STR_INIT;
		struct json doc = {0};

		text = slice_make(line.ptr + line.len + (end != NULL),
				  text.len - line.len - (end != NULL));
		number++;
		str_printf(&where, "%s:%zu", name, number);
		if (line.len == 0 || slice_is(line, "\r"))
			continue;
		if (json_parse(&doc, line, &json_file_bounds, &fault) != 0)
			migrate_leave(m, str_slice(&where), "column %u: %s",
				      (unsigned int)fault.column, fault.what);
		else if (json_type(&doc, JSON_ROOT) != JSON_OBJECT)
			migrate_leave(m, str_slice(&where), "is no object");
		else
			visit(m, &doc, context);
		json_release(&doc);
	}
}

struct slice migrate_text(const struct migration *m, const struct json *doc, uint32_t object,
			  const char *name)
{
	uint32_t node = json_member(doc, object, name);
	STR_AUTO scratch = STR_INIT;

	if (node == JSON_NONE || json_type(doc, node) != JSON_STRING)
		return slice_of(NULL);
	return arena_copy(m->call->arena, json_string(doc, node, &scratch));
}
