#include "cli/paint.h"

#include "base/utf8.h"

static const struct paint none = {"", "", "", ""};
static const struct paint colour = {"\x1b[1m", "\x1b[2m", "\x1b[33m", "\x1b[0m"};

struct paint paint_for(const struct cli *cli)
{
	const char *no_color = cli->env("NO_COLOR");
	const char *term = cli->env("TERM");

	if (!cli->out_is_terminal || (no_color && no_color[0]))
		return none;
	if (!term || !term[0] || strcmp(term, "dumb") == 0)
		return none;
	return colour;
}

void paint_add_json(struct str *out, const struct cli *cli, struct slice json)
{
	if (cli->out_is_terminal)
		utf8_add_visible_json(out, json);
	else
		str_add(out, json);
}

void paint_add(struct str *out, const struct paint *paint, const char *before, struct slice text)
{
	str_adds(out, before);
	utf8_add_visible(out, text, false);
	if (before[0])
		str_adds(out, paint->plain);
}
