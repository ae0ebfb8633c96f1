/*
 * Random operations on a store and on a plain model of it, in two handles that take turns as two
 * processes would, under a clock of the test's own. Each reply has to be the model's, and every few
 * operations the files have to be.
 */
#include "torture/oracle.h"

#include "store/open/store.h"
#include "support/planted.h"
#include "support/surroundings.h"
#include "tools/registry.h"
#include "torture/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* As in config.json below. */
#define LIMIT 6
#define EXPIRY_DAYS 3

#define OPERATIONS_A_STORE 200
#define LOOK_EVERY 10

struct game {
	struct row *row;
	struct tmpdir dir;
	struct store *stores[2];
	struct oracle oracle;
	struct str reply;
	struct str expected;
	size_t operations;
};

static int64_t now_ms;

static int64_t clock_of_the_test(void)
{
	return now_ms;
}

static int no_fsync(int fd)
{
	(void)fd;
	return 0;
}

/* Nobody cuts the power here. */
static const struct sys *quick_sys(const struct row *row)
{
	static struct sys table;

	table = row->plant ? *planted_sys_of(row->plant) : *sys_real();
	table.fsync = no_fsync;
	table.now_ms = clock_of_the_test;
	return &table;
}

static void open_handle(struct game *game, int which)
{
	struct err err;

	if (store_open(&game->stores[which], quick_sys(game->row), surroundings_plain,
		       game->dir.path, &err) != 0)
		row_violation(game->row, "the store cannot be opened: %s", err.text);
}

static void open_game(struct game *game)
{
	tmpdir_make(&game->dir);
	tmpdir_write(&game->dir, "config.json",
		     "{\"limits\":{\"entries_per_category\":6,\"expiry_days\":3,"
		     "\"total_bytes\":10000000},\"git\":\"off\"}\n");
	oracle_init(&game->oracle, LIMIT, EXPIRY_DAYS);
	str_init(&game->reply);
	str_init(&game->expected);
	open_handle(game, 0);
	open_handle(game, 1);
}

static void close_game(struct game *game)
{
	store_close(game->stores[0]);
	store_close(game->stores[1]);
	oracle_release(&game->oracle);
	str_release(&game->reply);
	str_release(&game->expected);
	tmpdir_remove(&game->dir);
}

/* Calls the tool on one of the handles; a refusal leaves the reply empty. */
static void run_tool(struct game *game, const char *command, const char *arguments, struct err *err)
{
	const struct tool *tool = tool_find_command(tools_all(), slice_of(command));
	struct arena arena = ARENA_INIT;
	struct call call = {
		.tool = tool->name,
		.store = game->stores[row_below(game->row, 2)],
		.now_ms = now_ms,
		.client = "model",
		.arena = &arena,
	};
	struct json_fault fault;
	struct json doc;

	str_clear(&game->reply);
	err_clear(err);
	if (json_parse(&doc, slice_of(arguments), &json_line_bounds, &fault) != 0) {
		row_violation(game->row, "%s: %s", arguments, fault.what);
		return;
	}
	if (tool_run(tool, &call, &doc, JSON_ROOT, &game->reply, err) != 0)
		str_clear(&game->reply);
	json_release(&doc);
	arena_release(&arena);
}

/* What an entry says to others is not the model's: tests/similarity judges it. */
static void leave_out_hints(struct str *reply)
{
	char *hints = strstr(reply->ptr, ",\"similar\":[");
	char *end = hints ? strstr(hints, "\"}]") : NULL;

	if (!end)
		return;
	end += strlen("\"}]");
	memmove(hints, end, strlen(end) + 1);
	str_truncate(reply, strlen(reply->ptr));
}

static void call_tool(struct game *game, const char *command, const char *arguments)
{
	struct err err;

	run_tool(game, command, arguments, &err);
	leave_out_hints(&game->reply);
	if (strcmp(game->reply.ptr, game->expected.ptr) != 0)
		row_violation(game->row, "%s %s\n  says   %s %s\n  expected %s", command, arguments,
			      game->reply.ptr, err.text, game->expected.ptr);
}

static void draw_value(struct row *row, struct value *out)
{
	*out = (struct value){.kind = (enum kind)row_below(row, 4)};
	switch (out->kind) {
	case KIND_STRING:
		snprintf(out->text, sizeof out->text, "\"word%u\"", row_below(row, 20));
		break;
	case KIND_NUMBER:
		snprintf(out->text, sizeof out->text, "%u", row_below(row, 20));
		break;
	case KIND_ARRAY:
		snprintf(out->text, sizeof out->text, "%u,%u", row_below(row, 9),
			 row_below(row, 9));
		break;
	case KIND_OBJECT:
		out->members = 1;
		out->names[0] = (char)('a' + (char)row_below(row, ORACLE_MEMBERS));
		out->numbers[0] = (int)row_below(row, 9);
		break;
	}
}

/* With a category in half of the cases; keys are few, so that they meet. */
static int draw_key(struct row *row, char key[40])
{
	static const char *const words[] = {"k", "Pref ", "pref_", "habit-", "HABIT "};

	snprintf(key, 40, "%s%u", words[row_below(row, 5)], row_below(row, 8));
	return row_below(row, 2) ? CATEGORY_ANY : (int)row_below(row, CATEGORY_COUNT);
}

static void add_key(struct str *out, int category, const char *key)
{
	str_printf(out, "{\"key\":\"%s%s%s\"",
		   category == CATEGORY_ANY ? "" : category_name((enum category)category),
		   category == CATEGORY_ANY ? "" : ":", key);
}

static void play_set(struct game *game)
{
	STR_AUTO arguments = STR_INIT;
	int pinned = row_below(game->row, 6) ? -1 : (int)row_below(game->row, 2);
	char text[ORACLE_TEXT];
	char key[40];
	int category = draw_key(game->row, key);
	struct value value;

	draw_value(game->row, &value);
	oracle_value(&value, text);
	add_key(&arguments, category, key);
	str_printf(&arguments, ",\"value\":%s", text);
	if (pinned >= 0)
		str_printf(&arguments, ",\"pinned\":%s", pinned ? "true" : "false");
	str_addc(&arguments, '}');
	oracle_set(&game->oracle, category, key, &value, pinned, &game->expected);
	call_tool(game, "set", arguments.ptr);
}

static void play_update(struct game *game)
{
	STR_AUTO arguments = STR_INIT;
	char text[ORACLE_TEXT];
	char key[40];
	int category = draw_key(game->row, key);
	struct value addition;

	draw_value(game->row, &addition);
	oracle_value(&addition, text);
	add_key(&arguments, category, key);
	str_printf(&arguments, ",\"addition\":%s}", text);
	oracle_update(&game->oracle, category, key, &addition, &game->expected);
	call_tool(game, "update", arguments.ptr);
}

static void play_delete(struct game *game)
{
	STR_AUTO arguments = STR_INIT;
	char key[40];
	int category = draw_key(game->row, key);

	add_key(&arguments, category, key);
	str_addc(&arguments, '}');
	oracle_delete(&game->oracle, category, key, &game->expected);
	call_tool(game, "delete", arguments.ptr);
}

static void play_notes(struct game *game)
{
	char summary[32];
	char arguments[64];

	snprintf(summary, sizeof summary, "talk %zu", game->operations);
	snprintf(arguments, sizeof arguments, "{\"summary\":\"%s\"}", summary);
	oracle_notes(&game->oracle, summary, &game->expected);
	call_tool(game, "notes", arguments);
}

/* Of the answer to a key that is there the beginning is compared: what it is, and its value. */
static void play_get(struct game *game)
{
	STR_AUTO expected = STR_INIT;
	STR_AUTO arguments = STR_INIT;
	const struct oracle *oracle = &game->oracle;
	const struct memo *memo;
	struct err err;

	oracle_expire(&game->oracle);
	if (oracle->count == 0) {
		oracle_list(&game->oracle, &game->expected);
		call_tool(game, "list", "{}");
		return;
	}
	memo = &oracle->memos[row_below(game->row, (unsigned)oracle->count)];
	memo = oracle_get(&game->oracle, memo->category, memo->key);
	str_printf(&expected, "{\"key\":\"%s\",\"category\":\"%s\",\"value\":%s,", memo->key,
		   category_name(memo->category), memo->value);
	str_printf(&arguments, "{\"query\":\"%s:%s\"}", category_name(memo->category), memo->key);
	run_tool(game, "get", arguments.ptr, &err);
	if (strncmp(game->reply.ptr, expected.ptr, expected.len) != 0 ||
	    !strstr(game->reply.ptr, "\"archived\":false"))
		row_violation(game->row, "get %s\n  says   %s %s\n  expected %s", arguments.ptr,
			      game->reply.ptr, err.text, expected.ptr);
}

static void play_one(struct game *game)
{
	unsigned draw = row_below(game->row, 100);

	str_clear(&game->expected);
	if (draw < 45) {
		play_set(game);
	} else if (draw < 62) {
		play_update(game);
	} else if (draw < 72) {
		play_delete(game);
	} else if (draw < 78) {
		play_notes(game);
	} else if (draw < 80) {
		oracle_clear_state(&game->oracle, &game->expected);
		call_tool(game, "clear-state", "{}");
	} else if (draw < 86) {
		oracle_list(&game->oracle, &game->expected);
		call_tool(game, "list", "{}");
	} else if (draw < 88) {
		oracle_list_archived(&game->oracle, &game->expected);
		call_tool(game, "archived", "{}");
	} else {
		play_get(game);
	}
	game->operations++;
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Texts that are compared without regard to their order. */
struct lines {
	char *list[ORACLE_RECORDS + ORACLE_MEMOS];
	size_t count;
};

static void add_line(struct lines *lines, const char *place, enum category category,
		     const char *key, const char *value)
{
	struct str line = STR_INIT;

	str_printf(&line, "%s %s:%s %s", place, category_name(category), key, value);
	lines->list[lines->count++] = str_detach(&line);
}

static void compare_all(struct game *game, struct lines *theirs, struct lines *ours)
{
	qsort(theirs->list, theirs->count, sizeof *theirs->list, compare_lines);
	qsort(ours->list, ours->count, sizeof *ours->list, compare_lines);
	if (theirs->count != ours->count)
		row_violation(game->row, "the files hold %zu values, expected %zu", theirs->count,
			      ours->count);
	for (size_t i = 0; i < theirs->count && i < ours->count; i++) {
		if (strcmp(theirs->list[i], ours->list[i]) == 0)
			continue;
		row_violation(game->row, "the files hold %s, expected %s", theirs->list[i],
			      ours->list[i]);
		break;
	}
	for (size_t i = 0; i < theirs->count; i++)
		free(theirs->list[i]);
	for (size_t i = 0; i < ours->count; i++)
		free(ours->list[i]);
}

static void look(struct game *game)
{
	static struct lines theirs;
	static struct lines ours;
	const struct oracle *oracle = &game->oracle;
	struct files files;
	size_t undo = 0;

	theirs.count = 0;
	ours.count = 0;
	files_read(&files, &game->dir, game->row);
	for (size_t i = 0; i < files.count; i++) {
		const struct found *found = &files.list[i];

		undo += found->place == PLACE_UNDO;
		if (found->place != PLACE_UNDO)
			add_line(&theirs, found->reason.ptr ? found->reason.ptr : "active",
				 found->category, found->key.ptr, found->value.ptr);
	}
	for (int i = 0; i < oracle->count; i++)
		add_line(&ours, "active", oracle->memos[i].category, oracle->memos[i].key,
			 oracle->memos[i].value);
	for (int i = 0; i < oracle->record_count; i++)
		add_line(&ours, oracle->records[i].reason, oracle->records[i].category,
			 oracle->records[i].key, oracle->records[i].value);
	compare_all(game, &theirs, &ours);
	if (undo != oracle->undo)
		row_violation(game->row, "%zu values kept for an undo, expected %zu", undo,
			      oracle->undo);
	files_release(&files);
}

/* Mostly moments, now and then a day or two. */
static void let_time_pass(struct game *game)
{
	now_ms += 1 + row_below(game->row, 60000);
	if (row_below(game->row, 30) == 0)
		now_ms += row_below(game->row, 2U * 86400000U);
	game->oracle.now_ms = now_ms;
	if (row_below(game->row, 40) == 0) {
		int which = (int)row_below(game->row, 2);

		store_close(game->stores[which]);
		open_handle(game, which);
	}
}

int main(int argc, char **argv)
{
	struct row row;
	struct game game = {.row = &row};
	unsigned stores;
	unsigned played = 0;

	row_init(&row, argc, argv);
	now_ms = (int64_t)time(NULL) * 1000;
	stores = row_times(&row, 4, 250);
	for (; played < stores && row.violations == 0; played++) {
		open_game(&game);
		for (int i = 0; i < OPERATIONS_A_STORE && row.violations == 0; i++) {
			let_time_pass(&game);
			play_one(&game);
			if (i % LOOK_EVERY == LOOK_EVERY - 1)
				look(&game);
		}
		close_game(&game);
	}
	return row_end(&row,
		       "%zu operations on %u stores: %u replies or files differ from the model",
		       game.operations, played, row.violations);
}
