/*
 * Looks for secrets in ordinary text: every line of standard input by itself, and every 200 lines
 * as one text. Says what would be refused, and how many lines there were.
 *
 *	tests/ordinary [--numbers COUNT SEED] <TEXT
 *
 * With --numbers it writes lines of checksums, UUIDs and base64 instead: ordinary text that has
 * most in common with secrets.
 */
#include "base/str.h"
#include "secrets/secret_scan.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_LINES 200

static size_t refused;
static size_t warned;

static bool look(struct slice text)
{
	struct secret secret;

	if (!secrets_find(text, &secret))
		return false;
	if (!secret.refuses) {
		warned++;
		return false;
	}
	refused++;
	printf("refused (%s): %.*s\n", secret.rule, (int)(text.len < 400 ? text.len : 400),
	       text.ptr);
	return true;
}

static int judge(void)
{
	STR_AUTO block = STR_INIT;
	char *line = NULL;
	size_t cap = 0;
	size_t lines = 0;
	bool known = false;
	ssize_t len;

	while ((len = getline(&line, &cap, stdin)) > 0) {
		/* A line that is refused says no more by being in a block. */
		known |= look(slice_make(line, (size_t)len));
		str_add(&block, slice_make(line, (size_t)len));
		if (++lines % BLOCK_LINES > 0)
			continue;
		if (!known)
			look(str_slice(&block));
		str_clear(&block);
		known = false;
	}
	if (!known)
		look(str_slice(&block));
	free(line);
	printf("%zu lines, %zu refused, %zu warned of\n", lines, refused, warned);
	return refused > 0;
}

/* ---- ordinary text that looks random */

static uint32_t next_of(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*state >> 33);
}

static void put(uint64_t *state, const char *alphabet, size_t count)
{
	size_t len = strlen(alphabet);

	while (count-- > 0)
		putchar(alphabet[next_of(state) % len]);
}

#define HEX_DIGITS "0123456789abcdef"
#define CAPITALS "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define LETTERS "abcdefghijklmnopqrstuvwxyz"
#define BASE64_DIGITS CAPITALS LETTERS "0123456789+/"
#define URL64_DIGITS CAPITALS LETTERS "0123456789-_"

static void put_uuid(uint64_t *state, const char *digits)
{
	static const size_t parts[] = {8, 4, 4, 4, 12};

	for (size_t i = 0; i < 5; i++) {
		if (i > 0)
			putchar('-');
		put(state, digits, parts[i]);
	}
}

static void put_line(uint64_t *state)
{
	static const size_t sums[] = {8, 32, 40, 56, 64, 96, 128};
	static const char *const before[] = {"",          "sha256:",    "index ",   "commit ",
					     "id=",       "\"",         "etag: ",   "checksum ",
					     "v1.0-",     "cache-key-", "token ",   "key: ",
					     "/objects/", "ref ",       "password "};

	fputs(before[next_of(state) % 15], stdout);
	switch (next_of(state) % 8) {
	case 0:
		put_uuid(state, HEX_DIGITS);
		break;
	case 1:
		put_uuid(state, "0123456789ABCDEF");
		break;
	case 2:
		put(state, BASE64_DIGITS, 76);
		break;
	case 3:
		put(state, BASE64_DIGITS, next_of(state) % 60 + 20);
		fputs(next_of(state) % 2 ? "=" : "==", stdout);
		break;
	case 4:
		put(state, URL64_DIGITS, next_of(state) % 60 + 4);
		break;
	case 5:
		put(state, HEX_DIGITS, 7);
		fputs("..", stdout);
		put(state, HEX_DIGITS, 7);
		fputs(" 100644\n+\t\"integrity\": \"sha512-", stdout);
		put(state, BASE64_DIGITS, 86);
		fputs("==\",", stdout);
		break;
	default:
		put(state, HEX_DIGITS, sums[next_of(state) % 7]);
		fputs("  file.tar.gz", stdout);
		break;
	}
	putchar('\n');
}

int main(int argc, char **argv)
{
	uint64_t state;

	if (argc != 4 || strcmp(argv[1], "--numbers") != 0)
		return judge();
	state = strtoull(argv[3], NULL, 10);
	for (long i = strtol(argv[2], NULL, 10); i > 0; i--)
		put_line(&state);
	return 0;
}
