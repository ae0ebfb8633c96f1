#include "mcp/methods.h"

#include "mcp/instructions.h"
#include "secrets/withhold.h"
#include "store/open/store.h"

/* A prompt takes one argument at most. */
struct prompt {
	const char *name;
	const char *title;
	const char *description;
	const char *argument; /* NULL when it takes none; always required */
	const char *argument_description;
	const char *before; /* the text, with the argument in between */
	const char *behind;
};

static const struct prompt prompts[] = {
	{"recall", "Recall from memory", "What is remembered about a subject", "topic",
	 "What to look for", "Look in the memory for what is stored about this: ",
	 "\n\nUse memory_search, and memory_get for single entries. Tell what is there with the "
	 "keys, and say so when there is nothing; do not fill gaps with guesses."},
	{"remember", "Remember this", "Store something for later sessions", "what",
	 "What to remember", "Remember this for later sessions: ",
	 "\n\nLook with memory_search whether it is known already. Then add to that entry with "
	 "memory_update, or store it with memory_set. Keys are short snake_case names of one "
	 "subject: editor, sunil. Say which key it has."},
	{"session-summary", "Save where we are", "Keep what was decided and what comes next", NULL,
	 NULL,
	 "Save where this conversation stands with memory_save_conversation_notes: a summary, what "
	 "was decided and why as highlights, and the next steps. Preferences and facts that hold "
	 "beyond it go into entries of their own with memory_set. Then tell me in two sentences "
	 "what was saved.",
	 ""},
};

#define PROMPT_COUNT (sizeof prompts / sizeof *prompts)

static void methods_write_arguments(struct json_writer *w, const struct prompt *prompt)
{
	json_write_member_array(w, "arguments");
	if (prompt->argument) {
		json_write_object(w);
		json_write_member_string(w, "name", slice_of(prompt->argument));
		json_write_member_string(w, "description", slice_of(prompt->argument_description));
		json_write_member_bool(w, "required", true);
		json_write_end(w);
	}
	json_write_end(w);
}

static int method_list_prompts(struct mcp_session *session, const struct request *request,
			       struct json_writer *w, struct failure *failure)
{
	(void)session;
	if (request_refuse_cursor(request, failure) != 0)
		return -1;
	json_write_member_array(w, "prompts");
	for (size_t i = 0; i < PROMPT_COUNT; i++) {
		json_write_object(w);
		json_write_member_string(w, "name", slice_of(prompts[i].name));
		json_write_member_string(w, "title", slice_of(prompts[i].title));
		json_write_member_string(w, "description", slice_of(prompts[i].description));
		methods_write_arguments(w, &prompts[i]);
		json_write_end(w);
	}
	json_write_end(w);
	if (request->era == ERA_MODERN)
		reply_cache_hints(w);
	return 0;
}

static const struct prompt *prompt_of(struct slice name)
{
	for (size_t i = 0; i < PROMPT_COUNT; i++) {
		if (slice_is(name, prompts[i].name))
			return &prompts[i];
	}
	return NULL;
}

static const struct prompt *methods_find_prompt(const struct request *request,
						struct failure *failure)
{
	STR_AUTO scratch = STR_INIT;
	struct slice name = request_text(request, request->params, "name", &scratch);
	const struct prompt *found = prompt_of(name);

	if (!name.ptr)
		failure_set(failure, RPC_INVALID_PARAMS,
			    "name: expected the name of a prompt, a string");
	else if (!found)
		failure_set_shown(failure, RPC_INVALID_PARAMS, "Unknown prompt: ", name);
	return found;
}

static int methods_compose(const struct prompt *prompt, const struct request *request,
			   struct str *out, struct failure *failure)
{
	STR_AUTO scratch = STR_INIT;
	uint32_t arguments = request_member(request, request->params, "arguments", JSON_OBJECT);
	struct slice given = slice_of("");

	if (prompt->argument)
		given = request_text(request, arguments, prompt->argument, &scratch);
	if (!given.ptr)
		return failure_set(failure, RPC_INVALID_PARAMS, "%s: expected a string",
				   prompt->argument);
	str_adds(out, prompt->before);
	str_add(out, given);
	str_adds(out, prompt->behind);
	return 0;
}

static int method_get_prompt(struct mcp_session *session, const struct request *request,
			     struct json_writer *w, struct failure *failure)
{
	const struct prompt *prompt = methods_find_prompt(request, failure);
	STR_AUTO text = STR_INIT;

	(void)session;
	if (!prompt || methods_compose(prompt, request, &text, failure) != 0)
		return -1;
	json_write_member_string(w, "description", slice_of(prompt->description));
	json_write_member_array(w, "messages");
	json_write_object(w);
	json_write_member_string(w, "role", slice_of("user"));
	json_write_member_object(w, "content");
	json_write_member_string(w, "type", slice_of("text"));
	json_write_member_string(w, "text", str_slice(&text));
	json_write_end(w);
	json_write_end(w);
	json_write_end(w);
	return 0;
}

bool prompt_takes(struct slice name, struct slice argument)
{
	const struct prompt *prompt = prompt_of(name);

	return prompt && prompt->argument && slice_is(argument, prompt->argument);
}

static int method_list_tools(struct mcp_session *session, const struct request *request,
			     struct json_writer *w, struct failure *failure)
{
	if (request_refuse_cursor(request, failure) != 0)
		return -1;
	json_write_member_array(w, "tools");
	for (const struct tool *const *tool = session->tools; *tool; tool++) {
		if (!((*tool)->flags & TOOL_SHELL_ONLY))
			tool_write_definition(*tool, session->few, w);
	}
	json_write_end(w);
	if (request->era == ERA_MODERN)
		reply_cache_hints(w);
	return 0;
}

static const struct tool *method_find_tool(const struct mcp_session *session,
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
static void method_write_content(struct json_writer *w, struct slice text)
{
	json_write_member_array(w, "content");
	json_write_object(w);
	json_write_member_string(w, "type", slice_of("text"));
	json_write_member_string(w, "text", text);
	json_write_end(w);
	json_write_end(w);
}

static void method_run_tool(struct mcp_session *session, const struct request *request,
			    const struct tool *tool, const struct client *client,
			    uint32_t arguments, struct json_writer *w)
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

	if (!(tool->flags & TOOL_JOINS))
		session_settle(session);
	if (session->refused)
		err = *session->refused;
	bool failed = session->refused || session_store(session, &call.store, &err) != 0 ||
		      tool_run(tool, &call, doc, arguments, &reply, &err) != 0;
	if (failed) {
		method_write_content(w, withhold(&scratch, slice_of(err.text)));
	} else {
		method_write_content(w, str_slice(&reply));
		json_write_member_raw(w, "structuredContent", str_slice(&reply));
	}
	json_write_member_bool(w, "isError", failed);
}

static int method_call_tool(struct mcp_session *session, const struct request *request,
			    struct json_writer *w, struct failure *failure)
{
	struct client client = CLIENT_INIT;
	const struct tool *tool = method_find_tool(session, request, failure);

	if (!tool)
		return -1;
	uint32_t arguments = json_member(request->doc, request->params, "arguments");
	if (arguments != JSON_NONE && json_type(request->doc, arguments) != JSON_OBJECT)
		return failure_set(failure, RPC_INVALID_PARAMS, "arguments: expected an object");
	if (request->era == ERA_LEGACY) {
		method_run_tool(session, request, tool, &session->client, arguments, w);
		return 0;
	}
	client_read(&client, request,
		    request_member(request, request->meta, META_CLIENT, JSON_OBJECT));
	method_run_tool(session, request, tool, &client, arguments, w);
	client_release(&client);
	return 0;
}

/* What is not named here is answered as an unknown method. */
static void methods_write_capabilities(struct json_writer *w)
{
	static const char *const names[] = {"tools", "resources", "prompts", "completions"};

	json_write_member_object(w, "capabilities");
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		json_write_member_object(w, names[i]);
		json_write_end(w);
	}
	json_write_end(w);
}

static int methods_discover(struct mcp_session *session, const struct request *request,
			    struct json_writer *w, struct failure *failure)
{
	(void)session;
	(void)request;
	(void)failure;
	json_write_name(w, slice_of("supportedVersions"));
	era_write_supported(w);
	methods_write_capabilities(w);
	json_write_member_string(w, "instructions", slice_of(mcp_instructions));
	reply_cache_hints(w);
	return 0;
}

static int methods_initialize(struct mcp_session *session, const struct request *request,
			      struct json_writer *w, struct failure *failure)
{
	STR_AUTO scratch = STR_INIT;
	struct slice version = request_text(request, request->params, "protocolVersion", &scratch);

	if (!version.ptr)
		return failure_set(failure, RPC_INVALID_PARAMS,
				   "protocolVersion: expected a string");
	session->revision = revision_agree(version);
	client_read(&session->client, request,
		    request_member(request, request->params, "clientInfo", JSON_OBJECT));
	json_write_member_string(w, "protocolVersion", slice_of(session->revision->name));
	methods_write_capabilities(w);
	json_write_name(w, slice_of("serverInfo"));
	reply_server_info(w);
	json_write_member_string(w, "instructions", slice_of(mcp_instructions));
	return 0;
}

/* Clients parse this answer strictly: nothing in it. */
static int methods_ping(struct mcp_session *session, const struct request *request,
			struct json_writer *w, struct failure *failure)
{
	(void)session;
	(void)request;
	(void)w;
	(void)failure;
	return 0;
}

static const struct method methods[] = {
	{"server/discover", ERA_MODERN, 0, methods_discover},
	{"initialize", ERA_LEGACY, METHOD_GREETS | METHOD_ALONE, methods_initialize},
	{"ping", ERA_LEGACY, METHOD_GREETS, methods_ping},
	{"tools/list", ERA_LEGACY | ERA_MODERN, 0, method_list_tools},
	{"tools/call", ERA_LEGACY | ERA_MODERN, METHOD_JOINS, method_call_tool},
	{"prompts/list", ERA_LEGACY | ERA_MODERN, 0, method_list_prompts},
	{"prompts/get", ERA_LEGACY | ERA_MODERN, 0, method_get_prompt},
	{"subscriptions/listen", ERA_MODERN, 0, NULL},
};

static const struct {
	const struct method *rows;
	size_t count;
} tables[] = {
	{methods, sizeof methods / sizeof *methods},
	{resource_methods, RESOURCE_METHODS},
	{&completion_method, 1},
};

const struct method *method_find(struct slice name)
{
	for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
		for (size_t i = 0; i < tables[t].count; i++) {
			if (slice_is(name, tables[t].rows[i].name))
				return &tables[t].rows[i];
		}
	}
	return NULL;
}
