#include "store/view/read_through.h"

#include "store/swap/member_update.h"
#include "store/view/notices.h"

/* The files that the journal concerns are read again. */
static void read_through_forget_files(struct store *store)
{
	const struct journal *journal = &store->waiting.journal;

	for (int f = 0; f < STORE_FILE_COUNT; f++) {
		for (size_t i = 0; i < journal->count; i++) {
			if (build_concerns(&journal->ops[i], (enum store_file)f))
				store->files[f].known = false;
		}
	}
}

/* Only what is absent is no journal. */
static void read_through_tell(struct store *store, const struct err *err)
{
	notices_add(store, "%s; this answer may show half of a change", err->text);
}

bool read_through_look(struct store *store)
{
	struct waiting *waiting = &store->waiting;
	struct file_id id = {.present = false};
	struct err err;

	/* The holder of the lock has just carried it out, and nobody else can write one. */
	if (store->disk.lock_fd >= 0 && store->disk.unjournaled_round == store->disk.look_rounds &&
	    !waiting->id.present)
		return false;
	if (store->disk.dirfd >= 0 && journal_is_used(&store->disk) &&
	    stat_cache_at(&waiting->cache, &store->disk, JOURNAL_NAME, &id, &err) != 0) {
		read_through_tell(store, &err);
		return false;
	}
	if (file_id_equal(&id, &waiting->id))
		return false;
	read_through_forget_files(store);
	journal_release(&waiting->journal);
	waiting->id = id;
	if (id.present && journal_read(&waiting->journal, &store->disk, &err) != 0) {
		waiting->journal = (struct journal){.arena = ARENA_INIT};
		waiting->id.present = false; /* to be read again */
		read_through_tell(store, &err);
	}
	if (!waiting->journal.found)
		journal_release(&waiting->journal);
	read_through_forget_files(store);
	return true;
}

bool read_through_waits(const struct store *store)
{
	return store->waiting.journal.found;
}

const struct op *read_through_ops(const struct store *store, size_t *count)
{
	*count = store->waiting.journal.count;
	return store->waiting.journal.ops;
}

void read_through_cold(const struct store *store, cold_line_visitor visit, void *context)
{
	size_t count;
	const struct op *ops = read_through_ops(store, &count);

	for (size_t i = 0; i < count; i++) {
		struct json_fault fault;
		JSON_AUTO doc = {0};

		if (ops[i].kind != OP_COLD_ADD ||
		    json_parse(&doc, ops[i].text, &json_file_bounds, &fault) != 0)
			continue;
		visit(context, &doc, i);
	}
}

void read_through_apply(struct store *store, enum store_file which)
{
	struct loaded *file = &store->files[which];
	struct build build = {
		.file = which,
		.ops = store->waiting.journal.ops,
		.count = store->waiting.journal.count,
		.redo = true,
		.now_ms = store->waiting.journal.at_ms,
	};
	struct str text = STR_INIT;
	STR_AUTO aside = STR_INIT;
	struct json_fault fault;
	struct json doc;
	struct err ignored;

	if (!store->waiting.journal.found || (file->broken && !file->stands) ||
	    build_ops(&build, &file->doc, &text, &aside, &ignored) != 0 ||
	    slice_equal(str_slice(&text), str_slice(&file->text)) ||
	    json_parse(&doc, str_slice(&text), &json_file_bounds, &fault) != 0) {
		str_release(&text);
		return;
	}
	json_release(&file->doc);
	str_release(&file->raw);
	file->raw = file->text;
	file->text = text;
	file->doc = doc;
}

void read_through_release(struct store *store)
{
	journal_release(&store->waiting.journal);
	stat_cache_release(&store->waiting.cache, store->sys);
}
