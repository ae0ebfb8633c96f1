#include "ops/secret_check.h"

#include "ops/common.h"
#include "secrets/secret_scan.h"

#include <inttypes.h>

static int screen_refuse(const struct tool *tool, const struct call *call, const char *param,
			 const struct secret *secret, struct err *err)
{
	if (call->shell)
		return err_set(err, ERR_BAD_VALUE,
			       "%s: holds a secret (%s); leave it out, or keep it with "
			       "--allow-secret",
			       param, secret->rule);
	return err_set(err, ERR_BAD_VALUE,
		       "%s: holds a secret (%s) and is not stored; leave it out, or ask the user "
		       "to store it with kota %s --allow-secret or to change the setting "
		       "\"secrets\"",
		       param, secret->rule, tool->command);
}

static int screen_decide_by(const struct settings *settings, const struct tool *tool,
			    const struct call *call, const char *param, const struct secret *secret,
			    struct err *err)
{
	if (settings->secrets == SECRETS_REFUSE && secret->refuses)
		return screen_refuse(tool, call, param, secret, err);
	if (settings->secrets == SECRETS_OFF)
		return 0;
	str_clear(call->warning);
	str_printf(call->warning,
		   "%s: holds a secret (%s), which everything that reads the store can read", param,
		   secret->rule);
	return 0;
}

/* The settings are only asked for once there is something to decide. */
static int screen_decide(const struct tool *tool, const struct call *call, const char *param,
			 const struct secret *secret, struct err *err)
{
	struct settings settings;

	if (common_refresh(call, err) != 0 || store_settings(call->store, &settings, err) != 0)
		return -1;
	return screen_decide_by(&settings, tool, call, param, secret, err);
}

static bool screen_is_allowed(const struct call *call, const struct json *doc, uint32_t arguments)
{
	STR_AUTO scratch = STR_INIT;
	uint32_t node = json_member(doc, arguments, SCREEN_ALLOW);
	bool allowed = false;

	if (!call->shell || node == JSON_NONE)
		return false;
	if (json_bool(doc, node, &allowed))
		return allowed;
	return slice_is(json_string(doc, node, &scratch), "true");
}

static const struct param *screen_find_param(const struct tool *tool, struct slice name)
{
	for (size_t i = 0; i < tool->param_count; i++) {
		if (slice_is(name, tool->params[i].name))
			return &tool->params[i];
	}
	return NULL;
}

/* ---- sizes, before anybody reads what is in them */

/* No smaller argument is measured: what is searched of it takes no time. */
#define MEASURED_FROM ((size_t)1024)

/* The bytes that the argument has in an entry at least; 0 for what may shrink on its way there. */
static size_t screen_size_in_entry(const struct param *param, const struct json *doc, uint32_t node)
{
	STR_AUTO text = STR_INIT;
	bool is_text = json_type(doc, node) == JSON_STRING;

	if (json_text(doc, node).len < MEASURED_FROM || param->flags & PARAM_EXISTING ||
	    (param->type != PARAM_JSON && (param->type != PARAM_TEXT || !is_text) &&
	     (param->type != PARAM_OBJECT || is_text)))
		return 0;
	json_print(&text, doc, node);
	return text.len;
}

/* True if there is an entry of that size. It may be replaced by one that is over the limit, too. */
static bool screen_has_entry_of(const struct call *call, size_t size)
{
	size_t count;
	const struct item *items = store_items(call->store, &count);

	for (size_t i = 0; i < count; i++) {
		if (items[i].entry.text.len >= size && entry_stored_size(&items[i].entry) >= size)
			return true;
	}
	return false;
}

static int screen_check_size(const struct call *call, const char *param, size_t size,
			     struct err *err)
{
	struct settings settings;

	if (common_refresh(call, err) != 0 || store_settings(call->store, &settings, err) != 0)
		return -1;
	if ((int64_t)size <= settings.entry_bytes || screen_has_entry_of(call, size))
		return 0;
	return err_set(err, ERR_TOO_LARGE,
		       "%s: %zu bytes; an entry has at most %" PRId64
		       " (limits.entry_bytes): shorten it or split it",
		       param, size, settings.entry_bytes);
}

static int check_sizes(const struct tool *tool, const struct call *call, const struct json *doc,
		       uint32_t arguments, struct err *err)
{
	if (json_text(doc, arguments).len < MEASURED_FROM)
		return 0;
	for (uint32_t n = json_first(doc, arguments); n != JSON_NONE; n = json_next(doc, n)) {
		STR_AUTO scratch = STR_INIT;
		const struct param *row = screen_find_param(tool, json_name(doc, n, &scratch));
		size_t size = row ? screen_size_in_entry(row, doc, n) : 0;

		if (size > 0 && screen_check_size(call, row->name, size, err) != 0)
			return -1;
	}
	return 0;
}

/* ---- what is in them */

/* One argument; *param is what a sentence calls it. An unknown one is refused later, by name. */
static bool screen_find_in(const struct tool *tool, const struct json *doc, uint32_t node,
			   struct slice key, const char **param, struct secret *out)
{
	STR_AUTO scratch = STR_INIT;
	struct slice name = json_name(doc, node, &scratch);
	const struct param *row = screen_find_param(tool, name);

	*param = row ? row->name : "arguments";
	if (row && row->flags & PARAM_EXISTING)
		return false;
	if (!row && secrets_find(name, out))
		return true;
	if (!row || row->type != PARAM_JSON)
		key = slice_make(NULL, 0);
	return secrets_find_json(doc, node, key, out);
}

int screen_arguments(const struct tool *tool, const struct call *call, const struct json *doc,
		     uint32_t arguments, struct err *err)
{
	STR_AUTO scratch = STR_INIT;
	uint32_t key_node = json_member(doc, arguments, "key");
	struct slice key = key_node == JSON_NONE ? slice_make(NULL, 0)
						 : json_string(doc, key_node, &scratch);
	struct secret worst = {NULL, false};
	const char *where = NULL;

	if (check_sizes(tool, call, doc, arguments, err) != 0)
		return -1;
	if (screen_is_allowed(call, doc, arguments))
		return 0;
	for (uint32_t n = json_first(doc, arguments); n != JSON_NONE; n = json_next(doc, n)) {
		struct secret secret;
		const char *param;

		if (!screen_find_in(tool, doc, n, key, &param, &secret) ||
		    (where && !secret.refuses))
			continue;
		worst = secret;
		where = param;
		if (secret.refuses)
			break;
	}
	return where ? screen_decide(tool, call, where, &worst, err) : 0;
}

static bool screen_find_in_text(struct slice text, struct slice key, struct secret *out)
{
	JSON_AUTO doc = {0};

	common_parse(&doc, text);
	return secrets_find_json(&doc, JSON_ROOT, key, out);
}

int screen_combined(const struct tool *tool, const struct call *call, struct slice before,
		    struct slice after, struct err *err)
{
	struct secret secret;
	struct secret old;

	if (!screen_find_in_text(after, slice_make(NULL, 0), &secret) || !secret.refuses)
		return 0;
	if (screen_find_in_text(before, slice_make(NULL, 0), &old) &&
	    strcmp(old.rule, secret.rule) == 0)
		return 0;
	return screen_decide(tool, call, "addition", &secret, err);
}

int screen_restored(const struct tool *tool, const struct call *call, const char *what,
		    struct slice key, struct slice now, struct slice text, struct err *err)
{
	struct settings settings;
	struct secret secret;
	struct secret old;

	if (!screen_find_in_text(text, key, &secret) || !secret.refuses)
		return 0;
	if (now.ptr && screen_find_in_text(now, key, &old) && strcmp(old.rule, secret.rule) == 0)
		return 0;
	if (store_settings(call->store, &settings, err) != 0)
		return -1;
	return screen_decide_by(&settings, tool, call, what, &secret, err);
}
