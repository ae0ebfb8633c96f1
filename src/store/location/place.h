/*
 * A place at which a store is, or is to be: its path and why it was chosen.
 *
 * The paths of the person's own files are here too. Which place is taken: location.h.
 */
#ifndef KOTA_STORE_LOCATION_PLACE_H
#define KOTA_STORE_LOCATION_PLACE_H

#include "base/err.h"
#include "base/str.h"
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

/* Copies a place; the copy is to be released by itself. */
void place_copy(struct place *out, const struct place *place);

/* Frees what it owns, leaves an empty place. */
void place_release(struct place *place);

/* Released at the end of the scope: `PLACE_AUTO place = {0};` */
#define PLACE_AUTO __attribute__((cleanup(place_release))) struct place

/* Appends the path of something below a folder, which may be "/" or end with one. */
void place_join(struct str *out, const char *folder, const char *below);

/* A file or folder below the path in a variable, which counts as unset if it is not absolute. */
struct place_row {
	const char *variable;
	const char *below;
};

/* The path that a row stands for, or NULL when its variable is unset; the caller frees it. */
char *place_row_path(const struct place_row *row, environment env);

/* Where the person's own place may be: the first whose variable is set. */
#define PLACE_PERSONAL_ROWS 2
extern const struct place_row place_personal_rows[PLACE_PERSONAL_ROWS];

/* What a person has of their own, below their home or where a variable says. */
enum place_own {
	PLACE_OWN_STORE,
	PLACE_OWN_CONFIG,
	PLACE_OWN_HOOK_ERRORS, /* what went wrong in a hook, whose words nobody reads */
	PLACE_OWN_EDITS        /* the folder of copies that a person edits */
};

/* The path of it, or NULL when there is no home; the caller frees it. */
char *place_own_path(enum place_own own, environment env);

#endif
