#include "tools/export.h"

#include "base/mem.h"
#include "tools/registry_rows.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const formats[] = {"json", "jsonl", "mcp", "markdown", NULL};

static void (*const writers[])(struct export *export) = {export_json, export_lines, export_graph,
							 export_markdown};

struct export_args {
	int format;
	int category;
	int with_archive;
	int partial;
};

static const struct param params[] = {
	{.name = "format",
	 .type = PARAM_CHOICE,
	 .offset = offsetof(struct export_args, format),
	 .help = "json and jsonl hold all there is; mcp is the memory.jsonl of the reference "
		 "memory server; markdown is for reading",
	 .choices = formats,
	 .fallback = "\"json\""},
	{.name = "category",
	 .type = PARAM_CHOICE,
	 .offset = offsetof(struct export_args, category),
	 .help = "only this category",
	 .choices = category_names},
	{.name = "with_archive",
	 .type = PARAM_BOOL,
	 .offset = offsetof(struct export_args, with_archive),
	 .help = "with what is archived, of the cold archive too"},
	{.name = "partial",
	 .type = PARAM_BOOL,
	 .offset = offsetof(struct export_args, partial),
	 .help = "leave out what cannot be read, and say so, instead of failing"},
};

void export_lose(struct export *export, const char *format, ...)
{
	char sentence[ERR_TEXT_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(sentence, sizeof sentence, format, args);
	va_end(args);
	export->lost = mem_grow(export->lost, &export->lost_cap, export->lost_count + 1,
				sizeof *export->lost);
	export->lost[export->lost_count++] =
		arena_copy(export->call->arena, slice_of(sentence)).ptr;
}

bool export_has_link(const struct export *export, const struct link *link)
{
	return whole_has_end(export->whole, link->from) && whole_has_end(export->whole, link->to);
}

void export_lose_links(struct export *export)
{
	size_t lost = 0;

	for (size_t i = 0; i < export->whole->link_count; i++)
		lost += !export_has_link(export, &export->whole->links[i]);
	if (lost > 0)
		export_lose(export, "not in it: %zu %s, of which an entry is not in it either",
			    lost, lost == 1 ? "link" : "links");
}

static bool is_promoted(const struct item *item)
{
	struct json doc = {0};
	bool promoted;

	common_parse(&doc, item->entry.text);
	promoted = json_member(&doc, JSON_ROOT, "promoted_to") != JSON_NONE;
	json_release(&doc);
	return promoted;
}

/* Notes are files of their own, for people: they are copied as files. */
static void lose_notes(struct export *export)
{
	size_t promoted = 0;

	for (size_t i = 0; i < export->whole->item_count; i++) {
		const struct item *item = &export->whole->items[i];

		promoted += whole_has(export->whole, item->entry.category) && is_promoted(item);
	}
	if (promoted > 0)
		export_lose(export, "not in it: the %s that %zu %s promoted to",
			    promoted == 1 ? "note" : "notes", promoted,
			    promoted == 1 ? "entry was" : "entries were");
}

static void write_sentences(struct json_writer *w, const char *name, const char *const *list,
			    size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (i == 0) {
			json_write_name(w, slice_of(name));
			json_write_array(w);
		}
		json_write_string(w, slice_of(list[i]));
	}
	if (count > 0)
		json_write_end(w);
}

static void write_reply(const struct export *export, const char *format, struct json_writer *w)
{
	json_write_object(w);
	json_write_member_string(w, "format", slice_of(format));
	json_write_member_int(w, "entries", (int64_t) export->entries);
	json_write_member_int(w, "records", (int64_t) export->records);
	json_write_member_int(w, "links", (int64_t) export->links);
	json_write_member_string(w, "text", str_slice(export->out));
	write_sentences(w, "missing", export->whole->missing, export->whole->missing_count);
	write_sentences(w, "lost", export->lost, export->lost_count);
	common_end_reply(w, export->call);
}

/* What cannot be read is no reason to hand out half a store as a whole one. */
static int refuse_half(struct err *err, enum err_code code, const char *why)
{
	STR_AUTO text = STR_INIT;

	str_adds(&text, why);
	return err_set(err, code, "%s; mend it, or have the rest with --partial", text.ptr);
}

static int read_store(struct whole *whole, const struct call *call,
		      const struct whole_choice *choice, struct err *err)
{
	if (whole_read(whole, call, call->store, choice, err) != 0)
		return err->code == ERR_BAD_DATA ? refuse_half(err, ERR_BAD_DATA, err->text) : -1;
	if (!whole->bad_lines || choice->partial)
		return 0;
	refuse_half(err, ERR_BAD_DATA, whole->bad_lines);
	whole_release(whole);
	return -1;
}

static int run(const struct call *call, const void *arguments, struct json_writer *w,
	       struct err *err)
{
	const struct export_args *args = arguments;
	const struct whole_choice choice = {
		.category = args->category,
		.archive = args->with_archive == 1,
		.partial = args->partial == 1,
	};
	STR_AUTO text = STR_INIT;
	struct whole whole;
	struct export export = {.call = call, .whole = &whole, .out = &text};

	if (read_store(&whole, call, &choice, err) != 0)
		return -1;
	writers[args->format](&export);
	lose_notes(&export);
	write_reply(&export, formats[args->format], w);
	free(export.lost);
	whole_release(&whole);
	return 0;
}

const struct tool tool_export = {
	.name = "export",
	.command = "export",
	.title = "Write out what is stored",
	.section = SECTION_OTHERS,
	.summary = "Write what is stored to standard output, for a backup, another machine or "
		   "another program; kota import takes it in again. What a form has no place for "
		   "is said. The store is not touched, and nothing expires.",
	.params = params,
	.param_count = sizeof params / sizeof *params,
	.args_size = sizeof(struct export_args),
	.flags = TOOL_SHELL_ONLY | TOOL_READ_ONLY,
	.run = run,
};
