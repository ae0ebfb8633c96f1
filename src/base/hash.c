#include "base/hash.h"

/* One step: every bit of the word reaches every bit of the hash within two steps. */
static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x9fb21c651e98df25);
	return hash ^ (hash >> 32);
}

uint64_t hash64(struct slice text)
{
	uint64_t hash = mix(UINT64_C(0x2d358dccaa6c78a5), text.len);
	uint64_t word;
	size_t at = 0;

	for (; text.len - at >= sizeof word; at += sizeof word) {
		memcpy(&word, text.ptr + at, sizeof word);
		hash = mix(hash, word);
	}
	word = 0;
	if (at < text.len)
		memcpy(&word, text.ptr + at, text.len - at);
	return mix(mix(hash, word), text.len);
}

void hex_add(struct str *out, uint64_t value)
{
	static const char digits[] = "0123456789abcdef";
	char text[HEX_DIGITS];

	for (size_t i = HEX_DIGITS; i > 0; i--, value >>= 4)
		text[i - 1] = digits[value & 15];
	str_add(out, slice_make(text, HEX_DIGITS));
}

bool hex_read(struct slice word, uint64_t *out)
{
	uint64_t value = 0;

	if (!word.ptr || word.len < 1 || word.len > HEX_DIGITS)
		return false;
	for (size_t i = 0; i < word.len; i++) {
		char c = word.ptr[i];

		if (c >= '0' && c <= '9')
			value = value << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			value = value << 4 | (uint64_t)(c - 'a' + 10);
		else
			return false;
	}
	*out = value;
	return true;
}
