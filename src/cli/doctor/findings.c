#include "cli/doctor/findings.h"

#include "base/err.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "json/write.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const struct finding_row rows[FINDING_KIND_COUNT] = {
#define X(id, name, severity, group, fix, meaning, remedy)                                         \
	{name, SEVERITY_##severity, GROUP_##group, fix, meaning, remedy},
	FINDING_KINDS(X)
#undef X
};

const struct finding_row *finding_row(enum finding_kind kind)
{
	return &rows[kind];
}

__attribute__((format(printf, 1, 0))) static char *format_text(const char *format, va_list args)
{
	char text[ERR_TEXT_MAX];

	vsnprintf(text, sizeof text, format, args);
	return mem_strdup(text);
}

static void findings_add_fact(struct findings *found, struct fact fact)
{
	*MEM_ADD(found->facts, found->fact_count, found->fact_cap) = fact;
}

void findings_fact(struct findings *found, enum finding_group group, const char *label,
		   const char *format, ...)
{
	va_list args;

	va_start(args, format);
	findings_add_fact(found, (struct fact){group, false, label, format_text(format, args)});
	va_end(args);
}

void findings_detail(struct findings *found, enum finding_group group, const char *label,
		     const char *format, ...)
{
	va_list args;

	va_start(args, format);
	findings_add_fact(found, (struct fact){group, true, label, format_text(format, args)});
	va_end(args);
}

void findings_add(struct findings *found, enum finding_kind kind, const char *remedy,
		  const char *format, ...)
{
	va_list args;

	found->items = mem_grow(found->items, &found->cap, found->count + 1, sizeof *found->items);
	va_start(args, format);
	found->items[found->count++] = (struct finding){
		kind, format_text(format, args),
		mem_strdup(remedy ? remedy : finding_row(kind)->remedy)};
	va_end(args);
}

bool findings_have(const struct findings *found, enum finding_kind kind)
{
	for (size_t i = 0; i < found->count; i++) {
		if (found->items[i].kind == kind)
			return true;
	}
	return false;
}

void findings_release(struct findings *found)
{
	for (size_t i = 0; i < found->fact_count; i++)
		free(found->facts[i].text);
	for (size_t i = 0; i < found->count; i++) {
		free(found->items[i].what);
		free(found->items[i].remedy);
	}
	free(found->facts);
	free(found->items);
	*found = (struct findings){0};
}

int findings_status(const struct findings *found)
{
	enum severity worst = SEVERITY_NOTE;

	for (size_t i = 0; i < found->count; i++) {
		enum severity severity = finding_row(found->items[i].kind)->severity;

		worst = severity > worst ? severity : worst;
	}
	if (worst == SEVERITY_BROKEN)
		return err_exit_status(ERR_BAD_DATA);
	return worst == SEVERITY_TODO;
}

/* How what doctor found looks: on a terminal, as JSON, and as the page of all it can find. */

#define LABEL_WIDTH 18

static const char *const severity_names[SEVERITY_COUNT] = {"note", "todo", "broken"};

/* ---- for a person */

static const struct finding_row *findings_row_of(const struct finding *finding)
{
	return finding_row(finding->kind);
}

static bool findings_is_in(const struct finding *finding, enum finding_group group)
{
	return findings_row_of(finding)->group == group;
}

static bool findings_in(const struct findings *found, enum finding_group group)
{
	for (size_t i = 0; i < found->count; i++) {
		if (findings_is_in(&found->items[i], group) &&
		    findings_row_of(&found->items[i])->severity > SEVERITY_NOTE)
			return true;
	}
	return false;
}

static void findings_print_group(const struct findings *found, enum finding_group group, bool all,
				 const struct paint *paint, struct str *out)
{
	bool details = all || findings_in(found, group);

	for (size_t i = 0; i < found->fact_count; i++) {
		const struct fact *fact = &found->facts[i];

		if (fact->group != group || (fact->detail && !details))
			continue;
		str_printf(out, "%s%-*s%s", paint->faint, LABEL_WIDTH, fact->label, paint->plain);
		utf8_add_visible(out, slice_of(fact->text), false);
		str_addc(out, '\n');
	}
	for (size_t i = 0; i < found->count; i++) {
		if (findings_is_in(&found->items[i], group)) {
			const struct finding *finding = &found->items[i];
			enum severity severity = findings_row_of(finding)->severity;

			paint_add(out, paint,
				  severity == SEVERITY_NOTE ? paint->faint : paint->warn,
				  slice_of(severity_names[severity]));
			str_adds(out, ": ");
			utf8_add_visible(out, slice_of(finding->what), false);
			str_adds(out, "\n      ");
			utf8_add_visible(out, slice_of(finding->remedy), false);
			str_addc(out, '\n');
		}
	}
}

/*
 * Is it gone, or would it be? While something of its kind is left nothing is claimed: one finding
 * may be about several files.
 */
static bool findings_is_mended(const struct findings *found, const struct findings_mended *mended,
			       const struct finding *finding)
{
	return findings_row_of(finding)->fix &&
	       (mended->dry_run || !findings_have(found, finding->kind));
}

static void findings_print_mended(const struct findings *found,
				  const struct findings_mended *mended, const struct paint *paint,
				  struct str *out)
{
	const struct findings *before = mended->before;
	size_t count = 0;

	for (size_t i = 0; before && i < before->count; i++) {
		const struct finding *finding = &before->items[i];

		if (!findings_is_mended(found, mended, finding))
			continue;
		count++;
		paint_add(out, paint, paint->strong,
			  slice_of(mended->dry_run ? "would fix" : "fixed"));
		str_adds(out, ": ");
		utf8_add_visible(out, slice_of(finding->what), false);
		str_printf(out, "\n      --fix %s.\n", findings_row_of(finding)->fix);
	}
	if (before && count == 0)
		str_adds(out, "There is nothing that --fix could do.\n");
	if (before)
		str_addc(out, '\n');
}

/* All that --fix would do about what was found, each once: "rewrites a, records b and removes c".
 */
static bool findings_print_fixes(const struct findings *found, struct str *out)
{
	const char *fixes[FINDING_KIND_COUNT];
	size_t count = 0;

	for (size_t i = 0; i < found->count; i++) {
		const char *fix = findings_row_of(&found->items[i])->fix;
		bool known = !fix;

		for (size_t k = 0; k < count && !known; k++)
			known = strcmp(fixes[k], fix) == 0;
		if (!known)
			fixes[count++] = fix;
	}
	for (size_t k = 0; k < count; k++)
		str_printf(out, "%s%s", k == 0 ? "" : k + 1 < count ? ", " : " and ", fixes[k]);
	return count > 0;
}

static void findings_print_end(const struct findings *found, struct str *out)
{
	STR_AUTO fixes = STR_INIT;
	size_t todo = 0;

	for (size_t i = 0; i < found->count; i++)
		todo += findings_row_of(&found->items[i])->severity > SEVERITY_NOTE;
	if (todo == 0)
		str_adds(out, "\nNothing needs doing.\n");
	else
		str_printf(out, "\n%zu %s to be put right.\n", todo,
			   todo == 1 ? "thing is" : "things are");
	if (findings_print_fixes(found, &fixes))
		str_printf(out, "kota doctor --fix %s.\n", fixes.ptr);
	else if (todo > 0)
		str_adds(out, "kota doctor --fix does nothing about that.\n");
}

void findings_print(const struct findings *found, const struct findings_mended *mended, bool all,
		    const struct paint *paint, struct str *out)
{
	findings_print_mended(found, mended, paint, out);
	for (int group = 0; group < GROUP_COUNT; group++) {
		size_t from = out->len;

		if (out->len > 0 && out->ptr[out->len - 1] == '\n' &&
		    (out->len < 2 || out->ptr[out->len - 2] != '\n'))
			str_addc(out, '\n');
		findings_print_group(found, (enum finding_group)group, all, paint, out);
		if (out->len == from + 1)
			str_truncate(out, from);
	}
	findings_print_end(found, out);
}

/* ---- for a program */

static void findings_write_one(struct json_writer *w, const struct finding *finding)
{
	const struct finding_row *row = findings_row_of(finding);

	json_write_object(w);
	json_write_member_string(w, "kind", slice_of(row->name));
	json_write_member_string(w, "severity", slice_of(severity_names[row->severity]));
	json_write_member_string(w, "what", slice_of(finding->what));
	json_write_member_string(w, "remedy", slice_of(finding->remedy));
	if (row->fix)
		json_write_member_string(w, "fix", slice_of(row->fix));
	json_write_end(w);
}

static void findings_write_mended(struct json_writer *w, const struct findings *found,
				  const struct findings_mended *mended)
{
	if (!mended->before)
		return;
	json_write_name(w, slice_of(mended->dry_run ? "would_fix" : "fixed"));
	json_write_array(w);
	for (size_t i = 0; i < mended->before->count; i++) {
		if (findings_is_mended(found, mended, &mended->before->items[i]))
			findings_write_one(w, &mended->before->items[i]);
	}
	json_write_end(w);
}

void findings_print_json(const struct findings *found, const struct findings_mended *mended,
			 struct str *out)
{
	struct json_writer w = json_writer_to(out, &json_pretty);

	json_write_object(&w);
	json_write_name(&w, slice_of("facts"));
	json_write_object(&w);
	for (size_t i = 0; i < found->fact_count; i++)
		json_write_member_string(&w, found->facts[i].label, slice_of(found->facts[i].text));
	json_write_end(&w);
	json_write_name(&w, slice_of("findings"));
	json_write_array(&w);
	for (size_t i = 0; i < found->count; i++)
		findings_write_one(&w, &found->items[i]);
	json_write_end(&w);
	findings_write_mended(&w, found, mended);
	json_write_member_int(&w, "status", findings_status(found));
	json_write_end(&w);
	str_addc(out, '\n');
}

/* ---- the page */

static const char *const group_titles[GROUP_COUNT] = {
	[GROUP_PROGRAM] = "The program",
	[GROUP_STORE] = "The store as a whole",
	[GROUP_FILES] = "What is in the files",
	[GROUP_CHANGES] = "Changes, and what interrupted ones leave",
	[GROUP_HISTORY] = "The history",
	[GROUP_CLIENTS] = "Clients",
};

void findings_write_page(struct str *out)
{
	str_adds(out,
		 "# What kota doctor finds\n\n"
		 "Made from the table of the program by `make docs`; do not edit. `kota doctor` "
		 "looks at the store, its history and\nthe clients, and changes nothing. A note is "
		 "good to know; a todo works and should be put right; what is broken\ncannot be "
		 "read. The exit status is 0 when there are at most notes, 1 when there is a todo, "
		 "65 when something is broken.\nWith `--json` each finding has its name from here "
		 "as "
		 "`kind`.\n\n"
		 "`kota doctor --fix` does what the last column says, and nothing else; with "
		 "`--dry-run` it says so first. It deletes no\ndata, writes to no file of yours "
		 "that "
		 "cannot be read, removes nobody's lock and registers nothing. What it did not\ndo "
		 "is listed as before, with what to do.\n");
	for (int group = 0; group < GROUP_COUNT; group++) {
		str_printf(out,
			   "\n## %s\n\n| finding | | what it means | what to do | `--fix` |\n"
			   "|---|---|---|---|---|\n",
			   group_titles[group]);
		for (int kind = 0; kind < FINDING_KIND_COUNT; kind++) {
			const struct finding_row *row = finding_row((enum finding_kind)kind);

			if ((int)row->group == group)
				str_printf(out, "| %s | %s | %s | %s | %s |\n", row->name,
					   severity_names[row->severity], row->meaning, row->remedy,
					   row->fix ? row->fix : "");
		}
	}
}
