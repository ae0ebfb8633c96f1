#include "sync/remote.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

/* The folder of refs in the git directory of the transport, and the one for what is here. */
#define REF_FOLDER "refs/kota"
#define HAVE_NAME "have"

/* Of a file with the id of a commit. */
#define REF_BYTES_MAX 256

/* So much of what git says is told. */
#define REASON_MAX 300

/* ---- what it is called */

/* A host and a path, as ssh takes them: HOST:PATH without a slash before the colon. */
static bool remote_is_host_path(const char *url)
{
	size_t colon = strcspn(url, ":/");

	return url[colon] == ':' && colon > 0 && url[colon + 1] != ':' && url[colon + 1] != '\0';
}

int remote_check_url(const struct sys *sys, const char *url, struct str *out, struct err *err)
{
	static const char *const schemes[] = {"ssh://", "https://", "file:///", NULL};
	STR_AUTO scratch = STR_INIT;
	bool known = false;
	char *real;

	str_clear(out);
	for (const char *const *scheme = schemes; *scheme; scheme++)
		known = known || strncmp(url, *scheme, strlen(*scheme)) == 0;
	for (const char *at = url; *at; at++) {
		if ((unsigned char)*at <= ' ' || *at == 0x7f)
			return err_set(err, ERR_BAD_VALUE,
				       "%s is not a remote: it has a space in it",
				       shown(&scratch, slice_of(url)));
	}
	if (url[0] == '-' || url[0] == '\0' || strstr(url, "::") || (!known && strstr(url, "://")))
		return err_set(err, ERR_BAD_VALUE,
			       "%s is not a remote: give a path, ssh://HOST/PATH, HOST:PATH or "
			       "https://HOST/PATH",
			       shown(&scratch, slice_of(url)));
	if (known || remote_is_host_path(url)) {
		str_adds(out, url);
		return 0;
	}
	real = sys->realpath(url);
	if (!real)
		return err_set_errno(err, ERR_NOT_FOUND, errno, "cannot find the remote %s",
				     shown(&scratch, slice_of(url)));
	str_adds(out, real);
	free(real);
	return 0;
}

bool remote_branch_is_plain(const char *branch)
{
	size_t len = strlen(branch);

	return len > 0 && branch[0] != '-' && branch[0] != '/' && branch[0] != '.' &&
	       branch[len - 1] != '/' && branch[len - 1] != '.' && !strstr(branch, "..") &&
	       !strstr(branch, "//") && !slice_ends(slice_of(branch), ".lock") &&
	       branch[strspn(branch, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				     "0123456789/._-")] == '\0';
}

/* ---- the git directory */

/* What makes a folder a repository: git would write much more. */
static int remote_make_files(const struct sys *sys, const char *folder, struct err *err)
{
	static const struct {
		const char *name;
		const char *text;
	} files[] = {
		{"config", "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"},
		{"HEAD", "ref: refs/heads/main\n"},
	};
	int fd = file_open(sys, AT_FDCWD, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	int result = 0;
	struct stat st;

	if (fd < 0)
		return err_set_errno(err, ERR_CANNOT_WRITE, errno, "cannot make %s", folder);
	for (size_t i = 0; result == 0 && i < sizeof files / sizeof *files; i++) {
		if (sys->fstatat(fd, files[i].name, &st, AT_SYMLINK_NOFOLLOW) != 0)
			result = file_replace(sys, fd, files[i].name, slice_of(files[i].text), 0600,
					      FILE_DURABLE, NULL, err);
	}
	file_close(sys, &fd);
	return result;
}

int remote_open(struct remote *remote, const char *folder, const char *repository, struct err *err)
{
	const struct sys *sys = remote->sys;

	str_init(&remote->folder);
	str_init(&remote->objects);
	str_adds(&remote->folder, folder);
	str_printf(&remote->objects, "%sobjects", repository);
	remote->git.folder = remote->folder.ptr;
	remote->git.objects = remote->objects.ptr;
	str_adds(&remote->folder, "/refs/kota/x");
	file_make_folders(sys, remote->folder.ptr);
	str_truncate(&remote->folder, strlen(folder));
	remote->git.folder = remote->folder.ptr;
	if (remote_make_files(sys, folder, err) != 0) {
		remote_close(remote);
		return -1;
	}
	return 0;
}

void remote_close(struct remote *remote)
{
	str_release(&remote->folder);
	str_release(&remote->objects);
}

/* ---- talking */

/*
 * The line of what git said that gives the reason: before the advice that follows it, and what ssh
 * said before git only says that it got no further.
 */
static struct slice remote_reason(struct slice said)
{
	struct slice best = slice_last_line(said);
	struct slice before = slice_of(NULL);
	struct slice line;

	while (slice_line(&said, &line)) {
		line = blank_trim(line);
		if (slice_starts(line, "fatal: Could not read from remote") && before.ptr)
			return before;
		if (slice_starts(line, "fatal: ") || slice_starts(line, "remote: ") ||
		    slice_starts(line, "error: "))
			return line;
		if (line.len > 0)
			before = line;
	}
	return best;
}

static int remote_refuse(const struct remote *remote, const struct str *said, struct err *err)
{
	struct slice reason = remote_reason(str_slice(said));
	STR_AUTO words = STR_INIT;
	STR_AUTO url = STR_INIT;

	/* Where it names the URL again the reason comes behind that. */
	utf8_add_visible(&words,
			 reason.len < REASON_MAX ? reason : slice_make(reason.ptr, REASON_MAX),
			 false);
	return err_set(err, ERR_UNREACHABLE, "%s cannot be reached: git: %s",
		       shown(&url, slice_of(remote->url)), words.ptr);
}

/* The refs of the transport: what is here, so that it is not fetched again, and what was fetched.
 */
static int remote_open_refs(const struct remote *remote, int *fd, struct err *err)
{
	STR_AUTO path = STR_INIT;

	path_join(&path, remote->folder.ptr, REF_FOLDER);
	*fd = file_open(remote->sys, AT_FDCWD, path.ptr, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	if (*fd < 0)
		return err_set_errno(err, ERR_CANNOT_WRITE, errno, "cannot open %s", path.ptr);
	return 0;
}

/* Refs of runs that were killed: git would refuse to work beside one that leads nowhere. */
static void remote_clear_refs(const struct remote *remote, int refs)
{
	const struct sys *sys = remote->sys;
	int fd = file_open(sys, refs, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	DIR *dir = fd < 0 ? NULL : sys->fdopendir(fd);
	const struct dirent *entry;

	if (!dir) {
		file_close(sys, &fd);
		return;
	}
	while ((entry = sys->readdir(dir)) != NULL) {
		if (strcmp(entry->d_name, HAVE_NAME) != 0)
			(void)!sys->unlinkat(refs, entry->d_name, 0);
	}
	sys->closedir(dir);
}

static int remote_put_have(const struct remote *remote, int refs, const struct object_id *have,
			   struct err *err)
{
	char text[OBJECT_ID_DIGITS + 2];

	object_id_text(have, text);
	memcpy(text + OBJECT_ID_DIGITS, "\n", 2);
	return file_replace(remote->sys, refs, HAVE_NAME, slice_of(text), 0600, 0, NULL, err);
}

/* Takes what was fetched, and the ref, whose name nobody else uses. */
static int remote_take_ref(const struct remote *remote, int refs, const char *name,
			   struct object_id *out, struct err *err)
{
	STR_AUTO text = STR_INIT;
	struct file_id id;
	int result = file_read_own(remote->sys, refs, name, REF_BYTES_MAX, &text, &id, err);

	remote->sys->unlinkat(refs, name, 0);
	if (result == 0 && (!id.present || !object_id_parse(blank_trim(str_slice(&text)), out)))
		result = err_set(err, ERR_IO, "git fetched nothing and reported no error");
	return result;
}

static int remote_fetch_to(struct remote *remote, int refs, struct object_id *out, struct err *err)
{
	STR_AUTO name = STR_INIT;
	STR_AUTO spec = STR_INIT;
	STR_AUTO said = STR_INIT;
	uint32_t chance = 0;
	int status;

	/* A git whose kota was killed may still be about to write the ref that it was told. */
	(void)!remote->sys->getrandom(&chance, sizeof chance, 0);
	str_printf(&name, "at-%08lx", (unsigned long)chance);
	str_printf(&spec, "+refs/heads/%s:" REF_FOLDER "/%s", remote->branch, name.ptr);
	{
		const char *const words[] = {"fetch",
					     "--quiet",
					     "--no-tags",
					     "--no-write-fetch-head",
					     "--no-recurse-submodules",
					     "--no-auto-maintenance",
					     remote->url,
					     spec.ptr,
					     NULL};

		if (git_run(&remote->git, words, &said, &status, err) != 0)
			return -1;
	}
	if (status == 0)
		return remote_take_ref(remote, refs, name.ptr, out, err);
	if (strstr(said.ptr, "couldn't find remote ref"))
		return 0;
	return remote_refuse(remote, &said, err);
}

int remote_fetch(struct remote *remote, const struct object_id *have, struct object_id *out,
		 struct err *err)
{
	int refs = -1;
	int result;

	*out = (struct object_id){{0}};
	if (remote_open_refs(remote, &refs, err) != 0)
		return -1;
	remote_clear_refs(remote, refs);
	result = remote_put_have(remote, refs, have, err);
	if (result == 0)
		result = remote_fetch_to(remote, refs, out, err);
	file_close(remote->sys, &refs);
	return result;
}

static bool remote_was_late(const char *said)
{
	static const char *const words[] = {"[rejected]",           "cannot lock ref",
					    "failed to update ref", "stale info",
					    "incorrect old value",  "reference already exists"};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		if (strstr(said, words[i]))
			return true;
	}
	return false;
}

/*
 * The other side of a path is run here. It is not to run what the hooks and the settings of that
 * repository say, which may have come with a disk.
 */
#define RECEIVE_PACK                                                                               \
	"--receive-pack=git -c core.hooksPath=/dev/null -c core.fsmonitor=false "                  \
	"-c core.alternateRefsCommand=true -c receive.procReceiveRefs= -c receive.autogc=false "   \
	"-c receive.denyCurrentBranch=refuse receive-pack"

static bool remote_is_path(const char *url)
{
	return url[0] == '/' || strncmp(url, "file://", strlen("file://")) == 0;
}

int remote_push(struct remote *remote, const struct object_id *commit,
		const struct object_id *instead, enum pushed *out, struct err *err)
{
	char id[OBJECT_ID_DIGITS + 1];
	STR_AUTO lease = STR_INIT;
	STR_AUTO refs = STR_INIT;
	STR_AUTO said = STR_INIT;
	const char *rejected;
	int status;

	object_id_text(commit, id);
	str_printf(&refs, "%s:refs/heads/%s", id, remote->branch);
	str_adds(&lease, "--no-force-with-lease");
	if (instead) {
		object_id_text(instead, id);
		str_clear(&lease);
		str_printf(&lease, "--force-with-lease=refs/heads/%s:%s", remote->branch, id);
	}
	{
		const char *const words[] = {"push",
					     "--porcelain",
					     "--no-verify",
					     lease.ptr,
					     remote_is_path(remote->url)
						     ? RECEIVE_PACK
						     : "--receive-pack=git-receive-pack",
					     remote->url,
					     refs.ptr,
					     NULL};

		if (git_run(&remote->git, words, &said, &status, err) != 0)
			return -1;
	}
	*out = PUSHED;
	if (status == 0)
		return 0;
	*out = PUSH_LATE;
	if (remote_was_late(said.ptr))
		return 0;
	rejected = strstr(said.ptr, "[remote rejected]");
	if (rejected) {
		/* Its own words say more than that. */
		const char *words = strstr(said.ptr, "remote: ");
		STR_AUTO scratch = STR_INIT;

		words = words ? words : rejected;
		return err_set(
			err, ERR_UNREACHABLE, "the remote refuses the changes: %s",
			shown(&scratch, blank_trim(slice_make(words, strcspn(words, "\r\n")))));
	}
	return remote_refuse(remote, &said, err);
}
