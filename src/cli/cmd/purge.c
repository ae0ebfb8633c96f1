#include "store/purge/purge.h"

#include "base/utf8.h"
#include "cli/args/command.h"
#include "cli/args/run_tool.h"
#include "cli/edit/editor.h"
#include "cli/term/paint.h"
#include "cli/term/progress_bar.h"
#include "cli/term/streams.h"
#include "json/write.h"
#include "store/open/store.h"
#include "sync/purged.h"
#include "tools/registry.h"

#include <stdlib.h>

#define YES "--yes"

/* *agreed says whether to go on. Without a terminal nobody can be asked. */
static int purge_confirm(struct run *run, const struct purge_key *key, bool *agreed,
			 struct err *err)
{
	STR_AUTO scratch = STR_INIT;
	STR_AUTO question = STR_INIT;

	*agreed = run->given[0] != NULL;
	if (*agreed)
		return 0;
	if (!run->cli->in_is_terminal)
		return err_set(
			err, ERR_USAGE,
			"nothing was purged: there is no terminal to ask on; re-run with " YES
			", this cannot be undone");
	str_printf(&question,
		   "%s and all its past values will be destroyed, in the files, the archives and "
		   "the history; this cannot be undone. Purge it? [y/N] ",
		   shown(&scratch, str_slice(&key->ref)));
	if (streams_write(run->cli, str_slice(&question), err) != 0)
		return -1;
	*agreed = streams_read_yes(run->cli->in, false);
	return 0;
}

/* What was removed where, in the order in which it is told. */
struct place_count {
	const char *name; /* in JSON */
	const char *words;
	size_t count;
};

#define PLACES 8

static void purge_list_places(const struct purge_report *report, struct place_count out[PLACES])
{
	const struct place_count places[PLACES] = {
		{"entries", "in the category file", report->entries},
		{"archived", "in archive.json", report->records},
		{"cold", "in the cold archive", report->cold},
		{"relations", "in relations.json", report->relations},
		{"usage", "in usage.jsonl", report->usage},
		{"beside", "in files kept beside these", report->beside},
		{"versions", "in versions of files in the history", report->texts},
		{"commits", "commits rewritten", report->commits},
	};

	memcpy(out, places, sizeof places);
}

static void purge_write_json(struct str *out, const struct cli *cli, const struct purge_key *key,
			     const struct purge_report *report)
{
	struct place_count places[PLACES];
	STR_AUTO text = STR_INIT;

	purge_list_places(report, places);
	struct json_writer w = json_writer_to(&text, &json_pretty);
	json_write_object(&w);
	json_write_member_string(&w, "purged", str_slice(&key->ref));
	json_write_name(&w, slice_of("earlier_names"));
	json_write_array(&w);
	for (size_t i = 0; i < report->earlier_count; i++)
		json_write_string(&w, slice_of(report->earlier[i]));
	json_write_end(&w);
	json_write_name(&w, slice_of("removed"));
	json_write_object(&w);
	for (size_t i = 0; i < PLACES; i++)
		json_write_member_int(&w, places[i].name, (int64_t)places[i].count);
	json_write_end(&w);
	json_write_name(&w, slice_of("not_reached"));
	json_write_array(&w);
	for (size_t i = 0; i < report->unreached_count; i++)
		json_write_string(&w, slice_of(report->unreached[i]));
	json_write_end(&w);
	json_write_end(&w);
	paint_add_json(out, cli, str_slice(&text));
	str_addc(out, '\n');
}

static void purge_write_text(struct str *out, const struct cli *cli, const struct purge_key *key,
			     const struct purge_report *report)
{
	struct paint paint = paint_for(cli);
	struct place_count places[PLACES];
	STR_AUTO scratch = STR_INIT;
	bool any = false;

	purge_list_places(report, places);
	str_printf(out, "%s: purged\n", shown(&scratch, str_slice(&key->ref)));
	for (size_t i = 0; i < report->earlier_count; i++)
		str_printf(out, "  with what was once %s\n",
			   shown(&scratch, slice_of(report->earlier[i])));
	for (size_t i = 0; i < PLACES; i++) {
		if (places[i].count > 0)
			str_printf(out, "  %6zu %s\n", places[i].count, places[i].words);
		any = any || places[i].count > 0;
	}
	if (!any)
		str_adds(out, "  nothing was left of it here\n");
	str_adds(out, "Not reached:\n");
	for (size_t i = 0; i < report->unreached_count; i++) {
		str_adds(out, "  ");
		paint_add(out, &paint, paint.plain, slice_of(report->unreached[i]));
		str_addc(out, '\n');
	}
}

/* A copy that somebody was editing may hold it too. */
static void purge_tell_copy(void *context, const char *path)
{
	struct run *run = context;

	streams_say(run->cli, run->command, "not looked at: %s, what an earlier kota edit has left",
		    path);
}

static int purge_entry(struct run *run, struct store *store, const struct purge_key *key,
		       int64_t now_ms, struct err *err)
{
	struct purge_report report;
	STR_AUTO out = STR_INIT;
	struct progress_bar bar;

	progress_bar_begin(&bar, run->cli, run->command);
	store_watch(store, progress_bar_watcher(&bar));
	int result = purge_run(store, key, now_ms, &report, err);
	if (result == 0)
		result = purged_note(store, key, &report, err);
	store_watch(store, NULL);
	progress_bar_end(&bar);
	if (result == 0) {
		if (run->options.json)
			purge_write_json(&out, run->cli, key, &report);
		else
			purge_write_text(&out, run->cli, key, &report);
		result = streams_write(run->cli, str_slice(&out), err);
		draft_each_left(run->cli, purge_tell_copy, run);
	}
	purge_report_release(&report);
	return result;
}

static void purge_add_choice(struct str *out, const struct purge_choices *choices, size_t at,
			     struct slice key)
{
	STR_AUTO scratch = STR_INIT;
	STR_AUTO ref = STR_INIT;

	ref_add(&ref, choices->categories[at], key);
	str_printf(out, "%zu %s", at + 1, shown(&scratch, str_slice(&ref)));
}

/* Has the person say by a number which of several is meant; *at is its position. */
static int purge_choose(struct run *run, const struct purge_choices *choices, size_t *at,
			struct err *err)
{
	struct slice key = ref_parse(slice_of(run->topic)).key;
	STR_AUTO question = STR_INIT;
	char answer[16] = "";

	str_adds(&question, "Such a key stands in several categories:");
	for (size_t i = 0; i < choices->count; i++) {
		str_adds(&question, i == 0 ? " " : ", ");
		purge_add_choice(&question, choices, i, key);
	}
	str_printf(&question, ". Which is to be purged? [1-%zu] ", choices->count);
	if (streams_write(run->cli, str_slice(&question), err) != 0)
		return -1;
	if (!fgets(answer, sizeof answer, run->cli->in) || answer[0] < '1' ||
	    (size_t)(answer[0] - '1') >= choices->count || strcmp(answer + 1, "\n") != 0)
		return err_set(err, ERR_USAGE, "nothing was purged");
	*at = (size_t)(answer[0] - '1');
	return 0;
}

/* A key that stands in several categories: where a person sits there, that person says which. */
static int purge_find_chosen(struct run *run, struct store *store, int64_t now_ms,
			     struct purge_key *out, struct err *err)
{
	struct purge_choices choices;
	STR_AUTO ref = STR_INIT;
	size_t at = 0;

	if (purge_find(out, store, slice_of(run->topic), now_ms, &choices, err) == 0)
		return 0;
	if (choices.count < 2 || !run->cli->in_is_terminal)
		return -1;
	if (purge_choose(run, &choices, &at, err) != 0)
		return -1;
	ref_add(&ref, choices.categories[at], ref_parse(slice_of(run->topic)).key);
	return purge_find(out, store, str_slice(&ref), now_ms, &choices, err);
}

static int purge_ask_and_purge(struct run *run, struct store *store, struct err *err)
{
	int64_t now_ms = run->cli->sys->now_ms();
	struct purge_key key;
	bool agreed;

	if (purge_find_chosen(run, store, now_ms, &key, err) != 0)
		return -1;
	int status = purge_confirm(run, &key, &agreed, err);
	if (status == 0 && agreed)
		status = purge_entry(run, store, &key, now_ms, err);
	else if (status == 0)
		status = err_set(err, ERR_USAGE, "nothing was purged");
	purge_key_release(&key);
	return status;
}

static int purge_execute(struct run *run, struct err *err)
{
	struct store *store;

	if (!run->topic)
		return err_set(err, ERR_MISSING_ARGUMENT, "KEY is missing: kota purge KEY");
	if (operation_open_store(run, &store, err) != 0)
		return -1;
	int status = purge_ask_and_purge(run, store, err);
	store_close(store);
	return status;
}

static const struct command_option options[] = {{.name = YES, .hidden = true}, {.name = NULL}};

const struct command command_purge = {
	.name = "purge",
	.topic = "KEY",
	.options = options,
	.section = SECTION_UPKEEP,
	.summary = "Destroy an entry and all its past values, in the history too",
	.description =
		"Destroy an entry (a key, or category:key) and all its past values: in the\n"
		"files, the archives, usage and, by rewriting it, the history, also under names\n"
		"that it had before it was moved or merged. What cannot be reached or is not\n"
		"kota's to change (remotes, other branches, notes, copies, backups) is listed.\n"
		"kota asks first, unless you give --yes. This cannot be undone.\n",
	.execute = purge_execute,
};
