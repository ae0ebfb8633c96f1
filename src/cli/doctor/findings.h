/*
 * What doctor found: facts, and findings with what to do about each.
 */
#ifndef KOTA_CLI_DOCTOR_FINDINGS_H
#define KOTA_CLI_DOCTOR_FINDINGS_H

#include "cli/doctor/finding_kinds.h"
#include "cli/term/paint.h"

enum severity {
	SEVERITY_NOTE,   /* good to know; nothing is to be done */
	SEVERITY_TODO,   /* works, and should be put right */
	SEVERITY_BROKEN, /* data cannot be read */
	SEVERITY_COUNT
};

/* What belongs together on the screen, in this order. */
enum finding_group {
	GROUP_PROGRAM,
	GROUP_STORE,
	GROUP_FILES,
	GROUP_CHANGES,
	GROUP_HISTORY,
	GROUP_CLIENTS,
	GROUP_COUNT
};

enum finding_kind {
#define X(id, name, severity, group, fix, meaning, remedy) FINDING_##id,
	FINDING_KINDS(X)
#undef X
		FINDING_KIND_COUNT
};

/* A row of the table of kinds. */
struct finding_row {
	const char *name;
	enum severity severity;
	enum finding_group group;
	const char *fix; /* what --fix does, "rewrites metadata.json"; NULL: nothing */
	const char *meaning;
	const char *remedy;
};

struct finding {
	enum finding_kind kind;
	char *what;
	char *remedy;
};

struct fact {
	enum finding_group group;
	bool detail;       /* nobody asks for it where all is well */
	const char *label; /* static */
	char *text;
};

struct findings {
	struct fact *facts;
	size_t fact_count;
	size_t fact_cap;
	struct finding *items;
	size_t count;
	size_t cap;
};

/* The table's row of a kind; static storage. */
const struct finding_row *finding_row(enum finding_kind kind);

/* Adds a fact; those of a group come in the order in which they are added. */
void findings_fact(struct findings *found, enum finding_group group, const char *label,
		   const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Likewise one that is shown where something is found in its group, or all is asked for. */
void findings_detail(struct findings *found, enum finding_group group, const char *label,
		     const char *format, ...) __attribute__((format(printf, 4, 5)));

/*
 * Adds a finding; the remedy is a sentence that says what to do, NULL for the one of the table.
 */
void findings_add(struct findings *found, enum finding_kind kind, const char *remedy,
		  const char *format, ...) __attribute__((format(printf, 4, 5)));

/* True if there is a finding of the kind. */
bool findings_have(const struct findings *found, enum finding_kind kind);

/* 0 when nothing is to be done, 1 when something is, 65 when data is broken. */
int findings_status(const struct findings *found);

/* What --fix has done, or with a dry run would do. */
struct findings_mended {
	const struct findings *before; /* NULL: it was not asked for */
	bool dry_run;
};

/* Appends what was found for a person, made visible; with all, details too. */
void findings_print(const struct findings *found, const struct findings_mended *mended, bool all,
		    const struct paint *paint, struct str *out);

/*
 * Appends {"facts": {...}, "findings": [{"kind", "severity", "what", "remedy", "fix"?}],
 * "fixed" or "would_fix": [...]?, "status": n}.
 */
void findings_print_json(const struct findings *found, const struct findings_mended *mended,
			 struct str *out);

/* Appends the page docs/reference/doctor.md. */
void findings_write_page(struct str *out);

/* Frees facts and findings; it is as it was when it was new. */
void findings_release(struct findings *found);

#endif
