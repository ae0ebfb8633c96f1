/*
 * Keeping secrets out of the store: what is done when somebody gives one.
 *
 * For the operations that keep what they are given, as their tool_screen. The setting `secrets`
 * says whether a secret is refused, kept with a warning, or kept without one; in the shell
 * --allow-secret keeps it silently. No message repeats the secret.
 */
#ifndef KOTA_OPS_SECRET_CHECK_H
#define KOTA_OPS_SECRET_CHECK_H

#include "tool/tool.h"

#define SCREEN_ALLOW "allow_secret"

/* The row of --allow-secret; `struct args` has an `int allow_secret`. */
#define SCREEN_HELP "keep it although it holds a secret"
#define SCREEN_PARAM(args)                                                                         \
	{                                                                                          \
		PARAM(BOOL, args, allow_secret), .flags = PARAM_SHELL_ONLY, .help = SCREEN_HELP    \
	}

/*
 * All arguments but those that are PARAM_EXISTING. First their sizes: ERR_TOO_LARGE names the
 * argument that no entry has room for. Then what is in them: ERR_BAD_VALUE names the rule and the
 * argument.
 */
int screen_arguments(const struct tool *tool, const struct call *call, const struct json *doc,
		     uint32_t arguments, struct err *err);

/*
 * Checks a value after an addition, both JSON text: parts may only together be a secret. A secret
 * of a kind that the value had before was accepted then.
 */
int screen_combined(const struct tool *tool, const struct call *call, struct slice before,
		    struct slice after, struct err *err);

/*
 * An old text of an entry that is to be put back over the one that stands (absent: none); what is
 * the name of the entry in a sentence. A secret of a kind that is there already passes.
 */
int screen_restored(const struct tool *tool, const struct call *call, const char *what,
		    struct slice key, struct slice now, struct slice text, struct err *err);

#endif
