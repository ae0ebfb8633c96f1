/*
 * The control of tests/sync: kota whose sync is wrong in the way that KOTA_CARELESS names. Linked
 * with --wrap, which sends every call of a wrapped function here; its clock is that of
 * support/clocked.h.
 *
 *	no-base   stores are merged as if they had nothing in common
 *	newest    of an entry on both sides the later one stays and the other is forgotten
 *	silent    no machine tells the others what it used
 *	unheard   it does not matter how git ended
 *	hasty     who comes late tries again at once
 *	eight     the same, and after eight tries no more
 */
#include "merge/merge_entry.h"
#include "sync/git_run.h"
#include "sync/publish.h"
#include "sync/remote.h"
#include "sync/whole_merge.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static bool careless(const char *how)
{
	const char *wanted = getenv("KOTA_CARELESS");

	return wanted && strcmp(wanted, how) == 0;
}

int __real_whole_merge(struct repo *repo, const struct whole_sides *sides, size_t entry_bytes,
		       struct whole_result *out, struct err *err);
int __wrap_whole_merge(struct repo *repo, const struct whole_sides *sides, size_t entry_bytes,
		       struct whole_result *out, struct err *err);
int __wrap_whole_merge(struct repo *repo, const struct whole_sides *sides, size_t entry_bytes,
		       struct whole_result *out, struct err *err)
{
	struct whole_sides seen = *sides;

	if (careless("no-base"))
		seen.base_count = 0;
	return __real_whole_merge(repo, &seen, entry_bytes, out, err);
}

struct entry_merge __real_entry_merge(const struct versions *v, size_t entry_bytes,
				      struct arena *arena);
struct entry_merge __wrap_entry_merge(const struct versions *v, size_t entry_bytes,
				      struct arena *arena);
struct entry_merge __wrap_entry_merge(const struct versions *v, size_t entry_bytes,
				      struct arena *arena)
{
	struct versions sides = {.a = v->a, .b = v->b};
	bool a_wins;

	if (!careless("newest") || !v->a.doc || !v->b.doc)
		return __real_entry_merge(v, entry_bytes, arena);
	a_wins = entry_ranks_before(&sides);
	return (struct entry_merge){.pick = a_wins ? PICK_A : PICK_B, .a_wins = a_wins};
}

int __real_publish_use(struct store *store, struct repo *repo, int64_t since_ms,
		       struct object_id *head, struct err *err);
int __wrap_publish_use(struct store *store, struct repo *repo, int64_t since_ms,
		       struct object_id *head, struct err *err);
int __wrap_publish_use(struct store *store, struct repo *repo, int64_t since_ms,
		       struct object_id *head, struct err *err)
{
	return careless("silent") ? 0 : __real_publish_use(store, repo, since_ms, head, err);
}

int __real_git_run(const struct git_run *run, const char *const *words, struct str *said,
		   int *status, struct err *err);
int __wrap_git_run(const struct git_run *run, const char *const *words, struct str *said,
		   int *status, struct err *err);
int __wrap_git_run(const struct git_run *run, const char *const *words, struct str *said,
		   int *status, struct err *err)
{
	int result = __real_git_run(run, words, said, status, err);

	if (careless("unheard")) {
		*status = 0;
		return 0;
	}
	return result;
}

int __real_nanosleep(const struct timespec *wanted, struct timespec *left);
int __wrap_nanosleep(const struct timespec *wanted, struct timespec *left);
int __wrap_nanosleep(const struct timespec *wanted, struct timespec *left)
{
	return careless("hasty") || careless("eight") ? 0 : __real_nanosleep(wanted, left);
}

int __real_remote_push(struct remote *remote, const struct object_id *commit,
		       const struct object_id *instead, enum pushed *out, struct err *err);
int __wrap_remote_push(struct remote *remote, const struct object_id *commit,
		       const struct object_id *instead, enum pushed *out, struct err *err);
int __wrap_remote_push(struct remote *remote, const struct object_id *commit,
		       const struct object_id *instead, enum pushed *out, struct err *err)
{
	static int tries;
	int result = __real_remote_push(remote, commit, instead, out, err);

	if (careless("eight") && result == 0 && *out == PUSH_LATE && ++tries == 8)
		return err_set(err, ERR_BUSY, "others were faster 8 times");
	return result;
}
