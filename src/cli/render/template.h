/*
 * The templates from which replies are written for people.
 *
 * A template is text with these parts:
 *
 *	{name}			the member: a string made visible, anything else as JSON
 *	{name:form}		the member in one of these forms
 *				  age	how long ago a time is
 *				  when	the same on a terminal, elsewhere the time itself
 *				  n	a whole number with commas: 12,345
 *				  words	underscores become blanks
 *				  json	JSON on one line, strings too
 *				  brief	the same, cut
 *				  raw	not made visible
 *				  shell	a word of a shell command; shelljson: its JSON
 *				  8	its first 8 characters
 *				  >10	a whole number, aligned right in 10 columns
 *	{name|one|more}		a count and a word: 1 entry, 2 entries;
 *				{name:n|one|more} with commas
 *	{name*SEP}		the elements of a list with SEP between them; for an
 *				object "name value" of each member
 *	[text|other]		text if all members exist that it names; else other,
 *				which may be missing
 *	{?name:text|other}	text if the member exists and is not false, null, 0, ""
 *				or empty; else other, which may be missing
 *	{?name=value:...}	text if the member is this string or this JSON
 *	{*name:text}		text for each element of a list, or once for an object;
 *				names in it are members of the element
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
