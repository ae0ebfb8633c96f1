#include "cli/findings.h"

#include "base/err.h"
#include "base/json_write.h"
#include "base/mem.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define LABEL_WIDTH 18

static const char *const severity_names[SEVERITY_COUNT] = {"note", "todo", "broken"};

__attribute__((format(printf, 1, 0))) static char *format_text(const char *format, va_list args)
{
	char text[ERR_TEXT_MAX];

	vsnprintf(text, sizeof text, format, args);
	return mem_strdup(text);
}

void findings_fact(struct findings *found, const char *label, const char *format, ...)
{
	va_list args;

	found->facts = mem_grow(found->facts, &found->fact_cap, found->fact_count + 1,
				sizeof *found->facts);
	va_start(args, format);
	found->facts[found->fact_count++] = (struct fact){label, format_text(format, args)};
	va_end(args);
}

void findings_add(struct findings *found, enum severity severity, const char *remedy,
		  const char *format, ...)
{
	va_list args;

	found->findings = mem_grow(found->findings, &found->finding_cap, found->finding_count + 1,
				   sizeof *found->findings);
	va_start(args, format);
	found->findings[found->finding_count++] = (struct finding){
		severity, format_text(format, args), mem_strdup(remedy)};
	va_end(args);
}

void findings_release(struct findings *found)
{
	for (size_t i = 0; i < found->fact_count; i++)
		free(found->facts[i].text);
	for (size_t i = 0; i < found->finding_count; i++) {
		free(found->findings[i].what);
		free(found->findings[i].remedy);
	}
	free(found->facts);
	free(found->findings);
	*found = (struct findings){0};
}

static size_t count(const struct findings *found, enum severity least)
{
	size_t sum = 0;

	for (size_t i = 0; i < found->finding_count; i++)
		sum += found->findings[i].severity >= least;
	return sum;
}

int findings_status(const struct findings *found)
{
	if (count(found, SEVERITY_BROKEN) > 0)
		return err_exit_status(ERR_BAD_DATA);
	return count(found, SEVERITY_TODO) > 0;
}

static void print_finding(const struct finding *finding, const struct paint *paint, struct str *out)
{
	const char *before = finding->severity == SEVERITY_NOTE ? paint->faint : paint->warn;

	str_addc(out, '\n');
	paint_add(out, paint, before, slice_of(severity_names[finding->severity]));
	str_adds(out, ": ");
	utf8_add_visible(out, slice_of(finding->what), false);
	str_adds(out, "\n      ");
	utf8_add_visible(out, slice_of(finding->remedy), false);
	str_addc(out, '\n');
}

void findings_print(const struct findings *found, const struct paint *paint, struct str *out)
{
	size_t todo = count(found, SEVERITY_TODO);

	for (size_t i = 0; i < found->fact_count; i++) {
		str_adds(out, paint->faint);
		str_printf(out, "%-*s", LABEL_WIDTH, found->facts[i].label);
		str_adds(out, paint->plain);
		utf8_add_visible(out, slice_of(found->facts[i].text), false);
		str_addc(out, '\n');
	}
	for (size_t i = 0; i < found->finding_count; i++)
		print_finding(&found->findings[i], paint, out);
	if (todo == 0)
		str_adds(out, "\nNothing needs doing.\n");
	else
		str_printf(out, "\n%zu %s to be put right.\n", todo,
			   todo == 1 ? "thing is" : "things are");
}

static void write_finding(struct json_writer *w, const struct finding *finding)
{
	json_write_object(w);
	json_write_member_string(w, "severity", slice_of(severity_names[finding->severity]));
	json_write_member_string(w, "what", slice_of(finding->what));
	json_write_member_string(w, "remedy", slice_of(finding->remedy));
	json_write_end(w);
}

void findings_print_json(const struct findings *found, struct str *out)
{
	struct json_writer w;

	json_writer_init(&w, out, &json_pretty);
	json_write_object(&w);
	json_write_name(&w, slice_of("facts"));
	json_write_object(&w);
	for (size_t i = 0; i < found->fact_count; i++)
		json_write_member_string(&w, found->facts[i].label, slice_of(found->facts[i].text));
	json_write_end(&w);
	json_write_name(&w, slice_of("findings"));
	json_write_array(&w);
	for (size_t i = 0; i < found->finding_count; i++)
		write_finding(&w, &found->findings[i]);
	json_write_end(&w);
	json_write_member_int(&w, "status", findings_status(found));
	json_write_end(&w);
	str_addc(out, '\n');
}
