#include "base/time.h"
#include "cli/doctor/check.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* More of a file of the kernel is not read. */
#define KERNEL_MAX ((size_t)1 << 20)

/* Of all locks of the machine the one on this file; 0 when the kernel does not say. */
static long find_holder(struct slice locks, const struct stat *st)
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
static bool read_kernel(const struct sys *sys, const char *path, struct str *out)
{
	int fd = file_open(sys, AT_FDCWD, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0);
	bool read = fd >= 0 && file_pread(sys, fd, 0, KERNEL_MAX, KERNEL_MAX, out) == 0;

	file_close(sys, &fd);
	return read && out->len > 0;
}

/* "process 123 (kota)", as far as it is known. */
static void add_holder(const struct disk *disk, struct str *out)
{
	STR_AUTO locks = STR_INIT;
	STR_AUTO path = STR_INIT;
	STR_AUTO name = STR_INIT;
	struct stat st;
	long pid = 0;

	if (disk->sys->fstatat(disk->dirfd, DISK_LOCK_NAME, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    read_kernel(disk->sys, "/proc/locks", &locks))
		pid = find_holder(str_slice(&locks), &st);
	if (pid <= 0) {
		str_adds(out, "another process");
		return;
	}
	str_printf(out, "process %ld", pid);
	str_printf(&path, "/proc/%ld/comm", pid);
	if (read_kernel(disk->sys, path.ptr, &name))
		str_printf(out, " (%.*s)", (int)strcspn(name.ptr, "\n"), name.ptr);
}

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
	STR_AUTO holder = STR_INIT;

	checkup->locked = usable && is_locked(&checkup->disk);
	if (checkup->locked) {
		add_holder(&checkup->disk, &holder);
		findings_fact(checkup->found, GROUP_CHANGES, "lock", "held by %s", holder.ptr);
		return;
	}
	findings_detail(checkup->found, GROUP_CHANGES, "lock", "%s", usable ? "free" : "broken");
	checkup_journal(checkup);
	check_purge(checkup);
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
