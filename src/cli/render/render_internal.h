/*
 * What the renderers of replies share. For render.c and its siblings only.
 */
#ifndef KOTA_CLI_RENDER_RENDER_INTERNAL_H
#define KOTA_CLI_RENDER_RENDER_INTERNAL_H

#include "cli/term/paint.h"
#include "cli/render/render.h"

/* A reply on its way to a person. */
struct view {
	const struct cli *cli;
	struct paint paint;
	const char *verb; /* of the command's row */
	const struct json *reply;
	int64_t now_ms;
	struct str *out;
	struct str *notes;
};

typedef void (*renderer)(const struct view *view);

#define DOT " \xc2\xb7 "

/* The member of the reply's object, or JSON_NONE. */
uint32_t view_member(const struct view *view, const char *name);

/* The text of a member; absent when there is none or it is no text. Valid until scratch changes. */
struct slice view_text(const struct view *view, const char *name, struct str *scratch);

/* A member of an object as text: decoded where it is text, else its JSON; empty when there is none.
 */
struct slice view_text_of(const struct view *view, uint32_t object, const char *name,
			  struct str *scratch);

/* A whole number in an object; 0 when it has none. */
int64_t view_number_of(const struct view *view, uint32_t object, const char *name);

/* The first element of a list in an object, or JSON_NONE. */
uint32_t view_first_of(const struct view *view, uint32_t object, const char *name);

/* Is the member there, and true? */
bool view_is_true(const struct view *view, const char *name);

/* Append a text member, a list of texts in one line, how old a time is, a value as JSON. */
void view_add_text(struct str *out, const struct view *view, const char *name);
void view_add_list(struct str *out, const struct view *view, const char *name);
void view_add_age(struct str *out, const struct view *view, const char *name);
void view_add_json(struct str *out, const struct view *view, uint32_t node);

/*
 * Appends a text member of an element, made visible, with something before it; false, and nothing
 * is appended, when there is none.
 */
bool view_add_part(struct str *out, const struct view *view, uint32_t element, const char *before,
		   const char *name);

/* "VERB TEXT" for each of a list, a line each; returns how many there were. */
size_t view_add_each(const struct view *view, const char *name, const char *verb);

/* The history: log; diff and show; blame. */
void render_log(const struct view *view);
void render_diff(const struct view *view);
void render_blame(const struct view *view);

/* What needs care. */
void render_health(const struct view *view);

/* Ranked search. */
void render_search(const struct view *view);

/* The life of a memory: gc, promote, analyze; what a session begins with. */
void render_gc(const struct view *view);
void render_message(const struct view *view);
void render_promote(const struct view *view);
void render_analyze(const struct view *view);
void render_prime(const struct view *view);

/* What becomes one, or could. */
void render_merge(const struct view *view);
void render_optimize(const struct view *view);
void render_consolidate(const struct view *view);

/* What looking after a store has done. */
void render_maintain(const struct view *view);
void render_compact(const struct view *view);
void render_export(const struct view *view);
void render_import(const struct view *view);
void render_migrate(const struct view *view);

/* How full the store is. */
void render_stats(const struct view *view);

#endif
