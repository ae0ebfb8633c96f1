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
	 .flags = PARAM_REQUIRED | PARAM_NOT_BLANK | PARAM_POSITIONAL | PARAM_EXISTING |
		  PARAM_FILE,
	 .help = "a file that kota export wrote, another store or KOTA folder, a memory.jsonl of "
		 "the reference memory server, Claude Code's memory folder or a Markdown file, a "
		 "folder of CortexGraph; - is standard input"},
	{PARAM(CHOICE, import_args, format),
	 .help = "what the source is, where that cannot be seen", .choices = import_format_names},
	{PARAM(BOOL, import_args, replace),
	 .help = "where another value is stored, take the source's; the old one is archived"},
	{PARAM(BOOL, import_args, yes),
	 .help = "do it; without this it is only said what would be done"},
	{PARAM(BOOL, import_args, dry_run),
	 .help = "only say what would be done, whatever else is given"},
	{PARAM(BOOL, import_args, allow_secret), .help = "take what holds a secret, too"},
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
	.title = "Take in another memory",
	.section = SECTION_OTHERS,
	.summary = "Take in what was exported, or what another memory has kept: entries with their "
		   "times and facts, archive records, links. First it says what it would do; with "
		   "--yes it does that, as one change. Nothing that is here is pushed out, nor "
		   "replaced unasked; what is not taken is named with the reason.",
	TOOL_TAKES(params, import_args),
	.flags = TOOL_SHELL_ONLY | TOOL_IDEMPOTENT,
	.run = import_handle,
};
