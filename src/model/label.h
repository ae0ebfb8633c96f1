/*
 * Tags and entities in the form in which they are stored.
 *
 * What is a letter is asked of the C library's own tables for UTF-8, whatever the process's
 * locale; any bytes are accepted.
 */
#ifndef KOTA_MODEL_LABEL_H
#define KOTA_MODEL_LABEL_H

#include "base/slice.h"
#include "base/str.h"

/*
 * Cleans a tag as it is stored: lower case, "." becomes "-", white space "_", anything else that
 * is not letter, digit, "_", "-" or "/" becomes "_"; runs of one separator collapse, separators at
 * the ends go. Letters, and marks on letters, of every script stay. *out is cleared first; it is
 * empty when nothing of the tag is left.
 */
void tag_clean(struct slice text, struct str *out);

/*
 * Cleans an entity: trimmed, runs of blanks become one, "/" becomes "_", pictographs count as
 * blanks. *out is cleared first; it is empty when nothing of the entity is left.
 */
void entity_clean(struct slice text, struct str *out);

#endif
