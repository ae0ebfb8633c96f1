#include "store/upkeep/maintained.h"

#include "store/files/cache_file.h"
#include "store/files/dir_lock.h"

#define MARK_NAME ".maintained"
#define MARK_MAX ((size_t)4096)

int64_t store_maintained_ms(struct store *store)
{
	struct disk *disk = store_disk(store);
	STR_AUTO text = STR_INIT;
	int64_t ms = TIME_NONE;
	struct file_id id;
	struct err ignored;

	if (!disk_exists(disk) ||
	    file_read_own(disk->sys, disk->dirfd, MARK_NAME, MARK_MAX, &text, &id, &ignored) != 0)
		return TIME_NONE;
	if (text.len > 0 && text.ptr[text.len - 1] == '\n')
		str_truncate(&text, text.len - 1);
	timestamp_parse(str_slice(&text), true, &ms);
	return ms;
}

int store_note_maintained(struct store *store, int64_t now_ms, struct err *err)
{
	struct disk *disk = store_disk(store);
	char time[TIMESTAMP_SIZE];
	STR_AUTO text = STR_INIT;

	if (!disk_exists(disk))
		return 0;
	timestamp_format(now_ms, time);
	str_printf(&text, "%s\n", time);
	if (disk_lock(disk, DISK_LOCK_WAIT_MS, err) != 0)
		return -1;
	int result = derived_replace(disk, MARK_NAME, str_slice(&text), NULL, err);
	disk_unlock(disk);
	return result;
}
