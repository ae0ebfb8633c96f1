#include "torture/row.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Of one row so many violations are printed; the rest is counted. */
#define SHOWN 20

static uint64_t new_seed(void)
{
	const char *given = getenv("TORTURE_SEED");
	struct timespec now;

	if (given && *given)
		return strtoull(given, NULL, 10);
	clock_gettime(CLOCK_REALTIME, &now);
	return ((uint64_t)now.tv_nsec ^ (uint64_t)now.tv_sec << 20 ^ (uint64_t)getpid()) %
	       1000000000;
}

static _Noreturn void usage(const char *program)
{
	fprintf(stderr, "usage: %s [--full] [--plant FAULT] [--seed N]\n", program);
	exit(2);
}

void row_init(struct row *row, int argc, char **argv)
{
	*row = (struct row){.seed = new_seed()};
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--full") == 0)
			row->full = true;
		else if (strcmp(argv[i], "--plant") == 0 && i + 1 < argc)
			row->plant = argv[++i];
		else if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc)
			row->seed = strtoull(argv[++i], NULL, 10);
		else
			usage(argv[0]);
	}
	row->state = row->seed;
	setvbuf(stdout, NULL, _IOLBF, 0);
}

unsigned row_times(const struct row *row, unsigned short_count, unsigned full_count)
{
	return row->full || row->plant ? full_count : short_count;
}

bool row_is_over(const struct row *row)
{
	return row->plant && row->violations > 0;
}

/* splitmix64: small, and good enough to choose instants and keys. */
uint64_t row_random(struct row *row)
{
	uint64_t z = row->state += 0x9e3779b97f4a7c15U;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
	z = (z ^ z >> 27) * 0x94d049bb133111ebU;
	return z ^ z >> 31;
}

unsigned row_below(struct row *row, unsigned n)
{
	return (unsigned)(row_random(row) % n);
}

int64_t row_clock_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

void row_violation(struct row *row, const char *format, ...)
{
	va_list args;

	if (row->violations++ >= SHOWN)
		return;
	printf("violation: ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf(" (seed %llu)\n", (unsigned long long)row->seed);
}

int row_end(const struct row *row, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	if (row->violations > 0)
		printf("; %u violations", row->violations);
	printf("; seed %llu\n", (unsigned long long)row->seed);
	return row->violations > 0;
}

_Noreturn void row_skip(const char *reason)
{
	printf("skipped: %s\n", reason);
	exit(ROW_SKIPPED);
}

_Noreturn void row_fatal(const char *what)
{
	printf("cannot go on: %s: %s\n", what, strerror(errno));
	exit(2);
}
