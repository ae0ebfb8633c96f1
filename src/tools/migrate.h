/*
 * Taking over what other memories have kept: kota migrate.
 *
 * A reader (migrate_kota.c, migrate_graph.c, migrate_cortex.c) goes through a source and offers
 * what it finds; migrate_take.c decides: nothing that is here is replaced, pushed out or added
 * twice, so that the same source can be migrated again. For src/tools/migrate*.c only.
 */
#ifndef KOTA_TOOLS_MIGRATE_H
#define KOTA_TOOLS_MIGRATE_H

#include "base/map.h"
#include "tools/common.h"
#include "tools/plan.h"

/* Something that was not taken over. */
struct migrate_left {
	struct slice name;
	struct slice reason;
};

/* A link of the source whose ends are both known here. */
struct migrate_link {
	struct relation relation;
	struct slice name; /* "A -> B", for who reads why it was left */
};

struct migration {
	const struct call *call;
	struct change *change;
	struct settings settings;
	bool allow_secret;
	size_t most; /* entries that fit into limits.total_bytes */

	struct plan plan;
	struct map taken; /* category and identity of entries that are taken */
	struct map refs;  /* name in the source -> number in ref_list */
	struct slice *ref_list;
	size_t ref_count;
	size_t ref_cap;
	struct map records; /* refs of archive records that are here or taken */
	int64_t filled[CATEGORY_COUNT];
	struct migrate_link *links;
	size_t link_count;
	size_t link_cap;
	size_t total;    /* things found */
	size_t migrated; /* but for the entries, which the plan counts */
	struct migrate_left *left;
	size_t left_count;
	size_t left_cap;
	const char *kind;     /* of the source: "kota", "server-memory", "cortexgraph" */
	struct slice *unread; /* files of the source that nothing is made of */
	size_t unread_count;
	size_t unread_cap;
};

/* An entry on offer. Texts need to live as long as the call of migrate_offer() only. */
struct migrate_offer {
	struct slice name; /* what relations of the source call it; absent: nothing */
	int category;      /* CATEGORY_ANY: inferred from the key */
	struct slice key;
	struct slice text; /* compact JSON text of the entry */
};

/* Counts an entry, and takes it or says why not. */
void migrate_offer(struct migration *m, const struct migrate_offer *offer);

/* Counts an archive record (JSON text), and takes it or says why not. */
int migrate_record(struct migration *m, enum category category, const struct record *record,
		   struct err *err);

/*
 * Counts a link between two names of the source. A type that is none of ours becomes "related",
 * with the type in the metadata under `type_name`; strength is clamped to 0 to 1.
 */
struct migrate_relation {
	struct slice from;
	struct slice to;
	struct slice type;
	const char *type_name;
	double strength;
	int64_t created_ms;
};
void migrate_link(struct migration *m, const struct migrate_relation *relation);

/* Adds the links to the change, as far as both ends are there by now. Before its commit. */
int migrate_relate(struct migration *m, struct err *err);

/* Counts something that cannot be taken. */
void migrate_leave(struct migration *m, struct slice name, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The ref that a name of the source has here; absent when it was not taken. */
struct slice migrate_ref(const struct migration *m, struct slice name);

/* Reads a file of the source; an absent one is ERR_NOT_FOUND, or with `optional` an empty text. */
int migrate_read(const struct migration *m, const char *path, bool optional, struct str *out,
		 struct err *err);

/* Visits each line that is a JSON object; any other line but a blank one is left, with its number.
 */
typedef void (*migrate_line)(struct migration *m, const struct json *doc, void *context);
void migrate_lines(struct migration *m, const char *name, struct slice text, migrate_line visit,
		   void *context);

/* Member as text (absent when it is none), decoded into the call's arena. */
struct slice migrate_text(const struct migration *m, const struct json *doc, uint32_t object,
			  const char *name);

/* The readers. */
int migrate_kota(struct migration *m, const char *folder, struct err *err);
void migrate_graph(struct migration *m, struct slice text);
int migrate_cortex(struct migration *m, struct slice memories, struct slice relations,
		   struct err *err);

#endif
