#include "store/log/usage.h"

#include "base/mem.h"
#include "store/files/cache_file.h"
#include "store/log/usage_facts.h"
#include "store/log/usage_file.h"

#include <stdlib.h>

/* Compaction is due beyond this many lines a ref, and some more. */
#define LINES_PER_REF 4
#define LINES_SPARE 200

struct usage {
	struct disk *disk;
	struct usage_position position;
	struct usage_pen pen;
	struct usage_facts facts;
	uint64_t upheavals; /* of facts that were forgotten since */
	bool unread;        /* what the file says is not known: nothing may be based on that */
	struct str batch; /* seen lines that wait for usage_flush_seen() */
};

struct usage *usage_new(struct disk *disk)
{
	struct usage *usage = mem_zalloc(1, sizeof *usage);

	usage->disk = disk;
	usage_facts_init(&usage->facts);
	str_init(&usage->batch);
	return usage;
}

void usage_free(struct usage *usage)
{
	if (!usage)
		return;
	usage_facts_release(&usage->facts);
	usage_pen_release(&usage->pen, usage->disk->sys);
	str_release(&usage->batch);
	free(usage);
}

int usage_refresh(struct usage *usage, struct err *err)
{
	struct usage_tail tail = {.text = STR_INIT};
	int result = usage_file_read(usage->disk, &usage->pen, &usage->position, &tail, err);

	/* What cannot be read is as if it had never been recorded. */
	usage->unread = result != 0;
	if (result != 0)
		usage->position = (struct usage_position){0};
	if (result != 0 || tail.anew) {
		usage->upheavals += usage->facts.upheavals + 1;
		usage_facts_release(&usage->facts);
	}
	if (result == 0)
		usage_facts_take(&usage->facts, usage_tail_lines(&tail));
	str_release(&tail.text);
	return result;
}

bool usage_is_known(const struct usage *usage)
{
	return !usage->unread;
}

uint64_t usage_upheavals(const struct usage *usage)
{
	return usage->upheavals + usage->facts.upheavals;
}

bool usage_next_touched(struct usage *usage, struct slice *ref)
{
	struct usage_facts *facts = &usage->facts;

	if (facts->touched_count == 0)
		return false;
	*ref = facts->list[facts->touched[--facts->touched_count]].fact.ref;
	return true;
}

struct usage_epoch usage_epoch(const struct usage *usage)
{
	return usage->facts.epoch;
}

const struct usage_fact *usage_find(const struct usage *usage, struct slice ref)
{
	const struct usage_known *known = usage_facts_find(&usage->facts, ref);

	return known ? &known->fact : NULL;
}

int64_t usage_newest_ms(const struct usage *usage)
{
	int64_t newest_ms = usage->facts.epoch.since_ms;

	for (size_t i = 0; i < usage->facts.count; i++) {
		const struct usage_fact *fact = &usage->facts.list[i].fact;

		newest_ms = time_later(newest_ms, time_later(fact->last_ms, fact->seen_ms));
		newest_ms = time_later(newest_ms, time_later(fact->shown_ms, fact->used_ms));
	}
	return newest_ms;
}

/*
 * Best effort: what cannot be written was not counted. Where others have written, too, the facts
 * are read back from the file.
 */
static bool append(struct usage *usage, struct slice lines, int64_t now_ms)
{
	STR_AUTO since = STR_INIT;
	struct err ignored;
	bool alone;

	/* A new beginning of the times would be written into a file that may have an old one. */
	if (usage->disk->dirfd < 0 || usage->disk->hands_off ||
	    !origin_believes(&usage->disk->origin, STATE_USAGE) ||
	    (usage->unread && usage_refresh(usage, &ignored) != 0))
		return false;
	usage_line_since(&since, &(struct usage_epoch){.since_ms = now_ms});
	if (usage_file_append(usage->disk, &usage->pen, &usage->position, lines, str_slice(&since),
			      usage->facts.epoch.since_ms != TIME_NONE, &alone) != 0)
		return false;
	if (alone)
		usage_facts_take(&usage->facts, lines);
	else
		usage_refresh(usage, &ignored);
	return true;
}

static void append_all(struct usage *usage, enum usage_kind kind, const struct slice *refs,
		       size_t count, int64_t now_ms)
{
	STR_AUTO lines = STR_INIT;

	for (size_t i = 0; i < count; i++)
		usage_line_add(&lines, kind, refs[i], 0, now_ms, false);
	if (count > 0)
		append(usage, str_slice(&lines), now_ms);
}

void usage_hit(struct usage *usage, struct slice ref, int64_t now_ms)
{
	append_all(usage, USAGE_HIT, &ref, 1, now_ms);
}

void usage_hits(struct usage *usage, const struct slice *refs, size_t count, int64_t now_ms)
{
	append_all(usage, USAGE_HIT, refs, count, now_ms);
}

void usage_shown(struct usage *usage, const struct slice *refs, size_t count, int64_t now_ms)
{
	append_all(usage, USAGE_SHOWN, refs, count, now_ms);
}

bool usage_used(struct usage *usage, const struct usage_use *uses, size_t count, int64_t now_ms)
{
	STR_AUTO lines = STR_INIT;

	for (size_t i = 0; i < count; i++)
		usage_line_add(&lines, USAGE_USE, uses[i].ref, 0, now_ms, uses[i].crossed);
	return count == 0 || append(usage, str_slice(&lines), now_ms);
}

void usage_note_seen(struct usage *usage, struct slice ref, uint64_t digest, int64_t at_ms)
{
	usage_line_add(&usage->batch, USAGE_SEEN, ref, digest, at_ms, false);
}

void usage_note_fact(struct usage *usage, const struct usage_fact *fact)
{
	usage_line_known(&usage->batch, &(struct usage_known){.fact = *fact});
}

void usage_flush_seen(struct usage *usage, int64_t now_ms)
{
	if (usage->batch.len > 0)
		append(usage, str_slice(&usage->batch), now_ms);
	str_clear(&usage->batch);
}

void usage_begin_again(struct usage *usage, int64_t now_ms)
{
	const struct usage_epoch epoch = {.since_ms = now_ms, .outranks = true};
	STR_AUTO line = STR_INIT;

	usage_line_since(&line, &epoch);
	append(usage, str_slice(&line), now_ms);
}

/* Adds what was looked up and used, not what was seen and shown. */
static void add_use(struct usage_fact *to, const struct usage_fact *from)
{
	to->hits = usage_add_hits(to->hits, from->hits);
	to->uses = usage_add_hits(to->uses, from->uses);
	to->crossed = usage_add_hits(to->crossed, from->crossed);
	to->last_ms = time_later(to->last_ms, from->last_ms);
	to->used_ms = time_later(to->used_ms, from->used_ms);
}

void usage_rename(struct usage *usage, struct slice from, struct slice to, int64_t now_ms)
{
	const struct usage_known *old = usage_facts_find(&usage->facts, from);
	const struct usage_known *there = usage_facts_find(&usage->facts, to);
	STR_AUTO lines = STR_INIT;
	struct usage_known moved;

	if (!old || slice_equal(from, to))
		return;
	moved = *old;
	moved.fact.ref = to;
	if (there) {
		add_use(&moved.fact, &there->fact);
		moved.fact.shown_ms = time_later(moved.fact.shown_ms, there->fact.shown_ms);
		moved.fact.seen_ms = time_later(moved.fact.seen_ms, there->fact.seen_ms);
		if (!moved.rest.ptr)
			moved.rest = there->rest;
	}
	usage_line_known(&lines, &moved);
	usage_line_known(&lines, &(struct usage_known){.fact = usage_fact_none(from)});
	append(usage, str_slice(&lines), now_ms);
}

void usage_join(struct usage *usage, struct slice from, struct slice to, int64_t now_ms)
{
	const struct usage_known *old = usage_facts_find(&usage->facts, from);
	const struct usage_known *there = usage_facts_find(&usage->facts, to);
	struct usage_known joined = {.fact = usage_fact_none(to)};
	struct usage_known left;
	STR_AUTO lines = STR_INIT;

	if (!old || slice_equal(from, to))
		return;
	if (there)
		joined = *there;
	add_use(&joined.fact, &old->fact);
	left = *old;
	left.fact = usage_fact_none(from);
	left.fact.shown_ms = old->fact.shown_ms;
	left.fact.seen_ms = old->fact.seen_ms;
	left.fact.digest = old->fact.digest;
	usage_line_known(&lines, &joined);
	usage_line_known(&lines, &left);
	append(usage, str_slice(&lines), now_ms);
}

/* ---- compaction */

/*
 * Writes the facts as one line a ref to another file, and behind them what others appended to the
 * old one while it was being replaced: whoever has that open sees that its name is gone.
 */
static int compact(struct usage *usage, bool (*keep)(void *context, struct slice ref),
		   void *context, struct err *err)
{
	const struct usage_facts *facts = &usage->facts;
	const struct sys *sys = usage->disk->sys;
	STR_AUTO text = STR_INIT;
	STR_AUTO rest = STR_INIT;
	int old_fd = usage_file_open(usage->disk, &usage->position);
	int new_fd = -1;
	int result;

	if (old_fd < 0)
		return 0; /* somebody has just put another file there: not now */
	if (facts->epoch.since_ms != TIME_NONE)
		usage_line_since(&text, &facts->epoch);
	for (size_t i = 0; i < facts->count; i++) {
		const struct usage_known *known = &facts->list[i];

		if (!usage_known_empty(known) && keep(context, known->fact.ref))
			usage_line_known(&text, known);
	}
	result = derived_replace(usage->disk, USAGE_FILE_NAME, str_slice(&text), &new_fd, err);
	if (result == 0)
		result = usage_file_read_rest(usage->disk, &usage->position, old_fd, &rest, err);
	if (result == 0 && rest.len)
		result = file_write_all(sys, new_fd, str_slice(&rest), err);
	file_close(sys, &new_fd);
	file_close(sys, &old_fd);
	return result == 0 ? usage_refresh(usage, err) : -1;
}

/* Are there many more lines than refs to tell of? */
static bool is_wordy(const struct usage_facts *facts)
{
	size_t refs = 0;

	if (facts->lines <= LINES_SPARE)
		return false;
	for (size_t i = 0; i < facts->count; i++)
		refs += !usage_known_empty(&facts->list[i]);
	return facts->lines > LINES_PER_REF * refs + LINES_SPARE;
}

int usage_compact(struct usage *usage, bool (*keep)(void *context, struct slice ref), void *context,
		  struct err *err)
{
	/* What others have appended since can make it due with the next change. */
	if (!usage->unread && !is_wordy(&usage->facts))
		return 0;
	if (usage_refresh(usage, err) != 0)
		return -1;
	if (!is_wordy(&usage->facts))
		return 0;
	return compact(usage, keep, context, err);
}

static int64_t size_of(const struct usage *usage)
{
	return usage->position.id.present ? (int64_t)usage->position.id.size : 0;
}

int usage_compact_now(struct usage *usage, bool (*keep)(void *context, struct slice ref),
		      void *context, int64_t size[2], struct err *err)
{
	if (usage_refresh(usage, err) != 0)
		return -1;
	size[0] = size_of(usage);
	if (size[0] > 0 && compact(usage, keep, context, err) != 0)
		return -1;
	size[1] = size_of(usage);
	return 0;
}
