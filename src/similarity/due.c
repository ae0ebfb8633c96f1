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

static bool due_is(const struct words *phrase, size_t at, const char *word)
{
	return at < phrase->count && slice_is(phrase->words[at].text, word);
}

/*
 * Where what leads to a date ends: "on 4 and 5 March", "until the end of September". *ends says
 * whether the end of a month is named, which is a day by itself.
 */
static size_t due_lead(const struct words *phrase, size_t at, bool *ends)
{
	static const char *const joins[] = {"and", "to", "or", "und", "bis", "oder", NULL};

	while (at >= 2 && slice_index(phrase->words[at - 1].text, joins) >= 0 &&
	       due_number(&phrase->words[at - 2], 31))
		at -= 2;
	*ends = (at >= 2 && due_is(phrase, at - 1, "of") && due_is(phrase, at - 2, "end")) ||
		(at >= 1 && due_is(phrase, at - 1, "ende"));
	return at;
}

/* "Dunlin replaced the collector in July": of what came about, that is when. */
static bool due_came_about(const struct words *phrase, size_t lead)
{
	static const char *const at[] = {"on", "in", "am", "im", NULL};

	if (slice_index(phrase->words[lead].text, at) < 0)
		return false;
	for (size_t i = lead; i-- > 0;) {
		const struct word *word = &phrase->words[i];

		if (phrase_in(word, DICTIONARY_STANDING) || phrase_is_recent(word))
			return false;
		if (phrase_is_change(word) &&
		    (slice_ends(word->text, "ed") || phrase_in(word, DICTIONARY_REPORTS)))
			return true;
	}
	return false;
}

/* Of the month at `at`: "until 7 January", "on January 7", "in April". */
static int64_t due_of_month(const struct words *phrase, size_t at, int64_t told_ms)
{
	const struct word *words = phrase->words;
	long month = due_month(words[at].text);
	long day = at > 0 ? due_number(&words[at - 1], 31) : 0;
	bool ends;
	size_t lead = due_lead(phrase, day ? at - 1 : at, &ends);
	char told[TIMESTAMP_SIZE];

	if (!month || (!ends && (lead == 0 || !due_leads(&words[lead - 1]) ||
				 due_came_about(phrase, lead - 1))))
		return TIME_NONE;
	if (!day && at + 1 < phrase->count)
		day = due_number(&words[at + 1], 31);
	timestamp_format(told_ms, told);
	long year = strtol(told, NULL, 10);
	int64_t ms = due_end(year, month, day);
	return ms != TIME_NONE && ms <= told_ms ? due_end(year + 1, month, day) : ms;
}

/*
 * "by Thursday": the next one. The first day of the table is that of 1 January 1970. "On Thursday"
 * may be each Thursday.
 */
static int64_t due_of_weekday(const struct words *phrase, size_t at, int64_t told_ms)
{
	static const char *const leads[] = {"by",   "until", "till", "before",    "next",
					    "this", "bis",   "vor",  "kommenden", NULL};
	static const char *const days[][2] = {{"thursday", "donnerstag"}, {"friday", "freitag"},
					      {"saturday", "samstag"},    {"sunday", "sonntag"},
					      {"monday", "montag"},       {"tuesday", "dienstag"},
					      {"wednesday", "mittwoch"}};
	char told[TIMESTAMP_SIZE];
	STR_AUTO utc = STR_INIT;
	int64_t begin_ms;
	int64_t utc_ms;

	if (at == 0 || slice_index(phrase->words[at - 1].text, leads) < 0)
		return TIME_NONE;
	timestamp_format(told_ms, told);
	told[DATE_BYTES] = '\0';
	str_printf(&utc, "%sT00:00Z", told);
	if (!timestamp_parse(slice_of(told), false, &begin_ms) ||
	    !timestamp_parse(str_slice(&utc), true, &utc_ms))
		return TIME_NONE;
	for (int64_t day = 0; day < 7; day++)
		for (int k = 0; k < 2; k++)
			if (due_is(phrase, at, days[day][k]))
				return begin_ms +
				       (1 + (day - utc_ms / MS_PER_DAY % 7 + 7) % 7) * MS_PER_DAY;
	return TIME_NONE;
}

/* "each quarter": what comes again and again is never over. */
static bool due_recurs(const struct words *phrase)
{
	static const char *const each[] = {"each",  "every", "always", "yearly", "annually",
					   "jeden", "jedes", "jede",   "immer",  NULL};

	for (size_t i = 0; i < phrase->count; i++)
		if (slice_index(phrase->words[i].text, each) >= 0)
			return true;
	return false;
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

/*
 * True unless no word can be that of a month or a day of the week. Most texts name none, and need
 * not be taken apart. Of one that is not all ASCII that is not known before.
 */
static bool due_may_name_day(struct slice text)
{
	char word[DICTIONARY_WORD_MAX];
	size_t len = 0;

	for (size_t i = 0; i <= text.len; i++) {
		unsigned char c = i < text.len ? (unsigned char)text.ptr[i] : ' ';

		if (c >= 0x80)
			return true;
		if (isalnum(c)) {
			if (len < sizeof word)
				word[len] = (char)tolower(c);
			len++;
		} else if (c != '\'') { /* "don't" is one word */
			if (len <= sizeof word &&
			    (dictionary_has(slice_make(word, len), DICTIONARY_MONTHS) ||
			     dictionary_has(slice_make(word, len), DICTIONARY_DAYS) ||
			     slice_is(slice_make(word, len), "may")))
				return true;
			len = 0;
		}
	}
	return false;
}

int64_t due_of(struct slice text, int64_t told_ms)
{
	ARENA_AUTO arena = ARENA_INIT;
	struct words phrase;
	int64_t due_ms = TIME_NONE;

	if (text.len > DUE_BYTES || told_ms == TIME_NONE)
		return TIME_NONE;
	for (size_t i = 0; i < text.len; i++)
		due_ms = time_later(due_ms, due_of_figures(text, i, told_ms));
	if (due_ms == TIME_NONE && !due_may_name_day(text))
		return TIME_NONE;
	phrase_read(&arena, text, &phrase);
	if (due_recurs(&phrase))
		return TIME_NONE;
	for (size_t i = 0; i < phrase.count; i++) {
		if (phrase.words[i].kind == KIND_MONTH)
			due_ms = time_later(due_ms, due_of_month(&phrase, i, told_ms));
		if (phrase.words[i].kind == KIND_DAY)
			due_ms = time_later(due_ms, due_of_weekday(&phrase, i, told_ms));
	}
	return due_ms;
}
