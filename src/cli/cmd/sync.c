#include "sync/sync.h"

#include "cli/args/command.h"
#include "cli/args/run_tool.h"
#include "cli/setup/program.h"
#include "cli/term/paint.h"
#include "cli/term/streams.h"
#include "json/write.h"
#include "store/open/store.h"

#include <stdlib.h>

/* How long others may be faster again and again, and how long git may take. */
#define SYNC_LIMIT_MS 120000

/* The same where nobody waits for it. */
#define BACKGROUND_LIMIT_MS 30000

enum sync_option {
	REMOTE,
	BRANCH,
	JOIN,
	DRY_RUN,
	YES,
	STATUS,
	FORGET,
	ALLOW_SECRET,
	PUSH_ALL,
	TAKE_ALL,
	LIMIT,
	BACKGROUND
};

static const struct command_option options[] = {
	[REMOTE] = {.name = "--remote", .has_value = true},
	[BRANCH] = {.name = "--branch", .has_value = true},
	[JOIN] = {.name = "--join"},
	[DRY_RUN] = {.name = "--dry-run"},
	[YES] = {.name = "--yes"},
	[STATUS] = {.name = "--status"},
	[FORGET] = {.name = "--forget"},
	[ALLOW_SECRET] = {.name = "--allow-secret"},
	[PUSH_ALL] = {.name = "--push-all"},
	[TAKE_ALL] = {.name = "--take-all"},
	[LIMIT] = {.name = "--limit", .has_value = true, .hidden = true},
	[BACKGROUND] = {.name = "--background", .hidden = true},
	{.name = NULL}};

/* ---- what is said */

/* Each line behind a phrase and two blanks. */
static void sync_add_lines(struct str *out, struct slice lines)
{
	struct slice line;

	while (slice_line(&lines, &line)) {
		str_adds(out, "  ");
		str_add(out, line);
		str_addc(out, '\n');
	}
}

static const char *sync_plural(size_t count)
{
	return count == 1 ? "" : "s";
}

static void sync_write_text(struct str *out, const struct sync_report *report, bool dry_run)
{
	const char *would = dry_run ? "would have " : "";

	if (report->took == 0 && report->gave == 0)
		str_printf(out, "%s: the same as here\n", report->url.ptr);
	if (report->took > 0) {
		str_printf(out, "%s%s %zu change%s:\n", would, dry_run ? "taken" : "took",
			   report->took, sync_plural(report->took));
		sync_add_lines(out, str_slice(&report->took_text));
	}
	if (report->gave > 0)
		str_printf(out, "%s%s %zu change%s\n", would, dry_run ? "given" : "gave",
			   report->gave, sync_plural(report->gave));
	if (report->conflict_count > 0) {
		str_printf(out,
			   "changed on both sides: %zu. One text stays in use, the other is in "
			   "the archive (kota conflicts):\n",
			   report->conflict_count);
		sync_add_lines(out, str_slice(&report->conflicts));
	}
	sync_add_lines(out, str_slice(&report->remarks));
	if (report->gone.len > 0) {
		str_adds(out, "gone, not even archived:\n");
		sync_add_lines(out, str_slice(&report->gone));
	}
}

static void sync_write_list(struct json_writer *w, const char *name, struct slice lines)
{
	struct slice line;

	json_write_name(w, slice_of(name));
	json_write_array(w);
	while (slice_line(&lines, &line))
		json_write_string(w, line);
	json_write_end(w);
}

static void sync_write_json(struct str *out, const struct cli *cli,
			    const struct sync_report *report)
{
	STR_AUTO text = STR_INIT;
	struct json_writer w = json_writer_to(&text, &json_pretty);

	json_write_object(&w);
	json_write_member_string(&w, "remote", str_slice(&report->url));
	json_write_member_int(&w, "took", (int64_t)report->took);
	json_write_member_int(&w, "gave", (int64_t)report->gave);
	sync_write_list(&w, "conflicts", str_slice(&report->conflicts));
	sync_write_list(&w, "removed", str_slice(&report->gone));
	sync_write_list(&w, "remarks", str_slice(&report->remarks));
	json_write_member_int(&w, "tries", report->tries);
	json_write_end(&w);
	paint_add_json(out, cli, str_slice(&text));
	str_addc(out, '\n');
}

/* The caller reports the error. This adds what a person needs to decide. */
static int sync_tell(struct run *run, const struct sync_report *report, int result, struct err *err)
{
	STR_AUTO out = STR_INIT;

	if (result != 0) {
		if (report->gone.len > 0 && err->code == ERR_NOT_FOUND)
			streams_say(run->cli, run->command, "these would disappear:\n%s",
				    report->gone.ptr);
		return result;
	}
	if (run->options.json)
		sync_write_json(&out, run->cli, report);
	else
		sync_write_text(&out, report, run->given[DRY_RUN] != NULL);
	return streams_write(run->cli, str_slice(&out), err);
}

/* ---- what is done */

static int sync_now(struct run *run, struct store *store, struct err *err)
{
	struct sync_options wanted = {
		.remote = run->given[REMOTE],
		.branch = run->given[BRANCH],
		.join = run->given[JOIN] != NULL,
		.yes = run->given[YES] != NULL,
		.dry_run = run->given[DRY_RUN] != NULL,
		.allow_secret = run->given[ALLOW_SECRET] != NULL,
		.push_all = run->given[PUSH_ALL] != NULL,
		.take_all = run->given[TAKE_ALL] != NULL,
		.terminal = run->cli->in_is_terminal,
		.limit_ms = SYNC_LIMIT_MS,
	};
	struct sync_report report;
	STR_AUTO git = STR_INIT;

	if (run->given[LIMIT]) /* in seconds */
		wanted.limit_ms = strtoll(run->given[LIMIT], NULL, 10) * 1000;
	if (!setup_program_find(&git, run->cli, "git"))
		return err_set(err, ERR_NOT_FOUND,
			       "there is no git program: kota sync needs one (apt install git)");
	wanted.git = git.ptr;
	int result = sync_tell(run, &report, sync_run(store, &wanted, &report, err), err);
	sync_report_release(&report);
	return result;
}

/* True if the store is to be synced without being asked. */
static bool sync_is_wanted(struct store *store)
{
	const struct origin *origin = store_origin(store);
	struct settings settings;
	struct err unread;

	return origin->synced && origin->kind == ORIGIN_OWN && !origin->shared &&
	       store_look(store, store_disk(store)->sys->now_ms(), &unread) == 0 &&
	       store_settings(store, &settings, &unread) == 0 &&
	       settings.sync_auto == SYNC_AUTO_SESSION;
}

/* Nobody reads what it says, and nobody can be asked: what goes wrong is in --status. */
static void sync_unasked(struct run *run, struct store *store)
{
	struct sync_options wanted = {.background = true, .limit_ms = BACKGROUND_LIMIT_MS};
	struct sync_report report;
	STR_AUTO git = STR_INIT;
	struct err ignored;

	if (!sync_is_wanted(store) || !setup_program_find(&git, run->cli, "git"))
		return;
	wanted.git = git.ptr;
	(void)!sync_run(store, &wanted, &report, &ignored);
	sync_report_release(&report);
}

static int sync_execute(struct run *run, struct err *err)
{
	STR_AUTO status = STR_INIT;
	struct store *store;
	int result;

	if (operation_open_store(run, &store, err) != 0)
		return -1;
	if (run->given[BACKGROUND]) {
		sync_unasked(run, store);
		result = 0;
	} else if (run->given[STATUS]) {
		result = sync_status(store, &status, err) == 0
				 ? streams_write(run->cli, str_slice(&status), err)
				 : -1;
	} else if (run->given[FORGET]) {
		result = sync_forget(store, &status, err) == 0
				 ? streams_write(run->cli, str_slice(&status), err)
				 : -1;
	} else {
		result = sync_now(run, store, err);
	}
	store_close(store);
	return result;
}

const struct command command_sync = {
	.name = "sync",
	.options = options,
	.usage = "[--remote URL [--branch B]] [--join] [--yes] [--dry-run]",
	.summary = "Keep one memory on several machines, over any git remote",
	.description =
		"Exchange changes with a git remote: those of others come here, and yours go\n"
		"there. Name the remote with --remote the first time: a path, ssh://HOST/PATH,\n"
		"HOST:PATH or https://HOST/PATH of a bare repository. It is remembered. Entries\n"
		"are merged member by member. Where both sides changed the same, one text stays\n"
		"in use and the other goes to the archive. Nobody is asked, and nothing that was\n"
		"stored is lost.\n"
		"\n"
		"--join merges stores that have no history in common, or one whose history was\n"
		"rewritten. --yes goes on even if more than a quarter of the entries would\n"
		"disappear. --dry-run only says what would happen. --status says when the store\n"
		"was last synced, --forget forgets the remote. --push-all replaces the branch\n"
		"there, if it is gone or this store was purged. --take-all replaces this store,\n"
		"if the one at the remote was purged. --allow-secret also sends a change with a\n"
		"secret.\n"
		"\n"
		"The git program runs in a folder of its own. It ignores .git/config and the\n"
		"hooks of the store.\n",
	.execute = sync_execute,
};
