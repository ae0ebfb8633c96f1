#include "cli/term/progress_bar.h"

#include "base/utf8.h"
#include "cli/term/paint.h"

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

static void bar_write(struct progress_bar *bar, const struct str *text)
{
	if (fwrite(text->ptr, 1, text->len, bar->cli->err) == text->len)
		fflush(bar->cli->err);
}

static void bar_add(struct str *out, const struct cli *cli, size_t done, size_t total)
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
static void progress_bar_compose(const struct progress_bar *bar, const char *what, size_t done,
				 size_t total, struct str *out)
{
	STR_AUTO line = STR_INIT;
	int columns = bar->cli->columns - 1; /* in the last one some terminals go on */

	if (bar->command)
		str_printf(&line, "%s: ", bar->command);
	utf8_add_visible(&line, slice_of(what), false);
	if (total == 0 && done > 0)
		str_printf(&line, "  %zu", done);
	if (total > 0 && utf8_columns(str_slice(&line)) + 2 + BAR_COLUMNS + SHARE_COLUMNS <=
				 (size_t)(columns > 0 ? columns : 0))
		bar_add(&line, bar->cli, done, total);
	if (total > 0)
		str_printf(&line, "  %zu %%", done >= total ? 100 : done * 100 / total);
	str_adds(out, CLEAR);
	paint_add_fitted(out, str_slice(&line), columns);
}

static void progress_bar_step(void *context, const char *what, size_t done, size_t total)
{
	struct progress_bar *bar = context;
	int64_t now_ms = bar->cli->sys->now_ms();
	STR_AUTO text = STR_INIT;

	if (now_ms - bar->begun_ms < PATIENCE_MS ||
	    (bar->shown && now_ms - bar->drawn_ms < PAUSE_MS))
		return;
	progress_bar_compose(bar, what, done, total, &text);
	bar_write(bar, &text);
	bar->drawn_ms = now_ms;
	bar->shown = true;
}

void progress_bar_begin(struct progress_bar *bar, struct cli *cli, const char *command)
{
	const char *term = cli->env("TERM");

	*bar = (struct progress_bar){
		.progress = {progress_bar_step, bar},
		.cli = cli,
		.command = command,
		/* On a terminal that can take a line back. */
		.watched = cli->err_is_terminal && term && term[0] && strcmp(term, "dumb") != 0,
	};
	if (bar->watched)
		bar->begun_ms = cli->sys->now_ms();
}

const struct progress *progress_bar_watcher(const struct progress_bar *bar)
{
	return bar->watched ? &bar->progress : NULL;
}

void progress_bar_end(struct progress_bar *bar)
{
	STR_AUTO text = STR_INIT;

	str_adds(&text, CLEAR);
	if (bar->shown)
		bar_write(bar, &text);
	bar->shown = false;
}
