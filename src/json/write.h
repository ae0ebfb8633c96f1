/*
 * Writing JSON: the only printer of the program.
 *
 *	struct json_writer w;
 *	struct json_writer w = json_writer_to(&out, &json_compact);
 *	json_write_object(&w);
 *	json_write_name(&w, slice_of("key"));
 *	json_write_string(&w, key);
 *	json_write_end(&w);
 *
 * The writer puts commas, line breaks and indentation; numbers and strings that come out of a
 * document are copied with their exact text. It appends to a string that the caller owns. Using it
 * out of order (a value in an object without a name) or nesting deeper than JSON_WRITER_DEPTH is a
 * bug and asserted.
 */
#ifndef KOTA_JSON_WRITE_H
#define KOTA_JSON_WRITE_H

#include "json/doc.h"

/* How the text looks. Slices that are absent are the usual ones: no prefix, `:`, `,`, no pad. */
struct json_layout {
	const char *indent;  /* one level: "  ", "\t"; NULL for everything on one line, no spaces */
	const char *newline; /* "\n" or "\r\n" */
	uint32_t depth;      /* level that the first line stands at: further lines add theirs */
	struct slice prefix; /* what every further line begins with */
	struct slice colon;  /* with the blanks around it; likewise comma */
	struct slice comma;
	struct slice pad; /* inside the braces of an object that is not empty */
};

/* One line without spaces. */
extern const struct json_layout json_compact;

/* Two spaces, "\n": new files of the store and what a person looks at. */
extern const struct json_layout json_pretty;

#define JSON_WRITER_DEPTH 64

struct json_writer {
	struct str *out;
	struct json_layout layout;
	uint32_t depth;
	bool named;                     /* a name was written, its value comes next */
	char closer[JSON_WRITER_DEPTH]; /* '}' or ']' of each open value */
	bool filled[JSON_WRITER_DEPTH]; /* has it an element yet */
};

/* What writes one value at the end of *out, which the caller owns and keeps alive. */
struct json_writer json_writer_to(struct str *out, const struct json_layout *layout);

/* Opens an object or an array; what follows goes into it up to json_write_end(). */
void json_write_object(struct json_writer *w);
void json_write_array(struct json_writer *w);

/* Closes the innermost object or array; an empty one becomes {} or []. */
void json_write_end(struct json_writer *w);

/* The name of the next member, escaped as json_write_string does. */
void json_write_name(struct json_writer *w, struct slice name);

/* A name's text with its quotes, put as it is. */
void json_write_name_raw(struct json_writer *w, struct slice quoted);

/* Invalid UTF-8 becomes U+FFFD; control characters, quote and backslash are escaped. */
void json_write_string(struct json_writer *w, struct slice text);

/* A number, in decimal. */
void json_write_int(struct json_writer *w, int64_t number);

/* Shortest text that reads back as the same double; must be finite. */
void json_write_double(struct json_writer *w, double number);

/* At most `decimals` (0 to 17) places, trailing zeros cut: a confidence of 0.912. Finite only. */
void json_write_fixed(struct json_writer *w, double number, int decimals);

/* true or false. */
void json_write_bool(struct json_writer *w, bool value);

/* null. */
void json_write_null(struct json_writer *w);

/* Copies a value of a document in the writer's layout; scalars and names keep their exact text. */
void json_write_value(struct json_writer *w, const struct json *doc, uint32_t node);

/* Appends a value of a document on one line without spaces. */
void json_print(struct str *out, const struct json *doc, uint32_t node);

/* Appends a text as a JSON string. */
void json_quote(struct str *out, struct slice text);

/* Text that is known to be one JSON value, put as it is. */
void json_write_raw(struct json_writer *w, struct slice text);

/* Name and value in one call. */
void json_write_member_string(struct json_writer *w, const char *name, struct slice text);
void json_write_member_int(struct json_writer *w, const char *name, int64_t number);
void json_write_member_bool(struct json_writer *w, const char *name, bool value);
void json_write_member_raw(struct json_writer *w, const char *name, struct slice text);
void json_write_member_double(struct json_writer *w, const char *name, double number);
void json_write_member_fixed(struct json_writer *w, const char *name, double number, int decimals);
void json_write_member_value(struct json_writer *w, const char *name, const struct json *doc,
			     uint32_t node);

/* The same of a value that is left open: what follows goes into it up to json_write_end(). */
void json_write_member_object(struct json_writer *w, const char *name);
void json_write_member_array(struct json_writer *w, const char *name);

#endif
