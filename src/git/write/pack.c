#include "git/write/pack.h"

#include "base/file.h"
#include "git/objects.h"
#include "git/write/pack_feed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#define LOG_MAX ((size_t)1 << 26)

/* Nobody works on one file for so long. */
#define STALE_MS ((int64_t)3600 * 1000)

static int pack_files_error(const struct repo *repo, const char *what, const char *name,
			    struct err *err)
{
	return err_set_errno(err, ERR_NO_HISTORY, errno, "cannot %s %s%s", what, repo->folder.ptr,
			     name);
}

int git_folder_walk(struct repo *repo, const char *folder, name_visitor visit, void *context,
		    struct err *err)
{
	const struct sys *sys = repo->sys;
	const struct dirent *entry = NULL;
	STR_AUTO path = STR_INIT;
	int result = 0;

	str_printf(&path, "%s%s", repo->folder.ptr, folder);
	int fd = file_open(sys, AT_FDCWD, path.ptr, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
			   0);
	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP))
		return 0;
	DIR *dir = fd < 0 ? NULL : sys->fdopendir(fd);
	if (!dir) {
		pack_files_error(repo, "read", folder, err);
		file_close(sys, &fd);
		return -1;
	}
	errno = 0;
	while (result == 0 && (entry = sys->readdir(dir))) {
		result = visit(context, entry->d_name);
		errno = 0;
	}
	if (result == 0 && errno != 0)
		result = pack_files_error(repo, "read", folder, err);
	sys->closedir(dir);
	return result;
}

/* Files below a folder, while they are walked. */
struct files_walk {
	struct repo *repo;
	struct str folder; /* that is being read */
	git_file_visitor visit;
	void *context;
	struct err *err;
};

static int pack_visit_below(void *context, const char *name)
{
	struct files_walk *walk = context;
	size_t len = walk->folder.len;
	STR_AUTO path = STR_INIT;
	struct stat st;
	int result = 0;

	if (name[0] == '.')
		return 0;
	str_printf(&walk->folder, "/%s", name);
	str_printf(&path, "%s%s", walk->repo->folder.ptr, walk->folder.ptr);
	if (walk->repo->sys->fstatat(AT_FDCWD, path.ptr, &st, AT_SYMLINK_NOFOLLOW) == 0)
		result = S_ISDIR(st.st_mode) ? git_folder_walk(walk->repo, walk->folder.ptr,
							       pack_visit_below, walk, walk->err)
					     : walk->visit(walk->context, walk->folder.ptr, &st);
	str_truncate(&walk->folder, len);
	return result;
}

int git_files_walk(struct repo *repo, const char *folder, git_file_visitor visit, void *context,
		   struct err *err)
{
	struct files_walk walk = {repo, STR_INIT, visit, context, err};

	str_adds(&walk.folder, folder);
	int result = git_folder_walk(repo, folder, pack_visit_below, &walk, err);
	str_release(&walk.folder);
	return result;
}

int reflog_ids(struct repo *repo, const char *path, struct id_list *out, struct err *err)
{
	STR_AUTO full = STR_INIT;
	STR_AUTO text = STR_INIT;
	struct slice line;
	struct file_id file;

	str_printf(&full, "%s%s", repo->folder.ptr, path);
	if (file_read(repo->sys, AT_FDCWD, full.ptr, LOG_MAX, &text, &file, err) != 0)
		return -1;
	struct slice rest = str_slice(&text);
	while (slice_line(&rest, &line)) {
		/* A line begins with the commit before and the one after. */
		for (size_t at = 0; at <= OBJECT_ID_DIGITS + 1; at += OBJECT_ID_DIGITS + 1) {
			struct object_id id;

			if (line.len >= at + OBJECT_ID_DIGITS &&
			    object_id_parse(slice_make(line.ptr + at, OBJECT_ID_DIGITS), &id) &&
			    !object_id_is_none(&id) && repo_has(repo, &id))
				id_list_add(out, &id);
		}
	}
	return 0;
}

struct loose_walk {
	const char *folder; /* two digits */
	struct id_list *out;
};

static int pack_take_loose(void *context, const char *name)
{
	struct loose_walk *walk = context;
	char digits[OBJECT_ID_DIGITS + 2];
	struct object_id id;
	int len = snprintf(digits, sizeof digits, "%s%s", walk->folder, name);

	if (len == OBJECT_ID_DIGITS && object_id_parse(slice_of(digits), &id))
		id_list_add(walk->out, &id);
	return 0;
}

/* Appends the loose objects of one folder; one that is not there has none. */
static int pack_loose_list(struct repo *repo, unsigned folder, struct id_list *out, struct err *err)
{
	char digits[3];
	char path[sizeof "objects/00"];
	struct loose_walk walk = {digits, out};

	snprintf(digits, sizeof digits, "%02x", folder & 0xff);
	snprintf(path, sizeof path, "objects/%s", digits);
	return git_folder_walk(repo, path, pack_take_loose, &walk, err);
}

int git_file_remove(struct repo *repo, const char *name, struct err *err)
{
	STR_AUTO path = STR_INIT;

	str_printf(&path, "%s%s", repo->folder.ptr, name);
	if (repo->sys->unlinkat(AT_FDCWD, path.ptr, 0) != 0 && errno != ENOENT)
		return pack_files_error(repo, "remove", name, err);
	return 0;
}

struct tidying {
	struct repo *repo;
	const char *folder; /* that is being read */
};

/*
 * Removes what a killed process left: what the library writes before it gives a file its name, and
 * an index whose pack is missing. Only when it is so old that nobody can be at work on it; its
 * times are the machine's, whatever the clock of the program says.
 */
static int pack_tidy_file(void *context, const char *name)
{
	const struct tidying *tidying = context;
	const struct sys *sys = tidying->repo->sys;
	size_t len = strlen(name);
	STR_AUTO path = STR_INIT;
	STR_AUTO pack = STR_INIT;
	struct stat st;

	str_printf(&path, "%s%s/%s", tidying->repo->folder.ptr, tidying->folder, name);
	str_add(&pack, slice_make(path.ptr, path.len - (len > 4 ? 4 : 0)));
	str_adds(&pack, ".pack");
	if (!strstr(name, "_git2_") &&
	    !(len > 4 && strcmp(name + len - 4, ".idx") == 0 &&
	      sys->fstatat(AT_FDCWD, pack.ptr, &st, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT))
		return 0;
	if (sys->fstatat(AT_FDCWD, path.ptr, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    S_ISREG(st.st_mode) && (int64_t)st.st_mtim.tv_sec * 1000 + STALE_MS < sys->now_ms())
		sys->unlinkat(AT_FDCWD, path.ptr, 0);
	return 0;
}

/* So many folders are looked into, and so many objects in them mean about five hundred in all. */
#define SAMPLE 4
#define SAMPLE_FULL 8

/* Loose objects in every step-th folder. */
static size_t pack_count_loose(struct repo *repo, unsigned step)
{
	ID_LIST_AUTO found = {0};
	struct err ignored;

	for (unsigned i = 0; i < LOOSE_FOLDERS; i += step)
		pack_loose_list(repo, i, &found, &ignored);
	return found.count;
}

bool pack_is_due(struct repo *repo)
{
	return pack_count_loose(repo, LOOSE_FOLDERS / SAMPLE) >= SAMPLE_FULL;
}

size_t pack_loose_count(struct repo *repo)
{
	return pack_count_loose(repo, 1);
}

static int pack_add_disk_bytes(void *context, const char *path, const struct stat *st)
{
	(void)path;
	if (S_ISREG(st->st_mode))
		*(int64_t *)context += (int64_t)st->st_blocks * 512;
	return 0;
}

int64_t pack_disk_bytes(struct repo *repo)
{
	int64_t bytes = 0;
	struct err ignored = {0};

	git_files_walk(repo, "objects", pack_add_disk_bytes, &bytes, &ignored);
	return bytes;
}

static int pack_remove_loose(struct repo *repo, const struct object_id *id, struct err *err)
{
	char digits[OBJECT_ID_DIGITS + 1];
	STR_AUTO file = STR_INIT;

	object_id_text(id, digits);
	str_printf(&file, "objects/%.2s/%s", digits, digits + 2);
	return git_file_remove(repo, file.ptr, err);
}

/* The packs alone; the caller frees it. */
static int pack_open_packs(struct repo *repo, git_odb **out, struct err *err)
{
	STR_AUTO path = STR_INIT;
	git_odb_backend *backend = NULL;
	git_odb *odb = NULL;

	repo_common_path(repo, "", "objects", &path);
	if (repo->lib.odb_new(&odb) == 0 && repo->lib.odb_backend_pack(&backend, path.ptr) == 0 &&
	    repo->lib.odb_add_backend(odb, backend, 1) == 0) {
		*out = odb;
		return 0;
	}
	lib_error(&repo->lib, err, "read the packs in %s", path.ptr);
	repo->lib.odb_free(odb);
	return -1;
}

/*
 * Removes those of which a pack has the object, as a killed process left them: no object comes into
 * two packs of ours. The packs are whole; their names may not be durable yet.
 */
static int pack_drop_spare(struct repo *repo, struct id_list *loose, struct err *err)
{
	STR_AUTO folder = STR_INIT;
	git_odb *packs;
	size_t kept = 0;
	int result = pack_open_packs(repo, &packs, err);

	if (result != 0)
		return result;
	repo_common_path(repo, "", PACK_FOLDER, &folder);
	for (size_t i = 0; result == 0 && i < loose->count; i++) {
		struct object_id id = loose->items[i];
		git_oid oid = lib_oid(&id);

		if (repo->lib.odb_exists_ext(packs, &oid, GIT_ODB_LOOKUP_NO_REFRESH) != 1)
			loose->items[kept++] = id;
		else if (i > kept || git_file_sync(repo->sys, folder.ptr, err) == 0)
			result = pack_remove_loose(repo, &id, err);
		else
			result = -1;
	}
	if (result == 0)
		loose->count = kept;
	repo->lib.odb_free(packs);
	return result;
}

/* The history from its end on, then what nobody refers to. */
static int pack_fill(struct repo *repo, struct pack_writer *writer, const struct id_list *loose,
		     struct err *err)
{
	struct pack_feed feed = {.repo = repo, .writer = writer, .only = loose, .err = err};
	struct object_id head;
	int result = 0;

	if (repo_head(repo, &head, err) == 0 && !object_id_is_none(&head)) {
		pack_feed_lead_to(&feed, &head);
		result = pack_feed_take_all(&feed);
	}
	for (size_t i = 0; result == 0 && i < loose->count; i++) {
		pack_feed_lead_to(&feed, &loose->items[i]);
		result = pack_feed_take_all(&feed);
	}
	id_list_release(&feed.todo);
	return result;
}

static int pack_loose(struct repo *repo, const struct id_list *loose, struct err *err)
{
	struct pack_writer *writer;
	STR_AUTO name = STR_INIT;

	if (pack_writer_open(&writer, repo, err) != 0)
		return -1;
	/* They were hashed when they were written, and zlib checks its own sum. */
	repo_hash_objects(repo, false);
	int result = pack_fill(repo, writer, loose, err);
	repo_hash_objects(repo, true);
	if (result == 0)
		result = pack_writer_finish(writer, &name, err);
	for (size_t i = 0; result == 0 && i < loose->count; i++) {
		result = pack_writer_has(writer, &loose->items[i])
				 ? pack_remove_loose(repo, &loose->items[i], err)
				 : err_set(err, ERR_NO_HISTORY,
					   "%s" PACK_FOLDER "/%s lacks objects", repo->folder.ptr,
					   name.ptr);
	}
	pack_writer_free(writer);
	return result;
}

int pack_run(struct repo *repo, struct err *err)
{
	struct tidying objects = {repo, "objects"};
	struct tidying packs = {repo, PACK_FOLDER};
	ID_LIST_AUTO loose = {0};
	struct err ignored;
	int result = 0;

	if (object_folders_check(repo, err) != 0)
		return -1;
	git_folder_walk(repo, objects.folder, pack_tidy_file, &objects, &ignored);
	git_folder_walk(repo, packs.folder, pack_tidy_file, &packs, &ignored);
	for (unsigned i = 0; result == 0 && i < LOOSE_FOLDERS; i++)
		result = pack_loose_list(repo, i, &loose, err);
	id_list_sort(&loose);
	if (result == 0 && loose.count > 0)
		result = pack_drop_spare(repo, &loose, err);
	if (result == 0 && loose.count > 0)
		result = pack_loose(repo, &loose, err);
	return result;
}

/* Removes the loose file if it is torn, or if a pack has the object. */
static int pack_remove_if_torn(struct repo *repo, git_odb *packs, const struct object_id *id,
			       struct err *err)
{
	git_oid oid = lib_oid(id);
	bool whole = false;

	if (repo->lib.odb_exists(packs, &oid) != 1 && objects_check(repo, id, &whole, err) != 0)
		return -1;
	return whole ? 0 : pack_remove_loose(repo, id, err);
}

int pack_remove_torn(struct repo *repo, struct err *err)
{
	ID_LIST_AUTO loose = {0};
	git_odb *packs;
	int result = 0;

	if (object_folders_check(repo, err) != 0 || pack_open_packs(repo, &packs, err) != 0)
		return -1;
	for (unsigned i = 0; result == 0 && i < LOOSE_FOLDERS; i++)
		result = pack_loose_list(repo, i, &loose, err);
	for (size_t i = 0; result == 0 && i < loose.count; i++)
		result = pack_remove_if_torn(repo, packs, &loose.items[i], err);
	repo->lib.odb_free(packs);
	return result;
}

/* ---- whose they are */

static int pack_refuse_elsewhere(const char *path, const char *what, struct err *err)
{
	return err_set(err, ERR_NO_HISTORY,
		       "%s %s: what lies there may belong to another repository", path, what);
}

/* Nothing, or a real folder: no link leads on. */
static int pack_check_folder(const struct repo *repo, const char *name, struct err *err)
{
	STR_AUTO path = STR_INIT;
	struct stat st;

	str_printf(&path, "%s%s", repo->folder.ptr, name);
	if (repo->sys->fstatat(AT_FDCWD, path.ptr, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? 0 : pack_files_error(repo, "look at", name, err);
	return S_ISLNK(st.st_mode) ? pack_refuse_elsewhere(path.ptr, "is a link", err) : 0;
}

struct folder_check {
	struct repo *repo;
	struct err *err;
};

static int pack_check_object_folder(void *context, const char *name)
{
	const struct folder_check *check = context;
	STR_AUTO path = STR_INIT;

	str_printf(&path, "objects/%s", name);
	return pack_check_folder(check->repo, path.ptr, check->err) == 0 ? 0 : -1;
}

/* DIR/.git itself must be the folder that the library opened. */
static int pack_check_place(struct repo *repo, struct err *err)
{
	const struct sys *sys = repo->sys;
	struct stat place;
	struct stat folder;

	if (sys->fstatat(AT_FDCWD, repo->place.ptr, &place, AT_SYMLINK_NOFOLLOW) != 0 ||
	    sys->fstatat(AT_FDCWD, repo->folder.ptr, &folder, 0) != 0)
		return pack_files_error(repo, "look at", "", err);
	if (!S_ISDIR(place.st_mode) || place.st_dev != folder.st_dev ||
	    place.st_ino != folder.st_ino ||
	    strcmp(repo->lib.repository_commondir(repo->handle), repo->folder.ptr) != 0)
		return pack_refuse_elsewhere(repo->place.ptr, "leads to another place", err);
	return 0;
}

int object_folders_check(struct repo *repo, struct err *err)
{
	static const char *const folders[] = {"objects",        "objects/info", "refs",
					      "refs/heads",     "logs",         "logs/refs",
					      "logs/refs/heads"};
	/* Only written to. */
	/* cppcheck-suppress ctuuninitvar */
	struct folder_check check = {repo, err};
	STR_AUTO alternates = STR_INIT;
	struct stat st;

	if (pack_check_place(repo, err) != 0)
		return -1;
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		if (pack_check_folder(repo, folders[i], err) != 0)
			return -1;
	}
	str_printf(&alternates, "%sobjects/info/alternates", repo->folder.ptr);
	if (repo->sys->fstatat(AT_FDCWD, alternates.ptr, &st, AT_SYMLINK_NOFOLLOW) == 0)
		return pack_refuse_elsewhere(alternates.ptr, "names objects that lie elsewhere",
					     err);
	return git_folder_walk(repo, "objects", pack_check_object_folder, &check, err);
}
