/*
 * The main of a fuzz target without libFuzzer.
 *
 *	TARGET CORPUS            replays a corpus and prints how many inputs there were
 *	TARGET --file FILE...    replays files, each of them one input
 *	TARGET --unpack CORPUS FOLDER   makes a file of each input, for libFuzzer to begin with
 *
 * A corpus is a text file: an input a line, \n, \r, \t, \\ and \xNN for what a line cannot hold;
 * lines that begin with "# " are for the reader.
 */
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int hex_digit(char c)
{
	return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
}

/* Appends what the escape at `at` stands for; returns its length. */
static size_t add_escape(struct str *out, const char *at)
{
	static const char letters[] = "nrt\\";
	static const char meanings[] = "\n\r\t\\";
	const char *letter = at[1] ? strchr(letters, at[1]) : NULL;

	if (letter) {
		str_addc(out, meanings[letter - letters]);
		return 2;
	}
	if (at[1] != 'x' || !at[2] || !at[3]) {
		fprintf(stderr, "unknown escape: %.4s\n", at);
		exit(2);
	}
	str_addc(out, (char)(hex_digit(at[2]) << 4 | hex_digit(at[3])));
	return 4;
}

static void unescape(const char *line, struct str *out)
{
	str_clear(out);
	while (*line) {
		if (*line == '\\')
			line += add_escape(out, line);
		else
			str_addc(out, *line++);
	}
}

/*
 * A copy of exactly its length, so that a byte too far is noticed. An input that hangs ends the
 * program, as it does under libFuzzer.
 */
static void replay(struct slice input)
{
	uint8_t *copy = malloc(input.len + (input.len == 0));

	memcpy(copy, input.ptr, input.len);
	alarm(60);
	LLVMFuzzerTestOneInput(copy, input.len);
	alarm(0);
	free(copy);
}

static FILE *open_or_die(const char *path, const char *mode)
{
	FILE *file = fopen(path, mode);

	if (!file) {
		perror(path);
		exit(2);
	}
	return file;
}

static void unpack(struct slice input, const char *folder, unsigned number)
{
	STR_AUTO path = STR_INIT;
	FILE *file;

	str_printf(&path, "%s/%04u", folder, number);
	file = open_or_die(path.ptr, "w");
	fwrite(input.ptr, 1, input.len, file);
	fclose(file);
}

/* Replays or, with a folder, unpacks all inputs; returns their number. */
static unsigned each_input(const char *corpus, const char *folder)
{
	FILE *file = open_or_die(corpus, "r");
	STR_AUTO input = STR_INIT;
	unsigned count = 0;
	char *line = NULL;
	size_t cap = 0;
	ssize_t len;

	while ((len = getline(&line, &cap, file)) > 0) {
		if (strncmp(line, "# ", 2) == 0)
			continue;
		line[strcspn(line, "\n")] = '\0';
		unescape(line, &input);
		count++;
		if (folder)
			unpack(str_slice(&input), folder, count);
		else
			replay(str_slice(&input));
	}
	free(line);
	fclose(file);
	return count;
}

static void replay_file(const char *path)
{
	FILE *file = open_or_die(path, "r");
	STR_AUTO input = STR_INIT;
	int c;

	while ((c = getc(file)) != EOF)
		str_addc(&input, (char)c);
	fclose(file);
	replay(str_slice(&input));
}

int main(int argc, char **argv)
{
	if (argc == 2) {
		printf("%u inputs\n", each_input(argv[1], NULL));
	} else if (argc == 4 && strcmp(argv[1], "--unpack") == 0) {
		printf("%u inputs\n", each_input(argv[2], argv[3]));
	} else if (argc > 2 && strcmp(argv[1], "--file") == 0) {
		for (int i = 2; i < argc; i++)
			replay_file(argv[i]);
	} else {
		fprintf(stderr, "usage: %s CORPUS | --file FILE... | --unpack CORPUS FOLDER\n",
			argv[0]);
		return 2;
	}
	return 0;
}
