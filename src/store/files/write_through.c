#include "store/files/write_through.h"

void written_forget(struct written *written)
{
	if (written->known) {
		json_release(&written->doc);
		str_release(&written->text);
	}
	*written = (struct written){.known = false};
}

void written_note(struct written *written, ino_t ino, struct str *text, struct json *doc)
{
	written_forget(written);
	*written = (struct written){.known = true, .ino = ino, .text = *text, .doc = *doc};
	str_init(text);
	*doc = (struct json){0};
}

bool written_take(struct written *written, const struct file_id *id, struct str *text,
		  struct json *doc)
{
	if (!written->known || !id->present || id->ino != written->ino ||
	    (size_t)id->size != written->text.len) {
		written_forget(written);
		return false;
	}
	*text = written->text;
	*doc = written->doc;
	written->known = false;
	return true;
}
