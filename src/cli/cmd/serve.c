#include "base/utf8.h"
#include "cli/args/command.h"
#include "cli/args/run_tool.h"
#include "cli/cmd/begin_sync.h"
#include "cli/term/streams.h"
#include "store/files/confine.h"
#include "tools/registry.h"

/* Which operations the client is offered. */
static int serve_choose_tools(const struct run *run, const struct tool *const **out,
			      struct err *err)
{
	STR_AUTO scratch = STR_INIT;
	struct slice set = slice_of(run->given[0]);

	if (set.ptr && !slice_is(set, "core") && !slice_is(set, "all"))
		return err_set(err, ERR_BAD_VALUE,
			       "--tools: unknown set \"%s\"; choose all or core",
			       shown(&scratch, set));
	*out = slice_is(set, "core") ? tools_core() : run->tools;
	return 0;
}

static int serve_execute(struct run *run, struct err *err)
{
	struct cli *cli = run->cli;
	struct place place = {0};
	const struct tool *const *tools = NULL;
	struct err ignored;

	if (serve_choose_tools(run, &tools, err) != 0)
		return -1;
	/* Without a store, still do the handshake; each call then reports the error. */
	if (place_find(&place, cli->sys, cli->env, run->options.dir, &ignored) != 0)
		place = (struct place){0};
	/* Standard output belongs to the protocol. */
	if (cli->in_is_terminal)
		streams_say(
			run->cli, "serve",
			"waiting for an MCP client on standard input; Ctrl-D ends it, kota help "
			"lists what a person types");
	int status = cli->serve(cli, &place, tools, operation_session(run), err);
	place_release(&place);
	/* Where it is confined, the hooks do it. */
	if (!confine_is_shut(cli->confine))
		begin_sync(run);
	return status;
}

static const struct command_option options[] = {{.name = "--tools", .has_value = true},
						{.name = NULL}};

const struct command command_serve = {
	.name = "serve",
	.options = options,
	.usage = "[--tools all|core]",
	.summary = "Serve the store to an MCP client over standard input and output",
	.description =
		"Serve the store to an MCP client: one message per line on standard input and\n"
		"output, until the input ends. If a file of the store is broken, the others are\n"
		"still served. If the store cannot be opened, replies say why.\n"
		"\n"
		"--tools core offers only the tools that keep and find memories (set, get,\n"
		"update, list, list_archived, delete, clear_state, save_conversation_notes,\n"
		"search, history, restore), for clients in whose context every tool takes room.\n"
		"Of set and search it shows only the arguments that are needed most; the others\n"
		"are accepted. The shell has all tools.\n"
		"\n"
		"If the kernel has Landlock, the server gives up access to all files but those\n"
		"of the store and what it needs to run. A folder that replaces one of these\n"
		"later is closed to it until it is started again.\n"
		"\n"
		"The status is 0 when its input ends or nobody reads its output, and 74 when\n"
		"reading or writing fails. SIGINT and SIGTERM end it at once, which a shell\n"
		"shows as 130 and 143. What was answered before is stored.\n",
	.execute = serve_execute,
};
