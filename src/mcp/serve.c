#include "mcp/serve.h"

#include "json/doc.h"
#include "mcp/dispatch.h"
#include "mcp/framing.h"

#include <errno.h>
#include <signal.h>

static enum framing_status serve_write_answer(struct mcp_session *session, int out_fd,
					      struct str *out, struct err *err)
{
	enum framing_status status;

	if (out->len == 0)
		return FRAMING_LINE;
	str_addc(out, '\n');
	status = framing_write(session->sys, out_fd, str_slice(out));
	if (status == FRAMING_FAILED)
		err_set_errno(err, ERR_IO, errno, "cannot write to the client");
	return status;
}

/* The answer is written before the next line is read: nothing is held back when we are killed. */
static enum framing_status serve_line(struct mcp_session *session, struct framing *framing,
				      int out_fd, struct str *out, struct err *err)
{
	struct slice line;
	enum framing_status status = framing_next(framing, &line);

	str_clear(out);
	if (status == FRAMING_FAILED)
		err_set_errno(err, ERR_IO, errno, "cannot read from the client");
	else if (status == FRAMING_LINE)
		mcp_dispatch_line(session, line, out);
	else if (status == FRAMING_OVERLONG)
		mcp_dispatch_overlong(session, &framing->outline, out);
	if (status == FRAMING_LINE || status == FRAMING_OVERLONG)
		return serve_write_answer(session, out_fd, out, err);
	return status;
}

static enum framing_status serve_all(struct mcp_session *session, int in_fd, int out_fd,
				     struct err *err)
{
	STR_AUTO out = STR_INIT;
	struct framing framing;
	enum framing_status status;

	framing_init(&framing, session->sys, in_fd, json_line_bounds.bytes);
	do
		status = serve_line(session, &framing, out_fd, &out, err);
	while (status == FRAMING_LINE);
	framing_release(&framing);
	return status;
}

int mcp_serve(struct mcp_session *session, int in_fd, int out_fd, struct err *err)
{
	const struct sigaction ignore = {.sa_handler = SIG_IGN};
	struct sigaction before;
	enum framing_status status;

	/* A client that goes away is the usual end and no reason to be killed. */
	sigaction(SIGPIPE, &ignore, &before);
	status = serve_all(session, in_fd, out_fd, err);
	sigaction(SIGPIPE, &before, NULL);
	return status == FRAMING_END ? 0 : -1;
}
