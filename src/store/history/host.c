#include "store/history/host.h"

#include "base/file.h"
#include "base/time.h"
#include "base/utf8.h"
#include "store/log/shared_use.h"
#include "store/trust/origin.h"

#include <stdio.h>
#include <unistd.h>

#define HOST_BYTES_MAX 4096
#define HOST_PREFIX "host: "

/* Longer ones are cut. */
#define HOST_NAME_MAX_BYTES 48

/* The name of the host in letters that need no quotes anywhere. */
static void host_add_plain(struct str *out)
{
	char host[256];

	if (gethostname(host, sizeof host) != 0 || !memchr(host, '\0', sizeof host) || !host[0])
		snprintf(host, sizeof host, "localhost");
	for (size_t i = 0; i < HOST_NAME_MAX_BYTES && host[i]; i++) {
		bool plain = (host[i] >= 'a' && host[i] <= 'z') ||
			     (host[i] >= 'A' && host[i] <= 'Z') ||
			     (host[i] >= '0' && host[i] <= '9') || host[i] == '.' || host[i] == '-';

		str_addc(out, plain ? host[i] : '-');
	}
}

bool host_name(const struct disk *disk, struct str *out)
{
	STR_AUTO text = STR_INIT;
	struct file_id id;
	struct err ignored;
	struct slice line;

	if (disk->dirfd < 0 || file_read_own(disk->sys, disk->dirfd, SYNCED_NAME, HOST_BYTES_MAX,
					     &text, &id, &ignored) != 0)
		return false;
	struct slice rest = str_slice(&text);
	while (slice_line(&rest, &line)) {
		if (!slice_starts(line, HOST_PREFIX))
			continue;
		line = slice_make(line.ptr + strlen(HOST_PREFIX), line.len - strlen(HOST_PREFIX));
		utf8_add_visible(out, line, false);
		return line.len > 0;
	}
	return false;
}

struct slice host_slice(const struct disk *disk, struct arena *arena)
{
	STR_AUTO name = STR_INIT;

	return disk->origin.synced && host_name(disk, &name) ? arena_copy(arena, str_slice(&name))
							     : slice_of(NULL);
}

/* The name that this machine has in the store, or gets now. */
static void host_choose(const struct disk *disk, struct str *out)
{
	STR_AUTO known = STR_INIT;
	uint16_t chance = 0;

	host_add_plain(out);
	str_addc(out, '-');
	if (host_name(disk, &known) && known.len == out->len + 4 &&
	    slice_starts(str_slice(&known), out->ptr)) {
		str_clear(out);
		str_add(out, str_slice(&known));
		return;
	}
	(void)!disk->sys->getrandom(&chance, sizeof chance, 0);
	str_printf(out, "%04x", chance);
}

int host_mark(struct disk *disk, int64_t synced_ms, struct err *err)
{
	char at[TIMESTAMP_SIZE];
	STR_AUTO there = STR_INIT;
	STR_AUTO host = STR_INIT;
	STR_AUTO text = STR_INIT;
	struct file_id id;
	struct err ignored;

	host_choose(disk, &host);
	str_printf(&text,
		   "This store is kept on several machines: kota sync --status\n" HOST_PREFIX
		   "%s\n",
		   host.ptr);
	if (synced_ms != TIME_NONE) {
		timestamp_format(synced_ms - synced_ms % MS_PER_DAY, at);
		str_printf(&text, SYNCED_AT_PREFIX "%s\n", at);
	}
	if (file_read_own(disk->sys, disk->dirfd, SYNCED_NAME, HOST_BYTES_MAX, &there, &id,
			  &ignored) == 0 &&
	    id.present && slice_equal(str_slice(&there), str_slice(&text)))
		return 0;
	if (file_replace(disk->sys, disk->dirfd, SYNCED_NAME, str_slice(&text), 0600, FILE_DURABLE,
			 NULL, err) != 0)
		return err_in_folder(err, disk->path, SYNCED_NAME);
	return 0;
}
