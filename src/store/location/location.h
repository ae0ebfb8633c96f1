/*
 * Where the store is.
 *
 * The first that applies, an empty value meaning unset:
 *
 *	--dir, the option of the plugin for Claude Code, KOTA_MEMORY_DIR
 *	data/kota_memory from $CLAUDE_PROJECT_DIR upward, else from the working folder: up to the
 *	root of the work tree, or in the folder alone where there is none (project.h)
 *	that of the main work tree, for a linked one, unless the repository tracks it (worktree.h)
 *	$XDG_DATA_HOME/kota_memory, else ~/.local/share/kota_memory
 *
 * Where `data` or `kota_memory` is a link, the store of the project is neither taken nor passed
 * over: there is none until the person says which.
 */
#ifndef KOTA_STORE_LOCATION_LOCATION_H
#define KOTA_STORE_LOCATION_LOCATION_H

#include "base/err.h"
#include "base/sys.h"

/* The file of settings, in the store and of the person. */
#define CONFIG_NAME "config.json"

/* A project's store: PROJECT_FOLDER/PROJECT_STORE below its root. */
#define PROJECT_FOLDER "data"
#define PROJECT_STORE "kota_memory"

/* Looks up an environment variable: getenv, or a test's own. */
typedef const char *(*environment)(const char *name);

enum place_kind {
	PLACE_NAMED,         /* --dir, the plugin's option, KOTA_MEMORY_DIR */
	PLACE_PROJECT,       /* data/kota_memory in the project */
	PLACE_MAIN_WORKTREE, /* the same in the main work tree of a linked one */
	PLACE_PERSONAL       /* the person's own */
};

struct place {
	char *path;      /* as people are told; owned */
	const char *why; /* "--dir", "KOTA_MEMORY_DIR", "./data/kota_memory exists", ...; static */
	enum place_kind kind;
	/*
	 * Of PLACE_PROJECT and PLACE_MAIN_WORKTREE the real path of the folder in which
	 * data/kota_memory is, to be opened from there without following a link; else NULL. Owned.
	 */
	char *root;
	/* Real path of the root of the work tree that kota was called in; NULL outside. Owned. */
	char *project;
};

/* What was considered before it. */
struct place_look {
	const char *what; /* "--dir", "the working folder", ...; static */
	char *path;       /* what was looked at; NULL where there was nothing to look at */
	char *verdict;    /* why it is not the one, a phrase */
};

struct place_survey {
	struct place_look *items;
	size_t count;
	size_t cap;
};

/* Finds the store; dir is the value of --dir or NULL. Release with place_release(). */
int place_find(struct place *out, const struct sys *sys, environment env, const char *dir,
	       struct err *err);

/* The same, and adds what was considered to *survey, also when it fails. */
int place_survey(struct place *out, struct place_survey *survey, const struct sys *sys,
		 environment env, const char *dir, struct err *err);

/* Frees what it owns, leaves an empty survey. */
void place_survey_release(struct place_survey *survey);

/*
 * The place that kota init makes a store in: data/kota_memory right in the working folder, not
 * above it. Refuses a link there.
 */
int place_here(struct place *out, const struct sys *sys, struct err *err);

/* Copies a place; the copy is to be released by itself. */
void place_copy(struct place *out, const struct place *place);

/* Frees what it owns, leaves an empty place. */
void place_release(struct place *place);

/* The person's own place, or NULL when there is no home; the caller frees it. */
char *place_personal(environment env);

/* Where the person's own config.json is, or NULL when there is no home; the caller frees it. */
char *place_personal_config(environment env);

/*
 * Where a hook, whose words nobody reads, leaves what went wrong; NULL when there is no home; the
 * caller frees it.
 */
char *place_mishap(environment env);

/* The folder of copies that a person edits, likewise. */
char *place_edits(environment env);

#endif
