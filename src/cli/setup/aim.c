/* What of a client is to be where. */
#include "cli/setup/target.h"

#include <fcntl.h>
#include <limits.h>

int setup_self(struct str *out, const struct sys *sys, struct err *err)
{
	char path[PATH_MAX];
	ssize_t len = sys->readlinkat(AT_FDCWD, "/proc/self/exe", path, sizeof path);

	if (len <= 0 || (size_t)len == sizeof path)
		return err_set(err, ERR_IO, "cannot tell where this program is");
	str_add(out, slice_make(path, (size_t)len));
	return 0;
}

struct aim {
	const struct setup_client *client;
	enum setup_scope scope;
	const struct cli *cli;
	struct slice program;
};

static int aim_at(struct setup_target *target, const struct aim *aim,
		  const struct setup_file *files, struct err *err)
{
	target->form = target->hook ? FORM_COMMAND : aim->client->form;
	target->mode = aim->scope == SCOPE_PROJECT ? 0666 : 0600;
	if (setup_path(&target->path, files, aim->scope, aim->cli->env, err) != 0)
		return -1;
	return setup_target_look(target, aim->cli->sys, aim->program, err);
}

int setup_aim_server(struct setup_target *target, const struct setup_client *client,
		     enum setup_scope scope, const struct cli *cli, struct slice program,
		     struct err *err)
{
	const struct aim aim = {client, scope, cli, program};
	const char **name = target->names;

	target->what = "server";
	setup_add_server(&target->value, client->form, program);
	if (scope == SCOPE_LOCAL) {
		if (setup_project(&target->project, cli->sys, err) != 0)
			return -1;
		*name++ = "projects";
		*name++ = target->project.ptr;
	}
	*name++ = client->member;
	*name = SETUP_NAME;
	return aim_at(target, &aim, client->files, err);
}

int setup_aim_hook(struct setup_target *target, const struct setup_client *client,
		   enum setup_scope scope, const struct cli *cli, struct slice program,
		   struct err *err)
{
	const struct aim aim = {client, scope, cli, program};

	target->what = "hook";
	target->hook = true;
	target->names[0] = "hooks";
	target->names[1] = "SessionStart";
	setup_add_hook(&target->value, program);
	return aim_at(target, &aim, client->hooks, err);
}
