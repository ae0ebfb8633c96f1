/*
 * How much an entry matters: one number from how old, how large, how wanted and how important it
 * is. What is below a threshold may be pruned.
 *
 * Pure; who calls gathers the facts.
 */
#ifndef KOTA_POLICY_SALIENCE_H
#define KOTA_POLICY_SALIENCE_H

#include <stdint.h>

/* Importance of an entry that says nothing about it. */
#define IMPORTANCE_UNSET 0.5

struct salience_facts {
	double age_days;   /* since it was made; may be a fraction */
	double idle_days;  /* since it was last active */
	double importance; /* 0 to 1; IMPORTANCE_UNSET when not given */
	int64_t bytes;     /* entry_size() */
	int64_t hits;
};

/* 0 to 1. Ages below 0 (a time to come) count as 0, importance out of its range as its end. */
double salience_score(const struct salience_facts *facts);

#endif
