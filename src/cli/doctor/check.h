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
	struct usage *usage;  /* empty if it cannot be read */
	struct metadata sums; /* what metadata.json should say */
	bool hands_off;       /* do not test the file system with files */
	bool locked;          /* by another process, at the time of the check */
	size_t broken;        /* files of entries that cannot be read */
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

/* Checks the store at the place without making any file, and with fewer details. */
void checkup_look(struct findings *found, struct cli *cli, const struct place *place);

/* Where the store comes from, and what is ignored because of that. */
void checkup_origin(struct checkup *checkup);

/*
 * True if this unreadable file is a link that is not followed because of where it leads. Adds a
 * finding then.
 */
bool checkup_refused_link(struct checkup *checkup, const char *name);

/*
 * Notes the entry if others changed it since the store was trusted; reports the noted ones after
 * the last entry.
 */
void checkup_others(struct checkup *checkup, const struct entry *entry);
void checkup_tell_others(struct checkup *checkup);

/* Whether there is a state folder, for the registry of stores and the signing key. */
void checkup_state_folder(struct checkup *checkup);

/* Whether git merges the files entry by entry, where a repository shares them. */
void checkup_merging(struct checkup *checkup);

/* True if the file has conflict markers of git. Adds a finding then. */
bool checkup_finds_markers(struct checkup *checkup, const char *name, struct slice text);

/* Reads usage.jsonl. Call it before the checks that need it. */
void checkup_usage(struct checkup *checkup);

/* Whether each file can be read, what kind it is, and a summary of its entries. */
void checkup_files(struct checkup *checkup);

/* The entries of one readable category file; appends to *summary. */
void checkup_entries(struct checkup *checkup, enum category category, const struct json *doc,
		     struct str *summary);

/* Likewise the records of archive.json. */
void checkup_records(struct checkup *checkup, const struct json *doc, struct str *summary);

/* Likewise the links of relations.json, including those to entries that no longer exist. */
void checkup_relations(struct checkup *checkup, const struct json *doc, struct str *summary);

/* The cold archive. */
void checkup_cold(struct checkup *checkup);

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

/* Whether the note of a promoted entry exists; and the folder of notes. */
void checkup_promoted(struct checkup *checkup, const struct json *doc, uint32_t node,
		      const struct entry *entry);
void checkup_notes(struct checkup *checkup);

/* Whether metadata.json agrees with the files. Call it after checkup_files(). */
void checkup_metadata(struct checkup *checkup);

/* Other files in the folder: those that block changes, and those kept for the person. */
void checkup_beside(struct checkup *checkup);

/* Modes, owner, links and the file system beneath. */
void checkup_access(struct checkup *checkup);

/* Only the owner, and whether the store can be changed. */
void checkup_owner(struct checkup *checkup);

/* The lock and the journal. */
void checkup_changes(struct checkup *checkup);

/* The journal, those that were set aside, and the key. The lock must be free. */
void checkup_journal(struct checkup *checkup);

/* The repository, what waits to be recorded, and why. */
void checkup_history(struct checkup *checkup);

/* The clock, and what expires. Call it after the checks that find times. */
void checkup_clock(struct checkup *checkup);

/* The program, its libraries, the terminal. Needs no store. */
void checkup_program(struct cli *cli, struct findings *found);

/* The clients that are configured, and with which program. Needs no store. */
void checkup_clients(struct cli *cli, struct findings *found);

#endif
