/*
 * One line through the protocol: a line in, at most one line out; no I/O.
 *
 * Both eras of the protocol are spoken; era.h says how it is chosen for each message.
 */
#ifndef KOTA_MCP_DISPATCH_H
#define KOTA_MCP_DISPATCH_H

#include "mcp/outline.h"
#include "mcp/session.h"

/*
 * Handles one line (without its newline). Appends the answer without a newline to *out, or nothing
 * when there is none to give.
 */
void mcp_dispatch_line(struct mcp_session *session, struct slice line, struct str *out);

/*
 * Answers a line that was too long to be kept, from its finished outline: appends errors for the
 * requests in it, or nothing.
 */
void mcp_dispatch_overlong(struct mcp_session *session, const struct outline *outline,
			   struct str *out);

#endif
