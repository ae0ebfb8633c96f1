/*
 * A growing string.
 *
 *	struct str s = STR_INIT;
 *	str_add(&s, slice_of("a"));
 *	str_printf(&s, "%d", 1);
 *	use(s.ptr, s.len);
 *	str_release(&s);
 *
 * ptr is always terminated and never NULL; the text may hold NUL bytes, len counts. The owner of
 * the struct owns the bytes. Running out of memory ends the program (base/mem.h), so that nothing
 * here can fail.
 */
#ifndef KOTA_BASE_STR_H
#define KOTA_BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/*
 * A piece of text that somebody else owns: a pointer and a length in bytes.
 *
 * Anyone may use it. A slice never owns its bytes, is not terminated, and is valid as long as
 * what it points into; each function that returns one says what that is. ptr NULL means "not
 * there", which is not the same as empty.
 */
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

/*
 * True if both have the same bytes. Two absent slices are equal, an absent and an empty one are
 * not.
 */
static inline bool slice_equal(struct slice a, struct slice b)
{
	if (!a.ptr || !b.ptr)
		return a.ptr == b.ptr;
	return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

/* True if the bytes are those of the terminated string. */
static inline bool slice_is(struct slice a, const char *text)
{
	/* Most texts differ in their first byte: then the string need not be measured. */
	return (a.len == 0 || a.ptr[0] == text[0]) && slice_equal(a, slice_of(text));
}

/* True if the bytes are those of the terminated string, in either case of the letters A to Z. */
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

/* Which string of a list, ended by NULL, has these bytes: its index, or -1. */
static inline int slice_index(struct slice text, const char *const *list)
{
	for (int i = 0; list[i]; i++) {
		if (slice_is(text, list[i]))
			return i;
	}
	return -1;
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

/* True if the text begins with these bytes. */
static inline bool slice_starts(struct slice text, const char *start)
{
	size_t len = strlen(start);

	return text.len >= len && memcmp(text.ptr, start, len) == 0;
}

/* True if the text ends with these bytes. */
static inline bool slice_ends(struct slice text, const char *end)
{
	size_t len = strlen(end);

	return text.len >= len && memcmp(text.ptr + text.len - len, end, len) == 0;
}

/* Takes the first line off a text; *line is without its "\n". False when nothing is left. */
bool slice_line(struct slice *rest, struct slice *line);

/* The last line that is not blank, without blanks at its end. Empty if there is none. */
struct slice slice_last_line(struct slice text);

struct str {
	char *ptr;
	size_t len;
	size_t cap;
};

extern const char str_empty[1];

#define STR_INIT                                                                                   \
	{                                                                                          \
		(char *)str_empty, 0, 0                                                            \
	}

/* Makes s empty without looking at what it held. */
void str_init(struct str *s);

/* Frees the bytes and leaves an empty, usable string. */
void str_release(struct str *s);

/* Releases at the end of the scope: `STR_AUTO s = STR_INIT;` */
#define STR_AUTO __attribute__((cleanup(str_release))) struct str

/* Empties s and keeps its memory. */
void str_clear(struct str *s);

/* Makes room for at least `more` further bytes and the terminator. */
void str_reserve(struct str *s, size_t more);

/* Appends; the slice must not point into s. */
void str_add(struct str *s, struct slice text);

/* Appends a terminated string. */
void str_adds(struct str *s, const char *text);

/* Appends one byte. */
static inline void str_addc(struct str *s, char byte)
{
	if (s->cap - s->len < 2)
		str_reserve(s, 1);
	s->ptr[s->len++] = byte;
	s->ptr[s->len] = '\0';
}

/* Appends as printf does. */
void str_printf(struct str *s, const char *format, ...)
	__attribute__((format(printf, 2, 3), nonnull(2)));

/* The same of arguments that are at hand already. */
void str_vprintf(struct str *s, const char *format, va_list args)
	__attribute__((format(printf, 2, 0), nonnull(2)));

/* Appends the text as one word of a shell's command line, in quotes where it needs them. */
void str_add_shell_word(struct str *s, struct slice text);

/* Cuts s to its first len bytes; len must not be larger than s->len. */
void str_truncate(struct str *s, size_t len);

/* Hands the terminated bytes to the caller, who frees them; s is empty afterwards. */
char *str_detach(struct str *s);

/* All of s; valid until s changes. */
static inline struct slice str_slice(const struct str *s)
{
	return slice_make(s->ptr, s->len);
}

#endif
