#include "mcp/methods.h"

#include "mcp/instructions.h"

/* What is not named here is answered as an unknown method. */
static void write_capabilities(struct json_writer *w)
{
	static const char *const names[] = {"tools", "resources", "prompts", "completions"};

	json_write_member_object(w, "capabilities");
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		json_write_member_object(w, names[i]);
		json_write_end(w);
	}
	json_write_end(w);
}

static int discover(struct mcp_session *session, const struct request *request,
		    struct json_writer *w, struct failure *failure)
{
	(void)session;
	(void)request;
	(void)failure;
	json_write_name(w, slice_of("supportedVersions"));
	era_write_supported(w);
	write_capabilities(w);
	json_write_member_string(w, "instructions", slice_of(mcp_instructions()));
	reply_cache_hints(w);
	return 0;
}

static int initialize(struct mcp_session *session, const struct request *request,
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
	write_capabilities(w);
	json_write_name(w, slice_of("serverInfo"));
	reply_server_info(w);
	json_write_member_string(w, "instructions", slice_of(mcp_instructions()));
	return 0;
}

/* Clients parse this answer strictly: nothing in it. */
static int ping(struct mcp_session *session, const struct request *request, struct json_writer *w,
		struct failure *failure)
{
	(void)session;
	(void)request;
	(void)w;
	(void)failure;
	return 0;
}

static const struct method methods[] = {
	{"server/discover", ERA_MODERN, 0, discover},
	{"initialize", ERA_LEGACY, METHOD_GREETS | METHOD_ALONE, initialize},
	{"ping", ERA_LEGACY, METHOD_GREETS, ping},
	{"tools/list", ERA_LEGACY | ERA_MODERN, 0, method_list_tools},
	{"tools/call", ERA_LEGACY | ERA_MODERN, 0, method_call_tool},
	{"resources/list", ERA_LEGACY | ERA_MODERN, 0, method_list_resources},
	{"resources/templates/list", ERA_LEGACY | ERA_MODERN, 0, method_list_templates},
	{"resources/read", ERA_LEGACY | ERA_MODERN, 0, method_read_resource},
	{"prompts/list", ERA_LEGACY | ERA_MODERN, 0, method_list_prompts},
	{"prompts/get", ERA_LEGACY | ERA_MODERN, 0, method_get_prompt},
	{"completion/complete", ERA_LEGACY | ERA_MODERN, 0, method_complete},
	{"subscriptions/listen", ERA_MODERN, 0, NULL},
};

const struct method *method_find(struct slice name)
{
	for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
		if (slice_is(name, methods[i].name))
			return &methods[i];
	}
	return NULL;
}
