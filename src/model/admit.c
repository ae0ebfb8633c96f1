#include "model/admit.h"

#include "base/shown.h"
#include "model/entry.h"

#include <inttypes.h>

static int check_depth(struct slice text, struct err *err)
{
	struct json_fault fault;
	struct json doc;
	uint32_t depth;

	if (json_parse(&doc, text, &json_file_bounds, &fault) != 0)
		return err_set(err, ERR_BAD_VALUE, "value: not valid JSON: %s", fault.what);
	depth = json_depth(&doc, json_member(&doc, JSON_ROOT, "value"));
	json_release(&doc);
	if (depth <= VALUE_DEPTH_MAX)
		return 0;
	return err_set(err, ERR_TOO_LARGE, "value: nested %" PRIu32 " deep; at most %d is kept",
		       depth, VALUE_DEPTH_MAX);
}

int admit_entry(struct slice key, struct slice text, size_t old_size,
		const struct settings *settings, struct err *err)
{
	STR_AUTO scratch = STR_INIT;
	size_t size;

	if (check_depth(text, err) != 0)
		return -1;
	size = entry_size(text);
	if ((int64_t)size <= settings->entry_bytes || size <= old_size)
		return 0;
	return err_set(err, ERR_TOO_LARGE,
		       "the entry \"%s\" would have %zu bytes; the limit is %" PRId64
		       " (limits.entry_bytes): shorten it or split it",
		       shown(&scratch, key), size, settings->entry_bytes);
}
