/*
 * own DIR: makes a store one that the person trusts, see support/owned.h.
 */
#include "support/owned.h"

#include <stdio.h>

int main(int argc, char **argv)
{
	struct err err;

	if (argc != 2)
		return 2;
	if (owned_register(argv[1], &err) == 0)
		return 0;
	fprintf(stderr, "own: %s\n", err.text);
	return 1;
}
