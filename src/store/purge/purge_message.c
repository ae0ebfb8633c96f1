/* What redact.h says of messages. */
#include "base/mem.h"
#include "base/utf8.h"
#include "json/doc.h"
#include "store/purge/redact.h"

#include <stdlib.h>

#define PURGED "(purged)"
#define REF_TRAILER "Kota-Ref: "

/* What a trailer says of a ref, decoded; absent when the line is no such trailer. */
static struct slice message_trailer_ref(struct slice line, struct str *scratch, struct json *doc)
{
	size_t len = strlen(REF_TRAILER);
	struct json_fault fault;
	struct slice text;

	if (line.len < len || memcmp(line.ptr, REF_TRAILER, len) != 0)
		return slice_make(NULL, 0);
	text = slice_make(line.ptr + len, line.len - len);
	if (text.len > 0 && text.ptr[0] == '"' &&
	    json_parse(doc, text, &json_line_bounds, &fault) == 0)
		return json_string(doc, JSON_ROOT, scratch);
	return text;
}

/* How refs of the entry are shown in a subject. */
struct forms {
	struct str *items;
	size_t count;
	size_t cap;
};

static void message_add_form(struct forms *forms, const char *text)
{
	forms->items = mem_grow(forms->items, &forms->cap, forms->count + 1, sizeof *forms->items);
	str_init(&forms->items[forms->count]);
	str_adds(&forms->items[forms->count++], text);
}

static bool message_is_word_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '-' || (unsigned char)c >= 0x80;
}

/* Length of the longest form that stands at the beginning of a text as a word; 0 for none. */
static size_t message_match_form(const struct forms *forms, struct slice text)
{
	size_t longest = 0;

	for (size_t i = 0; i < forms->count; i++) {
		size_t len = forms->items[i].len;

		if (len > longest && text.len >= len &&
		    memcmp(text.ptr, forms->items[i].ptr, len) == 0 &&
		    (text.len == len || !message_is_word_byte(text.ptr[len])))
			longest = len;
	}
	return longest;
}

/* Bytes that another spelling of a key may have beyond those of its identity. */
#define SPELLING_SPARE 32

/* Length of `category:key` at the beginning of a text, in any spelling; 0 for none. */
static size_t message_match_spelling(const struct purge_key *key, struct slice text)
{
	const char *category = category_name(key->category);
	size_t begin = strlen(category) + 1;
	size_t len = begin + key->identity.len + SPELLING_SPARE;

	if (text.len <= begin || memcmp(text.ptr, category, begin - 1) != 0 ||
	    text.ptr[begin - 1] != ':')
		return 0;
	for (len = len < text.len ? len : text.len; len > begin; len--) {
		if (message_is_word_byte(text.ptr[len - 1]) &&
		    (len == text.len || !message_is_word_byte(text.ptr[len])) &&
		    purge_key_is(key, slice_make(text.ptr + begin, len - begin)))
			return len;
	}
	return 0;
}

static bool message_replace_forms(const struct purge_key *key, const struct forms *forms,
				  struct slice line, struct str *out)
{
	bool changed = false;

	for (size_t i = 0; i < line.len;) {
		struct slice rest = slice_make(line.ptr + i, line.len - i);
		size_t len = message_match_form(forms, rest);

		if (len == 0)
			len = message_match_spelling(key, rest);
		if (len > 0)
			str_printf(out, "%s:" PURGED, category_name(key->category));
		else
			str_addc(out, line.ptr[i]);
		changed = changed || len > 0;
		i += len > 0 ? len : 1;
	}
	return changed;
}

/* Writes one line; trailers that name the entry name it no more. */
static bool message_write_line(const struct purge_key *key, const struct forms *forms,
			       struct slice line, struct str *out)
{
	STR_AUTO scratch = STR_INIT;
	struct json doc = {0};
	struct slice ref = message_trailer_ref(line, &scratch, &doc);
	bool named = ref.ptr && purge_key_has_ref(key, ref);
	bool changed = named;

	if (named)
		str_printf(out, REF_TRAILER "%s:" PURGED, category_name(key->category));
	else if (ref.ptr)
		str_add(out, line);
	else
		changed = message_replace_forms(key, forms, line, out);
	json_release(&doc);
	return changed;
}

static void message_collect_form(const struct purge_key *key, struct forms *forms,
				 struct slice line)
{
	STR_AUTO scratch = STR_INIT;
	STR_AUTO visible = STR_INIT;
	struct json doc = {0};
	struct slice ref = message_trailer_ref(line, &scratch, &doc);

	if (ref.ptr && purge_key_has_ref(key, ref))
		message_add_form(forms, shown(&visible, ref));
	json_release(&doc);
}

bool purge_message(const struct purge_key *key, struct slice message, struct str *out)
{
	STR_AUTO visible = STR_INIT;
	struct forms forms = {0};
	bool changed = false;
	struct slice line;

	message_add_form(&forms, shown(&visible, str_slice(&key->ref)));
	for (struct slice rest = message; slice_line(&rest, &line);)
		message_collect_form(key, &forms, line);
	for (struct slice rest = message; slice_line(&rest, &line);) {
		changed = message_write_line(key, &forms, line, out) || changed;
		if (line.ptr + line.len < message.ptr + message.len)
			str_addc(out, '\n');
	}
	for (size_t i = 0; i < forms.count; i++)
		str_release(&forms.items[i]);
	free(forms.items);
	return changed;
}
