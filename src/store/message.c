#include "store/message.h"

#include "base/json_write.h"
#include "base/shown.h"

/* A change may be about thousands of entries; what it is about is in its trees. */
#define REFS_MAX 200

/* Text that would not stay on its line stands as a JSON string. */
static bool needs_quotes(struct slice text)
{
	for (size_t i = 0; i < text.len; i++) {
		if ((unsigned char)text.ptr[i] < ' ' || text.ptr[i] == 0x7f)
			return true;
	}
	return text.len > 0 && text.ptr[0] == '"';
}

static void add_trailer(struct str *out, const char *name, struct slice text)
{
	struct json_writer w;

	if (!text.ptr)
		return;
	str_printf(out, "%s: ", name);
	json_writer_init(&w, out, &json_compact);
	if (needs_quotes(text))
		json_write_string(&w, text);
	else
		str_add(out, text);
	str_addc(out, '\n');
}

static void add_subject(struct str *out, const struct message *message)
{
	STR_AUTO scratch = STR_INIT;

	str_adds(out, message->verb);
	if (message->ref_count == 0)
		return;
	str_printf(out, " %s", shown(&scratch, message->refs[0]));
	if (message->ref_count > 1)
		str_printf(out, " and %zu more", message->ref_count - 1);
}

static void add_client(struct str *out, const struct message *message)
{
	STR_AUTO text = STR_INIT;

	if (!message->client.ptr)
		return;
	str_add(&text, message->client);
	if (message->client_version.len) {
		str_addc(&text, ' ');
		str_add(&text, message->client_version);
	}
	add_trailer(out, "Kota-Client", str_slice(&text));
}

void message_compose(struct str *out, const struct message *message)
{
	add_subject(out, message);
	str_adds(out, "\n\n");
	add_trailer(out, "Kota-Tool", message->tool);
	add_client(out, message);
	add_trailer(out, "Kota-Session", message->session);
	add_trailer(out, "Kota-Change", message->change);
	for (size_t i = 0; i < message->ref_count && i < REFS_MAX; i++)
		add_trailer(out, "Kota-Ref", message->refs[i]);
}

struct slice message_subject(const char *text)
{
	return slice_make(text, strcspn(text, "\n"));
}

struct slice message_trailer(const char **text, const char *name)
{
	size_t len = strlen(name);

	while (**text) {
		const char *line = *text;
		size_t end = strcspn(line, "\n");

		*text = line + end + (line[end] ? 1 : 0);
		if (end > len + 2 && memcmp(line, name, len) == 0 &&
		    memcmp(line + len, ": ", 2) == 0)
			return slice_make(line + len + 2, end - len - 2);
	}
	return slice_make(NULL, 0);
}
