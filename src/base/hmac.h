/*
 * HMAC-SHA-256 (RFC 2104, FIPS 180-4): proof that who wrote a text had the key.
 *
 * Anyone may use it. No state. SHA-256 is that of libmd, which is known here alone.
 */
#ifndef KOTA_BASE_HMAC_H
#define KOTA_BASE_HMAC_H

#include "base/str.h"

#include <stdbool.h>

/* Bytes of a tag; a key of as many is as strong as the tag. */
#define HMAC_BYTES 32

/* Sets out to the tag of the text; a key of any length. */
void hmac_sha256(struct slice key, struct slice text, unsigned char out[HMAC_BYTES]);

/* True if the tags are equal. Takes equally long for every difference. */
bool hmac_equal(const unsigned char a[HMAC_BYTES], const unsigned char b[HMAC_BYTES]);

/* Appends the tag in 64 hexadecimal digits, small letters. */
void hmac_print(struct str *out, const unsigned char tag[HMAC_BYTES]);

/* Reads what hmac_print() has written; false, and out untouched, for all else. */
bool hmac_parse(struct slice digits, unsigned char out[HMAC_BYTES]);

#endif
