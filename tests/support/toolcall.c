#include "support/toolcall.h"

#include "git/gitrepo.h"
#include "support/surroundings.h"
#include "tools/registry.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <time.h>

int toolcall_set_up(void **state)
{
	struct teststore *t = calloc(1, sizeof *t);

	assert_non_null(t);
	setenv("TZ", "Europe/Berlin", 1);
	tzset();
	teststore_open(t);
	*state = t;
	return 0;
}

int toolcall_set_up_marked(void **state)
{
	toolcall_set_up(state);
	teststore_mark(&((struct teststore *)*state)->dir);
	return 0;
}

int toolcall_set_up_with_history(void **state)
{
	struct teststore *t = calloc(1, sizeof *t);

	assert_non_null(t);
	setenv("TZ", "Europe/Berlin", 1);
	tzset();
	teststore_open_in(t, surroundings_with_history);
	gitrepo_isolate(&t->dir);
	teststore_mark(&t->dir);
	tmpdir_write(&t->dir, ".gitconfig", "[user]\n\tname = Ada\n\temail = ada@example.org\n");
	*state = t;
	return 0;
}

int toolcall_tear_down(void **state)
{
	teststore_close(*state);
	free(*state);
	return 0;
}

void toolcall_later(void)
{
	fake_sys_set_now(fake_sys_now() + 60 * 1000);
}

/* The text with quotes for apostrophes; the caller releases it. */
static struct str quotes(const char *text)
{
	struct str out = STR_INIT;

	for (; *text; text++)
		str_addc(&out, *text == '\'' ? '"' : *text);
	return out;
}

static int run(struct teststore *t, const char *command, const char *arguments, struct str *reply,
	       struct err *err)
{
	const struct tool *tool = tool_find_command(tools_all(), slice_of(command));
	STR_AUTO text = quotes(arguments);
	struct arena arena = ARENA_INIT;
	struct call call = {
		.store = t->store,
		.now_ms = fake_sys_now(),
		.client = "test",
		.arena = &arena,
	};
	struct json_fault fault;
	struct json doc;
	int rc;

	assert_non_null(tool);
	call.tool = tool->name;
	if (json_parse(&doc, str_slice(&text), &json_line_bounds, &fault) != 0)
		fail_msg("%s: %s", text.ptr, fault.what);
	err_clear(err);
	rc = tool_run(tool, &call, &doc, JSON_ROOT, reply, err);
	json_release(&doc);
	arena_release(&arena);
	return rc;
}

/* Which digits a change has depends on what nobody chose. */
static void mask_changes(struct str *reply)
{
	static const char name[] = "\"change\":\"";
	struct str out = STR_INIT;
	const char *rest = reply->ptr;
	const char *at;

	while ((at = strstr(rest, name)) != NULL) {
		at += sizeof name - 1;
		str_add(&out, slice_make(rest, (size_t)(at - rest)));
		str_adds(&out, "ID");
		rest = at + strcspn(at, "\"");
	}
	str_adds(&out, rest);
	str_release(reply);
	*reply = out;
}

/* What a tool replies stands in the schema of its reply, where it has one. */
static void check_names(const char *command, struct slice reply)
{
	const struct tool *tool = tool_find_command(tools_all(), slice_of(command));
	STR_AUTO scratch = STR_INIT;
	struct json_fault fault;
	JSON_AUTO schema = {0};
	JSON_AUTO doc = {0};
	uint32_t known;

	if (!tool->output_schema)
		return;
	assert_int_equal(
		json_parse(&schema, slice_of(tool->output_schema), &json_line_bounds, &fault), 0);
	assert_int_equal(json_parse(&doc, reply, &json_line_bounds, &fault), 0);
	known = json_member(&schema, JSON_ROOT, "properties");
	for (uint32_t n = json_first(&doc, JSON_ROOT); n != JSON_NONE; n = json_next(&doc, n)) {
		struct slice name = json_name(&doc, n, &scratch);

		if (json_member_slice(&schema, known, name) == JSON_NONE)
			fail_msg("%s: \"%.*s\" is not in the schema of its reply", command,
				 (int)name.len, name.ptr);
	}
}

static void run_well(struct teststore *t, const char *command, const char *arguments,
		     struct str *reply)
{
	size_t before = reply->len;
	struct err err;

	if (run(t, command, arguments, reply, &err) != 0)
		fail_msg("%s %s: %s", command, arguments, err.text);
	check_names(command, slice_make(reply->ptr + before, reply->len - before));
	mask_changes(reply);
}

void toolcall_replies(struct teststore *t, const char *command, const char *arguments,
		      const char *expected)
{
	STR_AUTO reply = STR_INIT;
	STR_AUTO text = quotes(expected ? expected : "");

	run_well(t, command, arguments, &reply);
	if (expected)
		assert_string_equal(reply.ptr, text.ptr);
}

void toolcall_reply_has(struct teststore *t, const char *command, const char *arguments,
			const char *part)
{
	STR_AUTO reply = STR_INIT;
	STR_AUTO text = quotes(part);

	run_well(t, command, arguments, &reply);
	if (!strstr(reply.ptr, text.ptr))
		fail_msg("%s is not in %s", text.ptr, reply.ptr);
}

void toolcall_reply(struct teststore *t, const char *command, const char *arguments,
		    struct str *out)
{
	run_well(t, command, arguments, out);
}

void toolcall_try(struct teststore *t, const char *command, const char *arguments)
{
	STR_AUTO reply = STR_INIT;
	struct err ignored;

	(void)!run(t, command, arguments, &reply, &ignored);
}

bool toolcall_works(struct teststore *t, const char *command, const char *arguments,
		    struct str *reply)
{
	struct err ignored;

	return run(t, command, arguments, reply, &ignored) == 0;
}

void toolcall_refused(struct teststore *t, const char *command, const char *arguments,
		      enum err_code code, const char *sentence)
{
	STR_AUTO reply = STR_INIT;
	struct err err;

	assert_int_equal(run(t, command, arguments, &reply, &err), -1);
	assert_int_equal(reply.len, 0);
	if (sentence)
		assert_string_equal(err.text, sentence);
	assert_string_equal(err_slug(err.code), err_slug(code));
}

void toolcall_refused_with(struct teststore *t, const char *command, const char *arguments,
			   enum err_code code, const char *part)
{
	STR_AUTO reply = STR_INIT;
	struct err err;

	assert_int_equal(run(t, command, arguments, &reply, &err), -1);
	if (!strstr(err.text, part))
		fail_msg("%s is not in %s", part, err.text);
	assert_string_equal(err_slug(err.code), err_slug(code));
}

void toolcall_file_is(struct teststore *t, const char *name, const char *expected)
{
	char *text = tmpdir_read(&t->dir, name);
	STR_AUTO wanted = quotes(expected);

	assert_non_null(text);
	assert_string_equal(text, wanted.ptr);
	free(text);
}

void toolcall_write_file(struct teststore *t, const char *name, const char *text)
{
	STR_AUTO bytes = quotes(text);

	tmpdir_write(&t->dir, name, bytes.ptr);
}
