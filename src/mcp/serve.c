#include "mcp/serve.h"

#include "base/mem.h"
#include "json/doc.h"
#include "mcp/dispatch.h"
#include "mcp/framing.h"
#include "store/history/history.h"
#include "store/open/store.h"
#include "store/txn/group.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

/* After so long without a request what was put off is done. */
#define REST_MS 1000

/* So many lines are answered together, and so many bytes of them, when a change among them waits.
 */
#define LINES_MAX 64
#define BYTES_MAX ((size_t)1 << 20)

/* A line whose answer is held back. */
struct serve_held {
	struct str line;
	struct str answer;
	uint64_t before; /* changes that had come to wait when it came, and after it */
	uint64_t behind;
	bool failed; /* that is what the answer says */
};

struct serve {
	struct mcp_session *session;
	struct framing framing;
	int out_fd;
	struct serve_held held[LINES_MAX];
	size_t count;
	size_t bytes;
	struct str out;
};

/* What was not made durable is answered anew: with the reason. */
static void serve_take_back(struct serve *serve)
{
	struct mcp_session *session = serve->session;
	uint64_t from;
	uint64_t to;
	struct err why;

	if (!session->store || !group_failed(session->store, &from, &to, &why))
		return;
	session->refused = &why;
	for (size_t i = 0; i < serve->count; i++) {
		struct serve_held *held = &serve->held[i];

		if (held->failed || held->behind <= from || held->before >= to)
			continue;
		held->failed = true;
		str_clear(&held->answer);
		mcp_dispatch_line(session, str_slice(&held->line), &held->answer);
	}
	session->refused = NULL;
}

static uint64_t serve_joined(const struct serve *serve)
{
	return serve->session->store ? group_joined(serve->session->store) : 0;
}

static bool serve_waits(const struct serve *serve)
{
	return serve->session->store && group_waits(serve->session->store) > 0;
}

/* Answers a line; a change in it may wait where another line stands behind it. */
static void serve_line(struct serve *serve, enum framing_status status, struct slice line)
{
	struct mcp_session *session = serve->session;
	struct serve_held *held = &serve->held[serve->count++];

	str_clear(&held->line);
	str_clear(&held->answer);
	held->failed = false;
	held->before = serve_joined(serve);
	session_admit(session, serve_waits(serve) || framing_has_line(&serve->framing));
	if (status == FRAMING_OVERLONG) {
		session_settle(session);
		mcp_dispatch_overlong(session, &serve->framing.outline, &held->answer);
	} else {
		serve->bytes += line.len;
		mcp_dispatch_line(session, line, &held->answer);
	}
	held->behind = serve_joined(serve);
	if (held->behind > held->before)
		str_add(&held->line, line);
	serve_take_back(serve);
}

/* Writes the answers, now that what they say is durable. */
static enum framing_status serve_answer(struct serve *serve, struct err *err)
{
	session_settle(serve->session);
	serve_take_back(serve);
	str_clear(&serve->out);
	for (size_t i = 0; i < serve->count; i++) {
		if (serve->held[i].answer.len == 0)
			continue;
		str_add(&serve->out, str_slice(&serve->held[i].answer));
		str_addc(&serve->out, '\n');
	}
	serve->count = 0;
	serve->bytes = 0;
	if (serve->out.len == 0)
		return FRAMING_LINE;
	enum framing_status status = framing_write(serve->session->sys, serve->out_fd,
						   str_slice(&serve->out));
	if (status == FRAMING_FAILED)
		err_set_errno(err, ERR_IO, errno, "cannot write to the client");
	return status;
}

/*
 * Answers what has come. Where a change waits for the lines that stand behind it, its answer does,
 * too; else the answer is written before the next line is read: nothing is held back when we are
 * killed.
 */
static enum framing_status serve_lines(struct serve *serve, struct err *err)
{
	struct slice line;

	do {
		enum framing_status status = framing_next(&serve->framing, &line);

		if (status == FRAMING_FAILED)
			err_set_errno(err, ERR_IO, errno, "cannot read from the client");
		if (status != FRAMING_LINE && status != FRAMING_OVERLONG)
			return status;
		serve_line(serve, status, line);
	} while (serve_waits(serve) && serve->count < LINES_MAX && serve->bytes < BYTES_MAX &&
		 framing_is_ready(&serve->framing));
	return serve_answer(serve, err);
}

static enum framing_status serve_all(struct mcp_session *session, int in_fd, int out_fd,
				     struct err *err)
{
	struct serve *serve = mem_zalloc(1, sizeof *serve);
	enum framing_status status;

	serve->session = session;
	serve->out_fd = out_fd;
	str_init(&serve->out);
	for (size_t i = 0; i < LINES_MAX; i++) {
		str_init(&serve->held[i].line);
		str_init(&serve->held[i].answer);
	}
	framing_init(&serve->framing, session->sys, in_fd, json_line_bounds.bytes);
	do {
		/* Each time it is only a part, so that a request that comes meanwhile is answered
		 * soon. */
		if (session->store && history_may_rest(session->store) &&
		    framing_rests(&serve->framing, REST_MS))
			store_rest(session->store);
		status = serve_lines(serve, err);
	} while (status == FRAMING_LINE);
	if (session->store)
		store_rest(session->store);
	framing_release(&serve->framing);
	for (size_t i = 0; i < LINES_MAX; i++) {
		str_release(&serve->held[i].line);
		str_release(&serve->held[i].answer);
	}
	str_release(&serve->out);
	free(serve);
	return status;
}

int mcp_serve(struct mcp_session *session, int in_fd, int out_fd, struct err *err)
{
	const struct sigaction ignore = {.sa_handler = SIG_IGN};
	struct sigaction before;

	/* A client that goes away is the usual end and no reason to be killed. */
	sigaction(SIGPIPE, &ignore, &before);
	enum framing_status status = serve_all(session, in_fd, out_fd, err);
	sigaction(SIGPIPE, &before, NULL);
	return status == FRAMING_END ? 0 : -1;
}
