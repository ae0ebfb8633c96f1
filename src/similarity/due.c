#include "similarity/due.h"

#include "base/time.h"
#include "similarity/phrase.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longer texts are more than one statement. */
#define DUE_BYTES 600

#define DATE_BYTES 10 /* "2026-10-16" */

/* The midnight that begins a day, or the month after where day is 0. */
static int64_t due_midnight(long year, long month, long day)
{
	char text[80];
	int64_t ms = TIME_NONE;

	snprintf(text, sizeof text, "%04ld-%02ld-%02ld", month > 12 ? year + 1 : year,
		 month > 12 ? 1 : month, day);
	timestamp_parse(slice_of(text), false, &ms);
	return ms;
}

/* When a month, or a day of it, is over. */
static int64_t due_end(long year, long month, long day)
{
	int64_t ms = due_midnight(year, day ? month : month + 1, day ? day : 1);

	return day && ms != TIME_NONE ? ms + MS_PER_DAY : ms;
}

static long due_month(struct slice name)
{
	static const char *const begins[][2] = {
		{"jan", "jan"}, {"feb", "feb"}, {"mar", "m\xc3\xa4"}, {"apr", "apr"},
		{"may", "mai"}, {"jun", "jun"}, {"jul", "jul"},       {"aug", "aug"},
		{"sep", "sep"}, {"oct", "okt"}, {"nov", "nov"},       {"dec", "dez"},
	};

	for (long m = 0; m < 12; m++)
		for (int k = 0; k < 2; k++)
			if (name.len >= 3 && memcmp(name.ptr, begins[m][k], 3) == 0)
				return m + 1;
	return 0; /* a season */
}

static long due_number(const struct word *word, long max)
{
	long number = 0;

	if (word->kind != KIND_NUMBER)
		return 0;
	for (size_t i = 0; i < word->text.len && isdigit((unsigned char)word->text.ptr[i]); i++)
		number = number > max ? number : number * 10 + (word->text.ptr[i] - '0');
	return number <= max ? number : 0;
}

static bool due_leads(const struct word *word)
{
	static const char *const leads[] = {"on", "in", "by",  "until", "till", "before",
					    "am", "im", "bis", "zum",   "vor",  NULL};

	return slice_index(word->text, leads) >= 0;
}

/* Of the month at `at`: "until 7 January", "on January 7", "in April". */
static int64_t due_of_month(const struct words *phrase, size_t at, int64_t told_ms)
{
	const struct word *words = phrase->words;
	long month = due_month(words[at].text);
	long day = at > 0 ? due_number(&words[at - 1], 31) : 0;
	size_t lead = day ? at - 1 : at;
	char told[TIMESTAMP_SIZE];
	int64_t ms;
	long year;

	if (!month || lead == 0 || !due_leads(&words[lead - 1]))
		return TIME_NONE;
	if (!day && at + 1 < phrase->count)
		day = due_number(&words[at + 1], 31);
	timestamp_format(told_ms, told);
	year = strtol(told, NULL, 10);
	ms = due_end(year, month, day);
	return ms != TIME_NONE && ms <= told_ms ? due_end(year + 1, month, day) : ms;
}

/* A date in figures, if it is later than the text. */
static int64_t due_of_figures(struct slice text, size_t at, int64_t told_ms)
{
	int64_t ms = TIME_NONE;

	if (text.len - at < DATE_BYTES || text.ptr[at + 4] != '-' ||
	    !timestamp_parse(slice_make(text.ptr + at, DATE_BYTES), false, &ms))
		return TIME_NONE;
	return ms > told_ms ? ms + MS_PER_DAY : TIME_NONE;
}

int64_t due_of(struct slice text, int64_t told_ms)
{
	ARENA_AUTO arena = ARENA_INIT;
	struct words phrase;
	int64_t due_ms = TIME_NONE;

	if (text.len > DUE_BYTES || told_ms == TIME_NONE)
		return TIME_NONE;
	phrase_read(&arena, text, &phrase);
	for (size_t i = 0; i < phrase.count; i++)
		if (phrase.words[i].kind == KIND_MONTH)
			due_ms = time_later(due_ms, due_of_month(&phrase, i, told_ms));
	for (size_t i = 0; i < text.len; i++)
		due_ms = time_later(due_ms, due_of_figures(text, i, told_ms));
	return due_ms;
}
