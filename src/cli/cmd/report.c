#include "cli/report/report.h"
#include "cli/args/run_tool.h"
#include "cli/doctor/check.h"
#include "cli/term/streams.h"
#include "store/open/store.h"

static int report_write_page(struct run *run, const struct place *place, struct store *store,
			     struct err *err)
{
	struct arena arena = ARENA_INIT;
	struct page page = {.tools = run->tools, .path = place->path, .why = place->why};
	struct findings found = {0};
	STR_AUTO out = STR_INIT;
	int result = page_gather(&page, store, run->cli->sys->now_ms(), &arena, err);

	if (result == 0) {
		checkup_look(&found, run->cli, place);
		page.found = &found;
		page_write(&page, &out);
		result = streams_write(run->cli, str_slice(&out), err);
	}
	findings_release(&found);
	page_release(&page);
	arena_release(&arena);
	return result;
}

static int report_execute(struct run *run, struct err *err)
{
	struct cli *cli = run->cli;
	struct store *store;
	struct place place;
	int result;

	if (run->options.json)
		return err_set(err, ERR_USAGE,
			       "the report is a page for a browser; kota stats --json and kota "
			       "health --json have its figures");
	if (cli->out_is_terminal)
		return err_set(err, ERR_USAGE,
			       "the report is a page for a browser: kota report > report.html");
	if (place_find(&place, cli->sys, cli->env, run->options.dir, err) != 0)
		return -1;
	result = store_open_at(&store, cli->sys, cli->env, &place, err);
	if (result == 0) {
		result = report_write_page(run, &place, store, err);
		store_close(store);
	}
	place_release(&place);
	return result;
}

const struct command command_report = {
	.name = "report",
	.summary = "Show the store as a page for a browser: kota report > report.html",
	.description =
		"Write a page about the store: what is full, what fades and expires when, what\n"
		"is used, what is alike, what changed when, and each entry. It is one file\n"
		"without scripts that loads nothing, for a browser or a printer:\n"
		"\n"
		"  kota report > report.html\n"
		"\n"
		"The store is only read: nothing changes, nothing expires, nothing counts\n"
		"as used. Values that hold a secret are not shown.\n",
	.execute = report_execute,
};
