#include "store/journal.h"

#include "base/json_write.h"
#include "base/hash.h"
#include "store/units.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>

#define JOURNAL_NAME ".journal"
#define JOURNAL_TEMP ".journal.tmp"
#define JOURNAL_FORMAT 1

static const char *const kind_names[] = {
	[OP_PUT] = "put",
	[OP_REMOVE] = "remove",
	[OP_RECORD_ADD] = "record_add",
	[OP_RECORD_REMOVE] = "record_remove",
	[OP_LINK_PUT] = "link_put",
	[OP_LINK_REMOVE] = "link_remove",
	[OP_NOTE_ADD] = "note_add",
	[OP_NOTE_REMOVE] = "note_remove",
	[OP_COLD_ADD] = "cold_add",
	[OP_KEEP] = "keep",
};

#define KIND_COUNT (sizeof kind_names / sizeof *kind_names)

static int journal_error(const struct disk *disk, const char *what, struct err *err)
{
	return err_set_errno(err, err_code_of_write(errno), errno, "cannot %s %s/" JOURNAL_NAME,
			     what, disk->path);
}

static void write_optional(struct json_writer *w, const char *name, const char *text)
{
	if (text)
		json_write_member_string(w, name, slice_of(text));
}

static void write_op(struct json_writer *w, const struct op *op)
{
	char before[17];

	snprintf(before, sizeof before, "%" PRIx64, op->before);
	json_write_object(w);
	json_write_member_string(w, "op", slice_of(kind_names[op->kind]));
	json_write_member_string(w, "category", slice_of(category_name(op->category)));
	json_write_member_string(w, "key", op->key.ptr ? op->key : slice_of(""));
	/* As a string, which keeps every byte and does not nest. */
	if (op->text.ptr)
		json_write_member_string(w, "text", op->text);
	json_write_member_string(w, "before", slice_of(before));
	json_write_member_int(w, "at", op->at_ms);
	json_write_end(w);
}

static void compose_body(struct str *out, const struct op *ops, size_t count,
			 const struct change_meta *meta, int64_t now_ms)
{
	struct json_writer w;

	json_writer_init(&w, out, &json_compact);
	json_write_object(&w);
	json_write_member_int(&w, "format", JOURNAL_FORMAT);
	json_write_member_int(&w, "at", now_ms);
	write_optional(&w, "change", meta->id);
	write_optional(&w, "tool", meta->tool);
	write_optional(&w, "client", meta->client);
	write_optional(&w, "client_version", meta->client_version);
	write_optional(&w, "session", meta->session);
	write_optional(&w, "undoes", meta->undoes);
	json_write_name(&w, slice_of("ops"));
	json_write_array(&w);
	for (size_t i = 0; i < count; i++)
		write_op(&w, &ops[i]);
	json_write_end(&w);
	json_write_end(&w);
}

/* Body and digest; what is torn is not JSON, what is damaged has another digest. */
static void compose(struct str *out, const struct op *ops, size_t count,
		    const struct change_meta *meta, int64_t now_ms)
{
	STR_AUTO body = STR_INIT;

	compose_body(&body, ops, count, meta, now_ms);
	str_printf(out, "{\"digest\":\"%" PRIx64 "\",\"journal\":", hash64(str_slice(&body)));
	str_add(out, str_slice(&body));
	str_adds(out, "}\n");
}

static int write_temp(struct disk *disk, struct slice text, struct err *err)
{
	const struct sys *sys = disk->sys;
	int result;
	int fd;

	if (sys->unlinkat(disk->dirfd, JOURNAL_TEMP, 0) != 0 && errno != ENOENT)
		return journal_error(disk, "begin", err);
	fd = file_open(sys, disk->dirfd, JOURNAL_TEMP,
		       O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return journal_error(disk, "write", err);
	result = file_write_all(sys, fd, text, err);
	if (result != 0)
		err_prefix(err, "%s/" JOURNAL_NAME, disk->path);
	else if (sys->fchmod(fd, 0600) != 0 || file_fsync(sys, fd) != 0)
		result = journal_error(disk, "make durable", err);
	file_close(sys, &fd);
	return result;
}

int journal_commit(struct disk *disk, const struct op *ops, size_t count,
		   const struct change_meta *meta, int64_t now_ms, bool *committed, struct err *err)
{
	STR_AUTO text = STR_INIT;
	int result;

	*committed = false;
	compose(&text, ops, count, meta, now_ms);
	result = write_temp(disk, str_slice(&text), err);
	if (result == 0 &&
	    disk->sys->renameat2(disk->dirfd, JOURNAL_TEMP, disk->dirfd, JOURNAL_NAME, 0) != 0)
		result = journal_error(disk, "begin", err);
	if (result != 0) {
		disk->sys->unlinkat(disk->dirfd, JOURNAL_TEMP, 0);
		return -1;
	}
	*committed = true;
	if (file_fsync(disk->sys, disk->dirfd) != 0)
		return journal_error(disk, "make durable", err);
	return 0;
}

static int bad(const struct disk *disk, const char *what, struct err *err)
{
	return err_set(err, ERR_BAD_DATA,
		       "%s/" JOURNAL_NAME "%s; it holds a change that is not finished: mend it, or "
		       "move it away to give that change up",
		       disk->path, what);
}

static int find_kind(struct slice name)
{
	for (size_t i = 0; i < KIND_COUNT; i++) {
		if (slice_is(name, kind_names[i]))
			return (int)i;
	}
	return -1;
}

static bool read_op(struct journal *journal, const struct json *doc, uint32_t node, struct op *op)
{
	int kind = find_kind(json_member_text(doc, node, "op", &journal->arena));
	int category = category_find(json_member_text(doc, node, "category", &journal->arena));
	struct slice before = json_member_text(doc, node, "before", &journal->arena);
	uint32_t at = json_member(doc, node, "at");

	if (kind < 0 || category == CATEGORY_ANY || !before.ptr || at == JSON_NONE)
		return false;
	op->kind = (enum op_kind)kind;
	op->category = (enum category)category;
	op->key = json_member_text(doc, node, "key", &journal->arena);
	op->text = json_member_text(doc, node, "text", &journal->arena);
	if ((op->kind != OP_REMOVE && op->kind != OP_RECORD_REMOVE) && !op->text.ptr)
		return false;
	return op->key.ptr && hex_read(before, &op->before) && json_int(doc, at, &op->at_ms);
}

static bool read_body(struct journal *journal, const struct json *doc, uint32_t body)
{
	uint32_t format = json_member(doc, body, "format");
	uint32_t at = json_member(doc, body, "at");
	uint32_t ops = json_member(doc, body, "ops");
	int64_t number;

	if (format == JSON_NONE || !json_int(doc, format, &number) || number != JOURNAL_FORMAT ||
	    at == JSON_NONE || !json_int(doc, at, &journal->at_ms) || ops == JSON_NONE ||
	    json_type(doc, ops) != JSON_ARRAY)
		return false;
	journal->meta.id = json_member_text(doc, body, "change", &journal->arena).ptr;
	journal->meta.tool = json_member_text(doc, body, "tool", &journal->arena).ptr;
	journal->meta.client = json_member_text(doc, body, "client", &journal->arena).ptr;
	journal->meta.client_version =
		json_member_text(doc, body, "client_version", &journal->arena).ptr;
	journal->meta.session = json_member_text(doc, body, "session", &journal->arena).ptr;
	journal->meta.undoes = json_member_text(doc, body, "undoes", &journal->arena).ptr;
	journal->ops = arena_alloc(&journal->arena,
				   (doc->nodes[ops].count + 1) * sizeof *journal->ops);
	for (uint32_t n = json_first(doc, ops); n != JSON_NONE; n = json_next(doc, n)) {
		if (!read_op(journal, doc, n, &journal->ops[journal->count++]))
			return false;
	}
	return true;
}

static int decode(struct journal *journal, struct disk *disk, struct slice text, struct err *err)
{
	STR_AUTO where = STR_INIT;
	struct json_fault fault;
	struct json doc;
	uint32_t digest;
	uint32_t body;
	uint64_t wanted;
	int result = 0;

	if (json_parse(&doc, text, &json_file_bounds, &fault) != 0) {
		str_printf(&where, ":%u:%u: %s", fault.line, fault.column, fault.what);
		return bad(disk, where.ptr, err);
	}
	digest = json_member(&doc, JSON_ROOT, "digest");
	body = json_member(&doc, JSON_ROOT, "journal");
	if (digest == JSON_NONE || body == JSON_NONE ||
	    !hex_read(json_member_text(&doc, JSON_ROOT, "digest", &journal->arena), &wanted))
		result = bad(disk, " is no journal", err);
	else if (hash64(json_text(&doc, body)) != wanted)
		result = bad(disk, " has been changed", err);
	else if (!read_body(journal, &doc, body))
		result = bad(disk, " names what this program does not know", err);
	json_release(&doc);
	return result;
}

int journal_read(struct journal *out, struct disk *disk, struct err *err)
{
	struct journal journal = {.arena = ARENA_INIT};
	STR_AUTO text = STR_INIT;
	struct file_id id;

	if (file_read_own(disk->sys, disk->dirfd, JOURNAL_NAME, json_file_bounds.bytes, &text, &id,
			  err) != 0)
		return err_prefix(err, "the journal %s/" JOURNAL_NAME " cannot be read",
				  disk->path);
	if (id.present && decode(&journal, disk, str_slice(&text), err) != 0) {
		arena_release(&journal.arena);
		return -1;
	}
	journal.found = id.present;
	*out = journal;
	return 0;
}

void journal_release(struct journal *journal)
{
	arena_release(&journal->arena);
	*journal = (struct journal){.found = false};
}

void journal_tidy(struct disk *disk)
{
	disk->sys->unlinkat(disk->dirfd, JOURNAL_TEMP, 0);
}

int journal_remove(struct disk *disk, struct err *err)
{
	if ((disk->sys->unlinkat(disk->dirfd, JOURNAL_NAME, 0) != 0 && errno != ENOENT) ||
	    file_fsync(disk->sys, disk->dirfd) != 0)
		return journal_error(disk, "take away", err);
	return 0;
}
