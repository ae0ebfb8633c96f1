#include "store/log/journal_seal.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>

#define MAC_NAME "mac"
#define PLACE_NAME "store"

/* Which store this is; empty texts where that is not known. */
struct identity {
	struct str path;
	struct str inode;
	struct str born;
};

#define IDENTITY_INIT                                                                              \
	{                                                                                          \
		STR_INIT, STR_INIT, STR_INIT                                                       \
	}

static void identity_release(struct identity *identity)
{
	str_release(&identity->path);
	str_release(&identity->inode);
	str_release(&identity->born);
}

/* A path need not be UTF-8, the text of a journal must: bytes in hexadecimal tell as much. */
static void add_path(struct str *out, const char *path)
{
	for (const char *c = path; *c; c++) {
		if ((unsigned char)*c < 0x20 || (unsigned char)*c >= 0x7f || *c == '%')
			str_printf(out, "%%%02x", (unsigned char)*c);
		else
			str_addc(out, *c);
	}
}

static void identify(struct disk *disk, struct identity *out)
{
	char *path = disk->sys->realpath(disk->path);
	struct statx st;

	if (path)
		add_path(&out->path, path);
	free(path);
	if (disk->sys->statx(disk->dirfd, "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &st) != 0)
		return;
	if (st.stx_mask & STATX_INO)
		str_printf(&out->inode, "%" PRIu64, (uint64_t)st.stx_ino);
	if (st.stx_mask & STATX_BTIME)
		str_printf(&out->born, "%" PRId64 ".%09" PRIu32, (int64_t)st.stx_btime.tv_sec,
			   st.stx_btime.tv_nsec);
}

static enum signer_state ask(struct disk *disk)
{
	return signer_ask(&disk->signer, disk->sys, disk->env, disk->origin.root,
			  disk->lock_fd >= 0);
}

bool seal_ready(struct disk *disk)
{
	return ask(disk) == SIGNER_READY;
}

static void write_known(struct json_writer *w, const char *name, const struct str *text)
{
	if (text->len)
		json_write_member_string(w, name, str_slice(text));
}

void seal_write_place(struct disk *disk, struct json_writer *w)
{
	struct identity here = IDENTITY_INIT;

	identify(disk, &here);
	json_write_name(w, slice_of(PLACE_NAME));
	json_write_object(w);
	write_known(w, "path", &here.path);
	write_known(w, "inode", &here.inode);
	write_known(w, "born", &here.born);
	json_write_end(w);
	identity_release(&here);
}

void seal_add(struct disk *disk, struct slice body, struct str *out)
{
	unsigned char tag[HMAC_BYTES];

	signer_sign(&disk->signer, body, tag);
	str_adds(out, "\"" MAC_NAME "\":\"");
	hmac_print(out, tag);
	str_adds(out, "\",");
}

/* Does the member say this, and is it known at all? */
static bool says(const struct json *doc, uint32_t place, const char *name, const struct str *here)
{
	struct arena arena = ARENA_INIT;
	bool same = here->len > 0 &&
		    slice_equal(json_member_text(doc, place, name, &arena), str_slice(here));

	arena_release(&arena);
	return same;
}

/* By its path, which a restored backup has, or by the folder itself, which may have been moved. */
static bool is_of_here(struct disk *disk, const struct json *doc, uint32_t body)
{
	uint32_t place = json_member(doc, body, PLACE_NAME);
	struct identity here = IDENTITY_INIT;
	bool same;

	if (place == JSON_NONE || json_type(doc, place) != JSON_OBJECT)
		return false;
	identify(disk, &here);
	same = says(doc, place, "path", &here.path) ||
	       (says(doc, place, "inode", &here.inode) && says(doc, place, "born", &here.born));
	identity_release(&here);
	return same;
}

enum seal seal_check(struct disk *disk, const struct json *doc, uint32_t body)
{
	uint32_t mac = json_member(doc, JSON_ROOT, MAC_NAME);
	enum signer_state state = ask(disk);
	struct arena arena = ARENA_INIT;
	unsigned char tag[HMAC_BYTES];
	bool parsed;

	if (state == SIGNER_CANNOT)
		return SEAL_UNKNOWN;
	if (mac == JSON_NONE)
		return SEAL_NONE;
	parsed = hmac_parse(json_member_text(doc, JSON_ROOT, MAC_NAME, &arena), tag);
	arena_release(&arena);
	if (!parsed || !signer_verify(&disk->signer, json_text(doc, body), tag))
		return SEAL_BAD;
	return is_of_here(disk, doc, body) ? SEAL_GOOD : SEAL_ELSEWHERE;
}
