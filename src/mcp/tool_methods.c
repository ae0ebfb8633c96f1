#include "mcp/methods.h"

#include "secrets/withhold.h"
#include "store/open/store.h"

int method_list_tools(struct mcp_session *session, const struct request *request,
		      struct json_writer *w, struct failure *failure)
{
	if (request_refuse_cursor(request, failure) != 0)
		return -1;
	json_write_member_array(w, "tools");
	for (const struct tool *const *tool = session->tools; *tool; tool++) {
		if (!((*tool)->flags & TOOL_SHELL_ONLY))
			tool_write_definition(*tool, w);
	}
	json_write_end(w);
	if (request->era == ERA_MODERN)
		reply_cache_hints(w);
	return 0;
}

static const struct tool *find_tool(const struct mcp_session *session,
				    const struct request *request, struct failure *failure)
{
	STR_AUTO scratch = STR_INIT;
	struct slice name = request_text(request, request->params, "name", &scratch);
	const struct tool *tool = tool_find(session->tools, name);

	if (tool && !(tool->flags & TOOL_SHELL_ONLY))
		return tool;
	if (name.ptr)
		failure_set_shown(failure, RPC_INVALID_PARAMS, "Unknown tool: ", name);
	else
		failure_set(failure, RPC_INVALID_PARAMS,
			    "name: expected the name of a tool, a string");
	return NULL;
}

/* The text stands beside the structured form, because clients show one or the other. */
static void write_content(struct json_writer *w, struct slice text)
{
	json_write_member_array(w, "content");
	json_write_object(w);
	json_write_member_string(w, "type", slice_of("text"));
	json_write_member_string(w, "text", text);
	json_write_end(w);
	json_write_end(w);
}

static void run_tool(struct mcp_session *session, const struct request *request,
		     const struct tool *tool, const struct client *client, uint32_t arguments,
		     struct json_writer *w)
{
	STR_AUTO reply = STR_INIT;
	STR_AUTO scratch = STR_INIT;
	ARENA_AUTO arena = ARENA_INIT;
	struct err err;
	struct call call = {
		.now_ms = session->sys->now_ms(),
		.tool = tool->name,
		.client = client_text(&client->name),
		.client_version = client_text(&client->version),
		.session = session->id,
		.arena = &arena,
	};
	const struct json *doc = arguments == JSON_NONE ? NULL : request->doc;
	bool failed = session_store(session, &call.store, &err) != 0 ||
		      tool_run(tool, &call, doc, arguments, &reply, &err) != 0;

	if (failed) {
		write_content(w, withhold(&scratch, slice_of(err.text)));
	} else {
		write_content(w, str_slice(&reply));
		json_write_member_raw(w, "structuredContent", str_slice(&reply));
	}
	json_write_member_bool(w, "isError", failed);
}

int method_call_tool(struct mcp_session *session, const struct request *request,
		     struct json_writer *w, struct failure *failure)
{
	struct client client = CLIENT_INIT;
	const struct tool *tool = find_tool(session, request, failure);
	uint32_t arguments;

	if (!tool)
		return -1;
	arguments = json_member(request->doc, request->params, "arguments");
	if (arguments != JSON_NONE && json_type(request->doc, arguments) != JSON_OBJECT)
		return failure_set(failure, RPC_INVALID_PARAMS, "arguments: expected an object");
	if (request->era == ERA_LEGACY) {
		run_tool(session, request, tool, &session->client, arguments, w);
		return 0;
	}
	client_read(&client, request,
		    request_member(request, request->meta, META_CLIENT, JSON_OBJECT));
	run_tool(session, request, tool, &client, arguments, w);
	client_release(&client);
	return 0;
}
