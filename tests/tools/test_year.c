/*
 * A year of a store that is used every day: a thousand things are set, looked up and used while
 * maintenance runs, every week and every month. In the end, and every month, the store is inside
 * its limits, has what was used, and not a word that was ever set is lost.
 */
#include "support/toolcall.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define DAYS 365
#define SETS 1000

/* What is used every week all the year, and so has to be there at the end of it. */
#define FAVOURITES 12

/* The limits that the store keeps by default. */
#define ENTRIES_MAX 100
#define BYTES_MAX 51200

struct year {
	struct teststore *store;
	uint64_t random;
	int64_t day_ms;
	int sets;
};

/* The same year every time. */
static unsigned int random_below(struct year *year, unsigned int limit)
{
	year->random = year->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned int)(year->random >> 33) % limit;
}

static void call(struct year *year, const char *command, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Runs a command that has to work, a minute after the one before. */
static void call(struct year *year, const char *command, const char *format, ...)
{
	char arguments[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(arguments, sizeof arguments, format, args);
	va_end(args);
	fake_sys_set_now(fake_sys_now() + 61 * 1000);
	toolcall_replies(year->store, command, arguments, NULL);
}

/* Every text holds a word of its own, by which it is found again wherever it went. */
static void set_something(struct year *year)
{
	static const char *const kinds[] = {"pref", "team", "habit", "alias", "task"};
	static const char *const words[] = {"tea",    "train",  "deploy", "night", "cache", "queue",
					    "editor", "branch", "garden", "north", "Anna",  "Rust"};
	unsigned int kind = random_below(year, 5);
	unsigned int topic = random_below(year, 90);
	const char *one = words[random_below(year, 12)];
	const char *other = words[random_below(year, 12)];
	const char *tags = topic % 3 ? ",'tags':['work'],'entities':['Anna','Rust']" : "";
	int id = year->sets++;

	/* Now and then the same thing is told twice under different names. */
	if (id % 25 == 24)
		call(year, "set", "{'key':'%u %s','value':'The %s and the %s go mk%04dx'}", topic,
		     kinds[kind], one, other, id);
	call(year, "set", "{'key':'%s %u','value':'The %s and the %s go mk%04dx'%s}", kinds[kind],
	     topic, one, other, id, tags);
}

static void look_something_up(struct year *year)
{
	call(year, "get", "{'query':'task %u'}", random_below(year, 90));
}

static void begin(struct year *year)
{
	for (int i = 0; i < FAVOURITES; i++)
		call(year, "set", "{'key':'habit favourite %d','value':'Favourite fv%02dx'}", i, i);
}

static void use_favourites(struct year *year)
{
	for (int i = 0; i < FAVOURITES; i++) {
		call(year, "reinforce", "{'refs':['patterns:habit favourite %d']}", i);
	}
}

/* What runs unattended, with the arguments that make it act. */
static const struct {
	const char *command;
	const char *arguments;
} maintenance[] = {
	{"gc", "{'dry_run':false}"},
	{"optimize", "{'strategy':'top_accessed','dry_run':false}"},
	{"optimize", "{'strategy':'stale_cleanup','dry_run':false}"},
	{"optimize", "{'strategy':'consolidate_similar','dry_run':false}"},
	{"consolidate", "{'mode':'light','dry_run':false}"},
	{"consolidate", "{'mode':'deep','dry_run':false}"},
	{"consolidate", "{'mode':'rem','dry_run':false}"},
	{"merge", "{'auto_detect':true,'mode':'apply'}"},
	{"promote", "{'auto_detect':true,'dry_run':false}"},
};

/* Every file's text below a folder. */
static void add_files(struct str *out, int parent, const char *name)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!dir)
		return;
	while ((entry = readdir(dir))) {
		struct tmpdir here = {.fd = fd};
		char *text;

		if (entry->d_name[0] == '.' || entry->d_type == DT_DIR)
			continue;
		text = tmpdir_read(&here, entry->d_name);
		str_adds(out, text ? text : "");
		free(text);
	}
	closedir(dir);
}

static void add_all(struct str *out, const struct year *year)
{
	add_files(out, year->store->dir.fd, ".");
	add_files(out, year->store->dir.fd, "archive.cold");
	add_files(out, year->store->dir.fd, "notes");
}

/* Active entries, archive, cold archive and notes hold everything that was ever set. */
static void nothing_is_lost(struct year *year)
{
	STR_AUTO all = STR_INIT;
	char word[16];

	add_all(&all, year);
	for (int i = 0; i < year->sets; i++) {
		snprintf(word, sizeof word, "mk%04dx", i);
		if (!strstr(all.ptr, word))
			fail_msg("%s is lost", word);
	}
}

static void limits_are_kept(struct year *year)
{
	STR_AUTO reply = STR_INIT;
	struct json_fault fault;
	struct json doc;
	uint32_t categories;
	int64_t number;

	toolcall_reply(year->store, "stats", "{}", &reply);
	assert_int_equal(json_parse(&doc, str_slice(&reply), &json_line_bounds, &fault), 0);
	assert_true(json_int(&doc, json_member(&doc, JSON_ROOT, "bytes"), &number));
	assert_in_range(number, 1, BYTES_MAX);
	categories = json_member(&doc, JSON_ROOT, "categories");
	for (uint32_t c = json_first(&doc, categories); c != JSON_NONE; c = json_next(&doc, c)) {
		assert_true(json_int(&doc, json_member(&doc, c, "entries"), &number));
		assert_in_range(number, 0, ENTRIES_MAX);
	}
	json_release(&doc);
}

static void what_was_used_is_there(struct year *year)
{
	STR_AUTO reply = STR_INIT;
	char ref[64];

	toolcall_reply(year->store, "list", "{'category':'patterns'}", &reply);
	for (int i = 0; i < FAVOURITES; i++) {
		snprintf(ref, sizeof ref, "\"patterns:habit favourite %d\"", i);
		if (!strstr(reply.ptr, ref))
			fail_msg("%s is not in %s", ref, reply.ptr);
	}
}

static void maintain(struct year *year)
{
	for (size_t i = 0; i < sizeof maintenance / sizeof *maintenance; i++)
		call(year, maintenance[i].command, "%s", maintenance[i].arguments);
}

/* A year in which nothing happened would prove nothing. */
static void maintenance_has_acted(struct year *year)
{
	static const char *const signs[] = {"\"faded\"", "\"merged\"", "\"replaced\"",
					    "\"promoted\"", "consolidated_from"};
	STR_AUTO all = STR_INIT;

	add_all(&all, year);
	for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
		if (!strstr(all.ptr, signs[i]))
			fail_msg("%s is nowhere", signs[i]);
	}
}

static void live_a_day(struct year *year, int day)
{
	fake_sys_set_now(TESTSTORE_NOW + day * MS_PER_DAY);
	while (year->sets * DAYS < SETS * (day + 1)) {
		set_something(year);
		look_something_up(year);
	}
	if (day % 7 == 6) {
		use_favourites(year);
		call(year, "gc", "{'dry_run':false}");
	}
	if (day % 30 == 29) {
		maintain(year);
		limits_are_kept(year);
		nothing_is_lost(year);
		what_was_used_is_there(year);
	}
}

static void a_year(void **state)
{
	struct year year = {.store = *state, .random = 2026};

	toolcall_write_file(year.store, "config.json", "{'decay':{'half_life_days':3}}");
	begin(&year);
	for (int day = 0; day < DAYS; day++)
		live_a_day(&year, day);
	assert_int_equal(year.sets, SETS);
	limits_are_kept(&year);
	nothing_is_lost(&year);
	what_was_used_is_there(&year);
	maintenance_has_acted(&year);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_year, toolcall_set_up, toolcall_tear_down),
	};

	tmpdir_in_memory();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
