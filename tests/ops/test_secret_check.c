#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/toolcall.h"

#define TEST(name) cmocka_unit_test_setup_teardown(name, toolcall_set_up, toolcall_tear_down)

/* In two parts, so that nobody takes a test for a leak. */
#define BODY "8Jq2LmX91ZpQw7RtYc4VbN6sKd3FhG0eUiOa"
#define TOKEN                                                                                      \
	"ghp"                                                                                      \
	"_" BODY

#define REFUSED(param, command)                                                                    \
	param ": holds a secret (GitHub token) and is not stored; leave it out, or ask the "       \
	      "user "                                                                              \
	      "to store it with kota " command                                                     \
	      " --allow-secret or to change the setting \"secrets\""

static void refused(struct teststore *t, const char *command, const char *arguments,
		    const char *sentence)
{
	toolcall_refused(t, command, arguments, ERR_BAD_VALUE, sentence);
}

static void set_refuses_it_anywhere(void **state)
{
	struct teststore *t = *state;

	refused(t, "set", "{'key':'a','value':'" TOKEN "'}", REFUSED("value", "set"));
	refused(t, "set", "{'key':'" TOKEN "','value':1}", REFUSED("key", "set"));
	refused(t, "set", "{'key':'a','value':{'b':['x " TOKEN "']}}", REFUSED("value", "set"));
	refused(t, "set", "{'key':'a','value':{'" TOKEN "':1}}", REFUSED("value", "set"));
	refused(t, "set", "{'key':'a','value':1,'tags':['t','" TOKEN "']}", REFUSED("tags", "set"));
	refused(t, "set", "{'key':'a','value':1,'meta':{'b':'\\u0067hp_" BODY "'}}",
		REFUSED("meta", "set"));
	/* Sent as a text, as models do, with an escape in that. */
	refused(t, "set", "{'key':'a','value':1,'meta':'{\\\"b\\\":\\\"\\\\u0067hp_" BODY "\\\"}'}",
		REFUSED("meta", "set"));
	assert_false(tmpdir_has(&t->dir, "state.json"));
	assert_false(tmpdir_has(&t->dir, ".lock"));
}

/* Another sentence would repeat what was given. */
static void it_is_refused_before_all_else(void **state)
{
	refused(*state, "set", "{'key':'a','value':1,'category':'" TOKEN "'}",
		REFUSED("category", "set"));
	refused(*state, "set", "{'key':'a','value':1,'" TOKEN "':1}", REFUSED("arguments", "set"));
	refused(*state, "notes", "{'summary':'s','capturedAt':'" TOKEN "'}",
		REFUSED("capturedAt", "notes"));
}

/* Arguments with a text of so many bytes that ends in a token; format has one %s for it. */
static void make_long(struct str *out, const char *format, size_t len)
{
	const char *at = strstr(format, "%s");
	size_t token = strlen(TOKEN);

	str_clear(out);
	str_add(out, slice_make(format, (size_t)(at - format)));
	for (size_t i = token; i < len; i++)
		str_addc(out, i + 1 == len ? ' ' : 'a');
	str_adds(out, TOKEN);
	str_adds(out, at + 2);
}

/* Nothing is searched that has no room anyway. */
static void sizes_come_before_content(void **state)
{
	static const struct {
		const char *command;
		const char *arguments;
		const char *sentence;
	} cases[] = {
		{"set", "{'key':'a','value':'%s'}", "value: 5002"},
		{"set", "{'key':'a','value':['%s']}", "value: 5004"},
		{"set", "{'key':'a','value':1,'meta':{'b':'%s'}}", "meta: 5008"},
		{"set", "{'key':'a','value':1,'source':'%s'}", "source: 5002"},
		{"update", "{'key':'a','addition':'%s'}", "addition: 5002"},
		{"notes", "{'summary':'%s'}", "summary: 5002"},
	};
	STR_AUTO arguments = STR_INIT;
	STR_AUTO sentence = STR_INIT;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		make_long(&arguments, cases[i].arguments, 5000);
		str_clear(&sentence);
		str_printf(&sentence,
			   "%s bytes; an entry has at most 4096 (limits.entry_bytes): shorten it "
			   "or split it",
			   cases[i].sentence);
		toolcall_refused(*state, cases[i].command, arguments.ptr, ERR_TOO_LARGE,
				 sentence.ptr);
		make_long(&arguments, cases[i].arguments, 3000);
		toolcall_refused_with(*state, cases[i].command, arguments.ptr, ERR_BAD_VALUE,
				      "holds a secret (GitHub token)");
	}
}

/* What is over the limit already may be replaced by as much, but not by a secret. */
static void a_large_entry_is_searched_still(void **state)
{
	struct teststore *t = *state;
	STR_AUTO arguments = STR_INIT;
	STR_AUTO large = STR_INIT;

	for (size_t i = 0; i < 6000; i++)
		str_addc(&large, 'b');
	str_printf(&arguments, "{'key':'a','value':'%s'}", large.ptr);
	toolcall_write_file(t, "config.json", "{'limits':{'entry_bytes':9000}}");
	toolcall_replies(t, "set", arguments.ptr, NULL);
	toolcall_write_file(t, "config.json", "{'limits':{'entry_bytes':4096}}");
	make_long(&arguments, "{'key':'a','value':'%s'}", 5000);
	toolcall_refused_with(t, "set", arguments.ptr, ERR_BAD_VALUE,
			      "holds a secret (GitHub token)");
	str_truncate(&large, 5000);
	str_clear(&arguments);
	str_printf(&arguments, "{'key':'a','value':'%s'}", large.ptr);
	toolcall_replies(t, "set", arguments.ptr, NULL);
}

static void update_looks_at_the_result(void **state)
{
	struct teststore *t = *state;

	toolcall_replies(t, "set", "{'key':'a','value':{'k':'v'}}", NULL);
	refused(t, "update", "{'key':'a','addition':'" TOKEN "'}", REFUSED("addition", "update"));
	refused(t, "update", "{'key':'a','addition':{'b':'" TOKEN "'}}",
		REFUSED("addition", "update"));
	toolcall_replies(t, "set", "{'key':'b','value':'-----BEGIN RSA'}", NULL);
	refused(t, "update", "{'key':'b','addition':'PRIVATE KEY-----\\n" BODY BODY "\\n'}",
		"addition: holds a secret (private key) and is not stored; leave it out, or ask "
		"the user to store it with kota update --allow-secret or to change the setting "
		"\"secrets\"");
	toolcall_reply_has(t, "get", "{'query':'b'}", "'value':'-----BEGIN RSA'");
}

/* What a person put there by hand does not stand in the way of more. */
static void update_bears_what_was_there(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "state.json", "{'a': '" TOKEN "'}");
	toolcall_reply_has(t, "update", "{'key':'a','addition':'more'}", "'value':");
}

static void a_key_that_is_there_is_no_matter(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "state.json", "{'" TOKEN "': 1}");
	toolcall_reply_has(t, "update", "{'key':'" TOKEN "','addition':2}", "'value':2");
	toolcall_reply_has(t, "mv", "{'key':'" TOKEN "','new':'a'}", "'key':'a'");
	refused(t, "mv", "{'key':'a','new':'" TOKEN "'}", REFUSED("new", "mv"));
}

static void only_the_shell_may_allow_it(void **state)
{
	refused(*state, "set", "{'key':'a','value':'" TOKEN "','allow_secret':true}",
		REFUSED("value", "set"));
	toolcall_refused(*state, "update", "{'key':'a','addition':1,'allow_secret':true}",
			 ERR_UNKNOWN_ARGUMENT,
			 "allow_secret: no such argument; memory_update takes key, addition");
}

static void the_setting_decides(void **state)
{
	struct teststore *t = *state;

	store_disk(t->store)->origin.kind = ORIGIN_OWN;
	toolcall_write_file(t, "config.json", "{'secrets':'warn'}");
	toolcall_reply_has(t, "set", "{'key':'a','value':'" TOKEN "'}",
			   "'warnings':['value: holds a secret (GitHub token), which everything "
			   "that reads the store can read']");
	toolcall_reply_has(t, "notes", "{'summary':'" TOKEN "'}",
			   "'warnings':['summary: holds a secret (GitHub token)");
	toolcall_write_file(t, "config.json", "{'secrets':'off'}");
	toolcall_replies(t, "set", "{'key':'b','value':'" TOKEN "'}",
			 "{'key':'b','category':'state','created_at':'" TOOLCALL_T0
			 "','last_updated':'" TOOLCALL_T0
			 "','similar':[{'ref':'state:a','value':'[withheld: GitHub token]',"
			 "'says':'same'}]}");
	toolcall_write_file(t, "config.json", "{'secrets':1}");
	toolcall_refused(t, "set", "{'key':'c','value':'" TOKEN "'}", ERR_BAD_DATA, NULL);
}

static void passwords_only_warn(void **state)
{
	struct teststore *t = *state;

	toolcall_reply_has(t, "set", "{'key':'wifi password','value':'hunter2'}",
			   "'warnings':['value: holds a secret (password), which everything that "
			   "reads the store can read']");
	toolcall_reply_has(t, "set", "{'key':'db','value':'mysql://bob:hunter2@db/x'}",
			   "'warnings':['value: holds a secret (password in a URL)");
	toolcall_reply_has(t, "update", "{'key':'db','addition':'password=hunter2'}",
			   "'warnings':['addition: holds a secret (password)");
	toolcall_reply_has(t, "get", "{'query':'db'}", "password=hunter2");
	/* A context is no password, whatever the key is called. */
	toolcall_replies(t, "set", "{'key':'password','value':8,'context':'work'}",
			 "{'key':'password','category':'state','created_at':'" TOOLCALL_T0
			 "','last_updated':'" TOOLCALL_T0 "'}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(set_refuses_it_anywhere),
		TEST(it_is_refused_before_all_else),
		TEST(sizes_come_before_content),
		TEST(a_large_entry_is_searched_still),
		TEST(update_looks_at_the_result),
		TEST(update_bears_what_was_there),
		TEST(a_key_that_is_there_is_no_matter),
		TEST(only_the_shell_may_allow_it),
		TEST(the_setting_decides),
		TEST(passwords_only_warn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
