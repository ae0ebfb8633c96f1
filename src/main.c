#include "cli/cli.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const char *environment_variable(const char *name)
{
	return getenv(name);
}

static int terminal_columns(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		return size.ws_col;
	return 80;
}

int main(int argc, char **argv)
{
	struct cli cli = {
		.sys = sys_real(),
		.env = environment_variable,
		.in = stdin,
		.out = stdout,
		.err = stderr,
		.in_fd = STDIN_FILENO,
		.out_fd = STDOUT_FILENO,
		.out_is_terminal = isatty(STDOUT_FILENO) != 0,
		.columns = terminal_columns(),
	};

	return cli_main(&cli, argc, argv);
}
