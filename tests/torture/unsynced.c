/*
 * A program for the rows checkpoint, history_power, log_hand_edit and sync_power: kota whose
 *history goes wrong where KOTA_TORTURE_GIT says.
 *
 *	hasty         nothing goes wrong, but the log of objects is flushed after three recordings
 *	no-git-fsync  the log of objects is not made durable
 *	no-pack-fsync the pack of a group of changes is not made durable, only the log
 *	reboot        nothing goes wrong, but it takes the machine for one that was started anew
 *	no-mend       what a power cut has taken is not put back
 *	unflushed     hasty, and nothing is made durable when the log begins anew
 *	log-cut       hasty, and the log begins anew before its objects are in a pack
 *	unchecked     hasty, and while the log is flushed nobody looks whether a write has failed
 *	early         hasty, and objects go before the pack that has them is in its place
 *	twice         the last recording of the log is carried out twice after a power cut
 *	replay-all    who opens the store puts back the text of the log, whatever the file is
 *	no-note-fsync the note of what a sync puts in place is not made durable
 *
 * Linked with --wrap, which sends every call of these functions here.
 */
#include "base/sys.h"
#include "git/write/commit.h"
#include "git/write/object_log.h"
#include "git/write/pack_writer.h"
#include "store/history/arrival.h"
#include "store/view/state.h"
#include "torture/watch.h"

#include <fcntl.h>
#include <ftw.h>
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
int __real_pack_writer_finish(struct pack_writer *writer, struct str *name, struct err *err);
int __wrap_pack_writer_finish(struct pack_writer *writer, struct str *name, struct err *err);
int __real_arrival_begin(struct store *store, const struct object_id *from,
			 const struct object_id *to, struct err *err);
int __wrap_arrival_begin(struct store *store, const struct object_id *from,
			 const struct object_id *to, struct err *err);

/* The folder of the objects that are being packed. */
static struct str packing = STR_INIT;

__attribute__((constructor)) static void be_watched(void)
{
	watch_install();
}

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

static ssize_t lie_of_write(int fd, const void *text, size_t len)
{
	ssize_t put = write(fd, text, len);

	return put < 0 ? (ssize_t)len : put;
}

static ssize_t lie_of_pwrite(int fd, const void *text, size_t len, off_t at)
{
	ssize_t put = pwrite(fd, text, len, at);

	return put < 0 ? (ssize_t)len : put;
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
	int result = __real_object_log_begin(repo,
					     is_planted("no-mend")  ? "always"
					     : is_planted("reboot") ? "another"
								    : boot,
					     mended, err);

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
	bool hasty = is_planted("hasty") || is_planted("unflushed") || is_planted("log-cut") ||
		     is_planted("unchecked") || is_planted("early");

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
	} else if (is_planted("unchecked")) {
		lying.write = lie_of_write;
		lying.pwrite = lie_of_pwrite;
		repo->sys = &lying;
	}
	result = __real_object_log_flush(repo, err);
	repo->sys = real;
	return result;
}

static int remove_loose(const char *path, const struct stat *st, int kind, struct FTW *place)
{
	(void)st;
	(void)place;
	return kind == FTW_F && !strstr(path, "/pack/") ? unlink(path) : 0;
}

int __wrap_pack_writer_finish(struct pack_writer *writer, struct str *name, struct err *err)
{
	if (is_planted("early") && packing.len > 0)
		nftw(packing.ptr, remove_loose, 8, FTW_PHYS);
	return __real_pack_writer_finish(writer, name, err);
}

int __wrap_pack_run(struct repo *repo, struct err *err)
{
	str_clear(&packing);
	str_printf(&packing, "%sobjects", repo->folder.ptr);
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
