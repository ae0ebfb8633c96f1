/*
 * Secrets: every rule in every field that is kept, at depth and with escapes, is refused by its
 * name, and neither a file of the store nor the sentence has it; passwords warn; placeholders pass.
 *
 * In this process: built with screen.c and secrets_json.c of its own, whose secrets_find() is the
 * one below, so that the control can drop a rule.
 */
#include "base/sys.h"
#include "secrets/secret_scan.h"
#include "store/open/store.h"
#include "support/secret_sample.h"
#include "support/surroundings.h"
#include "support/tmpdir.h"
#include "tools/registry.h"
#include "torture/row.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#undef secrets_find
bool secrets_find(struct slice text, struct secret *out);

static const char *dropped; /* the rule that the control does without */

bool planted_secrets_find(struct slice text, struct secret *out)
{
	struct secret secret;

	if (!secrets_find(text, &secret) || (dropped && strcmp(secret.rule, dropped) == 0))
		return false;
	*out = secret;
	return true;
}

/* $ is the secret as the inside of a JSON text, & the same as JSON in a JSON text. */
#define DEEP "[[[[[[[[[[{\"a\":[[[[[[[[[\""
#define DEEP_END "\"]]]]]]]]]}]]]]]]]]]]"
static const struct field {
	const char *command;
	const char *arguments;
} fields[] = {
	{"set", "{\"key\":\"$\",\"value\":1}"},
	{"set", "{\"key\":\"state:$\",\"value\":1}"},
	{"set", "{\"key\":\"k\",\"value\":\"$\"}"},
	{"set", "{\"key\":\"k\",\"value\":\"so $ it is\"}"},
	{"set", "{\"key\":\"k\",\"value\":" DEEP "$" DEEP_END "}"},
	{"set", "{\"key\":\"k\",\"value\":{\"a\":{\"$\":1}}}"},
	{"set", "{\"key\":\"k\",\"value\":\"{\\\"a\\\":\\\"&\\\"}\"}"},
	{"set", "{\"key\":\"k\",\"value\":1,\"tags\":[\"a\",\"$\"]}"},
	{"set", "{\"key\":\"k\",\"value\":1,\"entities\":[\"$\"]}"},
	{"set", "{\"key\":\"k\",\"value\":1,\"source\":\"$\"}"},
	{"set", "{\"key\":\"k\",\"value\":1,\"context\":\"$\"}"},
	{"set", "{\"key\":\"k\",\"value\":1,\"meta\":{\"a\":[\"$\"]}}"},
	{"set", "{\"key\":\"k\",\"value\":1,\"meta\":{\"$\":1}}"},
	{"set", "{\"key\":\"k\",\"value\":1,\"meta\":\"{\\\"a\\\":\\\"&\\\"}\"}"},
	{"set", "{\"key\":\"k\",\"value\":1,\"category\":\"$\"}"},
	{"set", "{\"key\":\"k\",\"value\":1,\"strength\":\"$\"}"},
	{"set", "{\"key\":\"k\",\"value\":1,\"$\":1}"},
	{"update", "{\"key\":\"object\",\"addition\":\"$\"}"},
	{"update", "{\"key\":\"object\",\"addition\":{\"a\":\"$\"}}"},
	{"update", "{\"key\":\"object\",\"addition\":\"{\\\"a\\\":\\\"&\\\"}\"}"},
	{"notes", "{\"summary\":\"$\"}"},
	{"notes", "{\"summary\":\"s\",\"flow\":\"$\"}"},
	{"notes", "{\"summary\":\"s\",\"tone\":\"$\"}"},
	{"notes", "{\"summary\":\"s\",\"highlights\":[\"$\"]}"},
	{"notes", "{\"summary\":\"s\",\"nextSteps\":[\"a\",\"$\"]}"},
	{"notes", "{\"summary\":\"s\",\"additionalContext\":\"$\"}"},
	{"notes", "{\"summary\":\"s\",\"capturedAt\":\"$\"}"},
	{"notes", "{\"summary\":\"s\",\"metadata\":{\"a\":{\"b\":\"$\"}}}"},
	{"mv", "{\"key\":\"object\",\"new\":\"$\"}"},
};

#define FIELDS (sizeof fields / sizeof *fields)
#define SPELLINGS 2

struct test {
	struct row row;
	struct tmpdir dir;
	struct store *store;
	unsigned secrets;
	unsigned passwords;
	unsigned placeholders;
};

/* The inside of the JSON text of a string; the second spelling escapes every character. */
static void encode(struct str *out, struct slice text, int spelling)
{
	STR_AUTO quoted = STR_INIT;

	if (spelling == 1) {
		for (size_t i = 0; i < text.len; i++)
			str_printf(out, "\\u%04X", (unsigned)(unsigned char)text.ptr[i]);
		return;
	}
	struct json_writer w = json_writer_to(&quoted, &json_compact);
	json_write_string(&w, text);
	str_add(out, slice_make(quoted.ptr + 1, quoted.len - 2));
}

static void fill(struct str *out, const char *format, struct slice text, int spelling)
{
	STR_AUTO once = STR_INIT;

	encode(&once, text, spelling);
	str_clear(out);
	for (; *format; format++) {
		if (*format == '$')
			str_add(out, str_slice(&once));
		else if (*format == '&')
			encode(out, str_slice(&once), 0);
		else
			str_addc(out, *format);
	}
}

static int call(struct test *test, const char *command, struct slice arguments, struct str *reply,
		struct err *err)
{
	const struct tool *tool = tool_find_command(tools_all(), slice_of(command));
	struct arena arena = ARENA_INIT;
	struct call call = {
		.store = test->store,
		.now_ms = sys_real()->now_ms(),
		.tool = tool->name,
		.arena = &arena,
	};
	struct json_fault fault;
	struct json doc;
	int rc;

	if (json_parse(&doc, arguments, &json_line_bounds, &fault) != 0)
		row_fatal(fault.what);
	str_clear(reply);
	err_clear(err);
	rc = tool_run(tool, &call, &doc, JSON_ROOT, reply, err);
	json_release(&doc);
	arena_release(&arena);
	return rc;
}

/* Is a piece of the secret in the text? */
static bool shows(struct slice text, struct slice secret)
{
	for (size_t at = 0; at + 10 <= secret.len; at++) {
		if (memmem(text.ptr, text.len, secret.ptr + at, 10))
			return true;
	}
	return false;
}

static void check_refused(struct test *test, const struct field *field, struct slice arguments,
			  const char *rule, struct slice secret)
{
	STR_AUTO reply = STR_INIT;
	struct err err;

	if (call(test, field->command, arguments, &reply, &err) == 0)
		row_violation(&test->row, "a %s is stored by %s %s", rule, field->command,
			      field->arguments);
	else if (!strstr(err.text, rule))
		row_violation(&test->row, "%s %s: the rule is not named: %s", field->command,
			      field->arguments, err.text);
	else if (shows(slice_of(err.text), secret))
		row_violation(&test->row, "%s %s: the sentence shows a %s", field->command,
			      field->arguments, rule);
}

/* Reads every file of the store's directory, hidden ones too. */
static void check_files(struct test *test, const char *rule, struct slice secret)
{
	DIR *dir = opendir(test->dir.path);
	struct dirent *name;

	if (!dir)
		row_fatal("opendir");
	while ((name = readdir(dir)) != NULL) {
		char *text;

		if (name->d_type != DT_REG)
			continue;
		text = tmpdir_read(&test->dir, name->d_name);
		if (text && shows(slice_of(text), secret))
			row_violation(&test->row, "%s has a %s", name->d_name, rule);
		free(text);
	}
	closedir(dir);
}

static void try_secret(struct test *test, const struct secret_sample *sample)
{
	STR_AUTO secret = STR_INIT;
	STR_AUTO arguments = STR_INIT;

	secret_make(sample->pattern, &test->row.state, &secret);
	for (size_t f = 0; f < FIELDS && !row_is_over(&test->row); f++) {
		for (int spelling = 0; spelling < SPELLINGS; spelling++) {
			fill(&arguments, fields[f].arguments, str_slice(&secret), spelling);
			check_refused(test, &fields[f], str_slice(&arguments), sample->rule,
				      str_slice(&secret));
		}
	}
	check_files(test, sample->rule, str_slice(&secret));
	test->secrets++;
}

/* Stores a text; the warnings of the reply, "" for none. */
static void store_text(struct test *test, struct slice text, struct str *warnings)
{
	STR_AUTO arguments = STR_INIT;
	STR_AUTO reply = STR_INIT;
	struct json_fault fault;
	struct json doc;
	struct err err;
	uint32_t node;

	fill(&arguments, "{\"key\":\"k\",\"value\":\"see $ here\"}", text, 0);
	str_clear(warnings);
	if (call(test, "set", str_slice(&arguments), &reply, &err) != 0) {
		row_violation(&test->row, "%.*s is refused: %s", (int)text.len, text.ptr, err.text);
		return;
	}
	if (json_parse(&doc, str_slice(&reply), &json_line_bounds, &fault) != 0)
		row_fatal(fault.what);
	node = json_member(&doc, JSON_ROOT, "warnings");
	if (node != JSON_NONE)
		str_add(warnings, json_text(&doc, node));
	json_release(&doc);
}

static void try_password(struct test *test, const struct secret_sample *sample)
{
	STR_AUTO password = STR_INIT;
	STR_AUTO warnings = STR_INIT;

	secret_make(sample->pattern, &test->row.state, &password);
	store_text(test, str_slice(&password), &warnings);
	if (!strstr(warnings.ptr, sample->rule) ||
	    shows(str_slice(&warnings), str_slice(&password)))
		row_violation(&test->row, "%s: the warnings are %s", sample->pattern, warnings.ptr);
	test->passwords++;
}

static void try_placeholder(struct test *test, const char *text)
{
	STR_AUTO warnings = STR_INIT;

	store_text(test, slice_of(text), &warnings);
	if (warnings.len > 0)
		row_violation(&test->row, "%s: the warnings are %s", text, warnings.ptr);
	test->placeholders++;
}

static void run(struct test *test)
{
	STR_AUTO reply = STR_INIT;
	struct err err;

	if (call(test, "set", slice_of("{\"key\":\"object\",\"value\":{\"b\":1}}"), &reply, &err) !=
	    0)
		row_fatal(err.text);
	for (unsigned i = 0; i < row_times(&test->row, 1, 20); i++) {
		for (const struct secret_sample *s = secret_samples; s->rule; s++)
			try_secret(test, s);
		for (const struct secret_sample *s = password_samples; s->rule; s++)
			try_password(test, s);
		for (size_t p = 0; secret_placeholders[p]; p++)
			try_placeholder(test, secret_placeholders[p]);
		if (row_is_over(&test->row))
			break;
	}
}

int main(int argc, char **argv)
{
	struct test test = {0};
	struct err err;

	row_init(&test.row, argc, argv);
	if (test.row.plant)
		dropped = "GitHub token";
	tmpdir_make(&test.dir);
	if (store_open(&test.store, sys_real(), surroundings_plain, test.dir.path, &err) != 0)
		row_fatal(err.text);
	run(&test);
	store_close(test.store);
	tmpdir_remove(&test.dir);
	return row_end(&test.row,
		       "%u secrets x %zu fields x %d spellings: refused by name, none in a file or "
		       "a sentence; %u passwords warned of, %u placeholders taken",
		       test.secrets, FIELDS, SPELLINGS, test.passwords, test.placeholders);
}
