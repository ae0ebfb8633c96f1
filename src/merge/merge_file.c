#include "merge/merge_file.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "merge/base_list.h"
#include "merge/merge_lines.h"
#include "merge/merge_members.h"
#include "merge/merge_records.h"

#include <stdlib.h>

/* The last part of a path; the rest, without the slash, goes to *folder. */
static struct slice merge_base_name(struct slice path, struct slice *folder)
{
	const char *slash = memrchr(path.ptr, '/', path.len);
	size_t at = slash ? (size_t)(slash - path.ptr) : 0;

	*folder = slice_make(path.ptr, at);
	return slash ? slice_make(slash + 1, path.len - at - 1) : path;
}

static struct slice merge_without_suffix(struct slice name)
{
	return slice_ends(name, ".json") ? slice_make(name.ptr, name.len - strlen(".json")) : name;
}

enum merge_kind merge_kind_of(struct slice path)
{
	static const struct {
		const char *name;
		enum merge_kind kind;
	} files[] = {
		{"archive.json", MERGE_ARCHIVE},   {"relations.json", MERGE_RELATIONS},
		{"activity.json", MERGE_ACTIVITY}, {"config.json", MERGE_CONFIG},
		{"synonyms.json", MERGE_SYNONYMS}, {".kota", MERGE_FORMAT},
		{".gitignore", MERGE_NOTE},        {"purged.jsonl", MERGE_LOG},
	};
	struct slice folder;
	struct slice above;
	struct slice name = merge_base_name(path, &folder);
	struct slice inside = merge_base_name(folder, &above);

	if (slice_is(inside, "archive.cold") && slice_ends(name, ".jsonl"))
		return MERGE_LOG;
	if (slice_is(inside, "notes") && slice_ends(name, ".md"))
		return MERGE_NOTE;
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		if (slice_is(name, files[i].name))
			return files[i].kind;
	}
	if (slice_ends(name, ".json") &&
	    slice_index(merge_without_suffix(name), category_names) >= 0)
		return MERGE_CATEGORY;
	return MERGE_NOT_OURS;
}

/* Merges what has been parsed, and puts its text into *out. */
static int merge_parsed(enum merge_kind kind, struct slice name, const struct merge_docs *docs,
			const struct merge_options *options, struct str *out,
			struct merge_report *report, struct err *err)
{
	static const enum members_rule rules[] = {
		[MERGE_RELATIONS] = MEMBERS_LINKS,
		[MERGE_ACTIVITY] = MEMBERS_GREATER,
		[MERGE_CONFIG] = MEMBERS_SETTINGS,
		[MERGE_SYNONYMS] = MEMBERS_WORDS,
	};
	struct skeleton skeleton = {.doc = &docs->a};
	int result = 0;

	if (kind == MERGE_CATEGORY)
		category_merge(docs, name, options, &skeleton, report);
	else if (kind == MERGE_ARCHIVE)
		result = records_merge(docs, options->in_entry ? NULL : report, &skeleton, err);
	else
		members_merge(docs, rules[kind], name, &skeleton, report);
	if (result == 0)
		return skeleton_write(&skeleton, out, err);
	skeleton_release(&skeleton);
	return result;
}

/* The side that alone changed the file, or both did so alike: its text as it is, byte by byte. */
static struct slice merge_trivial(const struct merge_texts *texts)
{
	if (slice_equal(texts->ours, texts->theirs))
		return texts->ours;
	if (texts->base_count != 1)
		return slice_of(NULL);
	if (slice_equal(texts->bases[0], texts->ours))
		return texts->theirs;
	return slice_equal(texts->bases[0], texts->theirs) ? texts->ours : slice_of(NULL);
}

static bool merge_is_blank(struct slice text)
{
	for (size_t i = 0; i < text.len; i++) {
		if (!strchr(" \t\r\n", text.ptr[i]) || text.ptr[i] == '\0')
			return false;
	}
	return true;
}

static int merge_parse_text(struct canon *out, struct slice text, const char *whose,
			    struct err *err)
{
	struct json_fault fault;

	if (canon_parse(out, merge_is_blank(text) ? slice_of("{}\n") : text, &fault) != 0)
		return err_set(err, ERR_BAD_DATA, "%s:%u:%u: %s", whose, fault.line, fault.column,
			       fault.what);
	if (!part_is(part_root(out), JSON_OBJECT)) {
		canon_release(out);
		return err_set(err, ERR_BAD_DATA, "%s:1:1: the file must be an object, in { and }",
			       whose);
	}
	return 0;
}

/* An empty file where there were entries is a slip: {} says that all are to go. */
static int merge_check_side(const struct merge_texts *texts, struct slice side, const char *whose,
			    struct err *err)
{
	for (size_t i = 0; side.ptr && merge_is_blank(side) && i < texts->base_count; i++) {
		if (!merge_is_blank(texts->bases[i]))
			return err_set(err, ERR_BAD_DATA,
				       "%s:1:1: the file is empty; {} is one without entries",
				       whose);
	}
	return 0;
}

static void merge_release_docs(struct merge_docs *docs)
{
	for (size_t i = 0; i < docs->count; i++)
		canon_release(&docs->bases[i]);
	free(docs->bases);
	canon_release(&docs->a);
	canon_release(&docs->b);
	*docs = (struct merge_docs){0};
}

/*
 * Parses them. Returns 0 and *out owns memory: merge_release_docs(). ERR_BAD_DATA with "ours",
 * "theirs" or "the base", line and column where one is no JSON object, or a side is blank.
 */
static int merge_open_docs(struct merge_docs *out, const struct merge_texts *texts, struct err *err)
{
	struct merge_docs docs = {.count = texts->base_count};
	int result;

	if (merge_check_side(texts, texts->ours, "ours", err) != 0 ||
	    merge_check_side(texts, texts->theirs, "theirs", err) != 0)
		return -1;
	docs.bases = mem_zalloc(texts->base_count, sizeof *docs.bases);
	result = merge_parse_text(&docs.a, texts->ours, "ours", err);
	if (result == 0)
		result = merge_parse_text(&docs.b, texts->theirs, "theirs", err);
	for (size_t i = 0; result == 0 && i < texts->base_count; i++)
		result = merge_parse_text(&docs.bases[i], texts->bases[i], "the base", err);
	if (result != 0) {
		merge_release_docs(&docs);
		return -1;
	}
	*out = docs;
	return 0;
}

/* Merges one JSON file. Also one that only one side changed is checked: a broken one goes nowhere.
 */
static int merge_json(enum merge_kind kind, struct slice name, const struct merge_texts *texts,
		      const struct merge_options *options, struct str *out,
		      struct merge_report *report, struct err *err)
{
	struct slice trivial = merge_trivial(texts);
	bool adds = kind == MERGE_ARCHIVE && !options->in_entry && report->count;
	struct merge_docs docs;
	int result;

	if (!texts->ours.ptr && !texts->theirs.ptr && !adds) {
		str_clear(out);
		return 0;
	}
	result = merge_open_docs(&docs, texts, err);
	if (result != 0)
		return -1;
	docs.favored = options->favored;
	if (trivial.ptr && !adds) {
		str_clear(out);
		str_add(out, trivial);
	} else {
		result = merge_parsed(kind, name, &docs, options, out, report, err);
	}
	merge_release_docs(&docs);
	return result;
}

/* The number that a text ends with; of one that has none the least. */
static long merge_number(struct slice text)
{
	STR_AUTO number = STR_INIT;
	size_t from;

	text = blank_trim(text);
	from = text.len;
	while (from > 0 && text.ptr[from - 1] >= '0' && text.ptr[from - 1] <= '9')
		from--;
	str_add(&number, slice_make(text.ptr + from, text.len - from));
	return number.len ? strtol(number.ptr, NULL, 10) : -1;
}

static int merge_any(struct slice path, const struct merge_texts *texts,
		     const struct merge_options *options, struct str *out,
		     struct merge_report *report, struct err *err)
{
	enum merge_kind kind = merge_kind_of(path);
	struct slice folder;
	struct slice name = merge_base_name(path, &folder);
	STR_AUTO scratch = STR_INIT;

	switch (kind) {
	case MERGE_NOT_OURS:
		return err_set(err, ERR_BAD_VALUE, "%s is no file of a store",
			       shown(&scratch, name));
	case MERGE_LOG:
		lines_merge_log(texts, out);
		return 0;
	case MERGE_NOTE:
		lines_merge_text(texts, out);
		return 0;
	case MERGE_FORMAT:
		/* Where a newer program has converted one side, the store has the newer format. */
		str_clear(out);
		str_add(out, merge_number(texts->theirs) > merge_number(texts->ours) ? texts->theirs
										     : texts->ours);
		return 0;
	case MERGE_CATEGORY:
	case MERGE_ARCHIVE:
	case MERGE_RELATIONS:
	case MERGE_ACTIVITY:
	case MERGE_CONFIG:
	case MERGE_SYNONYMS:
		break;
	}
	return merge_json(kind, merge_without_suffix(name), texts, options, out, report, err);
}

int merge_file(struct slice path, const struct merge_texts *texts, size_t entry_bytes,
	       struct str *out, struct merge_report *report, struct err *err)
{
	const struct merge_options options = {.entry_bytes = entry_bytes, .in_entry = true};
	struct merge_texts apart = *texts;
	struct base_list bases = {0};
	int result;

	*report = (struct merge_report){0};
	for (size_t i = 0; i < texts->base_count; i++)
		base_list_split(&bases, texts->bases[i]);
	apart.bases = bases.list;
	apart.base_count = bases.count;
	result = merge_any(path, &apart, &options, out, report, err);
	base_list_release(&bases);
	return result;
}

int merge_bases(struct slice path, const struct merge_texts *texts, struct str *out,
		struct err *err)
{
	ARENA_AUTO arena = ARENA_INIT;
	struct base_list before = {0};
	struct base_list ours = {0};
	struct base_list theirs = {0};
	struct base_list merged = {0};
	STR_AUTO text = STR_INIT;
	int result = 0;

	for (size_t i = 0; i < texts->base_count; i++)
		base_list_split(&before, texts->bases[i]);
	base_list_split(&ours, texts->ours);
	base_list_split(&theirs, texts->theirs);
	for (size_t i = 0; result == 0 && i < 2 * ours.count * theirs.count; i++) {
		const struct merge_options options = {.favored = i % 2 ? PICK_B : PICK_A};
		const struct merge_texts pair = {before.list, before.count,
						 ours.list[i / 2 / theirs.count],
						 theirs.list[i / 2 % theirs.count]};
		struct merge_report none = {0};

		result = merge_any(path, &pair, &options, &text, &none, err);
		base_list_add(&merged, arena_copy(&arena, str_slice(&text)));
		merge_report_release(&none);
	}
	if (result == 0)
		base_list_join(&merged, out);
	base_list_release(&before);
	base_list_release(&ours);
	base_list_release(&theirs);
	base_list_release(&merged);
	return result;
}

int merge_step(struct slice path, const struct merge_texts *texts, struct str *out, struct err *err)
{
	const struct merge_options options = {.in_entry = false};
	struct merge_report dropped = {0};
	int result = merge_any(path, texts, &options, out, &dropped, err);

	merge_report_release(&dropped);
	return result;
}

int merge_store(const struct merge_texts texts[MERGE_STORE_FILES], size_t entry_bytes,
		struct str out[MERGE_STORE_FILES], struct merge_report *report, struct err *err)
{
	const struct merge_options options = {.entry_bytes = entry_bytes};
	struct str merged[MERGE_STORE_FILES];
	int result = 0;

	*report = (struct merge_report){0};
	for (size_t i = 0; i < MERGE_STORE_FILES; i++)
		str_init(&merged[i]);
	for (size_t i = 0; result == 0 && i < MERGE_STORE_FILES; i++) {
		bool archive = i == CATEGORY_COUNT;
		const char *name = archive ? "archive" : category_name((enum category)i);

		result = merge_json(archive ? MERGE_ARCHIVE : MERGE_CATEGORY, slice_of(name),
				    &texts[i], &options, &merged[i], report, err);
		if (result != 0)
			err_prefix(err, "%s.json", name);
	}
	for (size_t i = 0; i < MERGE_STORE_FILES; i++) {
		if (result == 0) {
			str_release(&out[i]);
			out[i] = merged[i];
		} else {
			str_release(&merged[i]);
		}
	}
	return result;
}
