/*
 * Putting one table at the end of somebody's TOML file, and taking it out again, with every other
 * byte kept.
 *
 * The file is not understood beyond what that needs: where strings, comments and brackets end, and
 * which tables begin on which line.
 */
#ifndef KOTA_CLI_SETUP_TOML_H
#define KOTA_CLI_SETUP_TOML_H

#include "json/doc.h"

/* What is known of the table a.b (two names) in a text. */
struct toml_table {
	bool present;
	size_t start;         /* of its header's line */
	size_t end;           /* behind the last line that belongs to it or to a table below it */
	struct slice command; /* the value of command as it is written; "not there" without one */
	size_t elsewhere; /* line where it is in another form, as a.b.c = or b = {}; 0: nowhere */
};

/*
 * Looks for the table parent.name. What is found points into the text. -1 with line and column
 * where a string or a bracket does not end.
 */
int toml_find(struct toml_table *out, struct slice text, const char *parent, const char *name,
	      struct json_fault *fault);

/* Appends the table's text (lines ended by "\n") to the old one; "not there" is an absent file. */
void toml_add(struct str *out, struct slice text, struct slice table);

/*
 * Leaves out the table; what was added as toml_add() does it leaves the text as it was. *absent
 * says that nothing is left, as the file was made for the table.
 */
void toml_remove(struct str *out, bool *absent, struct slice text, const struct toml_table *found);

/* Appends a basic string, in quotes. */
void toml_add_string(struct str *out, struct slice text);

#endif
