#include "store/swap/replace.h"

#include "store/swap/displaced.h"

/* How often the text is built anew because somebody changed the file meanwhile. */
#define BUILD_TRIES 12

static int replace_path(const struct path *path, enum store_file file,
			const struct rewrite *rewrite, int64_t now_ms, bool *written,
			struct err *err)
{
	enum replaced what = REPLACED_AGAIN;
	struct err ignored;

	for (int tries = 0; what == REPLACED_AGAIN && tries < BUILD_TRIES; tries++) {
		if (settle_leftover(path, err) != 0 ||
		    settle_displaced(path, file, now_ms, err) != 0 ||
		    replace_once(path, rewrite, now_ms, &what, written, err) != 0)
			return -1;
	}
	if (what == REPLACED_AGAIN)
		return err_set(err, ERR_BUSY,
			       "%s/%s is changed again and again by another program; try again",
			       path->disk->path, path->file_name);
	/* An editor may have been writing all the while. What comes later can wait. */
	if (what == REPLACED_STIRRED)
		settle_displaced(path, file, now_ms, &ignored);
	return 0;
}

int replace_file(struct disk *disk, enum store_file file, const struct rewrite *rewrite,
		 int64_t now_ms, bool *written, struct err *err)
{
	struct path path;
	int result;

	if (path_open(&path, disk, store_file_name(file), err) != 0)
		return -1;
	result = replace_path(&path, file, rewrite, now_ms, written, err);
	path_release(&path);
	return result;
}
