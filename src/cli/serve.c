#include "cli/command.h"
#include "cli/operation.h"
#include "cli/streams.h"

/* Standard output belongs to the protocol: what a person is to read goes to standard error. */
static void greet(struct run *run)
{
	if (run->cli->in_is_terminal)
		streams_say(run->cli, "serve",
			    slice_of("waiting for an MCP client on standard input; Ctrl-D ends it, "
				     "kota help lists what a person types"));
}

static int execute(struct run *run, struct err *err)
{
	struct cli *cli = run->cli;
	struct place place = {0};
	struct err ignored;
	int status;

	/* Without a place the client still gets its handshake, and each call says what is wrong. */
	if (place_find(&place, cli->sys, cli->env, run->options.dir, &ignored) != 0)
		place = (struct place){0};
	greet(run);
	status = cli->serve(cli, place.path, run->tools, operation_session(run), err);
	place_release(&place);
	return status;
}

const struct command command_serve = {
	.name = "serve",
	.summary = "Serve the store to an MCP client over standard input and output",
	.description =
		"Serve the store to an MCP client: one message a line on standard input and\n"
		"output, until the input ends. A broken file of the store does not keep it from\n"
		"serving the others, nor a store that cannot be opened from answering: replies\n"
		"say what is wrong.\n\n"
		"It ends with status 0 when its input ends or nobody reads its output, and with\n"
		"74 when one of the two fails. SIGINT and SIGTERM end it at once, which a shell\n"
		"shows as 130 and 143; what was answered before is stored.\n",
	.execute = execute,
};
