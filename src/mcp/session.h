/*
 * What a serving process remembers, and the way of one message through it.
 *
 * For src/mcp; everybody else uses mcp/serve.h. Only the handshake leaves a trace here: a modern
 * request neither reads nor writes it.
 */
#ifndef KOTA_MCP_SESSION_H
#define KOTA_MCP_SESSION_H

#include "mcp/client.h"
#include "mcp/era.h"
#include "mcp/outline.h"
#include "mcp/serve.h"

struct mcp_session {
	const struct sys *sys;
	environment env;
	struct place place;  /* its path is NULL while there is no place for a store */
	struct store *store; /* NULL until it could be opened */
	struct confine *confine; /* for who opens it; NULL: none */
	const struct tool *const *tools;
	char *id;                        /* NULL when the client has no name for the session */
	const struct revision *revision; /* of the handshake; NULL before */
	struct client client;            /* from the handshake */
};

/* The session's store, opened now where no call before has managed to. */
int session_store(struct mcp_session *session, struct store **out, struct err *err);

/*
 * Answers the message at node: appends the answer to *out, or nothing. in_batch says that it is an
 * element of an array.
 */
void session_message(struct mcp_session *session, const struct json *doc, uint32_t node,
		     bool in_batch, struct str *out);

/*
 * Answers a line that was too long to be kept, of which the outline is known and at its end:
 * appends an error for what waits for an answer, or nothing.
 */
void session_overlong(struct mcp_session *session, const struct outline *outline, struct str *out);

/* Answers an array of messages with an array, or with nothing: src/mcp/batch.c. */
void session_batch(struct mcp_session *session, const struct json *doc, struct str *out);

#endif
