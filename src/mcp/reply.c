#include "mcp/reply.h"

#include "base/utf8.h"
#include "base/version.h"
#include "secrets/withhold.h"

#include <stdarg.h>
#include <stdio.h>

/* Longest sentence of our own, and longest text of a client in it, in characters. */
#define MESSAGE_MAX 512
#define SHOWN_MAX 100

/* What we answer about ourselves changes with the program only. */
#define CACHE_TTL_MS 3600000

void failure_release(struct failure *failure)
{
	str_release(&failure->message);
	str_release(&failure->data);
}

int failure_set(struct failure *failure, enum rpc_code code, const char *format, ...)
{
	char text[MESSAGE_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	failure->code = code;
	str_clear(&failure->message);
	str_adds(&failure->message, text);
	str_clear(&failure->data);
	return -1;
}

int failure_set_shown(struct failure *failure, enum rpc_code code, const char *before,
		      struct slice text)
{
	struct slice head = utf8_cut(text, SHOWN_MAX);

	failure_set(failure, code, "%s", before);
	utf8_add_visible(&failure->message, head, false);
	if (head.len < text.len)
		str_adds(&failure->message, "...");
	return -1;
}

static void reply_begin_message(struct json_writer *w, struct str *out, struct slice id)
{
	*w = json_writer_to(out, &json_compact);
	json_write_object(w);
	json_write_member_string(w, "jsonrpc", slice_of("2.0"));
	if (id.ptr)
		json_write_member_raw(w, "id", id);
}

void reply_error(struct str *out, struct slice id, const struct failure *failure)
{
	STR_AUTO scratch = STR_INIT;
	struct slice data = str_slice(&failure->data);
	struct json_writer w;
	struct secret secret;

	reply_begin_message(&w, out, id);
	json_write_member_object(&w, "error");
	json_write_member_int(&w, "code", failure->code);
	json_write_member_string(&w, "message", withhold(&scratch, str_slice(&failure->message)));
	/* It repeats what the client sent, for a program, so nothing is left out. */
	if (data.len && !secrets_find(data, &secret))
		json_write_member_raw(&w, "data", data);
	json_write_end(&w);
	json_write_end(&w);
}

void reply_begin(struct json_writer *w, struct str *out, struct slice id)
{
	reply_begin_message(w, out, id);
	json_write_member_object(w, "result");
}

void reply_end(struct json_writer *w)
{
	json_write_end(w);
	json_write_end(w);
}

void reply_server_info(struct json_writer *w)
{
	json_write_object(w);
	json_write_member_string(w, "name", slice_of("kota-memory"));
	json_write_member_string(w, "title", slice_of("Memory"));
	json_write_member_string(w, "version", slice_of(version_text()));
	json_write_end(w);
}

void reply_cache_hints(struct json_writer *w)
{
	json_write_member_int(w, "ttlMs", CACHE_TTL_MS);
	json_write_member_string(w, "cacheScope", slice_of("public"));
}
