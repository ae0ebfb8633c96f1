#include "base/shown.h"
#include "base/timestamp.h"
#include "cli/checkup.h"
#include "cli/help.h"
#include "cli/streams.h"
#include "cli/suggest.h"
#include "store/history.h"
#include "store/mend.h"

#include <stdlib.h>

static void check_settings(struct checkup *checkup, const char *dir)
{
	struct cli *cli = checkup->cli;
	char *personal = place_personal_config(cli->env);
	struct err err;

	settings_init(&checkup->settings);
	if (settings_load(&checkup->settings, cli->sys, cli->env, personal, dir, &err) != 0) {
		findings_fact(checkup->found, GROUP_STORE, "settings", "cannot be read");
		findings_add(checkup->found, FINDING_SETTINGS_BROKEN, NULL, "%s", err.text);
	} else {
		findings_detail(checkup->found, GROUP_STORE, "settings", "fine");
	}
	free(personal);
}

/* disk_open() has seen to it that what .kota says is a format that we know. */
static void check_mark(struct checkup *checkup)
{
	struct disk *disk = &checkup->disk;
	struct stat st;
	bool marked = disk->sys->fstatat(disk->dirfd, ".kota", &st, 0) == 0;

	findings_detail(checkup->found, GROUP_STORE, "exists", "%s",
			marked ? "yes" : "yes, without .kota: the next change makes it");
}

static void check_all(struct checkup *checkup)
{
	check_mark(checkup);
	check_settings(checkup, checkup->disk.path);
	checkup_usage(checkup);
	checkup_files(checkup);
	checkup_cold(checkup);
	checkup_notes(checkup);
	checkup_metadata(checkup);
	checkup_access(checkup);
	checkup_changes(checkup);
	checkup_beside(checkup);
	checkup_history(checkup);
	checkup_clock(checkup);
	usage_free(checkup->usage);
}

/* The store at the place, or that there is none, or why it cannot be opened. */
static void examine(struct checkup *checkup, const struct place *place)
{
	struct disk *disk = &checkup->disk;
	struct err err;

	if (disk_open(disk, checkup->cli->sys, place->path, &err) != 0) {
		findings_add(checkup->found,
			     err.code == ERR_BAD_FORMAT ? FINDING_STORE_FORMAT
							: FINDING_STORE_CLOSED,
			     NULL, "%s", err.text);
		return;
	}
	if (disk->dirfd >= 0) {
		check_all(checkup);
	} else {
		findings_fact(checkup->found, GROUP_STORE, "exists",
			      "not yet: the first set makes it, and so does kota init");
		check_settings(checkup, NULL);
	}
	disk_close(disk);
}

static void look_at_store(struct findings *found, struct cli *cli, const struct place *place,
			  bool hands_off)
{
	struct checkup checkup = {
		.cli = cli,
		.found = found,
		.now_ms = cli->sys->now_ms(),
		.hands_off = hands_off,
		.expiring_refs = STR_INIT,
		.newest_ms = TIME_NONE,
	};

	examine(&checkup, place);
	str_release(&checkup.expiring_refs);
}

void checkup_look(struct findings *found, struct cli *cli, const struct place *place)
{
	look_at_store(found, cli, place, true);
}

/* All of it, into *found. */
static void look(struct findings *found, struct cli *cli, const struct place *place)
{
	checkup_program(cli, found);
	findings_fact(found, GROUP_STORE, "store", "%s", place->path);
	findings_fact(found, GROUP_STORE, "because of", "%s", place->why);
	look_at_store(found, cli, place, false);
	checkup_clients(cli, found);
}

/* ---- the command line */

static const char *const offers[] = {"--fix", "--dry-run", "--all", "--record", NULL};

struct request {
	struct run *run;
	bool fix;
	bool dry_run;
	bool all;
	bool record;
};

static bool take_switch(struct request *request, const char *word)
{
	const struct {
		const char *name;
		bool *flag;
	} flags[] = {
		{"--fix", &request->fix},
		{"--dry-run", &request->dry_run},
		{"--all", &request->all},
		{"--record", &request->record},
	};

	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
		if (strcmp(word, flags[i].name) == 0) {
			*flags[i].flag = true;
			return true;
		}
	}
	return false;
}

static int refuse_option(const char *word, struct err *err)
{
	struct suggestion suggestion = suggestion_for(slice_of(word));
	STR_AUTO scratch = STR_INIT;
	STR_AUTO hint = STR_INIT;

	for (const char *const *name = offers; *name; name++)
		suggestion_offer(&suggestion, *name);
	suggestion_add(&suggestion, &hint);
	return err_set(err, ERR_USAGE,
		       "%s: no such option; %skota help doctor says which there are",
		       shown(&scratch, slice_of(word)), hint.len ? hint.ptr : "");
}

static int take_word(struct request *request, struct err *err)
{
	struct words *words = &request->run->words;
	STR_AUTO scratch = STR_INIT;
	bool taken = false;

	if (take_switch(request, words_peek(words))) {
		words_next(words);
		return 0;
	}
	if (!words_at_option(words))
		return err_set(err, ERR_USAGE, "\"%s\": one word too many",
			       shown(&scratch, slice_of(words_peek(words))));
	if (options_take(&request->run->options, words, &taken, err) != 0)
		return -1;
	return taken ? 0 : refuse_option(words_peek(words), err);
}

static int take_words(struct request *request, struct err *err)
{
	while (words_peek(&request->run->words)) {
		if (take_word(request, err) != 0)
			return -1;
	}
	if (request->dry_run && !request->fix)
		return err_set(err, ERR_USAGE, "--dry-run: goes with --fix");
	if (request->fix && request->record)
		return err_set(err, ERR_USAGE, "--fix and --record: one after the other");
	return 0;
}

/* ---- what it does */

static int tell(struct request *request, const struct findings *found,
		const struct findings *before, struct err *err)
{
	const struct findings_mended mended = {before, request->dry_run};
	struct run *run = request->run;
	struct paint paint = paint_for(run->cli);
	STR_AUTO json = STR_INIT;
	STR_AUTO out = STR_INIT;

	if (run->options.json) {
		findings_print_json(found, &mended, &json);
		paint_add_json(&out, run->cli, str_slice(&json));
	} else {
		findings_print(found, &mended, request->all, &paint, &out);
	}
	return streams_write(run->cli, str_slice(&out), err);
}

/* Does something to the store that is open for it. */
static int with_store(struct run *run, const char *path,
		      int (*work)(struct store *store, int64_t now_ms, struct err *err),
		      struct err *err)
{
	const struct sys *sys = run->cli->sys;
	struct store *store;
	int result;

	if (store_open(&store, sys, run->cli->env, path, err) != 0)
		return -1;
	result = work(store, sys->now_ms(), err);
	store_close(store);
	return result;
}

static bool any_fixable(const struct findings *found)
{
	for (size_t i = 0; i < found->count; i++) {
		if (finding_row(found->items[i].kind)->fix)
			return true;
	}
	return false;
}

/* What could not be done is still found afterwards; here is said why. */
static void fix(struct request *request, const struct place *place, struct findings *found,
		struct findings *before)
{
	struct run *run = request->run;
	struct err err;

	if (request->dry_run || !any_fixable(found)) {
		look(before, run->cli, place);
		return;
	}
	if (with_store(run, place->path, mend_store, &err) != 0)
		streams_say(run->cli, run->command, slice_of(err.text));
	*before = *found;
	*found = (struct findings){0};
	look(found, run->cli, place);
}

static int examine_all(struct request *request, const struct place *place, struct err *err)
{
	struct run *run = request->run;
	struct findings before = {0};
	struct findings found = {0};
	int status;

	if (request->record && with_store(run, place->path, history_record_held, err) != 0)
		return -1;
	look(&found, run->cli, place);
	if (request->fix)
		fix(request, place, &found, &before);
	status = tell(request, &found, request->fix ? &before : NULL, err);
	if (status == 0)
		status = findings_status(&found);
	findings_release(&before);
	findings_release(&found);
	return status;
}

static int execute(struct run *run, struct err *err)
{
	struct request request = {.run = run};
	struct place place;
	int status;

	if (take_words(&request, err) != 0)
		return -1;
	if (run->options.help)
		return help_show(run, slice_of(run->command), err);
	if (place_find(&place, run->cli->sys, run->cli->env, run->options.dir, err) != 0)
		return -1;
	status = examine_all(&request, &place, err);
	place_release(&place);
	return status;
}

const struct command command_doctor = {
	.name = "doctor",
	.usage = "[--fix [--dry-run]] [--all]",
	.offers = offers,
	.takes_all = true,
	.summary = "Say how the store is, who uses it, and what needs a person",
	.description =
		"Say which store is used and why, how its files, its history and the clients\n"
		"are, and what needs a person, with what to do: docs/DOCTOR.md has all of it.\n"
		"Nothing is changed. --all shows what is well in full. The exit status is 0 when\n"
		"nothing needs doing, 65 when something cannot be read, else 1.\n"
		"\n"
		"--fix does what is safe without asking, and says what it did: it finishes an\n"
		"interrupted change, clears away what such have left, writes metadata.json anew,\n"
		"completes .gitignore, records what waits, takes rights away from others. No\n"
		"entry changes, and no file that cannot be read is touched. --dry-run says it\n"
		"first.\n"
		"\n"
		"A file into which a secret was written by hand is not recorded in the history,\n"
		"since what is once there stays. With --record all that waits is recorded first,\n"
		"secrets too.\n",
	.execute = execute,
};
