/*
 * One row of the torture table: options, random numbers, violations and the figure.
 *
 *	int main(int argc, char **argv)
 *	{
 *		struct row row;
 *
 *		row_init(&row, argc, argv);
 *		for (unsigned i = 0; i < row_times(&row, 50, 10000); i++)
 *			if (...) row_violation(&row, "kill %u: %s is gone", i, key);
 *		return row_end(&row, "%u kills: %zu lost", ...);
 *	}
 *
 * For the programs of tests/torture, which run.sh runs: in short form from `make check`, with
 * --full from `make torture`, and with --plant FAULT as a control that has to fail. The struct is
 * the caller's; nothing is to be released. What a row prints last on standard output is its figure.
 */
#ifndef KOTA_TORTURE_ROW_H
#define KOTA_TORTURE_ROW_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct row {
	bool full;
	const char *plant; /* the fault that is planted, NULL for none; see support/planted.h */
	uint64_t seed;     /* printed with each violation and the figure */
	uint64_t state;    /* of the random numbers */
	unsigned violations;
};

/* Exit status of a row that cannot run here. */
#define ROW_SKIPPED 77

/*
 * Reads [--full] [--plant FAULT] [--seed N]; ends the program with a sentence on anything else. The
 * seed is taken from the clock unless it is given, or the environment says TORTURE_SEED.
 */
void row_init(struct row *row, int argc, char **argv);

/* How often: the short count, or the full one. A control stops at its first violation. */
unsigned row_times(const struct row *row, unsigned short_count, unsigned full_count);

/* Has the control seen what it was to see? Loops end when this is true. */
bool row_is_over(const struct row *row);

/* The next random number; below(n) is 0 to n - 1, n at least 1. */
uint64_t row_random(struct row *row);
unsigned row_below(struct row *row, unsigned n);

/* Microseconds of a clock that only runs on. */
int64_t row_clock_us(void);

/* A promise is broken: prints the sentence, the first twenty of them. */
void row_violation(struct row *row, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints the figure and the seed. Returns what main returns: 0, or 1 after a violation. */
int row_end(const struct row *row, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Ends the program: the machine lacks something (root, a file system) that the sentence names. */
_Noreturn void row_skip(const char *reason);

/* Ends the program with the sentence and errno: the test itself cannot go on. */
_Noreturn void row_fatal(const char *what);

#endif
