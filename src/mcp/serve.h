/*
 * The MCP server's loop over two descriptors: one message a line.
 *
 * The descriptors stay the caller's, blocking or not. Interrupted calls and short transfers are
 * dealt with here.
 */
#ifndef KOTA_MCP_SERVE_H
#define KOTA_MCP_SERVE_H

#include "base/str.h"
#include "base/sys.h"
#include "mcp/outline.h"
#include "mcp/session.h"

/*
 * Reads lines from in_fd until its end and writes answers to out_fd. Returns 0 at the end of
 * input or when the reader went away; ERR_IO when reading or writing fails.
 */
int mcp_serve(struct mcp_session *session, int in_fd, int out_fd, struct err *err);

/* ---- lines: input is split into them, answers are written whole */

struct framing {
	const struct sys *sys;
	int fd;
	size_t max;      /* longest line, in bytes without its end */
	struct str buf;  /* read and not handed out yet, from `at` on */
	size_t at;       /* where the next line begins */
	size_t searched; /* no newline before this place */
	bool ended;
	bool overlong;          /* the line at hand is longer than max: it is not kept */
	struct outline outline; /* of the last such line */
};

enum framing_status {
	FRAMING_LINE,
	FRAMING_OVERLONG, /* a line that is longer than is allowed */
	FRAMING_END,      /* end of input, or who wrote is gone */
	FRAMING_FAILED    /* errno says why */
};

/* Lines of at most max bytes from fd; release with framing_release(). */
void framing_init(struct framing *f, const struct sys *sys, int fd, size_t max);

/* Frees what has been read; the descriptor stays open. */
void framing_release(struct framing *f);

/*
 * Waits for the next line. *line is without "\n" or "\r\n" and valid until the next call; the last
 * one needs no end. A longer line is read to its end without being kept: FRAMING_OVERLONG, *line is
 * untouched, and f->outline says until the next call what could be read of it.
 */
enum framing_status framing_next(struct framing *f, struct slice *line);

/* True if a whole line is at hand: framing_next() hands it out without reading. */
bool framing_has_line(struct framing *f);

/*
 * The same after what can be read at once was read. It ends what framing_next() handed out last.
 */
bool framing_is_ready(struct framing *f);

/* True if no line is at hand and nothing arrives within so many milliseconds. */
bool framing_rests(struct framing *f, int ms);

/* Writes all of text. FRAMING_END when nobody reads any more, else FRAMING_LINE or _FAILED. */
enum framing_status framing_write(const struct sys *sys, int fd, struct slice text);

#endif
