#include "store/swap/swap_log.h"

#include "base/map.h"
#include "store/files/resolve.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>

/* Between the name of a file and a slot. */
#define HELD_MARK '~'

/* Behind the name in the line that says which inodes are meant. */
#define INODES_MARK '+'

#define BOOT_FILE "/proc/sys/kernel/random/boot_id"

/* Superseded lines are dropped when the body is longer than this, and so many times longer than
 * the lines that count: the more there is to write anew, the more seldom. */
#define BODY_BYTES ((size_t)8 << 10)
#define BODY_TIMES 2

/* A file that is longer than this and mostly blots is cut. */
#define CUT_BYTES ((size_t)64 << 10)

/* Words of a line before the checksum. */
enum word {
	WORD_FILE,
	WORD_HELD,
	WORD_HOLD,
	WORD_BOOT,
	WORD_TEMP_INO,
	WORD_NEW,
	WORD_MERGED,
	WORD_WAS_INO,
	WORD_WAS_DIGEST,
	WORD_WAS_UNITS,
	WORD_NOW_DIGEST,
	WORD_NOW_UNITS,
	WORD_CHECK,
	WORD_COUNT
};

/* Words of the line about the inodes. WORD_OF is the checksum of the line that it belongs to. */
enum inode_word {
	WORD_NAME,
	WORD_OF,
	WORD_DEV,
	WORD_TEMP_BORN,
	WORD_PREV_BORN,
	WORD_PREV_CHANGED,
	WORD_FILE_INO,
	WORD_FILE_BORN,
	WORD_FILE_CHANGED,
	WORD_INODES_CHECK,
	INODE_WORD_COUNT
};

uint64_t text_digest(struct slice text)
{
	return text_is_blank(text) ? hash64(slice_of("")) : hash64(text);
}

void known_copy(struct known *out, const struct known *from)
{
	out->digest = from->digest;
	digests_copy(&out->units, &from->units);
}

void held_name(char out[HELD_NAME_SIZE], const char *file_name, unsigned slot)
{
	snprintf(out, HELD_NAME_SIZE, "%s%c%x", file_name, HELD_MARK, slot);
}

void swap_log_release(struct swap_log *intent)
{
	digests_release(&intent->was.units);
	digests_release(&intent->now.units);
	*intent = (struct swap_log)INTENT_INIT;
}

/* A moment's failure must not be taken for a kernel that does not say: it would make strangers of
 * our own files. */
int swap_log_boot(struct disk *disk, struct err *err)
{
	char text[DISK_BOOT_SIZE];
	size_t len = 0;
	ssize_t got = 0;

	if (*disk->boot)
		return 0;
	int fd = file_open(disk->sys, AT_FDCWD, BOOT_FILE, O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0 && errno != ENOENT && errno != ENOTDIR && errno != EACCES && errno != EPERM)
		got = -1;
	while (fd >= 0 && len < sizeof text - 1 &&
	       (got = disk->sys->read(fd, text + len, sizeof text - 1 - len)) != 0) {
		if (got > 0)
			len += (size_t)got;
		else if (errno != EINTR)
			break;
	}
	if (got < 0)
		err_set_errno(err, ERR_IO, errno, "cannot read " BOOT_FILE);
	file_close(disk->sys, &fd);
	if (got < 0)
		return -1;
	while (len > 0 && text[len - 1] == '\n')
		len--;
	text[len] = '\0';
	snprintf(disk->boot, sizeof disk->boot, "%s", len == 0 || strchr(text, ' ') ? "-" : text);
	return 0;
}

/* Length without the NUL bytes at the end, see swap_log_write_body(). */
static size_t swap_log_without_blots(const char *text, size_t len)
{
	uint64_t word;

	while (len >= sizeof word) {
		memcpy(&word, text + len - sizeof word, sizeof word);
		if (word != 0)
			break;
		len -= sizeof word;
	}
	while (len > 0 && text[len - 1] == '\0')
		len--;
	return len;
}

/* Reads .lock once for as long as it is held: nobody else writes it then. */
static int swap_log_read_body(struct disk *disk, struct err *err)
{
	struct str *body = &disk->lock_body;
	STR_AUTO before = STR_INIT;

	if (disk->lock_body_known)
		return 0;
	disk->lock_body_same = false;
	before = *body;
	str_init(body);
	/* Notes that came with a repository are not believed. */
	size_t size = origin_believes(&disk->origin, STATE_DISPLACED) ? (size_t)disk->lock_bytes
								      : 0;
	if (file_pread(disk->sys, disk->lock_fd, 0, size, size, body) != 0)
		return disk_cannot(disk, "read", ".lock", err);
	if (body->len)
		str_truncate(body, swap_log_without_blots(body->ptr, body->len));
	/* Cut it, or most of it is read for nothing each time. A failure does no harm. */
	if (size > CUT_BYTES && body->len < size / 4)
		(void)!disk->sys->ftruncate(disk->lock_fd, (off_t)body->len);
	disk->lock_body_same = slice_equal(str_slice(body), str_slice(&before));
	disk->lock_body_known = true;
	return 0;
}

/* Takes the last line off *body, without its newline; what has none is torn and skipped. */
static bool swap_log_last_line(struct slice *body, struct slice *line)
{
	const char *end = body->len ? memrchr(body->ptr, '\n', body->len) : NULL;

	if (!end)
		return false;
	const char *start = end > body->ptr ? memrchr(body->ptr, '\n', (size_t)(end - body->ptr))
					    : NULL;
	start = start ? start + 1 : body->ptr;
	*line = slice_make(start, (size_t)(end - start));
	body->len = (size_t)(start - body->ptr);
	return true;
}

/* The first word of a line. */
static struct slice swap_log_first_word(struct slice line)
{
	const char *end = memchr(line.ptr, ' ', line.len);

	return slice_make(line.ptr, end ? (size_t)(end - line.ptr) : 0);
}

static bool swap_log_is_about(struct slice line, const char *name)
{
	return slice_is(swap_log_first_word(line), name);
}

/* Splits a line of so many words; false when it is torn or not one of ours. */
static bool swap_log_split_words(struct slice line, struct slice *words, int count)
{
	struct slice rest = line;
	uint64_t check;

	for (int i = 0; i < count - 1; i++) {
		const char *end = memchr(rest.ptr, ' ', rest.len);

		if (!end)
			return false;
		words[i] = slice_make(rest.ptr, (size_t)(end - rest.ptr));
		rest.len -= words[i].len + 1;
		rest.ptr = end + 1;
	}
	words[count - 1] = rest;
	line.len = (size_t)(rest.ptr - line.ptr);
	return hex_read(rest, &check) && check == hash64(line);
}

static bool swap_log_split_line(struct slice line, struct slice words[WORD_COUNT])
{
	return swap_log_split_words(line, words, WORD_COUNT);
}

static bool swap_log_read_slots(struct swap_log *out, const struct slice words[WORD_COUNT])
{
	uint64_t held;
	uint64_t hold;

	if (!hex_read(words[WORD_HELD], &held) || !hex_read(words[WORD_HOLD], &hold) ||
	    hold > HELD_MAX)
		return false;
	out->held = (uint32_t)held & HELD_MASK;
	out->hold = (unsigned)hold;
	return true;
}

static bool swap_log_read_words(struct swap_log *out, const struct slice words[WORD_COUNT])
{
	return swap_log_read_slots(out, words) && hex_read(words[WORD_TEMP_INO], &out->temp.ino) &&
	       hex_read(words[WORD_NEW], &out->new_digest) &&
	       hex_read(words[WORD_MERGED], &out->merged) &&
	       hex_read(words[WORD_WAS_INO], &out->prev.ino) &&
	       hex_read(words[WORD_WAS_DIGEST], &out->was.digest) &&
	       digests_decode(&out->was.units, words[WORD_WAS_UNITS]) &&
	       hex_read(words[WORD_NOW_DIGEST], &out->now.digest) &&
	       digests_decode(&out->now.units, words[WORD_NOW_UNITS]);
}

/* True if the line is about the inodes of this file, or of this held one. */
static bool swap_log_is_of_inodes(struct slice line, const char *name)
{
	struct slice word = swap_log_first_word(line);

	if (word.len == 0 || word.ptr[word.len - 1] != INODES_MARK)
		return false;
	word.len--;
	return slice_is(word, name);
}

/* Reads the line about the inodes that belongs to the line with this checksum, where there is one.
 */
static void swap_log_read_inodes(struct swap_log *out, struct slice body, const char *name,
				 struct slice check)
{
	struct slice words[INODE_WORD_COUNT];
	struct slice line;

	while (swap_log_last_line(&body, &line)) {
		if (!swap_log_is_of_inodes(line, name) ||
		    !swap_log_split_words(line, words, INODE_WORD_COUNT) ||
		    !slice_equal(words[WORD_OF], check))
			continue;
		if (!hex_read(words[WORD_DEV], &out->dev) ||
		    !hex_read(words[WORD_TEMP_BORN], &out->temp.born_ns) ||
		    !hex_read(words[WORD_PREV_BORN], &out->prev.born_ns) ||
		    !hex_read(words[WORD_FILE_INO], &out->file.ino) ||
		    !hex_read(words[WORD_PREV_CHANGED], &out->prev.changed_ns) ||
		    !hex_read(words[WORD_FILE_BORN], &out->file.born_ns) ||
		    !hex_read(words[WORD_FILE_CHANGED], &out->file.changed_ns))
			out->dev = 0;
		return;
	}
}

bool swap_log_means(const struct swap_log *intent, const struct inode *noted, uint64_t dev,
		    const struct inode *seen)
{
	if (!intent->found || !intent->dev || !noted->ino || noted->ino != seen->ino ||
	    noted->born_ns != seen->born_ns || seen->changed_ns < noted->changed_ns)
		return false;
	return intent->this_boot ? intent->dev == dev : noted->born_ns != 0;
}

int swap_log_held(uint32_t *out, struct disk *disk, const char *file_name, struct err *err)
{
	struct swap_log intent = INTENT_INIT;
	struct slice words[WORD_COUNT];
	struct slice line;

	if (swap_log_read_body(disk, err) != 0)
		return -1;
	struct slice rest = str_slice(&disk->lock_body);
	while (swap_log_last_line(&rest, &line)) {
		if (swap_log_is_about(line, file_name) && swap_log_split_line(line, words) &&
		    swap_log_read_slots(&intent, words))
			break;
	}
	*out = intent.held;
	return 0;
}

int swap_log_read(struct swap_log *out, struct disk *disk, const char *file_name, struct err *err)
{
	struct slice words[WORD_COUNT];
	struct slice line;

	if (swap_log_read_body(disk, err) != 0 || swap_log_boot(disk, err) != 0)
		return -1;
	struct slice rest = str_slice(&disk->lock_body);
	while (swap_log_last_line(&rest, &line)) {
		if (!swap_log_is_about(line, file_name) || !swap_log_split_line(line, words))
			continue;
		if (!swap_log_read_words(out, words)) {
			swap_log_release(out);
			continue;
		}
		out->found = true;
		out->this_boot = disk->boot[0] != '-' && slice_is(words[WORD_BOOT], disk->boot);
		swap_log_read_inodes(out, str_slice(&disk->lock_body), file_name,
				     words[WORD_CHECK]);
		break;
	}
	return 0;
}

/* Both lines. */
static void swap_log_compose_line(struct str *out, const struct swap_log *intent,
				  const struct disk *disk, const char *file_name)
{
	size_t start = out->len;

	str_printf(out, "%s %x %x %s ", file_name, (unsigned)intent->held, intent->hold,
		   disk->boot);
	str_printf(out, "%" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx64 " ",
		   intent->temp.ino, intent->new_digest, intent->merged, intent->prev.ino,
		   intent->was.digest);
	digests_encode(out, &intent->was.units);
	str_printf(out, " %" PRIx64 " ", intent->now.digest);
	digests_encode(out, &intent->now.units);
	str_addc(out, ' ');
	uint64_t check = hash64(slice_make(out->ptr + start, out->len - start));
	str_printf(out, "%" PRIx64 "\n", check);
	start = out->len;
	str_printf(out, "%s%c %" PRIx64 " %" PRIx64 " %" PRIx64 " ", file_name, INODES_MARK, check,
		   intent->dev, intent->temp.born_ns);
	str_printf(out, "%" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx64 " ",
		   intent->prev.born_ns, intent->prev.changed_ns, intent->file.ino,
		   intent->file.born_ns, intent->file.changed_ns);
	str_printf(out, "%" PRIx64 "\n", hash64(slice_make(out->ptr + start, out->len - start)));
}

/* Which lines were met, from the last one to the first. */
struct census {
	bool met[STORE_FILE_COUNT];
	uint32_t held[STORE_FILE_COUNT];       /* what the last line about a file says is held */
	uint32_t met_slots[STORE_FILE_COUNT];  /* lines about held files */
	uint32_t met_inodes[STORE_FILE_COUNT]; /* lines about inodes: of the file, of slots */
};

/*
 * The file that a line is about, or -1; *slot is 0 unless it is about a held one. *inodes says
 * whether it is the second line.
 */
static int swap_log_file_of(struct slice line, unsigned *slot, bool *inodes)
{
	struct slice word = swap_log_first_word(line);
	const char *mark = word.len ? memchr(word.ptr, HELD_MARK, word.len) : NULL;
	uint64_t number = 0;

	*inodes = word.len && word.ptr[word.len - 1] == INODES_MARK;
	word.len -= *inodes;
	if (mark) {
		size_t at = (size_t)(mark - word.ptr);

		if (!hex_read(slice_make(mark + 1, word.len - at - 1), &number) || number < 1 ||
		    number > HELD_MAX)
			return -1;
		word.len = at;
	}
	int file = (int)store_file_find(word);
	*slot = (unsigned)number;
	return file < STORE_FILE_COUNT ? file : -1;
}

/* What a line about a file says is held. */
static uint32_t swap_log_held_of(struct slice line)
{
	size_t at = swap_log_first_word(line).len + 1;
	uint64_t held;

	if (!hex_read(swap_log_first_word(slice_make(line.ptr + at, line.len - at)), &held))
		return HELD_MASK;
	return (uint32_t)held & HELD_MASK;
}

/* True if this is the last line about something that still exists. */
static bool swap_log_counts(struct census *census, struct slice line)
{
	unsigned slot;
	bool inodes;
	int file = swap_log_file_of(line, &slot, &inodes);

	if (file < 0)
		return false;
	if (inodes) {
		bool met = census->met_inodes[file] & 1U << slot;

		census->met_inodes[file] |= 1U << slot;
		return !met &&
		       (slot == 0 || !census->met[file] || (census->held[file] & 1U << slot));
	}
	if (slot == 0) {
		if (census->met[file])
			return false;
		census->met[file] = true;
		census->held[file] = swap_log_held_of(line);
		return true;
	}
	if ((census->met_slots[file] & 1U << slot) ||
	    (census->met[file] && !(census->held[file] & 1U << slot)))
		return false;
	census->met_slots[file] |= 1U << slot;
	return true;
}

/* Appends the lines that still count, and not those that the line at the end of *out replaces. */
static void swap_log_keep_lines(struct str *out, struct slice body, struct slice newest)
{
	struct census census = {0};
	struct slice words[WORD_COUNT];
	struct slice line;

	while (swap_log_last_line(&newest, &line))
		swap_log_counts(&census, line);
	while (swap_log_last_line(&body, &line)) {
		struct census before = census;

		if (!swap_log_counts(&census, line))
			continue;
		if (!swap_log_split_line(line, words) &&
		    !swap_log_split_words(line, words, INODE_WORD_COUNT)) {
			census = before; /* torn: the one before it counts */
			continue;
		}
		str_add(out, line);
		str_addc(out, '\n');
	}
}

/*
 * True if it is time to drop superseded lines. Judged by the lengths alone, without any checksum.
 */
static bool swap_log_is_too_long(struct slice body)
{
	struct census census = {0};
	size_t most = body.len / BODY_TIMES;
	size_t needed = 0;
	struct slice line;

	if (body.len <= BODY_BYTES)
		return false;
	while (needed < most && swap_log_last_line(&body, &line)) {
		if (swap_log_counts(&census, line))
			needed += line.len + 1;
	}
	return needed < most;
}

/*
 * Writes text at the offset of .lock and blots out what is behind it with NUL bytes, in which no
 * line ends: cutting the file would cost the disk more than all the rest. A file that is far
 * too long is cut when it is read.
 */
static int swap_log_write_body(struct disk *disk, struct str *text, size_t offset, struct err *err)
{
	struct str *body = &disk->lock_body;
	size_t old_end = body->len;

	disk->lock_body_known = false;
	while (offset + text->len < old_end)
		str_addc(text, '\0');
	if (disk->lock_bytes < (off_t)(offset + text->len))
		disk->lock_bytes = (off_t)(offset + text->len);
	if (file_pwrite_all(disk->sys, disk->lock_fd, str_slice(text), (off_t)offset) != 0)
		return disk_cannot(disk, "write", ".lock", err);
	str_truncate(body, offset);
	str_add(body, slice_make(text->ptr, swap_log_without_blots(text->ptr, text->len)));
	disk->lock_body_known = true;
	return 0;
}

int swap_log_write(const struct swap_log *intent, struct disk *disk, const char *file_name,
		   struct err *err)
{
	STR_AUTO text = STR_INIT;
	STR_AUTO line = STR_INIT;

	if (swap_log_read_body(disk, err) != 0 || swap_log_boot(disk, err) != 0)
		return -1;
	struct slice whole = str_slice(&disk->lock_body);
	const char *end = whole.ptr ? memrchr(whole.ptr, '\n', whole.len) : NULL;
	size_t offset = end ? (size_t)(end - whole.ptr) + 1 : 0; /* over a torn line */
	swap_log_compose_line(&line, intent, disk, file_name);
	if (swap_log_is_too_long(slice_make(whole.ptr, offset))) {
		swap_log_keep_lines(&text, whole, str_slice(&line));
		offset = 0;
	}
	str_add(&text, str_slice(&line));
	return swap_log_write_body(disk, &text, offset, err);
}
