/*
 * What kota export wrote: one JSON document, or a JSON object a line. Entries, records and links
 * are taken with the very text that they had.
 */
#include "ops/transfer/export.h"
#include "ops/transfer/import_entries.h"

#include <inttypes.h>

/* ---- one thing */

static int read_export_category_of(const struct json *doc, uint32_t node)
{
	uint32_t name = json_member(doc, node, "category");
	STR_AUTO scratch = STR_INIT;

	if (name == JSON_NONE || json_type(doc, name) != JSON_STRING)
		return CATEGORY_ANY;
	return category_find(json_string(doc, name, &scratch));
}

static int64_t read_export_count_of(const struct json *doc, uint32_t object, const char *name)
{
	uint32_t node = json_member(doc, object, name);
	int64_t count;

	if (node == JSON_NONE || !json_int(doc, node, &count) || count < 0)
		return 0;
	return count;
}

static struct usage_fact usage_of(const struct json *doc, uint32_t usage)
{
	struct usage_fact fact = usage_fact_none(slice_of(NULL));

	fact.hits = read_export_count_of(doc, usage, "hits");
	fact.last_ms = entry_time(doc, json_member(doc, usage, "last"));
	fact.uses = read_export_count_of(doc, usage, "uses");
	fact.crossed = read_export_count_of(doc, usage, "crossed");
	fact.used_ms = entry_time(doc, json_member(doc, usage, "used"));
	fact.seen_ms = entry_time(doc, json_member(doc, usage, "seen"));
	return fact;
}

static void read_export_take_entry(struct import *m, const struct json *doc, uint32_t node,
				   uint32_t entry)
{
	uint32_t usage = json_member(doc, node, "usage");
	struct usage_fact fact;
	struct import_offer offer = {
		.category = read_export_category_of(doc, node),
		.key = import_member_text(m, doc, node, "key"),
	};

	if (!offer.key.ptr) {
		import_leave(m, slice_of("entry"), "has no key");
		return;
	}
	if (usage != JSON_NONE) {
		fact = usage_of(doc, usage);
		offer.usage = &fact;
	}
	offer.text = common_json(m->call, (struct arg_json){doc, entry});
	import_offer(m, &offer);
}

static int read_export_take_record(struct import *m, const struct json *doc, uint32_t node,
				   uint32_t member, struct err *err)
{
	int category = read_export_category_of(doc, node);
	struct record record;

	if (category != CATEGORY_ANY &&
	    record_read(&record, (enum category)category, doc, member, m->call->arena))
		return import_record(m, (enum category)category, &record, err);
	import_leave(m, slice_of("record"), "has no category, or is no archive record");
	return 0;
}

static int read_export_take(struct import *m, const struct json *doc, uint32_t node,
			    struct err *err)
{
	uint32_t entry = json_member(doc, node, "entry");
	uint32_t record = json_member(doc, node, "record");
	uint32_t link = json_member(doc, node, "link");
	struct slice id;

	if (entry != JSON_NONE) {
		read_export_take_entry(m, doc, node, entry);
	} else if (record != JSON_NONE) {
		return read_export_take_record(m, doc, node, record, err);
	} else if (link != JSON_NONE) {
		id = import_member_text(m, doc, node, "id");
		import_own_link(m, id.ptr ? id : slice_of(""), doc, link);
	} else {
		import_leave(m, slice_of("member"), "is no entry, no record and no link");
	}
	return 0;
}

/* ---- all of them */

static int check_version(const struct json *doc, struct err *err)
{
	uint32_t node = json_member(doc, JSON_ROOT, EXPORT_VERSION_NAME);
	int64_t version;

	if (node == JSON_NONE || !json_int(doc, node, &version) || version < 1)
		return err_set(err, ERR_BAD_DATA,
			       "source: it does not begin with \"" EXPORT_VERSION_NAME
			       "\": %d, as what kota export writes does",
			       EXPORT_VERSION);
	if (version > EXPORT_VERSION)
		return err_set(err, ERR_BAD_FORMAT,
			       "source: it was written by a newer program (form %" PRId64
			       ", known is %d): use that one, or export jsonl with this one",
			       version, EXPORT_VERSION);
	return 0;
}

static int take_list(struct import *m, const struct json *doc, const char *name, struct err *err)
{
	uint32_t list = json_member(doc, JSON_ROOT, name);

	if (list == JSON_NONE)
		return 0;
	for (uint32_t n = json_first(doc, list); n != JSON_NONE && !m->overflowed;
	     n = json_next(doc, n)) {
		if (read_export_take(m, doc, n, err) != 0)
			return -1;
	}
	return 0;
}

static int read_export_read_document(struct import *m, const struct json *doc, struct err *err)
{
	static const char *const lists[] = {"entries", "records", "links"};

	if (check_version(doc, err) != 0)
		return -1;
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		if (take_list(m, doc, lists[i], err) != 0)
			return -1;
	}
	return 0;
}

/* While lines are visited: the first is the header. */
struct lines {
	bool begun;
	int result;
	struct err err;
};

static void read_export_visit(struct import *m, const struct json *doc, void *context)
{
	struct lines *lines = context;

	if (lines->result != 0 || m->overflowed)
		return;
	lines->result = lines->begun ? read_export_take(m, doc, JSON_ROOT, &lines->err)
				     : check_version(doc, &lines->err);
	lines->begun = true;
}

static int read_export_read_lines(struct import *m, struct slice text, struct err *err)
{
	struct lines lines = {false, 0, {ERR_NONE, ""}};

	m->kind = "kota-export-lines";
	import_lines(m, "line", text, read_export_visit, &lines);
	if (lines.result == 0 && !lines.begun)
		return err_set(err, ERR_BAD_DATA, "source: it has no line of JSON");
	*err = lines.err;
	return lines.result;
}

int import_export(struct import *m, struct slice text, struct err *err)
{
	struct json_fault fault;
	struct json doc;
	int result;

	m->whole = true;
	m->twins = true;
	if (json_parse(&doc, text, &json_file_bounds, &fault) != 0)
		return read_export_read_lines(m, text, err);
	m->kind = "kota-export";
	result = read_export_read_document(m, &doc, err);
	json_release(&doc);
	return result;
}
