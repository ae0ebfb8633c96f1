#include "torture/loopdisk.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#define IMAGE_BYTES (24 << 20)
#define LOOP_TRIES 100

/* As linux/ext4.h has it, which not every system installs. */
#define SHUTDOWN _IOR('X', 125, uint32_t)
#define SHUTDOWN_WITH_LOG UINT32_C(1)
#define SHUTDOWN_WITHOUT_LOG UINT32_C(2)

#define BOOT_FILE "/proc/sys/kernel/random/boot_id"

/* What a signal has to take away; nothing else has a name. */
static char mounted_at[PATH_MAX];
static char boot_file[PATH_MAX + 16];

static void take_away(void)
{
	if (!*mounted_at)
		return;
	umount2(BOOT_FILE, MNT_DETACH);
	umount2(mounted_at, MNT_DETACH);
	unlink(boot_file);
	rmdir(mounted_at);
	*mounted_at = '\0';
}

static void end_by_signal(int number)
{
	take_away();
	signal(number, SIG_DFL);
	raise(number);
}

static int run_mkfs(const char *device)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		setenv("PATH", "/usr/sbin:/sbin:/usr/bin:/bin", 1);
		execlp("mkfs.ext4", "mkfs.ext4", "-q", "-F", "-b", "1024", device, (char *)NULL);
		_exit(127);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		row_fatal("fork");
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A file without a name, so that it goes with the last process that has it open. */
static int make_image(const char *folder)
{
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd < 0 || ftruncate(fd, IMAGE_BYTES) != 0)
		row_fatal("the image of the file system");
	return fd;
}

/*
 * Sets up a device on the image that goes with its last user, and opens it; -1 when that cannot be.
 * Others look for a free device as well: what was free may be taken.
 */
static int attach(const struct loopdisk *disk, char device[32])
{
	struct loop_config config = {
		.fd = (uint32_t)disk->image,
		.info = {.lo_flags = LO_FLAGS_AUTOCLEAR},
	};

	for (int tries = 0; tries < LOOP_TRIES; tries++) {
		int number = ioctl(disk->control, LOOP_CTL_GET_FREE);
		int fd;

		if (number < 0)
			return -1;
		snprintf(device, 32, "/dev/loop%d", number);
		fd = open(device, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			return -1;
		if (ioctl(fd, LOOP_CONFIGURE, &config) == 0)
			return fd;
		close(fd);
		if (errno != EBUSY)
			return -1;
	}
	return -1;
}

static void make_mount_point(struct loopdisk *disk)
{
	const char *base = getenv("TMPDIR");

	snprintf(disk->path, sizeof disk->path, "%s/kota-power-XXXXXX",
		 base && *base ? base : "/tmp");
	if (!mkdtemp(disk->path))
		row_fatal(disk->path);
	snprintf(boot_file, sizeof boot_file, "%s.boot", disk->path);
	memcpy(mounted_at, disk->path, sizeof mounted_at);
	atexit(take_away);
	signal(SIGINT, end_by_signal);
	signal(SIGTERM, end_by_signal);
	signal(SIGHUP, end_by_signal);
}

static void make_file_system(struct loopdisk *disk)
{
	char device[32];
	int fd = attach(disk, device);
	int status;

	if (fd < 0)
		row_skip("no loop device can be set up");
	status = run_mkfs(device);
	if (status == 127)
		row_skip("there is no mkfs.ext4");
	if (status != 0)
		row_fatal("mkfs.ext4");
	close(fd);
}

void loopdisk_make(struct loopdisk *disk)
{
	if (geteuid() != 0)
		row_skip("power can be cut by root alone");
	disk->control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	if (disk->control < 0)
		row_skip("there are no loop devices");
	if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
		row_skip("this root may not mount");
	make_mount_point(disk);
	disk->image = make_image(disk->path);
	make_file_system(disk);
}

/*
 * By a device of its own each time: what the kernel remembers of the last one's blocks would show
 * some of what the cut has taken away.
 */
void loopdisk_mount(struct loopdisk *disk)
{
	char device[32];
	int fd = attach(disk, device);

	if (fd < 0)
		row_fatal("a loop device");
	if (mount(device, disk->path, "ext4", MS_NODEV | MS_NOSUID, "noauto_da_alloc") != 0)
		row_fatal("mount");
	close(fd);
}

/* What the processes started from here on take for the id of this boot: another one each time. */
static void new_boot(void)
{
	static unsigned boots;
	FILE *file = fopen(boot_file, "we");

	if (!file)
		row_fatal(boot_file);
	fprintf(file, "00000000-0000-4000-8000-%012u\n", boots);
	if (fclose(file) != 0)
		row_fatal(boot_file);
	if (boots++ == 0 && mount(boot_file, BOOT_FILE, NULL, MS_BIND, NULL) != 0)
		row_fatal("mount over " BOOT_FILE);
}

void loopdisk_boot(struct loopdisk *disk)
{
	new_boot();
	loopdisk_mount(disk);
}

static void shut_down(const struct loopdisk *disk, uint32_t how)
{
	int fd = open(disk->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || ioctl(fd, SHUTDOWN, &how) != 0)
		row_fatal("the shutdown of ext4");
	close(fd);
}

void loopdisk_cut(const struct loopdisk *disk)
{
	shut_down(disk, SHUTDOWN_WITHOUT_LOG);
}

void loopdisk_cut_flushed(const struct loopdisk *disk)
{
	shut_down(disk, SHUTDOWN_WITH_LOG);
}

void loopdisk_cut_either(const struct loopdisk *disk, struct row *row)
{
	if (row_below(row, 2) == 0)
		loopdisk_cut(disk);
	else
		loopdisk_cut_flushed(disk);
}

void loopdisk_unmount(struct loopdisk *disk)
{
	if (umount(disk->path) != 0)
		row_fatal("umount");
}

void loopdisk_remove(struct loopdisk *disk)
{
	take_away();
	close(disk->image);
	close(disk->control);
}
