/*
 * HMAC-SHA-256 (RFC 2104, FIPS 180-4): proof that who wrote a text had the key. And SHA-1, which
 * git's files end with.
 *
 * Anyone may use it. No state. The hashes come from libmd; no other file uses it.
 */
#ifndef KOTA_BASE_HMAC_H
#define KOTA_BASE_HMAC_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

/* Bytes of a tag; a key of as many is as strong as the tag. */
#define HMAC_BYTES 32

/* Sets out to the tag of the text; a key of any length. */
void hmac_sha256(struct slice key, struct slice text, unsigned char out[HMAC_BYTES]);

/* True if the tags are equal. Takes equally long for every difference. */
bool hmac_equal(const unsigned char a[HMAC_BYTES], const unsigned char b[HMAC_BYTES]);

/* Appends the tag in 64 hexadecimal digits, small letters. */
void hmac_print(struct str *out, const unsigned char tag[HMAC_BYTES]);

/* Reads what hmac_print() has written; for anything else false, with out untouched. */
bool hmac_parse(struct slice digits, unsigned char out[HMAC_BYTES]);

#define SHA1_BYTES 20

/* A hash in the making; to be begun, fed and ended. A plain value. */
struct sha1 {
	uint64_t state[16];
};

void sha1_begin(struct sha1 *sha1);
void sha1_add(struct sha1 *sha1, struct slice text);
void sha1_end(struct sha1 *sha1, unsigned char out[SHA1_BYTES]);

#endif
