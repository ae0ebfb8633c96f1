/*
 * Four serving processes on one store, in which each file system call fails with a chance of one in
 * a thousand. From time to time all fall silent, a healthy process makes a change, and the files
 * are judged: what was acknowledged is there, what was refused left the old or the new.
 *
 * Runs for $SOAK seconds (make soak: an hour), a few without.
 */
#include "torture/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SERVERS 4
#define BURST 12
#define BURSTS_A_ROUND 3
#define ROUNDS_A_STORE 80
#define PLANT "random:1000"

struct soak {
	struct row *row;
	struct tmpdir dir;
	struct books books;
	struct client clients[SERVERS];
	size_t stores;
	size_t rounds;
	size_t acknowledged;
	size_t failed;
};

static int64_t seconds(void)
{
	return row_clock_us() / 1000000;
}

static void burst(struct soak *soak)
{
	for (int i = 0; i < SERVERS; i++)
		client_send(&soak->clients[i], BURST);
	for (int i = 0; i < SERVERS; i++) {
		if (!client_collect(&soak->clients[i]))
			row_violation(soak->row, "server %d went away", i);
	}
}

static void judge(struct soak *soak)
{
	struct files files;

	load_touch(&soak->dir, soak->row);
	files_read(&files, &soak->dir, soak->row);
	if (files.journal)
		row_violation(soak->row, "the journal is still there");
	files_check_metadata(&files, &soak->dir, soak->row);
	books_judge(&soak->books, &files, soak->row);
	files_release(&files);
	soak->rounds++;
}

static bool is_over(const struct soak *soak, int64_t end)
{
	return row_is_over(soak->row) || soak->row->violations > 100 || seconds() >= end;
}

static void soak_one_store(struct soak *soak, int64_t end)
{
	const char *plant = soak->row->plant ? soak->row->plant : PLANT;

	tmpdir_make(&soak->dir);
	load_configure(&soak->dir, soak->stores++ % 2 == 0);
	books_init(&soak->books);
	for (unsigned i = 0; i < SERVERS; i++)
		client_start(&soak->clients[i], soak->row, &soak->books, &soak->dir, i, plant);
	for (int round = 0; round < ROUNDS_A_STORE && !is_over(soak, end); round++) {
		for (int i = 0; i < BURSTS_A_ROUND; i++)
			burst(soak);
		judge(soak);
	}
	for (int i = 0; i < SERVERS; i++) {
		soak->failed += soak->clients[i].failed;
		client_stop(&soak->clients[i]);
	}
	soak->acknowledged += soak->books.acknowledged;
	books_release(&soak->books);
	if (soak->row->violations && !soak->row->plant && getenv("SOAK_KEEP"))
		printf("kept: %s\n", soak->dir.path);
	else
		tmpdir_remove(&soak->dir);
}

static int64_t duration_s(const struct row *row)
{
	const char *given = getenv("SOAK");

	if (given && *given && !row->plant)
		return (time_t)strtoul(given, NULL, 10);
	return row->full ? 20 : row->plant ? 30 : 2;
}

int main(int argc, char **argv)
{
	struct row row;
	struct soak soak = {.row = &row};
	int64_t begin = seconds();
	int64_t end;

	row_init(&row, argc, argv);
	end = begin + duration_s(&row);
	while (!is_over(&soak, end))
		soak_one_store(&soak, end);
	return row_end(&row,
		       "%lld s, four servers, each call failing with p = 0.1 %%: %zu changes "
		       "acknowledged, %zu operations failed, %zu stores judged %zu times",
		       (long long)(seconds() - begin), soak.acknowledged, soak.failed, soak.stores,
		       soak.rounds);
}
