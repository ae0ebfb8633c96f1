#include "base/timestamp.h"
#include "cli/checkup.h"
#include "git/pack.h"
#include "git/walk.h"
#include "store/message.h"
#include "store/pending.h"

#include <fcntl.h>

/* A lock of git's is held for moments; one that is older was left by something that was killed. */
#define STALE_LOCK_MS 60000

static const char remedy_unrecorded[] =
	"Changes are made all the same, and what they replace is kept in the cold archive for kota "
	"undo.";

/* Changes of which at least one file is not recorded, and those among them that a secret holds. */
static void count_waiting(const struct pending *pending, size_t *waiting, size_t *held)
{
	*waiting = 0;
	*held = 0;
	for (size_t i = 0; i < pending->count; i++) {
		*waiting += i == 0 ||
			    !slice_equal(pending->lines[i].change, pending->lines[i - 1].change);
		*held += pending->lines[i].held;
	}
}

static void check_waiting(struct checkup *checkup)
{
	struct pending pending;
	struct err err;
	size_t waiting;
	size_t held;

	if (pending_read(&pending, &checkup->disk, &err) != 0) {
		findings_add(checkup->found, SEVERITY_TODO,
			     "Remove it: changes in it are recorded as edits then.", "%s",
			     err.text);
		return;
	}
	count_waiting(&pending, &waiting, &held);
	findings_fact(checkup->found, "waiting", "%zu %s", waiting,
		      waiting == 1 ? "change" : "changes");
	if (held > 0)
		findings_add(checkup->found, SEVERITY_TODO,
			     "Take the secret out in an editor; or have all recorded, secrets "
			     "too, with kota doctor --record: what is once in a history stays.",
			     "changes wait, since a secret was written by hand into a file that "
			     "they are about");
	pending_release(&pending);
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
			findings_fact(checkup->found, "last commit", "%.8s of %s: %.*s", id,
				      time_text, (int)subject.len, subject.ptr);
		}
		walk_close(walk);
	}
	if (found == 0)
		findings_fact(checkup->found, "last commit", "none yet");
	else if (found < 0)
		findings_add(checkup->found, SEVERITY_BROKEN,
			     "git fsck says what is damaged; the files of the store are well.",
			     "%s", err.text);
}

static void check_lock(struct checkup *checkup, const char *path)
{
	struct stat st;

	if (checkup->disk.sys->fstatat(AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
	    !S_ISREG(st.st_mode) ||
	    (int64_t)st.st_mtim.tv_sec * 1000 + STALE_LOCK_MS > checkup->now_ms)
		return;
	findings_add(checkup->found, SEVERITY_TODO,
		     "Remove it when no git is running: changes wait to be recorded.",
		     "%s has been there for a while", path);
}

/* See src/git/record.c. */
static void check_index_aside(struct checkup *checkup, struct repo *repo)
{
	STR_AUTO path = STR_INIT;
	struct stat st;

	str_printf(&path, "%sindex.unreadable", repo_folder(repo));
	if (checkup->disk.sys->fstatat(AT_FDCWD, path.ptr, &st, AT_SYMLINK_NOFOLLOW) == 0)
		findings_add(checkup->found, SEVERITY_NOTE,
			     "Remove it: what was staged in it can be staged again.",
			     "git's index was damaged and is begun anew; the old one is %s",
			     path.ptr);
}

static void check_repository(struct checkup *checkup, struct repo *repo)
{
	STR_AUTO lock = STR_INIT;
	struct err err;
	const char *branch = repo_branch(repo);

	findings_fact(checkup->found, "history", "%s, %s", repo_folder(repo),
		      repo_is_ours(repo) ? "made by kota" : "made by somebody else");
	findings_fact(checkup->found, "branch", "%s", *branch ? branch : "none");
	check_last(checkup, repo);
	findings_fact(checkup->found, "loose objects", "%zu", pack_loose_count(repo));
	if (repo_check(repo, &err) != 0)
		findings_add(checkup->found, SEVERITY_TODO, remedy_unrecorded,
			     "nothing is recorded now: %s", err.text);
	str_printf(&lock, "%sindex.lock", repo_folder(repo));
	check_lock(checkup, lock.ptr);
	str_clear(&lock);
	str_printf(&lock, "%s%s.lock", repo_folder(repo), branch);
	if (*branch)
		check_lock(checkup, lock.ptr);
	check_index_aside(checkup, repo);
}

/* There is no .git: is one to come, or is the person to choose? */
static void check_surroundings(struct checkup *checkup)
{
	STR_AUTO workdir = STR_INIT;
	bool ignored = false;
	struct err err;

	if (checkup->settings.git == GIT_MODE_UNSET &&
	    repo_around(checkup->disk.path, &workdir, &ignored, &err) != 0) {
		findings_fact(checkup->found, "history", "none");
		findings_add(checkup->found, SEVERITY_NOTE, remedy_unrecorded, "%s", err.text);
	} else if (workdir.len > 0 && !ignored) {
		findings_fact(checkup->found, "history", "off: the store lies in the repository %s",
			      workdir.ptr);
		findings_add(checkup->found, SEVERITY_NOTE,
			     "Say \"git\": \"own\" in config.json, or let that repository ignore "
			     "the store, for a history; \"off\" to hear no more of it.",
			     "there is no history, since the store lies in the repository %s",
			     workdir.ptr);
	} else {
		findings_fact(checkup->found, "history",
			      "none yet: it begins with the next change");
	}
}

void checkup_history(struct checkup *checkup)
{
	struct repo *repo;
	struct err err;

	if (checkup->settings.git == GIT_MODE_OFF) {
		findings_fact(checkup->found, "history", "off, by the setting \"git\"");
		return;
	}
	if (repo_open(&repo, checkup->disk.sys, checkup->disk.path, &err) == 0) {
		check_repository(checkup, repo);
		check_waiting(checkup);
		repo_close(repo);
	} else if (err.code == ERR_NOT_FOUND) {
		check_surroundings(checkup);
	} else {
		findings_fact(checkup->found, "history", "refused");
		findings_add(checkup->found, SEVERITY_TODO, remedy_unrecorded, "%s", err.text);
		check_waiting(checkup);
	}
}
