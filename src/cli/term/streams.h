/*
 * Standard input, output and error of the program.
 *
 * Nothing stored or typed reaches a terminal unless it was made visible: lines for standard error
 * always are, texts for standard output by their writers (see cli/term/paint.h).
 */
#ifndef KOTA_CLI_TERM_STREAMS_H
#define KOTA_CLI_TERM_STREAMS_H

#include "base/err.h"
#include "base/str.h"
#include "cli/term/cli.h"

/*
 * Occupies the descriptors of closed standard streams, so that no file of the store gets one of
 * them. Writing to them still fails.
 */
void streams_secure(const struct sys *sys);

/* Reads all of a stream into *out; ERR_TOO_LARGE beyond max bytes. */
int streams_read(FILE *in, size_t max, struct str *out, struct err *err);

/*
 * Writes to standard output, unbuffered. ERR_IO on failure, without a sentence if the reader closed
 * the pipe.
 */
int streams_write(struct cli *cli, struct slice text, struct err *err);

/* "kota: COMMAND: " and a printf-style text as a line on standard error; command may be NULL. */
void streams_say(struct cli *cli, const char *command, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Reads a line as the answer to a question: true for y and yes; otherwise is for an empty line. */
bool streams_read_yes(FILE *in, bool otherwise);

/* A question on standard error, in one line that stays open for the answer. */
void streams_ask(struct cli *cli, struct slice question);

#endif
