/*
 * What a commit says: a subject for people, trailers for programs.
 *
 *	set preferences:editor
 *
 *	Kota-Tool: memory_set
 *	Kota-Client: claude-code 2.1.0
 *	Kota-Session: 8f0c...
 *	Kota-Ref: preferences:editor
 *
 * For recorder.c, which writes them, and for who reads the history. Strings are the caller's.
 */
#ifndef KOTA_STORE_HISTORY_COMMIT_MESSAGE_H
#define KOTA_STORE_HISTORY_COMMIT_MESSAGE_H

#include "base/str.h"

struct message {
	const char *verb;         /* "set", "edit"; what the subject begins with */
	const struct slice *refs; /* entries, records or files that it is about */
	size_t ref_count;
	struct slice tool; /* absent parts are left out, likewise below */
	struct slice client;
	struct slice client_version;
	struct slice session;
	struct slice host;   /* the machine, where there are several */
	struct slice undoes; /* the id of a commit, a blank, its subject: "undo SUBJECT" */
	struct slice change; /* the id that .pending and the journal know it by */
};

/* Appends the message; invisible characters of refs are escaped, each trailer is one line. */
void message_compose(struct str *out, const struct message *message);

/* The first line of a message, a part of it. */
struct slice message_subject(const char *text);

/* The most refs that a message names; what else the change concerned is in its trees. */
#define MESSAGE_REFS_MAX 200

/*
 * The next trailer of this name ("Kota-Ref") from *text on, which moves behind it; absent when
 * there is no more.
 */
struct slice message_trailer(const char **text, const char *name);

/* The same of the next ref, taken out of its quotes; it is in the message or in *scratch. */
struct slice message_ref(const char **text, struct str *scratch);

struct repo;

/* The name of whoever edits by hand here: from git's settings, else the account's name. */
void message_who_edits(struct repo *repo, struct str *name, struct str *email);

#endif
