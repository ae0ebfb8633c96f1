#include "mcp/outline.h"

#include "json/doc.h"

/* Longest text of an id that is kept, in bytes with its quotes. */
#define ID_MAX_BYTES 1024

/* More open brackets than a line of allowed length can close. */
#define OPEN_MAX ((size_t)1 << 20)

void outline_init(struct outline *o)
{
	memset(o, 0, sizeof *o);
	str_init(&o->open);
	str_init(&o->name);
	str_init(&o->value);
	str_init(&o->id);
	str_init(&o->ids);
	o->next = OUTLINE_START;
}

void outline_release(struct outline *o)
{
	str_release(&o->open);
	str_release(&o->name);
	str_release(&o->value);
	str_release(&o->id);
	str_release(&o->ids);
}

static char outline_top(const struct outline *o)
{
	return o->open.len ? o->open.ptr[o->open.len - 1] : '\0';
}

/* True if what comes next is a member of a message, and not of something inside it. */
static bool outline_in_message(const struct outline *o)
{
	return o->open.len == (o->root == '[' ? 2 : 1) && outline_top(o) == '{';
}

/* ---- members of a message */

/* True if this is the JSON text of a string with that content. */
static bool outline_says(const struct str *text, const char *word)
{
	STR_AUTO scratch = STR_INIT;
	struct json_fault fault;
	JSON_AUTO doc = {0};

	/* Few names have escapes; the others are compared as they stand. */
	if (text->len < 2 || text->ptr[0] != '"')
		return false;
	if (!memchr(text->ptr, '\\', text->len))
		return slice_is(slice_make(text->ptr + 1, text->len - 2), word) &&
		       text->ptr[text->len - 1] == '"';
	return json_parse(&doc, str_slice(text), &json_line_bounds, &fault) == 0 &&
	       slice_is(json_string(&doc, JSON_ROOT, &scratch), word);
}

/* A string or a number that can be sent back. One that was cut is too long. */
static bool outline_is_id(const struct str *text)
{
	struct json_fault fault;
	JSON_AUTO doc = {0};

	return text->len <= ID_MAX_BYTES &&
	       json_parse(&doc, str_slice(text), &json_line_bounds, &fault) == 0 &&
	       (json_type(&doc, JSON_ROOT) == JSON_STRING ||
		json_type(&doc, JSON_ROOT) == JSON_NUMBER);
}

static void outline_take_id(struct outline *o)
{
	struct outline_message *message = &o->message;

	if (!outline_is_id(&o->value) ||
	    (message->named && !slice_equal(str_slice(&o->id), str_slice(&o->value))))
		message->ambiguous = true;
	message->named = true;
	str_clear(&o->id);
	str_add(&o->id, str_slice(&o->value));
}

/* A member is only believed once a comma or a bracket has shown that its value is over. */
static void outline_take_member(struct outline *o)
{
	struct outline_message *message = &o->message;

	if (outline_says(&o->name, "id"))
		outline_take_id(o);
	else if (outline_says(&o->name, "jsonrpc"))
		message->has_version = outline_says(&o->value, "2.0");
	else if (outline_says(&o->name, "method"))
		message->has_method = o->value.len > 0 && o->value.ptr[0] == '"';
	else if (outline_says(&o->name, "result") || outline_says(&o->name, "error"))
		message->is_answer = true;
}

/* whole: it has come to its end, so that what it has not shown is not there. */
static void outline_end_message(struct outline *o, bool whole)
{
	const struct outline_message *message = &o->message;
	bool silent = message->is_answer ? !message->has_method
					 : whole && message->has_method && !message->named;

	if (silent)
		return;
	if (!message->named || message->ambiguous || !message->has_version ||
	    o->id_count == OUTLINE_IDS_MAX) {
		o->unnamed = true;
		return;
	}
	str_add(&o->ids, str_slice(&o->id));
	str_addc(&o->ids, '\n');
	o->id_count++;
}

/* ---- the grammar */

static void outline_keep(struct outline *o, char c)
{
	/* One more than is allowed shows that it was too long. */
	if (o->kept && o->kept->len <= ID_MAX_BYTES)
		str_addc(o->kept, c);
}

static bool outline_wants_value(const struct outline *o)
{
	return o->next == OUTLINE_START || o->next == OUTLINE_VALUE ||
	       o->next == OUTLINE_FIRST_VALUE;
}

static void outline_begin_value(struct outline *o, char c)
{
	if (o->next == OUTLINE_START)
		o->root = c;
	/* This element of an array of messages is no message. */
	if (o->root == '[' && o->open.len == 1 && c != '{')
		o->unnamed = true;
	o->kept = NULL;
	if (outline_in_message(o)) {
		str_clear(&o->value);
		o->kept = &o->value;
	}
	o->next = o->open.len ? OUTLINE_COMMA : OUTLINE_DONE;
}

static void outline_begin_text(struct outline *o)
{
	if (outline_wants_value(o)) {
		outline_begin_value(o, '"');
	} else if (o->next == OUTLINE_NAME || o->next == OUTLINE_FIRST_NAME) {
		o->kept = NULL;
		if (outline_in_message(o)) {
			str_clear(&o->name);
			o->kept = &o->name;
		}
		o->next = OUTLINE_COLON;
	} else {
		o->next = OUTLINE_BROKEN;
		return;
	}
	outline_keep(o, '"');
	o->inside = OUTLINE_TEXT;
}

static void outline_begin_word(struct outline *o, char c)
{
	if (!outline_wants_value(o)) {
		o->next = OUTLINE_BROKEN;
		return;
	}
	outline_begin_value(o, c);
	outline_keep(o, c);
	o->inside = OUTLINE_WORD;
}

static void outline_open_bracket(struct outline *o, char c)
{
	if (!outline_wants_value(o) || o->open.len == OPEN_MAX) {
		o->next = OUTLINE_BROKEN;
		return;
	}
	outline_begin_value(o, c);
	str_addc(&o->open, c);
	o->next = c == '{' ? OUTLINE_FIRST_NAME : OUTLINE_FIRST_VALUE;
	if (outline_in_message(o)) {
		o->message = (struct outline_message){0};
		str_clear(&o->id);
	}
}

static void outline_close_bracket(struct outline *o, char opener)
{
	bool is_empty = o->next == OUTLINE_FIRST_NAME || o->next == OUTLINE_FIRST_VALUE;

	if (outline_top(o) != opener || (!is_empty && o->next != OUTLINE_COMMA)) {
		o->next = OUTLINE_BROKEN;
		return;
	}
	if (outline_in_message(o)) {
		if (!is_empty)
			outline_take_member(o);
		/* A value that stands alone is complete only if nothing follows it. */
		if (o->root == '[')
			outline_end_message(o, true);
	}
	str_truncate(&o->open, o->open.len - 1);
	o->next = o->open.len ? OUTLINE_COMMA : OUTLINE_DONE;
}

static void outline_step(struct outline *o, char c)
{
	switch (c) {
	case ' ':
	case '\t':
	case '\r':
		break;
	case '"':
		outline_begin_text(o);
		break;
	case '{':
	case '[':
		outline_open_bracket(o, c);
		break;
	case '}':
		outline_close_bracket(o, '{');
		break;
	case ']':
		outline_close_bracket(o, '[');
		break;
	case ':':
		o->next = o->next == OUTLINE_COLON ? OUTLINE_VALUE : OUTLINE_BROKEN;
		break;
	case ',':
		if (o->next == OUTLINE_COMMA && outline_in_message(o))
			outline_take_member(o);
		if (o->next == OUTLINE_COMMA)
			o->next = outline_top(o) == '{' ? OUTLINE_NAME : OUTLINE_VALUE;
		else
			o->next = OUTLINE_BROKEN;
		break;
	default:
		outline_begin_word(o, c);
	}
}

/* ---- bytes */

/* Numbers, true, NaN, undefined: whatever is no quote, bracket, comma, colon or blank. */
static bool outline_is_word(char c)
{
	return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') ||
	       (c != '\0' && strchr("+-._", c));
}

/* A byte order mark may come first, whose bytes are these. */
static bool outline_is_mark(const struct outline *o, char c)
{
	return o->next == OUTLINE_START && c != '\0' && strchr("\xEF\xBB\xBF", c);
}

/* In a text: most of a long line is this. Returns where to go on. */
static size_t outline_skip_text(struct outline *o, struct slice chunk, size_t at)
{
	size_t start = at;

	while (at < chunk.len && chunk.ptr[at] != '"' && chunk.ptr[at] != '\\')
		at++;
	for (size_t i = start; o->kept && i < at && o->kept->len <= ID_MAX_BYTES; i++)
		outline_keep(o, chunk.ptr[i]);
	if (at == chunk.len)
		return at;
	outline_keep(o, chunk.ptr[at]);
	o->inside = chunk.ptr[at] == '"' ? OUTLINE_NOTHING : OUTLINE_ESCAPE;
	return at + 1;
}

void outline_feed(struct outline *o, struct slice chunk)
{
	size_t at = 0;

	while (at < chunk.len && o->next != OUTLINE_BROKEN) {
		char c = chunk.ptr[at];

		if (o->inside == OUTLINE_TEXT) {
			at = outline_skip_text(o, chunk, at);
			continue;
		}
		if (o->inside == OUTLINE_WORD && !outline_is_word(c)) {
			o->inside = OUTLINE_NOTHING;
			continue;
		}
		at++;
		if (o->inside == OUTLINE_ESCAPE) {
			outline_keep(o, c);
			o->inside = OUTLINE_TEXT;
		} else if (o->inside == OUTLINE_WORD) {
			outline_keep(o, c);
		} else if (c != '\0' && (outline_is_word(c) || strchr(" \t\r\"{}[]:,", c))) {
			outline_step(o, c);
		} else if (!outline_is_mark(o, c)) {
			o->next = OUTLINE_BROKEN;
		}
	}
}

void outline_end(struct outline *o)
{
	bool whole = o->next == OUTLINE_DONE;
	bool open_element = o->open.len >= 2 && o->open.ptr[1] == '{';

	if (o->next == OUTLINE_START)
		return;
	if (o->root == '{' || (o->root == '[' && open_element))
		outline_end_message(o, whole);
	else if (o->root != '[' || !whole)
		o->unnamed = true;
}
