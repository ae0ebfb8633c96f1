/*
 * A caller's text inside a sentence.
 *
 * For everyone. Nothing in it acts on a terminal, and it is cut where it is long, so that the rest
 * of the sentence is still seen.
 */
#ifndef KOTA_BASE_SHOWN_H
#define KOTA_BASE_SHOWN_H

#include "base/str.h"

/* Most characters of a text that a sentence repeats. */
#define SHOWN_CHARACTERS 60

/*
 * The text made visible, terminated, with "..." where it was cut; owned by *scratch (cleared
 * first) and valid until that changes.
 */
const char *shown(struct str *scratch, struct slice text);

#endif
