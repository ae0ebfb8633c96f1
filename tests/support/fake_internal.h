/*
 * Between fake_sys.c, which knows rules and trace, and fake_calls.c, which has the calls.
 *
 * A call describes itself, asks whether it is refused, and notes how it went.
 */
#ifndef KOTA_TESTS_FAKE_INTERNAL_H
#define KOTA_TESTS_FAKE_INTERNAL_H

#include "support/fake_sys.h"

/* Fills out[] with the path as the trace shows it. */
void fake_describe_at(char out[PATH_MAX], int dirfd, const char *path);

/* A call about a name, or about a descriptor. */
struct fake_event fake_about_at(enum fake_call call, int dirfd, const char *path, int64_t flags);
struct fake_event fake_about_fd(enum fake_call call, int fd, int64_t flags);

/* Applies the rules before a call. Returns the errno with which it is to fail, or 0. */
int fake_before(enum fake_call call, size_t *count);

/*
 * Applies the rules before a call, and notes it with its errno when it is to fail. *count, where
 * there is one, gets smaller for a short transfer.
 */
bool fake_refused(struct fake_event *event, size_t *count);

/* Notes how the call went; a negative result is a failure. Returns result; errno stays. */
int64_t fake_done(struct fake_event *event, int64_t result);

/* As fake_sys_no_inodes() said. */
bool fake_has_no_inodes(void);

#endif
