/*
 * A serving process that a test talks to, kills and starts again.
 *
 *	struct server server;
 *	server_start(&server, dir.path, row.plant);
 *	if (server_call(&server, "memory_set", "{\"key\":\"a\",\"value\":1}", &reply) &&
 *	    reply_is_ok(str_slice(&reply)))
 *		... acknowledged ...
 *	server_kill(&server);
 *
 * For the programs of tests/torture. The program is $KOTA; with a planted fault it is
 * $BUILD/tests/torture/planted, see support/planted.h. The struct is the caller's; server_kill()
 * or server_stop() ends what server_start() began. What a test cannot go on without ends it.
 */
#ifndef KOTA_TORTURE_SERVER_H
#define KOTA_TORTURE_SERVER_H

#include "base/str.h"

#include <sys/types.h>

struct server {
	pid_t pid;
	int in;  /* the server's standard input */
	int out; /* the server's standard output */
	unsigned sent;
	struct str pending; /* read and not yet handed out */
};

/*
 * The program to run: kota, or with a fault the one that has it planted. The answer is in the
 * environment or in *out.
 */
const char *server_program(const char *plant, char *out, size_t size);

/* Starts `kota serve --dir DIR`, and shakes hands. plant NULL: the real program. */
void server_start(struct server *server, const char *dir, const char *plant);

/* Sends a tools/call of this tool, arguments in JSON, and does not wait. False: it is gone. */
bool server_send(struct server *server, const char *tool, const char *arguments);

/* The next line of the server into *line, without the newline. False: it is gone. */
bool server_receive(struct server *server, struct str *line);

/* Both in turn. False when the server went before it answered, which acknowledges nothing. */
bool server_call(struct server *server, const char *tool, const char *arguments, struct str *reply);

/* SIGKILL, and waits for the end. */
void server_kill(struct server *server);

/* Closes its input and returns its exit status, or 128 + the signal that ended it. */
int server_stop(struct server *server);

/* Does the reply acknowledge, and not report an error? */
bool reply_is_ok(struct slice reply);

#endif
