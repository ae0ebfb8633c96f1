#include "cli/report/html.h"

#include "base/utf8.h"
#include "secrets/secret_scan.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/* More than any text of the program has. */
#define TEXT_MAX 1024

static void html_add_escaped(struct str *out, struct slice text)
{
	for (size_t i = 0; i < text.len; i++) {
		switch (text.ptr[i]) {
		case '&':
			str_adds(out, "&amp;");
			break;
		case '<':
			str_adds(out, "&lt;");
			break;
		case '>':
			str_adds(out, "&gt;");
			break;
		case '"':
			str_adds(out, "&quot;");
			break;
		case '\'':
			str_adds(out, "&#39;");
			break;
		default:
			str_addc(out, text.ptr[i]);
		}
	}
}

/* What comes now is inside the element, no attribute of it. */
static void html_end_tag(struct html *h)
{
	if (h->in_tag)
		str_addc(h->out, '>');
	h->in_tag = false;
}

/* ---- elements */

static bool html_is_among(const char *const *names, struct slice name)
{
	for (; *names; names++) {
		if (slice_is(name, *names))
			return true;
	}
	return false;
}

void html_open(struct html *h, const char *element)
{
	size_t len = strcspn(element, ". ");
	struct slice name = slice_make(element, len);

	assert(h->depth < HTML_DEPTH);
	html_end_tag(h);
	str_addc(h->out, '<');
	str_add(h->out, name);
	h->open[h->depth++] = name;
	h->in_tag = true;
	if (!h->drawing && slice_is(name, "svg"))
		h->drawing = h->depth;
	element += len;
	for (size_t i = 0; *element == '.'; i++) {
		len = strcspn(element + 1, ". ");
		str_adds(h->out, i > 0 ? " " : " class=\"");
		str_add(h->out, slice_make(element + 1, len));
		element += len + 1;
		if (*element != '.')
			str_addc(h->out, '"');
	}
	while (*element == ' ') {
		const char *value = strchr(element, '=') + 1;
		bool quoted = *value == '\'';

		str_add(h->out, slice_make(element, (size_t)(value - element)));
		value += quoted;
		len = strcspn(value, quoted ? "'" : " ");
		str_addc(h->out, '"');
		html_add_escaped(h->out, slice_make(value, len));
		str_addc(h->out, '"');
		element = value + len + quoted;
	}
}

void html_close(struct html *h)
{
	/* Elements that end with their start tag. */
	static const char *const voids[] = {"meta", "link", "br", "hr", NULL};
	/* Elements that end a line of the source, so that two pages can be compared by lines. */
	static const char *const blocks[] = {"tr",  "table", "section", "p",    "h1",  "h2",
					     "h3",  "head",  "meta",    "li",   "ul",  "svg",
					     "div", "title", "header",  "main", "nav", NULL};

	assert(h->depth > 0);
	struct slice name = h->open[--h->depth];
	if (h->in_tag && html_is_among(voids, name)) {
		str_addc(h->out, '>');
	} else if (h->in_tag && h->drawing) {
		str_adds(h->out, "/>");
	} else {
		html_end_tag(h);
		str_printf(h->out, "</%.*s>", (int)name.len, name.ptr);
	}
	h->in_tag = false;
	if (h->drawing > h->depth)
		h->drawing = 0;
	if (!h->drawing && html_is_among(blocks, name))
		str_addc(h->out, '\n');
}

void html_close_each(struct html *h, int count)
{
	for (; count > 0; count--)
		html_close(h);
}

void html_leaf(struct html *h, const char *element, const char *text)
{
	html_open(h, element);
	html_text(h, text);
	html_close(h);
}

void html_style(struct html *h, const char *css)
{
	assert(!strstr(css, "</"));
	html_open(h, "style");
	html_end_tag(h);
	str_adds(h->out, css);
	html_close(h);
}

/* ---- attributes */

void html_attr(struct html *h, const char *name, const char *value)
{
	assert(h->in_tag);
	str_printf(h->out, " %s", name);
	if (!value)
		return;
	str_adds(h->out, "=\"");
	html_add_escaped(h->out, slice_of(value));
	str_addc(h->out, '"');
}

void html_attr_printf(struct html *h, const char *name, const char *format, ...)
{
	char value[TEXT_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(value, sizeof value, format, args);
	va_end(args);
	html_attr(h, name, value);
}

void html_attr_int(struct html *h, const char *name, int64_t number)
{
	html_attr_printf(h, name, "%" PRId64, number);
}

/* "12.5", "3", "0": two decimals at most. */
static void html_format_number(char *out, size_t size, double number)
{
	snprintf(out, size, "%.2f", number);
	size_t len = strlen(out);
	while (len > 0 && out[len - 1] == '0')
		out[--len] = '\0';
	if (len > 0 && out[len - 1] == '.')
		out[--len] = '\0';
	if (strcmp(out, "-0") == 0)
		snprintf(out, size, "0");
}

void html_attr_number(struct html *h, const char *name, double number)
{
	char text[64];

	html_format_number(text, sizeof text, number);
	html_attr(h, name, text);
}

void html_attr_percent(struct html *h, const char *name, double share)
{
	char text[64];

	html_format_number(text, sizeof text, share * 100);
	html_attr_printf(h, name, "%s%%", text);
}

/* ---- text */

void html_text(struct html *h, const char *text)
{
	html_end_tag(h);
	html_add_escaped(h->out, slice_of(text));
}

void html_printf(struct html *h, const char *format, ...)
{
	char text[TEXT_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	html_text(h, text);
}

void html_count(struct html *h, int64_t number)
{
	char digits[32];

	html_end_tag(h);
	snprintf(digits, sizeof digits, "%" PRId64, number);
	size_t len = strlen(digits);
	for (size_t i = 0; i < len; i++) {
		if (i > 0 && (len - i) % 3 == 0 && digits[i - 1] != '-')
			str_addc(h->out, ',');
		str_addc(h->out, digits[i]);
	}
}

void html_secret(struct html *h, const char *rule)
{
	if (!h->drawing)
		html_open(h, "span.secret");
	html_printf(h, "hidden: %s", rule);
	if (!h->drawing)
		html_close(h);
}

/* One blank for each run of blanks and line breaks. */
static void html_add_in_one_line(struct str *out, struct slice text)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (c != ' ' && c != '\t' && c != '\n' && c != '\r')
			str_addc(out, c);
		else if (out->len == 0 || out->ptr[out->len - 1] != ' ')
			str_addc(out, ' ');
	}
}

void html_stored(struct html *h, struct slice text, size_t characters)
{
	STR_AUTO line = STR_INIT;
	STR_AUTO shown = STR_INIT;
	struct secret secret;

	if (secrets_find(text, &secret)) {
		html_secret(h, secret.rule);
		return;
	}
	html_add_in_one_line(&line, text);
	struct slice cut = characters ? utf8_cut(str_slice(&line), characters) : str_slice(&line);
	utf8_add_visible(&shown, cut, false);
	if (!h->drawing)
		html_open(h, "bdi");
	html_end_tag(h);
	html_add_escaped(h->out, str_slice(&shown));
	if (cut.len < line.len)
		str_adds(h->out, "\xe2\x80\xa6");
	if (!h->drawing)
		html_close(h);
}
