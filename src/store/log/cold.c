#include "store/log/cold.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/time.h"
#include "store/files/change_observer.h"
#include "store/files/file_names.h"
#include "store/log/undo_marks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* How much of the end of a file is searched for a line that is there already. */
#define COLD_TAIL_BYTES ((size_t)1 << 20)

/* A year of at most six digits, a month, the suffix. */
#define COLD_FILE_SIZE 24

/* An open cold file and its end. */
struct cold_file {
	struct disk *disk;
	int dirfd;
	int fd;
	char name[COLD_FILE_SIZE];
	off_t size;
	struct str tail;
};

static int cold_error(const struct cold_file *file, const char *what, struct err *err)
{
	return err_set_errno(err, err_code_of_write(errno), errno,
			     "cannot %s %s/" COLD_FOLDER "/%s", what, file->disk->path, file->name);
}

static int cold_folder_error(const struct disk *disk, const char *what, struct err *err)
{
	/* A link gives ENOTDIR with O_DIRECTORY, ELOOP where a kernel looks at the link first. */
	if (errno == ENOTDIR || errno == ELOOP)
		return err_set(err, ERR_BAD_DATA,
			       "%s/" COLD_FOLDER
			       " must be a directory of your own, not a link or a "
			       "file: move it away",
			       disk->path);
	return err_set_errno(err, err_code_of_write(errno), errno, "cannot %s %s/" COLD_FOLDER,
			     what, disk->path);
}

/* Opens the folder; absent is success with -1. */
static int cold_open_folder(struct disk *disk, int *out, struct err *err)
{
	*out = file_open(disk->sys, disk->dirfd, COLD_FOLDER,
			 O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
	return *out >= 0 || errno == ENOENT ? 0 : cold_folder_error(disk, "open", err);
}

/* True if this process may write in the open folder. */
static int cold_check_folder(struct disk *disk, int fd, struct err *err)
{
	struct stat st;

	if (disk->sys->fstat(fd, &st) != 0)
		return cold_folder_error(disk, "look at", err);
	if (st.st_uid != geteuid())
		return err_set(err, ERR_CANNOT_WRITE,
			       "%s/" COLD_FOLDER " belongs to somebody else: move it away",
			       disk->path);
	if (geteuid() != 0 && (st.st_mode & S_IWUSR) == 0)
		return err_set(err, ERR_CANNOT_WRITE,
			       "%s/" COLD_FOLDER " is read-only: make it writable", disk->path);
	return 0;
}

/* Opens the folder for writing, and makes it where missing. */
static int cold_make_folder(struct disk *disk, int *out, struct err *err)
{
	const struct sys *sys = disk->sys;

	if (cold_open_folder(disk, out, err) != 0)
		return -1;
	if (*out < 0) {
		if (sys->mkdirat(disk->dirfd, COLD_FOLDER, 0700) != 0 && errno != EEXIST)
			return cold_folder_error(disk, "make", err);
		if (cold_open_folder(disk, out, err) != 0)
			return -1;
		if (*out < 0 || sys->fchmod(*out, 0700) != 0 || file_fsync(sys, disk->dirfd) != 0)
			return cold_folder_error(disk, "make", err);
	}
	return cold_check_folder(disk, *out, err);
}

/* "2026-11.jsonl": the month of a time in the host's zone. */
static void cold_name_month(char out[COLD_FILE_SIZE], int64_t at_ms)
{
	char time[TIMESTAMP_SIZE];

	timestamp_format(at_ms, time);
	const char *day = strchr(time, 'T');
	snprintf(out, COLD_FILE_SIZE, "%.*s" COLD_SUFFIX, (int)(day - time) - 3, time);
}

void cold_path(struct str *out, int64_t at_ms)
{
	char name[COLD_FILE_SIZE];

	cold_name_month(name, at_ms);
	str_printf(out, COLD_FOLDER "/%s", name);
}

bool cold_same_month(int64_t a_ms, int64_t b_ms)
{
	char a[COLD_FILE_SIZE];
	char b[COLD_FILE_SIZE];

	cold_name_month(a, a_ms);
	cold_name_month(b, b_ms);
	return strcmp(a, b) == 0;
}

/* What the file is says more than the number with which a link, a directory or a socket is refused.
 */
static int cold_check_kind(const struct cold_file *file, const struct stat *st, struct err *err)
{
	if (S_ISREG(st->st_mode) && st->st_uid == geteuid())
		return 0;
	return err_set(err, ERR_BAD_DATA,
		       "%s/" COLD_FOLDER "/%s must be a regular file of your own: move it away",
		       file->disk->path, file->name);
}

/* Opens the month's file; absent is success with -1 unless the flags make it. */
static int cold_open_month(struct cold_file *file, int flags, struct stat *st, struct err *err)
{
	const struct sys *sys = file->disk->sys;

	file->fd = file_open(sys, file->dirfd, file->name,
			     flags | O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	int number = errno;
	if (file->fd < 0 && number == ENOENT && (flags & O_CREAT) == 0)
		return 0;
	if (file->fd < 0 && sys->fstatat(file->dirfd, file->name, st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    cold_check_kind(file, st, err) != 0)
		return -1;
	errno = number;
	if (file->fd < 0 || sys->fstat(file->fd, st) != 0)
		return cold_error(file, "open", err);
	return cold_check_kind(file, st, err);
}

static int cold_open_file(struct cold_file *file, struct err *err)
{
	const struct sys *sys = file->disk->sys;
	struct stat st;

	if (cold_open_month(file, O_CREAT, &st, err) != 0)
		return -1;
	/* A tighter mode is the person's choice; no mode at all comes from an odd umask. */
	if (((st.st_mode & 077) != 0 || (st.st_mode & 0777) == 0) &&
	    sys->fchmod(file->fd, 0600) != 0)
		return cold_error(file, "set the mode of", err);
	file->size = st.st_size;
	return 0;
}

/*
 * Reads the end of the file, from the start of a line, and cuts a torn last line. *newline says
 * that the last line is whole and lacks only its newline.
 */
static int cold_find_end(struct cold_file *file, bool *newline, struct err *err)
{
	size_t size = (size_t)file->size;

	/* Read the whole file if the last line is longer than that. */
	for (size_t limit = COLD_TAIL_BYTES;; limit = size) {
		size_t want = size < limit ? size : limit;

		/* The read is short if somebody truncated the file meanwhile. */
		if (file_pread(file->disk->sys, file->fd, (off_t)(size - want), want, want,
			       &file->tail) != 0)
			return cold_error(file, "read", err);
		if (want == size || json_ended_lines(str_slice(&file->tail)).len > 0)
			break;
	}
	struct slice last = json_last_line(str_slice(&file->tail), newline);
	if (last.len == 0 || *newline)
		return 0;
	if (file->disk->sys->ftruncate(file->fd, file->size - (off_t)last.len) != 0)
		return cold_error(file, "cut the torn last line of", err);
	file->size -= (off_t)last.len;
	str_truncate(&file->tail, file->tail.len - last.len);
	return 0;
}

/* `again` says that lines were there already: whoever wrote them may have died before any fsync. */
static int cold_write_lines(struct cold_file *file, struct slice text, bool again, struct err *err)
{
	const struct sys *sys = file->disk->sys;

	if (file_write_all(sys, file->fd, text, err) != 0) {
		/* Best effort: a torn line that stays is cut before the next append. */
		(void)!sys->ftruncate(file->fd, file->size);
		return err_prefix(err, "%s/" COLD_FOLDER "/%s", file->disk->path, file->name);
	}
	if (file_fsync(sys, file->fd) != 0)
		return cold_error(file, "make durable", err);
	if ((file->size == 0 || again) && file_fsync(sys, file->dirfd) != 0)
		return cold_error(file, "make durable", err);
	if (again && file_fsync(sys, file->disk->dirfd) != 0)
		return cold_error(file, "make durable", err);
	return 0;
}

static int cold_append_new(struct cold_file *file, struct slice lines, struct err *err)
{
	const struct witness *witness = file->disk->witness;
	STR_AUTO name = STR_INIT;
	STR_AUTO text = STR_INIT;
	struct slice line;
	bool again = false;
	bool newline = false;

	if (cold_find_end(file, &newline, err) != 0)
		return -1;
	if (newline)
		str_addc(&text, '\n');
	while (slice_line(&lines, &line)) {
		/* What is about to be appended counts before what the file has. */
		int last = undo_mark_last(str_slice(&text), line);

		if (last == 0)
			last = undo_mark_last(str_slice(&file->tail), line);
		if (last > 0) {
			again = true;
			continue;
		}
		str_add(&text, line);
		str_addc(&text, '\n');
	}
	str_printf(&name, COLD_FOLDER "/%s", file->name);
	if (witness)
		witness->lines(witness->context, name.ptr);
	/* Also when nothing is new. */
	return cold_write_lines(file, str_slice(&text), again, err);
}

int cold_append(struct disk *disk, int64_t at_ms, struct slice lines, struct err *err)
{
	struct cold_file file = {.disk = disk, .dirfd = -1, .fd = -1, .tail = STR_INIT};

	disk->cold_writes++;
	cold_name_month(file.name, at_ms);
	int result = cold_make_folder(disk, &file.dirfd, err);
	if (result == 0)
		result = cold_open_file(&file, err);
	if (result == 0)
		result = cold_append_new(&file, lines, err);
	file_close(disk->sys, &file.fd);
	file_close(disk->sys, &file.dirfd);
	str_release(&file.tail);
	return result;
}

int cold_check(struct disk *disk, int64_t at_ms, struct err *err)
{
	struct cold_file file = {.disk = disk, .dirfd = -1, .fd = -1, .tail = STR_INIT};
	struct stat st;

	cold_name_month(file.name, at_ms);
	if (cold_open_folder(disk, &file.dirfd, err) != 0)
		return -1;
	if (file.dirfd < 0)
		return 0;
	int result = cold_check_folder(disk, file.dirfd, err);
	if (result == 0)
		result = cold_open_month(&file, 0, &st, err);
	file_close(disk->sys, &file.fd);
	file_close(disk->sys, &file.dirfd);
	return result;
}

bool cold_is_file_name(const char *name)
{
	size_t len = strlen(name);
	size_t suffix = strlen(COLD_SUFFIX);

	return name[0] != '.' && len > suffix && strcmp(name + len - suffix, COLD_SUFFIX) == 0;
}

/* What a walk carries along. */
struct walk {
	cold_visitor visit; /* one of the two */
	cold_line_visitor visit_line;
	void *context;
	struct file_id id; /* of the file at hand; likewise below */
	const char *name;
	struct slice text; /* all of it */
	struct map marks;  /* lines that are taken back -> where the last line is that does */
	size_t bad;
	struct str *first_bad;
};

/*
 * Finds the lines of the file that take another one back, once for all: looking for them from each
 * line again would take minutes in a month of many records.
 */
static void cold_find_marks(struct walk *walk)
{
	struct slice rest = walk->text;
	struct slice line;

	map_release(&walk->marks);
	if (!undo_mark_any(walk->text))
		return;
	while (slice_line(&rest, &line)) {
		if (undo_mark_is(line))
			map_put(&walk->marks, undo_mark_line(line),
				(size_t)(line.ptr - walk->text.ptr));
	}
}

/* True if a later line takes this one back, even if it comes again after that. */
static bool cold_is_voided(const struct walk *walk, struct slice line)
{
	size_t at;

	return map_get(&walk->marks, line, &at) && at > (size_t)(line.ptr - walk->text.ptr);
}

static int cold_visit_line(void *context, const struct json_line *line)
{
	struct walk *walk = context;

	if (line->text.len == 0 || (walk->marks.count > 0 &&
				    (undo_mark_is(line->text) || cold_is_voided(walk, line->text))))
		return 0;
	if (line->doc && json_type(line->doc, JSON_ROOT) == JSON_OBJECT)
		return walk->visit ? walk->visit(walk->context, line->doc)
				   : walk->visit_line(walk->context, line->doc,
						      (size_t)(line->text.ptr - walk->text.ptr));
	if (walk->bad++ == 0 && walk->first_bad)
		str_printf(walk->first_bad, COLD_FOLDER "/%s:%zu", walk->name, line->number);
	return 0;
}

/* Walks one file; *ended says that the visitor has had enough. */
static int cold_walk_file(struct disk *disk, int folder, const char *name, struct walk *walk,
			  bool *ended, struct err *err)
{
	STR_AUTO text = STR_INIT;
	STR_AUTO shown = STR_INIT;
	struct stat st;

	str_printf(&shown, "%s/" COLD_FOLDER, disk->path);
	if (disk->sys->fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode))
		return err_set(err, ERR_BAD_DATA,
			       "%s/%s must be a regular file, not a link: move it away", shown.ptr,
			       name);
	if (file_read_own(disk->sys, folder, name, disk_bytes_max(disk), &text, &walk->id, err) !=
	    0)
		return err_in_folder(err, shown.ptr, name);
	walk->name = name;
	walk->text = str_slice(&text);
	cold_find_marks(walk);
	*ended = json_parse_lines(walk->text, &json_file_bounds, cold_visit_line, walk) != 0;
	map_release(&walk->marks);
	return 0;
}

/* Opens the folder, -1 where there is none, and reads the names of its months. */
static int cold_read_names(struct disk *disk, int *folder, struct names *names, struct err *err)
{
	int number = 0;

	*folder = -1;
	if (disk->dirfd >= 0 && cold_open_folder(disk, folder, err) != 0)
		return -1;
	if (*folder >= 0)
		number = names_read(disk->sys, *folder, cold_is_file_name, names);
	if (number != 0)
		return err_set_errno(err, ERR_IO, number, "cannot read %s/" COLD_FOLDER,
				     disk->path);
	return 0;
}

int cold_walk(struct disk *disk, cold_visitor visit, void *context, size_t *bad,
	      struct str *first_bad, struct err *err)
{
	struct walk walk = {.visit = visit, .context = context, .first_bad = first_bad};
	NAMES_AUTO names = {0};
	bool ended = false;
	int folder;

	if (first_bad)
		str_clear(first_bad);
	int result = cold_read_names(disk, &folder, &names, err);
	for (size_t i = 0; result == 0 && !ended && i < names.count; i++) {
		progress_step(disk->progress, "reading the archive", i, names.count);
		result = cold_walk_file(disk, folder, names.list[i], &walk, &ended, err);
	}
	if (result == 0 && bad)
		*bad = walk.bad;
	file_close(disk->sys, &folder);
	return result;
}

int cold_months(struct disk *disk, struct cold_month **out, size_t *count, struct err *err)
{
	NAMES_AUTO names = {0};
	int folder;
	int result = cold_read_names(disk, &folder, &names, err);

	*out = mem_zalloc(names.count + 1, sizeof **out);
	*count = 0;
	for (size_t i = 0; result == 0 && i < names.count; i++) {
		struct stat st;

		/* What is gone again is no month, what cannot be looked at fails when it is read.
		 */
		if (disk->sys->fstatat(folder, names.list[i], &st, AT_SYMLINK_NOFOLLOW) != 0 &&
		    errno == ENOENT)
			continue;
		file_id_from_stat(&(*out)[*count].id, &st);
		(*out)[(*count)++].name = mem_strdup(names.list[i]);
	}
	file_close(disk->sys, &folder);
	return result;
}

int cold_walk_month(struct disk *disk, const char *name, cold_line_visitor visit, void *context,
		    struct file_id *id, size_t *bad, struct str *first_bad, struct err *err)
{
	struct walk walk = {.visit_line = visit, .context = context, .first_bad = first_bad};
	bool ended;
	int folder;
	int result = cold_open_folder(disk, &folder, err);

	str_clear(first_bad);
	if (result == 0 && folder >= 0)
		result = cold_walk_file(disk, folder, name, &walk, &ended, err);
	*id = walk.id;
	*bad = walk.bad;
	file_close(disk->sys, &folder);
	return result;
}

int cold_read_line(struct disk *disk, const char *name, size_t offset, size_t len, struct str *out,
		   struct err *err)
{
	int folder;
	int fd = -1;
	int result = cold_open_folder(disk, &folder, err);

	str_clear(out);
	if (result == 0 && folder >= 0) {
		fd = file_open(disk->sys, folder, name,
			       O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
		if (fd < 0 || file_pread(disk->sys, fd, (off_t)offset, len, len, out) != 0)
			result = err_set_errno(err, ERR_IO, errno,
					       "cannot read %s/" COLD_FOLDER "/%s", disk->path,
					       name);
	}
	file_close(disk->sys, &fd);
	file_close(disk->sys, &folder);
	return result;
}
