#include "cmd/target/several.h"

#include <pthread.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "cmd/line/cmd.h"
#include "cmd/line/out.h"

/* One operand and its thread. */
struct job {
	struct call call; /* its own */
	struct out out;
	char *argv[2];
	several_fn *one;
	const void *arg;
	pthread_t thread;
	bool started;
	struct buf answer; /* its envelope */
	int status;
};

static void *
work(void *arg)
{
	struct job *job = arg;

	job->status = job->one(&job->call, job->arg);
	return NULL;
}

static void
start(const struct call *call, int i, struct job *job, several_fn *one,
    const void *arg)
{
	int rc;

	out_init(&job->out, call->out->command, call->out->json);
	job->out.failure_status = call->out->failure_status;
	buf_init(&job->answer, OUT_MAX + 1);
	if (call->out->json)
		job->out.into = &job->answer;
	job->argv[0] = call->argv[i];
	job->call = *call;
	job->call.out = &job->out;
	job->call.argc = 1;
	job->call.argv = job->argv;
	job->call.several = true;
	job->one = one;
	job->arg = arg;
	rc = pthread_create(&job->thread, NULL, work, job);
	job->started = rc == 0;
	if (job->started)
		return;
	job->status = out_status(call->out, FAIL_INTERNAL);
	out_note(call->out, "%s: cannot start a thread: %s", call->argv[i],
	    strerror(rc));
}

static void
finish(struct job *job)
{
	if (job->started)
		pthread_join(job->thread, NULL);
	out_finish(&job->out);
}

/* The envelope, without the newline. */
static void
put_answer(struct json_out *j, struct job *job)
{
	auto_free char *text = buf_take(&job->answer);

	text[strcspn(text, "\n")] = '\0';
	if (text[0] != '\0')
		json_out_json(j, text);
	else
		json_out_null(j);
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
	for (int i = 0; i < n; i++)
		buf_finish(&jobs[i].answer);
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
			finish(&jobs[done++]);
		start(call, i, &jobs[i], one, arg);
	}
	while (done < n)
		finish(&jobs[done++]);
	return answer(call, jobs, n);
}
