/*
 * A client that keeps a serving process busy with random operations, and keeps the books of them.
 *
 *	client_start(&client, &row, &books, &dir, 0, row.plant);
 *	client_send(&client, 8);
 *	client_collect(&client);   or kill it, and collect what it had answered
 *	client_stop(&client);
 *
 * For the programs of tests/torture. Operations are those that move entries between files: set
 * beyond the limits, update, delete, clear_state and notes, with some reading in between. A client
 * has keys of its own. The structs are the caller's.
 */
#ifndef KOTA_TORTURE_LOAD_H
#define KOTA_TORTURE_LOAD_H

#include "torture/books.h"
#include "torture/server.h"
#include "torture/standing.h"

#define CLIENT_BURST_MAX 64

struct client {
	struct server server;
	struct row *row;
	struct books *books;
	const struct tmpdir *dir;
	const char *plant;
	unsigned number;
	bool running;
	struct standing *standing;        /* kept up to date where it is not NULL */
	uint32_t asked[CLIENT_BURST_MAX]; /* marks in order, or ASKED_... */
	size_t asked_count;
	size_t answered;
	size_t failed; /* operations that were refused, in all; what is not there cannot fail */
};

void client_start(struct client *client, struct row *row, struct books *books,
		  const struct tmpdir *dir, unsigned number, const char *plant);

/*
 * Sends one operation without waiting; no more than CLIENT_BURST_MAX before a collect. asked is the
 * mark of its deed, or ASKED_... False: the server is gone.
 */
bool client_ask(struct client *client, const char *tool, const char *arguments, uint32_t asked);

/* Sends so many random operations without waiting. */
void client_send(struct client *client, size_t count);

/* Takes in one answer; false when there are no more to come, or the server is gone. */
bool client_take(struct client *client);

/* Takes in all answers to what was sent. False: the server is gone. */
bool client_collect(struct client *client);

/* SIGKILL; then takes in what it had answered. Returns what was under way, or ASKED_NOTHING. */
uint32_t client_kill(struct client *client);

/* A change that is answered, so that the files can be judged; *reply gets the answer. */
void client_touch(struct client *client, struct str *reply);

/* Ends the server as a client does; it is a violation when it does not go with status 0. */
void client_stop(struct client *client);

/* Entries that a category may hold by load_configure(). */
#define LOAD_LIMIT 6

/* Limits so small that most changes move something; a narrow store is short of bytes too. */
void load_configure(const struct tmpdir *dir, bool narrow);

/* client_touch() by a healthy server of its own. */
void load_touch(const struct tmpdir *dir, struct row *row);

#endif
