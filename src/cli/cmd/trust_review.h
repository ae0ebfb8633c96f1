/*
 * What a person is shown before they trust a store. For trust.c.
 */
#ifndef KOTA_CLI_CMD_TRUST_REVIEW_H
#define KOTA_CLI_CMD_TRUST_REVIEW_H

#include "cli/term/paint.h"
#include "store/files/reviewed.h"
#include "store/open/store.h"

/* So many commits of the surrounding repository are looked at for who wrote the store. */
#define REVIEW_COMMITS_MAX 5000

struct review {
	struct str text;    /* for the person, made visible */
	struct str config;  /* config.json as it is shown */
	bool others_alone;  /* of a store that is trusted already: only what others changed */
	size_t others;      /* entries that others changed */
	bool config_others; /* config.json is not as it was trusted */
	struct arena arena; /* owns the entries */
	struct reviewed_entry *entries; /* shown now or trusted before, archived ones too */
	size_t count;
	size_t cap;
};

/*
 * Looks at the store, which must be there, and writes down what is in it, what it asks for, and who
 * wrote it. Nothing is changed, counted or expired. On success: review_release().
 */
int review_make(struct review *out, struct store *store, int64_t now_ms, const struct paint *paint,
		bool others_alone, struct err *err);

/* Reads config.json as the review shows it; empty where there is none, or it cannot be read. */
void review_read_config(struct disk *disk, struct str *out);

void review_release(struct review *review);

#endif
