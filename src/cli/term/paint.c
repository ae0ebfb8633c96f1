#include "cli/term/paint.h"

#include "base/utf8.h"

static const struct paint none = {"", "", "", ""};
static const struct paint colour = {"\x1b[1m", "\x1b[2m", "\x1b[33m", "\x1b[0m"};

struct paint paint_for(const struct cli *cli)
{
	const char *no_color = cli->env("NO_COLOR");
	const char *force = cli->env("CLICOLOR_FORCE");
	const char *term = cli->env("TERM");

	if (no_color && no_color[0])
		return none;
	if (force && force[0] && strcmp(force, "0") != 0)
		return colour;
	return cli->out_is_terminal && term && term[0] && strcmp(term, "dumb") != 0 ? colour : none;
}

bool paint_draws(const struct cli *cli)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *value = cli->env(names[i]);

		if (value && value[0])
			return strcasestr(value, "UTF-8") || strcasestr(value, "UTF8");
	}
	return true;
}

/* How many bytes at the beginning only change the colour. */
static size_t paint_colour_length(struct slice text)
{
	size_t len = 2;

	if (text.len < 3 || text.ptr[0] != '\x1b' || text.ptr[1] != '[')
		return 0;
	while (len < text.len && strchr("0123456789;", text.ptr[len]) && text.ptr[len])
		len++;
	return len < text.len && text.ptr[len] == 'm' ? len + 1 : 0;
}

/* What of a line fits; *whole when all of it does. */
static void paint_add_part(struct str *out, struct slice line, size_t columns, bool *whole)
{
	size_t used = 0;

	*whole = true;
	for (size_t at = 0; at < line.len;) {
		size_t from = at;
		size_t colour_len = paint_colour_length(slice_make(line.ptr + at, line.len - at));

		if (colour_len > 0) {
			at += colour_len;
		} else {
			utf8_next(line, &at);
			used += utf8_columns(slice_make(line.ptr + from, at - from));
			*whole = *whole && used <= columns;
		}
		if (*whole || colour_len > 0)
			str_add(out, slice_make(line.ptr + from, at - from));
	}
}

static void paint_add_line(struct str *out, struct slice line, size_t columns)
{
	size_t before = out->len;
	bool whole;

	paint_add_part(out, line, columns, &whole);
	if (whole)
		return;
	str_truncate(out, before);
	paint_add_part(out, line, columns - 1, &whole);
	str_adds(out, "\xe2\x80\xa6");
}

void paint_add_fitted(struct str *out, struct slice lines, int columns)
{
	while (lines.len > 0) {
		const char *end = memchr(lines.ptr, '\n', lines.len);
		size_t len = end ? (size_t)(end - lines.ptr) : lines.len;

		paint_add_line(out, slice_make(lines.ptr, len), columns > 0 ? (size_t)columns : 1);
		str_adds(out, end ? "\n" : "");
		len += end ? 1 : 0;
		lines = slice_make(lines.ptr + len, lines.len - len);
	}
}

void paint_add_json(struct str *out, const struct cli *cli, struct slice json)
{
	if (cli->out_is_terminal)
		utf8_add_visible_json(out, json);
	else
		str_add(out, json);
}

void paint_add(struct str *out, const struct paint *paint, const char *before, struct slice text)
{
	str_adds(out, before);
	utf8_add_visible(out, text, false);
	if (before[0])
		str_adds(out, paint->plain);
}
