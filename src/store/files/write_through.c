#include "store/files/write_through.h"

void write_through_forget(struct write_through *written)
{
	if (written->known) {
		json_release(&written->doc);
		str_release(&written->text);
	}
	*written = (struct write_through){.known = false};
}

void write_through_note(struct write_through *written, ino_t ino, struct str *text,
			struct json *doc)
{
	write_through_forget(written);
	*written = (struct write_through){.known = true, .ino = ino, .text = *text, .doc = *doc};
	str_init(text);
	*doc = (struct json){0};
}

bool write_through_take(struct write_through *written, const struct file_id *id, struct str *text,
			struct json *doc)
{
	if (!written->known || !id->present || id->ino != written->ino ||
	    (size_t)id->size != written->text.len) {
		write_through_forget(written);
		return false;
	}
	*text = written->text;
	*doc = written->doc;
	written->known = false;
	return true;
}
