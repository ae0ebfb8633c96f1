/*
 * The power is cut in the middle of what one to three serving processes write: what was
 * acknowledged before is there afterwards, once, and the change under way is old or new.
 *
 * A quarter of the cuts is followed by another one in the middle of the recovery. Each comes with
 * another id of the boot, as a machine's does: the notes in .lock are not made durable and count
 * for nothing then. Every twenty-five rounds a new store is begun, so that a store's first change,
 * with all the directories that it makes, is cut too.
 */
#include "torture/ledger.h"
#include "torture/loopdisk.h"
#include "torture/row.h"
#include "torture/server.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LANES 3 /* of servers that are cut; one more for each change that recovers */
#define CUTS_OF_A_STORE 25
#define LONGEST_US 150000
#define LONGEST_RECOVERY_US 15000

/* Limits that are reached after a few changes, so that entries move all the time. */
#define CONFIG "{\"limits\":{\"entries_per_category\":9,\"total_bytes\":4096}}\n"

struct power {
	struct row row;
	struct loopdisk disk;
	struct ledger ledger;
	unsigned stores;
	unsigned cuts;
	char store[PATH_MAX + 32];
};

static void send_next(struct power *power, struct server *server, unsigned lane, bool probe)
{
	STR_AUTO arguments = STR_INIT;
	const char *tool = probe ? ledger_probe(&power->ledger, lane, &arguments)
				 : ledger_choose(&power->ledger, &power->row, lane, &arguments);

	if (!server_send(server, tool, arguments.ptr))
		row_fatal("the server is gone");
}

static void receive(struct power *power, struct server *server, unsigned lane)
{
	STR_AUTO reply = STR_INIT;

	if (!server_receive(server, &reply))
		row_fatal("the server is gone");
	ledger_answer(&power->ledger, &power->row, lane, str_slice(&reply));
}

/* Lets the servers write until the moment has come. */
static void write_until(struct power *power, struct server servers[], unsigned count,
			int64_t end_us)
{
	struct pollfd fds[LANES];
	int64_t left_us;

	for (unsigned i = 0; i < count; i++) {
		fds[i] = (struct pollfd){.fd = servers[i].out, .events = POLLIN};
		send_next(power, &servers[i], i, false);
	}
	while ((left_us = end_us - row_clock_us()) > 0) {
		struct timespec wait = {.tv_nsec = left_us * 1000};

		if (ppoll(fds, count, &wait, NULL) <= 0)
			continue;
		for (unsigned i = 0; i < count; i++) {
			if (fds[i].revents == 0 || row_clock_us() >= end_us)
				continue;
			receive(power, &servers[i], i);
			send_next(power, &servers[i], i, false);
		}
	}
}

/* Cuts, ends the servers and comes back as the machine does. */
static void cut(struct power *power, struct server servers[], unsigned count)
{
	loopdisk_cut(&power->disk);
	for (unsigned i = 0; i < count; i++)
		server_kill(&servers[i]);
	loopdisk_unmount(&power->disk);
	power->cuts++;
	loopdisk_boot(&power->disk);
}

static void cut_while_writing(struct power *power)
{
	unsigned count = 1 + row_below(&power->row, LANES);
	struct server servers[LANES];
	int64_t end_us;

	for (unsigned i = 0; i < count; i++)
		server_start(&servers[i], power->store, power->row.plant);
	end_us = row_clock_us() + row_below(&power->row, LONGEST_US);
	write_until(power, servers, count, end_us);
	cut(power, servers, count);
}

/* The first change after a cut, as a call of this lane. */
static void cut_while_recovering(struct power *power, unsigned lane)
{
	struct timespec wait = {.tv_nsec = row_below(&power->row, LONGEST_RECOVERY_US) * 1000L};
	struct server server;
	struct pollfd fd;

	server_start(&server, power->store, power->row.plant);
	fd = (struct pollfd){.fd = server.out, .events = POLLIN};
	send_next(power, &server, lane, true);
	if (ppoll(&fd, 1, &wait, NULL) > 0)
		receive(power, &server, lane);
	cut(power, &server, 1);
}

static void recover(struct power *power, unsigned lane)
{
	struct server server;

	server_start(&server, power->store, power->row.plant);
	send_next(power, &server, lane, true);
	receive(power, &server, lane);
	if (server_stop(&server) != 0)
		row_violation(&power->row, "the server does not end well");
}

/* The last store goes, so that the file system never fills. */
static void remove_store(const struct power *power)
{
	STR_AUTO command = STR_INIT;

	str_printf(&command, "rm -rf '%s'/a*", power->disk.path);
	if (system(command.ptr) != 0)
		row_fatal("rm");
}

static void write_config(const struct power *power)
{
	STR_AUTO path = STR_INIT;
	FILE *file;

	str_printf(&path, "%s/config.json", power->store);
	if (mkdir(power->store, 0700) != 0 || !(file = fopen(path.ptr, "we")))
		row_fatal(power->store);
	fputs(CONFIG, file);
	if (fclose(file) != 0)
		row_fatal(path.ptr);
	sync();
}

/*
 * One store after the other: every second one below directories that are not there either, and
 * with the usual limits.
 */
static void begin_store(struct power *power)
{
	bool deep = power->stores % 2 == 1;

	remove_store(power);
	snprintf(power->store, sizeof power->store, "%s/a%u%s", power->disk.path, power->stores++,
		 deep ? "/b/c" : "");
	ledger_init(&power->ledger, LANES + 2);
	if (!deep)
		write_config(power);
}

static void one_round(struct power *power, unsigned round)
{
	if (round % CUTS_OF_A_STORE == 0 || !ledger_has_room(&power->ledger, 500))
		begin_store(power);
	cut_while_writing(power);
	if (row_below(&power->row, 4) == 0)
		cut_while_recovering(power, LANES);
	recover(power, LANES + 1);
	ledger_judge(&power->ledger, &power->row, power->store);
}

int main(int argc, char **argv)
{
	static struct power power;
	unsigned cuts;

	row_init(&power.row, argc, argv);
	cuts = row_times(&power.row, 8, 1000);
	/* Old values are looked for in the cold archive, where they are without the history. */
	setenv("KOTA_MEMORY_GIT", "off", 1);
	loopdisk_make(&power.disk);
	loopdisk_mount(&power.disk);
	for (unsigned round = 0; power.cuts < cuts && !row_is_over(&power.row); round++)
		one_round(&power, round);
	loopdisk_remove(&power.disk);
	return row_end(&power.row,
		       "%u power cuts, %u stores, %u acknowledged changes: %u missing or doubled",
		       power.cuts, power.stores, power.ledger.acknowledged, power.row.violations);
}
