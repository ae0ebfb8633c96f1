/*
 * What it takes a process to confine itself to a store: in children, since it cannot be taken back,
 * and beside the start of a server, of which it is a part.
 */
#include "bench/bench.h"

#include "base/landlock.h"
#include "bench/process.h"
#include "bench/sample.h"
#include "store/files/confine.h"
#include "store/files/dir.h"
#include "store/files/dir_lock.h"
#include "store/open/confine_rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS 200
#define ENTRIES 500
#define BAR_MS 0.3
#define START_BAR 1.28

static const char *environ_of(const char *name)
{
	return getenv(name);
}

/* In the child: writes how long it took, or nothing when it was not done. */
static void confine_child(const char *path, int out)
{
	struct disk disk;
	struct confine confine;
	struct err err;
	int64_t begin;
	double ms;

	confine = (struct confine){
		.enter = confine_rules_enter, .sys = sys_real(), .env = environ_of};
	if (disk_open(&disk, sys_real(), path, &err) != 0)
		_exit(1);
	begin = bench_now_ns();
	confine_rules_enter(&confine, &disk);
	ms = (double)(bench_now_ns() - begin) / 1e6;
	if (confine_is_shut(&confine) && write(out, &ms, sizeof ms) == sizeof ms)
		_exit(0);
	_exit(1);
}

/* Milliseconds; negative when it failed. */
static double time_confine(const char *path)
{
	double ms = -1;
	int ends[2];
	pid_t child;

	if (pipe(ends) != 0)
		return -1;
	child = fork();
	if (child == 0)
		confine_child(path, ends[1]);
	close(ends[1]);
	if (child < 0 || read(ends[0], &ms, sizeof ms) != sizeof ms)
		ms = -1;
	close(ends[0]);
	if (child > 0)
		waitpid(child, NULL, 0);
	return ms;
}

/* Milliseconds from the start of a server to its first reply; negative when there is none. */
static double time_start(char *const *command)
{
	struct process process;
	STR_AUTO reply = STR_INIT;
	double ms = -1;
	int64_t begin = bench_now_ns();

	if (process_start(&process, command) != 0)
		return -1;
	if (process_send(&process,
			 "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
			 "\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{"
			 "\"name\":\"bench\",\"version\":\"1\"}}}") == 0 &&
	    process_read(&process, &reply) == 0)
		ms = (double)(bench_now_ns() - begin) / 1e6;
	process_end(&process);
	return ms;
}

static void show(struct bench *bench, double *confined, double *started)
{
	double ms = bench_median(confined, ROUNDS);
	double start_ms = bench_median(started, ROUNDS);
	double ratio = start_ms / (start_ms - ms);
	struct bench_row *row = bench_add(bench, "confining a process", "< 0.3 ms");

	snprintf(row->figure, sizeof row->figure, "%.3f ms", ms);
	snprintf(row->detail, sizeof row->detail, "p95/p99 %.3f/%.3f ms",
		 bench_percentile(confined, ROUNDS, 95), bench_percentile(confined, ROUNDS, 99));
	row->verdict = ms < BAR_MS ? BENCH_OK : BENCH_OVER;
	row = bench_add(bench, "start to first reply / less confining", "<= 1.28");
	snprintf(row->figure, sizeof row->figure, "%.2f", ratio);
	snprintf(row->detail, sizeof row->detail, "%.2f ms, of which confining is a part",
		 start_ms);
	row->verdict = ratio <= START_BAR ? BENCH_OK : BENCH_OVER;
}

static int time_all(char *const *command, const char *path, double *confined, double *started)
{
	for (size_t i = 0; i < ROUNDS; i++) {
		confined[i] = time_confine(path);
		started[i] = time_start(command);
		if (confined[i] <= 0 || started[i] <= 0)
			return -1;
	}
	return 0;
}

void bench_confine(struct bench *bench, char *kota)
{
	static double confined[ROUNDS];
	static double started[ROUNDS];
	char word[] = "serve";
	char *const command[] = {kota, word, NULL};
	struct tmpdir dir;

	if (landlock_abi(sys_real(), NULL) < LANDLOCK_ABI_MIN) {
		bench_miss(bench, "confining a process", "< 0.3 ms", BENCH_SKIPPED,
			   "this kernel has no landlock");
		return;
	}
	tmpdir_make(&dir);
	sample_write(&dir, ENTRIES, 0);
	setenv("KOTA_MEMORY_DIR", dir.path, 1);
	setenv("KOTA_MEMORY_GIT", "off", 1);
	if (time_all(command, dir.path, confined, started) != 0)
		bench_miss(bench, "confining a process", "< 0.3 ms", BENCH_FAILED,
			   "a process was not confined, or did not answer");
	else
		show(bench, confined, started);
	unsetenv("KOTA_MEMORY_DIR");
	unsetenv("KOTA_MEMORY_GIT");
	tmpdir_remove(&dir);
}
