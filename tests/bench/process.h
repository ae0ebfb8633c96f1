/*
 * A server as a process: lines in, lines out.
 */
#ifndef KOTA_TESTS_BENCH_PROCESS_H
#define KOTA_TESTS_BENCH_PROCESS_H

#include "base/str.h"

#include <stdint.h>
#include <sys/types.h>

struct process {
	pid_t pid;
	int to;   /* its standard input */
	int from; /* its standard output; standard error goes nowhere */
};

/* Starts a command, ended by NULL and found along PATH. 0 or -1; on success process_end(). */
int process_start(struct process *process, char *const *command);

/* Sends a line (without its newline). 0 or -1. */
int process_send(const struct process *process, const char *line);

/* Reads a line into *reply (cleared first), waiting 30 seconds at most. 0 or -1. */
int process_read(const struct process *process, struct str *reply);

/* The most memory it has had, in KiB; -1 when the system does not say. */
long process_peak_kib(const struct process *process);

/* The memory that it has now, in KiB; -1 when the system does not say. */
long process_rss_kib(const struct process *process);

/* Kills it. */
void process_end(struct process *process);

#endif
