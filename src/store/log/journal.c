#include "store/log/journal.h"

#include "base/map.h"
#include "json/write.h"
#include "store/log/journal_seal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <stdio.h>

#define JOURNAL_TEMP ".journal.tmp"

/* Version 0.1.0 wrote the first, and refuses changes while another waits: it checks no signature.
 */
#define JOURNAL_FORMAT_FIRST 1
#define JOURNAL_FORMAT 2

#define ASIDE_PREFIX ".journal.aside-"

/* More are not set aside: a person has to look at them some time. */
#define ASIDES_MAX 1000

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
	NULL,
};

/* Which journals that are not signed by this user are carried out. */
enum trust {
	TRUST_SIGNED,       /* none */
	TRUST_UNSIGNED_TOO, /* those without a signature: nobody else puts one there */
	TRUST_BY_HAND,      /* the same, because the person has asked for it: no notes elsewhere */
	TRUST_NEVER,        /* nor is one that is signed: it came with a repository */
	TRUST_NOTHING       /* there is none: the store is somebody else's */
};

static enum trust journal_trust_in(const struct disk *disk)
{
	if (!journal_is_used(disk))
		return TRUST_NOTHING;
	if (!origin_believes(&disk->origin, STATE_JOURNAL))
		return TRUST_NEVER;
	if (disk->origin.personal)
		return TRUST_UNSIGNED_TOO;
	return disk->by_hand ? TRUST_BY_HAND : TRUST_SIGNED;
}

static void journal_write_optional(struct json_writer *w, const char *name, const char *text)
{
	if (text)
		json_write_member_string(w, name, slice_of(text));
}

void op_write(struct json_writer *w, const struct op *op)
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

/* With the store that it is of when it is to be signed. */
static int journal_compose_body(const struct disk *disk, struct str *out, bool sealed,
				const struct op *ops, size_t count, const struct change_meta *meta,
				int64_t now_ms, struct err *err)
{
	struct json_writer w = json_writer_to(out, &json_compact);

	json_write_object(&w);
	json_write_member_int(&w, "format", JOURNAL_FORMAT);
	json_write_member_int(&w, "at", now_ms);
	if (sealed && journal_seal_write_place(disk, &w, err) != 0)
		return -1;
	journal_write_optional(&w, "change", meta->id);
	journal_write_optional(&w, "tool", meta->tool);
	journal_write_optional(&w, "client", meta->client);
	journal_write_optional(&w, "client_version", meta->client_version);
	journal_write_optional(&w, "session", meta->session);
	journal_write_optional(&w, "undoes", meta->undoes);
	json_write_name(&w, slice_of("ops"));
	json_write_array(&w);
	for (size_t i = 0; i < count; i++)
		op_write(&w, &ops[i]);
	json_write_end(&w);
	json_write_end(&w);
	return 0;
}

/* Once in a process. Without an environment nobody is there to be told. */
static void journal_tell_unsigned(struct disk *disk)
{
	if (disk->signer.told || !disk->env)
		return;
	disk->signer.told = true;
	str_printf(&disk->remarks,
		   "changes of several files are not signed (%s): when such a change is "
		   "interrupted, its notes are not finished by itself\n",
		   disk->signer.why.text);
}

/* Body and digest: what is torn is not JSON, what is damaged has another digest. */
static int journal_compose(struct disk *disk, struct str *out, const struct op *ops, size_t count,
			   const struct change_meta *meta, int64_t now_ms, struct err *err)
{
	STR_AUTO body = STR_INIT;
	enum signer_state state;

	if (journal_seal_ask(disk, &state, err) != 0 ||
	    journal_compose_body(disk, &body, state == SIGNER_READY, ops, count, meta, now_ms,
				 err) != 0)
		return -1;
	str_printf(out, "{\"digest\":\"%" PRIx64 "\",", hash64(str_slice(&body)));
	if (state == SIGNER_READY)
		journal_seal_add(disk, str_slice(&body), out);
	else
		journal_tell_unsigned(disk);
	str_adds(out, "\"journal\":");
	str_add(out, str_slice(&body));
	str_adds(out, "}\n");
	return 0;
}

int journal_commit(struct disk *disk, const struct op *ops, size_t count,
		   const struct change_meta *meta, int64_t now_ms, bool *committed, struct err *err)
{
	STR_AUTO text = STR_INIT;

	*committed = false;
	if (journal_compose(disk, &text, ops, count, meta, now_ms, err) != 0)
		return -1;
	disk->unjournaled_round = 0;
	if (file_replace(disk->sys, disk->dirfd, JOURNAL_NAME, str_slice(&text), 0600, FILE_DURABLE,
			 committed, err) != 0)
		return err_in_folder(err, disk->path, JOURNAL_NAME);
	return 0;
}

bool op_read(const struct json *doc, uint32_t node, struct op *out, struct arena *arena)
{
	int kind = slice_index(json_member_text(doc, node, "op", arena), kind_names);
	int category = category_find(json_member_text(doc, node, "category", arena));
	struct slice before = json_member_text(doc, node, "before", arena);
	uint32_t at = json_member(doc, node, "at");
	struct op op;

	if (kind < 0 || category == CATEGORY_ANY || !before.ptr || at == JSON_NONE)
		return false;
	op.kind = (enum op_kind)kind;
	op.category = (enum category)category;
	op.key = json_member_text(doc, node, "key", arena);
	op.text = json_member_text(doc, node, "text", arena);
	if ((op.kind != OP_REMOVE && op.kind != OP_RECORD_REMOVE) && !op.text.ptr)
		return false;
	if (!op.key.ptr || !hex_read(before, &op.before) || !json_int(doc, at, &op.at_ms))
		return false;
	*out = op;
	return true;
}

static bool journal_read_body(struct journal *journal, const struct json *doc, uint32_t body)
{
	uint32_t format = json_member(doc, body, "format");
	uint32_t at = json_member(doc, body, "at");
	uint32_t ops = json_member(doc, body, "ops");
	int64_t number;

	if (format == JSON_NONE || !json_int(doc, format, &number) ||
	    number < JOURNAL_FORMAT_FIRST || number > JOURNAL_FORMAT || at == JSON_NONE ||
	    !json_int(doc, at, &journal->at_ms) || ops == JSON_NONE ||
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
		if (!op_read(doc, n, &journal->ops[journal->count++], &journal->arena))
			return false;
	}
	return true;
}

/* It is not carried out, because it WHY. */
static int journal_refuse(struct journal *journal, const char *why)
{
	journal->refused = true;
	journal->why = arena_copy(&journal->arena, slice_of(why));
	return 0;
}

static bool journal_has_notes(const struct journal *journal)
{
	for (size_t i = 0; i < journal->count; i++) {
		if (op_is_note(&journal->ops[i]))
			return true;
	}
	return false;
}

/* One that anybody can have written. */
static int journal_judge_unsigned(struct journal *journal, const struct disk *disk,
				  enum trust trust)
{
	if (trust == TRUST_SIGNED) {
		journal->only_unsigned = true;
		return journal_refuse(journal, "is not signed");
	}
	if (trust == TRUST_BY_HAND && disk->notes_dir_free && journal_has_notes(journal))
		return journal_refuse(journal,
				      "is not signed and is about notes outside the store");
	journal->found = true;
	return 0;
}

static int journal_judge(struct journal *journal, const struct disk *disk, enum seal seal,
			 enum trust trust)
{
	if (trust == TRUST_NEVER)
		return journal_refuse(journal, "came with a repository");
	switch (seal) {
	case SEAL_BAD:
		return journal_refuse(journal, "is not signed with your key");
	case SEAL_ELSEWHERE:
		return journal_refuse(journal, "was written in another store");
	case SEAL_NONE:
		return journal_judge_unsigned(journal, disk, trust);
	case SEAL_UNKNOWN:
		if (trust != TRUST_SIGNED)
			return journal_judge_unsigned(journal, disk, trust);
		journal->found = journal->entries_only = true;
		return 0;
	case SEAL_GOOD:
		break;
	}
	journal->found = true;
	return 0;
}

/* Reads a whole journal: what it says, and whose it is. */
static int journal_decode_body(struct journal *journal, struct disk *disk, const struct json *doc,
			       uint32_t body, enum trust trust, struct err *err)
{
	bool known = journal_read_body(journal, doc, body);
	enum seal seal;

	/* Without the key, do not guess: the journal may be our own, half carried out. */
	if (journal_seal_check(disk, doc, body, &seal, err) != 0)
		return -1;
	if (!known)
		journal->count = 0;
	journal_judge(journal, disk, seal, trust);
	journal->only_unsigned = journal->only_unsigned && known;
	if (known || journal->refused)
		return 0;
	journal->found = false;
	return err_set(
		err, ERR_BAD_DATA,
		"%s/" JOURNAL_NAME " names what this program does not know; it holds a "
		"change that is not finished: fix it, or move it away to give that change up",
		disk->path);
}

static int journal_decode(struct journal *journal, struct disk *disk, struct slice text,
			  enum trust trust, struct err *err)
{
	STR_AUTO why = STR_INIT;
	struct json_fault fault;
	JSON_AUTO doc = {0};
	uint64_t wanted;
	int result = 0;

	if (json_parse(&doc, text, &json_file_bounds, &fault) != 0) {
		str_printf(&why, "is damaged (%u:%u: %s)", fault.line, fault.column, fault.what);
		return journal_refuse(journal, why.ptr);
	}
	uint32_t digest = json_member(&doc, JSON_ROOT, "digest");
	uint32_t body = json_member(&doc, JSON_ROOT, "journal");
	if (digest == JSON_NONE || body == JSON_NONE ||
	    !hex_read(json_member_text(&doc, JSON_ROOT, "digest", &journal->arena), &wanted))
		result = journal_refuse(journal, "is no journal");
	else if (hash64(json_text(&doc, body)) != wanted)
		result = journal_refuse(journal, "has been changed");
	else
		result = journal_decode_body(journal, disk, &doc, body, trust, err);
	return result;
}

static int journal_read_named(struct journal *out, struct disk *disk, const char *name,
			      enum trust trust, struct err *err)
{
	struct journal journal = {.arena = ARENA_INIT};
	struct file_id id = {.present = false};
	STR_AUTO text = STR_INIT;
	int result = 0;

	if (trust != TRUST_NOTHING && file_read_own(disk->sys, disk->dirfd, name,
						    json_file_bounds.bytes, &text, &id, err) != 0) {
		/* A link, a FIFO, a giant: nothing that is ever written here. */
		if (err->code != ERR_BAD_DATA && err->code != ERR_TOO_LARGE)
			return err_prefix(err, "the journal %s/%s cannot be read", disk->path,
					  name);
		journal_refuse(&journal, "is no journal");
	}
	if (id.present)
		result = journal_decode(&journal, disk, str_slice(&text), trust, err);
	if (result != 0)
		arena_release(&journal.arena);
	else
		*out = journal;
	return result;
}

int journal_read(struct journal *out, struct disk *disk, struct err *err)
{
	return journal_read_named(out, disk, JOURNAL_NAME, journal_trust_in(disk), err);
}

int journal_take(struct journal *out, struct disk *disk, struct err *err)
{
	struct journal journal = {.arena = ARENA_INIT};
	int result = 0;

	if (journal_read(&journal, disk, err) != 0)
		return -1;
	if (journal.refused) {
		result = journal_set_aside(disk, journal.why.ptr, err);
		journal_release(&journal);
	}
	if (result == 0)
		*out = journal;
	return result;
}

void journal_release(struct journal *journal)
{
	arena_release(&journal->arena);
	*journal = (struct journal){.arena = ARENA_INIT};
}

void journal_tidy(struct disk *disk)
{
	disk->sys->unlinkat(disk->dirfd, JOURNAL_TEMP, 0);
}

int journal_remove(struct disk *disk, struct err *err)
{
	if ((disk->sys->unlinkat(disk->dirfd, JOURNAL_NAME, 0) != 0 && errno != ENOENT) ||
	    file_fsync(disk->sys, disk->dirfd) != 0)
		return disk_cannot(disk, "take away", JOURNAL_NAME, err);
	return 0;
}

void journal_aside_name(struct str *out, int n)
{
	str_printf(out, ASIDE_PREFIX "%d", n);
}

int journal_set_aside(struct disk *disk, const char *why, struct err *err)
{
	STR_AUTO name = STR_INIT;

	for (int n = 1; n <= ASIDES_MAX; n++) {
		str_clear(&name);
		journal_aside_name(&name, n);
		if (file_rename_free(disk->sys, disk->dirfd, JOURNAL_NAME, name.ptr) == 0) {
			str_printf(&disk->remarks,
				   "%s/" JOURNAL_NAME " %s: it is set aside as %s and not carried "
				   "out; kota doctor says more\n",
				   disk->path, why, name.ptr);
			return 0;
		}
		if (errno != EEXIST)
			return disk_cannot(disk, "set aside", JOURNAL_NAME, err);
	}
	return err_set(err, ERR_BAD_DATA,
		       "%s/" JOURNAL_NAME " %s and cannot be set aside: there are %d such files; "
		       "look at them and remove them",
		       disk->path, why, ASIDES_MAX);
}

int journal_next_aside(const struct disk *disk, int after)
{
	STR_AUTO name = STR_INIT;
	struct stat st;

	for (int n = after + 1; n <= ASIDES_MAX; n++) {
		str_clear(&name);
		journal_aside_name(&name, n);
		if (disk->sys->fstatat(disk->dirfd, name.ptr, &st, AT_SYMLINK_NOFOLLOW) == 0)
			return n;
	}
	return 0;
}

int journal_read_aside(struct journal *out, struct disk *disk, int n, struct err *err)
{
	enum trust trust = journal_trust_in(disk);
	STR_AUTO name = STR_INIT;

	journal_aside_name(&name, n);
	return journal_read_named(out, disk, name.ptr,
				  trust == TRUST_SIGNED ? TRUST_BY_HAND : trust, err);
}

int journal_put_back(struct disk *disk, int n, struct err *err)
{
	STR_AUTO name = STR_INIT;

	journal_aside_name(&name, n);
	disk->unjournaled_round = 0;
	return file_rename_free(disk->sys, disk->dirfd, name.ptr, JOURNAL_NAME) == 0
		       ? 0
		       : disk_cannot(disk, "put back", JOURNAL_NAME, err);
}
