#include "base/utf8.h"
#include "ops/common.h"
#include "ops/primer.h"
#include "tools/registry.h"

struct prime_args {
	int64_t budget;
	int source;
	struct slice since;
};

/* More than any client takes; and a number that can be added to. */
#define BUDGET_MAX 1000000

/* In the order of enum primer_source. */
static const char *const sources[] = {"startup", "clear", "resume", "compact", NULL};

static const struct param params[] = {
	{PARAM(INT, prime_args, budget), .help = "most characters to show", .min = 0,
	 .max = BUDGET_MAX, .fallback = "8000"},
	{PARAM(CHOICE, prime_args, source), .choices = sources, .fallback = "\"startup\"",
	 .help = "what the session begins for"},
	{PARAM(TEXT, prime_args, since),
	 .help = "ISO 8601 time; with resume, what changed later is shown"},
};

static int prime_handle(const struct call *call, const void *arguments, struct json_writer *w,
			struct err *err)
{
	const struct prime_args *args = arguments;
	struct primer_wish wish = {
		.source = (enum primer_source)args->source,
		.since_ms = TIME_NONE,
		.budget = (size_t)args->budget,
	};
	struct primer primer;
	STR_AUTO scratch = STR_INIT;

	if (args->since.ptr && !timestamp_parse(blank_trim(args->since), true, &wish.since_ms))
		return err_set(err, ERR_BAD_VALUE,
			       "since: \"%s\" is not a time with an offset, like "
			       "2026-11-21T09:30:00+01:00",
			       shown(&scratch, args->since));
	if (primer_tell(&primer, call, &wish, err) != 0)
		return -1;
	json_write_object(w);
	json_write_member_string(w, "text", str_slice(&primer.text));
	json_write_member_int(w, "shown", (int64_t)primer.shown_count);
	json_write_member_int(w, "left_out", (int64_t)primer.left_out);
	common_end_reply(w, call);
	primer_keep(call, primer.shown, primer.shown_count);
	primer_release(&primer);
	return 0;
}

const struct tool tool_prime = {
	.name = "prime",
	.command = "prime",
	.title = "Begin a session",
	.section = SECTION_MEMORIES,
	.summary = "Show what matters at the beginning of a session: pinned entries, the last "
		   "conversation, what matters most, rules, current work, people, shorthands, "
		   "habits. Shown preferences, people, habits and shorthands count as active.",
	TOOL_TAKES(params, prime_args),
	.flags = TOOL_READ_ONLY | TOOL_SHELL_ONLY,
	.run = prime_handle,
};
