/*
 * What maintenance is about to do, decided before anything is done.
 *
 *	struct plan plan = PLAN_INIT;
 *	plan_archive(&plan, item, REASON_FADED);
 *	plan_merge(&plan, survivor, entry_text, others, count);
 *	plan_apply(&plan, change, &result, &err);        a rehearsal or the real thing
 *	... plan.steps[i].skipped says which were left out, and why ...
 *	plan_release(&plan);
 *
 * A plan is made from a view of the store and carried out on the same view, at once, or later out
 * of a file (plan_file.h): each step carries digests of the entries that it was decided on, and is
 * left out when one of them is another by then. All steps of a plan are one change. Whether a run
 * is dry is decided by the change alone (change_rehearse()): planning and applying are the same
 * code, so that a dry run tells what the real one does.
 *
 * Texts and items are copied: a plan depends on nothing but itself.
 */
#ifndef KOTA_OPS_MAINTAIN_PLAN_H
#define KOTA_OPS_MAINTAIN_PLAN_H

#include "base/arena.h"
#include "store/txn/change.h"

enum plan_kind {
	PLAN_ARCHIVE, /* ref goes to the archive, for `reason` */
	PLAN_PUT,     /* ref gets `text`: a new entry, or another text of one */
	PLAN_MERGE,   /* ref gets `text`; its old text and the other bases go to the archive, links
			 of those lead to ref from now on, and ref is linked to what it was made of */
	PLAN_LINK,    /* ref and `to` are linked; neither entry is changed */
	PLAN_PROMOTE, /* a note is made of `note_text`; ref gets `text`, with its status and where
			 the note is */
	PLAN_KIND_COUNT
};

/* An entry that a step was decided on. */
struct plan_basis {
	struct slice ref;
	uint64_t digest; /* hash64 of its text as it stood; 0: there was none */
};

struct plan_step {
	enum plan_kind kind;
	enum reason reason; /* PLAN_ARCHIVE */
	struct slice ref;   /* what is changed, or survives; always the first basis */
	struct slice text;  /* compact JSON text of the entry; not of PLAN_ARCHIVE, PLAN_LINK */
	struct slice to;    /* PLAN_LINK: where it leads; the second basis. Likewise below */
	enum relation_type type;
	double strength;
	struct slice metadata;  /* JSON text of an object; may be absent */
	struct slice note_stem; /* PLAN_PROMOTE: the file's name without its ending */
	struct slice note_text;
	struct slice note_file;   /* its name, after plan_apply() */
	struct slice because;     /* a sentence for the person who reads the plan; may be absent */
	struct plan_basis *bases; /* of PLAN_MERGE: ref, and the entries that go */
	size_t base_count;
	const struct slice *link_ids; /* of the links it made, after plan_apply() */
	size_t link_count;
	struct slice skipped; /* after plan_apply(): why the step is left out; absent: it is not */
	enum err_code skip_code; /* ERR_NONE when it is not */
	bool settled;            /* it stays skipped */
	bool keeps_old;          /* PLAN_PUT: the old text goes to the archive (replaced) */
	bool named;              /* somebody asked for it: what is protected is changed, too */
};

struct plan {
	struct arena arena;
	struct plan_step *steps;
	size_t count;
	size_t cap;
	bool unattended; /* nobody named the entries: what is protected stays as it is */
};

#define PLAN_INIT                                                                                  \
	{                                                                                          \
		.count = 0                                                                         \
	}

/* Frees the steps, leaves an empty plan. */
void plan_release(struct plan *plan);

/* Released at the end of the scope: `PLAN_AUTO plan = PLAN_INIT;` */
#define PLAN_AUTO __attribute__((cleanup(plan_release))) struct plan

/*
 * True if a step changes or archives this entry already (a link changes none). Each entry is
 * changed by one step of a plan at most: plan_apply() leaves out any further one.
 */
bool plan_changes(const struct plan *plan, struct slice ref);

/* True if the step takes this entry out of service. */
bool plan_archives(const struct plan_step *step, struct slice ref);

/* "archive", "put", ...; ended by NULL. */
extern const char *const plan_kind_names[PLAN_KIND_COUNT + 1];

/*
 * Adds steps. What they return is the plan's, and valid until the next one is added. reason must
 * say why: faded, pruned, stale or merged. item is what is there now.
 */
struct plan_step *plan_archive(struct plan *plan, const struct item *item, enum reason reason);

/* A new entry, or with item one that takes its place: category and key are the item's then. */
struct plan_step *plan_put(struct plan *plan, const struct item *item, enum category category,
			   struct slice key, struct slice text);

/* others must not hold the survivor. Its old text is kept in the archive unless it is `text`. */
struct plan_step *plan_merge(struct plan *plan, const struct item *survivor, struct slice text,
			     const struct item *const *others, size_t count);

/* from and to must be two. metadata: absent for none. */
struct plan_step *plan_link(struct plan *plan, const struct item *from, const struct item *to,
			    enum relation_type type, double strength, struct slice metadata);

/*
 * text is the entry's with its facts as they are to stay: plan_apply() adds the members status and
 * promoted_to. stem and note_text as change_note() takes them.
 */
struct plan_step *plan_promote(struct plan *plan, const struct item *item, struct slice text,
			       struct slice stem, struct slice note_text);

/* The step depends on this entry too, without changing it. Not for PLAN_MERGE. */
void plan_rely(struct plan *plan, struct plan_step *step, const struct item *item);

/* Says why, to whoever reads the plan: as printf does. */
void plan_because(struct plan *plan, struct plan_step *step, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Carries out all steps that still hold, as one change, and commits it. Steps that do not hold, or
 * whose entry would be too large, are marked as skipped. Fails, and does nothing, where the change
 * does: a file that does not parse, limits. result may be NULL. A note that stays as a person wrote
 * it is told in warning, which may be NULL and must live until the call returns.
 */
int plan_apply(struct plan *plan, struct change *change, struct str *warning,
	       struct change_result *result, struct err *err);

/* The same without the commit, for who has more to add to the change. */
int plan_take(struct plan *plan, struct change *change, struct str *warning, struct err *err);

/* Number of steps that are not skipped. */
size_t plan_standing(const struct plan *plan);

/* ---- for plan_file.c, which makes steps of what a file says */

/* A step without anything; valid until the next one is added. */
struct plan_step *plan_add(struct plan *plan, enum plan_kind kind);

/* ref must live as long as the plan; digest 0 says that there was no such entry. */
void plan_add_basis(struct plan_step *step, struct slice ref, uint64_t digest);

#endif
