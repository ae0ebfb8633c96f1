#include "store/log/usage_file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* Far more than compaction lets it grow to. */
#define READ_MAX ((off_t)64 << 20)

/* Read at a time: the whole file is mostly smaller, what was added since the last time still more.
 */
#define READ_WHOLE 65536
#define READ_TAIL 4096

/* So often may the file be replaced under a writer before it gives up. */
#define APPEND_TRIES 5

/* A FIFO must not block, a terminal not become ours, a link not be followed. */
#define SAFE_FLAGS (O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)

static int look(const struct disk *disk, struct file_id *id, struct err *err)
{
	struct stat st;

	*id = (struct file_id){.present = false};
	if (disk->dirfd < 0 || !origin_believes(&disk->origin, STATE_USAGE))
		return 0;
	if (disk->sys->fstatat(disk->dirfd, USAGE_FILE_NAME, &st, AT_SYMLINK_NOFOLLOW) == 0)
		file_id_from_stat(id, &st);
	else if (errno != ENOENT)
		return err_set_errno(err, ERR_IO, errno, "cannot look at " USAGE_FILE_NAME);
	return 0;
}

void usage_pen_release(struct usage_pen *pen, const struct sys *sys)
{
	if (pen->open)
		file_close(sys, &pen->fd);
	*pen = (struct usage_pen){0};
}

static bool same_file(const struct file_id *a, const struct file_id *b)
{
	return a->present && b->present && a->dev == b->dev && a->ino == b->ino;
}

static int refuse_kind(struct err *err)
{
	return err_set(err, ERR_BAD_DATA,
		       USAGE_FILE_NAME " must be a regular file: remove what is there");
}

static int stat_open(const struct disk *disk, int fd, struct file_id *id, struct err *err)
{
	struct stat st;

	if (disk->sys->fstat(fd, &st) != 0)
		return err_set_errno(err, ERR_IO, errno, "cannot look at " USAGE_FILE_NAME);
	if (!S_ISREG(st.st_mode))
		return refuse_kind(err);
	file_id_from_stat(id, &st);
	return 0;
}

/* As look(), without looking the name up where it still is that of the open file. */
static int look_with(const struct disk *disk, struct usage_pen *pen, struct file_id *id,
		     struct err *err)
{
	struct file_id open = {0};
	bool stands = disk->names_settled && disk->lock_fd < 0;

	if (pen->open && stat_open(disk, pen->fd, &open, err) != 0)
		usage_pen_release(pen, disk->sys);
	if (pen->open && stands && pen->names == disk->names) {
		*id = open;
		return 0;
	}
	if (look(disk, id, err) != 0)
		return -1;
	if (pen->open && !same_file(id, &open))
		usage_pen_release(pen, disk->sys);
	pen->names = pen->open && stands ? disk->names : 0;
	return 0;
}

/* ---- reading */

/* Appends what is behind `from`; more than READ_MAX is refused. */
static int read_from(const struct disk *disk, int fd, off_t from, struct str *out, struct err *err)
{
	for (;;) {
		ssize_t got;

		if (out->len > (size_t)READ_MAX)
			return err_set(err, ERR_TOO_LARGE,
				       USAGE_FILE_NAME " has more than %jd bytes: remove it",
				       (intmax_t)READ_MAX);
		str_reserve(out, from == 0 ? READ_WHOLE : READ_TAIL);
		got = disk->sys->pread(fd, out->ptr + out->len, out->cap - out->len - 1,
				       from + (off_t)out->len);
		if (got == 0)
			break;
		if (got > 0)
			out->len += (size_t)got;
		else if (errno != EINTR)
			return err_set_errno(err, ERR_IO, errno, "cannot read " USAGE_FILE_NAME);
	}
	out->ptr[out->len] = '\0';
	return 0;
}

/* Cuts off a last line that has no newline: half of it may be on its way. */
static void keep_whole_lines(struct str *text)
{
	const char *newline = memrchr(text->ptr, '\n', text->len);

	str_truncate(text, newline ? (size_t)(newline - text->ptr) + 1 : 0);
}

static void set_mark(struct usage_position *at, const struct str *text)
{
	at->mark_len = text->len < sizeof at->mark ? text->len : sizeof at->mark;
	memcpy(at->mark, text->ptr + text->len - at->mark_len, at->mark_len);
}

/* Reads on from the position, or from the start where what is before it is not what was read then.
 */
static int read_open(const struct disk *disk, int fd, struct usage_position *at,
		     struct usage_tail *tail, struct err *err)
{
	off_t begin = at->offset - (off_t)at->mark_len;
	struct file_id id = {0};

	if (stat_open(disk, fd, &id, err) != 0)
		return -1;
	tail->anew = !same_file(&id, &at->id) || id.size <= at->id.size;
	if (!tail->anew) {
		if (read_from(disk, fd, begin, &tail->text, err) != 0)
			return -1;
		tail->anew = tail->text.len < at->mark_len ||
			     memcmp(tail->text.ptr, at->mark, at->mark_len) != 0;
		tail->skip = at->mark_len;
	}
	if (tail->anew) {
		begin = 0;
		tail->skip = 0;
		str_clear(&tail->text);
		if (read_from(disk, fd, 0, &tail->text, err) != 0)
			return -1;
	}
	keep_whole_lines(&tail->text);
	at->id = id;
	at->offset = begin + (off_t)tail->text.len;
	set_mark(at, &tail->text);
	return 0;
}

int usage_file_read(const struct disk *disk, struct usage_pen *pen, struct usage_position *at,
		    struct usage_tail *tail, struct err *err)
{
	struct file_id id;
	int result;
	int fd;

	str_clear(&tail->text);
	tail->skip = 0;
	tail->anew = false;
	if (look_with(disk, pen, &id, err) != 0)
		return -1;
	if (file_id_equal(&id, &at->id))
		return 0;
	if (!id.present) {
		*at = (struct usage_position){0};
		tail->anew = true;
		return 0;
	}
	if (!S_ISREG(id.mode))
		return refuse_kind(err);
	fd = file_open(disk->sys, disk->dirfd, USAGE_FILE_NAME, O_RDONLY | SAFE_FLAGS, 0);
	if (fd < 0)
		return err_set_errno(err, ERR_IO, errno, "cannot open " USAGE_FILE_NAME);
	result = read_open(disk, fd, at, tail, err);
	file_close(disk->sys, &fd);
	return result;
}

int usage_file_open(const struct disk *disk, const struct usage_position *at)
{
	struct file_id id = {0};
	struct err ignored;
	int fd;

	fd = file_open(disk->sys, disk->dirfd, USAGE_FILE_NAME, O_RDONLY | SAFE_FLAGS, 0);
	if (fd >= 0 && (stat_open(disk, fd, &id, &ignored) != 0 || !same_file(&id, &at->id)))
		file_close(disk->sys, &fd);
	return fd;
}

int usage_file_read_rest(const struct disk *disk, const struct usage_position *at, int fd,
			 struct str *out, struct err *err)
{
	str_clear(out);
	if (read_from(disk, fd, at->offset, out, err) != 0)
		return -1;
	keep_whole_lines(out);
	return 0;
}

/* ---- appending */

/* One write; what a full disk leaves of it is skipped as a line that does not parse. */
static int write_once(const struct disk *disk, int fd, struct slice batch)
{
	ssize_t put;

	do
		put = disk->sys->write(fd, batch.ptr, batch.len);
	while (put < 0 && errno == EINTR);
	return put == (ssize_t)batch.len ? 0 : -1;
}

/* Behind a torn last line, whose writer was killed, a new one is begun. */
static int append_to(const struct disk *disk, int fd, struct slice lines, struct slice since,
		     bool begun, struct file_id *id)
{
	STR_AUTO batch = STR_INIT;
	struct err ignored;
	char last = '\n';

	if (stat_open(disk, fd, id, &ignored) != 0 ||
	    (id->size == 0 && disk->sys->fchmod(fd, 0600) != 0))
		return -1;
	if (id->size > 0 &&
	    (disk->sys->pread(fd, &last, 1, id->size - 1) != 1 || last != '\n'))
		str_addc(&batch, '\n');
	if (id->size == 0 || !begun)
		str_add(&batch, since);
	str_add(&batch, lines);
	return write_once(disk, fd, str_slice(&batch));
}

/* After appending to the open file: false when it has no name any more and the lines are lost. */
static bool has_arrived(const struct disk *disk, struct usage_pen *pen, struct usage_position *at,
			struct slice lines, bool *alone)
{
	STR_AUTO end = STR_INIT;
	struct file_id id = {0};
	struct err ignored;

	if (stat_open(disk, pen->fd, &id, &ignored) != 0 || id.nlink == 0)
		return false;
	*alone = same_file(&id, &at->id) && id.size == at->id.size + (off_t)lines.len;
	if (*alone) {
		at->id = id;
		at->offset = id.size;
		str_add(&end, slice_make(at->mark, at->mark_len));
		str_add(&end, lines);
		set_mark(at, &end);
	}
	return true;
}

/*
 * No lock: O_APPEND keeps the lines of two writers apart. A compaction may replace the file between
 * open and write, so the name is looked up after each write, and the lines are written again if it
 * is no longer that of the file they went to. The compaction takes over what it finds behind the
 * part that it has read, so they are lost in neither case.
 */
int usage_file_append(const struct disk *disk, struct usage_pen *pen, struct usage_position *at,
		      struct slice lines, struct slice since, bool begun, bool *alone)
{
	int flags = O_RDWR | O_APPEND | SAFE_FLAGS;
	struct file_id written = {0};
	struct file_id found = {0};
	struct err ignored;
	struct stat folder;

	*alone = false;
	/* The open file was read to its end, which is that of a line. */
	if (begun && pen->open && at->id.present && at->id.size > 0 && at->offset == at->id.size) {
		/* Half a line may be there now: the next one has to look for that. */
		if (write_once(disk, pen->fd, lines) != 0) {
			usage_pen_release(pen, disk->sys);
			return -1;
		}
		if (has_arrived(disk, pen, at, lines, alone))
			return 0;
	}
	/* In the store of another user the file would be one that its owner cannot count in. */
	if (disk->sys->fstat(disk->dirfd, &folder) == 0 && folder.st_uid == geteuid())
		flags |= O_CREAT;
	for (int tries = 0; tries < APPEND_TRIES; tries++) {
		usage_pen_release(pen, disk->sys);
		pen->fd = file_open(disk->sys, disk->dirfd, USAGE_FILE_NAME, flags, 0600);
		pen->open = pen->fd >= 0;
		if (!pen->open || append_to(disk, pen->fd, lines, since, begun, &written) != 0 ||
		    look(disk, &found, &ignored) != 0)
			break;
		if (same_file(&written, &found))
			return 0;
	}
	usage_pen_release(pen, disk->sys);
	return -1;
}
