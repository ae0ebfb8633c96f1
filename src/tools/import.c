#include "ops/transfer/import_entries.h"
#include "tools/registry.h"

struct import_args {
	struct slice source;
	int format;
	int replace;
	int yes;
	int dry_run;
	int allow_secret;
};

static const struct param params[] = {
	{PARAM(TEXT, import_args, source),
	 .flags = PARAM_REQUIRED | PARAM_NOT_BLANK | PARAM_POSITIONAL | PARAM_EXISTING | PARAM_FILE,
	 .help = "a file that kota export wrote, a store or KOTA folder, a memory.jsonl of the "
		 "reference memory server, Claude Code's memory folder, a Markdown file, or a "
		 "CortexGraph folder; - reads standard input"},
	{PARAM(CHOICE, import_args, format), .help = "the format of the source; default: detected",
	 .choices = import_format_names},
	{PARAM(BOOL, import_args, replace), .help = "where a key has another value, take the value "
						    "of the source; the old one is archived"},
	{PARAM(BOOL, import_args, yes), .help = "do it; default: only show what would be done"},
	{PARAM(BOOL, import_args, dry_run),
	 .help = "only show what would be done, whatever else is given"},
	{PARAM(BOOL, import_args, allow_secret), .help = "also import what holds a secret"},
};

static int import_handle(const struct call *call, const void *arguments, struct json_writer *w,
			 struct err *err)
{
	const struct import_args *args = arguments;
	const struct import_options options = {
		.source = args->source,
		.format = args->format,
		.dry_run = args->yes != 1 || args->dry_run == 1,
		.replace = args->replace == 1,
		.allow_secret = args->allow_secret == 1,
	};

	return import_run(call, &options, w, err);
}

const struct tool tool_import = {
	.name = "import",
	.command = "import",
	.title = "Import memories",
	.section = SECTION_OTHERS,
	.summary = "Import what kota export wrote, or what another memory has kept: entries with "
		   "their times and facts, archive records, links. Shows first what it would do; "
		   "with --yes it does that, as one change. Nothing stored is replaced unasked or "
		   "pushed out; what is left out is named with the reason.",
	TOOL_TAKES(params, import_args),
	.flags = TOOL_SHELL_ONLY | TOOL_IDEMPOTENT,
	.run = import_handle,
};
