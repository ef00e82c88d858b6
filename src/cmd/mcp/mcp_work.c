#include "cmd/mcp/mcp_work.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fd.h"
#include "base/mem.h"
#include "home/fault.h"
#include "home/operation.h"
#include "home/report.h"
#include "mcp/server.h"
#include "mcp/tool.h"

#define LAST_MS 1000 /* for cancelled work at the server's exit */

struct mcp_work {
	struct operation what;
	pthread_t thread;
	int done;   /* eventfd: the thread has finished */
	int cancel; /* eventfd: the thread should stop */
	bool stops; /* it may be cancelled (TOOL_READS, TOOL_STOPS) */
	struct report report;
	/* These belong to the thread until it is done: */
	int rc;
	json_t *result;
	struct fault fault;
};

static void
ring(int fd)
{
	uint64_t one = 1;

	while (write(fd, &one, sizeof(one)) < 0 && errno == EINTR)
		continue;
}

static void *
run(void *arg)
{
	struct mcp_work *w = arg;

	w->rc = operation_run(&w->what, &w->report, &w->result, &w->fault);
	ring(w->done);
	return NULL;
}

static void
destroy(struct mcp_work *w)
{
	fd_close(&w->done);
	fd_close(&w->cancel);
	report_finish(&w->report);
	json_decref(w->result);
	free(w);
}

struct mcp_work *
mcp_work_create(const struct mcp_call *call, const char *home,
    struct error *err)
{
	extern char **environ;
	struct mcp_work *w = xcalloc(1, sizeof(*w));
	int rc = 0;

	w->done = eventfd(0, EFD_CLOEXEC);
	w->cancel = eventfd(0, EFD_CLOEXEC);
	w->stops = call->tool->hints & (TOOL_READS | TOOL_STOPS);
	report_init(&w->report, NULL, NULL);
	w->what = (struct operation){ .op = call->tool->op,
		.home = home,
		.session = call->session,
		.args = call->args,
		.environ = environ,
		.granted = OP_EVERY_PERMISSION,
		.cancel_fd = w->cancel };
	if (w->done < 0 || w->cancel < 0)
		rc = errno;
	else
		rc = pthread_create(&w->thread, NULL, run, w);
	if (rc == 0)
		return w;
	error_set(err, rc, "cannot start a thread: %s", strerror(rc));
	destroy(w);
	return NULL;
}

int
mcp_work_fd(const struct mcp_work *w)
{
	return w->done;
}

/* Arguments have the names of the tool's schema. */
static int
fail(const struct fault *f, struct error *err)
{
	if (f->argument[0] == '\0')
		return error_set(err, EREMOTEIO, "%s", f->msg);
	if (f->msg[0] == ' ' || f->msg[0] == ':')
		return error_set(err, EREMOTEIO, "'%s'%s", f->argument, f->msg);
	return error_set(err, EREMOTEIO, "%s; give another '%s'", f->msg,
	    f->argument);
}

static void
put_damage(const struct report *r, json_t *value)
{
	json_t *damage;
	struct buf b;

	if (r->damage.len == 0)
		return;
	buf_init(&b, r->damage.len + 2);
	buf_putc(&b, '[');
	buf_append(&b, r->damage.data, r->damage.len);
	buf_putc(&b, ']');
	damage = json_loadb((const char *)b.data, b.len, 0, NULL);
	buf_finish(&b);
	if (damage != NULL)
		json_object_set_new(value, "damage", damage);
}

int
mcp_work_result(struct mcp_work *w, json_t **value, struct error *err)
{
	if (w->rc < 0)
		return fail(&w->fault, err);
	put_damage(&w->report, w->result);
	*value = w->result;
	w->result = NULL;
	return 1;
}

void
mcp_work_cancel(struct mcp_work *w)
{
	if (w->stops)
		ring(w->cancel);
}

static bool
is_done(const struct mcp_work *w, int ms)
{
	struct pollfd p = { .fd = w->done, .events = POLLIN };

	return poll(&p, 1, ms) > 0;
}

/*
 * A host completes a stop request by itself, so waiting for it may be
 * cancelled.  A thread that reads a long log is left running until the process
 * exits, with everything it uses.
 */
void
mcp_work_destroy(struct mcp_work *w)
{
	if (w == NULL)
		return;
	if (!is_done(w, 0))
		ring(w->cancel);
	if (w->stops && !is_done(w, LAST_MS)) {
		pthread_detach(w->thread);
		return;
	}
	pthread_join(w->thread, NULL);
	destroy(w);
}
