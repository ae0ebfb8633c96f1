#include "cli/checkup.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Everything of ours that should be the owner's alone. */
static const char *const private_names[] = {
	COLD_FOLDER,     "metadata.json", "usage.jsonl", "config.json",
	"synonyms.json", DISK_LOCK_NAME,  ".journal",
};

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

/* Who can read what the owner alone should. */
struct loose {
	struct str names;
	size_t count;
};

/* More than this many are not named. */
#define NAMED_MAX 3

static void check_mode(const struct disk *disk, const char *name, struct loose *loose)
{
	bool directory = name[0] == '\0';
	struct stat st;
	int result = directory ? disk->sys->fstat(disk->dirfd, &st)
			       : disk->sys->fstatat(disk->dirfd, name, &st, 0);

	if (result != 0 || (st.st_mode & 077) == 0)
		return;
	if (loose->count++ < NAMED_MAX)
		str_printf(&loose->names, "%s%s (%04o)", loose->count > 1 ? ", " : "",
			   directory ? "the directory" : name, (unsigned int)st.st_mode & 07777);
}

static void tell_loose(struct checkup *checkup, const struct loose *loose)
{
	STR_AUTO remedy = STR_INIT;

	str_printf(&remedy, "Take the rights of others away: chmod -R go= %s", checkup->disk.path);
	findings_add(checkup->found, SEVERITY_TODO, remedy.ptr, "open to others: %s",
		     loose->names.ptr);
}

static void check_modes(struct checkup *checkup)
{
	struct loose loose = {STR_INIT, 0};

	check_mode(&checkup->disk, "", &loose);
	for (int f = 0; f < STORE_FILE_COUNT; f++)
		check_mode(&checkup->disk, store_file_name((enum store_file)f), &loose);
	for (size_t i = 0; i < sizeof private_names / sizeof *private_names; i++)
		check_mode(&checkup->disk, private_names[i], &loose);
	if (loose.count > NAMED_MAX)
		str_printf(&loose.names, " and %zu more", loose.count - NAMED_MAX);
	if (loose.count > 0)
		tell_loose(checkup, &loose);
	findings_fact(checkup->found, "permissions", "%s",
		      loose.count > 0 ? "open to others" : "the owner's alone");
	str_release(&loose.names);
}

static bool make_probe(const struct disk *disk, const char *name)
{
	int fd = file_open(disk->sys, disk->dirfd, name,
			   O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	bool made = fd >= 0;

	file_close(disk->sys, &fd);
	return made;
}

/* Tried on two files that are made for it; one that a killed doctor left is in nobody's way. */
static void probe_exchange(struct disk *disk)
{
	const struct sys *sys = disk->sys;
	bool made[2];

	for (int i = 0; i < 2; i++) {
		sys->unlinkat(disk->dirfd, probes[i], 0);
		made[i] = make_probe(disk, probes[i]);
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
	struct err err;

	if (disk_writable(&checkup->disk, &err) == 0) {
		probe_exchange(&checkup->disk);
		return;
	}
	findings_add(checkup->found, SEVERITY_TODO,
		     "Nothing can be stored: make it writable, or choose another store with --dir.",
		     "%s", err.text);
}

static const char *weak_name(unsigned long magic)
{
	for (size_t i = 0; i < sizeof weak / sizeof *weak; i++) {
		if (weak[i].magic == magic)
			return weak[i].name;
	}
	return NULL;
}

/* Can it be told here who is still writing to a file? Asked of a file that every store has. */
static void check_leases(struct checkup *checkup)
{
	const struct sys *sys = checkup->disk.sys;
	struct stat st;
	int fd = file_open(sys, checkup->disk.dirfd, ".kota",
			   O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);

	if (fd >= 0 && sys->fstat(fd, &st) == 0 && st.st_uid == geteuid() &&
	    file_use(sys, fd) == FILE_USE_UNKNOWN)
		findings_add(checkup->found, SEVERITY_NOTE,
			     "Close an editor that saves in place before an agent stores "
			     "something twice.",
			     "this file system does not say who has a file open for writing");
	file_close(sys, &fd);
}

static void check_file_system(struct checkup *checkup)
{
	const char *name = NULL;
	struct statfs fs;

	if (fstatfs(checkup->disk.dirfd, &fs) == 0)
		name = weak_name((unsigned long)fs.f_type & 0xFFFFFFFFUL);
	findings_fact(checkup->found, "file system", "%s", name ? name : "local");
	check_leases(checkup);
	if (name || checkup->disk.exchange_missing)
		findings_add(
			checkup->found, SEVERITY_NOTE,
			"Locks and replacing files may be weaker here: do not edit by hand while "
			"an agent stores something, and prefer a store on a local disk.",
			"the store is on %s, which may not exchange files in one step",
			name ? name : "this file system");
}

void checkup_access(struct checkup *checkup)
{
	check_modes(checkup);
	check_writable(checkup);
	check_file_system(checkup);
}
