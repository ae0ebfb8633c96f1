#include "cli/doctor/provenance.h"

#include "store/files/settings_files.h"

#include <fcntl.h>
#include <stdlib.h>

/* More files of the program's own are not named: there can be as many as somebody likes. */
#define NAMED_MAX 20

/* The date alone: nobody asks for the second. */
static void provenance_add_since(struct str *out, const char *words, struct slice since)
{
	const char *time = since.len ? memchr(since.ptr, 'T', since.len) : NULL;

	str_adds(out, words);
	str_add(out, slice_make(since.ptr, time ? (size_t)(time - since.ptr) : since.len));
}

void provenance_add(struct str *out, const struct origin *origin)
{
	if (origin->kind == ORIGIN_OWN && origin->personal)
		str_adds(out, "it is your own place");
	else if (origin->kind == ORIGIN_OWN && origin->trusted)
		provenance_add_since(out, "you have trusted it since ", origin->since);
	else if (origin->kind == ORIGIN_OWN)
		provenance_add_since(out, "you made it here on ", origin->since);
	else if (origin->other_owner)
		str_adds(out, "it, or a file of it, belongs to another user");
	else if (origin->kind == ORIGIN_FOREIGN)
		str_printf(out, "it came with the repository %s and is not trusted",
			   origin->root ? origin->root : "around it");
	else
		str_adds(out, "nobody has reviewed it: it was found by its path, and no repository "
			      "tracks it");
}

void provenance_each_link(const struct disk *disk, provenance_visitor visit, void *context)
{
	const struct sys *sys = disk->sys;
	int fd = file_open(sys, disk->dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	DIR *dir = fd < 0 ? NULL : sys->fdopendir(fd);
	const struct dirent *entry;

	if (!dir) {
		file_close(sys, &fd);
		return;
	}
	while ((entry = sys->readdir(dir))) {
		char target[PATH_MAX];
		ssize_t len = sys->readlinkat(disk->dirfd, entry->d_name, target,
					      sizeof target - 1);

		if (len < 0)
			continue;
		target[len] = '\0';
		visit(context, entry->d_name, target);
	}
	sys->closedir(dir);
}

bool provenance_may_link(const char *name)
{
	return store_file_find(slice_of(name)) < STORE_FILE_COUNT || strcmp(name, CONFIG_NAME) == 0;
}

static void provenance_add_setting(void *context, const char *name)
{
	struct str *out = context;

	str_printf(out, "%s%s", out->len > 0 ? ", " : "", name);
}

bool provenance_add_held_settings(struct str *out, struct disk *disk)
{
	char *personal = disk->env ? place_own_path(PLACE_OWN_CONFIG, disk->env) : NULL;
	STR_AUTO names = STR_INIT;

	settings_each_held_back(disk->sys, personal, disk, provenance_add_setting, &names);
	free(personal);
	str_add(out, str_slice(&names));
	return names.len > 0;
}

struct committed {
	struct str *out;
	size_t count;
};

static void provenance_take_committed(void *context, struct slice name)
{
	struct committed *committed = context;

	if (committed->count++ >= NAMED_MAX)
		return;
	if (committed->count > 1)
		str_addc(committed->out, ' ');
	str_add(committed->out, name);
}

bool provenance_add_committed(struct str *out, const struct disk *disk)
{
	struct committed committed = {out, 0};

	origin_each_committed(&disk->origin, disk->sys, provenance_take_committed, &committed);
	return committed.count > 0;
}
