#include "fuzz/fuzz.h"

#include "base/utf8.h"

#include <stdio.h>
#include <stdlib.h>

void fuzz_require(bool holds, const char *promise, const char *file, int line)
{
	if (holds)
		return;
	fprintf(stderr, "%s:%d: broken: %s\n", file, line, promise);
	abort();
}

uint8_t fuzz_take_byte(struct slice *input)
{
	uint8_t byte;

	if (input->len == 0)
		return 0;
	byte = (uint8_t)input->ptr[0];
	input->ptr++;
	input->len--;
	return byte;
}

struct slice fuzz_take_line(struct slice *input)
{
	const char *end = input->len ? memchr(input->ptr, '\n', input->len) : NULL;
	struct slice line = *input;

	if (!end) {
		input->ptr += input->len;
		input->len = 0;
		return line;
	}
	line.len = (size_t)(end - input->ptr);
	input->len -= line.len + 1;
	input->ptr = end + 1;
	return line;
}

void fuzz_check_words(const char *words)
{
	struct slice text = slice_of(words);

	FUZZ_REQUIRE(text.len > 0, "a failure says what is wrong");
	FUZZ_REQUIRE(utf8_valid_prefix(text) == text.len, "what is said is valid UTF-8");
	for (size_t i = 0; i < text.len; i++)
		FUZZ_REQUIRE((unsigned char)text.ptr[i] >= 0x20 && text.ptr[i] != 0x7F,
			     "no control character reaches a person");
}

bool fuzz_is_planted(struct slice text)
{
	return getenv("FUZZ_PLANT") && text.len >= 7 && memmem(text.ptr, text.len, "planted", 7);
}
