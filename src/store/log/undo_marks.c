#include "store/log/undo_marks.h"

#include <string.h>

static const char opening[] = "{\"void\":";

#define OPENING_LEN (sizeof opening - 1)

bool undo_mark_is(struct slice line)
{
	return line.len > OPENING_LEN + 1 && memcmp(line.ptr, opening, OPENING_LEN) == 0 &&
	       line.ptr[line.len - 1] == '}';
}

struct slice undo_mark_line(struct slice mark)
{
	return slice_make(mark.ptr + OPENING_LEN, mark.len - OPENING_LEN - 1);
}

void undo_mark_opposite(struct str *out, struct slice line)
{
	if (undo_mark_is(line)) {
		str_add(out, undo_mark_line(line));
		return;
	}
	str_adds(out, opening);
	str_add(out, line);
	str_addc(out, '}');
}

int undo_mark_last(struct slice text, struct slice line)
{
	STR_AUTO opposite = STR_INIT;
	struct slice next;
	int last = 0;

	undo_mark_opposite(&opposite, line);
	while (slice_line(&text, &next)) {
		if (slice_equal(next, line))
			last = 1;
		else if (slice_equal(next, str_slice(&opposite)))
			last = -1;
	}
	return last;
}

bool undo_mark_any(struct slice text)
{
	return text.len > 0 && memmem(text.ptr, text.len, opening, OPENING_LEN) != NULL;
}
