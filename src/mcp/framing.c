#include "mcp/framing.h"

#include <errno.h>
#include <poll.h>

#define READ_SIZE 65536

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
