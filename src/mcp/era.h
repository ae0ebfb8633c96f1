/*
 * Two protocols on one wire: which of them a request belongs to.
 *
 * Modern requests (revision 2026-07-28) say so in their _meta and stand alone; legacy ones follow a
 * handshake. Chosen for each message: a client may probe with one and go on with the other.
 */
#ifndef KOTA_MCP_ERA_H
#define KOTA_MCP_ERA_H

#include "mcp/request.h"

/* What a client puts into _meta of a modern request, and we into _meta of the result. */
#define META_VERSION "io.modelcontextprotocol/protocolVersion"
#define META_CAPABILITIES "io.modelcontextprotocol/clientCapabilities"
#define META_CLIENT "io.modelcontextprotocol/clientInfo"
#define META_SERVER "io.modelcontextprotocol/serverInfo"

/* A revision that begins with a handshake. */
struct revision {
	const char *name;
	bool batches; /* several messages may come as one array */
};

/* The revision that the handshake settles on: the one asked for, or the latest; static storage. */
const struct revision *revision_agree(struct slice requested);

/* All revisions that are spoken, the latest first: "2026-07-28, ..."; static storage. */
const char *era_names(void);

/* Writes the array of the modern revisions. */
void era_write_supported(struct json_writer *w);

/*
 * Finds request->era. eras says in which the method exists (a set of enum era; 0 for an unknown
 * method), greeted whether legacy requests of this kind are welcome now. Fails where the message
 * says too little or asks for a revision that is not there.
 */
int era_choose(struct request *request, unsigned int eras, bool greeted, struct failure *failure);

#endif
