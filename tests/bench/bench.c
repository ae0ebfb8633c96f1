/*
 * Prints one table of what was measured, each line with its bar:
 *
 *	bench KOTA ECHO NOTHING [REFERENCE ARGUMENT...]
 *
 * ECHO and NOTHING are the programs of echo.c and nothing.c. All servers and this program share one
 * processor: what wanders between two of them differs from run to run more than what is to be
 * measured.
 *
 * REFERENCE is the command of another memory server to compare with. Ends with 0 whatever the
 * figures are, and with 1 when something could not be measured.
 */
#include "bench/bench.h"

#include <assert.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const char *const verdict_names[] = {
	[BENCH_OK] = "ok",           [BENCH_OVER] = "over",
	[BENCH_SKIPPED] = "skipped", [BENCH_FAILED] = "not measured",
	[BENCH_SHOWN] = "",
};

static void print_row(const struct bench_row *row)
{
	printf("%-44s %-13s %-12s %-13s %s\n", row->measure, row->bar, row->figure,
	       verdict_names[row->verdict], row->detail);
	fflush(stdout);
}

/* The row that was added last is complete when the next one is, or when there is none. */
static void print_last(const struct bench *bench)
{
	if (bench->count)
		print_row(&bench->rows[bench->count - 1]);
	else
		printf("%-44s %-13s %-12s %-13s %s\n", "measure", "bar", "figure", "", "detail");
}

struct bench_row *bench_add(struct bench *bench, const char *measure, const char *bar)
{
	struct bench_row *row = &bench->rows[bench->count];

	assert(bench->count < BENCH_ROWS_MAX);
	print_last(bench);
	bench->count++;
	*row = (struct bench_row){.verdict = BENCH_OK};
	snprintf(row->measure, sizeof row->measure, "%s", measure);
	snprintf(row->bar, sizeof row->bar, "%s", bar);
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

double bench_percentile(const double *sorted, size_t count, size_t percent)
{
	return sorted[(count - 1) * percent / 100];
}

double bench_median_ratio(const double *a, const double *b, size_t count)
{
	double ratios[BENCH_PAIRS_MAX];

	assert(count <= BENCH_PAIRS_MAX);
	for (size_t i = 0; i < count; i++)
		ratios[i] = a[i] / b[i];
	return bench_median(ratios, count);
}

static void stay_on_one_processor(void)
{
	cpu_set_t all;
	cpu_set_t one;
	size_t cpu = 0;

	if (sched_getaffinity(0, sizeof all, &all) != 0)
		return;
	while (cpu < CPU_SETSIZE - 1 && !CPU_ISSET(cpu, &all))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (sched_setaffinity(0, sizeof one, &one) != 0)
		fprintf(stderr, "bench: the servers are not bound to one processor\n");
}

int main(int argc, char **argv)
{
	char serve[] = "serve";
	char *kota[] = {argc > 1 ? argv[1] : NULL, serve, NULL};
	char *echo[] = {argc > 2 ? argv[2] : NULL, NULL};
	char *const *reference = argc > 4 ? argv + 4 : NULL;
	struct bench bench = {.count = 0};

	if (argc < 4) {
		fprintf(stderr, "usage: bench KOTA ECHO NOTHING [REFERENCE ARGUMENT...]\n");
		return 2;
	}
	signal(SIGPIPE, SIG_IGN);
	stay_on_one_processor();
	bench_hook(&bench, argv[1], argv[3]);
	bench_confine(&bench, argv[1]);
	bench_servers(&bench, argv[1], reference);
	bench_load(&bench, kota, echo, reference);
	bench_inside(&bench);
	bench_scale(&bench);
	bench_life(&bench);
	print_last(&bench);
	for (size_t i = 0; i < bench.count; i++)
		if (bench.rows[i].verdict == BENCH_FAILED)
			return 1;
	return 0;
}
