#include "store/trust/origin.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/time.h"
#include "git/index_names.h"
#include "git/walk.h"
#include "store/location/store_files.h"
#include "store/trust/state_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* What a repository names in the store is listed no further than this: it is named. */
#define NAMES_MAX 100000u

/* Settings are a few lines. */
#define CONFIG_BYTES_MAX ((size_t)1 << 16)

#define OWN_REPOSITORY ".git"
#define ALL_STATE (STATE_PENDING | STATE_USAGE | STATE_GIT | STATE_DISPLACED | STATE_JOURNAL)

/* The real path of an open file; false where the kernel does not say. */
static bool origin_real_path(const struct sys *sys, int fd, char out[PATH_MAX])
{
	char name[32];

	snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
	ssize_t len = sys->readlinkat(AT_FDCWD, name, out, PATH_MAX - 1);
	if (len <= 0 || out[0] != '/')
		return false;
	out[len] = '\0';
	return true;
}

static bool origin_parent_folder(char *path)
{
	char *slash = strrchr(path, '/');

	if (!slash || path[1] == '\0')
		return false;
	slash[slash == path] = '\0';
	return true;
}

/* Which of our own files this name is, relative to the store. */
static unsigned origin_state_of(struct slice name)
{
	/* The store itself is a submodule, or a file stands in its place. */
	if (name.len == 0)
		return 0;
	if (slice_starts(name, ".git/") || slice_is(name, ".git"))
		return STATE_GIT;
	if (slice_starts(name, ".journal"))
		return STATE_JOURNAL;
	if (slice_is(name, ".pending"))
		return STATE_PENDING;
	if (slice_is(name, "usage.jsonl"))
		return STATE_USAGE;
	if (name.ptr[0] == '.' &&
	    (slice_is(name, ".lock") || slice_ends(name, ".prev") || slice_ends(name, ".tmp") ||
	     slice_ends(name, ".last") || memmem(name.ptr, name.len, ".held-", 6)))
		return STATE_DISPLACED;
	return 0;
}

struct naming {
	struct origin *origin;
	unsigned names;
};

static int origin_note_named(void *context, struct slice below)
{
	struct naming *naming = context;

	naming->origin->tracked = true;
	/* A file with entries; or the store itself, as a submodule, with all that is in it. */
	naming->origin->shared |= store_file_find(below) < STORE_FILE_ARCHIVE || below.len == 0;
	naming->origin->committed |= origin_state_of(below);
	return ++naming->names > NAMES_MAX;
}

/* Whatever cannot be read may name anything. */
static void origin_assume_named(struct origin *origin)
{
	origin->tracked = true;
	origin->shared = true;
	origin->committed = ALL_STATE;
}

/* The path of the store in the work tree with this root. */
static const char *origin_path_below(const struct origin *origin, const char *root)
{
	return origin->path + (strcmp(root, "/") == 0 ? 1 : strlen(root) + 1);
}

/* What the repository of one work tree above says of the store. */
static int origin_ask_repository(struct origin *origin, const struct sys *sys, const char *root,
				 struct err *err)
{
	struct naming naming = {.origin = origin};
	STR_AUTO git_dir = STR_INIT;
	bool before = origin->tracked;
	bool found;

	if (index_git_dir(sys, root, &git_dir, &found, err) != 0) {
		if (state_error_passes(err))
			return -1;
		origin->surrounded = true;
		origin_assume_named(origin);
		return 0;
	}
	if (!found)
		return 0;
	if (index_names_walk(sys, git_dir.ptr, origin_path_below(origin, root), origin_note_named,
			     &naming, err) != 0) {
		if (state_error_passes(err))
			return -1;
		origin_assume_named(origin);
	}
	if (!origin->root || (origin->tracked && !before)) {
		STR_AUTO index = STR_INIT;

		free(origin->root);
		free(origin->index);
		str_printf(&index, "%s/index", git_dir.ptr);
		origin->root = mem_strdup(root);
		origin->index = str_detach(&index);
	}
	origin->surrounded = true;
	return 0;
}

struct committed {
	origin_visitor visit;
	void *context;
	bool git;
};

static int origin_visit_state(void *context, struct slice below)
{
	struct committed *committed = context;
	unsigned state = origin_state_of(below);

	if (state == STATE_GIT && !committed->git)
		committed->visit(committed->context, slice_of(OWN_REPOSITORY));
	else if (state && state != STATE_GIT)
		committed->visit(committed->context, below);
	committed->git = committed->git || state == STATE_GIT;
	return 0;
}

void origin_each_committed(const struct origin *origin, const struct sys *sys, origin_visitor visit,
			   void *context)
{
	struct committed committed = {visit, context, false};
	STR_AUTO git_dir = STR_INIT;
	struct err ignored;
	bool found;

	if (!origin->committed || !origin->root ||
	    index_git_dir(sys, origin->root, &git_dir, &found, &ignored) != 0 || !found)
		return;
	(void)!index_names_walk(sys, git_dir.ptr, origin_path_below(origin, origin->root),
				origin_visit_state, &committed, &ignored);
}

static int origin_look_around(struct origin *origin, const struct sys *sys, struct err *err)
{
	char root[PATH_MAX];

	snprintf(root, sizeof root, "%s", origin->path);
	while (origin_parent_folder(root)) {
		if (origin_ask_repository(origin, sys, root, err) != 0)
			return -1;
	}
	return 0;
}

/* Under sudo the person is who called it: what is theirs can be read as their own. */
static bool origin_is_own_user(environment env, uid_t uid)
{
	const char *sudo = env && geteuid() == 0 ? env("SUDO_UID") : NULL;
	char *end;

	if (uid == geteuid())
		return true;
	return sudo && sudo[0] && strtoul(sudo, &end, 10) == uid && *end == '\0';
}

/*
 * True if the person owns the folder and every file in it that matters. Files that only this
 * program uses are reported, or left alone, where they are used.
 */
static int origin_find_owner(const struct sys *sys, environment env, int dirfd, bool *other,
			     struct err *err)
{
	static const char *const others[] = {"config.json", ".kota", ".journal"};
	struct stat st;

	if (sys->fstat(dirfd, &st) != 0)
		return err_set_errno(err, ERR_IO, errno, "cannot look at the store's folder");
	*other = !origin_is_own_user(env, st.st_uid);
	for (size_t i = 0; !*other && i < STORE_FILE_COUNT + sizeof others / sizeof *others; i++) {
		const char *name = i < STORE_FILE_COUNT ? store_file_name((enum store_file)i)
							: others[i - STORE_FILE_COUNT];

		if (sys->fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
			*other = !origin_is_own_user(env, st.st_uid);
		else if (errno != ENOENT)
			return err_set_errno(err, ERR_IO, errno, "cannot look at %s", name);
	}
	return 0;
}

static int origin_find_personal(const struct sys *sys, environment env, int dirfd, bool *personal,
				struct err *err)
{
	char *path = env ? place_own_path(PLACE_OWN_STORE, env) : NULL;
	struct stat named;
	struct stat open;
	int result = 0;

	*personal = false;
	if (path && sys->fstatat(AT_FDCWD, path, &named, 0) == 0) {
		if (sys->fstat(dirfd, &open) != 0)
			result = err_set_errno(err, ERR_IO, errno,
					       "cannot look at the store's folder");
		else
			*personal = named.st_dev == open.st_dev && named.st_ino == open.st_ino;
	} else if (path && state_error_code(errno) == ERR_IO) {
		result = err_set_errno(err, ERR_IO, errno, "cannot look at %s", path);
	}
	free(path);
	return result;
}

/* ---- the register */

/* What of an identity the repository says; id names these texts. */
struct identity {
	struct store_id id;
	char born[ORIGIN_BORN_SIZE];
	char cloned[48];
	char root[OBJECT_ID_DIGITS + 1];
};

int origin_identify(const struct origin *origin, const struct sys *sys, int dirfd,
		    struct store_id *out, char born[ORIGIN_BORN_SIZE], struct err *err)
{
	struct statx stx;
	struct stat st;

	*out = (struct store_id){.path = slice_of(origin->path)};
	born[0] = '\0';
	if (sys->statx(dirfd, "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &stx) == 0) {
		out->inode = stx.stx_ino;
		if (stx.stx_mask & STATX_BTIME)
			snprintf(born, ORIGIN_BORN_SIZE, "%lld.%09u",
				 (long long)stx.stx_btime.tv_sec, stx.stx_btime.tv_nsec);
	} else if ((errno == ENOSYS || errno == EPERM) && sys->fstat(dirfd, &st) == 0) {
		out->inode = st.st_ino; /* a kernel, or a cage, without that call */
	} else {
		return err_set_errno(err, ERR_IO, errno, "cannot look at the store's folder");
	}
	out->born = slice_of(born);
	return 0;
}

/* Where the repository is that belongs to the store: its own, else the one around it, or NULL. */
static int origin_find_repository(const struct origin *origin, const struct sys *sys, int dirfd,
				  const char **work_tree, struct err *err)
{
	struct stat st;

	*work_tree = origin->root;
	if (origin->tracked)
		return 0;
	if (sys->fstatat(dirfd, OWN_REPOSITORY, &st, AT_SYMLINK_NOFOLLOW) == 0) {
		if (S_ISDIR(st.st_mode))
			*work_tree = origin->path;
	} else if (errno != ENOENT) {
		return err_set_errno(err, ERR_IO, errno, "cannot look at " OWN_REPOSITORY);
	}
	return 0;
}

/* The first commit of the line that HEAD is on. */
static bool origin_find_root(const struct sys *sys, const char *work_tree,
			     char out[OBJECT_ID_DIGITS + 1])
{
	struct object_id last = {{0}};
	struct commit commit;
	struct repo *repo;
	struct walk *walk;
	struct err ignored;
	int more = 0;

	if (repo_open(&repo, sys, work_tree, &ignored) != 0)
		return false;
	if (walk_open(&walk, repo, NULL, &ignored) == 0) {
		while ((more = walk_next(walk, &commit, &ignored)) == 1)
			last = commit.id;
		walk_close(walk);
	}
	repo_close(repo);
	if (more != 0 || object_id_is_none(&last))
		return false;
	object_id_text(&last, out);
	return true;
}

/*
 * A file that every clone is given and that nobody changes: its time is that of the clone, and a
 * backup keeps it. So a second clone of the same repository is told from the first. Empty where
 * there is none.
 */
static int origin_find_clone_time(const struct sys *sys, const char *work_tree, char out[48],
				  struct err *err)
{
	STR_AUTO path = STR_INIT;
	struct stat st;
	bool found;

	out[0] = '\0';
	if (index_git_dir(sys, work_tree, &path, &found, err) != 0)
		return state_error_passes(err) ? -1 : 0;
	if (!found)
		return 0;
	str_adds(&path, "/description");
	if (sys->fstatat(AT_FDCWD, path.ptr, &st, AT_SYMLINK_NOFOLLOW) == 0)
		snprintf(out, 48, "%lld.%09ld", (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
	else if (state_error_code(errno) == ERR_IO)
		return err_set_errno(err, ERR_IO, errno, "cannot look at %s", path.ptr);
	return 0;
}

/* Adds what takes libgit2 to find out. */
static int origin_identify_repository(struct identity *identity, const struct origin *origin,
				      const struct sys *sys, int dirfd, struct err *err)
{
	const char *work_tree;

	if (origin_find_repository(origin, sys, dirfd, &work_tree, err) != 0 ||
	    (work_tree && origin_find_clone_time(sys, work_tree, identity->cloned, err) != 0))
		return -1;
	if (!work_tree || !identity->cloned[0] || !origin_find_root(sys, work_tree, identity->root))
		return 0;
	identity->id.root = slice_of(identity->root);
	identity->id.cloned = slice_of(identity->cloned);
	return 0;
}

/* Some archives keep whole seconds only. */
static bool origin_same_time(struct slice a, struct slice b)
{
	const char *dot = a.len ? memchr(a.ptr, '.', a.len) : NULL;
	size_t whole = dot ? (size_t)(dot - a.ptr) : 0;

	if (slice_equal(a, b))
		return true;
	return whole && a.len == b.len && memcmp(a.ptr, b.ptr, whole + 1) == 0 &&
	       (slice_ends(a, ".000000000") || slice_ends(b, ".000000000"));
}

static int origin_find_restored(const struct registered *entry, const struct origin *origin,
				const struct sys *sys, int dirfd, bool *restored, struct err *err)
{
	struct identity identity = {0};

	*restored = false;
	if (entry->id.root.len == 0 || entry->id.cloned.len == 0)
		return 0;
	if (origin_identify_repository(&identity, origin, sys, dirfd, err) != 0)
		return -1;
	*restored = slice_equal(entry->id.root, identity.id.root) &&
		    origin_same_time(entry->id.cloned, identity.id.cloned);
	return 0;
}

/* Takes over what is recorded of the store: its name and its links. */
static void origin_take_entry(struct origin *origin, const struct registered *entry)
{
	arena_release(&origin->arena);
	origin->trusted = entry->trusted;
	origin->since = arena_copy(&origin->arena, entry->since);
	origin->name = arena_copy(&origin->arena, entry->name);
	origin->config = arena_copy(&origin->arena, entry->config);
	origin->links = arena_alloc(&origin->arena,
				    (entry->link_count + 1) * sizeof *origin->links);
	origin->link_count = entry->link_count;
	for (size_t i = 0; i < entry->link_count; i++)
		origin->links[i] = (struct recorded_link){
			arena_copy(&origin->arena, entry->links[i].file),
			arena_copy(&origin->arena, entry->links[i].target),
		};
}

/* Opens the register for a change, and the identity of the store to be found in it. */
static int origin_open_register(struct registry *registry, struct identity *identity,
				const struct origin *origin, const struct sys *sys, environment env,
				int dirfd, struct err *err)
{
	*identity = (struct identity){0};
	if (origin_identify(origin, sys, dirfd, &identity->id, identity->born, err) != 0)
		return -1;
	return registry_open(registry, sys, env, origin->root, true, err);
}

/*
 * Looks the store up in the register. Where there is no register, or one that cannot be understood,
 * it is in none; one that cannot be read for the moment may have it.
 */
static int origin_look_up(struct origin *origin, const struct sys *sys, environment env, int dirfd,
			  bool *found, struct err *err)
{
	struct registry registry;
	struct store_id id;
	char born[ORIGIN_BORN_SIZE];
	enum registry_match match;
	int result = 0;

	*found = false;
	if (env && origin_identify(origin, sys, dirfd, &id, born, err) != 0)
		return -1;
	if (!env || registry_open(&registry, sys, env, origin->root, false, err) != 0) {
		origin->links_known = !env || !state_error_passes(err);
		return origin->links_known ? 0 : -1;
	}
	const struct registered *entry = registry_find(&registry, &id, &match);
	*found = match == REGISTRY_SAME_FOLDER;
	if (match == REGISTRY_SAME_PATH)
		result = origin_find_restored(entry, origin, sys, dirfd, found, err);
	if (*found)
		origin_take_entry(origin, entry);
	origin->links_known = result == 0;
	registry_close(&registry);
	return result;
}

/* Whose it is; *origin knows what is around it. */
static int origin_find_kind(struct origin *origin, const struct sys *sys, environment env,
			    int dirfd, struct err *err)
{
	if (origin_find_personal(sys, env, dirfd, &origin->personal, err) != 0)
		return -1;
	bool own = origin->personal;
	if (!own && !origin->other_owner && origin_look_up(origin, sys, env, dirfd, &own, err) != 0)
		return -1;
	if (origin->other_owner)
		origin->kind = ORIGIN_FOREIGN;
	else if (own)
		origin->kind = ORIGIN_OWN;
	else
		origin->kind = origin->tracked ? ORIGIN_FOREIGN : ORIGIN_UNREVIEWED;
	return 0;
}

int origin_find(struct origin *out, const struct sys *sys, environment env, int dirfd,
		const char *path, bool named, struct err *err)
{
	struct origin origin = {.named = named, .arena = ARENA_INIT};
	char real[PATH_MAX];
	struct stat st;

	/* If the owner cannot be found out, fail: the store is neither ours nor another's. */
	if (origin_find_owner(sys, env, dirfd, &origin.other_owner, err) != 0)
		return -1;
	/* Also where there is no /proc. */
	origin.path = origin_real_path(sys, dirfd, real) ? mem_strdup(real) : sys->realpath(path);
	if (!origin.path)
		err_set_errno(err, ERR_IO, errno, "cannot find out where %s comes from", path);
	if (!origin.path || origin_look_around(&origin, sys, err) != 0 ||
	    origin_find_kind(&origin, sys, env, dirfd, err) != 0) {
		origin_release(&origin);
		return -1;
	}
	origin.registry = env ? registry_path(env) : NULL;
	origin.synced = sys->fstatat(dirfd, SYNCED_NAME, &st, AT_SYMLINK_NOFOLLOW) == 0;
	*out = origin;
	return 0;
}

void origin_release(struct origin *origin)
{
	free(origin->path);
	free(origin->root);
	free(origin->index);
	free(origin->registry);
	arena_release(&origin->arena);
	*origin = (struct origin){0};
}

bool origin_link_target(const struct sys *sys, int dirfd, const char *file, char out[PATH_MAX])
{
	struct stat st;

	if (sys->fstatat(dirfd, file, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISLNK(st.st_mode))
		return false;
	int fd = file_open(sys, dirfd, file, O_PATH | O_CLOEXEC, 0);
	bool found = fd >= 0 && origin_real_path(sys, fd, out);
	file_close(sys, &fd);
	return found;
}

static void origin_record_links(struct registry *registry, struct registered *entry, int dirfd)
{
	char target[PATH_MAX];

	for (int f = 0; f < STORE_FILE_COUNT; f++) {
		const char *file = store_file_name((enum store_file)f);

		if (origin_link_target(registry->sys, dirfd, file, target))
			registry_set_link(registry, entry, file, target);
	}
	if (origin_link_target(registry->sys, dirfd, CONFIG_NAME, target))
		registry_set_link(registry, entry, CONFIG_NAME, target);
}

/* The settings that the person sees when trusting the store. */
static void origin_record_config(struct registry *registry, struct registered *entry, int dirfd)
{
	STR_AUTO text = STR_INIT;
	struct file_id id;
	struct err ignored;

	if (file_read_own(registry->sys, dirfd, CONFIG_NAME, CONFIG_BYTES_MAX, &text, &id,
			  &ignored) == 0)
		entry->config = arena_copy(&registry->arena, str_slice(&text));
}

int origin_register(const struct origin *origin, const struct sys *sys, environment env, int dirfd,
		    bool trusted, struct err *err)
{
	char since[TIMESTAMP_SIZE];
	struct registry registry;
	struct identity identity;

	if (origin_open_register(&registry, &identity, origin, sys, env, dirfd, err) != 0)
		return -1;
	if (origin_identify_repository(&identity, origin, sys, dirfd, err) != 0) {
		registry_close(&registry);
		return -1;
	}
	struct registered *entry = registry_add(&registry, &identity.id);
	timestamp_format(sys->now_ms(), since);
	if (!entry->since.len || trusted)
		entry->since = arena_copy(&registry.arena, slice_of(since));
	entry->trusted = entry->trusted || trusted;
	if (trusted)
		origin_record_config(&registry, entry, dirfd);
	if (trusted && !origin->tracked)
		origin_record_links(&registry, entry, dirfd);
	int result = registry_save(&registry, err);
	registry_close(&registry);
	return result;
}

int origin_unregister(const struct origin *origin, const struct sys *sys, environment env,
		      int dirfd, bool *was, struct err *err)
{
	struct registry registry;
	struct identity identity;
	enum registry_match match;
	int result = 0;

	if (origin_open_register(&registry, &identity, origin, sys, env, dirfd, err) != 0)
		return -1;
	struct registered *entry = registry_find(&registry, &identity.id, &match);
	*was = entry != NULL;
	if (entry) {
		registry_remove(&registry, entry);
		result = registry_save(&registry, err);
	}
	registry_close(&registry);
	return result;
}

int origin_record_link(struct origin *origin, const struct sys *sys, environment env, int dirfd,
		       const char *file, const char *target, struct err *err)
{
	struct registry registry;
	struct identity identity;

	if (origin_open_register(&registry, &identity, origin, sys, env, dirfd, err) != 0)
		return -1;
	struct registered *entry = registry_add(&registry, &identity.id);
	registry_set_link(&registry, entry, file, target);
	int result = registry_save(&registry, err);
	if (result == 0)
		origin_take_entry(origin, entry);
	registry_close(&registry);
	return result;
}

bool origin_may_follow(struct origin *origin, const struct sys *sys, environment env, int dirfd,
		       const char *file, const char *target)
{
	size_t len = strlen(origin->path);
	struct err ignored;
	bool found;

	if (strncmp(target, origin->path, len) == 0 && target[len] == '/')
		return origin->kind != ORIGIN_FOREIGN;
	if (!origin_links_lead_out(origin) ||
	    (!origin->links_known &&
	     origin_look_up(origin, sys, env, dirfd, &found, &ignored) != 0))
		return false;
	for (size_t i = 0; i < origin->link_count; i++) {
		if (slice_is(origin->links[i].file, file))
			return slice_is(origin->links[i].target, target);
	}
	if (!origin->personal)
		return false;
	/* A state folder that takes nothing is no reason to hide the person's own memories. */
	origin_record_link(origin, sys, env, dirfd, file, target, &ignored);
	return true;
}
