#include "store/txn/group.h"

#include "base/mem.h"
#include "store/files/change_observer.h"
#include "store/files/resolve.h"
#include "store/files/reviewed.h"
#include "store/history/history.h"
#include "store/swap/displaced.h"
#include "store/swap/member_update.h"
#include "store/txn/change_ops_internal.h"
#include "store/view/loader.h"

#include <errno.h>
#include <stdlib.h>

/* So many change the files at once, and as many bytes of the texts that they make. */
#define GROUP_CHANGES 64
#define GROUP_BYTES ((size_t)3 << 19)

/* One of the changes. */
struct group_part {
	const struct op *ops;
	size_t count;
	const struct change_meta *meta;
	int64_t at_ms;
	enum store_file file;
	struct str text; /* of the file behind it; made anew where the file is another by now */
};

struct group {
	bool admits;
	bool unrecorded; /* the last that waited: the history does not work, so none waits for it */
	struct change *changes[GROUP_CHANGES]; /* that wait */
	struct group_part parts[GROUP_CHANGES];
	size_t count;
	size_t bytes;
	struct str bases[CATEGORY_COUNT]; /* the files as they are on the disk */
	uint64_t joined;
	uint64_t failed_from;
	uint64_t failed_to;
	struct err failure;
};

void group_admit(struct store *store, bool admit)
{
	if (!store->group && admit) {
		store->group = mem_zalloc(1, sizeof *store->group);
		for (int c = 0; c < CATEGORY_COUNT; c++)
			str_init(&store->group->bases[c]);
	}
	if (store->group)
		store->group->admits = admit;
}

size_t group_waits(const struct store *store)
{
	return store->group ? store->group->count : 0;
}

uint64_t group_joined(const struct store *store)
{
	return store->group ? store->group->joined : 0;
}

bool group_failed(const struct store *store, uint64_t *from, uint64_t *to, struct err *err)
{
	const struct group *group = store->group;

	if (!group || group->failed_to == 0)
		return false;
	*from = group->failed_from;
	*to = group->failed_to;
	*err = group->failure;
	return true;
}

void group_clear(struct store *store)
{
	struct group *group = store->group;

	for (size_t i = 0; i < group->count; i++) {
		change_free(group->changes[i]);
		str_release(&group->parts[i].text);
	}
	for (int c = 0; c < CATEGORY_COUNT; c++)
		str_clear(&group->bases[c]);
	group->count = 0;
	group->bytes = 0;
}

void group_free(struct store *store)
{
	if (!store->group)
		return;
	group_clear(store);
	for (int c = 0; c < CATEGORY_COUNT; c++)
		str_release(&store->group->bases[c]);
	free(store->group);
	store->group = NULL;
}

bool group_puts(const struct store *store, enum category category, struct slice key)
{
	const struct group *group = store->group;

	for (size_t i = 0; group && i < group->count; i++) {
		const struct group_part *part = &group->parts[i];

		for (size_t n = 0; n < part->count; n++) {
			if (part->ops[n].kind == OP_PUT && part->ops[n].category == category &&
			    slice_equal(part->ops[n].key, key))
				return true;
		}
	}
	return false;
}

/*
 * Is all that the change does in one category file that is sound? Where no history has what gives
 * way, copies of it go to the cold archive first: a kill must not leave those of values that never
 * were in a file.
 */
static bool group_can_take(const struct change *change, size_t count)
{
	const struct store *store = change->store;
	const struct loaded *file;

	if (!change->locked || change->revives || change->takes_back || change->others.count > 0 ||
	    count == 0 || !history_is_on(store))
		return false;
	for (int f = 0; f < STORE_FILE_COUNT; f++) {
		if (change->layouts[f].text.ptr)
			return false;
	}
	for (size_t i = 0; i < count; i++) {
		if (change->ops[i].kind != OP_PUT ||
		    change->ops[i].category != change->ops[0].category)
			return false;
	}
	file = &store->files[change->ops[0].category];
	return loader_document(file) && !file->broken && file->id.present && file->raw.len == 0;
}

/* Makes the text of the file, and the document of that; false where that is not plain sailing. */
static bool group_build(const struct change *change, size_t count, struct str *text,
			struct json *doc)
{
	enum category category = change->ops[0].category;
	struct json_bounds bounds = path_bounds(store_file_name((enum store_file)category));
	struct build build = {
		.file = (enum store_file)category,
		.ops = change->ops,
		.count = count,
		.now_ms = change->now_ms,
	};
	STR_AUTO aside = STR_INIT;
	struct json_fault fault;
	struct err ignored;

	return build_ops(&build, loader_document(&change->store->files[category]), text, &aside,
			 &ignored) == 0 &&
	       aside.len == 0 && json_parse(doc, str_slice(text), &bounds, &fault) == 0;
}

static const char *group_own_text(struct change *change, const char *text)
{
	return text ? arena_copy(&change->arena, slice_of(text)).ptr : NULL;
}

/* The change outlives the request, and the view that it was made of. */
static void group_own(struct change *change)
{
	struct change_meta *meta = &change->meta;

	meta->tool = group_own_text(change, meta->tool);
	meta->client = group_own_text(change, meta->client);
	meta->client_version = group_own_text(change, meta->client_version);
	meta->session = group_own_text(change, meta->session);
	meta->undoes = group_own_text(change, meta->undoes);
	for (size_t i = 0; i < change->op_count; i++) {
		change->ops[i].key = arena_copy(&change->arena, change->ops[i].key);
		change->ops[i].text = arena_copy(&change->arena, change->ops[i].text);
	}
}

bool group_take(struct change *change, size_t count)
{
	struct store *store = change->store;
	struct group *group = store->group;
	enum category category;
	struct str text = STR_INIT;
	struct json doc = {0};
	struct str *base;

	if (!group || !group->admits || group->unrecorded || group->count == GROUP_CHANGES ||
	    group->bytes >= GROUP_BYTES || !group_can_take(change, count))
		return false;
	if (!group_build(change, count, &text, &doc)) {
		json_release(&doc);
		str_release(&text);
		return false;
	}
	group_own(change);
	category = change->ops[0].category;
	base = &group->bases[category];
	if (base->len == 0)
		str_add(base, str_slice(&store->files[category].text));
	group->parts[group->count] = (struct group_part){
		.ops = change->ops,
		.count = count,
		.meta = &change->meta,
		.at_ms = change->now_ms,
		.file = (enum store_file)category,
		.text = STR_INIT,
	};
	str_add(&group->parts[group->count].text, str_slice(&text));
	group->changes[group->count++] = change;
	group->bytes += text.len;
	group->joined++;
	change->waits = true;
	snapshot_foresee(store, category, &text, &doc);
	return true;
}

/* ---- making them durable */

/* The changes on their way into the files. */
struct group_work {
	struct disk *disk;
	struct group_part *parts;
	size_t count;
	struct str *bases;
	bool told;  /* to the witness */
	bool stale; /* a text is another since */
};

/* One file of theirs. */
struct group_file {
	struct group_work *all;
	enum store_file file;
};

/* The part's text, made of the document; what its operations did not expect goes aside. */
static int group_make(struct group_part *part, const struct json *doc, struct str *aside,
		      struct err *err)
{
	struct build build = {
		.file = part->file,
		.ops = part->ops,
		.count = part->count,
		.now_ms = part->at_ms,
	};
	STR_AUTO own = STR_INIT;

	str_clear(&part->text);
	if (build_ops(&build, doc, &part->text, &own, err) != 0)
		return -1;
	str_add(aside, str_slice(&own));
	return 0;
}

/* Makes the texts of all parts of the file anew, from one that is not the one they were made of. */
static int group_make_anew(struct group_file *file, const struct json *fresh, struct str *aside,
			   struct err *err)
{
	struct group_work *all = file->all;
	const struct json *doc = fresh;
	struct json_fault fault;
	struct json made = {0};
	int result = 0;

	all->stale = true;
	str_clear(&all->bases[file->file]);
	str_add(&all->bases[file->file], fresh->text);
	for (size_t i = 0; result == 0 && i < all->count; i++) {
		struct group_part *part = &all->parts[i];

		if (part->file != file->file)
			continue;
		result = group_make(part, doc, aside, err);
		json_release(&made);
		made = (struct json){0};
		if (result == 0 &&
		    json_parse(&made, str_slice(&part->text), &json_file_bounds, &fault) != 0)
			result = err_set(err, ERR_TOO_LARGE, "the new text would not be readable");
		doc = &made;
	}
	json_release(&made);
	return result;
}

static int group_give(void *context, const struct json *doc, struct str *out, struct str *aside,
		      struct err *err)
{
	struct group_file *file = context;
	struct group_work *all = file->all;

	if (!slice_equal(doc->text, str_slice(&all->bases[file->file])) &&
	    group_make_anew(file, doc, aside, err) != 0)
		return -1;
	for (size_t i = all->count; i-- > 0;) {
		if (all->parts[i].file == file->file) {
			str_add(out, str_slice(&all->parts[i].text));
			break;
		}
	}
	return 0;
}

/* All of them in their order, whichever file is exchanged first: so they become commits. */
static void group_tell(void *context, const struct witness *witness)
{
	struct group_file *file = context;
	struct group_work *all = file->all;
	struct slice before[CATEGORY_COUNT];

	if (all->told && !all->stale)
		return;
	if (all->told)
		witness->withdrawn(witness->context, store_file_name(file->file));
	for (int c = 0; c < CATEGORY_COUNT; c++)
		before[c] = str_slice(&all->bases[c]);
	witness->group(witness->context, all->count);
	for (size_t i = 0; i < all->count; i++) {
		const struct group_part *part = &all->parts[i];

		witness->change(witness->context, part->meta, part->ops, part->count, part->at_ms,
				i > 0);
		witness->text(witness->context, store_file_name(part->file), before[part->file],
			      str_slice(&part->text));
		before[part->file] = str_slice(&part->text);
	}
	all->told = true;
	all->stale = false;
}

static bool group_touches(const struct group_work *all, enum store_file file)
{
	for (size_t i = 0; i < all->count; i++) {
		if (all->parts[i].file == file)
			return true;
	}
	return false;
}

/* Their names become durable all at once, before anybody hears of them. */
static int group_exchange(struct group_work *all, bool *changed, struct err *err)
{
	struct disk *disk = all->disk;
	int result = 0;

	disk->sync_later = true;
	for (int c = 0; result == 0 && c < CATEGORY_COUNT; c++) {
		struct group_file file = {all, (enum store_file)c};
		struct rewrite rewrite = {
			.build = group_give, .tell = group_tell, .context = &file};
		bool written = false;

		if (!group_touches(all, file.file))
			continue;
		result = replace_file(disk, file.file, &rewrite, all->parts[all->count - 1].at_ms,
				      &written, err);
		*changed = *changed || written || result == 0;
	}
	disk->sync_later = false;
	if (result == 0 && file_fsync(disk->sys, disk->dirfd) != 0)
		result = err_set_errno(err, ERR_IO, errno, "cannot make %s durable", disk->path);
	return result;
}

/*
 * Makes all of them durable: each file is exchanged once, for all. The bases are the texts of the
 * files from which the first of each was made. -1 with *changed true: some of them may be made, the
 * files must be read again.
 */
static int group_put(struct disk *disk, struct group_part *parts, size_t count,
		     struct str bases[CATEGORY_COUNT], bool *changed, struct err *err)
{
	struct group_work all = {.disk = disk, .parts = parts, .count = count, .bases = bases};
	const struct witness *witness = disk->witness;

	*changed = false;
	for (size_t i = 0; i < count; i++)
		reviewed_note(disk, parts[i].ops, parts[i].count);
	if (group_exchange(&all, changed, err) == 0) {
		if (witness)
			witness->made(witness->context);
		return 0;
	}
	if (all.told && !*changed)
		witness->withdrawn(witness->context, store_file_name(parts[0].file));
	return *changed ? err_prefix(err, "the change may be made; the outcome is not certain, "
					  "look before you repeat it")
			: -1;
}

/* What waits is answered with this error. */
static void group_fail(struct group *group, const struct err *why)
{
	group->failed_from = group->joined - group->count;
	group->failed_to = group->joined;
	group->failure = *why;
}

/* True if the text that was put in place of the file is the one foreseen: nothing is read again. */
static bool group_came_true(struct store *store, enum store_file which)
{
	struct write_through *written = &store->disk.written[which];
	struct loaded *file = &store->files[which];
	struct file_id id;
	struct err ignored;

	if (!written->known || !slice_equal(str_slice(&written->text), str_slice(&file->text)) ||
	    disk_look(&store->disk, which, &id, &ignored) != 0 || id.ino != written->ino ||
	    (size_t)id.size != written->text.len)
		return false;
	write_through_forget(written);
	file->id = id;
	return true;
}

int group_apply(struct store *store, bool *touched, struct err *err)
{
	struct group *group = store->group;
	bool changed;
	int result = group_put(&store->disk, group->parts, group->count, group->bases, &changed,
			       err);

	for (int c = 0; c < CATEGORY_COUNT; c++) {
		if (group->bases[c].len == 0)
			continue;
		if (result != 0) {
			loader_forget(&store->files[c]);
			disk_look_again(&store->disk, (enum store_file)c);
		}
		touched[c] = result != 0 || !group_came_true(store, (enum store_file)c);
	}
	if (result != 0)
		group_fail(group, err);
	return result;
}

void group_recorded(struct store *store, bool recorded)
{
	struct group *group = store->group;
	struct err why;

	if (!group)
		return;
	group->unrecorded = !recorded;
	if (recorded || group->count == 0)
		return;
	err_set(&why, ERR_NO_HISTORY,
		"the change is made, so do not repeat it; it is not in the history yet, and will "
		"be "
		"recorded when the history works again");
	group_fail(group, &why);
}

void group_add_spare(const struct store *store, struct str *lines)
{
	const struct group *group = store->group;

	for (size_t i = 0; i < group->count; i++) {
		const struct change *change = group->changes[i];

		for (size_t n = group->parts[i].count; n < change->op_count; n++) {
			str_add(lines, change->ops[n].text);
			str_addc(lines, '\n');
		}
	}
}
