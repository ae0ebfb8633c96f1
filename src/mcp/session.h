/*
 * What a serving process remembers from one message to the next.
 *
 * Only the handshake leaves a trace here: a modern request neither reads nor writes it.
 */
#ifndef KOTA_MCP_SESSION_H
#define KOTA_MCP_SESSION_H

#include "base/err.h"
#include "base/sys.h"
#include "mcp/client.h"
#include "mcp/era.h"
#include "store/location/location.h"
#include "tool/tool.h"

struct confine;

struct mcp_session {
	const struct sys *sys;
	environment env;
	struct place place;      /* its path is NULL while there is no place for a store */
	struct store *store;     /* NULL until it could be opened */
	struct confine *confine; /* for who opens it; NULL: none */
	const struct tool *const *tools;
	bool few; /* and of them only the parameters that a core client needs; set by who made it */
	char *id; /* NULL when the client has no name for the session */
	const struct err *refused;       /* calls of tools are answered with it alone; or NULL */
	const struct revision *revision; /* of the handshake; NULL before */
	struct client client;            /* from the handshake */
};

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
 * Has the process confined to the store, see store/files/confine.h: now, if there is one, or else
 * as soon as it is made. confine must outlive the session; NULL is none.
 */
void mcp_session_confine(struct mcp_session *session, struct confine *confine);

/* Closes the store that the session opened; NULL is ignored. */
void mcp_session_free(struct mcp_session *session);

/* The session's store, opened now where no call before has managed to. */
int session_store(struct mcp_session *session, struct store **out, struct err *err);

/* True if changes may wait for the requests behind them, see store/txn/group.h. */
void session_admit(struct mcp_session *session, bool admit);

/* Makes the changes that wait durable; who has held their replies back asks group_failed(). */
void session_settle(struct mcp_session *session);

#endif
