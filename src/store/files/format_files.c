#include "store/files/format_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* What git is not to see; the exceptions stand behind what they are exceptions from. */
static const char *const ignored[] = {"metadata.json", "usage.jsonl", ".*", "!.kota",
				      "!.gitignore"};

/* Line ends stay as they are in JSON, whose bytes are kept; a note is a text like any. */
const char *const format_attributes[] = {"*.json merge=kota -text",
					 "archive.cold/*.jsonl merge=kota -text",
					 "notes/*.md merge=kota", NULL};

#define LINE_COUNT (sizeof ignored / sizeof *ignored)

/* A person's own lines may be in it; a file of more than that is none of ours. */
#define IGNORE_MAX ((size_t)1 << 16)

static int format_write(struct disk *disk, const char *name, struct slice text, int flags,
			struct err *err)
{
	if (file_replace(disk->sys, disk->dirfd, name, text, 0600, flags, NULL, err) != 0)
		return err_in_folder(err, disk->path, name);
	return 0;
}

/* *made becomes true when it was not there: its name is yet to be made durable. */
static int format_make(struct disk *disk, const char *name, struct slice text, bool *made,
		       struct err *err)
{
	struct file_id id;
	struct err why;
	bool linked;

	if (disk_look_at(disk, name, &id, &linked, &why) != 0) {
		/* A link that leads nowhere is there, too. */
		if (why.code == ERR_BAD_DATA)
			return 0;
		*err = why;
		return err_in_folder(err, disk->path, name);
	}
	if (id.present)
		return 0;
	*made = true;
	disk_look_again(disk, STORE_FILE_COUNT);
	return format_write(disk, name, text, FILE_SYNCED, err);
}

int format_files_make(struct disk *disk, struct err *err)
{
	/* For a store shared through a project, .gitattributes says how its files are merged. */
	bool shared = !disk->format_id.present && disk->origin.surrounded;
	STR_AUTO attributes = STR_INIT;
	STR_AUTO lines = STR_INIT;
	bool made = false;
	char format[64];

	for (size_t i = 0; i < LINE_COUNT; i++)
		str_printf(&lines, "%s\n", ignored[i]);
	if (shared)
		str_adds(&lines, MARK_ATTRIBUTES_EXCEPTION "\n");
	for (const char *const *line = format_attributes; shared && *line; line++)
		str_printf(&attributes, "%s\n", *line);
	snprintf(format, sizeof format, MARK_FORMAT_PREFIX "%d\n", STORE_FORMAT);
	if ((shared &&
	     format_make(disk, MARK_ATTRIBUTES_NAME, str_slice(&attributes), &made, err) != 0) ||
	    (!disk->format_id.present &&
	     format_make(disk, MARK_FORMAT_NAME, slice_of(format), &made, err) != 0) ||
	    format_make(disk, MARK_IGNORE_NAME, str_slice(&lines), &made, err) != 0)
		return -1;
	if (made && file_fsync(disk->sys, disk->dirfd) != 0)
		return err_set_errno(err, ERR_IO, errno, "cannot make %s durable", disk->path);
	return 0;
}

static bool format_has_line(struct slice text, const char *line)
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
static bool format_read_ignore(struct disk *disk, struct str *text)
{
	struct file_id id;
	struct err unread;

	return file_read_own(disk->sys, disk->dirfd, MARK_IGNORE_NAME, IGNORE_MAX, text, &id,
			     &unread) == 0 &&
	       id.present && id.uid == geteuid();
}

static void format_add_missing(struct str *missing, struct slice text)
{
	bool lacks = false;

	for (size_t i = 0; i < LINE_COUNT; i++) {
		lacks = lacks || !format_has_line(text, ignored[i]);
		if (lacks)
			str_printf(missing, "%s\n", ignored[i]);
	}
}

bool format_files_lack(struct disk *disk, struct str *missing)
{
	STR_AUTO text = STR_INIT;

	if (format_read_ignore(disk, &text))
		format_add_missing(missing, str_slice(&text));
	return missing->len > 0;
}

int format_files_complete(struct disk *disk, struct err *err)
{
	STR_AUTO missing = STR_INIT;
	STR_AUTO text = STR_INIT;

	if (!format_read_ignore(disk, &text))
		return 0;
	format_add_missing(&missing, str_slice(&text));
	if (missing.len == 0)
		return 0;
	if (text.len > 0 && text.ptr[text.len - 1] != '\n')
		str_addc(&text, '\n');
	str_add(&text, str_slice(&missing));
	return format_write(disk, MARK_IGNORE_NAME, str_slice(&text), FILE_DURABLE, err);
}
