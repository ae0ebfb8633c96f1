/*
 * The same as kill_one with four processes on one store: all are killed at once, or one of them
 * while the others go on.
 */
#include "torture/killing.h"

int main(int argc, char **argv)
{
	struct killing_figures figures;
	struct row row;

	row_init(&row, argc, argv);
	killing_run(&row, 4, row_times(&row, 120, 9000), &figures);
	return row_end(&row,
		       "%zu kills of four writers, %zu within an operation, %zu times a journal "
		       "left; %zu acknowledged changes: "
		       "%u missing, doubled or unreadable",
		       figures.kills, figures.under_way, figures.journals, figures.acknowledged,
		       figures.violations);
}
