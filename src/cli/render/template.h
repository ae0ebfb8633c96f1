/*
 * How a line for a person is made of the members of a reply.
 *
 * A template is text with these parts:
 *
 *	{name}			the member: a text as it says, made visible, anything else as JSON
 *	{name:form}		the member in one of these forms
 *				  age	how long ago a time is
 *				  when	that on a terminal, elsewhere the time as it stands
 *				  n	a whole number with commas: 12,345
 *				  words	underscores become blanks
 *				  json	JSON on one line, texts too
 *				  brief	that, cut
 *				  raw	not made visible
 *				  shell	a word of a shell's command line; shelljson: its JSON
 *				  8	so many characters of it
 *				  >10	a whole number, at the right of so many columns
 *	{name|one|more}		how many, and a word: 1 entry, 2 entries; {name:n|one|more} with
 * commas {name*SEP}		elements of a list with SEP between them; "name value" of an
 * object's members [text|other]		text if all members that are named in it are there;
 *else other, which may be missing
 *	{?name:text|other}	text where the member is there and says something: not false, null,
 * 0,
 *				"" or empty; else other, which may be missing. {?name=value:...}
 * where it is this text, or this JSON.
 *	{*name:text}		text for each element of a list, or once for an object; names in it
 *				are those of the element's members
 *
 * A name may be a path (limits.total_bytes). It begins at the reply when it begins with "/". "0"
 * in it is the first element of a list, "." the element itself, and "@" the name that it is a
 * member by.
 */
#ifndef KOTA_CLI_RENDER_TEMPLATE_H
#define KOTA_CLI_RENDER_TEMPLATE_H

#include "cli/term/paint.h"
#include "json/doc.h"

/* A reply on its way to a person. */
struct view {
	const struct cli *cli;
	struct paint paint;
	const struct json *reply;
	int64_t now_ms;
	struct str *out;   /* for standard output */
	struct str *notes; /* for standard error */
};

/* Appends the template, filled from the members of this object. */
void template_add(struct str *out, const struct view *view, uint32_t object, const char *text);

/* A value as text: decoded where it is text, else its JSON. Valid until scratch changes. */
struct slice view_text(const struct view *view, uint32_t node, struct str *scratch);

/* The first element of a list in an object, or JSON_NONE. */
uint32_t view_first_of(const struct view *view, uint32_t object, const char *name);

/* A whole number in an object; 0 when it has none. */
int64_t view_number_of(const struct view *view, uint32_t object, const char *name);

/* Appends a number with commas: "12,345". */
void view_add_count(struct str *out, int64_t number);

/* Appends a value as JSON on one line, made visible. */
void view_add_json(struct str *out, const struct view *view, uint32_t node);

#endif
