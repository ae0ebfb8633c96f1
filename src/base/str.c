#include "base/str.h"

#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Shared by all empty strings and never written to: cap 0 says that the bytes are not owned. */
const char str_empty[1];

bool slice_line(struct slice *rest, struct slice *line)
{
	if (rest->len == 0)
		return false;
	const char *end = memchr(rest->ptr, '\n', rest->len);
	*line = slice_make(rest->ptr, end ? (size_t)(end - rest->ptr) : rest->len);
	size_t taken = line->len + (end != NULL);
	*rest = slice_make(rest->ptr + taken, rest->len - taken);
	return true;
}

struct slice slice_last_line(struct slice text)
{
	size_t end = text.len;

	while (end > 0 && strchr("\r\n \t", text.ptr[end - 1]))
		end--;
	size_t from = end;
	while (from > 0 && text.ptr[from - 1] != '\n')
		from--;
	return slice_make(text.ptr + from, end - from);
}

void str_init(struct str *s)
{
	s->ptr = (char *)str_empty;
	s->len = 0;
	s->cap = 0;
}

void str_release(struct str *s)
{
	if (s->cap)
		free(s->ptr);
	str_init(s);
}

void str_clear(struct str *s)
{
	s->len = 0;
	if (s->cap)
		s->ptr[0] = '\0';
}

void str_reserve(struct str *s, size_t more)
{
	size_t need = mem_sum(s->len + 1, more);

	if (need <= s->cap)
		return;
	s->ptr = mem_grow(s->cap ? s->ptr : NULL, &s->cap, need, 1);
	s->ptr[s->len] = '\0';
}

void str_add(struct str *s, struct slice text)
{
	if (!text.len)
		return;
	str_reserve(s, text.len);
	memcpy(s->ptr + s->len, text.ptr, text.len);
	s->len += text.len;
	s->ptr[s->len] = '\0';
}

void str_adds(struct str *s, const char *text)
{
	str_add(s, slice_of(text));
}

void str_vprintf(struct str *s, const char *format, va_list args)
{
	size_t room = s->cap ? s->cap - s->len : 0;
	va_list again;
	int len;

	va_copy(again, args);
	len = vsnprintf(room ? s->ptr + s->len : NULL, room, format, args);
	if (len > 0 && (size_t)len >= room) {
		str_reserve(s, (size_t)len);
		vsnprintf(s->ptr + s->len, (size_t)len + 1, format, again);
	}
	if (len > 0)
		s->len += (size_t)len;
	va_end(again);
}

void str_printf(struct str *s, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	str_vprintf(s, format, args);
	va_end(args);
}

void str_truncate(struct str *s, size_t len)
{
	if (len >= s->len)
		return;
	s->len = len;
	s->ptr[len] = '\0';
}

char *str_detach(struct str *s)
{
	char *bytes = s->cap ? s->ptr : mem_strndup("", 0);

	str_init(s);
	return bytes;
}

void str_add_shell_word(struct str *s, struct slice text)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789/._+-:";
	bool quoted = text.len == 0;

	for (size_t i = 0; i < text.len; i++)
		quoted |= !memchr(plain, text.ptr[i], sizeof plain - 1);
	if (!quoted) {
		str_add(s, text);
		return;
	}
	str_addc(s, '\'');
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == '\'')
			str_adds(s, "'\\''");
		else
			str_addc(s, text.ptr[i]);
	}
	str_addc(s, '\'');
}
