/*
 * What .lock says of displaced files: any bytes; a line that begins with "=" gets its checksum put
 * to it. Whatever is there, what is written is read again, and a change goes well.
 */
#include "fuzz/fuzz_store.h"

#include "base/map.h"
#include "store/files/dir_lock.h"
#include "store/swap/swap_log.h"

#include <inttypes.h>

static void make_body(struct slice input, struct str *out)
{
	while (input.len > 0) {
		struct slice line = fuzz_take_line(&input);
		bool signs = line.len > 0 && line.ptr[0] == '=';

		if (signs) {
			size_t start = out->len;

			fuzz_take_byte(&line);
			str_add(out, line);
			str_addc(out, ' ');
			str_printf(out, "%" PRIx64,
				   hash64(slice_make(out->ptr + start, out->len - start)));
		} else {
			str_add(out, line);
		}
		if (signs || input.len > 0)
			str_addc(out, '\n');
	}
}

static void write_and_read(struct disk *disk, const char *file)
{
	struct swap_log written = INTENT_INIT;
	struct swap_log found = INTENT_INIT;
	struct err err;

	written.temp.ino = 7;
	written.new_digest = UINT64_MAX;
	FUZZ_REQUIRE(swap_log_write(&written, disk, file, &err) == 0, "a line can be written");
	if (!fuzz_is_planted(str_slice(&disk->lock_body)))
		disk->lock_body_known = false; /* reads it from the file */
	else
		str_clear(&disk->lock_body);
	FUZZ_REQUIRE(swap_log_read(&found, disk, file, &err) == 0, "what is written can be read");
	FUZZ_REQUIRE(found.found && found.this_boot && found.temp.ino == 7 &&
			     found.new_digest == UINT64_MAX,
		     "what is written is what is read");
	swap_log_release(&written);
	swap_log_release(&found);
}

static void use(void)
{
	struct disk disk;
	struct err err;

	FUZZ_REQUIRE(disk_open(&disk, fuzz_store_sys(), fuzz_store_path(), &err) == 0,
		     "the store opens");
	FUZZ_REQUIRE(disk_lock(&disk, 0, &err) == 0, "the lock is free");
	for (int f = 0; f < STORE_FILE_COUNT; f++) {
		struct swap_log intent = INTENT_INIT;

		FUZZ_REQUIRE(swap_log_read(&intent, &disk, store_file_name((enum store_file)f),
					   &err) == 0,
			     "whatever is there can be read");
		swap_log_release(&intent);
	}
	write_and_read(&disk, "state.json");
	disk_unlock(&disk);
	disk_close(&disk);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	STR_AUTO body = STR_INIT;

	make_body(fuzz_slice(data, size), &body);
	fuzz_store_begin();
	fuzz_store_write("state.json", slice_of("{\"task\":\"build\"}"));
	fuzz_store_write(".state.json.prev", slice_of("{\"task\":\"test\"}"));
	fuzz_store_write(".lock", str_slice(&body));
	FUZZ_REQUIRE(fuzz_store_run("set", slice_of("{\"key\":\"state:a\",\"value\":1}"), NULL),
		     "a change goes well");
	fuzz_store_check(NULL);
	fuzz_store_write(".lock", str_slice(&body));
	use();
	fuzz_store_end();
	return 0;
}
