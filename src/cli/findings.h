/*
 * What doctor found: facts, and findings with what to do about each. For this folder only.
 */
#ifndef KOTA_CLI_FINDINGS_H
#define KOTA_CLI_FINDINGS_H

#include "cli/paint.h"

enum severity {
	SEVERITY_NOTE,   /* good to know; nothing is to be done */
	SEVERITY_TODO,   /* works, and should be put right */
	SEVERITY_BROKEN, /* data cannot be read */
	SEVERITY_COUNT
};

struct finding {
	enum severity severity;
	char *what;
	char *remedy;
};

struct fact {
	const char *label; /* static */
	char *text;
};

struct findings {
	struct fact *facts;
	size_t fact_count;
	size_t fact_cap;
	struct finding *findings;
	size_t finding_count;
	size_t finding_cap;
};

/* Adds a fact; facts come in the order in which they are added. */
void findings_fact(struct findings *found, const char *label, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Adds a finding; the remedy is a sentence that says what to do. */
void findings_add(struct findings *found, enum severity severity, const char *remedy,
		  const char *format, ...) __attribute__((format(printf, 4, 5)));

/* 0 when nothing is to be done, 1 when something is, 65 when data is broken. */
int findings_status(const struct findings *found);

/* Appends what was found for a person, made visible. */
void findings_print(const struct findings *found, const struct paint *paint, struct str *out);

/* Appends {"facts": {...}, "findings": [{"severity", "what", "remedy"}], "status": n}. */
void findings_print_json(const struct findings *found, struct str *out);

/* Frees facts and findings; it is as it was when it was new. */
void findings_release(struct findings *found);

#endif
