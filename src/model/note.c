#include "model/note.h"

#include "base/time.h"
#include "base/utf8.h"
#include "json/write.h"
#include "model/category.h"
#include "model/entry.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <strings.h>

/* Bytes that a name takes of a key. */
#define KEY_MAX 120

/* What a name begins with that cannot be one as it is. */
#define PREFIX "note-"

_Static_assert(KEY_MAX + sizeof PREFIX - 1 <= NOTE_STEM_MAX, "every name fits");

/* ---- the name */

/* Windows keeps these for devices, whatever follows a dot. */
static bool note_is_reserved(struct slice stem)
{
	static const char *const devices[] = {"con", "prn", "aux", "nul", "com", "lpt"};
	const char *dot = memchr(stem.ptr, '.', stem.len);
	size_t len = dot ? (size_t)(dot - stem.ptr) : stem.len;

	for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++) {
		bool numbered = i >= 4;

		if (len == (numbered ? 4u : 3u) && strncasecmp(stem.ptr, devices[i], 3) == 0 &&
		    (!numbered || (stem.ptr[3] >= '0' && stem.ptr[3] <= '9')))
			return true;
	}
	return false;
}

/* Neither hidden nor, on Windows, cut. */
static struct slice note_trim_name(struct slice name)
{
	while (name.len > 0 && strchr(".- ", name.ptr[0]))
		name = slice_make(name.ptr + 1, name.len - 1);
	while (name.len > 0 && strchr(".- ", name.ptr[name.len - 1]))
		name.len--;
	return name;
}

/* The key without what has a meaning or cannot be seen; each run of that is one dash. */
static void note_add_plain(struct str *out, struct slice key)
{
	bool gap = false;
	size_t at = 0;

	while (at < key.len) {
		uint32_t c = utf8_next(key, &at);

		/* Invisible characters. */
		if (utf8_is_ignorable(c) || (c >= 0x80 && c < 0xa0) || c == 0x2028 || c == 0x2029 ||
		    (c >= 0xfff9 && c <= 0xffff) || (c & 0xfffe) == 0xfffe)
			continue;
		/* Characters with a meaning to a file system, a shell, or a link between notes. */
		if (c < ' ' || c == 0x7f || blank_is(c) ||
		    (c < 0x80 && strchr("/\\:*?\"<>|#^[]%&$`'!{}~;=@,", (int)c))) {
			gap = out->len > 0;
			continue;
		}
		if (gap)
			str_addc(out, '-');
		gap = false;
		utf8_add(out, c);
	}
}

/* The first bytes that hold whole characters. */
static struct slice note_cut_bytes(struct slice text, size_t most)
{
	if (text.len <= most)
		return text;
	while (most > 0 && ((unsigned char)text.ptr[most] & 0xc0) == 0x80)
		most--;
	return slice_make(text.ptr, most);
}

void note_stem(struct str *out, struct slice key)
{
	STR_AUTO plain = STR_INIT;

	note_add_plain(&plain, key);
	struct slice stem = note_trim_name(
		note_cut_bytes(note_trim_name(str_slice(&plain)), KEY_MAX));
	if (stem.len == 0 || note_is_reserved(stem))
		str_adds(out, stem.len == 0 ? "note" : PREFIX);
	str_add(out, stem);
}

/* ---- the text */

/*
 * A text in quotes that YAML and JSON read alike: what YAML does not take as it is stands as
 * \uNNNN, or, beyond that, as the character that stands for what is lost.
 */
static void note_add_quoted(struct str *out, struct slice text)
{
	size_t at = 0;

	str_addc(out, '"');
	while (at < text.len) {
		uint32_t c = utf8_next(text, &at);

		if (c == '"' || c == '\\')
			str_printf(out, "\\%c", (int)c);
		else if (c == '\n')
			str_adds(out, "\\n");
		else if (c == '\t')
			str_adds(out, "\\t");
		else if (c > 0xffff && (c & 0xfffe) == 0xfffe)
			utf8_add(out, 0xfffd);
		else if (c < ' ' || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029 ||
			 c == 0xfeff || c == 0xfffe || c == 0xffff)
			str_printf(out, "\\u%04x", c);
		else
			utf8_add(out, c);
	}
	str_addc(out, '"');
}

static void note_add_text(struct str *out, const char *name, struct slice text)
{
	str_printf(out, "%s: ", name);
	note_add_quoted(out, text);
	str_addc(out, '\n');
}

static void note_add_time(struct str *out, const char *name, int64_t ms)
{
	char text[TIMESTAMP_SIZE];

	if (ms == TIME_NONE)
		return;
	timestamp_format(ms, text);
	str_printf(out, "%s: %s\n", name, text);
}

/* The texts of a list, cleaned; nothing where there are none. */
static void note_add_list(struct str *out, const char *name, struct slice list,
			  void (*clean)(struct slice text, struct str *out))
{
	STR_AUTO all = STR_INIT;
	STR_AUTO scratch = STR_INIT;
	struct json doc = {0};

	if (!list.ptr)
		return;
	known_parse(&doc, list);
	for (uint32_t n = json_type(&doc, JSON_ROOT) == JSON_ARRAY ? json_first(&doc, JSON_ROOT)
								   : JSON_NONE;
	     n != JSON_NONE; n = json_next(&doc, n)) {
		STR_AUTO text = STR_INIT;
		STR_AUTO quoted = STR_INIT;

		if (json_type(&doc, n) != JSON_STRING)
			continue;
		clean(json_string(&doc, n, &scratch), &text);
		note_add_quoted(&quoted, str_slice(&text));
		if (text.len == 0 || memmem(all.ptr, all.len, quoted.ptr, quoted.len))
			continue;
		str_adds(&all, all.len ? ", " : "");
		str_add(&all, str_slice(&quoted));
	}
	json_release(&doc);
	if (all.len)
		str_printf(out, "%s: [%s]\n", name, all.ptr);
}

static void note_add_front(struct str *out, const struct note_facts *facts)
{
	str_adds(out, "---\n");
	note_add_text(out, "title", facts->key);
	note_add_text(out, "ref", facts->ref);
	note_add_list(out, "tags", facts->tags, tag_clean);
	note_add_list(out, "entities", facts->entities, entity_clean);
	note_add_time(out, "created", facts->created_ms);
	note_add_time(out, "updated", facts->updated_ms);
	note_add_time(out, "promoted", facts->promoted_ms);
	if (isfinite(facts->score))
		str_printf(out, "score: %.4f\n", facts->score);
	str_printf(out, "uses: %" PRId64 "\n---\n\n", facts->uses);
}

/* A fence that nothing inside can close. */
static void note_add_fence(struct str *out, struct slice text)
{
	size_t longest = 2;
	size_t run = 0;

	for (size_t i = 0; i < text.len; i++) {
		run = text.ptr[i] == '`' ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	for (size_t i = 0; i <= longest; i++)
		str_addc(out, '`');
}

static void note_add_value(struct str *out, struct slice value)
{
	STR_AUTO scratch = STR_INIT;
	STR_AUTO block = STR_INIT;
	JSON_AUTO doc = {0};

	known_parse(&doc, value);
	enum json_type type = json_type(&doc, JSON_ROOT);
	if (type == JSON_OBJECT || type == JSON_ARRAY) {
		struct json_writer w = json_writer_to(&block, &json_pretty);

		json_write_value(&w, &doc, JSON_ROOT);
		note_add_fence(out, str_slice(&block));
		str_printf(out, "json\n%s\n", block.ptr);
		note_add_fence(out, str_slice(&block));
		str_addc(out, '\n');
	} else {
		str_add(out, type == JSON_STRING ? json_string(&doc, JSON_ROOT, &scratch)
						 : json_text(&doc, JSON_ROOT));
		if (out->ptr[out->len - 1] != '\n')
			str_addc(out, '\n');
	}
}

static void note_add_body(struct str *out, const struct note_facts *facts)
{
	struct slice title = blank_trim(facts->key);

	/* A heading is one line. */
	str_adds(out, "# ");
	utf8_add_visible(out, title.len ? title : facts->key, false);
	str_adds(out, "\n\n");
	note_add_value(out, facts->value);
}

void note_compose(struct str *out, const struct note_facts *facts)
{
	note_add_front(out, facts);
	note_add_body(out, facts);
}

/* The lines of the front matter that follow the entry. */
static void note_add_line(struct str *out, const struct note_facts *facts, int line)
{
	if (line == 0)
		note_add_text(out, "title", facts->key);
	else if (line == 1)
		note_add_text(out, "ref", facts->ref);
	else if (line == 2)
		note_add_list(out, "tags", facts->tags, tag_clean);
	else if (line == 3)
		note_add_list(out, "entities", facts->entities, entity_clean);
	else
		note_add_time(out, "updated", facts->updated_ms);
}

#define NOTE_LINES 5

/* Adds the front matter with those of its lines replaced that are as they were made. */
static void note_add_front_again(struct str *out, struct slice front, const struct note_facts *old,
				 const struct note_facts *now)
{
	struct slice line;

	while (slice_line(&front, &line)) {
		STR_AUTO whole = STR_INIT;
		bool made = false;

		str_add(&whole, line);
		str_addc(&whole, '\n');
		for (int l = 0; l < NOTE_LINES && !made; l++) {
			STR_AUTO before = STR_INIT;

			note_add_line(&before, old, l);
			made = slice_equal(str_slice(&before), str_slice(&whole));
			if (made)
				note_add_line(out, now, l);
		}
		if (!made)
			str_add(out, str_slice(&whole));
	}
}

bool note_rewrite(struct slice text, const struct note_facts *old, const struct note_facts *now,
		  struct str *out)
{
	static const char end[] = "\n---\n\n";
	const char *front_end = text.len > 0 ? memmem(text.ptr, text.len, end, sizeof end - 1)
					     : NULL;
	STR_AUTO body = STR_INIT;

	if (!front_end)
		return false;
	size_t front = (size_t)(front_end - text.ptr) + sizeof end - 1;
	note_add_body(&body, old);
	if (!slice_equal(str_slice(&body), slice_make(text.ptr + front, text.len - front)))
		return false;
	note_add_front_again(out, slice_make(text.ptr, front), old, now);
	note_add_body(out, now);
	return true;
}

bool note_is_of(struct slice text, struct slice ref)
{
	static const char end[] = "\n---\n";
	const char *front_end = text.len > 0 ? memmem(text.ptr, text.len, end, sizeof end - 1)
					     : NULL;
	STR_AUTO line = STR_INIT;

	str_addc(&line, '\n');
	note_add_text(&line, "ref", ref);
	return front_end &&
	       memmem(text.ptr, (size_t)(front_end - text.ptr) + 1, line.ptr, line.len);
}

/* What stands behind `name:` in the front matter; absent when there is no such line. */
static struct slice note_front_line(struct slice text, const char *name)
{
	static const char end[] = "\n---";
	const char *front_end = text.len > 0 ? memmem(text.ptr, text.len, end, sizeof end - 1)
					     : NULL;
	STR_AUTO begin = STR_INIT;

	str_printf(&begin, "\n%s:", name);
	const char *found = front_end ? memmem(text.ptr, (size_t)(front_end - text.ptr), begin.ptr,
					       begin.len)
				      : NULL;
	if (!found)
		return slice_of(NULL);
	found += begin.len;
	const char *stop = memchr(found, '\n', (size_t)(front_end - found));
	return blank_trim(slice_make(found, (size_t)((stop ? stop : front_end) - found)));
}

bool note_ref(struct slice text, struct str *out)
{
	struct slice line = note_front_line(text, "ref");
	STR_AUTO scratch = STR_INIT;
	struct json_fault fault;
	struct json doc;

	str_clear(out);
	if (line.len > 0 && json_parse(&doc, line, &json_line_bounds, &fault) == 0) {
		str_add(out, json_type(&doc, JSON_ROOT) == JSON_STRING
				     ? json_string(&doc, JSON_ROOT, &scratch)
				     : line);
		json_release(&doc);
	} else {
		/* A person may have removed the quotes. */
		str_add(out, line);
	}
	return out->len > 0;
}

int64_t note_promoted(struct slice text)
{
	int64_t ms;

	return timestamp_parse(note_front_line(text, "promoted"), false, &ms) ? ms : TIME_NONE;
}
