/*
 * One parsed message of a client.
 *
 * For src/mcp. A request points into the document that it was read from, which must outlive it;
 * nothing is changed, so that the id can be sent back with its exact text.
 */
#ifndef KOTA_MCP_REQUEST_H
#define KOTA_MCP_REQUEST_H

#include "json/doc.h"
#include "mcp/reply.h"

/* Which of the two protocols a request belongs to. */
enum era { ERA_LEGACY = 1, ERA_MODERN = 2 };

struct request {
	const struct json *doc;
	struct slice id;     /* its text as it came; ptr NULL when there is none to send back */
	struct slice method; /* decoded */
	uint32_t params;     /* an object, or JSON_NONE */
	uint32_t meta;       /* params._meta, an object, or JSON_NONE */
	struct str scratch;  /* holds a method that was written with escapes */
	enum era era;        /* set by era_choose() */
};

enum request_kind {
	REQUEST_CALL,   /* to be answered */
	REQUEST_SILENT, /* a notification, or an answer to nothing: no answer, whatever it says */
	REQUEST_INVALID /* to be answered with the failure */
};

/*
 * Reads the message at node. Fills *failure when the message is invalid; *request is then good for
 * its id only. Release with request_release() in any case.
 */
enum request_kind request_read(struct request *request, const struct json *doc, uint32_t node,
			       struct failure *failure);

/* Frees the scratch text; the document stays the caller's. */
void request_release(struct request *request);

/*
 * Member of an object, which may be JSON_NONE. JSON_NONE when it is not there or of another type.
 */
uint32_t request_member(const struct request *request, uint32_t object, const char *name,
			enum json_type type);

/* The decoded text of such a member, perhaps in *scratch; absent where it is no string. */
struct slice request_text(const struct request *request, uint32_t object, const char *name,
			  struct str *scratch);

/* Fails if there is a cursor: lists have one page, so the server never gives out a cursor. */
int request_refuse_cursor(const struct request *request, struct failure *failure);

#endif
