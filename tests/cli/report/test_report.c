#include "cli/shell_fixture.h"
#include "store/open/store.h"
#include "support/fake_sys.h"
#include "support/secret_sample.h"

#include <stdlib.h>
#include <sys/stat.h>

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on

static int set_up(void **state)
{
	(void)state;
	shell_init(&shell);
	shell_env("KOTA_MEMORY_GIT", "off");
	return 0;
}

static void report(void)
{
	assert_int_equal(shell_run(&shell, "report", NULL), 0);
	assert_string_equal(shell.err, "");
}

static void assert_says(const char *part)
{
	if (!strstr(shell.out, part))
		fail_msg("the page does not say %s", part);
}

static void assert_silent(const char *part)
{
	const char *at = strstr(shell.out, part);

	if (at)
		fail_msg("the page says %.60s", at);
}

static int64_t pass_days(int days)
{
	fake_sys_set_now(fake_sys_now() + days * MS_PER_DAY);
	return fake_sys_now();
}

/* Each element that is opened is closed, in order; no attribute can be ended by what is stored. */
static void assert_well_formed(const char *page)
{
	static const char *const voids[] = {"meta", "br"};
	const char *open[64];
	size_t depth = 0;
	const char *at = strstr(page, "<html");

	while ((at = strchr(at, '<'))) {
		bool closes = at[1] == '/';
		const char *name = at + 1 + closes;
		size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789");
		const char *end = strchr(at, '>');

		assert_non_null(end);
		assert_true(len > 0);
		at = end;
		if (closes) {
			assert_true(depth > 0);
			if (strncmp(open[--depth], name, len) != 0)
				fail_msg("</%.*s> ends %.10s", (int)len, name, open[depth]);
			continue;
		}
		if (end[-1] == '/' || strncmp(name, voids[0], 4) == 0 ||
		    strncmp(name, voids[1], 2) == 0)
			continue;
		assert_true(depth < sizeof open / sizeof *open);
		open[depth++] = name;
	}
	assert_int_equal(depth, 0);
}

/* ---- what kinds of stores there are */

static void test_no_store(void **state)
{
	(void)state;
	report();
	assert_says("<!DOCTYPE html>\n<html lang=\"en\">");
	assert_says("There is no store here yet");
	assert_says("There are no entries.");
	assert_says("Nothing has been looked up or used yet.");
	assert_says("No two entries say nearly the same.");
	assert_says("The archive is empty.");
	assert_well_formed(shell.out);
	assert_false(tmpdir_has(&shell.dir, "store"));
}

static void test_one_entry(void **state)
{
	(void)state;
	assert_int_equal(shell_run(&shell, "set", "state:editor", "vim", "--tags", "tools", NULL),
			 0);
	pass_days(30);
	report();
	assert_says("<b><bdi>editor</bdi></b>");
	assert_says("<span class=\"value\"><bdi>vim</bdi></span>");
	assert_says("<span class=\"tags\"><span><bdi>tools</bdi></span>");
	assert_says(">60 days</td>");
	assert_says("<b>1</b> of 100");
	assert_says("There is no history");
	assert_silent("First of all");
	assert_well_formed(shell.out);
}

static void test_pinned_entries_are_not_drawn(void **state)
{
	(void)state;
	shell_run(&shell, "set", "state:a", "1", "--pinned", NULL);
	report();
	assert_says(">never</td>");
	assert_says("Nothing expires.");
	shell_run(&shell, "set", "state:b", "2", NULL);
	report();
	assert_says("Pinned, so not drawn: 1.");
	assert_says("href=\"#mark4\"");
}

static void test_a_broken_file(void **state)
{
	(void)state;
	shell_run(&shell, "set", "preferences:good", "still here", NULL);
	shell_write(&shell, "state.json", "{\"a\": 1,\n  \"b\": }\n");
	report();
	assert_says("First of all");
	assert_says("state.json:2:8:");
	assert_says("1 thing to be put right: <a href=\"#doctor\">");
	assert_says("<span class=\"badge warning\">Broken</span>");
	assert_says("still here");
	assert_well_formed(shell.out);
}

static void test_broken_settings(void **state)
{
	(void)state;
	shell_run(&shell, "set", "preferences:good", "still here", NULL);
	shell_write(&shell, "config.json", "{\"limits\": 1}\n");
	report();
	assert_says("config.json:1:");
	assert_says("Not known while the settings cannot be read.");
	assert_says("still here");
	assert_well_formed(shell.out);
}

static void test_a_clock_that_is_wrong(void **state)
{
	(void)state;
	shell_run(&shell, "set", "state:a", "1", NULL);
	pass_days(400);
	report();
	assert_says("The clock of this machine and the times in the store are too far apart");
}

static void test_what_has_expired_is_left_out(void **state)
{
	(void)state;
	shell_run(&shell, "set", "state:old", "long gone", NULL);
	pass_days(60);
	shell_run(&shell, "set", "state:new", "fresh", NULL);
	pass_days(31);
	report();
	assert_says("1 entry has expired, and goes to the archive");
	assert_silent("long gone");
	assert_says("fresh");
}

static void test_the_archive(void **state)
{
	(void)state;
	for (int i = 0; i < 12; i++) {
		char key[32];

		snprintf(key, sizeof key, "state:k%d", i);
		shell_run(&shell, "set", key, "1", NULL);
		pass_days(1);
		shell_run(&shell, "delete", key, NULL);
	}
	report();
	assert_says("deleted</th><td class=\"n\">12</td>");
	assert_says("state:k11</bdi>");
	assert_says("Left out: 2 older records.");
}

static void test_changes_of_the_history(void **state)
{
	(void)state;
	shell_env("KOTA_MEMORY_GIT", "own");
	shell_run(&shell, "set", "state:a", "1", NULL);
	pass_days(40);
	shell_run(&shell, "set", "state:a", "2", NULL);
	shell_run(&shell, "set", "state:a", "3", NULL);
	report();
	/* The first is that of the empty store. */
	assert_says("4 changes in the last 53 weeks, as the history has recorded them");
	assert_says("<title>2026-12-31: 2 changes</title>");
	assert_says("2026-12</th><td class=\"n\">2</td><td class=\"n\">1</td>");
}

static void test_groups_and_pairs(void **state)
{
	static const char *const values[] = {
		"the build cache was moved to the big disk, 40 GB are free there now",
		"the build cache was moved to the big disk, 60 GB are free there now",
	};

	(void)state;
	shell_run(&shell, "set", "state:a", values[0], NULL);
	shell_run(&shell, "set", "state:b", values[1], NULL);
	report();
	assert_says("class=\"edge conflict\"");
	assert_says("85 % alike: worth a look");
	assert_says("they contradict each other: ");
	assert_well_formed(shell.out);
}

/* What a setting or a strength by hand may lead to. */
static void test_scores_beyond_measure(void **state)
{
	(void)state;
	shell_write(&shell, "config.json", "{\"decay\": {\"beta\": 1}}\n");
	shell_write(&shell, "state.json",
		    "{\"a\": {\"value\": 1, \"strength\": 1e308, \"uses\": 1000000000},"
		    " \"b\": {\"value\": 1, \"strength\": -5}}\n");
	report();
	assert_silent("=\"nan");
	assert_silent("=\"-nan");
	assert_silent("nan<");
	assert_silent("=\"inf");
	assert_silent("0000000000");
	assert_well_formed(shell.out);
}

/* All of them are drawn, also those that the table leaves out. */
static void test_edges_of_large_groups(void **state)
{
	size_t edges = 0;

	(void)state;
	for (int i = 0; i < 12; i++) {
		char key[32];

		snprintf(key, sizeof key, "state:k%d", i);
		shell_run(&shell, "set", key, "the same words in all of these values", NULL);
	}
	report();
	for (const char *at = shell.out; (at = strstr(at, "class=\"edge\"")); at++)
		edges++;
	assert_int_equal(edges, 12 * 11 / 2);
	assert_says("Left out: 26 pairs that are less alike.");
}

static void test_many_entries(void **state)
{
	STR_AUTO text = STR_INIT;

	(void)state;
	str_addc(&text, '{');
	for (int i = 0; i < 10000; i++)
		str_printf(&text, "%s\"key %d\":\"value number %d of very many\"\n", i ? "," : "",
			   i, i);
	str_adds(&text, "}\n");
	shell_write(&shell, "state.json", text.ptr);
	report();
	assert_says("state <span class=\"badge warning\">over the limit</span>");
	assert_says("Left out: 9,800 entries that were");
	assert_says("Only those that expire first are drawn; left out: 9,500.");
	assert_true(shell.out_len < 400000);
	assert_well_formed(shell.out);
}

/* What a tool would refuse a person may write. */
static void test_a_key_of_any_length(void **state)
{
	STR_AUTO text = STR_INIT;

	(void)state;
	str_adds(&text, "{\"");
	for (int i = 0; i < 100000; i++)
		str_adds(&text, "wide");
	str_adds(&text, "\": 1}\n");
	shell_write(&shell, "state.json", text.ptr);
	report();
	assert_true(shell.out_len < 100000);
	assert_says("wide\xe2\x80\xa6</bdi>");
}

/* ---- what may stand in a store */

#define SCRIPT "</td></table><script>alert(1)</script><img src=x onerror=alert(2)>"

static void test_hostile_values(void **state)
{
	(void)state;
	shell_write(&shell, "state.json",
		    "{\"" SCRIPT "\": {\"value\": \"" SCRIPT "\", \"tags\": [\"" SCRIPT "\"]},\n"
		    "\"quotes\": \"\\\" onload=\\\"x\\\" 'y' &amp; <!-- ]]>\",\n"
		    "\"turned\": \"a\\u202eb\\u0000c\\u001b[2J\\u2028\",\n"
		    "\"nested\": {\"" SCRIPT "\": [\"" SCRIPT "\"]}}\n");
	report();
	assert_silent("<script");
	assert_silent("<img");
	assert_silent(" onload=\"");
	assert_says("&lt;script&gt;");
	assert_says("&quot; onload=&quot;x&quot; &#39;y&#39; &amp;amp; &lt;!-- ]]&gt;");
	assert_says("a\\u{202e}b\\x00c\\x1b[2J\\u{2028}");
	assert_well_formed(shell.out);
}

static void test_hostile_names(void **state)
{
	(void)state;
	snprintf(shell.store, sizeof shell.store, "%s/<script>&\"'", shell.dir.path);
	shell_run(&shell, "set", "state:a", "1", NULL);
	report();
	assert_silent("<script");
	assert_says("/&lt;script&gt;&amp;&quot;&#39;");
}

/* Neither in a value, nor where it is nested, in a key or a tag, in a group or in a reason. */
static void test_secrets_are_not_shown(void **state)
{
	STR_AUTO secret = STR_INIT;
	STR_AUTO text = STR_INIT;
	uint64_t random = 7;

	(void)state;
	secret_make("ghp_%A36;", &random, &secret);
	str_printf(&text,
		   "{\"plain\": \"it is %s\", \"deep\": {\"a\": [\"x\", \"%s\"]},\n"
		   "\"%s\": {\"value\": 1, \"tags\": [\"%s\"]},\n"
		   "\"one\": \"the one token of the build is %s and it works on port 1\",\n"
		   "\"two\": \"the one token of the build is %s and it works on port 2\",\n"
		   "\"database password\": \"%s\"}\n",
		   secret.ptr, secret.ptr, secret.ptr, secret.ptr, secret.ptr, secret.ptr,
		   "hunter-X9vb7Qz");
	shell_write(&shell, "state.json", text.ptr);
	report();
	assert_silent(secret.ptr);
	assert_silent("ghp_");
	assert_silent("hunter-X9");
	assert_says("<span class=\"secret\">hidden: GitHub token</span>");
	assert_says("Hold a secret</th><td class=\"n\">6</td>");
}

/* ---- what the page promises of itself */

static void test_nothing_comes_from_elsewhere(void **state)
{
	(void)state;
	shell_run(&shell, "set", "state:a", "https://example.org/x", NULL);
	report();
	assert_says("content=\"default-src &#39;none&#39;; style-src &#39;sha256-");
	assert_silent("<script");
	assert_silent("<link");
	assert_silent("<img");
	assert_silent("style=\"");
	assert_silent("src=\"");
	assert_silent("url(");
	assert_silent("@import");
	assert_silent("href=\"http");
}

static void test_the_same_twice(void **state)
{
	char *first;

	(void)state;
	shell_env("KOTA_MEMORY_GIT", "own");
	for (int i = 0; i < 20; i++) {
		char key[32];

		snprintf(key, sizeof key, "k%d", i);
		shell_run(&shell, "set", key, "the same words in all of these values", NULL);
		pass_days(3);
	}
	report();
	first = strdup(shell.out);
	report();
	assert_string_equal(shell.out, first);
	free(first);
}

static void test_nothing_is_changed_or_counted(void **state)
{
	static const char *const files[] = {"state.json", "usage.jsonl", "metadata.json"};
	char *before[3];
	struct stat folder_before;
	struct stat folder_after;

	(void)state;
	shell_run(&shell, "set", "state:old", "1", NULL);
	pass_days(60);
	shell_run(&shell, "set", "state:new", "1", NULL);
	shell_write(&shell, "preferences.json", "{\"by hand\": 1}\n");
	pass_days(31);
	for (int i = 0; i < 3; i++)
		before[i] = shell_read(&shell, files[i]);
	assert_int_equal(stat(shell.store, &folder_before), 0);
	report();
	assert_int_equal(stat(shell.store, &folder_after), 0);
	assert_memory_equal(&folder_after.st_mtim, &folder_before.st_mtim,
			    sizeof folder_after.st_mtim);
	for (int i = 0; i < 3; i++) {
		char *after = shell_read(&shell, files[i]);

		assert_string_equal(after, before[i]);
		free(after);
		free(before[i]);
	}
	assert_false(tmpdir_has(&shell.dir, "store/archive.json"));
}

static void test_not_for_a_terminal(void **state)
{
	(void)state;
	shell.cli.out_is_terminal = true;
	assert_int_equal(shell_run(&shell, "report", NULL), 2);
	assert_string_equal(shell.out, "");
	assert_string_equal(shell.err, "kota: report: the report is a page for a browser: kota "
				       "report > report.html\n");
	shell.cli.out_is_terminal = false;
	assert_int_equal(shell_run(&shell, "report", "--json", NULL), 2);
	assert_non_null(strstr(shell.err, "kota stats --json"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, shell_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_no_store),
		TEST(test_one_entry),
		TEST(test_pinned_entries_are_not_drawn),
		TEST(test_a_broken_file),
		TEST(test_broken_settings),
		TEST(test_a_clock_that_is_wrong),
		TEST(test_what_has_expired_is_left_out),
		TEST(test_the_archive),
		TEST(test_changes_of_the_history),
		TEST(test_groups_and_pairs),
		TEST(test_scores_beyond_measure),
		TEST(test_edges_of_large_groups),
		TEST(test_many_entries),
		TEST(test_a_key_of_any_length),
		TEST(test_hostile_values),
		TEST(test_hostile_names),
		TEST(test_secrets_are_not_shown),
		TEST(test_nothing_comes_from_elsewhere),
		TEST(test_the_same_twice),
		TEST(test_nothing_is_changed_or_counted),
		TEST(test_not_for_a_terminal),
	};

	return cmocka_run_group_tests_name("page", tests, NULL, NULL);
}
