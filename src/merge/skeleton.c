#include "merge/skeleton.h"

#include "base/mem.h"
#include "json/edit.h"

#include <stdlib.h>

static struct splice *skeleton_add(struct skeleton *s, enum splice_kind kind)
{
	struct splice *splice = MEM_ADD(s->list, s->count, s->cap);

	*splice = (struct splice){.kind = kind};
	return splice;
}

/* How members of the root, or elements of its arrays, are set out: the blanks before the first. */
static struct slice skeleton_indent(const struct json *doc, uint32_t node)
{
	return style_indent(doc->text, json_begin(doc, node));
}

/* Is text as it stands in the other document in place here, at this depth? */
static bool skeleton_fits(const struct json *ours, uint32_t beside, const struct json *theirs,
			  uint32_t node)
{
	return beside != JSON_NONE &&
	       slice_equal(style_newline(ours->text), style_newline(theirs->text)) &&
	       slice_equal(skeleton_indent(ours, beside), skeleton_indent(theirs, node));
}

void skeleton_put(struct skeleton *s, struct slice name, struct slice text)
{
	struct splice *splice = skeleton_add(s, SPLICE_PUT);

	splice->name = arena_copy(&s->arena, name);
	splice->text = arena_copy(&s->arena, text);
}

void skeleton_put_part(struct skeleton *s, struct slice name, struct part member)
{
	const struct json *theirs = &member.doc->json;
	size_t begin = json_begin(theirs, member.node);
	struct splice *splice;

	if (!slice_equal(name, part_name(member)) ||
	    !skeleton_fits(&s->doc->json, json_first(&s->doc->json, JSON_ROOT), theirs,
			   member.node)) {
		skeleton_put(s, name, json_text(theirs, member.node));
		return;
	}
	splice = skeleton_add(s, SPLICE_PUT);
	splice->name = arena_copy(&s->arena, name);
	/* The member as it stands: it may be a person's, whose spacing is kept. */
	splice->text = arena_copy(&s->arena, slice_make(theirs->text.ptr + begin,
							theirs->nodes[member.node].end - begin));
	splice->verbatim = true;
}

void skeleton_remove(struct skeleton *s, struct slice name)
{
	skeleton_add(s, SPLICE_REMOVE)->name = arena_copy(&s->arena, name);
}

void skeleton_drop(struct skeleton *s, struct slice array, struct part element)
{
	struct splice *splice = skeleton_add(s, SPLICE_DROP);

	splice->path = arena_copy(&s->arena, array);
	splice->element = element.node;
}

void skeleton_append(struct skeleton *s, struct slice array, struct slice text)
{
	struct splice *splice = skeleton_add(s, SPLICE_APPEND);

	splice->path = arena_copy(&s->arena, array);
	splice->text = arena_copy(&s->arena, text);
}

void skeleton_append_part(struct skeleton *s, struct slice array, struct part element)
{
	const struct json *ours = &s->doc->json;
	struct part list = part_member(part_root(s->doc), array);
	uint32_t beside = list.doc ? json_first(ours, list.node) : JSON_NONE;

	skeleton_append(s, array, json_text(&element.doc->json, element.node));
	s->list[s->count - 1].verbatim = skeleton_fits(ours, beside, &element.doc->json,
						       element.node);
}

int skeleton_write(struct skeleton *s, struct str *out, struct err *err)
{
	int result = splice_apply(out, &s->doc->json, s->list, s->count, err);

	skeleton_release(s);
	return result;
}

void skeleton_release(struct skeleton *s)
{
	free(s->list);
	arena_release(&s->arena);
	*s = (struct skeleton){.doc = s->doc};
}
