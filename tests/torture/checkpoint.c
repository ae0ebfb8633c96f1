/*
 * Each call of a checkpoint, of merging packs, of recording a group and of repairing what a power
 * cut has taken fails, or is the last one before the process is killed. Once the next process has
 * opened the store, what was acknowledged is in the files and in the history, each change as a
 * commit of its own. The commits from before are the same, with authors, times and messages, and
 * git finds the repository whole.
 */
#include "support/tmpdir.h"
#include "torture/scribe.h"
#include "torture/watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In short form and in a control so many calls are passed over on average. */
#define PASSED_OVER 400
#define PASSED_OVER_PLANTED 8

/* Changes that are recorded at once, in one pack. */
#define GROUP 12

struct scene {
	struct row row;
	struct watch watch;
	struct tmpdir home;
	struct tmpdir dir;
	struct scribe scribe;
	struct str head; /* before anything goes wrong, as git prints it */
	char label[WATCH_WHAT + 80];
	size_t cases;
	size_t acknowledged;
};

static void set(struct scene *scene, unsigned times)
{
	while (times-- > 0) {
		scribe_touch(&scene->scribe);
		scribe_take(&scene->scribe);
	}
}

static void start(struct scene *scene, const char *fault)
{
	scribe_use_unsynced(scene->row.plant ? scene->row.plant : fault);
	scribe_start(&scene->scribe, scene->dir.path, 0, NULL);
}

static void run(struct scene *scene, const char *words)
{
	STR_AUTO command = STR_INIT;

	str_printf(&command, "cd '%s' && { %s; } >/dev/null 2>&1", scene->dir.path, words);
	/* What is killed or fails is judged by what it leaves. */
	(void)!system(command.ptr);
}

static void begin_faults(struct scene *scene, enum watch_fault fault, unsigned nth)
{
	gitlog_git(scene->dir.path, "rev-parse HEAD", &scene->head);
	watch_arm(&scene->watch, fault, nth);
}

/* Half of those that live on have the time to do better, the others are killed. */
static bool end_faults(struct scene *scene, enum watch_fault fault)
{
	bool hit = watch_disarm(&scene->watch);

	if ((hit && fault == WATCH_KILL) || row_below(&scene->row, 2) == 0)
		scribe_kill(&scene->scribe);
	else
		scribe_stop(&scene->scribe, &scene->row);
	watch_end(&scene->watch);
	return hit;
}

/* The sixth recording is followed by a checkpoint that makes a second pack, the seventh by a merge.
 */
static bool flush_and_merge(struct scene *scene, enum watch_fault fault, unsigned nth)
{
	watch_begin(&scene->watch);
	start(scene, "hasty");
	set(scene, 5);
	begin_faults(scene, fault, nth);
	set(scene, 2);
	return end_faults(scene, fault);
}

/* So many changes are recorded at once, in a pack of their own. */
static bool group(struct scene *scene, enum watch_fault fault, unsigned nth)
{
	watch_begin(&scene->watch);
	start(scene, "");
	set(scene, 1);
	begin_faults(scene, fault, nth);
	for (int n = 0; n < GROUP; n++)
		scribe_touch(&scene->scribe);
	while (scribe_take(&scene->scribe))
		;
	/* What is in doubt about a group is told with the answer after it. */
	if (!watch_disarm(&scene->watch) || fault == WATCH_KILL)
		return end_faults(scene, fault);
	set(scene, 1);
	scribe_doubt(&scene->scribe, GROUP);
	return end_faults(scene, fault);
}

/* Nothing is asked for any more: the few objects are made durable where they are. */
static bool rest(struct scene *scene, enum watch_fault fault, unsigned nth)
{
	bool hit;

	watch_begin(&scene->watch);
	start(scene, "");
	set(scene, 2);
	begin_faults(scene, fault, nth);
	server_stop(&scene->scribe.server);
	scene->scribe.running = false;
	hit = watch_disarm(&scene->watch);
	watch_end(&scene->watch);
	return hit;
}

/* The same with packs, and all of the merging at once. */
static bool compact(struct scene *scene, enum watch_fault fault, unsigned nth)
{
	bool hit;

	start(scene, "hasty");
	set(scene, 7);
	scribe_kill(&scene->scribe);
	watch_begin(&scene->watch);
	begin_faults(scene, fault, nth);
	run(scene, "\"$KOTA\" compact --dir .");
	hit = watch_disarm(&scene->watch);
	watch_end(&scene->watch);
	return hit;
}

/* The objects of two changes are torn and the branch is where it was before them. */
static bool repair(struct scene *scene, enum watch_fault fault, unsigned nth)
{
	bool hit;

	start(scene, "");
	set(scene, 1);
	scribe_stop(&scene->scribe, &scene->row);
	run(scene, "cp .git/refs/heads/main .git/before; "
		   "find .git/objects -type f >.git/durable");
	start(scene, "");
	set(scene, 2);
	scribe_kill(&scene->scribe);
	watch_begin(&scene->watch);
	begin_faults(scene, fault, nth);
	run(scene, "find .git/objects -type f | grep -vxFf .git/durable | "
		   "while read -r f; do rm -f $f; : >$f; done; "
		   "cp .git/before .git/refs/heads/main; rm .git/before .git/durable; "
		   "export KOTA_TORTURE_GIT=reboot; \"$KOTA\" set --dir . after 1");
	hit = watch_disarm(&scene->watch);
	watch_end(&scene->watch);
	setenv("KOTA_TORTURE_GIT", "reboot", 1);
	return hit;
}

static const struct act {
	const char *name;
	bool (*play)(struct scene *scene, enum watch_fault fault, unsigned nth);
	const char *next; /* how the next process goes wrong */
} acts[] = {
	{"checkpoint and merge", flush_and_merge, ""},
	{"group", group, ""},
	{"rest", rest, ""},
	{"compact", compact, ""},
	{"repair", repair, "reboot"},
};

#define ACTS (sizeof acts / sizeof *acts)

static void judge(struct scene *scene, const char *next)
{
	struct row *row = &scene->row;
	struct scribe *scribe = &scene->scribe;
	unsigned before = row->violations;
	STR_AUTO words = STR_INIT;
	struct gitlog log;
	char *state;

	scribe_use_unsynced(next);
	scribe_start(scribe, scene->dir.path, 0, NULL);
	set(scene, 1);
	scribe_stop(scribe, row);
	state = tmpdir_read(&scene->dir, "state.json");
	gitlog_read(&log, row, scene->dir.path);
	scribe_judge(scribe, row, &log, state ? state : "", NULL);
	if (log.edits > scribe->for_edits || log.recovered)
		row_violation(row, "%zu commits are an edit's, %zu recovered", log.edits,
			      log.recovered);
	str_printf(&words, "merge-base --is-ancestor %.40s HEAD", scene->head.ptr);
	if (gitlog_git(scene->dir.path, words.ptr, NULL) != 0)
		row_violation(row, "%.40s is no longer in the history", scene->head.ptr);
	gitlog_check(row, scene->dir.path);
	if (row->violations > before)
		row_violation(row, "... after %s", scene->label);
	gitlog_release(&log);
	free(state);
}

/* False when there was no n-th call. */
static bool play_case(struct scene *scene, const struct act *act, enum watch_fault fault,
		      unsigned nth)
{
	unsigned before;
	bool hit;

	tmpdir_make(&scene->dir);
	scribe_configure(scene->dir.path);
	hit = act->play(scene, fault, nth);
	before = scene->row.violations;
	snprintf(scene->label, sizeof scene->label, "%s, %s at call %u, %s", act->name,
		 watch_fault_name(fault), nth, watch_what(&scene->watch));
	judge(scene, act->next);
	scene->cases += hit;
	scene->acknowledged += scene->scribe.acknowledged;
	scribe_release(&scene->scribe);
	if (scene->row.violations > before && getenv("TORTURE_KEEP"))
		printf("kept: %s\n", scene->dir.path);
	else
		tmpdir_remove(&scene->dir);
	return hit;
}

int main(int argc, char **argv)
{
	static struct scene scene = {.head = STR_INIT};
	int first = WATCH_KILL;
	unsigned passed_over;

	row_init(&scene.row, argc, argv);
	passed_over = scene.row.plant ? PASSED_OVER_PLANTED : row_times(&scene.row, PASSED_OVER, 0);
	/* Writes that nobody checks: few calls write, and a kill makes none of them fail. */
	if (scene.row.plant && strcmp(scene.row.plant, "unchecked") == 0) {
		first = WATCH_ENOSPC;
		passed_over = 0;
	}
	tmpdir_in_memory();
	tmpdir_make(&scene.home);
	gitlog_prepare(scene.home.path);
	watch_init(&scene.watch);
	for (size_t a = 0; a < ACTS; a++) {
		for (int f = first; f < WATCH_FAULTS && !row_is_over(&scene.row); f++) {
			unsigned nth = 1 + row_below(&scene.row, passed_over + 1);

			while (!row_is_over(&scene.row) &&
			       play_case(&scene, &acts[a], (enum watch_fault)f, nth))
				nth += 1 + row_below(&scene.row, 2 * passed_over + 1);
		}
	}
	str_release(&scene.head);
	tmpdir_remove(&scene.home);
	return row_end(&scene.row,
		       "%zu kills and failures, %zu acknowledged changes: %u lost, or repositories "
		       "not whole",
		       scene.cases, scene.acknowledged, scene.row.violations);
}
