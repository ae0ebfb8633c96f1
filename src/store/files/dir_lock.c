#include "store/files/dir_lock.h"

#include "base/mem.h"
#include "git/reads.h"
#include "store/files/confine.h"
#include "store/files/format_files.h"
#include "store/files/lock_queue.h"
#include "store/files/resolve.h"
#include "store/files/reviewed.h"
#include "store/files/store_folder.h"
#include "store/location/project.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

/* The longest pause of who is not the first in the queue for the lock. */
#define LOCK_PAUSE_MS 8

/* How often the lock file may be removed under us before that counts as an error. */
#define LOCK_TRIES 100

/*
 * True if we know the format in .kota. A missing .kota is fine: a folder of the original handler.
 */
static int dir_check_format(struct disk *disk, struct err *err)
{
	STR_AUTO text = STR_INIT;
	struct file_id id;
	char *end;

	if (stat_cache_at(&disk->format, disk, MARK_FORMAT_NAME, &id, err) == 0 &&
	    file_id_equal(&id, &disk->format_id))
		return 0;
	if (disk_read(disk, MARK_FORMAT_NAME, &text, &id, err) != 0)
		return -1;
	if (!id.present) {
		disk->format_id = id;
		return 0;
	}
	if (strncmp(text.ptr, MARK_FORMAT_PREFIX, strlen(MARK_FORMAT_PREFIX)) != 0)
		return err_set(err, ERR_BAD_FORMAT,
			       "%s/" MARK_FORMAT_NAME " does not say \"" MARK_FORMAT_PREFIX
			       "%d\": this is not a memory store",
			       disk->path, STORE_FORMAT);
	long long format = strtoll(text.ptr + strlen(MARK_FORMAT_PREFIX), &end, 10);
	if (end == text.ptr + strlen(MARK_FORMAT_PREFIX) || format < 1 || *end != '\n')
		return err_set(err, ERR_BAD_FORMAT,
			       "%s/" MARK_FORMAT_NAME " has no format number: it should be %d",
			       disk->path, STORE_FORMAT);
	if (format > STORE_FORMAT)
		return err_set(err, ERR_BAD_FORMAT,
			       "%s has format %lld, this program knows formats up to %d: "
			       "use a newer kota",
			       disk->path, format, STORE_FORMAT);
	disk->format_id = id;
	return 0;
}

/* What a stat of the directory says of the names in it; asked_ns is the file clock before it. */
static void dir_note_folder(struct disk *disk, const struct stat *st, int64_t asked_ns)
{
	struct file_id before = disk->folder;

	file_id_from_stat(&disk->folder, st);
	if (!disk->names_settled || !file_id_equal(&before, &disk->folder))
		disk->names++;
	disk->names_settled = disk->names_trusted && disk_is_old(disk, &st->st_ctim, asked_ns) &&
			      disk_is_old(disk, &st->st_mtim, asked_ns);
}

static void dir_close_directory(struct disk *disk)
{
	for (int f = 0; f < STORE_FILE_COUNT; f++)
		write_through_forget(&disk->written[f]);
	stat_cache_release(&disk->format, disk->sys);
	file_let_go(disk->sys, &disk->pending);
	file_let_go(disk->sys, &disk->derived[0]);
	file_let_go(disk->sys, &disk->derived[1]);
	file_let_go(disk->sys, &disk->lock_file);
	str_clear(&disk->pending_lines);
	file_close(disk->sys, &disk->dirfd);
	disk->names_settled = false;
	disk->names++;
}

/*
 * Opens what the path names. A project's store is opened from the project's root without following
 * a link: one in its place, or in that of the folder around it, may lead anywhere.
 */
static int dir_open_named(const struct disk *disk)
{
	int flags = O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC;
	/* O_PATH: search permission is enough to pass through them. */
	int passing = O_PATH | O_DIRECTORY | O_CLOEXEC;

	if (!disk->root)
		return file_open(disk->sys, AT_FDCWD, disk->path, flags, 0);
	int fd = file_open(disk->sys, AT_FDCWD, disk->root, passing, 0);
	if (fd < 0)
		return -1;
	int data = file_open(disk->sys, fd, PROJECT_FOLDER, passing | O_NOFOLLOW, 0);
	file_close(disk->sys, &fd);
	if (data < 0)
		return -1;
	fd = file_open(disk->sys, data, PROJECT_STORE, flags | O_NOFOLLOW, 0);
	file_close(disk->sys, &data);
	return fd;
}

/* What the origin depends on: the index of the repository around, the list of own stores. */
static void dir_note_basis(const struct disk *disk, const char *path, struct file_id *id)
{
	struct err ignored;

	if (!path || file_identify(disk->sys, AT_FDCWD, path, id, &ignored) != 0)
		*id = (struct file_id){.present = false};
}

/* Finds out where the open directory comes from; what was known stays when that fails. */
static int dir_find_origin(struct disk *disk, struct err *err)
{
	const char *path = disk->origin.path;
	struct origin found;

	/* Once confined we cannot read what such a repository names. */
	if (path && confine_is_shut(disk->confine) && reads_closed_around(disk->sys, path))
		return reads_refuse_around(path, err);
	if (origin_find(&found, disk->sys, disk->env, disk->dirfd, disk->path, disk->origin.named,
			err) != 0)
		return -1;
	origin_release(&disk->origin);
	disk->origin = found;
	disk->origins++;
	dir_note_basis(disk, disk->origin.index, &disk->index_id);
	dir_note_basis(disk, disk->origin.registry, &disk->known_id);
	return 0;
}

/* A pull may have brought parts of the store; the person may have trusted it. */
static int dir_refresh_origin(struct disk *disk, struct err *err)
{
	struct file_id index;
	struct file_id known;

	dir_note_basis(disk, disk->origin.index, &index);
	dir_note_basis(disk, disk->origin.registry, &known);
	if (file_id_equal(&index, &disk->index_id) && file_id_equal(&known, &disk->known_id))
		return 0;
	return dir_find_origin(disk, err);
}

/* ERR_CANNOT_WRITE: the store is not in the folder that the process keeps to. Always -1. */
static int dir_refuse_replaced(const char *path, struct err *err)
{
	return err_set(err, ERR_CANNOT_WRITE, "the folder %s was replaced: it " CONFINE_KEEPS,
		       path);
}

/* Opens the directory; absent is success with dirfd -1. */
static int dir_open_directory(struct disk *disk, struct err *err)
{
	int64_t asked_ns = disk->sys->file_clock_ns();
	struct stat st;

	disk->dirfd = dir_open_named(disk);
	if (disk->dirfd < 0) {
		if (errno == ENOENT)
			return 0;
		if (errno == ENOTDIR || (errno == ELOOP && disk->root))
			return err_set(err, ERR_BAD_FORMAT, "%s is not a directory", disk->path);
		if (errno == EACCES && confine_is_shut(disk->confine))
			return dir_refuse_replaced(disk->path, err);
		return disk_cannot(disk, "open", "", err);
	}
	if (disk->sys->fstat(disk->dirfd, &st) != 0) {
		disk_cannot(disk, "look at", "", err);
		dir_close_directory(disk);
		return -1;
	}
	disk->names_trusted = stat_cache_may_trust(disk->dirfd);
	dir_note_folder(disk, &st, asked_ns);
	if (dir_find_origin(disk, err) != 0) {
		dir_close_directory(disk);
		return -1;
	}
	if (disk->confine)
		disk->confine->enter(disk->confine, disk);
	if (dir_check_format(disk, err) != 0) {
		dir_close_directory(disk);
		return -1;
	}
	return 0;
}

int disk_open(struct disk *disk, const struct sys *sys, const char *path, struct err *err)
{
	struct place place = {.path = mem_strdup(path), .kind = PLACE_NAMED};
	int result = disk_open_at(disk, sys, NULL, &place, err);

	free(place.path);
	return result;
}

int disk_open_at(struct disk *disk, const struct sys *sys, environment env,
		 const struct place *place, struct err *err)
{
	return disk_open_confined(disk, sys, env, place, NULL, err);
}

int disk_open_confined(struct disk *disk, const struct sys *sys, environment env,
		       const struct place *place, struct confine *confine, struct err *err)
{
	struct disk opened = {
		.sys = sys,
		.env = env,
		.confine = confine,
		.path = mem_strdup(place->path),
		.root = place->root ? mem_strdup(place->root) : NULL,
		.dirfd = -1,
		.lock_fd = -1,
		.lock_body = STR_INIT,
		.pending_lines = STR_INIT,
		.origin = {.named = place->kind == PLACE_NAMED},
		.remarks = STR_INIT,
	};

	/* No slash at its end: messages put one before a file's name. */
	for (size_t len = strlen(opened.path); len > 1 && opened.path[len - 1] == '/';)
		opened.path[--len] = '\0';
	if (dir_open_directory(&opened, err) != 0) {
		disk_close(&opened);
		return -1;
	}
	*disk = opened;
	return 0;
}

void disk_close(struct disk *disk)
{
	disk_unlock(disk);
	str_release(&disk->lock_body);
	str_release(&disk->pending_lines);
	str_release(&disk->remarks);
	signer_forget(&disk->signer);
	dir_close_directory(disk);
	origin_release(&disk->origin);
	free(disk->path);
	free(disk->root);
	disk->path = disk->root = NULL;
}

static int dir_look_at_named(const struct disk *disk, struct stat *out)
{
	if (!disk->root)
		return disk->sys->fstatat(AT_FDCWD, disk->path, out, 0);
	int fd = dir_open_named(disk);
	int result = fd < 0 ? -1 : disk->sys->fstat(fd, out);
	file_close(disk->sys, &fd);
	return result;
}

/*
 * True if the path still names the directory that is open. It may have been removed and made anew.
 */
static bool dir_still_there(struct disk *disk)
{
	int64_t asked_ns = disk->sys->file_clock_ns();
	struct stat named;

	if (disk->dirfd < 0 || dir_look_at_named(disk, &named) != 0 ||
	    named.st_dev != disk->folder.dev || named.st_ino != disk->folder.ino)
		return false;
	dir_note_folder(disk, &named, asked_ns);
	return true;
}

/* *same says whether it is the directory that was open. */
static int dir_reopen(struct disk *disk, bool *same, struct err *err)
{
	*same = disk->lock_fd >= 0 || disk->folder_seen || dir_still_there(disk);
	disk->folder_seen = false;
	/* Under the lock the folder stays: a change is finished where it was begun. */
	if (*same)
		return disk->lock_fd >= 0 ? 0 : dir_refresh_origin(disk, err);
	dir_close_directory(disk);
	disk->recovered = false;
	return dir_open_directory(disk, err);
}

int disk_reopen(struct disk *disk, struct err *err)
{
	bool same;

	disk->folder_seen = false;
	if (dir_reopen(disk, &same, err) != 0)
		return -1;
	/* A newer program may have converted it meanwhile. */
	return same && disk->lock_fd < 0 ? dir_check_format(disk, err) : 0;
}

bool disk_names_stand(struct disk *disk)
{
	bool settled = disk->names_settled;
	uint64_t names = disk->names;
	int64_t asked_ns = disk->sys->file_clock_ns();
	struct stat st;

	if (disk->dirfd < 0)
		return true;
	if (disk->sys->fstat(disk->dirfd, &st) != 0)
		return false;
	dir_note_folder(disk, &st, asked_ns);
	return settled && disk->names == names;
}

bool disk_expects_lock(struct disk *disk)
{
	disk->folder_seen = disk->lock_fd < 0 && dir_still_there(disk);
	return disk->folder_seen || disk_exists(disk);
}

bool disk_exists(struct disk *disk)
{
	struct err ignored;

	return (disk->lock_fd < 0 && dir_still_there(disk)) ||
	       (disk_reopen(disk, &ignored) == 0 && disk->dirfd >= 0);
}

static int dir_fsync_directory(struct disk *disk, const char *path, struct err *err)
{
	int fd = file_open(disk->sys, AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	int result = fd < 0 ? -1 : file_fsync(disk->sys, fd);

	if (result != 0)
		err_set_errno(err, ERR_IO, errno, "cannot make %s durable", path);
	file_close(disk->sys, &fd);
	return result;
}

/* The directory in which a path lies; the caller frees it. */
static char *dir_parent_of(const char *path)
{
	size_t len = strlen(path);

	while (len > 1 && path[len - 1] == '/')
		len--;
	while (len > 0 && path[len - 1] != '/')
		len--;
	while (len > 1 && path[len - 1] == '/')
		len--;
	return len ? mem_strndup(path, len) : mem_strdup(".");
}

/* Makes one directory; *made says whether it was not there before. */
static int dir_make_one(struct disk *disk, const char *path, mode_t mode, bool *made,
			struct err *err)
{
	*made = disk->sys->mkdirat(AT_FDCWD, path, mode) == 0;
	if (!*made && errno == EACCES && confine_is_shut(disk->confine))
		return dir_refuse_replaced(disk->path, err);
	if (!*made && errno != EEXIST)
		return err_set_errno(err, ERR_CANNOT_WRITE, errno, "cannot make the directory %s",
				     path);
	/* Also if another process has just made it: it may have died before its fsync. */
	char *parent = dir_parent_of(path);
	int result = dir_fsync_directory(disk, parent, err);
	free(parent);
	return result;
}

/* Makes what lies above the store. */
static int dir_make_parents(struct disk *disk, struct err *err)
{
	char *path = mem_strdup(disk->path);
	size_t len = strlen(path);
	bool made;
	int result = 0;

	while (len > 1 && path[len - 1] == '/')
		path[--len] = '\0';
	for (size_t i = 1; result == 0 && i < len; i++) {
		struct stat st;

		if (path[i] != '/')
			continue;
		path[i] = '\0';
		if (disk->sys->fstatat(AT_FDCWD, path, &st, 0) != 0)
			result = dir_make_one(disk, path, 0777, &made, err);
		path[i] = '/';
	}
	free(path);
	return result;
}

/* A project's folder that is a link would have the store made elsewhere. */
static int dir_check_above(const struct disk *disk, struct err *err)
{
	STR_AUTO path = STR_INIT;
	struct stat st;

	if (!disk->root)
		return 0;
	str_printf(&path, "%s/" PROJECT_FOLDER, disk->root);
	if (disk->sys->fstatat(AT_FDCWD, path.ptr, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? 0
				       : err_set_errno(err, err_code_of_write(errno), errno,
						       "cannot look at %s", path.ptr);
	if (S_ISLNK(st.st_mode))
		return err_set(err, ERR_BAD_FORMAT,
			       "%s is a link: a project's memory is made in a real folder only; "
			       "--dir names another place",
			       path.ptr);
	return 0;
}

static int dir_make_directory(struct disk *disk, struct err *err)
{
	bool made;

	if (disk->dirfd >= 0)
		return 0;
	if (dir_check_above(disk, err) != 0)
		return -1;
	if (dir_make_parents(disk, err) != 0 ||
	    dir_make_one(disk, disk->path, 0700, &made, err) != 0 ||
	    dir_open_directory(disk, err) != 0)
		return -1;
	if (disk->dirfd < 0)
		return err_set(err, ERR_CANNOT_WRITE, "%s was removed while it was made",
			       disk->path);
	disk->made = disk->made || made;
	if (made && disk->sys->fchmod(disk->dirfd, 0700) != 0)
		return disk_cannot(disk, "set the mode of", "", err);
	return 0;
}

int disk_create(struct disk *disk, struct err *err)
{
	if (disk->lock_fd >= 0)
		return 0; /* taking the lock has made all */
	if (disk_lock(disk, DISK_LOCK_WAIT_MS, err) != 0)
		return -1;
	disk_unlock(disk);
	return 0;
}

/* True if the store comes from somebody whom the person has not reviewed yet. */
static int dir_check_origin(const struct disk *disk, struct err *err)
{
	if (disk->dirfd < 0 || origin_may_change(&disk->origin))
		return 0;
	return err_set(err, ERR_CANNOT_WRITE,
		       "%s came with a repository and is not trusted, so it can be read but not "
		       "changed: ask the user to run `kota trust` in a terminal",
		       disk->path);
}

/* True if the store is ours to change, as far as a look at the directory says. */
static int dir_check_owner(struct disk *disk, struct err *err)
{
	const struct file_id *folder = &disk->folder;

	if (disk->dirfd < 0)
		return 0;
	if (folder->uid != geteuid())
		return err_set(err, ERR_CANNOT_WRITE,
			       "%s belongs to somebody else (user %u): it can be read, but only "
			       "its owner can change it",
			       disk->path, (unsigned)folder->uid);
	if (folder->uid != 0 && (folder->mode & S_IWUSR) == 0)
		return err_set(err, ERR_CANNOT_WRITE,
			       "%s is read-only: it can be read but not changed", disk->path);
	return 0;
}

static int dir_hostile_lock(const struct disk *disk, struct err *err)
{
	return err_set(err, ERR_BAD_DATA,
		       "%s/" DISK_LOCK_NAME " must be a regular file of your own: remove it",
		       disk->path);
}

/* What the error of opening .lock says of the store. */
static int dir_lock_refused(const struct disk *disk, struct err *err)
{
	if (errno == EROFS || errno == EACCES)
		return err_set_errno(err, ERR_CANNOT_WRITE, errno, "%s can be read but not changed",
				     disk->path);
	if (errno == ELOOP || errno == EISDIR || errno == ENXIO)
		return dir_hostile_lock(disk, err);
	return disk_cannot(disk, "open", DISK_LOCK_NAME, err);
}

int disk_writable(struct disk *disk, struct err *err)
{
	int result = 0;

	if (disk_reopen(disk, err) != 0 || dir_check_owner(disk, err) != 0 ||
	    dir_check_origin(disk, err) != 0)
		return -1;
	if (disk->dirfd < 0)
		return 0;
	int fd = file_open(disk->sys, disk->dirfd, DISK_LOCK_NAME,
			   O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
	if (fd < 0 && (errno == EROFS || errno == EACCES))
		result = dir_lock_refused(disk, err);
	file_close(disk->sys, &fd);
	return result;
}

/* Opens .lock, where it is not open from the last time. */
static int dir_open_lock(struct disk *disk, struct err *err)
{
	struct kept_file *kept = &disk->lock_file;
	struct stat st;

	if (kept->open)
		return 0;
	kept->fd = file_open(disk->sys, disk->dirfd, DISK_LOCK_NAME,
			     O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	if (kept->fd < 0)
		return dir_lock_refused(disk, err);
	if (disk->sys->fstat(kept->fd, &st) != 0) {
		disk_cannot(disk, "look at", DISK_LOCK_NAME, err);
		file_close(disk->sys, &kept->fd);
		return -1;
	}
	/* dir_check_owner() has seen that the folder is ours. */
	if (!S_ISREG(st.st_mode) || st.st_uid != disk->folder.uid) {
		file_close(disk->sys, &kept->fd);
		return dir_hostile_lock(disk, err);
	}
	/* A mode that is not 0600 comes from an odd umask. */
	if ((st.st_mode & 0777) != 0600)
		disk->sys->fchmod(kept->fd, 0600);
	kept->open = true;
	kept->dev = st.st_dev;
	kept->ino = st.st_ino;
	return 0;
}

/*
 * Tries until the lock is ours or waited_ms has come to wait_ms: at once where nobody waits, else
 * in its turn.
 */
static int dir_wait_for_lock(struct disk *disk, struct lock_queue *queue, int fd, int64_t wait_ms,
			     int64_t *waited_ms, struct err *err)
{
	bool turn = !lock_queue_is_busy(disk->sys, disk->dirfd);
	int64_t pause_ms = 1;

	while (!turn || disk->sys->flock(fd, LOCK_EX | LOCK_NB) != 0) {
		if (turn && errno == EINTR)
			continue;
		if (turn && errno != EWOULDBLOCK)
			return disk_cannot(disk, "lock", DISK_LOCK_NAME, err);
		if (wait_ms <= 0)
			return err_set(err, ERR_BUSY,
				       "another process is changing the store; try again");
		if (*waited_ms >= wait_ms)
			return err_set(err, ERR_BUSY,
				       "another process has been changing the store for %" PRId64
				       " s; try again",
				       wait_ms / 1000);
		if (queue->fd < 0)
			lock_queue_join(queue, disk->sys, disk->dirfd);
		disk->sys->sleep_ms(pause_ms);
		*waited_ms += pause_ms;
		turn = lock_queue_is_first(queue);
		pause_ms = turn ? 1 : pause_ms < LOCK_PAUSE_MS ? pause_ms * 2 : LOCK_PAUSE_MS;
	}
	return 0;
}

/* True if the locked file is still the one of that name. Somebody may have removed it. */
static bool dir_lock_is_current(struct disk *disk)
{
	struct stat named;

	if (disk->sys->fstatat(disk->dirfd, DISK_LOCK_NAME, &named, AT_SYMLINK_NOFOLLOW) != 0 ||
	    disk->lock_file.dev != named.st_dev || disk->lock_file.ino != named.st_ino)
		return false;
	disk->lock_bytes = named.st_size;
	return true;
}

static int dir_take_lock(struct disk *disk, int64_t wait_ms, struct err *err)
{
	int64_t waited_ms = 0;

	for (int tries = 0; tries < LOCK_TRIES; tries++) {
		struct lock_queue queue = {.sys = disk->sys, .fd = -1};
		int64_t before_ms = waited_ms;
		bool same;

		/* The format is looked at when the lock is ours; whether there is one is asked now.
		 */
		if (dir_reopen(disk, &same, err) != 0 ||
		    (same && !disk->format_id.present && disk->dirfd >= 0 &&
		     dir_check_format(disk, err) != 0) ||
		    dir_make_directory(disk, err) != 0 || dir_check_owner(disk, err) != 0 ||
		    dir_check_origin(disk, err) != 0 || folder_admit(disk, err) != 0 ||
		    dir_open_lock(disk, err) != 0)
			return -1;
		int result = dir_wait_for_lock(disk, &queue, disk->lock_file.fd, wait_ms,
					       &waited_ms, err);
		lock_queue_leave(&queue);
		if (result != 0) {
			file_let_go(disk->sys, &disk->lock_file);
			return -1;
		}
		if (dir_lock_is_current(disk) &&
		    (waited_ms == before_ms || dir_still_there(disk))) {
			disk->lock_fd = disk->lock_file.fd;
			disk_look_again(disk, STORE_FILE_COUNT);
			return 0;
		}
		file_let_go(disk->sys, &disk->lock_file);
	}
	return err_set(err, ERR_IO, "%s/" DISK_LOCK_NAME " keeps being removed", disk->path);
}

bool disk_lacks(const struct disk *disk, const char *name)
{
	struct stat st;

	return disk->dirfd < 0 ||
	       (disk->sys->fstatat(disk->dirfd, name, &st, AT_SYMLINK_NOFOLLOW) != 0 &&
		errno == ENOENT);
}

/* True if nothing in the folder could have been put there by somebody else. */
static bool dir_is_new(const struct disk *disk)
{
	if (disk->format_id.present)
		return false;
	for (int f = 0; f < STORE_FILE_COUNT; f++) {
		if (!disk_lacks(disk, store_file_name((enum store_file)f)))
			return false;
	}
	return disk_lacks(disk, ".git") && disk_lacks(disk, CONFIG_NAME);
}

/* What is made here is the person's own. Without a state folder it is one that nobody reviewed. */
static void dir_register_made(struct disk *disk)
{
	struct err ignored;

	if (!disk->env || disk->origin.kind != ORIGIN_UNREVIEWED ||
	    origin_register(&disk->origin, disk->sys, disk->env, disk->dirfd, false, &ignored) != 0)
		return;
	if (dir_find_origin(disk, &ignored) == 0)
		(void)!reviewed_begin(disk, NULL, 0, NULL, 0, &ignored);
}

int disk_lock(struct disk *disk, int64_t wait_ms, struct err *err)
{
	if (disk->hands_off)
		return err_set(err, ERR_CANNOT_WRITE, "%s is open for reading only", disk->path);
	if (dir_take_lock(disk, wait_ms, err) != 0)
		return -1;
	bool new = dir_is_new(disk);
	/* A newer program may have converted the store since it was opened. */
	if (dir_check_format(disk, err) != 0 || format_files_make(disk, err) != 0) {
		disk_unlock(disk);
		return -1;
	}
	if (new)
		dir_register_made(disk);
	return 0;
}

void disk_unlock(struct disk *disk)
{
	disk->lock_body_known = false;
	str_clear(&disk->pending_lines);
	if (disk->lock_fd >= 0 && disk->sys->flock(disk->lock_fd, LOCK_UN) != 0)
		file_let_go(disk->sys, &disk->lock_file); /* which releases it, too */
	disk->lock_fd = -1;
}
