#include "git/libgit2.h"

#include "base/file.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>

/*
 * libgit2 prepares for TLS and SSH whenever it starts: it reads and checks the certificates of the
 * machine, some fifty million instructions and a megabyte, and starts libcrypto. kota has git fetch
 * and push, and never asks the library for a connection. The program exports these names, and so
 * the loader prefers them to those of the libraries: there are no certificates, and SSH is ready.
 */
int libssh2_init(int flags);
int mbedtls_x509_crt_parse_file(void *chain, const char *path);
int mbedtls_x509_crt_parse_path(void *chain, const char *path);

int libssh2_init(int flags)
{
	(void)flags;
	return 0;
}

int mbedtls_x509_crt_parse_file(void *chain, const char *path)
{
	(void)chain;
	(void)path;
	return -1;
}

int mbedtls_x509_crt_parse_path(void *chain, const char *path)
{
	(void)chain;
	(void)path;
	return -1;
}

static const struct {
	const char *name;
	size_t offset;
} functions[] = {
#define X(name) {"git_" #name, offsetof(struct lib, name)},
	LIB_FUNCTIONS(X)
#undef X
};

/* Data and function pointers have one size on every system that has dlsym. */
static bool lib_find_functions(struct lib *lib)
{
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		void *found = dlsym(lib->handle, functions[i].name);

		if (!found)
			return false;
		memcpy((char *)lib + functions[i].offset, &found, sizeof found);
	}
	return true;
}

int lib_open(struct lib *out, struct err *err)
{
	struct lib lib = {.handle = dlopen(LIBRARY_NAME, RTLD_NOW | RTLD_LOCAL)};

	if (!lib.handle)
		return err_set(err, ERR_NO_HISTORY,
			       "history needs the library " LIBRARY_NAME
			       ", which is not installed");
	void *found = dlsym(lib.handle, "compress2");
	memcpy(&lib.compress, &found, sizeof found);
	if (!lib_find_functions(&lib)) {
		dlclose(lib.handle);
		return err_set(err, ERR_NO_HISTORY,
			       LIBRARY_NAME " lacks functions that history needs");
	}
	if (lib.libgit2_init() < 0) {
		dlclose(lib.handle);
		return err_set(err, ERR_NO_HISTORY, LIBRARY_NAME " does not start");
	}
	/* Off by default, and a power cut then leaves a repository that cannot be read. */
	lib.libgit2_opts(GIT_OPT_ENABLE_FSYNC_GITDIR, 1);
	*out = lib;
	return 0;
}

/* True if the person has such a file and this process may not read it. */
static bool lib_is_closed(const struct sys *sys, const char *folder, const char *name)
{
	STR_AUTO path = STR_INIT;

	str_printf(&path, "%s/%s", folder, name);
	int fd = file_open(sys, AT_FDCWD, path.ptr, O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0);
	bool closed = fd < 0 && errno == EACCES;
	file_close(sys, &fd);
	return closed;
}

void lib_leave_out_closed(const struct lib *lib, const struct sys *sys)
{
	static const struct {
		int level;
		const char *name;
	} files[] = {{GIT_CONFIG_LEVEL_GLOBAL, ".gitconfig"}, {GIT_CONFIG_LEVEL_XDG, "config"}};

	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		git_buf folder = GIT_BUF_INIT;

		if (lib->libgit2_opts(GIT_OPT_GET_SEARCH_PATH, files[i].level, &folder) == 0 &&
		    folder.size > 0 && lib_is_closed(sys, folder.ptr, files[i].name))
			lib->libgit2_opts(GIT_OPT_SET_SEARCH_PATH, files[i].level, "");
		lib->buf_dispose(&folder);
	}
}

/* The library stays loaded: unloading it would take away what its own at-exit handlers call. */
void lib_close(struct lib *lib)
{
	if (lib->handle)
		lib->libgit2_shutdown();
	lib->handle = NULL;
}

int lib_error(const struct lib *lib, struct err *err, const char *format, ...)
{
	const git_error *last = lib->error_last();
	char what[512];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof what, format, args);
	va_end(args);
	return err_set(err, ERR_NO_HISTORY, "cannot %s: %s", what,
		       last && last->message ? last->message : "the git library gives no reason");
}

void object_id_text(const struct object_id *id, char out[OBJECT_ID_DIGITS + 1])
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < OBJECT_ID_BYTES; i++) {
		out[2 * i] = digits[id->bytes[i] >> 4];
		out[2 * i + 1] = digits[id->bytes[i] & 15];
	}
	out[OBJECT_ID_DIGITS] = '\0';
}

static int lib_digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool object_id_parse(struct slice text, struct object_id *out)
{
	struct object_id id;

	if (text.len != OBJECT_ID_DIGITS)
		return false;
	for (size_t i = 0; i < OBJECT_ID_BYTES; i++) {
		int high = lib_digit_value(text.ptr[2 * i]);
		int low = lib_digit_value(text.ptr[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		id.bytes[i] = (unsigned char)(high << 4 | low);
	}
	*out = id;
	return true;
}
