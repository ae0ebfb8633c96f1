#include "store/purge/purge.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "git/write/rewrite.h"
#include "json/write.h"
#include "store/files/dir.h"
#include "store/files/dir_lock.h"
#include "store/files/note_folder.h"
#include "store/files/resolve.h"
#include "store/history/history.h"
#include "store/history/pending.h"
#include "store/log/journal.h"
#include "store/log/usage.h"
#include "store/purge/purge_internal.h"
#include "store/txn/refresh.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- `.purge` says what was begun, until it is done */

#define MARK_NAME ".purge"
#define MARK_MAX ((size_t)1 << 20)

static void purge_mark_add_earlier(struct purge_set *set, const struct json *doc, uint32_t node)
{
	uint32_t until = json_member(doc, node, "until");
	uint32_t recorded = json_member(doc, node, "recorded");
	STR_AUTO scratch = STR_INIT;
	struct purge_key *key;

	if (json_member(doc, node, "ref") == JSON_NONE)
		return;
	struct ref ref = ref_parse(json_string(doc, json_member(doc, node, "ref"), &scratch));
	if (ref.category == CATEGORY_ANY || ref.key.len == 0)
		return;
	key = &set->keys[purge_set_add(set, (enum category)ref.category, ref.key)];
	if (until != JSON_NONE)
		json_int(doc, until, &key->until_ms);
	if (recorded != JSON_NONE)
		json_bool(doc, recorded, &key->recorded);
}

static bool purge_mark_begin_set(struct purge_set *out, struct slice text)
{
	struct ref ref = ref_parse(text);
	struct purge_key wanted;

	if (ref.category == CATEGORY_ANY || ref.key.len == 0)
		return false;
	purge_key_init(&wanted, (enum category)ref.category, ref.key);
	purge_set_init(out, &wanted);
	purge_key_release(&wanted);
	return true;
}

/* A mark of before is the ref alone. */
static bool purge_mark_read_mark(struct purge_set *out, struct slice text)
{
	STR_AUTO scratch = STR_INIT;
	struct json_fault fault;
	JSON_AUTO doc = {0};

	if (json_parse(&doc, text, &json_file_bounds, &fault) != 0)
		return purge_mark_begin_set(out, text);
	uint32_t ref = json_member(&doc, JSON_ROOT, "ref");
	uint32_t earlier = json_member(&doc, JSON_ROOT, "earlier");
	bool found = ref != JSON_NONE &&
		     purge_mark_begin_set(out, json_string(&doc, ref, &scratch));
	for (uint32_t n = found && earlier != JSON_NONE ? json_first(&doc, earlier) : JSON_NONE;
	     n != JSON_NONE; n = json_next(&doc, n))
		purge_mark_add_earlier(out, &doc, n);
	return found;
}

/* Fills an empty set with what was begun; *found is false, and the set empty, when nothing was. */
static int purge_mark_read(struct disk *disk, struct purge_set *out, bool *found, struct err *err)
{
	STR_AUTO text = STR_INIT;
	struct file_id id;

	*found = false;
	if (file_read_own(disk->sys, disk->dirfd, MARK_NAME, MARK_MAX, &text, &id, err) != 0)
		return err_prefix(err, "%s/" MARK_NAME, disk->path);
	if (text.len > 0 && text.ptr[text.len - 1] == '\n')
		str_truncate(&text, text.len - 1);
	*found = purge_mark_read_mark(out, str_slice(&text));
	return 0;
}

static int purge_mark_write(struct purging *purging, struct err *err)
{
	const struct purge_set *set = purging->set;
	STR_AUTO text = STR_INIT;
	struct json_writer w = json_writer_to(&text, &json_compact);

	json_write_object(&w);
	json_write_member_string(&w, "ref", str_slice(&set->keys[0].ref));
	json_write_name(&w, slice_of("earlier"));
	json_write_array(&w);
	for (size_t i = 1; i < set->count; i++) {
		json_write_object(&w);
		json_write_member_string(&w, "ref", str_slice(&set->keys[i].ref));
		json_write_member_int(&w, "until", set->keys[i].until_ms);
		json_write_member_bool(&w, "recorded", set->keys[i].recorded);
		json_write_end(&w);
	}
	json_write_end(&w);
	json_write_end(&w);
	str_addc(&text, '\n');
	return purge_replace(purging, purging->disk->dirfd, "", MARK_NAME, str_slice(&text), err);
}

static int purge_mark_remove(struct purging *purging, struct err *err)
{
	struct disk *disk = purging->disk;

	if ((disk->sys->unlinkat(disk->dirfd, MARK_NAME, 0) != 0 && errno != ENOENT) ||
	    file_fsync(disk->sys, disk->dirfd) != 0)
		return err_set_errno(err, ERR_IO, errno, "cannot remove %s/" MARK_NAME, disk->path);
	return 0;
}

/* ---- which entry is meant */

/* Among the entries, active and archived. */
static int purge_find_look_at_store(struct store *store, struct slice key,
				    bool found[CATEGORY_COUNT], struct err *err)
{
	const struct archived *all;
	size_t count;

	if (store_archive_all(store, &all, &count, err) != 0)
		return -1;
	for (int c = 0; c < CATEGORY_COUNT; c++) {
		struct purge_key one;

		found[c] = store_find(store, c, key) != NULL;
		purge_key_init(&one, (enum category)c, key);
		for (size_t i = 0; i < count && !found[c]; i++)
			found[c] = purge_key_has_ref(&one, all[i].ref);
		purge_key_release(&one);
	}
	return 0;
}

static int purge_find_look_at_mark(struct store *store, struct slice key,
				   bool found[CATEGORY_COUNT], struct err *err)
{
	struct purge_set begun;
	bool any;

	if (purge_mark_read(store_disk(store), &begun, &any, err) != 0)
		return -1;
	if (any) {
		found[begun.keys[0].category] = purge_key_is(&begun.keys[0], key);
		purge_set_release(&begun);
	}
	return 0;
}

static size_t purge_find_count_choices(const bool found[CATEGORY_COUNT], struct purge_choices *out)
{
	out->count = 0;
	for (int c = 0; c < CATEGORY_COUNT; c++) {
		if (found[c])
			out->categories[out->count++] = (enum category)c;
	}
	return out->count;
}

static int purge_find_refuse_several(const struct purge_choices *choices, struct slice key,
				     struct err *err)
{
	STR_AUTO refs = STR_INIT;

	for (size_t i = 0; i < choices->count; i++) {
		STR_AUTO ref = STR_INIT;
		STR_AUTO scratch = STR_INIT;

		ref_add(&ref, choices->categories[i], key);
		str_adds(&refs, i == 0 ? "" : i + 1 < choices->count ? ", " : " or ");
		str_adds(&refs, shown(&scratch, str_slice(&ref)));
	}
	return err_set(err, ERR_BAD_VALUE,
		       "this key exists in %zu categories: say which one to purge, %s",
		       choices->count, refs.ptr);
}

static int purge_find_find_category(struct store *store, struct ref *ref,
				    struct purge_choices *choices, struct err *err)
{
	bool found[CATEGORY_COUNT];

	if (purge_find_look_at_store(store, ref->key, found, err) != 0 ||
	    (purge_find_count_choices(found, choices) == 0 &&
	     purge_find_look_at_mark(store, ref->key, found, err) != 0) ||
	    (purge_find_count_choices(found, choices) == 0 &&
	     purge_history_knows(store, ref->key, found, err) != 0))
		return -1;
	purge_find_count_choices(found, choices);
	if (choices->count > 1)
		return purge_find_refuse_several(choices, ref->key, err);
	if (choices->count == 0)
		return err_set(err, ERR_NOT_FOUND,
			       "no such key is stored, archived or in the history; category:key "
			       "purges what is left of one anyway");
	ref->category = (int)choices->categories[0];
	return 0;
}

int purge_find(struct purge_key *out, struct store *store, struct slice key, int64_t now_ms,
	       struct purge_choices *choices, struct err *err)
{
	struct ref ref = ref_parse(key);

	choices->count = 0;
	if (ref.key.len == 0)
		return err_set(err, ERR_BLANK_ARGUMENT, "KEY: give a key, or category:key");
	if (!disk_exists(store_disk(store)))
		return err_set(err, ERR_NOT_FOUND, "there is no store at %s",
			       store_disk(store)->path);
	if (store_refresh(store, now_ms, err) != 0 ||
	    (ref.category == CATEGORY_ANY &&
	     purge_find_find_category(store, &ref, choices, err) != 0))
		return -1;
	purge_key_init(out, (enum category)ref.category, ref.key);
	const struct item *item = store_find(store, CATEGORY_ANY, ref.key);
	out->bare = !item || (int)item->entry.category == ref.category;
	return 0;
}

/* ---- what else has a value of the entry */

/* Of files that are looked into, their folders, and their size. */
#define FILES_MAX 5000
#define DEPTH_MAX 8
#define BYTES_MAX ((size_t)64 << 20)

/* A word so short is in every text. */
#define MENTION_MIN 3

struct look {
	int folder;
	const char *path; /* below the store, with a slash at the end; "" for the store itself */
	int depth;
	size_t *files;
	bool values_only; /* mentions say nothing here */
};

static bool purge_copies_has_value(struct purging *purging, struct slice text)
{
	return needles_in(&purging->set->values, text);
}

static void purge_copies_name_part(struct purging *purging, enum category category,
				   struct slice key)
{
	STR_AUTO ref = STR_INIT;
	STR_AUTO scratch = STR_INIT;

	ref_add(&ref, category, key);
	purge_unreached(purging, "%s has a value of it: purge that as well, if it is meant",
			shown(&scratch, str_slice(&ref)));
}

/* Entries are the members of an object, records the elements of a list, with their key inside. */
static void purge_copies_look_at_parts(struct purging *purging, enum category category,
				       const struct json *doc, uint32_t container)
{
	for (uint32_t n = json_first(doc, container); n != JSON_NONE; n = json_next(doc, n)) {
		STR_AUTO scratch = STR_INIT;
		struct slice name = slice_of("?");
		uint32_t key = json_member(doc, n, "key");

		if (!purge_copies_has_value(purging, json_text(doc, n)))
			continue;
		if (container == JSON_ROOT)
			name = json_name(doc, n, &scratch);
		else if (key != JSON_NONE)
			name = json_string(doc, key, &scratch);
		purge_copies_name_part(purging, category, name);
	}
}

static int purge_copies_look_at_file(struct purging *purging, enum store_file file, struct err *err)
{
	STR_AUTO text = STR_INIT;
	struct file_id id;
	JSON_AUTO doc = {0};

	if (disk_read(purging->disk, store_file_name(file), &text, &id, err) != 0)
		return -1;
	if (!purge_copies_has_value(purging, str_slice(&text)))
		return 0;
	if (file == STORE_FILE_RELATIONS) {
		purge_unreached(purging, "%s/%s has a value of it", purging->disk->path,
				store_file_name(file));
		return 0;
	}
	if (disk_read_json(purging->disk, store_file_name(file), &text, &doc, &id, err) != 0) {
		/* Of another category: what is broken there does not stop a purge. */
		purge_unreached(purging, "%s", err->text);
		return 0;
	}
	for (int c = 0; c < CATEGORY_COUNT; c++) {
		uint32_t list = json_member(&doc, JSON_ROOT, category_name((enum category)c));

		if (c == (int)file)
			purge_copies_look_at_parts(purging, (enum category)c, &doc, JSON_ROOT);
		else if (file == STORE_FILE_ARCHIVE && list != JSON_NONE)
			purge_copies_look_at_parts(purging, (enum category)c, &doc, list);
	}
	return 0;
}

static bool purge_copies_is_own_file(const struct look *look, const char *name)
{
	static const char *const names[] = {".lock",         ".lock.queue",   ".pending", ".purge",
					    "metadata.json", USAGE_FILE_NAME, NULL};

	return !look->path[0] && (store_file_find(slice_of(name)) < STORE_FILE_COUNT ||
				  slice_index(slice_of(name), names) >= 0);
}

/* What is kept beside a file of ours has been dealt with: it may mention what others say. */
static bool purge_copies_is_sibling(const struct look *look, const char *name)
{
	for (int f = 0; f < STORE_FILE_COUNT && !look->path[0] && name[0] == '.'; f++) {
		const char *file = store_file_name((enum store_file)f);

		if (strncmp(name + 1, file, strlen(file)) == 0)
			return true;
	}
	return false;
}

/* What a file holds of what is purged, in words; NULL where that is nothing. */
static const char *purge_copies_found(struct purging *purging, const struct look *look,
				      const char *name, const char *path, struct slice text)
{
	bool note = purge_is_note(path);
	bool mentioned = (note || (!look->values_only && !purge_copies_is_sibling(look, name) &&
				   purging->set->keys[0].identity.len >= MENTION_MIN)) &&
			 purge_set_mentions(purging->set, text);

	if (!(note && mentioned) && purge_copies_has_value(purging, text))
		return "has a value of it";
	return mentioned ? "mentions it" : NULL;
}

static void purge_copies_look_at_text(struct purging *purging, const struct look *look,
				      const char *name)
{
	STR_AUTO text = STR_INIT;
	STR_AUTO scratch = STR_INIT;
	STR_AUTO path = STR_INIT;
	struct file_id id;
	struct err why;

	str_printf(&path, "%s%s", look->path, name);
	shown(&scratch, str_slice(&path));
	if (file_read_own(purging->disk->sys, look->folder, name, BYTES_MAX, &text, &id, &why) !=
	    0) {
		if (why.code != ERR_BAD_DATA)
			purge_unreached(purging, "%s/%s is not looked into: %s",
					purging->disk->path, scratch.ptr, why.text);
		return;
	}
	const char *found = purge_copies_found(purging, look, name, path.ptr, str_slice(&text));
	if (found)
		purge_unreached(purging, "%s/%s %s", purging->disk->path, scratch.ptr, found);
}

static int purge_copies_look_into(struct purging *purging, const struct look *above,
				  const char *name, struct err *err);

static int purge_copies_look_at_name(struct purging *purging, void *context, const char *name,
				     struct err *err)
{
	const struct look *look = context;
	struct stat st;

	if (purge_copies_is_own_file(look, name) ||
	    purging->disk->sys->fstatat(look->folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return 0;
	if (S_ISDIR(st.st_mode))
		return purge_copies_look_into(purging, look, name, err);
	if (!S_ISREG(st.st_mode))
		return 0;
	if (++*look->files == FILES_MAX)
		purge_unreached(purging, "%s has too many files to look into all of them",
				purging->disk->path);
	if (*look->files < FILES_MAX)
		purge_copies_look_at_text(purging, look, name);
	return 0;
}

/* Objects are looked into as what they are, by purge_history.c. */
static int purge_copies_look_into(struct purging *purging, const struct look *above,
				  const char *name, struct err *err)
{
	STR_AUTO path = STR_INIT;
	struct look look = *above;

	str_printf(&path, "%s%s/", above->path, name);
	if (strcmp(path.ptr, ".git/objects/") == 0 || ++look.depth > DEPTH_MAX)
		return 0;
	look.path = path.ptr;
	look.values_only = above->values_only || strcmp(path.ptr, ".git/") == 0 ||
			   strcmp(path.ptr, COLD_FOLDER "/") == 0;
	look.folder = file_open(purging->disk->sys, above->folder, name,
				O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
	if (look.folder < 0)
		return 0;
	int result = purge_walk(purging, look.folder, purge_copies_look_at_name, &look, err);
	file_close(purging->disk->sys, &look.folder);
	return result;
}

/* Notes may be kept elsewhere. */
static int purge_copies_look_at_notes(struct purging *purging, struct err *err)
{
	struct disk *disk = purging->disk;
	STR_AUTO path = STR_INIT;
	size_t files = 0;
	struct look look = {.files = &files};

	if (!disk->notes_dir || strcmp(disk->notes_dir, NOTE_FOLDER) == 0)
		return 0;
	look.folder = note_folder_open(disk, disk->notes_dir, disk->notes_dir_free, false);
	if (look.folder < 0)
		return 0;
	str_printf(&path, "%s/", disk->notes_dir);
	look.path = path.ptr;
	int result = purge_walk(purging, look.folder, purge_copies_look_at_name, &look, err);
	file_close(disk->sys, &look.folder);
	return result;
}

/* Names what else has a value of it: other entries, files in the folder, the repository's own. */
static int purge_copies(struct purging *purging, struct err *err)
{
	size_t files = 0;
	struct look look = {.folder = purging->disk->dirfd, .path = "", .files = &files};

	for (int f = 0; f < STORE_FILE_COUNT; f++) {
		if (purge_copies_look_at_file(purging, (enum store_file)f, err) != 0)
			return -1;
	}
	if (purge_walk(purging, look.folder, purge_copies_look_at_name, &look, err) != 0)
		return -1;
	return purge_copies_look_at_notes(purging, err);
}

/* ---- the whole */

void purge_unreached(struct purging *purging, const char *format, ...)
{
	struct purge_report *report = purging->report;
	char text[ERR_TEXT_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	for (size_t i = 0; i < report->unreached_count; i++) {
		if (strcmp(report->unreached[i], text) == 0)
			return;
	}
	report->unreached = mem_grow(report->unreached, &report->unreached_cap,
				     report->unreached_count + 1, sizeof *report->unreached);
	report->unreached[report->unreached_count++] = mem_strdup(text);
}

void purge_report_release(struct purge_report *report)
{
	for (size_t i = 0; i < report->unreached_count; i++)
		free(report->unreached[i]);
	free(report->unreached);
	for (size_t i = 0; i < report->earlier_count; i++)
		free(report->earlier[i]);
	free(report->earlier);
	*report = (struct purge_report){0};
}

/* ---- the history */

static bool purge_is_held_for(const struct pending_line *line, const struct purge_key *wanted)
{
	for (size_t i = 0; i < line->ref_count; i++)
		if (!purge_key_has_ref(wanted, line->refs[i]))
			return false;
	return line->held;
}

/*
 * True if only changes of this entry wait, all for a secret that was written by hand. They would
 * wait until the secret is gone, which is what a purge is for.
 */
static bool purge_waits_for_its_secrets(struct disk *disk, const struct purge_key *wanted)
{
	PENDING_AUTO pending = {0};
	struct err ignored;

	if (pending_read(&pending, disk, &ignored) != 0)
		return false;
	bool all = pending.count > 0;
	for (size_t i = 0; i < pending.count; i++)
		all = all && purge_is_held_for(&pending.lines[i], wanted);
	return all;
}

/* Nothing else may wait to be recorded: what it names is about to go. */
static int purge_settle_history(struct purging *purging, const struct purge_key *wanted,
				struct err *err)
{
	struct store *store = purging->store;
	struct disk *disk = purging->disk;
	struct repo *repo = purge_own_repository(store);
	struct stat st;

	/* In a person's own repository, record what is pending; what cannot be becomes an edit. */
	if (!repo && history_is_on(store))
		history_record(store);
	/* One that this program made and that cannot be opened, for want of the library say. */
	if (!repo && disk->sys->fstatat(disk->dirfd, ".git/info/kota-memory", &st, 0) == 0)
		return history_repo(store, &repo, err);
	if (!repo)
		return errno == ENOENT || errno == ENOTDIR
			       ? 0
			       : err_set_errno(err, ERR_IO, errno,
					       "cannot tell whose history %s/.git is", disk->path);
	if (rewrite_check(repo, err) != 0)
		return err_prefix(err, "the history cannot be rewritten now");
	if (!history_is_on(store))
		return 0;
	history_record(store);
	if (!pending_any(disk) || purge_waits_for_its_secrets(disk, wanted))
		return 0;
	if (!store->history->why.text[0])
		return err_set(err, ERR_EXISTS,
			       "the change of another entry waits until a secret that was written "
			       "by hand is gone; kota doctor names it");
	*err = store->history->why;
	return err_prefix(err, "the last change is not in the history yet");
}

/* ---- what is not ours to change */

static void purge_look_around(struct purging *purging)
{
	struct disk *disk = purging->disk;
	STR_AUTO workdir = STR_INIT;
	struct file_id git;
	struct err ignored;
	struct err why;
	bool ignores;

	if (disk->origin.synced)
		purge_unreached(purging, "the remote of kota sync, until kota sync --push-all, and "
					 "other machines, until they sync then; forks, backups and "
					 "what a host keeps stay out of reach");
	if (file_identify(disk->sys, disk->dirfd, ".git", &git, &ignored) == 0 && git.present &&
	    !purge_own_repository(purging->store))
		purge_unreached(purging,
				"the repository %s/.git was not made by kota: its history is as "
				"it was",
				disk->path);
	if (repo_around(disk->sys, disk->path, &workdir, &ignores, &why) != 0)
		purge_unreached(purging,
				"a repository in which the store lies may have recorded it: %s",
				why.text);
	else if (workdir.len > 0 && !ignores)
		purge_unreached(purging,
				"the repository %s, in which the store lies, may have recorded it",
				workdir.ptr);
	purge_unreached(purging, "backups, clones and snapshots of the file system, and what "
				 "clients keep of their conversations");
}

/* ---- the whole */

/* They name refs, and have what was stored under them. */
static int purge_clear_pending(struct purging *purging, struct err *err)
{
	PENDING_AUTO pending = {0};
	int result = 0;

	if (pending_read(&pending, purging->disk, err) != 0)
		return -1;
	if (pending.count > 0)
		result = pending_clear(purging->disk, &pending, err);
	return result;
}

static int purge_all(struct purging *purging, struct err *err)
{
	purge_names_now(purging);
	purging->begun = true;
	if (purge_mark_write(purging, err) != 0 || purge_files(purging, err) != 0)
		return -1;
	if (purge_clear_pending(purging, err) != 0 || purge_history(purging, err) != 0 ||
	    purge_copies(purging, err) != 0)
		return -1;
	purge_look_around(purging);
	return purge_mark_remove(purging, err);
}

/* The set is known: the names that the entry had, and what must be readable for all of them. */
static int purge_one(struct purging *purging, struct purge_set *set, struct err *err)
{
	struct purge_report *report = purging->report;

	purging->set = set;
	purging->event_count = 0;
	if (purge_names_find(purging, err) != 0 || purge_check_files(purging, err) != 0)
		return -1;
	for (size_t i = 1; i < set->count; i++) {
		report->earlier = mem_grow(report->earlier, &report->earlier_cap,
					   report->earlier_count + 1, sizeof *report->earlier);
		report->earlier[report->earlier_count++] = mem_strdup(set->keys[i].ref.ptr);
	}
	return purge_all(purging, err);
}

/* One that was begun and not finished comes first. */
static int purge_in_order(struct purging *purging, const struct purge_key *wanted, struct err *err)
{
	struct purge_set set = {.values = NEEDLES_INIT};
	int result = 0;
	bool found;

	if (purge_mark_read(purging->disk, &set, &found, err) != 0)
		return -1;
	if (found) {
		bool same = purge_key_has_ref(wanted, str_slice(&set.keys[0].ref));

		set.keys[0].bare = same && wanted->bare;
		purging->begun = true;
		result = purge_one(purging, &set, err);
		purge_set_release(&set);
		if (result != 0 || same)
			return result;
	}
	purge_set_init(&set, wanted);
	result = purge_one(purging, &set, err);
	purge_set_release(&set);
	return result;
}

/* Before anything is done: no change waits, and the files that are known to be touched are fine. */
static int purge_check_before(struct purging *purging, const struct purge_key *wanted,
			      struct err *err)
{
	struct journal journal;
	struct purge_set set;
	bool found;

	if (journal_take(&journal, purging->disk, err) != 0)
		return -1;
	found = journal.found;
	journal_release(&journal);
	if (found)
		return err_set(err, ERR_BAD_DATA,
			       "an interrupted change waits until all files can be read: fix them "
			       "first, see kota doctor");
	purge_set_init(&set, wanted);
	purging->set = &set;
	int result = purge_check_files(purging, err);
	purging->set = NULL;
	purge_set_release(&set);
	return result;
}

static int purge_locked(struct purging *purging, const struct purge_key *wanted,
			struct change *change, struct err *err)
{
	const struct witness *witness = purging->disk->witness;

	if (purge_check_before(purging, wanted, err) != 0 ||
	    purge_settle_history(purging, wanted, err) != 0)
		return -1;
	/* A purge is not recorded: the history must not keep what it removes. */
	purging->disk->witness = NULL;
	int result = purge_in_order(purging, wanted, err);
	purging->disk->witness = witness;
	change_refresh(change);
	if (result != 0 && purging->begun)
		err_prefix(err, "the purge is not finished; the next one goes on");
	return result;
}

int purge_run(struct store *store, const struct purge_key *key, int64_t now_ms,
	      struct purge_report *report, struct err *err)
{
	struct change_meta meta = {.tool = "purge"};
	struct purging purging = {
		.store = store, .disk = store_disk(store), .report = report, .now_ms = now_ms};
	struct change *change;

	*report = (struct purge_report){0};
	if (change_begin(&change, store, &meta, now_ms, err) != 0)
		return -1;
	int result = purge_locked(&purging, key, change, err);
	free(purging.events);
	change_end(change);
	return result;
}
