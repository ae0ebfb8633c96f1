#include "git/write/pack_feed.h"

#include "git/tree_text.h"

void pack_feed_lead_to(struct pack_feed *feed, const struct object_id *id)
{
	if (!pack_writer_has(feed->writer, id) && (!feed->only || id_list_has(feed->only, id)))
		id_list_add(&feed->todo, id);
}

/* What a line of a commit or a tag names; false where it names nothing. */
static bool pack_feed_named(struct slice line, const char *word, struct object_id *out)
{
	size_t len = strlen(word);

	return slice_starts(line, word) &&
	       object_id_parse(slice_make(line.ptr + len, line.len - len), out);
}

/*
 * What a commit or a tag leads to; false where that cannot be told. The tree comes last, to be
 * taken first.
 */
static bool pack_feed_follow_lines(struct pack_feed *feed, git_object_t type, struct slice text)
{
	struct object_id tree = {{0}};
	struct object_id id = {{0}};
	struct slice line = {NULL, 0};

	while (slice_line(&text, &line) && line.len > 0) {
		if (pack_feed_named(line, "parent ", &id) || pack_feed_named(line, "object ", &id))
			pack_feed_lead_to(feed, &id);
		else if (!pack_feed_named(line, "tree ", &tree))
			break;
	}
	if (type == GIT_OBJECT_TAG)
		return !object_id_is_none(&id);
	pack_feed_lead_to(feed, &tree);
	return !object_id_is_none(&tree) && !slice_starts(line, "parent ");
}

static bool pack_feed_follow_tree(struct pack_feed *feed, struct slice text)
{
	struct tree_entry entry;
	int has;

	while ((has = tree_text_take(&text, &entry)) == 1) {
		if (!tree_entry_is_elsewhere(&entry))
			pack_feed_lead_to(feed, &entry.id);
	}
	return has == 0;
}

static int pack_feed_take(struct pack_feed *feed, const struct object_id *id)
{
	const struct lib *lib = &feed->repo->lib;
	git_oid oid = lib_oid(id);
	git_odb_object *object;
	int result = 0;

	progress_step(feed->repo->progress, "packing the history", feed->count++, 0);
	if (lib->odb_read(&object, feed->repo->odb, &oid) != 0)
		return lib_error(lib, feed->err, "pack objects of %s", feed->repo->folder.ptr);
	git_object_t type = lib->odb_object_type(object);
	struct slice text = slice_make(lib->odb_object_data(object), lib->odb_object_size(object));
	if ((type == GIT_OBJECT_TREE
		     ? !pack_feed_follow_tree(feed, text)
		     : type != GIT_OBJECT_BLOB && !pack_feed_follow_lines(feed, type, text)) &&
	    !feed->only)
		result = err_set(feed->err, ERR_NO_HISTORY, "an object in %s is damaged",
				 feed->repo->folder.ptr);
	if (result == 0)
		result = pack_writer_add(feed->writer, type, id, text, feed->err);
	lib->odb_object_free(object);
	return result;
}

int pack_feed_take_all(struct pack_feed *feed)
{
	int result = 0;

	while (result == 0 && feed->todo.count > 0) {
		struct object_id id = feed->todo.items[--feed->todo.count];

		if (!pack_writer_has(feed->writer, &id))
			result = pack_feed_take(feed, &id);
	}
	return result;
}
