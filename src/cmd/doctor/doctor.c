#include "base/buf.h"
#include "base/json_out.h"
#include "cmd/doctor/checks.h"
#include "cmd/line/cmd.h"
#include "cmd/line/operands.h"
#include "cmd/line/out.h"
#include "home/config.h"
#include "home/words.h"

#define STATUS_PROBLEM 1

/* checkup_run has several checks, and names them itself. */
static const struct {
	const char *name;
	check_fn *look;
} checks[] = {
	{ "programs", check_programs },
	{ "path", check_path },
	{ "", checkup_run },
	{ "files", check_files },
	{ "processes", check_processes },
	{ "terminals", check_terminals },
	{ "memory", check_memory },
	{ "lingering", check_lingering },
	{ "fonts", check_fonts },
	{ "terminfo", check_terminfo },
	{ "locale", check_locale },
	{ "screen", check_screen },
};

static void
put_plain(struct buf *out, const char *label, const char *text)
{
	if (text == NULL)
		return;
	buf_printf(out, "%20s %-4s ", "", label);
	words_put_safe(out, text);
	buf_putc(out, '\n');
}

static void
on_finding(void *arg, const struct checkup_finding *f)
{
	struct buf *out = arg;

	buf_printf(out, "%-8s %-10s ", checkup_level_name(f->level), f->check);
	words_put_safe(out, f->what);
	buf_putc(out, '\n');
	put_plain(out, "why:", f->why);
	put_plain(out, "do:", f->fix);
}

static void
on_finding_json(void *arg, const struct checkup_finding *f)
{
	checkup_finding_json(f, arg);
}

static void
look_at_all(struct checkup *c)
{
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		c->check = checks[i].name;
		checks[i].look(c);
	}
}

static void
put_words(struct checkup *c, struct buf *out)
{
	const unsigned *n = c->counts;

	c->fn = on_finding;
	c->arg = out;
	look_at_all(c);
	buf_printf(out, "\n%u ok, %u %s, %u %s\n", n[CHECKUP_OK],
	    n[CHECKUP_WARNING],
	    n[CHECKUP_WARNING] == 1 ? "warning" : "warnings",
	    n[CHECKUP_PROBLEM],
	    n[CHECKUP_PROBLEM] == 1 ? "problem" : "problems");
}

static void
put_json(struct checkup *c, struct json_out *j)
{
	c->fn = on_finding_json;
	c->arg = j;
	json_out_open(j, '{');
	json_put_open(j, "checks", '[');
	look_at_all(c);
	json_out_close(j, ']');
	checkup_counts_json(c, j);
	json_out_close(j, '}');
}

static int
run(struct call *call)
{
	struct config config;
	struct checkup c = { .handle = call->target,
		.config = &config,
		.report = &call->out->report };
	struct json_out j;
	int status = operands_check(call, 0, 0, "");

	if (status != 0)
		return status;
	config_init(&config);
	if (call->out->json) {
		out_begin(call->out, &j);
		put_json(&c, &j);
	} else {
		put_words(&c, &call->out->buf);
	}
	config_finish(&config);
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
