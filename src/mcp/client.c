#include "mcp/client.h"

#include "base/utf8.h"

/* Longest name or version that is kept, in characters. */
#define CLIENT_TEXT_MAX 100

void client_release(struct client *client)
{
	str_release(&client->name);
	str_release(&client->version);
}

static void client_read_text(struct str *out, const struct request *request, uint32_t info,
			     const char *name)
{
	STR_AUTO scratch = STR_INIT;
	struct slice text = request_text(request, info, name, &scratch);

	str_clear(out);
	utf8_add_visible(out, utf8_cut(text, CLIENT_TEXT_MAX), false);
}

void client_read(struct client *client, const struct request *request, uint32_t node)
{
	client_read_text(&client->name, request, node, "name");
	client_read_text(&client->version, request, node, "version");
}

const char *client_text(const struct str *text)
{
	return text->len ? text->ptr : NULL;
}
