/*
 * The MCP server: one message a line, both protocol eras, chosen per message.
 *
 * mcp_serve() is the loop over two descriptors; mcp_session_* is the protocol without any
 * descriptor, for tests: a line in, at most one line out.
 */
#ifndef KOTA_MCP_SERVE_H
#define KOTA_MCP_SERVE_H

#include "base/err.h"
#include "base/str.h"
#include "base/sys.h"
#include "store/location/location.h"
#include "tool/tool.h"

struct confine;
struct mcp_session;

/*
 * A session over the store at place, which is copied. The store is opened by the first call of a
 * tool: where that cannot be done the call answers why, and the next one tries again, so that a
 * client always gets its handshake. A place without a path: each call looks for a place of its own.
 * tools is the table to offer (ended by NULL), session_id the client's name for the session or
 * NULL. sys and env must outlive the session. Release with mcp_session_free().
 */
struct mcp_session *mcp_session_new_at(const struct sys *sys, environment env,
				       const struct place *place, const struct tool *const *tools,
				       const char *session_id);

/* The same for a path that the person named, or NULL. */
struct mcp_session *mcp_session_new(const struct sys *sys, environment env, const char *path,
				    const struct tool *const *tools, const char *session_id);

/*
 * Has the process confined to the store, see store/trust/confine.h: now, if there is one, or else as soon
 * as it is made. confine must outlive the session; NULL is none.
 */
void mcp_session_confine(struct mcp_session *session, struct confine *confine);

/* Closes the store that the session opened; NULL is none. */
void mcp_session_free(struct mcp_session *session);

/*
 * Handles one line (without its newline). Appends the answer without a newline to *out, or nothing
 * when there is none to give.
 */
void mcp_session_line(struct mcp_session *session, struct slice line, struct str *out);

/*
 * Reads lines from in_fd until its end and writes answers to out_fd. Returns 0 at the end of
 * input or when the reader went away; ERR_IO when reading or writing fails.
 */
int mcp_serve(struct mcp_session *session, int in_fd, int out_fd, struct err *err);

#endif
