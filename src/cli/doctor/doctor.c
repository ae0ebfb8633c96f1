#include "base/time.h"
#include "base/utf8.h"
#include "cli/doctor/check.h"
#include "cli/term/streams.h"
#include "store/files/dir_lock.h"
#include "store/files/settings_files.h"
#include "store/files/store_folder.h"
#include "store/open/store.h"
#include "store/txn/repair.h"

#include <fcntl.h>
#include <stdlib.h>

static void doctor_check_settings(struct checkup *checkup)
{
	struct cli *cli = checkup->cli;
	char *personal = place_own_path(PLACE_OWN_CONFIG, cli->env);
	struct err err;

	settings_init(&checkup->settings);
	if (settings_load(&checkup->settings, cli->sys, cli->env, personal, &checkup->disk, &err) !=
	    0) {
		findings_fact(checkup->found, GROUP_STORE, "settings", "cannot be read");
		if (checkup->disk.dirfd < 0 || !checkup_refused_link(checkup, CONFIG_NAME))
			findings_add(checkup->found, FINDING_SETTINGS_BROKEN, NULL, "%s", err.text);
	} else {
		findings_detail(checkup->found, GROUP_STORE, "settings", "fine");
	}
	free(personal);
}

static const struct check doctor_settings = {doctor_check_settings, true};

/* In their order: each may need what those before it have found. Ended by NULL. */
static const struct check *const doctor_checks[] = {
	&check_trust,   &doctor_settings, &check_usage,    &check_files,
	&check_cold,    &check_notes,     &check_metadata, &check_access,
	&check_changes, &check_beside,    &check_history,  NULL,
};

static void doctor_check_all(struct checkup *checkup)
{
	struct disk *disk = &checkup->disk;
	struct stat st;

	/* disk_open() has checked that we know the format in .kota. */
	findings_detail(checkup->found, GROUP_STORE, "exists", "%s",
			disk->sys->fstatat(disk->dirfd, ".kota", &st, AT_SYMLINK_NOFOLLOW) == 0
				? "yes"
				: "yes, without .kota: the next change makes it");
	reviewed_refresh(&checkup->reviewed, disk);
	for (const struct check *const *check = doctor_checks; *check; check++) {
		if ((*check)->always || disk->origin.kind != ORIGIN_FOREIGN)
			(*check)->run(checkup);
	}
	if (disk->origin.kind == ORIGIN_FOREIGN && disk->origin.other_owner)
		check_owner.run(checkup);
	reviewed_release(&checkup->reviewed);
	usage_free(checkup->usage);
	shared_use_release(&checkup->shared_use, checkup->disk.sys);
}

/* True if the folder holds something other than a store. Then nothing is tried out in it. */
static bool doctor_is_other(struct checkup *checkup)
{
	enum folder_kind kind;
	struct err why;
	struct err err;

	if (folder_look(&checkup->disk, &kind, &why, &err) != 0)
		findings_add(checkup->found, FINDING_STORE_CLOSED, NULL, "%s", err.text);
	else if (kind == FOLDER_OTHER)
		findings_add(checkup->found, FINDING_STORE_FORMAT, NULL, "%s", why.text);
	else
		return false;
	return true;
}

/* The store at the place, or that there is none, or why it cannot be opened. */
static void doctor_examine(struct checkup *checkup, const struct place *place)
{
	struct disk *disk = &checkup->disk;
	struct err err;

	if (disk_open_at(disk, checkup->cli->sys, checkup->cli->env, place, &err) != 0) {
		findings_add(checkup->found,
			     err.code == ERR_BAD_FORMAT ? FINDING_STORE_FORMAT
							: FINDING_STORE_CLOSED,
			     NULL, "%s", err.text);
		return;
	}
	if (doctor_is_other(checkup)) {
		findings_fact(checkup->found, GROUP_STORE, "exists", "no: this is something else");
	} else if (disk->dirfd >= 0) {
		doctor_check_all(checkup);
	} else {
		findings_fact(checkup->found, GROUP_STORE, "exists",
			      "not yet: the first kota set creates it, and so does kota init");
		doctor_check_settings(checkup);
	}
	disk_close(disk);
}

static void doctor_look_at_store(struct findings *found, struct cli *cli, const struct place *place,
				 bool hands_off)
{
	struct checkup checkup = {
		.cli = cli,
		.found = found,
		.now_ms = cli->sys->now_ms(),
		.hands_off = hands_off,
		.expiring_refs = STR_INIT,
		.others_refs = STR_INIT,
		.newest_ms = TIME_NONE,
	};

	doctor_examine(&checkup, place);
	str_release(&checkup.expiring_refs);
	str_release(&checkup.others_refs);
}

void checkup_look(struct findings *found, struct cli *cli, const struct place *place)
{
	doctor_look_at_store(found, cli, place, true);
}

/* All of it, into *found. */
static void doctor_look(struct findings *found, struct cli *cli, const struct place *place)
{
	checkup_program(cli, found);
	findings_fact(found, GROUP_STORE, "store", "%s", place->path);
	findings_fact(found, GROUP_STORE, "chosen because", "%s", place->why);
	doctor_look_at_store(found, cli, place, false);
	checkup_clients(cli, found);
}

/* ---- the command line */

enum doctor_option { FIX, DRY_RUN, ALL, RECORD };

static const struct command_option options[] = {[FIX] = {.name = "--fix"},
						[DRY_RUN] = {.name = "--dry-run"},
						[ALL] = {.name = "--all"},
						[RECORD] = {.name = "--record"},
						{.name = NULL}};

static bool doctor_asks(const struct run *run, enum doctor_option option)
{
	return run->given[option] != NULL;
}

/* ---- what it does */

static int doctor_tell(struct run *run, const struct findings *found, const struct findings *before,
		       struct err *err)
{
	const struct findings_mended mended = {before, doctor_asks(run, DRY_RUN)};
	struct paint paint = paint_for(run->cli);
	STR_AUTO json = STR_INIT;
	STR_AUTO out = STR_INIT;

	if (run->options.json) {
		findings_print_json(found, &mended, &json);
		paint_add_json(&out, run->cli, str_slice(&json));
	} else {
		findings_print(found, &mended, doctor_asks(run, ALL), &paint, &out);
	}
	return streams_write(run->cli, str_slice(&out), err);
}

/* Does something to the store that is open for it. */
static int doctor_with_store(struct run *run, const struct place *place,
			     int (*work)(struct store *store, int64_t now_ms, struct err *err),
			     struct err *err)
{
	const struct sys *sys = run->cli->sys;
	struct store *store;

	if (store_open_at(&store, sys, run->cli->env, place, err) != 0)
		return -1;
	int result = work(store, sys->now_ms(), err);
	store_close(store);
	return result;
}

static bool doctor_any_fixable(const struct findings *found)
{
	for (size_t i = 0; i < found->count; i++) {
		if (finding_row(found->items[i].kind)->fix)
			return true;
	}
	return false;
}

/* What could not be done is still found afterwards; here is said why. */
static void doctor_fix(struct run *run, const struct place *place, struct findings *found,
		       struct findings *before)
{
	struct err err;

	if (doctor_asks(run, DRY_RUN) || !doctor_any_fixable(found)) {
		doctor_look(before, run->cli, place);
		return;
	}
	/* An unsigned change is shown before it is carried out. */
	for (size_t i = 0; i < found->count; i++) {
		if (found->items[i].kind == FINDING_JOURNAL_UNSIGNED)
			streams_say(run->cli, run->command, "now carried out: %s",
				    found->items[i].what);
	}
	if (doctor_with_store(run, place, repair_store, &err) != 0)
		streams_say(run->cli, run->command, "%s", err.text);
	*before = *found;
	*found = (struct findings){0};
	doctor_look(found, run->cli, place);
}

static int doctor_examine_all(struct run *run, const struct place *place, struct err *err)
{
	struct findings before = {0};
	struct findings found = {0};

	if (doctor_asks(run, RECORD) && doctor_with_store(run, place, repair_record_held, err) != 0)
		return -1;
	doctor_look(&found, run->cli, place);
	if (doctor_asks(run, FIX))
		doctor_fix(run, place, &found, &before);
	int status = doctor_tell(run, &found, doctor_asks(run, FIX) ? &before : NULL, err);
	if (status == 0)
		status = findings_status(&found);
	findings_release(&before);
	findings_release(&found);
	return status;
}

/* Where it is not even known which store to look at, the rest is told all the same. */
static int doctor_examine_without(struct run *run, const struct err *why, struct err *err)
{
	struct cli *cli = run->cli;
	struct findings found = {0};

	checkup_program(cli, &found);
	findings_fact(&found, GROUP_STORE, "store", "none");
	findings_add(&found, FINDING_STORE_CLOSED, NULL, "%s", why->text);
	checkup_clients(cli, &found);
	int status = doctor_tell(run, &found, NULL, err);
	if (status == 0)
		status = findings_status(&found);
	findings_release(&found);
	return status;
}

static int doctor_execute(struct run *run, struct err *err)
{
	PLACE_AUTO place = {0};
	struct err why;

	if (doctor_asks(run, DRY_RUN) && !doctor_asks(run, FIX))
		return err_set(err, ERR_USAGE, "--dry-run needs --fix");
	if (doctor_asks(run, FIX) && doctor_asks(run, RECORD))
		return err_set(err, ERR_USAGE, "use only one of --fix and --record");
	if (place_find(&place, run->cli->sys, run->cli->env, run->options.dir, &why) != 0) {
		*err = why;
		return why.code == ERR_USAGE ? -1 : doctor_examine_without(run, &why, err);
	}
	return doctor_examine_all(run, &place, err);
}

const struct command command_doctor = {
	.name = "doctor",
	.usage = "[--fix [--dry-run]] [--all]",
	.options = options,
	.summary = "Check the store and its clients, and say what needs attention",
	.description =
		"Say which store is used and why, how its files, its history and the clients\n"
		"are, and what needs your attention; docs/reference/doctor.md lists all that can\n"
		"be found. Nothing is changed. --all shows in full what is well, too. The exit\n"
		"status is 0 when nothing needs doing, 65 when something cannot be read, else 1.\n"
		"\n"
		"--fix does what is safe without asking, and says what it did. It finishes an\n"
		"interrupted change, even one that is not signed, removes what such changes left\n"
		"behind, rewrites metadata.json, completes .gitignore, records what waits, and\n"
		"takes permissions from others. A file that was emptied or does not parse gets\n"
		"its last text back; what stood there is kept beside it. --dry-run only says\n"
		"what --fix would do.\n"
		"\n"
		"If a secret was written into a file by hand, that file is not recorded in the\n"
		"history, because what is recorded stays there. --record first records all that\n"
		"waits, secrets too.\n",
	.execute = doctor_execute,
};
