#include "ops/common.h"
#include "ops/primer.h"
#include "store/files/dir_lock.h"
#include "tools/registry.h"

struct prime_args {
	int64_t budget;
};

/* More than any client takes; and a number that can be added to. */
#define BUDGET_MAX 1000000

static const struct param params[] = {
	{PARAM(INT, prime_args, budget), .help = "most characters to show", .min = 0,
	 .max = BUDGET_MAX, .fallback = "9500"},
};

/*
 * A store data/kota_memory is a project's. What lies elsewhere is the person's own place, or the
 * person named it.
 */
static enum primer_origin prime_origin_of(const struct call *call)
{
	static const char below[] = "data/kota_memory";
	const struct origin *origin = store_origin(call->store);
	const char *path = store_disk(call->store)->path;
	size_t len = strlen(path);
	size_t tail = sizeof below - 1;

	if (origin->kind == ORIGIN_FOREIGN)
		return PRIMER_REPOSITORY;
	if (origin->personal || len < tail || strcmp(path + len - tail, below) != 0)
		return PRIMER_OWN;
	return len == tail || path[len - tail - 1] == '/' ? PRIMER_PROJECT : PRIMER_OWN;
}

static int prime_handle(const struct call *call, const void *arguments, struct json_writer *w,
			struct err *err)
{
	const struct prime_args *args = arguments;
	struct primer primer;

	if (!disk_exists(store_disk(call->store)) ||
	    origin_speaks_unasked(store_origin(call->store))) {
		if (common_refresh(call, err) != 0)
			return -1;
		primer_fill(&primer, call, prime_origin_of(call), (size_t)args->budget);
	} else if (primer_announce(&primer, call, prime_origin_of(call), (size_t)args->budget,
				   err) != 0) {
		return -1;
	}
	json_write_object(w);
	json_write_member_string(w, "text", str_slice(&primer.text));
	json_write_member_int(w, "shown", (int64_t)primer.shown_count);
	json_write_member_int(w, "left_out", (int64_t)primer.left_out);
	common_end_reply(w, call);
	store_shown(call->store, primer.shown, primer.shown_count);
	primer_release(&primer);
	return 0;
}

const struct tool tool_prime = {
	.name = "prime",
	.command = "prime",
	.title = "Begin a session",
	.section = SECTION_MEMORIES,
	.summary = "Show what matters most at the beginning of a session: pinned entries, "
		   "preferences, state, the most used entries, notes of the last conversation. "
		   "What is shown counts as active.",
	TOOL_TAKES(params, prime_args),
	.flags = TOOL_READ_ONLY | TOOL_SHELL_ONLY,
	.run = prime_handle,
};
