/*
 * The methods of the protocol: one row each.
 *
 * For src/mcp. Adding a method: its handler and its row.
 */
#ifndef KOTA_MCP_METHODS_H
#define KOTA_MCP_METHODS_H

#include "mcp/session.h"

/*
 * Writes the members of the result to w, which stands inside the result's object. On failure fills
 * *failure and returns -1; what was written is thrown away.
 */
typedef int (*method_handler)(struct mcp_session *session, const struct request *request,
			      struct json_writer *w, struct failure *failure);

enum method_flags {
	METHOD_GREETS = 1, /* a legacy client may send it before the handshake */
	METHOD_ALONE = 2,  /* not in a batch */
	METHOD_JOINS = 4   /* settles by itself what waits, see session_settle() */
};

struct method {
	const char *name;
	unsigned int eras;  /* set of enum era */
	unsigned int flags; /* set of enum method_flags */
	method_handler run; /* NULL: known to the protocol, not offered here */
};

/* The row of this name, or NULL; static storage. */
const struct method *method_find(struct slice name);

/* The methods of src/mcp/resources.c and completion.c. */
#define RESOURCE_METHODS 3
extern const struct method resource_methods[RESOURCE_METHODS];
extern const struct method completion_method;

/* True if there is a prompt of this name that takes this argument. */
bool prompt_takes(struct slice name, struct slice argument);

#endif
