/*
 * The operations of a change: on entries, records, relations and notes, not on texts of files, so
 * that each can be applied even if a person has edited the file meanwhile.
 */
#ifndef KOTA_MODEL_OPERATION_H
#define KOTA_MODEL_OPERATION_H

#include "base/str.h"
#include "model/category.h"

#include <stdint.h>

enum op_kind {
	OP_PUT,           /* entry `key` of the category gets `text` */
	OP_REMOVE,        /* entry `key` of the category goes */
	OP_RECORD_ADD,    /* archive.json gets the record `text`; `key` is the record's own key */
	OP_RECORD_REMOVE, /* the record `key` of archive.json goes */
	OP_LINK_PUT,      /* link `key` of relations.json gets `text` */
	OP_LINK_REMOVE,   /* link `key` of relations.json goes; `text` is what it was */
	OP_NOTE_ADD,      /* the folder of notes gets the file `key` with `text` */
	OP_NOTE_REMOVE,   /* the file `key` goes when it still is `text` */
	OP_COLD_ADD, /* the cold file of at_ms's month gets the record `text` (category first) */
	OP_KEEP      /* the same for a value that is overwritten: does no harm when the change
			fails after it, so that it needs no journal */
};

struct op {
	enum op_kind kind;
	enum category category; /* of a link or a note: of the entry that it begins with */
	struct slice key;       /* as spelt in the file */
	struct slice text;      /* compact JSON text; absent for removals of the first two kinds */
	uint64_t before; /* hash64 of the member's text that this was made for; 0: not there */
	int64_t at_ms;   /* of the record, for OP_COLD_ADD and OP_KEEP */
};

/* Who makes the change: for the journal and, with history on, the commit. Absent parts are NULL. */
struct change_meta {
	const char *id; /* of the change; whoever begins it gives it one */
	const char *tool;
	const char *client;
	const char *client_version;
	const char *session;
	const char *undoes; /* the change that this one takes back: its id, a blank, its subject */
};

#endif
