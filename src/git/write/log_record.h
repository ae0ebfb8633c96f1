/*
 * A record of the log of objects, as it stands in the file: a head that says of which time it is
 * and what it has to be, then the branch and its move, the objects' loose files, and the changes of
 * the index. For object_log.c and log_mend.c. Slices point into the text that was read.
 */
#ifndef KOTA_GIT_WRITE_LOG_RECORD_H
#define KOTA_GIT_WRITE_LOG_RECORD_H

#include "git/id_list.h"
#include "git/write/index_file.h"

/* A record begins where a disk can write without what is before it. */
#define RECORD_STEP 512
#define RECORD_HEAD 32

/* What is logged of a recording; nothing is owned. */
struct logged_recording {
	const char *branch;
	const struct object_id *from;
	const struct object_id *to;
	int64_t time_ms; /* for the reflog */
	int offset_min;
	const struct id_list *made; /* those objects of it that are fresh, see objects.h */
	const struct index_change *changes;
	size_t count;
};

/* One that was read from the log; the branch is owned. */
struct log_record {
	struct str branch;
	struct object_id from;
	struct object_id to;
	int64_t time_ms;
	int offset_min;
	struct slice objects; /* so many as count says */
	uint64_t count;
	struct slice changes;
	uint64_t change_count;
};

/* The room that so many bytes take. */
size_t log_record_round_up(size_t bytes);

/* What is behind the head. */
void log_record_compose(struct str *out, const struct repo *repo,
			const struct logged_recording *recording);

/* The head of a record, for this epoch of the log and what is behind it. */
void log_record_put_head(struct str *out, uint64_t epoch, struct slice body);

/* How long the record is that a head begins, its head included; 0 where it is none of the epoch. */
uint64_t log_record_length(const char head[RECORD_HEAD], uint64_t epoch);

/* The record at this place of the log; false where there is none of this epoch that is whole. */
bool log_record_at(struct slice text, size_t at, uint64_t epoch, struct slice *body);

/* Walks over what a record has, to find where its parts begin; false where it is none. */
bool log_record_parse(const struct repo *repo, struct slice body, struct log_record *out);

/* Takes the next object off `objects`: its id, and its loose file. False at the end. */
bool log_record_next_object(struct slice *rest, struct object_id *id, struct slice *file);

/*
 * Takes the next change of the index off `changes`: a path, and the ids of its blobs one behind the
 * other, OBJECT_ID_BYTES each. False at the end.
 */
bool log_record_next_change(struct slice *rest, struct slice *path, struct slice *ids);

#endif
