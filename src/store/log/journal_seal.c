#include "store/log/journal_seal.h"

#include <inttypes.h>
#include <stdio.h>

#define MAC_NAME "mac"
#define PLACE_NAME "store"

/* Which store this is: its path as text, its inode and its birth time, which may be empty. */
struct identity {
	struct str path;
	char inode[24];
	char born[ORIGIN_BORN_SIZE];
};

static int journal_seal_identify(const struct disk *disk, struct identity *out, struct err *err)
{
	struct store_id id;

	if (origin_identify(&disk->origin, disk->sys, disk->dirfd, &id, out->born, err) != 0)
		return -1;
	snprintf(out->inode, sizeof out->inode, "%" PRIu64, id.inode);
	out->path = (struct str)STR_INIT;
	/* A path need not be UTF-8, but the journal must be: escape the bytes. */
	for (const char *c = id.path.ptr; *c; c++) {
		if ((unsigned char)*c < 0x20 || (unsigned char)*c >= 0x7f || *c == '%')
			str_printf(&out->path, "%%%02x", (unsigned char)*c);
		else
			str_addc(&out->path, *c);
	}
	return 0;
}

int journal_seal_ask(struct disk *disk, enum signer_state *state, struct err *err)
{
	*state = signer_ask(&disk->signer, disk->sys, disk->env, disk->origin.root,
			    disk->lock_fd >= 0);
	if (*state != SIGNER_FAILED)
		return 0;
	*err = disk->signer.why;
	return err_prefix(err, "changes of several files are signed, and the key cannot be read");
}

int journal_seal_write_place(const struct disk *disk, struct json_writer *w, struct err *err)
{
	struct identity here;

	if (journal_seal_identify(disk, &here, err) != 0)
		return -1;
	json_write_name(w, slice_of(PLACE_NAME));
	json_write_object(w);
	json_write_member_string(w, "path", str_slice(&here.path));
	json_write_member_string(w, "inode", slice_of(here.inode));
	if (here.born[0])
		json_write_member_string(w, "born", slice_of(here.born));
	json_write_end(w);
	str_release(&here.path);
	return 0;
}

void journal_seal_add(struct disk *disk, struct slice body, struct str *out)
{
	unsigned char tag[HMAC_BYTES];

	signer_sign(&disk->signer, body, tag);
	str_adds(out, "\"" MAC_NAME "\":\"");
	hmac_print(out, tag);
	str_adds(out, "\",");
}

/* True if the member is known and has this value. */
static bool journal_seal_says(const struct json *doc, uint32_t place, const char *name,
			      const char *here)
{
	ARENA_AUTO arena = ARENA_INIT;
	return here[0] && slice_is(json_member_text(doc, place, name, &arena), here);
}

/* By its path, which a restored backup has, or by the folder itself, which may have been moved. */
static int journal_seal_is_of_here(const struct disk *disk, const struct json *doc, uint32_t body,
				   bool *same, struct err *err)
{
	uint32_t place = json_member(doc, body, PLACE_NAME);
	struct identity here;

	*same = false;
	if (place == JSON_NONE || json_type(doc, place) != JSON_OBJECT)
		return 0;
	if (journal_seal_identify(disk, &here, err) != 0)
		return -1;
	*same = journal_seal_says(doc, place, "path", here.path.ptr) ||
		(journal_seal_says(doc, place, "inode", here.inode) &&
		 journal_seal_says(doc, place, "born", here.born));
	str_release(&here.path);
	return 0;
}

int journal_seal_check(struct disk *disk, const struct json *doc, uint32_t body, enum seal *seal,
		       struct err *err)
{
	uint32_t mac = json_member(doc, JSON_ROOT, MAC_NAME);
	struct arena arena = ARENA_INIT;
	unsigned char tag[HMAC_BYTES];
	enum signer_state state;
	bool same;

	if (journal_seal_ask(disk, &state, err) != 0)
		return -1;
	*seal = state == SIGNER_CANNOT ? SEAL_UNKNOWN : SEAL_NONE;
	if (state == SIGNER_CANNOT || mac == JSON_NONE)
		return 0;
	bool parsed = hmac_parse(json_member_text(doc, JSON_ROOT, MAC_NAME, &arena), tag);
	arena_release(&arena);
	*seal = SEAL_BAD;
	if (!parsed || !signer_verify(&disk->signer, json_text(doc, body), tag))
		return 0;
	if (journal_seal_is_of_here(disk, doc, body, &same, err) != 0)
		return -1;
	*seal = same ? SEAL_GOOD : SEAL_ELSEWHERE;
	return 0;
}
