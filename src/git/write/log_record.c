#include "git/write/log_record.h"

#include "base/map.h"
#include "git/objects.h"
#include "git/repo_state.h"

#define RECORD_MARK "kotaobj\1"

static void log_record_put_number(struct str *out, uint64_t number)
{
	for (int shift = 0; shift < 64; shift += 8)
		str_addc(out, (char)(number >> shift & 0xff));
}

static void log_record_put_text(struct str *out, struct slice text)
{
	log_record_put_number(out, text.len);
	str_add(out, text);
}

static void log_record_put_id(struct str *out, const struct object_id *id)
{
	str_add(out, slice_make((const char *)id->bytes, sizeof id->bytes));
}

static uint64_t log_record_number_at(const char *at)
{
	uint64_t number = 0;

	for (int i = 7; i >= 0; i--)
		number = number << 8 | (unsigned char)at[i];
	return number;
}

/* Takes so many bytes off the rest; false, and nothing taken, where there are fewer. */
static bool log_record_take(struct slice *rest, uint64_t len, struct slice *out)
{
	if (len > rest->len)
		return false;
	*out = slice_make(rest->ptr, (size_t)len);
	*rest = slice_make(rest->ptr + len, rest->len - (size_t)len);
	return true;
}

static bool log_record_take_number(struct slice *rest, uint64_t *out)
{
	struct slice bytes;

	if (!log_record_take(rest, 8, &bytes))
		return false;
	*out = log_record_number_at(bytes.ptr);
	return true;
}

static bool log_record_take_text(struct slice *rest, struct slice *out)
{
	uint64_t len;

	return log_record_take_number(rest, &len) && log_record_take(rest, len, out);
}

static bool log_record_take_id(struct slice *rest, struct object_id *out)
{
	struct slice bytes;

	if (!log_record_take(rest, OBJECT_ID_BYTES, &bytes))
		return false;
	memcpy(out->bytes, bytes.ptr, sizeof out->bytes);
	return true;
}

bool log_record_next_object(struct slice *rest, struct object_id *id, struct slice *file)
{
	return log_record_take_id(rest, id) && log_record_take_text(rest, file);
}

bool log_record_next_change(struct slice *rest, struct slice *path, struct slice *ids)
{
	uint64_t count;

	return log_record_take_text(rest, path) && log_record_take_number(rest, &count) &&
	       count <= rest->len / OBJECT_ID_BYTES &&
	       log_record_take(rest, count * OBJECT_ID_BYTES, ids);
}

size_t log_record_round_up(size_t bytes)
{
	return (bytes + RECORD_STEP - 1) / RECORD_STEP * RECORD_STEP;
}

void log_record_put_head(struct str *out, uint64_t epoch, struct slice body)
{
	str_adds(out, RECORD_MARK);
	log_record_put_number(out, epoch);
	log_record_put_number(out, body.len);
	log_record_put_number(out, hash64(body) + epoch);
}

uint64_t log_record_length(const char head[RECORD_HEAD], uint64_t epoch)
{
	uint64_t len = log_record_number_at(head + 16);

	return memcmp(head, RECORD_MARK, 8) == 0 && log_record_number_at(head + 8) == epoch &&
			       len <= UINT32_MAX
		       ? RECORD_HEAD + len
		       : 0;
}

bool log_record_at(struct slice text, size_t at, uint64_t epoch, struct slice *body)
{
	const char *head = text.ptr + at;

	if (at + RECORD_HEAD > text.len || memcmp(head, RECORD_MARK, 8) != 0 ||
	    log_record_number_at(head + 8) != epoch)
		return false;
	uint64_t len = log_record_number_at(head + 16);
	if (len > text.len - at - RECORD_HEAD)
		return false;
	*body = slice_make(head + RECORD_HEAD, (size_t)len);
	return hash64(*body) + epoch == log_record_number_at(head + 24);
}

void log_record_compose(struct str *out, const struct repo *repo,
			const struct logged_recording *recording)
{
	log_record_put_text(out, slice_of(recording->branch));
	log_record_put_id(out, recording->from);
	log_record_put_id(out, recording->to);
	log_record_put_number(out, (uint64_t)recording->time_ms);
	log_record_put_number(out, (uint64_t)(int64_t)recording->offset_min);
	log_record_put_number(out, recording->made->count);
	for (size_t i = 0; i < recording->made->count; i++) {
		const struct object_id *id = &recording->made->items[i];

		log_record_put_id(out, id);
		log_record_put_text(out, str_slice(&objects_find(repo, id)->file));
	}
	log_record_put_number(out, recording->count);
	for (size_t i = 0; i < recording->count; i++) {
		const struct index_change *change = &recording->changes[i];

		log_record_put_text(out, slice_of(change->path));
		log_record_put_number(out, change->count);
		for (size_t n = 0; n < change->count; n++)
			log_record_put_id(out, &change->blobs[n]);
	}
}

/* Who unpacks a store has a log that others may have written: a name is part of a path. */
static bool log_record_names_branch(const struct repo *repo, const char *name)
{
	int valid = 0;

	return strncmp(name, "refs/heads/", 11) == 0 &&
	       repo->lib.reference_name_is_valid(&valid, name) == 0 && valid;
}

bool log_record_parse(const struct repo *repo, struct slice body, struct log_record *out)
{
	struct object_id id;
	struct slice branch;
	struct slice text;
	uint64_t time;
	uint64_t offset;

	if (!log_record_take_text(&body, &branch) || !log_record_take_id(&body, &out->from) ||
	    !log_record_take_id(&body, &out->to) || !log_record_take_number(&body, &time) ||
	    !log_record_take_number(&body, &offset) || !log_record_take_number(&body, &out->count))
		return false;
	out->time_ms = (int64_t)time;
	out->offset_min = (int)(int64_t)offset;
	out->objects = body;
	for (uint64_t i = 0; i < out->count; i++) {
		if (!log_record_next_object(&body, &id, &text))
			return false;
	}
	if (!log_record_take_number(&body, &out->change_count))
		return false;
	out->changes = body;
	str_init(&out->branch);
	str_add(&out->branch, branch);
	if (log_record_names_branch(repo, out->branch.ptr))
		return true;
	str_release(&out->branch);
	return false;
}
