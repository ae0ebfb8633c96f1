#include "cli/edit/edited.h"

#include "base/utf8.h"
#include "cli/streams.h"

#include <inttypes.h>

/* So many names are given before the rest is counted. */
#define NAMES_SHOWN 5

static void add_names(struct str *out, const struct revise_list *list)
{
	STR_AUTO scratch = STR_INIT;

	for (size_t i = 0; i < list->count && i < NAMES_SHOWN; i++)
		str_printf(out, "%s%s", i > 0 ? ", " : "", shown(&scratch, list->items[i]));
	if (list->count > NAMES_SHOWN)
		str_printf(out, " and %zu more", list->count - NAMES_SHOWN);
}

static void add_deed(struct str *out, const char *verb, const struct revise_list *list)
{
	if (list->count == 0)
		return;
	str_printf(out, "%s ", verb);
	add_names(out, list);
	str_addc(out, '\n');
}

static void say(struct run *run, const char *before, const struct revise_list *list,
		const char *behind)
{
	STR_AUTO line = STR_INIT;

	if (list->count == 0)
		return;
	str_adds(&line, before);
	add_names(&line, list);
	str_adds(&line, behind);
	streams_say(run->cli, run->command, str_slice(&line));
}

static bool is_among(const struct revise_list *list, struct slice ref)
{
	for (size_t i = 0; i < list->count; i++) {
		if (slice_equal(list->items[i], ref))
			return true;
	}
	return false;
}

static void say_size(struct run *run, const struct item *item, int64_t limit)
{
	size_t size = entry_size(item->entry.text);
	STR_AUTO scratch = STR_INIT;
	STR_AUTO line = STR_INIT;

	if (size <= (size_t)limit)
		return;
	str_printf(&line,
		   "warning: %s has %zu bytes, over the limit of %" PRId64
		   ": it stays, and may only shrink",
		   shown(&scratch, item->ref), size, limit);
	streams_say(run->cli, run->command, str_slice(&line));
}

/* What a person wrote over a limit stays, but nobody should be surprised. */
static void say_limits(struct run *run, struct store *store, const struct revise_report *report)
{
	int64_t counts[CATEGORY_COUNT] = {0};
	STR_AUTO line = STR_INIT;
	struct settings settings;
	struct err ignored;
	size_t count;
	const struct item *items = store_items(store, &count);

	if (store_settings(store, &settings, &ignored) != 0)
		return;
	for (size_t i = 0; i < count; i++) {
		counts[items[i].entry.category]++;
		if (is_among(&report->changed, items[i].ref) ||
		    is_among(&report->added, items[i].ref))
			say_size(run, &items[i], settings.entry_bytes);
	}
	for (int c = 0; c < CATEGORY_COUNT && report->added.count > 0; c++) {
		if (counts[c] <= settings.entries_per_category)
			continue;
		str_clear(&line);
		str_printf(&line,
			   "warning: %s has %" PRId64 " entries, over the limit of %" PRId64
			   ": they stay, and each new one sends another to the archive",
			   category_name((enum category)c), counts[c],
			   settings.entries_per_category);
		streams_say(run->cli, run->command, str_slice(&line));
	}
}

static void say_notices(struct run *run, const struct store *store)
{
	size_t count;
	const char *const *notices = store_notices(store, &count);

	for (size_t i = 0; i < count; i++) {
		STR_AUTO line = STR_INIT;

		str_printf(&line, "warning: %s", notices[i]);
		streams_say(run->cli, run->command, str_slice(&line));
	}
}

int edited_tell(struct run *run, struct store *store, const struct revision *revision,
		const struct revise_report *report, struct err *err)
{
	STR_AUTO out = STR_INIT;

	add_deed(&out, "changed", &report->changed);
	add_deed(&out, "added", &report->added);
	add_deed(&out, "removed", &report->removed);
	if (out.len == 0)
		str_printf(&out, "changed %s\n", revision->file_name);
	if (streams_write(run->cli, str_slice(&out), err) != 0)
		return -1;
	say(run, "changed by others meanwhile, and kept so: ", &report->merged, "");
	say(run, "changed by others as well: ", &report->clashed,
	    "; yours is in the file, the other text in the archive (replaced)");
	say(run, "removed by you, but changed by others meanwhile: ", &report->stayed,
	    "; still there");
	say_limits(run, store, report);
	say_notices(run, store);
	return 0;
}
