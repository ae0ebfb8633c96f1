/*
 * White space: which characters are blank, and cutting them off.
 *
 * Anyone may use it. Blank is what Unicode calls white space, and the byte order mark.
 */
#ifndef KOTA_BASE_BLANK_H
#define KOTA_BASE_BLANK_H

#include "base/slice.h"

#include <stdint.h>

/* Is this character blank? */
bool blank_is(uint32_t character);

/* Is there nothing in the text that a reader would see? */
bool blank_only(struct slice text);

/* The text without the blanks at both ends: a part of it, perhaps empty; absent stays absent. */
struct slice blank_trim(struct slice text);

#endif
