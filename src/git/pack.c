#include "git/pack.h"

#include "git/object_files.h"

#include <fcntl.h>

/* So many folders are looked into, and so many objects in them mean about five hundred in all. */
#define SAMPLE 4
#define SAMPLE_FULL 8

bool pack_is_due(struct repo *repo)
{
	struct id_list found = {0};
	struct err ignored;
	bool due;

	for (unsigned i = 0; i < SAMPLE; i++)
		loose_list(repo, i * (LOOSE_FOLDERS / SAMPLE), &found, &ignored);
	due = found.count >= SAMPLE_FULL;
	id_list_release(&found);
	return due;
}

static int pack_error(const struct repo *repo, struct err *err)
{
	return lib_error(&repo->lib, err, "pack %sobjects", repo->folder.ptr);
}

/* The library makes the pack, its index and their names durable. */
size_t pack_loose_count(struct repo *repo)
{
	struct id_list found = {0};
	struct err ignored;
	size_t count;

	for (unsigned i = 0; i < LOOSE_FOLDERS; i++)
		loose_list(repo, i, &found, &ignored);
	count = found.count;
	id_list_release(&found);
	return count;
}

struct measure {
	struct repo *repo;
	const char *folder;
	int64_t bytes;
};

static int measure_file(void *context, const char *name)
{
	struct measure *measure = context;
	STR_AUTO path = STR_INIT;
	struct stat st;

	str_printf(&path, "%s%s/%s", measure->repo->folder.ptr, measure->folder, name);
	if (measure->repo->sys->fstatat(AT_FDCWD, path.ptr, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    S_ISREG(st.st_mode))
		measure->bytes += (int64_t)st.st_blocks * 512;
	return 0;
}

static int measure_folder(void *context, const char *name)
{
	struct measure *all = context;
	STR_AUTO folder = STR_INIT;
	struct measure measure = {all->repo, NULL, 0};
	struct err ignored;

	if (name[0] == '.')
		return 0;
	str_printf(&folder, "objects/%s", name);
	measure.folder = folder.ptr;
	git_folder_walk(all->repo, folder.ptr, measure_file, &measure, &ignored);
	all->bytes += measure.bytes;
	return 0;
}

int64_t pack_disk_bytes(struct repo *repo)
{
	struct measure all = {repo, NULL, 0};
	struct err ignored;

	git_folder_walk(repo, "objects", measure_folder, &all, &ignored);
	return all.bytes;
}

/* The longest part is comparing objects; of the one before that there is no telling. */
static int tell(int stage, uint32_t current, uint32_t total, void *payload)
{
	const struct repo *repo = payload;

	(void)stage;
	progress_step(repo->progress, "packing the history", total > 0 ? current : 0, total);
	return 0;
}

void pack_watch(struct repo *repo, git_packbuilder *builder)
{
	if (repo->progress)
		repo->lib.packbuilder_set_callbacks(builder, tell, repo);
}

static int write_pack(struct repo *repo, git_packbuilder *builder, const struct id_list *loose,
		      struct str *name, struct err *err)
{
	const struct lib *lib = &repo->lib;

	lib->packbuilder_set_threads(builder, 1);
	pack_watch(repo, builder);
	for (size_t i = 0; i < loose->count; i++) {
		git_oid oid = lib_oid(&loose->items[i]);

		if (lib->packbuilder_insert(builder, &oid, NULL) != 0)
			return pack_error(repo, err);
	}
	if (lib->packbuilder_write(builder, NULL, 0, NULL, NULL) != 0)
		return pack_error(repo, err);
	str_printf(name, "pack-%s", lib->packbuilder_name(builder));
	return 0;
}

/* Is all in the pack that is to go? */
static int check_pack(struct repo *repo, const char *name, const struct id_list *loose,
		      struct err *err)
{
	struct id_list packed = {0};
	bool whole = true;
	int result = pack_ids(repo, name, &packed, err);

	for (size_t i = 0; result == 0 && i < loose->count; i++)
		whole = whole && id_list_has(&packed, &loose->items[i]);
	if (!whole)
		result = err_set(err, ERR_NO_HISTORY, "%sobjects/pack/%s lacks objects",
				 repo->folder.ptr, name);
	id_list_release(&packed);
	return result;
}

static int pack_loose(struct repo *repo, const struct id_list *loose, struct err *err)
{
	git_packbuilder *builder;
	STR_AUTO name = STR_INIT;
	int result;

	if (repo->lib.packbuilder_new(&builder, repo->handle) != 0)
		return pack_error(repo, err);
	result = write_pack(repo, builder, loose, &name, err);
	repo->lib.packbuilder_free(builder);
	if (result == 0)
		result = check_pack(repo, name.ptr, loose, err);
	for (size_t i = 0; result == 0 && i < loose->count; i++)
		result = loose_remove(repo, &loose->items[i], err);
	return result;
}

int pack_run(struct repo *repo, struct err *err)
{
	struct id_list loose = {0};
	int result = 0;

	if (object_folders_check(repo, err) != 0)
		return -1;
	object_files_tidy(repo);
	for (unsigned i = 0; result == 0 && i < LOOSE_FOLDERS; i++)
		result = loose_list(repo, i, &loose, err);
	if (result == 0 && loose.count > 0)
		result = pack_loose(repo, &loose, err);
	id_list_release(&loose);
	return result;
}
