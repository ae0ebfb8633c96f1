/*
 * The power is cut while one or two processes record a history, with and without the file system's
 * journal flushed, and while the log of objects is flushed. Once the next process has opened the
 * store HEAD can be read, no object is missing, and what was acknowledged is in the history as a
 * commit of its own. Nothing is taken for a person's edit.
 */
#include "support/tmpdir.h"
#include "torture/loopdisk.h"
#include "torture/scribe.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SCRIBES 2
#define CUTS_A_STORE 10
#define LONGEST_US 120000

struct scene {
	struct row row;
	struct loopdisk disk;
	struct tmpdir home;
	char store[PATH_MAX + 32];
	struct scribe scribes[SCRIBES];
	unsigned cuts;
	unsigned stores;
	size_t acknowledged;
	size_t missing;   /* of this store: acknowledged, and recorded as something recovered */
	size_t recovered; /* of the stores before it */
};

static void read_state(const struct scene *scene, struct str *out)
{
	STR_AUTO path = STR_INIT;
	char buffer[4096];
	size_t got;
	FILE *file;

	str_printf(&path, "%s/state.json", scene->store);
	file = fopen(path.ptr, "re");
	while (file && (got = fread(buffer, 1, sizeof buffer, file)) > 0)
		str_add(out, slice_make(buffer, got));
	if (file)
		fclose(file);
}

static void begin_store(struct scene *scene)
{
	const char *plant = scene->row.plant;
	for (unsigned i = 0; i < SCRIBES; i++) {
		scene->acknowledged += scene->scribes[i].acknowledged;
		scribe_release(&scene->scribes[i]);
	}
	scene->recovered += scene->missing;
	scene->missing = 0;
	scribe_new_store(scene->disk.path, scene->stores++, scene->store, sizeof scene->store);
	/*
	 * Without a control every other store has its log flushed far more often than it would be,
	 * so that the power is cut during that, too.
	 */
	scribe_use_unsynced(plant ? plant : scene->stores % 2 ? "hasty" : "");
}

static void work_and_cut(struct scene *scene)
{
	unsigned count = 1 + row_below(&scene->row, SCRIBES);
	struct timespec pause = {.tv_nsec = row_below(&scene->row, LONGEST_US) * 1000L};

	for (unsigned i = 0; i < count; i++) {
		scribe_start(&scene->scribes[i], scene->store, i, NULL);
		scribe_send_burst(&scene->scribes[i], &scene->row);
	}
	nanosleep(&pause, NULL);
	/* What is answered by now is acknowledged; what comes later may not be. */
	loopdisk_cut_either(&scene->disk, &scene->row);
	for (unsigned i = 0; i < count; i++)
		scribe_kill(&scene->scribes[i]);
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

	read_state(scene, &state);
	gitlog_read(&log, row, scene->store);
	for (unsigned i = 0; i < SCRIBES; i++)
		scribe_judge(&scene->scribes[i], row, &log, state.ptr, &missing);
	if (log.edits > 0)
		row_violation(row, "%zu commits are said to be a person's", log.edits);
	if (missing > 0)
		row_violation(row, "%zu acknowledged changes are in no commit of their own",
			      missing);
	scene->missing = missing;
	gitlog_check(row, scene->store);
	gitlog_release(&log);
}

static void play_round(struct scene *scene)
{
	work_and_cut(scene);
	scribe_start(&scene->scribes[0], scene->store, 0, NULL);
	scribe_touch(&scene->scribes[0]);
	scribe_stop(&scene->scribes[0], &scene->row);
	judge(scene);
}

int main(int argc, char **argv)
{
	static struct scene scene;
	unsigned cuts;

	row_init(&scene.row, argc, argv);
	cuts = row_times(&scene.row, 4, 3000);
	loopdisk_make(&scene.disk);
	loopdisk_boot(&scene.disk);
	tmpdir_make(&scene.home);
	gitlog_prepare(scene.home.path);
	while (scene.cuts < cuts && !row_is_over(&scene.row)) {
		if (scene.cuts % CUTS_A_STORE == 0)
			begin_store(&scene);
		play_round(&scene);
	}
	begin_store(&scene);
	loopdisk_remove(&scene.disk);
	tmpdir_remove(&scene.home);
	return row_end(&scene.row,
		       "%u power cuts, %zu acknowledged changes, %zu of them recorded as "
		       "recovered: %u lost, or repositories unreadable",
		       scene.cuts, scene.acknowledged, scene.recovered, scene.row.violations);
}
