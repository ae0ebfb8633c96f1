#include "cli/doctor/check.h"
#include "store/files/dir_lock.h"
#include "store/files/format_files.h"
#include "store/txn/repair.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/vfs.h>
#include <unistd.h>

/* File systems that lack what a store relies on. Magic numbers as statfs(2) gives them. */
static const struct {
	unsigned long magic;
	const char *name;
} weak[] = {
	{0x6969, "NFS"},      {0x517B, "SMB"},        {0xFF534D42, "CIFS"}, {0xFE534D42, "SMB"},
	{0x65735546, "FUSE"}, {0x01021997, "9P"},     {0x5346414F, "AFS"},  {0x00C36400, "Ceph"},
	{0x47504653, "GPFS"}, {0x0BD00BD0, "Lustre"}, {0x4D44, "FAT"},      {0x2011BAB0, "exFAT"},
};

static const char *const probes[] = {".probe-1", ".probe-2"};

/* More than this many are not named. */
#define NAMED_MAX 3

/* Who can read what the owner alone should: in the store, and elsewhere. */
struct loose {
	struct str names;
	size_t count;
};

static void check_take_open(void *context, const char *name, mode_t mode, bool tightens)
{
	struct loose *loose = (struct loose *)context + !tightens;

	if (loose->count++ < NAMED_MAX)
		str_printf(&loose->names, "%s%s (%04o)", loose->count > 1 ? ", " : "",
			   name[0] ? name : "the directory", (unsigned int)mode & 07777);
}

static void check_tell_loose(struct checkup *checkup, enum finding_kind kind, struct loose *loose)
{
	STR_AUTO remedy = STR_INIT;

	if (loose->count > NAMED_MAX)
		str_printf(&loose->names, " and %zu more", loose->count - NAMED_MAX);
	if (kind == FINDING_OPEN_TO_OTHERS) {
		str_adds(&remedy, "Remove the rights of others: chmod -R go= ");
		checkup_add_word(&remedy, slice_of(checkup->disk.path));
	}
	if (loose->count > 0)
		findings_add(checkup->found, kind, remedy.len ? remedy.ptr : NULL,
			     "open to others: %s", loose->names.ptr);
	str_release(&loose->names);
}

static void check_modes(struct checkup *checkup)
{
	struct loose loose[2] = {{STR_INIT, 0}, {STR_INIT, 0}};

	repair_each_open(&checkup->disk, check_take_open, loose);
	findings_detail(checkup->found, GROUP_STORE, "permissions", "%s",
			loose[0].count + loose[1].count > 0 ? "open to others"
							    : "the owner's alone");
	check_tell_loose(checkup, FINDING_OPEN_TO_OTHERS, &loose[0]);
	check_tell_loose(checkup, FINDING_OPEN_BEHIND_LINK, &loose[1]);
}

/* Files that are written to, besides those of entries, which are refused when they are foreign. */
static void check_owners(struct checkup *checkup)
{
	static const char *const names[] = {"metadata.json", "usage.jsonl", ".pending",
					    MARK_FORMAT_NAME, MARK_IGNORE_NAME};
	const struct disk *disk = &checkup->disk;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct stat st;

		if (disk->sys->fstatat(disk->dirfd, names[i], &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    st.st_uid != geteuid())
			findings_add(checkup->found, FINDING_FOREIGN_OWNER, NULL,
				     "%s belongs to another user (%u)", names[i],
				     (unsigned int)st.st_uid);
	}
}

static void check_marks(struct checkup *checkup)
{
	const struct disk *disk = &checkup->disk;
	STR_AUTO missing = STR_INIT;
	struct stat st;

	if (disk->sys->fstatat(disk->dirfd, MARK_FORMAT_NAME, &st, AT_SYMLINK_NOFOLLOW) != 0)
		findings_add(checkup->found, FINDING_MARKS_MISSING, NULL,
			     MARK_FORMAT_NAME " is missing");
	if (disk->sys->fstatat(disk->dirfd, MARK_IGNORE_NAME, &st, AT_SYMLINK_NOFOLLOW) != 0)
		findings_add(checkup->found, FINDING_MARKS_MISSING, NULL,
			     MARK_IGNORE_NAME " is missing");
	else if (format_files_lack(&checkup->disk, &missing))
		findings_add(checkup->found, FINDING_MARKS_MISSING,
			     "Without it a repository around the store sees what is not meant for "
			     "it.",
			     MARK_IGNORE_NAME " lacks lines, the first is \"%.*s\"",
			     (int)strcspn(missing.ptr, "\n"), missing.ptr);
}

/* With some bytes in it, since an empty file can be made on a full disk. */
static bool check_make_probe(struct checkup *checkup, const char *name)
{
	static const char bytes[4096];
	const struct disk *disk = &checkup->disk;
	int fd = file_open(disk->sys, disk->dirfd, name,
			   O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	struct err err = {0};
	bool made = fd >= 0;

	if ((fd < 0 && (errno == ENOSPC || errno == EDQUOT) &&
	     !findings_have(checkup->found, FINDING_NO_INODES)) ||
	    (fd >= 0 && file_write_all(disk->sys, fd, slice_make(bytes, sizeof bytes), &err) != 0))
		findings_add(checkup->found, FINDING_DISK_FULL, NULL, "nothing can be written: %s",
			     fd < 0 ? strerror(errno) : err.text);
	file_close(disk->sys, &fd);
	return made;
}

/* Tried on two files that are made for it; one that a killed doctor left is in nobody's way. */
static void check_probe_exchange(struct checkup *checkup)
{
	struct disk *disk = &checkup->disk;
	const struct sys *sys = disk->sys;
	bool made[2] = {false, false};

	for (int i = 0; i < 2 && (i == 0 || made[0]); i++) {
		sys->unlinkat(disk->dirfd, probes[i], 0);
		made[i] = !findings_have(checkup->found, FINDING_DISK_FULL) &&
			  check_make_probe(checkup, probes[i]);
	}
	if (made[0] && made[1] &&
	    sys->renameat2(disk->dirfd, probes[0], disk->dirfd, probes[1], RENAME_EXCHANGE) != 0 &&
	    (errno == EINVAL || errno == ENOSYS))
		disk->exchange_missing = true;
	for (int i = 0; i < 2; i++)
		if (made[i])
			sys->unlinkat(disk->dirfd, probes[i], 0);
}

static void check_writable(struct checkup *checkup)
{
	struct disk *disk = &checkup->disk;
	struct statvfs fs;
	struct err err;

	/* Without an inode, replacing a file still works, so that a store may seem fine for long.
	 */
	if (disk->sys->fstatvfs(disk->dirfd, &fs) == 0 && fs.f_files > 0 && fs.f_favail == 0)
		findings_add(checkup->found, FINDING_NO_INODES, NULL,
			     "no file can be made: all %ju inodes of the file system are in use",
			     (uintmax_t)fs.f_files);
	if (disk_writable(disk, &err) == 0) {
		if (!checkup->hands_off)
			check_probe_exchange(checkup);
		return;
	}
	findings_add(checkup->found, FINDING_NOT_WRITABLE, NULL, "%s", err.text);
}

static const char *check_weak_name(unsigned long magic)
{
	for (size_t i = 0; i < sizeof weak / sizeof *weak; i++) {
		if (weak[i].magic == magic)
			return weak[i].name;
	}
	return NULL;
}

/*
 * True if this system can tell who is still writing to a file. Tried with a file that every store
 * has.
 */
static void check_leases(struct checkup *checkup)
{
	const struct sys *sys = checkup->disk.sys;
	struct stat st;
	int fd = file_open(sys, checkup->disk.dirfd, ".kota",
			   O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);

	if (fd >= 0 && sys->fstat(fd, &st) == 0 && st.st_uid == geteuid() &&
	    file_use(sys, fd) == FILE_USE_UNKNOWN)
		findings_add(checkup->found, FINDING_NO_LEASES, NULL,
			     "this file system does not say who has a file open for writing");
	file_close(sys, &fd);
}

static void check_file_system(struct checkup *checkup)
{
	const char *name = NULL;
	struct statfs fs;

	if (fstatfs(checkup->disk.dirfd, &fs) == 0)
		name = check_weak_name((unsigned long)fs.f_type & 0xFFFFFFFFUL);
	findings_detail(
		checkup->found, GROUP_CHANGES, "file system", "%s, %s", name ? name : "local",
		checkup->disk.exchange_missing ? "cannot exchange files" : "exchanges files");
	check_leases(checkup);
	if (name || checkup->disk.exchange_missing)
		findings_add(checkup->found, FINDING_FILE_SYSTEM, NULL,
			     "the store is on %s, which may not exchange files in one step",
			     name ? name : "this file system");
}

static void access_check_owner(struct checkup *checkup)
{
	check_owners(checkup);
	check_writable(checkup);
}

/* Modes, owner, links and the file system beneath. */
static void access_check(struct checkup *checkup)
{
	check_marks(checkup);
	check_modes(checkup);
	access_check_owner(checkup);
	check_file_system(checkup);
}

const struct check check_access = {access_check, false};
const struct check check_owner = {access_check_owner, true};
