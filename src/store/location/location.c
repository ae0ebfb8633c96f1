#include "store/location/location.h"

#include "base/mem.h"
#include "base/str.h"
#include "git/index_names.h"
#include "store/location/project.h"
#include "store/location/worktree.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * What names the store itself, behind --dir. The plugin's option reaches hook and server under the
 * client's name for it: a hook's arguments cannot name an option that may be unset, and
 * KOTA_MEMORY_DIR stays the person's, so that both see the same.
 */
static const struct {
	const char *variable;
	const char *why;
} names[] = {
	{"CLAUDE_PLUGIN_OPTION_MEMORY_DIR", "the plugin's option"},
	{"KOTA_MEMORY_DIR", "KOTA_MEMORY_DIR"},
};

/* Where a project is looked for, and why its store is taken. */
static const struct origin {
	const char *variable; /* NULL: the working folder */
	const char *what;
	const char *why_here;
	const char *why_inside;
	const char *why_above;
} origins[] = {
	{"CLAUDE_PROJECT_DIR", "$CLAUDE_PROJECT_DIR", "$CLAUDE_PROJECT_DIR/data/kota_memory exists",
	 "$CLAUDE_PROJECT_DIR lies in it", "the project of $CLAUDE_PROJECT_DIR has it"},
	{NULL, "the working folder", "./data/kota_memory exists", "the working folder lies in it",
	 "the project of the working folder has it"},
};

#define ORIGINS (sizeof origins / sizeof *origins)

struct search {
	const struct sys *sys;
	environment env;
	struct place_survey *survey; /* NULL: nobody asks */
	struct project projects[ORIGINS];
	bool found[ORIGINS];
};

/* Keeps what was considered, and why it was passed over or taken. */
__attribute__((format(printf, 4, 5))) static void
location_note(struct search *search, const char *what, const char *path, const char *verdict, ...)
{
	struct place_survey *survey = search->survey;
	struct str text = STR_INIT;
	char line[ERR_TEXT_MAX];
	va_list values;

	if (!survey)
		return;
	va_start(values, verdict);
	vsnprintf(line, sizeof line, verdict, values);
	va_end(values);
	str_adds(&text, line);
	survey->items = mem_grow(survey->items, &survey->cap, survey->count + 1,
				 sizeof *survey->items);
	survey->items[survey->count++] = (struct place_look){
		.what = what,
		.path = path ? mem_strdup(path) : NULL,
		.verdict = str_detach(&text),
	};
}

static bool location_is_set(const char *value)
{
	return value && value[0];
}

/* ---- a store that is named */

static bool location_try_name(struct search *search, const char *value, const char *why,
			      struct place *out)
{
	if (!location_is_set(value)) {
		location_note(search, why, NULL, "not set");
		return false;
	}
	*out = (struct place){.path = mem_strdup(value), .why = why, .kind = PLACE_NAMED};
	return true;
}

/* ---- the store of a project */

static int location_find_projects(struct search *search, struct err *err)
{
	for (size_t i = 0; i < ORIGINS; i++) {
		const char *variable = origins[i].variable;
		const char *folder = variable ? search->env(variable) : ".";

		if (location_is_set(folder) && project_find(&search->projects[i], search->sys,
							    folder, &search->found[i], err) != 0)
			return -1;
	}
	/* One folder is not considered twice. */
	if (search->found[0] && search->found[1] &&
	    strcmp(search->projects[0].here, search->projects[1].here) == 0)
		search->found[1] = false;
	return 0;
}

static int location_refuse_link(const char *link, struct err *err)
{
	return err_set(err, ERR_BAD_FORMAT,
		       "%s is a link: the store of a project is not opened through one; name it "
		       "with --dir or KOTA_MEMORY_DIR",
		       link);
}

static void location_note_none(struct search *search, size_t i)
{
	const struct project *project = &search->projects[i];

	if (project->top)
		location_note(search, origins[i].what, project->start,
			      "no " PROJECT_PATH ", from there up to the root of its work tree");
	else
		location_note(search, origins[i].what, project->start,
			      "no " PROJECT_PATH " in it, and no work tree around it");
}

static char *location_store_below(const char *folder)
{
	struct str path = STR_INIT;

	place_join(&path, folder, PROJECT_PATH);
	return str_detach(&path);
}

/* Makes *out of the folder, which it takes over, that has the store of project i. */
static void location_take(struct search *search, size_t i, char *folder, struct place *out)
{
	const struct project *project = &search->projects[i];
	const char *variable = origins[i].variable;

	*out = (struct place){.why = origins[i].why_above, .kind = PLACE_PROJECT, .root = folder};
	/* Keep the path short: in the working folder itself it is relative. */
	if (strcmp(folder, project->here) == 0) {
		out->why = origins[i].why_here;
		out->path = variable ? location_store_below(search->env(variable))
				     : mem_strdup("./" PROJECT_PATH);
		return;
	}
	out->path = location_store_below(folder);
	if (strcmp(project->here, project->start) != 0 && strcmp(folder, project->start) == 0)
		out->why = origins[i].why_inside;
}

static int location_try_project(struct search *search, size_t i, struct place *out, struct err *err)
{
	STR_AUTO link = STR_INIT;
	char *folder;

	if (!search->found[i]) {
		location_note(search, origins[i].what, NULL, "%s",
			      origins[i].variable &&
					      !location_is_set(search->env(origins[i].variable))
				      ? "not set"
				      : "no folder, or considered already");
		return 0;
	}
	if (project_store(&search->projects[i], search->sys, &folder, &link, err) != 0)
		return -1;
	if (link.len > 0) {
		location_note(search, origins[i].what, link.ptr, "a link, which is not followed");
		free(folder);
		return location_refuse_link(link.ptr, err);
	}
	if (folder)
		location_take(search, i, folder, out);
	else
		location_note_none(search, i);
	return 0;
}

/* ---- the store of the main work tree */

#define MAIN_WORK_TREE "the main work tree"

static int location_take_main(struct search *search, const struct worktree *worktree,
			      struct place *out, struct err *err)
{
	enum project_store kind;
	STR_AUTO link = STR_INIT;
	bool tracked;

	if (project_store_in(search->sys, worktree->main, &kind, &link, err) != 0)
		return -1;
	if (kind == PROJECT_STORE_NONE) {
		location_note(search, MAIN_WORK_TREE, worktree->main, "no " PROJECT_PATH " in it");
		return 0;
	}
	/* An index that cannot be read, or is not understood, may name it. */
	if (index_names_below(search->sys, worktree->git, PROJECT_PATH, &tracked, err) != 0)
		return err_prefix(err, "%s (--dir names the store)", worktree->git);
	/* Every work tree has it then, unless it was removed from this one. */
	if (tracked) {
		location_note(search, MAIN_WORK_TREE, worktree->main,
			      "its repository tracks its " PROJECT_PATH);
		return 0;
	}
	if (kind == PROJECT_STORE_LINKED) {
		location_note(search, MAIN_WORK_TREE, link.ptr, "a link, which is not followed");
		return location_refuse_link(link.ptr, err);
	}
	*out = (struct place){
		.path = location_store_below(worktree->main),
		.why = "the main work tree has it",
		.kind = PLACE_MAIN_WORKTREE,
		.root = mem_strdup(worktree->main),
	};
	return 0;
}

static int location_try_main(struct search *search, size_t i, struct place *out, struct err *err)
{
	const char *top = search->projects[i].top;
	struct worktree worktree;
	int result = 0;

	if (!top)
		return 0;
	if (worktree_find(&worktree, search->sys, top, err) != 0)
		return -1;
	if (worktree.doubts)
		location_note(search, MAIN_WORK_TREE, worktree.main, "%s", worktree.doubts);
	else if (worktree.main)
		result = location_take_main(search, &worktree, out, err);
	worktree_release(&worktree);
	return result;
}

/* ---- the person's own place */

static int location_take_personal(struct search *search, struct place *out, struct err *err)
{
	static const char *const whys[] = {"$XDG_DATA_HOME/kota_memory",
					   "~/.local/share/kota_memory"};

	for (size_t i = 0; i < PLACE_PERSONAL_ROWS; i++) {
		char *path = place_row_path(&place_personal_rows[i], search->env);

		if (path) {
			*out = (struct place){.path = path, .why = whys[i], .kind = PLACE_PERSONAL};
			return 0;
		}
		location_note(search, whys[i], NULL, "%s is %s", place_personal_rows[i].variable,
			      location_is_set(search->env(place_personal_rows[i].variable))
				      ? "no absolute path"
				      : "not set");
	}
	return err_set(err, ERR_USAGE,
		       "there is no place for the store because HOME is not set: "
		       "say where with --dir or KOTA_MEMORY_DIR");
}

/* The first that applies, of what nobody has named. */
static int location_search_on(struct search *search, struct place *out, struct err *err)
{
	for (size_t i = 0; i < ORIGINS; i++) {
		if (location_try_project(search, i, out, err) != 0)
			return -1;
		if (out->path)
			return 0;
	}
	for (size_t i = 0; i < ORIGINS; i++) {
		if (location_try_main(search, i, out, err) != 0)
			return -1;
		if (out->path)
			return 0;
	}
	return location_take_personal(search, out, err);
}

int place_survey(struct place *out, struct place_survey *survey, const struct sys *sys,
		 environment env, const char *dir, struct err *err)
{
	struct search search = {.sys = sys, .env = env, .survey = survey};
	struct place place = {0};
	int projects = location_find_projects(&search, err);
	bool named = location_try_name(&search, dir, "--dir", &place);
	int result = 0;

	for (size_t i = 0; !named && i < sizeof names / sizeof *names; i++)
		named = location_try_name(&search, env(names[i].variable), names[i].why, &place);
	/* What is named is taken, whatever the project is like. */
	if (!named)
		result = projects == 0 ? location_search_on(&search, &place, err) : -1;
	for (size_t i = 0; i < ORIGINS; i++) {
		const char *top = search.projects[i].top;

		if (result == 0 && top && !place.project)
			place.project = mem_strdup(top);
		project_release(&search.projects[i]);
	}
	if (result == 0)
		*out = place;
	return result;
}

int place_find(struct place *out, const struct sys *sys, environment env, const char *dir,
	       struct err *err)
{
	return place_survey(out, NULL, sys, env, dir, err);
}

int place_here(struct place *out, const struct sys *sys, struct err *err)
{
	STR_AUTO link = STR_INIT;
	enum project_store kind;
	char *here = sys->realpath(".");

	if (!here)
		return err_set_errno(err, ERR_IO, errno, "cannot find the working folder");
	if (project_store_in(sys, here, &kind, &link, err) != 0 ||
	    (kind == PROJECT_STORE_LINKED && location_refuse_link(link.ptr, err) != 0)) {
		free(here);
		return -1;
	}
	*out = (struct place){
		.path = mem_strdup("./" PROJECT_PATH),
		.why = "the working folder",
		.kind = PLACE_PROJECT,
		.root = here,
	};
	return 0;
}

void place_survey_release(struct place_survey *survey)
{
	for (size_t i = 0; i < survey->count; i++) {
		free(survey->items[i].path);
		free(survey->items[i].verdict);
	}
	free(survey->items);
	*survey = (struct place_survey){0};
}
