#include "git/write/object_log.h"

#include "base/file.h"
#include "git/objects.h"
#include "git/write/log_mend.h"
#include "git/write/pack.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>

#define LOG_NAME "kota-objects"
#define LOG_PATH ".git/" LOG_NAME

/* Set aside: with a broken record in the middle, till a person has asked for the others; after
 * that; and that of another store. */
#define BROKEN_NAME LOG_NAME ".broken"
#define CARRIED_NAME LOG_NAME ".unreadable"
#define FOREIGN_NAME LOG_NAME ".foreign"

/* "kota-objects 1 EPOCH BOOT", blanks, and a line feed. */
#define LOG_MARK "kota-objects 1 "
#define HEAD_BYTES 512

/* All its room; and when it has had enough: to pack what is in it takes milliseconds. */
#define LOG_ROOM ((size_t)1 << 20)
#define DUE_BYTES ((size_t)1 << 18)
#define DUE_RECORDS 64
#define LOOK_EACH 16

/* So few objects are not worth a pack when nothing is asked for: a pack holds whole texts. */
#define REST_OBJECTS 24

static int log_error(const struct repo *repo, const char *what, struct err *err)
{
	return err_set_errno(err, ERR_NO_HISTORY, errno, "cannot %s %s" LOG_NAME, what,
			     repo->folder.ptr);
}

/* ---- the file */

struct log_head {
	uint64_t epoch;
	char boot[64];
};

static bool log_read_head(const struct sys *sys, int fd, struct log_head *out)
{
	char text[HEAD_BYTES + 1];
	ssize_t got = sys->pread(fd, text, HEAD_BYTES, 0);

	text[got > 0 ? got : 0] = '\0';
	return got == HEAD_BYTES &&
	       sscanf(text, LOG_MARK "%" SCNu64 " %63s", &out->epoch, out->boot) == 2;
}

/* Begins the log anew, for records of this boot. */
static int log_write_head(struct repo *repo, uint64_t epoch, struct err *err)
{
	struct object_log *log = &repo->log;
	STR_AUTO text = STR_INIT;

	str_printf(&text, LOG_MARK "%020" PRIu64 " %s", epoch, log->boot);
	while (text.len < HEAD_BYTES - 1)
		str_addc(&text, ' ');
	str_addc(&text, '\n');
	log->epoch = epoch;
	log->end = HEAD_BYTES;
	log->records = 0;
	if (repo->sys->pwrite(log->fd, text.ptr, text.len, 0) != (ssize_t)text.len ||
	    file_fsync(repo->sys, log->fd) != 0)
		return log_error(repo, "write", err);
	return 0;
}

static void log_path(const struct repo *repo, struct str *out)
{
	repo_common_path(repo, "", LOG_NAME, out);
}

void object_log_close(struct repo *repo)
{
	file_close(repo->sys, &repo->log.fd);
	repo->log.fd = -1;
	repo->log.ready = false;
}

static bool log_open(struct repo *repo, const char *path)
{
	struct object_log *log = &repo->log;
	struct stat st;

	log->fd = file_open(repo->sys, AT_FDCWD, path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
			    0);
	if (log->fd >= 0 && repo->sys->fstat(log->fd, &st) != 0)
		object_log_close(repo);
	if (log->fd < 0)
		return false;
	log->dev = st.st_dev;
	log->ino = st.st_ino;
	return true;
}

static int log_make(struct repo *repo, struct err *err)
{
	STR_AUTO path = STR_INIT;
	STR_AUTO temp = STR_INIT;
	STR_AUTO room = STR_INIT;

	log_path(repo, &path);
	str_printf(&temp, "%s.new", path.ptr);
	str_reserve(&room, LOG_ROOM);
	memset(room.ptr, 0, LOG_ROOM);
	if (git_file_put(repo->sys, temp.ptr, 0600, slice_make(room.ptr, LOG_ROOM), true, err) != 0)
		return -1;
	if (!log_open(repo, temp.ptr))
		return log_error(repo, "open", err);
	if (log_write_head(repo, (uint64_t)repo->sys->now_ms(), err) != 0 ||
	    repo->sys->renameat2(AT_FDCWD, temp.ptr, AT_FDCWD, path.ptr, 0) != 0 ||
	    git_file_sync(repo->sys, repo->folder.ptr, err) != 0) {
		log_error(repo, "make", err);
		object_log_close(repo);
		repo->sys->unlinkat(AT_FDCWD, temp.ptr, 0);
		return -1;
	}
	return 0;
}

/* How long the record at this place is, its head included; 0 where none of this epoch begins. */
static size_t log_length_at(struct repo *repo, size_t at)
{
	char head[RECORD_HEAD];

	if (at + RECORD_HEAD > LOG_ROOM ||
	    repo->sys->pread(repo->log.fd, head, sizeof head, (off_t)at) != sizeof head)
		return 0;
	uint64_t len = log_record_length(head, repo->log.epoch);
	return len > LOG_ROOM - at ? 0 : (size_t)len;
}

/* Goes on behind the last record that is whole: a process may have been killed while it wrote. */
static int log_find_end(struct repo *repo, struct err *err)
{
	struct object_log *log = &repo->log;
	STR_AUTO text = STR_INIT;
	size_t last = 0;
	struct slice body;
	size_t len;

	log->end = HEAD_BYTES;
	log->records = 0;
	while ((len = log_length_at(repo, log->end)) > 0) {
		last = log->end;
		log->end += log_record_round_up(len);
		log->records++;
	}
	if (last == 0)
		return 0;
	if (file_pread(repo->sys, log->fd, (off_t)last, log->end - last, log->end - last, &text) !=
	    0)
		return log_error(repo, "read", err);
	if (!log_record_at(str_slice(&text), 0, log->epoch, &body)) {
		log->end = last;
		log->records--;
	}
	return 0;
}

/*
 * True if the open file is still the one of that name, is used by this repository alone, and its
 * records are of this boot. Then whatever other processes have appended counts, too.
 */
static bool log_is_current(struct repo *repo)
{
	struct object_log *log = &repo->log;
	STR_AUTO path = STR_INIT;
	struct log_head head;
	struct stat named;
	struct err ignored;

	log_path(repo, &path);
	if (log->fd < 0 ||
	    repo->sys->fstatat(AT_FDCWD, path.ptr, &named, AT_SYMLINK_NOFOLLOW) != 0 ||
	    named.st_ino != log->ino || named.st_dev != log->dev || named.st_nlink != 1 ||
	    !log_read_head(repo->sys, log->fd, &head) || strcmp(head.boot, log->boot) != 0)
		return false;
	if (head.epoch == log->epoch && log_length_at(repo, log->end) == 0)
		return true;
	log->epoch = head.epoch;
	return log_find_end(repo, &ignored) == 0;
}

int object_log_append(struct repo *repo, const struct logged_recording *recording, struct err *err)
{
	struct object_log *log = &repo->log;
	STR_AUTO body = STR_INIT;
	STR_AUTO text = STR_INIT;

	if (!log->ready)
		return err_set(err, ERR_NO_HISTORY, "%s has no log of objects", repo->folder.ptr);
	log_record_compose(&body, repo, recording);
	if (RECORD_HEAD + body.len > LOG_ROOM - log->end)
		return err_set(err, ERR_NO_HISTORY, "%s" LOG_NAME " is full", repo->folder.ptr);
	log_record_put_head(&text, log->epoch, str_slice(&body));
	str_add(&text, str_slice(&body));
	if (repo->sys->pwrite(log->fd, text.ptr, text.len, (off_t)log->end) != (ssize_t)text.len ||
	    file_fsync(repo->sys, log->fd) != 0)
		return log_error(repo, "write", err);
	log->end += log_record_round_up(text.len);
	log->records++;
	return 0;
}

bool object_log_is_due(struct repo *repo)
{
	struct object_log *log = &repo->log;
	/* Other programs leave loose objects as well, so look now and then. */
	bool look = !log->looked || log->fd < 0 || log->records % LOOK_EACH == 0;

	log->looked = true;
	return log->records >= DUE_RECORDS || log->end >= DUE_BYTES || (look && pack_is_due(repo));
}

/* Makes a file durable that may have gone. */
static int log_sync_if_there(const struct repo *repo, const char *path, struct err *err)
{
	struct stat st;

	return repo->sys->fstatat(AT_FDCWD, path, &st, 0) != 0 && errno == ENOENT
		       ? 0
		       : git_file_sync(repo->sys, path, err);
}

/* The index, the branch, and the names of both. */
static int log_sync_refs(struct repo *repo, struct err *err)
{
	STR_AUTO path = STR_INIT;

	repo_path(repo, "index", &path);
	if (log_sync_if_there(repo, path.ptr, err) != 0 ||
	    git_file_sync(repo->sys, repo->folder.ptr, err) != 0)
		return -1;
	repo_common_path(repo, "", repo_branch(repo), &path);
	if (log_sync_if_there(repo, path.ptr, err) != 0)
		return -1;
	str_truncate(&path, (size_t)(strrchr(path.ptr, '/') - path.ptr));
	return log_sync_if_there(repo, path.ptr, err);
}

int object_log_flush(struct repo *repo, struct err *err)
{
	repo->log.ready = false;
	if (repo->log.fd < 0 || !log_is_current(repo))
		return pack_run(repo, err);
	if (pack_run(repo, err) != 0 || log_sync_refs(repo, err) != 0)
		return -1;
	return log_write_head(repo, repo->log.epoch + 1, err);
}

int object_log_rest(struct repo *repo, struct err *err)
{
	struct object_log *log = &repo->log;
	struct id_list ids = {0};
	STR_AUTO text = STR_INIT;
	int result = 0;

	if (!log->ready || log->records == 0)
		return 0;
	if (file_pread(repo->sys, log->fd, HEAD_BYTES, log->end - HEAD_BYTES, log->end - HEAD_BYTES,
		       &text) != 0)
		return log_error(repo, "read", err);
	log->ready = false;
	log_list_objects(repo, str_slice(&text), log->epoch, &ids);
	if (ids.count > REST_OBJECTS) {
		id_list_release(&ids);
		return object_log_flush(repo, err);
	}
	for (size_t i = 0; result == 0 && i < ids.count; i++) {
		if (objects_is_loose(repo, &ids.items[i]))
			result = objects_sync(repo, &ids.items[i], err);
	}
	id_list_release(&ids);
	if (result != 0 || log_sync_refs(repo, err) != 0)
		return -1;
	return log_write_head(repo, log->epoch + 1, err);
}

int object_log_wipe(struct repo *repo, struct err *err)
{
	STR_AUTO path = STR_INIT;
	struct stat st;

	log_path(repo, &path);
	if (repo->sys->fstatat(AT_FDCWD, path.ptr, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? 0 : log_error(repo, "look at", err);
	if (object_log_flush(repo, err) != 0)
		return -1;
	object_log_close(repo);
	if (repo->sys->unlinkat(AT_FDCWD, path.ptr, 0) != 0)
		return errno == ENOENT ? 0 : log_error(repo, "remove", err);
	return git_file_sync(repo->sys, repo->folder.ptr, err);
}

/* ---- after a power cut */

bool object_log_is_old(const struct sys *sys, int dirfd, const char *boot)
{
	int fd = file_open(sys, dirfd, LOG_PATH, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
	struct log_head head;
	bool old = fd >= 0 && log_read_head(sys, fd, &head) && strcmp(head.boot, boot) != 0;

	file_close(sys, &fd);
	return old;
}

bool object_log_is_broken(const struct sys *sys, int dirfd)
{
	struct stat st;

	return sys->fstatat(dirfd, ".git/" BROKEN_NAME, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

size_t object_log_missing(struct repo *repo, const char *boot)
{
	STR_AUTO path = STR_INIT;
	STR_AUTO text = STR_INIT;
	size_t missing = 0;
	struct log_head head;

	log_path(repo, &path);
	int fd = file_open(repo->sys, AT_FDCWD, path.ptr,
			   O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
	if (fd >= 0 && log_read_head(repo->sys, fd, &head) && strcmp(head.boot, boot) != 0 &&
	    file_pread(repo->sys, fd, HEAD_BYTES, LOG_ROOM, LOG_ROOM, &text) == 0)
		missing = log_count_missing(repo, str_slice(&text), head.epoch);
	file_close(repo->sys, &fd);
	return missing;
}

static int log_set_aside(struct repo *repo, const char *name, const char *aside, struct err *err)
{
	STR_AUTO from = STR_INIT;
	STR_AUTO to = STR_INIT;

	repo_common_path(repo, "", name, &from);
	repo_common_path(repo, "", aside, &to);
	if (repo->sys->renameat2(AT_FDCWD, from.ptr, AT_FDCWD, to.ptr, 0) != 0)
		return log_error(repo, "set aside", err);
	return git_file_sync(repo->sys, repo->folder.ptr, err);
}

static int log_refuse(const struct repo *repo, struct err *err)
{
	return err_set(err, ERR_NO_HISTORY,
		       "%s" BROKEN_NAME " is a log of changes with a record that cannot be read: "
		       "kota doctor --fix puts back the changes that the other records hold",
		       repo->folder.ptr);
}

/* What another boot has written. *fresh becomes true where the log was set aside. */
static int log_do_again(struct repo *repo, uint64_t epoch, bool *fresh, struct err *err)
{
	enum log_use use = LOG_DONE;
	STR_AUTO text = STR_INIT;

	if (file_pread(repo->sys, repo->log.fd, HEAD_BYTES, LOG_ROOM - HEAD_BYTES,
		       LOG_ROOM - HEAD_BYTES, &text) != 0)
		return log_error(repo, "read", err);
	if (log_mend(repo, str_slice(&text), epoch, &use, err) != 0)
		return -1;
	if (use == LOG_DONE)
		return log_sync_refs(repo, err);
	*fresh = true;
	if (log_set_aside(repo, LOG_NAME, use == LOG_BROKEN ? BROKEN_NAME : FOREIGN_NAME, err) != 0)
		return -1;
	return use == LOG_BROKEN ? log_refuse(repo, err) : 0;
}

int object_log_carry_out(struct repo *repo, struct err *err)
{
	enum log_use use = LOG_DESPITE;
	STR_AUTO path = STR_INIT;
	STR_AUTO text = STR_INIT;
	struct log_head head;

	repo_common_path(repo, "", BROKEN_NAME, &path);
	int fd = file_open(repo->sys, AT_FDCWD, path.ptr,
			   O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
	if (fd < 0 && errno == ENOENT)
		return 0;
	bool read = fd >= 0 && log_read_head(repo->sys, fd, &head) &&
		    file_pread(repo->sys, fd, HEAD_BYTES, LOG_ROOM, LOG_ROOM, &text) == 0;
	file_close(repo->sys, &fd);
	if (!read)
		return log_error(repo, "read", err);
	if (log_mend(repo, str_slice(&text), head.epoch, &use, err) != 0 ||
	    log_sync_refs(repo, err) != 0)
		return -1;
	return log_set_aside(repo, BROKEN_NAME, CARRIED_NAME, err);
}

/* Takes over the log that is open. *fresh says whether a new one has to take its place. */
static int log_take_over(struct repo *repo, const struct log_head *head, bool *fresh, bool *mended,
			 struct err *err)
{
	bool old = strcmp(head->boot, repo->log.boot) != 0;
	struct stat st;

	/* A copy of the store that was made with hard links has it, too. */
	*fresh = repo->sys->fstat(repo->log.fd, &st) != 0 || st.st_nlink != 1;
	repo->log.epoch = head->epoch;
	if (!old && !*fresh)
		return log_find_end(repo, err);
	*mended = old;
	if (old ? log_do_again(repo, head->epoch, fresh, err) != 0
		: pack_run(repo, err) != 0 || log_sync_refs(repo, err) != 0)
		return -1;
	return *fresh ? 0 : log_write_head(repo, head->epoch + 1, err);
}

int object_log_begin(struct repo *repo, const char *boot, bool *mended, struct err *err)
{
	struct object_log *log = &repo->log;
	STR_AUTO path = STR_INIT;
	struct log_head head;
	struct err ignored;
	struct stat st;
	bool fresh = true;

	*mended = false;
	/* One that is open says that the repository is ours. */
	if (!*boot || strcmp(boot, "-") == 0 || (log->fd < 0 && !repo_is_ours(repo)))
		return 0;
	snprintf(log->boot, sizeof log->boot, "%s", boot);
	log->ready = log_is_current(repo);
	if (log->ready)
		return 0;
	object_log_close(repo);
	log_path(repo, &path);
	str_adds(&path, ".broken");
	if (repo->sys->fstatat(AT_FDCWD, path.ptr, &st, AT_SYMLINK_NOFOLLOW) == 0)
		return log_refuse(repo, err);
	log_path(repo, &path);
	if (log_open(repo, path.ptr) && log_read_head(repo->sys, log->fd, &head) &&
	    log_take_over(repo, &head, &fresh, mended, err) != 0) {
		object_log_close(repo);
		return -1;
	}
	if (fresh) {
		object_log_close(repo);
		/* Without a log every recording is made durable at once. */
		if (log_make(repo, &ignored) != 0)
			return 0;
	}
	log->ready = true;
	return 0;
}
