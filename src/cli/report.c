#include "cli/report.h"

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

void report_fact(struct report *report, const char *label, const char *format, ...)
{
	va_list args;

	report->facts = mem_grow(report->facts, &report->fact_cap, report->fact_count + 1,
				 sizeof *report->facts);
	va_start(args, format);
	report->facts[report->fact_count++] = (struct fact){label, format_text(format, args)};
	va_end(args);
}

void report_finding(struct report *report, enum severity severity, const char *remedy,
		    const char *format, ...)
{
	va_list args;

	report->findings = mem_grow(report->findings, &report->finding_cap,
				    report->finding_count + 1, sizeof *report->findings);
	va_start(args, format);
	report->findings[report->finding_count++] = (struct finding){
		severity, format_text(format, args), mem_strdup(remedy)};
	va_end(args);
}

void report_release(struct report *report)
{
	for (size_t i = 0; i < report->fact_count; i++)
		free(report->facts[i].text);
	for (size_t i = 0; i < report->finding_count; i++) {
		free(report->findings[i].what);
		free(report->findings[i].remedy);
	}
	free(report->facts);
	free(report->findings);
	*report = (struct report){0};
}

static size_t count(const struct report *report, enum severity least)
{
	size_t found = 0;

	for (size_t i = 0; i < report->finding_count; i++)
		found += report->findings[i].severity >= least;
	return found;
}

int report_status(const struct report *report)
{
	if (count(report, SEVERITY_BROKEN) > 0)
		return err_exit_status(ERR_BAD_DATA);
	return count(report, SEVERITY_TODO) > 0;
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

void report_print(const struct report *report, const struct paint *paint, struct str *out)
{
	size_t todo = count(report, SEVERITY_TODO);

	for (size_t i = 0; i < report->fact_count; i++) {
		str_adds(out, paint->faint);
		str_printf(out, "%-*s", LABEL_WIDTH, report->facts[i].label);
		str_adds(out, paint->plain);
		utf8_add_visible(out, slice_of(report->facts[i].text), false);
		str_addc(out, '\n');
	}
	for (size_t i = 0; i < report->finding_count; i++)
		print_finding(&report->findings[i], paint, out);
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

void report_print_json(const struct report *report, struct str *out)
{
	struct json_writer w;

	json_writer_init(&w, out, &json_pretty);
	json_write_object(&w);
	json_write_name(&w, slice_of("facts"));
	json_write_object(&w);
	for (size_t i = 0; i < report->fact_count; i++)
		json_write_member_string(&w, report->facts[i].label,
					 slice_of(report->facts[i].text));
	json_write_end(&w);
	json_write_name(&w, slice_of("findings"));
	json_write_array(&w);
	for (size_t i = 0; i < report->finding_count; i++)
		write_finding(&w, &report->findings[i]);
	json_write_end(&w);
	json_write_member_int(&w, "status", report_status(report));
	json_write_end(&w);
	str_addc(out, '\n');
}
