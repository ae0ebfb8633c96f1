/*
 * usage.jsonl as a file: reading what was appended since, appending lines. For src/store/log/usage.c.
 *
 * Anything but a regular file in its place is refused without blocking, and a link is not followed.
 */
#ifndef KOTA_STORE_LOG_USAGE_FILE_H
#define KOTA_STORE_LOG_USAGE_FILE_H

#include "store/files/dir.h"

#define USAGE_FILE_NAME "usage.jsonl"

/*
 * How far the file was read. The bytes before the offset are kept, because a number of an inode
 * comes back: another file may look like this one grown longer.
 */
struct usage_position {
	struct file_id id;
	off_t offset; /* behind the last whole line */
	size_t mark_len;
	char mark[128];
};

/*
 * The file, open for appending. Kept from one append to the next; zeroes are one that is not open.
 */
struct usage_pen {
	bool open;
	int fd;
	uint64_t names; /* disk->names when the name was found to be that of fd; 0: look again */
};

/* Closes it. */
void usage_pen_release(struct usage_pen *pen, const struct sys *sys);

/* Whole lines, and whether they begin a file, so that what was known before is void. */
struct usage_tail {
	struct str text;
	size_t skip; /* the lines begin here in text */
	bool anew;
};

/* The lines of a tail; valid until its text changes. */
static inline struct slice usage_tail_lines(const struct usage_tail *tail)
{
	return slice_make(tail->text.ptr + tail->skip, tail->text.len - tail->skip);
}

/*
 * Reads the whole lines that were appended since *at and moves *at behind them; all of them when
 * the file is another one. An absent file has no lines. When nothing changed it costs one stat.
 * tail->text is the caller's and cleared first. On failure *at is untouched.
 */
int usage_file_read(const struct disk *disk, struct usage_pen *pen, struct usage_position *at,
		    struct usage_tail *tail, struct err *err);

/* The file for reading, or -1 when it is not the one of this position any more. */
int usage_file_open(const struct disk *disk, const struct usage_position *at);

/* Reads the whole lines behind the position from fd, whatever the file is called by now. */
int usage_file_read_rest(const struct disk *disk, const struct usage_position *at, int fd,
			 struct str *out, struct err *err);

/*
 * Appends lines with one write, and again when the file was replaced meanwhile: a line is never
 * lost to a compaction, and counted twice at worst. The since line comes before them where the
 * file is empty or not begun; it may be absent. Makes the file, 0600 whatever the umask. *alone is
 * set when nothing but these lines came since *at, which then stands behind them.
 */
int usage_file_append(const struct disk *disk, struct usage_pen *pen, struct usage_position *at,
		      struct slice lines, struct slice since, bool begun, bool *alone);

#endif
