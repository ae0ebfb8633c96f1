/*
 * Another store, or a folder of the original handler: read as a store, without leaving a trace in
 * it. What is in it besides its files, links above all, is not followed.
 */
#include "base/mem.h"
#include "base/utf8.h"
#include "ops/transfer/import_entries.h"
#include "ops/transfer/whole_store.h"
#include "store/open/store.h"

#include <errno.h>
#include <fcntl.h>

/* What else a folder may have; none of it is entries, records or links. */
static const char *const unread[] = {"notes", "config.json", "synonyms.json"};

/* What cannot be looked at is not absent. */
static int read_store_cannot_look(struct slice path, struct err *err)
{
	STR_AUTO scratch = STR_INIT;

	return err_set_errno(err, ERR_IO, errno, "source: cannot look at %s",
			     shown(&scratch, path));
}

static int read_store_name_unread(struct import *m, const char *folder, struct err *err)
{
	const struct sys *sys = store_disk(m->call->store)->sys;

	for (size_t i = 0; i < sizeof unread / sizeof *unread; i++) {
		STR_AUTO path = STR_INIT;
		struct stat st;

		str_printf(&path, "%s/%s", folder, unread[i]);
		if (sys->fstatat(AT_FDCWD, path.ptr, &st, AT_SYMLINK_NOFOLLOW) == 0)
			*MEM_ADD(m->unread, m->unread_count, m->unread_cap) = slice_of(unread[i]);
		else if (errno != ENOENT)
			return read_store_cannot_look(str_slice(&path), err);
	}
	return 0;
}

/* A link would have files read that nobody meant to hand over. */
static int read_store_check_folder(const struct import *m, const char *folder, struct err *err)
{
	const struct sys *sys = store_disk(m->call->store)->sys;

	for (int f = 0; f <= STORE_FILE_COUNT; f++) {
		STR_AUTO path = STR_INIT;
		STR_AUTO scratch = STR_INIT;
		struct stat st;

		str_printf(&path, "%s/%s", folder,
			   f < STORE_FILE_COUNT ? store_file_name((enum store_file)f)
						: COLD_FOLDER);
		if (sys->fstatat(AT_FDCWD, path.ptr, &st, AT_SYMLINK_NOFOLLOW) != 0) {
			if (errno == ENOENT)
				continue;
			return read_store_cannot_look(str_slice(&path), err);
		}
		if (S_ISLNK(st.st_mode))
			return err_set(
				err, ERR_BAD_DATA,
				"source: %s is a link; put the file itself in its place, and try "
				"again",
				shown(&scratch, str_slice(&path)));
	}
	return 0;
}

static void read_store_offer_items(struct import *m, const struct whole *whole)
{
	for (size_t i = 0; i < whole->item_count && !m->overflowed; i++) {
		const struct item *item = &whole->items[i];
		const struct usage_fact usage = store_usage_of(whole->store, item->ref);

		import_offer(m, &(struct import_offer){
					.category = (int)item->entry.category,
					.key = item->entry.key,
					.text = common_entry_json(m->call, &item->entry),
					.usage = &usage,
				});
	}
}

static int read_store_offer_records(struct import *m, const struct whole *whole, struct err *err)
{
	for (size_t i = 0; i < whole->record_count && !m->overflowed; i++) {
		const struct record *there = &whole->records[i].record;
		STR_AUTO text = STR_INIT;
		JSON_AUTO doc = {0};
		struct record record;
		struct json_writer w = json_writer_to(&text, &json_compact);

		whole_write_record(&w, there);
		common_parse(&doc, str_slice(&text));
		if (record_read(&record, there->category, &doc, JSON_ROOT, m->call->arena) &&
		    import_record(m, there->category, &record, err) != 0)
			return -1;
	}
	return 0;
}

static int read_store_take(struct import *m, struct store *source, struct err *err)
{
	const struct whole_choice choice = {.category = CATEGORY_ANY, .archive = true};
	const char *const *notices;
	struct whole whole;
	size_t count;

	if (whole_read(&whole, m->call, source, &choice, err) != 0)
		return -1;
	read_store_offer_items(m, &whole);
	for (size_t i = 0; i < whole.link_count && !m->overflowed; i++) {
		const struct relation *relation = &whole.links[i].relation;
		JSON_AUTO doc = {0};

		common_parse(&doc, relation->text);
		import_own_link(m, relation->id, &doc, JSON_ROOT);
	}
	int result = read_store_offer_records(m, &whole, err);
	/* Report members of archive.json that are no records, as for an open store. */
	notices = store_notices(source, &count);
	for (size_t i = 0; i < count; i++)
		import_leave(m, slice_of("source"), "%s", notices[i]);
	whole_release(&whole);
	return result;
}

static const char *read_store_no_environment(const char *name)
{
	(void)name;
	return NULL;
}

static int read_store_folder(struct import *m, const char *folder, struct err *err)
{
	struct store *source;

	m->kind = "kota";
	m->whole = true;
	if (read_store_check_folder(m, folder, err) != 0 ||
	    store_open(&source, store_disk(m->call->store)->sys, read_store_no_environment, folder,
		       err) != 0)
		return -1;
	int result = read_store_take(m, source, err);
	store_close(source);
	return result == 0 ? read_store_name_unread(m, folder, err) : -1;
}

const struct import_reader import_reader_store = {.folder = read_store_folder};
