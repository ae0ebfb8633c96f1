#include "mcp/serve.h"

#include "base/mem.h"
#include "json/doc.h"
#include "mcp/dispatch.h"
#include "store/history/history.h"
#include "store/open/store.h"
#include "store/txn/group.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>

/* After so long without a request what was put off is done. */
#define REST_MS 1000

/* So many lines are answered together, and so many bytes of them, when a change among them waits.
 */
#define LINES_MAX 64
#define BYTES_MAX ((size_t)1 << 20)

/* Bytes that are asked for with one call. */
#define READ_SIZE 65536

/* ---- lines */

void framing_init(struct framing *f, const struct sys *sys, int fd, size_t max)
{
	*f = (struct framing){.sys = sys, .fd = fd, .max = max, .buf = STR_INIT};
	outline_init(&f->outline);
}

void framing_release(struct framing *f)
{
	str_release(&f->buf);
	outline_release(&f->outline);
}

/*
 * After a call that failed: true if it is worth another try. Waits where the descriptor asks for
 * it.
 */
static bool framing_try_again(int fd, short event)
{
	struct pollfd wait = {.fd = fd, .events = event};

	if (errno == EINTR)
		return true;
	if (errno != EAGAIN && errno != EWOULDBLOCK)
		return false;
	return poll(&wait, 1, -1) > 0 || errno == EINTR;
}

/* Moves what is left to the front, so that the buffer does not grow with the session. */
static void framing_drop_handed_out(struct framing *f)
{
	if (f->at == 0)
		return;
	memmove(f->buf.ptr, f->buf.ptr + f->at, f->buf.len - f->at);
	str_truncate(&f->buf, f->buf.len - f->at);
	f->searched -= f->at;
	f->at = 0;
}

static enum framing_status framing_read_more(struct framing *f)
{
	ssize_t got;

	framing_drop_handed_out(f);
	str_reserve(&f->buf, READ_SIZE);
	do
		got = f->sys->read(f->fd, f->buf.ptr + f->buf.len, READ_SIZE);
	while (got < 0 && framing_try_again(f->fd, POLLIN));
	if (got > 0) {
		f->buf.len += (size_t)got;
		f->buf.ptr[f->buf.len] = '\0';
		return FRAMING_LINE;
	}
	/* A socket reports this if its peer closed with data unread. */
	if (got < 0 && errno != ECONNRESET)
		return FRAMING_FAILED;
	f->ended = true;
	return FRAMING_END;
}

/* Looks for the end of the line among the bytes not searched yet. */
static bool framing_find_end(struct framing *f, size_t *len)
{
	const char *start = f->buf.ptr + f->searched;
	const char *newline = memchr(start, '\n', f->buf.len - f->searched);

	if (!newline) {
		f->searched = f->buf.len;
		return false;
	}
	*len = (size_t)(newline - (f->buf.ptr + f->at));
	return true;
}

/* Takes the next len bytes out of the buffer: a line, or a part of one that is overlong. */
static struct slice framing_take(struct framing *f, size_t len)
{
	struct slice bytes = slice_make(f->buf.ptr + f->at, len);

	f->at += len;
	f->searched = f->at;
	return bytes;
}

/* Takes what there is of a line that is too long to be kept. */
static void framing_take_part(struct framing *f, size_t len)
{
	if (!f->overlong) {
		outline_release(&f->outline);
		outline_init(&f->outline);
		f->overlong = true;
	}
	outline_feed(&f->outline, framing_take(f, len));
}

/* The len bytes at f->at are the line, or the rest of it. */
static enum framing_status framing_finish(struct framing *f, size_t len, struct slice *line)
{
	struct slice bytes = slice_make(f->buf.ptr + f->at, len);

	if (len && bytes.ptr[len - 1] == '\r')
		bytes.len--;
	if (!f->overlong && bytes.len <= f->max) {
		framing_take(f, len);
		*line = bytes;
		return FRAMING_LINE;
	}
	framing_take_part(f, len);
	outline_end(&f->outline);
	f->overlong = false;
	return FRAMING_OVERLONG;
}

enum framing_status framing_next(struct framing *f, struct slice *line)
{
	size_t len;

	for (;;) {
		if (framing_find_end(f, &len)) {
			enum framing_status status = framing_finish(f, len, line);

			framing_take(f, 1);
			return status;
		}
		/* Even without a "\r" at its end this is too long. */
		if (f->overlong || f->buf.len - f->at > f->max + 1)
			framing_take_part(f, f->buf.len - f->at);
		if (f->ended)
			break;
		if (framing_read_more(f) == FRAMING_FAILED)
			return FRAMING_FAILED;
	}
	if (f->buf.len == f->at && !f->overlong)
		return FRAMING_END;
	return framing_finish(f, f->buf.len - f->at, line);
}

bool framing_has_line(struct framing *f)
{
	size_t len;

	return !f->overlong && framing_find_end(f, &len);
}

bool framing_is_ready(struct framing *f)
{
	while (!framing_has_line(f)) {
		struct pollfd now = {.fd = f->fd, .events = POLLIN};

		/* One that is too long waits for framing_next(). */
		if (f->overlong || f->ended || f->buf.len - f->at > f->max ||
		    poll(&now, 1, 0) != 1 || !(now.revents & POLLIN) ||
		    framing_read_more(f) != FRAMING_LINE)
			return false;
	}
	return true;
}

bool framing_rests(struct framing *f, int ms)
{
	struct pollfd wait = {.fd = f->fd, .events = POLLIN};
	size_t len;

	return !f->ended && !framing_find_end(f, &len) && poll(&wait, 1, ms) == 0;
}

enum framing_status framing_write(const struct sys *sys, int fd, struct slice text)
{
	size_t done = 0;

	while (done < text.len) {
		ssize_t put = sys->write(fd, text.ptr + done, text.len - done);

		if (put > 0) {
			done += (size_t)put;
			continue;
		}
		if (put < 0 && (errno == EPIPE || errno == ECONNRESET))
			return FRAMING_END;
		if (put == 0 || !framing_try_again(fd, POLLOUT))
			return FRAMING_FAILED;
	}
	return FRAMING_LINE;
}

/* ---- answers */

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
