#include "store/swap/member_update.h"

#include "base/map.h"
#include "base/mem.h"
#include "json/splice.h"
#include "json/write.h"
#include "model/archive_record.h"
#include "store/files/member_digests.h"

#include <assert.h>
#include <stdlib.h>

/* The splices of a file while they are collected. */
struct plan {
	const struct build *build;
	const struct json *doc;
	struct splice *splices;
	size_t count;
	size_t cap;
	struct map members; /* splices by the name of their member */
	struct str *aside;
};

bool build_concerns(const struct op *op, enum store_file file)
{
	switch (op->kind) {
	case OP_PUT:
	case OP_REMOVE:
		return file == (enum store_file)op->category;
	case OP_RECORD_ADD:
	case OP_RECORD_REMOVE:
		return file == STORE_FILE_ARCHIVE;
	case OP_LINK_PUT:
	case OP_LINK_REMOVE:
		return file == STORE_FILE_RELATIONS;
	case OP_NOTE_ADD:
	case OP_NOTE_REMOVE:
	case OP_COLD_ADD:
	case OP_KEEP:
		break;
	}
	return false;
}

static struct splice *update_add(struct plan *plan, enum splice_kind kind)
{
	struct splice *splice;

	plan->splices = mem_grow(plan->splices, &plan->cap, plan->count + 1, sizeof *plan->splices);
	splice = &plan->splices[plan->count++];
	*splice = (struct splice){.kind = kind};
	return splice;
}

/* The splice of a member: a later operation on the same key takes the place of an earlier one. */
static struct splice *update_member(struct plan *plan, enum splice_kind kind, struct slice name)
{
	size_t at = plan->count;

	if (!map_get(&plan->members, name, &at)) {
		map_put(&plan->members, name, at);
		update_add(plan, kind);
	}
	assert(plan->splices);
	plan->splices[at] = (struct splice){.kind = kind, .name = name};
	return &plan->splices[at];
}

static bool update_has(const struct plan *plan, struct slice name)
{
	return map_get(&plan->members, name, NULL);
}

static void update_add_compact(struct str *out, const struct json *doc, uint32_t node)
{

	json_print(out, doc, node);
}

/* Is the node this text, whatever the layout of either? */
static bool update_same_text(const struct json *doc, uint32_t node, struct slice text)
{
	STR_AUTO ours = STR_INIT;
	STR_AUTO theirs = STR_INIT;
	struct json_fault fault;
	struct json parsed;

	if (json_parse(&parsed, text, &json_file_bounds, &fault) != 0)
		return false;
	update_add_compact(&ours, &parsed, JSON_ROOT);
	json_release(&parsed);
	update_add_compact(&theirs, doc, node);
	return slice_equal(str_slice(&ours), str_slice(&theirs));
}

static void update_keep_theirs(struct plan *plan, const struct op *op, uint32_t node)
{
	unit_set_aside(plan->aside, plan->build->file, op->category, plan->doc, node,
		       plan->build->now_ms);
}

/* Keeps the text of an operation that is not carried out. */
static void update_keep_ours(struct plan *plan, const struct op *op)
{
	STR_AUTO key = STR_INIT;
	STR_AUTO record = STR_INIT;
	struct arena arena = ARENA_INIT;
	struct json_fault fault;
	struct entry entry;
	struct json doc;

	if (json_parse(&doc, op->text, &json_file_bounds, &fault) != 0)
		return;
	entry_read(&entry, op->category, &doc, JSON_ROOT, &arena);
	record_key(&key, op->key, plan->build->now_ms, 1);
	record_compose(&record, str_slice(&key), op->key, plan->build->now_ms, REASON_REPLACED,
		       &entry);
	record_compose_cold(plan->aside, op->category, str_slice(&record));
	str_addc(plan->aside, '\n');
	json_release(&doc);
	arena_release(&arena);
}

/* Is there another text than the operation was made for? */
static bool update_is_foreign(const struct plan *plan, const struct op *op, uint32_t node)
{
	return node != JSON_NONE && hash64(json_text(plan->doc, node)) != op->before;
}

static void update_put(struct plan *plan, const struct op *op)
{
	uint32_t node = json_member_slice(plan->doc, JSON_ROOT, op->key);

	if (!update_has(plan, op->key)) {
		if (node != JSON_NONE && update_same_text(plan->doc, node, op->text))
			return;
		if (update_is_foreign(plan, op, node) && plan->build->redo) {
			update_keep_ours(plan, op);
			return;
		}
		if (update_is_foreign(plan, op, node))
			update_keep_theirs(plan, op, node);
	}
	update_member(plan, SPLICE_PUT, op->key)->text = op->text;
}

static void update_remove(struct plan *plan, const struct op *op)
{
	uint32_t node = json_member_slice(plan->doc, JSON_ROOT, op->key);

	if (!update_has(plan, op->key)) {
		if (node == JSON_NONE || (update_is_foreign(plan, op, node) && plan->build->redo))
			return;
		if (update_is_foreign(plan, op, node))
			update_keep_theirs(plan, op, node);
	}
	update_member(plan, SPLICE_REMOVE, op->key);
}

static bool update_drops(const struct plan *plan, uint32_t element)
{
	for (size_t i = 0; i < plan->count; i++) {
		if (plan->splices[i].kind == SPLICE_DROP && plan->splices[i].element == element)
			return true;
	}
	return false;
}

/*
 * The record of the operation's key, or JSON_NONE. A person may have copied one: of several with
 * the same key it is the one that the operation was made for, else the last; never one that is on
 * its way out already.
 */
static uint32_t update_find_record(const struct plan *plan, const struct op *op)
{
	const struct json *doc = plan->doc;
	uint32_t list = json_member(doc, JSON_ROOT, category_name(op->category));
	struct arena arena = ARENA_INIT;
	uint32_t found = JSON_NONE;
	bool exact = false;

	if (list == JSON_NONE)
		return JSON_NONE;
	for (uint32_t n = json_first(doc, list); !exact && n != JSON_NONE; n = json_next(doc, n)) {
		struct record record;

		if (!record_read(&record, op->category, doc, n, &arena) ||
		    !slice_equal(record.key, op->key) || update_drops(plan, n))
			continue;
		found = n;
		exact = hash64(json_text(doc, n)) == op->before;
	}
	arena_release(&arena);
	return found;
}

static void update_record_add(struct plan *plan, const struct op *op)
{
	uint32_t node = update_find_record(plan, op);
	struct splice *splice;

	if (node != JSON_NONE && update_same_text(plan->doc, node, op->text))
		return;
	splice = update_add(plan, SPLICE_APPEND);
	splice->path = slice_of(category_name(op->category));
	splice->text = op->text;
}

static void update_record_remove(struct plan *plan, const struct op *op)
{
	uint32_t node = update_find_record(plan, op);
	bool foreign = op->before != 0 && update_is_foreign(plan, op, node);
	struct splice *splice;

	if (node == JSON_NONE || (foreign && plan->build->redo))
		return;
	if (foreign)
		update_keep_theirs(plan, op, node);
	splice = update_add(plan, SPLICE_DROP);
	splice->path = slice_of(category_name(op->category));
	splice->element = node;
}

static void update_op(struct plan *plan, const struct op *op)
{
	switch (op->kind) {
	case OP_PUT:
	case OP_LINK_PUT:
		update_put(plan, op);
		break;
	case OP_REMOVE:
	case OP_LINK_REMOVE:
		update_remove(plan, op);
		break;
	case OP_RECORD_ADD:
		update_record_add(plan, op);
		break;
	case OP_RECORD_REMOVE:
		update_record_remove(plan, op);
		break;
	case OP_NOTE_ADD:
	case OP_NOTE_REMOVE:
	case OP_COLD_ADD:
	case OP_KEEP:
		break;
	}
}

/* The text that is wished for, where it says what the operations have made of the file. */
static void update_lay_out(const struct build *build, const struct json *doc, struct str *out)
{
	const struct layout *layout = build->layout;

	if (!layout || !layout->text.ptr || hash64(doc->text) != layout->instead ||
	    !layout_same(build->file, layout->text, str_slice(out)))
		return;
	str_clear(out);
	str_add(out, layout->text);
}

int build_ops(void *context, const struct json *doc, struct str *out, struct str *aside,
	      struct err *err)
{
	const struct build *build = context;
	struct plan plan = {.build = build, .doc = doc, .members = MAP_INIT, .aside = aside};
	int result;

	for (size_t i = 0; i < build->count; i++) {
		if (build_concerns(&build->ops[i], build->file))
			update_op(&plan, &build->ops[i]);
	}
	result = splice_apply(out, doc, plan.splices, plan.count, err);
	map_release(&plan.members);
	free(plan.splices);
	if (result == 0)
		update_lay_out(build, doc, out);
	return result;
}
