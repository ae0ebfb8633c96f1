#include "store/twin.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

/* So many files of one kind are kept apart before a change is refused. */
#define KEPT_MAX 1000

char *twin_name(const struct path *path, const char *suffix)
{
	struct str name = STR_INIT;

	str_printf(&name, ".%s.%s", path->name, suffix);
	return str_detach(&name);
}

static int twin_error(const struct path *path, const char *what, const char *name, struct err *err)
{
	return err_set_errno(err, ERR_IO, errno, "cannot %s %s/%s", what, path->disk->path, name);
}

int twin_read(const struct path *path, const char *suffix, struct str *text, struct file_id *id,
	      struct err *err)
{
	char *name = twin_name(path, suffix);
	int result = path_read(path, name, text, id, err);

	free(name);
	return result;
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

static int rename_to_free(const struct path *path, const char *name, const char *kind,
			  struct err *err)
{
	const struct sys *sys = path->disk->sys;

	for (int n = 1; n <= KEPT_MAX; n++) {
		STR_AUTO kept = STR_INIT;
		struct stat st;

		str_printf(&kept, ".%s.%s", path->name, kind);
		if (n > 1)
			str_printf(&kept, "-%d", n);
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

int twin_is_known(const struct path *path, const struct intent *intent, bool *known,
		  struct err *err)
{
	STR_AUTO text = STR_INIT;
	struct file_id id;
	uint64_t digest;

	if (twin_read(path, TWIN_PREV, &text, &id, err) != 0)
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

int twin_retire(const struct path *path, const struct intent *intent, struct err *err)
{
	char *temp = twin_name(path, TWIN_TEMP);
	char *prev = twin_name(path, TWIN_PREV);
	int result = keep_old_prev(path, intent, err);

	if (result == 0 && path->disk->sys->renameat2(path->dirfd, temp, path->dirfd, prev, 0) != 0)
		result = twin_error(path, "rename", temp, err);
	free(prev);
	free(temp);
	return result;
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
