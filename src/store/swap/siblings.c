#include "store/swap/siblings.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

/* So many files of one kind are kept apart before a change is refused. */
#define KEPT_MAX 1000

/* Far longer than an open() takes from finding the file to having it open, also when it is made to
 * wait for a processor. */
#define YOUNG_MS 10

/* An editor that has not written for so long may keep the file open for hours. */
#define FRESH_MS 1000

char *twin_name(const struct path *path, const char *suffix)
{
	struct str name = STR_INIT;

	str_printf(&name, ".%s.%s", path->name, suffix);
	return str_detach(&name);
}

void twin_suffix(char out[TWIN_SUFFIX_SIZE], unsigned slot)
{
	if (slot == 0)
		snprintf(out, TWIN_SUFFIX_SIZE, TWIN_PREV);
	else
		snprintf(out, TWIN_SUFFIX_SIZE, TWIN_HELD "-%u", slot % 100);
}

static int twin_error(const struct path *path, const char *what, const char *name, struct err *err)
{
	return err_set_errno(err, ERR_IO, errno, "cannot %s %s/%s", what, path->disk->path, name);
}

int twin_read(const struct path *path, const char *suffix, struct str *text, struct file_id *id,
	      enum file_use *use, struct err *err)
{
	char *name = twin_name(path, suffix);
	int result = path_read_use(path, name, text, id, use, err);

	free(name);
	return result;
}

static bool exists(const struct path *path, const char *suffix)
{
	char *name = twin_name(path, suffix);
	struct stat st;
	bool absent = path->disk->sys->fstatat(path->dirfd, name, &st, AT_SYMLINK_NOFOLLOW) != 0 &&
		      errno == ENOENT;

	free(name);
	return !absent;
}

bool twin_is_stirred(const struct path *path, const struct file_id *out, struct file_id *now)
{
	char *prev = twin_name(path, TWIN_PREV);
	struct err ignored;
	bool same = file_identify(path->disk->sys, path->dirfd, prev, now, &ignored) != 0 ||
		    (now->present && now->ino == out->ino && now->size == out->size &&
		     now->mtime.tv_sec == out->mtime.tv_sec &&
		     now->mtime.tv_nsec == out->mtime.tv_nsec);

	free(prev);
	return !same;
}

/* A time that is yet to come says nothing: the clock was set. */
static bool is_recent(const struct path *path, const struct timespec *when, int64_t span_ms)
{
	int64_t when_ms = (int64_t)when->tv_sec * 1000 + when->tv_nsec / 1000000;
	int64_t age_ms = path->disk->sys->now_ms() - when_ms;

	return age_ms >= 0 && age_ms < span_ms;
}

bool twin_is_young(const struct path *path, const struct file_id *id)
{
	return is_recent(path, &id->ctime, YOUNG_MS);
}

bool twin_is_fresh(const struct path *path, const struct file_id *id)
{
	return is_recent(path, &id->mtime, FRESH_MS);
}

static int check_kind(const struct path *path, const char *suffix, bool regular, struct err *err)
{
	char *name = twin_name(path, suffix);
	struct stat st;
	int result = path->disk->sys->fstatat(path->dirfd, name, &st, AT_SYMLINK_NOFOLLOW);

	if (result != 0 && errno == ENOENT)
		result = 0;
	else if (result != 0)
		twin_error(path, "look at", name, err);
	else if (regular ? !S_ISREG(st.st_mode) : S_ISDIR(st.st_mode))
		result = err_set(err, ERR_BAD_DATA, "%s/%s is %s: remove it", path->disk->path,
				 name, regular ? "not a regular file" : "a directory");
	free(name);
	return result;
}

int twin_check(const struct path *path, struct err *err)
{
	/* A temporary file of any other kind is removed without being looked into. */
	return check_kind(path, TWIN_PREV, true, err) == 0 &&
			       check_kind(path, TWIN_TEMP, false, err) == 0
		       ? 0
		       : -1;
}

int twin_remove(const struct path *path, const char *suffix, struct err *err)
{
	char *name = twin_name(path, suffix);
	int result = path->disk->sys->unlinkat(path->dirfd, name, 0);

	if (result != 0 && errno == ENOENT)
		result = 0;
	else if (result != 0 && errno == EISDIR)
		err_set(err, ERR_BAD_DATA, "%s/%s is a directory: remove it", path->disk->path,
			name);
	else if (result != 0)
		twin_error(path, "remove", name, err);
	free(name);
	return result;
}

/* The first one of its kind has no number. */
static void name_kept(struct str *out, const struct path *path, const char *kind, int n)
{
	str_printf(out, ".%s.%s", path->name, kind);
	if (n > 1)
		str_printf(out, "-%d", n);
}

static int rename_to_free(const struct path *path, const char *name, const char *kind,
			  struct err *err)
{
	const struct sys *sys = path->disk->sys;

	for (int n = 1; n <= KEPT_MAX; n++) {
		STR_AUTO kept = STR_INIT;
		struct stat st;

		name_kept(&kept, path, kind, n);
		if (sys->fstatat(path->dirfd, kept.ptr, &st, AT_SYMLINK_NOFOLLOW) == 0)
			continue;
		if (errno != ENOENT ||
		    sys->renameat2(path->dirfd, name, path->dirfd, kept.ptr, 0) != 0)
			return twin_error(path, "keep", name, err);
		return 0;
	}
	return err_set(err, ERR_IO, "%s/.%s.%s and %d more like it: look at them and remove them",
		       path->disk->path, path->name, kind, KEPT_MAX);
}

int twin_keep(const struct path *path, const char *suffix, const char *kind, struct err *err)
{
	char *name = twin_name(path, suffix);
	int result = rename_to_free(path, name, kind, err);

	free(name);
	return result;
}

int twin_keep_once(const struct path *path, const char *suffix, const char *kind, struct slice text,
		   struct err *err)
{
	for (int n = 1; n <= KEPT_MAX; n++) {
		STR_AUTO name = STR_INIT;
		STR_AUTO kept = STR_INIT;
		struct file_id id;
		struct err ignored;

		name_kept(&name, path, kind, n);
		if (path_read(path, name.ptr, &kept, &id, &ignored) != 0)
			continue;
		if (!id.present)
			break;
		if (slice_equal(text, str_slice(&kept)))
			return twin_remove(path, suffix, err);
	}
	return twin_keep(path, suffix, kind, err);
}

int twin_is_known(const struct path *path, const struct intent *intent, bool *known,
		  struct err *err)
{
	STR_AUTO text = STR_INIT;
	struct file_id id;
	uint64_t digest;

	if (twin_read(path, TWIN_PREV, &text, &id, NULL, err) != 0)
		return -1;
	digest = text_digest(str_slice(&text));
	*known = !id.present || digest == intent->was.digest || digest == intent->merged;
	return 0;
}

/* The displaced file that is about to go stays when it is not what it is taken for. */
static int keep_old_prev(const struct path *path, const struct intent *intent, struct err *err)
{
	bool known;

	if (twin_is_known(path, intent, &known, err) != 0)
		return -1;
	return known ? 0 : twin_keep(path, TWIN_PREV, TWIN_ORPHAN, err);
}

static int rename_twin(const struct path *path, const char *from, const char *to, struct err *err)
{
	char *from_name = twin_name(path, from);
	char *to_name = twin_name(path, to);
	int result = path->disk->sys->renameat2(path->dirfd, from_name, path->dirfd, to_name, 0);

	if (result != 0)
		twin_error(path, "rename", from_name, err);
	free(to_name);
	free(from_name);
	return result;
}

int twin_hold(const struct path *path, const char *suffix, unsigned slot, struct err *err)
{
	char name[TWIN_SUFFIX_SIZE];

	twin_suffix(name, slot);
	return rename_twin(path, suffix, name, err);
}

uint32_t twin_slots_in_use(const struct path *path, uint32_t held)
{
	for (unsigned slot = 1; slot <= HELD_MAX; slot++) {
		char suffix[TWIN_SUFFIX_SIZE];

		twin_suffix(suffix, slot);
		if ((held & 1U << slot) && !exists(path, suffix))
			held &= ~(1U << slot);
	}
	return held;
}

unsigned twin_free_slot(const struct path *path, uint32_t held)
{
	for (unsigned slot = 1; slot <= HELD_MAX; slot++) {
		char suffix[TWIN_SUFFIX_SIZE];

		twin_suffix(suffix, slot);
		if (!(held & 1U << slot) && !exists(path, suffix))
			return slot;
	}
	return 0;
}

/* Makes room for the file that is displaced now. */
static int give_way(const struct path *path, const struct intent *intent, bool is_final,
		    struct err *err)
{
	if (!intent->hold)
		return is_final ? 0 : keep_old_prev(path, intent, err);
	/* Renamed already, before a kill. */
	if (!exists(path, TWIN_PREV))
		return 0;
	return twin_hold(path, TWIN_PREV, intent->hold, err);
}

int twin_retire(const struct path *path, const struct intent *intent, bool is_final,
		struct err *err)
{
	if (give_way(path, intent, is_final, err) != 0)
		return -1;
	return rename_twin(path, TWIN_TEMP, TWIN_PREV, err);
}

int twin_sync(const struct path *path, struct err *err)
{
	if (path->disk->sync_later && !path->linked)
		return 0;
	if (file_fsync(path->disk->sys, path->dirfd) != 0)
		return err_set_errno(err, ERR_IO, errno, "cannot make %s/%s durable",
				     path->disk->path, path->file_name);
	return 0;
}

/* Takes a text for what is known; one that does not parse has no units. */
static void known_from_text(struct known *out, enum store_file file, struct slice text)
{
	struct json_fault fault;
	struct json doc;

	out->digest = text_digest(text);
	if (json_parse(&doc, text, &json_file_bounds, &fault) != 0)
		return;
	if (json_type(&doc, JSON_ROOT) == JSON_OBJECT)
		units_read(&out->units, file, &doc);
	json_release(&doc);
}

void twin_known(struct known *out, const struct intent *intent, enum store_file file,
		const struct file_id *id, struct slice text)
{
	/* Our own text that was withdrawn, or a file that we know nothing of: it is what it is. */
	if (!intent->found || !intent->this_boot || id->ino == intent->temp_ino)
		known_from_text(out, file, text);
	else if (id->ino == intent->was_ino)
		known_copy(out, &intent->was);
	else
		known_copy(out, &intent->now);
}
