/*
 * What can be read of a line that is not valid JSON, or too long to be kept. A request in it still
 * gets its answer when its id can be found.
 *
 * struct outline o; outline_init(&o); while (... more of the line ...)
 *	outline_feed(&o, chunk);
 * outline_end(&o); ... o.ids, o.unnamed ... outline_release(&o);
 *
 * Strict about brackets, commas and colons, so that no id is ever taken from inside a value or a
 * text; tolerant of all else: bytes and escapes in texts, words, numbers, names that stand twice,
 * depth, length. After the first bracket, comma or colon in a wrong place nothing more is believed.
 * An id counts when it is a string or a number of bounded length, when a comma or a bracket ends
 * it, when the message says "jsonrpc":"2.0", and when the message has no second, different one.
 *
 * Memory is bounded, however long the line is. The owner of the struct owns what is in it.
 */
#ifndef KOTA_MCP_OUTLINE_H
#define KOTA_MCP_OUTLINE_H

#include "base/str.h"

/* Most messages of one array whose ids are kept. */
#define OUTLINE_IDS_MAX 100

/* What may come next outside of a text, a number or a word. */
enum outline_next {
	OUTLINE_START,       /* the line has been blank so far */
	OUTLINE_VALUE,       /* after a colon, or after a comma in an array */
	OUTLINE_FIRST_VALUE, /* after "[" */
	OUTLINE_NAME,        /* after a comma in an object */
	OUTLINE_FIRST_NAME,  /* after "{" */
	OUTLINE_COLON,
	OUTLINE_COMMA, /* after a value: or the bracket that closes */
	OUTLINE_DONE,  /* the value of the line is over */
	OUTLINE_BROKEN
};

enum outline_inside { OUTLINE_NOTHING, OUTLINE_TEXT, OUTLINE_ESCAPE, OUTLINE_WORD };

/* What is known of the message at hand. */
struct outline_message {
	bool named;     /* it has a member "id" */
	bool ambiguous; /* which is no id, or there are two */
	bool has_version;
	bool has_method;
	bool is_answer; /* it has a result or an error */
};

struct outline {
	struct str open;  /* the brackets that are open, the outermost first */
	struct str name;  /* of the member at hand of a message, in its quotes, cut when long */
	struct str value; /* of that member unless it is an array or object; cut when long */
	struct str *kept; /* which of the two is being read, or NULL */
	struct str id;    /* of the message at hand */
	struct outline_message message;
	enum outline_next next;
	enum outline_inside inside;
	char root;       /* "{", "[" or another byte: what the line began with; 0 when blank */
	struct str ids;  /* found: the texts as they stand, each followed by a newline */
	size_t id_count; /* OUTLINE_IDS_MAX at most */
	bool unnamed;    /* something wants an answer whose id is not known */
};

/* A line of which nothing has come yet. */
void outline_init(struct outline *o);

/* Frees what was kept. */
void outline_release(struct outline *o);

/* Reads on: the next bytes of the line, its newline not with them. */
void outline_feed(struct outline *o, struct slice chunk);

/*
 * The line is over: ids, id_count and unnamed are now complete. All three are empty for a line that
 * wants no answer: a blank one, a notification, an answer to nothing.
 */
void outline_end(struct outline *o);

#endif
