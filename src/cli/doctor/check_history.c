#include "base/time.h"
#include "cli/doctor/check.h"
#include "git/walk.h"
#include "git/write/lock.h"
#include "git/write/object_log.h"
#include "git/write/pack.h"
#include "git/write/tip.h"
#include "store/files/dir_lock.h"
#include "store/history/commit_message.h"
#include "store/history/history.h"
#include "store/history/pending.h"
#include "store/history/secret_guard.h"
#include "store/history/sound_text.h"
#include "store/history/tracked.h"
#include "store/swap/swap_log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* More files are not named. */
#define NAMED_MAX 3

/* Changes of which at least one file is not recorded, and those among them that a secret holds. */
static void check_count_waiting(const struct pending *pending, size_t *waiting, size_t *held)
{
	*waiting = 0;
	*held = 0;
	for (size_t i = 0; i < pending->count; i++) {
		*waiting += i == 0 ||
			    !slice_equal(pending->lines[i].change, pending->lines[i - 1].change);
		*held += pending->lines[i].held;
	}
}

/* Files whose text is not that of the last commit, while no change waits to be recorded. */
struct unrecorded {
	struct checkup *checkup;
	struct repo *repo;
	struct object_id head;
	struct str names;
	size_t count;
	bool held; /* one has a secret in it that the history must not have */
};

static void check_compare_recorded(struct unrecorded *unrecorded, const char *name,
				   struct slice text)
{
	STR_AUTO before = STR_INIT;
	struct object_id recorded;
	struct object_id now;
	struct err unread;

	if (repo_blob_id(unrecorded->repo, text, &now, &unread) != 0 ||
	    repo_file_at(unrecorded->repo, &unrecorded->head, name, &recorded, &unread) != 0 ||
	    object_id_equal(&now, &recorded) ||
	    (object_id_is_none(&recorded) && repo_ignores(unrecorded->repo, name)))
		return;
	if (!object_id_is_none(&recorded))
		repo_blob_read(unrecorded->repo, &recorded, &before, &unread);
	if (unrecorded->checkup->settings.secrets == SECRETS_REFUSE &&
	    secret_guard_finds(name, str_slice(&before), text, NULL)) {
		unrecorded->held = true;
		return;
	}
	if (unrecorded->count++ < NAMED_MAX)
		str_printf(&unrecorded->names, "%s%s", unrecorded->count > 1 ? ", " : "", name);
}

static int check_look_at_tracked(void *context, const char *name)
{
	struct unrecorded *unrecorded = context;
	STR_AUTO text = STR_INIT;
	struct file_id id;
	struct err unread;

	/* A file with an unsound text is reported with the files and is not recorded. */
	if (tracked_read(&unrecorded->checkup->disk, name, &text, &id, &unread) == 0 &&
	    id.present && !sound_is_damaged(name, str_slice(&text)))
		check_compare_recorded(unrecorded, name, str_slice(&text));
	return 0;
}

/* Edits by hand, and changes from before there was a history. */
static void check_unrecorded(struct checkup *checkup, struct repo *repo)
{
	struct unrecorded unrecorded = {.checkup = checkup, .repo = repo, .names = STR_INIT};
	struct err unread;

	if (repo_head(repo, &unrecorded.head, &unread) == 0 &&
	    tracked_walk(&checkup->disk, true, check_look_at_tracked, &unrecorded, &unread) == 0 &&
	    unrecorded.count > 0)
		findings_add(checkup->found, FINDING_UNRECORDED, NULL,
			     "edited by hand and not in the history yet: %s%s",
			     unrecorded.names.ptr, unrecorded.count > NAMED_MAX ? ", ..." : "");
	if (unrecorded.held)
		findings_add(checkup->found, FINDING_SECRET_WAITS, NULL,
			     "an edit waits, since a secret was written by hand into the file");
	str_release(&unrecorded.names);
}

/* True if a reason was found why nothing can be recorded now. */
static bool check_is_broken(const struct checkup *checkup)
{
	return findings_have(checkup->found, FINDING_HISTORY_REFUSED) ||
	       findings_have(checkup->found, FINDING_HISTORY_DAMAGED) ||
	       findings_have(checkup->found, FINDING_HISTORY_CLOSED);
}

/* What waits, and for what: a lock that a killed git left --fix removes. */
static void check_tell_waiting(struct checkup *checkup, struct repo *repo, size_t waiting)
{
	const char *verb = waiting == 1 ? "change is" : "changes are";
	struct err busy;

	if (check_is_broken(checkup))
		findings_add(checkup->found, FINDING_WAITING, NULL, "%zu %s not in the history yet",
			     waiting, verb);
	else if (repo && !findings_have(checkup->found, FINDING_GIT_LOCK) &&
		 repo_busy(repo, &busy) != 0)
		findings_add(checkup->found, FINDING_WAITING,
			     "If no git is at work there, remove that file.",
			     "%zu %s not in the history yet: %s", waiting, verb, busy.text);
	else
		findings_add(checkup->found, FINDING_UNRECORDED, NULL,
			     "%zu %s not in the history yet", waiting, verb);
}

static void check_waiting(struct checkup *checkup, struct repo *repo)
{
	PENDING_AUTO pending = {0};
	struct err err;
	size_t waiting;
	size_t held;

	if (pending_read(&pending, &checkup->disk, &err) != 0) {
		findings_add(checkup->found, FINDING_PENDING_BROKEN, NULL, "%s", err.text);
		return;
	}
	check_count_waiting(&pending, &waiting, &held);
	findings_detail(checkup->found, GROUP_HISTORY, "waiting", "%zu %s", waiting,
			waiting == 1 ? "change" : "changes");
	if (held > 0)
		findings_add(checkup->found, FINDING_SECRET_WAITS, NULL,
			     "changes wait, since a secret was written by hand into a file that "
			     "they are about");
	else if (waiting > 0 && !checkup->locked)
		check_tell_waiting(checkup, repo, waiting);
	else if (repo && !checkup->locked)
		check_unrecorded(checkup, repo);
}

/* Whether all of the branch is there; the way out where it is not and the repository is ours. */
static bool check_tip(struct checkup *checkup, struct repo *repo)
{
	struct err why;

	if (tip_is_whole(repo, &why))
		return true;
	if (repo_is_ours(repo))
		findings_add(checkup->found, FINDING_HISTORY_TIP, NULL,
			     "%s: what is in the files and the archive is safe", why.text);
	else
		findings_add(checkup->found, FINDING_HISTORY_DAMAGED, NULL, "%s", why.text);
	return false;
}

static void check_last(struct checkup *checkup, struct repo *repo)
{
	char time_text[TIMESTAMP_SIZE];
	char id[OBJECT_ID_DIGITS + 1];
	struct commit commit;
	struct walk *walk;
	struct err err;
	int found = -1;

	if (walk_open(&walk, repo, NULL, &err) == 0) {
		found = walk_next(walk, &commit, &err);
		if (found == 1) {
			struct slice subject = message_subject(commit.message);

			object_id_text(&commit.id, id);
			timestamp_format(commit.time_ms, time_text);
			findings_fact(checkup->found, GROUP_HISTORY, "last commit",
				      "%.8s of %s: %.*s", id, time_text, (int)subject.len,
				      subject.ptr);
		}
		walk_close(walk);
	}
	if (found == 0)
		findings_fact(checkup->found, GROUP_HISTORY, "last commit", "none yet");
	else if (found < 0)
		findings_add(checkup->found, FINDING_HISTORY_DAMAGED, NULL, "%s", err.text);
}

/* What a lock is looked at with. */
struct lock_look {
	struct checkup *checkup;
	struct repo *repo;
};

static void check_lock(void *context, const char *path)
{
	struct lock_look *look = context;

	if (lock_is_left(look->repo, path))
		findings_add(look->checkup->found, FINDING_GIT_LOCK, NULL,
			     "%s has been there for a while", path);
}

/* See src/git/write/commit.c. */
static void check_index_aside(struct checkup *checkup, struct repo *repo)
{
	STR_AUTO path = STR_INIT;
	struct stat st;

	str_printf(&path, "%sindex.unreadable", repo_folder(repo));
	if (checkup->disk.sys->fstatat(AT_FDCWD, path.ptr, &st, AT_SYMLINK_NOFOLLOW) == 0)
		findings_add(checkup->found, FINDING_INDEX_ASIDE, NULL,
			     "git's index was damaged and is begun anew; the old one is %s",
			     path.ptr);
}

static bool check_may_write(const struct stat *st)
{
	return geteuid() == 0 || (st->st_uid == geteuid() && (st->st_mode & S_IWUSR)) ||
	       (st->st_mode & S_IWOTH);
}

/* Objects are written into any of 256 folders, some of which another user may have made. */
static void check_objects(struct checkup *checkup, struct repo *repo)
{
	STR_AUTO path = STR_INIT;
	STR_AUTO first = STR_INIT;
	struct stat st;
	size_t closed = 0;

	for (unsigned i = 0; i <= LOOSE_FOLDERS; i++) {
		str_clear(&path);
		str_printf(&path, "%sobjects", repo_folder(repo));
		if (i > 0)
			str_printf(&path, "/%02x", i - 1);
		if (checkup->disk.sys->fstatat(AT_FDCWD, path.ptr, &st, 0) != 0 ||
		    (S_ISDIR(st.st_mode) && check_may_write(&st)))
			continue;
		if (closed++ == 0)
			str_add(&first, str_slice(&path));
	}
	if (closed > 0)
		findings_add(checkup->found, FINDING_HISTORY_CLOSED, NULL,
			     "%zu %s cannot be written to, the first is %s", closed,
			     closed == 1 ? "folder of objects" : "folders of objects", first.ptr);
}

/* What was recorded and is not where git looks for it; nothing is put back here. */
static void check_log(struct checkup *checkup, struct repo *repo)
{
	struct disk *disk = &checkup->disk;
	struct err unread;
	size_t missing = 0;

	if (object_log_is_broken(disk->sys, disk->dirfd))
		findings_add(checkup->found, FINDING_HISTORY_LOG, NULL,
			     "the log of changes cannot be read as a whole");
	else if (swap_log_boot(disk, &unread) == 0)
		missing = object_log_missing(repo, disk->boot);
	if (missing > 0)
		findings_add(checkup->found, FINDING_HISTORY_CUT, NULL,
			     "a power cut has taken %zu recorded %s, which the log still has",
			     missing, missing == 1 ? "change" : "changes");
}

static void history_check_repository(struct checkup *checkup, struct repo *repo)
{
	struct lock_look look = {checkup, repo};
	STR_AUTO remedy = STR_INIT;
	struct err err;
	const char *branch = repo_branch(repo);

	findings_fact(checkup->found, GROUP_HISTORY, "history", "%s, %s", repo_folder(repo),
		      repo_is_ours(repo) ? "made by kota" : "made by somebody else");
	findings_detail(checkup->found, GROUP_HISTORY, "branch", "%s", *branch ? branch : "none");
	check_log(checkup, repo);
	if (check_tip(checkup, repo))
		check_last(checkup, repo);
	findings_detail(checkup->found, GROUP_HISTORY, "loose objects", "%zu",
			pack_loose_count(repo));
	if (!findings_have(checkup->found, FINDING_HISTORY_TIP) && repo_check(repo, &err) != 0) {
		str_printf(&remedy,
			   "git -C %s status says how to end that%s. Until then changes are still "
			   "made, and what they replace is kept in the cold archive for kota undo.",
			   checkup->disk.path,
			   *branch ? "" : ", and git switch BRANCH puts HEAD back on one");
		findings_add(checkup->found, FINDING_HISTORY_REFUSED, remedy.ptr,
			     "nothing is recorded now: %s", err.text);
	}
	lock_each(repo, check_lock, &look);
	check_index_aside(checkup, repo);
	check_objects(checkup, repo);
}

/* There is no .git: says whether one will be made, or whether the person has to choose. */
static void check_surroundings(struct checkup *checkup)
{
	STR_AUTO workdir = STR_INIT;
	bool ignored = false;
	struct err err;

	if (checkup->settings.git == GIT_MODE_UNSET &&
	    repo_around(checkup->disk.sys, checkup->disk.path, &workdir, &ignored, &err) != 0) {
		findings_fact(checkup->found, GROUP_HISTORY, "history", "none");
		findings_add(checkup->found, FINDING_NO_HISTORY, NULL, "%s", err.text);
	} else if (workdir.len > 0 && !ignored) {
		findings_fact(checkup->found, GROUP_HISTORY, "history",
			      "off: the store lies in the repository %s", workdir.ptr);
		findings_add(checkup->found, FINDING_NO_HISTORY,
			     "Say \"git\": \"own\" in config.json, or let that repository ignore "
			     "the store, for a history; \"off\" to hear no more of it.",
			     "there is no history, since the store lies in the repository %s",
			     workdir.ptr);
	} else if (pending_was_recorded(&checkup->disk, &err)) {
		findings_fact(checkup->found, GROUP_HISTORY, "history", "gone");
		findings_add(checkup->found, FINDING_HISTORY_GONE, NULL,
			     "%s/.git is gone, in which the history was", checkup->disk.path);
	} else {
		findings_fact(checkup->found, GROUP_HISTORY, "history",
			      "none yet: it begins with the next change");
	}
}

static void history_check_recorded(struct checkup *checkup)
{
	struct file_id id;
	struct repo *repo;
	struct err err;
	struct err why;

	if (checkup->settings.git == GIT_MODE_OFF) {
		findings_fact(checkup->found, GROUP_HISTORY, "history",
			      "off, by the setting \"git\"");
		return;
	}
	if (history_may_open(&checkup->disk, &id, &err) == 0 &&
	    repo_open(&repo, checkup->disk.sys, checkup->disk.path, &err) == 0) {
		history_check_repository(checkup, repo);
		check_waiting(checkup, repo_check(repo, &err) == 0 ? repo : NULL);
		repo_close(repo);
	} else if (err.code == ERR_NOT_FOUND) {
		check_surroundings(checkup);
	} else {
		findings_fact(checkup->found, GROUP_HISTORY, "history", "refused");
		if (history_may_open(&checkup->disk, &id, &why) == 0 &&
		    head_is_lost(checkup->disk.sys, checkup->disk.path, &why))
			findings_add(checkup->found, FINDING_HISTORY_TIP, NULL,
				     "%s: what is in the files and the archive is safe", why.text);
		else
			findings_add(checkup->found, FINDING_HISTORY_REFUSED,
				     "Put that right, or move .git away: then the next change "
				     "begins a new history. Until then changes are still made, and "
				     "what they replace is kept in the cold archive for kota undo.",
				     "%s", err.text);
		check_waiting(checkup, NULL);
	}
}

/* More of a file of the kernel is not read. */
#define KERNEL_MAX ((size_t)1 << 20)

/* Of all locks of the machine the one on this file; 0 when the kernel does not say. */
static long check_find_holder(struct slice locks, const struct stat *st)
{
	STR_AUTO file = STR_INIT;

	str_printf(&file, " %02x:%02x:%ju ", major(st->st_dev), minor(st->st_dev),
		   (uintmax_t)st->st_ino);
	for (size_t from = 0; from < locks.len;) {
		const char *line = locks.ptr + from;
		size_t len = strcspn(line, "\n");
		const char *at = memmem(line, len, file.ptr, file.len);
		const char *blank = at ? memrchr(line, ' ', (size_t)(at - line)) : NULL;

		if (blank)
			return strtol(blank, NULL, 10);
		from += len + 1;
	}
	return 0;
}

/* What the kernel says; its files have no size. */
static bool check_read_kernel(const struct sys *sys, const char *path, struct str *out)
{
	int fd = file_open(sys, AT_FDCWD, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0);
	bool read = fd >= 0 && file_pread(sys, fd, 0, KERNEL_MAX, KERNEL_MAX, out) == 0;

	file_close(sys, &fd);
	return read && out->len > 0;
}

/* "process 123 (kota)", as far as it is known. */
static void check_add_holder(const struct disk *disk, struct str *out)
{
	STR_AUTO locks = STR_INIT;
	STR_AUTO path = STR_INIT;
	STR_AUTO name = STR_INIT;
	struct stat st;
	long pid = 0;

	if (disk->sys->fstatat(disk->dirfd, DISK_LOCK_NAME, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    check_read_kernel(disk->sys, "/proc/locks", &locks))
		pid = check_find_holder(str_slice(&locks), &st);
	if (pid <= 0) {
		str_adds(out, "another process");
		return;
	}
	str_printf(out, "process %ld", pid);
	str_printf(&path, "/proc/%ld/comm", pid);
	if (check_read_kernel(disk->sys, path.ptr, &name))
		str_printf(out, " (%.*s)", (int)strcspn(name.ptr, "\n"), name.ptr);
}

/*
 * True if somebody holds the lock. Takes the lock only for the length of the call, and makes no
 * file.
 */
static bool check_is_locked(const struct disk *disk)
{
	int fd = file_open(disk->sys, disk->dirfd, DISK_LOCK_NAME,
			   O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);

	if (fd < 0)
		return false;
	bool locked = disk->sys->flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
	file_close(disk->sys, &fd);
	return locked;
}

/* The lock must be a file of our own; a link to one is refused too. */
static bool check_lock_file(struct checkup *checkup)
{
	const struct disk *disk = &checkup->disk;
	struct stat st;

	if (disk->sys->fstatat(disk->dirfd, DISK_LOCK_NAME, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
	    (S_ISREG(st.st_mode) && st.st_uid == geteuid()))
		return true;
	findings_add(checkup->found, FINDING_LOCK_BLOCKED, NULL,
		     DISK_LOCK_NAME " is not a regular file of your own");
	return false;
}

/* So many operations of a journal are named. */
#define OPS_NAMED 10

static const char *const doing[] = {
	[OP_PUT] = "sets",
	[OP_REMOVE] = "removes",
	[OP_RECORD_ADD] = "archives",
	[OP_RECORD_REMOVE] = "takes from the archive",
	[OP_LINK_PUT] = "links by",
	[OP_LINK_REMOVE] = "removes the link",
	[OP_NOTE_ADD] = "writes the note",
	[OP_NOTE_REMOVE] = "removes the note",
	[OP_COLD_ADD] = "keeps in the cold archive",
	[OP_KEEP] = "keeps in the cold archive",
};

/* What it would do, never with which value: "; it sets state:a, removes the note x.md". */
static void check_add_ops(struct str *out, const struct journal *journal)
{
	for (size_t i = 0; i < journal->count && i < OPS_NAMED; i++) {
		const struct op *op = &journal->ops[i];

		str_printf(out, "%s%s ", i ? ", " : "; it ", doing[op->kind]);
		if (op_is_note(op))
			checkup_add_key(out, op->key);
		else
			checkup_add_ref(out, category_name(op->category), op->key);
	}
	if (journal->count > OPS_NAMED)
		str_printf(out, " and %zu more", journal->count - OPS_NAMED);
}

static void check_tell_unsigned(struct checkup *checkup, const char *name,
				const struct journal *journal)
{
	STR_AUTO ops = STR_INIT;

	check_add_ops(&ops, journal);
	findings_add(checkup->found, FINDING_JOURNAL_UNSIGNED, NULL,
		     "%s is a change that was not finished and is not carried out by itself%s",
		     name, ops.ptr ? ops.ptr : "");
}

static void check_tell_refused(struct checkup *checkup, const char *name,
			       const struct journal *journal)
{
	STR_AUTO remedy = STR_INIT;
	STR_AUTO ops = STR_INIT;

	check_add_ops(&ops, journal);
	str_printf(&remedy, "It is never carried out: remove it when you have seen it: rm %s/%s",
		   checkup->disk.path, name);
	findings_add(checkup->found, FINDING_JOURNAL_REFUSED, remedy.ptr, "%s %.*s%s", name,
		     (int)journal->why.len, journal->why.ptr, ops.ptr ? ops.ptr : "");
}

/* One that no change will carry out: would --fix? */
static void check_refused(struct checkup *checkup)
{
	struct journal journal;
	struct err err;

	checkup->disk.by_hand = true;
	if (journal_read(&journal, &checkup->disk, &err) != 0) {
		findings_add(checkup->found, FINDING_JOURNAL_BROKEN, NULL, "%s", err.text);
	} else {
		if (journal.found)
			check_tell_unsigned(checkup, ".journal", &journal);
		else if (journal.refused)
			check_tell_refused(checkup, ".journal", &journal);
		journal_release(&journal);
	}
	checkup->disk.by_hand = false;
}

/* Only while nobody holds the lock: else the journal is somebody's work in progress. */
static void history_check_journal(struct checkup *checkup)
{
	JOURNAL_AUTO journal = {0};
	struct err err;

	if (journal_read(&journal, &checkup->disk, &err) != 0) {
		findings_add(checkup->found, FINDING_JOURNAL_BROKEN, NULL, "%s", err.text);
		return;
	}
	if (journal.found)
		findings_add(checkup->found, FINDING_JOURNAL_LEFT, NULL,
			     "a change was interrupted after it was committed: .journal is "
			     "there");
	else if (journal.refused)
		check_refused(checkup);
}

static void check_aside(struct checkup *checkup, int number)
{
	STR_AUTO name = STR_INIT;
	JOURNAL_AUTO journal = {0};
	struct err err;

	journal_aside_name(&name, number);
	if (journal_read_aside(&journal, &checkup->disk, number, &err) != 0) {
		findings_add(checkup->found, FINDING_JOURNAL_REFUSED, NULL, "%s", err.text);
		return;
	}
	if (journal.found)
		check_tell_unsigned(checkup, name.ptr, &journal);
	else if (journal.refused)
		check_tell_refused(checkup, name.ptr, &journal);
}

/* The journal, those that were set aside, and the key. The lock must be free. */
static void history_check_journals(struct checkup *checkup)
{
	struct disk *disk = &checkup->disk;

	if (!journal_is_used(disk))
		return;
	disk->notes_dir_free = checkup->settings.notes_dir_free;
	history_check_journal(checkup);
	for (int n = journal_next_aside(disk, 0); n > 0; n = journal_next_aside(disk, n))
		check_aside(checkup, n);
	if (signer_ask(&disk->signer, disk->sys, disk->env, disk->origin.root, false) >=
	    SIGNER_CANNOT)
		findings_add(checkup->found, FINDING_NO_KEY, NULL,
			     "changes of several files cannot be signed: %s",
			     disk->signer.why.text);
}

/* The lock, the journals and what a purge left. */
static void history_check_changes(struct checkup *checkup)
{
	struct disk *disk = &checkup->disk;
	bool usable = check_lock_file(checkup);
	STR_AUTO holder = STR_INIT;
	struct stat st;

	checkup->locked = usable && check_is_locked(disk);
	if (checkup->locked) {
		check_add_holder(disk, &holder);
		findings_fact(checkup->found, GROUP_CHANGES, "lock", "held by %s", holder.ptr);
		return;
	}
	findings_detail(checkup->found, GROUP_CHANGES, "lock", "%s", usable ? "free" : "broken");
	history_check_journals(checkup);
	if (disk->sys->fstatat(disk->dirfd, ".purge", &st, AT_SYMLINK_NOFOLLOW) == 0)
		findings_add(checkup->found, FINDING_PURGE_LEFT, NULL,
			     "a purge was begun and not finished: .purge says of what");
}

/* Reads usage.jsonl. Call it before the checks that need it. */
static void history_check_usage(struct checkup *checkup)
{
	char since[TIMESTAMP_SIZE];
	struct err err;

	checkup->usage = usage_new(&checkup->disk);
	if (usage_refresh(checkup->usage, &err) != 0) {
		findings_fact(checkup->found, GROUP_FILES, "usage", "broken");
		findings_add(checkup->found, FINDING_USAGE_BROKEN, NULL, "%s", err.text);
		return;
	}
	checkup->newest_ms = usage_newest_ms(checkup->usage);
	shared_use_refresh(&checkup->shared_use, &checkup->disk);
	struct usage_epoch epoch = usage_epoch(checkup->usage);
	if (epoch.since_ms == TIME_NONE) {
		findings_detail(checkup->found, GROUP_FILES, "usage", "not recorded yet");
		return;
	}
	timestamp_format(epoch.since_ms, since);
	findings_detail(checkup->found, GROUP_FILES, "usage", "recorded since %s", since);
}

static void check_tell_expiring(struct checkup *checkup)
{
	size_t more = checkup->expiring > CHECKUP_EXPIRING_NAMED
			      ? checkup->expiring - CHECKUP_EXPIRING_NAMED
			      : 0;
	STR_AUTO rest = STR_INIT;

	if (more > 0)
		str_printf(&rest, " and %zu more", more);
	if (!checkup->disk.origin.shared && checkup->disk.origin.synced &&
	    !shared_use_may_judge(&checkup->shared_use, &checkup->disk.origin, checkup->now_ms)) {
		char since[TIMESTAMP_SIZE] = "never";

		if (checkup->shared_use.synced_ms != TIME_NONE)
			timestamp_format(checkup->shared_use.synced_ms, since);
		findings_add(checkup->found, FINDING_DUE_UNSYNCED, NULL,
			     "expiry waits for a sync; the last was %.10s; due %s %s%s", since,
			     checkup->expiring == 1 ? "is" : "are", checkup->expiring_refs.ptr,
			     rest.len ? rest.ptr : "");
		return;
	}
	if (checkup->disk.origin.shared) {
		findings_add(checkup->found, FINDING_DUE_SHARED, NULL,
			     "%s%s would have expired, but others may use %s",
			     checkup->expiring_refs.ptr, rest.len ? rest.ptr : "",
			     checkup->expiring == 1 ? "it" : "them");
		return;
	}
	findings_add(checkup->found, FINDING_EXPIRES_SOON, NULL,
		     "unless %s used, %s%s %s within 7 days",
		     checkup->expiring == 1 ? "it is" : "they are", checkup->expiring_refs.ptr,
		     rest.len ? rest.ptr : "", checkup->expiring == 1 ? "expires" : "expire");
}

static void history_check_clock(struct checkup *checkup)
{
	char newest[TIMESTAMP_SIZE] = "none";
	bool trusted = retention_clock_trusted(checkup->newest_ms, checkup->now_ms);

	if (checkup->newest_ms != TIME_NONE)
		timestamp_format(checkup->newest_ms, newest);
	findings_detail(checkup->found, GROUP_FILES, "newest time", "%s", newest);
	if (!trusted)
		findings_add(checkup->found, FINDING_CLOCK, NULL,
			     "the clock cannot be trusted: the newest time in the store is %s",
			     newest);
	if (checkup->later_count > 0)
		findings_add(checkup->found, FINDING_LATER_TIMES, NULL,
			     "%" PRId64 " %s in the store later than now", checkup->later_count,
			     checkup->later_count == 1 ? "time is" : "times are");
	if (trusted && checkup->expiring > 0)
		check_tell_expiring(checkup);
}

/*
 * The repository, what waits to be recorded, and why; the clock, and what expires. Call it after
 * the checks that find times.
 */
static void history_check_all(struct checkup *checkup)
{
	history_check_recorded(checkup);
	history_check_clock(checkup);
}

const struct check check_usage = {history_check_usage, true};
const struct check check_changes = {history_check_changes, false};
const struct check check_history = {history_check_all, false};
