#include "base/json_write.h"

#include "base/utf8.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* What utf8_next() makes of an invalid byte. */
#define REPLACEMENT 0xFFFDu

const struct json_layout json_compact = {.indent = NULL, .newline = "\n", .depth = 0};
const struct json_layout json_pretty = {.indent = "  ", .newline = "\n", .depth = 0};

void json_writer_init(struct json_writer *w, struct str *out, const struct json_layout *layout)
{
	memset(w, 0, sizeof *w);
	w->out = out;
	w->layout = *layout;
}

static void break_line(struct json_writer *w)
{
	if (!w->layout.indent)
		return;
	str_adds(w->out, w->layout.newline);
	for (uint32_t i = 0; i < w->layout.depth + w->depth; i++)
		str_adds(w->out, w->layout.indent);
}

/* Comma and line break before an element or member. */
static void separate(struct json_writer *w)
{
	if (w->filled[w->depth - 1])
		str_addc(w->out, ',');
	w->filled[w->depth - 1] = true;
	break_line(w);
}

/* What comes before any value. */
static void begin_value(struct json_writer *w)
{
	if (w->named) {
		w->named = false;
		return;
	}
	if (w->depth == 0)
		return;
	assert(w->closer[w->depth - 1] == ']');
	separate(w);
}

static void open_value(struct json_writer *w, char opener, char closer)
{
	begin_value(w);
	assert(w->depth < JSON_WRITER_DEPTH);
	w->closer[w->depth] = closer;
	w->filled[w->depth] = false;
	w->depth++;
	str_addc(w->out, opener);
}

void json_write_object(struct json_writer *w)
{
	open_value(w, '{', '}');
}

void json_write_array(struct json_writer *w)
{
	open_value(w, '[', ']');
}

void json_write_end(struct json_writer *w)
{
	assert(w->depth > 0 && !w->named);
	w->depth--;
	if (w->filled[w->depth])
		break_line(w);
	str_addc(w->out, w->closer[w->depth]);
}

static void begin_name(struct json_writer *w)
{
	assert(w->depth > 0 && w->closer[w->depth - 1] == '}' && !w->named);
	separate(w);
}

static void end_name(struct json_writer *w)
{
	str_adds(w->out, w->layout.indent ? ": " : ":");
	w->named = true;
}

static void add_escape(struct str *out, char c)
{
	static const char letters[] = "btn\0fr"; /* from 0x08 on; 0x0B has none */

	str_addc(out, '\\');
	if (c == '"' || c == '\\')
		str_addc(out, c);
	else if (c >= '\b' && c <= '\r' && letters[c - '\b'] != '\0')
		str_addc(out, letters[c - '\b']);
	else
		str_printf(out, "u%04x", (unsigned)c);
}

/* Most of any text is this, and goes out as it is. */
static bool is_plain_ascii(char c)
{
	return c >= 0x20 && (unsigned char)c < 0x80 && c != '"' && c != '\\';
}

static void add_quoted(struct str *out, struct slice text)
{
	size_t plain = 0; /* where the text that goes out unchanged begins */
	size_t at = 0;

	str_reserve(out, text.len + 2);
	str_addc(out, '"');
	while (at < text.len) {
		size_t start = at;
		uint32_t c;

		if (is_plain_ascii(text.ptr[at])) {
			at++;
			continue;
		}
		c = utf8_next(text, &at);

		if (c >= 0x20 && c != '"' && c != '\\' && c != REPLACEMENT)
			continue;
		str_add(out, slice_make(text.ptr + plain, start - plain));
		plain = at;
		if (c == REPLACEMENT)
			utf8_add(out, c);
		else
			add_escape(out, (char)c);
	}
	if (at > plain)
		str_add(out, slice_make(text.ptr + plain, at - plain));
	str_addc(out, '"');
}

void json_write_name(struct json_writer *w, struct slice name)
{
	begin_name(w);
	add_quoted(w->out, name);
	end_name(w);
}

void json_write_name_raw(struct json_writer *w, struct slice quoted)
{
	begin_name(w);
	str_add(w->out, quoted);
	end_name(w);
}

void json_write_string(struct json_writer *w, struct slice text)
{
	begin_value(w);
	add_quoted(w->out, text);
}

void json_write_raw(struct json_writer *w, struct slice text)
{
	begin_value(w);
	str_add(w->out, text);
}

void json_write_int(struct json_writer *w, int64_t number)
{
	char text[24];
	char *at = text + sizeof text;
	uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;

	do {
		*--at = (char)('0' + rest % 10);
		rest /= 10;
	} while (rest);
	if (number < 0)
		*--at = '-';
	json_write_raw(w, slice_make(at, (size_t)(text + sizeof text - at)));
}

/* 17 digits always read back as the same double; most need fewer. */
void json_write_double(struct json_writer *w, double number)
{
	char text[32];

	assert(isfinite(number));
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof text, "%.*g", digits, number);
		if (strtod(text, NULL) == number)
			break;
	}
	json_write_raw(w, slice_of(text));
}

/* So far below that a step of the number and one of 1e-6 are never taken for each other. */
#define SMALL 1e6

/*
 * The number in thousandths where that is plain to see: printf takes a long time to be exact, which
 * only matters in the middle between two of them.
 */
static bool in_thousandths(double number, int64_t *out)
{
	double scaled = number * 1000;
	double below;

	if (!(fabs(number) < SMALL))
		return false;
	below = floor(scaled);
	if (fabs(scaled - below - 0.5) < 1e-6)
		return false;
	*out = (int64_t)below + (scaled - below > 0.5);
	return true;
}

static void print_thousandths(char text[static 32], int64_t number)
{
	int64_t size = number < 0 ? -number : number;

	snprintf(text, 32, "%s%" PRId64 ".%03" PRId64, number < 0 ? "-" : "", size / 1000,
		 size % 1000);
}

void json_write_fixed(struct json_writer *w, double number, int decimals)
{
	char text[352]; /* 309 digits before the point, 17 behind */
	int64_t thousandths;
	size_t len;

	assert(isfinite(number) && decimals >= 0 && decimals <= 17);
	if (decimals == 3 && in_thousandths(number, &thousandths)) {
		if (thousandths % 1000 == 0) {
			json_write_int(w, thousandths / 1000);
			return;
		}
		print_thousandths(text, thousandths);
	} else {
		snprintf(text, sizeof text, "%.*f", decimals, number);
	}
	len = strlen(text);
	if (decimals > 0) {
		while (text[len - 1] == '0')
			len--;
		if (text[len - 1] == '.')
			len--;
	}
	text[len] = '\0';
	json_write_raw(w, slice_of(strcmp(text, "-0") == 0 ? "0" : text));
}

void json_write_bool(struct json_writer *w, bool value)
{
	json_write_raw(w, slice_of(value ? "true" : "false"));
}

void json_write_null(struct json_writer *w)
{
	json_write_raw(w, slice_of("null"));
}

void json_write_value(struct json_writer *w, const struct json *doc, uint32_t node)
{
	enum json_type type = json_type(doc, node);

	if (type != JSON_OBJECT && type != JSON_ARRAY) {
		json_write_raw(w, json_text(doc, node));
		return;
	}
	if (type == JSON_OBJECT)
		json_write_object(w);
	else
		json_write_array(w);
	for (uint32_t m = json_first(doc, node); m != JSON_NONE; m = json_next(doc, m)) {
		const struct json_node *n = &doc->nodes[m];

		if (type == JSON_OBJECT)
			json_write_name_raw(w, slice_make(doc->text.ptr + n->name_start,
							  n->name_end - n->name_start));
		json_write_value(w, doc, m);
	}
	json_write_end(w);
}

void json_write_member_string(struct json_writer *w, const char *name, struct slice text)
{
	json_write_name(w, slice_of(name));
	json_write_string(w, text);
}

void json_write_member_int(struct json_writer *w, const char *name, int64_t number)
{
	json_write_name(w, slice_of(name));
	json_write_int(w, number);
}

void json_write_member_bool(struct json_writer *w, const char *name, bool value)
{
	json_write_name(w, slice_of(name));
	json_write_bool(w, value);
}

void json_write_member_raw(struct json_writer *w, const char *name, struct slice text)
{
	json_write_name(w, slice_of(name));
	json_write_raw(w, text);
}
