/*
 * What adding to and removing from a text share. For src/cli/jsonc*.c only.
 */
#ifndef KOTA_JSON_JSONC_INTERNAL_H
#define KOTA_JSON_JSONC_INTERNAL_H

#include "json/jsonc.h"

static inline bool jsonc_is_blank(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

/* Appends a part of the old text to the new one. */
void jsonc_copy(struct jsonc_edit *edit, const struct jsonc *doc, size_t from, size_t to);

/* Where a value begins, with its name. */
size_t jsonc_begin(const struct jsonc *doc, uint32_t node);

/* The last element or member, or JSON_NONE. */
uint32_t jsonc_last(const struct jsonc *doc, uint32_t container);

/* Where the first comma outside comments is, of a part without values; `to` when there is none. */
size_t jsonc_comma(const struct jsonc *doc, size_t from, size_t to);

#endif
