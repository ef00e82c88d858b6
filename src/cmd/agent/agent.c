#include <fcntl.h>
#include <limits.h>
#include <stdio.h>

#include "agent/profile.h"
#include "agent/profiles.h"
#include "base/path.h"
#include "cmd/agent/explain.h"
#include "cmd/agent/replayed.h"
#include "cmd/line/cmd.h"
#include "cmd/line/operands.h"
#include "cmd/line/opt.h"
#include "cmd/line/out.h"
#include "cmd/line/verbs.h"
#include "home/words.h"
#include "session/agent_files.h"

struct args {
	const char *profile, *version;
};

static const struct opt options[] = {
	OPT_VALUE(struct args, profile, "profile", 'p', "NAME",
	    "test: the agent (the first that the recording names)"),
	OPT_VALUE(struct args, version, "version", 0, "VERSION",
	    "test: its version, until the recording shows one"),
	{ 0 },
};

struct reading {
	struct call *call;
	const char *dir;
};

static void
on_refused(void *arg, const char *file, const char *why)
{
	const struct reading *r = arg;

	out_note(r->call->out, "%s/%s is not used: %s", r->dir, file, why);
}

static struct agent_profiles *
read_profiles(struct call *call)
{
	struct agent_profiles *all = agent_profiles_create();
	char dir[PATH_MAX];
	struct reading r = { call, dir };

	if (agent_files_dir(dir))
		agent_files_read(AT_FDCWD, dir, all, on_refused, &r);
	return all;
}

/* The file of a user's profile; NULL: it is built in. */
static const char *
file_of(const struct agent_profile *p, char out[PATH_MAX])
{
	char dir[PATH_MAX], name[AGENT_NAME_MAX + 8];

	if (!agent_profile_is_own(p) || !agent_files_dir(dir))
		return NULL;
	snprintf(name, sizeof(name), "%s.ini", agent_profile_name(p));
	return path_join(out, PATH_MAX, dir, name) == 0 ? out : NULL;
}

static void
put_json(struct json_out *j, const struct agent_profile *p)
{
	char file[PATH_MAX], seen[256];

	agent_profile_seen(p, seen, sizeof(seen));
	json_out_open(j, '{');
	json_put_text(j, "name", agent_profile_name(p));
	json_put_text(j, "title", agent_profile_title(p));
	json_put_text(j, "seen", json_filled(seen));
	json_put_text(j, "file", file_of(p, file));
	json_out_close(j, '}');
}

static void
put_line(struct buf *out, const struct agent_profile *p)
{
	const char *from;
	char file[PATH_MAX], seen[256];

	agent_profile_seen(p, seen, sizeof(seen));
	from = file_of(p, file);
	buf_printf(out, "%-12s  %-18s  %-20s  ", agent_profile_name(p),
	    agent_profile_title(p), seen[0] != '\0' ? seen : "-");
	words_put_safe(out, from != NULL ? from : "built in");
	buf_putc(out, '\n');
}

static void
put_all(struct out *out, const struct agent_profiles *all)
{
	size_t n = agent_profiles_count(all);
	struct json_out j;

	if (!out->json) {
		buf_printf(&out->buf, "%-12s  %-18s  %-20s  %s\n", "NAME",
		    "AGENT", "SEEN VERSIONS", "FILE");
		for (size_t i = 0; i < n; i++)
			put_line(&out->buf, agent_profiles_at(all, i));
		return;
	}
	out_begin(out, &j);
	json_out_open(&j, '[');
	for (size_t i = 0; i < n; i++)
		put_json(&j, agent_profiles_at(all, i));
	json_out_close(&j, ']');
}

static int
list(struct call *call)
{
	struct agent_profiles *all;
	int status = operands_check(call, 0, 0, "");

	if (status != 0)
		return status;
	all = read_profiles(call);
	put_all(call->out, all);
	agent_profiles_destroy(all);
	return out_send(call->out);
}

static void
put_text(struct out *out, const struct agent_profile *p)
{
	struct json_out j;

	if (!out->json) {
		buf_puts(&out->buf, agent_profile_text(p));
		return;
	}
	out_begin(out, &j);
	json_out_open(&j, '{');
	json_put_text(&j, "name", agent_profile_name(p));
	json_put_text(&j, "title", agent_profile_title(p));
	json_put_text(&j, "text", agent_profile_text(p));
	json_out_close(&j, '}');
}

static int
show(struct call *call)
{
	const struct agent_profile *p;
	struct agent_profiles *all;
	int status = operands_check(call, 1, 1, "the NAME of a profile");

	if (status != 0)
		return status;
	all = read_profiles(call);
	p = agent_profiles_find(all, call->argv[0]);
	if (p == NULL) {
		status = out_fail(call->out, FAIL_NOT_FOUND,
		    "no profile named \"%s\"; 'tend agent ls' lists them",
		    call->argv[0]);
	} else {
		put_text(call->out, p);
		status = out_send(call->out);
	}
	agent_profiles_destroy(all);
	return status;
}

static int
test(struct call *call)
{
	const struct args *a = call->args;
	struct agent_profiles *all;
	int status = operands_check(call, 1, 1, "the FILE of a recording");

	if (status != 0)
		return status;
	all = read_profiles(call);
	status = replayed_print(call->out, all, call->argv[0], a->profile,
	    a->version);
	agent_profiles_destroy(all);
	return status;
}

static int
run(struct call *call)
{
	static const struct verb verbs[] = {
		{ "ls", "", list },
		{ "show", "", show },
		{ "explain", "", explain },
		{ "test", "profile version", test },
		{ 0 },
	};

	return verbs_run(call, verbs, options);
}

const struct cmd cmd_agent = {
	.name = "agent",
	.usage = "ls|show|explain|test [NAME|SESSION|FILE] [--profile NAME]\n"
		 "            [--version VERSION] [--json]",
	.summary = "list and test profiles of coding agents, explain a state",
	.details =
	    "A profile is a file of all that tend knows about one agent: the names\n"
	    "of its program, and the meaning of its title and its screen.  'ls'\n"
	    "lists the profiles; 'show' prints the file of one.  To change it, or to\n"
	    "add an agent, write ~/.config/tend/agents/NAME.ini.\n"
	    "\n"
	    "'explain' prints what each source says about the agent in a session,\n"
	    "and why tend concludes from that what the agent does.\n"
	    "\n"
	    "'test' replays a recording of an agent (asciicast) and prints each\n"
	    "change of its activity and its input box, with the rule that shows it.\n",
	.options = options,
	.args_size = sizeof(struct args),
	.run = run,
};
