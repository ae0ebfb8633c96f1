#include "store/purge/purge.h"

#include "base/mem.h"
#include "git/write/rewrite.h"
#include "store/history/history.h"
#include "store/history/pending.h"
#include "store/log/journal.h"
#include "store/purge/purge_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void purge_unreached(struct purging *purging, const char *format, ...)
{
	struct purge_report *report = purging->report;
	char text[ERR_TEXT_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	for (size_t i = 0; i < report->unreached_count; i++) {
		if (strcmp(report->unreached[i], text) == 0)
			return;
	}
	report->unreached = mem_grow(report->unreached, &report->unreached_cap,
				     report->unreached_count + 1, sizeof *report->unreached);
	report->unreached[report->unreached_count++] = mem_strdup(text);
}

void purge_report_release(struct purge_report *report)
{
	for (size_t i = 0; i < report->unreached_count; i++)
		free(report->unreached[i]);
	free(report->unreached);
	for (size_t i = 0; i < report->earlier_count; i++)
		free(report->earlier[i]);
	free(report->earlier);
	*report = (struct purge_report){0};
}

/* ---- the history */

/* Nothing may wait to be recorded: what it names is about to go. */
static int purge_settle_history(struct purging *purging, struct err *err)
{
	struct store *store = purging->store;
	struct disk *disk = purging->disk;
	struct repo *repo = purge_own_repository(store);
	struct stat st;

	/* In one of the person's what waits is recorded, or is an edit from now on. */
	if (!repo && history_is_on(store))
		history_record(store);
	/* One that this program made and that cannot be opened, for want of the library say. */
	if (!repo && disk->sys->fstatat(disk->dirfd, ".git/info/kota-memory", &st, 0) == 0)
		return history_repo(store, &repo, err);
	if (!repo)
		return errno == ENOENT || errno == ENOTDIR
			       ? 0
			       : err_set_errno(err, ERR_IO, errno,
					       "cannot tell whose history %s/.git is", disk->path);
	if (rewrite_check(repo, err) != 0)
		return err_prefix(err, "the history cannot be rewritten now");
	if (!history_is_on(store))
		return 0;
	history_record(store);
	if (!pending_any(disk))
		return 0;
	*err = store->history->why;
	return err_prefix(err, "what was changed last is not in the history yet");
}

/* ---- what is not ours to change */

static void purge_look_around(struct purging *purging)
{
	struct disk *disk = purging->disk;
	STR_AUTO workdir = STR_INIT;
	struct file_id git;
	struct err ignored;
	struct err why;
	bool ignores;

	if (file_identify(disk->sys, disk->dirfd, ".git", &git, &ignored) == 0 && git.present &&
	    !purge_own_repository(purging->store))
		purge_unreached(purging,
				"the repository %s/.git was not made by kota: its history is as "
				"it was",
				disk->path);
	if (repo_around(disk->sys, disk->path, &workdir, &ignores, &why) != 0)
		purge_unreached(purging,
				"a repository in which the store lies may have recorded it: %s",
				why.text);
	else if (workdir.len > 0 && !ignores)
		purge_unreached(purging,
				"the repository %s, in which the store lies, may have recorded it",
				workdir.ptr);
	purge_unreached(purging, "backups, clones and snapshots of the file system, and what "
				 "clients keep of their conversations");
}

/* ---- the whole */

/* They name refs, and have what was stored under them. */
static int purge_clear_pending(struct purging *purging, struct err *err)
{
	struct pending pending;
	int result = 0;

	if (pending_read(&pending, purging->disk, err) != 0)
		return -1;
	if (pending.count > 0)
		result = pending_clear(purging->disk, &pending, err);
	pending_release(&pending);
	return result;
}

static int purge_all(struct purging *purging, struct err *err)
{
	purge_names_now(purging);
	purging->begun = true;
	if (purge_mark_write(purging, err) != 0 || purge_files(purging, err) != 0 ||
	    purge_beside(purging, err) != 0)
		return -1;
	if (purge_clear_pending(purging, err) != 0 || purge_history(purging, err) != 0 ||
	    purge_copies(purging, err) != 0)
		return -1;
	purge_look_around(purging);
	return purge_mark_remove(purging, err);
}

/* The set is known: the names that the entry had, and what must be readable for all of them. */
static int purge_one(struct purging *purging, struct purge_set *set, struct err *err)
{
	struct purge_report *report = purging->report;

	purging->set = set;
	purging->event_count = 0;
	if (purge_names_find(purging, err) != 0 || purge_check_files(purging, err) != 0)
		return -1;
	for (size_t i = 1; i < set->count; i++) {
		report->earlier = mem_grow(report->earlier, &report->earlier_cap,
					   report->earlier_count + 1, sizeof *report->earlier);
		report->earlier[report->earlier_count++] = mem_strdup(set->keys[i].ref.ptr);
	}
	return purge_all(purging, err);
}

/* One that was begun and not finished comes first. */
static int purge_in_order(struct purging *purging, const struct purge_key *wanted, struct err *err)
{
	struct purge_set set = {.values = NEEDLES_INIT};
	int result = 0;
	bool found;

	if (purge_mark_read(purging->disk, &set, &found, err) != 0)
		return -1;
	if (found) {
		bool same = purge_key_has_ref(wanted, str_slice(&set.keys[0].ref));

		set.keys[0].bare = same && wanted->bare;
		purging->begun = true;
		result = purge_one(purging, &set, err);
		purge_set_release(&set);
		if (result != 0 || same)
			return result;
	}
	purge_set_init(&set, wanted);
	result = purge_one(purging, &set, err);
	purge_set_release(&set);
	return result;
}

/* Before anything is done: no change waits, and the files that are known to be touched are fine. */
static int purge_check_before(struct purging *purging, const struct purge_key *wanted,
			      struct err *err)
{
	struct journal journal;
	struct purge_set set;
	int result;
	bool found;

	if (journal_take(&journal, purging->disk, err) != 0)
		return -1;
	found = journal.found;
	journal_release(&journal);
	if (found)
		return err_set(err, ERR_BAD_DATA,
			       "an interrupted change waits until all files can be read: fix them "
			       "first, see kota doctor");
	purge_set_init(&set, wanted);
	purging->set = &set;
	result = purge_check_files(purging, err);
	purging->set = NULL;
	purge_set_release(&set);
	return result;
}

static int purge_locked(struct purging *purging, const struct purge_key *wanted,
			struct change *change, struct err *err)
{
	const struct witness *witness = purging->disk->witness;
	int result;

	if (purge_check_before(purging, wanted, err) != 0 ||
	    purge_settle_history(purging, err) != 0)
		return -1;
	/* What happens now is in no history: that is what it is about. */
	purging->disk->witness = NULL;
	result = purge_in_order(purging, wanted, err);
	purging->disk->witness = witness;
	change_refresh(change);
	if (result != 0 && purging->begun)
		err_prefix(err, "the purge is not finished; the next one goes on");
	return result;
}

int purge_run(struct store *store, const struct purge_key *key, int64_t now_ms,
	      struct purge_report *report, struct err *err)
{
	struct change_meta meta = {.tool = "purge"};
	struct purging purging = {
		.store = store, .disk = store_disk(store), .report = report, .now_ms = now_ms};
	struct change *change;
	int result;

	*report = (struct purge_report){0};
	if (change_begin(&change, store, &meta, now_ms, err) != 0)
		return -1;
	result = purge_locked(&purging, key, change, err);
	free(purging.events);
	change_end(change);
	return result;
}
