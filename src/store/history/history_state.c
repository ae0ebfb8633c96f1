/* Which texts wait to be recorded, for history.c: see secret_guard.h. */
#include "store/history/history_state.h"

#include "store/history/secret_guard.h"
#include "store/history/tracked.h"
#include "store/view/snapshot.h"

bool history_holds_secrets(const struct history *history)
{
	return !history->holds_nothing && history->store->settings.secrets == SECRETS_REFUSE;
}

/* The file as the last commit has it; empty where it has none. */
static void read_recorded(struct history *history, const char *file_name, struct str *out)
{
	struct object_id head;
	struct object_id blob;
	struct err ignored;

	if (repo_head(history->repo, &head, &ignored) == 0 &&
	    repo_file_at(history->repo, &head, file_name, &blob, &ignored) == 0 &&
	    !object_id_is_none(&blob))
		repo_blob_read(history->repo, &blob, out, &ignored);
}

void history_look_for_secrets(struct history *history, const char *file_name, struct slice before,
			      struct slice after, bool *before_held, bool *after_held)
{
	STR_AUTO recorded = STR_INIT;

	*before_held = false;
	*after_held = history->records_held && tracked_category(file_name) == CATEGORY_COUNT;
	if (!history_holds_secrets(history) || !before.ptr ||
	    repo_has(history->repo, &history->line.before))
		return;
	read_recorded(history, file_name, &recorded);
	*before_held = hold_finds(file_name, str_slice(&recorded), before, NULL);
	*after_held = *after_held ||
		      (*before_held && hold_finds(file_name, str_slice(&recorded), after, NULL));
}

/* Is the category's file as it is on the disk unknown to the repository? */
static bool is_edited(struct history *history, enum category category)
{
	STR_AUTO text = STR_INIT;
	struct object_id blob;
	struct file_id id;
	struct err ignored;

	return tracked_read(&history->store->disk, store_file_name((enum store_file)category),
			    &text, &id, &ignored) == 0 &&
	       id.present && repo_blob_id(history->repo, str_slice(&text), &blob, &ignored) == 0 &&
	       !repo_has(history->repo, &blob);
}

bool history_archives_held(struct history *history, const struct op *ops, size_t count)
{
	for (size_t i = 0; i < count && history_holds_secrets(history); i++) {
		bool records = ops[i].kind == OP_RECORD_ADD || ops[i].kind == OP_COLD_ADD ||
			       ops[i].kind == OP_KEEP;

		if (records && hold_finds_in(ops[i].text) && is_edited(history, ops[i].category))
			return true;
	}
	return false;
}
