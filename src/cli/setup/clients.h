/*
 * The clients that can be told of the server, and where each keeps that.
 */
#ifndef KOTA_CLI_SETUP_CLIENTS_H
#define KOTA_CLI_SETUP_CLIENTS_H

#include "base/sys.h"
#include "json/jsonc.h"
#include "store/location/location.h"

/* The name under which clients know the server. */
#define SETUP_NAME "memory"

enum setup_scope { SCOPE_USER, SCOPE_PROJECT, SCOPE_LOCAL, SCOPE_COUNT };

/* How a client's file says which servers there are. */
enum setup_form {
	FORM_COMMAND,    /* {"command": "...", "args": [...]} */
	FORM_TYPED,      /* the same with "type": "stdio" */
	FORM_LIST,       /* {"type": "local", "command": ["...", ...]} */
	FORM_TOML_TABLE, /* [mcp_servers.memory] */
};

/* How a client's file says what a hook starts. */
enum setup_hook_form {
	HOOK_WORDS,   /* {"command": "...", "args": [...]}, in seconds, with a matcher */
	HOOK_LINE,    /* {"command": "a line of the shell"}, in seconds */
	HOOK_LINE_MS, /* the same in milliseconds */
};

/* At the beginning of a session, and at each prompt. */
enum setup_event { EVENT_START, EVENT_PROMPT };

/* Where a person's or a project's file is. */
struct setup_file {
	const char *variable; /* of the environment: a folder; NULL: none */
	const char *inside;   /* the file in that folder */
	const char *path;     /* in the home, or of a project; NULL: not there in this scope */
};

struct setup_client {
	const char *name;
	const char *title;
	enum setup_form form;
	enum setup_hook_form hook_form;
	const char *member; /* of the file, that holds the servers */
	struct setup_file files[SCOPE_COUNT];
	bool core; /* reads all schemas at its start: is offered the core tools alone */
	struct setup_file hooks[SCOPE_COUNT]; /* files that hold hooks; without a path: none */
	const char *events[2];                /* what it calls each enum setup_event */
	const char *program;                  /* that registers servers itself, or NULL */
	const char *approval; /* what a person has to do before a project's server is used */
};

/* All, ended by one without a name. */
extern const struct setup_client setup_clients[];

/* The client of this name, or NULL. */
const struct setup_client *setup_client_find(const char *name);

/* The scope as an option and as the clients say it: "user". */
const char *setup_scope_name(enum setup_scope scope);

/*
 * Appends the path of a file: absolute for a person's, as it is for a project's. -1 when the
 * environment names no home, or the client has no file in this scope (NOT_FOUND).
 */
int setup_path(struct str *out, const struct setup_file *files, enum setup_scope scope,
	       environment env, struct err *err);

/*
 * Appends what a client's file says of the server that is started as `program serve`, with
 * `--tools core` where core is set.
 */
void setup_add_server(struct str *out, enum setup_form form, struct slice program, bool core);

/* Appends the hook that tells at an event what is stored. */
void setup_add_hook(struct str *out, enum setup_hook_form form, enum setup_event event,
		    struct slice program);

/* The word behind `kota hook` for an event. */
const char *setup_event_word(enum setup_event event);

/* Appends the line of the shell that starts a hook; and takes the program out of such a line. */
void setup_add_hook_line(struct str *out, enum setup_event event, struct slice program);
bool setup_hook_program(struct slice line, enum setup_event event, struct str *program);

#endif
