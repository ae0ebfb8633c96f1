#include "support/owned.h"

#include "base/mem.h"
#include "store/files/dir.h"
#include "store/files/dir_lock.h"

#include <stdlib.h>

static const char *lookup(const char *name)
{
	return getenv(name);
}

int owned_register(const char *path, struct err *err)
{
	struct place place = {.path = mem_strdup(path), .kind = PLACE_NAMED};
	struct disk disk;
	int result = disk_open_at(&disk, sys_real(), lookup, &place, err);

	if (result == 0) {
		result = origin_register(&disk.origin, sys_real(), lookup, disk.dirfd, true, err);
		disk_close(&disk);
	}
	place_release(&place);
	return result;
}
