#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/json_tree.h"
#include "base/mem.h"
#include "base/path.h"
#include "cmd/hub/asking.h"
#include "cmd/hub/hub_client.h"
#include "cmd/hub/hub_options.h"
#include "cmd/hub/hub_process.h"
#include "cmd/hub/hub_unit.h"
#include "cmd/line/cmd.h"
#include "cmd/line/operands.h"
#include "cmd/line/opt.h"
#include "cmd/line/out.h"
#include "cmd/line/verbs.h"
#include "home/fault.h"
#include "home/handle.h"
#include "home/words.h"

#define STOP_MS 30000

struct args {
	struct hub_options hub;
	bool foreground, print;
	const char *scope;
};

static const struct opt options[] = {
	OPT_LIST(struct args, hub.listen, "listen", 'l', "ADDR:PORT",
	    "start: the address to serve (127.0.0.1:7070)"),
	OPT_CHOICE(struct args, hub.tls, "tls", 't', "CERT:KEY", "self",
	    "start: TLS with these files, or 'self': with its own"),
	OPT_LIST(struct args, hub.host, "host", 0, "NAME",
	    "start: another name under which clients reach the hub"),
	OPT_VALUE(struct args, hub.proxy_header, "proxy-header", 0, "NAME",
	    "start: the header in which a proxy names the user"),
	OPT_VALUE(struct args, hub.proxy_from, "proxy-from", 0, "ADDR",
	    "start: the address of that proxy"),
	OPT_FLAG(struct args, foreground, "foreground", 'f',
	    "start: stay in the foreground, log to standard error"),
	OPT_VALUE(struct args, scope, "scope", 's', "PERMISSION,...",
	    "login: only these permissions (all)"),
	OPT_FLAG(struct args, print, "print", 0,
	    "install: only print the unit"),
	{ 0 },
};

/* ------------------------------------------------------------------- status */

static void
put(struct buf *out, const json_t *status, const char *name)
{
	char text[8192];

	if (json_is_null(json_object_get(status, name)))
		return;
	asking_field(out, name, 11);
	asking_field(out, asking_shown(status, name, text, sizeof(text)), 0);
}

static int
put_status(struct call *call, const json_t *status)
{
	struct buf *out = &call->out->buf;

	if (call->out->json)
		return asking_json(call, status);
	put(out, status, "url");
	put(out, status, "fingerprint");
	asking_field(out, "pid", 11);
	buf_printf(out, "%lld\n",
	    (long long)json_integer_value(json_object_get(status, "pid")));
	put(out, status, "home");
	put(out, status, "socket");
	put(out, status, "version");
	return out_send(call->out);
}

static int
show_status(struct call *call)
{
	auto_json json_t *status = NULL;
	struct fault f;
	int rc = operands_check(call, 0, 0, "");

	if (rc != 0)
		return rc;
	if (hub_client_status(&call->target->home, &status, &f) < 0)
		return out_fault(call->out, &f);
	return put_status(call, status);
}

/* -------------------------------------------------------------------- start */

/* The kind of failure behind the errno value of a hub that did not start. */
static enum failure
failure_of_start(int code)
{
	switch (code) {
	case EINVAL:
		return FAIL_USAGE;
	case EEXIST:
		return FAIL_EXISTS;
	case EADDRINUSE:
		return FAIL_BUSY;
	case EADDRNOTAVAIL:
	case EBADMSG:
		return FAIL_INPUT;
	case EACCES:
	case EPERM:
		return FAIL_DENIED;
	case EIO:
	case ENOSPC:
	case EROFS:
		return FAIL_STORAGE;
	default:
		return FAIL_INTERNAL;
	}
}

/* 0, or the exit status if a hub runs already. */
static int
refuse_second(struct call *call)
{
	const struct home *h = &call->target->home;
	struct fault f;
	pid_t pid = hub_process_find(h, &f);

	if (pid < 0 && f.failure == FAIL_NOT_RUNNING)
		return 0;
	if (pid < 0)
		return out_fault(call->out, &f);
	return out_fail(call->out, FAIL_EXISTS,
	    "a hub already serves the home %s, pid %d; 'tend hub status' shows "
	    "it, 'tend hub stop' ends it",
	    h->path, (int)pid);
}

/* The home may be new: open it again. */
static int
show_started(struct call *call)
{
	auto_json json_t *status = NULL;
	struct fault f;
	int rc;

	handle_finish(call->target);
	handle_init(call->target, call->target->home_option);
	if (handle_open_home(call->target, false, &f) < 0 ||
	    hub_client_status(&call->target->home, &status, &f) < 0)
		return out_fault(call->out, &f);
	rc = put_status(call, status);
	if (rc == 0 && !call->out->json)
		out_note(call->out,
		    "'tend hub login' prints a link for a "
		    "browser, 'tend token create' a token for "
		    "a program");
	return rc;
}

static int
start(struct call *call)
{
	const struct args *a = call->args;
	struct error err = { 0 };
	char **argv;
	int rc = operands_check(call, 0, 0, "");

	if (rc == 0)
		rc = refuse_second(call);
	if (rc != 0)
		return rc;
	argv = hub_options_arguments(&a->hub, call->config,
	    call->target->home.path, &err);
	if (argv == NULL)
		return out_fail(call->out, failure_of_start(err.code), "%s",
		    err.msg);
	rc = hub_process_start(argv, a->foreground, &err);
	hub_options_free(argv);
	if (rc < 0)
		return out_fail(call->out, failure_of_start(-rc), "%s",
		    err.msg);
	return show_started(call);
}

/* --------------------------------------------------------------------- stop */

static int
stop(struct call *call)
{
	struct json_out j;
	struct error err;
	struct fault f;
	pid_t pid;
	int rc = operands_check(call, 0, 0, "");

	if (rc != 0)
		return rc;
	pid = hub_process_find(&call->target->home, &f);
	if (pid < 0)
		return out_fault(call->out, &f);
	rc = hub_process_stop(pid, STOP_MS, &err);
	if (rc < 0 && rc != -ESRCH)
		return out_fail(call->out,
		    rc == -ETIMEDOUT ? FAIL_TIMEOUT : FAIL_INTERNAL, "%s",
		    err.msg);
	if (call->out->json) {
		out_begin(call->out, &j);
		json_out_open(&j, '{');
		json_put_int(&j, "stopped", pid);
		json_out_close(&j, '}');
	}
	return out_send(call->out);
}

/* -------------------------------------------------------------------- login */

/* The link alone for a program, with a code and an explanation for a person. */
static int
put_login(struct call *call, const json_t *login)
{
	struct buf *out = &call->out->buf;
	const json_t *qr = json_object_get(login, "qr");
	auto_json json_t *status = NULL;
	char text[128];
	struct fault f;

	buf_printf(out, "%s\n",
	    json_string_value(json_object_get(login, "url")));
	if (!isatty(STDOUT_FILENO))
		return out_send(call->out);
	for (size_t i = 0; i < json_array_size(qr); i++)
		buf_printf(out, "%s\n",
		    json_string_value(json_array_get(qr, i)));
	buf_puts(out,
	    "Open this link in a browser.  It works once, within 60 "
	    "seconds.\n");
	if (hub_client_status(&call->target->home, &status, &f) == 0 &&
	    json_is_string(json_object_get(status, "fingerprint")))
		buf_printf(out,
		    "The certificate must have this fingerprint (SHA-256):\n"
		    "%s\n",
		    asking_shown(status, "fingerprint", text, sizeof(text)));
	return out_send(call->out);
}

static int
login(struct call *call)
{
	const struct args *a = call->args;
	auto_json json_t *result = NULL;
	json_t *args;
	int rc = operands_check(call, 0, 0, "");

	if (rc != 0)
		return rc;
	args = json_object();
	asking_words(args, "scope", a->scope);
	rc = asking_hub(call, "login.create", args, &result);
	if (rc != 0)
		return rc;
	return call->out->json ? asking_json(call, result) :
				 put_login(call, result);
}

/* ------------------------------------------------------------------ install */

/* The home for the unit, which does not have our environment; NULL: default. */
static const char *
home_for_unit(const struct home *h)
{
	char standard[PATH_MAX];

	if (path_user_home(standard, sizeof(standard), NULL) == 0 &&
	    strcmp(standard, h->path) == 0)
		return NULL;
	return h->path;
}

static int
put_unit(struct call *call, const char *path, struct buf *text, bool started)
{
	const struct args *a = call->args;
	struct json_out j;

	buf_putc(text, '\0');
	if (call->out->json) {
		out_begin(call->out, &j);
		json_out_open(&j, '{');
		json_put_text(&j, "unit", path);
		json_put_text(&j, "text", (char *)text->data);
		json_put_bool(&j, "started", started);
		json_put_bool(&j, "lingering", hub_unit_lingers());
		json_out_close(&j, '}');
	} else if (a->print) {
		buf_puts(&call->out->buf, (char *)text->data);
	} else {
		buf_printf(&call->out->buf, "%s\n", path);
	}
	return out_send(call->out);
}

static int
enable(struct call *call, const char *path, const struct buf *text)
{
	struct error err;
	int rc = refuse_second(call);

	if (rc != 0)
		return rc;
	if (hub_unit_write(path, text, &err) < 0)
		return out_fail(call->out,
		    err.code == EEXIST ? FAIL_EXISTS : FAIL_STORAGE, "%s",
		    err.msg);
	if (hub_unit_enable(&err) < 0)
		return out_fail(call->out, FAIL_INTERNAL, "%s", err.msg);
	return 0;
}

static int
install_unit(struct call *call, struct buf *text)
{
	const struct args *a = call->args;
	char path[PATH_MAX];
	struct error err;
	char **argv;
	int rc;

	argv = hub_options_arguments(&a->hub, NULL,
	    home_for_unit(&call->target->home), &err);
	if (argv == NULL)
		return out_fail(call->out, FAIL_USAGE, "%s", err.msg);
	rc = hub_unit_text(argv, text, &err);
	hub_options_free(argv);
	if (rc == 0)
		rc = hub_unit_path(path, &err);
	if (rc < 0)
		return out_fail(call->out, FAIL_USAGE, "%s", err.msg);
	if (!a->print) {
		rc = enable(call, path, text);
		if (rc != 0)
			return rc;
	}
	rc = put_unit(call, path, text, !a->print);
	if (rc == 0 && !a->print && !hub_unit_lingers())
		out_note(call->out,
		    "the hub ends with your last logout; "
		    "'loginctl enable-linger' keeps it "
		    "running, and starts it at boot");
	return rc;
}

static int
install(struct call *call)
{
	int rc = operands_check(call, 0, 0, "");
	struct buf text;

	if (rc != 0)
		return rc;
	buf_init(&text, 1u << 20);
	rc = install_unit(call, &text);
	buf_finish(&text);
	return rc;
}

static int
run(struct call *call)
{
	static const struct verb verbs[] = {
		{ "start", "listen tls host proxy-header proxy-from foreground",
		    start },
		{ "stop", "", stop },
		{ "status", "", show_status },
		{ "login", "scope", login },
		{ "install", "listen tls host proxy-header proxy-from print",
		    install },
		{ 0 },
	};

	return verbs_run(call, verbs, options);
}

const struct cmd cmd_hub = {
	.name = "hub",
	.usage =
	    "start|stop|status|login|install [--listen ADDR:PORT]...\n"
	    "            [--tls self|CERT:KEY] [--host NAME]... "
	    "[--proxy-header NAME]\n"
	    "            [--proxy-from ADDR] [-f] [--scope PERMISSION,...] "
	    "[--print] [--json]",
	.summary =
	    "serve the sessions to browsers, programs and other machines",
	.details =
	    "'start' starts the hub of the home; 'status' shows its address, process\n"
	    "and certificate; 'login' prints a link that logs a browser in, once;\n"
	    "'stop' stops it, and sessions do not notice; 'install' has systemd start\n"
	    "it with every login, and takes the options of 'start'.\n"
	    "\n"
	    "The hub serves HTTP and WebSockets on 127.0.0.1:7070.  Other addresses\n"
	    "need TLS: '--tls self' makes a certificate, once, and 'tend hub status'\n"
	    "shows its fingerprint.  Other tend commands do not need the hub.\n",
	.options = options,
	.args_size = sizeof(struct args),
	.needs = CMD_NEEDS_HOME | CMD_READS_CONFIG,
	.run = run,
};
