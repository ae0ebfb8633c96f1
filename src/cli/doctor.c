#include "base/timestamp.h"
#include "base/version.h"
#include "cli/checkup.h"
#include "cli/mishap.h"
#include "cli/streams.h"
#include "store/history.h"

#include <stdlib.h>

static void check_settings(struct checkup *checkup, const char *dir)
{
	struct cli *cli = checkup->cli;
	char *personal = place_personal_config(cli->env);
	struct err err;

	settings_init(&checkup->settings);
	if (settings_load(&checkup->settings, cli->sys, cli->env, personal, dir, &err) != 0) {
		findings_fact(checkup->found, "settings", "cannot be read");
		findings_add(checkup->found, SEVERITY_BROKEN,
			     "Mend it: until then nothing is changed and nothing expires.", "%s",
			     err.text);
	} else {
		findings_fact(checkup->found, "settings", "fine");
	}
	free(personal);
}

/* disk_open() has seen to it that what .kota says is a format that we know. */
static void check_mark(struct checkup *checkup)
{
	struct disk *disk = &checkup->disk;
	struct stat st;
	bool marked = disk->sys->fstatat(disk->dirfd, ".kota", &st, 0) == 0;

	findings_fact(checkup->found, "exists", "%s",
		      marked ? "yes" : "yes, without .kota: the next change makes it");
}

static void check_all(struct checkup *checkup)
{
	check_mark(checkup);
	check_settings(checkup, checkup->disk.path);
	checkup_files(checkup);
	checkup_cold(checkup);
	checkup_access(checkup);
	checkup_changes(checkup);
	checkup_history(checkup);
	checkup_beside(checkup);
	checkup_clock(checkup);
}

/* The store at the place, or that there is none, or why it cannot be opened. */
static void examine(struct checkup *checkup, const struct place *place)
{
	struct disk *disk = &checkup->disk;
	struct err err;

	if (disk_open(disk, checkup->cli->sys, place->path, &err) != 0) {
		findings_add(checkup->found,
			     err.code == ERR_BAD_FORMAT ? SEVERITY_BROKEN : SEVERITY_TODO,
			     "Nothing can be read or stored here until this is put right.", "%s",
			     err.text);
		return;
	}
	if (disk->dirfd >= 0) {
		check_all(checkup);
	} else {
		findings_fact(checkup->found, "exists",
			      "not yet: the first set makes it, and so does kota init");
		check_settings(checkup, NULL);
	}
	disk_close(disk);
}

static void check_hook(struct checkup *checkup)
{
	STR_AUTO line = STR_INIT;

	if (mishap_read(checkup->cli, &line))
		findings_add(checkup->found, SEVERITY_TODO,
			     "Put it right; the next session that begins well forgets it.",
			     "the hook of a session had nothing to say: %s", line.ptr);
}

static int tell(struct run *run, const struct findings *found, struct err *err)
{
	struct paint paint = paint_for(run->cli);
	STR_AUTO json = STR_INIT;
	STR_AUTO out = STR_INIT;

	if (run->options.json) {
		findings_print_json(found, &json);
		paint_add_json(&out, run->cli, str_slice(&json));
	} else {
		findings_print(found, &paint, &out);
	}
	return streams_write(run->cli, str_slice(&out), err);
}

/* What waits because of a secret in it is recorded, since the person says so. */
static int record(struct run *run, const char *path, struct err *err)
{
	const struct sys *sys = run->cli->sys;
	struct store *store;
	int result;

	if (store_open(&store, sys, run->cli->env, path, err) != 0)
		return -1;
	result = history_record_held(store, sys->now_ms(), err);
	store_close(store);
	return result;
}

static int execute(struct run *run, struct err *err)
{
	struct findings found = {0};
	struct checkup checkup = {
		.cli = run->cli,
		.found = &found,
		.now_ms = run->cli->sys->now_ms(),
		.newest_ms = TIME_NONE,
	};
	struct place place;
	int status;

	if (place_find(&place, run->cli->sys, run->cli->env, run->options.dir, err) != 0)
		return -1;
	if (run->switched && record(run, place.path, err) != 0) {
		place_release(&place);
		return -1;
	}
	findings_fact(&found, "version", "kota %s, store format %d", version_text(), STORE_FORMAT);
	findings_fact(&found, "store", "%s", place.path);
	findings_fact(&found, "because of", "%s", place.why);
	examine(&checkup, &place);
	check_hook(&checkup);
	status = tell(run, &found, err);
	if (status == 0)
		status = findings_status(&found);
	findings_release(&found);
	place_release(&place);
	return status;
}

const struct command command_doctor = {
	.name = "doctor",
	.hidden = "--record",
	.summary = "Say which store is used, and what in it needs a person",
	.description =
		"Say which store is used and why, how its files are, how much of the limits is\n"
		"used, and what needs a person, with what to do. Nothing is changed. The exit\n"
		"status is 0 when nothing needs doing, 65 when something cannot be read, else 1.\n"
		"\n"
		"A file into which a secret was written by hand is not recorded in the history,\n"
		"since what is once there stays. With --record all that waits is recorded first,\n"
		"secrets too.\n",
	.execute = execute,
};
