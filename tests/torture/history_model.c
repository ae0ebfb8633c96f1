/*
 * Random operations and edits by hand, one after the other: after each the last commit has the
 * files as they are, and in the end each edit is a commit of the person's and nothing else is.
 */
#include "torture/gitlog.h"
#include "torture/load.h"

#include <stdio.h>
#include <stdlib.h>

#define JUDGE_EVERY 20

struct scene {
	struct row row;
	struct tmpdir dir;
	struct tmpdir home;
	struct books books;
	struct client client;
	size_t operations;
	size_t edits;
};

/* Into a file that no operation touches, so that it is certain what the file has. */
static void edit_by_hand(struct scene *scene)
{
	STR_AUTO text = STR_INIT;

	str_printf(&text, "{\"by hand\": {\"value\": %zu}}\n", ++scene->edits);
	tmpdir_write(&scene->dir, "shortcuts.json", text.ptr);
}

static void check_tree(struct scene *scene)
{
	STR_AUTO text = STR_INIT;

	if (!tmpdir_has(&scene->dir, ".git"))
		return;
	if (gitlog_git(scene->dir.path, "status --porcelain", &text) != 0 || text.len > 0)
		row_violation(&scene->row, "after operation %zu git status says: %s",
			      scene->operations, text.ptr);
}

static void judge(struct scene *scene)
{
	struct gitlog log;

	gitlog_read(&log, &scene->row, scene->dir.path);
	if (log.edits != scene->edits || log.recovered)
		row_violation(&scene->row, "%zu edits became %zu commits, %zu are recovered",
			      scene->edits, log.edits, log.recovered);
	gitlog_check(&scene->row, scene->dir.path);
	gitlog_release(&log);
}

static void operate(struct scene *scene)
{
	STR_AUTO reply = STR_INIT;

	if (row_below(&scene->row, 6) == 0) {
		edit_by_hand(scene);
		client_touch(&scene->client, &reply);
	}
	client_send(&scene->client, 1);
	if (!client_collect(&scene->client))
		row_violation(&scene->row, "the server went away");
	scene->operations++;
	check_tree(scene);
	if (scene->operations % JUDGE_EVERY == 0)
		judge(scene);
}

int main(int argc, char **argv)
{
	static struct scene scene;
	STR_AUTO reply = STR_INIT;
	unsigned operations;

	row_init(&scene.row, argc, argv);
	operations = row_times(&scene.row, 40, 2000);
	tmpdir_make(&scene.dir);
	tmpdir_make(&scene.home);
	gitlog_prepare(scene.home.path);
	load_configure(&scene.dir, true);
	books_init(&scene.books);
	client_start(&scene.client, &scene.row, &scene.books, &scene.dir, 0, scene.row.plant);
	client_touch(&scene.client, &reply);
	while (scene.operations < operations && !row_is_over(&scene.row))
		operate(&scene);
	client_stop(&scene.client);
	judge(&scene);
	books_release(&scene.books);
	tmpdir_remove(&scene.dir);
	tmpdir_remove(&scene.home);
	return row_end(&scene.row,
		       "%zu operations, %zu edits by hand: %u times the last commit was not what "
		       "the files were",
		       scene.operations, scene.edits, scene.row.violations);
}
