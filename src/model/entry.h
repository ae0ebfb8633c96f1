/*
 * An entry: a key, a value and facts about it, as written in a category file.
 *
 * Entries are read out of a parsed file without being converted: text and value point into it, the
 * key and the source into it or into the arena, and doc, node and value_node name their parsed
 * form, so that nobody parses the text again. They are valid as long as all of these. Entries come
 * in the forms that a person or the original handler may have written: an object with "value", or
 * any other JSON as the value itself; times under their current names or under created, updated,
 * accessed; missing or unreadable times are TIME_NONE.
 */
#ifndef KOTA_MODEL_ENTRY_H
#define KOTA_MODEL_ENTRY_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "base/time.h"
#include "json/doc.h"
#include "json/write.h"
#include "model/category.h"
#include "model/settings.h"

#include <assert.h>
#include <stddef.h>

/* The importance of an entry that says nothing of it. */
#define IMPORTANCE_UNSET 0.5

struct entry {
	enum category category;
	struct slice key;       /* decoded, as the person spelt it */
	struct slice text;      /* the member's value in the file, exact bytes */
	struct slice value;     /* the value's JSON text, exact bytes; all of text when bare */
	const struct json *doc; /* in which text stands */
	uint32_t node;          /* text, parsed */
	uint32_t value_node;    /* value, parsed; node when bare */
	bool bare;              /* the member is the value itself: no times, no fields */
	bool pinned;
	bool promoted;       /* its status says so */
	double strength;     /* 1 when missing */
	double confidence;   /* likewise */
	double importance;   /* IMPORTANCE_UNSET when missing */
	struct slice source; /* decoded; absent unless it is a string */
	int64_t created_ms;  /* TIME_NONE when missing or unreadable */
	int64_t updated_ms;
	int64_t accessed_ms; /* as the original handler wrote it, a starting value */
	int64_t hits;        /* likewise; 0 when missing; so are the four below */
	int64_t uses;
	int64_t used_ms; /* TIME_NONE when missing */
	int64_t reviews;
	int64_t cross_domain;
};

/* Reads the entry that a member of a category file's root object is. Cannot fail. */
void entry_read(struct entry *out, enum category category, const struct json *doc, uint32_t member,
		struct arena *arena);

/* The node of a member of the entry; JSON_NONE when there is none, or the entry is bare. */
uint32_t entry_member(const struct entry *entry, const char *name);

/* The same for an array, such as tags; JSON_NONE also when it is not an array. */
uint32_t entry_list(const struct entry *entry, const char *name);

/* Writes the entry as an object with its members as they stand; a bare value becomes "value". */
void entry_write_object(struct json_writer *w, const struct entry *entry);

/*
 * A time as it stands in a file: ISO 8601 text or a number of milliseconds since 1970. TIME_NONE
 * when node is JSON_NONE or neither.
 */
int64_t entry_time(const struct json *doc, uint32_t node);

/* What a caller of set gives, as compact JSON; absent members leave what is there as it is. */
struct entry_fields {
	struct slice value; /* absent: the value stays */
	struct slice tags;  /* an array, cleaned already; likewise below */
	struct slice entities;
	struct slice strength;
	struct slice importance;
	struct slice confidence;
	struct slice source;
	struct slice context;
	struct slice meta;
	struct slice pinned;
};

/*
 * Appends the compact JSON text of the entry that results from writing fields over old at now_ms:
 * old's members stay in order with their exact texts except those given; last_updated is now;
 * created_at is added when there is none (as created_ms, else now). What is new comes last. Names
 * of the original handler (created, updated, accessed) stay as they are: last_updated is what
 * counts wherever both are found. old NULL makes a new entry, which needs a value.
 */
void entry_compose(struct str *out, const struct entry *old, const struct entry_fields *fields,
		   int64_t now_ms);

/*
 * Decimals of a strength: what is added up in steps of a tenth is written as one would by hand,
 * without what adding floating numbers leaves behind.
 */
#define ENTRY_STRENGTH_DECIMALS 12

/*
 * Appends the compact JSON text of old with another strength; all else, its times too, stays as it
 * stands. An entry that is the value itself becomes an object with it.
 */
void entry_compose_strength(struct str *out, const struct entry *old, double strength);

/*
 * Size that counts against limits.entry_bytes: compact JSON of value, times and the fields a
 * caller may give (the names in entry_fields); bookkeeping and a person's own fields do not count.
 * text is the JSON text of an entry; one that is the value itself counts as {"value":...}.
 */
size_t entry_size(struct slice text);

/* The same of an entry that was read. */
size_t entry_stored_size(const struct entry *entry);

/*
 * Parsing text that is known to be JSON: it comes out of a document or from our own writer.
 *
 * For this folder only.
 */

/* Parses text into *doc, which the caller releases. Anything but JSON is a bug of the caller. */
static inline void known_parse(struct json *doc, struct slice text)
{
	struct json_fault fault;
	int rc = json_parse(doc, text, &json_file_bounds, &fault);

	assert(rc == 0);
	(void)rc;
}

/*
 * Whether an entry of this size and depth may be stored.
 *
 * Pure. For whoever is about to put an entry, before and while the store is changed: one rule and
 * one sentence for both.
 */

/*
 * Parses an entry's JSON text and checks it; the caller releases *doc, and only when all is well.
 * ERR_BAD_VALUE when it is not JSON; ERR_TOO_LARGE with both sizes when it is over
 * limits.entry_bytes, except that an entry of old_size bytes (0: none) that was over it already may
 * shrink; ERR_TOO_LARGE when the value is nested deeper than VALUE_DEPTH_MAX. The sentence names
 * the key. settings NULL: there are no limits.
 */
int admit_entry(struct json *doc, struct slice key, struct slice text, size_t old_size,
		const struct settings *settings, struct err *err);

#endif
