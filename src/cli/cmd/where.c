#include "cli/args/command.h"
#include "cli/args/run_tool.h"
#include "json/write.h"
#include "store/files/dir_lock.h"
#include "store/files/store_folder.h"

static const char *where_kind_name(enum place_kind kind)
{
	static const char *const names[] = {
		[PLACE_NAMED] = "named",
		[PLACE_PROJECT] = "project",
		[PLACE_MAIN_WORKTREE] = "main_work_tree",
		[PLACE_PERSONAL] = "personal",
	};

	return names[kind];
}

/* What there is at the place, a sentence; *there says whether it is a store. */
static void where_describe(const struct run *run, const struct place *place, struct str *out,
			   bool *there)
{
	enum folder_kind kind;
	struct disk disk;
	struct err why;
	struct err err;

	*there = false;
	if (disk_open_at(&disk, run->cli->sys, run->cli->env, place, &err) != 0) {
		str_adds(out, err.text);
		return;
	}
	if (folder_look(&disk, &kind, &why, &err) != 0) {
		str_adds(out, err.text);
	} else if (kind == FOLDER_OTHER) {
		str_adds(out, why.text);
	} else {
		*there = kind == FOLDER_STORE;
		str_adds(out, *there ? "it is there" : "the first kota set creates it");
	}
	disk_close(&disk);
}

/* place NULL: there is none, for the reason in err. */
static void where_write(struct str *out, const struct run *run, const struct place *place,
			const struct place_survey *survey, const struct err *err)
{
	STR_AUTO state = STR_INIT;
	bool there;
	struct json_writer w = json_writer_to(out, &json_compact);

	json_write_object(&w);
	if (place) {
		where_describe(run, place, &state, &there);
		json_write_member_string(&w, "store", slice_of(place->path));
		json_write_member_string(&w, "why", slice_of(place->why));
		json_write_member_string(&w, "kind", slice_of(where_kind_name(place->kind)));
		if (place->root)
			json_write_member_string(&w, "root", slice_of(place->root));
		if (place->project)
			json_write_member_string(&w, "project", slice_of(place->project));
		json_write_member_bool(&w, "exists", there);
		json_write_member_string(&w, "state", str_slice(&state));
	} else {
		json_write_member_string(&w, "error", slice_of(err->text));
	}
	json_write_name(&w, slice_of("considered"));
	json_write_array(&w);
	for (size_t i = 0; i < survey->count; i++) {
		const struct place_look *look = &survey->items[i];

		json_write_object(&w);
		json_write_member_string(&w, "what", slice_of(look->what));
		if (look->path)
			json_write_member_string(&w, "path", slice_of(look->path));
		json_write_member_string(&w, "verdict", slice_of(look->verdict));
		json_write_end(&w);
	}
	json_write_end(&w);
	json_write_end(&w);
}

static int where_execute(struct run *run, struct err *err)
{
	struct place_survey survey = {0};
	PLACE_AUTO place = {0};
	STR_AUTO reply = STR_INIT;
	struct err unwritten;
	int result = place_survey(&place, &survey, run->cli->sys, run->cli->env, run->options.dir,
				  err);

	where_write(&reply, run, result == 0 ? &place : NULL, &survey, err);
	if (operation_show(run, str_slice(&reply), 0, &unwritten) != 0) {
		*err = unwritten;
		result = -1;
	}
	place_survey_release(&survey);
	return result;
}

const struct command command_where = {
	.name = "where",
	.summary = "Show which store is used, why, and what else was considered",
	.description =
		"Show which store is used, why, and what was considered before it, one per line.\n"
		"The first line is the path alone. The first of these that applies is used:\n"
		"\n"
		"  --dir DIR, the plugin's option, KOTA_MEMORY_DIR\n"
		"  data/kota_memory of the project: from CLAUDE_PROJECT_DIR, else from the\n"
		"    working folder, up to the root of the work tree; outside one, only there\n"
		"  that of the main work tree, for a linked one, if git does not track it\n"
		"  $XDG_DATA_HOME/kota_memory, else ~/.local/share/kota_memory\n"
		"\n"
		"A data/kota_memory that is a link, or lies behind one, is an error, which says\n"
		"how to name the folder. Nothing is created or changed.\n",
	.execute = where_execute,
};
