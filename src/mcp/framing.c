#include "mcp/framing.h"

#include <errno.h>
#include <poll.h>

#define READ_SIZE 65536

void framing_init(struct framing *f, const struct sys *sys, int fd, size_t max)
{
	*f = (struct framing){.sys = sys, .fd = fd, .max = max, .buf = STR_INIT};
}

void framing_release(struct framing *f)
{
	str_release(&f->buf);
}

/* After a call that did not succeed: is it worth another try? Waits where the descriptor asks. */
static bool try_again(int fd, short event)
{
	struct pollfd wait = {.fd = fd, .events = event};

	if (errno == EINTR)
		return true;
	if (errno != EAGAIN && errno != EWOULDBLOCK)
		return false;
	return poll(&wait, 1, -1) > 0 || errno == EINTR;
}

/* Moves what is left to the front, so that the buffer does not grow with the session. */
static void drop_handed_out(struct framing *f)
{
	if (f->at == 0)
		return;
	memmove(f->buf.ptr, f->buf.ptr + f->at, f->buf.len - f->at);
	str_truncate(&f->buf, f->buf.len - f->at);
	f->searched -= f->at;
	f->at = 0;
}

static enum framing_status read_more(struct framing *f)
{
	ssize_t got;

	drop_handed_out(f);
	str_reserve(&f->buf, READ_SIZE);
	do
		got = f->sys->read(f->fd, f->buf.ptr + f->buf.len, READ_SIZE);
	while (got < 0 && try_again(f->fd, POLLIN));
	if (got > 0) {
		f->buf.len += (size_t)got;
		f->buf.ptr[f->buf.len] = '\0';
		return FRAMING_LINE;
	}
	/* A socket says so when its other end went away with something unread. */
	if (got < 0 && errno != ECONNRESET)
		return FRAMING_FAILED;
	f->ended = true;
	return FRAMING_END;
}

/* The line of len bytes at f->at, whose end is `end` bytes long. */
static struct slice hand_out(struct framing *f, size_t len, size_t end)
{
	struct slice line = slice_make(f->buf.ptr + f->at, len);

	f->at += len + end;
	f->searched = f->at;
	if (line.len && line.ptr[line.len - 1] == '\r')
		line.len--;
	if (line.len > f->max)
		line.len = f->max + 1;
	return line;
}

/* Looks for the end of the line among the bytes not searched yet. */
static bool find_end(struct framing *f, size_t *len)
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

/* Keeps of an endless line what shows that it is too long, even without a "\r" at its end. */
static void cut_overlong(struct framing *f)
{
	str_truncate(&f->buf, f->at + f->max + 2);
	f->searched = f->buf.len;
}

enum framing_status framing_next(struct framing *f, struct slice *line)
{
	size_t len;

	for (;;) {
		if (find_end(f, &len)) {
			*line = hand_out(f, len, 1);
			return FRAMING_LINE;
		}
		cut_overlong(f);
		if (f->ended)
			break;
		if (read_more(f) == FRAMING_FAILED)
			return FRAMING_FAILED;
	}
	if (f->buf.len == f->at)
		return FRAMING_END;
	*line = hand_out(f, f->buf.len - f->at, 0);
	return FRAMING_LINE;
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
		if (put == 0 || !try_again(fd, POLLOUT))
			return FRAMING_FAILED;
	}
	return FRAMING_LINE;
}
