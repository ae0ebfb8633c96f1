/*
 * What the fuzz targets share. A target is one file with LLVMFuzzerTestOneInput(), which takes any
 * bytes and ends the program when a promise is broken.
 *
 * `make fuzz` builds the targets for libFuzzer. Otherwise each is linked with replay.c, which
 * replays the inputs of a corpus with any compiler; `make check` does. For tests only.
 */
#ifndef KOTA_TESTS_FUZZ_H
#define KOTA_TESTS_FUZZ_H

#include "base/str.h"
#include "json/doc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the program with the sentence unless the promise holds. */
#define FUZZ_REQUIRE(holds, promise) fuzz_require((holds), (promise), __FILE__, __LINE__)
void fuzz_require(bool holds, const char *promise, const char *file, int line);

/* All of the input. */
static inline struct slice fuzz_slice(const uint8_t *data, size_t size)
{
	return slice_make((const char *)data, size);
}

/* Takes the first byte off the input; 0 when there is none. */
uint8_t fuzz_take_byte(struct slice *input);

/* Takes the first line off the input, without its newline; all of it when there is none. */
struct slice fuzz_take_line(struct slice *input);

/* A phrase or sentence for people must be valid UTF-8 in one line without control characters. */
void fuzz_check_words(const char *words);

/*
 * The positive control: true when the variable FUZZ_PLANT is set and the text holds "planted". The
 * target then breaks a promise, and the harness has to notice.
 */
bool fuzz_is_planted(struct slice text);

#endif
