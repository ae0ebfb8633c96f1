#include "cli/progress_bar.h"

#include "base/utf8.h"
#include "cli/paint.h"

#include <inttypes.h>

/* What is done sooner is not worth a word. */
#define PATIENCE_MS 1000

/* Between two drawings. */
#define PAUSE_MS 100

#define BAR_COLUMNS 20

/* Columns of "  100 %". */
#define SHARE_COLUMNS 7

/* Back to the beginning of the line, and clear it. */
#define CLEAR "\r\x1b[K"

static void write_out(struct meter *meter, const struct str *text)
{
	if (fwrite(text->ptr, 1, text->len, meter->cli->err) == text->len)
		fflush(meter->cli->err);
}

static void add_bar(struct str *out, const struct cli *cli, size_t done, size_t total)
{
	bool drawn = paint_draws(cli);
	size_t full = done >= total ? BAR_COLUMNS : BAR_COLUMNS * done / total;

	str_adds(out, "  ");
	for (size_t i = 0; i < BAR_COLUMNS; i++)
		str_adds(out, i < full ? drawn ? "\xe2\x96\x88" : "#"
			      : drawn  ? "\xe2\x96\x91"
				       : ".");
}

/* "maintain: comparing  ████░░░░  42 %", as much of it as fits. */
static void compose(const struct meter *meter, const char *what, size_t done, size_t total,
		    struct str *out)
{
	STR_AUTO line = STR_INIT;
	int columns = meter->cli->columns - 1; /* in the last one some terminals go on */

	if (meter->command)
		str_printf(&line, "%s: ", meter->command);
	utf8_add_visible(&line, slice_of(what), false);
	if (total == 0 && done > 0)
		str_printf(&line, "  %zu", done);
	if (total > 0 && utf8_columns(str_slice(&line)) + 2 + BAR_COLUMNS + SHARE_COLUMNS <=
				 (size_t)(columns > 0 ? columns : 0))
		add_bar(&line, meter->cli, done, total);
	if (total > 0)
		str_printf(&line, "  %zu %%", done >= total ? 100 : done * 100 / total);
	str_adds(out, CLEAR);
	paint_add_fitted(out, str_slice(&line), columns);
}

static void step(void *context, const char *what, size_t done, size_t total)
{
	struct meter *meter = context;
	int64_t now_ms = meter->cli->sys->now_ms();
	STR_AUTO text = STR_INIT;

	if (now_ms - meter->begun_ms < PATIENCE_MS ||
	    (meter->shown && now_ms - meter->drawn_ms < PAUSE_MS))
		return;
	compose(meter, what, done, total, &text);
	write_out(meter, &text);
	meter->drawn_ms = now_ms;
	meter->shown = true;
}

/* A terminal that can take a line back. */
static bool is_watched(const struct cli *cli)
{
	const char *term = cli->env("TERM");

	return cli->err_is_terminal && term && term[0] && strcmp(term, "dumb") != 0;
}

void meter_begin(struct meter *meter, struct cli *cli, const char *command)
{
	*meter = (struct meter){
		.progress = {step, meter},
		.cli = cli,
		.command = command,
		.watched = is_watched(cli),
	};
	if (meter->watched)
		meter->begun_ms = cli->sys->now_ms();
}

const struct progress *meter_watcher(const struct meter *meter)
{
	return meter->watched ? &meter->progress : NULL;
}

void meter_end(struct meter *meter)
{
	STR_AUTO text = STR_INIT;

	str_adds(&text, CLEAR);
	if (meter->shown)
		write_out(meter, &text);
	meter->shown = false;
}
