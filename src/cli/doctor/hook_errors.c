#include "cli/doctor/hook_errors.h"

#include "base/file.h"
#include "base/time.h"
#include "base/utf8.h"
#include "secrets/withhold.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define LINE_MAX_BYTES 4096
/* A path longer than this is left out: made visible it is to fit into the line. */
#define FOLDER_MAX_BYTES 700

/* A store that is named by "./data/kota_memory" is told from another one by the folder. */
static void hook_errors_add_folder(struct str *line)
{
	char here[FOLDER_MAX_BYTES];

	if (!getcwd(here, sizeof here))
		return;
	str_adds(line, " (in ");
	utf8_add_visible(line, slice_of(here), false);
	str_addc(line, ')');
}

void hook_error_keep(const struct cli *cli, const char *text)
{
	int flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
	char *path = place_own_path(PLACE_OWN_HOOK_ERRORS, cli->env);
	char time_text[TIMESTAMP_SIZE];
	STR_AUTO line = STR_INIT;
	STR_AUTO scratch = STR_INIT;
	struct err ignored;

	if (!path)
		return;
	file_make_folders(cli->sys, path);
	int fd = file_open(cli->sys, AT_FDCWD, path, flags, 0600);
	timestamp_format(cli->sys->now_ms(), time_text);
	str_printf(&line, "%s: ", time_text);
	str_add(&line, withhold(&scratch, slice_of(text)));
	hook_errors_add_folder(&line);
	str_addc(&line, '\n');
	if (fd >= 0)
		file_write_all(cli->sys, fd, str_slice(&line), &ignored);
	file_close(cli->sys, &fd);
	free(path);
}

void hook_error_clear(const struct cli *cli)
{
	char *path = place_own_path(PLACE_OWN_HOOK_ERRORS, cli->env);

	if (path)
		cli->sys->unlinkat(AT_FDCWD, path, 0);
	free(path);
}

bool hook_error_read(const struct cli *cli, struct str *out)
{
	char *path = place_own_path(PLACE_OWN_HOOK_ERRORS, cli->env);
	struct err ignored;
	struct file_id id;
	bool found = path &&
		     file_read_own(cli->sys, AT_FDCWD, path, LINE_MAX_BYTES, out, &id, &ignored) ==
			     0 &&
		     out->len > 0;

	if (found && out->ptr[out->len - 1] == '\n')
		str_truncate(out, out->len - 1);
	free(path);
	return found;
}
