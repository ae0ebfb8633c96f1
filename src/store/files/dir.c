#include "store/files/dir.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/vfs.h>

/* Twice the coarsest step in which a kernel advances the times of files: where another kernel than
 * ours may keep them. */
#define SETTLED_NS INT64_C(20000000)

/* The step of a file system that notes whole seconds, or every other one. */
#define WHOLE_SECONDS_NS INT64_C(2000000000)

/* A file of a store that came with a repository may not be longer. */
#define FOREIGN_BYTES_MAX ((size_t)1 << 20)

bool disk_is_old(const struct disk *disk, const struct timespec *changed, int64_t asked_ns)
{
	int64_t end_ns = (int64_t)changed->tv_sec * 1000000000 + changed->tv_nsec;

	if (!disk->names_trusted)
		end_ns += SETTLED_NS;
	if (changed->tv_nsec == 0)
		end_ns += WHOLE_SECONDS_NS;
	return end_ns < asked_ns;
}

size_t disk_bytes_max(const struct disk *disk)
{
	return disk->origin.kind == ORIGIN_FOREIGN ? FOREIGN_BYTES_MAX : json_file_bounds.bytes;
}

bool disk_is_settled(const struct disk *disk, const struct file_id *id)
{
	return !id->present || disk_is_old(disk, &id->mtime, id->asked_ns);
}

int disk_look(struct disk *disk, enum store_file file, struct file_id *id, struct err *err)
{
	bool kept = disk->lock_fd >= 0;
	bool linked;

	if (kept && disk->looked[file]) {
		*id = disk->looks[file];
		return 0;
	}
	if (file_identify_link(disk->sys, disk->dirfd, store_file_name(file), id, &linked, err) !=
	    0)
		return -1;
	disk->looks_plain[file] = !linked && id->present && S_ISREG(id->mode);
	disk->looks[file] = *id;
	disk->looked[file] = kept;
	return 0;
}

int disk_look_at(struct disk *disk, const char *name, struct file_id *id, bool *linked,
		 struct err *err)
{
	static const char *const names[DISK_OTHERS] = {".kota", ".gitignore", "config.json",
						       "synonyms.json"};
	struct named_look *look = NULL;

	for (size_t i = 0; i < DISK_OTHERS && disk->lock_fd >= 0 && !look; i++) {
		if (strcmp(names[i], name) == 0)
			look = &disk->others_looked[i];
	}
	if (look && look->known) {
		*id = look->id;
		*linked = look->linked;
		return 0;
	}
	if (file_identify_link(disk->sys, disk->dirfd, name, id, linked, err) != 0)
		return -1;
	if (look)
		*look = (struct named_look){true, *linked, *id};
	return 0;
}

void disk_look_again(struct disk *disk, enum store_file file)
{
	for (size_t i = 0; i < DISK_OTHERS && file == STORE_FILE_COUNT; i++)
		disk->others_looked[i].known = false;
	disk->look_rounds += file == STORE_FILE_COUNT;
	for (int f = 0; f < STORE_FILE_COUNT; f++) {
		if (file == STORE_FILE_COUNT || file == (enum store_file)f)
			disk->looked[f] = false;
	}
}

/* As statfs(2) gives them: ext2 to ext4, XFS, Btrfs, F2FS, tmpfs, overlayfs, ZFS, bcachefs. */
static const unsigned long trusted_kinds[] = {0xEF53,     0x58465342, 0x9123683E, 0xF2F52010,
					      0x01021994, 0x794C7630, 0x2FC12FC1, 0xCA451A4E};

bool stat_cache_may_trust(int dirfd)
{
	struct statfs fs;

	if (fstatfs(dirfd, &fs) != 0)
		return false;
	for (size_t i = 0; i < sizeof trusted_kinds / sizeof *trusted_kinds; i++)
		if (((unsigned long)fs.f_type & 0xFFFFFFFFUL) == trusted_kinds[i])
			return true;
	return false;
}

void stat_cache_release(struct stat_cache *cache, const struct sys *sys)
{
	if (cache->held)
		file_close(sys, &cache->fd);
	*cache = (struct stat_cache){0};
}

/* Holds on to the file, if it is still the one that was looked at. */
static void dir_hold(struct stat_cache *cache, const struct disk *disk, const char *name,
		     const struct file_id *id)
{
	struct stat st;
	int fd = file_open(disk->sys, disk->dirfd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC, 0);

	if (fd < 0)
		return;
	if (disk->sys->fstat(fd, &st) != 0 || st.st_dev != id->dev || st.st_ino != id->ino) {
		file_close(disk->sys, &fd);
		return;
	}
	cache->held = true;
	cache->fd = fd;
	cache->dev = id->dev;
	cache->ino = id->ino;
}

/* A name that is the same as before is not looked up again. */
static bool dir_look_again(const struct stat_cache *cache, const struct disk *disk,
			   struct file_id *id)
{
	int64_t asked_ns = disk->sys->file_clock_ns();
	struct stat st;

	if (!cache->names || cache->names != disk->names || disk->lock_fd >= 0)
		return false;
	if (!cache->present) {
		*id = (struct file_id){.present = false};
		return true;
	}
	if (!cache->held || disk->sys->fstat(cache->fd, &st) != 0)
		return false;
	file_id_from_stat(id, &st);
	id->asked_ns = asked_ns;
	return true;
}

int stat_cache_at(struct stat_cache *cache, struct disk *disk, const char *name, struct file_id *id,
		  struct err *err)
{
	bool linked;

	if (dir_look_again(cache, disk, id))
		return 0;
	cache->names = 0;
	if (disk_look_at(disk, name, id, &linked, err) != 0)
		return -1;
	if (cache->held &&
	    (linked || !id->present || cache->dev != id->dev || cache->ino != id->ino))
		stat_cache_release(cache, disk->sys);
	/* Not worth it while names still change. */
	if (!disk->names_settled || disk->lock_fd >= 0)
		return 0;
	if (id->present && !linked && !cache->held)
		dir_hold(cache, disk, name, id);
	cache->names = disk->names;
	cache->present = id->present;
	return 0;
}

int disk_cannot(const struct disk *disk, const char *what, const char *name, struct err *err)
{
	return err_set_errno(err, err_code_of_write(errno), errno, "cannot %s %s%s%s", what,
			     disk->path, *name ? "/" : "", name);
}
