#include "store/history/rebuild.h"

#include "store/files/note_folder.h"
#include "store/files/resolve.h"
#include "store/log/cold.h"
#include "store/log/journal.h"
#include "store/log/undo_marks.h"
#include "store/swap/member_update.h"

#include <string.h>

static bool rebuild_is_cold(const struct op *op)
{
	return op->kind == OP_COLD_ADD || op->kind == OP_KEEP;
}

bool rebuild_concerns(const struct op *op, const char *file_name)
{
	STR_AUTO path = STR_INIT;

	if (rebuild_is_cold(op))
		cold_path(&path, op->at_ms);
	else if (op_is_note(op))
		str_printf(&path, NOTE_FOLDER "/%.*s", (int)op->key.len, op->key.ptr);
	else
		return build_concerns(op, store_file_find(slice_of(file_name)));
	return strcmp(path.ptr, file_name) == 0;
}

/* Appends the line of an operation, unless it stands there already. */
static void rebuild_line(const struct op *op, struct str *out)
{
	if (undo_mark_last(str_slice(out), op->text) > 0)
		return;
	if (out->len > 0 && out->ptr[out->len - 1] != '\n')
		str_addc(out, '\n');
	str_add(out, op->text);
	str_addc(out, '\n');
}

static bool rebuild_members(enum store_file file, struct slice before, const struct op *ops,
			    size_t count, int64_t at_ms, struct str *out)
{
	struct build build = {.file = file, .ops = ops, .count = count, .now_ms = at_ms};
	STR_AUTO aside = STR_INIT;
	struct json_fault fault;
	JSON_AUTO doc = {0};
	struct err err;

	if (json_parse(&doc, before, &json_file_bounds, &fault) != 0)
		return false;
	int result = build_ops(&build, &doc, out, &aside, &err);
	return result == 0;
}

/* A note, or lines of the cold archive. */
static bool rebuild_other(const char *file_name, const struct op *ops, size_t count,
			  struct str *out, bool *gone)
{
	bool any = false;

	for (size_t i = 0; i < count; i++) {
		if (!rebuild_concerns(&ops[i], file_name))
			continue;
		any = true;
		*gone = ops[i].kind == OP_NOTE_REMOVE;
		if (op_is_note(&ops[i]))
			str_clear(out);
		if (ops[i].kind == OP_NOTE_ADD)
			str_add(out, ops[i].text);
		else if (rebuild_is_cold(&ops[i]))
			rebuild_line(&ops[i], out);
	}
	return any;
}

bool rebuild_text(const char *file_name, struct slice before, const struct op *ops, size_t count,
		  int64_t at_ms, struct str *out, bool *gone)
{
	enum store_file file = store_file_find(slice_of(file_name));
	bool any = false;

	*gone = false;
	str_clear(out);
	if (file == STORE_FILE_COUNT) {
		str_add(out, before);
		return rebuild_other(file_name, ops, count, out, gone);
	}
	for (size_t i = 0; i < count && !any; i++)
		any = build_concerns(&ops[i], file);
	if (!any || (before.ptr && rebuild_members(file, before, ops, count, at_ms, out)))
		return any;
	str_clear(out);
	return rebuild_members(file, slice_of(JSON_EMPTY_OBJECT), ops, count, at_ms, out);
}

bool rebuild_is_in(const char *file_name, struct slice text, const struct op *ops, size_t count,
		   int64_t at_ms)
{
	STR_AUTO out = STR_INIT;
	bool gone;

	return rebuild_text(file_name, text, ops, count, at_ms, &out, &gone) && gone == !text.ptr &&
	       slice_equal(str_slice(&out), text);
}
