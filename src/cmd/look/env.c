#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cmd/line/cmd.h"
#include "cmd/line/operands.h"
#include "cmd/line/opt.h"
#include "cmd/line/out.h"
#include "cmd/target/target.h"
#include "home/words.h"
#include "session/around.h"
#include "session/environ.h"
#include "session/visit.h"

struct args {
	bool program;
};

static const struct opt options[] = {
	OPT_FLAG(struct args, program, "program", 0,
	    "the environment that its program was started with"),
	{ 0 },
};

/* ------------------------------------------------------- who came last */

/* The link, where there is one, leads to every later visitor's agent too. */
static const char *
value_now(const struct handle *t, char *const *env, const char *name,
    char link[PATH_MAX])
{
	if (strcmp(name, "SSH_AUTH_SOCK") == 0 &&
	    faccessat(t->dirfd, VISIT_LINK, F_OK, 0) == 0 &&
	    visit_link_path(&t->home, t->session.id, link, PATH_MAX))
		return link;
	return environ_value(env, name);
}

static void
put_line(struct buf *out, const char *name, const char *value)
{
	if (value == NULL) {
		buf_printf(out, "unset %s\n", name);
		return;
	}
	buf_printf(out, "export %s=", name);
	words_quote(value, out);
	buf_putc(out, '\n');
}

static int
show_visit(struct call *call)
{
	const struct handle *t = call->target;
	struct out *out = call->out;
	struct error err;
	struct json_out j;
	char **env = visit_read(t->dirfd, &err);
	char link[PATH_MAX];

	if (env == NULL)
		return out_fail(out,
		    err.code == ENOENT      ? FAIL_NOT_FOUND :
			err.code == EBADMSG ? FAIL_REPLAY :
					      FAIL_STORAGE,
		    "session %s: %s", handle_name(t), err.msg);
	if (out->json) {
		out_begin(out, &j);
		json_out_open(&j, '{');
	}
	for (const char *const *name = visit_names; *name != NULL; name++) {
		const char *value = value_now(t, env, *name, link);

		if (out->json)
			json_put_text(&j, *name, value);
		else
			put_line(&out->buf, *name, value);
	}
	if (out->json)
		json_out_close(&j, '}');
	visit_free(env);
	return out_send(out);
}

/* -------------------------------------------------------- the program's */

static void
put_pair(struct out *out, struct json_out *j, char *pair)
{
	char *equals = strchr(pair, '=');

	if (!out->json) {
		words_put_safe(&out->buf, pair);
		buf_putc(&out->buf, '\n');
	} else if (equals != NULL) {
		*equals = '\0';
		json_put_text(j, pair, equals + 1);
	}
}

static int
show_program(struct call *call)
{
	const struct handle *t = call->target;
	struct error err;
	struct json_out j;
	char **env = environ_read(t->dirfd, t->session.environ_crc, &err);

	if (env == NULL)
		return out_fail(call->out,
		    err.code == ENOENT ? FAIL_NOT_FOUND : FAIL_STORAGE,
		    "session %s: %s", handle_name(t), err.msg);
	if (call->out->json) {
		out_begin(call->out, &j);
		json_out_open(&j, '{');
	}
	for (char **pair = env; *pair != NULL; pair++)
		put_pair(call->out, &j, *pair);
	if (call->out->json)
		json_out_close(&j, '}');
	environ_destroy(env);
	return out_send(call->out);
}

/* Inside of a session, that one is meant. */
static int
take_session(struct call *call)
{
	char id[ID_SIZE], *own = getenv("TEND_SESSION"), **none = call->argv;
	char *argv[] = { own, NULL };
	int status;

	if (around_session(id) && id[0] != '\0')
		argv[0] = own = id;
	if (call->argc > 0 || own == NULL || *own == '\0')
		return target_take_session(call, CMD_NEWEST);
	call->argc = 1;
	call->argv = argv;
	status = target_take_session(call, 0);
	call->argv = none;
	return status;
}

static int
run(struct call *call)
{
	const struct args *a = call->args;
	int status = take_session(call);

	if (status == 0)
		status = operands_check(call, 0, 0, "");
	if (status != 0)
		return status;
	return a->program ? show_program(call) : show_visit(call);
}

const struct cmd cmd_env = {
	.name = "env",
	.usage = "[SESSION] [--program] [--json]",
	.summary = "say what display and agent the last to attach brought",
	.details =
	    "Prints lines for a shell inside of the session, which may have been\n"
	    "started from another terminal, login or machine:\n"
	    "\n"
	    "  eval \"$(tend env)\"\n"
	    "\n"
	    "sets DISPLAY, SSH_CONNECTION and the like to what whoever attached\n"
	    "last had, and unsets those they had not.  SSH_AUTH_SOCK needs no\n"
	    "such help: it is a link that each attach leads to its own agent.\n"
	    "Without SESSION it is the one around this shell, else the newest.\n",
	.options = options,
	.args_size = sizeof(struct args),
	.needs = CMD_NEEDS_HOME,
	.run = run,
};
