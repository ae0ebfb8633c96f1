/*
 * The arguments of an operation: from the words of a command line to the JSON that tool_run takes.
 *
 * What is right for a parameter (type, range, choices) is not checked here: shell and protocol go
 * through the same tool_bind_json().
 *
 * Parameters with PARAM_POSITIONAL take the words without a name, in the order of their rows; what
 * is left over belongs to the last of them: a text or a JSON value is joined by spaces. All can be
 * given by name: --name VALUE or --name=VALUE, where "-" and "_" are the same and nextSteps is
 * --next-steps; a switch is --name or --no-name, or --name with the word true or false; a list is
 * its option several times, and labels may have commas between them. A value "-" is standard input,
 * without its last newline. "--" ends the options. Text for a JSON value that parses as JSON is
 * that value, any other text is a string.
 */
#ifndef KOTA_CLI_ARGS_ARGS_H
#define KOTA_CLI_ARGS_ARGS_H

#include "base/str.h"
#include "cli/args/options.h"
#include "tool/tool.h"

#include <stdio.h>

/* Longest standard input that is taken as a value, in bytes: more than any entry may have. */
#define ARGS_INPUT_MAX ((size_t)1 << 20)

/*
 * Appends the JSON object of arguments to *out; options of every command go to *options. With
 * --help among them the rest is of no interest and *out is as it was. hints (or NULL) gets a line
 * for each text that looks like broken JSON.
 */
int args_parse(const struct tool *tool, struct words *words, struct options *options, FILE *in,
	       struct str *out, struct str *hints, struct err *err);

/* Appends a parameter as it is typed: "KEY" where it takes words, else "--next-steps". */
void args_add_typed(struct str *out, const struct param *param);

/* Appends the name of a parameter as the shell takes it: nextSteps is next-steps. */
void args_add_name(struct str *out, const char *name);

#endif
