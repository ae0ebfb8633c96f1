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

/*
 * The longest wait, in times of the one in the middle: by the clock, and by the changes that others
 * made meanwhile, which depends less on how busy the machine is. In turn it is once or twice.
 */
#define TIMES_MAX 20
#define OVERTAKEN_MAX 8

struct wait {
	int64_t us;
	int64_t overtaken;
};

struct turns {
	struct row row;
	struct tmpdir dir;
	struct server servers[WRITERS];
	struct wait since[WRITERS]; /* the time and the number of changes when each asked */
	unsigned asked;
	struct wait *waits;
	size_t count;
	size_t cap;
	unsigned refused;
};

static int by_length(const void *a, const void *b)
{
	const struct wait *x = a;
	const struct wait *y = b;

	return (x->us > y->us) - (x->us < y->us);
}

static int by_overtaken(const void *a, const void *b)
{
	const struct wait *x = a;
	const struct wait *y = b;

	return (x->overtaken > y->overtaken) - (x->overtaken < y->overtaken);
}

static void ask(struct turns *turns, unsigned i)
{
	char arguments[96];

	snprintf(arguments, sizeof arguments,
		 "{\"key\":\"key %u\",\"value\":%u,\"category\":\"state\"}", i, turns->asked++);
	turns->since[i] = (struct wait){row_clock_us(), (int64_t)turns->count};
	if (!server_send(&turns->servers[i], "memory_set", arguments))
		row_fatal("a server went away");
}

static void take(struct turns *turns, unsigned i)
{
	STR_AUTO reply = STR_INIT;

	if (!server_receive(&turns->servers[i], &reply))
		row_fatal("a server went away");
	turns->waits = mem_grow(turns->waits, &turns->cap, turns->count + 1, sizeof *turns->waits);
	turns->waits[turns->count] = (struct wait){
		row_clock_us() - turns->since[i].us,
		(int64_t)turns->count - turns->since[i].overtaken,
	};
	turns->count++;
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

/* How many times the one in the middle is the largest? Sorts the waits. */
static int64_t spread(struct turns *turns, int (*compare)(const void *, const void *))
{
	const struct wait *middle = &turns->waits[turns->count / 2];
	const struct wait *last = &turns->waits[turns->count - 1];

	qsort(turns->waits, turns->count, sizeof *turns->waits, compare);
	if (compare == by_length)
		return last->us / (middle->us > 0 ? middle->us : 1);
	return last->overtaken / (middle->overtaken > 0 ? middle->overtaken : 1);
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
	int64_t longer = 0;
	int64_t overtaken = 0;

	row_init(&turns.row, argc, argv);
	tmpdir_make(&turns.dir);
	tmpdir_write(&turns.dir, "config.json", "{\"git\":\"off\"}\n");
	for (unsigned i = 0; i < WRITERS; i++)
		server_start(&turns.servers[i], turns.dir.path, turns.row.plant);
	be_busy(busy);
	/* The busier the machine, the fewer are the turns in which the fault can show. */
	for (int rounds = turns.row.plant ? 16 : 1; rounds > 0; rounds--) {
		work(&turns, turns.row.full ? 60000000 : turns.row.plant ? 5000000 : 3000000);
		longer = spread(&turns, by_length);
		overtaken = spread(&turns, by_overtaken);
		if (longer > TIMES_MAX || overtaken > OVERTAKEN_MAX || turns.refused > 0)
			break;
	}
	for (unsigned i = 0; i < BUSY; i++) {
		kill(busy[i], SIGKILL);
		waitpid(busy[i], NULL, 0);
	}
	for (unsigned i = 0; i < WRITERS; i++)
		server_stop(&turns.servers[i]);
	tmpdir_remove(&turns.dir);
	if (longer > TIMES_MAX || overtaken > OVERTAKEN_MAX)
		row_violation(&turns.row, "one waited too long");
	free(turns.waits);
	return row_end(&turns.row,
		       "%d processes, %zu changes, %u refused; the longest wait was %lld times the "
		       "one in the middle, the most that others did meanwhile %lld times",
		       WRITERS, turns.count, turns.refused, (long long)longer,
		       (long long)overtaken);
}
