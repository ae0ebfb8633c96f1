/*
 * The disk is full after n bytes, for every n up to what an operation writes: the write that does
 * not fit falls short, and then nothing more is taken. The answer says what is there and, when the
 * operation is refused, that the disk is full.
 */
#include "support/fake_sys.h"
#include "torture/scene.h"
#include "torture/scene_sys.h"

#include <stdio.h>
#include <string.h>

/* Of so many bytes one is tried in short form, and in full form where a store is not clean. */
#define ONE_OF 150
#define ONE_OF_FULL 10

static size_t measure(const struct deed *deed, enum start start)
{
	struct answer answer = {.text = STR_INIT};
	struct scene scene;
	size_t bytes;

	scene_make(&scene, deed, start);
	scene_sys_room(SCENE_ROOM);
	scene_run(&scene, &answer);
	bytes = scene_sys_written();
	scene_remove(&scene);
	str_release(&answer.text);
	return bytes;
}

static bool says_full(const struct answer *answer)
{
	return strstr(answer->text.ptr, "No space left on device") != NULL;
}

static void try_room(struct row *row, const struct expected *expected, size_t room)
{
	struct answer answer = {.text = STR_INIT};
	struct scene scene;
	char label[64];

	scene_make(&scene, expected->deed, expected->start);
	scene_sys_room(room);
	scene_run(&scene, &answer);
	snprintf(label, sizeof label, "room for %zu bytes", room);
	if (answer.kind != expected->answer.kind && !says_full(&answer))
		row_violation(row, "%s, %s, %s: does not say that the disk is full: %s",
			      expected->deed->name, start_name(expected->start), label,
			      answer.text.ptr);
	scene_judge(row, expected, &scene, &answer, label);
	scene_remove(&scene);
	str_release(&answer.text);
}

static unsigned torture(struct row *row, const struct deed *deed, enum start start, unsigned one_of)
{
	struct expected expected;
	size_t bytes = measure(deed, start);
	unsigned cases = 0;

	expected_init(&expected, deed, start);
	for (size_t room = 0; room < bytes && !row_is_over(row); room++) {
		if (row_below(row, one_of) != 0)
			continue;
		try_room(row, &expected, room);
		cases++;
	}
	expected_release(&expected);
	return cases;
}

int main(int argc, char **argv)
{
	static const enum start starts[] = {START_CLEAN, START_SERVING, START_JOURNAL,
					    START_EXCHANGED, START_EMPTY};
	const struct deed *deed;
	struct row row;
	size_t count;
	unsigned cases = 0;

	row_init(&row, argc, argv);
	scenes_init(&row);
	deed = deeds(&count);
	for (size_t d = 0; d < count; d++) {
		for (size_t s = 0; s < sizeof starts / sizeof *starts && !row_is_over(&row); s++) {
			if (row_below(&row, row_times(&row, 2, 1)) == 0)
				cases += torture(&row, &deed[d], starts[s],
						 row_times(&row, ONE_OF, s == 0 ? 1 : ONE_OF_FULL));
		}
	}
	fake_sys_release();
	return row_end(&row, "%u places at which the disk is full, %zu operations", cases, count);
}
