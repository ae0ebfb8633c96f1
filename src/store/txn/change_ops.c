#include "base/map.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "model/entry.h"
#include "store/history/history.h"
#include "store/items/notes.h"
#include "store/txn/change_ops_internal.h"
#include "store/txn/note_file.h"
#include "store/view/query.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

/* What makes a change known by the same name in the journal, in .pending and in the history. */
static const char *change_new_id(struct change *change)
{
	struct store *store = change->store;
	STR_AUTO text = STR_INIT;
	uint32_t chance[2];

	/* If there are no random bytes, time and process id are nearly always unique. */
	if (store->chances == 0 &&
	    getrandom(store->chance, sizeof store->chance, GRND_NONBLOCK) != sizeof store->chance)
		store->chance[0] = (uint32_t)getpid();
	for (size_t i = 0; i < 2; i++) {
		chance[i] = store->chance[store->chances];
		store->chances = (store->chances + 1) % STORE_CHANCES;
	}
	str_printf(&text, "%llx-%lx-%lx", (unsigned long long)change->now_ms,
		   (unsigned long)chance[0], (unsigned long)chance[1]);
	return arena_copy(&change->arena, str_slice(&text)).ptr;
}

struct change *change_new(struct store *store, const struct change_meta *meta, int64_t now_ms)
{
	struct change *change = mem_zalloc(1, sizeof *change);

	change->store = store;
	change->meta = *meta;
	change->now_ms = now_ms;
	change->meta.id = change_new_id(change);
	return change;
}

void change_free(struct change *change)
{
	free(change->ops);
	free(change->evicted);
	free(change->links);
	free(change->overwritten);
	free(change->parts);
	map_release(&change->touched);
	map_release(&change->record_keys);
	map_release(&change->sheltered);
	map_release(&change->others);
	map_release(&change->taken_back);
	arena_release(&change->arena);
	free(change);
}

void change_add_op(struct change *change, const struct op *op)
{
	change->ops = mem_grow(change->ops, &change->op_cap, change->op_count + 1,
			       sizeof *change->ops);
	change->ops[change->op_count++] = *op;
}

struct slice change_record_ref(struct change *change, enum category category, struct slice dated,
			       struct slice *key)
{
	size_t skip = strlen(category_name(category)) + 1;
	const struct record_shelf *archive = &change->store->archive;
	STR_AUTO ref = STR_INIT;

	for (size_t i = 0; !change->record_keys_known && i < archive->count; i++)
		map_put(&change->record_keys, archive->records[i].ref, 0);
	change->record_keys_known = true;
	ref_add(&ref, category, dated);
	size_t plain = ref.len;
	for (int n = 2; map_get(&change->record_keys, str_slice(&ref), NULL); n++) {
		str_truncate(&ref, plain);
		str_printf(&ref, "#%d", n);
	}
	struct slice kept = arena_copy(&change->arena, str_slice(&ref));
	map_put(&change->record_keys, kept, 0);
	*key = slice_make(kept.ptr + skip, kept.len - skip);
	return kept;
}

enum shelter {
	SHELTER_ARCHIVE, /* archive.json */
	SHELTER_COLD,    /* the cold archive */
	SHELTER_UNDO     /* the cold archive, marked as no archived entry */
};

/* entry is NULL for one that comes. */
static struct slice change_add_record(struct change *change, enum category category,
				      struct slice key, const struct entry *entry,
				      enum reason reason, enum shelter shelter)
{
	static const enum op_kind kinds[] = {OP_RECORD_ADD, OP_COLD_ADD, OP_KEEP};
	struct op op = {.kind = kinds[shelter], .category = category, .at_ms = change->now_ms};
	STR_AUTO dated = STR_INIT;
	STR_AUTO text = STR_INIT;
	STR_AUTO line = STR_INIT;

	record_key(&dated, key, change->now_ms, 1);
	struct slice ref = change_record_ref(change, category, str_slice(&dated), &op.key);
	record_compose(&text, op.key, key, change->now_ms, reason, entry);
	if (shelter == SHELTER_COLD)
		record_compose_cold(&line, op.category, str_slice(&text));
	if (shelter == SHELTER_UNDO)
		record_compose_undo(&line, op.category, str_slice(&text));
	op.text = arena_copy(&change->arena, str_slice(shelter == SHELTER_ARCHIVE ? &text : &line));
	change_add_op(change, &op);
	return ref;
}

static struct slice change_add_record_of(struct change *change, const struct item *item,
					 enum reason reason, enum shelter shelter)
{
	const struct entry *entry = &item->entry;

	map_put(&change->sheltered, item->ref, 0);
	return change_add_record(change, entry->category, entry->key, entry, reason, shelter);
}

void change_add_copy(struct change *change, const struct overwritten *old)
{
	if (old->item)
		change_add_record_of(change, old->item, old->reason, SHELTER_UNDO);
	else
		change_add_record(change, old->category, old->key, NULL, REASON_ADDED,
				  SHELTER_UNDO);
}

void change_keep(struct change *change, const struct overwritten *old)
{
	if (history_is_wanted(change->store))
		*MEM_ADD(change->overwritten, change->overwritten_count,
			 change->overwritten_cap) = *old;
	else
		change_add_copy(change, old);
}

void change_keep_part(struct change *change, const struct kept_part *part)
{
	*MEM_ADD(change->parts, change->part_count, change->part_cap) = *part;
}

/*
 * An entry that is new and says that it was made now is known by that. One that comes with the
 * times that it has had elsewhere is not, and undo would take something else for the last change.
 */
static void change_note_added(struct change *change, enum category category, struct slice key,
			      const struct json *entry)
{
	if (entry_time(entry, json_member(entry, JSON_ROOT, "created_at")) == change->now_ms &&
	    entry_time(entry, json_member(entry, JSON_ROOT, "last_updated")) == change->now_ms)
		return;
	change_keep(change, &(struct overwritten){
				    .reason = REASON_ADDED, .category = category, .key = key});
}

/* What an entry says, in one layout: its value alone, or all but the time of its last change. */
static void change_say(struct str *out, const struct json *doc, uint32_t node, bool value_only)
{
	uint32_t value = json_member(doc, node, "value");
	struct json_writer w = json_writer_to(out, &json_compact);

	if (value_only || json_type(doc, node) != JSON_OBJECT) {
		json_write_value(&w, doc, value_only && value != JSON_NONE ? value : node);
		return;
	}
	json_write_object(&w);
	for (uint32_t n = json_first(doc, node); n != JSON_NONE; n = json_next(doc, n)) {
		STR_AUTO scratch = STR_INIT;
		struct slice name = json_name(doc, n, &scratch);

		if (slice_is(name, "last_updated"))
			continue;
		json_write_name(&w, name);
		json_write_value(&w, doc, n);
	}
	json_write_end(&w);
}

static bool change_says_same(const struct entry *old, const struct json *entry, bool value_only)
{
	STR_AUTO before = STR_INIT;
	STR_AUTO after = STR_INIT;

	change_say(&before, old->doc, old->node, value_only);
	change_say(&after, entry, JSON_ROOT, value_only);
	return slice_equal(str_slice(&before), str_slice(&after));
}

bool change_is_rehearsal(const struct change *change)
{
	return change->rehearsal;
}

struct store *change_store(const struct change *change)
{
	return change->store;
}

int64_t change_now_ms(const struct change *change)
{
	return change->now_ms;
}

static int change_check_file(const struct change *change, enum store_file number, struct err *err)
{
	const struct loaded *file = &change->store->files[number];

	if (!file->broken)
		return 0;
	*err = file->error;
	return -1;
}

int change_check_category(const struct change *change, enum category category, struct err *err)
{
	return change_check_file(change, (enum store_file)category, err);
}

int change_check_archive(const struct change *change, struct err *err)
{
	return change_check_file(change, STORE_FILE_ARCHIVE, err);
}

static struct slice change_touch(struct change *change, enum category category, struct slice key)
{
	STR_AUTO text = STR_INIT;

	ref_add(&text, category, key);
	struct slice ref = arena_copy(&change->arena, str_slice(&text));
	map_put(&change->touched, ref, 0);
	return ref;
}

int change_put(struct change *change, enum category category, struct slice key,
	       struct slice entry_text, struct err *err)
{
	const struct item *old = store_find_spelt(change->store, category, key);
	size_t old_size = old ? entry_stored_size(&old->entry) : change->removed_size;
	struct op op = {.kind = OP_PUT, .category = category};
	JSON_AUTO entry = {0};

	/* A set over what a person had made too large can be taken back. */
	if (change_check_category(change, category, err) != 0 ||
	    admit_entry(&entry, key, entry_text, old_size,
			change->takes_back && old ? NULL : &change->store->settings, err) != 0)
		return -1;
	op.key = arena_copy(&change->arena, key);
	op.text = arena_copy(&change->arena, entry_text);
	op.before = old ? hash64(old->entry.text) : 0;
	if (!old)
		change_note_added(change, category, op.key, &entry);
	/* What the change records anyway, or changes in nothing but the time, needs no copy. */
	else if (!map_get(&change->sheltered, old->ref, NULL) &&
		 !change_says_same(&old->entry, &entry, false))
		change_keep(change, &(struct overwritten){.item = old, .reason = REASON_REPLACED});
	change_add_op(change, &op);
	change->added[category] += old ? 0 : 1;
	struct slice ref = change_touch(change, category, key);
	if (!old && !change->takes_back)
		links_end_supersession(change, ref);
	/* An entry that others changed stays theirs while its value stays the same. */
	if (old && store_is_of_others(change->store, &old->entry) &&
	    change_says_same(&old->entry, &entry, true))
		map_put(&change->others, arena_copy(&change->arena, old->ref), 0);
	return 0;
}

int change_remove(struct change *change, const struct item *item, struct err *err)
{
	size_t size = entry_stored_size(&item->entry);
	struct op op = {
		.kind = OP_REMOVE,
		.category = item->entry.category,
		.key = item->entry.key,
		.before = hash64(item->entry.text),
	};

	if (change_check_category(change, item->entry.category, err) != 0)
		return -1;
	change_add_op(change, &op);
	change->removed[item->entry.category]++;
	if (size > change->removed_size)
		change->removed_size = size;
	change_touch(change, item->entry.category, item->entry.key);
	return 0;
}

int change_move_out(struct change *change, const struct item *item, enum reason reason, bool cold,
		    struct err *err)
{
	if (change_check_category(change, item->entry.category, err) != 0 ||
	    (!cold && change_check_archive(change, err) != 0))
		return -1;
	change_add_record_of(change, item, reason, cold ? SHELTER_COLD : SHELTER_ARCHIVE);
	return change_remove(change, item, err);
}

int change_archive(struct change *change, const struct item *item, enum reason reason,
		   struct err *err)
{
	return change_move_out(change, item, reason, false, err);
}

int change_archive_copy(struct change *change, const struct item *item, enum reason reason,
			struct err *err)
{
	if (change_check_archive(change, err) != 0)
		return -1;
	change->archived = change_add_record_of(change, item, reason, SHELTER_ARCHIVE);
	return 0;
}

int change_check_pin(struct change *change, enum category category, const struct item *replaced,
		     struct slice entry_text, struct err *err)
{
	const struct store *store = change->store;
	int64_t most = retention_pin_limit(store->settings.entries_per_category);
	int64_t most_bytes = retention_pin_limit(store->settings.total_bytes);
	int64_t bytes = (int64_t)entry_text.len;
	int64_t count = 1;

	for (size_t i = 0; i < store->item_count; i++) {
		const struct item *item = &store->items[i];

		if (!item->entry.pinned || item == replaced)
			continue;
		bytes += (int64_t)item->entry.text.len;
		count += item->entry.category == category;
	}
	if (count > most)
		return err_set(err, ERR_STORE_FULL,
			       "pinned: %" PRId64 " entries of %s would be pinned; at most %" PRId64
			       ", half of limits.entries_per_category, may be: unpin one first",
			       count, category_name(category), most);
	if (bytes > most_bytes)
		return err_set(err, ERR_STORE_FULL,
			       "pinned: %" PRId64 " bytes would be pinned; at most %" PRId64
			       ", half of limits.total_bytes, may be: unpin something first",
			       bytes, most_bytes);
	return 0;
}

/* Room for a number and the ending. */
#define STEM_MAX (NOTE_NAME_MAX - 10)

static int change_check_stem(struct slice stem, struct err *err)
{
	STR_AUTO scratch = STR_INIT;

	if (blank_trim(stem).len > 0 && stem.len <= STEM_MAX && stem.ptr[0] != '.' &&
	    !memchr(stem.ptr, '/', stem.len) && !memchr(stem.ptr, '\0', stem.len) &&
	    utf8_valid_prefix(stem) == stem.len)
		return 0;
	return err_set(
		err, ERR_BAD_VALUE,
		"\"%s\" cannot name a note: use 1 to %d bytes, without \"/\" and without a dot "
		"at the beginning",
		shown(&scratch, stem), STEM_MAX);
}

/* True if an operation of this very change makes a note of this name. */
static bool change_is_promised(const struct change *change, struct slice name)
{
	for (size_t i = 0; i < change->op_count; i++) {
		if (change->ops[i].kind == OP_NOTE_ADD && slice_equal(change->ops[i].key, name))
			return true;
	}
	return false;
}

static int change_find_name(struct change *change, struct slice stem, struct str *name,
			    struct err *err)
{
	bool taken = true;

	for (int n = 1; taken; n++) {
		if (n > NOTE_NUMBERS_MAX)
			return err_set(err, ERR_EXISTS, "the notes %.*s.md to %s all exist",
				       (int)stem.len, stem.ptr, name->ptr);
		str_clear(name);
		note_file_name(name, stem, n);
		if (note_file_exists(&change->store->disk, str_slice(name), &taken, err) != 0)
			return -1;
		taken = taken || change_is_promised(change, str_slice(name));
	}
	return 0;
}

int change_note(struct change *change, enum category category, struct slice stem, struct slice text,
		struct slice *file, struct err *err)
{
	struct op op = {.kind = OP_NOTE_ADD, .category = category};
	STR_AUTO name = STR_INIT;

	if (change_check_stem(stem, err) != 0)
		return -1;
	if (text.len > NOTES_BYTES_MAX)
		return err_set(err, ERR_TOO_LARGE,
			       "the note would have %zu bytes; the limit is %zu", text.len,
			       NOTES_BYTES_MAX);
	if (change_find_name(change, stem, &name, err) != 0)
		return -1;
	op.key = arena_copy(&change->arena, str_slice(&name));
	op.text = arena_copy(&change->arena, text);
	change_add_op(change, &op);
	*file = op.key;
	return 0;
}

bool change_note_text(struct change *change, struct slice file, struct str *out)
{
	return note_file_read(&change->store->disk, file, out);
}

int change_note_again(struct change *change, enum category category, struct slice file,
		      struct slice old, struct slice text, bool *stays, struct err *err)
{
	struct op op = {.kind = OP_NOTE_REMOVE, .category = category};

	if (text.len > NOTES_BYTES_MAX)
		return err_set(err, ERR_TOO_LARGE,
			       "the note would have %zu bytes; the limit is %zu", text.len,
			       NOTES_BYTES_MAX);
	*stays = !note_file_has_text(&change->store->disk, file, old);
	if (*stays || slice_equal(old, text))
		return 0;
	op.key = arena_copy(&change->arena, file);
	op.text = arena_copy(&change->arena, old);
	change_add_op(change, &op);
	op.kind = OP_NOTE_ADD;
	op.text = arena_copy(&change->arena, text);
	change_add_op(change, &op);
	return 0;
}
