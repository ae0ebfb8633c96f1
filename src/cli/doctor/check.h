/*
 * The parts of doctor's examination. Nothing here changes the store, not even what a reader would:
 * no hit is counted, nothing expires, no journal is finished. Two empty files are made and removed,
 * to see whether names can be exchanged.
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

/* So many entries that expire soon are named. */
#define CHECKUP_EXPIRING_NAMED 3

/* So many that others changed. */
#define CHECKUP_OTHERS_NAMED 10

struct checkup {
	struct cli *cli;
	struct findings *found;
	struct disk disk;         /* open, and the directory is there */
	struct settings settings; /* in force, or the defaults where they cannot be read */
	int64_t now_ms;
	struct usage *usage;  /* what is known of it; nothing when it cannot be read */
	struct metadata sums; /* what metadata.json should say */
	bool hands_off;       /* no file is made to see what the file system can do */
	bool locked;          /* by another process, while it was looked */
	size_t broken;        /* files of entries that cannot be read */
	int64_t pinned_bytes;
	size_t expiring;          /* entries that expire soon, or would in a store of one's own */
	struct str expiring_refs; /* the first of them; released by who made the struct */
	struct reviewed reviewed; /* which entries the person has seen or written */
	size_t others_count;      /* those that others changed since */
	struct str others_refs;   /* the first of them */
	int64_t newest_ms;        /* newest time found in the store; TIME_NONE */
	int64_t later_count;      /* times later than now */
	int64_t total_bytes;      /* of what limits.total_bytes is about */
};

/*
 * All that is found in the store at the place, without making any file. The facts that come with it
 * are not complete.
 */
void checkup_look(struct findings *found, struct cli *cli, const struct place *place);

/* Where the store comes from, and what of it does not count because of that. */
void checkup_origin(struct checkup *checkup);

/*
 * True if this file, which cannot be read, is a link that is not followed because of where it
 * leads. Adds the finding for it.
 */
bool checkup_refused_link(struct checkup *checkup, const char *name);

/*
 * Notes the entry if others changed it since the store was trusted; reports the noted ones after
 * the last entry.
 */
void checkup_others(struct checkup *checkup, const struct entry *entry);
void checkup_tell_others(struct checkup *checkup);

/* Whether there is a folder in which stores can be registered and journals be signed. */
void checkup_state_folder(struct checkup *checkup);

/* Whether git merges the files entry by entry, where a repository shares them. */
void checkup_merging(struct checkup *checkup);

/* Are markers in a file of which git could not merge the texts? Then it is said. */
bool checkup_finds_markers(struct checkup *checkup, const char *name, struct slice text);

/* Reads usage.jsonl, before all that goes by it. */
void checkup_usage(struct checkup *checkup);

/* Whether each file can be read, what kind it is, and what its entries come to. */
void checkup_files(struct checkup *checkup);

/* The entries of one readable category file; appends what they come to to *summary. */
void checkup_entries(struct checkup *checkup, enum category category, const struct json *doc,
		     struct str *summary);

/* Likewise the records of archive.json. */
void checkup_records(struct checkup *checkup, const struct json *doc, struct str *summary);

/* Likewise the links of relations.json, and those that are about entries that are gone. */
void checkup_relations(struct checkup *checkup, const struct json *doc, struct str *summary);

/* The cold archive. */
void checkup_cold(struct checkup *checkup);

/*
 * Appends the ref of an entry or record, unless its key holds a secret: then words that stand for
 * it.
 */
void checkup_add_ref(struct str *out, const char *category, struct slice key);

/* Likewise a key alone, or the name of a note. */
void checkup_add_key(struct str *out, struct slice key);

/* Appends a text as one word of a shell's command line, in quotes where it needs them. */
void checkup_add_word(struct str *out, struct slice text);

/* Says when the value at node, or the key that it goes by, holds a secret; file is where it is. */
void checkup_secrets(struct checkup *checkup, const char *file, const char *category,
		     struct slice key, const struct json *doc, uint32_t node);

/* The same of a member of relations.json. */
void checkup_link_secrets(struct checkup *checkup, struct slice id, const struct json *doc,
			  uint32_t node);

/* What was promoted to a note, and whether that is there; the folder of notes. */
void checkup_promoted(struct checkup *checkup, const struct json *doc, uint32_t node,
		      const struct entry *entry);
void checkup_notes(struct checkup *checkup);

/* Whether metadata.json agrees with the files; after them. */
void checkup_metadata(struct checkup *checkup);

/* What stands beside the files: in the way of changes, or kept for the person. */
void checkup_beside(struct checkup *checkup);

/* Modes, owner, links and the file system beneath. */
void checkup_access(struct checkup *checkup);

/* Of these the owner alone, and whether the store can be changed. */
void checkup_owner(struct checkup *checkup);

/* The lock and the journal. */
void checkup_changes(struct checkup *checkup);

/* The journal, those that were set aside, and the key; while nobody holds the lock. */
void checkup_journal(struct checkup *checkup);

/* The repository, what waits to be recorded, and why nothing is. */
void checkup_history(struct checkup *checkup);

/* The clock, and what expires; after all that finds times. */
void checkup_clock(struct checkup *checkup);

/* The program, its libraries, the terminal; a store is not needed. */
void checkup_program(struct cli *cli, struct findings *found);

/* Which clients are told of the server, and of which program; a store is not needed. */
void checkup_clients(struct cli *cli, struct findings *found);

#endif
