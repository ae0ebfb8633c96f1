#include "base/timestamp.h"
#include "cli/checkup.h"
#include "store/journal.h"
#include "store/usage.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/file.h>
#include <unistd.h>

/* Does somebody hold the lock? A look that lasts no longer than the call, and makes no file. */
static bool is_locked(const struct disk *disk)
{
	int fd = file_open(disk->sys, disk->dirfd, DISK_LOCK_NAME,
			   O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
	bool locked;

	if (fd < 0)
		return false;
	locked = disk->sys->flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
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
	findings_add(checkup->found, SEVERITY_BROKEN, "Changes are refused until it is removed.",
		     DISK_LOCK_NAME " is not a regular file of your own");
	return false;
}

/* Only while nobody holds the lock: else the journal is somebody's work in progress. */
static void check_journal(struct checkup *checkup)
{
	struct journal journal;
	struct err err;

	if (journal_read(&journal, &checkup->disk, &err) != 0) {
		findings_add(checkup->found, SEVERITY_BROKEN,
			     "Changes are refused until it is mended or moved away.", "%s",
			     err.text);
		return;
	}
	if (journal.found)
		findings_add(checkup->found, SEVERITY_NOTE, "The next change finishes it.",
			     "a change was interrupted after it was committed: .journal is "
			     "there");
	journal_release(&journal);
}

static void check_purge(struct checkup *checkup)
{
	const struct disk *disk = &checkup->disk;
	struct stat st;

	if (disk->sys->fstatat(disk->dirfd, ".purge", &st, AT_SYMLINK_NOFOLLOW) == 0)
		findings_add(checkup->found, SEVERITY_TODO, "Purge it again: that finishes it.",
			     "a purge was begun and not finished: .purge says of what");
}

void checkup_changes(struct checkup *checkup)
{
	bool usable = check_lock_file(checkup);
	bool locked = usable && is_locked(&checkup->disk);

	findings_fact(checkup->found, "lock", "%s",
		      !usable  ? "broken"
		      : locked ? "held by another process"
			       : "free");
	if (!locked) {
		check_journal(checkup);
		check_purge(checkup);
	}
}

static void check_usage(struct checkup *checkup)
{
	struct usage *usage = usage_new(&checkup->disk);
	struct usage_epoch epoch;
	struct err err;
	int64_t newest_ms;

	if (usage_refresh(usage, &err) != 0) {
		findings_fact(checkup->found, "usage", "broken");
		findings_add(checkup->found, SEVERITY_TODO,
			     "Lookups are not counted: mend or remove it.", "%s", err.text);
		usage_free(usage);
		return;
	}
	epoch = usage_epoch(usage);
	newest_ms = usage_newest_ms(usage);
	if (newest_ms > checkup->newest_ms)
		checkup->newest_ms = newest_ms;
	if (epoch.since_ms == TIME_NONE) {
		findings_fact(checkup->found, "usage", "not recorded yet");
	} else {
		char since[TIMESTAMP_SIZE];

		timestamp_format(epoch.since_ms, since);
		findings_fact(checkup->found, "usage", "recorded since %s", since);
	}
	usage_free(usage);
}

void checkup_clock(struct checkup *checkup)
{
	char newest[TIMESTAMP_SIZE] = "none";
	bool trusted;

	check_usage(checkup);
	trusted = hygiene_clock_trusted(checkup->newest_ms, checkup->now_ms);
	if (checkup->newest_ms != TIME_NONE)
		timestamp_format(checkup->newest_ms, newest);
	findings_fact(checkup->found, "newest time", "%s", newest);
	if (!trusted)
		findings_add(checkup->found, SEVERITY_TODO,
			     "Nothing expires for now: check the date of this machine.",
			     "the clock cannot be believed: the newest time in the store is %s",
			     newest);
	if (checkup->later_count > 0)
		findings_add(checkup->found, SEVERITY_NOTE, "They count as now.",
			     "%" PRId64 " %s in the store later than now", checkup->later_count,
			     checkup->later_count == 1 ? "time is" : "times are");
}
