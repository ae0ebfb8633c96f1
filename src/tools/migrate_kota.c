#include "base/mem.h"
#include "tools/migrate.h"

#include <fcntl.h>

/* What else a folder may have; none of it is entries or records. */
static const char *const unread[] = {"relations.json", "usage.jsonl", COLD_FOLDER,
				     "notes",          "config.json", "synonyms.json"};

static int open_file(struct migration *m, const char *folder, const char *name, struct str *path,
		     struct str *text, struct json *doc, struct err *err)
{
	struct json_fault fault;

	str_clear(path);
	str_printf(path, "%s/%s", folder, name);
	if (migrate_read(m, path->ptr, true, text, err) != 0)
		return -1;
	if (text->len == 0)
		str_adds(text, "{}");
	if (json_parse(doc, str_slice(text), &json_file_bounds, &fault) != 0)
		return err_set(err, ERR_BAD_DATA, "%s:%u:%u: %s", path->ptr,
			       (unsigned int)fault.line, (unsigned int)fault.column, fault.what);
	if (json_type(doc, JSON_ROOT) == JSON_OBJECT)
		return 0;
	json_release(doc);
	return err_set(err, ERR_BAD_DATA, "%s:1:1: the file must be an object", path->ptr);
}

static int read_category(struct migration *m, const char *folder, enum category category,
			 struct err *err)
{
	STR_AUTO path = STR_INIT;
	STR_AUTO text = STR_INIT;
	struct json doc;

	if (open_file(m, folder, store_file_name((enum store_file)category), &path, &text, &doc,
		      err) != 0)
		return -1;
	for (uint32_t n = json_first(&doc, JSON_ROOT); n != JSON_NONE; n = json_next(&doc, n)) {
		STR_AUTO name = STR_INIT;
		const struct migrate_offer offer = {
			.category = (int)category,
			.key = json_name(&doc, n, &name),
			.text = common_json(m->call, (struct arg_json){&doc, n}),
		};

		migrate_offer(m, &offer);
	}
	json_release(&doc);
	return 0;
}

static int read_records(struct migration *m, const struct json *doc, uint32_t list,
			enum category category, struct err *err)
{
	for (uint32_t n = json_first(doc, list); n != JSON_NONE; n = json_next(doc, n)) {
		struct record record;

		if (!record_read(&record, category, doc, n, m->call->arena))
			migrate_leave(m, slice_of(category_name(category)),
				      "a member of archive.json is no record");
		else if (migrate_record(m, category, &record, err) != 0)
			return -1;
	}
	return 0;
}

static int read_archive(struct migration *m, const char *folder, struct err *err)
{
	STR_AUTO path = STR_INIT;
	STR_AUTO text = STR_INIT;
	struct json doc;
	int result = 0;

	if (open_file(m, folder, store_file_name(STORE_FILE_ARCHIVE), &path, &text, &doc, err) != 0)
		return -1;
	for (int c = 0; result == 0 && c < CATEGORY_COUNT; c++) {
		uint32_t list = json_member(&doc, JSON_ROOT, category_name((enum category)c));

		if (list != JSON_NONE && json_type(&doc, list) == JSON_ARRAY)
			result = read_records(m, &doc, list, (enum category)c, err);
	}
	json_release(&doc);
	return result;
}

static void name_unread(struct migration *m, const char *folder)
{
	const struct sys *sys = store_disk(m->call->store)->sys;

	for (size_t i = 0; i < sizeof unread / sizeof *unread; i++) {
		STR_AUTO path = STR_INIT;
		struct stat st;

		str_printf(&path, "%s/%s", folder, unread[i]);
		if (sys->fstatat(AT_FDCWD, path.ptr, &st, 0) != 0)
			continue;
		m->unread = mem_grow(m->unread, &m->unread_cap, m->unread_count + 1,
				     sizeof *m->unread);
		m->unread[m->unread_count++] = slice_of(unread[i]);
	}
}

int migrate_kota(struct migration *m, const char *folder, struct err *err)
{
	m->kind = "kota";
	for (int c = 0; c < CATEGORY_COUNT; c++) {
		if (read_category(m, folder, (enum category)c, err) != 0)
			return -1;
	}
	name_unread(m, folder);
	return read_archive(m, folder, err);
}
