/*
 * Prints one table of what was measured, each line with its bar:
 *
 *	bench KOTA [REFERENCE ARGUMENT...]
 *
 * REFERENCE is the command of another memory server to compare with. Ends with 0 whatever the
 * figures are, and with 1 when something could not be measured.
 */
#include "bench/bench.h"

#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const char *const verdict_names[] = {
	[BENCH_OK] = "ok",
	[BENCH_OVER] = "over",
	[BENCH_SKIPPED] = "skipped",
	[BENCH_FAILED] = "not measured",
};

struct bench_row *bench_add(struct bench *bench, const char *measure, const char *bar)
{
	struct bench_row *row = &bench->rows[bench->count++];

	assert(bench->count <= BENCH_ROWS_MAX);
	*row = (struct bench_row){.measure = measure, .bar = bar};
	return row;
}

void bench_miss(struct bench *bench, const char *measure, const char *bar, enum verdict verdict,
		const char *why)
{
	struct bench_row *row = bench_add(bench, measure, bar);

	row->verdict = verdict;
	snprintf(row->figure, sizeof row->figure, "-");
	snprintf(row->detail, sizeof row->detail, "%s", why);
}

int64_t bench_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

double bench_median(double *values, size_t count)
{
	assert(count > 0);
	qsort(values, count, sizeof *values, compare_doubles);
	return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

double bench_median_ratio(const double *a, const double *b, size_t count)
{
	double ratios[BENCH_PAIRS_MAX];

	assert(count <= BENCH_PAIRS_MAX);
	for (size_t i = 0; i < count; i++)
		ratios[i] = a[i] / b[i];
	return bench_median(ratios, count);
}

static int print_table(const struct bench *bench)
{
	int status = 0;

	printf("%-36s %-14s %-12s %-13s %s\n", "measure", "bar", "figure", "", "detail");
	for (size_t i = 0; i < bench->count; i++) {
		const struct bench_row *row = &bench->rows[i];

		printf("%-36s %-14s %-12s %-13s %s\n", row->measure, row->bar, row->figure,
		       verdict_names[row->verdict], row->detail);
		if (row->verdict == BENCH_FAILED)
			status = 1;
	}
	return status;
}

int main(int argc, char **argv)
{
	struct bench bench = {.count = 0};

	if (argc < 2) {
		fprintf(stderr, "usage: bench KOTA [REFERENCE ARGUMENT...]\n");
		return 2;
	}
	signal(SIGPIPE, SIG_IGN);
	bench_servers(&bench, argv[1], argc > 2 ? argv + 2 : NULL);
	bench_inside(&bench);
	return print_table(&bench);
}
