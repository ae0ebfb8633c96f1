/*
 * What a session waits for at its beginning: the hook, from its start to its end, over a store as
 * full as a store is by default, against `true` and what loading the same libraries takes.
 */
#include "bench/bench.h"

#include "bench/process.h"
#include "bench/sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS 200
#define ENTRIES 500
#define VALUE_BYTES 55
#define TIMES_TRUE 3

/* Milliseconds until it has said all and is gone; negative when it failed. */
static double time_command(char *const *command)
{
	struct process process;
	char said[1 << 16];
	int64_t begin = bench_now_ns();
	int status;

	if (process_start(&process, command) != 0)
		return -1;
	close(process.to);
	while (read(process.from, said, sizeof said) > 0)
		continue;
	close(process.from);
	if (waitpid(process.pid, &status, 0) != process.pid || status != 0)
		return -1;
	return (double)(bench_now_ns() - begin) / 1e6;
}

/* The middle of what each command takes, in turns. 0 or -1. */
static int time_all(char *const *const *commands, double *ms, size_t count)
{
	static double times[3][ROUNDS];

	for (size_t i = 0; i < ROUNDS; i++) {
		for (size_t k = 0; k < count; k++) {
			times[k][i] = time_command(commands[k]);
			if (times[k][i] < 0)
				return -1;
		}
	}
	for (size_t k = 0; k < count; k++)
		ms[k] = bench_median(times[k], ROUNDS);
	return 0;
}

static void show(struct bench *bench, const char *measure, const char *bar, const double *ms)
{
	double loading = ms[1] > ms[0] ? ms[1] - ms[0] : 0;
	double times = (ms[2] - loading) / ms[0];
	struct bench_row *row = bench_add(bench, measure, bar);

	snprintf(row->figure, sizeof row->figure, "%.2f x", times);
	snprintf(row->detail, sizeof row->detail,
		 "hook %.2f ms, true %.2f ms, loading the libraries %.2f ms", ms[2], ms[0],
		 loading);
	row->verdict = times <= TIMES_TRUE ? BENCH_OK : BENCH_OVER;
}

void bench_hook(struct bench *bench, char *kota, char *nothing)
{
	static const char measure[] = "hook session-start, 500 entries, less loading";
	static const char bar[] = "<= 3 x true";
	char word[] = "hook";
	char event[] = "session-start";
	char true_name[] = "true";
	char *const commands[3][4] = {{true_name}, {nothing}, {kota, word, event}};
	char *const *const list[] = {commands[0], commands[1], commands[2]};
	struct tmpdir dir;
	double ms[3];

	tmpdir_make(&dir);
	sample_write(&dir, ENTRIES, VALUE_BYTES);
	setenv("KOTA_MEMORY_DIR", dir.path, 1);
	if (time_command(commands[2]) < 0 || time_all(list, ms, 3) != 0)
		bench_miss(bench, measure, bar, BENCH_FAILED, "a command failed");
	else
		show(bench, measure, bar, ms);
	unsetenv("KOTA_MEMORY_DIR");
	tmpdir_remove(&dir);
}
