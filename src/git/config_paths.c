#include "git/config_paths.h"

#include "base/str.h"

#include <ctype.h>
#include <strings.h>

#define BOM "\xef\xbb\xbf"

/* What kind of section the reader is in. */
enum section { SECTION_OTHER, SECTION_INCLUDE, SECTION_CORE };

struct reader {
	struct slice rest;
	enum section section;
};

static int peek(const struct reader *r)
{
	return r->rest.len > 0 ? (unsigned char)r->rest.ptr[0] : -1;
}

static int take(struct reader *r)
{
	int c = peek(r);

	if (c >= 0)
		r->rest = slice_make(r->rest.ptr + 1, r->rest.len - 1);
	return c;
}

static void skip_line(struct reader *r)
{
	while (peek(r) >= 0 && take(r) != '\n')
		continue;
}

static void skip_blanks(struct reader *r)
{
	while (peek(r) == ' ' || peek(r) == '\t' || peek(r) == '\r')
		take(r);
}

static bool is_name_byte(int c)
{
	return isalnum(c) || c == '-' || c == '.';
}

static void read_name(struct reader *r, struct str *out)
{
	while (peek(r) >= 0 && is_name_byte(peek(r)))
		str_addc(out, (char)take(r));
	str_adds(out, "");
}

/* Both `[includeIf "condition"]` and the old `[includeIf.condition]`. */
static enum section section_of(const char *name)
{
	if (strncasecmp(name, "include", 7) == 0)
		return SECTION_INCLUDE;
	return strcasecmp(name, "core") == 0 ? SECTION_CORE : SECTION_OTHER;
}

/* `[name]` or `[name "what"]`; the rest of the line may go on with a variable. */
static int read_header(struct reader *r)
{
	STR_AUTO name = STR_INIT;

	take(r);
	skip_blanks(r);
	read_name(r, &name);
	skip_blanks(r);
	if (peek(r) == '"') {
		take(r);
		while (peek(r) != '"') {
			if (peek(r) == '\\')
				take(r);
			if (peek(r) < 0 || take(r) == '\n')
				return -1;
		}
		take(r);
		skip_blanks(r);
	}
	if (name.len == 0 || take(r) != ']')
		return -1;
	r->section = section_of(name.ptr);
	return 0;
}

/* What stands behind a backslash. */
static int read_escape(struct reader *r, struct str *out)
{
	static const char from[] = "ntb\"\\";
	static const char to[] = "\n\t\b\"\\";
	int c = take(r);
	const char *found = c > 0 ? strchr(from, c) : NULL;

	/* The value goes on in the next line. */
	if (c == '\r' && peek(r) == '\n')
		c = take(r);
	if (c == '\n' || c < 0)
		return 0;
	if (!found)
		return -1;
	str_addc(out, to[found - from]);
	return 0;
}

/* Behind the equals sign, up to and with the end of the line. */
static int read_value(struct reader *r, struct str *out)
{
	bool quoted = false;
	size_t end = 0; /* of what is no blank at the end */

	skip_blanks(r);
	for (int c = take(r); c >= 0 && (c != '\n' || quoted); c = take(r)) {
		if (c == '\n')
			return -1;
		if (!quoted && (c == '#' || c == ';')) {
			skip_line(r);
			break;
		}
		if (c == '"')
			quoted = !quoted;
		else if (c == '\\' && read_escape(r, out) != 0)
			return -1;
		else if (c != '\\')
			str_addc(out, (char)c);
		if (quoted || !isspace(c))
			end = out->len;
	}
	str_adds(out, "");
	str_truncate(out, end);
	return quoted ? -1 : 0;
}

static bool wanted(enum section section, const char *name, enum config_path *what)
{
	static const struct {
		const char *name;
		enum section section;
		enum config_path what;
	} paths[] = {
		{"path", SECTION_INCLUDE, CONFIG_INCLUDE},
		{"excludesfile", SECTION_CORE, CONFIG_PATTERNS},
		{"attributesfile", SECTION_CORE, CONFIG_PATTERNS},
		{"worktree", SECTION_CORE, CONFIG_WORK_TREE},
	};

	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		if (section == paths[i].section && strcasecmp(name, paths[i].name) == 0) {
			*what = paths[i].what;
			return true;
		}
	}
	return false;
}

static int read_variable(struct reader *r, config_visitor visit, void *context)
{
	STR_AUTO name = STR_INIT;
	STR_AUTO value = STR_INIT;
	enum config_path what;

	read_name(r, &name);
	skip_blanks(r);
	if (name.len == 0)
		return -1;
	/* One without a value is true. */
	if (peek(r) != '=') {
		if (peek(r) >= 0 && peek(r) != '\n' && peek(r) != '#' && peek(r) != ';')
			return -1;
		skip_line(r);
		return 0;
	}
	take(r);
	if (read_value(r, &value) != 0)
		return -1;
	return value.len > 0 && wanted(r->section, name.ptr, &what)
		       ? visit(context, what, value.ptr)
		       : 0;
}

int config_paths(struct slice text, config_visitor visit, void *context)
{
	struct reader r = {text, SECTION_OTHER};
	int result = 0;

	if (text.len >= strlen(BOM) && memcmp(text.ptr, BOM, strlen(BOM)) == 0)
		r.rest = slice_make(text.ptr + strlen(BOM), text.len - strlen(BOM));
	if (text.len > 0 && memchr(text.ptr, '\0', text.len))
		return -1;
	while (result == 0 && peek(&r) >= 0) {
		if (isspace(peek(&r)))
			take(&r);
		else if (peek(&r) == '#' || peek(&r) == ';')
			skip_line(&r);
		else
			result = peek(&r) == '[' ? read_header(&r)
						 : read_variable(&r, visit, context);
	}
	return result;
}
