#include "git/write/log_mend.h"

#include "base/file.h"
#include "base/mem.h"
#include "git/objects.h"
#include "git/write/lock.h"
#include "git/write/log_record.h"
#include "git/write/pack.h"
#include "git/write/tip.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

/* A longer reflog is not read. */
#define REFLOG_MAX ((size_t)64 << 20)

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

static bool log_is_whole(const struct repo *repo, const struct object_id *id)
{
	struct err ignored;
	bool whole;

	return objects_check(repo, id, &whole, &ignored) == 0 && whole;
}

static int log_mend_objects(const struct mending *mending, const struct log_record *record)
{
	struct slice rest = record->objects;

	for (uint64_t i = 0; i < record->count; i++) {
		struct object_id id;
		struct slice file;

		if (!log_record_next_object(&rest, &id, &file))
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
		struct slice path;
		struct slice ids;

		if (!log_record_next_change(&rest, &path, &ids))
			return;
		size_t count = ids.len / OBJECT_ID_BYTES;
		struct index_change *change = log_change_of(mending, path);
		change->blobs = mem_grow(change->blobs, &change->cap, change->count + count,
					 sizeof *change->blobs);
		for (size_t n = 0; n < count; n++)
			memcpy(change->blobs[change->count++].bytes, ids.ptr + n * OBJECT_ID_BYTES,
			       OBJECT_ID_BYTES);
	}
}

/* Sets *last to the last record of the branch up to which all commits are there; NULL for none. */
static int log_last_whole(const struct mending *mending, const char *branch,
			  const struct log_record **last)
{
	struct repo *repo = mending->repo;

	*last = NULL;
	for (size_t i = 0; i < mending->count; i++) {
		const struct log_record *r = &mending->records[i];

		if (strcmp(r->branch.ptr, branch) != 0)
			continue;
		bool whole = true;

		if ((!object_id_is_none(&r->from) &&
		     objects_check(repo, &r->from, &whole, mending->err) != 0) ||
		    (whole && objects_check(repo, &r->to, &whole, mending->err) != 0))
			return -1;
		if (!whole)
			break;
		*last = r;
	}
	return 0;
}

/*
 * True if the reflog says that the branch was at `to` and was then moved to where it is, as git
 * reset does. An unreadable reflog says nothing: a power cut may have torn it.
 */
static bool log_was_reset(const struct repo *repo, const struct branch_move *move)
{
	STR_AUTO path = STR_INIT;
	STR_AUTO text = STR_INIT;
	struct object_id from = {{0}};
	struct object_id now = {{0}};
	bool left = false;
	struct err ignored;
	struct slice line;
	struct file_id id;

	repo_common_path(repo, "logs/", move->name, &path);
	if (file_read_own(repo->sys, AT_FDCWD, path.ptr, REFLOG_MAX, &text, &id, &ignored) != 0)
		return false;
	struct slice rest = str_slice(&text);
	while (slice_line(&rest, &line)) {
		/* A line begins with the old commit, a blank and the new one. */
		if (line.len <= (size_t)2 * OBJECT_ID_DIGITS ||
		    !object_id_parse(slice_make(line.ptr, OBJECT_ID_DIGITS), &from) ||
		    !object_id_parse(slice_make(line.ptr + OBJECT_ID_DIGITS + 1, OBJECT_ID_DIGITS),
				     &now))
			continue;
		left = left || object_id_equal(&from, &move->to);
	}
	return left && object_id_equal(&now, &move->from);
}

/* True if somebody else set the branch to this tip, and the log did not pass through it. */
static bool log_is_of_others(struct repo *repo, const struct branch_move *move)
{
	git_oid below = lib_oid(&move->from);
	git_oid above = lib_oid(&move->to);

	return !object_id_is_none(&move->from) && log_is_whole(repo, &move->from) &&
	       (repo->lib.graph_descendant_of(repo->handle, &above, &below) != 1 ||
		log_was_reset(repo, move));
}

/* True if somebody removed or renamed the branch. Then HEAD is on another one. */
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
	struct branch_move move = {.name = branch};
	const struct log_record *last;

	if (log_last_whole(mending, branch, &last) != 0)
		return -1;
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

/* True if no later record is about the same branch. */
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

	if (repo_head(repo, &head, mending->err) != 0)
		return -1;
	if (mending->change_count == 0)
		return 0;
	int result = index_replace(repo, &update, mending->err);
	if (result == 0)
		index_settle(repo);
	return result;
}

/*
 * True if the log is of another store and came here with a copied file. Then nothing of what it
 * records is here, and the branch is at something else.
 */
static bool log_is_foreign(const struct mending *mending)
{
	const struct repo *repo = mending->repo;
	const struct log_record *first = mending->records;
	git_oid oid;

	if (mending->count == 0 || log_is_whole(repo, &first->from) ||
	    repo->lib.reference_name_to_id(&oid, repo->handle, first->branch.ptr) != 0)
		return false;
	struct object_id tip = lib_id(&oid);
	if (!log_is_whole(repo, &tip))
		return false;
	for (size_t i = 0; i < mending->count; i++) {
		const struct log_record *record = &mending->records[i];

		if (object_id_equal(&tip, &record->from) || log_is_whole(repo, &record->to))
			return false;
	}
	return true;
}

static int log_mend_all(struct mending *mending, enum log_use *use)
{
	struct repo *repo = mending->repo;

	if (log_is_foreign(mending)) {
		*use = LOG_FOREIGN;
		return 0;
	}
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
	return log_mend_index(mending);
}

/*
 * Each record is durable before the next one is written, so only the last one can be torn. Where
 * another one is, the disk or somebody has broken it: then this is true.
 */
static bool log_read_records(struct mending *mending, struct slice text, uint64_t epoch)
{
	bool gap = false;
	bool broken = false;
	struct slice body;
	size_t at = 0;

	while (at < text.len) {
		struct log_record record;

		if (!log_record_at(text, at, epoch, &body)) {
			gap = true;
			at += RECORD_STEP;
			continue;
		}
		broken = broken || gap;
		at += log_record_round_up(RECORD_HEAD + body.len);
		if (log_record_parse(mending->repo, body, &record))
			*MEM_ADD(mending->records, mending->count, mending->cap) = record;
	}
	return broken;
}

static void log_release(struct mending *mending)
{
	for (size_t i = 0; i < mending->count; i++)
		str_release(&mending->records[i].branch);
	for (size_t i = 0; i < mending->change_count; i++) {
		free(mending->changes[i].path);
		free(mending->changes[i].blobs);
	}
	free(mending->records);
	free(mending->changes);
}

static bool log_has_objects(const struct mending *mending, const struct log_record *record)
{
	struct slice rest = record->objects;
	struct object_id id;
	struct slice file;
	bool has = true;

	for (uint64_t i = 0; i < record->count && has; i++)
		has = log_record_next_object(&rest, &id, &file) && log_is_whole(mending->repo, &id);
	return has;
}

/* True if the branch that the record moved is where it was before, or unreadable. */
static bool log_is_behind(const struct mending *mending, const struct log_record *record)
{
	const struct repo *repo = mending->repo;
	git_oid oid;

	if (repo->lib.reference_name_to_id(&oid, repo->handle, record->branch.ptr) != 0)
		return true;
	struct object_id tip = lib_id(&oid);
	return object_id_equal(&tip, &record->from);
}

void log_list_objects(struct repo *repo, struct slice text, uint64_t epoch, struct id_list *out)
{
	struct mending mending = {.repo = repo};

	log_read_records(&mending, text, epoch);
	for (size_t i = 0; i < mending.count; i++) {
		struct slice rest = mending.records[i].objects;
		struct object_id id;
		struct slice file;

		for (uint64_t n = 0; n < mending.records[i].count; n++) {
			if (log_record_next_object(&rest, &id, &file))
				id_list_add(out, &id);
		}
	}
	log_release(&mending);
}

size_t log_count_missing(struct repo *repo, struct slice text, uint64_t epoch)
{
	struct mending mending = {.repo = repo};
	bool behind = false;
	size_t missing = 0;

	log_read_records(&mending, text, epoch);
	for (size_t i = 0; i < mending.count; i++) {
		behind = behind || log_is_behind(&mending, &mending.records[i]);
		missing += behind || !log_has_objects(&mending, &mending.records[i]);
	}
	log_release(&mending);
	return missing;
}

int log_mend(struct repo *repo, struct slice text, uint64_t epoch, enum log_use *use,
	     struct err *err)
{
	struct mending mending = {.repo = repo, .err = err};
	bool broken = log_read_records(&mending, text, epoch);
	int result = 0;

	if (broken && *use != LOG_DESPITE) {
		*use = LOG_BROKEN;
	} else if (repo_lock_index(repo, err) == 0) {
		*use = LOG_DONE;
		result = log_mend_all(&mending, use);
		repo_unlock_index(repo);
	} else {
		result = -1;
	}
	log_release(&mending);
	return result;
}
