#include "mcp/session.h"

/* Most messages in one array: keeps the answer to one line of bounded length. */
#define BATCH_MAX 100

static void refuse(struct str *out, enum rpc_code code, const char *sentence)
{
	struct failure failure = FAILURE_INIT;

	failure_set(&failure, code, "%s", sentence);
	reply_error(out, slice_of(NULL), &failure);
	failure_release(&failure);
}

static void answer_all(struct mcp_session *session, const struct json *doc, struct str *out)
{
	size_t start = out->len;

	for (uint32_t node = json_first(doc, JSON_ROOT); node; node = json_next(doc, node)) {
		size_t mark = out->len;

		str_addc(out, mark == start ? '[' : ',');
		session_message(session, doc, node, true, out);
		if (out->len == mark + 1)
			str_truncate(out, mark);
	}
	if (out->len > start)
		str_addc(out, ']');
}

/* Nothing of the batch is done, and each of its requests is told so. */
static void refuse_all(const struct json *doc, struct str *out, const char *sentence)
{
	size_t start = out->len;

	for (uint32_t node = json_first(doc, JSON_ROOT); node; node = json_next(doc, node)) {
		struct failure failure = FAILURE_INIT;
		struct request request;

		if (request_read(&request, doc, node, &failure) == REQUEST_CALL) {
			failure_set(&failure, RPC_INVALID_REQUEST, "%s", sentence);
			str_addc(out, out->len == start ? '[' : ',');
			reply_error(out, request.id, &failure);
		}
		request_release(&request);
		failure_release(&failure);
	}
	if (out->len > start)
		str_addc(out, ']');
	else
		refuse(out, RPC_INVALID_REQUEST, sentence);
}

void session_batch(struct mcp_session *session, const struct json *doc, struct str *out)
{
	uint32_t count = doc->nodes[JSON_ROOT].count;

	if (!session->revision || !session->revision->batches)
		refuse(out, RPC_INVALID_REQUEST,
		       "Batches exist in revision 2025-03-26 alone: send one message a line");
	else if (count == 0)
		refuse(out, RPC_INVALID_REQUEST, "The batch is empty");
	else if (count > BATCH_MAX)
		refuse_all(doc, out, "The batch is too long: send at most 100 messages in one");
	else
		answer_all(session, doc, out);
}
