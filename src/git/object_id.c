#include "git/object_id.h"

void object_id_text(const struct object_id *id, char out[OBJECT_ID_DIGITS + 1])
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < OBJECT_ID_BYTES; i++) {
		out[2 * i] = digits[id->bytes[i] >> 4];
		out[2 * i + 1] = digits[id->bytes[i] & 15];
	}
	out[OBJECT_ID_DIGITS] = '\0';
}

static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool object_id_parse(struct slice text, struct object_id *out)
{
	struct object_id id;

	if (text.len != OBJECT_ID_DIGITS)
		return false;
	for (size_t i = 0; i < OBJECT_ID_BYTES; i++) {
		int high = digit_value(text.ptr[2 * i]);
		int low = digit_value(text.ptr[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		id.bytes[i] = (unsigned char)(high << 4 | low);
	}
	*out = id;
	return true;
}
