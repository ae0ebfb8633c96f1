#include "base/timestamp.h"
#include "cli/checkup.h"
#include "store/journal.h"

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
	findings_add(checkup->found, FINDING_LOCK_BLOCKED, NULL,
		     DISK_LOCK_NAME " is not a regular file of your own");
	return false;
}

/* Only while nobody holds the lock: else the journal is somebody's work in progress. */
static void check_journal(struct checkup *checkup)
{
	struct journal journal;
	struct err err;

	if (journal_read(&journal, &checkup->disk, &err) != 0) {
		findings_add(checkup->found, FINDING_JOURNAL_BROKEN, NULL, "%s", err.text);
		return;
	}
	if (journal.found)
		findings_add(checkup->found, FINDING_JOURNAL_LEFT, NULL,
			     "a change was interrupted after it was committed: .journal is "
			     "there");
	journal_release(&journal);
}

static void check_purge(struct checkup *checkup)
{
	const struct disk *disk = &checkup->disk;
	struct stat st;

	if (disk->sys->fstatat(disk->dirfd, ".purge", &st, AT_SYMLINK_NOFOLLOW) == 0)
		findings_add(checkup->found, FINDING_PURGE_LEFT, NULL,
			     "a purge was begun and not finished: .purge says of what");
}

void checkup_changes(struct checkup *checkup)
{
	bool usable = check_lock_file(checkup);

	checkup->locked = usable && is_locked(&checkup->disk);
	findings_detail(checkup->found, GROUP_CHANGES, "lock", "%s",
			!usable           ? "broken"
			: checkup->locked ? "held by another process"
					  : "free");
	if (!checkup->locked) {
		check_journal(checkup);
		check_purge(checkup);
	}
}

void checkup_usage(struct checkup *checkup)
{
	struct usage_epoch epoch;
	char since[TIMESTAMP_SIZE];
	struct err err;

	checkup->usage = usage_new(&checkup->disk);
	if (usage_refresh(checkup->usage, &err) != 0) {
		findings_fact(checkup->found, GROUP_FILES, "usage", "broken");
		findings_add(checkup->found, FINDING_USAGE_BROKEN, NULL, "%s", err.text);
		return;
	}
	checkup->newest_ms = usage_newest_ms(checkup->usage);
	epoch = usage_epoch(checkup->usage);
	if (epoch.since_ms == TIME_NONE) {
		findings_detail(checkup->found, GROUP_FILES, "usage", "not recorded yet");
		return;
	}
	timestamp_format(epoch.since_ms, since);
	findings_detail(checkup->found, GROUP_FILES, "usage", "recorded since %s", since);
}

static void tell_expiring(struct checkup *checkup)
{
	size_t more = checkup->expiring > CHECKUP_EXPIRING_NAMED
			      ? checkup->expiring - CHECKUP_EXPIRING_NAMED
			      : 0;
	STR_AUTO rest = STR_INIT;

	if (more > 0)
		str_printf(&rest, " and %zu more", more);
	findings_add(checkup->found, FINDING_EXPIRES_SOON, NULL,
		     "unless %s used, %s%s %s within 7 days",
		     checkup->expiring == 1 ? "it is" : "they are", checkup->expiring_refs.ptr,
		     rest.len ? rest.ptr : "", checkup->expiring == 1 ? "expires" : "expire");
}

void checkup_clock(struct checkup *checkup)
{
	char newest[TIMESTAMP_SIZE] = "none";
	bool trusted;

	trusted = hygiene_clock_trusted(checkup->newest_ms, checkup->now_ms);
	if (checkup->newest_ms != TIME_NONE)
		timestamp_format(checkup->newest_ms, newest);
	findings_detail(checkup->found, GROUP_FILES, "newest time", "%s", newest);
	if (!trusted)
		findings_add(checkup->found, FINDING_CLOCK, NULL,
			     "the clock cannot be believed: the newest time in the store is %s",
			     newest);
	if (checkup->later_count > 0)
		findings_add(checkup->found, FINDING_LATER_TIMES, NULL,
			     "%" PRId64 " %s in the store later than now", checkup->later_count,
			     checkup->later_count == 1 ? "time is" : "times are");
	if (trusted && checkup->expiring > 0)
		tell_expiring(checkup);
}
