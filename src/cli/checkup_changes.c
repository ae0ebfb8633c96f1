#include "base/timestamp.h"
#include "cli/checkup.h"
#include "store/usage.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/file.h>

#define LOCK_NAME ".lock"
#define JOURNAL_NAME ".journal"

/* Does somebody hold the lock? A look that lasts no longer than the call, and makes no file. */
static bool is_locked(const struct disk *disk)
{
	int fd = file_open(disk->sys, disk->dirfd, LOCK_NAME,
			   O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
	bool locked;

	if (fd < 0)
		return false;
	locked = disk->sys->flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
	file_close(disk->sys, &fd);
	return locked;
}

static bool has_journal(const struct disk *disk)
{
	struct stat st;

	return disk->sys->fstatat(disk->dirfd, JOURNAL_NAME, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

void checkup_changes(struct checkup *checkup)
{
	bool locked = is_locked(&checkup->disk);
	bool journal = has_journal(&checkup->disk);

	report_fact(checkup->report, "lock", "%s", locked ? "held by another process" : "free");
	if (journal && !locked)
		report_finding(checkup->report, SEVERITY_NOTE, "The next change finishes it.",
			       "a change was interrupted after it was committed: " JOURNAL_NAME
			       " is there");
}

static void check_usage(struct checkup *checkup)
{
	struct usage *usage = usage_new(&checkup->disk);
	struct usage_epoch epoch;
	struct err err;
	int64_t newest_ms;

	if (usage_refresh(usage, &err) != 0) {
		report_fact(checkup->report, "usage", "broken");
		report_finding(checkup->report, SEVERITY_TODO,
			       "Lookups are not counted: mend or remove it.", "%s", err.text);
		usage_free(usage);
		return;
	}
	epoch = usage_epoch(usage);
	newest_ms = usage_newest_ms(usage);
	if (newest_ms > checkup->newest_ms)
		checkup->newest_ms = newest_ms;
	if (epoch.since_ms == TIME_NONE) {
		report_fact(checkup->report, "usage", "not recorded yet");
	} else {
		char since[TIMESTAMP_SIZE];

		timestamp_format(epoch.since_ms, since);
		report_fact(checkup->report, "usage", "recorded since %s", since);
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
	report_fact(checkup->report, "newest time", "%s", newest);
	if (!trusted)
		report_finding(checkup->report, SEVERITY_TODO,
			       "Nothing expires for now: check the date of this machine.",
			       "the clock cannot be believed: the newest time in the store is %s",
			       newest);
	if (checkup->later_count > 0)
		report_finding(checkup->report, SEVERITY_NOTE, "They count as now.",
			       "%" PRId64 " %s in the store later than now", checkup->later_count,
			       checkup->later_count == 1 ? "time is" : "times are");
}
