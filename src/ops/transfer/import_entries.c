#include "ops/transfer/import_entries.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "ops/transfer/export.h"
#include "store/history/history.h"
#include "store/open/store.h"
#include "store/txn/undo.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

/* ---- the source */

static bool import_exists(const struct import *m, const char *folder, const char *name,
			  struct str *path)
{
	const struct sys *sys = store_disk(m->call->store)->sys;
	struct stat st;

	str_clear(path);
	str_printf(path, "%s/%s", folder, name);
	return sys->fstatat(AT_FDCWD, path->ptr, &st, 0) == 0 && S_ISREG(st.st_mode);
}

static bool import_is_kota(const struct import *m, const char *folder)
{
	STR_AUTO path = STR_INIT;

	for (int f = 0; f <= STORE_FILE_ARCHIVE; f++) {
		if (import_exists(m, folder, store_file_name((enum store_file)f), &path))
			return true;
	}
	return false;
}

const char *const import_format_names[] = {"json",  "jsonl",       "mcp", "markdown",
					   "store", "cortexgraph", NULL};

static const struct import_reader *const import_readers[IMPORT_FORMATS] = {
	[IMPORT_JSON] = &import_reader_export, [IMPORT_JSONL] = &import_reader_export,
	[IMPORT_MCP] = &import_reader_mcp,     [IMPORT_MARKDOWN] = &import_reader_markdown,
	[IMPORT_STORE] = &import_reader_store, [IMPORT_CORTEXGRAPH] = &import_reader_cortex,
};

/* What a file is, its first object says: our own have a version, others types or ids. */
static int import_format_of(const char *path, struct slice text, struct json_fault *fault)
{
	static const char *const names[] = {EXPORT_VERSION_NAME, "entries", "type", "id"};
	JSON_AUTO doc = {0};
	bool has[4];

	if (slice_ends(slice_of(path), ".md"))
		return IMPORT_MARKDOWN;
	bool lines = json_parse(&doc, slice_make(text.ptr, strcspn(text.ptr, "\n")),
				&json_file_bounds, fault) == 0;
	if (!lines && json_parse(&doc, text, &json_file_bounds, fault) != 0)
		return -1;
	fault->line = 0;
	for (size_t i = 0; i < 4; i++)
		has[i] = json_member(&doc, JSON_ROOT, names[i]) != JSON_NONE;
	if (has[0])
		return lines && !has[1] ? IMPORT_JSONL : IMPORT_JSON;
	return has[3] ? IMPORT_CORTEXGRAPH : has[2] ? IMPORT_MCP : -1;
}

/* JSON that is broken is better told where than that it is nothing. */
static int import_refuse_file(const char *path, struct slice text, const struct json_fault *fault,
			      struct err *err)
{
	struct slice trimmed = blank_trim(text);
	STR_AUTO scratch = STR_INIT;

	if (fault->line > 0 && trimmed.len > 0 && strchr("{[", trimmed.ptr[0]))
		return err_set(err, ERR_BAD_DATA, "source: %s:%u:%u: %s",
			       shown(&scratch, slice_of(path)), (unsigned int)fault->line,
			       (unsigned int)fault->column, fault->what);
	return err_set(err, ERR_BAD_DATA,
		       "source: %s is not a KOTA folder, a file of kota export, a memory.jsonl of "
		       "the memory server (lines with \"type\"), a memories.jsonl of CortexGraph "
		       "(lines with \"id\") or a Markdown file (.md); if it is one of these, name "
		       "it with --format",
		       shown(&scratch, slice_of(path)));
}

static int import_read_file(struct import *m, const char *path, struct err *err)
{
	struct json_fault fault = {0};
	STR_AUTO text = STR_INIT;
	int format = m->options->format;

	if (m->input.ptr)
		str_add(&text, m->input);
	else if (import_read(m, path, false, &text, err) != 0)
		return -1;
	if (format < 0 || !import_readers[format]->file)
		format = import_format_of(path, str_slice(&text), &fault);
	if (format < 0 || m->options->format == IMPORT_STORE)
		return import_refuse_file(path, str_slice(&text), &fault, err);
	return import_readers[format]->file(m, path, str_slice(&text), err);
}

static int import_read_folder(struct import *m, const char *source, struct err *err)
{
	static const char *const files[] = {"memories.jsonl", "memory.jsonl", "memory.json"};
	STR_AUTO path = STR_INIT;
	STR_AUTO scratch = STR_INIT;

	if (m->options->format == IMPORT_STORE ||
	    (m->options->format < 0 && import_is_kota(m, source)))
		return import_reader_store.folder(m, source, err);
	if (m->options->format == IMPORT_MARKDOWN ||
	    (m->options->format < 0 && import_exists(m, source, IMPORT_MEMORY_INDEX, &path)))
		return import_reader_markdown.folder(m, source, err);
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		if (import_exists(m, source, files[i], &path))
			return import_read_file(m, path.ptr, err);
	}
	return err_set(err, ERR_NOT_FOUND,
		       "source: %s has none of preferences.json and the like, memory.jsonl, "
		       "memories.jsonl, " IMPORT_MEMORY_INDEX,
		       shown(&scratch, slice_of(source)));
}

static int import_read_source(struct import *m, const char *source, struct err *err)
{
	const struct sys *sys = store_disk(m->call->store)->sys;
	struct stat st = {.st_mode = S_IFREG};
	STR_AUTO scratch = STR_INIT;

	if (!m->input.ptr && sys->fstatat(AT_FDCWD, source, &st, 0) != 0)
		return err_set_errno(err, ERR_NOT_FOUND, errno, "source: cannot find %s",
				     shown(&scratch, slice_of(source)));
	if ((S_ISDIR(st.st_mode) ? import_read_folder : import_read_file)(m, source, err) != 0)
		return -1;
	import_link_waiting(m);
	if (m->overflowed)
		return err_set(err, ERR_TOO_LARGE,
			       "source: it has more than %zu entries, records or links; import it "
			       "in parts",
			       IMPORT_THINGS_MAX);
	return 0;
}

/* ---- taking it over */

static int import_know_store(struct import *m, struct err *err)
{
	const struct archived *all;
	size_t count;

	if (store_settings(m->call->store, &m->settings, err) != 0 ||
	    store_archive_whole(m->call->store, &all, &count, err) != 0)
		return -1;
	for (size_t i = 0; i < count; i++)
		import_know_record(m, all[i].ref, &all[i].record);
	const struct item *items = store_items(m->call->store, &count);
	for (size_t i = 0; i < count; i++)
		m->filled[items[i].entry.category]++;
	return 0;
}

static int import_take_over(struct import *m, struct change_result *result, struct err *err)
{
	if (import_know_store(m, err) != 0 ||
	    import_read_source(m, arena_copy(m->call->arena, m->options->source).ptr, err) != 0)
		return -1;
	/* Old times are kept, and must not make it expire at once. */
	undo_revive(m->change);
	if (plan_take(&m->plan, m->change, m->call->warning, err) != 0 ||
	    import_relate(m, err) != 0)
		return -1;
	return change_commit(m->change, result, err);
}

static void import_release(struct import *m)
{
	plan_release(&m->plan);
	map_release(&m->taken);
	map_release(&m->spelt);
	map_release(&m->refs);
	map_release(&m->records);
	map_release(&m->archived);
	map_release(&m->declined);
	free(m->ref_list);
	free(m->facts);
	free(m->waiting);
	free(m->links);
	free(m->left);
	free(m->unread);
	change_end(m->change);
}

/*
 * How many entries fit: what is here already is not pushed out for what comes. Each try says how
 * many would have to go.
 */
static int import_find_most(const struct call *call, const struct import_options *options,
			    struct slice input, size_t *most, struct err *err)
{
	size_t evicted;

	*most = SIZE_MAX;
	do {
		struct import m = {.call = call, .options = options, .most = *most, .input = input};
		struct change_result result = {0};
		int status = change_rehearse(&m.change, call->store, call->now_ms, err);

		if (status != 0)
			return -1;
		status = import_take_over(&m, &result, err);
		evicted = result.evicted_count;
		size_t standing = m.plan.count;
		import_release(&m);
		if (status != 0 && err->code != ERR_STORE_FULL)
			return -1;
		if (status != 0)
			evicted = standing / 2 + 1;
		*most = evicted == 0 ? *most : standing > evicted ? standing - evicted : 0;
		if (status != 0 && standing == 0)
			return -1;
	} while (evicted > 0 && *most > 0);
	return 0;
}

/* ---- the reply */

static void import_write_one_left(struct json_writer *w, struct slice name, struct slice reason,
				  enum import_fate fate)
{
	static const char *const names[IMPORT_FATES] = {"there", "conflict", "refused"};

	json_write_object(w);
	json_write_member_string(w, "name", name);
	json_write_member_string(w, "reason", reason);
	json_write_member_string(w, "fate", slice_of(names[fate]));
	json_write_end(w);
}

static void import_write_left(struct json_writer *w, const struct import *m)
{
	json_write_member_array(w, "left");
	for (size_t i = 0; i < m->left_count; i++)
		import_write_one_left(w, m->left[i].name, m->left[i].reason, m->left[i].fate);
	for (size_t i = 0; i < m->plan.count; i++) {
		const struct plan_step *step = &m->plan.steps[i];

		if (step->skip_code != ERR_NONE)
			import_write_one_left(w, step->ref, step->skipped, IMPORT_REFUSED);
	}
	json_write_end(w);
}

/* The refs that are added, or those that get another value. */
static void import_write_taken(struct json_writer *w, const struct import *m, const char *name,
			       bool replaced)
{
	json_write_member_array(w, name);
	for (size_t i = 0; i < m->plan.count; i++) {
		const struct plan_step *step = &m->plan.steps[i];

		if (step->skip_code == ERR_NONE && step->keeps_old == replaced)
			json_write_string(w, step->ref);
	}
	json_write_end(w);
}

static void import_write_reply(const struct import *m, const struct change_result *result,
			       struct json_writer *w)
{
	/* The counts of what was not taken, by reason. */
	static const char *const fates[IMPORT_FATES] = {"there", "conflicts", "refused"};
	size_t standing = plan_standing(&m->plan);
	size_t counts[IMPORT_FATES] = {[IMPORT_REFUSED] = m->plan.count - standing};
	size_t migrated = m->migrated + standing;

	for (size_t i = 0; i < m->left_count; i++)
		counts[m->left[i].fate]++;
	json_write_object(w);
	json_write_member_bool(w, "success", true);
	json_write_member_bool(w, "dry_run", m->options->dry_run);
	json_write_member_string(w, "kind", slice_of(m->kind));
	json_write_member_int(w, "total", (int64_t)m->total);
	json_write_member_int(w, "migrated", (int64_t)migrated);
	json_write_member_int(w, "skipped", (int64_t)(m->total - migrated));
	import_write_left(w, m);
	import_write_taken(w, m, "added", false);
	import_write_taken(w, m, "replaced", true);
	json_write_member_int(w, "records", (int64_t)m->record_count);
	json_write_member_int(w, "links", (int64_t)m->relation_count);
	for (int f = 0; f < IMPORT_FATES; f++)
		json_write_member_int(w, fates[f], (int64_t)counts[f]);
	common_write_refs(w, "unread", m->unread, m->unread_count);
	/* The records of replaced values are not listed one by one. */
	common_end_change(w, m->call,
			  &(struct change_result){
				  .evicted = result->evicted,
				  .evicted_count = result->evicted_count,
			  });
}

/* Where nothing is recorded undo knows entries, and neither records nor links. */
static void import_tell_of_undo(const struct import *m)
{
	const struct call *call = m->call;

	if (!m->options->dry_run && m->record_count + m->relation_count > 0 &&
	    !history_is_on(call->store) && call->warning->len == 0)
		str_adds(call->warning,
			 "there is no history, so that undo takes back entries alone, "
			 "and neither links nor what came into the archive; "
			 "\"git\": \"own\" in config.json keeps one");
}

/* Reads standard input, as far as a source may be long. */
static int import_read_input(FILE *in, struct str *out, struct err *err)
{
	char part[BUFSIZ];
	size_t len;

	while ((len = fread(part, 1, sizeof part, in)) > 0) {
		str_add(out, slice_make(part, len));
		if (out->len > IMPORT_BYTES_MAX)
			return err_set(err, ERR_TOO_LARGE,
				       "source: standard input is longer than %zu bytes; import it "
				       "in parts",
				       IMPORT_BYTES_MAX);
	}
	if (ferror(in))
		return err_set_errno(err, ERR_IO, errno, "source: cannot read standard input");
	return 0;
}

int import_run(const struct call *call, const struct import_options *options, struct json_writer *w,
	       struct err *err)
{
	struct change_result result = {0};
	STR_AUTO input = STR_INIT;
	struct slice given = slice_of(NULL);
	size_t most;

	/* Read it only once, since the source is walked several times, and before locking. */
	if (call->in && slice_is(options->source, "-")) {
		if (import_read_input(call->in, &input, err) != 0)
			return -1;
		given = str_slice(&input);
	}
	if (import_find_most(call, options, given, &most, err) != 0)
		return -1;
	struct import m = (struct import){
		.call = call, .options = options, .most = most, .input = given};
	if ((options->dry_run ? change_rehearse(&m.change, call->store, call->now_ms, err)
			      : common_change_begin(&m.change, call, err)) != 0)
		return -1;
	int status = import_take_over(&m, &result, err);
	if (status == 0 && !options->dry_run)
		store_know_usage(call->store, m.facts, m.fact_count);
	if (status == 0) {
		import_tell_of_undo(&m);
		import_write_reply(&m, &result, w);
	}
	import_release(&m);
	return status;
}
