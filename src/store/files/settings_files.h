/*
 * The settings in force, from their files and the environment. Which settings there are, and what
 * each may be, is the business of model/settings.h.
 */
#ifndef KOTA_STORE_FILES_SETTINGS_FILES_H
#define KOTA_STORE_FILES_SETTINGS_FILES_H

#include "model/settings.h"
#include "store/files/dir.h"

/*
 * Settings in force: defaults, the person's config.json, the store's (NULL: none) as far as its
 * origin allows, the environment, the later over the earlier. A person's config.json whose path
 * leads through what is no folder, or is closed to this user, counts as absent. An error names
 * file:line:column or the variable.
 */
int settings_load(struct settings *out, const struct sys *sys, environment env,
		  const char *personal_config, struct disk *store, struct err *err);

/*
 * Calls visit with the name of each setting of the store's config.json that is not in force as it
 * stands there, since the store's origin does not allow it. Nothing where that file has an error.
 */
void settings_each_held_back(const struct sys *sys, const char *personal_config, struct disk *store,
			     void (*visit)(void *context, const char *name), void *context);

#endif
