#include "store/history/recorder_internal.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "base/time.h"
#include "store/history/secret_guard.h"
#include "store/history/commit_message.h"
#include "store/history/tracked.h"
#include "store/view/snapshot.h"
#include "store/view/notices.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void read_blob(struct run *run, const struct object_id *blob, struct str *out)
{
	struct err ignored;

	if (!object_id_is_none(blob))
		repo_blob_read(run->repo, blob, out, &ignored);
}

static bool look_for_secret(struct run *run, const char *name)
{
	struct object_id then = list_get(&run->chain, name);
	struct hold hold = {.where = STR_INIT};
	STR_AUTO before = STR_INIT;
	STR_AUTO after = STR_INIT;
	STR_AUTO scratch = STR_INIT;
	struct object_id now;
	struct file_id id;
	struct err ignored;
	bool found;

	if (tracked_read(run->disk, name, &after, &id, &ignored) != 0 || !id.present ||
	    repo_blob_id(run->repo, str_slice(&after), &now, &ignored) != 0 ||
	    repo_has(run->repo, &now))
		return false;
	read_blob(run, &then, &before);
	found = hold_finds(name, str_slice(&before), str_slice(&after), &hold);
	if (found)
		view_notice(
			run->history->store,
			"%s holds a secret (%s) that was written by hand: %s is not recorded in "
			"the history until it is gone, or until the person says so with kota "
			"doctor --record",
			shown(&scratch, str_slice(&hold.where)), hold.rule, name);
	str_release(&hold.where);
	return found;
}

bool edits_are_held(struct run *run, const char *name)
{
	size_t held;

	if (!history_holds_secrets(run->history))
		return false;
	if (map_get(&run->held, slice_of(name), &held))
		return held != 0;
	held = look_for_secret(run, name);
	map_put(&run->held, arena_copy(&run->arena, slice_of(name)), held);
	return held != 0;
}

static int add_if_edited(void *context, const char *name)
{
	struct run *run = context;
	struct object_id now;
	struct object_id then = list_get(&run->chain, name);

	progress_step(run->disk->progress, "recording", 0, 0);
	if (!run_is_touched(run, name) && run_disk_blob(run, name, &now) &&
	    !object_id_equal(&now, &then) && !repo_ignores(run->repo, name) &&
	    !edits_are_held(run, name) && run_ensure_blob(run, name, &now))
		list_set(run, &run->hand, name, &now);
	return 0;
}

int edits_find(struct run *run, struct err *err)
{
	struct object_id none = {{0}};
	struct object_id now;

	if (tracked_walk(run->disk, add_if_edited, run, err) != 0)
		return -1;
	for (size_t i = 0; i < run->chain.count; i++) {
		const char *name = run->chain.items[i].path;

		if (!object_id_is_none(&run->chain.items[i].blob) && !run_is_touched(run, name) &&
		    run_disk_blob(run, name, &now) && object_id_is_none(&now))
			list_set(run, &run->hand, name, &none);
	}
	return 0;
}

/* The entries that an edit of a file is about; the file itself where none differs. */
static void refs_of_edit(struct run *run, struct refs *refs, const struct recorded_file *file)
{
	struct object_id then = list_get(&run->chain, file->path);
	STR_AUTO before = STR_INIT;
	STR_AUTO after = STR_INIT;
	struct comparison c;

	read_blob(run, &then, &before);
	read_blob(run, &file->blob, &after);
	if (!tracked_compare(&c, file->path, str_slice(&before), str_slice(&after))) {
		refs_add(run, refs, slice_of(file->path));
		return;
	}
	for (size_t i = 0; i < c.count; i++) {
		STR_AUTO ref = STR_INIT;

		ref_add(&ref, c.items[i].category, c.items[i].key);
		refs_add(run, refs, str_slice(&ref));
	}
	if (c.count == 0)
		refs_add(run, refs, slice_of(file->path));
	comparison_release(&c);
}

/* Who edits here, by git's settings, else by the name of the account. */
static void who_edits(struct run *run, struct str *name, struct str *email)
{
	const struct passwd *account;
	char host[256];

	if (repo_person(run->repo, name, email))
		return;
	account = getpwuid(geteuid());
	if (gethostname(host, sizeof host) != 0 || !memchr(host, '\0', sizeof host))
		snprintf(host, sizeof host, "localhost");
	str_clear(name);
	str_clear(email);
	str_adds(name, account ? account->pw_name : "somebody");
	str_printf(email, "%s@%s", name->ptr, host);
}

bool edits_may_be_ours(const struct run *run)
{
	return run->pending->lost || (run->pending->begun && !run->pending->this_boot);
}

int edits_commit(struct run *run, int64_t at_ms, struct err *err)
{
	bool first = object_id_is_none(recording_head(run->recording));
	bool ours = first || edits_may_be_ours(run);
	struct message message = {.verb = first ? "begin" : ours ? "recovered" : "edit"};
	struct refs refs = {0};
	STR_AUTO text = STR_INIT;
	STR_AUTO name = STR_INIT;
	STR_AUTO email = STR_INIT;
	struct commit_spec spec;
	int result;

	if (run->hand.count == 0)
		return 0;
	for (size_t i = 0; i < run->hand.count && !first; i++)
		refs_of_edit(run, &refs, &run->hand.items[i]);
	message.refs = refs.items;
	message.ref_count = refs.count;
	message_compose(&text, &message);
	who_edits(run, &name, &email);
	spec = (struct commit_spec){
		.message = text.ptr, .author = ours ? NULL : name.ptr, .email = email.ptr};
	result = run_commit(run, &run->hand, &spec, at_ms, err);
	run->hand.count = 0;
	free(refs.items);
	return result;
}

void edits_before(struct run *run, const struct pending_line *line)
{
	struct object_id then = list_get(&run->chain, line->file.ptr);
	const struct recorded_file *moved = list_find(&run->moved, line->file.ptr);

	/* What our last commit had is no edit, whatever somebody has committed since. */
	if (moved && object_id_equal(&moved->blob, &line->before))
		return;
	if (!object_id_is_none(&line->before) && !object_id_equal(&line->before, &then) &&
	    !list_find(&run->hand, line->file.ptr) &&
	    (repo_has(run->repo, &line->before) || !edits_are_held(run, line->file.ptr)) &&
	    run_ensure_blob(run, line->file.ptr, &line->before))
		list_set(run, &run->hand, line->file.ptr, &line->before);
}
