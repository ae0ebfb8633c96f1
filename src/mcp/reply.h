/*
 * Composing answers: results, errors, and the server's info.
 *
 * For src/mcp. An answer is appended to the caller's string, without a newline. The id is the text
 * that the client sent; if none could be read, the answer has no id.
 */
#ifndef KOTA_MCP_REPLY_H
#define KOTA_MCP_REPLY_H

#include "json/write.h"

enum rpc_code {
	RPC_PARSE_ERROR = -32700,
	RPC_INVALID_REQUEST = -32600,
	RPC_METHOD_NOT_FOUND = -32601,
	RPC_INVALID_PARAMS = -32602,
	RPC_INTERNAL_ERROR = -32603,
	RPC_RESOURCE_NOT_FOUND = -32002, /* of the legacy revisions */
	RPC_UNSUPPORTED_VERSION = -32022
};

/* Why a request is refused by the protocol. Its owner releases it; empty after FAILURE_INIT. */
struct failure {
	enum rpc_code code;
	struct str message; /* one sentence for a person */
	struct str data;    /* JSON for a program, or empty */
};

#define FAILURE_INIT                                                                               \
	{                                                                                          \
		.message = STR_INIT, .data = STR_INIT                                              \
	}

/* Frees the texts. */
void failure_release(struct failure *failure);

/* Released at the end of the scope: `FAILURE_AUTO failure = FAILURE_INIT;` */
#define FAILURE_AUTO __attribute__((cleanup(failure_release))) struct failure

/* Code and a printf-style sentence. Always returns -1. */
int failure_set(struct failure *failure, enum rpc_code code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* As failure_set, followed by a client's text, made visible and cut when long. */
int failure_set_shown(struct failure *failure, enum rpc_code code, const char *before,
		      struct slice text);

/* Appends an error, without secrets that it repeats; data that holds one is left out. */
void reply_error(struct str *out, struct slice id, const struct failure *failure);

/* Begins a result: its members come next, written to w, which reply_end() closes. */
void reply_begin(struct json_writer *w, struct str *out, struct slice id);
void reply_end(struct json_writer *w);

/* Writes the value with this server's name, title and version. */
void reply_server_info(struct json_writer *w);

/* Writes the members that say how long and by whom an answer may be cached. */
void reply_cache_hints(struct json_writer *w);

#endif
