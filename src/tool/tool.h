/*
 * Declaring an operation once.
 *
 * A `struct tool` says everything about an operation: its names, its summary, its parameters with
 * types, ranges, defaults and help, its annotations and its handler. From these rows come the MCP
 * tool list and argument checks, the commands of the shell with --help, and the reference page.
 * A handler sees a typed struct filled from the parameters, never JSON or argv, and answers by
 * writing one JSON object.
 *
 * This folder is the mechanism: it knows JSON and errors, and nothing about memories. The store is
 * passed through as an opaque pointer.
 */
#ifndef KOTA_TOOL_TOOL_H
#define KOTA_TOOL_TOOL_H

#include "base/arena.h"
#include "base/err.h"
#include "json/doc.h"
#include "json/write.h"

#include <stddef.h>
#include <stdio.h>

struct store;

/* PARAM() refuses a member of another C type than the one that stands behind each. */
enum param_type {
	PARAM_TEXT,   /* struct slice: decoded text; ptr NULL when not given */
	PARAM_TEXTS,  /* struct arg_texts: a list of texts */
	PARAM_CHOICE, /* int: index into choices, -1 when not given */
	PARAM_BOOL,   /* int: 0, 1, -1 when not given */
	PARAM_INT,    /* int64_t with ARG_NONE when not given */
	PARAM_NUMBER, /* struct arg_json: a number with its exact text */
	PARAM_OBJECT, /* struct arg_json: an object */
	PARAM_JSON    /* struct arg_json: any JSON value */
};

struct arg_texts {
	const struct slice *items;
	size_t count;
	bool given;
};

/* doc NULL when not given; the document lives as long as the call. */
struct arg_json {
	const struct json *doc;
	uint32_t node;
};

/* An integer that was not given. */
#define ARG_NONE INT64_MIN

enum param_flags {
	PARAM_REQUIRED = 1,
	PARAM_NOT_BLANK = 2,   /* text, or each of the texts: must have more than white space */
	PARAM_POSITIONAL = 4,  /* the shell takes it without its name, in the order of the rows */
	PARAM_SHELL_ONLY = 8,  /* not offered to MCP clients */
	PARAM_EXISTING = 16,   /* names what is there already; is not kept */
	PARAM_UNLISTED = 32,   /* taken, but in no schema: whoever sends it is told why not */
	PARAM_OPEN_RANGE = 64, /* the range is no part of the schema, where every byte counts */
	PARAM_PLAIN = 128,     /* nor is the help: to a model the name says it */
	PARAM_LABELS = 256,    /* texts without commas: the shell takes several in one word */
	PARAM_FILE = 512,      /* text: names a file; "-" is call->in, which the handler reads */
	PARAM_EXTRA = 1024     /* in no schema for clients that are offered the core alone */
};

struct param {
	const char *name;
	enum param_type type;
	unsigned int flags;
	size_t offset; /* of the field in the arguments' struct */
	/* "the text to keep"; goes into the schema, so every byte counts. NULL where the name says
	   it all, but not with PARAM_REQUIRED or PARAM_NOT_BLANK. */
	const char *help;
	const char *const *choices; /* PARAM_CHOICE, PARAM_TEXTS: ended by NULL */
	double min;                 /* PARAM_INT, PARAM_NUMBER; both 0: no range */
	double max;
	const char *fallback; /* default as JSON text, NULL for none: stands in when not given */
	size_t max_bytes;     /* PARAM_TEXT: longest, 0: no bound of its own */
};

/* The C type of the member in the arguments' struct for each type of parameter. */
#define PARAM_C_TEXT struct slice
#define PARAM_C_TEXTS struct arg_texts
#define PARAM_C_CHOICE int
#define PARAM_C_BOOL int
#define PARAM_C_INT int64_t
#define PARAM_C_NUMBER struct arg_json
#define PARAM_C_OBJECT struct arg_json
#define PARAM_C_JSON struct arg_json

/* 0; does not compile unless the member has this C type. */
#define PARAM_CHECK(c_type, args, member)                                                          \
	(0 * sizeof(struct {                                                                       \
		 _Static_assert(_Generic(&((struct args *)0)->member, __typeof__(c_type) * : 1,    \
					 default : 0),                                             \
				"the type of the parameter does not fit its member");              \
		 int unused;                                                                       \
	 }))

/*
 * How a row of parameters begins: name, type and place of a member of `struct args`.
 *
 *	{PARAM(TEXT, set_args, key), .flags = PARAM_REQUIRED, .help = "a short name"},
 *
 * The binder copies a value of the declared type to the offset, so that a row whose type and member
 * disagree would write over the members behind it: such a row does not compile.
 */
#define PARAM(kind, args, member) PARAM_AS(#member, kind, args, member)

/* The same of a parameter that is not called what the member is. */
#define PARAM_AS(text, kind, args, member)                                                         \
	.name = (text), .type = PARAM_##kind,                                                      \
	.offset = offsetof(struct args, member) + PARAM_CHECK(PARAM_C_##kind, args, member)

enum tool_flags {
	TOOL_READ_ONLY = 1,
	TOOL_DESTRUCTIVE = 2,
	TOOL_IDEMPOTENT = 4,
	TOOL_ALWAYS_LOAD = 8,   /* clients keep its schema at hand */
	TOOL_SHELL_ONLY = 16,   /* not offered to MCP clients */
	TOOL_LARGE_RESULT = 32, /* the reply may be long: clients are told not to cut it */
	TOOL_JOINS = 64 /* its change may wait for others; it looks at nothing but the view */
};

/* All that a handler may know of the call. */
struct call {
	struct store *store;
	int64_t now_ms;     /* the clock, read once per request */
	const char *tool;   /* name of the tool */
	const char *client; /* who calls, for the history; NULL when unknown; likewise below */
	const char *client_version;
	const char *session;
	bool shell;        /* the person at the shell: may give what is PARAM_SHELL_ONLY */
	FILE *in;          /* standard input; NULL where there is no person at a shell */
	struct str *hints; /* lines for that person, told after the reply; NULL likewise */
	const struct progress *progress; /* of who waits; NULL where nobody watches */
	struct arena *arena;             /* freed after the reply was sent */
	struct str *warning; /* tool_run's: a sentence that the reply should carry, or empty */
};

/*
 * Writes the reply, one JSON object, to w (opened and closed by the handler), or fails with a
 * sentence. What was written before a failure is thrown away. args points to the tool's own struct.
 */
typedef int (*tool_handler)(const struct call *call, const void *args, struct json_writer *w,
			    struct err *err);

struct tool;

/*
 * Looks at the arguments as they came, before anything is said of them or done with them: what is
 * refused here is repeated by no other sentence. May set *call->warning.
 */
typedef int (*tool_screen)(const struct tool *tool, const struct call *call, const struct json *doc,
			   uint32_t arguments, struct err *err);

struct tool {
	const char *name;    /* "memory_set"; of a shell-only tool its command */
	const char *command; /* "set" */
	const char *title;   /* "Store a memory" */
	const char *section; /* what the shell's help lists it under */
	const char *summary; /* what it does, for a model and for --help; one or two sentences */
	const struct param *params;
	size_t param_count;
	size_t args_size;
	unsigned int flags;
	/* JSON text of the schema of the reply, NULL where it has no fixed form. Root is an object.
	 */
	const char *output_schema;
	tool_screen screen; /* NULL: none */
	tool_handler run;
};

/* The members of a tool that takes these parameters: the array of rows, `struct args`. */
#define TOOL_TAKES(rows, args)                                                                     \
	.params = (rows), .param_count = sizeof(rows) / sizeof *(rows),                            \
	.args_size = sizeof(struct args)

/* The tool of this name in a list ended by NULL, or NULL. */
const struct tool *tool_find(const struct tool *const *tools, struct slice name);

/* The tool of this shell command in a list ended by NULL, or NULL. */
const struct tool *tool_find_command(const struct tool *const *tools, struct slice command);

/*
 * Appends the input schema of a tool: one JSON object in the dialect that all clients accept; few
 * leaves out what is PARAM_EXTRA, which is taken all the same.
 */
void tool_write_schema(const struct tool *tool, bool few, struct json_writer *w);

/* Appends the tool's element of tools/list: name, title, description, schemas, annotations. */
void tool_write_definition(const struct tool *tool, bool few, struct json_writer *w);

/*
 * Fills args (tool->args_size bytes, cleared by the caller) from a JSON object; arguments may be
 * JSON_NONE-d by passing doc NULL for "no arguments". Checks unknown names, types, ranges,
 * choices, blanks; the error names the parameter and what would be right. Where a list, object,
 * number or boolean is expected, a text that parses as one is taken as that (models often send
 * them quoted), and any other text in the place of a list as a list of one. What is
 * PARAM_SHELL_ONLY is unknown unless shell is true. Texts live in the arena or the document.
 */
int tool_bind_json(const struct tool *tool, bool shell, const struct json *doc, uint32_t arguments,
		   void *args, struct arena *arena, struct err *err);

/*
 * Runs a tool on a JSON object of arguments and appends the reply's JSON text (compact) to *out.
 * On failure *out is as it was.
 */
int tool_run(const struct tool *tool, const struct call *call, const struct json *doc,
	     uint32_t arguments, struct str *out, struct err *err);

#endif
