/* What doctor says of a store that a repository shares: how git merges its files in this clone. */
#include "cli/doctor/check.h"
#include "git/repo.h"

/* Read by the library, which runs nothing that the repository names. */
static bool merge_driver_is_known(const struct sys *sys, const char *work_tree)
{
	STR_AUTO driver = STR_INIT;
	struct err unknown;
	struct repo *repo;
	bool known;

	if (repo_open(&repo, sys, work_tree, &unknown) != 0)
		return true;
	known = repo_setting(repo, "merge.kota.driver", &driver);
	repo_close(repo);
	return known;
}

void checkup_merging(struct checkup *checkup)
{
	const struct origin *origin = &checkup->disk.origin;

	if (origin->shared && origin->root && origin->kind != ORIGIN_FOREIGN &&
	    !merge_driver_is_known(checkup->disk.sys, origin->root))
		findings_add(checkup->found, FINDING_MERGE_DRIVER_MISSING, NULL,
			     "in this clone git merges the files of the store as texts");
}

bool checkup_finds_markers(struct checkup *checkup, const char *name, struct slice text)
{
	struct slice line;
	size_t begins = 0;
	bool ends = false;

	for (size_t number = 1; slice_line(&text, &line); number++) {
		if (begins == 0 && slice_starts(line, "<<<<<<< "))
			begins = number;
		ends |= begins > 0 && slice_starts(line, ">>>>>>> ");
	}
	if (ends)
		findings_add(checkup->found, FINDING_MERGE_MARKERS, NULL,
			     "%s:%zu:1: conflict markers of git", name, begins);
	return ends;
}
