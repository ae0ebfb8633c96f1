#include "mcp/request.h"

static uint32_t member(const struct json *doc, uint32_t object, const char *name)
{
	return object == JSON_NONE ? JSON_NONE : json_member(doc, object, name);
}

uint32_t request_member(const struct request *request, uint32_t object, const char *name,
			enum json_type type)
{
	uint32_t node = member(request->doc, object, name);

	if (node != JSON_NONE && json_type(request->doc, node) != type)
		return JSON_NONE;
	return node;
}

static bool is_id(enum json_type type)
{
	return type == JSON_STRING || type == JSON_NUMBER;
}

static bool is_version(const struct json *doc, uint32_t node)
{
	STR_AUTO scratch = STR_INIT;

	return node != JSON_NONE && json_type(doc, node) == JSON_STRING &&
	       slice_is(json_string(doc, node, &scratch), "2.0");
}

/* An optional member that must be an object. */
static int read_object(const struct json *doc, uint32_t node, uint32_t *out, const char *what,
		       struct failure *failure)
{
	*out = node;
	if (node == JSON_NONE || json_type(doc, node) == JSON_OBJECT)
		return 0;
	return failure_set(failure, RPC_INVALID_PARAMS, "%s: expected an object", what);
}

static enum request_kind read_method(struct request *request, uint32_t node,
				     struct failure *failure)
{
	const struct json *doc = request->doc;
	uint32_t method = json_member(doc, node, "method");
	uint32_t id = json_member(doc, node, "id");
	bool is_answer = json_member(doc, node, "result") || json_member(doc, node, "error");

	if (method == JSON_NONE && is_answer)
		return REQUEST_SILENT;
	if (method == JSON_NONE || json_type(doc, method) != JSON_STRING) {
		failure_set(failure, RPC_INVALID_REQUEST, "method: expected a string");
		return REQUEST_INVALID;
	}
	if (id == JSON_NONE)
		return REQUEST_SILENT;
	if (!request->id.ptr) {
		failure_set(failure, RPC_INVALID_REQUEST, "id: expected a string or a number");
		return REQUEST_INVALID;
	}
	if (!is_version(doc, json_member(doc, node, "jsonrpc"))) {
		failure_set(failure, RPC_INVALID_REQUEST, "jsonrpc: expected \"2.0\"");
		return REQUEST_INVALID;
	}
	request->method = json_string(doc, method, &request->scratch);
	return REQUEST_CALL;
}

enum request_kind request_read(struct request *request, const struct json *doc, uint32_t node,
			       struct failure *failure)
{
	enum request_kind kind;
	uint32_t id;

	*request = (struct request){.doc = doc, .scratch = STR_INIT};
	if (json_type(doc, node) != JSON_OBJECT) {
		failure_set(failure, RPC_INVALID_REQUEST, "expected a JSON-RPC request object");
		return REQUEST_INVALID;
	}
	id = json_member(doc, node, "id");
	if (id != JSON_NONE && is_id(json_type(doc, id)))
		request->id = json_text(doc, id);
	kind = read_method(request, node, failure);
	if (kind != REQUEST_CALL)
		return kind;
	if (read_object(doc, json_member(doc, node, "params"), &request->params, "params",
			failure) != 0 ||
	    read_object(doc, member(doc, request->params, "_meta"), &request->meta, "params._meta",
			failure) != 0)
		return REQUEST_INVALID;
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
