#include "support/carry.h"

#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

char *carry_export(struct teststore *t, const char *format, const char *file)
{
	STR_AUTO arguments = STR_INIT;
	STR_AUTO reply = STR_INIT;
	STR_AUTO scratch = STR_INIT;
	struct json_fault fault;
	struct json doc;

	str_printf(&arguments, "{'format':'%s','with_archive':true}", format);
	toolcall_reply(t, "export", arguments.ptr, &reply);
	assert_int_equal(json_parse(&doc, str_slice(&reply), &json_file_bounds, &fault), 0);
	tmpdir_write_slice(&t->dir, file,
			   json_string(&doc, json_member(&doc, JSON_ROOT, "text"), &scratch));
	json_release(&doc);
	return tmpdir_read(&t->dir, file);
}

struct str carry_import(struct teststore *t, const struct teststore *at, const char *file,
			const char *more)
{
	struct str reply = STR_INIT;
	STR_AUTO arguments = STR_INIT;

	str_printf(&arguments, "{'source':'%s%s%s'%s}", at->dir.path, file[0] ? "/" : "", file,
		   more);
	toolcall_reply(t, "import", arguments.ptr, &reply);
	return reply;
}

void carry_import_has(struct teststore *t, const struct teststore *at, const char *file,
		      const char *more, const char *part)
{
	STR_AUTO reply = carry_import(t, at, file, more);
	STR_AUTO text = STR_INIT;

	for (; *part; part++)
		str_addc(&text, *part == '\'' ? '"' : *part);
	if (!strstr(reply.ptr, text.ptr))
		fail_msg("%s is not in %s", text.ptr, reply.ptr);
}
