#include "cli/setup/setup_git.h"

#include "base/file.h"
#include "base/utf8.h"
#include "cli/setup/program.h"
#include "cli/term/streams.h"
#include "git/repo.h"
#include "json/write.h"
#include "store/files/format_files.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* A person's own lines may be in such a file; one of more than that is no such file. */
#define LINES_MAX ((size_t)1 << 16)

/* Files with a dot are not for git, except for these. */
static const char *const exceptions[] = {MARK_ATTRIBUTES_EXCEPTION, NULL};

struct git_setup {
	struct run *run;
	struct place place;
	int folder; /* of the store */
	struct str git;
	struct str program;    /* as a word of a shell, in which git runs it */
	bool attributes_there; /* before anything is done; likewise below */
	bool configured;
};

/* ---- lines of a file */

static bool setup_git_has_line(struct slice text, struct slice wanted)
{
	struct slice line;

	while (slice_line(&text, &line)) {
		line.len -= slice_ends(line, "\r");
		if (slice_equal(line, wanted))
			return true;
	}
	return false;
}

static int setup_git_read_lines(const struct git_setup *setup, const char *name, struct str *text,
				struct err *err)
{
	struct file_id id;

	if (file_read_own(setup->run->cli->sys, setup->folder, name, LINES_MAX, text, &id, err) !=
	    0)
		return err_in_folder(err, setup->place.path, name);
	return 0;
}

static int setup_git_write_lines(const struct git_setup *setup, const char *name, struct slice text,
				 struct err *err)
{
	const struct sys *sys = setup->run->cli->sys;

	if (text.len == 0 && sys->unlinkat(setup->folder, name, 0) == 0)
		return 0;
	if (file_replace(sys, setup->folder, name, text, 0666, FILE_DURABLE | FILE_UMASK, NULL,
			 err) != 0)
		return err_in_folder(err, setup->place.path, name);
	return 0;
}

/* Adds the lines that are missing, at the end. */
static int setup_git_add_lines(const struct git_setup *setup, const char *name,
			       const char *const *lines, struct err *err)
{
	STR_AUTO text = STR_INIT;

	if (setup_git_read_lines(setup, name, &text, err) != 0)
		return -1;
	size_t before = text.len;
	for (; *lines; lines++) {
		if (setup_git_has_line(str_slice(&text), slice_of(*lines)))
			continue;
		if (text.len > 0 && text.ptr[text.len - 1] != '\n')
			str_addc(&text, '\n');
		str_printf(&text, "%s\n", *lines);
	}
	return text.len == before ? 0 : setup_git_write_lines(setup, name, str_slice(&text), err);
}

/* Takes our lines out; all others stay as they are. */
static int setup_git_remove_lines(const struct git_setup *setup, const char *name,
				  const char *const *lines, struct err *err)
{
	STR_AUTO text = STR_INIT;
	STR_AUTO rest = STR_INIT;
	struct slice line;

	if (setup_git_read_lines(setup, name, &text, err) != 0)
		return -1;
	struct slice left = str_slice(&text);
	while (slice_line(&left, &line)) {
		struct slice bare = slice_make(line.ptr, line.len - slice_ends(line, "\r"));

		if (slice_index(bare, lines) >= 0)
			continue;
		str_add(&rest, line);
		if (line.ptr + line.len < text.ptr + text.len)
			str_addc(&rest, '\n');
	}
	return rest.len == text.len ? 0 : setup_git_write_lines(setup, name, str_slice(&rest), err);
}

/* ---- the clone */

static void setup_git_value(const struct git_setup *setup, int setting, struct str *out)
{
	str_clear(out);
	if (driver_settings[setting].program)
		str_add(out, str_slice(&setup->program));
	str_adds(out, driver_settings[setting].value);
}

/* git with these words in the folder of the store; what it wrote is in *said. */
static int setup_git_run(const struct git_setup *setup, const char *const *words, struct str *said,
			 struct err *err)
{
	const char *all[10] = {"git", "-C", setup->place.path};
	size_t count = 3;

	while (*words && count + 1 < sizeof all / sizeof *all)
		all[count++] = *words++;
	all[count] = NULL;
	return setup_program_run(said, setup->git.ptr, (char *const *)(uintptr_t)all, err);
}

/* What the clone has for a setting; empty when there is nothing. */
static void setup_git_get(const struct git_setup *setup, int setting, struct str *out)
{
	const char *const words[] = {"config", "--local", "--get", driver_settings[setting].name,
				     NULL};
	struct err none;

	if (setup_git_run(setup, words, out, &none) != 0)
		str_clear(out);
	while (out->len > 0 && out->ptr[out->len - 1] == '\n')
		str_truncate(out, out->len - 1);
}

static int setup_git_configure(const struct git_setup *setup, struct err *err)
{
	for (int i = 0; i < DRIVER_SETTINGS; i++) {
		STR_AUTO value = STR_INIT;
		STR_AUTO said = STR_INIT;
		const char *words[] = {"config", "--local", driver_settings[i].name, NULL, NULL};

		setup_git_value(setup, i, &value);
		words[3] = value.ptr;
		if (setup_git_run(setup, words, &said, err) != 0)
			return -1;
	}
	return 0;
}

static int setup_git_forget_section(const struct git_setup *setup, int setting, const char *section,
				    struct err *err)
{
	const char *const words[] = {"config", "--local", "--remove-section", section, NULL};
	STR_AUTO there = STR_INIT;
	STR_AUTO said = STR_INIT;

	setup_git_get(setup, setting, &there);
	return there.len ? setup_git_run(setup, words, &said, err) : 0;
}

static int setup_git_forget(const struct git_setup *setup, struct err *err)
{
	return setup_git_forget_section(setup, DRIVER_PROGRAM, "merge.kota", err) != 0
		       ? -1
		       : setup_git_forget_section(setup, DRIVER_BASES_PROGRAM, "merge.kota-bases",
						  err);
}

/* ---- what is there */

/* The store and the repository that it lies in. */
static int setup_git_find(struct git_setup *setup, struct err *err)
{
	const char *const words[] = {"rev-parse", "--show-toplevel", NULL};
	const struct cli *cli = setup->run->cli;
	STR_AUTO said = STR_INIT;

	if (place_find(&setup->place, cli->sys, cli->env, setup->run->options.dir, err) != 0)
		return -1;
	setup->folder = file_open(cli->sys, AT_FDCWD, setup->place.path,
				  O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	if (setup->folder < 0)
		return err_set_errno(err, ERR_NOT_FOUND, errno, "cannot open the store %s",
				     setup->place.path);
	if (!setup_program_find(&setup->git, cli, "git"))
		return err_set(err, ERR_NOT_FOUND,
			       "there is no git program: setup git needs one (apt install git)");
	if (setup_git_run(setup, words, &said, err) != 0)
		return err_set(
			err, ERR_NOT_FOUND,
			"the store %s is not in a git repository: there is nothing to set up",
			setup->place.path);
	return 0;
}

static int setup_git_look(struct git_setup *setup, struct err *err)
{
	STR_AUTO text = STR_INIT;

	setup->attributes_there = true;
	setup->configured = true;
	if (setup_git_read_lines(setup, ".gitattributes", &text, err) != 0)
		return -1;
	for (const char *const *line = format_attributes; *line; line++)
		setup->attributes_there &= setup_git_has_line(str_slice(&text), slice_of(*line));
	for (int i = 0; i < DRIVER_SETTINGS; i++) {
		STR_AUTO value = STR_INIT;
		STR_AUTO wanted = STR_INIT;

		setup_git_get(setup, i, &value);
		setup_git_value(setup, i, &wanted);
		setup->configured &= slice_equal(str_slice(&value), str_slice(&wanted));
	}
	return 0;
}

/* ---- telling */

static const char *setup_git_state(enum setup_git_wish wish, bool before)
{
	if (wish == SETUP_GIT_CHECK)
		return before ? "there" : "missing";
	if (wish == SETUP_GIT_REMOVE)
		return "removed";
	return before ? "already there" : "added";
}

static int setup_git_tell(const struct git_setup *setup, enum setup_git_wish wish, struct err *err)
{
	const char *shared = setup_git_state(wish, setup->attributes_there);
	const char *own = setup_git_state(wish, setup->configured);
	STR_AUTO out = STR_INIT;

	if (setup->run->options.json) {
		struct json_writer w = json_writer_to(&out, &json_pretty);

		json_write_object(&w);
		json_write_member_string(&w, "store", slice_of(setup->place.path));
		json_write_member_string(&w, "attributes", slice_of(shared));
		json_write_member_string(&w, "configuration", slice_of(own));
		json_write_end(&w);
		str_addc(&out, '\n');
		return streams_write(setup->run->cli, str_slice(&out), err);
	}
	utf8_add_visible(&out, slice_of(setup->place.path), false);
	str_printf(&out, "/.gitattributes: %s\nmerge.kota of this clone: %s\n", shared, own);
	if (wish == SETUP_GIT_ADD && !setup->attributes_there)
		str_adds(&out,
			 "next: commit .gitattributes; everyone who pulls runs kota setup git "
			 "once in their clone\n");
	return streams_write(setup->run->cli, str_slice(&out), err);
}

static int setup_git_print(const struct git_setup *setup, struct err *err)
{
	STR_AUTO out = STR_INIT;

	str_adds(&out, "# .gitattributes of the store\n");
	for (const char *const *line = format_attributes; *line; line++)
		str_printf(&out, "%s\n", *line);
	str_adds(&out, "# in each clone\n");
	for (int i = 0; i < DRIVER_SETTINGS; i++) {
		STR_AUTO value = STR_INIT;

		setup_git_value(setup, i, &value);
		str_printf(&out, "git config %s \"%s\"\n", driver_settings[i].name, value.ptr);
	}
	return streams_write(setup->run->cli, str_slice(&out), err);
}

/* ---- what it does */

static int setup_git_change(const struct git_setup *setup, enum setup_git_wish wish,
			    struct err *err)
{
	if (wish == SETUP_GIT_REMOVE)
		return setup_git_remove_lines(setup, MARK_ATTRIBUTES_NAME, format_attributes,
					      err) != 0 ||
				       setup_git_forget(setup, err) != 0
			       ? -1
			       : 0;
	/* The driver first: attributes that name a missing driver would merge as text. */
	if (setup_git_configure(setup, err) != 0 ||
	    setup_git_add_lines(setup, MARK_ATTRIBUTES_NAME, format_attributes, err) != 0)
		return -1;
	return setup_git_add_lines(setup, MARK_IGNORE_NAME, exceptions, err);
}

static int setup_git_answer(struct git_setup *setup, enum setup_git_wish wish, struct err *err)
{
	if (wish == SETUP_GIT_PRINT)
		return setup_git_print(setup, err);
	if (setup_git_find(setup, err) != 0 || setup_git_look(setup, err) != 0)
		return -1;
	if (wish != SETUP_GIT_CHECK && setup_git_change(setup, wish, err) != 0)
		return -1;
	if (setup_git_tell(setup, wish, err) != 0)
		return -1;
	return wish == SETUP_GIT_CHECK && !(setup->attributes_there && setup->configured)
		       ? err_exit_status(ERR_NOT_FOUND)
		       : 0;
}

/* A word of a shell that git runs: the path in quotes, however it is spelt. */
static void setup_git_quote(struct str *out, struct slice program)
{
	str_addc(out, '\'');
	for (size_t i = 0; i < program.len; i++) {
		if (program.ptr[i] == '\'')
			str_adds(out, "'\\''");
		else if (program.ptr[i] == '%')
			str_adds(out, "%%");
		else
			str_addc(out, program.ptr[i]);
	}
	str_addc(out, '\'');
}

int setup_git(struct run *run, enum setup_git_wish wish, struct slice program, struct err *err)
{
	struct git_setup setup = {.run = run, .folder = -1, .git = STR_INIT, .program = STR_INIT};

	setup_git_quote(&setup.program, program);
	int status = setup_git_answer(&setup, wish, err);
	file_close(run->cli->sys, &setup.folder);
	place_release(&setup.place);
	str_release(&setup.git);
	str_release(&setup.program);
	return status;
}
