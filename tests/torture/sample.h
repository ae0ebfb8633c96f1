/*
 * A store that is well, with something in each file, to be laid out afresh for each case.
 *
 * For the programs of tests/torture. The program itself makes it, once. What fails ends the row.
 */
#ifndef KOTA_TORTURE_SAMPLE_H
#define KOTA_TORTURE_SAMPLE_H

#include "base/str.h"
#include "support/tmpdir.h"

#define SAMPLE_FILES_MAX 16

/* One entry in each category: preferences:editor, connections:ana, patterns:tea, shortcuts:brb,
 * state:task; patterns:old is in archive.json, and an older state:task in the cold archive. */
struct sample {
	struct tmpdir dir; /* holds the store, and what a case puts beside it */
	char store[PATH_MAX + 8];
	struct {
		char *path;
		char *text;
	} files[SAMPLE_FILES_MAX];
	size_t count;
	char month[16]; /* 2026-11.jsonl */
};

void sample_make(struct sample *sample);

void sample_release(struct sample *sample);

/* The store as it was made, and nothing else in it. */
void sample_lay_out(const struct sample *sample);

/* Where a file of the store is below dir; MONTH stands for the file of the cold archive. */
void sample_path(const struct sample *sample, const char *name, struct str *out);

/* What was there when the store was made, at a path from sample_path(); nothing if nothing was. */
void sample_restore(const struct sample *sample, const char *path);

#endif
