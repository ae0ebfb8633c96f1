/*
 * What the history costs a change, against what libgit2 itself costs on the same disk.
 *
 *	history [ROUNDS]
 *
 * In turns, so that the disk is the same to all: a change without history, one with it, blob, tree,
 * commit and reference by libgit2 alone, fsynced, and the bare replacement of a file as large as
 * that of the store: write, fsync, rename, fsync of the folder. Prints medians, and medians of the
 * ratios of one turn.
 */
#include "git/repo.h"
#include "git/repo_state.h"
#include "store/open/store.h"
#include "store/txn/change.h"
#include "support/surroundings.h"
#include "support/tmpdir.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 200
#define ENTRIES 50

enum what { WITHOUT, WITH, LIBRARY, REPLACEMENT, WHAT_COUNT };

struct bench {
	struct tmpdir dirs[WHAT_COUNT];
	struct store *stores[2];
	struct repo *bare;
	git_oid parent;
	bool has_parent;
	double *ms[WHAT_COUNT];
};

static double clock_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static _Noreturn void give_up(const struct err *err)
{
	fprintf(stderr, "%s\n", err->text);
	exit(1);
}

static void change_value(struct store *store, int entry, int value)
{
	static const struct change_meta meta = {.tool = "memory_set"};
	struct entry_fields fields = {0};
	STR_AUTO key = STR_INIT;
	STR_AUTO text = STR_INIT;
	STR_AUTO composed = STR_INIT;
	struct change *change;
	const struct item *old;
	struct err err;
	int64_t now_ms = sys_real()->now_ms();

	str_printf(&key, "entry %d", entry);
	str_printf(&text, "\"a value of some words, number %d\"", value);
	fields.value = str_slice(&text);
	if (change_begin(&change, store, &meta, now_ms, &err) != 0)
		give_up(&err);
	old = store_find(store, CATEGORY_STATE, str_slice(&key));
	entry_compose(&composed, old ? &old->entry : NULL, &fields, now_ms);
	if (change_put(change, CATEGORY_STATE, str_slice(&key), str_slice(&composed), &err) != 0 ||
	    change_commit(change, NULL, &err) != 0)
		give_up(&err);
	change_end(change);
}

static void check(const struct bench *bench, int result)
{
	struct err err;

	if (result == 0)
		return;
	lib_error(&bench->bare->lib, &err, "make a bare commit");
	give_up(&err);
}

/* Blob, tree, commit, reference: what any recording comes down to. */
static void commit_bare(struct bench *bench, int value)
{
	const struct lib *lib = &bench->bare->lib;
	git_repository *handle = bench->bare->handle;
	git_signature *who;
	git_treebuilder *builder;
	git_commit *parent = NULL;
	git_reference *ref;
	git_tree *tree;
	git_oid blob;
	git_oid tree_id;
	git_oid commit;
	char text[8192];
	int len = snprintf(text, sizeof text, "%08191d", value);

	check(bench, lib->odb_write(&blob, bench->bare->odb, text, (size_t)len, GIT_OBJECT_BLOB));
	check(bench, lib->treebuilder_new(&builder, handle, NULL));
	check(bench,
	      lib->treebuilder_insert(NULL, builder, "state.json", &blob, GIT_FILEMODE_BLOB));
	check(bench, lib->treebuilder_write(&tree_id, builder));
	check(bench, lib->tree_lookup(&tree, handle, &tree_id));
	check(bench, lib->signature_new(&who, "bench", "bench@localhost", 1795000000, 0));
	if (bench->has_parent)
		check(bench, lib->commit_lookup(&parent, handle, &bench->parent));
	check(bench, lib->commit_create(&commit, handle, NULL, who, who, NULL, "bench\n", tree,
					parent ? 1 : 0, (const git_commit **)&parent));
	check(bench, lib->reference_create(&ref, handle, "refs/heads/main", &commit, 1, "bench"));
	bench->parent = commit;
	bench->has_parent = true;
	lib->reference_free(ref);
	lib->commit_free(parent);
	lib->signature_free(who);
	lib->tree_free(tree);
	lib->treebuilder_free(builder);
}

/* The least that makes a new text of a file durable. */
static void replace_bare(struct bench *bench)
{
	int dirfd = bench->dirs[REPLACEMENT].fd;
	char *text = tmpdir_read(&bench->dirs[WITH], "state.json");
	size_t len = strlen(text);
	int fd = openat(dirfd, "new", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, text, len) != (ssize_t)len || fsync(fd) != 0 || close(fd) != 0 ||
	    renameat(dirfd, "new", dirfd, "state.json") != 0 || fsync(dirfd) != 0) {
		perror("replace a file");
		exit(1);
	}
	free(text);
}

static void act(struct bench *bench, enum what what, int round)
{
	if (what == LIBRARY)
		commit_bare(bench, round);
	else if (what == REPLACEMENT)
		replace_bare(bench);
	else
		change_value(bench->stores[what], round % ENTRIES, round + 1);
}

static int compare(const void *a, const void *b)
{
	double left = *(const double *)a;
	double right = *(const double *)b;

	return (left > right) - (left < right);
}

static double median(double *values, int count)
{
	qsort(values, (size_t)count, sizeof *values, compare);
	return values[count / 2];
}

/* The median of the ratios of one turn. */
static double median_ratio(const struct bench *bench, enum what of, enum what to, int rounds)
{
	double *ratios = calloc((size_t)rounds, sizeof *ratios);
	double result;

	for (int i = 0; i < rounds; i++)
		ratios[i] = bench->ms[of][i] / bench->ms[to][i];
	result = median(ratios, rounds);
	free(ratios);
	return result;
}

static void set_up(struct bench *bench)
{
	static const environment environments[] = {surroundings_plain, surroundings_with_history};
	struct err err;

	for (int i = 0; i < WHAT_COUNT; i++)
		tmpdir_make(&bench->dirs[i]);
	for (int i = 0; i <= WITH; i++) {
		if (store_open(&bench->stores[i], sys_real(), environments[i], bench->dirs[i].path,
			       &err) != 0)
			give_up(&err);
		for (int entry = 0; entry < ENTRIES; entry++)
			change_value(bench->stores[i], entry, 0);
	}
	if (repo_create(&bench->bare, sys_real(), bench->dirs[LIBRARY].path, &err) != 0)
		give_up(&err);
}

static void run(struct bench *bench, int rounds)
{
	for (int round = 0; round < rounds; round++) {
		for (int what = 0; what < WHAT_COUNT; what++) {
			double begun = clock_ms();

			act(bench, (enum what)what, round);
			bench->ms[what][round] = clock_ms() - begun;
		}
	}
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? (int)strtol(argv[1], NULL, 10) : ROUNDS;
	struct bench bench = {0};
	double medians[WHAT_COUNT];
	double with_to_without;
	double with_to_bare;

	for (int i = 0; i < WHAT_COUNT; i++)
		bench.ms[i] = calloc((size_t)rounds, sizeof(double));
	set_up(&bench);
	run(&bench, rounds);
	with_to_without = median_ratio(&bench, WITH, WITHOUT, rounds);
	with_to_bare = median_ratio(&bench, WITH, REPLACEMENT, rounds);
	for (int i = 0; i < WHAT_COUNT; i++)
		medians[i] = median(bench.ms[i], rounds);
	printf("a change: %.2f ms without history, %.2f ms with it; libgit2 alone: %.2f ms; bare "
	       "replacement: %.2f ms\n",
	       medians[WITHOUT], medians[WITH], medians[LIBRARY], medians[REPLACEMENT]);
	printf("with / without: %.2f; with / bare replacement: %.2f; (with - without) / libgit2 "
	       "alone: %.2f\n",
	       with_to_without, with_to_bare,
	       (medians[WITH] - medians[WITHOUT]) / medians[LIBRARY]);
	for (int i = 0; i < WHAT_COUNT; i++) {
		if (i <= WITH)
			store_close(bench.stores[i]);
		free(bench.ms[i]);
		tmpdir_remove(&bench.dirs[i]);
	}
	repo_close(bench.bare);
	return 0;
}
