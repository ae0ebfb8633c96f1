/*
 * Measuring: what the parts of make bench share.
 *
 * Figures that depend on the machine are compared within one run, in turns (A B A B), and as the
 * median of the ratios of neighbours, so that a machine that is busy for a while changes little.
 */
#ifndef KOTA_TESTS_BENCH_H
#define KOTA_TESTS_BENCH_H

#include "base/str.h"

#include <stdint.h>

enum verdict {
	BENCH_OK,
	BENCH_OVER,    /* measured, and over the bar */
	BENCH_SKIPPED, /* there is nothing to compare with on this machine */
	BENCH_FAILED,  /* could not be measured */
	BENCH_SHOWN    /* measured, and there is no bar */
};

#define BENCH_ROWS_MAX 96

/* A line of the table. */
struct bench_row {
	char measure[48];
	char bar[32];
	char figure[32];
	char detail[160];
	enum verdict verdict;
};

struct bench {
	struct bench_row rows[BENCH_ROWS_MAX];
	size_t count;
};

/* Adds a row with figure and detail as printf writes them, to be filled by the caller. */
struct bench_row *bench_add(struct bench *bench, const char *measure, const char *bar);

/* Adds a row for what was not measured, and why. */
void bench_miss(struct bench *bench, const char *measure, const char *bar, enum verdict verdict,
		const char *why);

/* Nanoseconds of a clock that only goes forward. */
int64_t bench_now_ns(void);

/* The middle of the values, which get sorted; of an even number the mean of the two. */
double bench_median(double *values, size_t count);

/* So many percent of the values, which bench_median() has sorted, are at most this. */
double bench_percentile(const double *sorted, size_t count, size_t percent);

/* The median of a[i] / b[i]; at most BENCH_PAIRS_MAX pairs. */
#define BENCH_PAIRS_MAX 1024
double bench_median_ratio(const double *a, const double *b, size_t count);

/*
 * Against another server, reference, a command ended by NULL; NULL when there is none on this
 * machine: start to first reply, and peak memory after the same small work.
 */
void bench_servers(struct bench *bench, const char *kota, char *const *reference);

/*
 * Under load, against echo, a server that does nothing, and the reference: get, search and set over
 * stores of many sizes, many calls in flight, memory after many calls. Without history.
 */
void bench_load(struct bench *bench, char *const *kota, char *const *echo, char *const *reference);

/* Inside the server: memory_get over stores of many sizes, and a lookup against reading the keys.
 */
void bench_scale(struct bench *bench);

/* The hook of a session's beginning, against a command that does nothing. */
void bench_hook(struct bench *bench, char *kota, char *nothing);

/* What confining itself takes a server, alone and as a part of its start. */
void bench_confine(struct bench *bench, char *kota);

/* Inside the server: looking after large stores. */
void bench_life(struct bench *bench);

/* Inside the server: size of the schemas, memory_get, and memory_set against the bare system calls.
 */
void bench_inside(struct bench *bench);

#endif
