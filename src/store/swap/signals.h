/*
 * Keeping SIGINT and SIGTERM waiting while files are being written.
 *
 * A client that stops the server does not interrupt a change half way: the signal is delivered when
 * the change is done. Nothing depends on it: every step can be interrupted by SIGKILL as well.
 */
#ifndef KOTA_STORE_SWAP_SIGNALS_H
#define KOTA_STORE_SWAP_SIGNALS_H

#include <signal.h>

/* Holds them back until signals_release(); may be nested. */
static inline void signals_hold(sigset_t *before)
{
	sigset_t held;

	sigemptyset(&held);
	sigaddset(&held, SIGINT);
	sigaddset(&held, SIGTERM);
	sigprocmask(SIG_BLOCK, &held, before);
}

static inline void signals_release(const sigset_t *before)
{
	sigprocmask(SIG_SETMASK, before, NULL);
}

#endif
