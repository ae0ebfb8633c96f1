/*
 * `kota trust`: the person looks at a store that others may have written, and says that it is to
 * count as their own.
 *
 * It asks on the terminal and nowhere else, and there is no switch that answers: whoever wrote the
 * store could have an agent run that. The review goes to the terminal with the question, so that
 * nobody can be asked about what they were not shown.
 */
#include "base/utf8.h"
#include "cli/args/command.h"
#include "cli/args/run_tool.h"
#include "cli/cmd/trust_review.h"
#include "cli/doctor/provenance.h"
#include "cli/term/paint.h"
#include "cli/term/streams.h"
#include "json/write.h"
#include "store/files/dir_lock.h"
#include "store/files/resolve.h"
#include "store/files/store_folder.h"
#include "store/open/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

/* An answer that is longer is none. */
#define ANSWER_MAX 16

enum trust_option { SHOW, REMOVE, LIST, LINK };

static const struct command_option options[] = {[SHOW] = {.name = "--show"},
						[REMOVE] = {.name = "--remove"},
						[LIST] = {.name = "--list"},
						[LINK] = {.name = "--link", .has_value = true},
						{.name = NULL}};

/* ---- the terminal */

/* Reads a line; what is no yes is a no, the end of the input too. */
static bool trust_read_yes(const struct sys *sys, int fd)
{
	char answer[ANSWER_MAX];
	size_t len = 0;
	ssize_t got;
	char c;

	while ((got = sys->read(fd, &c, 1)) == 1 || (got < 0 && errno == EINTR)) {
		if (got == 1 && c == '\n')
			break;
		if (got == 1 && len < sizeof answer)
			answer[len++] = c;
	}
	return slice_is(slice_make(answer, len), "y") || slice_is(slice_make(answer, len), "yes");
}

static int trust_no_terminal(int number, struct err *err)
{
	return err_set_errno(err, ERR_NOT_FOUND, number,
			     "not trusted: only a person can do this, and there is no terminal to "
			     "ask on; run it in a terminal");
}

/* Shows the text on the terminal, asks the question below it, and waits for the answer. */
static int trust_ask(const struct cli *cli, struct slice text, const char *question, bool *yes,
		     struct err *err)
{
	const char *terminal = cli->terminal;
	STR_AUTO shown_text = STR_INIT;
	int in = -1;
	int out = -1;
	int result;

	if (!terminal)
		return trust_no_terminal(ENXIO, err);
	in = file_open(cli->sys, AT_FDCWD, terminal, O_RDONLY | O_NOCTTY | O_CLOEXEC, 0);
	if (in >= 0)
		out = file_open(cli->sys, AT_FDCWD, terminal,
				O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC, 0);
	if (out < 0) {
		result = trust_no_terminal(errno, err);
	} else {
		str_add(&shown_text, text);
		str_printf(&shown_text, "\n%s [y/N] ", question);
		/* Discard what was typed or pasted before the question. */
		tcflush(in, TCIFLUSH);
		result = file_write_all(cli->sys, out, str_slice(&shown_text), err);
	}
	if (result == 0)
		*yes = trust_read_yes(cli->sys, in);
	file_close(cli->sys, &in);
	file_close(cli->sys, &out);
	return result;
}

/* ---- what is said afterwards */

static int trust_say(struct run *run, struct slice sentence, struct err *err)
{
	STR_AUTO out = STR_INIT;

	utf8_add_visible(&out, sentence, false);
	str_addc(&out, '\n');
	return streams_write(run->cli, str_slice(&out), err);
}

static const char *trust_path_of(const struct disk *disk)
{
	return disk->origin.path ? disk->origin.path : disk->path;
}

static int trust_not_done(const struct disk *disk, struct err *err)
{
	return err_set(err, ERR_NOT_FOUND, "%s: nothing is changed", trust_path_of(disk));
}

/* ---- trusting */

/* Nobody can vouch for what somebody else may change at any time. */
static int trust_check_owner(const struct disk *disk, struct err *err)
{
	struct stat st;

	if (disk->sys->fstat(disk->dirfd, &st) == 0 && st.st_uid == geteuid() &&
	    !disk->origin.other_owner)
		return 0;
	return err_set(err, ERR_NOT_FOUND,
		       "%s, or a file of it, belongs to another user and cannot be trusted: copy "
		       "it, and trust the copy",
		       trust_path_of(disk));
}

/* Takes the store into the register, with what the person was shown. */
static int trust_record(struct store *store, const struct review *review, int64_t now_ms,
			struct err *err)
{
	const struct paint plain = {"", "", "", ""};
	struct disk *disk = store_disk(store);
	STR_AUTO config = STR_INIT;
	struct review now;

	review_read_config(disk, &config);
	if (!slice_equal(str_slice(&config), str_slice(&review->config)))
		return err_set(err, ERR_BUSY,
			       "%s/" CONFIG_NAME
			       " was changed during the review; run kota trust again",
			       trust_path_of(disk));
	if (origin_register(&disk->origin, disk->sys, disk->env, disk->dirfd, true, err) != 0 ||
	    disk_reopen(disk, err) != 0)
		return -1;
	if (disk->origin.kind != ORIGIN_OWN)
		return err_set(err, ERR_INTERNAL,
			       "%s was recorded, but is not recognised: kota doctor may say why",
			       trust_path_of(disk));
	/* Entries that this program has stored since are the person's as well. */
	if (review_make(&now, store, now_ms, &plain, false, err) != 0)
		return -1;
	int result = reviewed_begin(disk, review->entries, review->count, now.entries, now.count,
				    err);
	review_release(&now);
	return result;
}

struct refused {
	struct disk *disk;
	bool any;
};

static void trust_take_link(void *context, const char *name, const char *target)
{
	struct refused *refused = context;

	(void)target;
	if (provenance_may_link(name) && path_link_is_refused(refused->disk, name))
		refused->any = true;
}

/*
 * Is there nothing to ask? Others cannot change what no repository tracks, nor was anything changed
 * where all is as it was trusted.
 */
static bool trust_is_settled(struct disk *disk, const struct review *review)
{
	struct reviewed reviewed = {0};
	struct refused refused = {disk, false};
	bool known;

	if (disk->origin.kind == ORIGIN_OWN && origin_links_lead_out(&disk->origin))
		provenance_each_link(disk, trust_take_link, &refused);
	if (disk->origin.kind != ORIGIN_OWN || refused.any)
		return false;
	reviewed_refresh(&reviewed, disk);
	known = !reviewed.applies || reviewed.known;
	reviewed_release(&reviewed);
	return known && review->others == 0 && !review->config_others;
}

static int trust_say_settled(struct run *run, const struct disk *disk, struct err *err)
{
	STR_AUTO words = STR_INIT;

	str_printf(&words, "%s: ", trust_path_of(disk));
	provenance_add(&words, &disk->origin);
	if (disk->origin.tracked && !disk->origin.personal)
		str_adds(&words, ", and others have changed nothing since");
	str_adds(&words, "; nothing to do");
	return trust_say(run, str_slice(&words), err);
}

static int trust_ask_and_record(struct run *run, struct store *store, const struct review *review,
				struct err *err)
{
	const struct disk *disk = store_disk(store);
	STR_AUTO sentence = STR_INIT;
	bool yes = false;

	if (trust_ask(run->cli, str_slice(&review->text),
		      review->others_alone ? "Trust these changes?" : "Trust this memory?", &yes,
		      err) != 0)
		return -1;
	if (!yes)
		return trust_not_done(disk, err);
	if (trust_record(store, review, run->cli->sys->now_ms(), err) != 0)
		return -1;
	str_printf(&sentence, "%s: trusted; kota trust --remove takes it back",
		   trust_path_of(disk));
	return trust_say(run, str_slice(&sentence), err);
}

/* An own store whose entries are known is asked about for what others changed in it alone. */
static bool trust_asks_for_changes(const struct disk *disk)
{
	struct reviewed reviewed = {0};
	bool known;

	reviewed_refresh(&reviewed, disk);
	known = reviewed.applies && reviewed.known;
	reviewed_release(&reviewed);
	return known;
}

static int trust_make_own(struct run *run, struct store *store, struct err *err)
{
	const struct paint paint = paint_for(run->cli);
	struct disk *disk = store_disk(store);
	struct review review;
	int result;

	if (trust_check_owner(disk, err) != 0 ||
	    review_make(&review, store, run->cli->sys->now_ms(), &paint,
			trust_asks_for_changes(disk), err) != 0)
		return -1;
	if (trust_is_settled(disk, &review))
		result = trust_say_settled(run, disk, err);
	else
		result = trust_ask_and_record(run, store, &review, err);
	review_release(&review);
	return result;
}

static int trust_show(struct run *run, struct store *store, struct err *err)
{
	const struct paint paint = paint_for(run->cli);
	struct review review;

	if (review_make(&review, store, run->cli->sys->now_ms(), &paint, false, err) != 0)
		return -1;
	int result = streams_write(run->cli, str_slice(&review.text), err);
	review_release(&review);
	return result;
}

/* ---- taking it back */

static int trust_forget(struct run *run, struct store *store, struct err *err)
{
	struct disk *disk = store_disk(store);
	STR_AUTO sentence = STR_INIT;
	STR_AUTO name = STR_INIT;
	bool was;

	if (disk->origin.personal)
		return err_set(err, ERR_BAD_VALUE, "%s is your own store: it needs no trust",
			       trust_path_of(disk));
	str_add(&name, disk->origin.name);
	if (origin_unregister(&disk->origin, disk->sys, disk->env, disk->dirfd, &was, err) != 0)
		return -1;
	if (!was)
		return err_set(err, ERR_NOT_FOUND, "%s was not trusted", trust_path_of(disk));
	reviewed_forget(disk, str_slice(&name));
	if (disk_reopen(disk, err) != 0)
		return -1;
	str_printf(&sentence, "%s: trusted no more; ", trust_path_of(disk));
	provenance_add(&sentence, &disk->origin);
	return trust_say(run, str_slice(&sentence), err);
}

/* ---- the link of one file */

static int trust_check_link(const struct disk *disk, const char *file, char target[PATH_MAX],
			    struct err *err)
{
	STR_AUTO scratch = STR_INIT;
	struct stat st;

	if (!provenance_may_link(file))
		return err_set(err, ERR_BAD_VALUE,
			       "--link: a link of \"%s\" is never followed; choose a file of "
			       "entries, such as state.json, or " CONFIG_NAME,
			       shown(&scratch, slice_of(file)));
	if (disk->origin.kind != ORIGIN_OWN)
		return err_set(err, ERR_NOT_FOUND, "%s is not yours yet: run kota trust first",
			       trust_path_of(disk));
	if (!origin_links_lead_out(&disk->origin))
		return err_set(err, ERR_BAD_VALUE,
			       "--link: a repository tracks %s, and whoever changes it could "
			       "redirect its links, so no link that leads out of it is followed",
			       trust_path_of(disk));
	if (disk->sys->fstatat(disk->dirfd, file, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
	    !S_ISLNK(st.st_mode))
		return err_set(err, ERR_NOT_FOUND, "--link: %s/%s is not a link",
			       trust_path_of(disk), file);
	if (!origin_link_target(disk->sys, disk->dirfd, file, target))
		return err_set(err, ERR_NOT_FOUND, "--link: %s/%s leads nowhere",
			       trust_path_of(disk), file);
	return 0;
}

static bool trust_is_recorded(const struct origin *origin, const char *file, const char *target)
{
	for (size_t i = 0; i < origin->link_count; i++) {
		if (slice_is(origin->links[i].file, file))
			return slice_is(origin->links[i].target, target);
	}
	return false;
}

static int trust_allow_link(struct run *run, struct store *store, const char *file, struct err *err)
{
	struct disk *disk = store_disk(store);
	char target[PATH_MAX];
	STR_AUTO sentence = STR_INIT;
	STR_AUTO visible = STR_INIT;
	bool yes = false;

	if (trust_check_owner(disk, err) != 0 || trust_check_link(disk, file, target, err) != 0)
		return -1;
	str_printf(&sentence, "%s/%s leads to %s", trust_path_of(disk), file, target);
	if (trust_is_recorded(&disk->origin, file, target)) {
		str_adds(&sentence, ", as recorded; nothing to do");
		return trust_say(run, str_slice(&sentence), err);
	}
	utf8_add_visible(&visible, str_slice(&sentence), false);
	if (trust_ask(run->cli, str_slice(&visible), "Let kota read and write there?", &yes, err) !=
	    0)
		return -1;
	if (!yes)
		return trust_not_done(disk, err);
	if (origin_record_link(&disk->origin, disk->sys, disk->env, disk->dirfd, file, target,
			       err) != 0)
		return -1;
	str_adds(&sentence, ": recorded");
	return trust_say(run, str_slice(&sentence), err);
}

/* ---- all of them */

static void trust_list_json(const struct registry *registry, struct str *out)
{
	struct json_writer w = json_writer_to(out, &json_pretty);

	json_write_object(&w);
	json_write_name(&w, slice_of("stores"));
	json_write_array(&w);
	for (size_t i = 0; i < registry->count; i++) {
		const struct registered *entry = &registry->list[i];

		json_write_object(&w);
		json_write_member_string(&w, "path", entry->id.path);
		json_write_member_bool(&w, "trusted", entry->trusted);
		json_write_member_string(&w, "since", entry->since);
		json_write_name(&w, slice_of("links"));
		json_write_object(&w);
		for (size_t l = 0; l < entry->link_count; l++) {
			json_write_name(&w, entry->links[l].file);
			json_write_string(&w, entry->links[l].target);
		}
		json_write_end(&w);
		json_write_end(&w);
	}
	json_write_end(&w);
	json_write_end(&w);
	str_addc(out, '\n');
}

static void trust_list_lines(const struct registry *registry, const struct paint *paint,
			     struct str *out)
{
	for (size_t i = 0; i < registry->count; i++) {
		const struct registered *entry = &registry->list[i];

		paint_add(out, paint, paint->strong, entry->id.path);
		str_adds(out, entry->trusted ? ": trusted since " : ": made here on ");
		utf8_add_visible(out, utf8_cut(entry->since, strlen("2026-11-22")), false);
		str_addc(out, '\n');
		for (size_t l = 0; l < entry->link_count; l++) {
			str_adds(out, "  ");
			utf8_add_visible(out, entry->links[l].file, false);
			str_adds(out, " leads to ");
			utf8_add_visible(out, entry->links[l].target, false);
			str_addc(out, '\n');
		}
	}
	if (registry->count == 0)
		str_adds(out, "No store is trusted, and none was made in a project.\n");
}

static int trust_list(struct run *run, struct err *err)
{
	struct cli *cli = run->cli;
	const struct paint paint = paint_for(cli);
	struct registry registry;
	struct place place = {0};
	struct err ignored;
	STR_AUTO json = STR_INIT;
	STR_AUTO out = STR_INIT;

	/* A list in the work tree could have come with it. */
	(void)!place_find(&place, cli->sys, cli->env, run->options.dir, &ignored);
	int result = registry_open(&registry, cli->sys, cli->env, place.project, false, err);
	place_release(&place);
	if (result != 0)
		return -1;
	if (run->options.json) {
		trust_list_json(&registry, &json);
		paint_add_json(&out, cli, str_slice(&json));
	} else {
		trust_list_lines(&registry, &paint, &out);
	}
	registry_close(&registry);
	return streams_write(cli, str_slice(&out), err);
}

/* ---- the command line */

/* A folder that is none of ours is not made one by being trusted. */
static int trust_check_store(struct disk *disk, struct err *err)
{
	enum folder_kind kind = FOLDER_ABSENT;
	struct err why;

	if (disk->dirfd >= 0 && folder_look(disk, &kind, &why, err) != 0)
		return -1;
	if (kind == FOLDER_STORE)
		return 0;
	return err_set(err, ERR_NOT_FOUND, "%s: there is no store", disk->path);
}

static int trust_execute(struct run *run, struct err *err)
{
	struct store *store;
	size_t count = 0;

	for (size_t i = 0; i <= LINK; i++)
		count += run->given[i] != NULL;
	if (count > 1)
		return err_set(err, ERR_USAGE,
			       "use only one of --show, --remove, --list and --link");
	if (run->options.json && !run->given[LIST])
		return err_set(err, ERR_USAGE, "--json needs --list");
	if (run->given[LIST])
		return trust_list(run, err);
	if (operation_open_store(run, &store, err) != 0)
		return -1;
	int status = trust_check_store(store_disk(store), err);
	if (status == 0 && run->given[SHOW])
		status = trust_show(run, store, err);
	else if (status == 0 && run->given[REMOVE])
		status = trust_forget(run, store, err);
	else if (status == 0 && run->given[LINK])
		status = trust_allow_link(run, store, run->given[LINK], err);
	else if (status == 0)
		status = trust_make_own(run, store, err);
	store_close(store);
	return status;
}

const struct command command_trust = {
	.name = "trust",
	.usage = "[--show | --remove | --list | --link FILE]",
	.options = options,
	.summary = "Look at a memory that came with a repository, and make it your own",
	.description =
		"A memory that came with a repository speaks to the agent of everyone who opens\n"
		"the repository. Until you trust it, it can be read but not changed, nothing of\n"
		"it is given to the agent unasked, and of its settings only those apply that\n"
		"take nothing away.\n"
		"\n"
		"kota trust shows its entries, settings, links and notes, and who wrote it, as\n"
		"the history of the repository tells. Then it asks, only on the terminal: no\n"
		"option answers for you. An entry that others change afterwards is marked\n"
		"\"changed by others\" until you run kota trust again, which asks only about\n"
		"those. Your own edits by hand are marked, too. An entry that others removed is\n"
		"not marked: git log shows it.\n"
		"\n"
		"--show only shows. --remove withdraws the trust. --list lists the stores that\n"
		"you trust, or made in a project. --link FILE allows the link of that file, such\n"
		"as state.json, to be followed to where it leads now, but never in a store that\n"
		"a repository tracks.\n",
	.execute = trust_execute,
};
