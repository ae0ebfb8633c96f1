/*
 * Programs for the rows history_power, log_hand_edit and sync_power: kota whose history goes
 * wrong where KOTA_TORTURE_GIT says.
 *
 *	hasty         nothing goes wrong, but the log of objects is flushed after three recordings
 *	no-git-fsync  the log of objects is not made durable
 *	no-pack-fsync the pack of a group of changes is not made durable, only the log
 *	no-mend       what a power cut has taken is not put back
 *	unflushed     hasty, and nothing is made durable when the log begins anew
 *	log-cut       hasty, and the log begins anew before its objects are in a pack
 *	twice         the last recording of the log is carried out twice after a power cut
 *	replay-all    who opens the store puts back the text of the log, whatever the file is
 *	no-note-fsync the note of what a sync puts in place is not made durable
 *
 * Linked with --wrap, which sends every call of these functions here.
 */
#include "base/sys.h"
#include "git/write/commit.h"
#include "git/write/object_log.h"
#include "store/history/arrival.h"
#include "store/view/state.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <unistd.h>

int __real_recording_finish(struct recording *recording, struct err *err);
int __wrap_recording_finish(struct recording *recording, struct err *err);
int __real_object_log_append(struct repo *repo, const struct logged_recording *recording,
			     struct err *err);
int __wrap_object_log_append(struct repo *repo, const struct logged_recording *recording,
			     struct err *err);
int __real_object_log_begin(struct repo *repo, const char *boot, bool *mended, struct err *err);
int __wrap_object_log_begin(struct repo *repo, const char *boot, bool *mended, struct err *err);
bool __real_object_log_is_due(struct repo *repo);
bool __wrap_object_log_is_due(struct repo *repo);
int __real_object_log_flush(struct repo *repo, struct err *err);
int __wrap_object_log_flush(struct repo *repo, struct err *err);
int __real_pack_run(struct repo *repo, struct err *err);
int __wrap_pack_run(struct repo *repo, struct err *err);

int __real_arrival_begin(struct store *store, const struct object_id *from,
			 const struct object_id *to, struct err *err);
int __wrap_arrival_begin(struct store *store, const struct object_id *from,
			 const struct object_id *to, struct err *err);
static bool is_planted(const char *fault)
{
	const char *planted = getenv("KOTA_TORTURE_GIT");

	return planted && strcmp(planted, fault) == 0;
}

static int lie(int fd)
{
	(void)fd;
	return 0;
}

/* Of all but the log itself, which is known by its size. */
static int lie_of_others(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_size == 1 << 20 ? fsync(fd) : 0;
}

/* Replaces the file by the other one, durably; nothing where there is none. */
static void copy(int dirfd, const char *from, const char *to)
{
	int in = openat(dirfd, from, O_RDONLY | O_CLOEXEC);
	int out = in < 0 ? -1 : openat(dirfd, to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (in >= 0 && (out < 0 || sendfile(out, in, NULL, 1 << 20) < 0 || fsync(out) != 0))
		abort();
	close(in);
	close(out);
}

/* Keeps the text that the last record is about, or puts it back into its place. */
static void replay(const struct repo *repo, bool put_back)
{
	static const char kept[] = ".git/kota-replay";
	int dirfd = open(repo->dir.ptr, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	copy(dirfd, put_back ? kept : "state.json", put_back ? "state.json" : kept);
	if (fsync(dirfd) != 0)
		abort();
	close(dirfd);
}

/* As a recovery does that does not look whether the branch has the recording. */
static void record_tip_again(struct repo *repo)
{
	const struct lib *lib = &repo->lib;
	git_commit *tip;
	git_tree *tree;
	git_oid id;

	if (lib->reference_name_to_id(&id, repo->handle, "HEAD") != 0 ||
	    lib->commit_lookup(&tip, repo->handle, &id) != 0 || lib->commit_tree(&tree, tip) != 0 ||
	    lib->commit_create(&id, repo->handle, "HEAD", lib->commit_author(tip),
			       lib->commit_committer(tip), NULL, lib->commit_message(tip), tree, 1,
			       (const git_commit **)&tip) != 0)
		abort();
	lib->tree_free(tree);
	lib->commit_free(tip);
}

/* The repository that records. */
static struct repo *recorded;

int __wrap_recording_finish(struct recording *recording, struct err *err)
{
	const struct sys *real = recorded->sys;
	struct sys lying = *real;
	int result;

	lying.fsync = lie_of_others;
	if (is_planted("no-pack-fsync"))
		recorded->sys = &lying;
	result = __real_recording_finish(recording, err);
	recorded->sys = real;
	return result;
}

int __wrap_object_log_append(struct repo *repo, const struct logged_recording *recording,
			     struct err *err)
{
	const struct sys *real = repo->sys;
	struct sys lying = *real;
	int result;

	lying.fsync = lie;
	if (is_planted("no-git-fsync"))
		repo->sys = &lying;
	result = __real_object_log_append(repo, recording, err);
	repo->sys = real;
	if (is_planted("replay-all"))
		replay(repo, false);
	return result;
}

int __wrap_object_log_begin(struct repo *repo, const char *boot, bool *mended, struct err *err)
{
	static bool opened;
	int result = __real_object_log_begin(repo, is_planted("no-mend") ? "always" : boot, mended,
					     err);

	recorded = repo;
	if (result == 0 && *mended && is_planted("twice"))
		record_tip_again(repo);
	if (result == 0 && !opened && is_planted("replay-all"))
		replay(repo, true);
	opened = opened || result == 0;
	return result;
}

bool __wrap_object_log_is_due(struct repo *repo)
{
	bool hasty = is_planted("hasty") || is_planted("unflushed") || is_planted("log-cut");

	return (hasty && repo->log.records >= 3) || __real_object_log_is_due(repo);
}

int __wrap_object_log_flush(struct repo *repo, struct err *err)
{
	const struct sys *real = repo->sys;
	struct sys lying = *real;
	int result;

	lying.fsync = lie_of_others;
	if (is_planted("unflushed")) {
		repo->lib.libgit2_opts(GIT_OPT_ENABLE_FSYNC_GITDIR, 0);
		repo->sys = &lying;
	}
	result = __real_object_log_flush(repo, err);
	repo->sys = real;
	return result;
}

int __wrap_pack_run(struct repo *repo, struct err *err)
{
	return is_planted("log-cut") ? 0 : __real_pack_run(repo, err);
}

int __wrap_arrival_begin(struct store *store, const struct object_id *from,
			 const struct object_id *to, struct err *err)
{
	const struct sys *real = store->disk.sys;
	struct sys lying = *real;
	int result;

	lying.fsync = lie;
	if (is_planted("no-note-fsync"))
		store->disk.sys = &lying;
	result = __real_arrival_begin(store, from, to, err);
	store->disk.sys = real;
	return result;
}
