#include "git/write/new_objects.h"

#include "base/arena.h"
#include "base/map.h"
#include "base/mem.h"
#include "git/tree_text.h"
#include "git/write/pack_writer.h"

#include <stdlib.h>

struct new_objects {
	struct repo *repo;
	const struct lib *lib;
	struct pack_writer *writer;
	struct map roots; /* id of a new commit -> place of its tree's id */
	struct object_id *root_ids;
	size_t root_count;
	size_t root_cap;
	struct map trees; /* id of a new tree -> place of its text */
	struct slice *tree_texts;
	size_t tree_count;
	size_t tree_cap;
	struct arena arena;
};

int new_objects_open(struct new_objects **out, struct repo *repo, struct err *err)
{
	struct pack_writer *writer;

	if (pack_writer_open(&writer, repo, err) != 0)
		return -1;
	*out = mem_zalloc(1, sizeof **out);
	(*out)->repo = repo;
	(*out)->lib = &repo->lib;
	(*out)->writer = writer;
	return 0;
}

void new_objects_free(struct new_objects *made)
{
	if (!made)
		return;
	pack_writer_free(made->writer);
	map_release(&made->roots);
	map_release(&made->trees);
	free(made->root_ids);
	free(made->tree_texts);
	arena_release(&made->arena);
	free(made);
}

int new_objects_finish(struct new_objects *made, struct err *err)
{
	STR_AUTO name = STR_INIT;

	return pack_writer_finish(made->writer, &name, err);
}

static struct slice new_objects_key(const struct object_id *id)
{
	return slice_make((const char *)id->bytes, sizeof id->bytes);
}

static int new_objects_add(struct new_objects *made, git_object_t type, struct slice text,
			   struct object_id *out, struct err *err)
{
	git_oid oid;

	if (made->lib->odb_hash(&oid, text.ptr ? text.ptr : "", text.len, type) != 0)
		return lib_error(made->lib, err, "name a text");
	*out = lib_id(&oid);
	return pack_writer_add(made->writer, type, out, text, err);
}

int new_objects_add_blob(struct new_objects *made, struct slice text, struct object_id *out,
			 struct err *err)
{
	return new_objects_add(made, GIT_OBJECT_BLOB, text, out, err);
}

/* ---- trees */

static int new_objects_damaged(const struct new_objects *made, struct err *err)
{
	return err_set(err, ERR_NO_HISTORY, "a tree in %s is damaged", made->repo->folder.ptr);
}

/* The text of a tree, of one that is still to be put in its place, too. */
static int new_objects_read_tree(struct new_objects *made, const struct object_id *id,
				 struct str *out, struct err *err)
{
	const struct lib *lib = made->lib;
	git_oid oid = lib_oid(id);
	git_odb_object *object;
	size_t at;

	str_clear(out);
	if (map_get(&made->trees, new_objects_key(id), &at)) {
		str_add(out, made->tree_texts[at]);
		return 0;
	}
	if (lib->odb_read(&object, made->repo->odb, &oid) != 0)
		return lib_error(lib, err, "read a tree in %s", made->repo->folder.ptr);
	bool sound = lib->odb_object_type(object) == GIT_OBJECT_TREE;
	if (sound)
		str_add(out,
			slice_make(lib->odb_object_data(object), lib->odb_object_size(object)));
	lib->odb_object_free(object);
	return sound ? 0 : new_objects_damaged(made, err);
}

int new_objects_file_at(struct new_objects *made, const struct object_id *commit, const char *path,
			struct object_id *out, struct err *err)
{
	struct tree_entry entry = {.mode = S_IFDIR};
	STR_AUTO text = STR_INIT;
	size_t at;

	if (!map_get(&made->roots, new_objects_key(commit), &at))
		return repo_file_at(made->repo, commit, path, out, err);
	entry.id = made->root_ids[at];
	*out = (struct object_id){{0}};
	while (*path && tree_entry_is_folder(&entry)) {
		struct slice name = slice_make(path, strcspn(path, "/"));
		int has;

		if (new_objects_read_tree(made, &entry.id, &text, err) != 0)
			return -1;
		struct slice rest = str_slice(&text);
		do
			has = tree_text_take(&rest, &entry);
		while (has == 1 && !slice_equal(entry.name, name));
		path += name.len + (path[name.len] == '/');
	}
	if (S_ISREG(entry.mode) && !*path)
		*out = entry.id;
	return 0;
}

static bool new_objects_touches(const struct new_commit *commit, const char *folder)
{
	for (size_t i = 0; i < commit->file_count; i++) {
		if (strncmp(commit->files[i].path, folder, strlen(folder)) == 0)
			return true;
	}
	return false;
}

static int new_objects_add_tree(struct new_objects *made, const struct new_commit *commit,
				const char *folder, struct object_id *id, struct err *err);

/* Sets the id to what an entry of a folder has now: none where it goes. */
static int new_objects_entry(struct new_objects *made, const struct new_commit *commit,
			     const char *folder, const struct tree_entry *entry,
			     struct object_id *id, struct err *err)
{
	STR_AUTO path = STR_INIT;

	str_adds(&path, folder);
	str_add(&path, entry->name);
	*id = entry->id;
	if (tree_entry_is_folder(entry)) {
		str_addc(&path, '/');
		return new_objects_touches(commit, path.ptr)
			       ? new_objects_add_tree(made, commit, path.ptr, id, err)
			       : 0;
	}
	for (size_t i = 0; i < commit->file_count; i++) {
		if (strcmp(commit->files[i].path, path.ptr) == 0)
			*id = commit->files[i].blob;
	}
	return 0;
}

/* Makes the tree of a folder ("" or "notes/") anew; none where no file is left in it. */
static int new_objects_add_tree(struct new_objects *made, const struct new_commit *commit,
				const char *folder, struct object_id *id, struct err *err)
{
	STR_AUTO before = STR_INIT;
	STR_AUTO after = STR_INIT;
	struct tree_entry entry;
	int has = 0;

	if (new_objects_read_tree(made, id, &before, err) != 0)
		return -1;
	struct slice rest = str_slice(&before);
	while ((has = tree_text_take(&rest, &entry)) == 1) {
		struct object_id now;

		if (new_objects_entry(made, commit, folder, &entry, &now, err) != 0)
			return -1;
		if (object_id_is_none(&now))
			continue;
		str_add(&after, slice_make(entry.whole.ptr, entry.whole.len - sizeof now.bytes));
		str_add(&after, new_objects_key(&now));
	}
	if (has < 0)
		return new_objects_damaged(made, err);
	*id = (struct object_id){{0}};
	if (after.len == 0 && *folder)
		return 0;
	if (new_objects_add(made, GIT_OBJECT_TREE, str_slice(&after), id, err) != 0)
		return -1;
	if (!map_get(&made->trees, new_objects_key(id), NULL)) {
		map_put(&made->trees, arena_copy(&made->arena, new_objects_key(id)),
			made->tree_count);
		*MEM_ADD(made->tree_texts, made->tree_count,
			 made->tree_cap) = arena_copy(&made->arena, str_slice(&after));
	}
	return 0;
}

/* ---- commits */

static void new_objects_add_id(struct str *out, const char *word, const struct object_id *id)
{
	char digits[OBJECT_ID_DIGITS + 1];

	object_id_text(id, digits);
	str_printf(out, "%s %s\n", word, digits);
}

int new_objects_add_commit(struct new_objects *made, const struct new_commit *commit,
			   struct object_id *out, struct err *err)
{
	struct slice header = slice_of(made->lib->commit_raw_header(commit->old));
	struct object_id tree = lib_id(made->lib->commit_tree_id(commit->old));
	STR_AUTO text = STR_INIT;
	struct slice line;

	if (commit->file_count > 0 && new_objects_add_tree(made, commit, "", &tree, err) != 0)
		return -1;
	new_objects_add_id(&text, "tree", &tree);
	for (unsigned i = 0; i < commit->parent_count; i++)
		new_objects_add_id(&text, "parent", &commit->parents[i]);
	while (slice_line(&header, &line)) {
		if (slice_starts(line, "author ") || slice_starts(line, "committer ") ||
		    slice_starts(line, "encoding ")) {
			str_add(&text, line);
			str_addc(&text, '\n');
		}
	}
	str_printf(&text, "\n%s", commit->message);
	if (new_objects_add(made, GIT_OBJECT_COMMIT, str_slice(&text), out, err) != 0)
		return -1;
	map_put(&made->roots, arena_copy(&made->arena, new_objects_key(out)), made->root_count);
	*MEM_ADD(made->root_ids, made->root_count, made->root_cap) = tree;
	return 0;
}
