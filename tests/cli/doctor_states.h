/*
 * What doctor can find, as states to be made: for test_doctor_kinds.c.
 */
#ifndef KOTA_TESTS_DOCTOR_STATES_H
#define KOTA_TESTS_DOCTOR_STATES_H

#include "cli/doctor/findings.h"
#include "cli/shell.h"

/* In two parts, so that nobody takes a test for a leak. */
#define DOCTOR_TOKEN                                                                               \
	"ghp"                                                                                      \
	"_8Jq2LmX91ZpQw7RtYc4VbN6sKd3FhG0eUiOa"

/* Nobody's user id, for what belongs to another one. */
#define SOMEBODY_ELSE 65534

struct doctor_state {
	enum finding_kind kind;
	void (*make)(struct shell *shell); /* of a store in which notes were saved twice */
	int status;
	const char *says; /* as JSON text has it */
};

/* Ended by one without make. */
extern const struct doctor_state doctor_states_files[];
extern const struct doctor_state doctor_states_around[];
extern const struct doctor_state doctor_states_trust[];

/* The path of something in the store; static storage, until the next call. */
const char *in_store(const struct shell *shell, const char *name);

/*
 * Moves the store into a project with a repository of its own, which tracks this file ("store/X";
 * NULL: nothing).
 */
void into_repository(struct shell *shell, const char *tracked);

/* Puts a link there, in the place of what is. */
void become_link(const struct shell *shell, const char *name, const char *target);

#endif
