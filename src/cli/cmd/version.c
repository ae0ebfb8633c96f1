#include "base/version.h"
#include "cli/args/command.h"
#include "cli/term/streams.h"
#include "json/write.h"

static int version_execute(struct run *run, struct err *err)
{
	STR_AUTO out = STR_INIT;

	if (run->options.json) {
		struct json_writer w = json_writer_to(&out, &json_pretty);

		json_write_object(&w);
		json_write_member_string(&w, "version", slice_of(version_text()));
		json_write_end(&w);
		str_addc(&out, '\n');
	} else {
		str_printf(&out, "kota %s\n", version_text());
	}
	return streams_write(run->cli, str_slice(&out), err);
}

const struct command command_version = {
	.name = "version",
	.summary = "Show the version of the program",
	.description = "Show the version of the program.\n",
	.execute = version_execute,
};
