/*
 * Replays sequences of operations: each on a store of its own in a fresh directory, with the
 * clock of the step, through the table of tools.
 */
#include "replay/golden.h"

#include "replay/final.h"
#include "replay/reply.h"
#include "store/open/store.h"
#include "support/fake_sys.h"
#include "support/surroundings.h"
#include "support/tmpdir.h"
#include "tools/registry.h"

#include <stdlib.h>
#include <time.h>

/* Most wrong steps that are told of one sequence. */
#define TOLD_MAX 5

/* Longest text that {"$repeat": [text, times]} may stand for. */
#define REPEATED_MAX (1 << 20)

struct sequence {
	const struct json *doc;
	struct tmpdir dir;
	struct store *store;
	size_t wrong;
	bool unknown_form;
	struct str *why;
};

static bool read_now(const struct json *doc, uint32_t node, int64_t *ms)
{
	STR_AUTO scratch = STR_INIT;

	return timestamp_parse(json_string(doc, node, &scratch), true, ms);
}

/* The [text, times] of {"$repeat": [text, times]}, or JSON_NONE where node is something else. */
static uint32_t find_repeat(const struct json *doc, uint32_t node)
{
	return doc->nodes[node].count == 1 ? json_member(doc, node, "$repeat") : JSON_NONE;
}

static bool write_repeated(const struct json *doc, uint32_t repeat, struct json_writer *w)
{
	uint32_t text = json_first(doc, repeat);
	uint32_t times = text == JSON_NONE ? JSON_NONE : json_next(doc, text);
	STR_AUTO scratch = STR_INIT;
	STR_AUTO whole = STR_INIT;
	struct slice part;
	int64_t count;

	if (json_type(doc, repeat) != JSON_ARRAY || doc->nodes[repeat].count != 2 ||
	    json_type(doc, text) != JSON_STRING || !json_int(doc, times, &count))
		return false;
	part = json_string(doc, text, &scratch);
	if (count < 0 || count > REPEATED_MAX || part.len * (size_t)count > REPEATED_MAX)
		return false;
	for (int64_t i = 0; i < count; i++)
		str_add(&whole, part);
	json_write_string(w, str_slice(&whole));
	return true;
}

/* Writes arguments with every $repeat in them replaced by its text; false when one is malformed. */
static bool write_arguments(const struct json *doc, uint32_t node, struct json_writer *w)
{
	enum json_type type = json_type(doc, node);
	uint32_t repeat = find_repeat(doc, node);
	STR_AUTO scratch = STR_INIT;

	if (repeat != JSON_NONE)
		return write_repeated(doc, repeat, w);
	if (type != JSON_OBJECT && type != JSON_ARRAY) {
		json_write_value(w, doc, node);
		return true;
	}
	if (type == JSON_OBJECT)
		json_write_object(w);
	else
		json_write_array(w);
	for (uint32_t m = json_first(doc, node); m != JSON_NONE; m = json_next(doc, m)) {
		if (type == JSON_OBJECT)
			json_write_name(w, json_name(doc, m, &scratch));
		if (!write_arguments(doc, m, w))
			return false;
	}
	json_write_end(w);
	return true;
}

/* Runs the tool "memory_OP" on arguments; the reply is appended to *reply. */
static int run_tool(const struct sequence *s, struct slice op, const struct str *arguments,
		    int64_t now_ms, struct str *reply, struct err *err)
{
	const struct tool *tool;
	struct arena arena = ARENA_INIT;
	struct call call = {.store = s->store, .now_ms = now_ms, .arena = &arena};
	STR_AUTO name = STR_INIT;
	struct json_fault fault;
	struct json doc;
	int rc;

	str_adds(&name, "memory_");
	str_add(&name, op);
	tool = tool_find(tools_all(), str_slice(&name));
	if (!tool)
		return err_set(err, ERR_UNKNOWN_OPERATION, "there is no tool %s", name.ptr);
	if (json_parse(&doc, str_slice(arguments), &json_file_bounds, &fault) != 0)
		return err_set(err, ERR_INTERNAL, "arguments: %s", fault.what);
	call.tool = tool->name;
	rc = tool_run(tool, &call, &doc, JSON_ROOT, reply, err);
	json_release(&doc);
	arena_release(&arena);
	return rc;
}

/* Begins the account of a wrong step, or answers NULL when enough has been told. */
static struct str *tell(struct sequence *s, size_t number, struct slice op)
{
	if (s->wrong++ >= TOLD_MAX)
		return NULL;
	str_printf(s->why, "\n    step %zu (", number);
	golden_show(s->why, op);
	str_adds(s->why, "): ");
	return s->why;
}

static void check_reply(struct sequence *s, uint32_t expect, const struct str *reply, size_t number,
			struct slice op)
{
	STR_AUTO difference = STR_INIT;
	struct str *why;

	if (reply_agrees(s->doc, expect, str_slice(reply), &difference))
		return;
	why = tell(s, number, op);
	if (why)
		str_add(why, str_slice(&difference));
}

static void check_refusal(struct sequence *s, uint32_t expect, const struct err *err, size_t number,
			  struct slice op)
{
	uint32_t kind = json_member(s->doc, expect, "error");
	STR_AUTO scratch = STR_INIT;
	struct str *why;

	if (kind != JSON_NONE && err->text[0] != '\0' &&
	    slice_is(json_string(s->doc, kind, &scratch), err_slug(err->code)))
		return;
	why = tell(s, number, op);
	if (!why)
		return;
	str_adds(why, "expected ");
	golden_show(why, json_text(s->doc, expect));
	str_printf(why, ", refused as %s: ", err_slug(err->code));
	golden_show(why, slice_of(err->text));
}

/* Reads a step's clock and arguments; false when its form is unknown, *why says what. */
static bool read_step(const struct sequence *s, uint32_t step, int64_t *now_ms,
		      struct str *arguments)
{
	static const char *const members[] = {"op", "args", "now", "expect", "?ours", NULL};

	if (!golden_has_members(s->doc, step, members, s->why))
		return false;
	if (!read_now(s->doc, json_member(s->doc, step, "now"), now_ms)) {
		golden_unknown_form(s->why, "now is no time");
		return false;
	}
	struct json_writer w = json_writer_to(arguments, &json_compact);
	if (!write_arguments(s->doc, json_member(s->doc, step, "args"), &w)) {
		golden_unknown_form(s->why, "$repeat is not [text, times]");
		return false;
	}
	return true;
}

static void run_step(struct sequence *s, uint32_t step, size_t number)
{
	uint32_t expect;
	STR_AUTO scratch = STR_INIT;
	STR_AUTO arguments = STR_INIT;
	STR_AUTO reply = STR_INIT;
	struct slice op;
	struct err err;
	int64_t now_ms;

	if (!read_step(s, step, &now_ms, &arguments)) {
		s->unknown_form = true;
		str_printf(s->why, ", in step %zu", number);
		return;
	}
	op = json_string(s->doc, json_member(s->doc, step, "op"), &scratch);
	expect = json_member(s->doc, step, "expect");
	fake_sys_clear_trace();
	fake_sys_set_now(now_ms);
	if (run_tool(s, op, &arguments, now_ms, &reply, &err) == 0)
		check_reply(s, expect, &reply, number, op);
	else
		check_refusal(s, expect, &err, number, op);
}

static void run_steps(struct sequence *s, uint32_t steps)
{
	size_t number = 0;

	for (uint32_t step = json_first(s->doc, steps); step != JSON_NONE && !s->unknown_form;
	     step = json_next(s->doc, step))
		run_step(s, step, ++number);
	if (s->wrong > TOLD_MAX)
		str_printf(s->why, "\n    and %zu further wrong steps", s->wrong - TOLD_MAX);
}

/* Writes the entries that are there at the beginning, as the original handler laid them out. */
static bool write_load(const struct sequence *s, uint32_t load)
{
	STR_AUTO scratch = STR_INIT;

	if (load == JSON_NONE)
		return true;
	for (uint32_t m = json_first(s->doc, load); m != JSON_NONE; m = json_next(s->doc, m)) {
		int category = category_find(json_name(s->doc, m, &scratch));
		STR_AUTO name = STR_INIT;
		STR_AUTO text = STR_INIT;

		if (category == CATEGORY_ANY)
			return false;
		struct json_writer w = json_writer_to(&text, &json_pretty);
		json_write_value(&w, s->doc, m);
		str_printf(&name, "%s.json", category_name((enum category)category));
		tmpdir_write_slice(&s->dir, name.ptr, str_slice(&text));
	}
	return true;
}

static bool open_store(struct sequence *s)
{
	struct err err;

	if (store_open(&s->store, fake_sys(), surroundings_plain, s->dir.path, &err) == 0)
		return true;
	s->wrong++;
	str_printf(s->why, "the store cannot be opened: %s", err.text);
	return false;
}

/* Opens the store again, as another process would, and looks at what is in it. */
static void check_final(struct sequence *s, uint32_t final)
{
	STR_AUTO difference = STR_INIT;

	store_close(s->store);
	s->store = NULL;
	if (!open_store(s))
		return;
	switch (final_agrees(s->doc, final, s->store, fake_sys_now(), &difference)) {
	case GOLDEN_PASSED:
		return;
	case GOLDEN_WRONG:
		s->wrong++;
		str_adds(s->why, "\n    final: ");
		break;
	case GOLDEN_UNKNOWN_FORM:
		s->unknown_form = true;
		break;
	}
	str_add(s->why, str_slice(&difference));
}

static void run_sequence(struct sequence *s, uint32_t node)
{
	uint32_t steps = json_member(s->doc, node, "steps");

	if (json_type(s->doc, steps) != JSON_ARRAY ||
	    !write_load(s, json_member(s->doc, node, "load"))) {
		golden_unknown_form(s->why, "steps or load");
		s->unknown_form = true;
		return;
	}
	if (!open_store(s))
		return;
	run_steps(s, steps);
	if (!s->unknown_form)
		check_final(s, json_member(s->doc, node, "final"));
	store_close(s->store);
}

enum golden_outcome replay_sequence(const struct json *doc, uint32_t node, struct str *why)
{
	struct sequence s = {.doc = doc, .why = why};

	setenv("TZ", "America/Los_Angeles", 1);
	tzset();
	fake_sys_reset(0);
	tmpdir_make(&s.dir);
	fake_sys_root(s.dir.path);
	run_sequence(&s, node);
	tmpdir_remove(&s.dir);
	fake_sys_release();
	if (s.unknown_form)
		return GOLDEN_UNKNOWN_FORM;
	return s.wrong ? GOLDEN_WRONG : GOLDEN_PASSED;
}
