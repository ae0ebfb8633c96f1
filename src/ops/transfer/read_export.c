/*
 * What kota export wrote: one JSON document, or a JSON object a line. Entries, records and links
 * are taken with the very text that they had.
 */
#include "ops/transfer/export.h"
#include "ops/transfer/import_entries.h"

#include <inttypes.h>

static int read_export_category_of(const struct json *doc, uint32_t node)
{
	STR_AUTO scratch = STR_INIT;

	return category_find(json_string(doc, json_member(doc, node, "category"), &scratch));
}

static int64_t read_export_count_of(const struct json *doc, uint32_t object, const char *name)
{
	int64_t count = 0;

	json_int(doc, json_member(doc, object, name), &count);
	return count > 0 ? count : 0;
}

static void read_export_take_entry(struct import *m, const struct json *doc, uint32_t node,
				   uint32_t entry)
{
	uint32_t usage = json_member(doc, node, "usage");
	struct usage_fact fact = usage_fact_none(slice_of(NULL));
	struct import_offer offer = {
		.category = read_export_category_of(doc, node),
		.key = json_member_text(doc, node, "key", m->call->arena),
		.usage = usage != JSON_NONE ? &fact : NULL,
	};

	if (!offer.key.ptr) {
		import_leave(m, slice_of("entry"), "has no key");
		return;
	}
	if (usage != JSON_NONE) {
		fact.hits = read_export_count_of(doc, usage, "hits");
		fact.last_ms = entry_time(doc, json_member(doc, usage, "last"));
		fact.uses = read_export_count_of(doc, usage, "uses");
		fact.crossed = read_export_count_of(doc, usage, "crossed");
		fact.used_ms = entry_time(doc, json_member(doc, usage, "used"));
		fact.first_ms = usage_earlier(fact.used_ms,
					      entry_time(doc, json_member(doc, usage, "first")));
		fact.seen_ms = entry_time(doc, json_member(doc, usage, "seen"));
	}
	offer.text = common_json(m->call, (struct arg_json){doc, entry});
	import_offer(m, &offer);
}

static int read_export_take(struct import *m, const struct json *doc, uint32_t node,
			    struct err *err)
{
	uint32_t entry = json_member(doc, node, "entry");
	uint32_t member = json_member(doc, node, "record");
	uint32_t link = json_member(doc, node, "link");
	int category = read_export_category_of(doc, node);
	struct record record;

	if (entry != JSON_NONE) {
		read_export_take_entry(m, doc, node, entry);
	} else if (member != JSON_NONE) {
		if (category != CATEGORY_ANY &&
		    record_read(&record, (enum category)category, doc, member, m->call->arena))
			return import_record(m, (enum category)category, &record, err);
		import_leave(m, slice_of("record"), "has no category, or is no archive record");
	} else if (link != JSON_NONE) {
		struct slice id = json_member_text(doc, node, "id", m->call->arena);

		import_own_link(m, id.ptr ? id : slice_of(""), doc, link);
	} else {
		import_leave(m, slice_of("member"), "is no entry, no record and no link");
	}
	return 0;
}

static int read_export_check_version(const struct json *doc, struct err *err)
{
	uint32_t node = json_member(doc, JSON_ROOT, EXPORT_VERSION_NAME);
	int64_t version;

	if (node == JSON_NONE || !json_int(doc, node, &version) || version < 1)
		return err_set(err, ERR_BAD_DATA,
			       "source: it does not begin with \"" EXPORT_VERSION_NAME
			       "\": %d, as an export of kota does",
			       EXPORT_VERSION);
	if (version > EXPORT_VERSION)
		return err_set(err, ERR_BAD_FORMAT,
			       "source: it was written by a newer program (format %" PRId64
			       "; this one knows %d): import it with that program",
			       version, EXPORT_VERSION);
	return 0;
}

static int read_export_document(struct import *m, const struct json *doc, struct err *err)
{
	static const char *const lists[] = {"entries", "records", "links"};

	if (read_export_check_version(doc, err) != 0)
		return -1;
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		uint32_t list = json_member(doc, JSON_ROOT, lists[i]);

		for (uint32_t n = list ? json_first(doc, list) : JSON_NONE;
		     n != JSON_NONE && !m->overflowed; n = json_next(doc, n)) {
			if (read_export_take(m, doc, n, err) != 0)
				return -1;
		}
	}
	return 0;
}

/* The first line is the header. */
static int read_export_visit(struct import *m, const struct json *doc, void *context,
			     struct err *err)
{
	bool *begun = context;
	int result = *begun ? read_export_take(m, doc, JSON_ROOT, err)
			    : read_export_check_version(doc, err);

	*begun = true;
	return result;
}

static int read_export_file(struct import *m, const char *path, struct slice text, struct err *err)
{
	struct json_fault fault;
	JSON_AUTO doc = {0};
	bool begun = false;

	(void)path;
	m->whole = true;
	m->twins = true;
	m->kind = "kota-export";
	if (json_parse(&doc, text, &json_file_bounds, &fault) == 0)
		return read_export_document(m, &doc, err);
	m->kind = "kota-export-lines";
	if (import_lines(m, "line", text, read_export_visit, &begun, err) != 0)
		return -1;
	return begun ? 0 : err_set(err, ERR_BAD_DATA, "source: it has no line of JSON");
}

const struct import_reader import_reader_export = {.file = read_export_file};
