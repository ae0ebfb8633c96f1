/*
 * Eight processes change one store: each change is in the history, once, and nothing else is.
 */
#include "support/tmpdir.h"
#include "torture/scribe.h"

#include <stdlib.h>

#define SCRIBES 8

static void judge(struct row *row, struct scribe scribes[], const struct tmpdir *dir,
		  size_t *commits)
{
	char *state = tmpdir_read(dir, "state.json");
	struct gitlog log;
	size_t acknowledged = 0;

	gitlog_read(&log, row, dir->path);
	for (unsigned i = 0; i < SCRIBES; i++) {
		scribe_judge(&scribes[i], row, &log, state ? state : "", NULL);
		acknowledged += scribes[i].acknowledged;
	}
	/* The first commit is of the settings, which were there before. */
	if (log.ours != acknowledged || log.commits != acknowledged + 1)
		row_violation(row, "%zu changes made %zu commits, and %zu others", acknowledged,
			      log.ours, log.commits - log.ours - 1);
	gitlog_check(row, dir->path);
	*commits = log.ours;
	gitlog_release(&log);
	free(state);
}

int main(int argc, char **argv)
{
	struct scribe scribes[SCRIBES] = {0};
	struct tmpdir dir;
	struct tmpdir home;
	struct row row;
	size_t commits = 0;
	unsigned each;

	row_init(&row, argc, argv);
	each = row.full ? 50 : 6;
	tmpdir_make(&dir);
	tmpdir_make(&home);
	gitlog_prepare(home.path);
	scribe_configure(dir.path);
	for (unsigned i = 0; i < SCRIBES; i++)
		scribe_start(&scribes[i], dir.path, i, row.plant);
	for (unsigned n = 0; n < each; n++) {
		for (unsigned i = 0; i < SCRIBES; i++)
			scribe_send(&scribes[i], &row);
	}
	for (unsigned i = 0; i < SCRIBES; i++)
		scribe_stop(&scribes[i], &row);
	judge(&row, scribes, &dir, &commits);
	for (unsigned i = 0; i < SCRIBES; i++)
		scribe_release(&scribes[i]);
	tmpdir_remove(&dir);
	tmpdir_remove(&home);
	return row_end(&row, "%u processes x %u changes: %zu commits, %u lost or doubled", SCRIBES,
		       each, commits, row.violations);
}
