#include "git/write/index_file.h"

#include "base/file.h"
#include "base/hmac.h"
#include "git/repo.h"

#include <errno.h>
#include <fcntl.h>

#define INDEX_MAX ((size_t)1 << 30)
#define FILE_MODE 0100644

/* The new one, until it is renamed. */
#define TEMP_NAME "kota-index"

/* Where it is noted what the index is about to get. */
#define STAGED_NAME "kota-staged"

static int index_io_error(const char *what, const char *path, struct err *err)
{
	return err_set_errno(err, ERR_NO_HISTORY, errno, "cannot %s %s", what, path);
}

void index_forget(struct repo *repo)
{
	repo->lib.index_free(repo->index);
	repo->index = NULL;
}

/* ---- what a recording that was cut off has left */

struct str index_left(struct repo *repo)
{
	STR_AUTO path = STR_INIT;
	struct str out = STR_INIT;
	struct file_id id;
	struct err ignored;
	struct stat st;

	repo_path(repo, STAGED_NAME, &path);
	st.st_size = 0;
	/* It stays where it is, and is empty, as long as none is cut off. One that a copy shares is
	 * read, and a new one takes its place. */
	if (file_keep(repo->sys, AT_FDCWD, path.ptr, O_WRONLY, &repo->kept[REPO_FILE_STAGED], &st) <
	    0)
		file_let_go(repo->sys, &repo->kept[REPO_FILE_STAGED]);
	if (st.st_size > 0)
		(void)!file_read_own(repo->sys, AT_FDCWD, path.ptr, INDEX_MAX, &out, &id, &ignored);
	return out;
}

static void index_add_line(struct str *out, const struct object_id *blob, const char *path)
{
	char text[OBJECT_ID_DIGITS + 1];

	object_id_text(blob, text);
	str_printf(out, "%s %s\n", text, path);
}

static bool index_is_left(struct slice left, const struct object_id *blob, const char *path)
{
	STR_AUTO wanted = STR_INIT;
	struct slice line;

	index_add_line(&wanted, blob, path);
	while (slice_line(&left, &line)) {
		if (line.len + 1 == wanted.len && memcmp(line.ptr, wanted.ptr, line.len) == 0)
			return true;
	}
	return false;
}

/*
 * Notes what the index is about to have; what was left in it stays noted until it is right. The
 * notes are written over what index_left() has looked at, or into a new file.
 */
static int index_note(struct repo *repo, const struct index_update *update, struct err *err)
{
	const struct kept_file *kept = &repo->kept[REPO_FILE_STAGED];
	STR_AUTO text = STR_INIT;
	STR_AUTO path = STR_INIT;

	str_add(&text, update->left);
	for (size_t i = 0; i < update->count; i++) {
		const struct index_change *change = &update->changes[i];

		index_add_line(&text, &change->blobs[change->count - 1], change->path);
	}
	if (!kept->open) {
		repo_path(repo, STAGED_NAME, &path);
		return git_file_put(repo->sys, path.ptr, 0600, str_slice(&text), false, err);
	}
	if (file_pwrite_all(repo->sys, kept->fd, str_slice(&text), 0) != 0)
		return index_io_error("write", STAGED_NAME, err);
	return 0;
}

void index_settle(struct repo *repo)
{
	STR_AUTO path = STR_INIT;
	struct kept_file *kept = &repo->kept[REPO_FILE_STAGED];
	struct stat st;

	repo_path(repo, STAGED_NAME, &path);
	if (kept->open || file_keep(repo->sys, AT_FDCWD, path.ptr, O_WRONLY, kept, &st) >= 0)
		(void)!repo->sys->ftruncate(kept->fd, 0);
}

/* ---- the new index */

/* The index as it is, in a file of ours: what is staged stays staged. */
static int index_copy(const struct repo *repo, const char *to, struct err *err)
{
	STR_AUTO from = STR_INIT;
	STR_AUTO lock = STR_INIT;
	STR_AUTO text = STR_INIT;
	struct file_id id;

	repo_path(repo, "index", &from);
	if (file_read(repo->sys, AT_FDCWD, from.ptr, INDEX_MAX, &text, &id, err) != 0)
		return -1;
	/* What a killed process left; the library locks the file that it writes. */
	str_printf(&lock, "%s.lock", to);
	repo->sys->unlinkat(AT_FDCWD, lock.ptr, 0);
	if (repo->sys->unlinkat(AT_FDCWD, to, 0) != 0 && errno != ENOENT)
		return index_io_error("remove", to, err);
	return id.present ? git_file_put(repo->sys, to, 0600, str_slice(&text), false, err) : 0;
}

/*
 * True if somebody else has staged this path. Then it is theirs to commit. A recording that was
 * killed before it moved the branch may have left any of the texts that are recorded now.
 */
static bool index_is_staged(const struct index_update *update, const struct index_change *change,
			    const git_index_entry *entry)
{
	if (!entry)
		return false;
	/* Anything but a file came with the branch; kota did not stage it. */
	if (!S_ISREG(entry->mode))
		return false;
	struct object_id staged = lib_id(&entry->id);
	for (size_t i = 0; i < change->count; i++) {
		if (object_id_equal(&staged, &change->blobs[i]))
			return false;
	}
	return !index_is_left(update->left, &staged, change->path);
}

/*
 * True if the path has the sides of a conflict, as git stash pop leaves them: that is the person's
 * to settle. git refuses an index that has an entry beside them; there the sides go.
 */
static bool index_is_unmerged(const struct lib *lib, git_index *index, const char *path)
{
	bool both = lib->index_get_bypath(index, path, 0) != NULL;
	bool unmerged = false;

	for (int stage = 1; stage <= 3; stage++) {
		if (!lib->index_get_bypath(index, path, stage))
			continue;
		unmerged = true;
		if (both)
			lib->index_remove(index, path, stage);
	}
	return unmerged && !both;
}

static int index_update_entry(const struct repo *repo, const struct index_update *update,
			      git_index *index, const struct index_change *change)
{
	const struct lib *lib = &repo->lib;
	bool unmerged = index_is_unmerged(lib, index, change->path);
	const git_index_entry *now = lib->index_get_bypath(index, change->path, 0);
	/* Without the file's times, so that git looks into it and sees a hand edit. */
	const struct object_id *last = &change->blobs[change->count - 1];
	git_index_entry entry = {.mode = FILE_MODE, .id = lib_oid(last), .path = change->path};

	if (unmerged || (!update->doubted && index_is_staged(update, change, now)))
		return 0;
	if (object_id_is_none(last))
		return now ? lib->index_remove(index, change->path, 0) : 0;
	return lib->index_add(index, &entry);
}

/* Begins an index that says what the branch has: then nothing is staged. */
static int index_fill(struct repo *repo, const struct index_update *update, git_index *index,
		      struct err *err)
{
	git_tree *tree;
	int result = 0;

	if (repo_tree(repo, update->begun, &tree, err) != 0)
		return -1;
	if (tree && repo->lib.index_read_tree(index, tree) != 0)
		result = lib_error(&repo->lib, err, "begin an index in %s", repo->folder.ptr);
	repo->lib.tree_free(tree);
	return result;
}

/*
 * The index of that name, or a new one where there is none. git cannot do anything with one that
 * is damaged either: in a repository of ours it is put aside as index.unreadable.
 */
static int index_begin(struct repo *repo, const struct index_update *update, const char *path,
		       git_index **out, struct err *err)
{
	const struct lib *lib = &repo->lib;
	STR_AUTO aside = STR_INIT;
	struct stat st;

	if (repo->sys->fstatat(AT_FDCWD, path, &st, 0) == 0) {
		if (lib->index_open(out, path) == 0)
			return 0;
		if (!repo_is_ours(repo))
			return lib_error(lib, err, "read the index in %s", repo->folder.ptr);
		repo_path(repo, "index.unreadable", &aside);
		if (repo->sys->renameat2(AT_FDCWD, path, AT_FDCWD, aside.ptr, 0) != 0)
			return index_io_error("put aside", path, err);
	}
	if (lib->index_open(out, path) != 0)
		return lib_error(lib, err, "begin an index in %s", repo->folder.ptr);
	if (index_fill(repo, update, *out, err) == 0)
		return 0;
	lib->index_free(*out);
	*out = NULL;
	return -1;
}

/* What the index has, in memory; its file is to be the one of this path. */
static int index_load(struct repo *repo, const struct index_update *update, const char *path,
		      struct err *err)
{
	STR_AUTO place = STR_INIT;
	struct file_id id;

	repo_path(repo, "index", &place);
	if (file_identify(repo->sys, AT_FDCWD, place.ptr, &id, err) != 0)
		return -1;
	if (repo->index && id.present && file_id_equal(&id, &repo->index_id))
		return 0;
	index_forget(repo);
	return index_copy(repo, path, err) != 0 ||
			       index_begin(repo, update, path, &repo->index, err) != 0
		       ? -1
		       : 0;
}

static void index_put_number(struct str *out, uint32_t number)
{
	for (int shift = 24; shift >= 0; shift -= 8)
		str_addc(out, (char)(number >> shift & 0xff));
}

/*
 * An entry as version 2 of the format has it. The size is left out: git then looks into a file
 * whose times say that it is unchanged, as it would where they are those of the index itself.
 */
static void index_put_entry(struct str *out, const git_index_entry *entry)
{
	const uint32_t numbers[] = {(uint32_t)entry->ctime.seconds,
				    entry->ctime.nanoseconds,
				    (uint32_t)entry->mtime.seconds,
				    entry->mtime.nanoseconds,
				    entry->dev,
				    entry->ino,
				    entry->mode,
				    entry->uid,
				    entry->gid,
				    0};
	size_t start = out->len;
	size_t len = strlen(entry->path);
	unsigned flags = (entry->flags & ~(unsigned)GIT_INDEX_ENTRY_NAMEMASK) |
			 (unsigned)(len < GIT_INDEX_ENTRY_NAMEMASK ? len
								   : GIT_INDEX_ENTRY_NAMEMASK);

	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		index_put_number(out, numbers[i]);
	str_add(out, slice_make((const char *)entry->id.id, sizeof entry->id.id));
	str_addc(out, (char)(flags >> 8));
	str_addc(out, (char)(flags & 0xff));
	str_adds(out, entry->path);
	do
		str_addc(out, '\0');
	while ((out->len - start) % 8 != 0);
}

/* The file of the index; false where an entry has marks that version 2 does not know. */
static bool index_compose(const struct repo *repo, struct str *out)
{
	size_t count = repo->lib.index_entrycount(repo->index);
	unsigned char sum[SHA1_BYTES];
	struct sha1 sha1;

	str_add(out, slice_make("DIRC\0\0\0\2", 8));
	index_put_number(out, (uint32_t)count);
	for (size_t i = 0; i < count; i++) {
		const git_index_entry *entry = repo->lib.index_get_byindex(repo->index, i);

		if (entry->flags_extended & GIT_INDEX_ENTRY_EXTENDED_FLAGS)
			return false;
		index_put_entry(out, entry);
	}
	sha1_begin(&sha1);
	sha1_add(&sha1, str_slice(out));
	sha1_end(&sha1, sum);
	str_add(out, slice_make((const char *)sum, sizeof sum));
	return true;
}

/* The library writes the index, too, but needs twice as many system calls for it. */
static int index_write(struct repo *repo, const struct index_update *update, const char *path,
		       struct err *err)
{
	STR_AUTO text = STR_INIT;
	int result = 0;

	for (size_t i = 0; result == 0 && i < update->count; i++)
		result = index_update_entry(repo, update, repo->index, &update->changes[i]);
	if (result == 0 && index_compose(repo, &text))
		return git_file_put(repo->sys, path, 0666, str_slice(&text), update->durable, err);
	if (result == 0)
		result = repo->lib.index_write(repo->index);
	if (result != 0)
		return lib_error(&repo->lib, err, "write %s", path);
	return update->durable ? git_file_sync(repo->sys, path, err) : 0;
}

int index_replace(struct repo *repo, const struct index_update *update, struct err *err)
{
	STR_AUTO temp = STR_INIT;
	STR_AUTO path = STR_INIT;

	repo_path(repo, TEMP_NAME, &temp);
	repo_path(repo, "index", &path);
	int result = index_load(repo, update, temp.ptr, err);
	if (result == 0)
		result = index_write(repo, update, temp.ptr, err);
	if (result == 0)
		result = index_note(repo, update, err);
	if (result != 0)
		repo->sys->unlinkat(AT_FDCWD, temp.ptr, 0);
	else if (repo->sys->renameat2(AT_FDCWD, temp.ptr, AT_FDCWD, path.ptr, 0) != 0)
		result = index_io_error("replace", path.ptr, err);
	else
		result = file_identify(repo->sys, AT_FDCWD, path.ptr, &repo->index_id, err);
	if (result != 0)
		index_forget(repo);
	return result;
}
