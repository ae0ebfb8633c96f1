/*
 * The MCP server's loop over two descriptors: one message a line.
 */
#ifndef KOTA_MCP_SERVE_H
#define KOTA_MCP_SERVE_H

#include "mcp/session.h"

/*
 * Reads lines from in_fd until its end and writes answers to out_fd. Returns 0 at the end of
 * input or when the reader went away; ERR_IO when reading or writing fails.
 */
int mcp_serve(struct mcp_session *session, int in_fd, int out_fd, struct err *err);

#endif
