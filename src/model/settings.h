/*
 * Settings: limits and switches, from defaults, config.json and the environment.
 *
 * Layers are applied from the weakest to the strongest: settings_init(), then the person's
 * config.json, the store's, the environment. Pure: who calls reads files and the environment.
 */
#ifndef KOTA_MODEL_SETTINGS_H
#define KOTA_MODEL_SETTINGS_H

#include "base/err.h"
#include "json/doc.h"
#include "model/category.h"

#include <stdbool.h>
#include <stdint.h>

/* Values nested deeper than this are refused; documents may be 32 deep. */
#define VALUE_DEPTH_MAX 24

/* Unset: own, but off in a repository of the person's, which does not ignore the store. */
enum git_mode { GIT_MODE_OWN, GIT_MODE_OFF, GIT_MODE_UNSET };

/* What becomes of a value that holds a secret (secrets/secret_scan.h). */
enum secret_mode { SECRETS_REFUSE, SECRETS_WARN, SECRETS_OFF };

/* How strength fades with time (policy/decay.h). */
enum decay_model { DECAY_POWER_LAW, DECAY_EXPONENTIAL, DECAY_TWO_COMPONENT };

/* Longest path of notes_dir, with its terminator. */
#define NOTES_DIR_SIZE 1024

/* When a store with a remote is synced unasked. */
enum sync_auto {
	SYNC_AUTO_OFF,
	SYNC_AUTO_SESSION /* in the background, when a session begins */
};

struct settings {
	int64_t entries_per_category; /* limits.entries_per_category */
	int64_t entry_bytes;          /* limits.entry_bytes */
	int64_t total_bytes;          /* limits.total_bytes */
	int64_t expiry_days;          /* limits.expiry_days */
	enum git_mode git;
	enum secret_mode secrets;
	enum sync_auto sync_auto;     /* the person's own choice: a store cannot ask for it */
	enum decay_model decay_model; /* decay.model; likewise below */
	/* Of each category; 0: not set, so by kind (policy/decay.h). */
	double half_life_days[CATEGORY_COUNT];
	double lambda;
	double beta;
	double forget_threshold; /* policy/decay.h; likewise below */
	double promote_threshold;
	int64_t promote_uses;
	int64_t promote_days;
	double cluster_threshold;
	int64_t cluster_min;
	int64_t cluster_max;
	bool reinforce; /* uses may be recorded */
	bool enrich;    /* what nobody said may be added to an entry */
	int64_t maintain_interval_s;
	char notes_dir[NOTES_DIR_SIZE];
	bool notes_dir_free; /* the person's own choice: may lead out of the store */
};

/*
 * The defaults: 100, 4096, 51200, 90; git unset, secrets refused; power_law, half-lives by
 * kind, 2.673e-6, 0.6; forget 0.05, promote 0.65, 5, 14; cluster 0.83, 2, 12; reinforce, no enrich;
 * 3600; notes.
 */
void settings_init(struct settings *settings);

/*
 * From whose file a document comes: some settings are honoured from the person's own only. What a
 * machine with a newer program says is passed over.
 */
enum settings_origin { SETTINGS_PERSON, SETTINGS_STORE, SETTINGS_SYNCED };

/*
 * Applies a config.json. A setting that is known to the design but not used by this version is
 * accepted; an unknown one (except with SETTINGS_SYNCED), a wrong type or a value out of range is
 * an error that names the setting and says what is valid; *fault_node is then the node at fault, so
 * that the caller can say line and column. On failure settings are unchanged.
 */
int settings_apply(struct settings *settings, const struct json *doc, enum settings_origin origin,
		   uint32_t *fault_node, struct err *err);

/*
 * Applies one environment variable by its setting's dotted name in capitals with `_` for `.`
 * ("LIMITS_ENTRY_BYTES"); an empty value is unset and changes nothing.
 */
int settings_apply_env(struct settings *settings, const char *name, const char *value,
		       struct err *err);

/* How far the settings of a store count that is not the person's own work alone. */
enum settings_trust {
	/*
	 * It was not reviewed: secrets may be screened more strictly, history turned off, and
	 * limits raised, which takes nothing out of service. A lower limit would evict or expire
	 * what is there.
	 */
	SETTINGS_UNREVIEWED,
	/* The same, but the person named it: all counts, only secrets are screened no less
	   strictly. */
	SETTINGS_NAMED,
	/*
	 * It was trusted, but others change it: against `settings`, which are those that were
	 * trusted, the size of an entry may be lowered, secrets screened more strictly, history
	 * turned off. A lower limit of another kind would send the person's entries away. All other
	 * settings are applied.
	 */
	SETTINGS_CHANGED_BY_OTHERS
};

/* Applies from `wish`, which is what the store asks for, what the store may decide. Pure. */
void settings_take(struct settings *settings, const struct settings *wish,
		   enum settings_trust trust);

/* Calls visit with the name of each setting that is not the same in both. */
void settings_compare(const struct settings *a, const struct settings *b,
		      void (*visit)(void *context, const char *name), void *context);

/* Names accepted by settings_apply_env(), ended by NULL. */
extern const char *const settings_env_names[];

#endif
