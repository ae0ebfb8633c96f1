/*
 * The clock: years of use by a store whose clock jumps back, decades ahead and back again, stands
 * still for half a year, whose usage is lost or cut, compared with a plain reading of the rules;
 * and single stories of which the end is known.
 *
 * Nothing may expire before its time, then or later, and what is due has to. In process, because a
 * day has to pass in no time.
 */
#include "store/open/store.h"
#include "store/txn/change.h"
#include "support/surroundings.h"
#include "support/tmpdir.h"
#include "torture/row.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define DAY MS_PER_DAY
#define HOUR (DAY / 24)
#define KEYS 12

/* 2026-03-28T12:00:00Z: the night after it clocks are put forward in Europe. */
#define BEGIN INT64_C(1774699200000)

static int64_t clock_ms; /* what the store's clock says */

/* What the rules know of an entry; TIME_NONE for what never was. */
struct known {
	bool there;
	bool pinned;
	int64_t updated_ms;
	int64_t accessed_ms;
	bool noted;         /* its text is remembered, so that a change of it is noticed */
	int64_t stirred_ms; /* the latest moment at which the text had changed, whatever it is now
			     */
};

#define TIMELESS .updated_ms = TIME_NONE, .accessed_ms = TIME_NONE, .stirred_ms = TIME_NONE

struct story {
	struct row *row;
	struct tmpdir dir;
	struct sys sys;
	struct store *store;
	struct known known[KEYS];
	int64_t newest_ms; /* of all that was ever written */
	int64_t since_ms;
	bool outranks;
	int64_t lie_ms; /* planted: the store is told another time */
	unsigned steps;
	unsigned expired;
};

static int64_t now(void)
{
	return clock_ms;
}

static int no_fsync(int fd)
{
	(void)fd;
	return 0;
}

static void pass(int64_t ms)
{
	clock_ms += ms;
}

static void open_store(struct story *story)
{
	struct err err;

	if (store_open(&story->store, &story->sys, surroundings_plain, story->dir.path, &err) != 0)
		row_fatal(err.text);
}

static void begin(struct story *story)
{
	tmpdir_make(&story->dir);
	clock_ms = BEGIN;
	story->newest_ms = TIME_NONE;
	story->since_ms = TIME_NONE;
	story->outranks = false;
	for (int k = 0; k < KEYS; k++)
		story->known[k] = (struct known){TIMELESS};
	open_store(story);
}

static void end(struct story *story)
{
	store_close(story->store);
	tmpdir_remove(&story->dir);
}

/* Another process goes on; what one knew of a file by its stat is forgotten. */
static void again(struct story *story)
{
	store_close(story->store);
	open_store(story);
}

/* ---- the rules */

static bool believed(const struct story *story)
{
	int64_t newest_ms = time_later(story->newest_ms, story->since_ms);

	if (newest_ms == TIME_NONE)
		return true;
	if (newest_ms > clock_ms)
		return newest_ms - clock_ms <= 60000;
	return clock_ms - newest_ms <= 180 * DAY;
}

static void note(struct story *story, int64_t ms)
{
	story->newest_ms = time_later(story->newest_ms, ms);
}

static int64_t active_ms(const struct story *story, const struct known *known)
{
	int64_t touched_ms = time_later(known->updated_ms, known->stirred_ms);
	int64_t active = time_later(touched_ms, known->accessed_ms);

	if (known->accessed_ms == TIME_NONE || story->outranks)
		active = time_later(active, story->since_ms);
	return active < clock_ms ? active : clock_ms;
}

/* What any request does first. */
static void tidy(struct story *story)
{
	if (!believed(story)) {
		bool told = story->outranks && story->since_ms <= clock_ms &&
			    story->since_ms > clock_ms - DAY;

		if (!told) {
			story->since_ms = clock_ms;
			story->outranks = true;
		}
		return;
	}
	for (int k = 0; k < KEYS; k++) {
		struct known *known = &story->known[k];

		if (!known->there || known->pinned ||
		    clock_ms - active_ms(story, known) <= 90 * DAY)
			continue;
		known->there = false;
		story->expired++;
		note(story, clock_ms);
	}
}

/* ---- what is done, by the store and by the rules */

static void name_key(int k, char out[16])
{
	snprintf(out, 16, "key%d", k);
}

static void set(struct story *story, int k, bool pinned)
{
	static const struct change_meta meta = {.tool = "test"};
	struct entry_fields fields = {.value = slice_of("1")};
	const struct item *old;
	struct change *change;
	STR_AUTO text = STR_INIT;
	struct err err;
	char key[16];

	name_key(k, key);
	fields.pinned = slice_of(pinned ? "true" : "false");
	if (change_begin(&change, story->store, &meta, clock_ms + story->lie_ms, &err) != 0)
		row_fatal(err.text);
	old = store_find(story->store, CATEGORY_PATTERNS, slice_of(key));
	entry_compose(&text, old ? &old->entry : NULL, &fields, clock_ms);
	if (change_put(change, CATEGORY_PATTERNS, slice_of(key), str_slice(&text), &err) != 0 ||
	    change_commit(change, NULL, &err) != 0)
		row_fatal(err.text);
	change_end(change);
	tidy(story);
	story->known[k].there = true;
	story->known[k].pinned = pinned;
	story->known[k].updated_ms = clock_ms;
	/* What was done under a clock that ran ahead counts for that time, also when it is back. */
	if (story->known[k].noted)
		story->known[k].stirred_ms = time_later(story->known[k].stirred_ms, clock_ms);
	story->known[k].noted = true;
	note(story, clock_ms);
	if (story->since_ms == TIME_NONE)
		story->since_ms = clock_ms;
}

/* Asks what is there, and compares. */
static void look(struct story *story, const char *what)
{
	struct err err;

	if (store_refresh(story->store, clock_ms + story->lie_ms, &err) != 0)
		row_fatal(err.text);
	tidy(story);
	story->steps++;
	for (int k = 0; k < KEYS; k++) {
		const struct item *item;
		char key[16];

		name_key(k, key);
		item = store_find(story->store, CATEGORY_PATTERNS, slice_of(key));
		if ((item != NULL) == story->known[k].there)
			continue;
		row_violation(story->row, "%s: %s is %s at %lld", what, key,
			      item ? "there still" : "gone", (long long)clock_ms);
		story->known[k].there = item != NULL;
	}
}

static void hit(struct story *story, int k)
{
	STR_AUTO ref = STR_INIT;
	char key[16];

	look(story, "before a hit");
	if (!story->known[k].there)
		return;
	name_key(k, key);
	str_printf(&ref, "patterns:%s", key);
	store_hit(story->store, str_slice(&ref));
	story->known[k].accessed_ms = time_later(story->known[k].accessed_ms, clock_ms);
	note(story, clock_ms);
}

/* ---- stories of which the end is known */

static void must(struct story *story, int k, bool there, const char *what)
{
	look(story, what);
	if (story->known[k].there != there)
		row_violation(story->row, "%s: the entry is %s", what,
			      there ? "gone" : "there still");
}

/* To the millisecond, in zones where the days between are not all of 24 hours. */
static void tell_of_ninety_days(struct story *story)
{
	begin(story);
	set(story, 0, false);
	pass(89 * DAY);
	must(story, 0, true, "after 89 days");
	pass(DAY);
	must(story, 0, true, "after exactly 90 days");
	pass(1);
	must(story, 0, false, "after more than 90 days");
	end(story);
}

static void tell_of_a_clock_put_back(struct story *story)
{
	begin(story);
	set(story, 0, false);
	pass(-365 * DAY);
	must(story, 0, true, "a year back");
	pass(100 * DAY);
	must(story, 0, true, "a year back, 100 days later");
	clock_ms = BEGIN + DAY;
	must(story, 0, true, "a year back and forward again");
	pass(89 * DAY + 1);
	must(story, 0, false, "90 days after a clock was right again");
	end(story);
}

static void tell_of_fifty_years(struct story *story)
{
	begin(story);
	set(story, 0, false);
	pass(50 * 365 * DAY);
	must(story, 0, true, "fifty years ahead");
	pass(DAY);
	must(story, 0, true, "fifty years ahead, a day later");
	clock_ms = BEGIN + 10 * DAY;
	must(story, 0, true, "fifty years ahead and back");
	pass(89 * DAY);
	must(story, 0, true, "89 days after that");
	pass(DAY + 1);
	must(story, 0, false, "90 days after that");
	end(story);
}

static void tell_of_absence(struct story *story)
{
	begin(story);
	set(story, 0, false);
	pass(180 * DAY + 1);
	must(story, 0, true, "after half a year of absence");
	pass(89 * DAY);
	must(story, 0, true, "89 days after half a year of absence");
	pass(DAY + 1);
	must(story, 0, false, "90 days after half a year of absence");
	end(story);
}

/* Usage that is lost starts the days anew for what had no time of its own. */
static void tell_of_lost_usage(struct story *story, const char *text)
{
	begin(story);
	set(story, 0, false);
	pass(80 * DAY);
	hit(story, 0);
	pass(5 * DAY);
	if (text)
		tmpdir_write(&story->dir, "usage.jsonl", text);
	else
		unlinkat(story->dir.fd, "usage.jsonl", 0);
	story->known[0].accessed_ms = TIME_NONE;
	story->known[0].noted = false;
	story->since_ms = TIME_NONE;
	again(story);
	story->since_ms = clock_ms;
	must(story, 0, true, "usage was lost");
	pass(10 * DAY);
	must(story, 0, true, "10 days after usage was lost");
	pass(79 * DAY);
	must(story, 0, true, "89 days after usage was lost");
	pass(DAY + 1);
	must(story, 0, false, "90 days after usage was lost");
	end(story);
}

/* Times that a person or another program wrote; none may expire at once or break the file. */
static void tell_of_odd_times(struct story *story)
{
	static const char *const times[] = {
		"2016-12-31T23:59:60Z",
		"2024-02-29T23:59:59.999+05:45",
		"2026-03-29T02:30:00+01:00",
		"2026-02-30T00:00:00Z",
		"9999-12-31T23:59:59.999Z",
		"10000-01-01T00:00:00Z",
		"1970-01-01T00:00:00Z",
		"-0001-01-01T00:00:00Z",
		"1969-12-31T23:59:59.999-03:30",
		"yesterday",
		"",
		"99999999999999999999-01-01T00:00:00Z",
	};
	for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
		STR_AUTO file = STR_INIT;
		char *after;

		begin(story);
		str_printf(&file,
			   "{\"key0\": {\"value\": 1, \"created_at\": \"%s\", "
			   "\"last_updated\": \"%s\"}}\n",
			   times[i], times[i]);
		tmpdir_write(&story->dir, "patterns.json", file.ptr);
		for (int day = 0; day < 3; day++) {
			const struct item *item;
			struct err err;

			if (store_refresh(story->store, clock_ms + story->lie_ms, &err) != 0)
				row_fatal(err.text);
			item = store_find(story->store, CATEGORY_PATTERNS, slice_of("key0"));
			if (!item || item->active_ms > clock_ms)
				row_violation(story->row, "the time \"%s\": the entry is %s",
					      times[i], item ? "active later than now" : "gone");
			story->steps++;
			pass(29 * DAY);
		}
		after = tmpdir_read(&story->dir, "patterns.json");
		if (!after || strcmp(after, file.ptr) != 0)
			row_violation(story->row, "the time \"%s\": the file is another", times[i]);
		free(after);
		end(story);
	}
}

/* ---- years at random */

static void jump(struct story *story)
{
	static const int64_t jumps[] = {-365 * DAY, 181 * DAY, 50 * 365 * DAY, -50 * 365 * DAY,
					95 * DAY,   -HOUR,     -30000,         179 * DAY};

	pass(jumps[row_below(story->row, sizeof jumps / sizeof *jumps)]);
}

static void live(struct story *story, unsigned steps)
{
	begin(story);
	for (unsigned i = 0; i < steps && !row_is_over(story->row); i++) {
		unsigned what = row_below(story->row, 100);
		int k = (int)row_below(story->row, KEYS);

		pass((int64_t)row_below(story->row, 8) * DAY +
		     row_below(story->row, (unsigned)DAY));
		if (what < 12)
			set(story, k, row_below(story->row, 6) == 0);
		else if (what < 35)
			hit(story, k);
		else if (what < 37)
			jump(story);
		else if (what < 40)
			again(story);
		look(story, "years at random");
	}
	end(story);
}

static void tell_all(struct story *story)
{
	tell_of_ninety_days(story);
	tell_of_a_clock_put_back(story);
	tell_of_fifty_years(story);
	tell_of_absence(story);
	tell_of_lost_usage(story, NULL);
	tell_of_lost_usage(story, "");
	tell_of_odd_times(story);
}

int main(int argc, char **argv)
{
	static const char *const zones[] = {"Europe/Berlin", "America/St_Johns", "Asia/Kathmandu",
					    "UTC0"};
	struct story *story = calloc(1, sizeof *story);
	unsigned steps, expired;
	struct row row;

	row_init(&row, argc, argv);
	story->row = &row;
	story->sys = *sys_real();
	story->sys.now_ms = now;
	story->sys.fsync = no_fsync;
	story->lie_ms = row.plant ? 100 * DAY : 0;
	for (size_t i = 0; i < sizeof zones / sizeof *zones && !row_is_over(&row); i++) {
		setenv("TZ", zones[i], 1);
		tzset();
		tell_all(story);
		live(story, row_times(&row, 250, 4000));
	}
	steps = story->steps;
	expired = story->expired;
	free(story);
	return row_end(&row, "%u looks in 4 zones, %u entries expired: %u too soon or too late",
		       steps, expired, row.violations);
}
