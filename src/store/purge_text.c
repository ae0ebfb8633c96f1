#include "store/purge_text.h"

#include "base/arena.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/shown.h"
#include "match/normalize.h"
#include "store/disk.h"
#include "store/splice.h"

#include <stdlib.h>

#define COLD_PREFIX COLD_FOLDER "/"
#define USAGE_NAME "usage.jsonl"
#define PURGED "(purged)"
#define REF_TRAILER "Kota-Ref: "

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

static bool is_key(const struct purge_key *key, struct slice name)
{
	STR_AUTO identity = STR_INIT;

	normalize_key(name, &identity);
	return slice_equal(str_slice(&identity), str_slice(&key->identity));
}

static struct slice before_last_at(struct slice key)
{
	const char *at = key.len ? memrchr(key.ptr, '@', key.len) : NULL;

	return at ? slice_make(key.ptr, (size_t)(at - key.ptr)) : key;
}

bool purge_key_has_ref(const struct purge_key *key, struct slice ref)
{
	struct ref parts = ref_parse(ref);

	return parts.category == (int)key->category &&
	       (is_key(key, parts.key) || is_key(key, before_last_at(parts.key)));
}

static bool begins_with(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* What each kind of file holds; the rest cannot hold the entry. */
enum kind { KIND_OTHER, KIND_ENTRIES, KIND_ARCHIVE, KIND_RELATIONS, KIND_COLD, KIND_USAGE };

static enum kind kind_of(const struct purge_key *key, const char *path)
{
	if (strcmp(path, store_file_name((enum store_file)key->category)) == 0)
		return KIND_ENTRIES;
	if (strcmp(path, store_file_name(STORE_FILE_ARCHIVE)) == 0)
		return KIND_ARCHIVE;
	if (strcmp(path, store_file_name(STORE_FILE_RELATIONS)) == 0)
		return KIND_RELATIONS;
	if (begins_with(path, COLD_PREFIX))
		return KIND_COLD;
	return strcmp(path, USAGE_NAME) == 0 ? KIND_USAGE : KIND_OTHER;
}

bool purge_concerns(const struct purge_key *key, const char *path)
{
	return kind_of(key, path) != KIND_OTHER;
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

static void cut(struct cuts *cuts, const struct splice *splice)
{
	cuts->items = mem_grow(cuts->items, &cuts->cap, cuts->count + 1, sizeof *cuts->items);
	cuts->items[cuts->count++] = *splice;
}

static struct slice name_of(struct cuts *cuts, const struct json *doc, uint32_t node)
{
	STR_AUTO scratch = STR_INIT;

	return arena_copy(cuts->arena, json_name(doc, node, &scratch));
}

static void cut_member(struct cuts *cuts, const struct json *doc, uint32_t node)
{
	const struct splice splice = {.kind = SPLICE_REMOVE, .name = name_of(cuts, doc, node)};

	cut(cuts, &splice);
}

static void cut_entries(struct cuts *cuts, const struct purge_key *key, const struct json *doc)
{
	for (uint32_t n = json_first(doc, JSON_ROOT); n != JSON_NONE; n = json_next(doc, n)) {
		STR_AUTO scratch = STR_INIT;

		if (is_key(key, json_name(doc, n, &scratch)))
			cut_member(cuts, doc, n);
	}
}

static bool member_is_key(const struct purge_key *key, const struct json *doc, uint32_t object,
			  const char *name, bool with_time)
{
	uint32_t node = json_member(doc, object, name);
	STR_AUTO scratch = STR_INIT;
	struct slice text;

	if (node == JSON_NONE || json_type(doc, node) != JSON_STRING)
		return false;
	text = json_string(doc, node, &scratch);
	return is_key(key, with_time ? before_last_at(text) : text);
}

/* Also one that has lost a part, which record_read() would pass over. */
static bool is_record(const struct purge_key *key, const struct json *doc, uint32_t node)
{
	if (json_type(doc, node) != JSON_OBJECT)
		return false;
	if (json_member(doc, node, "originalKey") != JSON_NONE)
		return member_is_key(key, doc, node, "originalKey", false);
	return member_is_key(key, doc, node, "key", true);
}

/* Elements of the lists that choose() chooses. */
static void cut_elements(struct cuts *cuts, const struct purge_key *key, const struct json *doc,
			 uint32_t list,
			 bool (*choose)(const struct purge_key *, const struct json *, uint32_t))
{
	for (uint32_t n = json_first(doc, list); n != JSON_NONE; n = json_next(doc, n)) {
		struct splice splice = {.kind = SPLICE_DROP, .element = n};

		if (!choose(key, doc, n))
			continue;
		splice.path = name_of(cuts, doc, list);
		cut(cuts, &splice);
	}
}

static void cut_records(struct cuts *cuts, const struct purge_key *key, const struct json *doc)
{
	uint32_t list = json_member(doc, JSON_ROOT, category_name(key->category));

	if (list != JSON_NONE && json_type(doc, list) == JSON_ARRAY)
		cut_elements(cuts, key, doc, list, is_record);
}

static bool is_ref(const struct purge_key *key, const struct json *doc, uint32_t node)
{
	STR_AUTO scratch = STR_INIT;

	return json_type(doc, node) == JSON_STRING &&
	       purge_key_has_ref(key, json_string(doc, node, &scratch));
}

/* An end of a link, as a person may have written it: the key alone. */
static bool is_end(const struct purge_key *key, const struct json *doc, uint32_t link,
		   const char *name)
{
	uint32_t node = json_member(doc, link, name);
	STR_AUTO scratch = STR_INIT;
	struct ref end;

	if (!key->bare || node == JSON_NONE || json_type(doc, node) != JSON_STRING)
		return false;
	end = ref_parse(json_string(doc, node, &scratch));
	return end.category == CATEGORY_ANY && is_key(key, end.key);
}

/* A link is an object that names what it links, under whatever names. */
static bool is_link(const struct purge_key *key, const struct json *doc, uint32_t node)
{
	if (is_ref(key, doc, node))
		return true;
	if (json_type(doc, node) != JSON_OBJECT)
		return false;
	for (uint32_t n = json_first(doc, node); n != JSON_NONE; n = json_next(doc, n)) {
		if (is_ref(key, doc, n))
			return true;
	}
	return is_end(key, doc, node, "from") || is_end(key, doc, node, "to");
}

static void cut_links(struct cuts *cuts, const struct purge_key *key, const struct json *doc)
{
	for (uint32_t n = json_first(doc, JSON_ROOT); n != JSON_NONE; n = json_next(doc, n)) {
		STR_AUTO scratch = STR_INIT;

		if (purge_key_has_ref(key, json_name(doc, n, &scratch)) || is_link(key, doc, n))
			cut_member(cuts, doc, n);
		else if (json_type(doc, n) == JSON_ARRAY)
			cut_elements(cuts, key, doc, n, is_link);
	}
}

static enum purged purge_doc(const struct purge_key *key, enum kind kind, const struct json *doc,
			     struct str *out, size_t *count)
{
	struct arena arena = ARENA_INIT;
	struct cuts cuts = {.arena = &arena};
	enum purged result = PURGED_NOT;
	struct err ignored;

	if (kind == KIND_ENTRIES)
		cut_entries(&cuts, key, doc);
	else if (kind == KIND_ARCHIVE)
		cut_records(&cuts, key, doc);
	else
		cut_links(&cuts, key, doc);
	if (cuts.count > 0) {
		result = splice_apply(out, doc, cuts.items, cuts.count, &ignored) == 0
				 ? PURGED_TEXT
				 : PURGED_BROKEN;
		*count += cuts.count;
	}
	free(cuts.items);
	arena_release(&arena);
	return result;
}

static enum purged purge_json(const struct purge_key *key, enum kind kind, struct slice text,
			      struct str *out, size_t *count)
{
	enum purged result = PURGED_NOT;
	struct json_fault fault;
	struct json doc;

	if (json_parse(&doc, text, &json_file_bounds, &fault) != 0)
		return purge_mentions(key, text) ? PURGED_BROKEN : PURGED_NOT;
	if (json_type(&doc, JSON_ROOT) == JSON_OBJECT)
		result = purge_doc(key, kind, &doc, out, count);
	json_release(&doc);
	return result;
}

/* ---- files of lines */

/* A record, or what takes one back and has all of it within: see voided.h. */
static bool is_cold_line(const struct purge_key *key, const struct json *doc)
{
	uint32_t taken_back = json_member(doc, JSON_ROOT, "void");
	uint32_t line = taken_back == JSON_NONE ? JSON_ROOT : taken_back;
	uint32_t category = json_member(doc, line, "category");
	STR_AUTO scratch = STR_INIT;

	return category != JSON_NONE && json_type(doc, category) == JSON_STRING &&
	       slice_is(json_string(doc, category, &scratch), category_name(key->category)) &&
	       is_record(key, doc, line);
}

/* A line that is torn goes when the key stands in it. */
static bool line_goes(const struct purge_key *key, enum kind kind, struct slice line)
{
	struct json_fault fault;
	struct json doc;
	bool goes;

	if (json_parse(&doc, line, &json_file_bounds, &fault) != 0)
		return purge_mentions(key, line);
	goes = kind == KIND_COLD ? is_cold_line(key, &doc) : is_link(key, &doc, JSON_ROOT);
	json_release(&doc);
	return goes;
}

static enum purged purge_lines(const struct purge_key *key, enum kind kind, struct slice text,
			       struct str *out, size_t *count)
{
	size_t gone = 0;

	while (text.len > 0) {
		const char *end = memchr(text.ptr, '\n', text.len);
		size_t len = end ? (size_t)(end - text.ptr) + 1 : text.len;

		if (line_goes(key, kind, slice_make(text.ptr, end ? len - 1 : len)))
			gone++;
		else
			str_add(out, slice_make(text.ptr, len));
		text = slice_make(text.ptr + len, text.len - len);
	}
	*count += gone;
	return gone > 0 ? PURGED_TEXT : PURGED_NOT;
}

enum purged purge_text(const struct purge_key *key, const char *path, struct slice text,
		       struct str *out, size_t *count)
{
	enum kind kind = kind_of(key, path);
	size_t ignored = 0;

	if (kind == KIND_OTHER)
		return PURGED_NOT;
	if (kind == KIND_COLD || kind == KIND_USAGE)
		return purge_lines(key, kind, text, out, count ? count : &ignored);
	return purge_json(key, kind, text, out, count ? count : &ignored);
}

/* ---- messages */

/* What a trailer says of a ref, decoded; absent when the line is no such trailer. */
static struct slice trailer_ref(struct slice line, struct str *scratch, struct json *doc)
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

static void add_form(struct forms *forms, const char *text)
{
	forms->items = mem_grow(forms->items, &forms->cap, forms->count + 1, sizeof *forms->items);
	str_init(&forms->items[forms->count]);
	str_adds(&forms->items[forms->count++], text);
}

static void forms_release(struct forms *forms)
{
	for (size_t i = 0; i < forms->count; i++)
		str_release(&forms->items[i]);
	free(forms->items);
}

static bool is_word_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '-' || (unsigned char)c >= 0x80;
}

/* Length of the longest form that stands at the beginning of a text as a word; 0 for none. */
static size_t match_form(const struct forms *forms, struct slice text)
{
	size_t longest = 0;

	for (size_t i = 0; i < forms->count; i++) {
		size_t len = forms->items[i].len;

		if (len > longest && text.len >= len &&
		    memcmp(text.ptr, forms->items[i].ptr, len) == 0 &&
		    (text.len == len || !is_word_byte(text.ptr[len])))
			longest = len;
	}
	return longest;
}

/* Bytes that another spelling of a key may have beyond those of its identity. */
#define SPELLING_SPARE 32

/* Length of `category:key` at the beginning of a text, in any spelling; 0 for none. */
static size_t match_spelling(const struct purge_key *key, struct slice text)
{
	const char *category = category_name(key->category);
	size_t begin = strlen(category) + 1;
	size_t len = begin + key->identity.len + SPELLING_SPARE;

	if (text.len <= begin || memcmp(text.ptr, category, begin - 1) != 0 ||
	    text.ptr[begin - 1] != ':')
		return 0;
	for (len = len < text.len ? len : text.len; len > begin; len--) {
		if (is_word_byte(text.ptr[len - 1]) &&
		    (len == text.len || !is_word_byte(text.ptr[len])) &&
		    is_key(key, slice_make(text.ptr + begin, len - begin)))
			return len;
	}
	return 0;
}

static bool replace_forms(const struct purge_key *key, const struct forms *forms, struct slice line,
			  struct str *out)
{
	bool changed = false;

	for (size_t i = 0; i < line.len;) {
		struct slice rest = slice_make(line.ptr + i, line.len - i);
		size_t len = match_form(forms, rest);

		if (len == 0)
			len = match_spelling(key, rest);
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
static bool write_line(const struct purge_key *key, const struct forms *forms, struct slice line,
		       struct str *out)
{
	STR_AUTO scratch = STR_INIT;
	struct json doc = {0};
	struct slice ref = trailer_ref(line, &scratch, &doc);
	bool named = ref.ptr && purge_key_has_ref(key, ref);
	bool changed = named;

	if (named)
		str_printf(out, REF_TRAILER "%s:" PURGED, category_name(key->category));
	else if (ref.ptr)
		str_add(out, line);
	else
		changed = replace_forms(key, forms, line, out);
	json_release(&doc);
	return changed;
}

static void collect_form(const struct purge_key *key, struct forms *forms, struct slice line)
{
	STR_AUTO scratch = STR_INIT;
	STR_AUTO visible = STR_INIT;
	struct json doc = {0};
	struct slice ref = trailer_ref(line, &scratch, &doc);

	if (ref.ptr && purge_key_has_ref(key, ref))
		add_form(forms, shown(&visible, ref));
	json_release(&doc);
}

static struct slice next_line(struct slice *text)
{
	const char *end = memchr(text->ptr, '\n', text->len);
	struct slice line = slice_make(text->ptr, end ? (size_t)(end - text->ptr) : text->len);

	*text = slice_make(text->ptr + line.len + (end ? 1 : 0),
			   text->len - line.len - (end ? 1 : 0));
	return line;
}

bool purge_message(const struct purge_key *key, struct slice message, struct str *out)
{
	STR_AUTO visible = STR_INIT;
	struct forms forms = {0};
	bool changed = false;

	add_form(&forms, shown(&visible, str_slice(&key->ref)));
	for (struct slice rest = message; rest.len > 0;)
		collect_form(key, &forms, next_line(&rest));
	for (struct slice rest = message; rest.len > 0;) {
		struct slice line = next_line(&rest);

		changed = write_line(key, &forms, line, out) || changed;
		if (line.ptr + line.len < message.ptr + message.len)
			str_addc(out, '\n');
	}
	forms_release(&forms);
	return changed;
}
