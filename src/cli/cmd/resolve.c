#include "base/file.h"
#include "base/file_swap.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "cli/args/command.h"
#include "cli/setup/program.h"
#include "cli/term/streams.h"
#include "merge/merge_file.h"
#include "model/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

/* Longest file that is merged, as with the driver. */
#define RESOLVE_BYTES_MAX ((size_t)64 << 20)

/* The versions that git keeps of an unmerged file. */
enum stage { STAGE_BASE, STAGE_OURS, STAGE_THEIRS, STAGES };

struct resolving {
	struct run *run;
	struct place place;
	int folder; /* of the store */
	struct str git;
	struct str told;
	bool left; /* a file could not be mended */
};

/* git with these words in the folder of the store; what it wrote is appended to *said. */
static int resolve_git(const struct resolving *r, const char *const *words, struct str *said,
		       struct err *err)
{
	const char *all[12] = {"git", "-C", r->place.path};
	size_t count = 3;

	while (*words && count + 1 < sizeof all / sizeof *all)
		all[count++] = *words++;
	return setup_program_run(said, r->git.ptr, (char *const *)(uintptr_t)all, err);
}

static int resolve_open(struct resolving *r, struct err *err)
{
	const struct cli *cli = r->run->cli;

	if (place_find(&r->place, cli->sys, cli->env, r->run->options.dir, err) != 0)
		return -1;
	r->folder = file_open(cli->sys, AT_FDCWD, r->place.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC,
			      0);
	if (r->folder < 0)
		return err_set_errno(err, ERR_NOT_FOUND, errno, "cannot open the store %s",
				     r->place.path);
	if (!setup_program_find(&r->git, cli, "git"))
		return err_set(err, ERR_NOT_FOUND,
			       "there is no git program: resolve needs one (apt install git)");
	return 0;
}

/* ---- the versions in git's index */

/* Reads a file that git has written for us, and takes it away. */
static int resolve_take(const struct resolving *r, int folder, struct slice name, struct str *out,
			struct err *err)
{
	const struct sys *sys = r->run->cli->sys;
	char *path = mem_strndup(name.ptr, name.len);
	struct file_id id;
	int result = file_read_own(sys, folder, path, RESOLVE_BYTES_MAX, out, &id, err);

	sys->unlinkat(folder, path, 0);
	free(path);
	return result;
}

/* The root of the work tree, in which git puts files that it writes for us. */
static int resolve_top(const struct resolving *r, int *folder, struct err *err)
{
	static const char *const words[] = {"rev-parse", "--show-toplevel", NULL};
	STR_AUTO said = STR_INIT;

	if (resolve_git(r, words, &said, err) != 0)
		return -1;
	while (said.len && said.ptr[said.len - 1] == '\n')
		str_truncate(&said, said.len - 1);
	*folder = file_open(r->run->cli->sys, AT_FDCWD, said.ptr,
			    O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	if (*folder < 0)
		return err_set_errno(err, ERR_IO, errno, "cannot open %s", said.ptr);
	return 0;
}

/*
 * The versions of an unmerged file: git writes them to files and says their names, "." for one that
 * it has not.
 */
static int resolve_stages(const struct resolving *r, const char *name, struct str stages[STAGES],
			  struct err *err)
{
	const char *const words[] = {"checkout-index", "--stage=all", "--temp", "--", name, NULL};
	STR_AUTO said = STR_INIT;
	int folder = -1;

	if (resolve_top(r, &folder, err) != 0)
		return -1;
	int result = resolve_git(r, words, &said, err);
	const char *at = said.ptr;
	for (int i = 0; result == 0 && i < STAGES; i++) {
		size_t len = strcspn(at, " \t\n");

		if (len == 0)
			result = err_set(
				err, ERR_NOT_FOUND,
				"git does not list it as unmerged: there is nothing to merge");
		else if (!(len == 1 && *at == '.'))
			result = resolve_take(r, folder, slice_make(at, len), &stages[i], err);
		at += len + (at[len] != '\0');
	}
	file_close(r->run->cli->sys, &folder);
	return result;
}

/* ---- what a person has done about it */

/* True if the file is as git left it: markers, and only lines that one of the versions has. */
static int resolve_check_untouched(const struct str *file, const struct str stages[STAGES],
				   struct err *err)
{
	MAP_AUTO known = MAP_INIT;
	struct slice text;
	struct slice line;
	bool markers = false;
	bool changed = false;

	for (int i = 0; i < STAGES; i++) {
		text = str_slice(&stages[i]);
		while (slice_line(&text, &line))
			map_put(&known, line, 0);
	}
	text = str_slice(file);
	while (slice_line(&text, &line)) {
		bool marker = slice_starts(line, "<<<<<<< ") || slice_starts(line, ">>>>>>> ") ||
			      slice_starts(line, "||||||| ") || slice_is(line, "=======");

		markers |= marker;
		changed |= !marker && !map_get(&known, line, NULL);
	}
	if (!markers)
		return err_set(err, ERR_EXISTS, "it has no conflict markers; git add it as it is");
	if (changed)
		return err_set(err, ERR_EXISTS,
			       "it has lines that neither side has, so it is left to you; git "
			       "checkout -m restores what git wrote");
	return 0;
}

/* ---- merging */

static int resolve_merge(const struct resolving *r, const char *name, const struct str *file,
			 const struct str stages[STAGES], size_t bases, size_t *beside,
			 struct err *err)
{
	struct slice base = str_slice(&stages[STAGE_BASE]);
	const struct merge_texts texts = {&base, bases, str_slice(&stages[STAGE_OURS]),
					  str_slice(&stages[STAGE_THEIRS])};
	struct merge_report report;
	struct settings settings;
	STR_AUTO out = STR_INIT;

	settings_init(&settings);
	int result = merge_file(slice_of(name), &texts, (size_t)settings.entry_bytes, &out, &report,
				err);
	*beside = report.count;
	merge_report_release(&report);
	if (result != 0)
		return -1;
	return file_swap(r->run->cli->sys, r->folder, name, file ? str_slice(file) : slice_of(NULL),
			 str_slice(&out), 0666, FILE_DURABLE | FILE_UMASK, err);
}

/* ---- markers that were committed, or that git knows nothing of any more */

/* What of the sides a line belongs to, by the marker above it. */
enum part_of { PART_ALL, PART_OURS, PART_BASE, PART_THEIRS };

/* True if the line is a marker that may stand here; *part is then what follows it. */
static bool resolve_take_marker(struct slice line, enum part_of *part)
{
	if (*part == PART_ALL && slice_starts(line, "<<<<<<< "))
		*part = PART_OURS;
	else if (*part == PART_OURS && slice_starts(line, "||||||| "))
		*part = PART_BASE;
	else if ((*part == PART_OURS || *part == PART_BASE) && slice_is(line, "======="))
		*part = PART_THEIRS;
	else if (*part == PART_THEIRS && slice_starts(line, ">>>>>>> "))
		*part = PART_ALL;
	else
		return false;
	return true;
}

/*
 * Takes the sides out of a file with markers. *bases is how many there are: git writes the base
 * only where merge.conflictStyle says so.
 */
static int resolve_split(const struct str *file, struct str stages[STAGES], size_t *bases,
			 struct err *err)
{
	static const enum part_of parts[STAGES] = {PART_BASE, PART_OURS, PART_THEIRS};
	struct slice text = str_slice(file);
	enum part_of part = PART_ALL;
	struct slice line;
	bool markers = false;

	*bases = 0;
	while (slice_line(&text, &line)) {
		if (resolve_take_marker(line, &part)) {
			markers = true;
			*bases |= part == PART_BASE;
			continue;
		}
		for (int i = 0; i < STAGES; i++) {
			if (part != PART_ALL && part != parts[i])
				continue;
			str_add(&stages[i], line);
			str_addc(&stages[i], '\n');
		}
	}
	if (!markers)
		return err_set(err, ERR_NOT_FOUND,
			       "git does not list it as unmerged, and it has no markers: there is "
			       "nothing to merge");
	if (part != PART_ALL)
		return err_set(err, ERR_BAD_DATA, "a marker is missing, so it is left to you");
	return 0;
}

/* As git has it unmerged, else as its markers say. */
static int resolve_sides(const struct resolving *r, const char *name, const struct str *file,
			 struct str stages[STAGES], size_t *bases, struct err *err)
{
	struct err unknown;
	int result = resolve_stages(r, name, stages, &unknown);

	*bases = 1;
	if (result == 0 && (stages[STAGE_OURS].len || stages[STAGE_THEIRS].len))
		return resolve_check_untouched(file, stages, err);
	return resolve_split(file, stages, bases, err);
}

static int resolve_file(const struct resolving *r, const char *name, size_t *beside,
			struct err *err)
{
	struct str stages[STAGES] = {STR_INIT, STR_INIT, STR_INIT};
	STR_AUTO file = STR_INIT;
	struct file_id id;
	size_t bases = 0;
	int result = file_read_own(r->run->cli->sys, r->folder, name, RESOLVE_BYTES_MAX, &file, &id,
				   err);

	if (result == 0)
		result = resolve_sides(r, name, &file, stages, &bases, err);
	if (result == 0)
		result = resolve_merge(r, name, id.present ? &file : NULL, stages, bases, beside,
				       err);
	for (int i = 0; i < STAGES; i++)
		str_release(&stages[i]);
	return result;
}

static void resolve_one(struct resolving *r, struct slice name)
{
	char *path = mem_strndup(name.ptr, name.len);
	struct err err = {0};
	size_t beside = 0;
	int result = resolve_file(r, path, &beside, &err);

	utf8_add_visible(&r->told, name, false);
	if (result != 0)
		str_printf(&r->told, ": left: %s\n", err.text);
	else if (beside)
		str_printf(&r->told, ": merged; changed on both sides: %zu\n", beside);
	else
		str_adds(&r->told, ": merged\n");
	r->left |= result != 0;
	free(path);
}

/* All files of the store that git calls unmerged; returns how many there are, or -1. */
static int resolve_all(struct resolving *r, struct err *err)
{
	static const char *const words[] = {
		"diff", "--name-only", "--diff-filter=U", "--relative", "-z", "--", ".", NULL};
	STR_AUTO names = STR_INIT;
	int count = 0;

	if (resolve_git(r, words, &names, err) != 0)
		return -1;
	for (size_t at = 0; at < names.len; count++) {
		struct slice name = slice_of(names.ptr + at);

		resolve_one(r, name);
		at += name.len + 1;
	}
	return count;
}

/* The files that are named, or all. */
static int resolve_named(struct resolving *r, struct err *err)
{
	struct words *words = &r->run->words;
	int count = 0;

	while (words_peek(words)) {
		bool taken = false;

		if (words_at_option(words) &&
		    options_take(&r->run->options, words, &taken, err) != 0)
			return -1;
		if (taken)
			continue;
		if (count++ == 0 && resolve_open(r, err) != 0)
			return -1;
		resolve_one(r, slice_of(words_next(words)));
	}
	if (count > 0 || r->run->options.help)
		return count;
	return resolve_open(r, err) != 0 ? -1 : resolve_all(r, err);
}

static int resolve_execute(struct run *run, struct err *err)
{
	struct resolving r = {.run = run, .folder = -1, .git = STR_INIT, .told = STR_INIT};
	int count = resolve_named(&r, err);
	int status = count < 0 ? -1 : 0;

	if (status == 0 && !run->options.help) {
		str_adds(&r.told, count == 0 ? "git calls no file of the store unmerged\n"
				  : r.left   ? ""
					     : "next: git add them, and go on\n");
		status = streams_write(run->cli, str_slice(&r.told), err);
	}
	if (status == 0 && r.left)
		status = err_exit_status(ERR_NOT_FOUND);
	file_close(run->cli->sys, &r.folder);
	place_release(&r.place);
	str_release(&r.git);
	str_release(&r.told);
	return status;
}

const struct command command_resolve = {
	.name = "resolve",
	.topic = "[FILE...]",
	.takes_all = true,
	.summary = "Merge files of the store in which git left conflict markers",
	.description =
		"Merge files of the store that git lists as unmerged, entry by entry: what a pull\n"
		"without kota setup git leaves behind. Without FILE, all of them. git still has\n"
		"both sides and their common base; these are merged, not the markers. Where both\n"
		"sides changed the same entry, one value is in force and the other is kept in the\n"
		"entry, as \"conflict\". A file that you have changed since is left to you. The\n"
		"sides of a FILE that git does not list as unmerged are read from its markers.\n",
	.execute = resolve_execute,
};
