#include "cli/shell.h"

#include "cli/args/command.h"
#include "store/files/dir.h"
#include "store/files/dir_lock.h"
#include "support/fake_sys.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX 32
#define VARIABLES_MAX 16

static struct {
	const char *name;
	const char *value;
} variables[VARIABLES_MAX];

static const char *look_up(const char *name)
{
	for (size_t i = 0; i < VARIABLES_MAX; i++) {
		if (variables[i].name && strcmp(variables[i].name, name) == 0)
			return variables[i].value;
	}
	return NULL;
}

void shell_env(const char *name, const char *value)
{
	size_t i = 0;

	while (variables[i].name && strcmp(variables[i].name, name) != 0)
		i++;
	variables[i].name = name;
	variables[i].value = value;
}

void shell_init(struct shell *shell)
{
	memset(shell, 0, sizeof *shell);
	memset(variables, 0, sizeof variables);
	tmpdir_make(&shell->dir);
	shell->before = tmpdir_enter(&shell->dir);
	snprintf(shell->store, sizeof shell->store, "%s/store", shell->dir.path);
	shell_env("KOTA_MEMORY_DIR", shell->store);
	shell_env("HOME", shell->dir.path);
	fake_sys_reset(SHELL_NOW);
	shell->cli.sys = fake_sys();
	shell->cli.env = look_up;
	shell->cli.columns = 80;
}

static void forget_output(struct shell *shell)
{
	free(shell->out);
	free(shell->err);
	shell->out = NULL;
	shell->err = NULL;
}

void shell_release(struct shell *shell)
{
	forget_output(shell);
	tmpdir_leave(shell->before);
	tmpdir_remove(&shell->dir);
	fake_sys_release();
}

static FILE *open_input(struct slice text)
{
	if (text.len == 0)
		return fopen("/dev/null", "r");
	return fmemopen((void *)(uintptr_t)text.ptr, text.len, "r");
}

static int run_words(struct shell *shell, int argc, char **argv)
{
	FILE *given_out = shell->cli.out;
	int status;

	forget_output(shell);
	shell->cli.in = open_input(shell->input);
	if (!given_out)
		shell->cli.out = open_memstream(&shell->out, &shell->out_len);
	shell->cli.err = open_memstream(&shell->err, &shell->err_len);
	status = shell->tools ? run_program(&shell->cli, shell->tools, argc, argv)
			      : cli_main(&shell->cli, argc, argv);
	fclose(shell->cli.in);
	fclose(shell->cli.err);
	if (!given_out)
		fclose(shell->cli.out);
	shell->cli.out = given_out;
	shell->input = slice_of(NULL);
	return status;
}

int shell_run(struct shell *shell, ...)
{
	char *argv[WORDS_MAX] = {(char[]){"kota"}};
	int argc = 1;
	va_list words;

	va_start(words, shell);
	while (argc < WORDS_MAX && (argv[argc] = va_arg(words, char *)))
		argc++;
	va_end(words);
	return run_words(shell, argc, argv);
}

void shell_write(struct shell *shell, const char *name, const char *text)
{
	char path[64];

	mkdir(shell->store, 0700);
	snprintf(path, sizeof path, "store/%s", name);
	tmpdir_write(&shell->dir, path, text);
}

char *shell_read(struct shell *shell, const char *name)
{
	char path[64];

	snprintf(path, sizeof path, "store/%s", name);
	return tmpdir_read(&shell->dir, path);
}

void shell_trust(const struct shell *shell)
{
	struct place place = {.path = (char *)(uintptr_t)shell->store, .kind = PLACE_NAMED};
	struct disk disk;
	struct err err;

	if (disk_open_at(&disk, sys_real(), look_up, &place, &err) != 0 ||
	    origin_register(&disk.origin, sys_real(), look_up, disk.dirfd, true, &err) != 0) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
	disk_close(&disk);
}
