#include "store/purge.h"

#include "base/mem.h"
#include "git/rewrite.h"
#include "git/sweep.h"
#include "store/history.h"
#include "store/journal.h"
#include "store/pending.h"
#include "store/purge_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Says which entry a purge was begun for, until it is done. */
#define MARK_NAME ".purge"
#define MARK_MAX 65536

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
	*report = (struct purge_report){0};
}

/* ---- the mark */

/* The entry that was begun to be purged; *found is false when there is none. */
static int mark_read(struct disk *disk, struct purge_key *out, bool *found, struct err *err)
{
	STR_AUTO text = STR_INIT;
	struct file_id id;
	struct ref ref;

	*found = false;
	if (file_read_own(disk->sys, disk->dirfd, MARK_NAME, MARK_MAX, &text, &id, err) != 0)
		return err_prefix(err, "%s/" MARK_NAME, disk->path);
	if (text.len > 0 && text.ptr[text.len - 1] == '\n')
		str_truncate(&text, text.len - 1);
	ref = ref_parse(str_slice(&text));
	if (ref.category == CATEGORY_ANY || ref.key.len == 0)
		return 0;
	purge_key_init(out, (enum category)ref.category, ref.key);
	*found = true;
	return 0;
}

static int mark_write(struct purging *purging, struct err *err)
{
	STR_AUTO text = STR_INIT;

	str_add(&text, str_slice(&purging->key->ref));
	str_addc(&text, '\n');
	return purge_replace(purging, purging->disk->dirfd, "", MARK_NAME, str_slice(&text), err);
}

static int mark_remove(struct purging *purging, struct err *err)
{
	struct disk *disk = purging->disk;

	if ((disk->sys->unlinkat(disk->dirfd, MARK_NAME, 0) != 0 && errno != ENOENT) ||
	    file_fsync(disk->sys, disk->dirfd) != 0)
		return err_set_errno(err, ERR_IO, errno, "cannot remove %s/" MARK_NAME, disk->path);
	return 0;
}

/* ---- the history */

static bool concerns(void *context, const char *path)
{
	return purge_concerns(context, path);
}

static enum rewritten new_text(void *context, const char *path, struct slice text, struct str *out)
{
	static const enum rewritten meanings[] = {REWRITTEN_NOT, REWRITTEN_TEXT, REWRITTEN_OUT};

	return meanings[purge_text(context, path, text, out, NULL)];
}

static enum rewritten new_message(void *context, struct slice message, struct str *out)
{
	return purge_message(context, message, out) ? REWRITTEN_TEXT : REWRITTEN_NOT;
}

static struct rewriter rewriter_for(const struct purge_key *key)
{
	return (struct rewriter){concerns, new_text, new_message, (void *)key};
}

/* The repository of the store; NULL where there is none that this program made. */
static struct repo *own_repository(struct store *store)
{
	struct repo *repo;
	struct err ignored;

	return history_repo(store, &repo, &ignored) == 0 && repo_is_ours(repo) ? repo : NULL;
}

/* A repository that this program made and that cannot be opened, for want of the library say. */
static int check_repository(struct purging *purging, struct err *err)
{
	struct disk *disk = purging->disk;
	struct repo *repo;
	struct stat st;

	if (disk->sys->fstatat(disk->dirfd, ".git/info/kota-memory", &st, 0) != 0)
		return 0;
	return history_repo(purging->store, &repo, err);
}

/* Nothing may wait to be recorded: what it names is about to go. */
static int settle_history(struct purging *purging, struct err *err)
{
	struct store *store = purging->store;
	struct repo *repo = own_repository(store);

	if (!repo)
		return check_repository(purging, err);
	if (rewrite_check(repo, err) != 0)
		return err_prefix(err, "the history cannot be rewritten now");
	if (!history_is_on(store))
		return 0;
	history_record(store);
	if (!pending_any(purging->disk))
		return 0;
	*err = store->history->why;
	return err_prefix(err, "what was changed last is not in the history yet");
}

static void add_holder(void *context, const char *name)
{
	purge_unreached(context, "%s has it: delete it, or purge it there", name);
}

static void add_remote(void *context, const char *name)
{
	purge_unreached(context, "the remote %s may have it: what was pushed stays there", name);
}

static int purge_history(struct purging *purging, struct err *err)
{
	struct rewriter rewriter = rewriter_for(purging->key);
	struct repo *repo = own_repository(purging->store);
	struct rewrite_counts counts;
	size_t kept;

	if (!repo)
		return 0;
	if (rewrite_branch(repo, &rewriter, &counts, err) != 0)
		return -1;
	purging->report->texts += counts.texts;
	purging->report->commits += counts.commits;
	if (sweep(repo, &kept, err) != 0 ||
	    rewrite_holders(repo, &rewriter, add_holder, purging, err) != 0)
		return -1;
	if (kept > 0)
		purge_unreached(purging, "packs in .git/objects/pack that are marked to be kept");
	rewrite_remotes(repo, add_remote, purging);
	return 0;
}

/* ---- what is not ours to change */

static void look_around(struct purging *purging)
{
	struct disk *disk = purging->disk;
	STR_AUTO workdir = STR_INIT;
	struct file_id git;
	struct err ignored;
	bool ignores;

	if (file_identify(disk->sys, disk->dirfd, ".git", &git, &ignored) == 0 && git.present &&
	    !own_repository(purging->store))
		purge_unreached(purging,
				"the repository %s/.git was not made by kota: its history is as "
				"it was",
				disk->path);
	if (repo_around(disk->path, &workdir, &ignores, &ignored) == 0 && workdir.len > 0 &&
	    !ignores)
		purge_unreached(purging,
				"the repository %s, in which the store lies, may have recorded it",
				workdir.ptr);
	purge_unreached(purging, "backups, clones and snapshots of the file system, and what "
				 "clients keep of their conversations");
}

/* ---- the whole */

static int check_journal(struct purging *purging, struct err *err)
{
	struct journal journal;
	bool found;

	if (journal_read(&journal, purging->disk, err) != 0)
		return -1;
	found = journal.found;
	journal_release(&journal);
	if (found)
		return err_set(err, ERR_BAD_DATA,
			       "an interrupted change waits until all files can be read: mend "
			       "them first, see kota doctor");
	return 0;
}

/* Lines of a time when there was a history; they name refs. */
static int clear_pending(struct purging *purging, struct err *err)
{
	struct pending pending;
	int result = 0;

	if (pending_read(&pending, purging->disk, err) != 0)
		return -1;
	if (pending.count > 0)
		result = pending_clear(purging->disk, &pending, err);
	pending_release(&pending);
	return result;
}

static int purge_all(struct purging *purging, struct err *err)
{
	if (mark_write(purging, err) != 0 || purge_files(purging, err) != 0 ||
	    purge_beside(purging, err) != 0)
		return -1;
	/* In a repository of the person's the lines may still be recorded there. */
	if ((own_repository(purging->store) || !history_is_on(purging->store)) &&
	    clear_pending(purging, err) != 0)
		return -1;
	if (purge_history(purging, err) != 0)
		return -1;
	look_around(purging);
	return mark_remove(purging, err);
}

/* One that was begun and not finished comes first. */
static int purge_in_order(struct purging *purging, struct err *err)
{
	const struct purge_key *wanted = purging->key;
	struct purge_key begun;
	int result = 0;
	bool found;

	if (mark_read(purging->disk, &begun, &found, err) != 0)
		return -1;
	if (found) {
		purging->key = &begun;
		if (!purge_key_has_ref(wanted, str_slice(&begun.ref)))
			result = purge_all(purging, err);
		purging->key = wanted;
		purge_key_release(&begun);
	}
	return result == 0 ? purge_all(purging, err) : -1;
}

static int purge_locked(struct purging *purging, struct change *change, struct err *err)
{
	const struct witness *witness = purging->disk->witness;
	int result;

	if (check_journal(purging, err) != 0 || purge_check_files(purging, err) != 0 ||
	    settle_history(purging, err) != 0)
		return -1;
	/* What happens now is in no history: that is what it is about. */
	purging->disk->witness = NULL;
	result = purge_in_order(purging, err);
	purging->disk->witness = witness;
	change_refresh(change);
	return result == 0 ? 0 : err_prefix(err, "the purge is not finished; the next one goes on");
}

int purge_run(struct store *store, const struct purge_key *key, int64_t now_ms,
	      struct purge_report *report, struct err *err)
{
	struct change_meta meta = {.tool = "purge"};
	struct purging purging = {.store = store,
				  .disk = store_disk(store),
				  .key = key,
				  .report = report,
				  .now_ms = now_ms};
	struct change *change;
	int result;

	*report = (struct purge_report){0};
	if (change_begin(&change, store, &meta, now_ms, err) != 0)
		return -1;
	result = purge_locked(&purging, change, err);
	change_end(change);
	return result;
}

/* ---- which entry is meant */

static int category_in_archive(struct store *store, const struct ref *ref, int *category,
			       struct err *err)
{
	const struct archived *all;
	size_t count;

	if (store_archive_all(store, &all, &count, err) != 0)
		return -1;
	for (int c = 0; c < CATEGORY_COUNT && *category == CATEGORY_ANY; c++) {
		struct purge_key key;

		purge_key_init(&key, (enum category)c, ref->key);
		for (size_t i = 0; i < count && *category == CATEGORY_ANY; i++) {
			if (purge_key_has_ref(&key, all[i].ref))
				*category = c;
		}
		purge_key_release(&key);
	}
	return 0;
}

static int category_begun(struct store *store, const struct ref *ref, int *category,
			  struct err *err)
{
	struct purge_key begun;
	bool found;

	if (mark_read(store_disk(store), &begun, &found, err) != 0)
		return -1;
	if (found) {
		struct purge_key key;

		purge_key_init(&key, begun.category, ref->key);
		if (purge_key_has_ref(&key, str_slice(&begun.ref)))
			*category = (int)begun.category;
		purge_key_release(&key);
		purge_key_release(&begun);
	}
	return 0;
}

static int category_in_history(struct store *store, const struct ref *ref, int *category,
			       struct err *err)
{
	struct repo *repo = own_repository(store);
	int result = 0;

	for (int c = 0; repo && result == 0 && c < CATEGORY_COUNT; c++) {
		struct purge_key key;
		struct rewriter rewriter;
		bool found = false;

		purge_key_init(&key, (enum category)c, ref->key);
		rewriter = rewriter_for(&key);
		result = rewrite_finds(repo, &rewriter, &found, err);
		if (result == 0 && found && *category != CATEGORY_ANY)
			result = err_set(err, ERR_BAD_VALUE,
					 "the history knows such a key in %s and in %s: say "
					 "category:key",
					 category_name((enum category) * category),
					 category_name((enum category)c));
		else if (found)
			*category = c;
		purge_key_release(&key);
	}
	return result;
}

static int find_category(struct store *store, const struct ref *ref, int *category, struct err *err)
{
	const struct item *item = store_find(store, CATEGORY_ANY, ref->key);

	*category = item ? (int)item->entry.category : CATEGORY_ANY;
	if (*category == CATEGORY_ANY && category_in_archive(store, ref, category, err) != 0)
		return -1;
	if (*category == CATEGORY_ANY && category_begun(store, ref, category, err) != 0)
		return -1;
	if (*category == CATEGORY_ANY && category_in_history(store, ref, category, err) != 0)
		return -1;
	if (*category == CATEGORY_ANY)
		return err_set(err, ERR_NOT_FOUND,
			       "no such key is stored, archived or in the history; category:key "
			       "purges what is left of one anyway");
	return 0;
}

int purge_find(struct purge_key *out, struct store *store, struct slice key, int64_t now_ms,
	       struct err *err)
{
	struct ref ref = ref_parse(key);
	const struct item *item;

	if (ref.key.len == 0)
		return err_set(err, ERR_BLANK_ARGUMENT, "KEY: give a key, or category:key");
	if (!disk_exists(store_disk(store)))
		return err_set(err, ERR_NOT_FOUND, "there is no store at %s",
			       store_disk(store)->path);
	if (store_refresh(store, now_ms, err) != 0 ||
	    (ref.category == CATEGORY_ANY && find_category(store, &ref, &ref.category, err) != 0))
		return -1;
	purge_key_init(out, (enum category)ref.category, ref.key);
	item = store_find(store, CATEGORY_ANY, ref.key);
	out->bare = !item || (int)item->entry.category == ref.category;
	return 0;
}
