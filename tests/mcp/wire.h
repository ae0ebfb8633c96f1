/*
 * Speaking with a session that offers three small tools, for the tests of src/mcp.
 *
 * echo {text, count?}  answers {"text", "client", "version", "session", "now"}
 * fail {}              fails with one sentence
 * hidden {}            for the shell alone
 */
#ifndef KOTA_TESTS_MCP_WIRE_H
#define KOTA_TESTS_MCP_WIRE_H

#include "mcp/dispatch.h"

/* What the clock of wire_session() says. */
#define WIRE_NOW INT64_C(1795251600000)

/* The members of _meta that make a request modern, without and with the name of a client. */
#define WIRE_META                                                                                  \
	"\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                   \
	"\"io.modelcontextprotocol/clientCapabilities\":{}}"
#define WIRE_META_NAMED                                                                            \
	"\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                   \
	"\"io.modelcontextprotocol/clientCapabilities\":{},"                                       \
	"\"io.modelcontextprotocol/clientInfo\":{\"name\":\"probe\",\"version\":\"2.0\"}}"

/* The tools, ended by NULL. */
const struct tool *const *wire_tools(void);

/* A store that does not exist. */
#define WIRE_NOWHERE "/nonexistent/store"

/* A session of this name over the store at path; release with mcp_session_free(). */
struct mcp_session *wire_open(const struct sys *sys, const char *path, const char *session_id);

/* A session called "s-1" whose clock stands still; release with mcp_session_free(). */
struct mcp_session *wire_session(void);

/* As wire_session(), after a handshake in this revision by client "cc" 1.0. */
struct mcp_session *wire_greeted(const char *revision);

/* Asserts that the answer to line is this text. */
void wire_is(struct mcp_session *session, const char *line, const char *answer);

/* Asserts that there is no answer. */
void wire_silent(struct mcp_session *session, const char *line);

/* Asserts that the answer is an error of this code and id (its JSON text, NULL for no id). */
void wire_error(struct mcp_session *session, const char *line, const char *id, int code);

/* Asserts that the answer is a result and contains this text. */
void wire_has(struct mcp_session *session, const char *line, const char *part);

/* The answer to a line; the caller frees it. */
char *wire_answer(struct mcp_session *session, struct slice line);

#endif
