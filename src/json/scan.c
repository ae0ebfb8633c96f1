#include "json/scan.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "json/doc_internal.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- faults */

/* Most bytes of shown text: leaves room for the words around it. */
#define SHOWN_MAX 80

/* "\n", "\r\n" and "\r" all end a line; a byte order mark takes no column. */
static void scan_set_place(struct json_fault *fault, struct slice text, size_t at)
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

static void scan_set_what(struct json_fault *fault, struct slice what)
{
	size_t len = what.len;

	if (len >= sizeof fault->what)
		len = utf8_valid_prefix(slice_make(what.ptr, sizeof fault->what - 1));
	memcpy(fault->what, what.ptr, len);
	fault->what[len] = '\0';
}

void json_fault_set(struct json_fault *fault, struct slice text, size_t at, const char *what)
{
	scan_set_place(fault, text, at);
	scan_set_what(fault, slice_of(what));
}

/* The phrase with a number between before and behind. */
static void scan_fault_number(struct json_fault *fault, struct slice text, size_t at,
			      const char *before, size_t number, const char *behind)
{
	scan_set_place(fault, text, at);
	snprintf(fault->what, sizeof fault->what, "%s%zu%s", before, number, behind);
}

void json_fault_shown(struct json_fault *fault, struct slice text, size_t at, const char *before,
		      struct slice bytes, const char *behind)
{
	STR_AUTO what = STR_INIT;
	struct slice head = utf8_cut(bytes, SHOWN_MAX);

	str_adds(&what, before);
	utf8_add_visible(&what, head, false);
	size_t shown_len = what.len - strlen(before);
	if (shown_len > SHOWN_MAX || head.len < bytes.len) {
		struct slice shown = {what.ptr + strlen(before), SHOWN_MAX - 3};

		str_truncate(&what, strlen(before) + utf8_valid_prefix(shown));
		str_adds(&what, "...");
	}
	str_adds(&what, behind);
	scan_set_place(fault, text, at);
	scan_set_what(fault, str_slice(&what));
}

/* ---- scanning */

/*
 * True if none of the eight bytes ends the string, begins an escape, or lies outside printable
 * ASCII.
 */
static bool scan_is_plain(uint64_t word)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	const uint64_t highs = ones << 7;
	uint64_t quote = word ^ (ones * '"');
	uint64_t backslash = word ^ (ones * '\\');

	/* A byte below n borrows into its high bit; the first one that does has nothing below it.
	 */
	return (((quote - ones) | (backslash - ones) | (word - ones * 0x20) | word) & highs) == 0;
}

/*
 * Steps over printable ASCII without quotes and backslashes, eight bytes at a time: where it stops,
 * at most at end, something else is within the next eight bytes.
 */
static size_t scan_skip_plain(const char *text, size_t at, size_t end)
{
	uint64_t word;

	for (; end - at >= sizeof word; at += sizeof word) {
		memcpy(&word, text + at, sizeof word);
		if (!scan_is_plain(word))
			break;
	}
	return at;
}

struct open {
	uint32_t node;
	uint32_t last; /* latest element or member, or JSON_NONE */
};

struct scan {
	struct json doc;
	size_t cap; /* of doc.nodes */
	const struct json_bounds *bounds;
	struct json_fault *fault;
	const char *text;
	size_t at;
	size_t end;
	struct json_node name; /* its name_* are those of the member whose value comes next */
	struct json_keys keys;
	uint32_t depth;
	struct open open[JSON_DEPTH_MAX];
};

/* The byte at hand; NUL, which is never valid there, also at the end. */
static char scan_peek(const struct scan *s)
{
	return s->at < s->end ? s->text[s->at] : '\0';
}

static struct json_node *scan_top(struct scan *s)
{
	return &s->doc.nodes[s->open[s->depth - 1].node];
}

static bool scan_in_object(struct scan *s)
{
	return s->depth > 0 && scan_top(s)->type == JSON_OBJECT;
}

static void scan_skip_space(struct scan *s)
{
	while (s->at < s->end) {
		char c = s->text[s->at];

		if (c != ' ' && c != '\n' && c != '\t' && c != '\r')
			break;
		s->at++;
	}
}

static int scan_fault_at(struct scan *s, size_t at, const char *what)
{
	json_fault_set(s->fault, s->doc.text, at, what);
	return -1;
}

/* Something else stands here than what may: says what, or that the text has ended. */
static int scan_unexpected(struct scan *s, const char *expected)
{
	char next = s->at + 1 < s->end ? s->text[s->at + 1] : '\0';
	size_t behind = s->at;

	if (s->at == s->end && s->depth == 0)
		return scan_fault_at(s, s->at, "no value; the text is empty");
	if (s->at == s->end)
		return scan_fault_at(s, s->at,
				     scan_in_object(s) ? "ends in the middle of an object"
						       : "ends in the middle of an array");
	if (scan_peek(s) == '#' || (scan_peek(s) == '/' && (next == '/' || next == '*')))
		return scan_fault_at(s, s->at, "a comment; JSON has none");
	utf8_next(s->doc.text, &behind);
	if ((unsigned char)scan_peek(s) >= 0x80 && behind == s->at + 1) {
		json_fault_shown(s->fault, s->doc.text, s->at, "invalid UTF-8 byte ",
				 slice_make(s->text + s->at, 1), "");
		return -1;
	}
	return scan_fault_at(s, s->at, expected);
}

/* Adds a node that begins here, as the latest child of what is open. */
static int scan_add_node(struct scan *s, enum json_type type)
{
	uint32_t id = s->doc.count;
	struct json_node node = s->name;

	if (id >= s->bounds->nodes) {
		scan_fault_number(s->fault, s->doc.text, s->at, "more than ", s->bounds->nodes,
				  " values");
		return -1;
	}
	node.start = (uint32_t)s->at;
	node.type = (uint8_t)type;
	s->doc.nodes = mem_grow(s->doc.nodes, &s->cap, (size_t)id + 1, sizeof node);
	s->doc.nodes[id] = node;
	s->doc.count++;
	memset(&s->name, 0, sizeof s->name);
	if (s->depth > 0) {
		struct open *parent = &s->open[s->depth - 1];

		scan_top(s)->count++;
		if (parent->last == JSON_NONE)
			scan_top(s)->first = id;
		else
			s->doc.nodes[parent->last].next = id;
		parent->last = id;
	}
	return 0;
}

static bool scan_is_hex4(const struct scan *s, size_t at)
{
	if (s->end - at < 4)
		return false;
	for (size_t i = at; i < at + 4; i++) {
		char c = (char)(s->text[i] | 0x20);

		if ((s->text[i] < '0' || s->text[i] > '9') && (c < 'a' || c > 'f'))
			return false;
	}
	return true;
}

/* True for \uDxxx with the third digit in this range: "89ab" a high, "cdef" a low surrogate. */
static bool scan_is_surrogate(const struct scan *s, size_t at, const char *third)
{
	const char *escape = s->text + at;

	return s->end - at >= 6 && escape[0] == '\\' && escape[1] == 'u' &&
	       scan_is_hex4(s, at + 2) && (escape[2] | 0x20) == 'd' && escape[3] != '\0' &&
	       strchr(third, escape[3] | 0x20);
}

/* At a backslash in a string. */
static int scan_escape(struct scan *s)
{
	char kind = s->at + 1 < s->end ? s->text[s->at + 1] : '\0';

	if (s->at + 1 == s->end)
		return scan_fault_at(s, s->end, "ends in the middle of a string");
	if (kind != '\0' && strchr("\"\\/bfnrt", kind)) {
		s->at += 2;
		return 0;
	}
	if (kind != 'u') {
		struct slice shown = {s->text + s->at, s->end - s->at};

		json_fault_shown(s->fault, s->doc.text, s->at, "unknown escape ",
				 utf8_cut(shown, 2), "; a backslash is written \\\\");
		return -1;
	}
	if (!scan_is_hex4(s, s->at + 2))
		return scan_fault_at(s, s->at, "four hex digits after \\u expected");
	if (scan_is_surrogate(s, s->at, "89ab") && scan_is_surrogate(s, s->at + 6, "cdef")) {
		s->at += 12;
		return 0;
	}
	if (scan_is_surrogate(s, s->at, "89abcdef")) {
		json_fault_shown(s->fault, s->doc.text, s->at, "a lone surrogate ",
				 slice_make(s->text + s->at, 6), "");
		return -1;
	}
	s->at += 6;
	return 0;
}

static int scan_control_in_string(struct scan *s)
{
	char what[] = "control character in a string; write \\u00xx";
	char *escape = strchr(what, '\\');
	const char *hex = "0123456789abcdef";
	char c = scan_peek(s);

	if (c >= '\b' && c <= '\r' && c != '\v') {
		escape[1] = "btn?fr"[c - '\b'];
		escape[2] = '\0';
	} else {
		escape[4] = hex[c >> 4];
		escape[5] = hex[c & 15];
	}
	return scan_fault_at(s, s->at, what);
}

/* At the quote; leaves the scanner behind the closing one. */
static int scan_string(struct scan *s, bool *escaped)
{
	s->at++;
	s->at = scan_skip_plain(s->text, s->at, s->end);
	while (s->at < s->end) {
		unsigned char c = (unsigned char)s->text[s->at];
		size_t start = s->at;

		if (c == '"') {
			s->at++;
			return 0;
		}
		if (c == '\\') {
			*escaped = true;
			if (scan_escape(s) != 0)
				return -1;
			s->at = scan_skip_plain(s->text, s->at, s->end);
		} else if (c < 0x20) {
			return scan_control_in_string(s);
		} else if (c < 0x80) {
			s->at++;
		} else {
			utf8_next(s->doc.text, &s->at);
			if (s->at == start + 1) {
				s->at = start;
				return scan_unexpected(s, "");
			}
		}
	}
	return scan_fault_at(s, s->end, "ends in the middle of a string");
}

static bool scan_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int scan_digits(struct scan *s, const char *expected)
{
	if (!scan_is_digit(scan_peek(s)))
		return scan_fault_at(s, s->at, expected);
	while (scan_is_digit(scan_peek(s)))
		s->at++;
	return 0;
}

static int scan_number(struct scan *s)
{
	if (scan_peek(s) == '-')
		s->at++;
	bool zero = scan_peek(s) == '0';
	if (zero && s->at + 1 < s->end && scan_is_digit(s->text[s->at + 1]))
		return scan_fault_at(s, s->at, "a number that begins with 0");
	if (scan_digits(s, "a digit after \"-\" expected") != 0)
		return -1;
	if (scan_peek(s) == '.') {
		s->at++;
		if (scan_digits(s, "a digit after the decimal point expected") != 0)
			return -1;
	}
	if (scan_peek(s) == 'e' || scan_peek(s) == 'E') {
		s->at++;
		if (scan_peek(s) == '+' || scan_peek(s) == '-')
			s->at++;
		if (scan_digits(s, "a digit in the exponent expected") != 0)
			return -1;
	}
	return 0;
}

static bool scan_is_word(char c)
{
	return scan_is_digit(c) || c == '_' || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/* true, false, null, or a word that is none of them. */
static int scan_word(struct scan *s)
{
	size_t start = s->at;
	enum json_type type;

	while (scan_is_word(scan_peek(s)))
		s->at++;
	struct slice word = slice_make(s->text + start, s->at - start);
	s->at = start;
	if (slice_is(word, "null")) {
		type = JSON_NULL;
	} else if (slice_is(word, "true") || slice_is(word, "false")) {
		type = JSON_BOOL;
	} else {
		json_fault_shown(s->fault, s->doc.text, start, "\"", word,
				 "\" without quotes; only true, false and null go so");
		return -1;
	}
	if (scan_add_node(s, type) != 0)
		return -1;
	s->at += word.len;
	return 0;
}

static int scan_close_top(struct scan *s)
{
	uint32_t node = s->open[s->depth - 1].node;
	uint32_t duplicate = JSON_NONE;

	s->at++;
	s->doc.nodes[node].end = (uint32_t)s->at;
	s->depth--;
	if (s->doc.nodes[node].type == JSON_OBJECT)
		duplicate = json_keys_duplicate(&s->keys, &s->doc, node);
	if (duplicate == JSON_NONE)
		return 0;
	json_fault_shown(s->fault, s->doc.text, s->doc.nodes[duplicate].name_start,
			 "duplicate key \"", json_name(&s->doc, duplicate, &s->keys.left), "\"");
	return -1;
}

static char scan_closer_of_top(struct scan *s)
{
	return scan_in_object(s) ? '}' : ']';
}

/* At a bracket. Returns 1 when a first element or member follows. */
static int scan_open_container(struct scan *s, enum json_type type)
{
	struct open open = {s->doc.count, JSON_NONE};

	if (s->depth >= s->bounds->depth || s->depth >= JSON_DEPTH_MAX) {
		scan_fault_number(s->fault, s->doc.text, s->at, "nested deeper than ", s->depth,
				  "");
		return -1;
	}
	if (scan_add_node(s, type) != 0)
		return -1;
	s->open[s->depth++] = open;
	s->at++;
	scan_skip_space(s);
	return scan_peek(s) == scan_closer_of_top(s) ? scan_close_top(s) : 1;
}

/* A scalar: of what type is seen from its first byte. */
static int scan_scalar(struct scan *s)
{
	uint32_t id = s->doc.count;
	bool escaped = false;
	char c = scan_peek(s);

	if (c == '"') {
		if (scan_add_node(s, JSON_STRING) != 0 || scan_string(s, &escaped) != 0)
			return -1;
		s->doc.nodes[id].escaped = escaped;
	} else if (c == '-' || scan_is_digit(c)) {
		if (scan_add_node(s, JSON_NUMBER) != 0 || scan_number(s) != 0)
			return -1;
	} else if (scan_is_word(c)) {
		if (scan_word(s) != 0)
			return -1;
	} else if (c == '\'') {
		return scan_unexpected(s, "a string in double quotes expected");
	} else if (c == '+' || c == '.') {
		return scan_unexpected(s, "a number begins with a digit or \"-\"");
	} else {
		return scan_unexpected(s, "a value expected");
	}
	s->doc.nodes[id].end = (uint32_t)s->at;
	return 0;
}

/* The name of a member and the colon. */
static int scan_name(struct scan *s)
{
	struct json_node *name = &s->name;

	if (scan_peek(s) != '"')
		return scan_unexpected(s, "a name in double quotes expected");
	name->name_start = (uint32_t)s->at;
	if (scan_string(s, &name->name_escaped) != 0)
		return -1;
	name->name_end = (uint32_t)s->at;
	scan_skip_space(s);
	if (scan_peek(s) != ':')
		return scan_unexpected(s, "a colon after the name expected");
	s->at++;
	scan_skip_space(s);
	return 0;
}

/* Behind a value: closes what ends here, up to the comma before the next value or to the end. */
static int scan_finish_value(struct scan *s)
{
	while (s->depth > 0) {
		scan_skip_space(s);
		if (scan_peek(s) == scan_closer_of_top(s)) {
			if (scan_close_top(s) != 0)
				return -1;
			continue;
		}
		if (scan_peek(s) != ',')
			return scan_unexpected(s, scan_in_object(s) ? "a comma or \"}\" expected"
								    : "a comma or \"]\" expected");
		size_t comma = s->at++;
		scan_skip_space(s);
		if (scan_peek(s) == '}')
			return scan_fault_at(s, comma, "a comma before \"}\"");
		if (scan_peek(s) == ']')
			return scan_fault_at(s, comma, "a comma before \"]\"");
		return 0;
	}
	return 0;
}

static int scan_document(struct scan *s)
{
	scan_skip_space(s);
	do {
		int opened; /* 1: an array or object that is not empty */

		if (scan_in_object(s) && scan_name(s) != 0)
			return -1;
		if (scan_peek(s) == '{')
			opened = scan_open_container(s, JSON_OBJECT);
		else if (scan_peek(s) == '[')
			opened = scan_open_container(s, JSON_ARRAY);
		else
			opened = scan_scalar(s);
		if (opened < 0)
			return -1;
		if (!opened && scan_finish_value(s) != 0)
			return -1;
	} while (s->depth > 0);
	scan_skip_space(s);
	return s->at == s->end ? 0 : scan_unexpected(s, "text after the end");
}

/* Checks the length and steps over a byte order mark. */
static int scan_begin(struct scan *s)
{
	size_t longest = UINT32_MAX - 1; /* offsets are 32 bits wide */

	if (s->bounds->bytes < longest)
		longest = s->bounds->bytes;
	if (s->end > longest) {
		scan_fault_number(s->fault, s->doc.text, 0, "longer than ", longest, " bytes");
		return -1;
	}
	if (s->end < 3 || memcmp(s->text, "\xEF\xBB\xBF", 3) != 0)
		return 0;
	if (!s->bounds->allow_bom)
		return scan_fault_at(s, 0, "a byte order mark; the text must begin without one");
	s->at = 3;
	return 0;
}

/* The stack of open values is left as it is: it is long and written before it is read. */
static void scan_init(struct scan *s, const struct json_bounds *bounds, struct json_fault *fault)
{
	memset(s, 0, offsetof(struct scan, open));
	s->bounds = bounds;
	s->fault = fault;
	json_keys_init(&s->keys);
}

/* Scans a text into s->doc, whose nodes are written over. */
static int scan_text(struct scan *s, struct slice text)
{
	s->doc.text = text;
	s->doc.count = 0;
	s->text = text.ptr;
	s->at = 0;
	s->end = text.len;
	s->depth = 0;
	memset(&s->name, 0, sizeof s->name);
	return scan_begin(s) == 0 ? scan_document(s) : -1;
}

int json_parse(struct json *out, struct slice text, const struct json_bounds *bounds,
	       struct json_fault *fault)
{
	struct scan s;

	scan_init(&s, bounds, fault);
	int result = scan_text(&s, text);
	if (result == 0)
		json_keys_keep(&s.keys, &s.doc);
	json_keys_release(&s.keys);
	if (result != 0) {
		json_release(&s.doc);
		return -1;
	}
	*out = s.doc;
	return 0;
}

/* ---- logs of lines */

int json_parse_lines(struct slice text, const struct json_bounds *bounds, json_line_visitor visit,
		     void *context)
{
	struct json_line line = {.number = 1};
	struct json_fault ignored;
	struct scan s;
	int result = 0;

	scan_init(&s, bounds, &ignored);
	for (; result == 0 && slice_line(&text, &line.text); line.number++) {
		if (line.text.len && line.text.ptr[line.text.len - 1] == '\r')
			line.text.len--;
		line.doc = scan_text(&s, line.text) == 0 ? &s.doc : NULL;
		result = visit(context, &line);
	}
	json_keys_release(&s.keys);
	json_release(&s.doc);
	return result;
}

struct slice json_ended_lines(struct slice text)
{
	const char *newline = text.len ? memrchr(text.ptr, '\n', text.len) : NULL;

	return slice_make(text.ptr, newline ? (size_t)(newline - text.ptr) + 1 : 0);
}

struct slice json_last_line(struct slice text, bool *whole)
{
	size_t ended = json_ended_lines(text).len;
	struct slice last = slice_make(text.ptr + ended, text.len - ended);
	struct json_fault ignored;
	JSON_AUTO doc = {0};

	*whole = last.len > 0 && json_parse(&doc, last, &json_file_bounds, &ignored) == 0;
	return last;
}
