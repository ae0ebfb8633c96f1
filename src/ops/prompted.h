/*
 * The entries that a message is about: those whose key it contains, and those that a search for it
 * finds beyond doubt. They are far fewer than a search finds, since nobody asked for one.
 */
#ifndef KOTA_OPS_PROMPTED_H
#define KOTA_OPS_PROMPTED_H

#include "nlp/forms.h"
#include "store/open/store.h"
#include "tool/tool.h"

/* More entries than these would not be worth their room. */
#define PROMPTED_MAX 3

/* The entries, the surest first; the store is current. Returns how many. */
size_t prompted_find(const struct call *call, struct slice message,
		     const struct forms_finding *forms, const struct item *out[PROMPTED_MAX]);

#endif
