#include "base/mem.h"
#include "base/utf8.h"
#include "model/entry.h"
#include "ops/transfer/import_entries.h"
#include "secrets/secret_scan.h"
#include "store/txn/undo.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void import_leave_as(struct import *m, enum import_fate fate, struct slice name, const char *reason)
{
	struct secret secret;

	m->total++;
	if (m->left_count >= IMPORT_THINGS_MAX) {
		m->overflowed = true;
		return;
	}
	/* A name with a secret in it is not repeated in the reply. */
	*MEM_ADD(m->left, m->left_count, m->left_cap) = (struct import_left){
		fate,
		secrets_find(name, &secret) && secret.refuses
			? slice_of("(a name that holds a secret)")
			: arena_copy(m->call->arena, name),
		arena_copy(m->call->arena, slice_of(reason)),
	};
}

void import_leave(struct import *m, struct slice name, const char *format, ...)
{
	char reason[ERR_TEXT_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(reason, sizeof reason, format, args);
	va_end(args);
	import_leave_as(m, IMPORT_REFUSED, name, reason);
}

/* A text alone, and a value that goes by it: what one of them is warned of hides no other. */
const char *import_secret_in(const struct import *m, struct slice text, struct slice key)
{
	struct secret secret = {NULL, false};
	JSON_AUTO doc = {0};

	if (m->options->allow_secret || m->settings.secrets != SECRETS_REFUSE)
		return NULL;
	if (key.ptr && secrets_find(key, &secret) && secret.refuses)
		return secret.rule;
	common_parse(&doc, text);
	return secrets_find_json(&doc, JSON_ROOT, key, &secret) && secret.refuses ? secret.rule
										  : NULL;
}

/* True if the entry is over the limit and larger than what it would replace. Then it is refused. */
static bool merge_in_is_too_large(const struct import *m, struct slice text,
				  const struct item *there)
{
	size_t limit = (size_t)m->settings.entry_bytes;
	size_t size = text.len > limit ? entry_size(text) : 0;

	return size > limit && (!there || size > entry_stored_size(&there->entry));
}

/* True if there is nothing to take. Facts alone are no reason to replace anything unasked. */
static bool merge_in_is_there(const struct import *m, const struct item *item, struct slice text)
{
	JSON_AUTO doc = {0};

	/* One that is the value itself has no member of this name: it is the root that is compared.
	 */
	common_parse(&doc, text);
	return json_equal(item->entry.doc, item->entry.value_node, &doc,
			  json_member(&doc, JSON_ROOT, "value")) &&
	       (!m->options->replace || !m->whole ||
		slice_equal(common_entry_json(m->call, &item->entry), text));
}

struct slice import_ref(const struct import *m, struct slice name)
{
	size_t number;

	return map_get(&m->refs, name, &number) ? m->ref_list[number] : slice_of(NULL);
}

/* Takes the identity of a key; false when an earlier entry of the source has it. */
static bool merge_in_take_identity(struct import *m, enum category category, struct slice key)
{
	struct slice identity = common_identity(m->call->arena, category, key);
	struct slice ref = common_ref(m->call->arena, category, key);

	if (m->twins ? map_get(&m->spelt, ref, NULL) : map_get(&m->taken, identity, NULL))
		return false;
	map_put(&m->spelt, ref, m->plan.count);
	map_put(&m->taken, identity, m->plan.count);
	return true;
}

/* True if it fits beside what is here. What replaces something takes its place. */
static bool merge_in_has_room(const struct import *m, enum category category,
			      const struct item *there, struct str *reason)
{
	int64_t limit = m->settings.entries_per_category;

	if (!there && m->filled[category] >= limit)
		str_printf(reason, "%s is full: %" PRId64 " entries (limits.entries_per_category)",
			   category_name(category), limit);
	else if (m->plan.count >= m->most)
		str_printf(reason, "the store is full: %" PRId64 " bytes (limits.total_bytes)",
			   m->settings.total_bytes);
	return reason->len == 0;
}

/* Why the entry is not taken, appended; nothing when it is. */
static enum import_fate merge_in_find_reason(struct import *m, enum category category,
					     const struct import_offer *offer,
					     const struct item *there, struct str *reason)
{
	/* An entry that is too large is not searched; only its key is shown. */
	const char *rule = import_secret_in(
		m, merge_in_is_too_large(m, offer->text, there) ? slice_of("null") : offer->text,
		offer->key);

	if (there && merge_in_is_there(m, there, offer->text)) {
		str_adds(reason, "is there already");
		return IMPORT_THERE;
	}
	if (there && !m->options->replace) {
		str_adds(reason, "another value is stored under this key");
		map_put(&m->declined, common_identity(m->call->arena, category, offer->key), 0);
		return IMPORT_CONFLICT;
	}
	if (rule)
		str_printf(reason, "holds a secret (%s)", rule);
	else if (merge_in_has_room(m, category, there, reason) &&
		 !merge_in_take_identity(m, category, offer->key))
		str_adds(reason, "an earlier entry has the same key");
	return IMPORT_REFUSED;
}

void import_offer(struct import *m, const struct import_offer *offer)
{
	const struct usage_fact *usage = offer->usage;
	enum category category = common_category_of_new(offer->key, offer->category);
	const struct item *there = store_find(m->call->store, (int)category, offer->key);
	struct slice ref = common_ref(m->call->arena, category, offer->key);
	STR_AUTO reason = STR_INIT;

	progress_step(m->call->progress, "looking at entry", m->plan.count + m->left_count, 0);
	enum import_fate fate = merge_in_find_reason(m, category, offer, there, &reason);
	if (offer->name.ptr && (reason.len == 0 || fate == IMPORT_THERE)) {
		map_put(&m->refs, arena_copy(m->call->arena, offer->name), m->ref_count);
		*MEM_ADD(m->ref_list, m->ref_count,
			 m->ref_cap) = there ? arena_copy(m->call->arena, there->ref) : ref;
	}
	if (reason.len > 0) {
		import_leave_as(m, fate, ref, reason.ptr);
		return;
	}
	m->total++;
	if (m->plan.count >= IMPORT_THINGS_MAX) {
		m->overflowed = true;
		return;
	}
	m->filled[category] += !there;
	struct plan_step *step = plan_put(&m->plan, there, category, offer->key, offer->text);
	step->keeps_old = there != NULL;
	if (usage && (usage->hits > 0 || usage->uses > 0 || usage->seen_ms != TIME_NONE)) {
		struct usage_fact *fact = MEM_ADD(m->facts, m->fact_count, m->fact_cap);

		*fact = *usage;
		fact->ref = arena_copy(m->call->arena, step->ref);
	}
}

/* True if the record is one that may be kept. */
static int merge_in_check_record(const struct import *m, const struct record *record,
				 struct err *why)
{
	size_t beside = record->text.len - record->entry.text.len;
	bool over = (int64_t)beside > m->settings.entry_bytes ||
		    merge_in_is_too_large(m, record->entry.text, NULL);
	const char *rule = import_secret_in(m, over ? slice_of("null") : record->text,
					    record->original_key);
	JSON_AUTO doc = {0};

	if (rule)
		return err_set(why, ERR_BAD_VALUE, "holds a secret (%s)", rule);
	if (record->undo)
		return err_set(why, ERR_BAD_VALUE, "is kept only so that a change can be undone");
	if ((int64_t)beside > m->settings.entry_bytes)
		return err_set(why, ERR_TOO_LARGE,
			       "has %zu bytes beside its entry; the limit is %" PRId64
			       " (limits.entry_bytes)",
			       beside, m->settings.entry_bytes);
	return admit_entry(&doc, record->original_key, record->entry.text, 0, &m->settings, why);
}

void import_know_record(struct import *m, struct slice ref, const struct record *record)
{
	map_put(&m->records, arena_copy(m->call->arena, ref), 0);
	map_put(&m->archived,
		common_identity(m->call->arena, record->category, record->original_key), 0);
}

int import_record(struct import *m, enum category category, const struct record *record,
		  struct err *err)
{
	struct slice ref = common_ref(m->call->arena, category, record->key);
	struct err why;

	if (map_get(&m->records, ref, NULL)) {
		import_leave_as(m, IMPORT_THERE, ref, "is there already");
		return 0;
	}
	if (merge_in_check_record(m, record, &why) != 0) {
		import_leave(m, ref, "%s", why.text);
		return 0;
	}
	m->total++;
	if (m->record_count >= IMPORT_THINGS_MAX) {
		m->overflowed = true;
		return 0;
	}
	import_know_record(m, ref, record);
	m->migrated++;
	m->record_count++;
	return undo_add_record(m->change, category, record->key,
			       common_compact(m->call, record->text), err);
}

int import_read(const struct import *m, const char *path, bool optional, struct str *out,
		struct err *err)
{
	const struct sys *sys = store_disk(m->call->store)->sys;
	struct file_id id;

	if (file_read(sys, AT_FDCWD, path, IMPORT_BYTES_MAX, out, &id, err) != 0)
		return -1;
	if (!id.present && !optional)
		return err_set(err, ERR_NOT_FOUND, "%s: there is no such file", path);
	return 0;
}

int import_lines(struct import *m, const char *name, struct slice text, import_visit visit,
		 void *context, struct err *err)
{
	struct slice line;

	for (size_t number = 1; !m->overflowed && slice_line(&text, &line); number++) {
		STR_AUTO where = STR_INIT;
		struct json_fault fault;
		JSON_AUTO doc = {0};

		if (line.len == 0 || slice_is(line, "\r"))
			continue;
		str_printf(&where, "%s:%zu", name, number);
		if (json_parse(&doc, line, &json_file_bounds, &fault) != 0)
			import_leave(m, str_slice(&where), "column %u: %s",
				     (unsigned int)fault.column, fault.what);
		else if (json_type(&doc, JSON_ROOT) != JSON_OBJECT)
			import_leave(m, str_slice(&where), "is no object");
		else if (visit(m, &doc, context, err) != 0)
			return -1;
	}
	return 0;
}

bool import_are_texts(const struct json *doc, uint32_t list, bool allow_empty)
{
	if (list == JSON_NONE || json_type(doc, list) != JSON_ARRAY)
		return false;
	for (uint32_t n = json_first(doc, list); n != JSON_NONE; n = json_next(doc, n)) {
		if (json_type(doc, n) != JSON_STRING)
			return false;
	}
	return allow_empty || doc->nodes[list].count > 0;
}

int import_category_of(struct slice type)
{
	static const struct {
		const char *type;
		enum category category;
	} others[] = {
		{"preference", CATEGORY_PREFERENCES},   {"pattern", CATEGORY_PATTERNS},
		{"habit", CATEGORY_PATTERNS},           {"routine", CATEGORY_PATTERNS},
		{"shortcut", CATEGORY_SHORTCUTS},       {"alias", CATEGORY_SHORTCUTS},
		{"person", CATEGORY_CONNECTIONS},       {"people", CATEGORY_CONNECTIONS},
		{"user", CATEGORY_CONNECTIONS},         {"contact", CATEGORY_CONNECTIONS},
		{"team", CATEGORY_CONNECTIONS},         {"group", CATEGORY_CONNECTIONS},
		{"company", CATEGORY_CONNECTIONS},      {"organization", CATEGORY_CONNECTIONS},
		{"organisation", CATEGORY_CONNECTIONS}, {"client", CATEGORY_CONNECTIONS},
		{"account", CATEGORY_CONNECTIONS},
	};
	int own = slice_index(type, category_names);

	for (size_t i = 0; own < 0 && i < sizeof others / sizeof *others; i++) {
		if (slice_is_word(type, others[i].type))
			return (int)others[i].category;
	}
	return own;
}

void import_write_label(struct json_writer *w, const char *name, struct slice text,
			void (*clean)(struct slice text, struct str *out))
{
	STR_AUTO label = STR_INIT;

	clean(text.ptr ? text : slice_of(""), &label);
	struct slice cleaned = str_slice(&label);
	common_write_refs(w, name, &cleaned, cleaned.len > 0);
}
