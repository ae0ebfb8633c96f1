#include "ops/transfer/import_entries.h"

#include "base/utf8.h"
#include "base/mem.h"
#include "store/txn/undo.h"
#include "ops/transfer/export.h"
#include "store/open/store.h"

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

static bool is_kota(const struct import *m, const char *folder)
{
	STR_AUTO path = STR_INIT;

	for (int f = 0; f <= STORE_FILE_ARCHIVE; f++) {
		if (import_exists(m, folder, store_file_name((enum store_file)f), &path))
			return true;
	}
	return false;
}

/* CortexGraph keeps relations beside the memories. */
static int read_cortex(struct import *m, struct slice memories, const char *path, struct err *err)
{
	STR_AUTO beside = STR_INIT;
	STR_AUTO relations = STR_INIT;
	const char *slash = strrchr(path, '/');

	if (slash)
		str_add(&beside, slice_make(path, (size_t)(slash - path) + 1));
	str_adds(&beside, "relations.jsonl");
	if (import_read(m, beside.ptr, true, &relations, err) != 0)
		return -1;
	return import_cortex(m, memories, str_slice(&relations), err);
}

const char *const import_format_names[] = {"json",  "jsonl",       "mcp", "markdown",
					   "store", "cortexgraph", NULL};

static bool import_ends_with(const char *path, const char *ending)
{
	size_t len = strlen(path);

	return len > strlen(ending) && strcmp(path + len - strlen(ending), ending) == 0;
}

static bool import_has(const struct json *doc, const char *name)
{
	return json_member(doc, JSON_ROOT, name) != JSON_NONE;
}

/* What a file is, its first object says: our own have a version, others types or ids. */
static int format_of(const char *path, struct slice text)
{
	struct slice line = slice_make(text.ptr, strcspn(text.ptr, "\n"));
	struct json_fault fault;
	struct json doc;
	int format = -1;
	bool lines;

	if (import_ends_with(path, ".md"))
		return IMPORT_MARKDOWN;
	lines = json_parse(&doc, line, &json_file_bounds, &fault) == 0;
	if (!lines && json_parse(&doc, text, &json_file_bounds, &fault) != 0)
		return -1;
	if (import_has(&doc, EXPORT_VERSION_NAME))
		format = lines && !import_has(&doc, "entries") ? IMPORT_JSONL : IMPORT_JSON;
	else if (import_has(&doc, "type") && !import_has(&doc, "id"))
		format = IMPORT_MCP;
	else if (import_has(&doc, "id"))
		format = IMPORT_CORTEXGRAPH;
	json_release(&doc);
	return format;
}

/* JSON that is broken is better told where than that it is nothing. */
static int refuse_file(const char *path, struct slice text, struct err *err)
{
	struct slice trimmed = blank_trim(text);
	struct slice line = slice_make(text.ptr, strcspn(text.ptr, "\n"));
	STR_AUTO scratch = STR_INIT;
	struct json_fault fault;
	struct json doc;

	if (trimmed.len > 0 && (trimmed.ptr[0] == '{' || trimmed.ptr[0] == '[')) {
		if (json_parse(&doc, line, &json_file_bounds, &fault) == 0 ||
		    json_parse(&doc, text, &json_file_bounds, &fault) == 0)
			json_release(&doc);
		else
			return err_set(err, ERR_BAD_DATA, "source: %s:%u:%u: %s",
				       shown(&scratch, slice_of(path)), (unsigned int)fault.line,
				       (unsigned int)fault.column, fault.what);
	}
	return err_set(err, ERR_BAD_DATA,
		       "source: %s is none of a KOTA folder, a file of kota export, a memory.jsonl "
		       "of the memory server (lines with \"type\"), CortexGraph's memories.jsonl "
		       "(lines with \"id\") and a Markdown file (.md); --format says what it is",
		       shown(&scratch, slice_of(path)));
}

/* When a file was changed last, for what has no times of its own. */
static int64_t time_of_file(const struct import *m, const char *path)
{
	const struct sys *sys = store_disk(m->call->store)->sys;
	struct stat st;

	if (sys->fstatat(AT_FDCWD, path, &st, 0) != 0)
		return m->call->now_ms;
	return (int64_t)st.st_mtim.tv_sec * 1000 + st.st_mtim.tv_nsec / 1000000;
}

static int read_file(struct import *m, const char *path, struct err *err)
{
	STR_AUTO text = STR_INIT;
	int format = m->options->format;

	if (import_read(m, path, false, &text, err) != 0)
		return -1;
	switch (format >= 0 ? format : format_of(path, str_slice(&text))) {
	case IMPORT_JSON:
	case IMPORT_JSONL:
		return import_export(m, str_slice(&text), err);
	case IMPORT_MCP:
		import_mcp(m, str_slice(&text));
		return 0;
	case IMPORT_CORTEXGRAPH:
		return read_cortex(m, str_slice(&text), path, err);
	case IMPORT_MARKDOWN:
		import_markdown(m, path, str_slice(&text), time_of_file(m, path));
		return 0;
	default:
		break;
	}
	return refuse_file(path, str_slice(&text), err);
}

static int import_read_folder(struct import *m, const char *source, struct err *err)
{
	static const char *const files[] = {"memories.jsonl", "memory.jsonl", "memory.json"};
	STR_AUTO path = STR_INIT;
	STR_AUTO scratch = STR_INIT;

	if (m->options->format == IMPORT_STORE || (m->options->format < 0 && is_kota(m, source)))
		return import_store(m, source, err);
	if (m->options->format == IMPORT_MARKDOWN ||
	    (m->options->format < 0 && import_exists(m, source, IMPORT_MEMORY_INDEX, &path)))
		return import_memory_folder(m, source, err);
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		if (import_exists(m, source, files[i], &path))
			return read_file(m, path.ptr, err);
	}
	return err_set(err, ERR_NOT_FOUND,
		       "source: %s has none of preferences.json and the like, memory.jsonl, "
		       "memories.jsonl, " IMPORT_MEMORY_INDEX,
		       shown(&scratch, slice_of(source)));
}

static int read_any(struct import *m, const char *source, struct err *err)
{
	const struct sys *sys = store_disk(m->call->store)->sys;
	STR_AUTO scratch = STR_INIT;
	struct stat st;

	if (sys->fstatat(AT_FDCWD, source, &st, 0) != 0)
		return err_set_errno(err, ERR_NOT_FOUND, errno, "source: cannot find %s",
				     shown(&scratch, slice_of(source)));
	return S_ISDIR(st.st_mode) ? import_read_folder(m, source, err) : read_file(m, source, err);
}

static int read_source(struct import *m, const char *source, struct err *err)
{
	if (read_any(m, source, err) != 0)
		return -1;
	if (m->overflowed)
		return err_set(err, ERR_TOO_LARGE,
			       "source: it has more than %zu entries, records or links; take it in "
			       "in parts",
			       IMPORT_THINGS_MAX);
	return 0;
}

/* ---- taking it over */

static int know_store(struct import *m, struct err *err)
{
	const struct archived *all;
	const struct item *items;
	size_t count;

	if (store_settings(m->call->store, &m->settings, err) != 0 ||
	    store_archive_whole(m->call->store, &all, &count, err) != 0)
		return -1;
	for (size_t i = 0; i < count; i++)
		import_know_record(m, &all[i]);
	items = store_items(m->call->store, &count);
	for (size_t i = 0; i < count; i++)
		m->filled[items[i].entry.category]++;
	return 0;
}

static int take_over(struct import *m, struct change_result *result, struct err *err)
{
	if (know_store(m, err) != 0 ||
	    read_source(m, arena_copy(m->call->arena, m->options->source).ptr, err) != 0)
		return -1;
	/* Old times are kept, and must not make it expire at once. */
	takeback_revive(m->change);
	if (plan_take(&m->plan, m->change, err) != 0 || import_relate(m, err) != 0)
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
	free(m->links);
	free(m->left);
	free(m->unread);
	change_end(m->change);
}

static struct import import_begin(const struct call *call, const struct import_options *options,
				  size_t most)
{
	return (struct import){
		.call = call,
		.options = options,
		.most = most,
		.plan = PLAN_INIT,
	};
}

/*
 * How many entries fit: what is here already is not pushed out for what comes. Each try says how
 * many would have to go.
 */
static int find_most(const struct call *call, const struct import_options *options, size_t *most,
		     struct err *err)
{
	size_t evicted;

	*most = SIZE_MAX;
	do {
		struct import m = import_begin(call, options, *most);
		struct change_result result = {0};
		size_t standing;
		int status = change_rehearse(&m.change, call->store, call->now_ms, err);

		if (status != 0)
			return -1;
		status = take_over(&m, &result, err);
		evicted = result.evicted_count;
		standing = m.plan.count;
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

static const char *const fate_names[IMPORT_FATES] = {"there", "conflict", "refused"};

static void write_one_left(struct json_writer *w, struct slice name, struct slice reason,
			   enum import_fate fate)
{
	json_write_object(w);
	json_write_member_string(w, "name", name);
	json_write_member_string(w, "reason", reason);
	json_write_member_string(w, "fate", slice_of(fate_names[fate]));
	json_write_end(w);
}

static void write_left(struct json_writer *w, const struct import *m)
{
	json_write_name(w, slice_of("left"));
	json_write_array(w);
	for (size_t i = 0; i < m->left_count; i++)
		write_one_left(w, m->left[i].name, m->left[i].reason, m->left[i].fate);
	for (size_t i = 0; i < m->plan.count; i++) {
		const struct plan_step *step = &m->plan.steps[i];

		if (step->skip_code != ERR_NONE)
			write_one_left(w, step->ref, step->skipped, IMPORT_REFUSED);
	}
	json_write_end(w);
}

/* The refs that are added, or those that get another value. */
static void write_taken(struct json_writer *w, const struct import *m, const char *name,
			bool replaced)
{
	json_write_name(w, slice_of(name));
	json_write_array(w);
	for (size_t i = 0; i < m->plan.count; i++) {
		const struct plan_step *step = &m->plan.steps[i];

		if (step->skip_code == ERR_NONE && step->keeps_old == replaced)
			json_write_string(w, step->ref);
	}
	json_write_end(w);
}

/* Of what is left: how much was here, how much stands against what is here, how much cannot be. */
static void write_fates(struct json_writer *w, const struct import *m)
{
	static const char *const names[IMPORT_FATES] = {"there", "conflicts", "refused"};
	size_t counts[IMPORT_FATES] = {0};

	for (size_t i = 0; i < m->left_count; i++)
		counts[m->left[i].fate]++;
	counts[IMPORT_REFUSED] += m->plan.count - plan_standing(&m->plan);
	for (int f = 0; f < IMPORT_FATES; f++)
		json_write_member_int(w, names[f], (int64_t)counts[f]);
}

static void import_write_reply(const struct import *m, const struct change_result *result,
			       struct json_writer *w)
{
	size_t migrated = m->migrated + plan_standing(&m->plan);

	json_write_object(w);
	json_write_member_bool(w, "success", true);
	json_write_member_bool(w, "dry_run", m->options->dry_run);
	json_write_member_string(w, "kind", slice_of(m->kind));
	json_write_member_int(w, "total", (int64_t)m->total);
	json_write_member_int(w, "migrated", (int64_t)migrated);
	json_write_member_int(w, "skipped", (int64_t)(m->total - migrated));
	write_left(w, m);
	write_taken(w, m, "added", false);
	write_taken(w, m, "replaced", true);
	json_write_member_int(w, "records", (int64_t)m->record_count);
	json_write_member_int(w, "links", (int64_t)m->relation_count);
	write_fates(w, m);
	common_write_refs(w, "unread", m->unread, m->unread_count);
	/* Which records replaced values went to is of no interest one by one. */
	common_end_change(w, m->call,
			  &(struct change_result){
				  .evicted = result->evicted,
				  .evicted_count = result->evicted_count,
			  });
}

/* Where nothing is recorded undo knows what was archived or overwritten, not what was added. */
static void tell_of_undo(const struct import *m)
{
	const struct call *call = m->call;
	size_t added = m->migrated;

	for (size_t i = 0; i < m->plan.count; i++)
		added += m->plan.steps[i].skip_code == ERR_NONE && !m->plan.steps[i].keeps_old;
	if (!m->options->dry_run && added > 0 && !store_keeps_history(call->store) &&
	    call->warning->len == 0)
		str_adds(call->warning, "there is no history, so that undo cannot take this back; "
					"\"git\": \"own\" in config.json keeps one");
}

int import_run(const struct call *call, const struct import_options *options, struct json_writer *w,
	       struct err *err)
{
	struct change_result result = {0};
	struct import m;
	size_t most;
	int status;

	if (find_most(call, options, &most, err) != 0)
		return -1;
	m = import_begin(call, options, most);
	if ((options->dry_run ? change_rehearse(&m.change, call->store, call->now_ms, err)
			      : common_change_begin(&m.change, call, err)) != 0)
		return -1;
	status = take_over(&m, &result, err);
	if (status == 0 && !options->dry_run)
		store_know_usage(call->store, m.facts, m.fact_count);
	if (status == 0) {
		tell_of_undo(&m);
		import_write_reply(&m, &result, w);
	}
	import_release(&m);
	return status;
}
