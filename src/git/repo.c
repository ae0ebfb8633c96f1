#include "git/repo.h"

#include "base/file.h"
#include "base/mem.h"
#include "git/guard.h"
#include "git/objects.h"
#include "git/repo_state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

/* Folders in folders that are looked into: more exhaust the stack. */
#define VISIT_DEPTH_MAX 1000

int git_file_sync(const struct sys *sys, const char *path, struct err *err)
{
	int fd = file_open(sys, AT_FDCWD, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0);
	int result = 0;

	if (fd < 0 || file_fsync(sys, fd) != 0)
		result = err_set_errno(err, ERR_NO_HISTORY, errno, "cannot make durable %s", path);
	file_close(sys, &fd);
	return result;
}

int git_file_put(const struct sys *sys, const char *path, mode_t mode, struct slice text,
		 bool durable, struct err *err)
{
	int flags = FILE_UMASK | (durable ? FILE_DURABLE : 0);

	if (file_write_new(sys, AT_FDCWD, path, text, mode, flags, err) == 0)
		return 0;
	if (errno == EEXIST && sys->unlinkat(AT_FDCWD, path, 0) == 0 &&
	    file_write_new(sys, AT_FDCWD, path, text, mode, flags, err) == 0)
		return 0;
	err->code = ERR_NO_HISTORY;
	return -1;
}

static void repo_release(struct repo *repo)
{
	str_release(&repo->dir);
	str_release(&repo->folder);
	str_release(&repo->common);
	str_release(&repo->place);
	str_release(&repo->branch);
	str_release(&repo->tip_name);
	str_release(&repo->spare_name);
	free(repo);
}

/* Its folder of packs as it is now; see repo_refresh(). */
static void repo_note_packs(struct repo *repo)
{
	STR_AUTO packs = STR_INIT;
	struct err ignored;

	repo_common_path(repo, PACK_FOLDER, "", &packs);
	if (file_identify(repo->sys, AT_FDCWD, packs.ptr, &repo->packs, &ignored) != 0)
		repo->packs = (struct file_id){.present = false};
}

/* Opens the repository and its objects, in the place of what was open. */
static int repo_open_handle(struct repo *repo, struct err *err)
{
	git_repository *handle = NULL;
	git_odb *odb = NULL;

	if (repo->lib.repository_open_ext(&handle, repo->dir.ptr, GIT_REPOSITORY_OPEN_NO_SEARCH,
					  NULL) != 0 ||
	    repo->lib.repository_odb(&odb, handle) != 0) {
		lib_error(&repo->lib, err, "open the history in %s", repo->place.ptr);
		repo->lib.repository_free(handle);
		return -1;
	}
	objects_detach(repo);
	repo->lib.odb_free(repo->odb);
	repo->lib.repository_free(repo->handle);
	repo->handle = handle;
	repo->odb = odb;
	str_clear(&repo->folder);
	str_adds(&repo->folder, repo->lib.repository_path(handle));
	str_clear(&repo->common);
	str_adds(&repo->common, repo->lib.repository_commondir(handle));
	repo_note_packs(repo);
	return objects_open(repo, err);
}

int repo_open(struct repo **out, const struct sys *sys, const char *dir, struct err *err)
{
	struct repo *repo;
	STR_AUTO path = STR_INIT;
	struct stat st;

	path_join(&path, dir, ".git");
	if (sys->fstatat(AT_FDCWD, path.ptr, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return err_set_errno(err, errno == ENOENT ? ERR_NOT_FOUND : ERR_NO_HISTORY, errno,
				     "cannot look at %s", path.ptr);
	if (guard_own(sys, dir, err) != 0)
		return -1;
	repo = mem_zalloc(1, sizeof *repo);
	repo->sys = sys;
	repo->log.fd = -1;
	str_init(&repo->dir);
	str_init(&repo->folder);
	str_init(&repo->common);
	str_init(&repo->place);
	str_init(&repo->branch);
	str_init(&repo->tip_name);
	str_adds(&repo->tip_name, "");
	str_init(&repo->spare_name);
	str_adds(&repo->spare_name, "");
	str_adds(&repo->dir, dir);
	str_add(&repo->place, str_slice(&path));
	if (lib_open(&repo->lib, err) != 0) {
		repo_release(repo);
		return -1;
	}
	lib_leave_out_closed(&repo->lib, sys);
	if (repo_open_handle(repo, err) != 0) {
		repo_close(repo);
		return -1;
	}
	*out = repo;
	return 0;
}

void repo_take_packs(struct repo *repo)
{
	repo_note_packs(repo);
	repo->lib.odb_refresh(repo->odb);
}

int repo_refresh(struct repo *repo, struct err *err)
{
	STR_AUTO packs = STR_INIT;
	struct err ignored;
	struct file_id id;

	repo_common_path(repo, PACK_FOLDER, "", &packs);
	if (file_identify(repo->sys, AT_FDCWD, packs.ptr, &id, &ignored) == 0 &&
	    file_id_equal(&id, &repo->packs))
		return 0;
	return guard_own(repo->sys, repo->dir.ptr, err) != 0 ? -1 : repo_open_handle(repo, err);
}

void repo_watch(struct repo *repo, const struct progress *progress)
{
	repo->progress = progress;
}

void repo_close(struct repo *repo)
{
	if (!repo)
		return;
	file_close(repo->sys, &repo->log.fd);
	for (size_t i = 0; i < REPO_FILE_COUNT; i++)
		file_let_go(repo->sys, &repo->kept[i]);
	repo->lib.index_free(repo->index);
	objects_close(repo);
	repo->lib.odb_free(repo->odb);
	repo->lib.repository_free(repo->handle);
	lib_close(&repo->lib);
	repo_release(repo);
}

/* ---- making one */

/* Of the settings of a repository that was just begun. */
#define CONFIG_MAX ((size_t)1 << 16)

/* A repository is made in here and then put in its place by one rename. */
#define NURSERY ".git.new"

static int repo_remove_tree(const struct sys *sys, const char *path, struct err *err);

/* Empties a folder; links are not followed. */
static int repo_remove_inside(const struct sys *sys, const char *path, struct err *err)
{
	int fd = file_open(sys, AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
	DIR *dir = fd < 0 ? NULL : sys->fdopendir(fd);
	const struct dirent *entry;
	int result = 0;

	if (!dir) {
		err_set_errno(err, ERR_NO_HISTORY, errno, "cannot read %s", path);
		file_close(sys, &fd);
		return -1;
	}
	while (result == 0 && (entry = sys->readdir(dir)) != NULL) {
		STR_AUTO inside = STR_INIT;

		path_join(&inside, path, entry->d_name);
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			result = repo_remove_tree(sys, inside.ptr, err);
	}
	sys->closedir(dir);
	return result;
}

/* Nothing there is fine. As deep as a repository just begun is. */
static int repo_remove_tree(const struct sys *sys, const char *path, struct err *err)
{
	struct stat st;

	if (sys->fstatat(AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? 0
				       : err_set_errno(err, ERR_NO_HISTORY, errno,
						       "cannot look at %s", path);
	if (S_ISDIR(st.st_mode) && repo_remove_inside(sys, path, err) != 0)
		return -1;
	if (sys->unlinkat(AT_FDCWD, path, S_ISDIR(st.st_mode) ? AT_REMOVEDIR : 0) != 0)
		return err_set_errno(err, ERR_NO_HISTORY, errno, "cannot remove %s", path);
	return 0;
}

/* First all of it is durable, then it is there. */
static int repo_put_in_place(const struct sys *sys, const char *dir, const char *nursery,
			     struct err *err)
{
	/* Without these a repository cannot be read, or is mistaken for another one. */
	static const char *const durable[] = {"HEAD",       "config", "info/attributes",
					      NURSERY_MARK, "info",   "objects",
					      "refs/heads", "refs",   "."};
	STR_AUTO from = STR_INIT;
	STR_AUTO to = STR_INIT;

	path_join(&from, nursery, ".git");
	for (size_t i = 0; i < sizeof durable / sizeof *durable; i++) {
		path_join(&to, from.ptr, durable[i]);
		if (git_file_sync(sys, to.ptr, err) != 0)
			return -1;
	}
	path_join(&to, dir, ".git");
	if (sys->renameat2(AT_FDCWD, from.ptr, AT_FDCWD, to.ptr, 0) != 0)
		return err_set_errno(err, ERR_NO_HISTORY, errno, "cannot make %s", to.ptr);
	sys->unlinkat(AT_FDCWD, nursery, AT_REMOVEDIR);
	return git_file_sync(sys, dir, err);
}

const struct driver_setting driver_settings[DRIVER_SETTINGS] = {
	{"merge.kota.name", "entries of a kota memory", false},
	{"merge.kota.driver", " merge-driver %O %A %B %P", true},
	{"merge.kota.recursive", "kota-bases", false},
	{"merge.kota-bases.name", "bases of a kota memory", false},
	{"merge.kota-bases.driver", " merge-driver --bases %O %A %B %P", true},
};

enum driver_state repo_driver_state(struct repo *repo)
{
	STR_AUTO value = STR_INIT;

	if (!repo_setting(repo, driver_settings[DRIVER_PROGRAM].name, &value))
		return DRIVER_MISSING;
	for (int i = 0; i < DRIVER_SETTINGS; i++) {
		const struct driver_setting *setting = &driver_settings[i];

		if (!repo_setting(repo, setting->name, &value) ||
		    !slice_ends(str_slice(&value), setting->value))
			return DRIVER_OUTDATED;
	}
	return DRIVER_CURRENT;
}

/*
 * Who pulls here with git has the files merged by the program of that name. Without one git calls
 * unmerged what both sides have changed, and leaves it as it is.
 */
static int repo_add_driver(const struct sys *sys, const char *nursery, struct err *err)
{
	STR_AUTO path = STR_INIT;
	STR_AUTO text = STR_INIT;
	struct file_id id;

	path_join(&path, nursery, ".git/config");
	if (file_read_own(sys, AT_FDCWD, path.ptr, CONFIG_MAX, &text, &id, err) != 0)
		return -1;
	for (int i = 0; i < DRIVER_SETTINGS; i++) {
		const struct driver_setting *setting = &driver_settings[i];
		const char *last = strrchr(setting->name, '.');
		const char *first = strchr(setting->name, '.') + 1;

		str_printf(&text, "[merge \"%.*s\"]\n\t%s = %s%s\n", (int)(last - first), first,
			   last + 1, setting->program ? "kota" : "", setting->value);
	}
	return git_file_put(sys, path.ptr, 0600, str_slice(&text), false, err);
}

/* Makes the repository in a nursery, then puts it in its place. */
static int repo_make_repository(const struct sys *sys, const char *dir, struct err *err)
{
	git_repository_init_options options;
	git_repository *handle;
	struct lib lib;
	STR_AUTO nursery = STR_INIT;
	STR_AUTO attributes = STR_INIT;
	STR_AUTO mark = STR_INIT;
	int result = 0;

	path_join(&nursery, dir, NURSERY);
	path_join(&attributes, nursery.ptr, ".git/info/attributes");
	path_join(&mark, nursery.ptr, ".git/" NURSERY_MARK);
	if (repo_remove_tree(sys, nursery.ptr, err) != 0 || lib_open(&lib, err) != 0)
		return -1;
	lib_leave_out_closed(&lib, sys);
	lib.repository_init_options_init(&options, GIT_REPOSITORY_INIT_OPTIONS_VERSION);
	options.flags = GIT_REPOSITORY_INIT_MKDIR | GIT_REPOSITORY_INIT_MKPATH;
	options.initial_head = "main";
	if (lib.repository_init_ext(&handle, nursery.ptr, &options) != 0)
		result = lib_error(&lib, err, "make a history in %s", nursery.ptr);
	else
		lib.repository_free(handle);
	lib_close(&lib);
	if (result != 0 ||
	    git_file_put(sys, attributes.ptr, 0600,
			 slice_of("* -text !filter !ident\n*.json merge=kota\n"
				  "archive.cold/*.jsonl merge=kota\nnotes/*.md merge=kota\n"),
			 false, err) != 0 ||
	    repo_add_driver(sys, nursery.ptr, err) != 0 ||
	    git_file_put(sys, mark.ptr, 0600, slice_of("kota made this repository\n"), false,
			 err) != 0)
		return -1;
	return repo_put_in_place(sys, dir, nursery.ptr, err);
}

int repo_create(struct repo **out, const struct sys *sys, const char *dir, struct err *err)
{
	return repo_make_repository(sys, dir, err) == 0 ? repo_open(out, sys, dir, err) : -1;
}

/* ---- what it is */

void repo_path(const struct repo *repo, const char *name, struct str *out)
{
	str_clear(out);
	str_printf(out, "%s%s", repo->folder.ptr, name);
}

void repo_common_path(const struct repo *repo, const char *folder, const char *name,
		      struct str *out)
{
	str_clear(out);
	str_printf(out, "%s%s%s", repo->lib.repository_commondir(repo->handle), folder, name);
}

const char *repo_folder(const struct repo *repo)
{
	return repo->folder.ptr;
}

bool repo_is_ours(const struct repo *repo)
{
	STR_AUTO path = STR_INIT;
	struct stat st;

	str_printf(&path, "%s" NURSERY_MARK, repo->folder.ptr);
	return repo->sys->fstatat(AT_FDCWD, path.ptr, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

const char *repo_branch(struct repo *repo)
{
	git_reference *head = NULL;
	const char *target = NULL;
	STR_AUTO path = STR_INIT;
	struct file_id id;
	struct err ignored;

	if (repo->recorded_on && repo->head_id.present)
		return repo->branch.ptr;
	repo_path(repo, "HEAD", &path);
	if (file_identify(repo->sys, AT_FDCWD, path.ptr, &id, &ignored) != 0)
		id = (struct file_id){.present = false};
	if (id.present && file_id_equal(&id, &repo->head_id))
		return repo->branch.ptr;
	str_clear(&repo->branch);
	str_adds(&repo->branch, "");
	if (repo->lib.reference_lookup(&head, repo->handle, "HEAD") == 0)
		target = repo->lib.reference_symbolic_target(head);
	if (target && strncmp(target, "refs/heads/", 11) == 0)
		str_adds(&repo->branch, target);
	repo->lib.reference_free(head);
	repo->head_id = id;
	return repo->branch.ptr;
}

static const char *repo_state_name(int state)
{
	switch (state) {
	case GIT_REPOSITORY_STATE_MERGE:
		return "a merge";
	case GIT_REPOSITORY_STATE_REVERT:
	case GIT_REPOSITORY_STATE_REVERT_SEQUENCE:
		return "a revert";
	case GIT_REPOSITORY_STATE_CHERRYPICK:
	case GIT_REPOSITORY_STATE_CHERRYPICK_SEQUENCE:
		return "a cherry-pick";
	case GIT_REPOSITORY_STATE_BISECT:
		return "a bisect";
	case GIT_REPOSITORY_STATE_APPLY_MAILBOX:
		return "an am";
	default:
		return "a rebase";
	}
}

static void repo_identify(const struct repo *repo, struct file_id *out)
{
	struct err ignored;

	if (file_identify(repo->sys, AT_FDCWD, repo->folder.ptr, out, &ignored) != 0)
		*out = (struct file_id){.present = false};
}

void repo_note_quiet(struct repo *repo)
{
	repo_identify(repo, &repo->quiet);
}

int repo_check_branch(struct repo *repo, struct err *err)
{
	struct object_id detached;

	if (*repo_branch(repo))
		return 0;
	if (repo_head(repo, &detached, err) != 0)
		return -1;
	return err_set(err, ERR_NO_HISTORY,
		       "HEAD in %s is not on a branch: changes are recorded when it is",
		       repo->folder.ptr);
}

int repo_check(struct repo *repo, struct err *err)
{
	struct file_id id;

	/* A merge or rebase that begins creates files in the folder, which changes its times. */
	repo_identify(repo, &id);
	if (repo_is_quiet(repo, &id) && *repo_branch(repo))
		return 0;
	int state = repo->lib.repository_state(repo->handle);
	if (repo->lib.repository_is_bare(repo->handle))
		return err_set(err, ERR_NO_HISTORY, "%s has no work tree", repo->folder.ptr);
	if (state != GIT_REPOSITORY_STATE_NONE)
		return err_set(err, ERR_NO_HISTORY,
			       "%s is under way in %s: changes are recorded when it is over",
			       repo_state_name(state), repo->folder.ptr);
	return repo_check_branch(repo, err);
}

int repo_branch_tip(struct repo *repo, const char *name, struct object_id *out, struct err *err)
{
	STR_AUTO path = STR_INIT;
	struct file_id id;
	struct err ignored;
	git_oid oid;

	repo_common_path(repo, "", name, &path);
	if (file_identify(repo->sys, AT_FDCWD, path.ptr, &id, &ignored) != 0)
		id = (struct file_id){.present = false};
	if (id.present && strcmp(repo->tip_name.ptr, name) == 0 &&
	    file_id_equal(&id, &repo->tip_id)) {
		*out = repo->tip;
		return 0;
	}
	int result = repo->lib.reference_name_to_id(&oid, repo->handle, name);
	if (result != 0 && result != GIT_ENOTFOUND)
		return lib_error(&repo->lib, err, "read %s", name);
	*out = (struct object_id){{0}};
	str_clear(&repo->tip_name);
	str_adds(&repo->tip_name, "");
	if (result != 0)
		return 0;
	*out = lib_id(&oid);
	/* Only a plain id is kept: a symbolic ref leads to a branch that may move. */
	if (id.present && id.size == OBJECT_ID_DIGITS + 1) {
		str_adds(&repo->tip_name, name);
		repo->tip_id = id;
		repo->tip = *out;
	}
	return 0;
}

int repo_head(struct repo *repo, struct object_id *out, struct err *err)
{
	const char *branch = repo_branch(repo);
	git_oid oid;

	if (*branch)
		return repo_branch_tip(repo, branch, out, err);
	int result = repo->lib.reference_name_to_id(&oid, repo->handle, "HEAD");
	if (result != 0 && result != GIT_ENOTFOUND && result != GIT_EUNBORNBRANCH)
		return lib_error(&repo->lib, err, "read HEAD in %s", repo->folder.ptr);
	*out = (struct object_id){{0}};
	if (result == 0)
		*out = lib_id(&oid);
	return 0;
}

bool repo_setting(struct repo *repo, const char *name, struct str *out)
{
	git_config *config = NULL;
	const char *value;

	str_clear(out);
	if (repo->lib.repository_config_snapshot(&config, repo->handle) != 0)
		return false;
	if (repo->lib.config_get_string(&value, config, name) == 0)
		str_adds(out, value);
	repo->lib.config_free(config);
	return out->len > 0;
}

bool repo_person(struct repo *repo, struct str *name, struct str *email)
{
	bool named = repo_setting(repo, "user.name", name);

	return repo_setting(repo, "user.email", email) && named;
}

int repo_resolve(struct repo *repo, struct slice text, struct object_id *out, struct err *err)
{
	git_object *object = NULL;
	git_object *commit = NULL;
	char *spec = mem_strndup(text.ptr, text.len);
	int result = repo->lib.revparse_single(&object, repo->handle, spec);

	if (result == 0)
		result = repo->lib.object_peel(&commit, object, GIT_OBJECT_COMMIT);
	if (result == 0)
		*out = lib_id(repo->lib.object_id(commit));
	else
		err_set(err, ERR_NOT_FOUND,
			result == GIT_EAMBIGUOUS
				? "several changes begin with \"%s\": give more digits"
				: "there is no change \"%s\"",
			spec);
	repo->lib.object_free(commit);
	repo->lib.object_free(object);
	free(spec);
	return result == 0 ? 0 : -1;
}

int repo_library(struct str *out, struct err *err)
{
	struct lib lib;
	int version[3] = {0};

	if (lib_open(&lib, err) != 0)
		return -1;
	lib.libgit2_version(&version[0], &version[1], &version[2]);
	str_printf(out, "%d.%d.%d", version[0], version[1], version[2]);
	lib_close(&lib);
	return 0;
}

int repo_blob_id(struct repo *repo, struct slice text, struct object_id *out, struct err *err)
{
	const struct fresh_object *made = objects_find_blob(repo, text);
	git_oid oid;

	if (made) {
		*out = made->id;
		return 0;
	}
	if (repo->lib.odb_hash(&oid, text.ptr ? text.ptr : "", text.len, GIT_OBJECT_BLOB) != 0)
		return lib_error(&repo->lib, err, "name a text");
	*out = lib_id(&oid);
	return 0;
}

int repo_blob_write(struct repo *repo, struct slice text, struct object_id *out, struct err *err)
{
	git_oid oid;

	if (repo->lib.odb_write(&oid, repo->odb, text.ptr ? text.ptr : "", text.len,
				GIT_OBJECT_BLOB) != 0)
		return lib_error(&repo->lib, err, "write to %sobjects", repo->folder.ptr);
	*out = lib_id(&oid);
	return 0;
}

int repo_blob_put(struct repo *repo, struct slice text, struct object_id *out, struct err *err)
{
	git_oid oid;

	err_clear(&repo->fresh.why);
	if (repo->lib.blob_create_from_buffer(&oid, repo->maker, text.ptr ? text.ptr : "",
					      text.len) != 0)
		return objects_error(repo, "write a text", err);
	*out = lib_id(&oid);
	return 0;
}

bool repo_has(struct repo *repo, const struct object_id *id)
{
	git_oid oid = lib_oid(id);

	return objects_find(repo, id) || repo->lib.odb_exists(repo->odb, &oid) == 1;
}

bool repo_knows(struct repo *repo, const struct object_id *id)
{
	git_oid oid = lib_oid(id);

	return objects_find(repo, id) ||
	       repo->lib.odb_exists_ext(repo->odb, &oid, GIT_ODB_LOOKUP_NO_REFRESH) == 1;
}

void repo_hash_objects(struct repo *repo, bool on)
{
	repo->lib.libgit2_opts(GIT_OPT_ENABLE_STRICT_HASH_VERIFICATION, (int)on);
}

int repo_blob_read(struct repo *repo, const struct object_id *blob, struct str *out,
		   struct err *err)
{
	const struct fresh_object *fresh = objects_find(repo, blob);
	git_oid oid = lib_oid(blob);
	git_odb_object *object;

	str_clear(out);
	if (fresh) {
		str_add(out, str_slice(&fresh->data));
		return 0;
	}
	if (repo->lib.odb_read(&object, repo->odb, &oid) != 0)
		return lib_error(&repo->lib, err, "read from %sobjects", repo->folder.ptr);
	str_add(out,
		slice_make(repo->lib.odb_object_data(object), repo->lib.odb_object_size(object)));
	repo->lib.odb_object_free(object);
	return 0;
}

int repo_blob_bytes(struct repo *repo, const struct object_id *blob, size_t *out, struct err *err)
{
	const struct fresh_object *fresh = objects_find(repo, blob);
	git_oid oid = lib_oid(blob);
	git_object_t type;

	if (fresh)
		*out = fresh->data.len;
	else if (repo->lib.odb_read_header(out, &type, repo->odb, &oid) != 0)
		return lib_error(&repo->lib, err, "read from %sobjects", repo->folder.ptr);
	return 0;
}

int repo_commit(struct repo *repo, const struct object_id *id, git_commit **out, struct err *err)
{
	git_oid oid = lib_oid(id);

	if (repo->lib.commit_lookup(out, repo->handle, &oid) != 0)
		return lib_error(&repo->lib, err, "read a commit in %s", repo->folder.ptr);
	return 0;
}

int repo_tree(struct repo *repo, const struct object_id *commit, git_tree **out, struct err *err)
{
	git_repository *from = objects_find(repo, commit) ? repo->maker : repo->handle;
	git_oid oid = lib_oid(commit);
	git_commit *object;

	*out = NULL;
	if (object_id_is_none(commit))
		return 0;
	if (repo->lib.commit_lookup(&object, from, &oid) != 0)
		return lib_error(&repo->lib, err, "read a commit in %s", repo->folder.ptr);
	int result = repo->lib.commit_tree(out, object);
	repo->lib.commit_free(object);
	return result == 0 ? 0 : lib_error(&repo->lib, err, "read a tree in %s", repo->folder.ptr);
}

/* A link, a folder and a commit of another repository are no files of a store. */
static bool repo_is_file(const struct lib *lib, const git_tree_entry *entry)
{
	return S_ISREG((mode_t)lib->tree_entry_filemode(entry));
}

int repo_file_at(struct repo *repo, const struct object_id *commit, const char *path,
		 struct object_id *blob, struct err *err)
{
	git_tree *tree = NULL;
	git_tree_entry *entry = NULL;

	if (repo_tree(repo, commit, &tree, err) != 0)
		return -1;
	int result = tree ? repo->lib.tree_entry_bypath(&entry, tree, path) : GIT_ENOTFOUND;
	if (result != 0 && result != GIT_ENOTFOUND) {
		lib_error(&repo->lib, err, "find %s in %s", path, repo->folder.ptr);
	} else {
		*blob = (struct object_id){{0}};
		if (entry && repo_is_file(&repo->lib, entry))
			*blob = lib_id(repo->lib.tree_entry_id(entry));
		result = 0;
	}
	repo->lib.tree_entry_free(entry);
	repo->lib.tree_free(tree);
	return result == 0 ? 0 : -1;
}

enum visit_what { VISIT_FILES, VISIT_BLOBS, VISIT_OTHERS };

struct visit {
	const struct lib *lib;
	repo_visitor visitor;
	void *context;
	enum visit_what what;
	struct str path;
	int result;
};

static size_t repo_depth(const char *path)
{
	size_t depth = 0;

	while ((path = strchr(path, '/')) != NULL) {
		depth++;
		path++;
	}
	return depth;
}

static int repo_visit_entry(const char *root, const git_tree_entry *entry, void *payload)
{
	struct visit *visit = payload;
	bool folder = visit->lib->tree_entry_type(entry) == GIT_OBJECT_TREE;
	bool file = repo_is_file(visit->lib, entry);
	bool link = !file && visit->lib->tree_entry_type(entry) == GIT_OBJECT_BLOB;
	struct object_id blob = {{0}};

	if (file || (link && visit->what == VISIT_BLOBS))
		blob = lib_id(visit->lib->tree_entry_id(entry));
	str_clear(&visit->path);
	str_printf(&visit->path, "%s%s%s", root, visit->lib->tree_entry_name(entry),
		   folder ? "/" : "");
	if (object_id_is_none(&blob) == (visit->what == VISIT_OTHERS))
		visit->result = visit->visitor(visit->context, visit->path.ptr, &blob);
	if (visit->result != 0)
		return -1;
	/* The library goes down as deep as the stack allows. */
	return folder && repo_depth(visit->path.ptr) > VISIT_DEPTH_MAX;
}

static int repo_visit(struct repo *repo, const struct object_id *commit, struct visit *visit,
		      struct err *err)
{
	git_tree *tree = NULL;
	int result = 0;

	if (repo_tree(repo, commit, &tree, err) != 0)
		return -1;
	if (tree && repo->lib.tree_walk(tree, GIT_TREEWALK_PRE, repo_visit_entry, visit) != 0 &&
	    visit->result == 0)
		result = lib_error(&repo->lib, err, "read a tree in %s", repo->folder.ptr);
	repo->lib.tree_free(tree);
	str_release(&visit->path);
	return result;
}

int repo_files(struct repo *repo, const struct object_id *commit, repo_visitor visitor,
	       void *context, struct err *err)
{
	struct visit visit = {&repo->lib, visitor, context, VISIT_FILES, STR_INIT, 0};

	return repo_visit(repo, commit, &visit, err);
}

int repo_blobs(struct repo *repo, const struct object_id *commit, repo_visitor visitor,
	       void *context, struct err *err)
{
	struct visit visit = {&repo->lib, visitor, context, VISIT_BLOBS, STR_INIT, 0};

	return repo_visit(repo, commit, &visit, err);
}

int repo_others(struct repo *repo, const struct object_id *commit, repo_visitor visitor,
		void *context, struct err *err)
{
	struct visit visit = {&repo->lib, visitor, context, VISIT_OTHERS, STR_INIT, 0};

	return repo_visit(repo, commit, &visit, err);
}
