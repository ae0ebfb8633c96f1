/* Editing a file of the store, or one entry, in the person's own editor; no lock is held. */
#include "base/utf8.h"
#include "cli/args/command.h"
#include "cli/args/run_tool.h"
#include "cli/edit/editor.h"
#include "cli/edit/entry_text.h"
#include "cli/term/streams.h"
#include "json/write.h"
#include "store/files/dir_lock.h"
#include "store/open/store.h"
#include "store/txn/replace_file.h"
#include "tools/registry.h"

#include <inttypes.h>
#include <stdlib.h>

#define NAME_CHARACTERS 40

/* What is edited, and how what comes back becomes the new text of its file. */
struct editing {
	struct run *run;
	struct str editor;
	struct str name;       /* of the copy */
	struct str copy;       /* as the person gets it */
	const char *file_name; /* NULL: an entry is to be made */
	struct str before;     /* the file's text */
	struct json doc;       /* of it, where one entry is edited */
	struct carving carving;
	bool one;  /* entry */
	bool done; /* taken over */
};

/* Asks on standard error, where the question is seen wherever the output goes. */
static bool edit_ask(struct run *run, struct slice question, bool otherwise)
{
	streams_ask(run->cli, question);
	return streams_read_yes(run->cli->in, otherwise);
}

/* ---- what has become of it */

/* So many names are given before the rest is counted. */
#define NAMES_SHOWN 5

static void edit_add_names(struct str *out, const struct replace_list *list)
{
	STR_AUTO scratch = STR_INIT;

	for (size_t i = 0; i < list->count && i < NAMES_SHOWN; i++)
		str_printf(out, "%s%s", i > 0 ? ", " : "", shown(&scratch, list->items[i]));
	if (list->count > NAMES_SHOWN)
		str_printf(out, " and %zu more", list->count - NAMES_SHOWN);
}

static void edit_add_deed(struct str *out, const char *verb, const struct replace_list *list)
{
	if (list->count == 0)
		return;
	str_printf(out, "%s ", verb);
	edit_add_names(out, list);
	str_addc(out, '\n');
}

static void edit_say(struct run *run, const char *before, const struct replace_list *list,
		     const char *behind)
{
	STR_AUTO names = STR_INIT;

	if (list->count == 0)
		return;
	edit_add_names(&names, list);
	streams_say(run->cli, run->command, "%s%s%s", before, names.ptr, behind);
}

static bool edit_is_among(const struct replace_list *list, struct slice ref)
{
	for (size_t i = 0; i < list->count; i++) {
		if (slice_equal(list->items[i], ref))
			return true;
	}
	return false;
}

static void edit_say_size(struct run *run, const struct item *item, int64_t limit)
{
	size_t size = entry_stored_size(&item->entry);
	STR_AUTO scratch = STR_INIT;

	if (size > (size_t)limit)
		streams_say(run->cli, run->command,
			    "warning: %s has %zu bytes, over the limit of %" PRId64
			    ": it stays, and may only shrink",
			    shown(&scratch, item->ref), size, limit);
}

/* What a person wrote over a limit stays, but nobody should be surprised. */
static void edit_say_limits(struct run *run, struct store *store,
			    const struct replace_report *report)
{
	int64_t counts[CATEGORY_COUNT] = {0};
	struct settings settings;
	struct err ignored;
	size_t count;
	const struct item *items = store_items(store, &count);

	if (store_settings(store, &settings, &ignored) != 0)
		return;
	for (size_t i = 0; i < count; i++) {
		counts[items[i].entry.category]++;
		if (edit_is_among(&report->changed, items[i].ref) ||
		    edit_is_among(&report->added, items[i].ref))
			edit_say_size(run, &items[i], settings.entry_bytes);
	}
	for (int c = 0; c < CATEGORY_COUNT && report->added.count > 0; c++) {
		if (counts[c] > settings.entries_per_category)
			streams_say(run->cli, run->command,
				    "warning: %s has %" PRId64
				    " entries, over the limit of %" PRId64
				    ": they stay, and each new one sends another to the archive",
				    category_name((enum category)c), counts[c],
				    settings.entries_per_category);
	}
}

/* Tells what was changed, what of others was merged, and what is over a limit now. */
static int edit_tell(struct run *run, struct store *store, const struct revision *revision,
		     const struct replace_report *report, struct err *err)
{
	size_t count;
	const char *const *notices = store_notices(store, &count);
	STR_AUTO out = STR_INIT;

	edit_add_deed(&out, "changed", &report->changed);
	edit_add_deed(&out, "added", &report->added);
	edit_add_deed(&out, "removed", &report->removed);
	if (out.len == 0)
		str_printf(&out, "changed %s\n", revision->file_name);
	if (streams_write(run->cli, str_slice(&out), err) != 0)
		return -1;
	edit_say(run, "changed by others meanwhile, and kept so: ", &report->merged, "");
	edit_say(run, "changed by others as well: ", &report->clashed,
		 "; yours is in the file, the other text in the archive (replaced)");
	edit_say(run, "removed by you, but changed by others meanwhile: ", &report->stayed,
		 "; still there");
	edit_say_limits(run, store, report);
	for (size_t i = 0; i < count; i++)
		streams_say(run->cli, run->command, "warning: %s", notices[i]);
	return 0;
}

/* ---- what is to be edited */

/* A file name that says what is in it, whatever the key is made of. */
static void edit_name_copy(struct str *out, struct slice key, const char *ending)
{
	for (size_t i = 0; i < key.len && out->len < NAME_CHARACTERS; i++) {
		char byte = key.ptr[i];
		bool plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
			     (byte >= '0' && byte <= '9') || byte == '_';

		str_addc(out, plain ? byte : '-');
	}
	if (out->len == 0 || out->ptr[0] == '-')
		str_adds(out, "entry");
	str_adds(out, ending);
}

static int edit_find_file(struct editing *e, struct store *store, struct err *err)
{
	if (replace_read(store, e->file_name, &e->before, err) != 0)
		return -1;
	str_adds(&e->name, e->file_name);
	str_add(&e->copy, str_slice(&e->before));
	if (blank_only(str_slice(&e->before))) {
		str_clear(&e->copy);
		str_adds(&e->copy, "{}\n");
	}
	return 0;
}

/* One entry's part of its file. */
static int edit_find_part(struct editing *e, struct store *store, const struct item *item,
			  struct err *err)
{
	const char *as = e->run->given[0];
	STR_AUTO scratch = STR_INIT;
	struct json_fault fault;

	e->one = true;
	e->file_name = store_file_name((enum store_file)item->entry.category);
	if (replace_read(store, e->file_name, &e->before, err) != 0)
		return -1;
	if (json_parse(&e->doc, str_slice(&e->before), &json_file_bounds, &fault) != 0)
		return err_set(err, ERR_BAD_DATA, "%s:%u:%u: %s; fix it with kota edit %s",
			       e->file_name, fault.line, fault.column, fault.what,
			       category_name(item->entry.category));
	if (!carve(&e->carving, &e->doc, item->entry.key, as && strcmp(as, "entry") == 0))
		return err_set(err, ERR_BUSY, "%s is being changed; try again",
			       shown(&scratch, item->ref));
	edit_name_copy(&e->name, item->entry.key, e->carving.plain ? ".txt" : ".json");
	carve_copy(&e->carving, &e->copy);
	return 0;
}

/* "; nearest: patterns:lunch, state:launch" */
static void edit_add_nearest(struct str *out, struct store *store, struct ref ref)
{
	STR_AUTO scratch = STR_INIT;
	struct store_answer answer;

	if (ref.key.len > LOOKUP_QUERY_MAX)
		return;
	store_lookup(store, ref.key, ref.category, &answer);
	if (answer.item)
		str_printf(out, "; nearest: %s", shown(&scratch, answer.item->ref));
	for (size_t i = 0; i < answer.also_count; i++)
		str_printf(out, "%s%s", answer.item || i > 0 ? ", " : "; nearest: ",
			   shown(&scratch, answer.also[i].ref));
}

/* An entry that is not there is made when the person wants it. */
static int edit_offer_new(struct editing *e, struct store *store, struct slice key, struct err *err)
{
	STR_AUTO sentence = STR_INIT;
	STR_AUTO scratch = STR_INIT;
	struct ref ref = ref_parse(key);

	str_printf(&sentence, "there is no entry \"%s\"", shown(&scratch, key));
	edit_add_nearest(&sentence, store, ref);
	if (!e->run->cli->in_is_terminal)
		return err_set(err, ERR_NOT_FOUND, "%s; kota set KEY VALUE creates one",
			       sentence.ptr);
	str_adds(&sentence, ". Make it? [y/N] ");
	if (!edit_ask(e->run, str_slice(&sentence), false))
		return err_set(err, ERR_NOT_FOUND, "%s", "nothing is changed");
	e->one = true;
	edit_name_copy(&e->name, ref.key, ".txt");
	return 0;
}

static int edit_find_entry(struct editing *e, struct store *store, struct slice key,
			   struct err *err)
{
	struct ref ref = ref_parse(key);
	const struct item *item = store_find_ref(store, key);

	if (!item)
		item = store_find(store, ref.category, ref.key);
	return item ? edit_find_part(e, store, item, err) : edit_offer_new(e, store, key, err);
}

static int edit_refuse_to_guess(struct err *err)
{
	STR_AUTO names = STR_INIT;

	for (size_t i = 0; replace_names[i]; i++)
		str_printf(&names, "%s%s", i > 0 ? ", " : "", replace_names[i]);
	return err_set(err, ERR_MISSING_ARGUMENT,
		       "name a key, or one of the files %s, as in: kota edit state", names.ptr);
}

static int edit_check_as(const struct run *run, struct err *err)
{
	STR_AUTO scratch = STR_INIT;

	if (!run->given[0] || strcmp(run->given[0], "value") == 0 ||
	    strcmp(run->given[0], "entry") == 0)
		return 0;
	return err_set(err, ERR_BAD_VALUE, "--as: unknown form \"%s\"; choose value or entry",
		       shown(&scratch, slice_of(run->given[0])));
}

/* What can stand in the way is told before the person types anything. */
static int edit_find(struct editing *e, struct store *store, struct err *err)
{
	struct slice word = slice_of(e->run->topic);
	struct settings settings;

	if (store_refresh(store, e->run->cli->sys->now_ms(), err) != 0)
		return -1;
	e->file_name = replace_edited(word);
	/* If the settings are invalid, only they can be edited. */
	if ((!e->file_name || strcmp(e->file_name, "config.json") != 0) &&
	    store_settings(store, &settings, err) != 0)
		return -1;
	int result = e->file_name ? edit_find_file(e, store, err)
				  : edit_find_entry(e, store, word, err);
	if (result == 0 && disk_writable(store_disk(store), err) != 0)
		return -1;
	return result;
}

/* ---- what comes back */

/* The new text of the file; where that cannot be, *fault says where in the copy: line 0: nowhere.
 */
static bool edit_join(const struct editing *e, struct slice copy, struct str *out,
		      struct json_fault *fault)
{
	if (!e->one) {
		str_add(out, copy);
		return replace_check(e->file_name, copy, fault);
	}
	if (!carve_join(&e->carving, copy, e->run->cli->sys->now_ms(), out, fault))
		return false;
	if (replace_check(e->file_name, str_slice(out), fault))
		return true;
	/* The position in the file is of no use here. */
	fault->line = 0;
	return false;
}

/* Nobody else must have made it while it was written: setting it would replace theirs unseen. */
static int edit_check_absent(const struct editing *e, struct err *err)
{
	struct ref ref = ref_parse(slice_of(e->run->topic));
	const struct item *item = NULL;
	STR_AUTO scratch = STR_INIT;
	struct store *store;

	if (operation_open_store(e->run, &store, err) != 0)
		return -1;
	int result = store_refresh(store, e->run->cli->sys->now_ms(), err);
	if (result == 0)
		item = store_find(store, ref.category, ref.key);
	if (item)
		result = err_set(err, ERR_BUSY, "%s was made by somebody else in the meantime",
				 shown(&scratch, item->ref));
	store_close(store);
	return result;
}

/* The words of kota set: a text that is JSON is that. */
static int edit_make_entry(struct editing *e, struct slice copy, struct err *err)
{
	struct slice value = blank_trim(copy);
	STR_AUTO hints = STR_INIT;
	STR_AUTO text = STR_INIT;
	struct json_fault fault;
	struct json doc;
	bool is_json = json_parse(&doc, value, &json_line_bounds, &fault) == 0;
	struct json_writer w = json_writer_to(&text, &json_compact);

	json_write_object(&w);
	json_write_member_string(&w, "key", slice_of(e->run->topic));
	json_write_name(&w, slice_of("value"));
	if (is_json)
		json_write_value(&w, &doc, JSON_ROOT);
	else
		json_write_string(&w, value);
	json_write_end(&w);
	if (is_json)
		json_release(&doc);
	return operation_call(e->run, tool_find_command(e->run->tools, slice_of("set")),
			      str_slice(&text), &hints, err);
}

static int edit_put(struct editing *e, struct slice after, struct err *err)
{
	const struct revision revision = {e->file_name, str_slice(&e->before), after};
	int64_t now_ms = e->run->cli->sys->now_ms();
	struct replace_report report;
	struct store *store;

	if (operation_open_store(e->run, &store, err) != 0)
		return -1;
	int result = replace_put(store, &revision, now_ms, &report, err);
	e->done = result == 0;
	if (result == 0)
		result = edit_tell(e->run, store, &revision, &report, err);
	replace_report_release(&report);
	store_close(store);
	return result;
}

static int edit_keep(const struct draft *draft, struct err *err)
{
	struct err reason = *err;

	if (!draft_stays(draft))
		return -1;
	return err_set(err, reason.code, "%s; what you wrote is kept in %s", reason.text,
		       draft->path);
}

/* Says what is wrong; true when the person wants to see it again. */
static bool edit_offer_again(struct editing *e, const struct draft *draft,
			     const struct json_fault *fault, struct err *err)
{
	STR_AUTO question = STR_INIT;

	if (fault->line > 0)
		err_set(err, ERR_BAD_DATA, "%s:%u:%u: %s", draft->path, fault->line, fault->column,
			fault->what);
	else
		err_set(err, ERR_BAD_DATA, "%s: this cannot be stored: %s", draft->path,
			fault->what);
	if (!e->run->cli->in_is_terminal)
		return false;
	streams_say(e->run->cli, e->run->command, "%s", err->text);
	str_adds(&question,
		 fault->line > 0 ? "Open it again there? [Y/n] " : "Open it again? [Y/n] ");
	if (edit_ask(e->run, str_slice(&question), true))
		return true;
	err_set(err, ERR_BAD_DATA, "the text is still not valid JSON");
	return false;
}

/* Opens the editor once; false in *changed when the copy is what it was. */
static int edit_once(struct editing *e, const struct draft *draft, const struct json_fault *at,
		     struct str *copy, bool *changed, struct err *err)
{
	struct err ignored;
	int result = editor_run(e->editor.ptr, draft->path, at->line, at->column, err);

	if (result != 0) {
		*changed = draft_read(draft, copy, &ignored) != 0 ||
			   !slice_equal(str_slice(copy), str_slice(&e->copy));
		return -1;
	}
	if (draft_read(draft, copy, err) != 0)
		return -1;
	*changed = !slice_equal(str_slice(copy), str_slice(&e->copy));
	return 0;
}

/* Until there is a text that can be stored, or the person has had enough. */
static int edit_text(struct editing *e, const struct draft *draft, bool *changed, struct err *err)
{
	struct json_fault fault = {.line = 0};
	STR_AUTO copy = STR_INIT;
	STR_AUTO after = STR_INIT;

	for (;;) {
		*changed = true;
		if (edit_once(e, draft, &fault, &copy, changed, err) != 0)
			return -1;
		if (!*changed)
			return 0;
		if (blank_only(str_slice(&copy))) {
			*changed = false;
			return err_set(err, ERR_BAD_DATA,
				       "the text is empty, so nothing was changed; to delete an "
				       "entry use kota delete");
		}
		if (!e->file_name)
			return edit_check_absent(e, err) == 0
				       ? edit_make_entry(e, str_slice(&copy), err)
				       : -1;
		str_clear(&after);
		if (edit_join(e, str_slice(&copy), &after, &fault))
			return edit_put(e, str_slice(&after), err);
		if (!edit_offer_again(e, draft, &fault, err))
			return -1;
	}
}

static int edit_run_editor(struct editing *e, struct err *err)
{
	bool changed = false;
	struct draft draft;

	if (editor_find(&e->editor, e->run->cli, err) != 0 ||
	    draft_open(&draft, e->run->cli, e->name.ptr, str_slice(&e->copy), err) != 0)
		return -1;
	int result = edit_text(e, &draft, &changed, err);
	if (result < 0 && changed && !e->done)
		edit_keep(&draft, err);
	else
		draft_remove(&draft);
	draft_close(&draft);
	if (result == 0 && !changed)
		return streams_write(e->run->cli, slice_of("nothing is changed\n"), err);
	return result;
}

static void edit_tell_left(void *context, const char *path)
{
	struct run *run = context;

	streams_say(run->cli, run->command, "an earlier edit that was not applied is in %s", path);
}

static int edit_execute(struct run *run, struct err *err)
{
	struct editing e = {.run = run,
			    .editor = STR_INIT,
			    .name = STR_INIT,
			    .copy = STR_INIT,
			    .before = STR_INIT};
	struct store *store;

	if (!run->topic)
		return edit_refuse_to_guess(err);
	if (edit_check_as(run, err) != 0 || operation_open_store(run, &store, err) != 0)
		return -1;
	int result = edit_find(&e, store, err);
	store_close(store);
	draft_each_left(run->cli, edit_tell_left, run);
	if (result == 0)
		result = edit_run_editor(&e, err);
	json_release(&e.doc);
	str_release(&e.editor);
	str_release(&e.name);
	str_release(&e.copy);
	str_release(&e.before);
	return result;
}

static const struct command_option options[] = {{.name = "--as", .has_value = true},
						{.name = NULL}};

const struct command command_edit = {
	.name = "edit",
	.topic = "CATEGORY|KEY",
	.options = options,
	.usage = "[--as value|entry]",
	.offers = replace_names,
	.section = SECTION_MEMORIES,
	.summary = "Change a file or an entry in your editor",
	.description =
		"Open a file of the store (a category, archive, relations, config, synonyms) or\n"
		"one entry in $VISUAL, else $EDITOR, else vi or nano. Of an entry you edit the\n"
		"value: text as text, anything else as JSON. With --as entry you edit everything\n"
		"that is stored. If an entry has the name of a file, name its category, too:\n"
		"state:config. Nothing is locked. What others change in the meantime is merged,\n"
		"entry by entry. If both changed an entry, yours stays, and the other text goes\n"
		"to the archive. A text that is not valid is opened again at the mistake. If\n"
		"your text is not used, it is kept, and the last line says where.\n",
	.execute = edit_execute,
};
