#include "cli/setup/target.h"

#include "base/file.h"
#include "base/utf8.h"
#include "cli/setup/toml.h"
#include "json/write.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#define BYTES_MAX ((size_t)64 << 20)
#define LINKS_MAX 16

/* Frees what was read. */
static void target_file_release(struct config_file *file)
{
	str_release(&file->path);
	str_release(&file->text);
}

/* ---- reading */

/* Puts where a link leads in the place of its path. */
static void target_follow(struct str *path, struct slice target)
{
	const char *slash = strrchr(path->ptr, '/');

	if (target.ptr[0] == '/')
		str_clear(path);
	else
		str_truncate(path, slash ? (size_t)(slash - path->ptr) + 1 : 0);
	str_add(path, target);
}

/* EINVAL says that it is no link, ENOENT that there is nothing yet. */
static int target_follow_links(const struct sys *sys, struct str *path, struct err *err)
{
	char target[PATH_MAX];

	for (int links = 0; links < LINKS_MAX; links++) {
		ssize_t len = sys->readlinkat(AT_FDCWD, path->ptr, target, sizeof target);

		if (len < 0 && (errno == EINVAL || errno == ENOENT))
			return 0;
		if (len < 0)
			return err_set_errno(err, ERR_IO, errno, "cannot examine %s", path->ptr);
		if (len == 0 || (size_t)len == sizeof target)
			break;
		target_follow(path, slice_make(target, (size_t)len));
	}
	return err_set(err, ERR_BAD_DATA, "%s: too many links", path->ptr);
}

/*
 * Reads a file, or finds that there is none. Codes as file_read(). On success release it with
 * target_file_release(); on failure there is nothing to release.
 */
static int target_file_read(struct config_file *file, const struct sys *sys, const char *path,
			    struct err *err)
{
	*file = (struct config_file){.sys = sys};
	str_init(&file->path);
	str_init(&file->text);
	str_adds(&file->path, path);
	if (file_read(sys, AT_FDCWD, path, BYTES_MAX, &file->text, &file->id, err) == 0 &&
	    target_follow_links(sys, &file->path, err) == 0)
		return 0;
	target_file_release(file);
	return -1;
}

/* ---- writing */

static int target_file_fail(const char *what, const char *path, struct err *err)
{
	return err_set_errno(err, err_code_of_write(errno), errno, "cannot %s %s", what, path);
}

static int target_check_unchanged(const struct config_file *file, struct err *err)
{
	struct file_id now;

	if (file_identify(file->sys, AT_FDCWD, file->path.ptr, &now, err) != 0)
		return -1;
	if (!file_id_equal(&now, &file->id))
		return err_set(err, ERR_BUSY,
			       "%s was changed in the meantime; nothing was written, try again",
			       file->path.ptr);
	if (now.present && now.uid != geteuid())
		return err_set(err, ERR_CANNOT_WRITE,
			       "%s belongs to another user; run this as that user", file->path.ptr);
	return 0;
}

static void target_file_make_folders(const struct config_file *file)
{
	STR_AUTO path = STR_INIT;

	str_add(&path, str_slice(&file->path));
	for (char *at = path.ptr + 1; (at = strchr(at, '/')) != NULL; at++) {
		*at = '\0';
		file->sys->mkdirat(AT_FDCWD, path.ptr, 0777);
		*at = '/';
	}
}

/*
 * Writes another text, folders that are missing included; mode is that of a new file. BUSY when the
 * file is not what was read any more, CANNOT_WRITE when it belongs to another user, or as err says.
 */
static int target_file_write(const struct config_file *file, struct slice text, mode_t mode,
			     struct err *err)
{
	STR_AUTO name = STR_INIT;

	if (target_check_unchanged(file, err) != 0)
		return -1;
	target_file_make_folders(file);
	str_printf(&name, "%s.kota-%ld", file->path.ptr, (long)getpid());
	if (file_write_new(file->sys, AT_FDCWD, name.ptr, text,
			   file->id.present ? file->id.mode & 07777 : mode,
			   file->id.present ? FILE_DURABLE : FILE_DURABLE | FILE_UMASK, err) != 0)
		return -1;
	if (target_check_unchanged(file, err) == 0) {
		if (file->sys->renameat2(AT_FDCWD, name.ptr, AT_FDCWD, file->path.ptr, 0) == 0)
			return 0;
		target_file_fail("replace", file->path.ptr, err);
	}
	file->sys->unlinkat(AT_FDCWD, name.ptr, 0);
	return -1;
}

void setup_target_init(struct setup_target *target)
{
	*target = (struct setup_target){.mode = 0600};
	str_init(&target->path);
	str_init(&target->value);
	str_init(&target->project);
	str_init(&target->command);
	str_init(&target->found);
	str_init(&target->edit.text);
	str_init(&target->edit.lines);
}

void setup_target_release(struct setup_target *target)
{
	if (target->is_read)
		target_file_release(&target->file);
	str_release(&target->path);
	str_release(&target->value);
	str_release(&target->project);
	str_release(&target->command);
	str_release(&target->found);
	jsonc_edit_release(&target->edit);
}

static int target_blame(const struct setup_target *target, const struct json_fault *fault,
			struct err *err)
{
	return err_set(err, ERR_BAD_DATA, "%s:%u:%u: %s; nothing is changed", target->path.ptr,
		       fault->line, fault->column, fault->what);
}

/* ---- whose is it */

static struct slice target_base_name(struct slice path)
{
	for (size_t i = path.ptr ? path.len : 0; i > 0; i--) {
		if (path.ptr[i - 1] == '/')
			return slice_make(path.ptr + i, path.len - i);
	}
	return path;
}

/* A command is ours when its program is called as this one, or kota. */
static enum setup_state target_judge(struct slice command, bool args_fit, struct slice program)
{
	struct slice name = target_base_name(command);

	if (!args_fit || !command.ptr ||
	    (!slice_is(name, "kota") && !slice_equal(name, target_base_name(program))))
		return SETUP_FOREIGN;
	return slice_equal(command, program) ? SETUP_OURS : SETUP_MOVED;
}

/* Are these, from a word of an array on, the next ones? second NULL: what follows does not matter.
 */
static bool target_words_begin(const struct json *json, uint32_t node, const char *first,
			       const char *second)
{
	STR_AUTO scratch = STR_INIT;

	if (node == JSON_NONE || !slice_is(json_string(json, node, &scratch), first))
		return false;
	node = json_next(json, node);
	return !second ||
	       (node != JSON_NONE && slice_is(json_string(json, node, &scratch), second));
}

static bool target_is_array(const struct json *json, uint32_t node)
{
	return node != JSON_NONE && json_type(json, node) == JSON_ARRAY;
}

/* What is started: a text or, where program and words stand in one list, its first. */
static uint32_t target_program_of(const struct json *json, uint32_t node)
{
	uint32_t command = json_member(json, node, "command");

	return target_is_array(json, command) ? json_first(json, command) : command;
}

/* The first of the words behind the program, or JSON_NONE. */
static uint32_t target_first_word(const struct json *json, uint32_t node)
{
	uint32_t args = json_member(json, node, "args");
	uint32_t program = target_program_of(json, node);

	if (target_is_array(json, json_member(json, node, "command")))
		return program == JSON_NONE ? JSON_NONE : json_next(json, program);
	return target_is_array(json, args) ? json_first(json, args) : JSON_NONE;
}

/* What a member "command" starts, with its first words; a hook may be a line of the shell. */
static enum setup_state target_judge_command(struct setup_target *target, const struct json *json,
					     uint32_t node, struct slice program)
{
	STR_AUTO scratch = STR_INIT;
	STR_AUTO of_line = STR_INIT;
	uint32_t command = target_program_of(json, node);
	uint32_t word = target_first_word(json, node);
	bool fit = target->hook
			   ? target_words_begin(json, word, "hook", setup_event_word(target->event))
			   : target_words_begin(json, word, "serve", NULL);
	struct slice text = slice_of(NULL);

	if (command != JSON_NONE)
		text = json_string(json, command, &scratch);
	str_clear(&target->found);
	str_add(&target->found, text.ptr ? text : slice_of("something else"));
	if (target->hook && target->hook_form != HOOK_WORDS && text.ptr) {
		fit = setup_hook_program(text, target->event, &of_line);
		text = str_slice(&of_line);
	}
	str_clear(&target->command);
	str_add(&target->command, text);
	for (; word != JSON_NONE; word = json_next(json, word)) {
		STR_AUTO shown = STR_INIT;

		str_addc(&target->found, ' ');
		str_add(&target->found, json_string(json, word, &shown));
	}
	return target_judge(text, fit, program);
}

/* Editors and dotfile managers leave empty files: they are as good as none. */
static bool target_has_text(const struct setup_target *target)
{
	return target->file.id.present && !blank_only(str_slice(&target->file.text));
}

/* ---- JSON */

static struct jsonc_spot target_spot_of(const struct setup_target *target)
{
	return (struct jsonc_spot){target->names, target->hook};
}

/* The object with the command: the server, or the only hook of a group. */
static uint32_t target_command_of(const struct setup_target *target, const struct json *json,
				  uint32_t node)
{
	if (!target->hook)
		return node;
	uint32_t hooks = json_member(json, node, "hooks");
	if (hooks == JSON_NONE || json_type(json, hooks) != JSON_ARRAY ||
	    json->nodes[hooks].count != 1)
		return JSON_NONE;
	return json_first(json, hooks);
}

/* Our element of the array, or JSON_NONE. */
static uint32_t target_find_hook(struct setup_target *target, const struct jsonc *doc,
				 uint32_t array, struct slice program)
{
	if (array == JSON_NONE || json_type(&doc->json, array) != JSON_ARRAY)
		return JSON_NONE;
	for (uint32_t node = json_first(&doc->json, array); node != JSON_NONE;
	     node = json_next(&doc->json, node)) {
		uint32_t command = target_command_of(target, &doc->json, node);

		if (command == JSON_NONE)
			continue;
		target->state = target_judge_command(target, &doc->json, command, program);
		if (target->state != SETUP_FOREIGN)
			return node;
	}
	return JSON_NONE;
}

/* Finds the value and says in state what it is. */
static uint32_t target_find_json(struct setup_target *target, const struct jsonc *doc,
				 struct slice program)
{
	struct jsonc_spot spot = target_spot_of(target);
	uint32_t node = jsonc_find(doc, &spot);
	bool on = true;

	if (target->setting) {
		/* What is not false turns something on. */
		if (node != JSON_NONE)
			json_bool(&doc->json, node, &on);
		target->state = on ? SETUP_MOVED : SETUP_OURS;
	} else if (target->hook) {
		node = target_find_hook(target, doc, node, program);
	} else if (node != JSON_NONE) {
		target->state = target_judge_command(target, &doc->json, node, program);
	}
	if (node == JSON_NONE) {
		target->state = SETUP_NONE;
		str_clear(&target->found);
	}
	return node;
}

static int target_parse(const struct setup_target *target, struct jsonc *doc, struct err *err)
{
	struct json_fault fault;

	if (jsonc_parse(doc, str_slice(&target->file.text), &fault) != 0)
		return target_blame(target, &fault, err);
	return 0;
}

/* A later opencode has its servers one level deeper, where this form is not read. */
static int target_refuse_deeper(const struct setup_target *target, const struct json *json,
				struct err *err)
{
	uint32_t member = json_member(json, JSON_ROOT, target->names[0]);
	uint32_t servers = JSON_NONE;

	if (target->form == FORM_LIST && member != JSON_NONE)
		servers = json_member(json, member, "servers");
	if (servers == JSON_NONE || json_member(json, servers, "command") != JSON_NONE)
		return 0;
	return err_set(err, ERR_BAD_DATA,
		       "%s: this version of the client keeps its servers in %s.servers; add what "
		       "--print shows there by hand",
		       target->path.ptr, target->names[0]);
}

static int target_look_json(struct setup_target *target, struct slice program, struct err *err)
{
	struct jsonc doc;

	if (target_parse(target, &doc, err) != 0)
		return -1;
	int result = target_refuse_deeper(target, &doc.json, err);
	if (result == 0)
		target_find_json(target, &doc, program);
	jsonc_release(&doc);
	return result;
}

/* Another path for the program; all else about it stays. */
static void target_repoint(struct setup_target *target, const struct jsonc *doc, uint32_t node,
			   struct slice program)
{
	STR_AUTO line = STR_INIT;
	STR_AUTO text = STR_INIT;

	if (target->setting) {
		jsonc_replace(&target->edit, doc, node, str_slice(&target->value));
		return;
	}
	uint32_t command = target_program_of(&doc->json,
					     target_command_of(target, &doc->json, node));
	if (target->hook && target->hook_form != HOOK_WORDS)
		setup_add_hook_line(&line, target->event, program);
	else
		str_add(&line, program);
	json_quote(&text, str_slice(&line));
	jsonc_replace(&target->edit, doc, command, str_slice(&text));
}

static int target_plan_json(struct setup_target *target, bool remove, struct slice program,
			    struct err *err)
{
	struct jsonc_spot spot = target_spot_of(target);
	struct slice value = str_slice(&target->value);
	struct json_fault fault;
	struct jsonc doc;
	int result = 0;

	if (!target_has_text(target))
		return jsonc_add(&target->edit, NULL, &spot, value, &fault);
	if (target_parse(target, &doc, err) != 0)
		return -1;
	uint32_t node = target_find_json(target, &doc, program);
	if (remove)
		jsonc_remove(&target->edit, &doc, &spot, node);
	else if (node != JSON_NONE)
		target_repoint(target, &doc, node, program);
	else
		result = jsonc_add(&target->edit, &doc, &spot, value, &fault);
	jsonc_release(&doc);
	return result == 0 ? 0 : target_blame(target, &fault, err);
}

/* ---- TOML */

static int target_find_toml(const struct setup_target *target, struct toml_table *table,
			    struct err *err)
{
	struct json_fault fault = {0};

	if (toml_find(table, str_slice(&target->file.text), target->names[0], target->names[1],
		      &fault) != 0)
		return target_blame(target, &fault, err);
	if (!table->present && table->elsewhere)
		return err_set(err, ERR_BAD_DATA,
			       "%s:%zu: this has another form than [%s.%s]; change it "
			       "by hand",
			       target->path.ptr, table->elsewhere, target->names[0],
			       target->names[1]);
	return 0;
}

static int target_look_toml(struct setup_target *target, struct slice program, struct err *err)
{
	STR_AUTO wanted = STR_INIT;
	struct toml_table table;

	if (target_find_toml(target, &table, err) != 0)
		return -1;
	if (!table.present)
		return 0;
	struct slice text = table.command;
	toml_add_string(&wanted, program);
	if (text.len >= 2 && slice_equal(text, str_slice(&wanted)))
		text = program;
	else if (text.len >= 2)
		text = slice_make(text.ptr + 1, text.len - 2);
	str_add(&target->command, text);
	str_add(&target->found, text.ptr ? text : slice_of("something else"));
	target->state = target_judge(text, true, program);
	if (target->state != SETUP_FOREIGN)
		str_adds(&target->found, " serve");
	return 0;
}

static int target_plan_toml(struct setup_target *target, bool remove, struct slice program,
			    struct err *err)
{
	struct slice text = str_slice(&target->file.text);
	struct jsonc_edit *edit = &target->edit;
	struct toml_table table;

	if (target_find_toml(target, &table, err) != 0)
		return -1;
	if (remove) {
		toml_remove(&edit->text, &edit->absent, text, &table);
		str_add(&edit->lines, slice_make(text.ptr + table.start, table.end - table.start));
	} else if (target->state == SETUP_MOVED) {
		size_t at = (size_t)(table.command.ptr - text.ptr);

		str_add(&edit->text, slice_make(text.ptr, at));
		toml_add_string(&edit->text, program);
		at += table.command.len;
		str_add(&edit->text, slice_make(text.ptr + at, text.len - at));
		toml_add_string(&edit->lines, program);
	} else {
		toml_add(&edit->text, target->file.id.present ? text : slice_of(NULL),
			 str_slice(&target->value));
		str_add(&edit->lines, str_slice(&target->value));
	}
	return 0;
}

/* ---- both */

int setup_target_look(struct setup_target *target, const struct sys *sys, struct slice program,
		      struct err *err)
{
	target->state = SETUP_NONE;
	if (target_file_read(&target->file, sys, target->path.ptr, err) != 0)
		return -1;
	target->is_read = true;
	if (!target_has_text(target))
		return 0;
	return target->form == FORM_TOML_TABLE ? target_look_toml(target, program, err)
					       : target_look_json(target, program, err);
}

int setup_target_plan(struct setup_target *target, bool remove, struct slice program,
		      struct err *err)
{
	/* A setting that somebody turned on again is theirs. */
	bool wanted = !remove           ? target->state != SETUP_OURS
		      : target->setting ? target->state == SETUP_OURS
					: target->state != SETUP_NONE;

	if (target->state == SETUP_FOREIGN)
		return err_set(err, ERR_EXISTS,
			       "%s: \"" SETUP_NAME
			       "\" is something else there (%s); remove or rename "
			       "it first",
			       target->path.ptr, target->found.ptr);
	if (!wanted)
		return 0;
	target->is_planned = true;
	return target->form == FORM_TOML_TABLE ? target_plan_toml(target, remove, program, err)
					       : target_plan_json(target, remove, program, err);
}

int setup_target_write(const struct setup_target *target, struct err *err)
{
	const struct config_file *file = &target->file;

	if (target->edit.absent) {
		if (target_check_unchanged(file, err) != 0)
			return -1;
		if (file->sys->unlinkat(AT_FDCWD, file->path.ptr, 0) != 0)
			return target_file_fail("remove", file->path.ptr, err);
		return 0;
	}
	return target_file_write(&target->file, str_slice(&target->edit.text), target->mode, err);
}

/* What of a client is to be where. */

int setup_self(struct str *out, const struct sys *sys, struct err *err)
{
	char path[PATH_MAX];
	ssize_t len = sys->readlinkat(AT_FDCWD, "/proc/self/exe", path, sizeof path);

	if (len <= 0 || (size_t)len == sizeof path)
		return err_set(err, ERR_IO, "cannot find the path of this program");
	str_add(out, slice_make(path, (size_t)len));
	return 0;
}

struct aim {
	const struct setup_client *client;
	enum setup_scope scope;
	const struct cli *cli;
	struct slice program;
};

static int target_aim_at(struct setup_target *target, const struct aim *aim,
			 const struct setup_file *files, struct err *err)
{
	target->form = target->hook ? FORM_COMMAND : aim->client->form;
	target->mode = aim->scope == SCOPE_PROJECT ? 0666 : 0600;
	if (setup_path(&target->path, files, aim->scope, aim->cli->env, err) != 0)
		return -1;
	return setup_target_look(target, aim->cli->sys, aim->program, err);
}

int setup_find_project(struct str *out, const struct sys *sys, struct err *err)
{
	char here[PATH_MAX];
	struct stat st;
	STR_AUTO mark = STR_INIT;
	size_t from = out->len;

	if (!getcwd(here, sizeof here))
		return err_set_errno(err, ERR_IO, errno, "cannot find the working folder");
	str_adds(out, here);
	for (size_t len = strlen(here); len > 0; len--) {
		if (here[len] != '\0' && here[len] != '/')
			continue;
		here[len] = '\0';
		str_clear(&mark);
		str_printf(&mark, "%s/.git", here);
		if (sys->fstatat(AT_FDCWD, mark.ptr, &st, 0) == 0) {
			str_truncate(out, from);
			str_adds(out, here);
			break;
		}
	}
	return 0;
}

static int target_for_server(struct setup_target *target, const struct aim *aim, struct err *err)
{
	const char **name = target->names;

	target->what = "server";
	setup_add_server(&target->value, aim->client->form, aim->program, aim->client->core);
	if (aim->scope == SCOPE_LOCAL) {
		if (setup_find_project(&target->project, aim->cli->sys, err) != 0)
			return -1;
		*name++ = "projects";
		*name++ = target->project.ptr;
	}
	*name++ = aim->client->member;
	*name = SETUP_NAME;
	return target_aim_at(target, aim, aim->client->files, err);
}

static int target_for_event(struct setup_target *target, const struct aim *aim,
			    enum setup_event event, struct err *err)
{
	static const char *const names[EVENT_COUNT] = {
		[EVENT_START] = "hook",
		[EVENT_END] = "end hook",
		[EVENT_PROMPT] = "prompt hook",
	};

	target->what = names[event];
	target->hook = true;
	target->hook_form = aim->client->hook_form;
	target->event = event;
	target->names[0] = "hooks";
	target->names[1] = aim->client->events[event];
	setup_add_hook(&target->value, target->hook_form, event, aim->program);
	return target_aim_at(target, aim, aim->client->hooks, err);
}

static int target_for_memory(struct setup_target *target, const struct aim *aim, struct err *err)
{
	target->what = "own memory";
	target->setting = true;
	target->names[0] = aim->client->own_memory;
	str_adds(&target->value, "false");
	return target_aim_at(target, aim, aim->client->hooks, err);
}

int setup_target_for(struct setup_target *target, enum setup_part part,
		     const struct setup_client *client, enum setup_scope scope,
		     const struct cli *cli, struct slice program, struct err *err)
{
	const struct aim aim = {client, scope, cli, program};

	if (part == TARGET_SERVER)
		return target_for_server(target, &aim, err);
	if (part == TARGET_MEMORY)
		return target_for_memory(target, &aim, err);
	return target_for_event(target, &aim, (enum setup_event)(part - TARGET_HOOK), err);
}
