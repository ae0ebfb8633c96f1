/*
 * Where the store is.
 *
 * The first that applies, an empty value meaning unset:
 *
 * --dir, the option of the plugin for Claude Code, KOTA_MEMORY_DIR data/kota_memory from
 * $CLAUDE_PROJECT_DIR upward, else from the working folder: up to the root of the work tree, or in
 * the folder alone where there is none (project.h) that of the main work tree, for a linked one,
 * unless the repository tracks it (worktree.h) $XDG_DATA_HOME/kota_memory, else
 * ~/.local/share/kota_memory
 *
 * If `data` or `kota_memory` is a link, the project's store is neither used nor skipped: finding a
 * store fails until the person names one.
 */
#ifndef KOTA_STORE_LOCATION_LOCATION_H
#define KOTA_STORE_LOCATION_LOCATION_H

#include "store/location/place.h"

/* A place that was considered before the one that was chosen. */
struct place_look {
	const char *what; /* "--dir", "the working folder", ...; static */
	char *path;       /* what was examined; NULL if there was nothing */
	char *verdict;    /* why it was not chosen, a phrase */
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
 * Where kota init creates a store: data/kota_memory in the working folder itself. Refuses a link
 * there.
 */
int place_here(struct place *out, const struct sys *sys, struct err *err);

#endif
