/*
 * Starts the program that KOTA_TORTURE_PROGRAM names, with its calls watched as watch.h says: for
 * programs that do not ask for it themselves.
 */
#include "torture/watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char *program = getenv("KOTA_TORTURE_PROGRAM");

	(void)argc;
	if (!program) {
		fputs("watched: KOTA_TORTURE_PROGRAM names no program\n", stderr);
		return 126;
	}
	watch_install();
	argv[0] = program;
	execv(program, argv);
	perror(program);
	return 126;
}
