#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/str.h"
#include "similarity/cluster.h"

/* The groups of texts as "0,1 2,3". */
static void check_groups(const char *const *list, size_t count, double threshold, size_t least,
			 size_t most, const char *want)
{
	struct slice texts[32];
	struct clusters clusters;
	struct similar *similar;
	STR_AUTO got = STR_INIT;

	for (size_t i = 0; i < count; i++)
		texts[i] = slice_of(list[i]);
	similar = similar_new(texts, count);
	clusters_find(similar, threshold, least, most, &clusters);
	for (size_t i = 0; i < clusters.count; i++) {
		for (size_t m = 0; m < clusters.list[i].count; m++)
			str_printf(&got, "%s%zu",
				   m   ? ","
				   : i ? " "
				       : "",
				   clusters.list[i].members[m]);
	}
	assert_string_equal(got.ptr, want);
	clusters_release(&clusters);
	similar_free(similar);
}

static void groups_grow_in_the_order_of_the_texts(void **state)
{
	static const char *const texts[] = {"red green blue", "one two three",
					    "green red blue", "four",
					    "three two one",  "blue red green white"};

	(void)state;
	check_groups(texts, 6, 0.7, 2, 12, "0,2,5 1,4");
	check_groups(texts, 6, 1, 2, 12, "0,2 1,4");
	check_groups(texts, 6, 0.7, 3, 12, "0,2,5");
	check_groups(texts, 6, 0.7, 1, 12, "0,2,5 1,4 3");
	check_groups(texts, 0, 0.7, 2, 12, "");
	check_groups(texts, 6, 0, 2, 12, "0,1,2,3,4,5");
}

static void a_text_joins_two_groups(void **state)
{
	static const char *const texts[] = {"aaa bbb ccc", "ddd eee fff", "aaa bbb ccc ddd eee fff",
					    "fff ggg hhh"};

	(void)state;
	check_groups(texts, 4, 0.5, 2, 12, "0,2,1");
	/* Joined together they are more than may be in a group: the last ones go. */
	check_groups(texts, 4, 0.5, 2, 2, "0,2");
}

static void a_full_group_takes_nobody(void **state)
{
	static const char *const texts[] = {"same text", "same text", "same text", "same text",
					    "same text"};

	(void)state;
	check_groups(texts, 5, 0.9, 2, 2, "0,1 2,3");
	check_groups(texts, 5, 0.9, 1, 2, "0,1 2,3 4");
	check_groups(texts, 5, 0.9, 1, 1, "0 1 2 3 4");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups_grow_in_the_order_of_the_texts),
		cmocka_unit_test(a_text_joins_two_groups),
		cmocka_unit_test(a_full_group_takes_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
