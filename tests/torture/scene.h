/*
 * One operation over one store in a given condition, and what may come of it.
 *
 *	struct expected expected;
 *	expected_init(&expected, deed, start);         runs it where nothing goes wrong
 *	scene_make(&scene, deed, start);
 *	... a fault: fake_sys_fail(), scene_sys_room() ...
 *	scene_run(&scene, &answer);
 *	scene_judge(row, &expected, &scene, &answer, "EIO at call 17");
 *	scene_remove(&scene);
 *
 * scene_judge() says the promise: what was acknowledged is there, for any reader and at once; what
 * was refused is not, unless the answer says that one has to look; whatever ended in the middle is
 * there or not, and nothing else; every file reads; a broken file has its bytes; the same process
 * and a new one see the same; and after one more change nothing half done is left.
 *
 * For the programs of tests/torture that work in process, over scene_sys(). Structs are the
 * caller's.
 */
#ifndef KOTA_TORTURE_SCENE_H
#define KOTA_TORTURE_SCENE_H

#include "base/str.h"
#include "support/tmpdir.h"
#include "torture/row.h"

struct store;

enum start {
	START_CLEAN,
	START_SERVING,   /* the process has read the store before */
	START_JOURNAL,   /* another was killed between the commit point and the files */
	START_TEMPORARY, /* another was killed before it put its new text in place */
	START_EXCHANGED, /* another was killed before it looked at what came out; notes in .lock */
	START_EMPTY,     /* a directory with nothing in it */
	START_READ_ONLY,
	START_BROKEN, /* state.json does not parse */
	START_COUNT
};

struct deed {
	const char *name;
	const char *command;
	const char *arguments; /* apostrophes for quotes */
	const char *config;    /* config.json, NULL for none; apostrophes for quotes */
	bool due;              /* there is something to expire, on the way or not */
};

/* All deeds. */
const struct deed *deeds(size_t *count);

const char *start_name(enum start start);

enum answer_kind {
	ANSWER_ACKNOWLEDGED,
	ANSWER_REFUSED,
	ANSWER_UNCERTAIN, /* refused, and says that the outcome has to be looked at */
	ANSWER_NONE       /* the process ended */
};

struct answer {
	enum answer_kind kind;
	struct str text; /* reply or sentence */
};

struct scene {
	const struct deed *deed;
	enum start start;
	struct tmpdir dir;
	struct store *store; /* NULL until it is opened */
};

/* What is in a store, as far as it is promised. */
struct snapshot {
	struct str files; /* category files, archive.json, the cold archive, metadata.json */
	struct str kept;  /* values kept for undo: there is no harm in one more */
};

struct expected {
	const struct deed *deed;
	enum start start;
	struct answer answer;
	struct snapshot at_once; /* after the deed, before anybody looks */
	struct snapshot before;  /* without the deed */
	struct snapshot after;   /* with it */
	struct snapshot next[2]; /* and after one more change */
};

/* Chooses a place for stores and a zone for times. Once a program, after row_init(). */
void scenes_init(const struct row *row);

/* The clock of all scenes. */
int64_t scene_now(void);

/* The store in its condition; no rules are in force then, and room is without end. */
void scene_make(struct scene *scene, const struct deed *deed, enum start start);

/* Closes what is open and removes it all. */
void scene_remove(struct scene *scene);

/* Carries out the deed, as a process does: opens the store unless it is open. */
void scene_run(struct scene *scene, struct answer *answer);

/* As scene_run() in a body for fake_sys_in_child(): the kind of the answer. */
int scene_run_in_child(void *scene);

/* Runs the deed with nothing in its way. Release with expected_release(). */
void expected_init(struct expected *expected, const struct deed *deed, enum start start);
void expected_release(struct expected *expected);

/* Takes faults and limits away and judges; the label says what was done. */
void scene_judge(struct row *row, const struct expected *expected, struct scene *scene,
		 const struct answer *answer, const char *label);

/* Is the answer what it would have been without a fault? Its warnings do not count. */
bool answer_is_same(const struct expected *expected, const struct answer *answer);

/* Used between scene.c and scene_judge.c. */
void scene_call(struct scene *scene, const char *command, const char *arguments, int64_t now_ms,
		struct answer *answer);
void scene_close(struct scene *scene);
void scene_calm(int64_t now_ms);

#endif
