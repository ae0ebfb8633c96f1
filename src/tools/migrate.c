#include "ops/transfer/import_entries.h"
#include "tools/registry.h"

struct migrate_args {
	struct slice source;
	int dry_run;
	int allow_secret;
};

static const struct param params[] = {
	{PARAM(TEXT, migrate_args, source),
	 .flags = PARAM_REQUIRED | PARAM_NOT_BLANK | PARAM_POSITIONAL | PARAM_EXISTING | PARAM_FILE,
	 .help = "as for kota import"},
	{PARAM(BOOL, migrate_args, dry_run), .help = "only show what would be imported",
	 .fallback = "false"},
	{PARAM(BOOL, migrate_args, allow_secret), .help = "also import what holds a secret"},
};

static int migrate_handle(const struct call *call, const void *arguments, struct json_writer *w,
			  struct err *err)
{
	const struct migrate_args *args = arguments;
	const struct import_options options = {
		.source = args->source,
		.format = -1,
		.dry_run = args->dry_run == 1,
		.allow_secret = args->allow_secret == 1,
	};

	return import_run(call, &options, w, err);
}

const struct tool tool_migrate = {
	.name = "migrate",
	.command = "migrate",
	.title = "The same as import --yes",
	.section = SECTION_OTHERS,
	.summary = "Import what another memory has kept, at once; the same as kota import SOURCE "
		   "--yes. Nothing stored is replaced or pushed out; what is left out is named "
		   "with the reason. It is one change and can be run again.",
	TOOL_TAKES(params, migrate_args),
	.flags = TOOL_SHELL_ONLY | TOOL_IDEMPOTENT,
	.run = migrate_handle,
};
