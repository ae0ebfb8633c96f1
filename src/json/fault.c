#include "json/fault.h"

#include "base/utf8.h"

#include <stdio.h>

/* Most bytes of shown text: leaves room for the words around it. */
#define SHOWN_MAX 80

/* "\n", "\r\n" and "\r" all end a line; a byte order mark takes no column. */
static void set_place(struct json_fault *fault, struct slice text, size_t at)
{
	size_t i = 0;

	fault->line = 1;
	fault->column = 1;
	if (at >= 3 && memcmp(text.ptr, "\xEF\xBB\xBF", 3) == 0)
		i = 3;
	while (i < at) {
		bool crlf = text.ptr[i] == '\r' && i + 1 < text.len && text.ptr[i + 1] == '\n';
		uint32_t character = utf8_next(text, &i);

		if (character == '\n' || (character == '\r' && !crlf)) {
			fault->line++;
			fault->column = 1;
		} else {
			fault->column++;
		}
	}
}

static void set_what(struct json_fault *fault, struct slice what)
{
	size_t len = what.len;

	if (len >= sizeof fault->what)
		len = utf8_valid_prefix(slice_make(what.ptr, sizeof fault->what - 1));
	memcpy(fault->what, what.ptr, len);
	fault->what[len] = '\0';
}

void json_fault_set(struct json_fault *fault, struct slice text, size_t at, const char *what)
{
	set_place(fault, text, at);
	set_what(fault, slice_of(what));
}

void json_fault_number(struct json_fault *fault, struct slice text, size_t at, const char *before,
		       size_t number, const char *behind)
{
	set_place(fault, text, at);
	snprintf(fault->what, sizeof fault->what, "%s%zu%s", before, number, behind);
}

void json_fault_shown(struct json_fault *fault, struct slice text, size_t at, const char *before,
		      struct slice bytes, const char *behind)
{
	STR_AUTO what = STR_INIT;
	struct slice head = utf8_cut(bytes, SHOWN_MAX);
	size_t shown_len;

	str_adds(&what, before);
	utf8_add_visible(&what, head, false);
	shown_len = what.len - strlen(before);
	if (shown_len > SHOWN_MAX || head.len < bytes.len) {
		struct slice shown = {what.ptr + strlen(before), SHOWN_MAX - 3};

		str_truncate(&what, strlen(before) + utf8_valid_prefix(shown));
		str_adds(&what, "...");
	}
	str_adds(&what, behind);
	set_place(fault, text, at);
	set_what(fault, str_slice(&what));
}
