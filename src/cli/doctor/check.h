/*
 * The checks of doctor. They change the store even less than a reader: no hit is counted, nothing
 * expires, no journal is finished. Two empty files are made and removed, to see whether the file
 * system can exchange names.
 */
#ifndef KOTA_CLI_DOCTOR_CHECK_H
#define KOTA_CLI_DOCTOR_CHECK_H

#include "cli/args/command.h"
#include "cli/doctor/findings.h"
#include "model/entry.h"
#include "model/settings.h"
#include "store/files/dir.h"
#include "store/files/reviewed.h"
#include "store/log/shared_use.h"
#include "store/log/usage.h"
#include "store/txn/metadata.h"

/* The most entries that are named as expiring soon. */
#define CHECKUP_EXPIRING_NAMED 3

/* The most entries that are named as changed by others. */
#define CHECKUP_OTHERS_NAMED 10

struct checkup {
	struct cli *cli;
	struct findings *found;
	struct disk disk;         /* open; the directory exists */
	struct settings settings; /* in force, or the defaults if they cannot be read */
	int64_t now_ms;
	struct usage *usage;          /* empty if it cannot be read */
	struct shared_use shared_use; /* of other machines; the same */
	struct metadata sums;         /* what metadata.json should say */
	bool hands_off;               /* do not test the file system with files */
	bool locked;                  /* by another process, at the time of the check */
	size_t broken;                /* files of entries that cannot be read */
	int64_t pinned_bytes;
	size_t expiring;          /* entries that expire soon, or would in a personal store */
	struct str expiring_refs; /* the first of them; released by the caller */
	struct reviewed reviewed; /* which entries the person has seen or written */
	size_t others_count;      /* those that others changed since */
	struct str others_refs;   /* the first of them */
	int64_t newest_ms;        /* newest time found in the store; TIME_NONE */
	int64_t later_count;      /* times later than now */
	int64_t total_bytes;      /* that limits.total_bytes limits */
};

/* A check of what is in a store. */
struct check {
	void (*run)(struct checkup *checkup);
	bool always; /* also in a store in which nobody makes changes */
};

extern const struct check check_trust;
extern const struct check check_usage; /* before those that need it */
extern const struct check check_files; /* also finds times, for check_history */
extern const struct check check_cold;
extern const struct check check_notes;
extern const struct check check_metadata; /* after check_files */
extern const struct check check_access;
extern const struct check check_owner; /* the part of check_access for a store of somebody else */
extern const struct check check_changes;
extern const struct check check_beside;
extern const struct check check_history;

/* Checks the store at the place without making any file, and with fewer details. */
void checkup_look(struct findings *found, struct cli *cli, const struct place *place);

/*
 * True if this unreadable file is a link that is not followed because of where it leads. Adds a
 * finding then.
 */
bool checkup_refused_link(struct checkup *checkup, const char *name);

/* The entries of one readable category file; appends to *summary. */
void checkup_entries(struct checkup *checkup, enum category category, const struct json *doc,
		     struct str *summary);

/* Likewise the records of archive.json. */
void checkup_records(struct checkup *checkup, const struct json *doc, struct str *summary);

/* Likewise the links of relations.json, including those to entries that no longer exist. */
void checkup_relations(struct checkup *checkup, const struct json *doc, struct str *summary);

/* Appends the ref of an entry or record, or a placeholder if its key holds a secret. */
void checkup_add_ref(struct str *out, const char *category, struct slice key);

/* Likewise a key alone, or the name of a note. */
void checkup_add_key(struct str *out, struct slice key);

/* Appends a text as one word of a shell command, quoted if necessary. */
void checkup_add_word(struct str *out, struct slice text);

/* Adds a finding if the value at node, or its key, holds a secret; file is where it is. */
void checkup_secrets(struct checkup *checkup, const char *file, const char *category,
		     struct slice key, const struct json *doc, uint32_t node);

/* The same for a member of relations.json. */
void checkup_link_secrets(struct checkup *checkup, struct slice id, const struct json *doc,
			  uint32_t node);

/* Whether the note of a promoted entry exists. */
void checkup_promoted(struct checkup *checkup, const struct json *doc, uint32_t node,
		      const struct entry *entry);

/* The program, its libraries, the terminal. Needs no store. */
void checkup_program(struct cli *cli, struct findings *found);

/* The clients that are configured, and with which program. Needs no store. */
void checkup_clients(struct cli *cli, struct findings *found);

#endif
