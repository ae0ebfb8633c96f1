/*
 * Taking over what other memories, or other stores, have kept: kota import, kota migrate.
 *
 * A reader (read_export.c, read_store.c, read_mcp.c, read_markdown.c, read_cortex.c) goes through
 * a source and offers what it finds; merge_in.c decides: nothing that is here is replaced (unless
 * that is asked for), pushed out or added twice, so that the same source can be taken in again.
 * Sources are not trusted: bounds on size, depth and number, and no link is followed out of a
 * folder.
 */
#ifndef KOTA_OPS_TRANSFER_IMPORT_ENTRIES_H
#define KOTA_OPS_TRANSFER_IMPORT_ENTRIES_H

#include "base/map.h"
#include "ops/common.h"
#include "ops/maintain/plan.h"
#include "store/log/usage.h"

/* Most things that a source may have, of whatever kind. */
#define IMPORT_THINGS_MAX ((size_t)200000)

/* Longest source, in bytes. */
#define IMPORT_BYTES_MAX ((size_t)64 << 20)

/* The index of a folder of memories in Markdown. */
#define IMPORT_MEMORY_INDEX "MEMORY.md"

/* Under which name the metadata of a link has what a memory server called it. */
#define IMPORT_GRAPH_TYPE "relationType"

/* What becomes of something that is not taken over. */
enum import_fate {
	IMPORT_THERE,    /* it is here already */
	IMPORT_CONFLICT, /* what is here under its name says something else, and stays */
	IMPORT_REFUSED,  /* it cannot be taken */
	IMPORT_FATES
};

/* Something that was not taken over. */
struct import_left {
	enum import_fate fate;
	struct slice name;
	struct slice reason;
};

enum import_format {
	IMPORT_JSON,
	IMPORT_JSONL,
	IMPORT_MCP,
	IMPORT_MARKDOWN,
	IMPORT_STORE,
	IMPORT_CORTEXGRAPH,
	IMPORT_FORMATS
};

/* Their names, ended by NULL. */
extern const char *const import_format_names[IMPORT_FORMATS + 1];

struct import_options {
	struct slice source; /* "-" is call->in, where the call has one */
	int format;          /* enum import_format, or -1: as it looks */
	bool dry_run;
	bool replace; /* what is here and says something else goes to the archive */
	bool allow_secret;
};

/* Runs it, and writes the reply. */
int import_run(const struct call *call, const struct import_options *options, struct json_writer *w,
	       struct err *err);

/*
 * A link between two names of the source. A type that is none of ours becomes "related", with the
 * type in the metadata under `type_name`; strength is clamped to 0 to 1.
 */
struct import_relation {
	struct slice from;
	struct slice to;
	struct slice type;
	const char *type_name;
	double strength;
	int64_t created_ms;
};

/* A link of the source whose ends are both known here, or archived. */
struct import_link {
	struct relation relation;
	struct slice name; /* "A -> B", for who reads why it was left */
	struct slice id;   /* it keeps, with this text; absent: it is made anew */
	struct slice text;
};

struct import {
	const struct call *call;
	struct change *change;
	struct settings settings;
	const struct import_options *options;
	bool twins;  /* keys that are equal but for their spelling are two, as where they were */
	bool whole;  /* entries are as they were, not made of something: all of them is compared */
	size_t most; /* entries that fit into limits.total_bytes */

	struct slice
		input; /* what was read from call->in; absent: the source is a file or folder */

	struct plan plan;
	struct map taken; /* category and identity of entries that are taken -> step of the plan */
	struct map spelt; /* their refs */
	struct map refs;  /* name in the source -> number in ref_list */
	struct slice *ref_list;
	size_t ref_count;
	size_t ref_cap;
	struct map records;       /* refs of archive records that are here or taken */
	struct map archived;      /* category and identity of their keys */
	struct usage_fact *facts; /* of entries that are taken */
	size_t fact_count;
	size_t fact_cap;
	struct map declined; /* category and identity of keys whose value here stays */
	size_t record_count; /* taken; likewise below */
	size_t relation_count;
	int64_t filled[CATEGORY_COUNT];
	struct import_relation *waiting; /* until all that it may join is known */
	size_t waiting_count;
	size_t waiting_cap;
	struct import_link *links;
	size_t link_count;
	size_t link_cap;
	size_t total;    /* things found */
	size_t migrated; /* but for the entries, which the plan counts */
	bool overflowed; /* there is more than anybody wants */
	struct import_left *left;
	size_t left_count;
	size_t left_cap;
	const char *kind;     /* of the source: "kota", "server-memory", "claude-memory", ... */
	struct slice *unread; /* files of the source that nothing is made of */
	size_t unread_count;
	size_t unread_cap;
};

/* An entry on offer. Texts need to live as long as the call of import_offer() only. */
struct import_offer {
	struct slice name; /* what relations of the source call it; absent: nothing */
	int category;      /* CATEGORY_ANY: inferred from the key */
	struct slice key;
	struct slice text;              /* compact JSON text of the entry */
	const struct usage_fact *usage; /* what is known of its use; NULL for nothing */
};

/* Counts an entry, and takes it or says why not. */
void import_offer(struct import *m, const struct import_offer *offer);

/* A record that is here: its ref, and what it says. */
void import_know_record(struct import *m, struct slice ref, const struct record *record);

/* Counts an archive record (JSON text), and takes it or says why not. */
int import_record(struct import *m, enum category category, const struct record *record,
		  struct err *err);

/* Counts a link between two names of the source, some of which may only come later. */
void import_link(struct import *m, const struct import_relation *relation);

/* Takes the links that wait: there comes nothing more. */
void import_link_waiting(struct import *m);

/*
 * Counts a link as a store has it, with its id and text; its ends are keys or refs, as a person may
 * have written them, or as store_links() spells them where they are given.
 */
void import_own_link(struct import *m, struct slice id, const struct json *doc, uint32_t node);

/* Adds the links to the change, as far as both ends are there by now. Before its commit. */
int import_relate(struct import *m, struct err *err);

/* Counts something that cannot be taken. */
void import_leave(struct import *m, struct slice name, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The same of something that is here already, or stands against what is here. */
void import_leave_as(struct import *m, enum import_fate fate, struct slice name,
		     const char *reason);

/*
 * The kind of secret that a key or a JSON text under it holds, where that is not to be kept; else
 * NULL. Static storage.
 */
const char *import_secret_in(const struct import *m, struct slice text, struct slice key);

/* The ref that a name of the source has here; absent when it was not taken. */
struct slice import_ref(const struct import *m, struct slice name);

/* Reads a file of the source; an absent one is ERR_NOT_FOUND, or with `optional` an empty text. */
int import_read(const struct import *m, const char *path, bool optional, struct str *out,
		struct err *err);

/*
 * The loop of all readers of lines: visits each line that is a JSON object, until a visit fails or
 * there are too many things; any other line but a blank one is left, with its number.
 */
typedef int (*import_visit)(struct import *m, const struct json *doc, void *context,
			    struct err *err);
int import_lines(struct import *m, const char *name, struct slice text, import_visit visit,
		 void *context, struct err *err);

/* True for a list of texts and of nothing else; for an empty one only if that is allowed. */
bool import_are_texts(const struct json *doc, uint32_t list, bool allow_empty);

/* Writes a list with one label in it, if anything of the text is left once it is cleaned. */
void import_write_label(struct json_writer *w, const char *name, struct slice text,
			void (*clean)(struct slice text, struct str *out));

/* The category that a kind of entity suggests, or CATEGORY_ANY. */
int import_category_of(struct slice type);

/* How a format is read: as a file, as a folder of its own kind, or both. NULL: it is never one. */
struct import_reader {
	/* text is what stands in the file at path. */
	int (*file)(struct import *m, const char *path, struct slice text, struct err *err);
	int (*folder)(struct import *m, const char *path, struct err *err);
};

/* A row of each read_*.c, for the table in import_entries.c. */
extern const struct import_reader import_reader_cortex;
extern const struct import_reader import_reader_export;
extern const struct import_reader import_reader_markdown;
extern const struct import_reader import_reader_mcp;
extern const struct import_reader import_reader_store;

#endif
