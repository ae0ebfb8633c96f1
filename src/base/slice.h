/*
 * A piece of text that somebody else owns: a pointer and a length in bytes.
 *
 * Anyone may use it. A slice never owns its bytes, is not terminated, and is valid as long as
 * what it points into; each function that returns one says what that is. ptr NULL means "not
 * there", which is not the same as empty.
 */
#ifndef KOTA_BASE_SLICE_H
#define KOTA_BASE_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct slice {
	const char *ptr;
	size_t len;
};

/* Slice of a terminated string; "not there" for NULL. */
static inline struct slice slice_of(const char *text)
{
	struct slice s = {text, text ? strlen(text) : 0};
	return s;
}

/* Slice of len bytes at ptr. */
static inline struct slice slice_make(const char *ptr, size_t len)
{
	struct slice s = {ptr, len};
	return s;
}

/* Same bytes? Two absent slices are equal, an absent and an empty one are not. */
static inline bool slice_equal(struct slice a, struct slice b)
{
	if (!a.ptr || !b.ptr)
		return a.ptr == b.ptr;
	return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

/* Same bytes as the terminated string? */
static inline bool slice_is(struct slice a, const char *text)
{
	return slice_equal(a, slice_of(text));
}

/* Same bytes as the terminated string, but for the case of the letters A to Z? */
static inline bool slice_is_word(struct slice a, const char *word)
{
	size_t i = 0;

	for (; i < a.len && word[i]; i++) {
		bool upper = a.ptr[i] >= 'A' && a.ptr[i] <= 'Z';
		bool upper_word = word[i] >= 'A' && word[i] <= 'Z';

		if ((a.ptr[i] | (upper ? 0x20 : 0)) != (word[i] | (upper_word ? 0x20 : 0)))
			return false;
	}
	return a.ptr && i == a.len && !word[i];
}

/* Order of bytes, shorter first where one begins the other; <0, 0, >0 as memcmp. */
static inline int slice_compare(struct slice a, struct slice b)
{
	size_t shorter = a.len < b.len ? a.len : b.len;
	int order = shorter ? memcmp(a.ptr, b.ptr, shorter) : 0;

	if (order != 0)
		return order;
	return a.len < b.len ? -1 : a.len > b.len;
}

/* The same for qsort() of an array of slices. */
static inline int slice_compare_elements(const void *a, const void *b)
{
	return slice_compare(*(const struct slice *)a, *(const struct slice *)b);
}

#endif
