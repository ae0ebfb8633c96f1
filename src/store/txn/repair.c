#include "store/txn/repair.h"

#include "store/files/dir_lock.h"
#include "store/files/format_files.h"
#include "store/files/note_folder.h"
#include "store/files/resolve.h"
#include "store/history/history.h"
#include "store/log/journal.h"
#include "store/swap/whole_file.h"
#include "store/txn/apply.h"
#include "store/txn/metadata.h"
#include "store/view/loader.h"
#include "store/view/notices.h"
#include "store/view/snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* Everything of ours, but for the store's files, that should be the owner's alone. */
static const char *const private_names[] = {
	COLD_FOLDER,     NOTE_FOLDER,    "metadata.json", "usage.jsonl", "config.json",
	"synonyms.json", DISK_LOCK_NAME, ".journal",      ".pending",
};

/* What is made of the other files, or whole or not at all. */
static const char *const temporary[] = {
	".journal.tmp",       ".kota.tmp",        ".gitignore.tmp",
	".metadata.json.tmp", ".usage.jsonl.tmp", ".purge.tmp",
	".maintained.tmp",    ".pending.tmp",     NULL,
};

const char *const *repair_temporary_names(void)
{
	return temporary;
}

static void repair_tidy(struct disk *disk)
{
	struct stat st;

	for (const char *const *name = temporary; *name; name++) {
		if (disk->sys->fstatat(disk->dirfd, *name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(st.st_mode))
			disk->sys->unlinkat(disk->dirfd, *name, 0);
	}
}

/* ---- modes */

static void repair_look_at(struct disk *disk, const char *name, repair_visitor visit, void *context)
{
	bool folder = name[0] == '\0';
	struct stat itself;
	struct stat st;

	if (folder ? disk->sys->fstat(disk->dirfd, &st) != 0
		   : disk->sys->fstatat(disk->dirfd, name, &st, 0) != 0)
		return;
	if ((st.st_mode & 077) == 0)
		return;
	if (folder || disk->sys->fstatat(disk->dirfd, name, &itself, AT_SYMLINK_NOFOLLOW) != 0)
		itself = st;
	visit(context, name, st.st_mode,
	      itself.st_uid == geteuid() && (S_ISDIR(itself.st_mode) ||
					     (S_ISREG(itself.st_mode) && itself.st_nlink == 1)));
}

void repair_each_open(struct disk *disk, repair_visitor visit, void *context)
{
	repair_look_at(disk, "", visit, context);
	for (int f = 0; f < STORE_FILE_COUNT; f++)
		repair_look_at(disk, store_file_name((enum store_file)f), visit, context);
	for (size_t i = 0; i < sizeof private_names / sizeof *private_names; i++)
		repair_look_at(disk, private_names[i], visit, context);
}

/* What has the name may have changed since it was looked at: what was opened counts. */
static void repair_tighten(void *context, const char *name, mode_t mode, bool tightens)
{
	struct disk *disk = context;
	struct stat st;

	(void)mode;
	if (!tightens)
		return;
	int fd = file_open(disk->sys, disk->dirfd, name[0] ? name : ".",
			   O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
	if (fd >= 0 && disk->sys->fstat(fd, &st) == 0 && st.st_uid == geteuid() &&
	    (S_ISDIR(st.st_mode) || (S_ISREG(st.st_mode) && st.st_nlink == 1)))
		disk->sys->fchmod(fd, st.st_mode & 0700);
	file_close(disk->sys, &fd);
}

/* ---- all of it */

/* Those that a person may ask to be carried out; the others stay where they are. */
static int repair_carry_out_asides(struct disk *disk, struct err *err)
{
	int result = 0;

	for (int n = journal_next_aside(disk, 0); result == 0 && n > 0;
	     n = journal_next_aside(disk, n)) {
		struct journal journal;

		/* One that waits for a file comes first. */
		if (journal_read(&journal, disk, err) != 0)
			return -1;
		bool carried = !journal.found;
		journal_release(&journal);
		if (!carried || journal_read_aside(&journal, disk, n, err) != 0)
			continue;
		carried = journal.found;
		journal_release(&journal);
		if (carried)
			result = apply_aside(disk, n, err);
	}
	return result;
}

static int repair_finish_changes(struct store *store, struct err *err)
{
	struct disk *disk = &store->disk;

	disk->by_hand = true;
	disk->recovered = false;
	int result = apply_recover(disk, store->now_ms, err);
	if (result == 0 && journal_is_used(disk))
		result = repair_carry_out_asides(disk, err);
	disk->by_hand = false;
	notices_take_remarks(store);
	return result;
}

/*
 * The last text that could be believed takes the place of one that cannot, which stays beside it:
 * the person may want to see it again, or have it back.
 */
static int repair_put_texts_back(struct store *store, struct err *err)
{
	for (int f = 0; f < STORE_FILE_COUNT; f++) {
		const struct loaded *file = loader_look(store, (enum store_file)f);
		struct whole_file whole = {.file_name = store_file_name((enum store_file)f),
					   .keeps = true};
		STR_AUTO before = STR_INIT;
		struct file_id id;

		if (!file->stands)
			continue;
		/* Without the operations of the journal, which are carried out again afterwards. */
		whole.after = str_slice(file->raw.len ? &file->raw : &file->text);
		if (disk_read(&store->disk, whole.file_name, &before, &id, err) != 0)
			return -1;
		whole.before = str_slice(&before);
		if (whole_file_replace(&store->disk, &whole, err) != 0)
			return -1;
	}
	return 0;
}

static int repair_locked(struct store *store, struct err *err)
{
	struct disk *disk = &store->disk;
	struct file_id id;
	struct err second;

	notices_clear(store);
	snapshot_load_settings(store);
	/* A repository is not begun for this. */
	if (file_identify(store->sys, disk->dirfd, ".git", &id, &second) == 0 && id.present)
		history_open(store);
	int result = repair_put_texts_back(store, err);
	if (repair_finish_changes(store, &second) != 0 && result == 0) {
		*err = second;
		result = -1;
	}
	if (format_files_complete(disk, &second) != 0 && result == 0) {
		*err = second;
		result = -1;
	}
	snapshot_load(store, store->now_ms);
	repair_tidy(disk);
	metadata_mend(store);
	if (history_mend(store, &second) != 0 && result == 0) {
		*err = second;
		result = -1;
	}
	if (history_is_on(store))
		history_catch_up(store);
	repair_each_open(disk, repair_tighten, disk);
	return result;
}

int repair_store(struct store *store, int64_t now_ms, struct err *err)
{
	if (!disk_exists(&store->disk))
		return 0;
	if (disk_lock(&store->disk, DISK_LOCK_WAIT_MS, err) != 0)
		return -1;
	store->now_ms = now_ms;
	int result = repair_locked(store, err);
	disk_unlock(&store->disk);
	return result;
}

int repair_record_held(struct store *store, int64_t now_ms, struct err *err)
{
	int result = -1;

	if (disk_lock(&store->disk, DISK_LOCK_WAIT_MS, err) != 0)
		return -1;
	store->now_ms = now_ms;
	if (history_prepare(store, err) == 0 &&
	    apply_recover(&store->disk, store->now_ms, err) == 0)
		result = history_record_all(store, err);
	disk_unlock(&store->disk);
	return result;
}
