/* Looking at the files of a store: which value is where; see ledger.h. */
#include "torture/ledger.h"

#include "base/file.h"
#include "json/doc.h"
#include "model/category.h"
#include "store/files/dir.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

struct tally {
	struct ledger *ledger;
	struct row *row;
	int dirfd;
	unsigned entries[CATEGORY_COUNT];
	unsigned records[CATEGORY_COUNT];
};

enum whereabouts { PLACE_ACTIVE, PLACE_ARCHIVED, PLACE_CLEARED, PLACE_UNDO };

/* Counts each "t17" in the text of an entry. */
static void count_tokens(struct tally *tally, struct slice text, enum whereabouts place)
{
	for (size_t i = 0; i + 2 < text.len; i++) {
		struct token *token;
		unsigned long number;

		if (text.ptr[i] != '"' || text.ptr[i + 1] != 't' ||
		    !isdigit((unsigned char)text.ptr[i + 2]))
			continue;
		number = strtoul(text.ptr + i + 2, NULL, 10);
		if (number >= tally->ledger->count) {
			row_violation(tally->row, "nobody wrote t%lu", number);
			continue;
		}
		token = &tally->ledger->tokens[number];
		token->active += place == PLACE_ACTIVE;
		token->archived += place == PLACE_ARCHIVED || place == PLACE_CLEARED;
		token->cleared += place == PLACE_CLEARED;
		token->undo += place == PLACE_UNDO;
	}
}

/* Reads a file that may be absent. */
static bool read_text(struct tally *tally, const char *name, struct str *text)
{
	struct file_id id;
	struct err err;

	if (file_read(sys_real(), tally->dirfd, name, 1 << 24, text, &id, &err) != 0) {
		row_violation(tally->row, "%s", err.text);
		return false;
	}
	return id.present;
}

static bool parse(struct tally *tally, const char *name, struct slice text, struct json *doc)
{
	struct json_fault fault;

	if (json_parse(doc, text, &json_file_bounds, &fault) == 0)
		return true;
	row_violation(tally->row, "%s:%u:%u: %s", name, fault.line, fault.column, fault.what);
	return false;
}

static void tally_category(struct tally *tally, enum category category)
{
	const char *name = store_file_name((enum store_file)category);
	STR_AUTO text = STR_INIT;
	struct json doc;

	if (!read_text(tally, name, &text) || !parse(tally, name, str_slice(&text), &doc))
		return;
	for (uint32_t n = json_first(&doc, JSON_ROOT); n != JSON_NONE; n = json_next(&doc, n)) {
		tally->entries[category]++;
		count_tokens(tally, json_text(&doc, n), PLACE_ACTIVE);
	}
	json_release(&doc);
}

static void tally_record(struct tally *tally, const struct json *doc, uint32_t node)
{
	STR_AUTO scratch = STR_INIT;
	uint32_t reason = json_member(doc, node, "reason");
	enum whereabouts place = PLACE_ARCHIVED;

	if (json_member(doc, node, "undo") != JSON_NONE)
		place = PLACE_UNDO;
	else if (reason != JSON_NONE && slice_is(json_string(doc, reason, &scratch), "state_clear"))
		place = PLACE_CLEARED;
	count_tokens(tally, json_text(doc, node), place);
}

static void tally_archive(struct tally *tally)
{
	const char *name = store_file_name(STORE_FILE_ARCHIVE);
	STR_AUTO text = STR_INIT;
	STR_AUTO scratch = STR_INIT;
	struct json doc;

	if (!read_text(tally, name, &text) || !parse(tally, name, str_slice(&text), &doc))
		return;
	for (uint32_t n = json_first(&doc, JSON_ROOT); n != JSON_NONE; n = json_next(&doc, n)) {
		int category = category_find(json_name(&doc, n, &scratch));

		for (uint32_t r = json_first(&doc, n); r != JSON_NONE; r = json_next(&doc, r)) {
			if (category != CATEGORY_ANY)
				tally->records[category]++;
			tally_record(tally, &doc, r);
		}
	}
	json_release(&doc);
}

/* A last line without its end is cut with the next append; all others are whole. */
static void tally_cold_file(struct tally *tally, const char *name)
{
	STR_AUTO text = STR_INIT;
	struct slice rest;
	const char *end;

	if (!read_text(tally, name, &text))
		return;
	rest = str_slice(&text);
	while (rest.len && (end = memchr(rest.ptr, '\n', rest.len)) != NULL) {
		size_t len = (size_t)(end - rest.ptr);
		struct json doc;

		if (parse(tally, name, slice_make(rest.ptr, len), &doc)) {
			tally_record(tally, &doc, JSON_ROOT);
			json_release(&doc);
		}
		rest = slice_make(end + 1, rest.len - len - 1);
	}
}

static void tally_cold(struct tally *tally)
{
	int fd = openat(tally->dirfd, "archive.cold", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	while (folder && (entry = readdir(folder)) != NULL) {
		STR_AUTO name = STR_INIT;

		if (entry->d_name[0] == '.')
			continue;
		str_printf(&name, "archive.cold/%s", entry->d_name);
		tally_cold_file(tally, name.ptr);
	}
	if (folder)
		closedir(folder);
}

static void compare_counts(struct tally *tally, const struct json *doc, uint32_t counts,
			   const unsigned found[CATEGORY_COUNT], const char *what)
{
	for (int c = 0; c < CATEGORY_COUNT; c++) {
		const char *name = category_name((enum category)c);
		uint32_t node = json_member(doc, counts, name);
		int64_t said = -1;

		if (node != JSON_NONE)
			json_int(doc, node, &said);
		if (said != found[c])
			row_violation(tally->row, "metadata says %lld %s of %s, there are %u",
				      (long long)said, what, name, found[c]);
	}
}

static void compare_metadata(struct tally *tally)
{
	STR_AUTO text = STR_INIT;
	struct json doc;
	uint32_t archives;

	if (!read_text(tally, "metadata.json", &text)) {
		row_violation(tally->row, "there is no metadata.json");
		return;
	}
	if (!parse(tally, "metadata.json", str_slice(&text), &doc))
		return;
	compare_counts(tally, &doc, json_member(&doc, JSON_ROOT, "counts"), tally->entries,
		       "entries");
	archives = json_member(&doc, JSON_ROOT, "archives");
	compare_counts(tally, &doc, json_member(&doc, archives, "counts"), tally->records,
		       "records");
	json_release(&doc);
}

/* What stands for a file that nobody understands: nothing of that kind may be left behind. */
static void look_for_strays(struct tally *tally)
{
	int fd = openat(tally->dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	while (folder && (entry = readdir(folder)) != NULL) {
		if (strstr(entry->d_name, "broken") || strcmp(entry->d_name, ".journal") == 0)
			row_violation(tally->row, "%s is left behind", entry->d_name);
	}
	if (folder)
		closedir(folder);
}

void ledger_tally(struct ledger *ledger, struct row *row, const char *dir)
{
	struct tally tally = {.ledger = ledger, .row = row};

	tally.dirfd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (tally.dirfd < 0)
		row_fatal(dir);
	for (unsigned t = 0; t < ledger->count; t++) {
		struct token *token = &ledger->tokens[t];

		token->was_archived = token->archived > 0;
		token->active = token->archived = token->cleared = token->undo = 0;
	}
	for (int c = 0; c < CATEGORY_COUNT; c++)
		tally_category(&tally, (enum category)c);
	tally_archive(&tally);
	tally_cold(&tally);
	compare_metadata(&tally);
	look_for_strays(&tally);
	close(tally.dirfd);
}
