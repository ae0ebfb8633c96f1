/*
 * Who is calling, as far as the client says: for the history of changes.
 *
 * For src/mcp. The texts are the client's own claim and are not trusted: they are made visible and
 * cut, so that they cannot act on a terminal or in a file.
 */
#ifndef KOTA_MCP_CLIENT_H
#define KOTA_MCP_CLIENT_H

#include "mcp/request.h"

struct client {
	struct str name; /* empty when unknown */
	struct str version;
};

#define CLIENT_INIT                                                                                \
	{                                                                                          \
		STR_INIT, STR_INIT                                                                 \
	}

/* Frees name and version. */
void client_release(struct client *client);

/* Reads {name, version} at node, which may be JSON_NONE; what is missing becomes empty. */
void client_read(struct client *client, const struct request *request, uint32_t node);

/* Terminated, or NULL when empty. */
const char *client_text(const struct str *text);

#endif
