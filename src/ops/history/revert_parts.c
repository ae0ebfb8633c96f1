/* Putting back without a history what is no entry: links, and records of the archive. */
#include "ops/history/revert_common.h"

#include "base/mem.h"
#include "store/log/cold.h"
#include "store/txn/undo.h"
#include "store/view/relations.h"

/* Takes a line, which is read while it is walked past. */
static int revert_parts_take(void *context, const struct json *doc)
{
	struct revert *put = context;
	struct arena *arena = put->call->arena;
	struct revert_part part;

	if (!kept_part_read(&part.kept, doc, JSON_ROOT, arena) || part.kept.at_ms == TIME_NONE)
		return 0;
	part.kept.text = arena_copy(arena, part.kept.text);
	part.line = arena_copy(arena, doc->text);
	*MEM_ADD(put->parts, put->part_count, put->part_cap) = part;
	return 0;
}

int revert_load_parts(struct revert *put, struct err *err)
{
	struct disk *disk = store_disk(put->call->store);

	return put->part_count > 0 ? 0 : cold_walk(disk, revert_parts_take, put, NULL, NULL, err);
}

/* The key that the record of a part is of. */
static struct slice revert_parts_key(const struct revert *put, const struct revert_part *part)
{
	struct record record;
	JSON_AUTO doc = {0};

	common_parse(&doc, part->kept.text);
	return record_read(&record, part->kept.category, &doc, JSON_ROOT, put->call->arena)
		       ? arena_copy(put->call->arena, record.original_key)
		       : part->kept.name;
}

bool revert_part_is_meant(const struct revert *put, const struct revert_part *part,
			  const struct ref *only)
{
	if (!only)
		return true;
	return !part->kept.link &&
	       (only->category == CATEGORY_ANY || only->category == (int)part->kept.category) &&
	       common_same_key(revert_parts_key(put, part), only->key);
}

static int revert_parts_link(struct revert *put, const struct kept_part *kept, struct err *err)
{
	struct slice now = store_link_text(put->call->store, kept->name);

	if (kept->came && !now.ptr)
		return 0;
	if (kept->came && !put->force && !common_same_json(now, kept->text))
		return revert_refuse_link(put, kept->name, err);
	if (undo_link(put->change, kept->name, kept->came ? slice_make(NULL, 0) : kept->text,
		      err) != 0)
		return -1;
	revert_add(&put->relations, kept->name);
	if (kept->came)
		revert_add(&put->unlinked, kept->name);
	return 0;
}

static int revert_parts_record(struct revert *put, const struct kept_part *kept, struct err *err)
{
	const struct archived *there = revert_find_record(put, kept->category, kept->name);

	if (!kept->came)
		return there ? 0
			     : undo_add_record(put->change, kept->category, kept->name, kept->text,
					       err);
	return there ? undo_remove_record(put->change, there, err) : 0;
}

int revert_part(struct revert *put, const struct revert_part *part, struct err *err)
{
	const struct record of = {
		.category = part->kept.category,
		.key = part->kept.name,
		.archived_ms = part->kept.at_ms,
	};
	const struct link *links;
	struct err unread;
	size_t count;

	/* A file of links that cannot be read is no reason to keep the entries back. */
	if (part->kept.link && store_links(put->call->store, &links, &count, &unread) != 0) {
		revert_add(&put->left, slice_of("relations.json"));
		return 0;
	}
	undo_line(put->change, &of, part->line);
	return part->kept.link ? revert_parts_link(put, &part->kept, err)
			       : revert_parts_record(put, &part->kept, err);
}
