/*
 * The control of the row history_power: kota whose git library does not make durable what it
 * writes, as it is by default. Linked with --wrap, which sends every call of lib_open() here.
 */
#include "git/libgit2.h"

int __real_lib_open(struct lib *out, struct err *err);
int __wrap_lib_open(struct lib *out, struct err *err);

int __wrap_lib_open(struct lib *out, struct err *err)
{
	int result = __real_lib_open(out, err);

	if (result == 0)
		out->libgit2_opts(GIT_OPT_ENABLE_FSYNC_GITDIR, 0);
	return result;
}
