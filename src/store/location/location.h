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

#include "store/location/place.h"

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

#endif
