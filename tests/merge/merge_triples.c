/*
 * Merges the triples of its input: on each line an array of three stores (stores.h), the base,
 * which may be null, ours and theirs. Prints the canonical text of each result on a line.
 */
#include "merge/stores.h"

#include <stdio.h>
#include <stdlib.h>

static struct slice triples_text(const struct json *doc, uint32_t node)
{
	return json_type(doc, node) == JSON_NULL ? slice_of(NULL) : json_text(doc, node);
}

static int triples_merge(struct slice line)
{
	JSON_AUTO doc = {0};
	struct json_fault fault;
	STR_AUTO merged = STR_INIT;
	STR_AUTO out = STR_INIT;
	uint32_t base;
	uint32_t ours;

	if (json_parse(&doc, line, &json_file_bounds, &fault) != 0) {
		fprintf(stderr, "merge_triples: %s\n", fault.what);
		return 1;
	}
	base = json_first(&doc, JSON_ROOT);
	ours = json_next(&doc, base);
	stores_merge(triples_text(&doc, base), json_text(&doc, ours),
		     json_text(&doc, json_next(&doc, ours)), &merged);
	stores_canonical(str_slice(&merged), &out);
	return puts(out.ptr) < 0 || fflush(stdout) != 0;
}

int main(void)
{
	char *line = NULL;
	size_t cap = 0;
	ssize_t len;
	int status = 0;

	while (status == 0 && (len = getline(&line, &cap, stdin)) > 0)
		status = triples_merge(slice_make(line, (size_t)len));
	free(line);
	return status;
}
