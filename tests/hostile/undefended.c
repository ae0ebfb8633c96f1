/*
 * The control of tests/hostile: kota with the defences switched off that HOSTILE_WITHOUT names,
 * separated by commas. Linked with --wrap, which sends every call of a wrapped function here.
 *
 *	origin    every store is the person's own, whoever made it
 *	links     the link of a category file may lead anywhere
 *	calls     links are followed wherever they lead, and opening waits
 *	place     data/kota_memory may be a link, and may be reached through one
 *	landlock  the kernel confines nothing
 *	guard     nobody looks at a repository before the library opens it
 *	objects   objects are swept in whatever folder they are
 *	journal   every journal is one that the person has signed
 *	settings  a store's settings are all in force
 *	secrets   nothing is taken for a secret
 *	inert     what looks like a tag stays as it is
 *	size      a file may be as long as it likes
 *	worktree  a linked work tree need not be known to the repository that it names
 *	state     the state folder may lie in the work tree
 *	registry  a store is known by its path alone
 *	inode     any file of its name is the displaced one that .lock speaks of
 *	last      no last text is looked for when a file is empty or does not parse
 *	sound     whatever stands in a file is recorded, whether it parses or not
 *	welcome   the other way: every store is taken for somebody else's
 */
/* The program asks for its table by the name of the one below. */
#undef sys_real

#include "base/inert.h"
#include "base/landlock.h"
#include "base/utf8.h"
#include "git/guard.h"
#include "git/write/pack.h"
#include "model/settings.h"
#include "secrets/secret_scan.h"
#include "store/files/dir.h"
#include "store/history/history.h"
#include "store/history/sound_text.h"
#include "store/location/project.h"
#include "store/location/worktree.h"
#include "store/log/journal_seal.h"
#include "store/swap/swap_log.h"
#include "store/trust/state_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

const struct sys *undefended_sys(void);

static bool without(const char *defence)
{
	const char *list = getenv("HOSTILE_WITHOUT");
	size_t len = strlen(defence);

	while (list && *list) {
		size_t word = strcspn(list, ",");

		if (word == len && strncmp(list, defence, len) == 0)
			return true;
		list += word + (list[word] == ',');
	}
	return false;
}

/* ---- system calls */

static int open_anything(int dirfd, const char *path, int flags, mode_t mode)
{
	if (without("calls"))
		flags &= ~(O_NOFOLLOW | O_NONBLOCK);
	return openat(dirfd, path, flags, mode);
}

static int open_anywhere(int dirfd, const char *path, const struct open_how *how)
{
	return open_anything(dirfd, path, (int)how->flags, (mode_t)how->mode);
}

static int stat_anything(int dirfd, const char *path, struct stat *st, int flags)
{
	return fstatat(dirfd, path, st, flags & ~AT_SYMLINK_NOFOLLOW);
}

const struct sys *undefended_sys(void)
{
	static struct sys table;

	table = *sys_real();
	if (without("calls")) {
		table.openat = open_anything;
		table.openat2 = open_anywhere;
		table.fstatat = stat_anything;
	}
	return &table;
}

/* ---- which file was displaced */

bool __real_swap_log_means(const struct swap_log *intent, const struct inode *noted, uint64_t dev,
			   const struct inode *seen);
bool __wrap_swap_log_means(const struct swap_log *intent, const struct inode *noted, uint64_t dev,
			   const struct inode *seen);
bool __wrap_swap_log_means(const struct swap_log *intent, const struct inode *noted, uint64_t dev,
			   const struct inode *seen)
{
	if (without("inode") && intent->found && intent->this_boot)
		return noted == &intent->file || noted->ino == seen->ino;
	return __real_swap_log_means(intent, noted, dev, seen);
}

/* ---- which text is believed */

bool __real_history_find_last(struct store *store, enum store_file file, struct slice cached,
			      int64_t cached_ms, struct str *out);
bool __wrap_history_find_last(struct store *store, enum store_file file, struct slice cached,
			      int64_t cached_ms, struct str *out);
bool __wrap_history_find_last(struct store *store, enum store_file file, struct slice cached,
			      int64_t cached_ms, struct str *out)
{
	return !without("last") && __real_history_find_last(store, file, cached, cached_ms, out);
}

bool __real_sound_is_damaged(const char *name, struct slice text);
bool __wrap_sound_is_damaged(const char *name, struct slice text);
bool __wrap_sound_is_damaged(const char *name, struct slice text)
{
	return !without("sound") && __real_sound_is_damaged(name, text);
}

/* ---- where a store is, and where it comes from */

int __real_origin_find(struct origin *out, const struct sys *sys, environment env, int dirfd,
		       const char *path, bool named, struct err *err);
int __wrap_origin_find(struct origin *out, const struct sys *sys, environment env, int dirfd,
		       const char *path, bool named, struct err *err);
int __wrap_origin_find(struct origin *out, const struct sys *sys, environment env, int dirfd,
		       const char *path, bool named, struct err *err)
{
	int result = __real_origin_find(out, sys, env, dirfd, path, named, err);

	if (result == 0 && without("origin")) {
		out->kind = ORIGIN_OWN;
		out->tracked = out->shared = out->other_owner = false;
		out->committed = 0;
	}
	if (result == 0 && without("welcome"))
		out->kind = ORIGIN_FOREIGN;
	return result;
}

bool __real_origin_may_follow(struct origin *origin, const struct sys *sys, environment env,
			      int dirfd, const char *file, const char *target);
bool __wrap_origin_may_follow(struct origin *origin, const struct sys *sys, environment env,
			      int dirfd, const char *file, const char *target);
bool __wrap_origin_may_follow(struct origin *origin, const struct sys *sys, environment env,
			      int dirfd, const char *file, const char *target)
{
	return without("links") || __real_origin_may_follow(origin, sys, env, dirfd, file, target);
}

int __real_disk_open_confined(struct disk *disk, const struct sys *sys, environment env,
			      const struct place *place, struct confine *confine, struct err *err);
int __wrap_disk_open_confined(struct disk *disk, const struct sys *sys, environment env,
			      const struct place *place, struct confine *confine, struct err *err);
int __wrap_disk_open_confined(struct disk *disk, const struct sys *sys, environment env,
			      const struct place *place, struct confine *confine, struct err *err)
{
	struct place bare = *place;

	if (without("place"))
		bare.root = NULL;
	return __real_disk_open_confined(disk, sys, env, &bare, confine, err);
}

/* As on a kernel that knows of no such thing. */
int __real_landlock_abi(const struct sys *sys, int *number);
int __wrap_landlock_abi(const struct sys *sys, int *number);
int __wrap_landlock_abi(const struct sys *sys, int *number)
{
	if (!without("landlock"))
		return __real_landlock_abi(sys, number);
	if (number)
		*number = ENOSYS;
	return 0;
}

int __real_project_store(const struct project *project, const struct sys *sys, char **folder,
			 struct str *link, struct err *err);
int __wrap_project_store(const struct project *project, const struct sys *sys, char **folder,
			 struct str *link, struct err *err);
int __wrap_project_store(const struct project *project, const struct sys *sys, char **folder,
			 struct str *link, struct err *err)
{
	int result = __real_project_store(project, sys, folder, link, err);

	if (result == 0 && without("place"))
		str_clear(link);
	return result;
}

size_t __real_disk_bytes_max(const struct disk *disk);
size_t __wrap_disk_bytes_max(const struct disk *disk);
size_t __wrap_disk_bytes_max(const struct disk *disk)
{
	return without("size") ? (size_t)1 << 30 : __real_disk_bytes_max(disk);
}

int __real_worktree_find(struct worktree *out, const struct sys *sys, const char *root,
			 struct err *err);
int __wrap_worktree_find(struct worktree *out, const struct sys *sys, const char *root,
			 struct err *err);
int __wrap_worktree_find(struct worktree *out, const struct sys *sys, const char *root,
			 struct err *err)
{
	int result = __real_worktree_find(out, sys, root, err);

	if (result == 0 && without("worktree"))
		out->doubts = NULL;
	return result;
}

/* ---- the person's state folder */

int __real_state_folder_open(const struct sys *sys, environment env, const char *work_tree,
			     bool make, int *dirfd, struct err *err);
int __wrap_state_folder_open(const struct sys *sys, environment env, const char *work_tree,
			     bool make, int *dirfd, struct err *err);
int __wrap_state_folder_open(const struct sys *sys, environment env, const char *work_tree,
			     bool make, int *dirfd, struct err *err)
{
	return __real_state_folder_open(sys, env, without("state") ? NULL : work_tree, make, dirfd,
					err);
}

struct registered *__real_registry_find(const struct registry *registry, const struct store_id *id,
					enum registry_match *match);
struct registered *__wrap_registry_find(const struct registry *registry, const struct store_id *id,
					enum registry_match *match);
struct registered *__wrap_registry_find(const struct registry *registry, const struct store_id *id,
					enum registry_match *match)
{
	struct registered *found = __real_registry_find(registry, id, match);

	if (*match == REGISTRY_SAME_PATH && without("registry"))
		*match = REGISTRY_SAME_FOLDER;
	return found;
}

int __real_journal_seal_check(struct disk *disk, const struct json *doc, uint32_t body,
			      enum seal *seal, struct err *err);
int __wrap_journal_seal_check(struct disk *disk, const struct json *doc, uint32_t body,
			      enum seal *seal, struct err *err);
int __wrap_journal_seal_check(struct disk *disk, const struct json *doc, uint32_t body,
			      enum seal *seal, struct err *err)
{
	if (!without("journal"))
		return __real_journal_seal_check(disk, doc, body, seal, err);
	*seal = SEAL_GOOD;
	return 0;
}

/* ---- repositories */

int __real_guard_own(const struct sys *sys, const char *dir, struct err *err);
int __wrap_guard_own(const struct sys *sys, const char *dir, struct err *err);
int __wrap_guard_own(const struct sys *sys, const char *dir, struct err *err)
{
	return without("guard") ? 0 : __real_guard_own(sys, dir, err);
}

int __real_guard_around(const struct sys *sys, const char *dir, struct err *err);
int __wrap_guard_around(const struct sys *sys, const char *dir, struct err *err);
int __wrap_guard_around(const struct sys *sys, const char *dir, struct err *err)
{
	return without("guard") ? 0 : __real_guard_around(sys, dir, err);
}

int __real_object_folders_check(struct repo *repo, struct err *err);
int __wrap_object_folders_check(struct repo *repo, struct err *err);
int __wrap_object_folders_check(struct repo *repo, struct err *err)
{
	return without("objects") ? 0 : __real_object_folders_check(repo, err);
}

/* ---- settings, secrets, and what a model is given */

void __real_settings_take(struct settings *settings, const struct settings *wish,
			  enum settings_trust trust);
void __wrap_settings_take(struct settings *settings, const struct settings *wish,
			  enum settings_trust trust);
void __wrap_settings_take(struct settings *settings, const struct settings *wish,
			  enum settings_trust trust)
{
	if (without("settings"))
		*settings = *wish;
	else
		__real_settings_take(settings, wish, trust);
}

bool __real_secrets_find(struct slice text, struct secret *out);
bool __wrap_secrets_find(struct slice text, struct secret *out);
bool __wrap_secrets_find(struct slice text, struct secret *out)
{
	return !without("secrets") && __real_secrets_find(text, out);
}

void __real_inert_add(struct str *out, struct slice text);
void __wrap_inert_add(struct str *out, struct slice text);
void __wrap_inert_add(struct str *out, struct slice text)
{
	if (without("inert"))
		utf8_add_visible(out, text, false);
	else
		__real_inert_add(out, text);
}
