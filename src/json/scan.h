/*
 * Saying where and why a text is not JSON, or where a value of it is that will not do. For the
 * scanner and for those who check documents.
 *
 * Each function fills *fault with the line and column of the byte at `at` and a phrase, cut at a
 * character when it is too long.
 */
#ifndef KOTA_JSON_SCAN_H
#define KOTA_JSON_SCAN_H

#include "json/doc.h"

/* The phrase as it is. */
void json_fault_set(struct json_fault *fault, struct slice text, size_t at, const char *what);

/* The phrase with stored bytes in the middle: made visible, and cut when they are long. */
void json_fault_shown(struct json_fault *fault, struct slice text, size_t at, const char *before,
		      struct slice bytes, const char *behind);

#endif
