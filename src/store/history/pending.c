#include "store/history/pending.h"

#include "json/write.h"
#include "store/log/journal.h"
#include "store/swap/swap_log.h"

#include <errno.h>
#include <fcntl.h>

#define PENDING_NAME ".pending"

/* What a file that is there and empty belongs to: a power cut took what it had. */
#define LOST_BOOT "lost"

/* A first line is never longer. */
#define HEADER_MAX DISK_PENDING_HEADER

/* A longer file is not read; lines get no operations once it has half of it. */
#define PENDING_MAX ((size_t)1 << 26)

static int pending_error(const struct disk *disk, const char *what, struct err *err)
{
	return err_set_errno(err, ERR_NO_HISTORY, errno, "cannot %s %s/" PENDING_NAME, what,
			     disk->path);
}

static int pending_open(struct disk *disk, int flags)
{
	return file_open(disk->sys, disk->dirfd, PENDING_NAME,
			 flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
}

static void pending_read_refs(struct pending *pending, const struct json *doc,
			      struct pending_line *line)
{
	uint32_t array = json_member(doc, JSON_ROOT, "refs");
	STR_AUTO scratch = STR_INIT;

	if (array == JSON_NONE || json_type(doc, array) != JSON_ARRAY)
		return;
	line->refs = arena_alloc(&pending->arena,
				 (doc->nodes[array].count + 1) * sizeof *line->refs);
	for (uint32_t n = json_first(doc, array); n != JSON_NONE; n = json_next(doc, n))
		line->refs[line->ref_count++] = arena_copy(&pending->arena,
							   json_string(doc, n, &scratch));
}

/* All of them or none: half of a change would be another change. */
static void pending_read_ops(struct pending *pending, const struct json *doc,
			     struct pending_line *line)
{
	uint32_t array = json_member(doc, JSON_ROOT, "ops");
	struct op *ops;

	if (array == JSON_NONE || json_type(doc, array) != JSON_ARRAY)
		return;
	ops = arena_alloc(&pending->arena, (doc->nodes[array].count + 1) * sizeof *ops);
	line->ops = ops;
	for (uint32_t n = json_first(doc, array); n != JSON_NONE; n = json_next(doc, n)) {
		if (!op_read(doc, n, &ops[line->op_count++], &pending->arena)) {
			line->op_count = 0;
			return;
		}
	}
}

static bool pending_read_line(struct pending *pending, const struct json *doc,
			      struct pending_line *line)
{
	uint32_t at = json_member(doc, JSON_ROOT, "at");
	struct slice before = json_member_text(doc, JSON_ROOT, "before", &pending->arena);
	struct slice after = json_member_text(doc, JSON_ROOT, "after", &pending->arena);
	uint32_t held = json_member(doc, JSON_ROOT, "held");
	uint32_t done = json_member(doc, JSON_ROOT, "done");

	*line = (struct pending_line){
		.change = json_member_text(doc, JSON_ROOT, "change", &pending->arena),
		.tool = json_member_text(doc, JSON_ROOT, "tool", &pending->arena),
		.client = json_member_text(doc, JSON_ROOT, "client", &pending->arena),
		.client_version = json_member_text(doc, JSON_ROOT, "client_version",
						   &pending->arena),
		.session = json_member_text(doc, JSON_ROOT, "session", &pending->arena),
		.undoes = json_member_text(doc, JSON_ROOT, "undoes", &pending->arena),
		.file = json_member_text(doc, JSON_ROOT, "file", &pending->arena),
	};
	pending_read_refs(pending, doc, line);
	pending_read_ops(pending, doc, line);
	if (held != JSON_NONE)
		json_bool(doc, held, &line->held);
	if (done != JSON_NONE)
		json_bool(doc, done, &line->done);
	return line->change.ptr && line->file.ptr && line->tool.ptr && at != JSON_NONE &&
	       json_int(doc, at, &line->at_ms) &&
	       (!before.ptr || object_id_parse(before, &line->before)) &&
	       (!after.ptr || object_id_parse(after, &line->after));
}

static void pending_read_header(struct pending *pending, struct disk *disk, const struct json *doc)
{
	struct slice boot = json_member_text(doc, JSON_ROOT, "boot", &pending->arena);
	uint32_t told = json_member(doc, JSON_ROOT, "told");

	pending->recorded = json_member(doc, JSON_ROOT, "recorded") != JSON_NONE;
	pending->begun = boot.ptr != NULL;
	pending->this_boot = boot.ptr && slice_is(boot, disk->boot) && !slice_is(boot, "-");
	if (told != JSON_NONE)
		json_bool(doc, told, &pending->told);
}

/* A line that says of a change that it is made. */
static void pending_read_done(struct pending *pending, const struct json *doc)
{
	struct slice change = json_member_text(doc, JSON_ROOT, "made", &pending->arena);

	for (size_t i = pending->count; change.ptr && i > 0; i--) {
		if (slice_equal(pending->lines[i - 1].change, change))
			pending->lines[i - 1].done = true;
	}
}

/* What reads the file. */
struct pending_reading {
	struct pending *pending;
	struct disk *disk;
	size_t cap;
};

static int pending_take_line(void *context, const struct json_line *text)
{
	struct pending_reading *reading = context;
	struct pending *pending = reading->pending;
	const struct json *doc = text->doc;
	struct pending_line line;

	if (!doc)
		return 0;
	if (!pending->begun)
		pending_read_header(pending, reading->disk, doc);
	if (pending_read_line(pending, doc, &line)) {
		struct pending_line *lines = pending->lines;

		if (pending->count == reading->cap) {
			reading->cap = reading->cap ? reading->cap * 2 : 16;
			pending->lines = arena_alloc(&pending->arena, reading->cap * sizeof *lines);
			if (pending->count)
				memcpy(pending->lines, lines, pending->count * sizeof *lines);
		}
		pending->lines[pending->count++] = line;
	} else {
		pending_read_done(pending, doc);
	}
	return 0;
}

int pending_read(struct pending *out, struct disk *disk, struct err *err)
{
	struct pending pending = {.arena = ARENA_INIT};
	STR_AUTO text = STR_INIT;
	struct pending_reading reading = {&pending, disk, 0};
	struct file_id id;

	if (swap_log_boot(disk, err) != 0)
		return -1;
	/* What this process has just written is not read back. */
	if (disk->pending_lines.len > 0) {
		str_add(&text, str_slice(&disk->pending_lines));
		id.present = true;
	} else if (file_read_own(disk->sys, disk->dirfd, PENDING_NAME, PENDING_MAX, &text, &id,
				 err) != 0) {
		return err_prefix(err, "%s", disk->path);
	}
	json_parse_lines(str_slice(&text), &json_file_bounds, pending_take_line, &reading);
	pending.lost = id.present && !pending.begun;
	*out = pending;
	return 0;
}

void pending_release(struct pending *pending)
{
	arena_release(&pending->arena);
	*pending = (struct pending){.arena = ARENA_INIT};
}

bool pending_was_recorded(struct disk *disk, struct err *why)
{
	struct pending pending = {.arena = ARENA_INIT};
	struct err ignored;

	if (disk->dirfd < 0 || pending_read(&pending, disk, &ignored) != 0)
		return false;
	bool was = pending.recorded;
	pending_release(&pending);
	if (was)
		err_set(why, ERR_NO_HISTORY,
			"%s/.git is gone, and a new history begins; the entries and the archive "
			"are safe. For the older history put .git back from a copy",
			disk->path);
	return was;
}

/* Looks at the file, which stays open. Under a lock once: nobody else writes to it then. */
static int pending_look(struct disk *disk, struct stat *st)
{
	int fd = disk->pending.fd;

	if (disk->pending.open && disk->lock_fd >= 0 && disk->pending_round == disk->look_rounds) {
		st->st_size = disk->pending_bytes;
		return fd;
	}
	fd = file_keep(disk->sys, disk->dirfd, PENDING_NAME, O_RDWR, &disk->pending, st);
	if (fd >= 0) {
		disk->pending_bytes = st->st_size;
		disk->pending_round = disk->look_rounds;
	}
	return fd;
}

bool pending_any(struct disk *disk)
{
	struct stat st;

	if (disk->lock_fd >= 0 && pending_look(disk, &st) >= 0)
		return st.st_size > HEADER_MAX;
	return disk->sys->fstatat(disk->dirfd, PENDING_NAME, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       st.st_size > HEADER_MAX;
}

static void pending_compose_header(struct str *out, const char *boot, bool told, bool recorded)
{
	size_t start = out->len;
	struct json_writer w = json_writer_to(out, &json_compact);

	json_write_object(&w);
	json_write_member_string(&w, "boot", slice_of(boot));
	json_write_member_bool(&w, "told", told);
	if (recorded)
		json_write_member_bool(&w, "recorded", true);
	json_write_end(&w);
	/* All of one length, so that the size of the file says whether anything follows. */
	while (out->len - start < HEADER_MAX - 1)
		str_addc(out, ' ');
	str_addc(out, '\n');
}

static void pending_write_optional(struct json_writer *w, const char *name, struct slice text)
{
	if (text.ptr)
		json_write_member_string(w, name, text);
}

static void pending_write_id(struct json_writer *w, const char *name, const struct object_id *id)
{
	char text[OBJECT_ID_DIGITS + 1];

	if (object_id_is_none(id))
		return;
	object_id_text(id, text);
	json_write_member_string(w, name, slice_of(text));
}

static void pending_compose_line(struct str *out, const struct pending_line *line, bool ops)
{
	struct json_writer w = json_writer_to(out, &json_compact);

	json_write_object(&w);
	json_write_member_string(&w, "change", line->change);
	json_write_member_int(&w, "at", line->at_ms);
	json_write_member_string(&w, "tool", line->tool);
	pending_write_optional(&w, "client", line->client);
	pending_write_optional(&w, "client_version", line->client_version);
	pending_write_optional(&w, "session", line->session);
	pending_write_optional(&w, "undoes", line->undoes);
	json_write_name(&w, slice_of("refs"));
	json_write_array(&w);
	for (size_t i = 0; i < line->ref_count; i++)
		json_write_string(&w, line->refs[i]);
	json_write_end(&w);
	json_write_member_string(&w, "file", line->file);
	pending_write_id(&w, "before", &line->before);
	pending_write_id(&w, "after", &line->after);
	if (line->held)
		json_write_member_bool(&w, "held", true);
	if (line->done)
		json_write_member_bool(&w, "done", true);
	if (ops && line->op_count > 0) {
		json_write_name(&w, slice_of("ops"));
		json_write_array(&w);
		for (size_t i = 0; i < line->op_count; i++)
			op_write(&w, &line->ops[i]);
		json_write_end(&w);
	}
	json_write_end(&w);
	str_addc(out, '\n');
}

static void pending_compose_made(struct str *out, struct slice change)
{
	struct json_writer w = json_writer_to(out, &json_compact);

	json_write_object(&w);
	json_write_member_string(&w, "made", change);
	json_write_end(&w);
	str_addc(out, '\n');
}

/* True if the last line is incomplete: its writer was killed, or the disk was full. */
static bool pending_is_torn(struct disk *disk, int fd, off_t size)
{
	char last = '\n';

	return size > 0 && (disk->sys->pread(fd, &last, 1, size - 1) != 1 || last != '\n');
}

/* A copy of the store that was made with hard links has its own. */
static int pending_unshare(struct disk *disk, struct err *err)
{
	STR_AUTO text = STR_INIT;
	struct file_id id;

	if (file_read_own(disk->sys, disk->dirfd, PENDING_NAME, PENDING_MAX, &text, &id, err) !=
		    0 ||
	    file_replace(disk->sys, disk->dirfd, PENDING_NAME, str_slice(&text), 0600, 0, NULL,
			 err) != 0)
		return err_in_folder(err, disk->path, PENDING_NAME);
	return 0;
}

/* Keeps it open for writing, as this store's alone. *fresh says whether it was not there. */
static int pending_keep(struct disk *disk, struct stat *st, bool *fresh, struct err *err)
{
	int fd = pending_look(disk, st);

	*fresh = fd < 0 && errno == ENOENT;
	if (fd < 0 && errno == EMLINK && pending_unshare(disk, err) != 0)
		return -1;
	if (*fresh) {
		int made = file_create(disk->sys, disk->dirfd, PENDING_NAME, 0600);

		file_close(disk->sys, &made);
	}
	if (fd < 0)
		fd = pending_look(disk, st);
	if (fd < 0 && errno == EINVAL)
		return err_set(err, ERR_NO_HISTORY, "%s/" PENDING_NAME " is not a regular file",
			       disk->path);
	return fd < 0 ? pending_error(disk, "write", err) : 0;
}

static int pending_append_line(struct disk *disk, const struct pending_line *line,
			       struct slice made, off_t *length, struct err *err)
{
	struct str *known = &disk->pending_lines;
	STR_AUTO text = STR_INIT;
	struct stat st;
	bool fresh;

	if (swap_log_boot(disk, err) != 0 || pending_keep(disk, &st, &fresh, err) != 0)
		return -1;
	*length = st.st_size;
	/* What another process, or a person, has put there is read when it is needed. */
	if (known->len == 0 && disk->pending_header_of == disk->pending.ino &&
	    st.st_size == HEADER_MAX)
		str_adds(known, disk->pending_header);
	if (known->len != (size_t)st.st_size)
		str_clear(known);
	if (st.st_size == 0)
		pending_compose_header(&text, fresh ? disk->boot : LOST_BOOT, false, false);
	else if (known->len == 0 && pending_is_torn(disk, disk->pending.fd, st.st_size))
		str_addc(&text, '\n');
	if (line)
		pending_compose_line(&text, line, (size_t)st.st_size < PENDING_MAX / 2);
	else
		pending_compose_made(&text, made);
	if (file_pwrite_all(disk->sys, disk->pending.fd, str_slice(&text), st.st_size) != 0) {
		pending_error(disk, "write", err);
		(void)!disk->sys->ftruncate(disk->pending.fd, st.st_size);
		disk->pending_round = 0;
		return -1;
	}
	disk->pending_bytes = st.st_size + (off_t)text.len;
	if (known->len > 0)
		str_add(known, str_slice(&text));
	return 0;
}

int pending_append(struct disk *disk, const struct pending_line *line, off_t *length,
		   struct err *err)
{
	return pending_append_line(disk, line, slice_of(NULL), length, err);
}

int pending_done(struct disk *disk, struct slice change, struct err *err)
{
	off_t length;

	return pending_append_line(disk, NULL, change, &length, err);
}

void pending_cut(struct disk *disk, off_t length)
{
	int fd = pending_open(disk, O_WRONLY);

	if (fd >= 0)
		(void)!disk->sys->ftruncate(fd, length);
	file_close(disk->sys, &fd);
	disk->pending_round = 0;
	str_clear(&disk->pending_lines);
}

/* Before the rest goes, so that a kill in between leaves lines of which the first may say too
 * little, never none. */
int pending_clear(struct disk *disk, const struct pending *pending, struct err *err)
{
	bool known = disk->pending_lines.len > 0;
	STR_AUTO text = STR_INIT;
	struct stat st;
	bool fresh;

	if (swap_log_boot(disk, err) != 0)
		return -1;
	pending_compose_header(&text, disk->boot, pending->told, pending->recorded);
	for (size_t i = 0; i < pending->count; i++) {
		if (pending->lines[i].stays)
			pending_compose_line(&text, &pending->lines[i], true);
	}
	str_clear(&disk->pending_lines);
	if (!known && pending_keep(disk, &st, &fresh, err) != 0)
		return -1;
	/* The known text begins with the header that we wrote last. */
	if (!known || !slice_is(str_slice(&text), disk->pending_header)) {
		if (file_pwrite_all(disk->sys, disk->pending.fd, str_slice(&text), 0) != 0)
			return pending_error(disk, "write", err);
		memcpy(disk->pending_header, text.ptr, HEADER_MAX);
		disk->pending_header_of = disk->pending.ino;
	}
	disk->pending_round = 0;
	if (disk->sys->ftruncate(disk->pending.fd, (off_t)text.len) != 0)
		return pending_error(disk, "write", err);
	return 0;
}
