#include "support/environ.h"

#include "support/fake_sys.h"
#include "support/tmpdir.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

const char *const environ_nothing[] = {NULL};

static const char *const *in_use = environ_nothing;

void environ_use(const char *const *variables)
{
	in_use = variables;
}

const char *environ_look_up(const char *name)
{
	size_t len = strlen(name);

	for (const char *const *v = in_use; *v; v++)
		if (strncmp(*v, name, len) == 0 && (*v)[len] == '=')
			return *v + len + 1;
	return NULL;
}

int environ_set_up(void **state)
{
	static const char *const folders[] = {"P", "P/data", "P/data/kota_memory", "F", "F/data"};
	struct tmpdir *dir = calloc(1, sizeof *dir);

	fake_sys_reset(ENVIRON_NOW);
	tmpdir_make(dir);
	assert_int_equal(chdir(dir->path), 0);
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
		assert_int_equal(mkdir(folders[i], 0700), 0);
	tmpdir_write(dir, "F/data/kota_memory", "");
	environ_use(environ_nothing);
	*state = dir;
	return 0;
}

int environ_tear_down(void **state)
{
	struct tmpdir *dir = *state;

	assert_int_equal(chdir("/"), 0);
	tmpdir_remove(dir);
	fake_sys_release();
	free(dir);
	return 0;
}
