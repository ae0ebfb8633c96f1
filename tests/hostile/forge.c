/*
 * forge OP CATEGORY KEY TEXT [OP CATEGORY KEY TEXT ...]: prints a journal that nobody has begun,
 * with the digest that makes it whole, as whoever publishes a repository can write one.
 */
#include "base/map.h"
#include "json/write.h"

#include <stdio.h>

#define WORDS_AN_OP 4

static void write_op(struct json_writer *w, char **words)
{
	json_write_object(w);
	json_write_member_string(w, "op", slice_of(words[0]));
	json_write_member_string(w, "category", slice_of(words[1]));
	json_write_member_string(w, "key", slice_of(words[2]));
	json_write_member_string(w, "text", slice_of(words[3]));
	json_write_member_string(w, "before", slice_of("0"));
	json_write_member_int(w, "at", 1795000000000);
	json_write_end(w);
}

int main(int argc, char **argv)
{
	STR_AUTO body = STR_INIT;

	if (argc < 1 + WORDS_AN_OP || (argc - 1) % WORDS_AN_OP != 0)
		return 2;
	struct json_writer w = json_writer_to(&body, &json_compact);
	json_write_object(&w);
	json_write_member_int(&w, "format", 1);
	json_write_member_int(&w, "at", 1795000000000);
	json_write_member_string(&w, "change", slice_of("0123456789ab"));
	json_write_member_string(&w, "tool", slice_of("memory_set"));
	json_write_name(&w, slice_of("ops"));
	json_write_array(&w);
	for (int i = 1; i < argc; i += WORDS_AN_OP)
		write_op(&w, argv + i);
	json_write_end(&w);
	json_write_end(&w);
	printf("{\"digest\":\"%llx\",\"journal\":%s}\n",
	       (unsigned long long)hash64(str_slice(&body)), body.ptr);
	return 0;
}
