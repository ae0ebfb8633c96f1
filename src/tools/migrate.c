#include "tools/migrate.h"

#include "base/mem.h"
#include "base/shown.h"
#include "store/takeback.h"
#include "tools/rows.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

struct migrate_args {
	struct slice source;
	int dry_run;
	int allow_secret;
};

static const struct param params[] = {
	{.name = "source",
	 .type = PARAM_TEXT,
	 .flags = PARAM_REQUIRED | PARAM_NOT_BLANK | PARAM_POSITIONAL | PARAM_EXISTING,
	 .offset = offsetof(struct migrate_args, source),
	 .help = "a KOTA folder, a memory.jsonl of the reference memory server, or a folder with "
		 "CortexGraph's memories.jsonl"},
	{.name = "dry_run",
	 .type = PARAM_BOOL,
	 .offset = offsetof(struct migrate_args, dry_run),
	 .help = "only say what would be taken over",
	 .fallback = "false"},
	{.name = "allow_secret",
	 .type = PARAM_BOOL,
	 .offset = offsetof(struct migrate_args, allow_secret),
	 .help = "take what holds a secret, too"},
};

/* ---- the source */

static bool exists(const struct migration *m, const char *folder, const char *name,
		   struct str *path)
{
	const struct sys *sys = store_disk(m->call->store)->sys;
	struct stat st;

	str_clear(path);
	str_printf(path, "%s/%s", folder, name);
	return sys->fstatat(AT_FDCWD, path->ptr, &st, 0) == 0 && S_ISREG(st.st_mode);
}

static bool is_kota(const struct migration *m, const char *folder)
{
	STR_AUTO path = STR_INIT;

	for (int f = 0; f <= STORE_FILE_ARCHIVE; f++) {
		if (exists(m, folder, store_file_name((enum store_file)f), &path))
			return true;
	}
	return false;
}

/* CortexGraph keeps relations beside the memories. */
static int read_cortex(struct migration *m, struct slice memories, const char *path,
		       struct err *err)
{
	STR_AUTO beside = STR_INIT;
	STR_AUTO relations = STR_INIT;
	const char *slash = strrchr(path, '/');

	if (slash)
		str_add(&beside, slice_make(path, (size_t)(slash - path) + 1));
	str_adds(&beside, "relations.jsonl");
	if (migrate_read(m, beside.ptr, true, &relations, err) != 0)
		return -1;
	return migrate_cortex(m, memories, str_slice(&relations), err);
}

/* Which of the two a file of lines is, its first line says: the one has types, the other ids. */
static int read_file(struct migration *m, const char *path, struct err *err)
{
	STR_AUTO text = STR_INIT;
	STR_AUTO scratch = STR_INIT;
	struct json_fault fault;
	struct json doc = {0};
	struct slice line;
	bool graph;
	bool cortex;

	if (migrate_read(m, path, false, &text, err) != 0)
		return -1;
	line = slice_make(text.ptr, strcspn(text.ptr, "\n"));
	graph = json_parse(&doc, line, &json_file_bounds, &fault) == 0 &&
		json_member(&doc, JSON_ROOT, "type") != JSON_NONE &&
		json_member(&doc, JSON_ROOT, "id") == JSON_NONE;
	cortex = !graph && doc.nodes && json_member(&doc, JSON_ROOT, "id") != JSON_NONE;
	json_release(&doc);
	if (graph) {
		migrate_graph(m, str_slice(&text));
		return 0;
	}
	if (cortex)
		return read_cortex(m, str_slice(&text), path, err);
	return err_set(err, ERR_BAD_DATA,
		       "source: %s is none of a KOTA folder, a memory.jsonl of the memory server "
		       "(lines with \"type\") and CortexGraph's memories.jsonl (lines with \"id\")",
		       shown(&scratch, slice_of(path)));
}

static int read_source(struct migration *m, const char *source, struct err *err)
{
	static const char *const files[] = {"memories.jsonl", "memory.jsonl", "memory.json"};
	const struct sys *sys = store_disk(m->call->store)->sys;
	STR_AUTO path = STR_INIT;
	STR_AUTO scratch = STR_INIT;
	struct stat st;

	if (sys->fstatat(AT_FDCWD, source, &st, 0) != 0)
		return err_set_errno(err, ERR_NOT_FOUND, errno, "source: cannot find %s",
				     shown(&scratch, slice_of(source)));
	if (!S_ISDIR(st.st_mode))
		return read_file(m, source, err);
	if (is_kota(m, source))
		return migrate_kota(m, source, err);
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		if (exists(m, source, files[i], &path))
			return read_file(m, path.ptr, err);
	}
	return err_set(err, ERR_NOT_FOUND,
		       "source: %s has none of preferences.json and the like, memory.jsonl, "
		       "memories.jsonl",
		       shown(&scratch, slice_of(source)));
}

/* ---- taking it over */

static int know_store(struct migration *m, struct err *err)
{
	const struct archived *all;
	const struct item *items;
	size_t count;

	if (store_settings(m->call->store, &m->settings, err) != 0 ||
	    store_archive_whole(m->call->store, &all, &count, err) != 0)
		return -1;
	for (size_t i = 0; i < count; i++)
		map_put(&m->records, arena_copy(m->call->arena, all[i].ref), 0);
	items = store_items(m->call->store, &count);
	for (size_t i = 0; i < count; i++)
		m->filled[items[i].entry.category]++;
	return 0;
}

static int take_over(struct migration *m, const char *source, struct change_result *result,
		     struct err *err)
{
	if (know_store(m, err) != 0 || read_source(m, source, err) != 0)
		return -1;
	/* Old times are kept, and must not make it expire at once. */
	takeback_revive(m->change);
	if (plan_take(&m->plan, m->change, err) != 0 || migrate_relate(m, err) != 0)
		return -1;
	return change_commit(m->change, result, err);
}

static void release(struct migration *m)
{
	plan_release(&m->plan);
	map_release(&m->taken);
	map_release(&m->refs);
	map_release(&m->records);
	free(m->ref_list);
	free(m->links);
	free(m->left);
	free(m->unread);
	change_end(m->change);
}

/* As the system takes it: ended by a NUL. */
static const char *source_of(const struct call *call, const struct migrate_args *args)
{
	return arena_copy(call->arena, args->source).ptr;
}

static struct migration migration_for(const struct call *call, const struct migrate_args *args,
				      size_t most)
{
	return (struct migration){
		.call = call,
		.allow_secret = args->allow_secret == 1,
		.most = most,
		.plan = PLAN_INIT,
		.taken = MAP_INIT,
		.refs = MAP_INIT,
		.records = MAP_INIT,
	};
}

/*
 * How many entries fit: what is here already is not pushed out for what comes. Each try says how
 * many would have to go.
 */
static int find_most(const struct call *call, const struct migrate_args *args, size_t *most,
		     struct err *err)
{
	size_t evicted;

	*most = SIZE_MAX;
	do {
		struct migration m = migration_for(call, args, *most);
		struct change_result result = {0};
		size_t standing;
		int status = change_rehearse(&m.change, call->store, call->now_ms, err);

		if (status != 0)
			return -1;
		status = take_over(&m, source_of(call, args), &result, err);
		evicted = result.evicted_count;
		standing = m.plan.count;
		release(&m);
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

static void write_left(struct json_writer *w, const struct migration *m)
{
	json_write_name(w, slice_of("left"));
	json_write_array(w);
	for (size_t i = 0; i < m->left_count; i++) {
		json_write_object(w);
		json_write_member_string(w, "name", m->left[i].name);
		json_write_member_string(w, "reason", m->left[i].reason);
		json_write_end(w);
	}
	for (size_t i = 0; i < m->plan.count; i++) {
		if (m->plan.steps[i].skip_code == ERR_NONE)
			continue;
		json_write_object(w);
		json_write_member_string(w, "name", m->plan.steps[i].ref);
		json_write_member_string(w, "reason", m->plan.steps[i].skipped);
		json_write_end(w);
	}
	json_write_end(w);
}

static void write_reply(const struct migration *m, bool dry_run, const struct change_result *result,
			struct json_writer *w)
{
	size_t migrated = m->migrated + plan_standing(&m->plan);

	json_write_object(w);
	json_write_member_bool(w, "success", true);
	json_write_member_bool(w, "dry_run", dry_run);
	json_write_member_string(w, "kind", slice_of(m->kind));
	json_write_member_int(w, "total", (int64_t)m->total);
	json_write_member_int(w, "migrated", (int64_t)migrated);
	json_write_member_int(w, "skipped", (int64_t)(m->total - migrated));
	write_left(w, m);
	common_write_refs(w, "unread", m->unread, m->unread_count);
	common_end_change(w, m->call, result);
}

static int run(const struct call *call, const void *arguments, struct json_writer *w,
	       struct err *err)
{
	const struct migrate_args *args = arguments;
	struct change_result result = {0};
	struct migration m;
	size_t most;
	int status;

	if (find_most(call, args, &most, err) != 0)
		return -1;
	m = migration_for(call, args, most);
	if ((args->dry_run == 1 ? change_rehearse(&m.change, call->store, call->now_ms, err)
				: common_change_begin(&m.change, call, err)) != 0)
		return -1;
	status = take_over(&m, source_of(call, args), &result, err);
	if (status == 0)
		write_reply(&m, args->dry_run == 1, &result, w);
	release(&m);
	return status;
}

const struct tool tool_migrate = {
	.name = "migrate",
	.command = "migrate",
	.title = "Take over another memory",
	.section = SECTION_OTHERS,
	.summary =
		"Take over what another memory has kept: entries with their times, and links. "
		"Nothing that is here is replaced or pushed out; what is not taken is named with "
		"the reason. It is one change, and can be run again.",
	.params = params,
	.param_count = sizeof params / sizeof *params,
	.args_size = sizeof(struct migrate_args),
	.flags = TOOL_SHELL_ONLY | TOOL_IDEMPOTENT,
	.run = run,
};
