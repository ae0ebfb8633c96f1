/*
 * What holds for everything that runs unattended, on a store that has something for each of them: a
 * dry run changes nothing and says what the real run then does, doing it twice changes nothing
 * more, what is protected stays, no text is lost, and one undo gives all files their bytes back.
 */
#include "support/toolcall.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define RUN(name)                                                                                  \
	cmocka_unit_test_setup_teardown(name, toolcall_set_up_with_history, toolcall_tear_down)

/* ---- the store */

/* An entry that was made and last active so many days ago; fields begin with a comma. */
static void add_entry(struct str *out, const char *key, const char *text, int days,
		      const char *fields)
{
	char time[TIMESTAMP_SIZE];

	timestamp_format(TESTSTORE_NOW - days * MS_PER_DAY, time);
	str_printf(out, "%s'%s':{'value':'%s','created_at':'%s','last_updated':'%s'%s}",
		   out->len > 1 ? ",\n" : "", key, text, time, time, fields);
}

static void write_entries(struct teststore *t, const char *name, struct str *entries)
{
	str_adds(entries, "}\n");
	toolcall_write_file(t, name, entries->ptr);
	str_clear(entries);
	str_addc(entries, '{');
}

/* Protected ones, each for another reason, and how old it is. */
static const char *const protected_refs[] = {
	"preferences:kept", "state:pinned", "state:important", "state:sourced", "state:young",
};

static void write_store(struct teststore *t)
{
	static const char shared[] = ",'entities':['Anna','Rust'],'tags':['work']";
	STR_AUTO text = STR_INIT;
	char key[32];
	char value[96];

	str_addc(&text, '{');
	add_entry(&text, "kept", "Kept for it is a preference", 80, "");
	write_entries(t, "preferences.json", &text);
	add_entry(&text, "pinned", "Kept for it is pinned", 85, ",'pinned':true");
	add_entry(&text, "important", "Kept for it matters", 85, ",'importance':0.9");
	add_entry(&text, "sourced", "Kept for its source", 85, ",'source':'cli'");
	add_entry(&text, "young", "Kept for it is new", 5, "");
	for (int i = 0; i < 6; i++) {
		snprintf(key, sizeof key, "faded %d", i);
		snprintf(value, sizeof value, "Nobody asked for number %d since winter", i);
		add_entry(&text, key, value, 80 - i, "");
	}
	write_entries(t, "state.json", &text);
	add_entry(&text, "billing export", "The billing export runs at night", 60, shared);
	add_entry(&text, "export billing", "The billing export runs at night!", 50, shared);
	for (int i = 0; i < 4; i++) {
		snprintf(key, sizeof key, "alike %d", i);
		snprintf(value, sizeof value, "Anna reviews the parser branch every %s",
			 i == 0   ? "Monday"
			 : i == 1 ? "Tuesday"
			 : i == 2 ? "Thursday"
				  : "Friday");
		add_entry(&text, key, value, 45, shared);
	}
	add_entry(&text, "proven", "Deploys on Tuesdays", 40, ",'strength':2,'hits':9");
	write_entries(t, "patterns.json", &text);
	/* A file that a run makes is emptied by the undo, not removed. */
	toolcall_write_file(t, "archive.json", "{}\n");
	toolcall_write_file(t, "usage.jsonl",
			    "{'since':'2026-01-01T00:00:00.000Z'}\n"
			    "{'use':'patterns:proven','at':'2026-11-02T08:30:00Z'}\n");
	toolcall_replies(t, "relate",
			 "{'from':'patterns:billing export','to':'patterns:export billing',"
			 "'type':'supports'}",
			 NULL);
	toolcall_replies(t, "reinforce", "{'refs':['patterns:proven'],'boost':true}", NULL);
}

/* ---- what is in it */

static int is_shown(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && strcmp(entry->d_name, "usage.jsonl") != 0 &&
	       strcmp(entry->d_name, "metadata.json") != 0;
}

static void add_folder(struct str *out, const struct tmpdir *dir, const char *name)
{
	struct tmpdir inner = {.fd = openat(dir->fd, name, O_RDONLY | O_DIRECTORY)};
	struct dirent **names;
	char path[PATH_MAX];
	int count;

	if (inner.fd < 0)
		return;
	snprintf(path, sizeof path, "/proc/self/fd/%d", inner.fd);
	count = scandir(path, &names, is_shown, alphasort);
	for (int i = 0; i < count; i++) {
		char *text = names[i]->d_type == DT_REG ? tmpdir_read(&inner, names[i]->d_name)
							: NULL;

		if (text)
			str_printf(out, "== %s/%s\n%s", name, names[i]->d_name, text);
		free(text);
		free(names[i]);
	}
	free(names);
	close(inner.fd);
}

/* The bytes of all files that an undo gives back. */
static void snapshot(struct str *out, const struct teststore *t)
{
	str_clear(out);
	add_folder(out, &t->dir, ".");
	add_folder(out, &t->dir, "notes");
}

/* ---- a run */

static void parse(struct json *doc, const struct str *text)
{
	struct json_fault fault;

	if (json_parse(doc, str_slice(text), &json_line_bounds, &fault) != 0)
		fail_msg("%s: %s", text->ptr, fault.what);
}

/* May a member of the reply say another thing of a dry run than of the real one? */
static bool may_differ(struct slice name)
{
	static const char *const names[] = {"dry_run",     "duration_ms", "message",
					    "suggestions", "mode",        "pagination"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (slice_is(name, names[i]))
			return true;
	}
	return false;
}

static void replies_agree(const struct str *dry, const struct str *real)
{
	STR_AUTO scratch = STR_INIT;
	struct json a;
	struct json b;

	parse(&a, dry);
	parse(&b, real);
	for (uint32_t n = json_first(&a, JSON_ROOT); n != JSON_NONE; n = json_next(&a, n)) {
		struct slice name = json_name(&a, n, &scratch);
		uint32_t other = json_member_slice(&b, JSON_ROOT, name);

		if (may_differ(name))
			continue;
		if (other == JSON_NONE || !json_equal(&a, n, &b, other))
			fail_msg("%.*s: %s\nand then %s", (int)name.len, name.ptr, dry->ptr,
				 real->ptr);
	}
	json_release(&a);
	json_release(&b);
}

static void protected_are_there(struct teststore *t)
{
	STR_AUTO list = STR_INIT;

	toolcall_reply(t, "list", "{}", &list);
	for (size_t i = 0; i < sizeof protected_refs / sizeof *protected_refs; i++) {
		if (!strstr(list.ptr, protected_refs[i]))
			fail_msg("%s is not in %s", protected_refs[i], list.ptr);
	}
}

/* Every value that was there before stands somewhere afterwards. */
static void no_text_is_lost(const struct str *before, const struct str *after)
{
	static const char value[] = "\"value\":\"";
	const char *at = before->ptr;

	while ((at = strstr(at, value))) {
		STR_AUTO text = STR_INIT;

		at += sizeof value - 1;
		str_add(&text, slice_make(at, strcspn(at, "\"")));
		if (!strstr(after->ptr, text.ptr))
			fail_msg("\"%s\" is lost", text.ptr);
	}
}

static void next_minute(void)
{
	fake_sys_set_now(fake_sys_now() + 61 * 1000);
}

/* The arguments are those of the dry run; those of the real one follow. */
static void check(void **state, const char *command, const char *dry_arguments,
		  const char *real_arguments, bool replies_are_alike)
{
	struct teststore *t = *state;
	STR_AUTO before = STR_INIT;
	STR_AUTO after = STR_INIT;
	STR_AUTO again = STR_INIT;
	STR_AUTO dry = STR_INIT;
	STR_AUTO real = STR_INIT;

	write_store(t);
	snapshot(&before, t);
	toolcall_reply(t, command, dry_arguments, &dry);
	snapshot(&after, t);
	assert_string_equal(after.ptr, before.ptr);
	toolcall_reply(t, command, real_arguments, &real);
	if (replies_are_alike)
		replies_agree(&dry, &real);
	snapshot(&after, t);
	assert_string_not_equal(after.ptr, before.ptr);
	no_text_is_lost(&before, &after);
	protected_are_there(t);
	next_minute();
	toolcall_reply(t, command, real_arguments, &again);
	str_clear(&again);
	snapshot(&again, t);
	assert_string_equal(again.ptr, after.ptr);
	toolcall_replies(t, "undo", "{}", NULL);
	snapshot(&after, t);
	assert_string_equal(after.ptr, before.ptr);
}

static void gc(void **state)
{
	check(state, "gc", "{}", "{'dry_run':false}", true);
}

static void optimize_top_accessed(void **state)
{
	struct teststore *t = *state;

	/* Nothing is accessed that much here: nothing is done. */
	write_store(t);
	toolcall_reply_has(t, "optimize", "{'dry_run':false}", "'space_saved_bytes':0");
}

static void optimize_consolidate_similar(void **state)
{
	check(state, "optimize", "{'strategy':'consolidate_similar'}",
	      "{'strategy':'consolidate_similar','dry_run':false}", true);
}

static void consolidate_light(void **state)
{
	check(state, "consolidate", "{}", "{'dry_run':false}", true);
}

static void consolidate_deep(void **state)
{
	check(state, "consolidate", "{'mode':'deep'}", "{'mode':'deep','dry_run':false}", true);
}

static void consolidate_rem(void **state)
{
	check(state, "consolidate", "{'mode':'rem'}", "{'mode':'rem','dry_run':false}", true);
}

static void merge(void **state)
{
	check(state, "merge", "{'auto_detect':true}", "{'auto_detect':true,'mode':'apply'}", false);
}

static void promote(void **state)
{
	check(state, "promote", "{'auto_detect':true}", "{'auto_detect':true,'dry_run':false}",
	      true);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		RUN(gc),
		RUN(optimize_top_accessed),
		RUN(optimize_consolidate_similar),
		RUN(consolidate_light),
		RUN(consolidate_deep),
		RUN(consolidate_rem),
		RUN(merge),
		RUN(promote),
	};

	tmpdir_in_memory();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
