#include "base/utf8.h"
#include "cli/args/command.h"
#include "cli/args/run_tool.h"
#include "cli/term/streams.h"
#include "tools/registry.h"

/* Which operations the client is offered. */
static int choose_tools(const struct run *run, const struct tool *const **out, struct err *err)
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
	int status;

	if (choose_tools(run, &tools, err) != 0)
		return -1;
	/* Without a place the client still gets its handshake, and each call says what is wrong. */
	if (place_find(&place, cli->sys, cli->env, run->options.dir, &ignored) != 0)
		place = (struct place){0};
	/* Standard output belongs to the protocol. */
	if (cli->in_is_terminal)
		streams_say(
			run->cli, "serve",
			"waiting for an MCP client on standard input; Ctrl-D ends it, kota help "
			"lists what a person types");
	status = cli->serve(cli, &place, tools, operation_session(run), err);
	place_release(&place);
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
		"Serve the store to an MCP client: one message a line on standard input and\n"
		"output, until the input ends. A broken file of the store does not keep it from\n"
		"serving the others, nor a store that cannot be opened from answering: replies\n"
		"say what is wrong.\n\n"
		"--tools core offers only what keeps and finds memories (set, get, update, list,\n"
		"list_archived, delete, clear_state, save_conversation_notes, search, history),\n"
		"for clients in whose context every tool takes room; the shell has the others.\n\n"
		"Where the kernel has landlock the server gives up all files but those of the\n"
		"store and what it needs to run: a folder that takes the place of one of these\n"
		"later is closed to it until it is started again.\n\n"
		"It ends with status 0 when its input ends or nobody reads its output, and with\n"
		"74 when one of the two fails. SIGINT and SIGTERM end it at once, which a shell\n"
		"shows as 130 and 143; what was answered before is stored.\n",
	.execute = serve_execute,
};
