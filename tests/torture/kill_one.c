/*
 * kill -9 at random instants of the one process that serves a store, during operations that move
 * entries between files. After each kill every file parses; after the next change the files say
 * what was acknowledged, with the whole of the change that was under way or without it.
 */
#include "torture/killing.h"

int main(int argc, char **argv)
{
	struct killing_figures figures;
	struct row row;

	row_init(&row, argc, argv);
	killing_run(&row, 1, row_times(&row, 80, 10000), &figures);
	return row_end(&row,
		       "%zu kills, %zu within an operation, %zu that left a journal; %zu "
		       "acknowledged changes: "
		       "%u missing, doubled or unreadable",
		       figures.kills, figures.under_way, figures.journals, figures.acknowledged,
		       figures.violations);
}
