#include "store/trust/signer.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

/* Reads the key; *found is false when there is none. */
static int signer_read_key(const struct sys *sys, int dirfd, unsigned char key[HMAC_BYTES],
			   bool *found, struct err *err)
{
	STR_AUTO text = STR_INIT;
	struct stat st;
	int result = 0;

	if (state_file_read(sys, dirfd, SIGNER_KEY_NAME, HMAC_BYTES, &text, found, err) != 0)
		return -1;
	if (!*found)
		return 0;
	if (sys->fstatat(dirfd, SIGNER_KEY_NAME, &st, AT_SYMLINK_NOFOLLOW) != 0)
		result = err_set_errno(err, ERR_IO, errno, "cannot look at " SIGNER_KEY_NAME);
	else if (st.st_mode & 077)
		result = err_set(err, ERR_BAD_DATA,
				 SIGNER_KEY_NAME " can be read by others: remove it, and the next "
						 "change makes a new one");
	else if (text.len != HMAC_BYTES)
		result = err_set(err, ERR_BAD_DATA,
				 SIGNER_KEY_NAME " has %zu bytes instead of %d: remove it, and the "
						 "next change makes a new one",
				 text.len, HMAC_BYTES);
	else
		memcpy(key, text.ptr, HMAC_BYTES);
	if (text.ptr)
		explicit_bzero(text.ptr, text.len);
	return result;
}

static int signer_draw_key(const struct sys *sys, unsigned char key[HMAC_BYTES], struct err *err)
{
	size_t done = 0;

	while (done < HMAC_BYTES) {
		ssize_t got = sys->getrandom(key + done, HMAC_BYTES - done, 0);

		if (got > 0)
			done += (size_t)got;
		else if (got == 0 || errno != EINTR)
			return err_set_errno(err, state_error_code(errno), errno,
					     "cannot get random bytes from the kernel");
	}
	return 0;
}

/* Under the lock, so that all processes get the one key. */
static int signer_make_key(const struct sys *sys, int dirfd, unsigned char key[HMAC_BYTES],
			   struct err *err)
{
	unsigned char drawn[HMAC_BYTES];
	bool found;
	int lock;

	if (state_folder_lock(sys, dirfd, &lock, err) != 0)
		return -1;
	int result = signer_read_key(sys, dirfd, key, &found, err);
	if (result == 0 && !found) {
		result = signer_draw_key(sys, drawn, err);
		if (result == 0)
			result = file_replace(sys, dirfd, SIGNER_KEY_NAME,
					      slice_make((const char *)drawn, sizeof drawn), 0600,
					      FILE_DURABLE, NULL, err);
		if (result == 0)
			memcpy(key, drawn, sizeof drawn);
		/* The lock was taken, so the folder exists and can be written. */
		else if (err->code == ERR_CANNOT_WRITE)
			err->code = ERR_IO;
		explicit_bzero(drawn, sizeof drawn);
	}
	state_folder_unlock(sys, &lock);
	return result;
}

static enum signer_state signer_find_key(struct signer *signer, const struct sys *sys,
					 environment env, const char *work_tree, bool make)
{
	bool found = false;
	int dirfd;

	if (!env) {
		err_set(&signer->why, ERR_NOT_FOUND, "this process has no environment");
		return SIGNER_CANNOT;
	}
	int result = state_folder_open(sys, env, work_tree, make, &dirfd, &signer->why);
	if (result == 0 && dirfd >= 0) {
		result = signer_read_key(sys, dirfd, signer->key, &found, &signer->why);
		if (result == 0 && !found && make) {
			result = signer_make_key(sys, dirfd, signer->key, &signer->why);
			found = result == 0;
		}
		file_close(sys, &dirfd);
		if (result != 0)
			err_prefix(&signer->why, "kota's state folder");
	}
	if (result == 0)
		return found ? SIGNER_READY : SIGNER_ABSENT;
	return state_error_passes(&signer->why) ? SIGNER_FAILED : SIGNER_CANNOT;
}

enum signer_state signer_ask(struct signer *signer, const struct sys *sys, environment env,
			     const char *work_tree, bool make)
{
	/* Only a key is remembered: what stood in its way may have gone. */
	if (signer->state != SIGNER_READY)
		signer->state = signer_find_key(signer, sys, env, work_tree, make);
	return signer->state;
}

void signer_forget(struct signer *signer)
{
	explicit_bzero(signer->key, sizeof signer->key);
	signer->state = SIGNER_ABSENT;
}

void signer_sign(const struct signer *signer, struct slice text, unsigned char tag[HMAC_BYTES])
{
	hmac_sha256(slice_make((const char *)signer->key, sizeof signer->key), text, tag);
}

bool signer_verify(const struct signer *signer, struct slice text,
		   const unsigned char tag[HMAC_BYTES])
{
	unsigned char ours[HMAC_BYTES];

	if (signer->state != SIGNER_READY)
		return false;
	signer_sign(signer, text, ours);
	return hmac_equal(ours, tag);
}
