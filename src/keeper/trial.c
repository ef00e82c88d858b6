#include "keeper/trial.h"

#include <errno.h>
#include <signal.h>

#include "base/clock.h"
#include "base/fd.h"
#include "keeper/spawn.h"

void
trial_init(struct trial *t)
{
	*t = (struct trial){
		.program = -1,
		.control = -1,
		.until_ms = CLOCK_NEVER,
	};
}

void
trial_end(struct trial *t)
{
	struct control said = t->said;

	if (t->pid)
		kill(t->pid, SIGKILL);
	fd_close(&t->control);
	fd_close(&t->program);
	trial_init(t);
	t->said = said;
}

static void
say(struct trial *t, enum control_failure how, int error)
{
	t->said = (struct control){ .type = CONTROL_FAILED };
	t->said.u.failed.how = how;
	t->said.u.failed.error = error;
}

void
trial_fail(struct trial *t, enum control_failure how, int error)
{
	say(t, how, error);
	trial_end(t);
}

void
trial_start(struct trial *t, int program, int own, int oom_score,
    const int *fds, struct control *hello, int64_t now_ms)
{
	int rc = spawn_host(program >= 0 ? program : own, oom_score, fds,
	    &t->pid, &t->control);

	t->program = program;
	t->said = (struct control){ 0 };
	if (rc < 0) {
		trial_fail(t, CONTROL_FAILED_RUN, -rc);
		return;
	}
	hello->u.hello.trial = 1;
	control_send(t->control, hello, -1);
	t->stage = TRIAL_STARTED;
	t->until_ms = now_ms + TRIAL_MS;
}

bool
trial_receive(struct trial *t, int64_t now_ms)
{
	bool ready = false;
	struct control c;
	int rc, fd;

	while ((rc = control_receive(t->control, &c, &fd)) == 1) {
		fd_close(&fd);
		if (c.type == CONTROL_FAILED)
			t->said = c;
		if (c.type == CONTROL_READY && t->stage == TRIAL_STARTED)
			ready = true;
	}
	if (rc != -EAGAIN)
		fd_close(&t->control); /* its end will be noticed */
	if (!ready || t->control < 0)
		return false;
	t->stage = TRIAL_READY;
	t->until_ms = now_ms + TRIAL_LEAVE_MS;
	return true;
}

/* Its own report is better than its status. */
void
trial_ended(struct trial *t, int status)
{
	if (t->control >= 0)
		trial_receive(t, 0);
	t->pid = 0;
	if (t->said.type != CONTROL_FAILED)
		say(t, CONTROL_FAILED_ENDED, status);
	trial_end(t);
}
