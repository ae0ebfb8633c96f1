/*
 * An older version, $KOTA_OLD, and this one take turns in a store, and each is killed before a call
 * that is chosen at random. What either acknowledged is in the files, and once in the history, when
 * this version has opened the store; git finds the repository whole. An old server that was there
 * all the time refuses changes while a journal of this version waits, says so, and still reads.
 *
 * Not in the list of rows: tests/two_versions.sh builds the older version and runs this.
 */
#include "support/tmpdir.h"
#include "torture/scribe.h"
#include "torture/watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BURST 12
#define ROUNDS_A_STORE 12

/* Some more than a burst makes; in some rounds nobody is killed before the end. */
#define CALLS_MAX 2600

enum who { OLD, OLD_BYSTANDER, NEW, WRITERS };

struct scene {
	struct row row;
	struct watch watch;
	struct tmpdir home;
	struct tmpdir dir;
	struct scribe scribes[WRITERS];
	char old_program[PATH_MAX];
	char new_program[PATH_MAX];
	char watched[PATH_MAX];
	bool history;
	size_t kills;
	size_t acknowledged;
	size_t journals; /* left */
	size_t waiting;  /* times at which .pending had lines */
	size_t refused;  /* changes of an old server */
};

static void find_program(const char *path, char out[PATH_MAX])
{
	if (!realpath(path, out))
		row_fatal(path);
}

static void start(struct scene *scene, enum who who, bool watched)
{
	const char *program = who == NEW ? scene->new_program : scene->old_program;

	setenv("KOTA_TORTURE_PROGRAM", program, 1);
	setenv("KOTA", watched ? scene->watched : program, 1);
	scribe_start(&scene->scribes[who], scene->dir.path, who, NULL);
}

/* Works until it is killed before a call, or until all is answered. */
static void work(struct scene *scene, enum who who)
{
	struct scribe *scribe = &scene->scribes[who];

	watch_begin(&scene->watch);
	start(scene, who, true);
	watch_arm(&scene->watch, WATCH_KILL, 1 + row_below(&scene->row, CALLS_MAX));
	for (int n = 0; n < BURST; n++) {
		scribe_send(scribe, &scene->row);
		if (!scribe_take(scribe))
			break;
	}
	scene->kills += watch_disarm(&scene->watch);
	scribe_kill(scribe);
	watch_end(&scene->watch);
}

/* Appends what is left of a line that was being written when the power was cut. */
static void tear(struct scene *scene, const char *name)
{
	char *text = tmpdir_read(&scene->dir, name);
	STR_AUTO torn = STR_INIT;

	if (!text)
		return;
	str_printf(&torn, "%s{\"change\":\"0123", text);
	tmpdir_write(&scene->dir, name, torn.ptr);
	free(text);
}

static bool has_lines(const struct scene *scene)
{
	char *text = tmpdir_read(&scene->dir, ".pending");
	bool any = text && strchr(text, '\n') && strchr(text, '\n')[1] != '\0';

	free(text);
	return any;
}

/* This version opens the store, and all of it is judged. */
static void judge(struct scene *scene)
{
	struct row *row = &scene->row;
	struct scribe *scribe = &scene->scribes[NEW];
	struct gitlog log = {.arena = ARENA_INIT};
	char *state;

	scene->journals += tmpdir_has(&scene->dir, ".journal");
	scene->waiting += has_lines(scene);
	start(scene, NEW, false);
	scribe_touch(scribe);
	scribe_stop(scribe, row);
	if (!scribe->deeds[scribe->count - 1].acknowledged)
		row_violation(row, "the store is not taken over");
	state = tmpdir_read(&scene->dir, "state.json");
	if (scene->history) {
		gitlog_read(&log, row, scene->dir.path);
		gitlog_check(row, scene->dir.path);
		if (log.edits || log.recovered)
			row_violation(row, "%zu commits are an edit's, %zu recovered", log.edits,
				      log.recovered);
	}
	for (unsigned i = 0; i < WRITERS; i++)
		scribe_judge(&scene->scribes[i], row, scene->history ? &log : NULL,
			     state ? state : "", NULL);
	gitlog_release(&log);
	free(state);
}

/* The old version leaves the store in any state, and this one takes over. */
static void old_to_new(struct scene *scene)
{
	bool held_up = tmpdir_has(&scene->dir, ".git") && row_below(&scene->row, 4) == 0;

	/* git holds the index: changes are made and wait to be recorded. */
	if (held_up)
		tmpdir_write(&scene->dir, ".git/index.lock", "");
	work(scene, OLD);
	if (held_up)
		unlinkat(scene->dir.fd, ".git/index.lock", 0);
	if (row_below(&scene->row, 4) == 0) {
		tear(scene, ".pending");
		tear(scene, "usage.jsonl");
	}
	judge(scene);
}

/* An old server that has read the store before, and meets what this version left. */
static void new_to_old(struct scene *scene)
{
	struct row *row = &scene->row;
	struct scribe *old = &scene->scribes[OLD_BYSTANDER];
	STR_AUTO reply = STR_INIT;
	bool journal;

	start(scene, OLD_BYSTANDER, false);
	scribe_touch(old);
	scribe_take(old);
	work(scene, NEW);
	journal = tmpdir_has(&scene->dir, ".journal");
	if (!server_call(&old->server, "memory_list", "{}", &reply) ||
	    !reply_is_ok(str_slice(&reply)))
		row_violation(row, "an old server does not read: %s", reply.ptr);
	scribe_touch(old);
	server_receive(&old->server, &reply);
	old->answered = old->count;
	old->deeds[old->count - 1].acknowledged = reply_is_ok(str_slice(&reply));
	if (journal && (reply_is_ok(str_slice(&reply)) || !strstr(reply.ptr, ".journal")))
		row_violation(row, "an old server that meets a journal says: %s", reply.ptr);
	scene->refused += !reply_is_ok(str_slice(&reply));
	scribe_stop(old, row);
	judge(scene);
}

static void open_store(struct scene *scene, unsigned number)
{
	scene->history = number % 3 != 2;
	setenv("KOTA_MEMORY_GIT", scene->history ? "own" : "off", 1);
	tmpdir_make(&scene->dir);
	scribe_configure(scene->dir.path);
}

static void close_store(struct scene *scene)
{
	for (unsigned i = 0; i < WRITERS; i++) {
		scene->acknowledged += scene->scribes[i].acknowledged;
		scribe_release(&scene->scribes[i]);
	}
	if (scene->row.violations && getenv("TORTURE_KEEP"))
		printf("kept: %s\n", scene->dir.path);
	else
		tmpdir_remove(&scene->dir);
}

int main(int argc, char **argv)
{
	static struct scene scene;
	STR_AUTO watched = STR_INIT;
	char program[PATH_MAX];
	unsigned rounds;

	row_init(&scene.row, argc, argv);
	if (!getenv("KOTA_OLD"))
		row_skip("KOTA_OLD names no older version");
	find_program(getenv("KOTA_OLD"), scene.old_program);
	find_program(server_program(scene.row.plant, program, sizeof program), scene.new_program);
	if (scene.row.plant)
		setenv("KOTA_PLANT", scene.row.plant, 1);
	str_printf(&watched, "%s/tests/torture/watched", getenv("BUILD") ? getenv("BUILD") : ".");
	find_program(watched.ptr, scene.watched);
	rounds = row_times(&scene.row, 36, 2000);
	tmpdir_in_memory();
	tmpdir_make(&scene.home);
	gitlog_prepare(scene.home.path);
	watch_init(&scene.watch);
	for (unsigned n = 0; n < rounds && !row_is_over(&scene.row); n++) {
		if (n % ROUNDS_A_STORE == 0)
			open_store(&scene, n / ROUNDS_A_STORE);
		if (row_below(&scene.row, 2) == 0)
			old_to_new(&scene);
		else
			new_to_old(&scene);
		if (n % ROUNDS_A_STORE == ROUNDS_A_STORE - 1 || n == rounds - 1 ||
		    row_is_over(&scene.row))
			close_store(&scene);
	}
	tmpdir_remove(&scene.home);
	return row_end(&scene.row,
		       "%zu kills, %zu journals and %zu times changes that waited, %zu changes of "
		       "an old server refused, %zu acknowledged: %u lost, doubled or not whole",
		       scene.kills, scene.journals, scene.waiting, scene.refused,
		       scene.acknowledged, scene.row.violations);
}
