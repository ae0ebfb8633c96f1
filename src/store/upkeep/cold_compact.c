#include "base/map.h"
#include "base/mem.h"
#include "store/log/cold.h"
#include "store/upkeep/compact.h"
#include "store/files/file_names.h"
#include "store/files/atomic_write.h"
#include "store/log/undo_marks.h"
#include "store/files/change_observer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

struct compacting {
	struct disk *disk;
	int folder;
	void (*begun)(void *context);
	void *context;
	struct compact_part *out;
};

/* What a line is about: itself, or what it takes back. */
static struct slice subject(struct slice line, struct str *scratch)
{
	if (!voided_is(line))
		return line;
	str_clear(scratch);
	voided_opposite(scratch, line);
	return str_slice(scratch);
}

struct lines {
	struct slice *list;
	size_t count;
	size_t cap;
};

static void split(struct slice text, struct lines *out)
{
	struct slice line;

	while (slice_line(&text, &line)) {
		out->list = mem_grow(out->list, &out->cap, out->count + 1, sizeof *out->list);
		out->list[out->count++] = line;
	}
}

/*
 * The lines of which no later one says the same; of a last one without newline nobody knows what it
 * is about. Returns how many were left out.
 */
static size_t keep_last(struct slice text, struct str *out)
{
	struct lines lines = {0};
	struct arena arena = ARENA_INIT;
	struct map last = MAP_INIT;
	STR_AUTO scratch = STR_INIT;
	size_t removed = 0;
	size_t position;

	split(text, &lines);
	for (size_t i = 0; i < lines.count; i++)
		map_put(&last, arena_copy(&arena, subject(lines.list[i], &scratch)), i);
	for (size_t i = 0; i < lines.count; i++) {
		bool stays = map_get(&last, subject(lines.list[i], &scratch), &position) &&
			     position == i;

		if (!stays) {
			removed++;
			continue;
		}
		str_add(out, lines.list[i]);
		str_addc(out, '\n');
	}
	map_release(&last);
	arena_release(&arena);
	free(lines.list);
	return removed;
}

static int rewrite_month(struct compacting *compacting, const char *name, struct slice before,
			 struct slice after, struct err *err)
{
	const struct witness *witness = compacting->disk->witness;
	STR_AUTO path = STR_INIT;

	str_printf(&path, COLD_FOLDER "/%s", name);
	if (compacting->out->removed == 0)
		compacting->begun(compacting->context);
	if (witness)
		witness->text(witness->context, path.ptr, before, after);
	if (renew_file(compacting->disk, compacting->folder, COLD_FOLDER "/", name, after, err) ==
	    0)
		return 0;
	if (witness)
		witness->withdrawn(witness->context, path.ptr);
	return -1;
}

static int compact_month(struct compacting *compacting, const char *name, struct err *err)
{
	STR_AUTO text = STR_INIT;
	STR_AUTO out = STR_INIT;
	struct file_id id;
	size_t removed = 0;

	if (file_read_own(compacting->disk->sys, compacting->folder, name, json_file_bounds.bytes,
			  &text, &id, err) != 0)
		return err_prefix(err, "%s/" COLD_FOLDER, compacting->disk->path);
	/* A torn last line is cut with the next append. */
	if (text.len > 0 && text.ptr[text.len - 1] == '\n')
		removed = keep_last(str_slice(&text), &out);
	if (removed > 0 &&
	    rewrite_month(compacting, name, str_slice(&text), str_slice(&out), err) != 0)
		return -1;
	compacting->out->before += (int64_t)text.len;
	compacting->out->after += (int64_t)(removed > 0 ? out.len : text.len);
	compacting->out->removed += (int64_t)removed;
	return 0;
}

int compact_cold(struct disk *disk, void (*begun)(void *context), void *context,
		 struct compact_part *out, struct err *err)
{
	struct compacting compacting = {disk, -1, begun, context, out};
	struct names names = {0};
	int result = 0;
	int number;

	compacting.folder = file_open(disk->sys, disk->dirfd, COLD_FOLDER,
				      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
	if (compacting.folder < 0 && errno == ENOENT)
		return 0;
	number = compacting.folder < 0
			 ? errno
			 : names_read(disk->sys, compacting.folder, cold_is_file_name, &names);
	if (number != 0)
		result = err_set_errno(err, ERR_IO, number, "cannot read %s/" COLD_FOLDER,
				       disk->path);
	for (size_t i = 0; result == 0 && i < names.count; i++) {
		progress_step(disk->progress, "the cold archive", i, names.count);
		result = compact_month(&compacting, names.list[i], err);
	}
	names_release(&names);
	file_close(disk->sys, &compacting.folder);
	return result;
}
