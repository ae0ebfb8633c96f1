#include "base/utf8.h"
#include "cli/args/command.h"
#include "cli/term/paint.h"
#include "cli/term/streams.h"
#include "json/write.h"
#include "store/files/dir.h"
#include "store/files/dir_lock.h"

#include <fcntl.h>

/* What a store has that is not made by using it. */
static const char *const marks[] = {".kota", ".gitignore", ".gitattributes"};

#define MARK_COUNT (sizeof marks / sizeof *marks)

/* What was not there and was made. */
struct made {
	bool directory;
	bool mark[MARK_COUNT];
};

static int init_make(struct run *run, const struct place *place, struct made *made, struct err *err)
{
	struct disk disk;

	if (disk_open_at(&disk, run->cli->sys, run->cli->env, place, err) != 0)
		return -1;
	made->directory = disk.dirfd < 0;
	for (size_t i = 0; i < MARK_COUNT; i++)
		made->mark[i] = disk_lacks(&disk, marks[i]);
	int result = disk_create(&disk, err);
	for (size_t i = 0; i < MARK_COUNT; i++)
		made->mark[i] &= !disk_lacks(&disk, marks[i]);
	disk_close(&disk);
	return result;
}

static void init_write_json(struct str *out, const struct cli *cli, const char *path,
			    const struct made *made)
{
	STR_AUTO text = STR_INIT;
	struct json_writer w = json_writer_to(&text, &json_pretty);

	json_write_object(&w);
	json_write_member_string(&w, "store", slice_of(path));
	json_write_name(&w, slice_of("made"));
	json_write_array(&w);
	if (made->directory)
		json_write_string(&w, slice_of("."));
	for (size_t i = 0; i < MARK_COUNT; i++) {
		if (made->mark[i])
			json_write_string(&w, slice_of(marks[i]));
	}
	json_write_end(&w);
	json_write_end(&w);
	paint_add_json(out, cli, str_slice(&text));
	str_addc(out, '\n');
}

static void init_write_sentence(struct str *out, const char *path, const struct made *made)
{
	size_t count = 0;
	size_t all = 0;

	for (size_t i = 0; i < MARK_COUNT; i++)
		all += made->mark[i];
	utf8_add_visible(out, slice_of(path), false);
	if (made->directory)
		str_adds(out, ": made");
	for (size_t i = 0; i < MARK_COUNT; i++) {
		if (made->mark[i])
			str_printf(out, "%s%s",
				   count == 0        ? (made->directory ? ", with " : ": made ")
				   : count + 1 < all ? ", "
						     : " and ",
				   marks[i]);
		count += made->mark[i];
	}
	if (!made->directory && count == 0)
		str_adds(out, ": is a store already, nothing to do");
	str_addc(out, '\n');
}

/* Other commands go by their own rules, which may lead to another store. */
static void init_warn_elsewhere(struct run *run, const char *path)
{
	struct cli *cli = run->cli;
	struct stat ours;
	struct stat theirs;
	PLACE_AUTO place = {0};
	struct err ignored;

	if (run->options.dir || place_find(&place, cli->sys, cli->env, NULL, &ignored) != 0)
		return;
	if (cli->sys->fstatat(AT_FDCWD, path, &ours, 0) == 0 &&
	    (cli->sys->fstatat(AT_FDCWD, place.path, &theirs, 0) != 0 ||
	     ours.st_dev != theirs.st_dev || ours.st_ino != theirs.st_ino))
		streams_say(cli, run->command, "other commands use %s (%s)", place.path, place.why);
}

static int init_make_in(struct run *run, const struct place *place, struct err *err)
{
	const char *path = place->path;
	STR_AUTO out = STR_INIT;
	struct made made;

	if (init_make(run, place, &made, err) != 0)
		return -1;
	if (run->options.json)
		init_write_json(&out, run->cli, path, &made);
	else
		init_write_sentence(&out, path, &made);
	if (streams_write(run->cli, str_slice(&out), err) != 0)
		return -1;
	init_warn_elsewhere(run, path);
	return 0;
}

static int init_execute(struct run *run, struct err *err)
{
	const struct cli *cli = run->cli;
	const char *dir = run->options.dir;
	PLACE_AUTO place = {0};
	int result = dir && dir[0] ? place_find(&place, cli->sys, cli->env, dir, err)
				   : place_here(&place, cli->sys, err);

	if (result != 0)
		return -1;
	return init_make_in(run, &place, err);
}

const struct command command_init = {
	.name = "init",
	.summary = "Make a store in ./data/kota_memory, or where --dir says",
	.description =
		"Create a store in ./data/kota_memory, or in the folder that --dir names. What\n"
		"is there already stays as it is. Storing the first entry creates a store, too.\n",
	.execute = init_execute,
};
