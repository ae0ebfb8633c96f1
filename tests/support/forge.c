#include "support/forge.h"

#include "base/hmac.h"
#include "base/map.h"
#include "json/write.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void add_journal(struct str *out, const char *body, const char *mac)
{
	str_printf(out, "{\"digest\":\"%" PRIx64 "\",%s\"journal\":%s}\n", hash64(slice_of(body)),
		   mac, body);
}

void forge_unsigned(struct str *out, const char *body)
{
	add_journal(out, body, "");
}

void forge_signed(struct str *out, const char *body, const char *state_home)
{
	unsigned char tag[HMAC_BYTES];
	char key[HMAC_BYTES];
	STR_AUTO path = STR_INIT;
	STR_AUTO mac = STR_INIT;
	FILE *file;

	str_printf(&path, "%s/kota-memory/key", state_home);
	file = fopen(path.ptr, "re");
	if (!file || fread(key, 1, sizeof key, file) != sizeof key || fclose(file) != 0) {
		perror(path.ptr);
		abort();
	}
	hmac_sha256(slice_make(key, sizeof key), slice_of(body), tag);
	str_adds(&mac, "\"mac\":\"");
	hmac_print(&mac, tag);
	str_adds(&mac, "\",");
	add_journal(out, body, mac.ptr);
}

void forge_body(struct str *out, const char *kind, const char *category, const char *key,
		const char *text)
{
	struct json_writer w = json_writer_to(out, &json_compact);

	json_write_object(&w);
	json_write_member_int(&w, "format", 1);
	json_write_member_int(&w, "at", INT64_C(1795000000000));
	json_write_name(&w, slice_of("ops"));
	json_write_array(&w);
	json_write_object(&w);
	json_write_member_string(&w, "op", slice_of(kind));
	json_write_member_string(&w, "category", slice_of(category));
	json_write_member_string(&w, "key", slice_of(key));
	json_write_member_string(&w, "text", slice_of(text));
	json_write_member_string(&w, "before", slice_of("0"));
	json_write_member_int(&w, "at", INT64_C(1795000000000));
	json_write_end(&w);
	json_write_end(&w);
	json_write_end(&w);
}
