#include <signal.h>
#include <stdio.h>
#include <string.h>

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
