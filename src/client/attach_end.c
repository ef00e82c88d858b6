#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "client/attach_state.h"
#include "session/manifest.h"

void
attach_finish(struct attach *a, enum ending ending, int status)
{
	if (a->ending != GOING_ON)
		return;
	a->ending = ending;
	a->status = status;
}

void
attach_fail(struct attach *a)
{
	attach_finish(a, FAILED, -a->error.code);
}

void
attach_finish_exited(struct attach *a, int code, int signo)
{
	const char *name = signo > 0 ? sigabbrev_np(signo) : NULL;

	if (name != NULL)
		snprintf(a->last_words, sizeof(a->last_words),
		    "[killed by SIG%s]", name);
	else if (signo > 0)
		snprintf(a->last_words, sizeof(a->last_words),
		    "[killed by signal %d]", signo);
	else
		snprintf(a->last_words, sizeof(a->last_words), "[exited %d]",
		    code);
	attach_finish(a, ENDED, signo > 0 ? 128 + signo : code);
}

void
attach_finish_lost(struct attach *a)
{
	snprintf(a->last_words, sizeof(a->last_words), "[lost]");
	attach_finish(a, ENDED, 125);
}

/* Somebody has a name, and is not worth one when it is this user. */
static void
name_of(const char *by, char *out, size_t size)
{
	const struct passwd *pw = NULL;
	unsigned uid = 0;

	if (sscanf(by, "uid:%u", &uid) == 1) {
		if (uid == getuid()) {
			snprintf(out, size, "another of your terminals");
			return;
		}
		pw = getpwuid(uid);
	}
	snprintf(out, size, "%s", pw != NULL ? pw->pw_name : by);
}

void
attach_finish_detached(struct attach *a, const char *by)
{
	char who[64];

	name_of(by, who, sizeof(who));
	snprintf(a->last_words, sizeof(a->last_words),
	    "[detached from %.40s by %.40s]", a->options->name, who);
	attach_finish(a, DETACHED, 0);
}

bool
attach_is_over(struct attach *a)
{
	struct manifest m;
	bool over = false;

	manifest_init(&m);
	if (manifest_read_now(a->dirfd, &m, NULL) == 0) {
		over = !status_is_active(m.status);
		if (over && m.has_exit)
			attach_finish_exited(a, m.exit_code, m.exit_signal);
		else if (over)
			attach_finish_lost(a);
	}
	manifest_finish(&m);
	return over;
}
