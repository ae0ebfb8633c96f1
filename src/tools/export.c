#include "ops/transfer/export.h"
#include "tools/registry.h"

#include <stdlib.h>

struct export_args {
	int format;
	int category;
	int with_archive;
	int partial;
};

static const struct param params[] = {
	{PARAM(CHOICE, export_args, format),
	 .help = "json and jsonl hold everything; mcp is the memory.jsonl of the reference memory "
		 "server; markdown is for reading",
	 .choices = export_format_names, .fallback = "\"json\""},
	{PARAM(CHOICE, export_args, category), .help = "only this category; default: all",
	 .choices = category_names},
	{PARAM(BOOL, export_args, with_archive),
	 .help = "include the archive and the cold archive"},
	{PARAM(BOOL, export_args, partial),
	 .help = "skip what cannot be read, and say so, instead of failing"},
};

static void export_write_sentences(struct json_writer *w, const char *name, const char *const *list,
				   size_t count)
{
	if (count == 0)
		return;
	json_write_member_array(w, name);
	for (size_t i = 0; i < count; i++)
		json_write_string(w, slice_of(list[i]));
	json_write_end(w);
}

static void export_write_reply(const struct export *export, const char *format,
			       struct json_writer *w)
{
	json_write_object(w);
	json_write_member_string(w, "format", slice_of(format));
	json_write_member_int(w, "entries", (int64_t) export->entries);
	json_write_member_int(w, "records", (int64_t) export->records);
	json_write_member_int(w, "links", (int64_t) export->links);
	json_write_member_string(w, "text", str_slice(export->out));
	export_write_sentences(w, "missing", export->whole->missing, export->whole->missing_count);
	export_write_sentences(w, "lost", export->lost, export->lost_count);
	common_end_reply(w, export->call);
}

/* What cannot be read is no reason to hand out half a store as a whole one. */
static int export_read(struct whole *whole, const struct call *call,
		       const struct whole_choice *choice, struct err *err)
{
	struct err why;

	if (whole_read(whole, call, call->store, choice, &why) != 0) {
		if (why.code != ERR_BAD_DATA) {
			*err = why;
			return -1;
		}
	} else if (!whole->bad_lines || choice->partial) {
		return 0;
	} else {
		err_set(&why, ERR_BAD_DATA, "%s", whole->bad_lines);
		whole_release(whole);
	}
	return err_set(err, ERR_BAD_DATA, "%s; fix it, or export the rest with --partial",
		       why.text);
}

static int export_handle(const struct call *call, const void *arguments, struct json_writer *w,
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

	if (export_read(&whole, call, &choice, err) != 0)
		return -1;
	export_write(&export, (enum export_format)args->format);
	export_write_reply(&export, export_format_names[args->format], w);
	free(export.lost);
	whole_release(&whole);
	return 0;
}

const struct tool tool_export = {
	.name = "export",
	.command = "export",
	.title = "Export the store",
	.section = SECTION_OTHERS,
	.summary = "Write what is stored to standard output, for a backup, another machine or "
		   "another program; kota import reads it back. Reports what a format has no place "
		   "for. Changes nothing, and nothing expires.",
	TOOL_TAKES(params, export_args),
	.flags = TOOL_SHELL_ONLY | TOOL_READ_ONLY,
	.run = export_handle,
};
