#include "sync/sync.h"

#include "base/mem.h"
#include "base/time.h"
#include "base/utf8.h"
#include "git/graph.h"
#include "git/walk.h"
#include "store/files/dir_lock.h"
#include "store/history/arrival.h"
#include "store/history/commit_message.h"
#include "store/history/history.h"
#include "store/history/host.h"
#include "store/history/tracked.h"
#include "store/open/store.h"
#include "store/txn/change.h"
#include "store/view/state.h"
#include "sync/publish.h"
#include "sync/purged.h"
#include "sync/remote.h"
#include "sync/replay.h"
#include "sync/sync_guard.h"
#include "sync/sync_state.h"

#include <stdlib.h>

#define BRANCH_DEFAULT "main"

/* Sessions that begin within this time of a sync start no other. */
#define BACKGROUND_PAUSE_MS (INT64_C(10) * 60 * 1000)

/* What a git run has at least, so late that there is no time left. */
#define MOMENT_MS 1000

/* More entries than these may not go at once unless a person says so: a count, and a share. */
#define GONE_MAX 10
#define GONE_SHARE 4

/* Changes of others that are told one by one. */
#define TOLD_MAX 10

/* Who was late waits a random time up to this, twice as long each time, up to the second. */
#define WAIT_MS 250
#define WAIT_MAX_MS 8000

struct syncing {
	struct store *store;
	const struct sync_options *options;
	struct sync_report *report;
	struct sync_state state;
	struct remote remote;
	struct repo *repo;
	struct object_id local;
	struct object_id theirs; /* the remote's branch as last fetched; none: it has none */
	int64_t until_ms;
	bool followed; /* what others have purged is purged here */
};

enum judgement {
	JUDGED_SAME,
	JUDGED_PUSH, /* nothing came that is not here */
	JUDGED_TAKE, /* nothing is here that is not there */
	JUDGED_MERGE
};

static const struct change_meta sync_meta = {.tool = "sync"};

/* ---- what is here */

/* Is the store one that can be synced now, and all of it recorded? Under the lock. */
static int sync_check_ready(struct syncing *sync, struct err *err)
{
	struct store *store = sync->store;

	if (!history_is_on(store))
		return history_prepare(store, err) != 0
			       ? -1
			       : err_set(err, ERR_NO_HISTORY, "there is no history to sync");
	if (history_repo(store, &sync->repo, err) != 0)
		return -1;
	if (!repo_is_ours(sync->repo))
		return err_set(err, ERR_NO_HISTORY,
			       "the repository in %s is not one that kota made: use git there, "
			       "with kota setup git",
			       store_disk(store)->path);
	for (int f = 0; f < STORE_FILE_COUNT; f++) {
		if (store_check_change(store, (enum store_file)f, err) != 0)
			return err_prefix(err, "a broken file is not shared");
	}
	if (!history_catch_up(store))
		return err_set(err, ERR_BUSY, "the history cannot be written now: try again");
	return repo_head(sync->repo, &sync->local, err);
}

/* Records what is pending; the store is as it was when this returns. */
static int sync_record(struct syncing *sync, struct err *err)
{
	struct store *store = sync->store;
	struct change *change;
	int result;

	if (change_begin(&change, store, &sync_meta, store->sys->now_ms(), err) != 0)
		return -1;
	result = sync_check_ready(sync, err);
	/* Only once we know what the store was synced with. */
	if (result == 0 && sync->state.url.len > 0)
		result = publish_use(store, sync->repo, sync->state.synced_ms, &sync->local, err);
	change_end(change);
	return result;
}

/* ---- what is there */

/* Has a commit nothing but what every store begins with? */
static int sync_is_blank(struct syncing *sync, const struct object_id *commit, bool *blank,
			 struct err *err)
{
	ARENA_AUTO arena = ARENA_INIT;
	struct file_list files = {0};
	int result = whole_list(sync->repo, commit, &files, &arena, err);

	*blank = true;
	for (size_t i = 0; i < files.count; i++)
		*blank = *blank && (files.items[i].path[0] == '.' ||
				    strcmp(files.items[i].path, CONFIG_NAME) == 0);
	free(files.items);
	return result;
}

/* The remote, for what is left of the time; a git that is begun has a moment. */
static struct remote *sync_remote(struct syncing *sync)
{
	int64_t left = sync->until_ms - sync->store->sys->now_ms();

	sync->remote.git.limit_ms = left > MOMENT_MS ? left : MOMENT_MS;
	return &sync->remote;
}

/* Is what was synced last not in this store's history any more? Then it was purged. */
static bool sync_is_purged(const struct syncing *sync)
{
	return !object_id_is_none(&sync->state.synced) &&
	       !graph_leads_to(sync->repo, &sync->local, &sync->state.synced);
}

/* What was purged goes at the remote, too, unless somebody has pushed since. */
static int sync_push_purged(struct syncing *sync, struct err *err)
{
	enum pushed pushed;

	if (!sync->options->push_all)
		/* Fetch nothing: it would bring back what was purged. */
		return err_set(err, ERR_NOT_FOUND,
			       "the history here was rewritten since the last sync, as kota purge "
			       "does, and %s still has the old one: kota sync --push-all replaces "
			       "it there",
			       sync->state.url.ptr);
	if (remote_push(sync_remote(sync), &sync->local, &sync->state.synced, &pushed, err) != 0)
		return -1;
	if (pushed == PUSH_LATE)
		return err_set(err, ERR_NOT_FOUND,
			       "%s has changes that were never here, so it is not replaced: to "
			       "remove its old history, delete it there",
			       sync->state.url.ptr);
	str_printf(&sync->report->remarks,
		   "%s has the history of this store now, and other machines purge the same with "
		   "their next sync. What is out of reach: they until then, forks, backups, and "
		   "what a host keeps\n",
		   sync->state.url.ptr);
	return 0;
}

static int sync_refuse_rewritten(const struct syncing *sync, struct err *err)
{
	char since[TIMESTAMP_SIZE] = "it was synced last";

	if (sync->state.synced_ms != TIME_NONE)
		timestamp_format(sync->state.synced_ms, since);
	return err_set(
		err, ERR_NOT_FOUND,
		"the history at %s was rewritten since %s: kota sync --take-all replaces this "
		"store with it; --join merges both, including what was purged there",
		sync->state.url.ptr, since);
}

/* A remote without the branch: the first to come makes it. */
static int sync_judge_absent(const struct syncing *sync, enum judgement *out, struct err *err)
{
	*out = JUDGED_PUSH;
	if (!object_id_is_none(&sync->state.synced) && !sync->options->push_all)
		return err_set(err, ERR_NOT_FOUND,
			       "the branch %s is gone from %s: kota sync --push-all puts this "
			       "store there again",
			       sync->state.branch.ptr, sync->state.url.ptr);
	return 0;
}

static int sync_refuse_stranger(const struct syncing *sync, struct err *err)
{
	struct guard_meeting meeting;

	if (guard_meet(sync->repo, &sync->local, &sync->theirs, &meeting, err) != 0)
		return -1;
	return err_set(
		err, ERR_NOT_FOUND,
		"%s is another store, with no history in common (entries here: %zu, there: %zu, "
		"keys with two values: %zu): kota sync --join merges them, and removes "
		"nothing from either",
		sync->state.url.ptr, meeting.here, meeting.there, meeting.both);
}

/* The bases of a merge; none after a person has said --join, since an old one would mislead. */
static int sync_find_bases(struct syncing *sync, struct object_id bases[GRAPH_BASES_MAX],
			   size_t *count, struct err *err)
{
	bool rewritten = !object_id_is_none(&sync->state.synced) &&
			 !graph_leads_to(sync->repo, &sync->theirs, &sync->state.synced);
	bool blank = false;

	*count = 0;
	if (rewritten && sync->options->take_all)
		return 0;
	if (rewritten)
		return sync->options->join ? 0 : sync_refuse_rewritten(sync, err);
	if (graph_bases(sync->repo, &sync->local, &sync->theirs, bases, count, err) != 0)
		return -1;
	if (*count > 0 || sync->options->join)
		return 0;
	if (sync_is_blank(sync, &sync->local, &blank, err) != 0)
		return -1;
	if (blank)
		return 0;
	return sync_refuse_stranger(sync, err);
}

static int sync_judge(struct syncing *sync, struct object_id bases[GRAPH_BASES_MAX], size_t *count,
		      enum judgement *out, struct err *err)
{
	bool as_it_is;
	bool blank;

	*count = 0;
	if (object_id_is_none(&sync->theirs))
		return sync_judge_absent(sync, out, err);
	*out = JUDGED_SAME;
	if (object_id_equal(&sync->local, &sync->theirs))
		return 0;
	if (repo_refresh(sync->repo, err) != 0 ||
	    whole_check(sync->repo, &sync->theirs, &sync->local, &as_it_is, err) != 0 ||
	    sync_find_bases(sync, bases, count, err) != 0 ||
	    sync_is_blank(sync, &sync->local, &blank, err) != 0)
		return -1;
	*out = JUDGED_MERGE;
	if (sync->options->take_all && *count == 0) {
		*out = JUDGED_TAKE;
		if (!object_id_equal(&sync->local, &sync->state.synced))
			return err_set(err, ERR_NOT_FOUND,
				       "there are changes here that were never sent: kota sync "
				       "--join merges them");
		return 0;
	}
	if (*count > 0 && object_id_equal(&bases[0], &sync->theirs))
		*out = JUDGED_PUSH;
	else if (as_it_is && ((*count > 0 && object_id_equal(&bases[0], &sync->local)) ||
			      (*count == 0 && blank)))
		*out = JUDGED_TAKE;
	return 0;
}

/* ---- taking it over */

static int sync_check_gone(struct syncing *sync, const struct file_list *files, struct err *err)
{
	size_t active;
	size_t count;

	str_clear(&sync->report->gone);
	if (guard_gone(sync->repo, &sync->local, files, &sync->report->gone, &count, &active,
		       err) != 0)
		return -1;
	if (sync->options->yes || count <= GONE_MAX || count <= active / GONE_SHARE)
		return 0;
	return err_set(err, ERR_NOT_FOUND,
		       "%zu of %zu entries would disappear, even from the archive: kota sync "
		       "--yes goes on",
		       count, active);
}

static void sync_report_conflicts(struct syncing *sync, const struct whole_result *merged)
{
	struct sync_report *report = sync->report;

	str_add(&report->remarks, str_slice(&merged->remarks));
	for (size_t i = 0; i < merged->report.count; i++) {
		const struct merge_conflict *conflict = &merged->report.conflicts[i];
		STR_AUTO ref = STR_INIT;

		str_add(&ref, conflict->file);
		str_addc(&ref, ':');
		str_add(&ref, conflict->key);
		utf8_add_visible(&report->conflicts, str_slice(&ref), false);
		str_addc(&report->conflicts, '\n');
		report->conflict_count++;
	}
}

/* Counts what is in one commit and not in the other, and tells the first of it where asked. */
static int sync_count(struct syncing *sync, const struct object_id *of,
		      const struct object_id *without, size_t *count, struct str *told,
		      struct err *err)
{
	struct id_list since = {0};
	struct commit commit;
	struct walk *walk;
	int result = graph_since(sync->repo, of, without, &since, err);

	if (result != 0 || walk_open(&walk, sync->repo, of, err) != 0) {
		id_list_release(&since);
		return -1;
	}
	while ((result = walk_next(walk, &commit, err)) == 1 && id_list_has(&since, &commit.id)) {
		/* Every store's first commit has only its two small files. */
		if (object_id_is_none(&commit.parent) &&
		    slice_is(message_subject(commit.message), "begin"))
			continue;
		++*count;
		if (!told || *count > TOLD_MAX)
			continue;
		utf8_add_visible(told, slice_of(commit.author), false);
		str_adds(told, ": ");
		utf8_add_visible(told, message_subject(commit.message), false);
		str_addc(told, '\n');
	}
	walk_close(walk);
	id_list_release(&since);
	return result < 0 ? -1 : 0;
}

/* The store as the remote has it. */
static int sync_make_theirs(struct syncing *sync, struct err *err)
{
	ARENA_AUTO arena = ARENA_INIT;
	struct file_list files = {0};
	int result = whole_list(sync->repo, &sync->theirs, &files, &arena, err);

	if (result == 0)
		result = sync_check_gone(sync, &files, err);
	free(files.items);
	return result;
}

static int sync_make_merged(struct syncing *sync, struct recording *recording,
			    const struct whole_sides *sides, struct err *err)
{
	struct store *store = sync->store;
	struct whole_result merged;
	int result = recording_stand_on(recording, &sync->theirs, err);

	if (result != 0)
		return -1;
	result = whole_merge(sync->repo, sides, (size_t)store->settings.entry_bytes, &merged, err);
	if (result == 0)
		result = sync_check_gone(sync, &merged.files, err);
	if (result == 0)
		result = replay_make(sync->repo, recording, sides, &merged, store->now_ms, err);
	if (result == 0)
		result = recording_keep(recording, err);
	if (result == 0)
		sync_report_conflicts(sync, &merged);
	whole_result_release(&merged);
	return result;
}

/* Makes the commit that the store is to become; nothing is changed yet. */
static int sync_make(struct syncing *sync, enum judgement judged,
		     const struct object_id bases[GRAPH_BASES_MAX], size_t count,
		     struct object_id *tip, struct err *err)
{
	const struct whole_sides sides = {bases, count, sync->theirs, sync->local};
	struct recording *recording;
	int result;

	*tip = sync->theirs;
	if (judged == JUDGED_TAKE)
		return sync_make_theirs(sync, err);
	if (recording_begin(&recording, sync->repo, err) != 0)
		return -1;
	result = sync_make_merged(sync, recording, &sides, err);
	*tip = *recording_head(recording);
	recording_abandon(recording);
	return result;
}

/* Writes the store's line in the list of the person's own anew. */
static int sync_register(const struct disk *disk, struct err *err)
{
	return disk->origin.personal || disk->origin.name.len == 0
		       ? 0
		       : origin_register(&disk->origin, disk->sys, disk->env, disk->dirfd,
					 disk->origin.trusted, err);
}

/* Under the lock: 1 when the store has changed since it was recorded, so that all is to be judged
 * anew. */
static int sync_place_locked(struct syncing *sync, enum judgement judged,
			     const struct object_id bases[GRAPH_BASES_MAX], size_t count,
			     struct err *err)
{
	struct object_id judged_of = sync->local;
	struct object_id tip;

	if (sync_check_ready(sync, err) != 0)
		return -1;
	if (!object_id_equal(&judged_of, &sync->local))
		return 1;
	if (sync_make(sync, judged, bases, count, &tip, err) != 0)
		return -1;
	if (sync_count(sync, &sync->theirs, &sync->local, &sync->report->took,
		       &sync->report->took_text, err) != 0 ||
	    arrival_begin(sync->store, &sync->local, &tip, err) != 0 ||
	    arrival_finish(sync->store, err) != 0)
		return -1;
	/* The history begins elsewhere now, by which a copy of the store is known. */
	if (count == 0 && sync_register(&sync->store->disk, err) != 0)
		return -1;
	sync->local = tip;
	return 0;
}

/*
 * Of two stores that were within their limits the merge may not be. Who merges makes room, as a
 * change like any, which the others take.
 */
static int sync_make_room(struct syncing *sync, struct change *change, const struct held *held,
			  struct err *err)
{
	struct change_result made;

	if (change_fit_arrived(change, held, &made, err) != 0)
		return -1;
	if (made.evicted_count > 0)
		str_adds(&sync->report->remarks,
			 "over a limit together, so these made room, and are in the archive:\n");
	for (size_t i = 0; i < made.evicted_count; i++) {
		STR_AUTO scratch = STR_INIT;

		str_printf(&sync->report->remarks, "%s\n", shown(&scratch, made.evicted[i]));
	}
	if (!history_catch_up(sync->store))
		return err_set(err, ERR_BUSY, "the history cannot be written now: try again");
	return repo_head(sync->repo, &sync->local, err);
}

static int sync_place(struct syncing *sync, enum judgement judged,
		      const struct object_id bases[GRAPH_BASES_MAX], size_t count, struct err *err)
{
	struct store *store = sync->store;
	struct change *change;
	struct held held = {0}; /* by either side, whatever the limits are */
	int result;

	if (guard_held(sync->repo, &sync->local, &held, err) != 0 ||
	    guard_held(sync->repo, &sync->theirs, &held, err) != 0 ||
	    change_begin(&change, store, &sync_meta, store->sys->now_ms(), err) != 0)
		return -1;
	result = sync_place_locked(sync, judged, bases, count, err);
	if (result == 0)
		change_refresh(change);
	if (result == 0 && judged == JUDGED_MERGE)
		result = sync_make_room(sync, change, &held, err);
	change_end(change);
	return result;
}

/* ---- giving */

static void sync_wait(const struct syncing *sync)
{
	int64_t most = WAIT_MS;
	uint32_t chance = 0;

	for (int i = 0; i < sync->report->tries && most < WAIT_MAX_MS; i++)
		most *= 2;
	(void)!sync->store->sys->getrandom(&chance, sizeof chance, 0);
	sync->store->sys->sleep_ms((int64_t)chance % most);
}

/* 1 when somebody else was faster. */
static int sync_push(struct syncing *sync, struct err *err)
{
	enum pushed pushed;
	size_t gave = 0;

	if (!sync->options->allow_secret && sync->store->settings.secrets == SECRETS_REFUSE &&
	    guard_secrets(sync->repo, &sync->theirs, &sync->local, err) != 0)
		return -1;
	if (sync_count(sync, &sync->local, &sync->theirs, &gave, NULL, err) != 0 ||
	    remote_push(sync_remote(sync), &sync->local, NULL, &pushed, err) != 0)
		return -1;
	sync->report->tries++;
	if (pushed == PUSH_LATE)
		return 1;
	sync->report->gave = gave;
	return 0;
}

/* ---- all of it */

/*
 * Purges here what was purged elsewhere; 1 if anything was, so that all is to be judged anew. What
 * was synced last is in no history any more then, and no base.
 */
static int sync_follow_purge(struct syncing *sync, struct err *err)
{
	size_t count = 0;
	bool news = false;

	if (sync->followed || sync->options->dry_run || object_id_is_none(&sync->theirs))
		return 0;
	if (repo_refresh(sync->repo, err) != 0 ||
	    purged_look(sync->repo, &sync->theirs, &sync->local, &news, err) != 0)
		return -1;
	if (!news)
		return 0;
	/* Before the history is rewritten, so that a kill leaves what is intended. */
	sync->followed = true;
	sync->state.synced = (struct object_id){{0}};
	if (sync_state_save(&sync->state, &sync->store->disk, err) != 0 ||
	    purged_follow(sync->store, sync->repo, &sync->theirs, &sync->local, &count, err) != 0)
		return -1;
	if (count > 0)
		str_printf(&sync->report->remarks,
			   "%zu %s purged on another machine, and is gone here, too: from the "
			   "files, the archives and the history\n",
			   count, count == 1 ? "entry was" : "entries were");
	return count > 0;
}

/* One round; 1 where it has to be gone through again. */
static int sync_round(struct syncing *sync, struct err *err)
{
	struct object_id bases[GRAPH_BASES_MAX];
	enum judgement judged;
	size_t count;
	int result;

	if (sync_record(sync, err) != 0)
		return -1;
	if (sync_is_purged(sync) && !sync->options->join)
		return sync_push_purged(sync, err);
	if (remote_fetch(sync_remote(sync), &sync->local, &sync->theirs, err) != 0)
		return -1;
	result = sync_follow_purge(sync, err);
	if (result != 0)
		return result;
	if (sync_judge(sync, bases, &count, &judged, err) != 0)
		return -1;
	if (sync->options->dry_run)
		return sync_count(sync, &sync->local, &sync->theirs, &sync->report->gave, NULL,
				  err) != 0 ||
				       (!object_id_is_none(&sync->theirs) &&
					sync_count(sync, &sync->theirs, &sync->local,
						   &sync->report->took, &sync->report->took_text,
						   err) != 0)
			       ? -1
			       : 0;
	if (judged == JUDGED_TAKE || judged == JUDGED_MERGE) {
		result = sync_place(sync, judged, bases, count, err);
		if (result != 0)
			return result;
	}
	return object_id_equal(&sync->local, &sync->theirs) ? 0 : sync_push(sync, err);
}

static int sync_rounds(struct syncing *sync, struct err *err)
{
	const struct sys *sys = sync->store->sys;
	int result;

	while ((result = sync_round(sync, err)) == 1) {
		if (sys->now_ms() >= sync->until_ms)
			return err_set(err, ERR_BUSY,
				       "others were faster %d times: nothing is lost, try again "
				       "later",
				       sync->report->tries);
		sync_wait(sync);
	}
	return result;
}

/*
 * Says in the store that it has a remote, so that no process lets anything expire there any more:
 * the list of the person's own stores is written anew, which those that run notice.
 */
static int sync_mark(struct disk *disk, int64_t synced_ms, struct err *err)
{
	if (host_mark(disk, synced_ms, err) != 0)
		return -1;
	if (disk->origin.synced)
		return 0;
	disk->origin.synced = true;
	return sync_register(disk, err);
}

/* Takes over what the person has said of the remote. */
static int sync_configure(struct syncing *sync, struct err *err)
{
	const struct sync_options *options = sync->options;
	struct sync_state *state = &sync->state;
	STR_AUTO url = STR_INIT;

	if (options->branch && !remote_branch_is_plain(options->branch))
		return err_set(err, ERR_BAD_VALUE, "%s is not a name for a branch",
			       options->branch);
	if (options->remote) {
		if (remote_check_url(sync->store->sys, options->remote, &url, err) != 0)
			return -1;
		if (!slice_equal(str_slice(&url), str_slice(&state->url))) {
			str_clear(&state->url);
			str_add(&state->url, str_slice(&url));
			state->synced = (struct object_id){{0}};
			state->synced_ms = TIME_NONE;
		}
	}
	if (state->url.len == 0)
		return err_set(err, ERR_NOT_FOUND,
			       "there is no remote yet: kota sync --remote URL");
	if (options->branch || state->branch.len == 0) {
		str_clear(&state->branch);
		str_adds(&state->branch, options->branch ? options->branch : BRANCH_DEFAULT);
	}
	return sync_state_save(state, &sync->store->disk, err) != 0 ||
			       sync_mark(&sync->store->disk, state->synced_ms, err) != 0
		       ? -1
		       : 0;
}

static int sync_with_remote(struct syncing *sync, struct err *err)
{
	STR_AUTO folder = STR_INIT;
	int result;

	sync->remote.git = (struct git_run){.program = sync->options->git,
					    .terminal = sync->options->terminal};
	sync->remote.sys = sync->store->sys;
	sync->remote.url = sync->state.url.ptr;
	sync->remote.branch = sync->state.branch.ptr;
	sync->until_ms = sync->store->sys->now_ms() + sync->options->limit_ms;
	sync_state_git_folder(&sync->state, &sync->store->disk, &folder);
	if (remote_open(&sync->remote, folder.ptr, repo_folder(sync->repo), err) != 0)
		return -1;
	result = sync_rounds(sync, err);
	remote_close(&sync->remote);
	return result;
}

/* What became of it, for the next sync and for who asks. */
static int sync_note(struct syncing *sync, int result, struct err *err)
{
	struct sync_state *state = &sync->state;
	struct err unsaved;

	str_clear(&state->last_error);
	if (result != 0) {
		str_adds(&state->last_error, err->text);
	} else if (!sync->options->dry_run) {
		state->synced = sync->local;
		state->synced_ms = sync->store->sys->now_ms();
	}
	if ((sync_state_save(state, &sync->store->disk, &unsaved) == 0 &&
	     sync_mark(&sync->store->disk, state->synced_ms, &unsaved) == 0) ||
	    result != 0)
		return result;
	*err = unsaved;
	return -1;
}

int sync_run(struct store *store, const struct sync_options *options, struct sync_report *out,
	     struct err *err)
{
	struct syncing sync = {.store = store, .options = options, .report = out};
	int result;

	*out = (struct sync_report){.url = STR_INIT,
				    .took_text = STR_INIT,
				    .conflicts = STR_INIT,
				    .gone = STR_INIT,
				    .remarks = STR_INIT};
	/* First make the store if it is absent, and register it as the person's own. */
	if (sync_record(&sync, err) != 0 || sync_state_open(&sync.state, &store->disk, err) != 0)
		return -1;
	/* Not again right after a sync, unless there is something to send. */
	if (options->background && sync.state.synced_ms != TIME_NONE &&
	    sync.state.synced_ms > store->now_ms - BACKGROUND_PAUSE_MS &&
	    object_id_equal(&sync.state.synced, &sync.local)) {
		sync_state_close(&sync.state, &store->disk);
		return 0;
	}
	result = sync_configure(&sync, err);
	if (result == 0) {
		str_add(&out->url, str_slice(&sync.state.url));
		result = sync_note(&sync, sync_with_remote(&sync, err), err);
	}
	sync_state_close(&sync.state, &store->disk);
	return result;
}

void sync_report_release(struct sync_report *report)
{
	str_release(&report->url);
	str_release(&report->took_text);
	str_release(&report->conflicts);
	str_release(&report->gone);
	str_release(&report->remarks);
}

int sync_status(struct store *store, struct str *out, struct err *err)
{
	STR_AUTO scratch = STR_INIT;
	char at[TIMESTAMP_SIZE] = "never";
	struct sync_state state;

	if (sync_state_open(&state, &store->disk, err) != 0)
		return -1;
	if (state.synced_ms != TIME_NONE)
		timestamp_format(state.synced_ms, at);
	if (state.url.len == 0)
		str_adds(out, "remote: none; kota sync --remote URL names one\n");
	else
		str_printf(out, "remote: %s, branch %s\nsynced: %s\n",
			   shown(&scratch, str_slice(&state.url)), state.branch.ptr, at);
	if (state.last_error.len > 0)
		str_printf(out, "last try: %s\n", state.last_error.ptr);
	sync_state_close(&state, &store->disk);
	return 0;
}

int sync_forget(struct store *store, struct str *out, struct err *err)
{
	STR_AUTO scratch = STR_INIT;
	struct sync_state state;
	int result;

	if (sync_state_open(&state, &store->disk, err) != 0)
		return -1;
	if (state.url.len == 0)
		str_adds(out, "there was no remote\n");
	else
		str_printf(out, "%s is forgotten; what is there and here stays\n",
			   shown(&scratch, str_slice(&state.url)));
	result = sync_state_forget(&state, &store->disk, err);
	if (result == 0)
		store->disk.sys->unlinkat(store->disk.dirfd, SYNCED_NAME, 0);
	sync_state_close(&state, &store->disk);
	return result;
}
