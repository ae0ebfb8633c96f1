/*
 * Random changes, and then all of them taken back, the last one first: nothing is left. The files
 * are what the history has after each. With an argument, as many games as that.
 */
#include "support/pastcall.h"

#include "base/mem.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <stdlib.h>

#define SEEDS 3
#define OPERATIONS 40
#define CHANGES_MAX 400

/* Tight enough that entries are evicted, and records move to the cold archive. */
#define CONFIG "{'limits':{'entries_per_category':4,'total_bytes':1900,'expiry_days':2}}"

struct game {
	struct teststore *t;
	uint64_t random;
	unsigned int operation;
};

static unsigned int pick(struct game *game, unsigned int count)
{
	game->random ^= game->random << 13;
	game->random ^= game->random >> 7;
	game->random ^= game->random << 17;
	return (unsigned int)(game->random >> 33) % count;
}

/* Runs a command; what is refused is no change. */
static void try(struct game *game, const char *command, const char *arguments)
{
	toolcall_try(game->t, command, arguments);
}

static void set(struct game *game)
{
	static const char *const values[] = {"1.0", "'text'", "['list',2]", "{'of':{'many':1e400}}",
					     "'0123456789012345678901234567890123456789'"};
	static const char *const categories[] = {"state", "patterns"};
	STR_AUTO arguments = STR_INIT;

	str_printf(&arguments, "{'key':'%c','category':'%s','value':%s}", 'a' + (int)pick(game, 7),
		   categories[pick(game, 2)], values[pick(game, 5)]);
	try(game, "set", arguments.ptr);
}

static void change_one(struct game *game, const char *command, const char *more)
{
	STR_AUTO arguments = STR_INIT;

	str_printf(&arguments, "{'key':'%c'%s}", 'a' + (int)pick(game, 7), more);
	try(game, command, arguments.ptr);
}

static void move(struct game *game)
{
	STR_AUTO arguments = STR_INIT;

	str_printf(&arguments, "{'key':'%c','new':'%s%c'}", 'a' + (int)pick(game, 7),
		   pick(game, 2) ? "patterns:" : "", 'a' + (int)pick(game, 7));
	try(game, "mv", arguments.ptr);
}

/* A person adds an entry, changes one, or throws them all out. */
static void edit(struct game *game)
{
	STR_AUTO text = STR_INIT;
	unsigned int count = pick(game, 4);

	str_adds(&text, "{");
	for (unsigned int i = 0; i < count; i++)
		str_printf(&text, "%s\n  '%c': {\n    'value': %u\n  }", i ? "," : "",
			   'a' + (int)(i * 2 + game->operation % 2), game->operation);
	str_adds(&text, "\n}\n");
	toolcall_write_file(game->t, "shortcuts.json", text.ptr);
}

static void operate(struct game *game)
{
	switch (pick(game, 12)) {
	case 0:
	case 1:
		change_one(game, "delete", "");
		break;
	case 2:
		try(game, "clear-state", "{}");
		break;
	case 3:
		try(game, "notes", "{'summary':'this and that','tone':'dry'}");
		break;
	case 4:
		move(game);
		break;
	case 5:
		edit(game);
		break;
	case 6:
		change_one(game, "update", ",'addition':'more'");
		break;
	case 7:
		fake_sys_set_now(fake_sys_now() + INT64_C(30) * 3600 * 1000);
		break;
	default:
		set(game);
		break;
	}
	game->operation++;
	toolcall_later();
}

/* The changes up to now, new to old; without the beginning. */
static size_t list_changes(struct teststore *t, struct object_id *ids)
{
	size_t count = pastcall_count(t) - 1;

	assert_true(count < CHANGES_MAX);
	for (size_t i = 0; i < count; i++)
		ids[i] = pastcall_change(t, i);
	return count;
}

static void undo(struct teststore *t, const struct object_id *id)
{
	STR_AUTO arguments = STR_INIT;
	char text[OBJECT_ID_DIGITS + 1];

	object_id_text(id, text);
	str_printf(&arguments, "{'change':'%s'}", text);
	toolcall_replies(t, "undo", arguments.ptr, NULL);
}

static void undo_last(struct teststore *t, const struct object_id *ids, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		undo(t, &ids[i]);
		toolcall_later();
		pastcall_check_tree(t);
	}
}

/* What is there, and what is archived. */
static void look(struct teststore *t, struct str *out)
{
	toolcall_reply(t, "list", "{}", out);
	toolcall_reply(t, "archived", "{}", out);
}

static void play(struct teststore *t, uint64_t seed)
{
	struct game game = {.t = t, .random = seed * UINT64_C(0x9e3779b97f4a7c15)};
	struct object_id *ids = mem_zalloc(CHANGES_MAX, sizeof *ids);
	STR_AUTO before = STR_INIT;
	STR_AUTO after = STR_INIT;
	size_t count;

	toolcall_write_file(t, "config.json", CONFIG);
	/* Not an edit, which would be there when the history begins. */
	toolcall_replies(t, "set", "{'key':'first','category':'connections','value':1}", NULL);
	while (game.operation < OPERATIONS)
		operate(&game);
	/* The last edit by hand is recorded with it. */
	toolcall_replies(t, "set", "{'key':'last','category':'connections','value':1}", NULL);
	pastcall_check_tree(t);
	/* Nothing is to expire while it is taken back. */
	toolcall_write_file(t, "config.json",
			    "{'limits':{'entries_per_category':4,'total_bytes':1900,"
			    "'expiry_days':2000}}");
	look(t, &before);
	count = list_changes(t, ids);
	undo_last(t, ids, count);
	toolcall_replies(t, "list", "{}", "{'refs':[]}");
	toolcall_replies(t, "archived", "{}", "{'refs':[]}");
	/* And all of it comes again when that is taken back. */
	list_changes(t, ids);
	undo_last(t, ids, count);
	look(t, &after);
	assert_string_equal(before.ptr, after.ptr);
	print_message("%zu changes\n", count);
	free(ids);
}

static void all_of_it_can_be_taken_back(void **state)
{
	const uint64_t *seeds = *state;

	for (uint64_t seed = 1; seed <= *seeds; seed++) {
		void *t;

		toolcall_set_up_with_history(&t);
		play(t, seed);
		toolcall_tear_down(&t);
	}
}

int main(int argc, char **argv)
{
	uint64_t seeds = argc > 1 ? strtoull(argv[1], NULL, 10) : SEEDS;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(all_of_it_can_be_taken_back, &seeds),
	};

	tmpdir_in_memory();
	return cmocka_run_group_tests_name("undo all", tests, NULL, NULL);
}
