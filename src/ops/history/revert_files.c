/* Putting back by the history what is in no file of entries: links and notes. */
#include "ops/history/revert_common.h"

#include "model/note.h"
#include "store/txn/undo.h"
#include "store/view/relations.h"

#define RELATIONS "relations.json"
#define NOTES "notes/"

/* A change while its links are taken back. */
struct links_undo {
	struct revert *put;
	const struct log_change *change;
	const struct revert_name *only;
	struct json before; /* of relations.json */
	struct json after;
};

static struct slice revert_files_member_text(const struct json *doc, struct slice id)
{
	uint32_t node = json_member_slice(doc, JSON_ROOT, id);

	return node == JSON_NONE ? slice_make(NULL, 0) : json_text(doc, node);
}

static bool revert_files_names(struct slice text, struct slice ref)
{
	ARENA_AUTO arena = ARENA_INIT;
	struct relation relation;
	JSON_AUTO doc = {0};

	if (!text.ptr)
		return false;
	common_parse(&doc, text);
	return relation_read(&relation, &doc, JSON_ROOT, &arena) &&
	       (slice_equal(relation.from, ref) || slice_equal(relation.to, ref));
}

/* Of one entry only those go back that it is an end of; another name takes all along. */
static bool revert_is_concerned(const struct links_undo *undo, struct slice before,
				struct slice after)
{
	if (!undo->only || slice_is(undo->change->tool, "mv"))
		return true;
	struct slice ref = revert_ref_of(undo->put, undo->only);
	return revert_files_names(before, ref) || revert_files_names(after, ref);
}

static int revert_undo_link(const struct links_undo *undo, struct slice id, struct err *err)
{
	struct revert *put = undo->put;
	struct slice before = revert_files_member_text(&undo->before, id);
	struct slice after = revert_files_member_text(&undo->after, id);
	struct slice now = store_link_text(put->call->store, id);

	if (common_same_json(before, after) || common_same_json(now, before) ||
	    !revert_is_concerned(undo, before, after))
		return 0;
	if (!put->force && !common_same_json(now, after))
		return revert_refuse_link(put, id, err);
	revert_add(&put->relations, arena_copy(put->call->arena, id));
	if (!before.ptr)
		revert_add(&put->unlinked, arena_copy(put->call->arena, id));
	return undo_link(put->change, id, before.ptr ? common_compact(put->call, before) : before,
			 err);
}

static int revert_undo_links_of(const struct links_undo *undo, const struct json *doc, bool known,
				struct err *err)
{
	for (uint32_t m = json_first(doc, JSON_ROOT); m != JSON_NONE; m = json_next(doc, m)) {
		STR_AUTO scratch = STR_INIT;
		struct slice id = json_name(doc, m, &scratch);

		/* What both texts have was looked at with the first. */
		if (known && revert_files_member_text(&undo->before, id).ptr)
			continue;
		if (revert_undo_link(undo, id, err) != 0)
			return -1;
	}
	return 0;
}

/* False where the text is no file of links. */
static bool revert_files_read_text(struct json *doc, const struct str *text)
{
	struct json_fault fault;

	return json_parse(doc, text->len ? str_slice(text) : slice_of("{}"), &json_file_bounds,
			  &fault) == 0 &&
	       json_type(doc, JSON_ROOT) == JSON_OBJECT;
}

static void revert_files_leave(struct revert *put, const char *file)
{
	revert_add(&put->left, arena_copy(put->call->arena, slice_of(file)));
}

static int revert_undo_relations(struct revert *put, const struct log_change *change,
				 const struct revert_name *only, struct err *err)
{
	struct links_undo undo = {.put = put, .change = change, .only = only};
	STR_AUTO before = STR_INIT;
	STR_AUTO after = STR_INIT;
	int result = 0;

	if (undo_texts_of(put->call->store, &change->id, RELATIONS, &before, &after, err) != 0)
		return -1;
	if (!revert_files_read_text(&undo.before, &before) ||
	    !revert_files_read_text(&undo.after, &after))
		revert_files_leave(put, RELATIONS);
	else if (revert_undo_links_of(&undo, &undo.before, false, err) != 0 ||
		 revert_undo_links_of(&undo, &undo.after, true, err) != 0)
		result = -1;
	json_release(&undo.before);
	json_release(&undo.after);
	return result;
}

/* Is the note about the only entry that is put back, where there is one? */
static bool revert_is_note_of(const struct revert_name *only, const struct str *before,
			      const struct str *after)
{
	STR_AUTO ref = STR_INIT;

	if (!only)
		return true;
	ref_add(&ref, only->category, only->key);
	return note_is_of(str_slice(before->len ? before : after), str_slice(&ref));
}

/* A note that the change made goes, and one that it took away comes back. */
static int revert_undo_note(struct revert *put, const struct log_change *change, const char *file,
			    const struct revert_name *only, struct err *err)
{
	struct slice name = slice_of(file + sizeof NOTES - 1);
	STR_AUTO before = STR_INIT;
	STR_AUTO after = STR_INIT;
	bool stays;

	if (undo_texts_of(put->call->store, &change->id, file, &before, &after, err) != 0)
		return -1;
	if (!revert_is_note_of(only, &before, &after))
		return 0;
	if (undo_note(put->change, name, before.len ? str_slice(&before) : slice_make(NULL, 0),
		      after.len ? str_slice(&after) : slice_make(NULL, 0), &stays, err) != 0)
		return -1;
	if (stays)
		revert_files_leave(put, file);
	return 0;
}

struct slice revert_promoted_to(struct slice text, struct arena *arena)
{
	JSON_AUTO doc = {0};

	if (!text.ptr)
		return text;
	common_parse(&doc, text);
	return json_member_text(&doc, JSON_ROOT, "promoted_to", arena);
}

void revert_note_stays(struct revert *put, struct slice before, struct slice after)
{
	struct slice made = revert_promoted_to(after, put->call->arena);

	if (made.len > 0 && (made.ptr[0] == '/' || !put->recorded) &&
	    !slice_equal(made, revert_promoted_to(before, put->call->arena)))
		revert_add(&put->left, made);
}

int revert_files(struct revert *put, const struct log_change *change,
		 const struct revert_name *only, struct err *err)
{
	for (size_t i = 0; i < change->file_count; i++) {
		const char *file = change->files[i];
		int result = 0;

		/* Hidden files and the cold archive are not worth naming. */
		if (file[0] == '.' || slice_starts(slice_of(file), COLD_FOLDER "/"))
			continue;
		if (strcmp(file, RELATIONS) == 0)
			result = revert_undo_relations(put, change, only, err);
		else if (strncmp(file, NOTES, sizeof NOTES - 1) == 0 && !change->by_hand)
			result = revert_undo_note(put, change, file, only, err);
		else
			revert_files_leave(put, file);
		if (result != 0)
			return -1;
	}
	return 0;
}

static bool revert_files_touches(const struct log_change *change, int file)
{
	for (size_t i = 0; i < change->count; i++) {
		const struct difference *item = &change->items[i];

		if (file == (item->record ? (int)STORE_FILE_ARCHIVE : (int)item->category))
			return true;
	}
	for (size_t i = 0; file == STORE_FILE_RELATIONS && i < change->file_count; i++) {
		if (strcmp(change->files[i], RELATIONS) == 0)
			return true;
	}
	return false;
}

int revert_layouts(struct revert *put, const struct log_change *change, struct err *err)
{
	for (int f = 0; f < STORE_FILE_COUNT; f++) {
		STR_AUTO before = STR_INIT;
		STR_AUTO after = STR_INIT;

		if (!revert_files_touches(change, f))
			continue;
		if (undo_texts_of(put->call->store, &change->id,
				  store_file_name((enum store_file)f), &before, &after, err) != 0)
			return -1;
		if (before.len > 0)
			undo_layout(put->change, (enum store_file)f, str_slice(&before),
				    str_slice(&after));
	}
	return 0;
}
