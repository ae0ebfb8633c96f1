#include "store/metadata.h"

#include "base/json_write.h"
#include "base/timestamp.h"
#include "store/derived.h"

#include <fcntl.h>

#define FILE_NAME "metadata.json"

/* Version of the format, as the documents of the original handler have it. */
#define VERSION 2

/* Ours has about a kilobyte. */
#define READ_MAX ((size_t)1 << 20)

static int64_t read_cleanup(struct slice text)
{
	STR_AUTO scratch = STR_INIT;
	int64_t cleanup_ms = TIME_NONE;
	struct json_fault fault;
	struct json doc;
	uint32_t node;

	if (json_parse(&doc, text, &json_file_bounds, &fault) != 0)
		return TIME_NONE;
	node = json_member(&doc, JSON_ROOT, "lastCleanup");
	if (node != JSON_NONE)
		timestamp_parse(json_string(&doc, node, &scratch), false, &cleanup_ms);
	json_release(&doc);
	return cleanup_ms;
}

int64_t metadata_last_cleanup(struct disk *disk)
{
	STR_AUTO text = STR_INIT;
	struct file_id id;
	struct err ignored;
	struct stat st;

	if (disk->dirfd < 0 ||
	    disk->sys->fstatat(disk->dirfd, FILE_NAME, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
	    !S_ISREG(st.st_mode) ||
	    file_read(disk->sys, disk->dirfd, FILE_NAME, READ_MAX, &text, &id, &ignored) != 0)
		return TIME_NONE;
	return read_cleanup(str_slice(&text));
}

static int64_t sum(const int64_t numbers[CATEGORY_COUNT])
{
	int64_t total = 0;

	for (int c = 0; c < CATEGORY_COUNT; c++)
		total += numbers[c];
	return total;
}

static void write_time(struct json_writer *w, const char *name, int64_t ms)
{
	char text[TIMESTAMP_SIZE];

	json_write_name(w, slice_of(name));
	if (ms == TIME_NONE) {
		json_write_null(w);
		return;
	}
	timestamp_format(ms, text);
	json_write_string(w, slice_of(text));
}

static void write_numbers(struct json_writer *w, const char *name,
			  const int64_t numbers[CATEGORY_COUNT])
{
	json_write_name(w, slice_of(name));
	json_write_object(w);
	for (int c = 0; c < CATEGORY_COUNT; c++)
		json_write_member_int(w, category_name((enum category)c), numbers[c]);
	json_write_end(w);
}

static void compose(struct str *out, const struct metadata *metadata, int64_t own_bytes)
{
	struct json_writer w;

	str_clear(out);
	json_writer_init(&w, out, &json_pretty);
	json_write_object(&w);
	json_write_member_int(&w, "version", VERSION);
	write_time(&w, "updatedAt", metadata->updated_ms);
	write_time(&w, "lastCleanup", metadata->cleanup_ms);
	write_numbers(&w, "counts", metadata->counts);
	json_write_name(&w, slice_of("bytes"));
	json_write_object(&w);
	json_write_member_int(&w, "total",
			      sum(metadata->bytes) + sum(metadata->archive_bytes) + own_bytes);
	json_write_member_int(&w, "metadata", own_bytes);
	write_numbers(&w, "categories", metadata->bytes);
	write_numbers(&w, "archives", metadata->archive_bytes);
	json_write_end(&w);
	json_write_name(&w, slice_of("archives"));
	json_write_object(&w);
	write_numbers(&w, "counts", metadata->archive_counts);
	json_write_member_int(&w, "total", sum(metadata->archive_counts));
	json_write_end(&w);
	json_write_end(&w);
	str_addc(out, '\n');
}

/*
 * The file states its own size, whose digits are part of it. A larger number never makes the text
 * shorter, so that this ends: each round either fits or adds a digit.
 */
static void compose_with_size(struct str *out, const struct metadata *metadata)
{
	int64_t own_bytes = 0;

	compose(out, metadata, own_bytes);
	while ((int64_t)out->len != own_bytes) {
		own_bytes = (int64_t)out->len;
		compose(out, metadata, own_bytes);
	}
}

int metadata_write(struct disk *disk, const struct metadata *metadata, struct err *err)
{
	STR_AUTO text = STR_INIT;

	compose_with_size(&text, metadata);
	return derived_alternate(disk, FILE_NAME, str_slice(&text), err);
}
