/*
 * Processes that record a history are killed at random instants: every acknowledged change is in
 * the files and, after the next change, in the history once, as the program's own; nothing is taken
 * for a person's edit, and no lock that is left holds up the next one.
 */
#include "support/tmpdir.h"
#include "torture/scribe.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SCRIBES 2
#define ROUNDS_A_STORE 30

struct scene {
	struct row row;
	struct tmpdir dir;
	struct tmpdir home;
	struct scribe scribes[SCRIBES];
	int64_t change_us; /* how long a change takes, about */
	size_t kills;
	size_t stores;
	size_t acknowledged;
	size_t locks; /* times at which .git/index.lock was left */
};

static void open_store(struct scene *scene)
{
	tmpdir_make(&scene->dir);
	scribe_configure(scene->dir.path);
	scene->stores++;
}

static void close_store(struct scene *scene)
{
	for (unsigned i = 0; i < SCRIBES; i++) {
		scene->acknowledged += scene->scribes[i].acknowledged;
		scribe_release(&scene->scribes[i]);
	}
	if (scene->row.violations && getenv("TORTURE_KEEP"))
		printf("kept: %s\n", scene->dir.path);
	else
		tmpdir_remove(&scene->dir);
}

/* All work; one answer is awaited, and then a while that falls into the next changes. */
static void work(struct scene *scene)
{
	int64_t begin = row_clock_us();
	struct timespec pause = {0};
	unsigned us;

	for (unsigned i = 0; i < SCRIBES; i++) {
		scribe_start(&scene->scribes[i], scene->dir.path, i, scene->row.plant);
		scribe_send_burst(&scene->scribes[i], &scene->row);
	}
	if (row_below(&scene->row, 3) > 0) {
		scribe_take(&scene->scribes[0]);
		scene->change_us += (row_clock_us() - begin - scene->change_us) / 4;
	}
	us = row_below(&scene->row, (unsigned)(3 * scene->change_us));
	pause = (struct timespec){us / 1000000, (long)(us % 1000000) * 1000};
	nanosleep(&pause, NULL);
}

static void judge(struct scene *scene)
{
	struct row *row = &scene->row;
	struct scribe *touch = &scene->scribes[0];
	struct gitlog log;
	char *state;

	scribe_start(touch, scene->dir.path, 0, row->plant);
	scribe_touch(touch);
	scribe_stop(touch, row);
	state = tmpdir_read(&scene->dir, "state.json");
	gitlog_read(&log, row, scene->dir.path);
	for (unsigned i = 0; i < SCRIBES; i++)
		scribe_judge(&scene->scribes[i], row, &log, state ? state : "", NULL);
	if (log.edits || log.recovered || log.commits != log.ours + 1)
		row_violation(row, "%zu edits, %zu recovered, %zu commits of which %zu are changes",
			      log.edits, log.recovered, log.commits, log.ours);
	gitlog_check(row, scene->dir.path);
	gitlog_release(&log);
	free(state);
}

static void play_round(struct scene *scene)
{
	work(scene);
	for (unsigned i = 0; i < SCRIBES; i++)
		scribe_kill(&scene->scribes[i]);
	scene->kills += SCRIBES;
	scene->locks += tmpdir_has(&scene->dir, ".git/index.lock");
	judge(scene);
}

int main(int argc, char **argv)
{
	static struct scene scene = {.change_us = 5000};
	unsigned kills;

	row_init(&scene.row, argc, argv);
	kills = row_times(&scene.row, 12, 600);
	tmpdir_make(&scene.home);
	gitlog_prepare(scene.home.path);
	for (unsigned round = 0; scene.kills < kills && !row_is_over(&scene.row); round++) {
		if (round % ROUNDS_A_STORE == 0)
			open_store(&scene);
		play_round(&scene);
		if (round % ROUNDS_A_STORE == ROUNDS_A_STORE - 1 || row_is_over(&scene.row) ||
		    scene.kills >= kills)
			close_store(&scene);
	}
	tmpdir_remove(&scene.home);
	return row_end(&scene.row,
		       "%zu kills, %zu times a lock left, %zu acknowledged changes: "
		       "%u lost, doubled or taken for an edit",
		       scene.kills, scene.locks, scene.acknowledged, scene.row.violations);
}
