#include "torture/durable.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLACES_MAX 64

/* What makes a name of a directory, or a text, worth being durable. */
enum care { CARE_FILE = 1, CARE_JOURNAL = 2, CARE_COLD = 4, CARE_MARK = 8, CARE_PARENT = 16 };

/* What a power cut would take away at one path: a text, or names in a directory. */
struct place {
	const char *path;
	size_t len;
	unsigned text;
	unsigned names;
};

struct walk {
	struct place places[PLACES_MAX];
	size_t count;
};

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static struct place *place(struct walk *walk, const char *path, size_t len)
{
	for (size_t i = 0; i < walk->count; i++) {
		struct place *p = &walk->places[i];

		if (p->len == len && memcmp(p->path, path, len) == 0)
			return p;
	}
	if (walk->count == PLACES_MAX) {
		fprintf(stderr, "durable: more than %d paths in one trace\n", PLACES_MAX);
		abort();
	}
	walk->places[walk->count] = (struct place){.path = path, .len = len};
	return &walk->places[walk->count++];
}

static struct place *place_of(struct walk *walk, const char *path)
{
	return place(walk, path, strlen(path));
}

/* The directory that holds a path. */
static struct place *holder_of(struct walk *walk, const char *path)
{
	const char *base = base_of(path);

	return base == path ? place(walk, ".", 1) : place(walk, path, (size_t)(base - path) - 1);
}

/* What a path is, by its name; 0 for what need not be durable. */
static unsigned care_of(const char *path)
{
	const char *base = base_of(path);

	if (strstr(base, "metadata.json") || strstr(base, "usage.jsonl") ||
	    (base[0] == '.' && strstr(base, ".json.last")) || strcmp(base, ".lock") == 0 ||
	    strcmp(base, ".pending") == 0)
		return 0;
	if (strncmp(base, ".journal", 8) == 0)
		return CARE_JOURNAL;
	if (strncmp(base, ".kota", 5) == 0 || strncmp(base, ".gitignore", 10) == 0)
		return CARE_MARK;
	if (strstr(path, "archive.cold"))
		return CARE_COLD;
	return CARE_FILE;
}

static bool is_temporary(const char *path)
{
	const char *base = base_of(path);
	size_t len = strlen(base);

	return base[0] == '.' && len > 4 && strcmp(base + len - 4, ".tmp") == 0;
}

static bool owes(const struct walk *walk, unsigned cares)
{
	for (size_t i = 0; i < walk->count; i++) {
		if (((walk->places[i].text | walk->places[i].names) & cares) != 0)
			return true;
	}
	return false;
}

/* Before a file of the store, or a line of the cold archive, is changed. */
static const char *before_change(const struct walk *walk, unsigned care)
{
	if ((care & (CARE_FILE | CARE_COLD)) == 0)
		return NULL;
	if (owes(walk, CARE_MARK | CARE_PARENT))
		return "a file is changed in a store that may not be there after a cut";
	if (owes(walk, CARE_JOURNAL))
		return "a file is changed before the journal is durable";
	if (care == CARE_FILE && owes(walk, CARE_COLD))
		return "a file is changed before the lines of the cold archive are durable";
	return NULL;
}

static const char *walk_open(struct walk *walk, const struct fake_event *event,
			     const struct durable_start *start)
{
	unsigned care = care_of(event->path);

	if ((event->flags & O_CREAT) == 0 || is_temporary(event->path) || care != CARE_COLD ||
	    start->cold_file)
		return NULL;
	holder_of(walk, event->path)->names |= care;
	return before_change(walk, CARE_COLD);
}

static const char *walk_write(struct walk *walk, const struct fake_event *event)
{
	unsigned care = care_of(event->path);

	place_of(walk, event->path)->text |= care;
	if (is_temporary(event->path) || care == 0)
		return NULL;
	if (care != CARE_COLD)
		return "a file is written in its place";
	return before_change(walk, care);
}

static const char *walk_rename(struct walk *walk, const struct fake_event *event,
			       const struct durable_start *start)
{
	unsigned care = care_of(event->to);
	struct place *from = place_of(walk, event->path);
	struct place *to = place_of(walk, event->to);
	unsigned text = from->text;
	const char *fault;

	if (care == 0)
		return NULL;
	if (text != 0)
		return "a text gets its name before it is durable";
	fault = before_change(walk, care);
	if (care == CARE_JOURNAL && start->journal && owes(walk, CARE_FILE | CARE_COLD))
		fault = "the journal is replaced before all that it is about is durable";
	from->text = (event->flags & RENAME_EXCHANGE) ? to->text : 0;
	to->text = text;
	holder_of(walk, event->path)->names |= care;
	holder_of(walk, event->to)->names |= care;
	return fault;
}

static const char *walk_unlink(struct walk *walk, const struct fake_event *event)
{
	unsigned care = care_of(event->path);

	place_of(walk, event->path)->text = 0;
	if (care == 0 || is_temporary(event->path))
		return NULL;
	if (care == CARE_JOURNAL && owes(walk, CARE_FILE | CARE_COLD))
		return "the journal goes before all that it is about is durable";
	holder_of(walk, event->path)->names |= care;
	return NULL;
}

static const char *walk_mkdir(struct walk *walk, const struct fake_event *event)
{
	unsigned care = care_of(event->path) == CARE_COLD ? CARE_COLD : CARE_PARENT;
	const char *fault = before_change(walk, care);

	holder_of(walk, event->path)->names |= care;
	return fault;
}

static const char *step(struct walk *walk, const struct fake_event *event,
			const struct durable_start *start)
{
	struct place *p;

	switch (event->call) {
	case FAKE_OPENAT:
		return walk_open(walk, event, start);
	case FAKE_WRITE:
	case FAKE_PWRITE:
		return walk_write(walk, event);
	case FAKE_FSYNC:
		p = place_of(walk, event->path);
		p->text = 0;
		p->names = 0;
		return NULL;
	case FAKE_RENAMEAT2:
		return walk_rename(walk, event, start);
	case FAKE_UNLINKAT:
		return walk_unlink(walk, event);
	case FAKE_MKDIRAT:
		return walk_mkdir(walk, event);
	default:
		return NULL;
	}
}

const char *durable_fault(const struct fake_event *trace, size_t count,
			  const struct durable_start *start, size_t without, size_t *at)
{
	struct walk walk = {.count = 0};

	for (size_t i = 0; i < 4 && start->unsynced[i]; i++)
		place_of(&walk, start->unsynced[i])->names |= CARE_FILE;
	for (*at = 0; *at < count; (*at)++) {
		const struct fake_event *event = &trace[*at];
		const char *fault;

		if (event->error || *at == without ||
		    (without == DURABLE_ALL && event->call == FAKE_FSYNC))
			continue;
		fault = step(&walk, event, start);
		if (fault)
			return fault;
	}
	return owes(&walk, ~0u) ? "something is not durable when the operation returns" : NULL;
}
