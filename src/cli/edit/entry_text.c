#include "cli/edit/entry_text.h"

#include "base/time.h"
#include "base/utf8.h"
#include "json/edit.h"
#include "json/scan.h"
#include "json/write.h"

/* True if a person can see and type the text as it is. */
static bool entry_text_is_plain(const struct json *doc, uint32_t node)
{
	STR_AUTO scratch = STR_INIT;
	struct slice text = json_string(doc, node, &scratch);

	for (size_t i = 0; i < text.len; i++) {
		unsigned char byte = (unsigned char)text.ptr[i];

		if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f)
			return false;
	}
	return text.ptr != NULL;
}

static bool entry_text_begins_with(struct slice text, size_t at, struct slice part)
{
	return text.len - at >= part.len && memcmp(text.ptr + at, part.ptr, part.len) == 0;
}

/* True if a line ends here. */
static bool entry_text_ends(struct slice text, size_t at)
{
	return entry_text_begins_with(text, at, slice_of("\n")) ||
	       entry_text_begins_with(text, at, slice_of("\r\n"));
}

/* True if each line ends like those of the file, and is blank or indented like the first. */
static bool entry_text_can_shift(struct slice text, struct slice indent, struct slice newline)
{
	size_t at = 0;

	while (at < text.len) {
		if (text.ptr[at] != '\n' && text.ptr[at] != '\r') {
			at++;
			continue;
		}
		if (!entry_text_begins_with(text, at, newline))
			return false;
		at += newline.len;
		if (entry_text_ends(text, at))
			continue;
		if (!entry_text_begins_with(text, at, indent) ||
		    entry_text_ends(text, at + indent.len))
			return false;
	}
	return true;
}

bool carve(struct carving *out, const struct json *doc, struct slice key, bool whole)
{
	uint32_t entry = json_member_slice(doc, JSON_ROOT, key);
	uint32_t value = entry == JSON_NONE ? JSON_NONE : json_member(doc, entry, "value");
	uint32_t stamp = JSON_NONE;

	if (entry == JSON_NONE)
		return false;
	if (whole || value == JSON_NONE)
		value = entry;
	else
		stamp = json_member(doc, entry, "last_updated");
	if (stamp != JSON_NONE && json_type(doc, stamp) != JSON_STRING)
		stamp = JSON_NONE;
	*out = (struct carving){
		.doc = doc,
		.node = value,
		.stamp = stamp,
		.plain = !whole && entry_text_is_plain(doc, value),
		.shifted = entry_text_can_shift(json_text(doc, value),
						style_indent(doc->text, doc->nodes[value].start),
						style_newline(doc->text)),
	};
	return true;
}

/* Without the indentation of the line that it begins in. */
static void entry_text_add_dedented(struct str *out, struct slice text, struct slice indent,
				    struct slice newline)
{
	size_t at = 0;

	while (at < text.len) {
		if (!entry_text_begins_with(text, at, newline)) {
			str_addc(out, text.ptr[at++]);
			continue;
		}
		str_addc(out, '\n');
		at += newline.len;
		if (!entry_text_ends(text, at))
			at += indent.len;
	}
}

void carve_copy(const struct carving *carving, struct str *out)
{
	const struct json *doc = carving->doc;
	struct slice text = json_text(doc, carving->node);
	STR_AUTO scratch = STR_INIT;

	if (carving->plain) {
		str_add(out, json_string(doc, carving->node, &scratch));
	} else if (!carving->shifted) {
		str_add(out, text);
	} else if (memchr(text.ptr, '\n', text.len)) {
		entry_text_add_dedented(out, text,
					style_indent(doc->text, doc->nodes[carving->node].start),
					style_newline(doc->text));
	} else {
		struct json_writer w = json_writer_to(out, &json_pretty);

		json_write_value(&w, doc, carving->node);
	}
	str_addc(out, '\n');
}

/* Plain text as a JSON string, without the newline at its end that editors add. */
static bool entry_text_add_plain(struct str *out, struct slice copy, struct json_fault *fault)
{
	size_t valid = utf8_valid_prefix(copy);

	if (valid < copy.len) {
		json_fault_set(fault, copy, valid, "the text must be UTF-8");
		return false;
	}
	if (copy.len > 0 && copy.ptr[copy.len - 1] == '\n')
		copy.len--;
	if (copy.len > 0 && copy.ptr[copy.len - 1] == '\r')
		copy.len--;
	json_quote(out, copy);
	return true;
}

static void entry_text_add_shifted(struct str *out, struct slice text, struct slice indent,
				   struct slice newline)
{
	for (size_t at = 0; at < text.len; at++) {
		if (text.ptr[at] == '\n') {
			str_add(out, newline);
			if (!entry_text_ends(text, at + 1))
				str_add(out, indent);
		} else if (text.ptr[at] != '\r') {
			str_addc(out, text.ptr[at]);
		}
	}
}

/* JSON as it was typed, with the indentation of its place in the file. */
static bool entry_text_add_json(struct str *out, const struct carving *carving, struct slice copy,
				struct json_fault *fault)
{
	const struct json *doc = carving->doc;
	JSON_AUTO typed = {0};

	if (json_parse(&typed, copy, &json_file_bounds, fault) != 0)
		return false;
	struct slice text = json_text(&typed, JSON_ROOT);
	if (carving->shifted)
		entry_text_add_shifted(out, text,
				       style_indent(doc->text, doc->nodes[carving->node].start),
				       style_newline(doc->text));
	else
		str_add(out, text);
	return true;
}

bool carve_join(const struct carving *carving, struct slice copy, int64_t now_ms, struct str *out,
		struct json_fault *fault)
{
	const struct json *doc = carving->doc;
	const struct json_node *node = &doc->nodes[carving->node];
	const struct json_node *stamp = &doc->nodes[carving->stamp];
	struct json_edits edits = {0};
	char time[TIMESTAMP_SIZE];
	STR_AUTO part = STR_INIT;

	if (!(carving->plain ? entry_text_add_plain(&part, copy, fault)
			     : entry_text_add_json(&part, carving, copy, fault)))
		return false;
	str_add(json_edits_add(&edits, node->start, node->end), str_slice(&part));
	if (carving->stamp != JSON_NONE) {
		timestamp_format(now_ms, time);
		str_printf(json_edits_add(&edits, stamp->start, stamp->end), "\"%s\"", time);
	}
	json_edits_apply(&edits, doc->text, out);
	json_edits_release(&edits);
	return true;
}
