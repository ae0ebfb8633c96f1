#include "store/view/synonyms_file.h"

#include "base/mem.h"
#include "store/view/notices.h"
#include "store/files/resolve.h"

#include <stdlib.h>

#define SYNONYMS_NAME "synonyms.json"

struct wordbook {
	struct glance glance;
	struct file_id id;
	bool known;
	bool settled;
	struct synonyms synonyms;
	size_t left_out;
};

static void read_book(struct store *store, struct wordbook *book)
{
	STR_AUTO text = STR_INIT;
	struct json doc;
	struct err err;

	book->known = false;
	book->left_out = 0;
	synonyms_release(&book->synonyms);
	if (disk_read_json(&store->disk, SYNONYMS_NAME, &text, &doc, &book->id, &err) != 0) {
		view_notice(store, "%s; synonyms are left out until it is mended", err.text);
		return;
	}
	synonyms_read(&book->synonyms, &doc, &book->left_out);
	json_release(&doc);
	book->known = true;
	book->settled = disk_is_settled(&store->disk, &book->id);
}

static bool is_current(const struct store *store, struct wordbook *book)
{
	struct file_id id = {0};
	struct err ignored;

	return book->known && book->settled &&
	       glance_at(&book->glance, &store->disk, SYNONYMS_NAME, &id, &ignored) == 0 &&
	       file_id_equal(&id, &book->id);
}

const struct synonyms *wordbook_synonyms(struct store *store)
{
	struct wordbook *book;

	if (store->disk.dirfd < 0)
		return NULL;
	if (!store->wordbook)
		store->wordbook = mem_zalloc(1, sizeof *store->wordbook);
	book = store->wordbook;
	if (!is_current(store, book))
		read_book(store, book);
	if (book->left_out)
		view_notice(store,
			    "%s/" SYNONYMS_NAME ": %zu members are no words and are left out",
			    store->disk.path, book->left_out);
	return book->synonyms.count ? &book->synonyms : NULL;
}

void wordbook_free(struct wordbook *wordbook, const struct sys *sys)
{
	if (!wordbook)
		return;
	glance_release(&wordbook->glance, sys);
	synonyms_release(&wordbook->synonyms);
	free(wordbook);
}
