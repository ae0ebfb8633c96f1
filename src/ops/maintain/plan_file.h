/*
 * A plan as a file: for a person to read before it is applied.
 *
 *	{"kota_plan": 1, "steps": [
 *	  {"do": "archive", "ref": "state:port", "reason": "faded", "because": "its score is 0.03",
 *	   "decided_on": {"state:port": "9f86d081884c7d65"}},
 *	  {"do": "put", "ref": "patterns:deploys", "entry": {"value": ...},
 *	   "decided_on": {"patterns:deploys": null, "state:deploy a": "..."}},
 *	  {"do": "merge", "ref": "state:a", "with": ["state:b"], "entry": {"value": ...},
 *	   "decided_on": {"state:a": "...", "state:b": "..."}},
 *	  {"do": "link", "ref": "state:a", "to": "state:c", "type": "related", "strength": 0.7,
 *	   "metadata": {...}, "decided_on": {"state:a": "...", "state:c": "..."}},
 *	  {"do": "promote", "ref": "state:a", "note": "name", "text": "# ...", "entry": {...},
 *	   "decided_on": {"state:a": "..."}}]}
 *
 * A person may take steps out and change texts; decided_on has the digest of each entry that the
 * step was decided on, null where there was none. What is read must be exactly this: nothing is
 * guessed.
 */
#ifndef KOTA_OPS_MAINTAIN_PLAN_FILE_H
#define KOTA_OPS_MAINTAIN_PLAN_FILE_H

#include "json/write.h"
#include "ops/common.h"
#include "ops/maintain/plan.h"

/* Parts of replies, inside an object: the refs of the standing steps of a kind, at most so many. */
void plan_write_refs(struct json_writer *w, const char *name, const struct plan *plan,
		     enum plan_kind kind, size_t max);

/* All refs that a step is about. */
void plan_write_bases(struct json_writer *w, const char *name, const struct plan_step *step);

/* What a step does, to which entry and, for a merge, with which. */
void plan_write_subject(struct json_writer *w, const struct plan_step *step);

/* left_out: the skipped steps with the reason, each by all refs that it is about or the first. */
void plan_write_left_out(struct json_writer *w, const struct plan *plan, bool all_refs);

/* Writes the steps that are not skipped. */
void plan_write(const struct plan *plan, struct json_writer *w);

/*
 * Reads a plan into *out, which is empty before: plan_release() also after a failure. ERR_BAD_DATA
 * says name:line:column and what would be right.
 */
int plan_read(struct plan *out, const char *name, struct slice text, struct err *err);

/* Writes the steps that are not skipped to a new file; ERR_EXISTS where there is one, as `plan`. */
int plan_save(const struct plan *plan, const struct call *call, struct slice path, struct err *err);

/* Reads a file into *out, as plan_read(); ERR_NOT_FOUND, as `apply`, where there is none. */
int plan_load(struct plan *out, const struct call *call, struct slice path, struct err *err);

#endif
