#include "store/swap/member_update.h"

#include "base/map.h"
#include "base/mem.h"
#include "json/splice.h"
#include "json/write.h"
#include "model/archive_record.h"
#include "store/files/member_digests.h"

#include <assert.h>
#include <stdlib.h>

/* A record in the file, and the one before it of the same key. */
struct listed {
	uint32_t node;
	size_t before;
	bool dropped; /* on its way out */
};

/* The records of a category by their keys. */
struct listing {
	bool read;
	struct map last; /* key -> position of the last one */
	struct listed *records;
	size_t count;
};

#define NO_RECORD SIZE_MAX

/* The splices of a file while they are collected. */
struct plan {
	const struct build *build;
	const struct json *doc;
	struct splice *splices;
	size_t count;
	size_t cap;
	struct map members; /* splices by the name of their member */
	struct listing listings[CATEGORY_COUNT];
	struct arena arena; /* keys of records */
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
	plan->splices = mem_grow(plan->splices, &plan->cap, plan->count + 1, sizeof *plan->splices);
	struct splice *splice = &plan->splices[plan->count++];
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

/* True if the node is this text, apart from layout. */
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
	ARENA_AUTO arena = ARENA_INIT;
	struct json_fault fault;
	struct entry entry;
	JSON_AUTO doc = {0};

	if (json_parse(&doc, op->text, &json_file_bounds, &fault) != 0)
		return;
	entry_read(&entry, op->category, &doc, JSON_ROOT, &arena);
	record_key(&key, op->key, plan->build->now_ms, 1);
	record_compose(&record, str_slice(&key), op->key, plan->build->now_ms, REASON_REPLACED,
		       &entry);
	record_compose_cold(plan->aside, op->category, str_slice(&record));
	str_addc(plan->aside, '\n');
}

/* True if the text differs from the one that the operation was made for. */
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

/* Reads the keys of all records of a category, once. */
static struct listing *update_list_records(struct plan *plan, enum category category)
{
	struct listing *listing = &plan->listings[category];
	const struct json *doc = plan->doc;
	uint32_t list = listing->read ? JSON_NONE
				      : json_member(doc, JSON_ROOT, category_name(category));

	listing->read = true;
	if (list == JSON_NONE)
		return listing;
	listing->records = mem_zalloc(doc->nodes[list].count, sizeof *listing->records);
	for (uint32_t n = json_first(doc, list); n != JSON_NONE; n = json_next(doc, n)) {
		struct listed *listed = &listing->records[listing->count];
		struct record record;

		if (!record_read(&record, category, doc, n, &plan->arena))
			continue;
		*listed = (struct listed){.node = n, .before = NO_RECORD};
		map_get(&listing->last, record.key, &listed->before);
		map_put(&listing->last, record.key, listing->count++);
	}
	return listing;
}

/*
 * The record of the operation's key, or NULL. A person may have copied one: of several with the
 * same key it is the one that the operation was made for, else the last; never one that is on its
 * way out already.
 */
static struct listed *update_find_record(struct plan *plan, const struct op *op)
{
	struct listing *listing = update_list_records(plan, op->category);
	struct listed *exact = NULL;
	struct listed *last = NULL;
	size_t at = NO_RECORD;

	for (map_get(&listing->last, op->key, &at); at != NO_RECORD;
	     at = listing->records[at].before) {
		struct listed *listed = &listing->records[at];

		if (listed->dropped)
			continue;
		if (!last)
			last = listed;
		if (hash64(json_text(plan->doc, listed->node)) == op->before)
			exact = listed;
	}
	return exact ? exact : last;
}

static void update_record_add(struct plan *plan, const struct op *op)
{
	const struct listed *there = update_find_record(plan, op);

	if (there && update_same_text(plan->doc, there->node, op->text))
		return;
	struct splice *splice = update_add(plan, SPLICE_APPEND);
	splice->path = slice_of(category_name(op->category));
	splice->text = op->text;
}

static void update_record_remove(struct plan *plan, const struct op *op)
{
	struct listed *there = update_find_record(plan, op);
	bool foreign = there && op->before != 0 && update_is_foreign(plan, op, there->node);

	if (!there || (foreign && plan->build->redo))
		return;
	if (foreign)
		update_keep_theirs(plan, op, there->node);
	there->dropped = true;
	struct splice *splice = update_add(plan, SPLICE_DROP);
	splice->path = slice_of(category_name(op->category));
	splice->element = there->node;
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

static void update_release(struct plan *plan)
{
	for (int c = 0; c < CATEGORY_COUNT; c++) {
		map_release(&plan->listings[c].last);
		free(plan->listings[c].records);
	}
	map_release(&plan->members);
	arena_release(&plan->arena);
	free(plan->splices);
}

int build_ops(void *context, const struct json *doc, struct str *out, struct str *aside,
	      struct err *err)
{
	const struct build *build = context;
	struct plan plan = {.build = build, .doc = doc, .members = MAP_INIT, .aside = aside};

	for (size_t i = 0; i < build->count; i++) {
		if (build_concerns(&build->ops[i], build->file))
			update_op(&plan, &build->ops[i]);
	}
	int result = splice_apply(out, doc, plan.splices, plan.count, err);
	update_release(&plan);
	if (result == 0)
		update_lay_out(build, doc, out);
	return result;
}
