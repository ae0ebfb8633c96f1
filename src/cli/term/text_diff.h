/*
 * What differs between two texts, line by line, for a person.
 */
#ifndef KOTA_CLI_TERM_TEXT_DIFF_H
#define KOTA_CLI_TERM_TEXT_DIFF_H

#include "cli/term/paint.h"

/*
 * Appends the lines that went, each with "- " before it, and those that came with "+ ", among the
 * lines around them with "  ", all behind an indent and made visible; "..." stands for the rest.
 * Either may be absent.
 */
void text_diff_add(struct str *out, const char *indent, struct slice before, struct slice after,
		   const struct paint *paint);

#endif
