#include "store/files/format_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* What git is not to see; the exceptions stand behind what they are exceptions from. */
static const char *const ignored[] = {"metadata.json", "usage.jsonl", ".*", "!.kota",
				      "!.gitignore"};

#define LINE_COUNT (sizeof ignored / sizeof *ignored)

/* A person's own lines may be in it; a file of more than that is none of ours. */
#define IGNORE_MAX ((size_t)1 << 16)

static int cannot(const struct disk *disk, const char *what, const char *name, struct err *err)
{
	return err_set_errno(err, err_code_of_write(errno), errno, "cannot %s %s/%s", what,
			     disk->path, name);
}

/* Fills a temporary file and gives it the name; its name is not durable yet. */
static int write_file(struct disk *disk, const char *name, struct slice text, struct err *err)
{
	const struct sys *sys = disk->sys;
	char temp[32];
	int result;
	int fd;

	snprintf(temp, sizeof temp, "%s.tmp", name);
	if (sys->unlinkat(disk->dirfd, temp, 0) != 0 && errno != ENOENT)
		return cannot(disk, "remove", temp, err);
	fd = file_open(sys, disk->dirfd, temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		       0600);
	if (fd < 0)
		return cannot(disk, "make", temp, err);
	result = file_write_all(sys, fd, text, err);
	if (result != 0)
		err_prefix(err, "%s/%s", disk->path, name);
	else if (sys->fchmod(fd, 0600) != 0 || file_fsync(sys, fd) != 0 ||
		 sys->renameat2(disk->dirfd, temp, disk->dirfd, name, 0) != 0)
		result = cannot(disk, "make", name, err);
	file_close(sys, &fd);
	if (result != 0)
		sys->unlinkat(disk->dirfd, temp, 0);
	return result;
}

/* *made is set when it was not there. */
static int make_one(struct disk *disk, const char *name, struct slice text, bool *made,
		    struct err *err)
{
	struct stat st;

	if (disk->sys->fstatat(disk->dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		return 0;
	if (errno != ENOENT)
		return cannot(disk, "look at", name, err);
	if (write_file(disk, name, text, err) != 0)
		return -1;
	*made = true;
	return 0;
}

static int make_durable(struct disk *disk, struct err *err)
{
	if (file_fsync(disk->sys, disk->dirfd) != 0)
		return err_set_errno(err, err_code_of_write(errno), errno, "cannot make durable %s",
				     disk->path);
	return 0;
}

int marks_make(struct disk *disk, struct err *err)
{
	STR_AUTO lines = STR_INIT;
	bool made = false;
	char format[64];

	for (size_t i = 0; i < LINE_COUNT; i++)
		str_printf(&lines, "%s\n", ignored[i]);
	snprintf(format, sizeof format, MARK_FORMAT_PREFIX "%d\n", STORE_FORMAT);
	if ((!disk->format_id.present &&
	     make_one(disk, MARK_FORMAT_NAME, slice_of(format), &made, err) != 0) ||
	    make_one(disk, MARK_IGNORE_NAME, str_slice(&lines), &made, err) != 0)
		return -1;
	return made ? make_durable(disk, err) : 0;
}

static bool has_line(struct slice text, const char *line)
{
	size_t len = strlen(line);

	for (size_t from = 0; from < text.len;) {
		const char *end = memchr(text.ptr + from, '\n', text.len - from);
		size_t to = end ? (size_t)(end - text.ptr) : text.len;
		size_t trimmed = to;

		while (trimmed > from && strchr(" \t\r", text.ptr[trimmed - 1]))
			trimmed--;
		if (trimmed - from == len && memcmp(text.ptr + from, line, len) == 0)
			return true;
		from = to + 1;
	}
	return false;
}

/* What it says; false when it is absent, a link, somebody else's or not to be read. */
static bool read_ignore(struct disk *disk, struct str *text)
{
	struct file_id id;
	struct err unread;

	return file_read_own(disk->sys, disk->dirfd, MARK_IGNORE_NAME, IGNORE_MAX, text, &id,
			     &unread) == 0 &&
	       id.present && id.uid == geteuid();
}

static void add_missing(struct str *missing, struct slice text)
{
	bool lacks = false;

	for (size_t i = 0; i < LINE_COUNT; i++) {
		lacks = lacks || !has_line(text, ignored[i]);
		if (lacks)
			str_printf(missing, "%s\n", ignored[i]);
	}
}

bool marks_lack(struct disk *disk, struct str *missing)
{
	STR_AUTO text = STR_INIT;

	if (read_ignore(disk, &text))
		add_missing(missing, str_slice(&text));
	return missing->len > 0;
}

int marks_complete(struct disk *disk, struct err *err)
{
	STR_AUTO missing = STR_INIT;
	STR_AUTO text = STR_INIT;

	if (!read_ignore(disk, &text))
		return 0;
	add_missing(&missing, str_slice(&text));
	if (missing.len == 0)
		return 0;
	if (text.len > 0 && text.ptr[text.len - 1] != '\n')
		str_addc(&text, '\n');
	str_add(&text, str_slice(&missing));
	if (write_file(disk, MARK_IGNORE_NAME, str_slice(&text), err) != 0)
		return -1;
	return make_durable(disk, err);
}
