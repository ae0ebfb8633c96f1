#include "store/files/resolve.h"

#include "base/mem.h"
#include "base/time.h"
#include "json/scan.h"
#include "secrets/withhold.h"
#include "store/files/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

/* Longest chain of links that is followed, as the kernel's own. */
#define LINKS_MAX 40

#define CLOSED_TO_US "is a link to where this process may not look: remove it"
#define LEADS_IN_A_CIRCLE "is a link that leads in a circle: remove it"

/* A text that does not parse is read this often, because an editor may be writing it. */
#define TORN_TRIES 3
#define TORN_PAUSE_MS 50

/* An editor that has cut a file goes on sooner; what is older somebody has left so. */
#define TORN_OLD_MS 500

/* Nesting of a file of entries. A record and its place in archive.json need less than what
 * json_file_bounds allow beyond it. */
#define ENTRY_FILE_DEPTH 32

static int resolve_refuse(const struct disk *disk, const char *file_name, const char *what,
			  struct err *err)
{
	return err_set(err, ERR_BAD_DATA, "%s/%s %s", disk->path, file_name, what);
}

/* Splits a path into its directory ("." when there is none) and its last part; both owned. */
static void resolve_split(const char *path, char **directory, char **name)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		*directory = mem_strdup(".");
	else if (slash == path)
		*directory = mem_strdup("/");
	else
		*directory = mem_strndup(path, (size_t)(slash - path));
	*name = mem_strdup(slash ? slash + 1 : path);
}

/* Goes on to where the link *name in *dirfd points. */
static int resolve_follow_link(struct disk *disk, const char *file_name, int *dirfd, char **name,
			       struct err *err)
{
	char target[PATH_MAX];
	ssize_t len = disk->sys->readlinkat(*dirfd, *name, target, sizeof target - 1);
	char *directory;
	char *last;

	if (len <= 0)
		return err_set_errno(err, ERR_IO, errno, "cannot read the link %s/%s", disk->path,
				     file_name);
	target[len] = '\0';
	resolve_split(target, &directory, &last);
	/* O_PATH: search permission is enough to go on from there. */
	int fd = file_open(disk->sys, *dirfd, directory, O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
	free(directory);
	if (fd < 0) {
		free(last);
		if (errno == ENOENT || errno == ENOTDIR)
			return resolve_refuse(disk, file_name, "is a link to nothing: remove it",
					      err);
		if (errno == ELOOP)
			return resolve_refuse(disk, file_name, LEADS_IN_A_CIRCLE, err);
		if (errno == EACCES)
			return resolve_refuse(disk, file_name, CLOSED_TO_US, err);
		return err_set_errno(err, ERR_IO, errno, "cannot follow the link %s/%s", disk->path,
				     file_name);
	}
	file_close(disk->sys, dirfd);
	free(*name);
	*dirfd = fd;
	*name = last;
	return 0;
}

/* True if the name leads, through `links` links, to a file that we work with. */
static int resolve_check_kind(const struct disk *disk, const char *file_name, const struct stat *st,
			      int links, struct err *err)
{
	if (!S_ISREG(st->st_mode))
		return resolve_refuse(disk, file_name,
				      S_ISDIR(st->st_mode)    ? "is a directory, not a file"
				      : S_ISFIFO(st->st_mode) ? "is a FIFO, not a file"
							      : "is not a regular file",
				      err);
	if (links > 0 && st->st_uid != geteuid())
		return resolve_refuse(disk, file_name,
				      "is a link to somebody else's file: remove it", err);
	return 0;
}

/* Follows links until *name in *dirfd is none. */
static int resolve_settle_on(struct disk *disk, const char *file_name, int *dirfd, char **name,
			     struct err *err)
{
	for (int links = 0; links <= LINKS_MAX; links++) {
		struct stat st;

		if (disk->sys->fstatat(*dirfd, *name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
			if (errno != ENOENT)
				return err_set_errno(err, ERR_IO, errno, "cannot look at %s/%s",
						     disk->path, file_name);
			if (links > 0)
				return resolve_refuse(disk, file_name,
						      "is a link to nothing: remove it", err);
			return 0;
		}
		if (!S_ISLNK(st.st_mode))
			return resolve_check_kind(disk, file_name, &st, links, err);
		if (resolve_follow_link(disk, file_name, dirfd, name, err) != 0)
			return -1;
	}
	return resolve_refuse(disk, file_name, LEADS_IN_A_CIRCLE, err);
}

/* The real path of what a link in the store leads to, once it is resolved; owned by the caller. */
static char *resolve_target_of(const struct disk *disk, int dirfd, const char *name)
{
	STR_AUTO self = STR_INIT;
	STR_AUTO path = STR_INIT;

	str_printf(&self, "/proc/self/fd/%d", dirfd);
	char *folder = disk->sys->realpath(self.ptr);
	if (!folder)
		return NULL;
	str_printf(&path, "%s/%s", strcmp(folder, "/") == 0 ? "" : folder, name);
	free(folder);
	return str_detach(&path);
}

/*
 * True if a link may be followed at all. Where none may lead out, nothing outside is even opened:
 * the kernel resolves the link and refuses to leave the folder.
 */
static int resolve_check_link(struct disk *disk, const char *file_name, struct err *err)
{
	const struct open_how inside = {.flags = O_PATH | O_CLOEXEC,
					.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};

	if (disk->origin.kind == ORIGIN_FOREIGN)
		return resolve_refuse(disk, file_name,
				      "is a link: no link is followed in a store that came with a "
				      "repository",
				      err);
	if (origin_links_lead_out(&disk->origin))
		return 0;
	int fd = disk->sys->openat2(disk->dirfd, file_name, &inside);
	if (fd >= 0 || errno != EXDEV) { /* what else is wrong with it is said further on */
		file_close(disk->sys, &fd);
		return 0;
	}
	return resolve_refuse(
		disk, file_name,
		disk->origin.tracked
			? "is a link that leads out of the store: none is followed in a "
			  "store that a repository tracks"
			: "is a link that leads out of the store: `kota trust` lets it",
		err);
}

static int resolve_check_target(struct disk *disk, const char *file_name, int dirfd,
				const char *name, struct err *err)
{
	char *target = resolve_target_of(disk, dirfd, name);
	bool may = target && origin_may_follow(&disk->origin, disk->sys, disk->env, disk->dirfd,
					       file_name, target);

	free(target);
	if (may)
		return 0;
	return err_set(err, ERR_BAD_DATA,
		       "%s/%s is a link that leads elsewhere than where it was allowed to: "
		       "`kota trust --link %s` allows it",
		       disk->path, file_name, file_name);
}

/* Opens the directory *dirfd for reading, in which files are replaced and made durable. */
static int resolve_open_target(struct disk *disk, const char *file_name, int *dirfd,
			       struct err *err)
{
	int fd = file_open(disk->sys, *dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);

	if (fd < 0 && errno == EACCES && confine_is_shut(disk->confine))
		return resolve_refuse(disk, file_name,
				      "is a link to a folder that " CONFINE_KEEPS
				      " if the link is yours, else remove it",
				      err);
	if (fd < 0 && errno == EACCES)
		return resolve_refuse(disk, file_name, CLOSED_TO_US, err);
	if (fd < 0)
		return err_set_errno(err, ERR_IO, errno, "cannot follow the link %s/%s", disk->path,
				     file_name);
	file_close(disk->sys, dirfd);
	*dirfd = fd;
	return 0;
}

/* Opens the directory to which a link leads and finds the name there; both are the caller's. */
static int resolve_walk(struct disk *disk, const char *file_name, int *dirfd, char **name,
			struct err *err)
{
	if (resolve_check_link(disk, file_name, err) != 0)
		return -1;
	int fd = file_open(disk->sys, disk->dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	if (fd < 0)
		return err_set_errno(err, ERR_IO, errno, "cannot open %s", disk->path);
	char *last = mem_strdup(file_name);
	if (resolve_settle_on(disk, file_name, &fd, &last, err) != 0 ||
	    resolve_check_target(disk, file_name, fd, last, err) != 0 ||
	    resolve_open_target(disk, file_name, &fd, err) != 0) {
		file_close(disk->sys, &fd);
		free(last);
		return -1;
	}
	*dirfd = fd;
	*name = last;
	return 0;
}

bool path_link_is_refused(struct disk *disk, const char *file_name)
{
	struct err ignored;
	struct stat st;

	if (disk->sys->fstatat(disk->dirfd, file_name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
	    !S_ISLNK(st.st_mode))
		return false;
	if (resolve_check_link(disk, file_name, &ignored) != 0)
		return true;
	int fd = file_open(disk->sys, disk->dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	if (fd < 0)
		return false;
	char *last = mem_strdup(file_name);
	bool refused = resolve_settle_on(disk, file_name, &fd, &last, &ignored) == 0 &&
		       resolve_check_target(disk, file_name, fd, last, &ignored) != 0;
	file_close(disk->sys, &fd);
	free(last);
	return refused;
}

int path_open(struct path *path, struct disk *disk, const char *file_name, struct err *err)
{
	enum store_file file = store_file_find(slice_of(file_name));
	struct stat st;

	*path = (struct path){.disk = disk, .file_name = file_name, .dirfd = disk->dirfd};
	/* It was no link when we looked under this lock; opening it tells if it is one by now. */
	if (disk->lock_fd >= 0 && file < STORE_FILE_COUNT && disk->looked[file] &&
	    disk->looks_plain[file]) {
		path->name = mem_strdup(file_name);
		return 0;
	}
	if (disk->sys->fstatat(disk->dirfd, file_name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
		if (S_ISLNK(st.st_mode)) {
			if (resolve_walk(disk, file_name, &path->dirfd, &path->name, err) != 0)
				return -1;
			path->linked = true;
			return 0;
		}
		if (resolve_check_kind(disk, file_name, &st, 0, err) != 0)
			return -1;
	} else if (errno != ENOENT) {
		return err_set_errno(err, ERR_IO, errno, "cannot look at %s/%s", disk->path,
				     file_name);
	}
	path->name = mem_strdup(file_name);
	return 0;
}

void path_release(struct path *path)
{
	if (path->linked)
		file_close(path->disk->sys, &path->dirfd);
	free(path->name);
	path->name = NULL;
}

int path_read_use(const struct path *path, const char *name, struct str *text,
		  const struct file_id *known, struct file_id *id, enum file_use *use,
		  struct err *err)
{
	if (file_read_use(path->disk->sys, path->dirfd, name, disk_bytes_max(path->disk), text,
			  known, id, use, err) != 0)
		return err_in_folder(err, path->disk->path, name);
	return 0;
}

int path_read(const struct path *path, const char *name, struct str *text, struct file_id *id,
	      struct err *err)
{
	return path_read_use(path, name, text, NULL, id, NULL, err);
}

bool text_is_blank(struct slice text)
{
	size_t at = 0;

	if (text.len >= 3 && memcmp(text.ptr, "\xEF\xBB\xBF", 3) == 0)
		at = 3;
	while (at < text.len && strchr(" \t\r\n", text.ptr[at]) && text.ptr[at])
		at++;
	return at == text.len;
}

struct json_bounds path_bounds(const char *file_name)
{
	struct json_bounds bounds = json_file_bounds;

	if (!slice_is(slice_of(file_name), store_file_name(STORE_FILE_ARCHIVE)))
		bounds.depth = ENTRY_FILE_DEPTH;
	return bounds;
}

/*
 * What a merge that found a conflict leaves: a line that begins with seven of these. Then that is
 * what is wrong with the file, whatever the scanner stumbles over first.
 */
static bool resolve_blame_conflict(struct slice text, struct json_fault *fault)
{
	for (size_t at = 0; at < text.len;) {
		const char *end = memchr(text.ptr + at, '\n', text.len - at);

		if (slice_starts(slice_make(text.ptr + at, text.len - at), "<<<<<<< ")) {
			json_fault_set(
				fault, text, at,
				"a conflict that a merge left here: keep one side, or join "
				"both, and remove the lines with <<<<<<<, ======= and >>>>>>>");
			return true;
		}
		if (!end)
			return false;
		at = (size_t)(end - text.ptr) + 1;
	}
	return false;
}

int path_parse(const struct path *path, struct slice text, struct json *doc, struct err *err)
{
	struct json_bounds bounds = path_bounds(path->file_name);
	STR_AUTO scratch = STR_INIT;
	struct json_fault fault;

	if (json_parse(doc, text, &bounds, &fault) != 0) {
		struct slice what = resolve_blame_conflict(text, &fault)
					    ? slice_of(fault.what)
					    : withhold(&scratch, slice_of(fault.what));

		return err_set(err, ERR_BAD_DATA, "%s/%s:%u:%u: %.*s", path->disk->path,
			       path->file_name, fault.line, fault.column, (int)what.len, what.ptr);
	}
	if (json_type(doc, JSON_ROOT) != JSON_OBJECT) {
		json_release(doc);
		return err_set(err, ERR_BAD_DATA,
			       "%s/%s:1:1: the file must be an object, in { and }",
			       path->disk->path, path->file_name);
	}
	return 0;
}

size_t path_count(enum store_file file, const struct json *doc)
{
	size_t count = 0;

	if (file != STORE_FILE_ARCHIVE)
		return doc->nodes[JSON_ROOT].count;
	for (uint32_t n = json_first(doc, JSON_ROOT); n != JSON_NONE; n = json_next(doc, n))
		count += doc->nodes[n].count;
	return count;
}

static const char *resolve_counted(enum store_file file, size_t count)
{
	static const char *const words[][2] = {
		{"entry", "entries"}, {"record", "records"}, {"link", "links"}};

	return words[file < STORE_FILE_ARCHIVE ? 0 : file - STORE_FILE_ARCHIVE + 1][count != 1];
}

int path_check_emptied(const struct path *path, struct slice text, const struct file_id *id,
		       struct err *err)
{
	enum store_file file = store_file_find(slice_of(path->file_name));
	size_t had = file < STORE_FILE_COUNT ? path->disk->had[file] : 0;

	if (!id->present || had == 0 || !text_is_blank(text))
		return 0;
	return err_set(err, ERR_BAD_DATA,
		       "%s/%s is empty; it had %zu %s: `kota doctor --fix` puts %s back, `{}` "
		       "empties it",
		       path->disk->path, path->file_name, had, resolve_counted(file, had),
		       had == 1 ? "it" : "them");
}

int path_blame(const struct disk *disk, const char *file_name, struct err *err)
{
	struct err place = *err;

	return err_set(err, place.code, "%s/%s:%s", disk->path, file_name, place.text);
}

/* One look at a file. Returns 1 when it is worth another. */
static int resolve_try_json(const struct path *path, const char *name, bool at_rest, bool last,
			    struct str *text, struct json *doc, struct file_id *id, struct err *err)
{
	enum file_use use = FILE_USE_UNKNOWN;

	if (path_read_use(path, name, text, NULL, id, at_rest ? &use : NULL, err) != 0)
		return -1;
	if (use == FILE_USE_WRITTEN && !last)
		return 1;
	/* Somebody may still be writing it. A time in the future says nothing. */
	last = last || path->disk->sys->now_ms() - time_of_timespec(id->ctime) > TORN_OLD_MS;
	if (!text_is_blank(str_slice(text)))
		return path_parse(path, str_slice(text), doc, err) == 0 ? 0 : last ? -1 : 1;
	if (use == FILE_USE_WRITTEN)
		return err_set(err, ERR_BUSY,
			       "%s/%s is being written by another program; try again",
			       path->disk->path, path->file_name);
	/* An empty file may be one that an editor has just cut and is about to write. */
	if (id->present && !last)
		return 1;
	/* The file itself, and none of its twins. */
	if (name == path->name && path_check_emptied(path, str_slice(text), id, err) != 0)
		return -1;
	json_empty_object(doc);
	return 0;
}

int path_read_json(const struct path *path, const char *name, bool at_rest, struct str *text,
		   struct json *doc, struct file_id *id, struct err *err)
{
	int result = 1;

	for (int tries = 1; result == 1; tries++) {
		if (tries > 1)
			path->disk->sys->sleep_ms(TORN_PAUSE_MS);
		result = resolve_try_json(path, name, at_rest, tries == TORN_TRIES, text, doc, id,
					  err);
	}
	return result;
}

int disk_read(struct disk *disk, const char *file_name, struct str *text, struct file_id *id,
	      struct err *err)
{
	PATH_AUTO path = {0};

	str_clear(text);
	if (disk->dirfd < 0) {
		*id = (struct file_id){.present = false};
		return 0;
	}
	if (path_open(&path, disk, file_name, err) != 0)
		return -1;
	return path_read(&path, path.name, text, id, err);
}

int disk_read_json(struct disk *disk, const char *file_name, struct str *text, struct json *doc,
		   struct file_id *id, struct err *err)
{
	struct path path = {.disk = disk, .file_name = file_name, .dirfd = -1};
	int result = 0;

	if (disk->dirfd < 0) {
		*id = (struct file_id){.present = false};
		str_clear(text);
		json_empty_object(doc);
	} else {
		if (path_open(&path, disk, file_name, err) != 0)
			return -1;
		result = path_read_json(&path, path.name, false, text, doc, id, err);
		path_release(&path);
	}
	if (result == 0 && text_is_blank(str_slice(text))) {
		str_clear(text);
		str_adds(text, "{}");
		doc->text = str_slice(text);
	}
	return result;
}
