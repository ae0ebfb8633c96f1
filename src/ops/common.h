/*
 * What several operations share: finding the entry that a key means, changing it, and writing parts
 * of replies. Texts that these functions return live in the call's arena unless they say otherwise.
 */
#ifndef KOTA_OPS_COMMON_H
#define KOTA_OPS_COMMON_H

#include "store/open/store.h"
#include "store/txn/change.h"
#include "tool/tool.h"

/* The key of state under which a conversation is summed up. */
#define CONVERSATION_NOTES_KEY "conversation_notes"

/* Longest key that a new entry may have, in bytes; what a person wrote may be longer. */
#define KEY_BYTES_MAX 256

/*
 * Splits a key argument: `key` or `category:key`, points into text. category is the category
 * argument or CATEGORY_ANY; one that contradicts the ref's is ERR_BAD_VALUE, a ref without a key
 * ERR_BLANK_ARGUMENT. param names the argument in the sentence.
 */
int common_parse_ref(struct ref *out, const char *param, struct slice text, int category,
		     struct err *err);

/*
 * The category of a new entry with this key: the one that is given, or where that is CATEGORY_ANY
 * the one that the key suggests.
 */
enum category common_category_of_new(struct slice key, int category);

/*
 * Checks that a new entry may have this key. ERR_TOO_LARGE when it is longer than KEY_BYTES_MAX,
 * ERR_BAD_VALUE when it holds control characters, ERR_BLANK_ARGUMENT when there is nothing to see
 * in it: nobody could type it. Emoji alone are fine.
 */
int common_check_new_key(const char *param, struct slice key, struct err *err);

/*
 * Checks that a new store may begin with this entry, before the change begins that would make it.
 * Does nothing when there is a store.
 */
int common_check_first(const struct call *call, struct slice key, const struct entry_fields *fields,
		       struct err *err);

/*
 * Fails with ERR_BAD_DATA and file:line:column if a file that may hold the key cannot be read: then
 * nothing can be said of a key that is not found.
 */
int common_check_scope(struct change *change, const struct ref *ref, struct err *err);

/* An entry that is about to be changed. */
struct edit {
	struct change *change;
	const struct item *item; /* valid until the change is committed */
	struct slice key;        /* as the store spells it */
};

/*
 * Begins a change of an entry that must be there. ERR_NOT_FOUND names the nearest refs; no lock is
 * taken and no store created for that. ERR_BAD_DATA when the entry may be in a file that cannot be
 * read. On success: change_end(edit->change).
 */
int common_edit_begin(struct edit *edit, const struct call *call, const char *param,
		      struct slice key, struct err *err);

/* The change ends at the end of the scope: `EDIT_AUTO edit = {0};` */
static inline void common_edit_end(struct edit *edit)
{
	change_end(edit->change);
}
#define EDIT_AUTO __attribute__((cleanup(common_edit_end))) struct edit

/* The active entry that a ref or key means, or NULL. */
const struct item *common_look_up(const struct call *call, struct slice text);

/* Fails with ERR_NOT_FOUND and names similar keys; always returns -1. */
int common_refuse_unknown(const struct call *call, const char *param, struct slice text,
			  struct err *err);

/* Another entry that must be there, within a change; NULL with an error as above. */
const struct item *common_find(const struct call *call, struct change *change, const char *param,
			       struct slice key, struct err *err);

/* Who makes a change: the tool and client of the call, whose texts it borrows. */
struct change_meta common_meta(const struct call *call);

/* Begins a change on behalf of the call; creates the store when it does not exist. */
int common_change_begin(struct change **out, const struct call *call, struct err *err);

/*
 * Begins a change; a rehearsal if dry_run is set or there is no store yet, since maintenance
 * creates none.
 */
int common_change_begin_unless(struct change **out, const struct call *call, bool dry_run,
			       struct err *err);

/* Makes the view current, for reading. */
int common_refresh(const struct call *call, struct err *err);

/* True if the view is complete: not when a file could not be read, for instance. */
bool common_view_whole(const struct call *call);

/*
 * Puts an entry in the place of old (NULL: a new one; for mv the one that goes), within the limits
 * of what may be pinned.
 */
int common_put(struct change *change, enum category category, struct slice key,
	       const struct item *old, bool pinned, struct slice entry_text, struct err *err);

/* The compact JSON text of what results from writing fields over old (or NULL). */
struct slice common_compose(const struct call *call, const struct item *old,
			    const struct entry_fields *fields);

/* Compact JSON text of an argument; absent when it was not given. */
struct slice common_json(const struct call *call, struct arg_json value);

/* Parses JSON text out of the store, which was scanned when it was read; json_release(doc). */
void common_parse(struct json *doc, struct slice text);

/* Compact form of JSON text out of the store. */
struct slice common_compact(const struct call *call, struct slice text);
struct slice common_entry_json(const struct call *call, const struct entry *entry);

/*
 * Appends the beginning of an entry's value as a preview shows it: a string as
 * it is, all else as compact JSON; "..." where something is left out.
 */
void common_add_preview(struct str *out, const struct entry *entry, size_t characters);

/*
 * JSON of an entry's value as a reply repeats it: the value itself where it is short enough, else
 * a text with the beginning of it. Secrets in it are withheld.
 */
struct slice common_brief(const struct call *call, const struct entry *entry, size_t characters);

/* `category:key`; and the same of the form by which keys are compared. In the arena. */
struct slice common_ref(struct arena *arena, enum category category, struct slice key);
struct slice common_identity(struct arena *arena, enum category category, struct slice key);

/* Appends that form. */
void common_add_identity(struct str *out, enum category category, struct slice key);

/* True if two keys name the same entry of a category. */
bool common_same_key(struct slice a, struct slice b);

/*
 * True if two JSON texts mean the same. Two absent ones do; one that does not parse only to the
 * byte.
 */
bool common_same_json(struct slice a, struct slice b);

/* A list of texts, also when it is empty. */
void common_write_texts(struct json_writer *w, const char *name, const struct slice *texts,
			size_t count);

/*
 * Parts of replies; a time that is TIME_NONE and an empty list are left out, and a number that is
 * not finite is 0. A score is what was computed: it has three decimals, and is 0 only where it is.
 */
void common_write_number(struct json_writer *w, const char *name, double number, int decimals);
void common_write_score(struct json_writer *w, const char *name, double score);
void common_write_time(struct json_writer *w, const char *name, int64_t ms);
void common_write_refs(struct json_writer *w, const char *name, const struct slice *refs,
		       size_t count);
void common_write_entry(struct json_writer *w, struct slice key, enum category category,
			int64_t created_ms, int64_t updated_ms);

/* The limits in force, as `limits`. */
void common_write_limits(struct json_writer *w, const struct settings *settings);

/*
 * Who a value is from, where that is not the person: "repository" in a store that came with one,
 * "changed by others" for an entry, active or archived, that others changed since the store was
 * trusted; else NULL. entry NULL asks about the store alone.
 */
const char *common_from(const struct call *call, const struct entry *entry);

/* Writes that as `from`, where there is something to say. */
void common_write_from(struct json_writer *w, const struct call *call, const struct entry *entry);

/* Ends a reply: what came up about the arguments and the store, as `warnings`, and the brace. */
void common_end_reply(struct json_writer *w, const struct call *call);

/* As common_end_reply, after what a change sent to the archive: `archived` and `evicted`. */
void common_end_change(struct json_writer *w, const struct call *call,
		       const struct change_result *result);

/* Writes `name` as a list of refs in the order of their bytes; refs are sorted in place. */
void common_write_sorted_refs(struct json_writer *w, const char *name, struct slice *refs,
			      size_t count);

#endif
