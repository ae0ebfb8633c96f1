#include "cli/term/streams.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "secrets/withhold.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

void streams_secure(const struct sys *sys)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		struct stat st;
		/* The wrong way round, so that using the stream is an error. */
		int flags = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;

		if (sys->fstat(fd, &st) != 0 && errno == EBADF)
			sys->openat(AT_FDCWD, "/dev/null", flags, 0);
	}
}

int streams_read(FILE *in, size_t max, struct str *out, struct err *err)
{
	char part[4096];
	size_t len;

	while ((len = fread(part, 1, sizeof part, in)) > 0) {
		str_add(out, slice_make(part, len));
		if (out->len > max)
			return err_set(err, ERR_TOO_LARGE,
				       "standard input is longer than %zu bytes; give less", max);
	}
	if (ferror(in))
		return err_set_errno(err, ERR_IO, errno, "cannot read standard input");
	return 0;
}

int streams_write(struct cli *cli, struct slice text, struct err *err)
{
	errno = 0;
	if (fwrite(text.ptr, 1, text.len, cli->out) == text.len && fflush(cli->out) == 0)
		return 0;
	if (errno == EPIPE)
		return err_set(err, ERR_IO, "%s", "");
	return err_set_errno(err, ERR_IO, errno, "cannot write to standard output");
}

void streams_say(struct cli *cli, const char *command, const char *format, ...)
{
	STR_AUTO line = STR_INIT;
	STR_AUTO scratch = STR_INIT;
	char *said;
	va_list args;

	va_start(args, format);
	if (vasprintf(&said, format, args) < 0)
		mem_exhausted();
	va_end(args);
	str_adds(&line, "kota: ");
	if (command)
		str_printf(&line, "%s: ", command);
	utf8_add_visible(&line, withhold(&scratch, slice_of(said)), false);
	str_addc(&line, '\n');
	free(said);
	/* If that fails too, there is nowhere left to report it. */
	if (fwrite(line.ptr, 1, line.len, cli->err) == line.len)
		fflush(cli->err);
}

bool streams_read_yes(FILE *in, bool otherwise)
{
	char answer[16] = "";

	if (!fgets(answer, sizeof answer, in))
		return false;
	answer[strcspn(answer, "\r\n")] = '\0';
	return answer[0] ? strcmp(answer, "y") == 0 || strcmp(answer, "yes") == 0 : otherwise;
}

void streams_ask(struct cli *cli, struct slice question)
{
	STR_AUTO text = STR_INIT;

	utf8_add_visible(&text, question, false);
	if (fwrite(text.ptr, 1, text.len, cli->err) == text.len)
		fflush(cli->err);
}
