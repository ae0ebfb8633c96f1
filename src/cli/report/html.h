/*
 * Writes well-formed HTML: every element is closed, and every text is escaped.
 *
 *	struct html h = {.out = &out};
 *	html_open(&h, "p.note");
 *	html_stored(&h, value);
 *	html_close(&h);
 *
 * There is no way to insert raw markup. Names of elements and attributes, and terminated strings,
 * come from the program. Text out of a store goes through html_stored() only, which makes invisible
 * and bidirectional characters visible and withholds secrets. Appends to a string that the caller
 * owns. Calls out of order are a bug, and asserted.
 */
#ifndef KOTA_CLI_REPORT_HTML_H
#define KOTA_CLI_REPORT_HTML_H

#include "base/str.h"

#include <stdint.h>

#define HTML_DEPTH 32

struct html {
	struct str *out;
	struct slice open[HTML_DEPTH]; /* names of the open elements */
	int depth;
	int drawing; /* depth at which an svg began; 0: none is open */
	bool in_tag; /* the last start tag may still get attributes */
};

/*
 * Begins an element: its name, its classes, each behind a dot, and attributes, as in
 * "th.ref scope=row title='two words'". The text is the program's own and outlives the element.
 * More attributes may follow until there is anything in it.
 */
void html_open(struct html *h, const char *element);

/* Ends the innermost element; one that has nothing in it as HTML or SVG wants it. */
void html_close(struct html *h);

/* Ends so many of the innermost elements. */
void html_close_each(struct html *h, int count);

/* An attribute of the element that was begun last. A value NULL leaves it without one. */
void html_attr(struct html *h, const char *name, const char *value);
void html_attr_int(struct html *h, const char *name, int64_t number);

/* With two decimals at most, for places and lengths of a drawing. */
void html_attr_number(struct html *h, const char *name, double number);

/* A share of 0 to 1 as "42.5%". */
void html_attr_percent(struct html *h, const char *name, double share);
void html_attr_printf(struct html *h, const char *name, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Text of the program. */
void html_text(struct html *h, const char *text);
void html_printf(struct html *h, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "12,345" */
void html_count(struct html *h, int64_t number);

/*
 * Text of a store, of at most so many characters (0: all), dots where it was cut. Line breaks
 * become blanks, other characters that are not seen are shown by their number. A text with a secret
 * in it is replaced by words that say so. Kept apart from the direction of the text around it, but
 * in a drawing, where a title is text alone.
 */
void html_stored(struct html *h, struct slice text, size_t characters);

/* Words that stand for a secret of this kind. */
void html_secret(struct html *h, const char *rule);

/* A whole element, as html_open() begins it, with text of the program. */
void html_leaf(struct html *h, const char *element, const char *text);

/* The style sheet, which is no text and is not escaped: of the program, without "</". */
void html_style(struct html *h, const char *css);

#endif
