/*
 * What the git program says of the history of a store.
 *
 *	gitlog_prepare(&row, dir.path);         skips the row without git
 *	...
 *	gitlog_read(&log, &row, dir.path);
 *	gitlog_count(&log, "memory_set state:a")
 *	gitlog_check(&row, dir.path);
 *	gitlog_release(&log);
 *
 * For the programs of tests/torture, whose judge is git itself and none of the program's own code.
 * The struct is the caller's.
 */
#ifndef KOTA_TORTURE_GITLOG_H
#define KOTA_TORTURE_GITLOG_H

#include "base/arena.h"
#include "base/map.h"
#include "base/str.h"
#include "torture/row.h"

struct gitlog {
	struct map deeds;   /* tool and first ref, "memory_set state:a": in so many commits */
	struct map changes; /* ids of changes */
	size_t commits;
	size_t ours;      /* commits of a change */
	size_t edits;     /* by people */
	size_t recovered; /* by the program, of what nothing explains */
	struct arena arena;
};

/*
 * Turns the history on for the processes started from here on, and keeps the settings that people
 * have for git out of it; home is where theirs would be.
 */
void gitlog_prepare(const char *home);

/* Runs `git -C dir WORDS`, a shell's words; its output into *out (NULL allowed). The exit status.
 */
int gitlog_git(const char *dir, const char *words, struct str *out);

/* Reads all commits of HEAD. It is a violation when HEAD cannot be read or a change is in twice. */
void gitlog_read(struct gitlog *out, struct row *row, const char *dir);
void gitlog_release(struct gitlog *log);

/* In how many commits this deed is. */
size_t gitlog_count(const struct gitlog *log, const char *deed);

/* It is a violation when the repository is damaged, or the last commit is not what the files are.
 */
void gitlog_check(struct row *row, const char *dir);

/* The first half of gitlog_check() alone. */
void gitlog_check_objects(struct row *row, const char *dir);

#endif
