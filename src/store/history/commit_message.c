#include "store/history/commit_message.h"

#include "base/utf8.h"
#include "git/repo.h"
#include "json/doc.h"
#include "json/write.h"

#include <pwd.h>
#include <stdio.h>
#include <unistd.h>

/* Text that would not stay on its line stands as a JSON string. */
static void message_add_trailer(struct str *out, const char *name, struct slice text)
{
	bool quoted = text.len > 0 && text.ptr[0] == '"';

	if (!text.ptr)
		return;
	for (size_t i = 0; i < text.len && !quoted; i++)
		quoted = (unsigned char)text.ptr[i] < ' ' || text.ptr[i] == 0x7f;
	str_printf(out, "%s: ", name);
	struct json_writer w = json_writer_to(out, &json_compact);
	if (quoted)
		json_write_string(&w, text);
	else
		str_add(out, text);
	str_addc(out, '\n');
}

/* What begins with `word` and a blank, without the two; absent when it does not. */
static struct slice message_without(struct slice text, const char *word)
{
	size_t len = strlen(word);

	if (text.len <= len || memcmp(text.ptr, word, len) != 0)
		return slice_make(NULL, 0);
	return slice_make(text.ptr + len, text.len - len);
}

/* "undo set a"; of what is an undo itself "redo set a", and so on in turn. */
static void message_add_undone(struct str *out, struct slice undoes)
{
	const char *blank = undoes.len ? memchr(undoes.ptr, ' ', undoes.len) : NULL;
	size_t id = blank ? (size_t)(blank - undoes.ptr) + 1 : 0;
	struct slice subject = slice_make(undoes.ptr + id, undoes.len - id);
	struct slice undone = message_without(subject, "undo ");
	struct slice redone = message_without(subject, "redo ");

	str_adds(out, undone.ptr ? "redo " : "undo ");
	utf8_add_visible(out, undone.ptr ? undone : redone.ptr ? redone : subject, false);
}

static void message_add_subject(struct str *out, const struct message *message)
{
	STR_AUTO scratch = STR_INIT;

	if (message->undoes.ptr) {
		message_add_undone(out, message->undoes);
		return;
	}
	str_adds(out, message->verb);
	if (message->ref_count == 0)
		return;
	str_printf(out, " %s", shown(&scratch, message->refs[0]));
	if (message->ref_count > 1)
		str_printf(out, " and %zu more", message->ref_count - 1);
}

static void message_add_client(struct str *out, const struct message *message)
{
	STR_AUTO text = STR_INIT;

	if (!message->client.ptr)
		return;
	str_add(&text, message->client);
	if (message->client_version.len) {
		str_addc(&text, ' ');
		str_add(&text, message->client_version);
	}
	message_add_trailer(out, "Kota-Client", str_slice(&text));
}

void message_compose(struct str *out, const struct message *message)
{
	message_add_subject(out, message);
	str_adds(out, "\n\n");
	message_add_trailer(out, "Kota-Tool", message->tool);
	message_add_client(out, message);
	message_add_trailer(out, "Kota-Session", message->session);
	message_add_trailer(out, "Kota-Host", message->host);
	message_add_trailer(out, "Kota-Change", message->change);
	message_add_trailer(out, "Kota-Undoes", message->undoes);
	for (size_t i = 0; i < message->ref_count && i < MESSAGE_REFS_MAX; i++)
		message_add_trailer(out, "Kota-Ref", message->refs[i]);
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

struct slice message_ref(const char **text, struct str *scratch)
{
	struct slice ref = message_trailer(text, "Kota-Ref");
	struct json_fault fault;
	JSON_AUTO doc = {0};

	if (!ref.ptr || ref.len == 0 || ref.ptr[0] != '"' ||
	    json_parse(&doc, ref, &json_line_bounds, &fault) != 0)
		return ref;
	ref = json_string(&doc, JSON_ROOT, scratch);
	return ref;
}

void message_who_edits(struct repo *repo, struct str *name, struct str *email)
{
	char host[256];

	if (repo_person(repo, name, email))
		return;
	const struct passwd *account = getpwuid(geteuid());
	if (gethostname(host, sizeof host) != 0 || !memchr(host, '\0', sizeof host))
		snprintf(host, sizeof host, "localhost");
	str_clear(name);
	str_clear(email);
	str_adds(name, account ? account->pw_name : "somebody");
	str_printf(email, "%s@%s", name->ptr, host);
}
