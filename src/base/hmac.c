#include "base/hmac.h"

#include <assert.h>
#include <sha1.h>
#include <sha2.h>

#define INNER 0x36
#define OUTER 0x5c

/* The hash of one block, the key with a mask over it, and a text. */
static void hmac_hash_masked(const unsigned char key[SHA256_BLOCK_LENGTH], unsigned char mask,
			     struct slice text, unsigned char out[HMAC_BYTES])
{
	unsigned char block[SHA256_BLOCK_LENGTH];
	SHA2_CTX sha;

	for (size_t i = 0; i < sizeof block; i++)
		block[i] = key[i] ^ mask;
	SHA256Init(&sha);
	SHA256Update(&sha, block, sizeof block);
	SHA256Update(&sha, (const unsigned char *)text.ptr, text.len);
	SHA256Final(out, &sha);
}

void hmac_sha256(struct slice key, struct slice text, unsigned char out[HMAC_BYTES])
{
	unsigned char padded[SHA256_BLOCK_LENGTH] = {0};
	unsigned char inner[HMAC_BYTES];

	if (key.len > sizeof padded) {
		SHA2_CTX sha;

		SHA256Init(&sha);
		SHA256Update(&sha, (const unsigned char *)key.ptr, key.len);
		SHA256Final(padded, &sha);
	} else if (key.len > 0) {
		memcpy(padded, key.ptr, key.len);
	}
	hmac_hash_masked(padded, INNER, text, inner);
	hmac_hash_masked(padded, OUTER, slice_make((const char *)inner, sizeof inner), out);
	explicit_bzero(padded, sizeof padded);
}

bool hmac_equal(const unsigned char a[HMAC_BYTES], const unsigned char b[HMAC_BYTES])
{
	/* Read one by one: a compiler may not stop at the first difference. */
	const volatile unsigned char *left = a;
	const volatile unsigned char *right = b;
	unsigned char differs = 0;

	for (size_t i = 0; i < HMAC_BYTES; i++)
		differs |= left[i] ^ right[i];
	return differs == 0;
}

void hmac_print(struct str *out, const unsigned char tag[HMAC_BYTES])
{
	for (size_t i = 0; i < HMAC_BYTES; i++)
		str_printf(out, "%02x", tag[i]);
}

static int hmac_digit_value(char digit)
{
	if (digit >= '0' && digit <= '9')
		return digit - '0';
	return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

bool hmac_parse(struct slice digits, unsigned char out[HMAC_BYTES])
{
	unsigned char tag[HMAC_BYTES];

	if (digits.len != 2 * (size_t)HMAC_BYTES)
		return false;
	for (size_t i = 0; i < HMAC_BYTES; i++) {
		int high = hmac_digit_value(digits.ptr[2 * i]);
		int low = hmac_digit_value(digits.ptr[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		tag[i] = (unsigned char)(high << 4 | low);
	}
	memcpy(out, tag, sizeof tag);
	return true;
}

/* The library's own context is behind the number of words that the header gives it. */
static_assert(sizeof(SHA1_CTX) <= sizeof(struct sha1), "a SHA-1 context fits");

void sha1_begin(struct sha1 *sha1)
{
	SHA1Init((SHA1_CTX *)(void *)sha1->state);
}

void sha1_add(struct sha1 *sha1, struct slice text)
{
	SHA1Update((SHA1_CTX *)(void *)sha1->state, (const unsigned char *)text.ptr, text.len);
}

void sha1_end(struct sha1 *sha1, unsigned char out[SHA1_BYTES])
{
	SHA1Final(out, (SHA1_CTX *)(void *)sha1->state);
}
