#include "store/txn/metadata.h"

#include "base/time.h"
#include "json/write.h"
#include "store/files/cache_file.h"
#include "store/view/notices.h"

#include <errno.h>
#include <fcntl.h>

#define FILE_NAME "metadata.json"

/* Version of the format, as the documents of the original handler have it. */
#define VERSION 2

/* Ours has about a kilobyte. */
#define READ_MAX ((size_t)1 << 20)

static int64_t metadata_read_time(const struct json *doc, const char *name)
{
	STR_AUTO scratch = STR_INIT;
	int64_t ms = TIME_NONE;
	uint32_t node = json_member(doc, JSON_ROOT, name);

	if (node != JSON_NONE)
		timestamp_parse(json_string(doc, node, &scratch), false, &ms);
	return ms;
}

/* Never through a link. False when it is not there, or cannot be read. */
static bool metadata_read_own(struct disk *disk, struct str *text)
{
	struct file_id id;
	struct err ignored;

	return disk->dirfd >= 0 &&
	       file_read_own(disk->sys, disk->dirfd, FILE_NAME, READ_MAX, text, &id, &ignored) ==
		       0 &&
	       id.present;
}

int64_t metadata_last_cleanup(struct disk *disk)
{
	STR_AUTO text = STR_INIT;
	struct json_fault fault;
	JSON_AUTO doc = {0};

	if (!metadata_read_own(disk, &text) ||
	    json_parse(&doc, str_slice(&text), &json_file_bounds, &fault) != 0)
		return TIME_NONE;
	int64_t cleanup_ms = metadata_read_time(&doc, "lastCleanup");
	return cleanup_ms;
}

static int64_t metadata_sum(const int64_t numbers[CATEGORY_COUNT])
{
	int64_t total = 0;

	for (int c = 0; c < CATEGORY_COUNT; c++)
		total += numbers[c];
	return total;
}

static void metadata_write_time(struct json_writer *w, const char *name, int64_t ms)
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

static void metadata_write_numbers(struct json_writer *w, const char *name,
				   const int64_t numbers[CATEGORY_COUNT])
{
	json_write_name(w, slice_of(name));
	json_write_object(w);
	for (int c = 0; c < CATEGORY_COUNT; c++)
		json_write_member_int(w, category_name((enum category)c), numbers[c]);
	json_write_end(w);
}

static void metadata_compose(struct str *out, const struct metadata *metadata, int64_t own_bytes)
{
	str_clear(out);
	struct json_writer w = json_writer_to(out, &json_pretty);
	json_write_object(&w);
	json_write_member_int(&w, "version", VERSION);
	metadata_write_time(&w, "updatedAt", metadata->updated_ms);
	metadata_write_time(&w, "lastCleanup", metadata->cleanup_ms);
	metadata_write_numbers(&w, "counts", metadata->counts);
	json_write_name(&w, slice_of("bytes"));
	json_write_object(&w);
	json_write_member_int(&w, "total",
			      metadata_sum(metadata->bytes) +
				      metadata_sum(metadata->archive_bytes) + own_bytes);
	json_write_member_int(&w, "metadata", own_bytes);
	metadata_write_numbers(&w, "categories", metadata->bytes);
	metadata_write_numbers(&w, "archives", metadata->archive_bytes);
	json_write_end(&w);
	json_write_name(&w, slice_of("archives"));
	json_write_object(&w);
	metadata_write_numbers(&w, "counts", metadata->archive_counts);
	json_write_member_int(&w, "total", metadata_sum(metadata->archive_counts));
	json_write_end(&w);
	json_write_end(&w);
	str_addc(out, '\n');
}

int64_t metadata_count_of(struct disk *disk, enum category category)
{
	STR_AUTO text = STR_INIT;
	struct json_fault fault;
	int64_t count = 0;
	JSON_AUTO doc = {0};

	if (!metadata_read_own(disk, &text) ||
	    json_parse(&doc, str_slice(&text), &json_file_bounds, &fault) != 0)
		return -1;
	uint32_t node = json_member(&doc, JSON_ROOT, "counts");
	node = node == JSON_NONE ? node : json_member(&doc, node, category_name(category));
	return node != JSON_NONE && json_int(&doc, node, &count) ? count : 0;
}

/*
 * The file states its own size, whose digits are part of it. A larger number never makes the text
 * shorter, so that this ends: each round either fits or adds a digit.
 */
static void metadata_compose_with_size(struct str *out, const struct metadata *metadata)
{
	int64_t own_bytes = 0;

	metadata_compose(out, metadata, own_bytes);
	while ((int64_t)out->len != own_bytes) {
		own_bytes = (int64_t)out->len;
		metadata_compose(out, metadata, own_bytes);
	}
}

int metadata_write(struct disk *disk, const struct metadata *metadata, struct err *err)
{
	STR_AUTO text = STR_INIT;

	metadata_compose_with_size(&text, metadata);
	return derived_alternate(disk, FILE_NAME, str_slice(&text), err);
}

static bool metadata_same_member(const struct json *a, const struct json *b, const char *name)
{
	uint32_t in_a = json_member(a, JSON_ROOT, name);
	uint32_t in_b = json_member(b, JSON_ROOT, name);

	return in_a != JSON_NONE && in_b != JSON_NONE &&
	       slice_equal(json_text(a, in_a), json_text(b, in_b));
}

/* All but the times, whose offset is that of the place where they were written. */
static bool metadata_same_sums(const struct json *doc, const struct metadata *should)
{
	struct metadata wanted = *should;
	STR_AUTO composed = STR_INIT;
	struct json_fault fault;
	JSON_AUTO other = {0};

	wanted.updated_ms = metadata_read_time(doc, "updatedAt");
	wanted.cleanup_ms = metadata_read_time(doc, "lastCleanup");
	metadata_compose_with_size(&composed, &wanted);
	if (json_parse(&other, str_slice(&composed), &json_file_bounds, &fault) != 0)
		return false;
	return metadata_same_member(doc, &other, "version") &&
	       metadata_same_member(doc, &other, "counts") &&
	       metadata_same_member(doc, &other, "bytes") &&
	       metadata_same_member(doc, &other, "archives");
}

enum metadata_state metadata_compare(struct disk *disk, const struct metadata *should)
{
	STR_AUTO text = STR_INIT;
	struct json_fault fault;
	JSON_AUTO doc = {0};
	struct stat st;

	if (disk->sys->fstatat(disk->dirfd, FILE_NAME, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? METADATA_ABSENT : METADATA_STALE;
	if (S_ISDIR(st.st_mode))
		return METADATA_BLOCKED;
	if (!metadata_read_own(disk, &text) ||
	    json_parse(&doc, str_slice(&text), &json_file_bounds, &fault) != 0)
		return METADATA_STALE;
	bool same = metadata_same_sums(&doc, should);
	return same ? METADATA_FINE : METADATA_STALE;
}

static void metadata_count(const struct store *store, struct metadata *out)
{
	for (int c = 0; c < CATEGORY_COUNT; c++) {
		out->counts[c] = (int64_t)(store->first[c + 1] - store->first[c]);
		out->bytes[c] = store->files[c].id.present ? (int64_t)store->files[c].id.size : 0;
	}
	for (size_t i = 0; i < store->archive.count; i++) {
		const struct record *record = &store->archive.records[i].record;

		out->archive_counts[record->category]++;
		out->archive_bytes[record->category] += (int64_t)record->text.len;
	}
}

void metadata_update(struct store *store, bool cleaned)
{
	struct metadata metadata = {.updated_ms = store->now_ms, .cleanup_ms = store->now_ms};
	struct err err;

	if (!cleaned || !store->clock_trusted)
		metadata.cleanup_ms = metadata_last_cleanup(&store->disk);
	metadata_count(store, &metadata);
	if (metadata_write(&store->disk, &metadata, &err) != 0)
		notices_add(store, "%s; the change itself is safe", err.text);
}

void metadata_mend(struct store *store)
{
	struct metadata metadata = {0};

	for (int f = 0; f <= STORE_FILE_ARCHIVE; f++) {
		if (store->files[f].broken)
			return;
	}
	metadata_count(store, &metadata);
	enum metadata_state state = metadata_compare(&store->disk, &metadata);
	if (state == METADATA_ABSENT || state == METADATA_STALE)
		metadata_update(store, false);
}
