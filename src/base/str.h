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

#include "base/slice.h"

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
