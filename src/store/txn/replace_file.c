#include "store/txn/replace_file.h"

#include "base/mem.h"
#include "json/scan.h"
#include "store/files/dir_lock.h"
#include "store/files/resolve.h"
#include "store/history/history.h"
#include "store/swap/displaced.h"
#include "store/swap/exchange.h"
#include "store/swap/merge3.h"
#include "store/swap/whole_file.h"
#include "store/txn/change.h"

#include <stdlib.h>

#define SYNONYMS_NAME "synonyms.json"

const char *const replace_names[] = {"preferences", "connections", "patterns", "shortcuts", "state",
				     "archive",     "relations",   "config",   "synonyms",  NULL};

const char *replace_edited(struct slice name)
{
	for (size_t i = 0; replace_names[i]; i++) {
		if (!slice_is_word(name, replace_names[i]))
			continue;
		if (i < STORE_FILE_COUNT)
			return store_file_name((enum store_file)i);
		return strcmp(replace_names[i], "config") == 0 ? CONFIG_NAME : SYNONYMS_NAME;
	}
	return NULL;
}

static bool replace_is_settings(const char *file_name)
{
	return strcmp(file_name, CONFIG_NAME) == 0;
}

int replace_read(struct store *store, const char *file_name, struct str *text, struct err *err)
{
	struct file_id id;

	return disk_read(store_disk(store), file_name, text, &id, err);
}

static void replace_blame(struct json_fault *fault, const struct json *doc, uint32_t node,
			  const char *what)
{
	json_fault_set(fault, doc->text, doc->nodes[node].start, what);
}

static bool replace_check_settings(const struct json *doc, struct json_fault *fault)
{
	struct settings settings;
	uint32_t node = JSON_ROOT;
	struct err err;

	settings_init(&settings);
	if (settings_apply(&settings, doc, SETTINGS_STORE, &node, &err) == 0)
		return true;
	replace_blame(fault, doc, node, err.text);
	return false;
}

bool replace_check(const char *file_name, struct slice text, struct json_fault *fault)
{
	struct json_bounds bounds = path_bounds(file_name);
	JSON_AUTO doc = {0};

	if (json_parse(&doc, text, &bounds, fault) != 0)
		return false;
	bool fine = json_type(&doc, JSON_ROOT) == JSON_OBJECT;
	if (!fine)
		replace_blame(fault, &doc, JSON_ROOT, "the file must be an object, in { and }");
	else if (replace_is_settings(file_name))
		fine = replace_check_settings(&doc, fault);
	return fine;
}

/* ---- what is told of it */

static void replace_list_release(struct replace_list *list)
{
	free(list->items);
	*list = (struct replace_list){.items = NULL};
}

void replace_report_release(struct replace_report *report)
{
	replace_list_release(&report->changed);
	replace_list_release(&report->added);
	replace_list_release(&report->removed);
	replace_list_release(&report->merged);
	replace_list_release(&report->clashed);
	replace_list_release(&report->stayed);
	arena_release(&report->arena);
}

/* A text under way into a file with entries. */
struct revising {
	const struct revision *revision;
	enum store_file file;
	const struct json *before; /* NULL when that is broken: no JSON, or no object */
	const struct json *after;
	struct digests base;
	struct digests theirs;
	int64_t now_ms;
	struct replace_report *report;
};

/* A record and a link have a name inside, an entry has one before it. */
static void replace_list_add(struct revising *r, struct replace_list *list, const struct json *doc,
			     const struct member_digest *unit)
{
	STR_AUTO scratch = STR_INIT;
	STR_AUTO ref = STR_INIT;
	struct slice name = json_name(doc, unit->node, &scratch);
	uint32_t key = json_member(doc, unit->node, "key");

	if (r->file == STORE_FILE_ARCHIVE)
		name = key == JSON_NONE ? slice_of("?") : json_string(doc, key, &scratch);
	if (!name.ptr)
		name = slice_of("?");
	if (r->file <= STORE_FILE_ARCHIVE)
		ref_add(&ref, unit->category, name);
	else
		str_add(&ref, name);
	list->items = mem_grow(list->items, &list->cap, list->count + 1, sizeof *list->items);
	list->items[list->count++] = arena_copy(&r->report->arena, str_slice(&ref));
}

/* What the person has done. */
static void replace_tell_own(struct revising *r)
{
	for (size_t i = 0; i < r->theirs.count; i++) {
		const struct member_digest *unit = &r->theirs.list[i];
		const struct member_digest *was = digests_find(&r->base, unit->id);

		if (!was)
			replace_list_add(r, &r->report->added, r->after, unit);
		else if (was->digest != unit->digest)
			replace_list_add(r, &r->report->changed, r->after, unit);
	}
	for (size_t i = 0; r->before && i < r->base.count; i++) {
		if (!digests_find(&r->theirs, r->base.list[i].id))
			replace_list_add(r, &r->report->removed, r->before, &r->base.list[i]);
	}
}

/* What others have done meanwhile; the file may be read more than once. */
static void replace_tell_others(struct revising *r, const struct json *ours)
{
	struct replace_report *report = r->report;
	struct digests now = UNITS_INIT;

	report->merged.count = 0;
	report->clashed.count = 0;
	report->stayed.count = 0;
	digests_read(&now, r->file, ours);
	for (size_t i = 0; i < now.count; i++) {
		const struct member_digest *unit = &now.list[i];
		const struct member_digest *mine = digests_find(&r->theirs, unit->id);
		const struct member_digest *was = digests_find(&r->base, unit->id);

		if ((was && was->digest == unit->digest) || (mine && mine->digest == unit->digest))
			continue;
		if (was && !mine)
			replace_list_add(r, &report->stayed, ours, unit);
		else if (!mine || (was && was->digest == mine->digest))
			replace_list_add(r, &report->merged, ours, unit);
		else
			replace_list_add(r, &report->clashed, ours, unit);
	}
	for (size_t i = 0; r->before && i < r->base.count; i++) {
		const struct member_digest *was = &r->base.list[i];
		const struct member_digest *mine = digests_find(&r->theirs, was->id);

		if (mine && mine->digest == was->digest && !digests_find(&now, was->id))
			replace_list_add(r, &report->merged, r->before, was);
	}
	digests_release(&now);
}

static int replace_build(void *context, const struct json *ours, struct str *out, struct str *aside,
			 struct err *err)
{
	struct revising *r = context;
	struct merge3 merge = {
		.file = r->file, .theirs = r->after, .base = &r->base, .now_ms = r->now_ms};

	replace_tell_others(r, ours);
	return merge3_build(&merge, ours, out, aside, err);
}

/* ---- under the lock */

static int replace_put_whole(struct store *store, const struct revision *revision, struct err *err)
{
	const struct whole_file file = {.file_name = revision->file_name,
					.before = revision->before,
					.after = revision->after};

	return whole_file_replace(&store->disk, &file, err);
}

/* Edits that waited are commits of their own, before this one and after it. */
static int replace_put_recorded(struct change *change, const struct revision *revision,
				struct revising *r, struct err *err)
{
	struct store *store = change_store(change);
	const struct witness *witness = store->disk.witness;
	struct rewrite rewrite = {.build = replace_build, .context = r};
	bool blank = text_is_blank(revision->before);
	bool broken = r->file < STORE_FILE_COUNT && !r->before &&
		      (!blank || store->files[r->file].broken);
	int result;

	history_catch_up(store);
	/* No pending line: what no line explains is recorded as the person's edit. */
	store->disk.witness = NULL;
	if (r->file == STORE_FILE_COUNT || broken)
		result = replace_put_whole(store, revision, err);
	else
		result = replace_file(&store->disk, r->file, &rewrite, r->now_ms, NULL, err);
	store->disk.witness = witness;
	change_refresh(change);
	history_catch_up(store);
	return result;
}

static int replace_put_in_change(struct store *store, const struct revision *revision,
				 struct revising *r, struct err *err)
{
	static const struct change_meta nobody = {0};
	struct change *change;

	if (change_begin(&change, store, &nobody, r->now_ms, err) != 0)
		return -1;
	int result = replace_put_recorded(change, revision, r, err);
	change_end(change);
	return result;
}

/* With settings that are not valid no change can begin, and this may be what mends them. */
static int replace_put_settings(struct store *store, const struct revision *revision,
				struct revising *r, struct err *err)
{
	static const struct change_meta nobody = {0};
	struct change *change;
	struct err ignored;

	if (disk_lock(&store->disk, DISK_LOCK_WAIT_MS, err) != 0)
		return -1;
	int result = replace_put_whole(store, revision, err);
	disk_unlock(&store->disk);
	if (result != 0 || change_begin(&change, store, &nobody, r->now_ms, &ignored) != 0)
		return result;
	history_catch_up(store);
	change_end(change);
	return 0;
}

int replace_put(struct store *store, const struct revision *revision, int64_t now_ms,
		struct replace_report *report, struct err *err)
{
	struct json_bounds bounds = path_bounds(revision->file_name);
	struct revising r = {.revision = revision,
			     .file = store_file_find(slice_of(revision->file_name)),
			     .now_ms = now_ms,
			     .report = report};
	struct json_fault fault;
	struct json before;
	JSON_AUTO after = {0};

	*report = (struct replace_report){.arena = ARENA_INIT};
	if (json_parse(&after, revision->after, &bounds, &fault) != 0)
		return err_set(err, ERR_BAD_DATA, "%s:%u:%u: %s", revision->file_name, fault.line,
			       fault.column, fault.what);
	bool parsed = json_parse(&before, revision->before, &bounds, &fault) == 0;
	if (parsed && json_type(&before, JSON_ROOT) == JSON_OBJECT)
		r.before = &before;
	r.after = &after;
	if (r.file < STORE_FILE_COUNT) {
		digests_read(&r.theirs, r.file, r.after);
		if (r.before)
			digests_read(&r.base, r.file, r.before);
		replace_tell_own(&r);
	}
	int result = replace_is_settings(revision->file_name)
			     ? replace_put_settings(store, revision, &r, err)
			     : replace_put_in_change(store, revision, &r, err);
	digests_release(&r.base);
	digests_release(&r.theirs);
	if (parsed)
		json_release(&before);
	return result;
}
