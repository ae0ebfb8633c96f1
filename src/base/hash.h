/*
 * The identity of texts in 64 bits, and how such numbers are read from a file.
 *
 * Anyone may use it. No state.
 */
#ifndef KOTA_BASE_HASH_H
#define KOTA_BASE_HASH_H

#include "base/str.h"

#include <stdint.h>

/* Hexadecimal digits of the longest number. */
#define HEX_DIGITS ((size_t)16)

/*
 * A 64-bit digest of the bytes, eight at a time: the identity of texts that nobody chose to
 * collide. Not the same on machines of other byte order.
 */
uint64_t hash64(struct slice text);

/* Appends all 16 digits, small letters. */
void hex_add(struct str *out, uint64_t value);

/* Reads 1 to 16 hexadecimal digits, small letters; false, and *out untouched, for all else. */
bool hex_read(struct slice word, uint64_t *out);

#endif
