#include "cli/cmd/trust_review.h"

#include "base/mem.h"
#include "base/time.h"
#include "base/utf8.h"
#include "cli/doctor/provenance.h"
#include "git/authors.h"
#include "json/write.h"
#include "store/files/note_folder.h"
#include "store/open/store.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>

/* What is longer is cut, and how much of it is not shown is said. */
#define KEY_CHARACTERS 120
#define VALUE_CHARACTERS 300
#define CONFIG_CHARACTERS 4000
#define NAME_CHARACTERS 200

#define CONFIG_BYTES_MAX ((size_t)1 << 16)
#define LISTED_MAX 50

static void review_add_cut(struct str *out, struct slice text, size_t most, bool lines)
{
	struct slice part = utf8_cut(text, most);

	utf8_add_visible(out, part, lines);
	if (part.len < text.len)
		str_printf(out, "... (%zu more characters)",
			   utf8_count(slice_make(text.ptr + part.len, text.len - part.len)));
}

static void trust_review_add_heading(struct str *out, const struct paint *paint, const char *text)
{
	str_printf(out, "\n%s%s%s\n", paint->strong, text, paint->plain);
}

/* ---- entries */

static void review_remember(struct review *review, const struct entry *entry)
{
	*MEM_ADD(review->entries, review->count, review->cap) = (struct reviewed_entry){
		entry->category,
		arena_copy(&review->arena, entry->key),
		arena_copy(&review->arena, entry->text),
	};
}

static void trust_review_add_value(struct str *out, const struct entry *entry)
{
	STR_AUTO compact = STR_INIT;
	struct json_writer w = json_writer_to(&compact, &json_compact);

	json_write_value(&w, entry->doc, entry->value_node);
	review_add_cut(out, str_slice(&compact), VALUE_CHARACTERS, false);
}

static void review_add_entries(struct review *review, struct store *store,
			       const struct paint *paint)
{
	size_t count;
	const struct item *items = store_items(store, &count);

	trust_review_add_heading(&review->text, paint,
				 review->others_alone ? "Entries that others changed" : "Entries");
	for (size_t i = 0; i < count; i++) {
		bool others = store_is_of_others(store, &items[i].entry);

		review_remember(review, &items[i].entry);
		review->others += others;
		if (others || !review->others_alone) {
			struct str *out = &review->text;

			str_printf(out, "  %s", paint->strong);
			review_add_cut(out, items[i].ref, KEY_CHARACTERS, false);
			str_printf(out, "%s: ", paint->plain);
			trust_review_add_value(out, &items[i].entry);
			if (others)
				str_printf(out, " %s(changed by others)%s", paint->warn,
					   paint->plain);
			str_addc(out, '\n');
		}
	}
	if (review->others_alone ? review->others == 0 : count == 0)
		str_adds(&review->text, "  none\n");
}

static int review_add_archived(struct review *review, struct store *store, struct err *err)
{
	const struct archived *archived;
	size_t others = 0;
	size_t count;

	if (store_archive_whole(store, &archived, &count, err) != 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		review_remember(review, &archived[i].record.entry);
		others += store_is_of_others(store, &archived[i].record.entry);
	}
	if (count > 0)
		str_printf(&review->text,
			   "  and %zu in the archive, which `kota archived` lists%s\n", count,
			   others > 0 ? "; others changed some of them" : "");
	review->others += others;
	return 0;
}

/* What cannot be read, and why. */
static void review_add_notices(struct review *review, struct store *store,
			       const struct paint *paint)
{
	size_t count;
	const char *const *notices = store_notices(store, &count);

	if (count == 0)
		return;
	trust_review_add_heading(&review->text, paint, "What cannot be shown");
	for (size_t i = 0; i < count; i++) {
		str_adds(&review->text, "  ");
		utf8_add_visible(&review->text, slice_of(notices[i]), false);
		str_addc(&review->text, '\n');
	}
}

/* ---- what it asks for */

void review_read_config(struct disk *disk, struct str *out)
{
	struct file_id id;
	struct err ignored;

	if (file_read_own(disk->sys, disk->dirfd, CONFIG_NAME, CONFIG_BYTES_MAX, out, &id,
			  &ignored) != 0)
		str_clear(out);
}

static void review_add_settings(struct review *review, struct disk *disk, const struct paint *paint)
{
	struct str *out = &review->text;
	STR_AUTO held = STR_INIT;

	review_read_config(disk, &review->config);
	review->config_others = disk->origin.kind == ORIGIN_OWN && disk->origin.tracked &&
				!slice_equal(str_slice(&review->config), disk->origin.config);
	if (review->config.len == 0 || (review->others_alone && !review->config_others))
		return;
	trust_review_add_heading(out, paint,
				 review->others_alone ? "Settings (config.json), changed since"
						      : "Settings (config.json)");
	review_add_cut(out, str_slice(&review->config), CONFIG_CHARACTERS, true);
	if (out->ptr[out->len - 1] != '\n')
		str_addc(out, '\n');
	if (provenance_add_held_settings(&held, disk))
		str_printf(out, "  not in force as they stand: %s\n", held.ptr);
}

struct links {
	struct str lines;
	const struct disk *disk;
	size_t count;
};

static void review_add_link(void *context, const char *name, const char *target)
{
	struct links *links = context;

	if (++links->count > LISTED_MAX)
		return;
	str_adds(&links->lines, "  ");
	review_add_cut(&links->lines, slice_of(name), NAME_CHARACTERS, false);
	str_adds(&links->lines, " leads to ");
	review_add_cut(&links->lines, slice_of(target), PATH_MAX, false);
	if (!provenance_may_link(name))
		str_adds(&links->lines, " (is never followed)");
	else if (links->disk->origin.tracked && !links->disk->origin.personal)
		str_adds(&links->lines,
			 " (is not followed out of a store that a repository tracks)");
	else
		str_adds(&links->lines, " (kota reads and writes there, once you trust it)");
	str_addc(&links->lines, '\n');
}

static void review_add_links(struct review *review, const struct disk *disk,
			     const struct paint *paint)
{
	struct links links = {.lines = STR_INIT, .disk = disk};

	provenance_each_link(disk, review_add_link, &links);
	if (links.count > 0) {
		trust_review_add_heading(&review->text, paint, "Links");
		str_add(&review->text, str_slice(&links.lines));
	}
	if (links.count > LISTED_MAX)
		str_printf(&review->text, "  and %zu more\n", links.count - LISTED_MAX);
	str_release(&links.lines);
}

static void trust_review_add_note(struct str *out, const struct sys *sys, int folder,
				  const char *name)
{
	struct stat st;

	str_adds(out, "  " NOTE_FOLDER "/");
	review_add_cut(out, slice_of(name), NAME_CHARACTERS, false);
	if (sys->fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		str_printf(out, S_ISREG(st.st_mode) ? ", %jd bytes" : ", no file",
			   (intmax_t)st.st_size);
	str_addc(out, '\n');
}

/* The folder is opened only where it is one: nothing behind a link is looked at. */
static void review_add_notes(struct review *review, const struct disk *disk,
			     const struct paint *paint)
{
	const struct sys *sys = disk->sys;
	int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
	int fd = file_open(sys, disk->dirfd, NOTE_FOLDER, flags, 0);
	int folder = fd < 0 ? -1 : file_open(sys, fd, ".", flags, 0);
	DIR *dir = folder < 0 ? NULL : sys->fdopendir(folder);
	const struct dirent *entry;
	size_t count = 0;

	if (!dir)
		file_close(sys, &folder);
	while (dir && (entry = sys->readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		if (count++ == 0)
			trust_review_add_heading(&review->text, paint,
						 "Notes, which a search finds too");
		if (count <= LISTED_MAX)
			trust_review_add_note(&review->text, sys, fd, entry->d_name);
	}
	if (count > LISTED_MAX)
		str_printf(&review->text, "  and %zu more\n", count - LISTED_MAX);
	if (dir)
		sys->closedir(dir);
	file_close(sys, &fd);
}

static void trust_review_add_committed(struct review *review, const struct disk *disk,
				       const struct paint *paint)
{
	STR_AUTO names = STR_INIT;

	if (!provenance_add_committed(&names, disk))
		return;
	trust_review_add_heading(&review->text, paint, "The program's own files in the repository");
	str_adds(&review->text, "  ");
	review_add_cut(&review->text, str_slice(&names), NAME_CHARACTERS, false);
	str_adds(&review->text, " (never believed)\n");
}

/* ---- who wrote it */

static void review_list_authors(struct str *out, const struct authors *authors)
{
	for (size_t i = 0; i < authors->count && i < LISTED_MAX; i++) {
		const struct author *author = &authors->list[i];
		char last[TIMESTAMP_SIZE];

		timestamp_format(author->last_ms, last);
		str_adds(out, "  ");
		review_add_cut(out, slice_of(author->name), NAME_CHARACTERS, false);
		str_printf(out, ": %zu %s, the last on %.10s\n", author->commits,
			   author->commits == 1 ? "commit" : "commits", last);
	}
	if (authors->count > LISTED_MAX)
		str_printf(out, "  and %zu more\n", authors->count - LISTED_MAX);
	if (authors->count == 0)
		str_adds(out, "  nobody: it is in no commit yet\n");
	if (!authors->whole)
		str_printf(out, "  in the last %zu commits; what came before was not looked at\n",
			   authors->looked_at);
}

static int review_find_authors(struct authors *out, const struct disk *disk, struct err *err)
{
	const struct origin *origin = &disk->origin;
	const char *below = origin->path + strlen(origin->root);
	struct repo *repo;

	if (repo_open(&repo, disk->sys, origin->root, err) != 0)
		return -1;
	int result = authors_find(out, repo, below + (*below == '/'), REVIEW_COMMITS_MAX, err);
	repo_close(repo);
	return result;
}

/* The history of a repository is what its authors say of themselves. */
static void review_add_authors(struct review *review, const struct disk *disk,
			       const struct paint *paint)
{
	struct authors authors;
	struct err err;

	if (!disk->origin.tracked || !disk->origin.root || !disk->origin.path)
		return;
	trust_review_add_heading(&review->text, paint, "Written by, as the commits say");
	if (review_find_authors(&authors, disk, &err) != 0) {
		str_adds(&review->text, "  cannot be said: ");
		utf8_add_visible(&review->text, slice_of(err.text), false);
		str_addc(&review->text, '\n');
		return;
	}
	review_list_authors(&review->text, &authors);
	authors_release(&authors);
}

static void trust_review_add_place(struct review *review, const struct disk *disk,
				   const struct paint *paint)
{
	STR_AUTO words = STR_INIT;

	provenance_add(&words, &disk->origin);
	paint_add(&review->text, paint, paint->strong,
		  slice_of(disk->origin.path ? disk->origin.path : disk->path));
	str_adds(&review->text, "\n");
	utf8_add_visible(&review->text, str_slice(&words), false);
	str_addc(&review->text, '\n');
}

int review_make(struct review *out, struct store *store, int64_t now_ms, const struct paint *paint,
		bool others_alone, struct err *err)
{
	struct review review = {.others_alone = others_alone, .arena = ARENA_INIT};
	struct disk *disk = store_disk(store);

	str_init(&review.text);
	str_init(&review.config);
	if (store_look(store, now_ms, err) != 0)
		return -1;
	trust_review_add_place(&review, disk, paint);
	review_add_entries(&review, store, paint);
	if (review_add_archived(&review, store, err) != 0) {
		review_release(&review);
		return -1;
	}
	review_add_notices(&review, store, paint);
	review_add_settings(&review, disk, paint);
	review_add_links(&review, disk, paint);
	review_add_notes(&review, disk, paint);
	trust_review_add_committed(&review, disk, paint);
	review_add_authors(&review, disk, paint);
	*out = review;
	return 0;
}

void review_release(struct review *review)
{
	str_release(&review->text);
	str_release(&review->config);
	free(review->entries);
	arena_release(&review->arena);
	*review = (struct review){0};
}
