/*
 * Eight processes that change one store without a pause, on a machine that is busy with other
 * things: none is refused, and none waits much longer than the others.
 */
#include "support/tmpdir.h"
#include "torture/row.h"
#include "torture/server.h"

#include "base/mem.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define WRITERS 8
#define BUSY 8

/* The longest wait, in times of the one in the middle. */
#define TIMES_MAX 20

struct turns {
	struct row row;
	struct tmpdir dir;
	struct server servers[WRITERS];
	int64_t asked_us[WRITERS];
	unsigned asked;
	int64_t *waits_us;
	size_t count;
	size_t cap;
	unsigned refused;
};

static int by_length(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a;
	int64_t y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void ask(struct turns *turns, unsigned i)
{
	char arguments[96];

	snprintf(arguments, sizeof arguments,
		 "{\"key\":\"key %u\",\"value\":%u,\"category\":\"state\"}", i, turns->asked++);
	turns->asked_us[i] = row_clock_us();
	if (!server_send(&turns->servers[i], "memory_set", arguments))
		row_fatal("a server went away");
}

static void take(struct turns *turns, unsigned i)
{
	STR_AUTO reply = STR_INIT;

	if (!server_receive(&turns->servers[i], &reply))
		row_fatal("a server went away");
	turns->waits_us = mem_grow(turns->waits_us, &turns->cap, turns->count + 1,
				   sizeof *turns->waits_us);
	turns->waits_us[turns->count++] = row_clock_us() - turns->asked_us[i];
	if (!reply_is_ok(str_slice(&reply))) {
		turns->refused++;
		row_violation(&turns->row, "refused: %s", reply.ptr);
	}
}

static void work(struct turns *turns, int64_t for_us)
{
	int64_t until = row_clock_us() + for_us;
	struct pollfd waits[WRITERS];

	for (unsigned i = 0; i < WRITERS; i++) {
		waits[i] = (struct pollfd){.fd = turns->servers[i].out, .events = POLLIN};
		ask(turns, i);
	}
	while (row_clock_us() < until && !row_is_over(&turns->row)) {
		if (poll(waits, WRITERS, -1) < 0 && errno != EINTR)
			row_fatal("poll");
		for (unsigned i = 0; i < WRITERS; i++) {
			if (!(waits[i].revents & POLLIN))
				continue;
			take(turns, i);
			ask(turns, i);
		}
	}
	for (unsigned i = 0; i < WRITERS; i++)
		take(turns, i);
}

/* Has one waited much longer than the others? Sorts the waits. */
static bool is_unfair(struct turns *turns, int64_t *median, int64_t *longest)
{
	qsort(turns->waits_us, turns->count, sizeof *turns->waits_us, by_length);
	*median = turns->waits_us[turns->count / 2];
	*longest = turns->waits_us[turns->count - 1];
	return *longest > TIMES_MAX * *median;
}

/* Processes that do nothing but compute. */
static void be_busy(pid_t busy[BUSY])
{
	for (unsigned i = 0; i < BUSY; i++) {
		busy[i] = fork();
		while (busy[i] == 0)
			;
	}
}

int main(int argc, char **argv)
{
	static struct turns turns;
	pid_t busy[BUSY];
	int64_t median = 1;
	int64_t longest = 0;
	bool unfair = false;

	row_init(&turns.row, argc, argv);
	tmpdir_make(&turns.dir);
	tmpdir_write(&turns.dir, "config.json", "{\"git\":\"off\"}\n");
	for (unsigned i = 0; i < WRITERS; i++)
		server_start(&turns.servers[i], turns.dir.path, turns.row.plant);
	be_busy(busy);
	/* The busier the machine, the fewer are the turns in which the fault can show. */
	for (int rounds = turns.row.plant ? 4 : 1; rounds > 0; rounds--) {
		work(&turns, turns.row.full ? 60000000 : turns.row.plant ? 20000000 : 3000000);
		unfair = is_unfair(&turns, &median, &longest);
		if (unfair || turns.refused > 0)
			break;
	}
	for (unsigned i = 0; i < BUSY; i++) {
		kill(busy[i], SIGKILL);
		waitpid(busy[i], NULL, 0);
	}
	for (unsigned i = 0; i < WRITERS; i++)
		server_stop(&turns.servers[i]);
	tmpdir_remove(&turns.dir);
	if (unfair)
		row_violation(&turns.row, "one waited %lld ms", (long long)longest / 1000);
	free(turns.waits_us);
	return row_end(&turns.row,
		       "%d processes, %zu changes, %u refused; the longest wait was %lld times the "
		       "one in the middle",
		       WRITERS, turns.count, turns.refused, (long long)(longest / median));
}
