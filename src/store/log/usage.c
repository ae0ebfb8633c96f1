#include "store/log/usage.h"

#include "base/mem.h"
#include "json/doc.h"
#include "store/files/cache_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* Compaction is due beyond this many lines a ref, and some more. */
#define LINES_PER_REF 4
#define LINES_SPARE 200

/* A longer line is none of ours, nor is so much appended while the file is being replaced. */
#define READ_MAX ((size_t)64 << 20)

/* A file that nobody has compacted may be of any size: it is read in pieces. */
#define READ_PIECE ((size_t)1 << 20)

/* Read at a time: the whole file is mostly smaller, what was added since the last time still more.
 */
#define READ_WHOLE 65536
#define READ_TAIL 4096

/* So often may the file be replaced under a writer before it gives up. */
#define APPEND_TRIES 5

/* A FIFO must not block, a terminal not become ours, a link not be followed. */
#define SAFE_FLAGS (O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)

/*
 * How far the file was read. The bytes before the offset are kept, because the number of an inode
 * comes back: another file may look like this one grown longer.
 */
struct position {
	struct file_id id;
	off_t offset; /* behind the last line that ends */
	size_t mark_len;
	char mark[128];
};

/* The file, open for appending and kept from one append to the next. */
struct pen {
	bool open;
	int fd;
	uint64_t names; /* disk->names when the name was found to be that of fd; 0: look again */
	dev_t dev;      /* of the file that lines have arrived in; 0 and 0: none has */
	ino_t ino;
};

struct usage {
	struct disk *disk;
	struct position position;
	struct pen pen;
	struct usage_facts facts;
	uint64_t upheavals; /* of facts that were forgotten since */
	bool unread;        /* what the file says is not known: nothing may be based on that */
	struct str batch;   /* seen lines that wait for usage_flush_seen() */
};

struct usage *usage_new(struct disk *disk)
{
	struct usage *usage = mem_zalloc(1, sizeof *usage);

	usage->disk = disk;
	usage_facts_init(&usage->facts);
	str_init(&usage->batch);
	return usage;
}

/* Closes the file for appending. */
static void usage_lift_pen(struct usage *usage)
{
	usage->pen.ino = 0;
	if (usage->pen.open)
		file_close(usage->disk->sys, &usage->pen.fd);
	usage->pen = (struct pen){0};
}

void usage_free(struct usage *usage)
{
	if (!usage)
		return;
	usage_facts_release(&usage->facts);
	usage_lift_pen(usage);
	str_release(&usage->batch);
	free(usage);
}

/* ---- reading */

static int usage_look(const struct disk *disk, struct file_id *id, struct err *err)
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

static bool usage_same_file(const struct file_id *a, const struct file_id *b)
{
	return a->present && b->present && a->dev == b->dev && a->ino == b->ino;
}

static int usage_refuse_kind(struct err *err)
{
	return err_set(err, ERR_BAD_DATA,
		       USAGE_FILE_NAME " must be a regular file: remove what is there");
}

static int usage_stat(const struct disk *disk, int fd, struct file_id *id, struct err *err)
{
	struct stat st;

	if (disk->sys->fstat(fd, &st) != 0)
		return err_set_errno(err, ERR_IO, errno, "cannot look at " USAGE_FILE_NAME);
	if (!S_ISREG(st.st_mode))
		return usage_refuse_kind(err);
	file_id_from_stat(id, &st);
	return 0;
}

/* As usage_look(), without looking the name up where it still is that of the open file. */
static int usage_look_with_pen(struct usage *usage, struct file_id *id, struct err *err)
{
	const struct disk *disk = usage->disk;
	struct pen *pen = &usage->pen;
	struct file_id open = {0};
	bool stands = disk->names_settled && disk->lock_fd < 0;

	if (pen->open && !stands && pen->ino)
		open = (struct file_id){.present = true, .dev = pen->dev, .ino = pen->ino};
	else if (pen->open && usage_stat(disk, pen->fd, &open, err) != 0)
		usage_lift_pen(usage);
	if (pen->open && stands && pen->names == disk->names) {
		*id = open;
		return 0;
	}
	if (usage_look(disk, id, err) != 0)
		return -1;
	if (pen->open && !usage_same_file(id, &open))
		usage_lift_pen(usage);
	pen->names = pen->open && stands ? disk->names : 0;
	return 0;
}

static int usage_refuse_size(struct err *err)
{
	return err_set(err, ERR_TOO_LARGE,
		       USAGE_FILE_NAME " has a line of more than %zu bytes: remove it", READ_MAX);
}

/*
 * Makes *out what is behind `from`, until it has `most` bytes or some more. Returns 1 when there
 * may be more in the file, 0 at its end.
 */
static int usage_read_from(const struct disk *disk, int fd, off_t from, size_t most,
			   struct str *out, struct err *err)
{
	while (out->len < most) {
		str_reserve(out, from == 0 ? READ_WHOLE : READ_TAIL);
		ssize_t got = disk->sys->pread(fd, out->ptr + out->len, out->cap - out->len - 1,
					       from + (off_t)out->len);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_set_errno(err, ERR_IO, errno, "cannot read " USAGE_FILE_NAME);
		out->len += (size_t)got;
		out->ptr[out->len] = '\0';
		if (got == 0)
			return 0;
	}
	return 1;
}

static void usage_set_mark(struct position *at, struct slice text)
{
	at->mark_len = text.len < sizeof at->mark ? text.len : sizeof at->mark;
	memcpy(at->mark, text.ptr + text.len - at->mark_len, at->mark_len);
}

static void usage_forget(struct usage *usage)
{
	usage->position = (struct position){0};
	usage->upheavals += usage->facts.upheavals + 1;
	usage_facts_release(&usage->facts);
}

/*
 * Takes the lines of a text that stands at `begin`, but for the first `skip` bytes, which are
 * known; and then, piece by piece, what follows in the file. more: as usage_read_from() said.
 */
static int usage_take_lines(struct usage *usage, int fd, struct str *text, off_t begin, size_t skip,
			    int more, struct err *err)
{
	struct position *at = &usage->position;

	for (;;) {
		struct slice lines = json_ended_lines(str_slice(text));
		size_t most = READ_PIECE;

		if (lines.len > skip) {
			at->offset = begin + (off_t)lines.len;
			usage_set_mark(at, lines);
			usage_facts_take(&usage->facts,
					 slice_make(lines.ptr + skip, lines.len - skip));
		}
		if (more == 0)
			return 0;
		if (lines.len > skip) {
			begin = at->offset;
			skip = 0;
			str_clear(text);
		} else if (text->len > READ_MAX) {
			return usage_refuse_size(err);
		} else {
			most = 2 * text->len < READ_MAX ? 2 * text->len : READ_MAX + 1;
		}
		more = usage_read_from(usage->disk, fd, begin, most, text, err);
		if (more < 0)
			return -1;
	}
}

/*
 * Takes the lines behind the position, or all of them where what is before it is not what was read
 * then.
 */
static int usage_read_open(struct usage *usage, int fd, struct err *err)
{
	struct position *at = &usage->position;
	off_t begin = at->offset - (off_t)at->mark_len;
	size_t skip = at->mark_len;
	struct file_id id = {0};
	STR_AUTO text = STR_INIT;
	int more = 0;

	if (usage_stat(usage->disk, fd, &id, err) != 0)
		return -1;
	bool anew = !usage_same_file(&id, &at->id) || id.size <= at->id.size;
	if (!anew) {
		more = usage_read_from(usage->disk, fd, begin, READ_PIECE, &text, err);
		if (more < 0)
			return -1;
		anew = text.len < skip || memcmp(text.ptr, at->mark, skip) != 0;
	}
	if (anew) {
		usage_forget(usage);
		begin = 0;
		skip = 0;
		str_clear(&text);
		more = usage_read_from(usage->disk, fd, 0, READ_PIECE, &text, err);
		if (more < 0)
			return -1;
	}
	at->id = id;
	return usage_take_lines(usage, fd, &text, begin, skip, more, err);
}

/* When nothing changed it costs one stat. */
static int usage_read_new_lines(struct usage *usage, struct err *err)
{
	const struct disk *disk = usage->disk;
	struct file_id id;

	if (usage_look_with_pen(usage, &id, err) != 0)
		return -1;
	if (file_id_equal(&id, &usage->position.id))
		return 0;
	if (!id.present) {
		usage_forget(usage);
		return 0;
	}
	if (!S_ISREG(id.mode))
		return usage_refuse_kind(err);
	int fd = file_open(disk->sys, disk->dirfd, USAGE_FILE_NAME, O_RDONLY | SAFE_FLAGS, 0);
	if (fd < 0)
		return err_set_errno(err, ERR_IO, errno, "cannot open " USAGE_FILE_NAME);
	int result = usage_read_open(usage, fd, err);
	file_close(disk->sys, &fd);
	return result;
}

int usage_refresh(struct usage *usage, struct err *err)
{
	int result = usage_read_new_lines(usage, err);

	/* What cannot be read is as if it had never been recorded. */
	usage->unread = result != 0;
	if (result != 0)
		usage_forget(usage);
	return result;
}

/* ---- what is known */

bool usage_is_known(const struct usage *usage)
{
	return !usage->unread;
}

uint64_t usage_upheavals(const struct usage *usage)
{
	return usage->upheavals + usage->facts.upheavals;
}

bool usage_next_touched(struct usage *usage, struct slice *ref)
{
	struct usage_facts *facts = &usage->facts;

	if (facts->touched_count == 0)
		return false;
	*ref = facts->list[facts->touched[--facts->touched_count]].fact.ref;
	return true;
}

struct usage_epoch usage_epoch(const struct usage *usage)
{
	return usage->facts.epoch;
}

const struct usage_fact *usage_find(const struct usage *usage, struct slice ref)
{
	const struct usage_known *known = usage_facts_find(&usage->facts, ref);

	return known ? &known->fact : NULL;
}

int64_t usage_newest_ms(const struct usage *usage)
{
	int64_t newest_ms = usage->facts.epoch.since_ms;

	for (size_t i = 0; i < usage->facts.count; i++) {
		const struct usage_fact *fact = &usage->facts.list[i].fact;

		newest_ms = time_later(newest_ms, time_later(fact->last_ms, fact->seen_ms));
		newest_ms = time_later(newest_ms, time_later(fact->shown_ms, fact->used_ms));
	}
	return newest_ms;
}

/* ---- appending */

/* One write; what a full disk leaves of it is skipped as a line that does not parse. */
static int usage_write_once(const struct disk *disk, int fd, struct slice batch)
{
	ssize_t put;

	do
		put = disk->sys->write(fd, batch.ptr, batch.len);
	while (put < 0 && errno == EINTR);
	return put == (ssize_t)batch.len ? 0 : -1;
}

/* Behind a torn last line, whose writer was killed, a new one is begun. */
static int usage_append_to(const struct disk *disk, int fd, struct slice lines, struct slice since,
			   bool begun, struct file_id *id)
{
	STR_AUTO batch = STR_INIT;
	struct err ignored;
	char last = '\n';

	if (usage_stat(disk, fd, id, &ignored) != 0 ||
	    (id->size == 0 && disk->sys->fchmod(fd, 0600) != 0))
		return -1;
	if (id->size > 0 && (disk->sys->pread(fd, &last, 1, id->size - 1) != 1 || last != '\n'))
		str_addc(&batch, '\n');
	if (id->size == 0 || !begun)
		str_add(&batch, since);
	str_add(&batch, lines);
	return usage_write_once(disk, fd, str_slice(&batch));
}

/* After appending to the open file: false when it has no name any more and the lines are lost. */
static bool usage_has_arrived(struct usage *usage, struct slice lines, bool *alone)
{
	struct position *at = &usage->position;
	STR_AUTO end = STR_INIT;
	struct file_id id = {0};
	struct err ignored;

	if (usage_stat(usage->disk, usage->pen.fd, &id, &ignored) != 0 || id.nlink == 0)
		return false;
	usage->pen.dev = id.dev;
	usage->pen.ino = id.ino;
	*alone = usage_same_file(&id, &at->id) && id.size == at->id.size + (off_t)lines.len;
	if (*alone) {
		at->id = id;
		at->offset = id.size;
		str_add(&end, slice_make(at->mark, at->mark_len));
		str_add(&end, lines);
		usage_set_mark(at, str_slice(&end));
	}
	return true;
}

/*
 * Appends lines with one write, and again when the file was replaced meanwhile; the since line
 * comes before them where the file is empty or not begun. *alone is set when nothing but these
 * lines came since the position, which then stands behind them.
 *
 * No lock: O_APPEND keeps the lines of two writers apart. A compaction may replace the file between
 * open and write, so the name is looked up after each write, and the lines are written again if it
 * is no longer that of the file they went to. The compaction takes over what it finds behind the
 * part that it has read, so they are lost in neither case.
 */
static int usage_write_lines(struct usage *usage, struct slice lines, struct slice since,
			     bool *alone)
{
	const bool begun = usage->facts.epoch.since_ms != TIME_NONE;
	const struct position *at = &usage->position;
	const struct disk *disk = usage->disk;
	int flags = O_RDWR | O_APPEND | SAFE_FLAGS;
	struct pen *pen = &usage->pen;
	struct file_id written = {0};
	struct file_id found = {0};
	struct err ignored;
	struct stat folder;

	*alone = false;
	/* The open file was read to the end of its last line. */
	if (begun && pen->open && at->id.present && at->id.size > 0 && at->offset == at->id.size) {
		/* Part of a line may be there now; the next append has to check. */
		if (usage_write_once(disk, pen->fd, lines) != 0) {
			usage_lift_pen(usage);
			return -1;
		}
		if (usage_has_arrived(usage, lines, alone))
			return 0;
	}
	/* In another user's store, the owner could not write to a file that we create. */
	if (disk->sys->fstat(disk->dirfd, &folder) == 0 && folder.st_uid == geteuid())
		flags |= O_CREAT;
	for (int tries = 0; tries < APPEND_TRIES; tries++) {
		usage_lift_pen(usage);
		pen->fd = file_open(disk->sys, disk->dirfd, USAGE_FILE_NAME, flags, 0600);
		pen->open = pen->fd >= 0;
		if (!pen->open ||
		    usage_append_to(disk, pen->fd, lines, since, begun, &written) != 0 ||
		    usage_look(disk, &found, &ignored) != 0)
			break;
		if (usage_same_file(&written, &found))
			return 0;
	}
	usage_lift_pen(usage);
	return -1;
}

/*
 * Best effort: what cannot be written was not counted. Where others have written, too, the facts
 * are read back from the file.
 */
static bool usage_append(struct usage *usage, struct slice lines, int64_t now_ms)
{
	STR_AUTO since = STR_INIT;
	struct err ignored;
	bool alone;

	/* Unread, the file may have a "since" already; we must not append a second one. */
	if (usage->disk->dirfd < 0 || usage->disk->hands_off ||
	    !origin_believes(&usage->disk->origin, STATE_USAGE) ||
	    (usage->unread && usage_refresh(usage, &ignored) != 0))
		return false;
	usage_line_since(&since, &(struct usage_epoch){.since_ms = now_ms});
	if (usage_write_lines(usage, lines, str_slice(&since), &alone) != 0)
		return false;
	if (alone)
		usage_facts_take(&usage->facts, lines);
	else
		usage_refresh(usage, &ignored);
	return true;
}

void usage_count(struct usage *usage, enum usage_kind kind, const struct slice *refs, size_t count,
		 int64_t now_ms)
{
	STR_AUTO lines = STR_INIT;

	for (size_t i = 0; i < count; i++)
		usage_line_add(&lines, kind, refs[i], 0, now_ms, false);
	if (count > 0)
		usage_append(usage, str_slice(&lines), now_ms);
}

bool usage_used(struct usage *usage, const struct usage_use *uses, size_t count, int64_t now_ms)
{
	STR_AUTO lines = STR_INIT;

	for (size_t i = 0; i < count; i++)
		usage_line_add(&lines, USAGE_USE, uses[i].ref, 0, now_ms, uses[i].crossed);
	return count == 0 || usage_append(usage, str_slice(&lines), now_ms);
}

void usage_note_seen(struct usage *usage, struct slice ref, uint64_t digest, int64_t at_ms)
{
	usage_line_add(&usage->batch, USAGE_SEEN, ref, digest, at_ms, false);
}

void usage_note_fact(struct usage *usage, const struct usage_fact *fact)
{
	usage_line_known(&usage->batch, &(struct usage_known){.fact = *fact});
}

void usage_flush_seen(struct usage *usage, int64_t now_ms)
{
	if (usage->batch.len > 0)
		usage_append(usage, str_slice(&usage->batch), now_ms);
	str_clear(&usage->batch);
}

void usage_begin_again(struct usage *usage, int64_t now_ms)
{
	const struct usage_epoch epoch = {.since_ms = now_ms, .outranks = true};
	STR_AUTO line = STR_INIT;

	usage_line_since(&line, &epoch);
	usage_append(usage, str_slice(&line), now_ms);
}

/* Adds what was looked up and used, not what was seen and shown. */
static void usage_add_use(struct usage_fact *to, const struct usage_fact *from)
{
	to->hits = usage_add_hits(to->hits, from->hits);
	to->uses = usage_add_hits(to->uses, from->uses);
	to->crossed = usage_add_hits(to->crossed, from->crossed);
	to->last_ms = time_later(to->last_ms, from->last_ms);
	to->first_ms = usage_earlier(to->first_ms, from->first_ms);
	to->used_ms = time_later(to->used_ms, from->used_ms);
}

void usage_rename(struct usage *usage, struct slice from, struct slice to, int64_t now_ms)
{
	const struct usage_known *old = usage_facts_find(&usage->facts, from);
	const struct usage_known *there = usage_facts_find(&usage->facts, to);
	STR_AUTO lines = STR_INIT;

	if (!old || slice_equal(from, to))
		return;
	struct usage_known moved = *old;
	moved.fact.ref = to;
	if (there) {
		usage_add_use(&moved.fact, &there->fact);
		moved.fact.shown_ms = time_later(moved.fact.shown_ms, there->fact.shown_ms);
		moved.fact.seen_ms = time_later(moved.fact.seen_ms, there->fact.seen_ms);
		if (!moved.rest.ptr)
			moved.rest = there->rest;
	}
	usage_line_known(&lines, &moved);
	usage_line_known(&lines, &(struct usage_known){.fact = usage_fact_none(from)});
	usage_append(usage, str_slice(&lines), now_ms);
}

void usage_join(struct usage *usage, struct slice from, struct slice to, int64_t now_ms)
{
	const struct usage_known *old = usage_facts_find(&usage->facts, from);
	const struct usage_known *there = usage_facts_find(&usage->facts, to);
	struct usage_known joined = {.fact = usage_fact_none(to)};
	STR_AUTO lines = STR_INIT;

	if (!old || slice_equal(from, to))
		return;
	if (there)
		joined = *there;
	usage_add_use(&joined.fact, &old->fact);
	struct usage_known left = *old;
	left.fact = usage_fact_none(from);
	left.fact.shown_ms = old->fact.shown_ms;
	left.fact.seen_ms = old->fact.seen_ms;
	left.fact.digest = old->fact.digest;
	usage_line_known(&lines, &joined);
	usage_line_known(&lines, &left);
	usage_append(usage, str_slice(&lines), now_ms);
}

/* ---- compaction */

/* The file for reading, or -1 when it is not the one of the position any more. */
static int usage_open_read_part(const struct usage *usage)
{
	const struct disk *disk = usage->disk;
	struct file_id id = {0};
	struct err ignored;
	int fd = file_open(disk->sys, disk->dirfd, USAGE_FILE_NAME, O_RDONLY | SAFE_FLAGS, 0);

	if (fd >= 0 && (usage_stat(disk, fd, &id, &ignored) != 0 ||
			!usage_same_file(&id, &usage->position.id)))
		file_close(disk->sys, &fd);
	return fd;
}

/*
 * Writes the facts as one line a ref to another file, and behind them what others appended to the
 * old one while it was being replaced: whoever has that open sees that its name is gone.
 */
static int usage_rewrite(struct usage *usage, bool (*keep)(void *context, struct slice ref),
			 void *context, struct err *err)
{
	const struct usage_facts *facts = &usage->facts;
	const struct sys *sys = usage->disk->sys;
	STR_AUTO text = STR_INIT;
	STR_AUTO rest = STR_INIT;
	int old_fd = usage_open_read_part(usage);
	int new_fd = -1;

	if (old_fd < 0)
		return 0; /* somebody has just put another file there: not now */
	if (facts->epoch.since_ms != TIME_NONE)
		usage_line_since(&text, &facts->epoch);
	for (size_t i = 0; i < facts->count; i++) {
		const struct usage_known *known = &facts->list[i];

		if (!usage_known_empty(known) && keep(context, known->fact.ref))
			usage_line_known(&text, known);
	}
	int result = derived_replace(usage->disk, USAGE_FILE_NAME, str_slice(&text), &new_fd, err);
	if (result == 0)
		result = usage_read_from(usage->disk, old_fd, usage->position.offset, READ_MAX,
					 &rest, err);
	if (result > 0)
		result = usage_refuse_size(err);
	if (result == 0 && rest.len)
		result = file_write_all(sys, new_fd, json_ended_lines(str_slice(&rest)), err);
	file_close(sys, &new_fd);
	file_close(sys, &old_fd);
	return result == 0 ? usage_refresh(usage, err) : -1;
}

/* True if there are many more lines than refs. */
static bool usage_is_wordy(const struct usage_facts *facts)
{
	size_t refs = 0;

	if (facts->lines <= LINES_SPARE)
		return false;
	for (size_t i = 0; i < facts->count; i++)
		refs += !usage_known_empty(&facts->list[i]);
	return facts->lines > LINES_PER_REF * refs + LINES_SPARE;
}

int usage_compact(struct usage *usage, bool (*keep)(void *context, struct slice ref), void *context,
		  struct err *err)
{
	/* What others have appended since can make it due with the next change. */
	if (!usage->unread && !usage_is_wordy(&usage->facts))
		return 0;
	if (usage_refresh(usage, err) != 0)
		return -1;
	if (!usage_is_wordy(&usage->facts))
		return 0;
	return usage_rewrite(usage, keep, context, err);
}

static int64_t usage_size(const struct usage *usage)
{
	return usage->position.id.present ? (int64_t)usage->position.id.size : 0;
}

int usage_compact_now(struct usage *usage, bool (*keep)(void *context, struct slice ref),
		      void *context, int64_t size[2], struct err *err)
{
	if (usage_refresh(usage, err) != 0)
		return -1;
	size[0] = usage_size(usage);
	if (size[0] > 0 && usage_rewrite(usage, keep, context, err) != 0)
		return -1;
	size[1] = usage_size(usage);
	return 0;
}
