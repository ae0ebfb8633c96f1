#include "mcp/session.h"

#include "base/utf8.h"
#include "base/mem.h"
#include "mcp/methods.h"
#include "store/open/store.h"

#include <stdlib.h>

struct mcp_session *mcp_session_new(const struct sys *sys, environment env, const char *path,
				    const struct tool *const *tools, const char *session_id)
{
	struct place place = {.path = path ? mem_strdup(path) : NULL, .kind = PLACE_NAMED};
	struct mcp_session *session = mcp_session_new_at(sys, env, &place, tools, session_id);

	place_release(&place);
	return session;
}

struct mcp_session *mcp_session_new_at(const struct sys *sys, environment env,
				       const struct place *place, const struct tool *const *tools,
				       const char *session_id)
{
	struct mcp_session *session = mem_zalloc(1, sizeof *session);

	*session = (struct mcp_session){
		.sys = sys,
		.env = env,
		.tools = tools,
		.id = session_id ? mem_strdup(session_id) : NULL,
		.client = CLIENT_INIT,
	};
	place_copy(&session->place, place);
	return session;
}

void mcp_session_free(struct mcp_session *session)
{
	if (!session)
		return;
	store_close(session->store);
	client_release(&session->client);
	place_release(&session->place);
	free(session->id);
	free(session);
}

int session_store(struct mcp_session *session, struct store **out, struct err *err)
{
	if (!session->place.path &&
	    place_find(&session->place, session->sys, session->env, NULL, err) != 0)
		return -1;
	if (!session->store && store_open_confined(&session->store, session->sys, session->env,
						   &session->place, session->confine, err) != 0)
		return -1;
	*out = session->store;
	return 0;
}

void mcp_session_confine(struct mcp_session *session, struct confine *confine)
{
	struct store *store;
	struct err ignored;

	session->confine = confine;
	/* What is wrong with the store is said by whoever asks for it. */
	if (confine)
		session_store(session, &store, &ignored);
}

/* Finds what the request asks for; NULL when it may not have that. */
static const struct method *route(const struct mcp_session *session, struct request *request,
				  bool in_batch, struct failure *failure)
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

static int answer(struct mcp_session *session, struct request *request, bool in_batch,
		  struct str *out, struct failure *failure)
{
	const struct method *method = route(session, request, in_batch, failure);
	struct json_writer w;

	if (!method)
		return -1;
	reply_begin(&w, out, request->id);
	if (request->era == ERA_MODERN)
		json_write_member_string(&w, "resultType", slice_of("complete"));
	if (method->run(session, request, &w, failure) != 0)
		return -1;
	if (request->era == ERA_MODERN) {
		json_write_name(&w, slice_of("_meta"));
		json_write_object(&w);
		json_write_name(&w, slice_of(META_SERVER));
		reply_server_info(&w);
		json_write_end(&w);
	}
	reply_end(&w);
	return 0;
}

void session_message(struct mcp_session *session, const struct json *doc, uint32_t node,
		     bool in_batch, struct str *out)
{
	struct failure failure = FAILURE_INIT;
	struct request request;
	size_t mark = out->len;
	enum request_kind kind = request_read(&request, doc, node, &failure);

	if (kind == REQUEST_INVALID ||
	    (kind == REQUEST_CALL && answer(session, &request, in_batch, out, &failure) != 0)) {
		str_truncate(out, mark);
		reply_error(out, request.id, &failure);
	}
	request_release(&request);
	failure_release(&failure);
}

/* One error for each request that could be made out, and one for what could not be. */
static void refuse_each(const struct outline *outline, const struct failure *failure,
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
static void refuse_line(const struct mcp_session *session, const struct outline *outline,
			const struct failure *failure, struct str *out)
{
	bool batches = session->revision && session->revision->batches;

	if (outline->root == '[' && batches && outline->id_count > 0)
		refuse_each(outline, failure, out);
	else if (outline->root != '[' && outline->id_count > 0)
		reply_error(out, slice_make(outline->ids.ptr, outline->ids.len - 1), failure);
	else if (outline->unnamed || outline->id_count > 0)
		reply_error(out, slice_of(NULL), failure);
}

void session_overlong(struct mcp_session *session, const struct outline *outline, struct str *out)
{
	struct failure failure = FAILURE_INIT;

	failure_set(&failure, RPC_PARSE_ERROR,
		    "Parse error: the line is longer than %zu bytes; send less in one request",
		    json_line_bounds.bytes);
	refuse_line(session, outline, &failure, out);
	failure_release(&failure);
}

static void refuse_text(struct mcp_session *session, struct slice line,
			const struct json_fault *fault, struct str *out)
{
	struct failure failure = FAILURE_INIT;
	struct outline outline;

	outline_init(&outline);
	outline_feed(&outline, line);
	outline_end(&outline);
	if (line.len > json_line_bounds.bytes) {
		session_overlong(session, &outline, out);
	} else {
		failure_set(&failure, RPC_PARSE_ERROR,
			    "Parse error: %s, at character %u of the line; correct it and send it "
			    "again",
			    fault->what, fault->column);
		refuse_line(session, &outline, &failure, out);
	}
	outline_release(&outline);
	failure_release(&failure);
}

void mcp_session_line(struct mcp_session *session, struct slice line, struct str *out)
{
	struct json_fault fault;
	struct json doc;

	if (blank_trim(line).len == 0)
		return;
	if (json_parse(&doc, line, &json_line_bounds, &fault) != 0) {
		refuse_text(session, line, &fault, out);
		return;
	}
	if (json_type(&doc, JSON_ROOT) == JSON_ARRAY)
		session_batch(session, &doc, out);
	else
		session_message(session, &doc, JSON_ROOT, false, out);
	json_release(&doc);
}
