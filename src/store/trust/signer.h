/*
 * The person's own key, which distinguishes a journal that this user wrote from one that came with
 * a repository.
 *
 * `key` in the state folder: 32 random bytes, made once, 0600. It is read when it is first needed:
 * a change of one file needs none. Without a usable state folder, or if others can access the file,
 * nothing is signed and nothing verifies. A temporary failure is an error instead: the next
 * process, which has the key, would refuse what this one left unsigned.
 */
#ifndef KOTA_STORE_TRUST_SIGNER_H
#define KOTA_STORE_TRUST_SIGNER_H

#include "base/hmac.h"
#include "store/trust/state_folder.h"

#define SIGNER_KEY_NAME "key"

enum signer_state {
	SIGNER_ABSENT, /* all zeroes: there is none, and nobody has asked for one to be made */
	SIGNER_READY,
	SIGNER_CANNOT, /* there can be none; `why` says why */
	SIGNER_FAILED  /* it could not be read or made this time; `why` says why */
};

struct signer {
	enum signer_state state;
	bool told; /* the person was told that changes are not signed */
	struct err why;
	unsigned char key[HMAC_BYTES];
};

/*
 * Reads the key, until it has been read once; with make one is made where there is none. The answer
 * is SIGNER_ABSENT only without make. env NULL: a process without an
 * environment, which has no key; work_tree as for state_folder_open().
 */
enum signer_state signer_ask(struct signer *signer, const struct sys *sys, environment env,
			     const char *work_tree, bool make);

/* Forgets the key. */
void signer_forget(struct signer *signer);

/* The tag of a text; after SIGNER_READY alone. */
void signer_sign(const struct signer *signer, struct slice text, unsigned char tag[HMAC_BYTES]);

/* True if this tag was made of this text with the key. False without a key. */
bool signer_verify(const struct signer *signer, struct slice text,
		   const unsigned char tag[HMAC_BYTES]);

#endif
