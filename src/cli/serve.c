#include "cli/command.h"
#include "cli/operation.h"
#include "cli/streams.h"
#include "store/store.h"

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
	struct store *store;
	int status;

	if (operation_open_store(run, &store, err) != 0)
		return -1;
	greet(run);
	status = cli->serve(store, cli->sys, run->tools, operation_session(run), cli->in_fd,
			    cli->out_fd);
	store_close(store);
	return status;
}

const struct command command_serve = {
	.name = "serve",
	.summary = "Serve the store to an MCP client over standard input and output",
	.description =
		"Serve the store to an MCP client: one message a line on standard input and\n"
		"output, until the input ends. A broken file of the store does not keep it from\n"
		"serving the others; replies say what is wrong.\n",
	.execute = execute,
};
