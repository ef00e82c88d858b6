#include "cmd/target/target.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/id.h"
#include "base/mem.h"
#include "cmd/line/cmd.h"
#include "cmd/line/out.h"
#include "home/damage.h"
#include "home/fault.h"
#include "session/around.h"
#include "session/find.h"

static int
end(struct call *call, int rc, const struct fault *f)
{
	return rc == 0 ? 0 : out_fault(call->out, f);
}

static int
open_home(struct call *call)
{
	struct fault f;

	return end(call, handle_open_home(call->target, false, &f), &f);
}

/*
 * People abbreviate names.  A program that uses the name of a missing session
 * must not type into another one or end it.
 */
static bool
may_abbreviate(const struct call *call, unsigned needs)
{
	if (call->out->json)
		return false;
	return (needs & CMD_NEWEST) || isatty(STDERR_FILENO);
}

static int
find(struct call *call, const char *arg, unsigned needs)
{
	unsigned flags = needs & CMD_NEWEST ? FIND_NEWEST_OK : 0;
	struct handle *h = call->target;
	struct fault f;
	char id[ID_SIZE];

	if ((needs & CMD_FINDS_DESTROYED) && arg != NULL &&
	    id_parse(arg, id) == 0)
		flags |= FIND_DESTROYED;
	if (may_abbreviate(call, needs))
		flags |= FIND_BEGINNING;
	if (handle_find(h, arg, flags, &f) < 0)
		return out_fault(call->out, &f);
	if (needs & CMD_NEWEST) /* it only reads */
		damage_report_manifest(&call->out->report, &h->session);
	return 0;
}

int
target_find_session(struct call *call, const char *id)
{
	return find(call, id, 0);
}

/* The session around the shell of this command, if it is in this home. */
static bool
take_around(struct call *call)
{
	struct handle *h = call->target;
	char id[ID_SIZE];

	return around_session(id) &&
	    find_session(&h->home, id, 0, &h->session, &h->dirfd, NULL) == 0;
}

int
target_take_session(struct call *call, unsigned needs)
{
	const unsigned reads = CMD_NEEDS_SESSION | CMD_NEWEST;
	const char *arg = call->argc > 0 ? call->argv[0] : NULL;
	int status;

	if (arg == NULL && (needs & reads) == reads && take_around(call))
		return 0;
	if (arg == NULL && !(needs & CMD_NEWEST))
		return out_fail(call->out, FAIL_USAGE,
		    "which session? give its name or id; 'tend ls' lists them");
	status = find(call, arg, needs);
	if (status == 0 && arg != NULL) {
		call->argc--;
		call->argv++;
	}
	return status;
}

int
target_connect(struct call *call)
{
	struct fault f;

	return end(call, handle_connect(call->target, &f), &f);
}

int
target_prepare(struct call *call, unsigned needs)
{
	int status = 0;

	if (needs & ~(unsigned)CMD_READS_CONFIG)
		status = open_home(call);
	if (status == 0 && (needs & CMD_NEEDS_SESSION))
		status = target_take_session(call, needs);
	if (status == 0 && (needs & CMD_NEEDS_HOST))
		status = target_connect(call);
	return status;
}

int
target_ask(struct call *call, const char *op, const char *args, char **result)
{
	struct fault f;

	return end(call, handle_ask(call->target, op, args, result, &f), &f);
}

int
target_ask_live(struct call *call, const char *op, const char *args,
    char **result)
{
	struct fault f;

	return end(call, handle_ask_live(call->target, op, args, result, &f),
	    &f);
}

int
target_answer(struct call *call, const char *result)
{
	struct json_out j;

	if (call->out->json) {
		out_begin(call->out, &j);
		json_out_json(&j, result);
	}
	return out_send(call->out);
}

int
target_request(struct call *call, const char *op, const char *args)
{
	auto_free char *result = NULL;
	int status = target_ask(call, op, args, &result);

	return status != 0 ? status : target_answer(call, result);
}
