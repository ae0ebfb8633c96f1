#include "git/write/object_log.h"

#include "base/file.h"
#include "base/map.h"
#include "base/mem.h"
#include "git/objects.h"
#include "git/write/lock.h"
#include "git/write/tip.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define LOG_NAME "kota-objects"
#define LOG_PATH ".git/" LOG_NAME

/* "kota-objects 1 EPOCH BOOT", blanks, and a line feed. */
#define LOG_MARK "kota-objects 1 "
#define HEAD_BYTES 512

/* A record begins where a disk can write without what is before it. */
#define STEP 512
#define RECORD_MARK "kotaobj\1"
#define RECORD_HEAD 32

/* All its room; and when it has had enough: to pack what is in it takes milliseconds. */
#define LOG_ROOM ((size_t)1 << 20)
#define DUE_BYTES ((size_t)1 << 18)
#define DUE_RECORDS 64
#define LOOK_EACH 16

/* A longer reflog is not read. */
#define REFLOG_MAX ((size_t)64 << 20)

static int log_error(const struct repo *repo, const char *what, struct err *err)
{
	return err_set_errno(err, ERR_NO_HISTORY, errno, "cannot %s %s" LOG_NAME, what,
			     repo->folder.ptr);
}

/* ---- what a record is made of */

static void log_put_number(struct str *out, uint64_t number)
{
	for (int shift = 0; shift < 64; shift += 8)
		str_addc(out, (char)(number >> shift & 0xff));
}

static void log_put_text(struct str *out, struct slice text)
{
	log_put_number(out, text.len);
	str_add(out, text);
}

static void log_put_id(struct str *out, const struct object_id *id)
{
	str_add(out, slice_make((const char *)id->bytes, sizeof id->bytes));
}

static uint64_t log_number_at(const char *at)
{
	uint64_t number = 0;

	for (int i = 7; i >= 0; i--)
		number = number << 8 | (unsigned char)at[i];
	return number;
}

/* Takes so many bytes off the rest; false, and nothing taken, where there are fewer. */
static bool log_take(struct slice *rest, uint64_t len, struct slice *out)
{
	if (len > rest->len)
		return false;
	*out = slice_make(rest->ptr, (size_t)len);
	*rest = slice_make(rest->ptr + len, rest->len - (size_t)len);
	return true;
}

static bool log_take_number(struct slice *rest, uint64_t *out)
{
	struct slice bytes;

	if (!log_take(rest, 8, &bytes))
		return false;
	*out = log_number_at(bytes.ptr);
	return true;
}

static bool log_take_text(struct slice *rest, struct slice *out)
{
	uint64_t len;

	return log_take_number(rest, &len) && log_take(rest, len, out);
}

static bool log_take_id(struct slice *rest, struct object_id *out)
{
	struct slice bytes;

	if (!log_take(rest, OBJECT_ID_BYTES, &bytes))
		return false;
	memcpy(out->bytes, bytes.ptr, sizeof out->bytes);
	return true;
}

static size_t log_round_up(size_t bytes)
{
	return (bytes + STEP - 1) / STEP * STEP;
}

/* The head of a record, which says of which time it is and what it has to be. */
static void log_put_head(struct str *out, uint64_t epoch, struct slice body)
{
	str_adds(out, RECORD_MARK);
	log_put_number(out, epoch);
	log_put_number(out, body.len);
	log_put_number(out, hash64(body) + epoch);
}

/* The record at this place of the log; false where there is none of this time that is whole. */
static bool log_record_at(struct slice text, size_t at, uint64_t epoch, struct slice *body)
{
	const char *head = text.ptr + at;
	uint64_t len;

	if (at + RECORD_HEAD > text.len || memcmp(head, RECORD_MARK, 8) != 0 ||
	    log_number_at(head + 8) != epoch)
		return false;
	len = log_number_at(head + 16);
	if (len > text.len - at - RECORD_HEAD)
		return false;
	*body = slice_make(head + RECORD_HEAD, (size_t)len);
	return hash64(*body) + epoch == log_number_at(head + 24);
}

static void log_compose(struct str *out, const struct repo *repo,
			const struct logged_recording *recording)
{
	log_put_text(out, slice_of(recording->branch));
	log_put_id(out, recording->from);
	log_put_id(out, recording->to);
	log_put_number(out, (uint64_t)recording->time_ms);
	log_put_number(out, (uint64_t)(int64_t)recording->offset_min);
	log_put_number(out, recording->made->count);
	for (size_t i = 0; i < recording->made->count; i++) {
		const struct object_id *id = &recording->made->items[i];

		log_put_id(out, id);
		log_put_text(out, str_slice(&objects_find(repo, id)->file));
	}
	log_put_number(out, recording->count);
	for (size_t i = 0; i < recording->count; i++) {
		const struct index_change *change = &recording->changes[i];

		log_put_text(out, slice_of(change->path));
		log_put_number(out, change->count);
		for (size_t n = 0; n < change->count; n++)
			log_put_id(out, &change->blobs[n]);
	}
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

static int log_make(struct repo *repo, struct err *err)
{
	struct object_log *log = &repo->log;
	STR_AUTO path = STR_INIT;
	STR_AUTO temp = STR_INIT;
	STR_AUTO room = STR_INIT;

	log_path(repo, &path);
	str_printf(&temp, "%s.new", path.ptr);
	str_reserve(&room, LOG_ROOM);
	memset(room.ptr, 0, LOG_ROOM);
	if (git_file_put(repo->sys, temp.ptr, 0600, slice_make(room.ptr, LOG_ROOM), true, err) != 0)
		return -1;
	log->fd = file_open(repo->sys, AT_FDCWD, temp.ptr, O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0);
	if (log->fd < 0)
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

/* How long the record at this place is, its head included; 0 where none of this time begins. */
static size_t log_length_at(struct repo *repo, size_t at)
{
	char head[RECORD_HEAD];
	uint64_t len;

	if (at + RECORD_HEAD > LOG_ROOM ||
	    repo->sys->pread(repo->log.fd, head, sizeof head, (off_t)at) != sizeof head ||
	    memcmp(head, RECORD_MARK, 8) != 0 || log_number_at(head + 8) != repo->log.epoch)
		return 0;
	len = log_number_at(head + 16);
	return len > LOG_ROOM - at - RECORD_HEAD ? 0 : RECORD_HEAD + (size_t)len;
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
		log->end += log_round_up(len);
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
 * Is the open file still the one of that name, this repository's alone, and are its records of this
 * boot? Then whatever other processes have appended counts too.
 */
static bool log_is_current(struct repo *repo)
{
	struct object_log *log = &repo->log;
	STR_AUTO path = STR_INIT;
	struct log_head head;
	struct stat named;
	struct stat open;
	char mark[RECORD_HEAD];
	struct err ignored;

	log_path(repo, &path);
	if (log->fd < 0 ||
	    repo->sys->fstatat(AT_FDCWD, path.ptr, &named, AT_SYMLINK_NOFOLLOW) != 0 ||
	    repo->sys->fstat(log->fd, &open) != 0 || named.st_ino != open.st_ino ||
	    named.st_dev != open.st_dev || named.st_nlink != 1 ||
	    !log_read_head(repo->sys, log->fd, &head) || strcmp(head.boot, log->boot) != 0)
		return false;
	if (head.epoch == log->epoch &&
	    (log->end + RECORD_HEAD > LOG_ROOM ||
	     (repo->sys->pread(log->fd, mark, sizeof mark, (off_t)log->end) == sizeof mark &&
	      (memcmp(mark, RECORD_MARK, 8) != 0 || log_number_at(mark + 8) != log->epoch))))
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
	log_compose(&body, repo, recording);
	if (RECORD_HEAD + body.len > LOG_ROOM - log->end)
		return err_set(err, ERR_NO_HISTORY, "%s" LOG_NAME " is full", repo->folder.ptr);
	log_put_head(&text, log->epoch, str_slice(&body));
	str_add(&text, str_slice(&body));
	if (repo->sys->pwrite(log->fd, text.ptr, text.len, (off_t)log->end) != (ssize_t)text.len ||
	    file_fsync(repo->sys, log->fd) != 0)
		return log_error(repo, "write", err);
	log->end += log_round_up(text.len);
	log->records++;
	return 0;
}

bool object_log_is_due(struct repo *repo)
{
	struct object_log *log = &repo->log;
	/* Objects that others have left lie there, too: a look now and then. */
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

/* One that was read from the log. */
struct log_record {
	struct str branch;
	struct object_id from;
	struct object_id to;
	int64_t time_ms;
	int offset_min;
	struct slice objects; /* so many as count says */
	uint64_t count;
	struct slice changes;
	uint64_t change_count;
};

struct mending {
	struct repo *repo;
	struct log_record *records;
	size_t count;
	size_t cap;
	struct index_change *changes; /* of the branch that HEAD is on */
	size_t change_count;
	size_t change_cap;
	struct err *err;
};

/* Who unpacks a store has a log that others may have written: a name is part of a path. */
static bool log_names_branch(const struct repo *repo, const char *name)
{
	int valid = 0;

	return strncmp(name, "refs/heads/", 11) == 0 &&
	       repo->lib.reference_name_is_valid(&valid, name) == 0 && valid;
}

/* Walks over what a record has, to find where its parts begin. */
static bool log_parse(const struct repo *repo, struct slice body, struct log_record *out)
{
	struct object_id id;
	struct slice branch;
	struct slice text;
	uint64_t time;
	uint64_t offset;

	if (!log_take_text(&body, &branch) || !log_take_id(&body, &out->from) ||
	    !log_take_id(&body, &out->to) || !log_take_number(&body, &time) ||
	    !log_take_number(&body, &offset) || !log_take_number(&body, &out->count))
		return false;
	out->time_ms = (int64_t)time;
	out->offset_min = (int)(int64_t)offset;
	out->objects = body;
	for (uint64_t i = 0; i < out->count; i++) {
		if (!log_take_id(&body, &id) || !log_take_text(&body, &text))
			return false;
	}
	if (!log_take_number(&body, &out->change_count))
		return false;
	out->changes = body;
	str_init(&out->branch);
	str_add(&out->branch, branch);
	if (log_names_branch(repo, out->branch.ptr))
		return true;
	str_release(&out->branch);
	return false;
}

static bool log_is_whole(const struct repo *repo, const struct object_id *id)
{
	git_oid oid = lib_oid(id);
	git_odb_object *object = NULL;
	bool whole = repo->lib.odb_read(&object, repo->odb, &oid) == 0;

	repo->lib.odb_object_free(object);
	return whole;
}

static int log_mend_objects(const struct mending *mending, const struct log_record *record)
{
	struct slice rest = record->objects;

	for (uint64_t i = 0; i < record->count; i++) {
		struct object_id id;
		struct slice file;

		if (!log_take_id(&rest, &id) || !log_take_text(&rest, &file))
			return 0;
		if (!log_is_whole(mending->repo, &id) &&
		    objects_put_file(mending->repo, &id, file, true, mending->err) != 0)
			return -1;
	}
	return 0;
}

static struct index_change *log_change_of(struct mending *mending, struct slice path)
{
	for (size_t i = 0; i < mending->change_count; i++) {
		if (slice_is(path, mending->changes[i].path))
			return &mending->changes[i];
	}
	mending->changes = mem_grow(mending->changes, &mending->change_cap,
				    mending->change_count + 1, sizeof *mending->changes);
	mending->changes[mending->change_count] = (struct index_change){
		.path = mem_strndup(path.ptr, path.len)};
	return &mending->changes[mending->change_count++];
}

static void log_collect_changes(struct mending *mending, const struct log_record *record)
{
	struct slice rest = record->changes;

	for (uint64_t i = 0; i < record->change_count; i++) {
		struct index_change *change;
		struct slice path;
		uint64_t count;

		if (!log_take_text(&rest, &path) || !log_take_number(&rest, &count))
			return;
		change = log_change_of(mending, path);
		for (uint64_t n = 0; n < count; n++) {
			struct object_id id;

			if (!log_take_id(&rest, &id))
				return;
			change->blobs = mem_grow(change->blobs, &change->cap, change->count + 1,
						 sizeof *change->blobs);
			change->blobs[change->count++] = id;
		}
	}
}

/* The last record of the branch up to which all commits are there; NULL for none. */
static const struct log_record *log_last_whole(const struct mending *mending, const char *branch)
{
	const struct log_record *last = NULL;

	for (size_t i = 0; i < mending->count; i++) {
		const struct log_record *r = &mending->records[i];

		if (strcmp(r->branch.ptr, branch) != 0)
			continue;
		if ((!object_id_is_none(&r->from) && !log_is_whole(mending->repo, &r->from)) ||
		    !log_is_whole(mending->repo, &r->to))
			break;
		last = r;
	}
	return last;
}

/*
 * Does the reflog say that the branch was at `to` and was then moved to where it is, as git reset
 * does it? A reflog that cannot be read says nothing: a power cut may have torn it.
 */
static bool log_was_reset(const struct repo *repo, const struct branch_move *move)
{
	STR_AUTO path = STR_INIT;
	STR_AUTO text = STR_INIT;
	struct object_id from = {{0}};
	struct object_id now = {{0}};
	bool left = false;
	struct err ignored;
	struct slice rest;
	struct slice line;
	struct file_id id;

	repo_common_path(repo, "logs/", move->name, &path);
	if (file_read_own(repo->sys, AT_FDCWD, path.ptr, REFLOG_MAX, &text, &id, &ignored) != 0)
		return false;
	rest = str_slice(&text);
	while (slice_line(&rest, &line)) {
		/* The commit before, a blank and the one after. */
		if (line.len <= (size_t)2 * OBJECT_ID_DIGITS ||
		    !object_id_parse(slice_make(line.ptr, OBJECT_ID_DIGITS), &from) ||
		    !object_id_parse(slice_make(line.ptr + OBJECT_ID_DIGITS + 1, OBJECT_ID_DIGITS),
				     &now))
			continue;
		left = left || object_id_equal(&from, &move->to);
	}
	return left && object_id_equal(&now, &move->from);
}

/* Is the tip one that somebody else has given the branch, and none that it had on its way there? */
static bool log_is_of_others(struct repo *repo, const struct branch_move *move)
{
	git_oid below = lib_oid(&move->from);
	git_oid above = lib_oid(&move->to);

	return !object_id_is_none(&move->from) && log_is_whole(repo, &move->from) &&
	       (repo->lib.graph_descendant_of(repo->handle, &above, &below) != 1 ||
		log_was_reset(repo, move));
}

/* Has somebody removed or renamed the branch? Then HEAD is on another one. */
static bool log_is_removed(struct repo *repo, const char *branch)
{
	STR_AUTO path = STR_INIT;
	git_oid oid;
	struct stat st;

	repo_common_path(repo, "", branch, &path);
	return strcmp(branch, repo_branch(repo)) != 0 &&
	       repo->sys->fstatat(AT_FDCWD, path.ptr, &st, AT_SYMLINK_NOFOLLOW) != 0 &&
	       errno == ENOENT &&
	       repo->lib.reference_name_to_id(&oid, repo->handle, branch) == GIT_ENOTFOUND;
}

/* Moves the branch on from a tip that is missing, torn, or one that it had before. */
static int log_mend_branch(struct mending *mending, const char *branch)
{
	struct repo *repo = mending->repo;
	const struct log_record *last = log_last_whole(mending, branch);
	struct branch_move move = {.name = branch};

	if (!last || log_is_removed(repo, branch))
		return 0;
	move.to = last->to;
	move.time_ms = last->time_ms;
	move.offset_min = last->offset_min;
	if (tip_read(repo, branch, &move.from, mending->err) != 0)
		return -1;
	if (!object_id_equal(&move.from, &move.to)) {
		if (log_is_of_others(repo, &move))
			return 0;
		if (branch_move(repo, &move, mending->err) != 0)
			return -1;
	}
	for (size_t i = 0; i < mending->count && strcmp(branch, repo_branch(repo)) == 0; i++) {
		if (strcmp(mending->records[i].branch.ptr, branch) == 0)
			log_collect_changes(mending, &mending->records[i]);
	}
	return 0;
}

/* Has no later record the same branch? */
static bool log_is_last_of_branch(const struct mending *mending, size_t index)
{
	for (size_t i = index + 1; i < mending->count; i++) {
		if (strcmp(mending->records[i].branch.ptr, mending->records[index].branch.ptr) == 0)
			return false;
	}
	return true;
}

static int log_mend_index(const struct mending *mending)
{
	struct repo *repo = mending->repo;
	struct object_id head;
	struct index_update update = {
		.changes = mending->changes,
		.count = mending->change_count,
		.begun = &head,
		.durable = true,
	};
	int result;

	if (repo_head(repo, &head, mending->err) != 0)
		return -1;
	if (mending->change_count == 0)
		return 0;
	result = index_replace(repo, &update, mending->err);
	if (result == 0)
		index_settle(repo);
	return result;
}

static int log_mend_all(struct mending *mending)
{
	struct repo *repo = mending->repo;

	for (size_t i = 0; i < mending->count; i++) {
		if (log_mend_objects(mending, &mending->records[i]) != 0)
			return -1;
	}
	/* Texts of changes that were not acknowledged any more. */
	if (pack_remove_torn(repo, mending->err) != 0)
		return -1;
	for (size_t i = 0; i < mending->count; i++) {
		if (log_is_last_of_branch(mending, i) &&
		    log_mend_branch(mending, mending->records[i].branch.ptr) != 0)
			return -1;
	}
	return log_mend_index(mending) != 0 ? -1 : log_sync_refs(repo, mending->err);
}

static void log_read_records(struct mending *mending, struct slice text, uint64_t epoch)
{
	size_t at = HEAD_BYTES;
	struct slice body;

	while (at < text.len) {
		struct log_record record;

		if (!log_record_at(text, at, epoch, &body)) {
			/* Torn, and never acknowledged; or broken: what is behind it counts. */
			at += STEP;
			continue;
		}
		at += log_round_up(RECORD_HEAD + body.len);
		if (!log_parse(mending->repo, body, &record))
			continue;
		mending->records = mem_grow(mending->records, &mending->cap, mending->count + 1,
					    sizeof *mending->records);
		mending->records[mending->count++] = record;
	}
}

/* Does again what the log of another boot says, under git's lock. */
static int log_mend(struct repo *repo, uint64_t epoch, struct err *err)
{
	struct mending mending = {.repo = repo, .err = err};
	STR_AUTO text = STR_INIT;
	int result;

	if (file_pread(repo->sys, repo->log.fd, 0, LOG_ROOM, LOG_ROOM, &text) != 0)
		return log_error(repo, "read", err);
	if (repo_lock_index(repo, err) != 0)
		return -1;
	log_read_records(&mending, str_slice(&text), epoch);
	result = log_mend_all(&mending);
	repo_unlock_index(repo);
	for (size_t i = 0; i < mending.count; i++)
		str_release(&mending.records[i].branch);
	for (size_t i = 0; i < mending.change_count; i++) {
		free(mending.changes[i].path);
		free(mending.changes[i].blobs);
	}
	free(mending.records);
	free(mending.changes);
	return result;
}

bool object_log_is_old(const struct sys *sys, int dirfd, const char *boot)
{
	int fd = file_open(sys, dirfd, LOG_PATH, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
	struct log_head head;
	bool old = fd >= 0 && log_read_head(sys, fd, &head) && strcmp(head.boot, boot) != 0;

	file_close(sys, &fd);
	return old;
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
	if (old ? log_mend(repo, head->epoch, err) != 0
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
	bool fresh = true;

	*mended = false;
	if (!*boot || strcmp(boot, "-") == 0 || !repo_is_ours(repo))
		return 0;
	snprintf(log->boot, sizeof log->boot, "%s", boot);
	log->ready = log_is_current(repo);
	if (log->ready)
		return 0;
	object_log_close(repo);
	log_path(repo, &path);
	log->fd = file_open(repo->sys, AT_FDCWD, path.ptr,
			    O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
	if (log->fd >= 0 && log_read_head(repo->sys, log->fd, &head) &&
	    log_take_over(repo, &head, &fresh, mended, err) != 0) {
		object_log_close(repo);
		return -1;
	}
	if (fresh) {
		object_log_close(repo);
		/* Without one all is made durable at once. */
		if (log_make(repo, &ignored) != 0)
			return 0;
	}
	log->ready = true;
	return 0;
}
