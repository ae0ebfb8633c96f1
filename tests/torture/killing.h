/*
 * Serving processes that are killed at random instants, and what is judged after each time.
 *
 *	struct killing_figures figures;
 *	killing_run(&row, 4, 9000, &figures);
 *
 * For the rows kill_one and kill_four. Most of the time goes by waiting for the disk, therefore
 * several crews work side by side, each on stores of its own.
 */
#ifndef KOTA_TORTURE_KILLING_H
#define KOTA_TORTURE_KILLING_H

#include "torture/row.h"

struct killing_figures {
	size_t kills;
	size_t under_way;    /* kills that fell into an operation */
	size_t journals;     /* times at which a journal was left */
	size_t acknowledged; /* changes */
	unsigned violations;
};

/* Kills so many times a client, of as many on each store; the control ends with a violation. */
void killing_run(struct row *row, unsigned clients, unsigned kills,
		 struct killing_figures *figures);

#endif
