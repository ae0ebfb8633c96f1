#include "ops/maintain/plan_file.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "json/scan.h"

#include <errno.h>
#include <fcntl.h>

/* The version of the plan format, and the member that a file begins with. */
#define PLAN_VERSION_NAME "kota_plan"
#define PLAN_VERSION 1

/* Longest plan, in bytes. */
#define PLAN_MAX ((size_t)256 << 20)

struct reader {
	struct plan *plan;
	const char *name;
	const struct json *doc;
	struct err *err;
};

/* Members of a step, in the order in which they are written. */
enum member {
	MEMBER_DO,
	MEMBER_REF,
	MEMBER_WITH,
	MEMBER_REASON,
	MEMBER_TO,
	MEMBER_TYPE,
	MEMBER_STRENGTH,
	MEMBER_METADATA,
	MEMBER_NOTE,
	MEMBER_TEXT,
	MEMBER_BECAUSE,
	MEMBER_ENTRY,
	MEMBER_DECIDED_ON,
	MEMBER_COUNT
};

#define ALL ((1u << PLAN_KIND_COUNT) - 1)
#define KIND(kind) (1u << (kind))
#define HAS_ENTRY (KIND(PLAN_PUT) | KIND(PLAN_MERGE) | KIND(PLAN_PROMOTE))

static const struct {
	const char *name;
	enum json_type type;
	unsigned int allowed; /* kinds of step that may have it */
	unsigned int needed;  /* kinds that must */
	const char *wrong;    /* what is said of one that is missing, or of another type */
} members[MEMBER_COUNT] = {
	{"do", JSON_STRING, ALL, ALL, "\"do\" must be archive, put, merge, link or promote"},
	{"ref", JSON_STRING, ALL, ALL, "\"ref\" must be the ref of an entry, category:key"},
	{"with", JSON_ARRAY, KIND(PLAN_MERGE), KIND(PLAN_MERGE),
	 "\"with\" must be a list of the refs that are merged into \"ref\""},
	{"reason", JSON_STRING, KIND(PLAN_ARCHIVE), KIND(PLAN_ARCHIVE),
	 "\"reason\" must be faded, pruned, stale or merged"},
	{"to", JSON_STRING, KIND(PLAN_LINK), KIND(PLAN_LINK),
	 "\"to\" must be the ref of another entry that \"decided_on\" names"},
	{"type", JSON_STRING, KIND(PLAN_LINK), KIND(PLAN_LINK),
	 "\"type\" must be related, causes, supports, contradicts, has_decision or "
	 "consolidated_from"},
	{"strength", JSON_NUMBER, KIND(PLAN_LINK), KIND(PLAN_LINK),
	 "\"strength\" must be a number from 0 to 1"},
	{"metadata", JSON_OBJECT, KIND(PLAN_LINK), 0, "\"metadata\" must be an object"},
	{"note", JSON_STRING, KIND(PLAN_PROMOTE), KIND(PLAN_PROMOTE),
	 "\"note\" must be the name of a file without its ending"},
	{"text", JSON_STRING, KIND(PLAN_PROMOTE), KIND(PLAN_PROMOTE),
	 "\"text\" must be the text of the note"},
	{"because", JSON_STRING, ALL, 0, "\"because\" must be a text"},
	{"entry", JSON_OBJECT, HAS_ENTRY, HAS_ENTRY,
	 "\"entry\" must be an entry: an object with \"value\""},
	{"decided_on", JSON_OBJECT, ALL, ALL,
	 "\"decided_on\" must have the digest of each entry that the step is about, or null"},
};

static int plan_fail(const struct reader *r, uint32_t node, const char *what)
{
	struct json_fault fault;
	const struct json_node *at = &r->doc->nodes[node];

	json_fault_set(&fault, r->doc->text, at->name_end ? at->name_start : at->start, what);
	return err_set(r->err, ERR_BAD_DATA, "%s:%u:%u: %s", r->name, (unsigned int)fault.line,
		       (unsigned int)fault.column, what);
}

static int plan_file_fail_name(const struct reader *r, uint32_t node, const char *behind)
{
	STR_AUTO scratch = STR_INIT;
	struct json_fault fault;

	json_fault_shown(&fault, r->doc->text, r->doc->nodes[node].name_start, "\"",
			 json_name(r->doc, node, &scratch), behind);
	return err_set(r->err, ERR_BAD_DATA, "%s:%u:%u: %s", r->name, (unsigned int)fault.line,
		       (unsigned int)fault.column, fault.what);
}

static struct slice plan_text_of(const struct reader *r, uint32_t node)
{
	STR_AUTO scratch = STR_INIT;

	return arena_copy(&r->plan->arena, json_string(r->doc, node, &scratch));
}

/* Finds the members of a step and checks their types. */
static int plan_file_find_members(const struct reader *r, uint32_t object, unsigned int kind,
				  uint32_t found[MEMBER_COUNT])
{
	for (uint32_t n = json_first(r->doc, object); n != JSON_NONE; n = json_next(r->doc, n)) {
		STR_AUTO scratch = STR_INIT;
		struct slice name = json_name(r->doc, n, &scratch);
		int m = 0;

		while (m < MEMBER_COUNT && !slice_is(name, members[m].name))
			m++;
		if (m == MEMBER_COUNT || !(members[m].allowed & kind))
			return plan_file_fail_name(r, n, "\" is no part of this step");
		if (json_type(r->doc, n) != members[m].type)
			return plan_fail(r, n, members[m].wrong);
		found[m] = n;
	}
	for (int m = 0; m < MEMBER_COUNT; m++) {
		if (found[m] == JSON_NONE && members[m].needed & kind)
			return plan_fail(r, object, members[m].wrong);
	}
	return 0;
}

static int plan_read_digest(const struct reader *r, uint32_t bases, struct slice ref,
			    uint64_t *digest)
{
	uint32_t node = json_member_slice(r->doc, bases, ref);
	STR_AUTO scratch = STR_INIT;

	*digest = 0;
	if (node == JSON_NONE)
		return plan_fail(r, bases, members[MEMBER_DECIDED_ON].wrong);
	if (json_type(r->doc, node) == JSON_NULL)
		return 0;
	if (json_type(r->doc, node) != JSON_STRING ||
	    !hex_read(json_string(r->doc, node, &scratch), digest) || *digest == 0)
		return plan_fail(r, node,
				 "a digest must be a text of 16 hexadecimal digits, or null");
	return 0;
}

static bool plan_file_has_basis(const struct plan_step *step, struct slice ref)
{
	for (size_t i = 0; i < step->base_count; i++) {
		if (slice_equal(step->bases[i].ref, ref))
			return true;
	}
	return false;
}

static int plan_file_read_basis(const struct reader *r, struct plan_step *step, uint32_t bases,
				uint32_t node, struct slice ref)
{
	uint64_t digest;

	if (ref_parse(ref).category == CATEGORY_ANY)
		return plan_fail(r, node, "a ref begins with a category: category:key");
	if (plan_file_has_basis(step, ref))
		return plan_fail(r, node, "this ref is named twice");
	if (plan_read_digest(r, bases, ref, &digest) != 0)
		return -1;
	if (digest == 0 && (step->kind != PLAN_PUT || step->base_count > 0))
		return plan_fail(r, bases, "an entry that is not there can only be put");
	plan_add_basis(step, ref, digest);
	return 0;
}

/* The entries of a merge that go; of other steps those that they rely on. */
static int plan_file_read_others(const struct reader *r, struct plan_step *step, uint32_t with,
				 uint32_t bases)
{
	uint32_t list = step->kind == PLAN_MERGE ? with : bases;

	for (uint32_t n = json_first(r->doc, list); n != JSON_NONE; n = json_next(r->doc, n)) {
		STR_AUTO scratch = STR_INIT;
		struct slice ref;

		if (step->kind == PLAN_MERGE && json_type(r->doc, n) != JSON_STRING)
			return plan_fail(r, n, members[MEMBER_WITH].wrong);
		ref = step->kind == PLAN_MERGE ? json_string(r->doc, n, &scratch)
					       : json_name(r->doc, n, &scratch);
		if (step->kind != PLAN_MERGE && slice_equal(ref, step->ref))
			continue;
		if (plan_file_read_basis(r, step, bases, n, arena_copy(&r->plan->arena, ref)) != 0)
			return -1;
	}
	if (step->base_count != r->doc->nodes[bases].count ||
	    (step->kind == PLAN_MERGE && step->base_count < 2))
		return plan_fail(r, bases,
				 "\"decided_on\" and \"with\" must name the same entries");
	return 0;
}

static int plan_file_read_reason(const struct reader *r, struct plan_step *step, uint32_t node)
{
	static const enum reason reasons[] = {REASON_FADED, REASON_PRUNED, REASON_STALE,
					      REASON_MERGED};
	STR_AUTO scratch = STR_INIT;
	struct slice name = json_string(r->doc, node, &scratch);

	for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
		if (!slice_is(name, reason_name(reasons[i])))
			continue;
		step->reason = reasons[i];
		return 0;
	}
	return plan_fail(r, node, members[MEMBER_REASON].wrong);
}

static struct slice plan_compact(const struct reader *r, uint32_t node)
{
	STR_AUTO text = STR_INIT;

	json_print(&text, r->doc, node);
	return arena_copy(&r->plan->arena, str_slice(&text));
}

static int plan_file_read_link(const struct reader *r, struct plan_step *step,
			       const uint32_t found[MEMBER_COUNT])
{
	int type = slice_index(plan_text_of(r, found[MEMBER_TYPE]), relation_type_names);

	step->to = plan_text_of(r, found[MEMBER_TO]);
	if (slice_equal(step->to, step->ref) || !plan_file_has_basis(step, step->to))
		return plan_fail(r, found[MEMBER_TO], members[MEMBER_TO].wrong);
	if (type < 0)
		return plan_fail(r, found[MEMBER_TYPE], members[MEMBER_TYPE].wrong);
	step->type = (enum relation_type)type;
	if (!json_double(r->doc, found[MEMBER_STRENGTH], &step->strength) || step->strength < 0 ||
	    step->strength > 1)
		return plan_fail(r, found[MEMBER_STRENGTH], members[MEMBER_STRENGTH].wrong);
	if (found[MEMBER_METADATA] != JSON_NONE)
		step->metadata = plan_compact(r, found[MEMBER_METADATA]);
	return 0;
}

static int plan_file_read_step(const struct reader *r, uint32_t object)
{
	uint32_t found[MEMBER_COUNT] = {JSON_NONE};
	bool is_object = json_type(r->doc, object) == JSON_OBJECT;
	uint32_t named = is_object ? json_member(r->doc, object, "do") : JSON_NONE;
	int kind = named == JSON_NONE ? -1 : slice_index(plan_text_of(r, named), plan_kind_names);
	struct plan_step *step;

	if (kind < 0)
		return plan_fail(r, object, members[MEMBER_DO].wrong);
	if (plan_file_find_members(r, object, 1u << kind, found) != 0)
		return -1;
	step = plan_add(r->plan, (enum plan_kind)kind);
	step->ref = plan_text_of(r, found[MEMBER_REF]);
	if (kind == PLAN_MERGE)
		step->reason = REASON_MERGED;
	if (found[MEMBER_BECAUSE] != JSON_NONE)
		step->because = plan_text_of(r, found[MEMBER_BECAUSE]);
	if (found[MEMBER_REASON] != JSON_NONE &&
	    plan_file_read_reason(r, step, found[MEMBER_REASON]) != 0)
		return -1;
	if (found[MEMBER_ENTRY] != JSON_NONE) {
		if (json_member(r->doc, found[MEMBER_ENTRY], "value") == JSON_NONE)
			return plan_fail(r, found[MEMBER_ENTRY], members[MEMBER_ENTRY].wrong);
		step->text = plan_compact(r, found[MEMBER_ENTRY]);
	}
	if (plan_file_read_basis(r, step, found[MEMBER_DECIDED_ON], found[MEMBER_REF], step->ref) !=
		    0 ||
	    plan_file_read_others(r, step, found[MEMBER_WITH], found[MEMBER_DECIDED_ON]) != 0)
		return -1;
	if (kind == PLAN_PROMOTE) {
		step->note_stem = plan_text_of(r, found[MEMBER_NOTE]);
		step->note_text = plan_text_of(r, found[MEMBER_TEXT]);
	}
	return kind == PLAN_LINK ? plan_file_read_link(r, step, found) : 0;
}

static int plan_file_read_plan(const struct reader *r)
{
	uint32_t version = json_member(r->doc, JSON_ROOT, PLAN_VERSION_NAME);
	uint32_t steps = json_member(r->doc, JSON_ROOT, "steps");
	int64_t number;

	if (json_type(r->doc, JSON_ROOT) != JSON_OBJECT || r->doc->nodes[JSON_ROOT].count != 2 ||
	    version == JSON_NONE || steps == JSON_NONE || json_type(r->doc, steps) != JSON_ARRAY)
		return plan_fail(r, JSON_ROOT,
				 "a plan is an object of \"" PLAN_VERSION_NAME "\" and a list, "
				 "\"steps\"");
	if (!json_int(r->doc, version, &number) || number != PLAN_VERSION)
		return plan_fail(r, version, "this version reads plans of number 1 only");
	for (uint32_t n = json_first(r->doc, steps); n != JSON_NONE; n = json_next(r->doc, n)) {
		if (plan_file_read_step(r, n) != 0)
			return -1;
	}
	return 0;
}

int plan_read(struct plan *out, const char *name, struct slice text, struct err *err)
{
	struct json_fault fault;
	JSON_AUTO doc = {0};

	if (json_parse(&doc, text, &json_file_bounds, &fault) != 0)
		return err_set(err, ERR_BAD_DATA, "%s:%u:%u: %s", name, (unsigned int)fault.line,
			       (unsigned int)fault.column, fault.what);
	return plan_file_read_plan(&(struct reader){out, name, &doc, err});
}

/* Laid out as the plan is. */
static void plan_write_json(struct json_writer *w, const char *name, struct slice text)
{
	JSON_AUTO doc = {0};

	if (!text.ptr)
		return;
	common_parse(&doc, text);
	json_write_member_value(w, name, &doc, JSON_ROOT);
}

void plan_write_refs(struct json_writer *w, const char *name, const struct plan *plan,
		     enum plan_kind kind, size_t max)
{
	json_write_member_array(w, name);
	for (size_t i = 0; i < plan->count && max > 0; i++) {
		if (plan->steps[i].skip_code != ERR_NONE || plan->steps[i].kind != kind)
			continue;
		json_write_string(w, plan->steps[i].ref);
		max--;
	}
	json_write_end(w);
}

void plan_write_bases(struct json_writer *w, const char *name, const struct plan_step *step)
{
	json_write_member_array(w, name);
	for (size_t i = 0; i < step->base_count; i++)
		json_write_string(w, step->bases[i].ref);
	json_write_end(w);
}

void plan_write_left_out(struct json_writer *w, const struct plan *plan, bool all_refs)
{
	json_write_member_array(w, "left_out");
	for (size_t i = 0; i < plan->count; i++) {
		const struct plan_step *step = &plan->steps[i];

		if (step->skip_code == ERR_NONE)
			continue;
		json_write_object(w);
		if (all_refs)
			plan_write_bases(w, "memory_ids", step);
		else
			json_write_member_string(w, "ref", step->ref);
		json_write_member_string(w, "reason", step->skipped);
		json_write_end(w);
	}
	json_write_end(w);
}

void plan_write_subject(struct json_writer *w, const struct plan_step *step)
{
	json_write_member_string(w, "do", slice_of(plan_kind_names[step->kind]));
	json_write_member_string(w, "ref", step->ref);
	if (step->kind != PLAN_MERGE)
		return;
	json_write_member_array(w, "with");
	for (size_t i = 1; i < step->base_count; i++)
		json_write_string(w, step->bases[i].ref);
	json_write_end(w);
}

static void plan_file_write_bases(struct json_writer *w, const struct plan_step *step)
{
	json_write_member_object(w, "decided_on");
	for (size_t i = 0; i < step->base_count; i++) {
		STR_AUTO digest = STR_INIT;

		json_write_name(w, step->bases[i].ref);
		hex_add(&digest, step->bases[i].digest);
		if (step->bases[i].digest == 0)
			json_write_null(w);
		else
			json_write_string(w, str_slice(&digest));
	}
	json_write_end(w);
}

static void plan_write_step(struct json_writer *w, const struct plan_step *step)
{
	json_write_object(w);
	plan_write_subject(w, step);
	if (step->kind == PLAN_ARCHIVE)
		json_write_member_string(w, "reason", slice_of(reason_name(step->reason)));
	if (step->kind == PLAN_LINK) {
		json_write_member_string(w, "to", step->to);
		json_write_member_string(w, "type", slice_of(relation_type_names[step->type]));
		json_write_member_double(w, "strength", step->strength);
		plan_write_json(w, "metadata", step->metadata);
	}
	if (step->kind == PLAN_PROMOTE) {
		json_write_member_string(w, "note", step->note_stem);
		json_write_member_string(w, "text", step->note_text);
	}
	if (step->because.ptr)
		json_write_member_string(w, "because", step->because);
	plan_write_json(w, "entry", step->text);
	plan_file_write_bases(w, step);
	json_write_end(w);
}

void plan_write(const struct plan *plan, struct json_writer *w)
{
	json_write_object(w);
	json_write_member_int(w, PLAN_VERSION_NAME, PLAN_VERSION);
	json_write_member_array(w, "steps");
	for (size_t i = 0; i < plan->count; i++) {
		if (plan->steps[i].skip_code == ERR_NONE)
			plan_write_step(w, &plan->steps[i]);
	}
	json_write_end(w);
	json_write_end(w);
}

/* ---- files of plans */

static int plan_write_file(const struct call *call, struct slice path, struct slice text,
			   struct err *err)
{
	const struct sys *sys = store_disk(call->store)->sys;
	const char *name = arena_copy(call->arena, path).ptr;
	STR_AUTO scratch = STR_INIT;

	errno = 0;
	if (file_write_new(sys, AT_FDCWD, name, text, 0600, FILE_UMASK, err) == 0)
		return 0;
	if (errno == EEXIST)
		return err_set(err, ERR_EXISTS, "plan: %s exists already; give another name",
			       shown(&scratch, path));
	return err_prefix(err, "plan");
}

int plan_save(const struct plan *plan, const struct call *call, struct slice path, struct err *err)
{
	STR_AUTO text = STR_INIT;
	struct json_writer w = json_writer_to(&text, &json_pretty);

	plan_write(plan, &w);
	str_addc(&text, '\n');
	return plan_write_file(call, path, str_slice(&text), err);
}

int plan_load(struct plan *out, const struct call *call, struct slice path, struct err *err)
{
	const struct sys *sys = store_disk(call->store)->sys;
	const char *name = arena_copy(call->arena, path).ptr;
	STR_AUTO scratch = STR_INIT;
	STR_AUTO text = STR_INIT;
	struct file_id id;

	if (file_read(sys, AT_FDCWD, name, PLAN_MAX, &text, &id, err) != 0)
		return -1;
	if (!id.present)
		return err_set(err, ERR_NOT_FOUND, "apply: there is no file %s",
			       shown(&scratch, path));
	return plan_read(out, shown(&scratch, path), str_slice(&text), err);
}
