#include "cli/render/render.h"

#include "base/utf8.h"
#include "cli/render/render_internal.h"
#include "cli/term/table.h"
#include "json/write.h"

#include <inttypes.h>
#include <limits.h>

/* So many of what an import leaves are named one by one. */
#define LEFT_NAMED 20

void render_table(const struct view *view, uint32_t first, const struct column *columns,
		  size_t count)
{
	int width = view->cli->out_is_terminal ? view->cli->columns : INT_MAX;
	struct table table = {.columns = count, .flexible = count - 1};

	for (size_t c = 0; c < count; c++)
		table_add(&table, slice_of(columns[c].heading));
	for (uint32_t n = first; n != JSON_NONE; n = json_next(view->reply, n)) {
		for (size_t c = 0; c < count; c++) {
			STR_AUTO cell = STR_INIT;

			template_add(&cell, view, n, columns[c].cell);
			table_add(&table, str_slice(&cell));
		}
	}
	table_print(&table, width, &view->paint, view->out);
	table_release(&table);
}

static void render_json(const struct view *view, uint32_t node)
{
	STR_AUTO text = STR_INIT;
	struct json_writer w = json_writer_to(&text, &json_pretty);

	json_write_value(&w, view->reply, node);
	paint_add_json(view->out, view->cli, str_slice(&text));
	str_addc(view->out, '\n');
}

#define ARCHIVED "archived {archivedAt:age}[ ({reason})]"

/* The value for whoever asked, and for a person what is known of it. */
static void render_get(const struct view *view)
{
	STR_AUTO scratch = STR_INIT;
	uint32_t node = json_member(view->reply, JSON_ROOT, "value");

	/* No node is the root: a reply without a value is shown as it is. */
	if (node == JSON_NONE || json_type(view->reply, node) != JSON_STRING) {
		render_json(view, node);
	} else {
		if (view->cli->out_is_terminal)
			utf8_add_visible(view->out, json_string(view->reply, node, &scratch), true);
		else
			str_add(view->out, json_string(view->reply, node, &scratch));
		str_addc(view->out, '\n');
	}
	if (!view->cli->out_is_terminal) {
		template_add(view->notes, view, JSON_ROOT,
			     "{?archived:{category}:{key} is " ARCHIVED "\n}"
			     "{?restored:{category}:{key} was " ARCHIVED
			     ", and is active again\n}");
		return;
	}
	str_adds(view->out, view->paint.faint);
	template_add(view->out, view, JSON_ROOT,
		     "{category}:{key}" DOT "{?match:{match}|exact}[ {confidence}][" DOT
		     "updated {last_updated:age}]{?archived:" DOT ARCHIVED "}{?restored:" DOT
		     "was " ARCHIVED ", active again}{?also:" DOT
		     "as near:{*also: {ref}[ ({differs})]}}");
	str_printf(view->out, "%s\n", view->paint.plain);
}

/* What stands before the first such byte, or, from the end, before the last; *rest gets the rest.
 */
static struct slice render_split(struct slice text, char byte, bool from_end, struct slice *rest)
{
	const char *at = from_end ? memrchr(text.ptr, byte, text.len)
				  : memchr(text.ptr, byte, text.len);
	size_t len = at ? (size_t)(at - text.ptr) : text.len;

	*rest = at ? slice_make(at + 1, text.len - len - 1) : slice_make(text.ptr + text.len, 0);
	return slice_make(text.ptr, len);
}

/* Refs in lines for programs; for people category, key and, of records, since when. */
static void render_refs(const struct view *view, size_t columns, const char *when_empty)
{
	static const char *const headings[] = {"CATEGORY", "KEY", "ARCHIVED"};
	uint32_t first = view_first_of(view, JSON_ROOT, "refs");
	struct table table = {.columns = columns, .flexible = 1};

	for (size_t c = 0; c < columns && c < sizeof headings / sizeof *headings; c++)
		table_add(&table, slice_of(headings[c]));
	for (uint32_t n = first; n != JSON_NONE; n = json_next(view->reply, n)) {
		STR_AUTO scratch = STR_INIT;
		struct slice ref = json_string(view->reply, n, &scratch);
		struct slice key;

		if (!view->cli->out_is_terminal) {
			utf8_add_visible(view->out, ref, false);
			str_addc(view->out, '\n');
			continue;
		}
		table_add(&table, render_split(ref.ptr ? ref : slice_of(""), ':', false, &key));
		if (columns > 2)
			table_add(&table, render_split(key, '@', true, &key));
		table_add(&table, key);
	}
	if (view->cli->out_is_terminal && first != JSON_NONE)
		table_print(&table, view->cli->columns, &view->paint, view->out);
	else if (view->cli->out_is_terminal)
		str_adds(view->notes, when_empty);
	table_release(&table);
}

static void render_list(const struct view *view)
{
	render_refs(view, 2, "nothing is stored here yet\n");
}

static void render_records(const struct view *view)
{
	render_refs(view, 3, "nothing is archived\n");
}

/* A table for people; for programs so many of its first columns in lines. */
static void render_listing(const struct view *view, uint32_t first, const struct column *columns,
			   size_t count, size_t refs)
{
	if (view->cli->out_is_terminal && first != JSON_NONE)
		render_table(view, first, columns, count);
	for (uint32_t n = first; !view->cli->out_is_terminal && n != JSON_NONE;
	     n = json_next(view->reply, n)) {
		for (size_t c = 0; c < refs; c++) {
			template_add(view->out, view, n, columns[c].cell);
			str_addc(view->out, c + 1 < refs ? '\t' : '\n');
		}
	}
}

static void render_search(const struct view *view)
{
	static const struct column ranked[] = {
		{"REF", "{ref}"}, {"FITS", "{relevance}"}, {"VALUE", "{value}"}};
	static const struct column listed[] = {{"REF", "{ref}"}, {"VALUE", "{value}"}};
	uint32_t first = view_first_of(view, JSON_ROOT, "results");
	uint32_t pagination = json_member(view->reply, JSON_ROOT, "pagination");
	int64_t page = 0;
	int64_t pages = 0;

	if (first != JSON_NONE && json_member(view->reply, first, "relevance") != JSON_NONE)
		render_listing(view, first, ranked, 3, 1);
	else
		render_listing(view, first, listed, 2, 1);
	template_add(view->notes, view, JSON_ROOT,
		     "{?results:|nothing found\n}[not found: {not_found*, }\n]");
	if (pagination != JSON_NONE) {
		page = view_number_of(view, pagination, "page");
		pages = view_number_of(view, pagination, "total_pages");
	}
	if (pages < 2)
		return;
	str_printf(view->notes, "page %" PRId64 " of %" PRId64, page, pages);
	if (page < pages)
		str_printf(view->notes, "; --page %" PRId64 " goes on", page + 1);
	str_addc(view->notes, '\n');
}

/* What each check of health finds; the first columns say what it is about. */
static const struct listing {
	const char *check;
	const char *list;
	const char *nothing;
	size_t refs;
	size_t count;
	struct column columns[5];
} listings[] = {
	{"stale",
	 "stale_memories",
	 "nothing is stale\n",
	 1,
	 4,
	 {{"REF", "{id}"},
	  {"DAYS", "{days_since_access}"},
	  {"HITS", "{access_count}"},
	  {"TEXT", "{text}"}}},
	{"low_access",
	 "low_access_memories",
	 "nothing is used too little\n",
	 1,
	 4,
	 {{"REF", "{id}"}, {"HITS", "{access_count}"}, {"AGE", "{age_days}"}, {"TEXT", "{text}"}}},
	{"duplicates",
	 "duplicate_pairs",
	 "no duplicates\n",
	 2,
	 5,
	 {{"REF", "{id1}"},
	  {"REF", "{id2}"},
	  {"ALIKE", "{similarity}"},
	  {"ADVICE", "{suggested_action}"},
	  {"WHY", "{reason}"}}},
	{"contradictions",
	 "contradictions",
	 "no contradictions\n",
	 2,
	 4,
	 {{"NEWER", "{newer}"},
	  {"OLDER", "{older}"},
	  {"NEWER TEXT", "{newer_text}"},
	  {"OLDER TEXT", "{older_text}"}}},
	{"decay",
	 "at_risk",
	 "nothing fades\n",
	 1,
	 5,
	 {{"REF", "{memory_id}"},
	  {"SCORE", "{score}"},
	  {"URGENCY", "{urgency}"},
	  {"ADVICE", "{action}"},
	  {"TEXT", "{text}"}}},
	{"promotable",
	 "candidates",
	 "nothing to promote\n",
	 1,
	 4,
	 {{"REF", "{id}"}, {"SCORE", "{score}"}, {"USES", "{use_count}"}, {"WHY", "{reason}"}}},
};

/* What settles a contradiction: to be copied as it is where the newer one is true. */
#define SETTLED                                                                                    \
	"{*contradictions:[kota set {newer:shell} {resolve.arguments.value:shelljson} "            \
	"--supersedes {older:shell}\n]}"

/* A table of what a check finds; a group of entries is a line for programs, for people several. */
static void render_health(const struct view *view)
{
	uint32_t node = json_member(view->reply, JSON_ROOT, "check");
	STR_AUTO scratch = STR_INIT;
	struct slice check = view_text(view, node, &scratch);

	for (size_t i = 0; i < sizeof listings / sizeof *listings; i++) {
		const struct listing *l = &listings[i];
		uint32_t first = view_first_of(view, JSON_ROOT, l->list);

		if (!slice_is(check, l->check))
			continue;
		render_listing(view, first, l->columns, l->count, l->refs);
		if (first == JSON_NONE)
			str_adds(view->notes, l->nothing);
		else
			template_add(view->notes, view, JSON_ROOT, SETTLED);
		return;
	}
	if (slice_is(check, "clusters")) {
		template_add(view->out, view, JSON_ROOT,
			     view->cli->out_is_terminal ? "{*clusters:alike {cohesion}" DOT
							  "{suggested_action}\n"
							  "  {memory_ids*\n  }\n}"
							: "{*clusters:{memory_ids*\t}\n}");
		template_add(view->notes, view, JSON_ROOT, "{?clusters:|no groups\n}");
		return;
	}
	template_add(
		view->out, view, JSON_ROOT,
		"score       {score} of 100\n"
		"entries     {total_checked} ({counts*, })\n"
		"bytes       {bytes.total} of {limits.total_bytes}\n"
		"archived    {archived}\n"
		"stale       {stale_count}\n"
		"duplicates  {duplicates_count}\n"
		"faded       {faded_count}\n"
		"{?due_count:due here    {due_count}, but others may use {?due_count=1:it|them}: "
		"{due*, }\n}");
}

/* True if this text is one of a list of texts. */
static bool render_is_among(const struct view *view, const char *name, struct slice text)
{
	STR_AUTO scratch = STR_INIT;

	for (uint32_t n = view_first_of(view, JSON_ROOT, name); n != JSON_NONE;
	     n = json_next(view->reply, n)) {
		if (slice_equal(json_string(view->reply, n, &scratch), text))
			return true;
	}
	return false;
}

/* What undoing put back; a link that the change had made is removed, others are put back. */
static void render_putback(const struct view *view)
{
	size_t before = view->out->len;

	template_add(view->out, view, JSON_ROOT,
		     "{*restored:put back {.}\n}{*removed:removed {.}\n}");
	for (uint32_t n = view_first_of(view, JSON_ROOT, "relations"); n != JSON_NONE;
	     n = json_next(view->reply, n)) {
		STR_AUTO scratch = STR_INIT;
		struct slice id = json_string(view->reply, n, &scratch);

		template_add(view->out, view, n,
			     render_is_among(view, "unlinked", id) ? "removed link {.}\n"
								   : "put back link {.}\n");
	}
	if (view->out->len == before)
		str_adds(view->out, "nothing to put back: it is so already\n");
	template_add(view->notes, view, JSON_ROOT, "[left as they are: {left*, }\n]");
}

/* What was done, step by step, and what somebody should look at. */
static void render_maintain(const struct view *view)
{
	static const char actions[] = "{*actions:{do} {ref}{?with: + {with* + }}[ -> {to}]"
				      "[ -> {note}][: {because}]\n}";
	size_t before = view->out->len;

	template_add(view->out, view, JSON_ROOT, actions);
	for (uint32_t n = json_first(view->reply, JSON_ROOT); n != JSON_NONE;
	     n = json_next(view->reply, n)) {
		if (json_type(view->reply, n) != JSON_OBJECT)
			continue;
		template_add(view->out, view, n, actions);
		template_add(view->notes, view, n,
			     "[{@} is left out: {skipped}\n]"
			     "{?at_risk_count:fading: {at_risk_count}, see kota health decay\n}"
			     "{?clusters_found:groups of entries that are alike: {clusters_found}, "
			     "see kota health clusters\n}"
			     "{?candidate_count:pairs that are nearly alike: {candidate_count}, "
			     "see kota health duplicates\n}");
	}
	bool nothing = view->out->len == before;
	template_add(view->notes, view, JSON_ROOT,
		     "{*left_out:left out {ref}: {reason}\n}[{skipped}{?next_run:; next run "
		     "{next_run}}\n]");
	if (json_member(view->reply, JSON_ROOT, "skipped") == JSON_NONE)
		template_add(view->notes, view, JSON_ROOT,
			     nothing ? "nothing to do\n"
				     : "{?dry_run:Dry run; re-run without --dry-run\n}");
}

/* What was written is for other programs. On a terminal nothing acts, or hides; JSON stays what it
 * says. */
static void render_export(const struct view *view)
{
	uint32_t node = json_member(view->reply, JSON_ROOT, "text");
	uint32_t format = json_member(view->reply, JSON_ROOT, "format");
	STR_AUTO scratch = STR_INIT;
	STR_AUTO name = STR_INIT;
	struct slice text = json_string(view->reply, node, &scratch);
	bool markdown = slice_is(json_string(view->reply, format, &name), "markdown");
	struct slice line;

	if (!view->cli->out_is_terminal)
		str_add(view->out, text);
	while (view->cli->out_is_terminal && slice_line(&text, &line)) {
		if (markdown)
			utf8_add_visible(view->out, line, true);
		else
			utf8_add_visible_json(view->out, line);
		str_addc(view->out, '\n');
	}
	template_add(view->notes, view, JSON_ROOT, "{*missing:{.}\n}{*lost:{.}\n}");
}

/* What was taken, and what was left, the first few by name; what is there already needs no line. */
static void render_import(const struct view *view)
{
	STR_AUTO scratch = STR_INIT;
	size_t count = 0;

	template_add(view->out, view, JSON_ROOT,
		     "{*added:{?/dry_run:would add|added} {.}\n}"
		     "{*replaced:{?/dry_run:would replace|replaced} {.}\n}"
		     "{?records:{?dry_run:would add|added} {records|archive record|archive "
		     "records}\n}"
		     "{?links:{?dry_run:would add|added} {links|link|links}\n}"
		     "{?dry_run:would take|took} {migrated} of {total}"
		     "{?there:: {there} there already}"
		     "{?conflicts:{?there:, |: }{conflicts} with another value here}"
		     "{?refused:{?there:, |{?conflicts:, |: }}{refused} refused}\n");
	for (uint32_t n = view_first_of(view, JSON_ROOT, "left"); n != JSON_NONE;
	     n = json_next(view->reply, n)) {
		uint32_t fate = json_member(view->reply, n, "fate");

		if (slice_is(json_string(view->reply, fate, &scratch), "there") ||
		    ++count > LEFT_NAMED)
			continue;
		template_add(view->notes, view, n,
			     "{?fate=conflict:kept ours|refused}: {name}[: {reason}]\n");
	}
	if (count > LEFT_NAMED)
		str_printf(view->notes, "and %zu more, which --json names\n", count - LEFT_NAMED);
	template_add(view->notes, view, JSON_ROOT,
		     "[not read: {unread*, }\n]"
		     "{?dry_run:{?migrated:Dry run; re-run with --yes\n}"
		     "{?conflicts:what is here stays; --replace takes the other value, and "
		     "archives the one that is here\n}}");
}

#define DONE(verb) verb " {category}:{key}\n"
#define DISPLACED "[the old value is archived as {archived}\n]"
#define LEFT_OUT(list, name) "{*" list ":left out {" name "}[: {reason}]\n}"
#define CONFLICTS "{*conflicts:  contradict each other: {refs* + }[: {reason}]\n}"
#define LEADS_TO "[ -> {new_memory_id}]"

static const struct render_row render_rows[] = {
	{"get", NULL, NULL, render_get},
	{"list", NULL, NULL, render_list},
	{"archived", NULL, NULL, render_records},
	{"conflicts",
	 "{*conflicts:{ref}\n  in use, {last_updated:when}: {value:brief}\n"
	 "  lost, {other_updated:when}: {other:brief}\n"
	 "  kota conflicts {ref:shell} --keep\n"
	 "  kota restore {conflict:shell} --replace\n"
	 "  kota edit {ref:shell}\n}{*closed:{.} is decided\n}",
	 "{?count=0:there are no conflicts\n}", NULL},
	{"search", NULL, NULL, render_search},
	{"analyze",
	 "{reasoning}\n[query: {suggested_query}\n][key: {suggested_key}\n]"
	 "[category: {suggested_category}\n]",
	 "", NULL},
	{"set", "set {category}:{key}[, replaced {replaced:brief}]\n", DISPLACED, NULL},
	{"edit", DONE("made"), DISPLACED, NULL},
	{"update", "{?changed=false:{category}:{key} says so already\n|" DONE("updated") "}",
	 DISPLACED, NULL},
	{"delete", DONE("deleted"), DISPLACED, NULL},
	{"notes", DONE("saved"), DISPLACED, NULL},
	{"restore", DONE("restored"), DISPLACED, NULL},
	{"gc", "{*memory_ids:{?/dry_run:would archive|archived} {.}\n}",
	 LEFT_OUT("left_out", "ref") "{message}\n", NULL},
	{"relate", "{message}\n", "", NULL},
	{"promote",
	 "{*candidates:{?promoted_to:{?/dry_run:would promote|promoted} {id} to {promoted_to}"
	 "|left {id}[: {protected}]}\n}",
	 "{message}\n", NULL},
	{"health", NULL, NULL, render_health},
	{"reinforce", "{message}\n", "", NULL},
	{"mv", "moved {from} to {category}:{key}\n", "", NULL},
	{"clear-state",
	 "{?archived:cleared state: {archived|entry|entries} archived|state is empty already}\n",
	 "", NULL},
	{"revert", NULL, NULL, render_putback},
	{"undo", NULL, NULL, render_putback},
	{"merge",
	 "{*previews:{?action=merge:would merge {refs* + }" LEADS_TO "|review {refs* + }}"
	 "[: {reason}]\n[  {merged_content_preview}\n]" CONFLICTS "}"
	 "{*merges:merged {source_ids* + }" LEADS_TO "[: {reason}]\n}"
	 "{*candidates:review {refs* + }[: {reason}]\n}" CONFLICTS,
	 LEFT_OUT("left_out",
		  "ref") "{?message:{message}\n|{?mode=preview:{?previews:"
			 "Dry run; re-run with --mode apply\n|nothing is similar enough\n}}}",
	 NULL},
	{"optimize",
	 "{*results.actions_taken:"
	 "{?action=merge:{?/dry_run:would merge|merged} {memory_ids* + }" LEADS_TO
	 "|{?action=archive:{?/dry_run:would archive|archived} {memory_ids* + }" LEADS_TO
	 "|review {memory_ids* + }}}[: {reason}]\n}",
	 LEFT_OUT("left_out", "ref") "{?results.actions_taken:|nothing to do\n}"
				     "{*suggestions:{.}\n}",
	 NULL},
	{"consolidate",
	 "{*merged:{?/dry_run:would merge|merged} {memory_ids* + }" LEADS_TO "[: {reason}]\n}"
	 "{*pruned:{?/dry_run:would archive|archived} {.}\n}"
	 "{*new_patterns:recurs: {description}{?saved:, {?/dry_run:to be saved|saved} as "
	 "{pattern_id}}\n}"
	 "{*drift.came:came: {subject}, in {recent} of the last {/drift.recent}\n}"
	 "{*drift.went:went: {subject}, in {older} of the {/drift.older} before\n}"
	 "{*candidates:review {memory_ids* + }[: {reason}]\n}",
	 LEFT_OUT("left_out",
		  "ref") "{merged_count} merged, {pruned_count} archived, "
			 "{relations_created} linked; {final_memory_count} {?dry_run:would "
			 "remain|remain}"
			 "{?dry_run:; dry run, re-run with --no-dry-run}\n",
	 NULL},
	{"maintain", NULL, NULL, render_maintain},
	{"compact",
	 "usage.jsonl   {usage.bytes_before:>10} -> {usage.bytes_after} bytes\n"
	 "cold archive  {cold.bytes_before:>10} -> {cold.bytes_after} bytes\n"
	 "{?history_left:|history       {history.bytes_before:>10} -> {history.bytes_after} "
	 "bytes\n}",
	 "[the history is left as it is: {history_left}\n]", NULL},
	{"export", NULL, NULL, render_export},
	{"import", NULL, NULL, render_import},
	{"migrate", "{?dry_run:would import|imported} {migrated} of {total}\n",
	 LEFT_OUT("left", "name") "[not read: {unread*, }\n]", NULL},
	/* For a project, `why` is a sentence; for anything else, a name. */
	{"where",
	 "[{store}\nchosen {?kind=named:by|{?kind=personal:by|because}} {why}; {state}\n]"
	 "{*considered:not by {what}[, {path}]: {verdict}\n}",
	 "", NULL},
	/* The text was made visible when it was put together. */
	{"prime", "{text:raw}", "", NULL},
	{NULL, NULL, NULL, NULL},
};

/* The row of a command; one that has none is shown as JSON. */
static const struct render_row *render_find_row(const char *command)
{
	static const struct render_row *const tables[] = {render_rows, render_history_rows,
							  render_stats_rows, NULL};

	for (const struct render_row *const *table = tables; *table; table++) {
		for (const struct render_row *row = *table; row->command; row++) {
			if (strcmp(row->command, command) == 0)
				return row;
		}
	}
	return NULL;
}

/* What had to make room, and what the store has to say: part of the reply, beside the answer. */
static const char common_notes[] =
	"{?from=repository:this came with a repository and is not trusted: see kota trust\n}"
	"{?from=changed by others:others have changed this since you trusted it: see kota trust\n}"
	"[archived to make room: {evicted*, }\n]"
	"{*warnings:warning: {.}\n}";

int render_reply(const struct cli *cli, const char *command, bool as_json, const struct json *reply,
		 int64_t now_ms, struct str *out, struct str *notes)
{
	struct view view = {cli, paint_for(cli), reply, now_ms, out, notes};
	/* {"result":null} is how an operation says that it found nothing. */
	uint32_t result = json_member(reply, JSON_ROOT, "result");
	uint32_t results = json_member(reply, JSON_ROOT, "results");
	bool nothing = result != JSON_NONE && json_type(reply, result) == JSON_NULL;
	bool empty = strcmp(command, "search") == 0 && results != JSON_NONE &&
		     json_first(reply, results) == JSON_NONE;
	const struct render_row *row = render_find_row(command);

	if (!as_json && nothing) {
		template_add(notes, &view, JSON_ROOT,
			     "nothing found{?also:; nearest:{*also: {ref}[ ({differs})]}}\n");
	} else if (as_json || !row) {
		render_json(&view, JSON_ROOT);
	} else if (row->render) {
		row->render(&view);
	} else {
		template_add(out, &view, JSON_ROOT, row->out);
		template_add(notes, &view, JSON_ROOT, row->notes);
	}
	if (!as_json)
		template_add(notes, &view, JSON_ROOT, common_notes);
	return nothing || empty;
}
