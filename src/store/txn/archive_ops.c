#include "store/txn/archive_ops.h"

#include "json/tree.h"
#include "store/history/history.h"

/* The keys of records in archive.json and of this change, as refs. */
static void know_record_keys(struct change *change)
{
	const struct store *store = change->store;

	if (change->record_keys_known)
		return;
	for (size_t i = 0; i < store->archive.count; i++)
		map_put(&change->record_keys, store->archive.records[i].ref, 0);
	change->record_keys_known = true;
}

/* Writes the record of an item under a key that no other record has; returns its ref. */
static struct slice compose_record(struct change *change, const struct item *item,
				   enum reason reason, struct str *text)
{
	struct slice kept;
	STR_AUTO key = STR_INIT;
	STR_AUTO ref = STR_INIT;
	int n = 1;

	know_record_keys(change);
	do {
		str_clear(&key);
		str_clear(&ref);
		record_key(&key, item->entry.key, change->now_ms, n++);
		ref_add(&ref, item->entry.category, str_slice(&key));
	} while (map_get(&change->record_keys, str_slice(&ref), NULL));
	kept = arena_copy(&change->arena, str_slice(&ref));
	map_put(&change->record_keys, kept, 0);
	record_compose(text, str_slice(&key), item->entry.key, change->now_ms, reason,
		       item->entry.text, item->entry.bare);
	return kept;
}

struct slice shelter_item(struct change *change, const struct item *item, enum reason reason,
			  enum shelter shelter)
{
	static const enum op_kind kinds[] = {OP_RECORD_ADD, OP_COLD_ADD, OP_KEEP};
	struct op op = {
		.kind = kinds[shelter],
		.category = item->entry.category,
		.at_ms = change->now_ms,
	};
	STR_AUTO text = STR_INIT;
	STR_AUTO line = STR_INIT;
	struct slice ref = compose_record(change, item, reason, &text);

	/* Behind the category and its colon. */
	op.key = slice_make(ref.ptr + strlen(category_name(op.category)) + 1,
			    ref.len - strlen(category_name(op.category)) - 1);
	if (shelter == SHELTER_COLD)
		record_compose_cold(&line, op.category, str_slice(&text));
	if (shelter == SHELTER_UNDO)
		record_compose_undo(&line, op.category, str_slice(&text));
	op.text = arena_copy(&change->arena, str_slice(shelter == SHELTER_ARCHIVE ? &text : &line));
	change_add_op(change, &op);
	map_put(&change->sheltered, item->ref, 0);
	return ref;
}

/* The compact text of an entry without the time of its last change. */
static void text_but_time(struct slice entry_text, struct str *out)
{
	struct json_tree *tree;
	struct json_fault fault;
	struct json_writer w;
	struct json doc;

	str_clear(out);
	if (json_parse(&doc, entry_text, &json_file_bounds, &fault) != 0)
		return;
	tree = json_tree_from(&doc, JSON_ROOT);
	json_release(&doc);
	if (json_tree_type(tree) == JSON_OBJECT)
		json_tree_remove(tree, slice_of("last_updated"));
	json_writer_init(&w, out, &json_compact);
	json_tree_write(tree, &w);
	json_tree_free(tree);
}

void shelter_overwritten(struct change *change, const struct item *old, struct slice entry_text)
{
	STR_AUTO before = STR_INIT;
	STR_AUTO after = STR_INIT;

	/* The history has it. */
	if (history_is_on(change->store) || map_get(&change->sheltered, old->ref, NULL))
		return;
	text_but_time(old->entry.text, &before);
	text_but_time(entry_text, &after);
	if (!slice_equal(str_slice(&before), str_slice(&after)))
		shelter_item(change, old, REASON_REPLACED, SHELTER_UNDO);
}
