#include "git/gitrepo.h"

#include "support/fake_sys.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <stdlib.h>

#define TIME_MS 1795000000000

void gitrepo_isolate(const struct tmpdir *dir)
{
	setenv("HOME", dir->path, 1);
	setenv("XDG_CONFIG_HOME", dir->path, 1);
	setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
}

int gitrepo_set_up(void **state)
{
	struct gitrepo *r = calloc(1, sizeof *r);
	struct err err;

	tmpdir_make(&r->dir);
	gitrepo_isolate(&r->dir);
	if (repo_create(&r->repo, sys_real(), r->dir.path, &err) != 0)
		fail_msg("%s", err.text);
	*state = r;
	return 0;
}

int gitrepo_tear_down(void **state)
{
	struct gitrepo *r = *state;

	repo_close(r->repo);
	tmpdir_remove(&r->dir);
	free(r);
	return 0;
}

struct object_id gitrepo_record(struct gitrepo *r, const char *path, const char *text,
				const char *message)
{
	struct recorded_file file = {.path = path};
	struct commit_spec spec = {.files = &file,
				   .count = 1,
				   .message = message,
				   .time_ms = TIME_MS,
				   .offset_min = 60};
	struct recording *recording;
	struct object_id id = {{0}};
	struct err err;

	if ((text && repo_blob_write(r->repo, slice_of(text), &file.blob, &err) != 0) ||
	    recording_begin(&recording, r->repo, &err) != 0 ||
	    recording_add(recording, &spec, &id, &err) != 0 ||
	    recording_finish(recording, &err) != 0)
		fail_msg("%s", err.text);
	return id;
}

char *gitrepo_text(struct gitrepo *r, const char *path)
{
	struct object_id head;
	struct object_id blob;
	struct str text = STR_INIT;
	struct err err;

	if (repo_head(r->repo, &head, &err) != 0 ||
	    repo_file_at(r->repo, &head, path, &blob, &err) != 0)
		fail_msg("%s", err.text);
	if (object_id_is_none(&blob))
		return NULL;
	if (repo_blob_read(r->repo, &blob, &text, &err) != 0)
		fail_msg("%s", err.text);
	return str_detach(&text);
}
