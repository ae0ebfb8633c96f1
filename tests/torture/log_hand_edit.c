/*
 * A person edits an entry right after it was changed: the change stands in the log of objects, and
 * nothing of the history is durable elsewhere. Then the process is killed or the power is cut,
 * sometimes within the change after that, which takes the edit in. Once the next process has opened
 * the store each edit is in the file and in the history, and so is what was acknowledged.
 */
#include "support/tmpdir.h"
#include "torture/loopdisk.h"
#include "torture/scribe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BURST 4
#define ROUNDS_A_STORE 10
#define LONGEST_US 20000

struct scene {
	struct row row;
	struct loopdisk disk;
	struct tmpdir home;
	char store[PATH_MAX + 32];
	struct scribe scribe;
	unsigned stores;
	unsigned kills;
	unsigned cuts;
	unsigned edits;
	unsigned edits_before; /* in the stores before this one */
	size_t acknowledged;
};

static void begin_store(struct scene *scene)
{
	scene->acknowledged += scene->scribe.acknowledged;
	scribe_release(&scene->scribe);
	scene->edits_before = scene->edits;
	scribe_new_store(scene->disk.path, scene->stores++, scene->store, sizeof scene->store);
}

/* Another value for the entry that was set last, saved durably, by rename or in place. */
static void edit(struct scene *scene)
{
	bool in_place = row_below(&scene->row, 2) == 0;
	STR_AUTO command = STR_INIT;

	str_printf(&command,
		   "umask 077; cd '%s' && sed '/\"w0 k%u\"/{n;s/: [0-9]*/: \"by hand %u\"/}' "
		   "state.json >../hand && grep -q '\"by hand %u\"' ../hand && %s && sync . "
		   "state.json",
		   scene->store, scene->scribe.keys, scene->edits + 1, scene->edits + 1,
		   in_place ? "cat ../hand >state.json" : "sync ../hand && mv ../hand state.json");
	if (system(command.ptr) != 0)
		row_fatal("an edit");
	scene->edits++;
}

static void kill_or_cut(struct scene *scene)
{
	if (row_below(&scene->row, 3) == 0) {
		scribe_kill(&scene->scribe);
		scene->kills++;
		return;
	}
	loopdisk_cut_either(&scene->disk, &scene->row);
	scribe_kill(&scene->scribe);
	scene->cuts++;
	loopdisk_unmount(&scene->disk);
	loopdisk_boot(&scene->disk);
}

static void judge(struct scene *scene)
{
	struct row *row = &scene->row;
	STR_AUTO state = STR_INIT;
	struct gitlog log;
	size_t missing = 0;

	gitlog_read(&log, row, scene->store);
	gitlog_check(row, scene->store);
	/* The files are what HEAD has, or that was a violation. */
	gitlog_git(scene->store, "show HEAD:state.json", &state);
	scribe_judge(&scene->scribe, row, &log, state.ptr, &missing);
	if (missing > 0)
		row_violation(row, "%zu acknowledged changes are in no commit of their own",
			      missing);
	for (unsigned i = scene->edits_before + 1; i <= scene->edits; i++) {
		STR_AUTO value = STR_INIT;

		str_printf(&value, "\"by hand %u\"", i);
		if (!strstr(state.ptr, value.ptr))
			row_violation(row, "edit %u is lost", i);
	}
	gitlog_release(&log);
}

static void play_round(struct scene *scene)
{
	struct scribe *scribe = &scene->scribe;
	struct timespec pause = {.tv_nsec = row_below(&scene->row, LONGEST_US) * 1000L};

	scribe_start(scribe, scene->store, 0, NULL);
	for (unsigned n = 1 + row_below(&scene->row, BURST); n > 0; n--)
		scribe_touch(scribe);
	while (scribe_take(scribe))
		;
	edit(scene);
	if (row_below(&scene->row, 2) == 0)
		scribe_touch(scribe);
	nanosleep(&pause, NULL);
	kill_or_cut(scene);
	scribe_start(scribe, scene->store, 0, NULL);
	scribe_touch(scribe);
	scribe_stop(scribe, &scene->row);
	judge(scene);
}

int main(int argc, char **argv)
{
	static struct scene scene;
	unsigned rounds;

	row_init(&scene.row, argc, argv);
	rounds = row_times(&scene.row, 8, 1000);
	loopdisk_make(&scene.disk);
	loopdisk_boot(&scene.disk);
	tmpdir_make(&scene.home);
	gitlog_prepare(scene.home.path);
	scribe_use_unsynced(scene.row.plant ? scene.row.plant : "");
	while (scene.edits < rounds && !row_is_over(&scene.row)) {
		if (scene.edits % ROUNDS_A_STORE == 0)
			begin_store(&scene);
		play_round(&scene);
	}
	begin_store(&scene);
	loopdisk_remove(&scene.disk);
	tmpdir_remove(&scene.home);
	return row_end(&scene.row,
		       "%u edits before %u kills and %u power cuts, %zu acknowledged changes: "
		       "%u lost, or repositories unreadable",
		       scene.edits, scene.kills, scene.cuts, scene.acknowledged,
		       scene.row.violations);
}
