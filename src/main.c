#include "cli/run.h"
#include "mcp/era.h"
#include "mcp/serve.h"
#include "store/open/confine_rules.h"
#include "tools/registry.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const char *environment_variable(const char *name)
{
	return getenv(name);
}

/* What the person says goes before what the terminal says. */
static int terminal_columns(void)
{
	const char *said = getenv("COLUMNS");
	long columns = said ? strtol(said, NULL, 10) : 0;
	struct winsize size;

	if (columns > 0 && columns < INT_MAX)
		return (int)columns;
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
		if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
			return size.ws_col;
	}
	return 80;
}

static int serve(const struct cli *cli, const struct place *place, const struct tool *const *tools,
		 const char *session_id, struct err *err)
{
	struct mcp_session *session = mcp_session_new_at(cli->sys, cli->env, place, tools,
							 session_id);

	mcp_session_confine(session, cli->confine);
	session->few = tools == tools_core();
	int status = mcp_serve(session, cli->in_fd, cli->out_fd, err);
	mcp_session_free(session);
	return status;
}

int main(int argc, char **argv)
{
	struct confine confine;
	struct cli cli = {
		.sys = sys_real(),
		.env = environment_variable,
		.in = stdin,
		.out = stdout,
		.err = stderr,
		.serve = serve,
		.confine = &confine,
		.protocols = era_names(),
		.in_fd = STDIN_FILENO,
		.out_fd = STDOUT_FILENO,
		.in_is_terminal = isatty(STDIN_FILENO) != 0,
		.out_is_terminal = isatty(STDOUT_FILENO) != 0,
		.err_is_terminal = isatty(STDERR_FILENO) != 0,
		.terminal = "/dev/tty",
		.columns = terminal_columns(),
	};

	/* With ulimit -f, let the write fail instead of being killed. */
	signal(SIGXFSZ, SIG_IGN);
#ifdef __GLIBC__
	/*
	 * A server runs for days, so what it needed for a moment goes back to the system. With its
	 * own thresholds the C library keeps the more, the more was ever freed at once.
	 */
	mallopt(M_MMAP_THRESHOLD, 256 << 10);
	/* Compressing takes a quarter of a megabyte with each change. */
	mallopt(M_TRIM_THRESHOLD, 1 << 20);
#endif
	confine = (struct confine){.enter = confine_rules_enter, .sys = cli.sys, .env = cli.env};
	return cli_main(&cli, argc, argv);
}
