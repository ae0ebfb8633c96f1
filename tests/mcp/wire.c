#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "mcp/wire.h"

#include "support/fake_sys.h"

#include <stdio.h>
#include <stdlib.h>

struct echo_args {
	struct slice text;
	int64_t count;
};

static void write_known(struct json_writer *w, const char *name, const char *text)
{
	json_write_name(w, slice_of(name));
	if (text)
		json_write_string(w, slice_of(text));
	else
		json_write_null(w);
}

static int run_echo(const struct call *call, const void *args, struct json_writer *w,
		    struct err *err)
{
	const struct echo_args *echo = args;

	(void)err;
	json_write_object(w);
	json_write_member_string(w, "text", echo->text);
	write_known(w, "client", call->client);
	write_known(w, "version", call->client_version);
	write_known(w, "session", call->session);
	json_write_member_int(w, "now", call->now_ms);
	json_write_end(w);
	return 0;
}

static int run_fail(const struct call *call, const void *args, struct json_writer *w,
		    struct err *err)
{
	(void)args;
	json_write_object(w);
	json_write_end(w);
	return err_set(err, ERR_BAD_VALUE, "%s: this \"never\" works", call->tool);
}

static const struct param echo_params[] = {
	{PARAM(TEXT, echo_args, text), .flags = PARAM_REQUIRED, .help = "What to say"},
	{PARAM(INT, echo_args, count), .help = "How often", .min = 1, .max = 9},
};

static const struct tool tool_echo = {
	.name = "echo",
	.command = "echo",
	.title = "Echo",
	.summary = "Says it again.",
	.params = echo_params,
	.param_count = 2,
	.args_size = sizeof(struct echo_args),
	.flags = TOOL_READ_ONLY,
	.output_schema = "{\"type\":\"object\"}",
	.run = run_echo,
};

static const struct tool tool_fail = {
	.name = "fail",
	.command = "fail",
	.title = "Fail",
	.summary = "Fails.",
	.run = run_fail,
};

static const struct tool tool_hidden = {
	.name = "hidden",
	.command = "hidden",
	.title = "Hidden",
	.summary = "Is for the shell.",
	.flags = TOOL_SHELL_ONLY,
	.run = run_fail,
};

const struct tool *const *wire_tools(void)
{
	static const struct tool *const tools[] = {&tool_echo, &tool_fail, &tool_hidden, NULL};

	return tools;
}

static const char *no_environment(const char *name)
{
	(void)name;
	return NULL;
}

struct mcp_session *wire_open(const struct sys *sys, const char *path, const char *session_id)
{
	return mcp_session_new(sys, no_environment, path, wire_tools(), session_id);
}

struct mcp_session *wire_session(void)
{
	fake_sys_reset(WIRE_NOW);
	return wire_open(fake_sys(), WIRE_NOWHERE, "s-1");
}

struct mcp_session *wire_greeted(const char *revision)
{
	struct mcp_session *session = wire_session();
	char line[256];

	snprintf(line, sizeof line,
		 "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
		 "\"protocolVersion\":\"%s\",\"capabilities\":{},"
		 "\"clientInfo\":{\"name\":\"cc\",\"version\":\"1.0\"}}}",
		 revision);
	wire_has(session, line, revision);
	return session;
}

char *wire_answer(struct mcp_session *session, struct slice line)
{
	struct str out = STR_INIT;

	mcp_dispatch_line(session, line, &out);
	return str_detach(&out);
}

void wire_is(struct mcp_session *session, const char *line, const char *answer)
{
	char *got = wire_answer(session, slice_of(line));

	assert_string_equal(got, answer);
	free(got);
}

void wire_silent(struct mcp_session *session, const char *line)
{
	wire_is(session, line, "");
}

void wire_error(struct mcp_session *session, const char *line, const char *id, int code)
{
	char *got = wire_answer(session, slice_of(line));
	STR_AUTO begin = STR_INIT;

	str_adds(&begin, "{\"jsonrpc\":\"2.0\",");
	if (id)
		str_printf(&begin, "\"id\":%s,", id);
	str_printf(&begin, "\"error\":{\"code\":%d,\"message\":\"", code);
	if (strncmp(got, begin.ptr, begin.len) != 0)
		fail_msg("%s\nanswered with %s\ninstead of    %s...", line, got, begin.ptr);
	free(got);
}

void wire_has(struct mcp_session *session, const char *line, const char *part)
{
	char *got = wire_answer(session, slice_of(line));

	if (!strstr(got, "\"result\":{") || !strstr(got, part))
		fail_msg("%s\nanswered with %s\nwithout       %s", line, got, part);
	free(got);
}
