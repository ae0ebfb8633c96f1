#include "sync/sync_guard.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "git/graph.h"
#include "git/walk.h"
#include "model/archive_record.h"
#include "store/history/secret_guard.h"
#include "store/history/tracked.h"

#include <stdlib.h>

/* ---- entries that would disappear */

struct known_refs {
	struct map refs;
	struct arena arena;
};

static void guard_know(struct known_refs *known, enum category category, struct slice key)
{
	STR_AUTO ref = STR_INIT;

	ref_add(&ref, category, key);
	map_put(&known->refs, arena_copy(&known->arena, str_slice(&ref)), 0);
}

static int guard_know_line(void *context, const struct json_line *line)
{
	struct known_refs *known = context;
	struct record record;

	if (line->doc && record_read_line(&record, line->doc, JSON_ROOT, &known->arena))
		guard_know(known, record.category, record.original_key);
	return 0;
}

/* The entries of a category file; of the archives what the records are of. */
static void guard_know_file(struct known_refs *known, const char *name, struct slice text)
{
	struct edition edition;

	if (tracked_is_appended(name))
		(void)!json_parse_lines(text, &json_file_bounds, guard_know_line, known);
	if (!text.ptr || !tracked_edition(&edition, name, text))
		return;
	for (size_t i = 0; i < edition.count; i++) {
		const struct edition_part *part = &edition.parts[i];
		struct record record;

		if (!edition.records)
			guard_know(known, part->category, part->key);
		else if (record_read(&record, part->category, &edition.doc, part->node,
				     &known->arena))
			guard_know(known, record.category, record.original_key);
	}
	edition_release(&edition);
}

static int guard_know_all(struct repo *repo, const struct file_list *files,
			  struct known_refs *known, struct err *err)
{
	for (size_t i = 0; i < files->count; i++) {
		const char *name = files->items[i].path;
		STR_AUTO text = STR_INIT;
		struct slice now;

		if (whole_text(repo, name, &files->items[i].blob, &text, &now, err) != 0)
			return -1;
		guard_know_file(known, name, now);
	}
	return 0;
}

/* What of one category file is not known any more. */
static void guard_miss(const struct known_refs *known, const char *name, struct slice text,
		       struct str *gone, size_t *gone_count, size_t *active)
{
	struct edition edition;

	if (!text.ptr || !tracked_edition(&edition, name, text))
		return;
	*active += edition.count;
	for (size_t i = 0; i < edition.count; i++) {
		STR_AUTO scratch = STR_INIT;
		STR_AUTO ref = STR_INIT;

		ref_add(&ref, edition.parts[i].category, edition.parts[i].key);
		if (map_get(&known->refs, str_slice(&ref), NULL))
			continue;
		str_printf(gone, "%s\n", shown(&scratch, str_slice(&ref)));
		++*gone_count;
	}
	edition_release(&edition);
}

int guard_gone(struct repo *repo, const struct object_id *commit, const struct file_list *files,
	       struct str *gone, size_t *gone_count, size_t *active, struct err *err)
{
	struct known_refs known = {MAP_INIT, ARENA_INIT};
	int result = guard_know_all(repo, files, &known, err);

	*gone_count = 0;
	*active = 0;
	for (int c = 0; result == 0 && c < CATEGORY_COUNT; c++) {
		const char *name = store_file_name((enum store_file)c);
		struct object_id blob;
		STR_AUTO text = STR_INIT;
		struct slice now;

		result = repo_file_at(repo, commit, name, &blob, err);
		if (result == 0)
			result = whole_text(repo, name, &blob, &text, &now, err);
		if (result == 0)
			guard_miss(&known, name, now, gone, gone_count, active);
	}
	map_release(&known.refs);
	arena_release(&known.arena);
	return result;
}

/* ---- how much there was */

static void guard_hold(struct held *held, enum store_file file, const char *name, struct slice text)
{
	struct edition edition;

	if (!text.ptr || !tracked_edition(&edition, name, text))
		return;
	if (file < STORE_FILE_ARCHIVE && (int64_t)edition.count > held->entries[file])
		held->entries[file] = (int64_t)edition.count;
	edition_release(&edition);
}

int guard_held(struct repo *repo, const struct object_id *commit, struct held *held,
	       struct err *err)
{
	int64_t bytes = 0;

	for (int f = 0; f <= STORE_FILE_ARCHIVE; f++) {
		const char *name = store_file_name((enum store_file)f);
		struct object_id blob;
		STR_AUTO text = STR_INIT;
		struct slice now;

		if (repo_file_at(repo, commit, name, &blob, err) != 0 ||
		    whole_text(repo, name, &blob, &text, &now, err) != 0)
			return -1;
		guard_hold(held, (enum store_file)f, name, now);
		bytes += (int64_t)now.len;
	}
	if (bytes > held->bytes)
		held->bytes = bytes;
	return 0;
}

/* ---- two stores that meet */

static const struct edition_part *guard_find(const struct edition *edition, struct slice key)
{
	for (size_t i = 0; i < edition->count; i++) {
		if (slice_equal(edition->parts[i].key, key))
			return &edition->parts[i];
	}
	return NULL;
}

/* The text of an entry's value. */
static struct slice guard_value(const struct edition *edition, const struct edition_part *part)
{
	uint32_t node = json_member(&edition->doc, part->node, "value");

	return json_text(&edition->doc, node == JSON_NONE ? part->node : node);
}

static void guard_meet_file(const char *name, struct slice here, struct slice there,
			    struct guard_meeting *out)
{
	struct edition ours;
	struct edition theirs;
	bool is_here = here.ptr && tracked_edition(&ours, name, here);
	bool is_there = there.ptr && tracked_edition(&theirs, name, there);

	out->here += is_here ? ours.count : 0;
	out->there += is_there ? theirs.count : 0;
	for (size_t i = 0; is_here && is_there && i < theirs.count; i++) {
		const struct edition_part *part = guard_find(&ours, theirs.parts[i].key);

		if (part &&
		    !slice_equal(guard_value(&ours, part), guard_value(&theirs, &theirs.parts[i])))
			out->both++;
	}
	if (is_here)
		edition_release(&ours);
	if (is_there)
		edition_release(&theirs);
}

int guard_meet(struct repo *repo, const struct object_id *here, const struct object_id *there,
	       struct guard_meeting *out, struct err *err)
{
	*out = (struct guard_meeting){0};
	for (int c = 0; c < CATEGORY_COUNT; c++) {
		const char *name = store_file_name((enum store_file)c);
		struct object_id blobs[2];
		STR_AUTO our_text = STR_INIT;
		STR_AUTO their_text = STR_INIT;
		struct slice ours;
		struct slice theirs;

		if (repo_file_at(repo, here, name, &blobs[0], err) != 0 ||
		    repo_file_at(repo, there, name, &blobs[1], err) != 0 ||
		    whole_text(repo, name, &blobs[0], &our_text, &ours, err) != 0 ||
		    whole_text(repo, name, &blobs[1], &their_text, &theirs, err) != 0)
			return -1;
		guard_meet_file(name, ours, theirs, out);
	}
	return 0;
}

/* ---- secrets */

static int guard_file(struct repo *repo, const struct commit *commit,
		      const struct file_change *change, struct err *err)
{
	struct secret_guard found = {.where = STR_INIT};
	char id[OBJECT_ID_DIGITS + 1];
	STR_AUTO scratch = STR_INIT;
	STR_AUTO before = STR_INIT;
	STR_AUTO after = STR_INIT;
	struct slice then;
	struct slice now;
	int result = 0;

	if (!tracked_is(change->path) || object_id_is_none(&change->after))
		return 0;
	if (whole_text(repo, change->path, &change->before, &before, &then, err) != 0 ||
	    whole_text(repo, change->path, &change->after, &after, &now, err) != 0)
		return -1;
	object_id_text(&commit->id, id);
	if (secret_guard_finds(change->path, then.ptr ? then : slice_of(""), now, &found))
		result = err_set(err, ERR_BAD_VALUE,
				 "%s in change %.8s holds a secret (%s), so nothing was sent: kota "
				 "purge removes it, --allow-secret sends it",
				 shown(&scratch, str_slice(&found.where)), id, found.rule);
	str_release(&found.where);
	return result;
}

int guard_secrets(struct repo *repo, const struct object_id *from, const struct object_id *to,
		  struct err *err)
{
	struct commit commit;
	struct walk *walk;
	int more = 0;
	int result = 0;

	if (walk_open(&walk, repo, to, err) != 0)
		return -1;
	while (result == 0 && (more = walk_next(walk, &commit, err)) == 1) {
		const struct file_change *changes;
		size_t count;

		if (object_id_equal(&commit.id, from))
			break;
		result = walk_changes(walk, &changes, &count, err);
		for (size_t i = 0; result == 0 && i < count; i++)
			result = guard_file(repo, &commit, &changes[i], err);
	}
	walk_close(walk);
	return more < 0 ? -1 : result;
}
