/* What doctor says of the program itself and of what is around it. */
#include "cli/doctor/check.h"

#include "json/tree.h"
#include "base/landlock.h"
#include "base/version.h"
#include "git/repo.h"
#include "text/approx.h"
#include "text/normalize.h"

#include <errno.h>
#include <strings.h>

static void tell_libraries(struct findings *found)
{
	STR_AUTO git = STR_INIT;
	struct err err;

	if (repo_library(&git, &err) != 0)
		str_adds(&git, "missing");
	findings_detail(found, GROUP_PROGRAM, "libraries", "libgit2 %s, cJSON %s, utf8proc %s, %s",
			git.ptr, json_tree_library(), normalize_library(), approx_library());
}

/* The locale that texts on the terminal are written in, as the C library would choose it. */
static const char *locale_name(const struct cli *cli)
{
	static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
		const char *value = cli->env(variables[i]);

		if (value && value[0])
			return value;
	}
	return "C";
}

/* The plain locale says nothing about the terminal. */
static bool is_other_encoding(const char *name)
{
	const char *dot = strchr(name, '.');

	return dot && strncasecmp(dot, ".utf-8", 6) != 0 && strncasecmp(dot, ".utf8", 5) != 0;
}

static void tell_terminal(struct cli *cli, struct findings *found)
{
	const char *name = locale_name(cli);

	if (!cli->out_is_terminal)
		findings_detail(found, GROUP_PROGRAM, "terminal", "none, locale %s", name);
	else
		findings_detail(found, GROUP_PROGRAM, "terminal", "%d columns, %s, locale %s",
				cli->columns, paint_for(cli).plain[0] ? "colours" : "no colours",
				name);
	if (is_other_encoding(name))
		findings_add(found, FINDING_TERMINAL, NULL,
			     "the locale %s uses another encoding than UTF-8", name);
}

static const char *why_not_confined(int number)
{
	switch (number) {
	case 0:
		return "landlock of this kernel is too old: it forbids renaming between folders";
	case EOPNOTSUPP:
		return "landlock is switched off in this kernel";
	case ENOSYS:
		return "this kernel has no landlock";
	default:
		return "landlock is forbidden here, as containers may do";
	}
}

/* What the server and the hooks do when they begin; doctor itself does not. */
static void tell_confinement(const struct cli *cli, struct findings *found)
{
	int number;
	int abi = landlock_abi(cli->sys, &number);

	if (abi >= LANDLOCK_ABI_MIN)
		findings_detail(found, GROUP_PROGRAM, "confined",
				"the server and the hooks, by landlock %d", abi);
	else
		findings_add(found, FINDING_NOT_CONFINED, NULL,
			     "the server and the hooks are not confined to their files: %s",
			     why_not_confined(number));
}

void checkup_program(struct cli *cli, struct findings *found)
{
	findings_fact(found, GROUP_PROGRAM, "version", "kota %s, store format %d", version_text(),
		      STORE_FORMAT);
	tell_libraries(found);
	if (cli->protocols)
		findings_detail(found, GROUP_PROGRAM, "protocol", "%s", cli->protocols);
	tell_terminal(cli, found);
	tell_confinement(cli, found);
}
