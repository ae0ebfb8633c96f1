#include "base/hmac.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

/* Of RFC 4231: key and data as bytes, where a number stands for so many times the byte. */
struct vector {
	const char *key;
	size_t key_len;
	const char *data;
	size_t data_len;
	const char *tag;
};

#define TEXT(text) text, sizeof(text) - 1
#define FILLED NULL

#define LARGER_THAN_BLOCK                                                                          \
	"This is a test using a larger than block-size key and a larger than block-size data. "    \
	"The key needs to be hashed before being used by the HMAC algorithm."

static const struct vector vectors[] = {
	{FILLED, 0x0b14, TEXT("Hi There"),
	 "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
	{TEXT("Jefe"), TEXT("what do ya want for nothing?"),
	 "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
	{FILLED, 0xaa14, FILLED, 0xdd32,
	 "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"},
	{TEXT("\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10\x11\x12\x13\x14"
	      "\x15\x16\x17\x18\x19"),
	 FILLED, 0xcd32, "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"},
	{FILLED, 0xaa83, TEXT("Test Using Larger Than Block-Size Key - Hash Key First"),
	 "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
	{FILLED, 0xaa83, TEXT(LARGER_THAN_BLOCK),
	 "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"},
};

/* FILLED: the byte in the high half of the number, as often as the low half says. */
static struct slice fill(const char *text, size_t len, char room[256])
{
	if (text)
		return slice_make(text, len);
	memset(room, (int)(len >> 8), len & 0xff);
	return slice_make(room, len & 0xff);
}

static void test_vectors(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
		const struct vector *v = &vectors[i];
		char key[256];
		char data[256];
		unsigned char tag[HMAC_BYTES];
		STR_AUTO hex = STR_INIT;

		hmac_sha256(fill(v->key, v->key_len, key), fill(v->data, v->data_len, data), tag);
		hmac_print(&hex, tag);
		assert_string_equal(hex.ptr, v->tag);
	}
}

/* A key of a whole block is not hashed first; one byte more is. */
static void test_keys_about_a_block(void **unused)
{
	static const char *const tags[] = {
		"76c512a12873984e039c8f9c4d45bfeb3ab0e325a17246bf19bc2fd98c6c8613",
		"5cb339c17fe343fb30562ad4d98ea86ddc331f8a3de34bf0b40b222f5f14b6b0",
		"975643b93d738aaa11c25fdc971d4c06e7a3e2246458212c979a16108b461e83",
	};
	char key[65];

	(void)unused;
	memset(key, 'k', sizeof key);
	for (size_t i = 0; i < 3; i++) {
		unsigned char tag[HMAC_BYTES];
		STR_AUTO hex = STR_INIT;

		hmac_sha256(slice_make(key, 63 + i), slice_of("t"), tag);
		hmac_print(&hex, tag);
		assert_string_equal(hex.ptr, tags[i]);
	}
}

static void test_empty(void **unused)
{
	unsigned char tag[HMAC_BYTES];
	STR_AUTO hex = STR_INIT;

	(void)unused;
	hmac_sha256(slice_make(NULL, 0), slice_make(NULL, 0), tag);
	hmac_print(&hex, tag);
	assert_string_equal(hex.ptr,
			    "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
}

static void test_equal(void **unused)
{
	unsigned char a[HMAC_BYTES];
	unsigned char b[HMAC_BYTES];

	(void)unused;
	hmac_sha256(slice_of("k"), slice_of("t"), a);
	memcpy(b, a, sizeof b);
	assert_true(hmac_equal(a, b));
	for (size_t bit = 0; bit < 8 * sizeof b; bit++) {
		b[bit / 8] ^= (unsigned char)(1U << bit % 8);
		assert_false(hmac_equal(a, b));
		b[bit / 8] ^= (unsigned char)(1U << bit % 8);
	}
}

static void test_parse(void **unused)
{
	unsigned char tag[HMAC_BYTES];
	unsigned char again[HMAC_BYTES] = {0};
	STR_AUTO hex = STR_INIT;

	(void)unused;
	hmac_sha256(slice_of("k"), slice_of("t"), tag);
	hmac_print(&hex, tag);
	assert_int_equal(hex.len, 64);
	assert_true(hmac_parse(str_slice(&hex), again));
	assert_memory_equal(tag, again, sizeof tag);
	assert_false(hmac_parse(slice_make(hex.ptr, 63), again));
	assert_false(hmac_parse(slice_make(NULL, 0), again));
	for (size_t i = 0; i < hex.len; i++) {
		char kept = hex.ptr[i];

		hex.ptr[i] = "Gg/:`@ -"[i % 8];
		assert_false(hmac_parse(str_slice(&hex), again));
		hex.ptr[i] = kept;
	}
	str_adds(&hex, "0");
	assert_false(hmac_parse(str_slice(&hex), again));
	assert_memory_equal(tag, again, sizeof tag);
}

/* Of FIPS 180-4: a hash that is fed in parts. */
static void test_sha1(void **state)
{
	static const unsigned char expected[SHA1_BYTES] = {0xa9, 0x99, 0x3e, 0x36, 0x47, 0x06, 0x81,
							   0x6a, 0xba, 0x3e, 0x25, 0x71, 0x78, 0x50,
							   0xc2, 0x6c, 0x9c, 0xd0, 0xd8, 0x9d};
	unsigned char hash[SHA1_BYTES];
	struct sha1 sha1;

	(void)state;
	sha1_begin(&sha1);
	sha1_add(&sha1, slice_of("a"));
	sha1_add(&sha1, slice_of("bc"));
	sha1_end(&sha1, hash);
	assert_memory_equal(hash, expected, sizeof hash);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vectors), cmocka_unit_test(test_keys_about_a_block),
		cmocka_unit_test(test_empty),   cmocka_unit_test(test_equal),
		cmocka_unit_test(test_parse),   cmocka_unit_test(test_sha1),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
