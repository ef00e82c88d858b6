#include "cmd/doctor/checkup.h"
#include "cmd/line/cmd.h"
#include "home/config.h"
#include "cmd/line/operands.h"
#include "cmd/line/out.h"
#include "cmd/target/target.h"

#define STATUS_PROBLEM 1

static const struct {
	const char *name;
	checkup_fn *look;
} checks[] = {
	{ "programs", checkup_programs },
	{ "path", checkup_path },
	{ "config", checkup_config },
	{ "home", checkup_home },
	{ "disk", checkup_disk },
	{ "sessions", checkup_sessions },
	{ "files", checkup_files },
	{ "processes", checkup_processes },
	{ "terminals", checkup_terminals },
	{ "memory", checkup_memory },
	{ "lingering", checkup_lingering },
	{ "fonts", checkup_fonts },
	{ "terminfo", checkup_terminfo },
	{ "locale", checkup_locale },
	{ "screen", checkup_screen },
};

static void
look_at_all(struct checkup *c)
{
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		c->check = checks[i].name;
		checks[i].look(c);
	}
}

static void
put_counts(struct checkup *c)
{
	const unsigned *n = c->counts;

	if (c->json != NULL) {
		json_put_number(c->json, "warnings", n[CHECKUP_WARNING]);
		json_put_number(c->json, "problems", n[CHECKUP_PROBLEM]);
		return;
	}
	buf_printf(c->out, "\n%u ok, %u %s, %u %s\n", n[CHECKUP_OK],
	    n[CHECKUP_WARNING],
	    n[CHECKUP_WARNING] == 1 ? "warning" : "warnings",
	    n[CHECKUP_PROBLEM],
	    n[CHECKUP_PROBLEM] == 1 ? "problem" : "problems");
}

static int
run(struct call *call)
{
	struct config config;
	struct checkup c = { .target = call->target,
		.config = &config,
		.answer = call->out,
		.out = &call->out->buf };
	struct json_out j;
	int status = operands_check(call, 0, 0, "");

	if (status != 0)
		return status;
	if (call->out->json) {
		c.json = &j;
		out_begin(call->out, &j);
		json_out_open(&j, '{');
		json_put_open(&j, "checks", '[');
	}
	config_init(&config);
	look_at_all(&c);
	config_finish(&config);
	if (c.json != NULL)
		json_out_close(&j, ']');
	put_counts(&c);
	if (c.json != NULL)
		json_out_close(&j, '}');
	status = out_send(call->out);
	if (status == 0 && c.counts[CHECKUP_PROBLEM] > 0)
		status = STATUS_PROBLEM;
	return status;
}

const struct cmd cmd_doctor = {
	.name = "doctor",
	.usage = "[--json]",
	.summary = "check the installation, the home, limits and sessions",
	.details =
	    "tend doctor changes nothing.  Each line is ok, a warning (tend works,\n"
	    "with a limitation) or a problem (something does not work), with the\n"
	    "reason and a command that helps.  It reads the logs of ended sessions.\n"
	    "The exit status is 10 when a log is damaged, 1 with any other problem.\n",
	.run = run,
};
