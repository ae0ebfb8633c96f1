#include "base/file.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "cli/args/command.h"
#include "cli/term/streams.h"
#include "merge/merge_file.h"
#include "model/settings.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

/* Longest file that is merged; those of a store are far shorter. */
#define DRIVER_BYTES_MAX ((size_t)64 << 20)

/* What git calls unmerged. From 129 on it would give up the whole merge. */
#define STATUS_UNMERGED 1

/* What git hands over, in its order: three files, and the path that they have in the work tree. */
enum driver_word { WORD_BASE, WORD_OURS, WORD_THEIRS, WORD_PATH, WORD_COUNT };

static const struct command_option options[] = {{.name = "--bases"}, {.name = NULL}};

static int driver_take_words(struct run *run, const char *words[WORD_COUNT], bool *bases,
			     struct err *err)
{
	static const char *const names[] = {"BASE", "OURS", "THEIRS", "PATH"};
	int count = 0;

	while (words_peek(&run->words)) {
		bool taken = false;

		if (words_at_option(&run->words)) {
			if (strcmp(words_peek(&run->words), options[0].name) == 0) {
				*bases = true;
				words_next(&run->words);
				continue;
			}
			if (options_take(&run->options, &run->words, &taken, err) != 0)
				return -1;
			if (taken)
				continue;
		}
		if (count == WORD_COUNT)
			return words_refuse(slice_of(words_peek(&run->words)), "merge-driver", err);
		words[count++] = words_next(&run->words);
	}
	if (count < WORD_COUNT && !run->options.help)
		return err_set(err, ERR_MISSING_ARGUMENT, "%s is missing", names[count]);
	return 0;
}

/* A file of git's; one that is not there is empty, as git has it for a side without the file. */
static int driver_read(const struct run *run, const char *name, struct str *out, struct err *err)
{
	struct file_id id;

	return file_read(run->cli->sys, AT_FDCWD, name, DRIVER_BYTES_MAX, out, &id, err);
}

/* Replaces the file whole or not at all, so that a full disk leaves no half text behind. */
static int driver_write(const struct run *run, const char *path, struct slice text, struct err *err)
{
	const struct sys *sys = run->cli->sys;
	const char *slash = strrchr(path, '/');
	char *folder = slash ? mem_strndup(path, (size_t)(slash - path) + 1) : mem_strdup(".");
	int fd = file_open(sys, AT_FDCWD, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	int result;

	if (fd < 0)
		result = err_set_errno(err, err_code_of_write(errno), errno, "cannot open %s",
				       folder);
	else
		result = file_replace(sys, fd, slash ? slash + 1 : path, text, 0666, FILE_UMASK,
				      NULL, err);
	file_close(sys, &fd);
	free(folder);
	return result;
}

/* The texts that lost, a line each: git shows it between its own. */
static void driver_tell(struct run *run, const char *path, const struct merge_report *report)
{
	STR_AUTO out = STR_INIT;

	for (size_t i = 0; i < report->count; i++) {
		const struct merge_conflict *conflict = &report->conflicts[i];
		bool entry = merge_kind_of(slice_of(path)) == MERGE_CATEGORY;

		str_clear(&out);
		if (entry)
			utf8_add_visible(&out, conflict->file, false);
		str_adds(&out, entry ? ":" : "");
		utf8_add_visible(&out, conflict->key, false);
		str_adds(&out, " was changed on both sides");
		if (entry) {
			str_adds(&out, "; the other text is kept in the entry, as \"conflict\"");
		} else {
			str_adds(&out, "; the text that lost: ");
			utf8_add_visible(&out, conflict->loser, false);
		}
		streams_say(run->cli, run->command, "%s", out.ptr);
	}
}

static int driver_merge(struct run *run, const char *const words[WORD_COUNT], bool bases,
			struct err *err)
{
	struct merge_report report = {0};
	struct settings settings;
	STR_AUTO base_text = STR_INIT;
	STR_AUTO ours = STR_INIT;
	STR_AUTO theirs = STR_INIT;
	STR_AUTO out = STR_INIT;

	assert(words[WORD_OURS]);
	settings_init(&settings);
	if (driver_read(run, words[WORD_BASE], &base_text, err) != 0 ||
	    driver_read(run, words[WORD_OURS], &ours, err) != 0 ||
	    driver_read(run, words[WORD_THEIRS], &theirs, err) != 0)
		return -1;
	struct slice base = str_slice(&base_text);
	struct merge_texts texts = (struct merge_texts){&base, 1, str_slice(&ours),
							str_slice(&theirs)};
	int result = bases ? merge_bases(slice_of(words[WORD_PATH]), &texts, &out, err)
			   : merge_file(slice_of(words[WORD_PATH]), &texts,
					(size_t)settings.entry_bytes, &out, &report, err);
	if (result == 0 && !slice_equal(str_slice(&out), str_slice(&ours)))
		result = driver_write(run, words[WORD_OURS], str_slice(&out), err);
	if (result == 0)
		driver_tell(run, words[WORD_PATH], &report);
	merge_report_release(&report);
	return result;
}

static int driver_execute(struct run *run, struct err *err)
{
	const char *words[WORD_COUNT] = {NULL};
	STR_AUTO path = STR_INIT;
	STR_AUTO text = STR_INIT;
	bool bases = false;

	if (driver_take_words(run, words, &bases, err) != 0)
		return -1;
	if (run->options.help || driver_merge(run, words, bases, err) == 0)
		return 0;
	utf8_add_visible(&path, slice_of(words[WORD_PATH]), false);
	str_adds(&text, err->text);
	streams_say(run->cli, run->command, "%s: %s; it is left as our side has it", path.ptr,
		    text.ptr);
	return STATUS_UNMERGED;
}

const struct command command_merge_driver = {
	.name = "merge-driver",
	.topic = "BASE OURS THEIRS PATH",
	.options = options,
	.usage = "[--bases]",
	.takes_all = true,
	.summary = "Merge a file of a store for git, entry by entry",
	.description =
		"Merge a file of a store. git calls this once kota setup git was run. The result\n"
		"replaces OURS. It asks nobody and leaves no markers: if both sides changed the\n"
		"same entry, one value is in force and the other is kept in the entry, as\n"
		"\"conflict\". A file that is broken on one side stays as it is, and git lists it\n"
		"as unmerged: status 1. PATH says which file of a store it is.\n"
		"With --bases OURS and THEIRS are two bases, of which git makes one: it becomes a\n"
		"file that has both.\n",
	.execute = driver_execute,
};
