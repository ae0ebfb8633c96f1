#include "store/purge/redact.h"

#include "base/arena.h"
#include "base/mem.h"
#include "base/time.h"
#include "base/utf8.h"
#include "json/doc.h"
#include "json/splice.h"
#include "model/entry.h"
#include "model/kept_part.h"
#include "model/note.h"
#include "store/files/note_folder.h"
#include "store/log/shared_use.h"
#include "text/normalize.h"

#include <stdlib.h>

#define USAGE_NAME "usage.jsonl"

void purge_key_init(struct purge_key *out, enum category category, struct slice key)
{
	*out = (struct purge_key){.category = category, .identity = STR_INIT, .ref = STR_INIT};
	normalize_key(key, &out->identity);
	ref_add(&out->ref, category, key);
}

void purge_key_release(struct purge_key *key)
{
	str_release(&key->identity);
	str_release(&key->ref);
}

bool purge_key_is(const struct purge_key *key, struct slice name)
{
	STR_AUTO identity = STR_INIT;

	normalize_key(name, &identity);
	return slice_equal(str_slice(&identity), str_slice(&key->identity));
}

static struct slice redact_before_last_at(struct slice key)
{
	const char *at = key.len ? memrchr(key.ptr, '@', key.len) : NULL;

	return at ? slice_make(key.ptr, (size_t)(at - key.ptr)) : key;
}

bool purge_key_has_ref(const struct purge_key *key, struct slice ref)
{
	struct ref parts = ref_parse(ref);

	return parts.category == (int)key->category &&
	       (purge_key_is(key, parts.key) ||
		purge_key_is(key, redact_before_last_at(parts.key)));
}

/* What each kind of file holds; the rest cannot hold the entry. */
enum kind {
	KIND_OTHER,
	KIND_ENTRIES,
	KIND_ARCHIVE,
	KIND_RELATIONS,
	KIND_COLD,
	KIND_USAGE,
	KIND_NOTE
};

bool purge_is_note(const char *path)
{
	return slice_starts(slice_of(path), NOTE_FOLDER "/");
}

static enum kind redact_kind_of(const struct purge_key *key, const char *path)
{
	if (strcmp(path, store_file_name((enum store_file)key->category)) == 0)
		return KIND_ENTRIES;
	if (strcmp(path, store_file_name(STORE_FILE_ARCHIVE)) == 0)
		return KIND_ARCHIVE;
	if (strcmp(path, store_file_name(STORE_FILE_RELATIONS)) == 0 ||
	    strcmp(path, SHARED_USE_NAME) == 0) /* a member under its ref, like links */
		return KIND_RELATIONS;
	if (slice_starts(slice_of(path), COLD_FOLDER "/"))
		return KIND_COLD;
	if (purge_is_note(path))
		return KIND_NOTE;
	return strcmp(path, USAGE_NAME) == 0 ? KIND_USAGE : KIND_OTHER;
}

bool purge_concerns(const struct purge_key *key, const char *path)
{
	return redact_kind_of(key, path) != KIND_OTHER;
}

bool purge_mentions(const struct purge_key *key, struct slice text)
{
	STR_AUTO words = STR_INIT;
	STR_AUTO wanted = STR_INIT;
	STR_AUTO form = STR_INIT;

	if (!text.len)
		return false;
	normalize_identity(str_slice(&key->identity), &form);
	/* A key of nothing but signs. */
	if (form.len == 0)
		return memmem(text.ptr, text.len, key->identity.ptr, key->identity.len);
	normalize_identity(text, &words);
	str_clear(&form);
	str_printf(&form, " %s ", words.ptr);
	str_printf(&wanted, " %s ", key->identity.ptr);
	return memmem(form.ptr, form.len, wanted.ptr, wanted.len);
}

/* ---- files of JSON */

struct cuts {
	struct splice *items;
	size_t count;
	size_t cap;
	struct arena *arena;
};

static void redact_cut(struct cuts *cuts, const struct splice *splice)
{
	cuts->items = mem_grow(cuts->items, &cuts->cap, cuts->count + 1, sizeof *cuts->items);
	cuts->items[cuts->count++] = *splice;
}

static struct slice redact_name_of(struct cuts *cuts, const struct json *doc, uint32_t node)
{
	STR_AUTO scratch = STR_INIT;

	return arena_copy(cuts->arena, json_name(doc, node, &scratch));
}

static void redact_cut_member(struct cuts *cuts, const struct json *doc, uint32_t node)
{
	const struct splice splice = {.kind = SPLICE_REMOVE,
				      .name = redact_name_of(cuts, doc, node)};

	redact_cut(cuts, &splice);
}

/* What an entry or a record says, for who asks. */
static void redact_tell_value(const struct purge_key *key, const struct json *doc, uint32_t node)
{
	uint32_t entry = json_member(doc, node, "entry");
	uint32_t value = json_member(doc, entry == JSON_NONE ? node : entry, "value");

	if (key->values)
		needles_add_json(key->values, doc,
				 value != JSON_NONE   ? value
				 : entry != JSON_NONE ? entry
						      : node);
}

static void redact_cut_entries(struct cuts *cuts, const struct purge_key *key,
			       const struct json *doc)
{
	for (uint32_t n = json_first(doc, JSON_ROOT); n != JSON_NONE; n = json_next(doc, n)) {
		STR_AUTO scratch = STR_INIT;

		if (!purge_key_is(key, json_name(doc, n, &scratch)))
			continue;
		redact_tell_value(key, doc, n);
		redact_cut_member(cuts, doc, n);
	}
}

static bool redact_member_is_key(const struct purge_key *key, const struct json *doc,
				 uint32_t object, const char *name, bool with_time)
{
	uint32_t node = json_member(doc, object, name);
	STR_AUTO scratch = STR_INIT;

	if (node == JSON_NONE || json_type(doc, node) != JSON_STRING)
		return false;
	struct slice text = json_string(doc, node, &scratch);
	return purge_key_is(key, with_time ? redact_before_last_at(text) : text);
}

/* Also one that has lost a part, which record_read() would pass over. */
static bool redact_names_key(const struct purge_key *key, const struct json *doc, uint32_t node)
{
	if (json_type(doc, node) != JSON_OBJECT)
		return false;
	if (json_member(doc, node, "originalKey") != JSON_NONE)
		return redact_member_is_key(key, doc, node, "originalKey", false);
	return redact_member_is_key(key, doc, node, "key", true);
}

static int64_t redact_record_time(const struct json *doc, uint32_t node)
{
	return entry_time(doc, json_member(doc, node, "archivedAt"));
}

/* A record that goes. */
static bool redact_take_record(const struct purge_key *key, const struct json *doc, uint32_t node)
{
	/* One without a time is of any. */
	if (!redact_names_key(key, doc, node) ||
	    (key->earlier && key->ended && redact_record_time(doc, node) != TIME_NONE &&
	     redact_record_time(doc, node) > key->until_ms))
		return false;
	redact_tell_value(key, doc, node);
	return true;
}

/* Elements of the lists that choose() chooses. */
static void redact_cut_elements(struct cuts *cuts, const struct purge_key *key,
				const struct json *doc, uint32_t list,
				bool (*choose)(const struct purge_key *, const struct json *,
					       uint32_t))
{
	for (uint32_t n = json_first(doc, list); n != JSON_NONE; n = json_next(doc, n)) {
		struct splice splice = {.kind = SPLICE_DROP, .element = n};

		if (!choose(key, doc, n))
			continue;
		splice.path = redact_name_of(cuts, doc, list);
		redact_cut(cuts, &splice);
	}
}

static bool redact_is_ref(const struct purge_key *key, const struct json *doc, uint32_t node)
{
	STR_AUTO scratch = STR_INIT;

	return json_type(doc, node) == JSON_STRING &&
	       purge_key_has_ref(key, json_string(doc, node, &scratch));
}

/* An end of a link, as a person may have written it: the key alone. */
static bool redact_is_end(const struct purge_key *key, const struct json *doc, uint32_t link,
			  const char *name)
{
	uint32_t node = json_member(doc, link, name);
	STR_AUTO scratch = STR_INIT;

	if (!key->bare || node == JSON_NONE || json_type(doc, node) != JSON_STRING)
		return false;
	struct ref end = ref_parse(json_string(doc, node, &scratch));
	return end.category == CATEGORY_ANY && purge_key_is(key, end.key);
}

/* A link is an object that names what it links, under whatever names. */
static bool redact_is_link(const struct purge_key *key, const struct json *doc, uint32_t node)
{
	if (redact_is_ref(key, doc, node))
		return true;
	if (json_type(doc, node) != JSON_OBJECT)
		return false;
	for (uint32_t n = json_first(doc, node); n != JSON_NONE; n = json_next(doc, n)) {
		if (redact_is_ref(key, doc, n))
			return true;
	}
	return redact_is_end(key, doc, node, "from") || redact_is_end(key, doc, node, "to");
}

static void redact_cut_links(struct cuts *cuts, const struct purge_key *key, const struct json *doc)
{
	for (uint32_t n = json_first(doc, JSON_ROOT); n != JSON_NONE; n = json_next(doc, n)) {
		STR_AUTO scratch = STR_INIT;

		if (purge_key_has_ref(key, json_name(doc, n, &scratch)) ||
		    redact_is_link(key, doc, n))
			redact_cut_member(cuts, doc, n);
		else if (json_type(doc, n) == JSON_ARRAY)
			redact_cut_elements(cuts, key, doc, n, redact_is_link);
	}
}

static enum purged redact_doc(const struct purge_key *key, enum kind kind, const struct json *doc,
			      struct str *out, size_t *count)
{
	uint32_t list = json_member(doc, JSON_ROOT, category_name(key->category));
	ARENA_AUTO arena = ARENA_INIT;
	struct cuts cuts = {.arena = &arena};
	enum purged result = PURGED_NOT;
	struct err ignored;

	if (kind == KIND_ENTRIES)
		redact_cut_entries(&cuts, key, doc);
	else if (kind == KIND_RELATIONS)
		redact_cut_links(&cuts, key, doc);
	else if (list != JSON_NONE && json_type(doc, list) == JSON_ARRAY)
		redact_cut_elements(&cuts, key, doc, list, redact_take_record);
	if (cuts.count > 0) {
		result = splice_apply(out, doc, cuts.items, cuts.count, &ignored) == 0
				 ? PURGED_TEXT
				 : PURGED_BROKEN;
		*count += cuts.count;
	}
	free(cuts.items);
	return result;
}

static enum purged redact_json(const struct purge_key *key, enum kind kind, struct slice text,
			       struct str *out, size_t *count)
{
	enum purged result = PURGED_NOT;
	struct json_fault fault;
	JSON_AUTO doc = {0};

	if (json_parse(&doc, text, &json_file_bounds, &fault) != 0)
		return purge_mentions(key, text) ? PURGED_BROKEN : PURGED_NOT;
	if (json_type(&doc, JSON_ROOT) == JSON_OBJECT)
		result = redact_doc(key, kind, &doc, out, count);
	return result;
}

/* ---- files of lines */

/* The record of a line, or what takes one back and has all of it within: see undo_marks.h. */
static uint32_t redact_record_of_line(const struct json *doc)
{
	uint32_t taken_back = json_member(doc, JSON_ROOT, "void");

	return taken_back == JSON_NONE ? JSON_ROOT : taken_back;
}

static bool redact_is_of_category(const struct purge_key *key, const struct json *doc,
				  uint32_t line)
{
	uint32_t category = json_member(doc, line, "category");
	STR_AUTO scratch = STR_INIT;

	return category != JSON_NONE && json_type(doc, category) == JSON_STRING &&
	       slice_is(json_string(doc, category, &scratch), category_name(key->category));
}

/* Also of what is kept to undo a change: see kept_part.h. */
static bool redact_cold_goes(const struct purge_key *key, const struct json *doc, uint32_t line)
{
	uint32_t part = kept_part_text(doc, line);
	uint32_t left = kept_part_left(doc, line);

	if (part != JSON_NONE && json_member(doc, line, "link") != JSON_NONE)
		return redact_is_link(key, doc, part) ||
		       (left != JSON_NONE && redact_is_link(key, doc, left));
	return redact_is_of_category(key, doc, line) &&
	       redact_take_record(key, doc, part == JSON_NONE ? line : part);
}

/* A line that is torn goes when the key stands in it. */
static bool redact_line_goes(const struct purge_key *key, enum kind kind, struct slice line)
{
	struct json_fault fault;
	JSON_AUTO doc = {0};

	if (json_parse(&doc, line, &json_file_bounds, &fault) != 0)
		return purge_mentions(key, line);
	uint32_t record = redact_record_of_line(&doc);
	return kind == KIND_COLD ? redact_cold_goes(key, &doc, record)
				 : redact_is_link(key, &doc, JSON_ROOT);
}

static enum purged redact_lines(const struct purge_key *key, enum kind kind, struct slice text,
				struct str *out, size_t *count)
{
	struct slice line;
	size_t gone = 0;

	while (slice_line(&text, &line)) {
		if (redact_line_goes(key, kind, line))
			gone++;
		else /* as it stands, with its end */
			str_add(out, slice_make(line.ptr, (size_t)(text.ptr - line.ptr)));
	}
	*count += gone;
	return gone > 0 ? PURGED_TEXT : PURGED_NOT;
}

/* ---- notes */

/* The text behind the front matter and the title, line by line. */
static void redact_tell_lines(const struct purge_key *key, struct slice text)
{
	static const char end[] = "\n---\n";
	const char *body = memmem(text.ptr, text.len, end, sizeof end - 1);
	struct slice line;

	if (!body)
		return;
	body += sizeof end - 1;
	text = slice_make(body, (size_t)(text.ptr + text.len - body));
	while (slice_line(&text, &line)) {
		if (line.len > 0 && !strchr("#`[]{}", line.ptr[0]))
			needles_add(key->values, line);
	}
}

static enum purged redact_note(const struct purge_key *key, struct slice text, size_t *count)
{
	STR_AUTO ref = STR_INIT;

	if (!note_ref(text, &ref) || !purge_key_has_ref(key, str_slice(&ref)))
		return PURGED_NOT;
	/* A note may outlive the name. Commits are dated to the second. */
	if (key->earlier && key->ended &&
	    (key->until_ms == INT64_MIN || note_promoted(text) == TIME_NONE ||
	     note_promoted(text) > key->until_ms + 999))
		return PURGED_NOT;
	if (key->values)
		redact_tell_lines(key, text);
	(*count)++;
	return PURGED_WHOLE;
}

/* ---- any text */

/* What has no time of its own is of the time of the text. */
static bool redact_has_ended(const struct purge_key *key, enum kind kind)
{
	if (!key->earlier || !key->ended || kind == KIND_ARCHIVE || kind == KIND_COLD ||
	    kind == KIND_NOTE)
		return false;
	return kind != KIND_USAGE || key->stands;
}

enum purged purge_text(const struct purge_key *key, const char *path, struct slice text,
		       struct str *out, size_t *count)
{
	enum kind kind = redact_kind_of(key, path);
	size_t ignored = 0;

	if (kind == KIND_OTHER || redact_has_ended(key, kind))
		return PURGED_NOT;
	if (kind == KIND_NOTE)
		return redact_note(key, text, count ? count : &ignored);
	if (kind == KIND_COLD || kind == KIND_USAGE)
		return redact_lines(key, kind, text, out, count ? count : &ignored);
	return redact_json(key, kind, text, out, count ? count : &ignored);
}

/* ---- times */

static int64_t redact_last_of_list(const struct purge_key *key, const struct json *doc)
{
	uint32_t list = json_member(doc, JSON_ROOT, category_name(key->category));
	int64_t last = INT64_MIN;

	if (list == JSON_NONE || json_type(doc, list) != JSON_ARRAY)
		return last;
	for (uint32_t n = json_first(doc, list); n != JSON_NONE; n = json_next(doc, n)) {
		if (redact_names_key(key, doc, n) && redact_record_time(doc, n) > last)
			last = redact_record_time(doc, n);
	}
	return last;
}

static int64_t redact_last_of_lines(const struct purge_key *key, struct slice text)
{
	int64_t last = INT64_MIN;
	struct slice line;

	while (slice_line(&text, &line)) {
		struct json_fault fault;
		struct json doc;

		if (json_parse(&doc, line, &json_file_bounds, &fault) == 0) {
			uint32_t record = redact_record_of_line(&doc);

			if (redact_is_of_category(key, &doc, record) &&
			    redact_names_key(key, &doc, record) &&
			    redact_record_time(&doc, record) > last)
				last = redact_record_time(&doc, record);
			json_release(&doc);
		}
	}
	return last;
}

int64_t purge_last_record(const struct purge_key *key, const char *path, struct slice text)
{
	struct json_fault fault;
	JSON_AUTO doc = {0};

	if (redact_kind_of(key, path) == KIND_COLD)
		return redact_last_of_lines(key, text);
	if (redact_kind_of(key, path) != KIND_ARCHIVE ||
	    json_parse(&doc, text, &json_file_bounds, &fault) != 0)
		return INT64_MIN;
	int64_t last = redact_last_of_list(key, &doc);
	return last;
}

/* ---- messages of commits */

#define PURGED "(purged)"
#define REF_TRAILER "Kota-Ref: "

/* What a trailer says of a ref, decoded; absent when the line is no such trailer. */
static struct slice redact_message_trailer_ref(struct slice line, struct str *scratch,
					       struct json *doc)
{
	size_t len = strlen(REF_TRAILER);
	struct json_fault fault;

	if (line.len < len || memcmp(line.ptr, REF_TRAILER, len) != 0)
		return slice_make(NULL, 0);
	struct slice text = slice_make(line.ptr + len, line.len - len);
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

static void redact_message_add_form(struct forms *forms, const char *text)
{
	forms->items = mem_grow(forms->items, &forms->cap, forms->count + 1, sizeof *forms->items);
	str_init(&forms->items[forms->count]);
	str_adds(&forms->items[forms->count++], text);
}

static bool redact_message_is_word_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '-' || (unsigned char)c >= 0x80;
}

/* Length of the longest form that stands at the beginning of a text as a word; 0 for none. */
static size_t redact_message_match_form(const struct forms *forms, struct slice text)
{
	size_t longest = 0;

	for (size_t i = 0; i < forms->count; i++) {
		size_t len = forms->items[i].len;

		if (len > longest && text.len >= len &&
		    memcmp(text.ptr, forms->items[i].ptr, len) == 0 &&
		    (text.len == len || !redact_message_is_word_byte(text.ptr[len])))
			longest = len;
	}
	return longest;
}

/* Bytes that another spelling of a key may have beyond those of its identity. */
#define SPELLING_SPARE 32

/* Length of `category:key` at the beginning of a text, in any spelling; 0 for none. */
static size_t redact_message_match_spelling(const struct purge_key *key, struct slice text)
{
	const char *category = category_name(key->category);
	size_t begin = strlen(category) + 1;
	size_t len = begin + key->identity.len + SPELLING_SPARE;

	if (text.len <= begin || memcmp(text.ptr, category, begin - 1) != 0 ||
	    text.ptr[begin - 1] != ':')
		return 0;
	for (len = len < text.len ? len : text.len; len > begin; len--) {
		if (redact_message_is_word_byte(text.ptr[len - 1]) &&
		    (len == text.len || !redact_message_is_word_byte(text.ptr[len])) &&
		    purge_key_is(key, slice_make(text.ptr + begin, len - begin)))
			return len;
	}
	return 0;
}

static bool redact_message_replace_forms(const struct purge_key *key, const struct forms *forms,
					 struct slice line, struct str *out)
{
	bool changed = false;

	for (size_t i = 0; i < line.len;) {
		struct slice rest = slice_make(line.ptr + i, line.len - i);
		size_t len = redact_message_match_form(forms, rest);

		if (len == 0)
			len = redact_message_match_spelling(key, rest);
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
static bool redact_message_write_line(const struct purge_key *key, const struct forms *forms,
				      struct slice line, struct str *out)
{
	STR_AUTO scratch = STR_INIT;
	JSON_AUTO doc = {0};
	struct slice ref = redact_message_trailer_ref(line, &scratch, &doc);
	bool named = ref.ptr && purge_key_has_ref(key, ref);
	bool changed = named;

	if (named)
		str_printf(out, REF_TRAILER "%s:" PURGED, category_name(key->category));
	else if (ref.ptr)
		str_add(out, line);
	else
		changed = redact_message_replace_forms(key, forms, line, out);
	return changed;
}

static void redact_message_collect_form(const struct purge_key *key, struct forms *forms,
					struct slice line)
{
	STR_AUTO scratch = STR_INIT;
	STR_AUTO visible = STR_INIT;
	JSON_AUTO doc = {0};
	struct slice ref = redact_message_trailer_ref(line, &scratch, &doc);

	if (ref.ptr && purge_key_has_ref(key, ref))
		redact_message_add_form(forms, shown(&visible, ref));
}

bool purge_message(const struct purge_key *key, struct slice message, struct str *out)
{
	STR_AUTO visible = STR_INIT;
	struct forms forms = {0};
	bool changed = false;
	struct slice line;

	redact_message_add_form(&forms, shown(&visible, str_slice(&key->ref)));
	for (struct slice rest = message; slice_line(&rest, &line);)
		redact_message_collect_form(key, &forms, line);
	for (struct slice rest = message; slice_line(&rest, &line);) {
		changed = redact_message_write_line(key, &forms, line, out) || changed;
		if (line.ptr + line.len < message.ptr + message.len)
			str_addc(out, '\n');
	}
	for (size_t i = 0; i < forms.count; i++)
		str_release(&forms.items[i]);
	free(forms.items);
	return changed;
}
