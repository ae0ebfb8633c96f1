#include "mcp/dispatch.h"

#include "base/utf8.h"
#include "mcp/methods.h"

#include <string.h>

/* Finds what the request asks for; NULL when it may not have that. */
static const struct method *dispatch_route(const struct mcp_session *session,
					   struct request *request, bool in_batch,
					   struct failure *failure)
{
	const struct method *found = method_find(request->method);
	unsigned int flags = found ? found->flags : 0;

	if (era_choose(request, found ? found->eras : 0,
		       session->revision || (flags & METHOD_GREETS), failure) != 0)
		return NULL;
	if (!found || !(found->eras & request->era) || !found->run) {
		failure_set_shown(failure, RPC_METHOD_NOT_FOUND,
				  "Method not found: ", request->method);
		return NULL;
	}
	if (in_batch && (flags & METHOD_ALONE)) {
		failure_set(failure, RPC_INVALID_REQUEST, "%s must not be in a batch", found->name);
		return NULL;
	}
	return found;
}

static int dispatch_request(struct mcp_session *session, struct request *request, bool in_batch,
			    struct str *out, struct failure *failure)
{
	const struct method *method = dispatch_route(session, request, in_batch, failure);
	struct json_writer w;

	if (!method)
		return -1;
	if (!(method->flags & METHOD_JOINS))
		session_settle(session);
	reply_begin(&w, out, request->id);
	if (request->era == ERA_MODERN)
		json_write_member_string(&w, "resultType", slice_of("complete"));
	if (method->run(session, request, &w, failure) != 0)
		return -1;
	if (request->era == ERA_MODERN) {
		json_write_member_object(&w, "_meta");
		json_write_name(&w, slice_of(META_SERVER));
		reply_server_info(&w);
		json_write_end(&w);
	}
	reply_end(&w);
	return 0;
}

/*
 * Answers the message at node: appends the answer to *out, or nothing. in_batch says that it is an
 * element of an array.
 */
static void dispatch_message(struct mcp_session *session, const struct json *doc, uint32_t node,
			     bool in_batch, struct str *out)
{
	FAILURE_AUTO failure = FAILURE_INIT;
	struct request request;
	size_t mark = out->len;
	enum request_kind kind = request_read(&request, doc, node, &failure);

	if (kind == REQUEST_INVALID ||
	    (kind == REQUEST_CALL &&
	     dispatch_request(session, &request, in_batch, out, &failure) != 0)) {
		str_truncate(out, mark);
		reply_error(out, request.id, &failure);
	}
	request_release(&request);
}

/* ---- batches */

/* Most messages in one array: keeps the answer to one line of bounded length. */
#define BATCH_MAX 100

static void dispatch_batch_refuse(struct str *out, enum rpc_code code, const char *sentence)
{
	FAILURE_AUTO failure = FAILURE_INIT;

	failure_set(&failure, code, "%s", sentence);
	reply_error(out, slice_of(NULL), &failure);
}

static void dispatch_batch_answer(struct mcp_session *session, const struct json *doc,
				  struct str *out)
{
	size_t start = out->len;

	/* The answer to a batch is one line. */
	session_settle(session);
	session_admit(session, false);
	for (uint32_t node = json_first(doc, JSON_ROOT); node; node = json_next(doc, node)) {
		size_t mark = out->len;

		str_addc(out, mark == start ? '[' : ',');
		dispatch_message(session, doc, node, true, out);
		if (out->len == mark + 1)
			str_truncate(out, mark);
	}
	if (out->len > start)
		str_addc(out, ']');
}

/* Nothing of the batch is done, and each of its requests is told so. */
static void dispatch_batch_refuse_each(const struct json *doc, struct str *out,
				       const char *sentence)
{
	size_t start = out->len;

	for (uint32_t node = json_first(doc, JSON_ROOT); node; node = json_next(doc, node)) {
		FAILURE_AUTO failure = FAILURE_INIT;
		struct request request;

		if (request_read(&request, doc, node, &failure) == REQUEST_CALL) {
			failure_set(&failure, RPC_INVALID_REQUEST, "%s", sentence);
			str_addc(out, out->len == start ? '[' : ',');
			reply_error(out, request.id, &failure);
		}
		request_release(&request);
	}
	if (out->len > start)
		str_addc(out, ']');
	else
		dispatch_batch_refuse(out, RPC_INVALID_REQUEST, sentence);
}

/* Answers an array of messages with an array, or with nothing. */
static void dispatch_batch(struct mcp_session *session, const struct json *doc, struct str *out)
{
	uint32_t count = doc->nodes[JSON_ROOT].count;

	if (!session->revision || !session->revision->batches)
		dispatch_batch_refuse(
			out, RPC_INVALID_REQUEST,
			"Batches exist in revision 2025-03-26 alone: send one message a line");
	else if (count == 0)
		dispatch_batch_refuse(out, RPC_INVALID_REQUEST, "The batch is empty");
	else if (count > BATCH_MAX)
		dispatch_batch_refuse_each(
			doc, out, "The batch is too long: send at most 100 messages in one");
	else
		dispatch_batch_answer(session, doc, out);
}

/* ---- lines that cannot be read */

/* One error for each request that could be made out, and one for what could not be. */
static void dispatch_refuse_ids(const struct outline *outline, const struct failure *failure,
				struct str *out)
{
	size_t start = out->len;
	const char *at = outline->ids.ptr;

	for (size_t i = 0; i < outline->id_count; i++) {
		const char *newline = strchr(at, '\n');

		str_addc(out, out->len == start ? '[' : ',');
		reply_error(out, slice_make(at, (size_t)(newline - at)), failure);
		at = newline + 1;
	}
	if (outline->unnamed) {
		str_addc(out, out->len == start ? '[' : ',');
		reply_error(out, slice_of(NULL), failure);
	}
	if (out->len > start)
		str_addc(out, ']');
}

/* A line that cannot be read: whoever waits for an answer is told why there is none. */
static void dispatch_refuse_line(const struct mcp_session *session, const struct outline *outline,
				 const struct failure *failure, struct str *out)
{
	bool batches = session->revision && session->revision->batches;

	if (outline->root == '[' && batches && outline->id_count > 0)
		dispatch_refuse_ids(outline, failure, out);
	else if (outline->root != '[' && outline->id_count > 0)
		reply_error(out, slice_make(outline->ids.ptr, outline->ids.len - 1), failure);
	else if (outline->unnamed || outline->id_count > 0)
		reply_error(out, slice_of(NULL), failure);
}

void mcp_dispatch_overlong(struct mcp_session *session, const struct outline *outline,
			   struct str *out)
{
	FAILURE_AUTO failure = FAILURE_INIT;

	failure_set(&failure, RPC_PARSE_ERROR,
		    "Parse error: the line is longer than %zu bytes; send less in one request",
		    json_line_bounds.bytes);
	dispatch_refuse_line(session, outline, &failure, out);
}

static void dispatch_refuse_text(struct mcp_session *session, struct slice line,
				 const struct json_fault *fault, struct str *out)
{
	FAILURE_AUTO failure = FAILURE_INIT;
	struct outline outline;

	outline_init(&outline);
	outline_feed(&outline, line);
	outline_end(&outline);
	if (line.len > json_line_bounds.bytes) {
		mcp_dispatch_overlong(session, &outline, out);
	} else {
		failure_set(&failure, RPC_PARSE_ERROR,
			    "Parse error: %s, at character %u of the line; correct it and send it "
			    "again",
			    fault->what, fault->column);
		dispatch_refuse_line(session, &outline, &failure, out);
	}
	outline_release(&outline);
}

void mcp_dispatch_line(struct mcp_session *session, struct slice line, struct str *out)
{
	struct json_fault fault;
	JSON_AUTO doc = {0};

	if (blank_trim(line).len == 0)
		return;
	if (json_parse(&doc, line, &json_line_bounds, &fault) != 0) {
		dispatch_refuse_text(session, line, &fault, out);
		return;
	}
	if (json_type(&doc, JSON_ROOT) == JSON_ARRAY)
		dispatch_batch(session, &doc, out);
	else
		dispatch_message(session, &doc, JSON_ROOT, false, out);
}
