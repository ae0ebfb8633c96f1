/*
 * Where the store is.
 *
 * The first that applies, an empty value meaning unset: --dir, the option of the plugin for Claude
 * Code, KOTA_MEMORY_DIR, $CLAUDE_PROJECT_DIR/data/kota_memory if it exists, ./data/kota_memory if it
 * exists, $XDG_DATA_HOME/kota_memory, ~/.local/share/kota_memory.
 */
#ifndef KOTA_STORE_PLACE_H
#define KOTA_STORE_PLACE_H

#include "base/err.h"
#include "base/sys.h"
#include "model/settings.h"

/* Settings in the store and of the person. */
#define CONFIG_NAME "config.json"

/* Looks up an environment variable: getenv, or a test's own. */
typedef const char *(*environment)(const char *name);

struct place {
	char *path;      /* owned */
	const char *why; /* "--dir", "KOTA_MEMORY_DIR", "./data/kota_memory exists", ...; static */
};

/* Finds the store; dir is the value of --dir or NULL. Release with place_release(). */
int place_find(struct place *out, const struct sys *sys, environment env, const char *dir,
	       struct err *err);

/* Frees the path, leaves an empty place. */
void place_release(struct place *place);

/* Where the person's own config.json is, or NULL when there is no home; the caller frees it. */
char *place_personal_config(environment env);

/*
 * Where a hook, whose words nobody reads, leaves what went wrong; NULL when there is no home; the
 * caller frees it.
 */
char *place_mishap(environment env);

/* The folder of copies that a person edits, likewise. */
char *place_edits(environment env);

/*
 * Settings in force: defaults, the person's config.json, the store's in store_dir (NULL: none), the
 * environment, the later over the earlier. A person's
 * config.json whose path leads through what is no folder, or is closed to this user, counts as
 * absent. An error names file:line:column or the variable.
 */
int settings_load(struct settings *out, const struct sys *sys, environment env,
		  const char *personal_config, const char *store_dir, struct err *err);

#endif
