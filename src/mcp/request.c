#include "mcp/request.h"

uint32_t request_member(const struct request *request, uint32_t object, const char *name,
			enum json_type type)
{
	uint32_t node = object == JSON_NONE ? JSON_NONE : json_member(request->doc, object, name);

	if (node != JSON_NONE && json_type(request->doc, node) != type)
		return JSON_NONE;
	return node;
}

struct slice request_text(const struct request *request, uint32_t object, const char *name,
			  struct str *scratch)
{
	uint32_t node = request_member(request, object, name, JSON_STRING);

	return node == JSON_NONE ? slice_of(NULL) : json_string(request->doc, node, scratch);
}

static enum request_kind request_invalid(struct failure *failure, enum rpc_code code,
					 const char *what)
{
	failure_set(failure, code, "%s", what);
	return REQUEST_INVALID;
}

enum request_kind request_read(struct request *request, const struct json *doc, uint32_t node,
			       struct failure *failure)
{
	STR_AUTO scratch = STR_INIT;

	*request = (struct request){.doc = doc, .scratch = STR_INIT};
	if (json_type(doc, node) != JSON_OBJECT)
		return request_invalid(failure, RPC_INVALID_REQUEST,
				       "expected a JSON-RPC request object");
	uint32_t method = json_member(doc, node, "method");
	uint32_t id = json_member(doc, node, "id");
	if (id != JSON_NONE &&
	    (json_type(doc, id) == JSON_STRING || json_type(doc, id) == JSON_NUMBER))
		request->id = json_text(doc, id);
	if (method == JSON_NONE &&
	    (json_member(doc, node, "result") || json_member(doc, node, "error")))
		return REQUEST_SILENT;
	if (method == JSON_NONE || json_type(doc, method) != JSON_STRING)
		return request_invalid(failure, RPC_INVALID_REQUEST, "method: expected a string");
	if (id == JSON_NONE)
		return REQUEST_SILENT;
	if (!request->id.ptr)
		return request_invalid(failure, RPC_INVALID_REQUEST,
				       "id: expected a string or a number");
	if (!slice_is(json_string(doc, json_member(doc, node, "jsonrpc"), &scratch), "2.0"))
		return request_invalid(failure, RPC_INVALID_REQUEST, "jsonrpc: expected \"2.0\"");
	request->method = json_string(doc, method, &request->scratch);
	request->params = json_member(doc, node, "params");
	if (request->params != JSON_NONE && json_type(doc, request->params) != JSON_OBJECT)
		return request_invalid(failure, RPC_INVALID_PARAMS, "params: expected an object");
	if (request->params != JSON_NONE)
		request->meta = json_member(doc, request->params, "_meta");
	if (request->meta != JSON_NONE && json_type(doc, request->meta) != JSON_OBJECT)
		return request_invalid(failure, RPC_INVALID_PARAMS,
				       "params._meta: expected an object");
	return REQUEST_CALL;
}

void request_release(struct request *request)
{
	str_release(&request->scratch);
}

int request_refuse_cursor(const struct request *request, struct failure *failure)
{
	if (request->params == JSON_NONE ||
	    json_member(request->doc, request->params, "cursor") == JSON_NONE)
		return 0;
	return failure_set(failure, RPC_INVALID_PARAMS,
			   "Invalid cursor: the list has one page, ask without one");
}
