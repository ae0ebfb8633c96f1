#include "cli/edit/editor.h"

#include "base/file.h"
#include "base/time.h"
#include "base/utf8.h"
#include "cli/setup/program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

/* What makes a command one for the shell. */
#define SHELL_CHARACTERS "|&;<>()$`\\\"' \t\n*?[#~=%"

/* How an editor is told where to open a file. */
enum placing {
	PLACE_NONE,
	PLACE_LINE,       /* +12 FILE */
	PLACE_LINE_COMMA, /* +12,5 FILE */
	PLACE_LINE_COLON, /* +12:5 FILE */
	PLACE_CURSOR,     /* "+call cursor(12,5)" FILE */
	PLACE_BEHIND,     /* FILE:12:5 */
	PLACE_GOTO        /* --goto FILE:12:5 */
};

static const struct known_editor {
	const char *name;
	enum placing placing;
} known[] = {
	{"vi", PLACE_LINE},          {"ex", PLACE_LINE},          {"view", PLACE_LINE},
	{"vim", PLACE_CURSOR},       {"nvim", PLACE_CURSOR},      {"gvim", PLACE_CURSOR},
	{"vim.basic", PLACE_CURSOR}, {"vim.tiny", PLACE_LINE},    {"nano", PLACE_LINE_COMMA},
	{"pico", PLACE_LINE},        {"emacs", PLACE_LINE_COLON}, {"emacsclient", PLACE_LINE_COLON},
	{"micro", PLACE_LINE_COLON}, {"kak", PLACE_LINE_COLON},   {"mg", PLACE_LINE},
	{"jed", PLACE_LINE},         {"joe", PLACE_LINE},         {"ne", PLACE_LINE_COMMA},
	{"mcedit", PLACE_LINE},      {"gedit", PLACE_LINE_COLON}, {"hx", PLACE_BEHIND},
	{"helix", PLACE_BEHIND},     {"subl", PLACE_BEHIND},      {"zed", PLACE_BEHIND},
	{"code", PLACE_GOTO},        {"codium", PLACE_GOTO},      {"cursor", PLACE_GOTO},
};

/* The words that an editor is started with, at most. */
#define WORDS_MAX 8

struct start {
	struct str script;
	struct str place;
	struct str file;
	const char *words[WORDS_MAX];
	size_t count;
};

int editor_find(struct str *out, const struct cli *cli, struct err *err)
{
	static const char *const variables[] = {"VISUAL", "EDITOR"};
	static const char *const programs[] = {"vi", "nano"};

	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
		const char *value = cli->env(variables[i]);

		if (value && value[0]) {
			str_adds(out, value);
			return 0;
		}
	}
	for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
		if (setup_program_find(out, cli, programs[i]))
			return 0;
	}
	return err_set(err, ERR_USAGE,
		       "no editor was found; name one with EDITOR: EDITOR=nano kota edit ...");
}

/* The name of the program that a command begins with. */
static struct slice editor_program_of(const char *command)
{
	size_t from = strspn(command, " \t");
	size_t len = strcspn(command + from, " \t");
	size_t name = len;

	while (name > 0 && command[from + name - 1] != '/')
		name--;
	return slice_make(command + from + name, len - name);
}

static enum placing editor_placing_of(const char *command)
{
	struct slice program = editor_program_of(command);

	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		if (slice_is(program, known[i].name))
			return known[i].placing;
	}
	return PLACE_NONE;
}

static void editor_add_word(struct start *start, const char *word)
{
	if (start->count + 1 < WORDS_MAX)
		start->words[start->count++] = word;
}

static void editor_add_place(struct start *start, enum placing placing, uint32_t line,
			     uint32_t column)
{
	switch (placing) {
	case PLACE_LINE:
		str_printf(&start->place, "+%u", line);
		break;
	case PLACE_LINE_COMMA:
		str_printf(&start->place, "+%u,%u", line, column);
		break;
	case PLACE_LINE_COLON:
		str_printf(&start->place, "+%u:%u", line, column);
		break;
	case PLACE_CURSOR:
		str_printf(&start->place, "+call cursor(%u,%u)", line, column);
		break;
	case PLACE_GOTO:
		str_adds(&start->place, "--goto");
		str_printf(&start->file, ":%u:%u", line, column);
		break;
	case PLACE_BEHIND:
		str_printf(&start->file, ":%u:%u", line, column);
		break;
	case PLACE_NONE:
		break;
	}
	if (start->place.len > 0)
		editor_add_word(start, start->place.ptr);
}

/* sh -c 'code --wait "$@"' 'code --wait' FILE */
static void editor_compose(struct start *start, const char *command, const char *path,
			   uint32_t line, uint32_t column)
{
	str_adds(&start->file, path);
	if (command[strcspn(command, SHELL_CHARACTERS)] != '\0') {
		str_printf(&start->script, "%s \"$@\"", command);
		editor_add_word(start, "sh");
		editor_add_word(start, "-c");
		editor_add_word(start, start->script.ptr);
	}
	editor_add_word(start, command);
	if (line > 0)
		editor_add_place(start, editor_placing_of(command), line, column);
	editor_add_word(start, start->file.ptr);
	start->words[start->count] = NULL;
}

/* The editor gets the signals as this program had them. */
static int editor_spawn(pid_t *pid, const struct start *start, const sigset_t *given)
{
	posix_spawnattr_t attributes;
	int number = posix_spawnattr_init(&attributes);

	if (number != 0)
		return number;
	posix_spawnattr_setsigdefault(&attributes, given);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
	number = posix_spawnp(pid, start->words[0], NULL, &attributes,
			      (char *const *)(uintptr_t)start->words, environ);
	posix_spawnattr_destroy(&attributes);
	return number;
}

/* While the editor has the terminal; *given is what the editor is to get as usual. */
static void editor_ignore_signals(struct sigaction before[2], sigset_t *given)
{
	static const int numbers[] = {SIGINT, SIGQUIT};
	struct sigaction ignore = {.sa_handler = SIG_IGN};

	sigemptyset(given);
	for (size_t i = 0; i < 2; i++) {
		sigaction(numbers[i], &ignore, &before[i]);
		if (before[i].sa_handler != SIG_IGN)
			sigaddset(given, numbers[i]);
	}
}

static int editor_judge(const char *command, int status, struct err *err)
{
	STR_AUTO scratch = STR_INIT;
	const char *name = shown(&scratch, slice_of(command));

	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return err_set(err, ERR_IO, "the editor \"%s\" cannot be run; check EDITOR", name);
	if (WIFSIGNALED(status))
		return err_set(err, ERR_IO,
			       "the editor \"%s\" was ended by signal %d; nothing is changed", name,
			       WTERMSIG(status));
	return err_set(err, ERR_IO, "the editor \"%s\" ended with status %d; nothing is changed",
		       name, WEXITSTATUS(status));
}

int editor_run(const char *command, const char *path, uint32_t line, uint32_t column,
	       struct err *err)
{
	struct start start = {.script = STR_INIT, .place = STR_INIT, .file = STR_INIT};
	STR_AUTO scratch = STR_INIT;
	struct sigaction before[2];
	sigset_t given;
	int status = 0;
	pid_t pid = 0;

	editor_compose(&start, command, path, line, column);
	editor_ignore_signals(before, &given);
	int number = editor_spawn(&pid, &start, &given);
	while (number == 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	sigaction(SIGINT, &before[0], NULL);
	sigaction(SIGQUIT, &before[1], NULL);
	str_release(&start.script);
	str_release(&start.place);
	str_release(&start.file);
	if (number != 0)
		return err_set_errno(err, ERR_IO, number, "the editor \"%s\" cannot be run",
				     shown(&scratch, slice_of(command)));
	return editor_judge(command, status, err);
}

/* So many edits may have been left behind on one day. */
#define FOLDERS_MAX 1000

/* "2026-11-21" */
#define DATE_LEN 10

static int editor_cannot(const char *path, struct err *err)
{
	return err_set_errno(err, ERR_CANNOT_WRITE, errno, "cannot make %s, a copy to edit", path);
}

/* Opens a folder and locks it; -1 when it is not there, or is being edited. */
static int editor_lock_folder(const struct sys *sys, const char *path)
{
	int fd = file_open(sys, AT_FDCWD, path,
			   O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);

	if (fd >= 0 && sys->flock(fd, LOCK_EX | LOCK_NB) != 0)
		file_close(sys, &fd);
	return fd;
}

/* The first folder of today that is free. */
static int editor_make_folder(struct draft *draft, const char *above, int64_t now_ms,
			      struct err *err)
{
	char date[TIMESTAMP_SIZE];
	STR_AUTO path = STR_INIT;

	timestamp_format(now_ms, date);
	for (int n = 1; n <= FOLDERS_MAX; n++) {
		str_clear(&path);
		str_printf(&path, "%s/%.*s.%d", above, DATE_LEN, date, n);
		if (n == 1)
			file_make_folders(draft->sys, path.ptr);
		if (draft->sys->mkdirat(AT_FDCWD, path.ptr, 0700) == 0)
			break;
		if (errno != EEXIST)
			return editor_cannot(path.ptr, err);
	}
	draft->fd = editor_lock_folder(draft->sys, path.ptr);
	if (draft->fd < 0)
		return editor_cannot(path.ptr, err);
	draft->folder = str_detach(&path);
	return 0;
}

int draft_open(struct draft *draft, const struct cli *cli, const char *name, struct slice text,
	       struct err *err)
{
	char *above = place_own_path(PLACE_OWN_EDITS, cli->env);

	*draft = (struct draft){.sys = cli->sys, .fd = -1};
	if (!above)
		return err_set(err, ERR_CANNOT_WRITE,
			       "there is no folder for a copy to edit; set HOME or XDG_STATE_HOME");
	int result = editor_make_folder(draft, above, cli->sys->now_ms(), err);
	if (result == 0) {
		STR_AUTO path = STR_INIT;

		str_printf(&path, "%s/%s", draft->folder, name);
		draft->path = str_detach(&path);
		result = file_write_new(draft->sys, AT_FDCWD, draft->path, text, 0600, 0, err);
	}
	if (result != 0) {
		draft_remove(draft);
		draft_close(draft);
	}
	free(above);
	return result;
}

int draft_read(const struct draft *draft, struct str *text, struct err *err)
{
	struct file_id id;

	if (file_read_own(draft->sys, AT_FDCWD, draft->path, DRAFT_BYTES_MAX, text, &id, err) != 0)
		return -1;
	if (!id.present)
		return err_set(err, ERR_BAD_DATA, "%s is gone: nothing is changed", draft->path);
	return 0;
}

bool draft_stays(const struct draft *draft)
{
	struct stat st;

	if (draft->sys->fstatat(AT_FDCWD, draft->path, &st, AT_SYMLINK_NOFOLLOW) == 0)
		return true;
	/* Only if it is empty: files that the editor left there may be of use. */
	draft->sys->unlinkat(AT_FDCWD, draft->folder, AT_REMOVEDIR);
	return false;
}

void draft_remove(struct draft *draft)
{
	STR_AUTO backup = STR_INIT;

	if (draft->path) {
		draft->sys->unlinkat(AT_FDCWD, draft->path, 0);
		str_printf(&backup, "%s~", draft->path);
		draft->sys->unlinkat(AT_FDCWD, backup.ptr, 0);
	}
	if (draft->folder)
		draft->sys->unlinkat(AT_FDCWD, draft->folder, AT_REMOVEDIR);
}

void draft_close(struct draft *draft)
{
	file_close(draft->sys, &draft->fd);
	free(draft->folder);
	free(draft->path);
	*draft = (struct draft){.sys = draft->sys, .fd = -1};
}

/* Names in a folder, without those that begin with a dot; the folder stays open. */
static void editor_each_name(const struct sys *sys, const char *path,
			     void (*take)(void *context, const char *name), void *context)
{
	int fd = file_open(sys, AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	DIR *dir = fd < 0 ? NULL : sys->fdopendir(fd);
	struct dirent *entry;

	if (!dir) {
		file_close(sys, &fd);
		return;
	}
	while ((entry = sys->readdir(dir)) != NULL) {
		if (entry->d_name[0] != '.')
			take(context, entry->d_name);
	}
	sys->closedir(dir);
}

/* A walk through the folders of edits. */
struct leftovers {
	const struct sys *sys;
	const char *folder;
	void (*tell)(void *context, const char *path);
	void *context;
};

static void editor_take_file(void *context, const char *name)
{
	const struct leftovers *left = context;
	STR_AUTO path = STR_INIT;

	str_printf(&path, "%s/%s", left->folder, name);
	if (path.ptr[path.len - 1] != '~')
		left->tell(left->context, path.ptr);
}

static void editor_take_folder(void *context, const char *name)
{
	struct leftovers inner = *(const struct leftovers *)context;
	STR_AUTO path = STR_INIT;

	str_printf(&path, "%s/%s", inner.folder, name);
	int fd = editor_lock_folder(inner.sys, path.ptr);
	if (fd < 0)
		return;
	inner.folder = path.ptr;
	editor_each_name(inner.sys, path.ptr, editor_take_file, &inner);
	file_close(inner.sys, &fd);
}

void draft_each_left(const struct cli *cli, void (*tell)(void *context, const char *path),
		     void *context)
{
	char *above = place_own_path(PLACE_OWN_EDITS, cli->env);
	struct leftovers left = {cli->sys, above, tell, context};

	if (above)
		editor_each_name(cli->sys, above, editor_take_folder, &left);
	free(above);
}
