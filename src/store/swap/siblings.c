#include "store/swap/siblings.h"

#include "base/time.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

/* So many files of one kind are kept apart before a change is refused. */
#define KEPT_MAX 1000

/* Far longer than an open() takes from finding the file to having it open, also when it is made to
 * wait for a processor. */
#define YOUNG_MS 10

/* An editor that has not written for so long may keep the file open for hours. */
#define FRESH_MS 1000

void sibling_name(struct str *out, const struct path *path, const char *suffix)
{
	str_printf(out, ".%s.%s", path->name, suffix);
}

void sibling_suffix(char out[SIBLING_SUFFIX_SIZE], unsigned slot)
{
	if (slot == 0)
		snprintf(out, SIBLING_SUFFIX_SIZE, SIBLING_PREV);
	else
		snprintf(out, SIBLING_SUFFIX_SIZE, SIBLING_HELD "-%u", slot % 100);
}

static int sibling_error(const struct path *path, const char *what, const char *name,
			 struct err *err)
{
	return err_set_errno(err, ERR_IO, errno, "cannot %s %s/%s", what, path->disk->path, name);
}

int sibling_read(const struct path *path, const char *suffix, struct str *text, struct file_id *id,
		 enum file_use *use, struct err *err)
{
	STR_AUTO name = STR_INIT;

	sibling_name(&name, path, suffix);
	return path_read_use(path, name.ptr, text, NULL, id, use, err);
}

int sibling_read_changed(const struct path *path, const char *suffix, const struct file_id *known,
			 struct str *text, struct file_id *id, enum file_use *use, struct err *err)
{
	STR_AUTO name = STR_INIT;

	sibling_name(&name, path, suffix);
	return path_read_use(path, name.ptr, text, known, id, use, err);
}

int sibling_identify(const struct path *path, const char *suffix, struct file_id *id,
		     struct err *err)
{
	STR_AUTO name = STR_INIT;

	sibling_name(&name, path, suffix);
	return file_identify(path->disk->sys, path->dirfd, name.ptr, id, err);
}

static bool sibling_exists(const struct path *path, const char *suffix)
{
	STR_AUTO name = STR_INIT;
	struct stat st;

	sibling_name(&name, path, suffix);
	return path->disk->sys->fstatat(path->dirfd, name.ptr, &st, AT_SYMLINK_NOFOLLOW) == 0 ||
	       errno != ENOENT;
}

bool sibling_is_stirred(const struct path *path, const struct file_id *out, struct file_id *now)
{
	struct err ignored;

	return sibling_identify(path, SIBLING_PREV, now, &ignored) == 0 &&
	       (!now->present || now->ino != out->ino || now->size != out->size ||
		now->mtime.tv_sec != out->mtime.tv_sec || now->mtime.tv_nsec != out->mtime.tv_nsec);
}

/* A time that is yet to come says nothing: the clock was set. */
static bool sibling_is_recent(const struct path *path, const struct timespec *when, int64_t span_ms)
{
	int64_t age_ms = path->disk->sys->now_ms() - time_of_timespec(*when);

	return age_ms >= 0 && age_ms < span_ms;
}

bool sibling_is_young(const struct path *path, const struct file_id *id)
{
	return sibling_is_recent(path, &id->ctime, YOUNG_MS);
}

bool sibling_is_fresh(const struct path *path, const struct file_id *id)
{
	return sibling_is_recent(path, &id->mtime, FRESH_MS);
}

static int sibling_check_kind(const struct path *path, const char *suffix, bool regular,
			      struct err *err)
{
	STR_AUTO name = STR_INIT;
	struct stat st;

	sibling_name(&name, path, suffix);
	if (path->disk->sys->fstatat(path->dirfd, name.ptr, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? 0 : sibling_error(path, "look at", name.ptr, err);
	if (regular ? S_ISREG(st.st_mode) : !S_ISDIR(st.st_mode))
		return 0;
	return err_set(err, ERR_BAD_DATA, "%s/%s is %s: remove it", path->disk->path, name.ptr,
		       regular ? "not a regular file" : "a directory");
}

int sibling_check(const struct path *path, struct err *err)
{
	/* A temporary file of any other kind is removed without being looked into. */
	return sibling_check_kind(path, SIBLING_PREV, true, err) == 0 &&
			       sibling_check_kind(path, SIBLING_TEMP, false, err) == 0
		       ? 0
		       : -1;
}

int sibling_remove(const struct path *path, const char *suffix, struct err *err)
{
	STR_AUTO name = STR_INIT;

	sibling_name(&name, path, suffix);
	if (path->disk->sys->unlinkat(path->dirfd, name.ptr, 0) == 0 || errno == ENOENT)
		return 0;
	if (errno == EISDIR)
		return err_set(err, ERR_BAD_DATA, "%s/%s is a directory: remove it",
			       path->disk->path, name.ptr);
	return sibling_error(path, "remove", name.ptr, err);
}

/* The first one of its kind has no number. */
static void sibling_kept_name(struct str *out, const struct path *path, const char *kind, int n)
{
	str_printf(out, ".%s.%s", path->name, kind);
	if (n > 1)
		str_printf(out, "-%d", n);
}

int sibling_keep(const struct path *path, const char *suffix, const char *kind, struct err *err)
{
	const struct sys *sys = path->disk->sys;
	STR_AUTO name = STR_INIT;

	sibling_name(&name, path, suffix);
	for (int n = 1; n <= KEPT_MAX; n++) {
		STR_AUTO kept = STR_INIT;
		struct stat st;

		sibling_kept_name(&kept, path, kind, n);
		if (sys->fstatat(path->dirfd, kept.ptr, &st, AT_SYMLINK_NOFOLLOW) == 0)
			continue;
		if (errno != ENOENT ||
		    sys->renameat2(path->dirfd, name.ptr, path->dirfd, kept.ptr, 0) != 0)
			return sibling_error(path, "keep", name.ptr, err);
		return 0;
	}
	return err_set(err, ERR_IO, "%s/.%s.%s and %d more like it: look at them and remove them",
		       path->disk->path, path->name, kind, KEPT_MAX);
}

int sibling_keep_once(const struct path *path, const char *suffix, const char *kind,
		      struct slice text, struct err *err)
{
	for (int n = 1; n <= KEPT_MAX; n++) {
		STR_AUTO name = STR_INIT;
		STR_AUTO kept = STR_INIT;
		struct file_id id;
		struct err ignored;

		sibling_kept_name(&name, path, kind, n);
		if (path_read(path, name.ptr, &kept, &id, &ignored) != 0)
			continue;
		if (!id.present)
			break;
		if (slice_equal(text, str_slice(&kept)))
			return sibling_remove(path, suffix, err);
	}
	return sibling_keep(path, suffix, kind, err);
}

int sibling_is_known(const struct path *path, const struct swap_log *intent, bool *known,
		     struct err *err)
{
	STR_AUTO text = STR_INIT;
	struct file_id id;

	if (sibling_read(path, SIBLING_PREV, &text, &id, NULL, err) != 0)
		return -1;
	uint64_t digest = text_digest(str_slice(&text));
	*known = !id.present || digest == intent->was.digest || digest == intent->merged;
	return 0;
}

static int sibling_rename(const struct path *path, const char *from, const char *to,
			  struct err *err)
{
	STR_AUTO from_name = STR_INIT;
	STR_AUTO to_name = STR_INIT;

	sibling_name(&from_name, path, from);
	sibling_name(&to_name, path, to);
	if (path->disk->sys->renameat2(path->dirfd, from_name.ptr, path->dirfd, to_name.ptr, 0) !=
	    0)
		return sibling_error(path, "rename", from_name.ptr, err);
	return 0;
}

int sibling_hold(const struct path *path, const char *suffix, unsigned slot, struct err *err)
{
	char name[SIBLING_SUFFIX_SIZE];

	sibling_suffix(name, slot);
	return sibling_rename(path, suffix, name, err);
}

uint32_t sibling_slots_in_use(const struct path *path, uint32_t held)
{
	for (unsigned slot = 1; slot <= HELD_MAX; slot++) {
		char suffix[SIBLING_SUFFIX_SIZE];

		sibling_suffix(suffix, slot);
		if ((held & 1U << slot) && !sibling_exists(path, suffix))
			held &= ~(1U << slot);
	}
	return held;
}

unsigned sibling_free_slot(const struct path *path, uint32_t held)
{
	for (unsigned slot = 1; slot <= HELD_MAX; slot++) {
		char suffix[SIBLING_SUFFIX_SIZE];

		sibling_suffix(suffix, slot);
		if (!(held & 1U << slot) && !sibling_exists(path, suffix))
			return slot;
	}
	return 0;
}

int sibling_retire(const struct path *path, const struct swap_log *intent, bool is_final,
		   struct err *err)
{
	bool known = true;

	/* The rename may have been done already, before a kill. */
	if (intent->hold && sibling_exists(path, SIBLING_PREV) &&
	    sibling_hold(path, SIBLING_PREV, intent->hold, err) != 0)
		return -1;
	/* Before it is removed: if the displaced file is not the one we know, keep it. */
	if (!intent->hold && !is_final &&
	    (sibling_is_known(path, intent, &known, err) != 0 ||
	     (!known && sibling_keep(path, SIBLING_PREV, SIBLING_ORPHAN, err) != 0)))
		return -1;
	return sibling_rename(path, SIBLING_TEMP, SIBLING_PREV, err);
}

int sibling_sync(const struct path *path, struct err *err)
{
	if (path->disk->sync_later && !path->linked)
		return 0;
	if (file_fsync(path->disk->sys, path->dirfd) != 0)
		return err_set_errno(err, ERR_IO, errno, "cannot make %s/%s durable",
				     path->disk->path, path->file_name);
	return 0;
}

/* Takes a text for what is known; one that does not parse has no units. */
static void sibling_known_from_text(struct known *out, enum store_file file, struct slice text)
{
	struct json_fault fault;
	JSON_AUTO doc = {0};

	out->digest = text_digest(text);
	if (json_parse(&doc, text, &json_file_bounds, &fault) != 0)
		return;
	if (json_type(&doc, JSON_ROOT) == JSON_OBJECT)
		digests_read(&out->units, file, &doc);
}

void sibling_inode(struct inode *out, const struct path *path, const char *suffix,
		   const struct file_id *id)
{
	STR_AUTO name = STR_INIT;

	sibling_name(&name, path, suffix);
	out->ino = id->ino;
	out->changed_ns = file_changed_ns(id);
	out->born_ns = id->born_ns ? id->born_ns
				   : file_born_ns(path->disk->sys, path->dirfd, name.ptr);
}

bool sibling_known(struct known *out, const struct swap_log *intent, enum store_file file,
		   uint64_t dev, const struct inode *inode, struct slice text)
{
	if (swap_log_means(intent, &intent->prev, dev, inode)) {
		known_copy(out, &intent->was);
		return true;
	}
	if (swap_log_means(intent, &intent->file, dev, inode)) {
		known_copy(out, &intent->now);
		return true;
	}
	/* Our own text that was withdrawn, or a file that we know nothing of: it is what it is. */
	sibling_known_from_text(out, file, text);
	return swap_log_means(intent, &intent->temp, dev, inode);
}
