/*
 * The clients that setup can configure, and their configuration files.
 */
#ifndef KOTA_CLI_SETUP_CLIENTS_H
#define KOTA_CLI_SETUP_CLIENTS_H

#include "base/sys.h"
#include "json/jsonc.h"
#include "store/location/location.h"

/* The name under which clients know the server. */
#define SETUP_NAME "memory"

enum setup_scope { SCOPE_USER, SCOPE_PROJECT, SCOPE_LOCAL, SCOPE_COUNT };

/* How a client's file lists servers. */
enum setup_form {
	FORM_COMMAND,    /* {"command": "...", "args": [...]} */
	FORM_TYPED,      /* the same with "type": "stdio" */
	FORM_LIST,       /* {"type": "local", "command": ["...", ...]} */
	FORM_TOML_TABLE, /* [mcp_servers.memory] */
};

/* How a client's file names the command of a hook. */
enum setup_hook_form {
	HOOK_WORDS,   /* {"command": "...", "args": [...]}, in seconds, with a matcher */
	HOOK_LINE,    /* {"command": "a line of the shell"}, in seconds */
	HOOK_LINE_MS, /* the same in milliseconds */
};

/* At the beginning and at the end of a session, and at each prompt. */
enum setup_event { EVENT_START, EVENT_END, EVENT_PROMPT, EVENT_COUNT };

/* Where a person's or a project's file is. */
struct setup_file {
	const char *variable; /* of the environment: a folder; NULL: none */
	const char *inside;   /* the file in that folder */
	const char *path;     /* in the home or the project; NULL: none in this scope */
};

struct setup_client {
	const char *name;
	const char *title;
	enum setup_form form;
	enum setup_hook_form hook_form;
	const char *member; /* of the file, which holds the servers */
	struct setup_file files[SCOPE_COUNT];
	bool core; /* reads all schemas at its start: gets only the core tools */
	struct setup_file hooks[SCOPE_COUNT]; /* files for hooks; without a path: none */
	const char *events[EVENT_COUNT];      /* its names for them */
	const char *own_memory; /* the setting that turns its own memory off, in the file of its
				 * hooks; NULL: it has none */
	const char *program;    /* that registers servers itself, or NULL */
	const char *approval;   /* what the person must do before a project's server is used */
};

/* All, ended by one without a name. */
extern const struct setup_client setup_clients[];

/* The name of the scope, as in options and clients: "user". */
const char *setup_scope_name(enum setup_scope scope);

/*
 * Appends the path of a file: absolute for a person's, relative for a project's. ERR_NOT_FOUND if
 * HOME is not set, or if the client has no file in this scope.
 */
int setup_path(struct str *out, const struct setup_file *files, enum setup_scope scope,
	       environment env, struct err *err);

/*
 * Appends the entry in a client's file for a server started as `program serve`, with `--tools core`
 * if core is set.
 */
void setup_add_server(struct str *out, enum setup_form form, struct slice program, bool core);

/* Appends the entry in a client's file for the hook of an event. */
void setup_add_hook(struct str *out, enum setup_hook_form form, enum setup_event event,
		    struct slice program);

/* The argument of `kota hook` for an event. */
const char *setup_event_word(enum setup_event event);

/* Appends the shell command of a hook; and reads the program from such a command. */
void setup_add_hook_line(struct str *out, enum setup_event event, struct slice program);
bool setup_hook_program(struct slice line, enum setup_event event, struct str *program);

#endif
