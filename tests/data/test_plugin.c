/*
 * The plugin in data/plugin against what the client's documentation says of each file: which
 * members there are, of which kind, and what they must agree with elsewhere. What the client itself
 * says is asked in tests/claude.sh, where the client can be had.
 */
#include "base/version.h"
#include "json/doc.h"
#include "json/scan.h"
#include "mcp/instructions.h"
#include "tools/registry.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX "mcp__plugin_kota-memory_memory__"

/* The longest names and texts that the client takes. */
#define TOOL_NAME_MAX 64
#define SKILL_NAME_MAX 64
#define SKILL_DESCRIPTION_MAX 1024

/* A member that may be there; "*" stands for each of any name, in an array for each element. */
struct member {
	const char *name;
	enum json_type type;
	bool required;
	const struct member *inside; /* ended by one without a name; NULL: anything */
};

#define ANY_OTHER                                                                                  \
	{                                                                                          \
		.name = NULL                                                                       \
	}

static const struct member person[] = {
	{"name", JSON_STRING, true, NULL},
	{"email", JSON_STRING, false, NULL},
	{"url", JSON_STRING, false, NULL},
	ANY_OTHER,
};

static const struct member words[] = {{"*", JSON_STRING, false, NULL}, ANY_OTHER};

static const struct member listed[] = {
	{"name", JSON_STRING, true, NULL},
	{"source", JSON_STRING, true, NULL},
	{"description", JSON_STRING, false, NULL},
	{"version", JSON_STRING, false, NULL},
	{"author", JSON_OBJECT, false, person},
	{"homepage", JSON_STRING, false, NULL},
	{"repository", JSON_STRING, false, NULL},
	{"license", JSON_STRING, false, NULL},
	{"keywords", JSON_ARRAY, false, words},
	{"category", JSON_STRING, false, NULL},
	{"tags", JSON_ARRAY, false, words},
	{"strict", JSON_BOOL, false, NULL},
	ANY_OTHER,
};

static const struct member each_listed[] = {{"*", JSON_OBJECT, false, listed}, ANY_OTHER};

static const struct member marketplace_metadata[] = {
	{"description", JSON_STRING, false, NULL},
	{"version", JSON_STRING, false, NULL},
	{"pluginRoot", JSON_STRING, false, NULL},
	ANY_OTHER,
};

static const struct member marketplace[] = {
	{"name", JSON_STRING, true, NULL},
	{"owner", JSON_OBJECT, true, person},
	{"metadata", JSON_OBJECT, false, marketplace_metadata},
	{"plugins", JSON_ARRAY, true, each_listed},
	ANY_OTHER,
};

static const struct member option[] = {
	{"type", JSON_STRING, true, NULL},
	{"title", JSON_STRING, true, NULL},
	{"description", JSON_STRING, true, NULL},
	{"required", JSON_BOOL, false, NULL},
	{"sensitive", JSON_BOOL, false, NULL},
	{"multiple", JSON_BOOL, false, NULL},
	ANY_OTHER,
};

static const struct member options[] = {{"*", JSON_OBJECT, false, option}, ANY_OTHER};

static const struct member manifest[] = {
	{"name", JSON_STRING, true, NULL},           {"version", JSON_STRING, true, NULL},
	{"description", JSON_STRING, true, NULL},    {"author", JSON_OBJECT, true, person},
	{"homepage", JSON_STRING, false, NULL},      {"repository", JSON_STRING, false, NULL},
	{"license", JSON_STRING, false, NULL},       {"keywords", JSON_ARRAY, false, words},
	{"userConfig", JSON_OBJECT, false, options}, ANY_OTHER,
};

static const struct member server[] = {
	{"command", JSON_STRING, true, NULL},
	{"args", JSON_ARRAY, false, words},
	{"env", JSON_OBJECT, false, words},
	ANY_OTHER,
};

static const struct member servers_by_name[] = {{"*", JSON_OBJECT, false, server}, ANY_OTHER};

static const struct member servers[] = {
	{"mcpServers", JSON_OBJECT, true, servers_by_name},
	ANY_OTHER,
};

static const struct member hook[] = {
	{"type", JSON_STRING, true, NULL},    {"command", JSON_STRING, true, NULL},
	{"args", JSON_ARRAY, true, words}, /* without it a shell would be started */
	{"timeout", JSON_NUMBER, true, NULL}, ANY_OTHER,
};

static const struct member each_hook[] = {{"*", JSON_OBJECT, false, hook}, ANY_OTHER};

static const struct member group[] = {
	{"matcher", JSON_STRING, false, NULL},
	{"hooks", JSON_ARRAY, true, each_hook},
	ANY_OTHER,
};

static const struct member each_group[] = {{"*", JSON_OBJECT, false, group}, ANY_OTHER};

static const struct member events[] = {
	{"SessionStart", JSON_ARRAY, true, each_group},
	{"SessionEnd", JSON_ARRAY, true, each_group},
	ANY_OTHER,
};

static const struct member hooks[] = {
	{"description", JSON_STRING, false, NULL},
	{"hooks", JSON_OBJECT, true, events},
	ANY_OTHER,
};

static const struct member *find_member(const struct member *members, struct slice name)
{
	for (const struct member *member = members; member->name; member++)
		if (strcmp(member->name, "*") == 0 || slice_is(name, member->name))
			return member;
	return NULL;
}

static void check_required(const char *file, const struct json *doc, uint32_t node,
			   const struct member *members)
{
	for (const struct member *member = members; member->name; member++)
		if (member->required && json_member(doc, node, member->name) == JSON_NONE)
			fail_msg("%s: \"%s\" is missing", file, member->name);
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as the tables above. */
static void check_members(const char *file, const struct json *doc, uint32_t node,
			  const struct member *members)
{
	STR_AUTO scratch = STR_INIT;

	check_required(file, doc, node, members);
	for (uint32_t at = json_first(doc, node); at != JSON_NONE; at = json_next(doc, at)) {
		struct slice name = json_type(doc, node) == JSON_OBJECT
					    ? json_name(doc, at, &scratch)
					    : slice_of("an element");
		const struct member *member = find_member(members, name);

		if (!member)
			fail_msg("%s: \"%.*s\" is unknown", file, (int)name.len, name.ptr);
		else if (json_type(doc, at) != member->type)
			fail_msg("%s: \"%.*s\" is of another type", file, (int)name.len, name.ptr);
		else if (member->inside)
			check_members(file, doc, at, member->inside);
	}
}

static void read_file(const char *name, struct str *out)
{
	const char *dir = getenv("srcdir");
	STR_AUTO path = STR_INIT;
	FILE *file;
	int c;

	str_printf(&path, "%s/data/plugin/%s", dir ? dir : ".", name);
	file = fopen(path.ptr, "re");
	if (!file)
		fail_msg("%s is missing", path.ptr);
	while ((c = getc(file)) != EOF)
		str_addc(out, (char)c);
	fclose(file);
}

/* The file as it must be, parsed; json_release(), and its text stays in *text. */
static struct json load(const char *name, const struct member *members, struct str *text)
{
	struct json_fault fault;
	struct json doc = {0};

	read_file(name, text);
	if (json_parse(&doc, str_slice(text), &json_line_bounds, &fault) != 0)
		fail_msg("%s:%u:%u: %s", name, fault.line, fault.column, fault.what);
	assert_int_equal(json_type(&doc, JSON_ROOT), JSON_OBJECT);
	check_members(name, &doc, JSON_ROOT, members);
	return doc;
}

/* Is all of it of these characters, and is it at least one? */
static bool consists_of(struct slice text, const char *characters)
{
	for (size_t i = 0; i < text.len; i++)
		if (!strchr(characters, text.ptr[i]))
			return false;
	return text.len > 0;
}

#define LOWER "abcdefghijklmnopqrstuvwxyz"
#define UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS "0123456789"

static void expect_text(const struct json *doc, uint32_t object, const char *name,
			const char *expected)
{
	STR_AUTO scratch = STR_INIT;
	struct slice got = json_string(doc, json_member(doc, object, name), &scratch);

	if (!slice_is(got, expected))
		fail_msg("\"%s\" is \"%.*s\", not \"%s\"", name, (int)got.len, got.ptr, expected);
}

static void test_marketplace(void **state)
{
	STR_AUTO text = STR_INIT;
	struct json doc = load(".claude-plugin/marketplace.json", marketplace, &text);
	uint32_t plugin = json_first(&doc, json_member(&doc, JSON_ROOT, "plugins"));

	(void)state;
	expect_text(&doc, JSON_ROOT, "name", "kota-memory");
	expect_text(&doc, plugin, "name", "kota-memory");
	expect_text(&doc, plugin, "source", "./");
	assert_int_equal(json_next(&doc, plugin), JSON_NONE);
	json_release(&doc);
}

/* The keys of options become names of variables. */
static void check_options(const struct json *doc)
{
	static const char *const types[] = {"string", "number", "boolean", "directory", "file"};
	uint32_t all = json_member(doc, JSON_ROOT, "userConfig");
	STR_AUTO name = STR_INIT;
	STR_AUTO type = STR_INIT;

	for (uint32_t at = json_first(doc, all); at != JSON_NONE; at = json_next(doc, at)) {
		struct slice is = json_string(doc, json_member(doc, at, "type"), &type);
		bool known = false;

		assert_true(consists_of(json_name(doc, at, &name), LOWER UPPER DIGITS "_"));
		for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
			known = known || slice_is(is, types[i]);
		assert_true(known);
	}
}

static void test_manifest(void **state)
{
	STR_AUTO text = STR_INIT;
	struct json doc = load(".claude-plugin/plugin.json", manifest, &text);

	(void)state;
	expect_text(&doc, JSON_ROOT, "name", "kota-memory");
	expect_text(&doc, JSON_ROOT, "version", version_text());
	check_options(&doc);
	json_release(&doc);
}

/* What the server's environment takes from an option must be one that there is. */
static void check_environment(const struct json *doc, uint32_t env)
{
	STR_AUTO text = STR_INIT;
	struct json plugin = load(".claude-plugin/plugin.json", manifest, &text);
	uint32_t all = json_member(&plugin, JSON_ROOT, "userConfig");
	STR_AUTO scratch = STR_INIT;

	for (uint32_t at = json_first(doc, env); at != JSON_NONE; at = json_next(doc, at)) {
		struct slice value = json_string(doc, at, &scratch);
		size_t before = strlen("${user_config.");

		assert_true(value.len > before &&
			    memcmp(value.ptr, "${user_config.", before) == 0 &&
			    value.ptr[value.len - 1] == '}');
		value = slice_make(value.ptr + before, value.len - before - 1);
		assert_int_not_equal(json_member_slice(&plugin, all, value), JSON_NONE);
	}
	json_release(&plugin);
}

static void test_server(void **state)
{
	STR_AUTO text = STR_INIT;
	struct json doc = load(".mcp.json", servers, &text);
	uint32_t memory = json_member(&doc, json_member(&doc, JSON_ROOT, "mcpServers"), "memory");

	(void)state;
	assert_int_not_equal(memory, JSON_NONE);
	expect_text(&doc, memory, "command", "kota");
	assert_true(slice_is(json_text(&doc, json_member(&doc, memory, "args")), "[\"serve\"]"));
	check_environment(&doc, json_member(&doc, memory, "env"));
	json_release(&doc);
}

/* The only group of an event, with one command: a hook whose arguments name an option that is unset
 * is not started by the client. */
static uint32_t only_group(const struct json *doc, const char *event, const char *args)
{
	uint32_t groups = json_member(doc, json_member(doc, JSON_ROOT, "hooks"), event);
	uint32_t first = json_first(doc, groups);
	uint32_t one = json_first(doc, json_member(doc, first, "hooks"));
	int64_t timeout_s = 0;

	expect_text(doc, one, "type", "command");
	expect_text(doc, one, "command", "kota");
	assert_true(slice_is(json_text(doc, json_member(doc, one, "args")), args));
	assert_true(json_int(doc, json_member(doc, one, "timeout"), &timeout_s));
	assert_in_range(timeout_s, 1, 10);
	assert_int_equal(json_next(doc, one), JSON_NONE);
	assert_int_equal(json_next(doc, first), JSON_NONE);
	return first;
}

static void test_hooks(void **state)
{
	STR_AUTO text = STR_INIT;
	struct json doc = load("hooks/hooks.json", hooks, &text);
	uint32_t start = only_group(&doc, "SessionStart", "[\"hook\", \"session-start\"]");
	uint32_t end = only_group(&doc, "SessionEnd", "[\"hook\", \"session-end\"]");

	(void)state;
	expect_text(&doc, start, "matcher", "startup|resume|clear|compact|fork");
	/* However a session ends. */
	assert_int_equal(json_member(&doc, end, "matcher"), JSON_NONE);
	json_release(&doc);
}

static void test_names_of_tools(void **state)
{
	(void)state;
	for (const struct tool *const *tool = tools_all(); *tool; tool++) {
		STR_AUTO name = STR_INIT;

		str_printf(&name, PREFIX "%s", (*tool)->name);
		if (name.len > TOOL_NAME_MAX)
			fail_msg("%s has %zu characters", name.ptr, name.len);
		assert_true(consists_of(str_slice(&name), LOWER UPPER DIGITS "_-"));
	}
}

static bool is_tool(struct slice name)
{
	size_t before = strlen(PREFIX);

	if (name.len < before || memcmp(name.ptr, PREFIX, before) != 0)
		return false;
	name = slice_make(name.ptr + before, name.len - before);
	for (const struct tool *const *tool = tools_all(); *tool; tool++)
		if (slice_is(name, (*tool)->name) && strncmp((*tool)->name, "memory_", 7) == 0)
			return true;
	return false;
}

/* The line at *rest, without its newline; false at the end. */
static bool next_line(struct slice *rest, struct slice *line)
{
	const char *end = rest->len > 0 ? memchr(rest->ptr, '\n', rest->len) : NULL;

	if (!end)
		return false;
	*line = slice_make(rest->ptr, (size_t)(end - rest->ptr));
	*rest = slice_make(end + 1, rest->len - line->len - 1);
	return true;
}

/* What is behind word, if the line begins with it. */
static bool follows(struct slice line, const char *word, struct slice *out)
{
	size_t len = strlen(word);

	if (line.len <= len || memcmp(line.ptr, word, len) != 0)
		return false;
	*out = slice_make(line.ptr + len, line.len - len);
	return true;
}

/* One line of what a skill says of itself; returns how many tools it names. */
static size_t check_field(const char *skill, struct slice line)
{
	struct slice value;

	if (follows(line, "name: ", &value)) {
		assert_true(slice_is(value, skill));
		assert_true(value.len <= SKILL_NAME_MAX);
		assert_true(consists_of(value, LOWER DIGITS "-"));
	} else if (follows(line, "description: ", &value)) {
		/* A colon and a space would begin a value of its own. */
		assert_true(value.len <= SKILL_DESCRIPTION_MAX);
		assert_null(memmem(value.ptr, value.len, ": ", 2));
		assert_null(memchr(value.ptr, '<', value.len));
	} else if (follows(line, "  - ", &value)) {
		if (!is_tool(value))
			fail_msg("%s: there is no tool %.*s", skill, (int)value.len, value.ptr);
		return 1;
	} else if (!slice_is(line, "allowed-tools:")) {
		fail_msg("%s: unknown: %.*s", skill, (int)line.len, line.ptr);
	}
	return 0;
}

/* Returns how many tools the skill names as allowed. */
static size_t check_skill(const char *skill)
{
	STR_AUTO name = STR_INIT;
	STR_AUTO text = STR_INIT;
	struct slice rest;
	struct slice line;
	size_t fields = 0;
	size_t tools = 0;

	str_printf(&name, "skills/%s/SKILL.md", skill);
	read_file(name.ptr, &text);
	rest = str_slice(&text);
	assert_true(next_line(&rest, &line) && slice_is(line, "---"));
	for (; next_line(&rest, &line) && !slice_is(line, "---"); fields++)
		tools += check_field(skill, line);
	assert_true(fields >= 2);
	assert_true(rest.len > 0);
	return tools;
}

static void test_skills(void **state)
{
	(void)state;
	assert_int_equal(check_skill("recall"), 0);
	assert_int_equal(check_skill("save"), 0);
	assert_true(check_skill("consolidate") > 0);
}

/* What a key is, is said in the same words wherever a client reads it. */
static void test_rule_for_keys(void **state)
{
	static const char rule[] = " are short snake_case names of one subject: editor, sunil. "
				   "\"category:key\" is exact.";
	STR_AUTO skill = STR_INIT;

	(void)state;
	read_file("skills/save/SKILL.md", &skill);
	assert_non_null(strstr(skill.ptr, rule));
	assert_non_null(strstr(mcp_instructions, rule));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_marketplace),    cmocka_unit_test(test_manifest),
		cmocka_unit_test(test_server),         cmocka_unit_test(test_hooks),
		cmocka_unit_test(test_names_of_tools), cmocka_unit_test(test_skills),
		cmocka_unit_test(test_rule_for_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
