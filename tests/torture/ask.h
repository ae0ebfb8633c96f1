/*
 * Asking the program from a shell, or a serving process, where an answer may never come.
 *
 *	struct answer answer = ANSWER_INIT;
 *	const char *const words[] = {"set", "a", "1", NULL};
 *	ask(&answer, &(struct question){.dir = dir.path, .words = words});
 *	... answer.status, answer.text ...
 *	answer_release(&answer);
 *
 * For the programs of tests/torture. What does not answer within ASK_DEADLINE_MS is killed and has
 * hung, which is for the row to count. The structs are the caller's.
 */
#ifndef KOTA_TORTURE_ASK_H
#define KOTA_TORTURE_ASK_H

#include "torture/server.h"

/* Far more than any answer takes on a machine that is busy with other things. */
#define ASK_DEADLINE_MS 10000

struct question {
	const char *dir;          /* --dir */
	const char *plant;        /* NULL: the real program */
	const char *const *words; /* the command and its arguments, ended by NULL */
	int mask;                 /* the umask, if has_mask */
	bool has_mask;
	unsigned uid; /* 0: this process's own; else that user, where this process is root */
};

struct answer {
	int status; /* exit status, or 128 + the signal that ended it */
	bool hung;
	struct str text; /* standard output and standard error, as they came */
};

#define ANSWER_INIT                                                                                \
	{                                                                                          \
		.text = STR_INIT                                                                   \
	}

/* Runs the program and waits for its end. *answer is emptied first. */
void ask(struct answer *answer, const struct question *question);

void answer_release(struct answer *answer);

/* Is this word in the text? */
bool answer_says(struct slice text, const char *word);

/* As server_call(); *hung when there was no answer in time, and the server was killed for it. */
bool ask_server(struct server *server, const char *tool, const char *arguments, struct str *reply,
		bool *hung);

#endif
