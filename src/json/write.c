#include "json/write.h"

#include "base/utf8.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const struct json_layout json_compact = {.indent = NULL, .newline = "\n", .depth = 0};
const struct json_layout json_pretty = {.indent = "  ", .newline = "\n", .depth = 0};

struct json_writer json_writer_to(struct str *out, const struct json_layout *layout)
{
	return (struct json_writer){.out = out, .layout = *layout};
}

static void write_break_line(struct json_writer *w)
{
	if (!w->layout.indent)
		return;
	str_adds(w->out, w->layout.newline);
	str_add(w->out, w->layout.prefix);
	for (uint32_t i = 0; i < w->layout.depth + w->depth; i++)
		str_adds(w->out, w->layout.indent);
}

/* Comma and line break before an element or member. */
static void write_separate(struct json_writer *w)
{
	if (w->filled[w->depth - 1])
		str_add(w->out, w->layout.comma.ptr ? w->layout.comma : slice_of(","));
	else if (w->closer[w->depth - 1] == '}')
		str_add(w->out, w->layout.pad);
	w->filled[w->depth - 1] = true;
	write_break_line(w);
}

/* What comes before any value. */
static void write_begin_value(struct json_writer *w)
{
	if (w->named) {
		w->named = false;
		return;
	}
	if (w->depth == 0)
		return;
	assert(w->closer[w->depth - 1] == ']');
	write_separate(w);
}

static void write_open_value(struct json_writer *w, char opener, char closer)
{
	write_begin_value(w);
	assert(w->depth < JSON_WRITER_DEPTH);
	w->closer[w->depth] = closer;
	w->filled[w->depth] = false;
	w->depth++;
	str_addc(w->out, opener);
}

void json_write_object(struct json_writer *w)
{
	write_open_value(w, '{', '}');
}

void json_write_array(struct json_writer *w)
{
	write_open_value(w, '[', ']');
}

void json_write_end(struct json_writer *w)
{
	assert(w->depth > 0 && !w->named);
	w->depth--;
	if (w->filled[w->depth]) {
		if (w->closer[w->depth] == '}')
			str_add(w->out, w->layout.pad);
		write_break_line(w);
	}
	str_addc(w->out, w->closer[w->depth]);
}

static void write_begin_name(struct json_writer *w)
{
	assert(w->depth > 0 && w->closer[w->depth - 1] == '}' && !w->named);
	write_separate(w);
}

static void write_end_name(struct json_writer *w)
{
	if (w->layout.colon.ptr)
		str_add(w->out, w->layout.colon);
	else
		str_adds(w->out, w->layout.indent ? ": " : ":");
	w->named = true;
}

#define EVERY_BYTE UINT64_C(0x0101010101010101)
#define TOP_BITS (0x80 * EVERY_BYTE)

/* True if one of the eight bytes has this value. Bytes above a match may be reported falsely. */
static uint64_t write_is_byte(uint64_t eight, unsigned char value)
{
	uint64_t rest = eight ^ (value * EVERY_BYTE);

	return (rest - EVERY_BYTE) & ~rest & TOP_BITS;
}

/* How many bytes from here on are plain; eight are looked at together. */
static size_t write_count_plain(struct slice text, size_t from)
{
	size_t at = from;

	for (; text.len - at >= 8; at += 8) {
		uint64_t eight;

		memcpy(&eight, text.ptr + at, 8);
		if (((eight | (eight - 0x20 * EVERY_BYTE)) & TOP_BITS) != 0 ||
		    write_is_byte(eight, '"') || write_is_byte(eight, '\\'))
			break;
	}
	while (at < text.len && text.ptr[at] >= 0x20 && (unsigned char)text.ptr[at] < 0x80 &&
	       text.ptr[at] != '"' && text.ptr[at] != '\\')
		at++;
	return at - from;
}

/* What is not plain: an escape, or a character of several bytes. Returns its length in the text. */
static size_t write_add_special(struct str *out, struct slice text, size_t at)
{
	static const char letters[] = "btn\0fr"; /* from 0x08 on; 0x0B has none */
	size_t after = at;
	uint32_t c = utf8_next(text, &after);

	if (c == UTF8_REPLACEMENT)
		utf8_add(out, c);
	else if (c >= 0x80)
		str_add(out, slice_make(text.ptr + at, after - at));
	else if (c == '"' || c == '\\')
		str_add(out, slice_make((char[]){'\\', (char)c}, 2));
	else if (c >= '\b' && c <= '\r' && letters[c - '\b'] != '\0')
		str_add(out, slice_make((char[]){'\\', letters[c - '\b']}, 2));
	else
		str_printf(out, "\\u%04x", (unsigned)c);
	return after - at;
}

void json_write_name(struct json_writer *w, struct slice name)
{
	write_begin_name(w);
	json_quote(w->out, name);
	write_end_name(w);
}

void json_write_name_raw(struct json_writer *w, struct slice quoted)
{
	write_begin_name(w);
	str_add(w->out, quoted);
	write_end_name(w);
}

void json_write_string(struct json_writer *w, struct slice text)
{
	write_begin_value(w);
	json_quote(w->out, text);
}

void json_write_raw(struct json_writer *w, struct slice text)
{
	write_begin_value(w);
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

/* So far below that a step of so many and one of 1e-6 are never taken for each other. */
#define STEPS_MAX 1e9

#define FEW_DECIMALS 4

/*
 * The number in steps of its last decimal where that is plain to see: printf takes a long time to
 * be exact, which only matters in the middle between two of them.
 */
static bool write_in_steps(double number, int decimals, int64_t *out)
{
	static const double steps[FEW_DECIMALS + 1] = {1, 10, 100, 1000, 10000};

	if (decimals > FEW_DECIMALS)
		return false;
	double scaled = number * steps[decimals];
	if (!(fabs(scaled) < STEPS_MAX))
		return false;
	double below = floor(scaled);
	if (fabs(scaled - below - 0.5) < 1e-6)
		return false;
	*out = (int64_t)below + (scaled - below > 0.5);
	return true;
}

/* So many steps, without zeros at the end. */
static void write_steps(struct json_writer *w, int64_t steps, int decimals)
{
	char text[32];
	char *at = text + sizeof text;
	int64_t size = steps < 0 ? -steps : steps;

	while (decimals > 0 && size % 10 == 0) {
		size /= 10;
		decimals--;
	}
	for (int i = 0; i < decimals; i++, size /= 10)
		*--at = (char)('0' + size % 10);
	if (decimals > 0)
		*--at = '.';
	do {
		*--at = (char)('0' + size % 10);
		size /= 10;
	} while (size);
	if (steps < 0)
		*--at = '-';
	json_write_raw(w, slice_make(at, (size_t)(text + sizeof text - at)));
}

void json_write_fixed(struct json_writer *w, double number, int decimals)
{
	char text[352]; /* 309 digits before the point, 17 behind */
	int64_t steps;

	assert(isfinite(number) && decimals >= 0 && decimals <= 17);
	if (write_in_steps(number, decimals, &steps)) {
		write_steps(w, steps, decimals);
		return;
	}
	snprintf(text, sizeof text, "%.*f", decimals, number);
	size_t len = strlen(text);
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
		if (type == JSON_OBJECT)
			json_write_name_raw(w, json_name_text(doc, m));
		json_write_value(w, doc, m);
	}
	json_write_end(w);
}

void json_print(struct str *out, const struct json *doc, uint32_t node)
{
	struct json_writer w = json_writer_to(out, &json_compact);

	json_write_value(&w, doc, node);
}

void json_quote(struct str *out, struct slice text)
{
	str_reserve(out, text.len + 2);
	str_addc(out, '"');
	for (size_t at = 0; at < text.len;) {
		size_t plain = write_count_plain(text, at);

		str_add(out, slice_make(text.ptr + at, plain));
		at += plain;
		if (at < text.len)
			at += write_add_special(out, text, at);
	}
	str_addc(out, '"');
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

void json_write_member_double(struct json_writer *w, const char *name, double number)
{
	json_write_name(w, slice_of(name));
	json_write_double(w, number);
}

void json_write_member_fixed(struct json_writer *w, const char *name, double number, int decimals)
{
	json_write_name(w, slice_of(name));
	json_write_fixed(w, number, decimals);
}

void json_write_member_value(struct json_writer *w, const char *name, const struct json *doc,
			     uint32_t node)
{
	json_write_name(w, slice_of(name));
	json_write_value(w, doc, node);
}

void json_write_member_object(struct json_writer *w, const char *name)
{
	json_write_name(w, slice_of(name));
	json_write_object(w);
}

void json_write_member_array(struct json_writer *w, const char *name)
{
	json_write_name(w, slice_of(name));
	json_write_array(w);
}
