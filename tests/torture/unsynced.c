/*
 * Programs for the row history_power: kota whose history goes wrong where KOTA_TORTURE_GIT says.
 *
 *	hasty         nothing goes wrong, but the log of objects is flushed after three recordings
 *	no-git-fsync  the log of objects is not made durable
 *	no-mend       what a power cut has taken is not put back
 *	unflushed     hasty, and nothing is made durable when the log begins anew
 *	log-cut       hasty, and the log begins anew before its objects are in a pack
 *
 * Linked with --wrap, which sends every call of these functions here.
 */
#include "base/sys.h"
#include "git/write/object_log.h"

#include <stdlib.h>
#include <unistd.h>

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
	return result;
}

int __wrap_object_log_begin(struct repo *repo, const char *boot, bool *mended, struct err *err)
{
	return __real_object_log_begin(repo, is_planted("no-mend") ? "always" : boot, mended, err);
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
