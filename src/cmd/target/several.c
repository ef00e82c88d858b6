#include "cmd/target/several.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/mem.h"
#include "cmd/line/cmd.h"
#include "cmd/line/out.h"

struct job {
	pid_t pid;  /* 0: it could not be started */
	int answer; /* what it wrote to standard output; -1: nobody asks */
	int status;
};

static _Noreturn void
work(const struct call *call, int i, const struct job *job, several_fn *one,
    const void *arg)
{
	char *argv[] = { call->argv[i], NULL };
	struct call own = *call;

	if (job->answer >= 0 && dup2(job->answer, STDOUT_FILENO) < 0)
		_exit(out_status(call->out, FAIL_INTERNAL));
	own.argc = 1;
	own.argv = argv;
	own.several = true;
	_exit(one(&own, arg));
}

static void
start(const struct call *call, int i, struct job *job, several_fn *one,
    const void *arg)
{
	*job = (struct job){ .answer = -1 };
	if (call->out->json)
		job->answer = memfd_create("answer", MFD_CLOEXEC);
	if (job->answer >= 0 || !call->out->json)
		job->pid = fork();
	if (job->pid == 0 && (job->answer >= 0 || !call->out->json))
		work(call, i, job, one, arg);
	if (job->pid > 0)
		return;
	job->pid = 0;
	job->status = out_status(call->out, FAIL_INTERNAL);
	out_note(call->out, "%s: cannot start a process: %s", call->argv[i],
	    strerror(errno));
}

static void
finish(const struct call *call, struct job *job)
{
	int status;

	if (job->pid == 0)
		return;
	while (waitpid(job->pid, &status, 0) < 0)
		if (errno != EINTR)
			return;
	job->status = WIFEXITED(status) ? WEXITSTATUS(status) :
					  out_status(call->out, FAIL_INTERNAL);
}

/* Its envelope, without the line's end. */
static void
put_answer(struct json_out *j, struct job *job)
{
	auto_free char *text = NULL;
	struct buf b;

	buf_init(&b, OUT_MAX + 1);
	if (job->answer >= 0 && lseek(job->answer, 0, SEEK_SET) == 0)
		(void)file_read(job->answer, OUT_MAX, &b);
	text = buf_take(&b);
	text[strcspn(text, "\n")] = '\0';
	if (text[0] != '\0')
		json_out_json(j, text);
	else
		json_out_null(j);
	fd_close(&job->answer);
}

static int
answer(struct call *call, struct job *jobs, int n)
{
	int status = 0, sent;
	struct json_out j;

	for (int i = 0; i < n; i++)
		if (jobs[i].status > status)
			status = jobs[i].status;
	if (call->out->json) {
		out_begin(call->out, &j);
		json_out_open(&j, '[');
		for (int i = 0; i < n; i++)
			put_answer(&j, &jobs[i]);
		json_out_close(&j, ']');
	}
	sent = out_send(call->out);
	return sent != 0 ? sent : status;
}

int
several_run(struct call *call, several_fn *one, const void *arg)
{
	int n = call->argc, done = 0;
	auto_free struct job *jobs = xcalloc((size_t)n, sizeof(*jobs));

	for (int i = 0; i < n; i++) {
		if (i - done == SEVERAL_AT_ONCE)
			finish(call, &jobs[done++]);
		start(call, i, &jobs[i], one, arg);
	}
	while (done < n)
		finish(call, &jobs[done++]);
	return answer(call, jobs, n);
}
